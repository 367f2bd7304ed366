"""Compute the experience that crews gain and lose from game to game (MX-4.3 to 4.7)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from msgspec import Struct, structs

from rules.core.protocol import Event
from rules.matchbox.engine.events import ShipRammed, ShipSunk, VolleyDropped
from rules.matchbox.engine.incidents import HouseBurnt, ShipCaptured, ShipLeft
from rules.matchbox.engine.state import PROMOTION_LETTERS, Galley, TableSide

PROMOTION_XP: Final = (4, 9, 16)  # experience needed for one, two and three promotions (MX-4.4)
DEFAULT_WISHES: Final = "rmcbp"  # the order of promotions for captains who state no wishes (part 7)
MAX_XP_PER_GAME: Final = 6  # MX-4.3
_INSTRUCTIVE_DAMAGE: Final = 3  # damage of a ram, or hits of a volley, that give experience (MX-4.3)
_CAPTURE_XP: Final = 2


class KeptCrew(Struct, frozen=True, kw_only=True):
    """A crew between two games. It keeps the name of its vessel."""

    xp: int = 0
    promotions: str = ""
    is_battered: bool = False
    """Whether it begins the next game with one oar less on each side, unless it stays at home (MX-4.7)."""


def promotions_due(crew: KeptCrew) -> int:
    """Return how many promotions a crew may still choose (MX-4.4); negative: must lose (MX-4.6)."""
    return _promotions_earned(crew) - len(crew.promotions)


def _promotions_earned(crew: KeptCrew) -> int:
    return sum(crew.xp >= step for step in PROMOTION_XP)


def crew_after_game(crew: KeptCrew, gained: int, galley: Galley | None) -> KeptCrew:
    """Return the crew after a game, before its captain chooses promotions to give up.

    If its galley is lost (None), the crew keeps half of its experience (MX-4.6), and its new vessel is undamaged. A
    galley with half of its oars or fewer is battered (MX-4.7).
    """
    if galley is None:
        return structs.replace(crew, xp=(crew.xp + gained) // 2, is_battered=False)
    return structs.replace(crew, xp=crew.xp + gained, is_battered=galley.port + galley.starboard <= galley.holes)


def with_promotions(crew: KeptCrew, wishes: str) -> KeptCrew:
    """Return the crew with as many promotions as it has earned, by its captain's wishes (part 7).

    It keeps its own first, preferred ones before others, and then gets further ones in the order of wishes.
    """
    own = (*(letter for letter in wishes if letter in crew.promotions), *crew.promotions)
    liked = dict.fromkeys((*own, *wishes, *DEFAULT_WISHES))
    return structs.replace(crew, promotions=_sort_letters([*liked][: _promotions_earned(crew)]))


def promotions_open(crew: KeptCrew) -> str:
    return crew.promotions if promotions_due(crew) < 0 else PROMOTION_LETTERS if promotions_due(crew) else ""


def may_have(crew: KeptCrew, letters: str) -> bool:
    """Return whether a crew can have exactly these promotions, keeping its own (MX-4.4, 4.6)."""
    own, requested = set(crew.promotions), set(letters)
    return (
        letters == _sort_letters(letters)
        and len(letters) == _promotions_earned(crew)
        and own & requested in (own, requested)
    )


def experience_gained(learnt: int, *, home: bool, won: bool) -> int:
    """Return experience from a game (MX-4.3): for deeds, for being afloat on its own side, and for victory."""
    return min(MAX_XP_PER_GAME, learnt + home + won)


def experience_by_deeds(
    learnt: Mapping[str, int], own: Mapping[str, TableSide], sides: Mapping[str, TableSide], events: Iterable[Event]
) -> dict[str, int]:
    """Return experience by vessel id after these events (MX-4.3), without vessels that have none.

    `own` are the vessels' sides when the game began, and `sides` those of all vessels before these events.
    """
    crews = _DeedCounter({**dict.fromkeys(own, 0), **learnt}, own, sides)
    for event in events:
        crews.count(event)
    return {name: xp for name, xp in crews.xp.items() if xp}


class _DeedCounter:
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
        # A prize crew's deeds do not count for the crew that lost the vessel.
        if self._side[galley] == self._own[galley]:
            self.xp[galley] += xp


def _sort_letters(letters: Iterable[str]) -> str:
    return "".join(letter for letter in PROMOTION_LETTERS if letter in letters)
