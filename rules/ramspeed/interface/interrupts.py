"""Questions in the middle of a turn, which doctrines answer in other modes (RS-09.7, RS-10.3, RS-10.5, RS-12.1).

A step is carried out from its beginning each time. It stops at the first choice that nobody has made yet.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple, cast

from rules.core.errors import OrderError, Scalar
from rules.core.protocol import Choices, Request
from rules.core.view import Param, Text
from rules.interface.panels import single_choice
from rules.interface.question import Choice
from rules.ramspeed.engine.notation import doctrine, order_words
from rules.ramspeed.engine.notation.entry import entry_error
from rules.ramspeed.engine.notation.words import to_notation_words
from rules.ramspeed.engine.orders import Doctrine, Doctrines
from rules.ramspeed.engine.state import PendingDecision, State

KIND_BY_KEY: Final = {"swipe": "defence", "grapple": "defence", "slip": "slip", "prize": "prize"}
CHOICES_BY_KEY: Final = {
    "swipe": ("draw", "turn", "grapple"),
    "grapple": ("turn", "stand"),
    "slip": ("fwd", "back", "turn45L", "turn45R", "turn90L", "turn90R", "hold"),
    "prize": ("5", "10", "20", "sink", "leave"),
}


_EXAMPLE_BY_KEY: Final = {"swipe": "draw", "grapple": "stand", "slip": "hold", "prize": "leave"}


class DecisionNeeded(Exception):
    def __init__(self, ship: str, key: str) -> None:
        super().__init__(f"{ship}.{key}")
        self.ship = ship
        self.key = key


class _LazyDoctrine:
    """A ship's doctrine that raises `DecisionNeeded` when an undecided key is read."""

    def __init__(self, ship: str, stored: Doctrine, decided: Mapping[str, str]) -> None:
        self._ship = ship
        self._stored = stored
        self._decided = decided

    def __getattr__(self, key: str) -> Any:  # noqa: ANN401 - what the key holds
        if key not in KIND_BY_KEY:
            return getattr(self._stored, key)
        if (choice := self._decided.get(f"{self._ship}.{key}")) is None:
            raise DecisionNeeded(self._ship, key)
        return int(choice) if choice.isdigit() else choice


class DecidingDoctrines(Doctrines, frozen=True, kw_only=True):
    choices: dict[str, str]  # answers of this turn by ship and key, such as `A1.swipe`

    def doctrine_of(self, ship: str) -> Doctrine:
        """Return a doctrine whose undecided keys raise `DecisionNeeded` when they are read."""
        return cast("Doctrine", _LazyDoctrine(ship, super().doctrine_of(ship), self.choices))


def doctrines_by_player(state: State, decided: Mapping[str, str] | None) -> dict[str, Doctrines]:
    """Return doctrines by player. Captains who can be asked get deciding ones, unless `decided` is None."""
    doctrines = dict(zip(state.position.players, state.doctrines, strict=True))
    if decided is None or state.mode != "asked":
        return doctrines
    return {
        player: stored
        if state.seat_of(player) in state.conceded
        else DecidingDoctrines(lines=stored.lines, choices=dict(decided))
        for player, stored in doctrines.items()
    }


def make_decision(state: State, undecided: DecisionNeeded, by: str) -> PendingDecision:
    seat = state.seat_of(state.position.ship_by_id(undecided.ship).owner)
    return PendingDecision(seat=seat, ship=undecided.ship, key=cast("Any", undecided.key), by=by)


class InterruptContext(NamedTuple):
    state: State
    decision: PendingDecision  # the question to a captain


def interrupt_context(state: State, request: Request) -> InterruptContext:
    key: Any = request.params["key"]
    ship, by = str(request.params["ship"]), str(request.params["by"])
    return InterruptContext(state, PendingDecision(seat=request.seat, ship=ship, key=key, by=by))


def default_choice(context: InterruptContext) -> Choice:
    state, decision = context
    doctrine_of_ship = state.doctrines[state.seats.index(decision.seat)].doctrine_of(decision.ship)
    return Choice(str(getattr(doctrine_of_ship, decision.key)))


def parse_choice(context: InterruptContext, text: str) -> Choice:
    decision = context.decision
    value = to_notation_words(text).strip().removeprefix(decision.key).strip(" =")
    value = {"stay": "hold"}.get(value, value) if decision.key == "slip" else value
    try:
        line = doctrine.parse_doctrine(f"{decision.ship}: {decision.key}={value or '?'}", context.state.position)
    except OrderError:
        legal = ", ".join(CHOICES_BY_KEY[decision.key])
        raise entry_error("bad_doctrine_value", 1, text, key=decision.key, legal=legal) from None
    return Choice(str(getattr(line, decision.key)))


def example_values(context: InterruptContext) -> dict[str, Scalar]:
    return {"choice": _EXAMPLE_BY_KEY[context.decision.key]}


def draft_choices(context: InterruptContext, decided: Choice | None) -> Choices:
    decision = context.decision
    default = default_choice(context).choice
    choice = decided.choice if decided else ""
    params: dict[str, Param] = {
        "ship": decision.ship,
        "choice": (order_words.value_sentence(decision.key, choice or default),),
    }
    values = (*CHOICES_BY_KEY[decision.key], default)  # a default such as `pila A3` is none of the usual values
    labels = {value: order_words.value_sentence(decision.key, value) for value in values}
    line = Text("line.choice" if choice else "line.doctrine_says", params)
    return single_choice(decision.key, labels, choice, line=line, most=len(labels))
