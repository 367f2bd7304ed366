"""The values of The Sailing Season: galleys, battles, a position, the state of a game (CA part 1).

Captains go by their letters, which are their seats' (`rules.core.sides`), and places by their codes.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Final, Literal

from msgspec import Meta, Struct, field

from rules.campaign.engine.sea.maps import Home, SeaMap, sea_map
from rules.core.protocol import GameState

MASTS_BY_OARS: Final = {6: 2, 5: 3, 4: 4}
"""Oar holes a side -> mast holes, of the galleys that War Galley is played with (MB-1.3)."""
FIRST_FLEET: Final = (5, 6, 4, 5, 5)
"""CA-1.4: types of the galleys that a captain begins with."""
FIRST_TALENTS: Final = 6
"""CA-1.4: talents at the beginning."""
MAX_GALLEYS: Final = 8
"""CA-1.6: galleys that a captain may have."""
MAX_IN_BATTLE: Final = 6
"""CA-5.9: galleys of a side that fight."""
TURNS_PER_MONTH: Final = 3
"""CA-1.8: turns a month."""
MAX_RANK: Final = 2
"""CA-1.5: the highest rank."""
Stance = Literal["attack", "hold", "evade"]
STANCES: Final[tuple[Stance, ...]] = ("attack", "hold", "evade")
"""CA-3.4."""


PlaceCode = Annotated[str, Meta(examples=["PIR"])]
"""Of a place."""


class Galley(Struct, frozen=True, kw_only=True):
    """A galley (CA-1.5)."""

    captain: str
    number: int
    place: PlaceCode
    port: int
    starboard: int
    masts: int
    holes: int
    """Oar holes a side: its type."""
    rank: int = 0
    nights: int = 0
    battle: str = ""
    """In which battle it is engaged; empty: it is free."""

    @property
    def id(self) -> str:
        """Such as `A1`."""
        return f"{self.captain}{self.number}"

    @property
    def parts_left(self) -> int:
        """Oars and masts."""
        return self.port + self.starboard + self.masts

    @property
    def weaker_side_oars(self) -> int:
        """Oars on the side that has fewer."""
        return min(self.port, self.starboard)

    @property
    def is_lame(self) -> bool:
        """CA-1.7: fewer than half the oars of its type on its weaker side."""
        return 2 * self.weaker_side_oars < self.holes

    @property
    def battle_weight(self) -> int:
        """CA-6.2: two if sound, one if lame."""
        return 1 if self.is_lame else 2

    @property
    def full_parts(self) -> int:
        """Oars and masts of its type."""
        return 2 * self.holes + MASTS_BY_OARS[self.holes]


def new_galley(captain: str, number: int, place: str, holes: int = 5) -> Galley:
    """A new galley with all its oars and masts."""
    return Galley(
        captain=captain,
        number=number,
        place=place,
        port=holes,
        starboard=holes,
        masts=MASTS_BY_OARS[holes],
        holes=holes,
    )


class SeaBattle(Struct, frozen=True, kw_only=True):
    """A battle that is being played (CA-6.1)."""

    id: str
    place: str
    sides: tuple[tuple[str, ...], tuple[str, ...]]
    """Captains of the attackers and of the defenders, the leading one first."""
    galleys: tuple[tuple[str, ...], tuple[str, ...]]
    """Ids by side, by letter and number."""
    began: int
    """The turn in which they met."""

    @property
    def all_captains(self) -> tuple[str, ...]:
        """All who are in it."""
        return (*self.sides[0], *self.sides[1])


class BattleResult(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a battle ended."""

    holds: Literal[0, 1] | None
    """Which side holds the sea: 0 the attackers, 1 the defenders; None: nobody (CA-8.1)."""
    left: dict[str, tuple[int, int, int]]
    """Port oars, starboard oars and masts of the galleys afloat."""
    rounds: int = 6
    broke: bool = False
    """The side that doesn't hold the sea broke off (CA-6.9)."""


