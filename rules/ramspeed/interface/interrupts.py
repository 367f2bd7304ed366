"""Asking captains in the middle of a turn what their doctrines would answer (RS part 2, D1 to D3 and PRIZE).

A step is carried out from its beginning each time; at the first choice that nobody has made yet, it stops.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple, cast

from rules.core.protocol import Choices, Request
from rules.core.view import Param, Text
from rules.interface.choosing import Choice
from rules.interface.panels import single_choice
from rules.ramspeed.engine.notation import doctrine, order_words
from rules.ramspeed.engine.notation.words import to_notation_words
from rules.ramspeed.engine.orders import Doctrine, Doctrines
from rules.ramspeed.engine.state import PendingDecision, State

KIND_BY_KEY: Final = {"swipe": "defence", "grapple": "defence", "slip": "slip", "prize": "prize"}
"""The kind of question that is asked for each key of a doctrine."""
CHOICES_BY_KEY: Final = {
    "swipe": ("draw", "turn", "grapple"),
    "grapple": ("turn", "stand"),
    "slip": ("fwd", "back", "turn45L", "turn45R", "turn90L", "turn90R", "hold"),
    "prize": ("5", "10", "20", "sink", "leave"),
}
"""What may be pressed."""


class DecisionNeeded(Exception):
    """A step needs a choice that nobody has made."""

    def __init__(self, ship: str, key: str) -> None:
        """Say for which ship, and what of her doctrine."""
        super().__init__(f"{ship}.{key}")
        self.ship = ship
        self.key = key


class _LazyDoctrine:
    """A ship's doctrine of which each key is looked up when it is needed."""

    def __init__(self, ship: str, stands: Doctrine, decided: Mapping[str, str]) -> None:
        self._ship = ship
        self._stands = stands
        self._decided = decided

    def __getattr__(self, key: str) -> Any:  # noqa: ANN401 - what the key holds
        if key not in KIND_BY_KEY:
            return getattr(self._stands, key)
        if (chosen := self._decided.get(f"{self._ship}.{key}")) is None:
            raise DecisionNeeded(self._ship, key)
        return int(chosen) if chosen.isdigit() else chosen


class DecidingDoctrines(Doctrines, frozen=True, kw_only=True):
    """Doctrines of a captain who is asked."""

    choices: dict[str, str]

    def doctrine_of(self, ship: str) -> Doctrine:
        """What holds for one of the captain's ships; raises `DecisionNeeded` where the captain has to be asked."""
        return cast("Doctrine", _LazyDoctrine(ship, super().doctrine_of(ship), self.choices))


def doctrines_by_player(state: State, decided: Mapping[str, str] | None) -> dict[str, Doctrines]:
    """The doctrines by player, of which those of captains that can be asked are; None: nobody is."""
    found = dict(zip(state.position.players, state.doctrines, strict=True))
    if decided is None or state.mode != "asked":
        return found
    return {
        player: stands
        if state.seat_of(player) in state.conceded
        else DecidingDoctrines(lines=stands.lines, choices=dict(decided))
        for player, stands in found.items()
    }


def make_decision(state: State, undecided: DecisionNeeded, by: str) -> PendingDecision:
    """Ask the captain of a ship."""
    seat = state.seat_of(state.position.ship_by_id(undecided.ship).owner)
    return PendingDecision(seat=seat, ship=undecided.ship, key=cast("Any", undecided.key), by=by)


class InterruptContext(NamedTuple):
    """Read-only inputs for a choice in the middle of a turn."""

    state: State
    decision: PendingDecision


def interrupt_context(state: State, request: Request) -> InterruptContext:
    """What a request in the middle of a turn asks."""
    key: Any = request.params["key"]
    ship, by = str(request.params["ship"]), str(request.params["by"])
    return InterruptContext(state, PendingDecision(seat=request.seat, ship=ship, key=key, by=by))


def default_choice(context: InterruptContext) -> Choice:
    """What the doctrine says."""
    state, asked = context
    stands = state.doctrines[state.seats.index(asked.seat)].doctrine_of(asked.ship)
    return Choice(str(getattr(stands, asked.key)))


def parse_choice(context: InterruptContext, text: str) -> Choice:
    """A choice in the words of doctrines. Raises `IllegalOrder`."""
    asked = context.decision
    value = to_notation_words(text).strip().removeprefix(asked.key).strip(" =")
    value = {"stay": "hold"}.get(value, value) if asked.key == "slip" else value
    found = doctrine.parse_doctrine(f"{asked.ship}: {asked.key}={value or '?'}", context.state.position)
    return Choice(str(getattr(found, asked.key)))


def draft_choices(context: InterruptContext, decided: Choice | None) -> Choices:
    """What may be chosen; pressing it is the answer."""
    asked, stands = context.decision, default_choice(context).choice
    chosen = decided.choice if decided else ""
    said: dict[str, Param] = {"ship": asked.ship, "choice": (order_words.value_sentence(asked.key, chosen or stands),)}
    labels = {value: order_words.value_sentence(asked.key, value) for value in (*CHOICES_BY_KEY[asked.key], stands)}
    line = Text("line.choice" if chosen else "line.doctrine_says", said)
    return single_choice(asked.key, labels, chosen, line=line, most=len(labels))
