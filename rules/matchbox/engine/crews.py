"""What crews learn from game to game, and what they lose (MX-4.3 to 4.7)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from msgspec import Struct, structs

from rules.core.protocol import Event
from rules.matchbox.engine.events import ShipRammed, ShipSunk, VolleyDropped
from rules.matchbox.engine.incidents import HouseBurnt, ShipCaptured, ShipLeft
from rules.matchbox.engine.state import PROMOTION_LETTERS, Galley, TableSide

PROMOTION_XP: Final = (4, 9, 16)
"""MX-4.4: from how much experience on a crew has one, two and three promotions."""
DEFAULT_WISHES: Final = "rmcbp"
"""Part 7: which promotions a captain takes who says nothing, in this order."""
MAX_XP_PER_GAME: Final = 6
"""MX-4.3: in one game."""
_INSTRUCTIVE_DAMAGE: Final = 3
"""MX-4.3: a ram that deals so much, and a volley with so many hits, teach something."""
_CAPTURE_XP: Final = 2


class KeptCrew(Struct, frozen=True, kw_only=True):
    """A crew between two games; it keeps the name of its vessel."""

    xp: int = 0
    promotions: str = ""
    """Letters in the order r m b p c."""
    is_battered: bool = False
    """She begins her next game with an oar less on each side, unless she stays away from it (MX-4.7)."""


def promotions_due(crew: KeptCrew) -> int:
    """How many promotions a crew may still choose (MX-4.4); negative: so many it must lose (MX-4.6)."""
    return _promotions_earned(crew) - len(crew.promotions)


def _promotions_earned(crew: KeptCrew) -> int:
    return sum(crew.xp >= step for step in PROMOTION_XP)


def crew_after_game(crew: KeptCrew, gained: int, ended: Galley | None) -> KeptCrew:
    """The crew after a game in which it gained so much, before its captain has chosen what it gives up.

    Who has lost the galley (None) keeps half of all experience (MX-4.6), and its new vessel is whole. One with half her
    oars or fewer is battered (MX-4.7).
    """
    if ended is None:
        return structs.replace(crew, xp=(crew.xp + gained) // 2, is_battered=False)
    return structs.replace(crew, xp=crew.xp + gained, is_battered=ended.port + ended.starboard <= ended.holes)


def with_promotions(crew: KeptCrew, wishes: str) -> KeptCrew:
    """The crew with as many promotions as it has earned, if its captain says nothing but an order of wishes (part 7).

    It keeps its own first, those that are wished before others, and then gets what is wished.
    """
    own = (*(letter for letter in wishes if letter in crew.promotions), *crew.promotions)
    liked = dict.fromkeys((*own, *wishes, *DEFAULT_WISHES))
    return structs.replace(crew, promotions=_sort_letters([*liked][: _promotions_earned(crew)]))


def promotions_open(crew: KeptCrew) -> str:
    """The letters among which its captain may choose: all that it has not got, or, where it must lose some, its own."""
    return crew.promotions if promotions_due(crew) < 0 else PROMOTION_LETTERS if promotions_due(crew) else ""


def may_have(crew: KeptCrew, letters: str) -> bool:
    """Whether a crew can have exactly these promotions: as many as it has earned, its own first (MX-4.4, 4.6)."""
    own, chosen = set(crew.promotions), set(letters)
    return (
        letters == _sort_letters(letters) and len(letters) == _promotions_earned(crew) and own & chosen in (own, chosen)
    )


def experience_gained(learnt: int, *, home: bool, won: bool) -> int:
    """What a crew brings home from a game (MX-4.3): by its deeds, for being afloat on its own side, and for victory."""
    return min(MAX_XP_PER_GAME, learnt + home + won)


def experience_by_deeds(
    learnt: Mapping[str, int], own: Mapping[str, TableSide], sides: Mapping[str, TableSide], events: Iterable[Event]
) -> dict[str, int]:
    """What crews have learnt by their deeds (MX-4.3), with what they had before; those that did nothing are left out.

    `own` are the vessels' sides when the game began, `sides` those of all vessels before these events.
    """
    crews = _DeedCounter({**dict.fromkeys(own, 0), **learnt}, own, sides)
    for event in events:
        crews.count(event)
    return {name: xp for name, xp in crews.xp.items() if xp}


class _DeedCounter:
    """Counts what crews do, from event to event."""

    def __init__(self, learnt: dict[str, int], own: Mapping[str, TableSide], sides: Mapping[str, TableSide]) -> None:
        self.xp = learnt
        self._own = own
        self._side = dict(sides)

    def count(self, event: Event) -> None:
        match event:
            case ShipRammed():
                self._add_xp(event.by, event.damage >= _INSTRUCTIVE_DAMAGE)
            case VolleyDropped():
                self._add_xp(event.by, event.hits >= _INSTRUCTIVE_DAMAGE)
            case ShipSunk():
                self._add_xp(event.by, self._side[event.by] != self._side[event.galley])
            case ShipCaptured():
                self._add_xp(event.by, _CAPTURE_XP)
                self._side[event.galley] = event.side
            case HouseBurnt() | ShipLeft():
                self._add_xp(event.galley, 1)

    def _add_xp(self, galley: str, xp: int) -> None:
        """A prize crew's deeds are not those of the crew that lost the vessel."""
        if self._side[galley] == self._own[galley]:
            self.xp[galley] += xp


def _sort_letters(letters: Iterable[str]) -> str:
    return "".join(one for one in PROMOTION_LETTERS if one in letters)