class Position(Struct, frozen=True, kw_only=True):
    """How a campaign stands between two turns."""

    map: str
    captains: str
    """Letters, in order."""
    teams: tuple[int, ...]
    """The side of each captain; all different: free for all (CA-1.3)."""
    homes: tuple[Home, ...]
    """Of each captain."""
    turn: int = 1
    """The turn to be carried out."""
    turns: int = 24
    talents: dict[str, int] = field(default_factory=dict)
    trophies: dict[str, int] = field(default_factory=dict)
    spares: dict[str, str] = field(default_factory=dict)
    """Letters of the captains on a spare list, in order, as far as it isn't empty (CA-3.7)."""
    ports: dict[str, str] = field(default_factory=dict)
    """The owner of each port that has one."""
    sieges: dict[str, tuple[str, int]] = field(default_factory=dict)
    """By port who besieges it, and galley-nights (CA-9.3)."""
    galleys: tuple[Galley, ...] = ()
    """By letter and number."""
    next: dict[str, int] = field(default_factory=dict)
    """The number of each captain's next galley."""
    agree: str = ""
    """Captains who have settled for dice (CA-6.2d)."""
    battles: tuple[SeaBattle, ...] = ()
    next_battle: int = 1

    @property
    def sea_map(self) -> SeaMap:
        """The map."""
        return sea_map(self.map, len(self.captains))

    @property
    def precedence(self) -> str:
        """CA-2.3: letters beginning with A in turn 1, B in turn 2, and so on around."""
        first = (self.turn - 1) % len(self.captains)
        return self.captains[first:] + self.captains[:first]

    @property
    def has_allies(self) -> bool:
        """Whether captains have allies of their own side."""
        return len({*self.teams}) < len(self.teams)

    def team_of(self, captain: str) -> int:
        """The side of a captain."""
        return self.teams[self.captains.index(captain)]

    def captains_of_side(self, captain: str) -> str:
        """Letters of all captains of one's side, oneself among them."""
        return "".join(other for other in self.captains if self.team_of(other) == self.team_of(captain))

    def is_spared(self, by: str, other: str) -> bool:
        """Whether a captain doesn't attack another: it is on the list, or of the same side (CA-3.7, CA-3.8)."""
        return other in self.spares.get(by, "") or self.team_of(by) == self.team_of(other)

    def home_city(self, captain: str) -> str:
        """The city where a captain began."""
        return self.homes[self.captains.index(captain)].city

    def ports_of(self, captain: str) -> tuple[str, ...]:
        """The captain's ports, by code."""
        return tuple(sorted(port for port, owner in self.ports.items() if owner == captain))

    def galleys_of(self, captain: str) -> tuple[Galley, ...]:
        """The captain's galleys, by number."""
        return tuple(galley for galley in self.galleys if galley.captain == captain)

    def ports_worth(self, captains: Iterable[str]) -> int:
        """Points of these captains' ports."""
        places, wanted = self.sea_map.places, {*captains}
        return sum(places[port].worth for port, owner in self.ports.items() if owner in wanted)

    def old_fame(self, captain: str) -> int:
        """Laurels of old fame (CA-13.2)."""
        return self.homes[self.captains.index(captain)].fame

    def laurels_of(self, captain: str) -> int:
        """Two for each point of the captain's ports, one for each trophy, and old fame (CA-13.1, CA-13.2)."""
        return 2 * self.ports_worth(captain) + self.trophies.get(captain, 0) + self.old_fame(captain)

    def count_battles(self, captain: str) -> int:
        """How many battles the captain is playing."""
        return sum(captain in battle.all_captains for battle in self.battles)


WinReason = Literal["majority", "last", "laurels"]


class Ending(Struct, frozen=True, kw_only=True):
    """Who has won, and why (CA part 13)."""

    winners: tuple[str, ...]
    why: WinReason
    laurels: dict[str, int]


def building_ports(position: Position, captain: str) -> tuple[str, ...]:
    """Where a captain may build: towns and cities of their own, or villages if there are none (CA-10.2)."""
    places, own = position.sea_map.places, position.ports_of(captain)
    return tuple(port for port in own if places[port].worth > 1) or own


def galley_price(position: Position, captain: str) -> int:
    """Talents for the captain's next galley (CA-10.3)."""
    return 4 + 2 * len(position.galleys_of(captain))


class State(GameState, frozen=True, kw_only=True, tag="campaign"):
    """A game of The Sailing Season."""

    position: Position
    phase: Literal["orders", "battles", "over"] = "orders"
    """`battles`: after the last turn, until its battles are over (CA-13.4)."""
    missed: Literal["hold", "mate"] = "mate"
    """What is done for captains who are late: their galleys hold, or the computer orders (CA-14.1)."""
    ended: dict[str, BattleResult] = field(default_factory=dict)
    """Battles that are over, until the turn in which they are entered (CA-6.8)."""
