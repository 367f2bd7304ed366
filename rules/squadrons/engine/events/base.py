"""The base of all events of the fleet game, and the rules that have a reason of their own."""

from __future__ import annotations

from typing import Any, ClassVar, Final, Literal

from msgspec import structs

from rules.core.protocol import Event
from rules.core.view import Text

Weight = Literal[0, 1, 2, 3]
TwoDice = tuple[int, int]
EndReason = Literal[
    "withdrawal", "target", "eliminated", "unreachable", "limit", "conceded", "agreed", "claimed", "called_off"
]
"""The first five occur in cases. `called_off` ends a game that cannot go on; captains cause the others."""
RULES_WITH_REASON: Final = frozenset(
    f"SQ-{section}.{number}"
    for section, numbers in {
        "05": (9, 15),
        "06": (1, 4, 5, 6, 7, 9, 11, 12, 16),
        "08": (1,),
        "13": (2, 3, 4, 14),
        "14": (1, 2, 3, 11, 12, 13),
        "15": (1, 2, 3, 4, 10),
        "16": (1, 3, 4),
        "17": (1, 3, 4, 5),
        "18": (1,),
        "19": (1, 2, 3, 4, 7, 12, 14, 16),
        "20": (1, 3),
        "23": (5,),
    }.items()
    for number in numbers
)
"""Rules with their own sentence as a reason. For any other the reason only says that it is not possible."""


class FleetEvent(Event, frozen=True, kw_only=True):
    """Base class of the events. Records ships taken by the enemy, since their ids still show the builder."""

    shown_in_cases: ClassVar[bool] = True

    taken: tuple[str, ...] = ()
    """Ships named by the event that the enemy of their builders holds."""

    @property
    def sentence_params(self) -> dict[str, Any]:
        return structs.asdict(self)

    @property
    def params(self) -> dict[str, Any]:
        """Return the parameters of the event's sentence. Taken ships are named with their present owner."""
        values = self.sentence_params
        return {key: _with_owner(value, self.taken) for key, value in values.items()} if self.taken else values


def _with_owner(value: object, taken: tuple[str, ...]) -> object:
    match value:
        case str() if value in taken:
            return (_owner_text(value),)
        case tuple():
            return tuple(_owner_text(item) if item in taken else item for item in value)
    return value


def _owner_text(ship: str) -> Text:
    return Text("ship.taken", {"ship": ship, "side": "R" if ship.startswith("B") else "B"})


def reason_key(rule: str) -> str:
    """Return the rule if it has its own reason in the catalogues (`reason_key.<reason>`), else `other`."""
    return rule if rule in RULES_WITH_REASON else "other"
