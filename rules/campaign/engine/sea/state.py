"""The values of The Sailing Season: galleys, battles, positions and the state of a game (CA-1).

Captains are named by the letters of their seats (`rules.core.sides`), places by codes.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Final, Literal

from msgspec import Meta, Struct, field

from rules.campaign.engine.sea.maps import Home, SeaMap, sea_map
from rules.core.protocol import GameState

MASTS_BY_OARS: Final = {6: 2, 5: 3, 4: 4}  # mast holes by oar holes of a side, as in War Galley (MB-1.3)
FIRST_FLEET: Final = (5, 6, 4, 5, 5)  # CA-1.4: types of the galleys that a captain begins with
FIRST_TALENTS: Final = 6  # CA-1.4
MAX_GALLEYS: Final = 8  # CA-1.6
MAX_IN_BATTLE: Final = 6  # CA-5.9: galleys of a side that fight
TURNS_PER_MONTH: Final = 3  # CA-1.8
MAX_RANK: Final = 2  # CA-1.5
LAURELS_PER_WORTH: Final = 2  # CA-13.1: for each point of worth of a port
Stance = Literal["attack", "hold", "evade"]
STANCES: Final[tuple[Stance, ...]] = ("attack", "hold", "evade")  # CA-3.4


PlaceCode = Annotated[str, Meta(examples=["PIR"])]


class Galley(Struct, frozen=True, kw_only=True):
    captain: str  # letter of its captain
    number: int  # number among the galleys that its captain ever had
    place: PlaceCode  # where it is
    port: int  # oars left on the port side
    starboard: int  # oars left on the starboard side
    masts: int  # masts left
    holes: int  # oar holes of a side, which define the type
    rank: int = 0  # its crew's rank, from 0 to 2 (CA-1.5)
    nights: int = 0  # nights away from water so far (CA-11.1)
    battle: str = ""  # the id of the battle in which it is engaged; empty: free

    @property
    def id(self) -> str:
        return f"{self.captain}{self.number}"

    @property
    def parts_left(self) -> int:
        return self.port + self.starboard + self.masts

    @property
    def weaker_side_oars(self) -> int:
        return min(self.port, self.starboard)

    @property
    def is_lame(self) -> bool:
        """Return whether the weaker side has fewer than half the oars of the type (CA-1.7)."""
        return 2 * self.weaker_side_oars < self.holes

    @property
    def battle_weight(self) -> int:
        """Return two for a sound galley, one for a lame one (CA-6.2)."""
        return 1 if self.is_lame else 2

    @property
    def full_parts(self) -> int:
        return 2 * self.holes + MASTS_BY_OARS[self.holes]


def new_galley(captain: str, number: int, place: str, holes: int = 5) -> Galley:
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

    id: str  # such as `B3`
    place: str  # where it is fought
    sides: tuple[tuple[str, ...], tuple[str, ...]]
    """Captains of the attackers and the defenders, the leading ones first."""
    galleys: tuple[tuple[str, ...], tuple[str, ...]]  # ids of the galleys of attackers and defenders
    began: int  # the turn in which it began

    @property
    def all_captains(self) -> tuple[str, ...]:
        return (*self.sides[0], *self.sides[1])


class BattleResult(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    holds: Literal[0, 1] | None  # the side that holds the sea: 0 the attackers, 1 the defenders; None: nobody (CA-8.1)
    left: dict[str, tuple[int, int, int]]  # port oars, starboard oars and masts of the galleys afloat
    rounds: int = 6  # number of rounds fought
    broke: bool = False  # whether the side that does not hold the sea broke off (CA-6.9)


class Position(Struct, frozen=True, kw_only=True):
    map: str  # name of the sea map
    captains: str  # letters of all captains, by seat
    teams: tuple[int, ...]  # the side of each captain; all different in a free-for-all (CA-1.3)
    homes: tuple[Home, ...]  # each captain's home, by seat
    turn: int = 1  # the turn to be carried out next
    turns: int = 24  # the number of turns in the campaign
    talents: dict[str, int] = field(default_factory=dict)  # money by captain
    trophies: dict[str, int] = field(default_factory=dict)  # trophies by captain (CA-8.5)
    spares: dict[str, str] = field(default_factory=dict)
    """Sorted letters on each captain's spare list, without empty lists (CA-3.7)."""
    ports: dict[str, str] = field(default_factory=dict)  # letter of the owner by port, without free ports
    sieges: dict[str, tuple[str, int]] = field(default_factory=dict)  # besieger and galley-nights by port (CA-9.3)
    galleys: tuple[Galley, ...] = ()  # all galleys afloat, by captain and number
    next: dict[str, int] = field(default_factory=dict)  # number of each captain's next new galley
    agree: str = ""  # letters of captains who settle battles by dice
    battles: tuple[SeaBattle, ...] = ()  # battles that are being played
    next_battle: int = 1  # number of the next battle

    @property
    def sea_map(self) -> SeaMap:
        return sea_map(self.map, len(self.captains))

    @property
    def precedence(self) -> str:
        """Return the letters from A in turn 1, from B in turn 2, and so on (CA-2.3)."""
        first = (self.turn - 1) % len(self.captains)
        return self.captains[first:] + self.captains[:first]

    @property
    def has_allies(self) -> bool:
        return len({*self.teams}) < len(self.teams)

    def team_of(self, captain: str) -> int:
        return self.teams[self.captains.index(captain)]

    def captains_of_side(self, captain: str) -> str:
        return "".join(other for other in self.captains if self.team_of(other) == self.team_of(captain))

    def is_spared(self, by: str, other: str) -> bool:
        """Return whether a captain does not attack another, who is on the list or on the same side (CA-3.7, CA-3.8)."""
        return other in self.spares.get(by, "") or self.team_of(by) == self.team_of(other)

    def home_city(self, captain: str) -> str:
        return self.homes[self.captains.index(captain)].city

    def ports_of(self, captain: str) -> tuple[str, ...]:
        return tuple(sorted(port for port, owner in self.ports.items() if owner == captain))

    def galleys_of(self, captain: str) -> tuple[Galley, ...]:
        return tuple(galley for galley in self.galleys if galley.captain == captain)

    def ports_worth(self, captains: Iterable[str]) -> int:
        places, owners = self.sea_map.places, {*captains}
        return sum(places[port].worth for port, owner in self.ports.items() if owner in owners)

    def old_fame(self, captain: str) -> int:
        return self.homes[self.captains.index(captain)].fame

    def laurels_of(self, captain: str) -> int:
        """Return two laurels per point of ports, one per trophy, and old fame (CA-13.1, CA-13.2)."""
        ports_laurels = LAURELS_PER_WORTH * self.ports_worth(captain)
        return ports_laurels + self.trophies.get(captain, 0) + self.old_fame(captain)

    def count_battles(self, captain: str) -> int:
        return sum(captain in battle.all_captains for battle in self.battles)


