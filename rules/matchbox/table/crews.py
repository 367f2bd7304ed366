"""What crews learn from game to game, and what they lose (MX-4.3 to 4.7)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Literal

from msgspec import Struct, structs

from rules.errors import IllegalOrder
from rules.matchbox.table.events import Rammed, Sank, VolleyDropped
from rules.matchbox.table.incidents import Captured, Landed, LeftTable
from rules.matchbox.table.state import PROMOTIONS, Galley, Side
from rules.protocol import Event

STEPS_XP: Final = (4, 9, 16)
"""MX-4.4: from how much experience on a crew has one, two and three promotions."""
WISHES: Final = "rmcbp"
"""Part 7: which promotions a captain takes who says nothing, in this order."""
MOST_XP: Final = 6
"""MX-4.3: in one game."""
_HARD: Final = 3
"""MX-4.3: a ram that deals so much, and a volley with so many hits, teach something."""
_TAKEN_XP: Final = 2
Fate = Literal["afloat", "left", "lost"]
"""What has become of a vessel: `lost` is sunk, burnt out, or in the enemy's hands (MX-4.6)."""


class Crew(Struct, frozen=True, kw_only=True):
    """A crew between two games; it keeps the name of its vessel."""

    xp: int = 0
    promotions: str = ""
    """Letters in the order r m b p c."""
    battered: bool = False
    """She begins her next game with an oar less on each side, unless she stays away from it (MX-4.7)."""


def due(crew: Crew) -> int:
    """How many promotions a crew may still choose (MX-4.4); negative: so many it must lose (MX-4.6)."""
    return sum(crew.xp >= step for step in STEPS_XP) - len(crew.promotions)


def promoted(crew: Crew, letter: str) -> Crew:
    """The crew with one promotion more. Raises `IllegalOrder` if it has it, or none is due (MX-4.4)."""
    if letter not in PROMOTIONS or letter in crew.promotions or due(crew) < 1:
        free = ", ".join(one for one in PROMOTIONS if one not in crew.promotions) if due(crew) > 0 else ""
        raise IllegalOrder("no_such_choice_of_promotion", "MX-4.4", piece=letter, xp=crew.xp, expected=free)
    return structs.replace(crew, promotions=_in_order(crew.promotions + letter))


def wished(crew: Crew, wishes: str = WISHES) -> Crew:
    """The crew with every promotion that is due, by an order of wishes (part 7)."""
    for letter in wishes:
        if due(crew) > 0 and letter not in crew.promotions:
            crew = promoted(crew, letter)
    return crew


def after(crew: Crew, gained: int, fate: Fate, galley: Galley, *, given_up: str = "") -> Crew:
    """The crew after a game in which it gained so much, and its galley ended as it did (MX-4.6, 4.7).

    Promotions for which its experience no longer suffices are given up: those in `given_up` first, then the last in the
    order of the letters.
    """
    return _reduced(aftermath(crew, gained, galley if fate != "lost" else None), given_up)


