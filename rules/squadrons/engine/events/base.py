"""What all events of the fleet game share: whose ships are named, and the reasons of rules."""

from __future__ import annotations

from typing import Any, ClassVar, Final, Literal

from msgspec import structs

from rules.core.protocol import Event
from rules.core.view import Text

Weight = Literal[0, 1, 2, 3]
TwoDice = tuple[int, int]
"""Two dice."""
EndReason = Literal[
    "withdrawal", "target", "eliminated", "unreachable", "limit", "conceded", "agreed", "claimed", "called_off"
]
"""The first five are those of cases; the others are captains' own doing, but for the last: it couldn't go on."""
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
"""Rules that have a sentence of their own as a reason; for any other it says that it is not possible."""


class FleetEvent(Event, frozen=True, kw_only=True):
    """Base of all of them: of ships that were taken it says whose they are, as their letter is still the old one."""

    shown_in_cases: ClassVar[bool] = True
    """Whether cases show it (SQ 10.6)."""

    taken: tuple[str, ...] = ()
    """Ships that it names and that the enemy of their builders holds."""

    @property
    def sentence_params(self) -> dict[str, Any]:
        """What its sentence may name, before it is said whose ships are."""
        return structs.asdict(self)

    @property
    def params(self) -> dict[str, Any]:
        """The same, with whose ships are that were taken."""
        values = self.sentence_params
        return {key: _with_owner(value, self.taken) for key, value in values.items()} if self.taken else values


def _with_owner(value: object, taken: tuple[str, ...]) -> object:
    match value:
        case str() if value in taken:
            return (_owner_text(value),)
        case tuple():
            return tuple(_owner_text(one) if one in taken else one for one in value)
    return value


def _owner_text(ship: str) -> Text:
    return Text("ship.taken", {"ship": ship, "side": "R" if ship.startswith("B") else "B"})


def reason_key(rule: str) -> str:
    """The reason for a rule, as `reason_key.<reason>` in the catalogues."""
    return rule if rule in RULES_WITH_REASON else "other"