WinReason = Literal["majority", "last", "laurels"]


class Ending(Struct, frozen=True, kw_only=True):
    winners: tuple[str, ...]  # letters of the winning captains
    why: WinReason  # what decided the campaign
    laurels: dict[str, int]  # laurels by captain


def building_ports(position: Position, captain: str) -> tuple[str, ...]:
    """Return where a captain may build: own towns and cities, or villages if there are none (CA-10.2)."""
    places, own = position.sea_map.places, position.ports_of(captain)
    return tuple(port for port in own if places[port].worth > 1) or own


def galley_price(position: Position, captain: str) -> int:
    """Return the talents for the captain's next galley (CA-10.3)."""
    return price_beside(len(position.galleys_of(captain)))


def price_beside(galleys: int) -> int:
    """Return the talents for a galley of a captain who has this many already (CA-10.3)."""
    return 4 + 2 * galleys


class State(GameState, frozen=True, kw_only=True, tag="campaign"):
    position: Position  # everything on the sea
    phase: Literal["orders", "battles", "over"] = "orders"
    """`battles`: after the last turn, until its battles are over (CA-13.4)."""
    missed: Literal["hold", "mate"] = "mate"
    """For late captains, `hold`: galleys hold; `mate`: the computer orders (CA-14.1)."""
    ended: dict[str, BattleResult] = field(default_factory=dict)
    """Finished battles, until the turn in which they are applied (CA-6.8)."""
