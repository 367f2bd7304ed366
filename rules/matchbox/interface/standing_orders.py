"""Standing orders: a captain's decisions in advance, with their words and values."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from msgspec import UNSET, Struct, structs

from rules.core.errors import IllegalOrder, UnreadableOrder, quote_excerpt
from rules.core.protocol import Seat
from rules.core.view import Text
from rules.interface.typed import fold_text, split_pieces, typed_meanings
from rules.matchbox.engine import orders
from rules.matchbox.engine.state import Galley, OrderList, StandingOrders, State


class OrderContext(Struct, frozen=True):
    """Read-only inputs for editing one seat's orders."""

    state: State  # the game
    seat: Seat  # the seat whose captain writes orders

    @property
    def own_galleys(self) -> tuple[Galley, ...]:
        return tuple(galley for galley in self.state.galleys if galley.seat == self.seat)

    @property
    def enemies(self) -> tuple[Galley, ...]:
        side = self.state.sides[self.seat]
        return tuple(galley for galley in self.state.galleys if galley.side != side)

    @property
    def order_letters(self) -> tuple[str, ...]:
        """The game's orders. `G` exists only with boarding (MX-3.1)."""
        return ("F", "L", "R", "X", "G", "ZZ") if self.state.allows_boarding else ("F", "L", "R", "X", "ZZ")

    @property
    def standing_orders(self) -> StandingOrders:
        return self.state.standing[self.seat]

    @property
    def can_hold(self) -> bool:
        """Whether all galleys may be without orders: by the game's choice, or because none can row or fire (MB-3.7)."""
        return self.state.missed == "hold" or not any(orders.short_fault(galley, "") for galley in self.own_galleys)

    @property
    def last_orders(self) -> dict[str, OrderList]:
        """Orders of the previous round by galley id, without galleys that had none."""
        names = {galley.id for galley in self.own_galleys}
        return {
            order_list.galley: order_list
            for order_list in self.state.ordered
            if order_list.galley in names and order_list.orders
        }


DECISION_VALUES: Final = {  # values of each decision. A target may also be an enemy's id.
    "target": ("nearest", "weakest", "ask"),
    "aim": ("steady", "safe", "ask"),
    "casualties": ("seaworthy", "fighting", "ask"),
    "reorganize": ("even", "ask"),
}
_PRIZE_VALUES: Final = {"prize": ("one", "half", "ask")}
"""Masts that go to a captured galley, in games with boarding."""

_WORD_MEANINGS: Final = typed_meanings(
    {
        "target": ("targets", "cel", "celpont"),
        "aim": ("celzas", "celoz"),
        "casualties": ("losses", "veszteseg", "vesztesegek"),
        "reorganize": ("reorganise", "atrendezes", "atrendez"),
        "prize": ("prizes", "zsakmany", "atszallok"),
        "nearest": ("closest", "legkozelebbi", "legkozelebb"),
        "weakest": ("leggyengebb", "leggyongebb"),
        "ask": ("kerdezz", "kerdez", "kerdes"),
        "steady": ("biztos", "nyugodt"),
        "safe": ("biztonsagos", "ovatos"),
        "seaworthy": ("tengerallo", "hajozhato", "evezok"),
        "fighting": ("harcos", "harckepes", "arbocok"),
        "even": ("egyenletes", "egyenlo"),
        "one": ("egy",),
        "half": ("fele", "felet"),
    }
)
_ID_PATTERN: Final = re.compile(r"[a-z]\d{1,2}")


def notation_word(word: str) -> str:
    """Return the notation's word for a word of any language. Unknown words are unchanged."""
    return _WORD_MEANINGS.get(fold_text(word), word)


def is_standing(piece: str, context: OrderContext) -> bool:
    return _WORD_MEANINGS.get(_split_piece(piece)[0], "") in _decision_values(boarding=context.state.allows_boarding)


def refuse_early(text: str) -> None:
    """Raise `UnreadableOrder` for standing orders before the first round, to which they belong."""
    for piece in split_pieces(text):
        if _WORD_MEANINGS.get(_split_piece(piece)[0], "") in DECISION_VALUES | _PRIZE_VALUES:
            raise UnreadableOrder("standing_early", piece=quote_excerpt(piece))