def aftermath(crew: Crew, gained: int, ended: Galley | None) -> Crew:
    """The crew after a game in which it gained so much, before its captain has chosen what it gives up.

    Who has lost the galley (None) keeps half of all experience (MX-4.6), and its new vessel is whole. One with half her
    oars or fewer is battered (MX-4.7).
    """
    if ended is None:
        return structs.replace(crew, xp=(crew.xp + gained) // 2, battered=False)
    return structs.replace(crew, xp=crew.xp + gained, battered=ended.port + ended.starboard <= ended.holes)


def _reduced(crew: Crew, given_up: str = "") -> Crew:
    """The crew without the promotions that it must lose."""
    for letter in (*given_up, *reversed(crew.promotions)):
        if due(crew) < 0:
            crew = structs.replace(crew, promotions=crew.promotions.replace(letter, ""))
    return crew


def settled(crew: Crew, wishes: str = "") -> Crew:
    """The crew with as many promotions as it has earned, if its captain says nothing but an order of wishes."""
    unwished = "".join(letter for letter in reversed(crew.promotions) if letter not in wishes)
    kept = _reduced(crew, unwished + "".join(letter for letter in reversed(wishes) if letter in crew.promotions))
    return wished(kept, wishes + WISHES)


def open_to(crew: Crew) -> str:
    """The letters among which its captain may choose: all that it has not got, or, where it must lose some, its own."""
    return crew.promotions if due(crew) < 0 else PROMOTIONS if due(crew) else ""


def may_have(crew: Crew, letters: str) -> bool:
    """Whether a crew can have exactly these promotions: as many as it has earned, and none of its own taken away."""
    if letters != _in_order(letters) or len(letters) - len(crew.promotions) != due(crew):
        return False
    return set(letters) <= set(crew.promotions) if due(crew) < 0 else set(crew.promotions) <= set(letters)


def manned(crew: Crew, galley: Galley) -> Galley:
    """A vessel at the beginning of a game, with what the crew can do, and without what a battered one lacks."""
    port, starboard = galley.port - crew.battered, galley.starboard - crew.battered
    return structs.replace(galley, port=port, starboard=starboard, crew=crew.promotions)


def fates(begun: Sequence[Galley], afloat: Iterable[Galley], left: Iterable[str] = ()) -> dict[str, Fate]:
    """What has become of each vessel at the end of a game (MX-4.6): one that is retaken is no loss."""
    sides = {galley.id: galley.side for galley in afloat}
    gone = set(left)
    found: dict[str, Fate] = {}
    for galley in begun:
        own = sides.get(galley.id) == galley.side
        found[galley.id] = "afloat" if own else "left" if galley.id in gone else "lost"
    return found


def gained(
    begun: Sequence[Galley], events: Iterable[Event], afloat: Iterable[Galley], winner: Side | None
) -> dict[str, int]:
    """What each crew learnt in a game (MX-4.3): its deeds while the vessel is its own, and how the game ended."""
    sides = {galley.id: galley.side for galley in begun}
    crews = _Deeds(dict.fromkeys(sides, 0), sides, sides)
    for event in events:
        crews.enter(event)
    ended = fates(begun, afloat, crews.left)
    for galley in begun:
        crews.xp[galley.id] += (ended[galley.id] != "lost") + (galley.side == winner)
    return {name: min(MOST_XP, xp) for name, xp in crews.xp.items()}


def deeds(
    learnt: Mapping[str, int], own: Mapping[str, Side], sides: Mapping[str, Side], events: Iterable[Event]
) -> dict[str, int]:
    """What crews have learnt by their deeds (MX-4.3), with what they had before; those that did nothing are left out.

    `own` are the vessels' sides when the game began, `sides` those of all vessels before these events.
    """
    crews = _Deeds({**dict.fromkeys(own, 0), **learnt}, own, sides)
    for event in events:
        crews.enter(event)
    return {name: xp for name, xp in crews.xp.items() if xp}


class _Deeds:
    """Counts what crews do, from event to event."""

    def __init__(self, learnt: dict[str, int], own: Mapping[str, Side], sides: Mapping[str, Side]) -> None:
        self.xp = learnt
        self.left: set[str] = set()
        self._own = own
        self._side = dict(sides)

    def enter(self, event: Event) -> None:
        match event:
            case Rammed():
                self._learn(event.by, event.damage >= _HARD)
            case VolleyDropped():
                self._learn(event.by, event.hits >= _HARD)
            case Sank():
                self._learn(event.by, self._side[event.by] != self._side[event.galley])
            case Captured():
                self._learn(event.by, _TAKEN_XP)
                self._side[event.galley] = event.side
            case Landed():
                self._learn(event.galley, 1)
            case LeftTable():
                self._learn(event.galley, 1)
                self.left.add(event.galley)

    def _learn(self, galley: str, xp: int) -> None:
        """A prize crew's deeds are not those of the crew that lost the vessel."""
        if self._side[galley] == self._own[galley]:
            self.xp[galley] += xp


def _in_order(letters: str) -> str:
    return "".join(one for one in PROMOTIONS if one in letters)