def _decision_values(*, boarding: bool) -> dict[str, tuple[str, ...]]:
    return DECISION_VALUES | _PRIZE_VALUES if boarding else DECISION_VALUES


def with_piece(standing: StandingOrders, piece: str, context: OrderContext) -> StandingOrders:
    """Return the standing orders with one decision changed by a text such as `aim safe` or `célzás: biztonságos`.

    Raises `OrderError` if the value is not legal.
    """
    word, typed_value = _split_piece(piece)
    decision, value = _WORD_MEANINGS[word], notation_word(typed_value)
    if decision == "target" and _ID_PATTERN.fullmatch(value):
        return structs.replace(standing, target=_parse_target(value.upper(), piece, context))
    legal = _decision_values(boarding=context.state.allows_boarding)[decision]
    if value not in legal:
        raise UnreadableOrder("standing_unknown", piece=quote_excerpt(piece), decision=decision, legal=", ".join(legal))
    return structs.replace(standing, **{decision: value})


def check_target(standing: StandingOrders, context: OrderContext) -> None:
    """Raise `IllegalOrder` if the first target is already lost."""
    if any(galley.id == standing.target for galley in context.state.lost):
        raise IllegalOrder("galley_lost", "MB-7.2", piece=f"target {standing.target}", galley=standing.target)


def format_standing(standing: StandingOrders, previous: StandingOrders | None = None) -> tuple[str, ...]:
    """Return standing orders as one text for each decision. With `previous`, only changed ones."""
    return tuple(
        f"{decision} {getattr(standing, decision)}"
        for decision in _decision_values(boarding=standing.prize is not UNSET)
        if previous is None or getattr(standing, decision) != getattr(previous, decision)
    )


def decision_alternatives(context: OrderContext) -> tuple[tuple[str, str], ...]:
    """Return all values that may be chosen, as pairs of decision and value."""
    known = _decision_values(boarding=context.state.allows_boarding)
    plain = [(decision, value) for decision, values in known.items() for value in values]
    return (*plain, *(("target", enemy.id) for enemy in context.enemies))


def value_label(decision: str, value: str) -> Text:
    if decision == "target" and value not in DECISION_VALUES["target"]:
        return Text("standing.target.first", {"galley": value})
    return Text(f"standing.{decision}.{value}")


def standing_line(standing: StandingOrders) -> Text:
    boarding = standing.prize is not UNSET
    names_galley = standing.target not in DECISION_VALUES["target"]
    general_key = "line.standing.boarding" if boarding else "line.standing"
    first_key = "line.standing.first.boarding" if boarding else "line.standing.first"
    values = {decision: getattr(standing, decision) for decision in _decision_values(boarding=boarding)}
    return Text(first_key if names_galley else general_key, values)


def without_lost(standing: StandingOrders, galleys: Sequence[Galley]) -> StandingOrders:
    """Return the standing orders, with `nearest` as the target if the chosen galley is no longer afloat."""
    is_general = standing.target in DECISION_VALUES["target"]
    is_afloat = any(galley.id == standing.target for galley in galleys)
    return standing if is_general or is_afloat else structs.replace(standing, target="nearest")


def _split_piece(piece: str) -> tuple[str, str]:  # `Aim: safe` becomes ("aim", "safe")
    word, _, value = re.sub(r"[:=]", " ", fold_text(piece)).strip().partition(" ")
    return word, value.strip()


def _parse_target(galley_id: str, piece: str, context: OrderContext) -> str:
    state = context.state
    if galley_id in {galley.id for galley in state.galleys if galley.side == state.sides[context.seat]}:
        raise IllegalOrder("target_friend", "MB-6.1", piece=quote_excerpt(piece), galley=galley_id)
    if galley_id not in {galley.id for galley in (*state.galleys, *state.lost)}:
        raise IllegalOrder("unknown_target", "MB-6.1", piece=quote_excerpt(piece), galley=galley_id)
    return galley_id
