"""The values of Biremes … Oh My!: ships, links, positions and the state of a game.

Lengths are in inches from the table's south-west corner, x east, y north. Headings are in whole degrees clockwise from
north.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, Literal

from msgspec import Struct, structs

from rules.core.finding import with_updated
from rules.core.protocol import GameState, Seat
from rules.ramspeed.engine.orders import Doctrines, OrderLine, OrderSheet
from rules.ramspeed.engine.tables import CLASSES, CONSTANTS, NATIONS, ClassCode, Nation, ShipClass

__all__ = ["NATIONS", "Captain", "ClassCode", "Link", "Nation", "Position", "Ship", "State"]

Ring = tuple[tuple[float, float], ...]  # the corners of a convex piece of land (RS-01.7)
Phase = Literal["fire", "orders", "over"]
"""`fire`: the FIRE phase is still to be rolled. `orders`: orders are still to be carried out."""
Level = Literal["deckhand", "mate", "admiral"]
SwipeRun = Literal["minimum", "within"]
"""Whether `ShipClass.swipe_min` is the least or the greatest run of an oar swipe (RS-09.5)."""
_ID_PATTERN: Final = re.compile(r"([A-Z]{1,2})([0-9]{1,2})")


def with_ship(position: Position, ship: Ship) -> Position:
    return structs.replace(position, ships=with_updated(position.ships, ship))


@lru_cache(maxsize=4096)
def id_sort_key(ship: str) -> tuple[str, int, str]:
    """Return a sort key that orders ids by their letters, then by number (RS-03.6)."""
    match = _ID_PATTERN.fullmatch(ship)
    return (match[1], int(match[2]), ship) if match else (ship, 0, ship)


class Ship(Struct, frozen=True, kw_only=True):
    id: str  # letters of the fleet and a number: `A1`
    code: ClassCode  # class of the ship
    owner: str  # player who commands the ship now
    side0: str  # the side on which the ship began
    nation: Nation  # of the crew
    status: Literal["afloat", "sunk", "withdrawn"] = "afloat"
    x: float = 0.0  # east coordinate of the ship's middle, stored to 0.001 inch; unused unless the ship is afloat
    y: float = 0.0  # north coordinate of the ship's middle, inches
    heading: int = 0  # whole degrees clockwise from north
    crew: int = 0  # men aboard; 0: a derelict
    corvus: bool = False  # carries a boarding bridge, which helps to grapple
    banks_lost: int = 0  # 0 or 1; a second loss makes the ship `dead` instead (RS-09.13)
    dead: bool = False  # dead in the water: no oars left, cannot move any more
    immob: bool = False  # immobilised: cannot move until the marker is removed (RS-18.2)
    fresh: bool = False  # whether the marker was placed in the current player-turn, which it outlasts (RS-18.2)
    fire: int = 0  # fire markers; 0: not on fire
    fireship: bool = False  # the crew has set the ship alight on purpose (RS-16.1)
    beached: bool = False  # whether the ship is beached; lasts until the end of the owner's first player-turn (RS-18.3)

    @property
    def ship_class(self) -> ShipClass:
        return CLASSES[self.code]

    @property
    def is_afloat(self) -> bool:
        return self.status == "afloat"

    @property
    def is_derelict(self) -> bool:
        return self.is_afloat and self.crew == 0

    @property
    def halved(self) -> bool:
        return self.banks_lost == 1

    @property
    def _oar_share(self) -> float:
        return CONSTANTS.halved if self.halved else 1.0

    @property
    def forward_allowance(self) -> float:
        """Return the forward allowance in inches (RS-04.3). Losses of crew do not reduce it (RS-04.4)."""
        return self.ship_class.fwd * self._oar_share

    @property
    def reverse_allowance(self) -> float:
        return self.ship_class.back * self._oar_share

    @property
    def ram_run_bonus(self) -> float:
        return self.ship_class.ram_bonus * self._oar_share


class Link(Struct, frozen=True, kw_only=True):
    a: str  # the lower id of a grapple, or the ramming ship of a stuck pair
    b: str  # the higher id of a grapple, or the victim of a stuck pair
    kind: Literal["grapple", "stuck"]  # `stuck`: by a ram
    checked: bool = False  # whether the link's only check for spreading fire has been made (RS-15.7)
    fresh: bool = False  # whether the link was made in this turn; stuck ships do not fight in that turn (RS-08.9)

    def includes(self, ship: str) -> bool:
        return ship in (self.a, self.b)

    def other_ship(self, ship: str) -> str:
        return self.b if ship == self.a else self.a


class Captain(Struct, frozen=True):
    player: str  # name in the notation, such as `p3`
    side: str  # such as `Athens`


class Position(Struct, frozen=True, kw_only=True):
    """Everything on the table, as `notation.position` writes it on one line."""

    width: float  # of the table, in inches
    height: float  # of the table, in inches
    board: str  # `skerries`, `corvus`, `cove` or `open`
    exit: bool = False  # whether ships may leave over the edge (RS-06.2)
    land: tuple[Ring, ...] = ()  # pieces of land
    turn: int = 1  # from 1
    limit: int = CONSTANTS.turn_limit  # the last turn
    phase: Phase = "fire"
    quiet: int = 0  # consecutive turns without an attack (RS-20.2)
    seats: tuple[Captain, ...]  # players with their sides, in seat order
    ships: tuple[Ship, ...]  # all ships sorted by id, including those no longer afloat
    links: tuple[Link, ...] = ()
    swipe_run: SwipeRun = "minimum"  # an option of the game, which the notation does not write
    mixed: bool = False  # whether a side may have ships of several nations (RS-22.7); not in the notation, either
    command: bool = False  # whether ships far from their flagship roll before they obey (RS-22.4); neither is this

    @property
    def sides(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(captain.side for captain in self.seats))

    @property
    def players(self) -> tuple[str, ...]:
        return tuple(captain.player for captain in self.seats)

    def side_of_player(self, player: str) -> str:
        """Return the side of a player. Raises `KeyError` if the player has no seat."""
        for captain in self.seats:
            if captain.player == player:
                return captain.side
        raise KeyError(player)

    def side_of_ship(self, ship: Ship) -> str:
        return self.side_of_player(ship.owner)

    def ships_against(self, side: str) -> tuple[Ship, ...]:
        return tuple(ship for ship in self.ships if ship.is_afloat and self.side_of_ship(ship) != side)

    def enemies(self, ship: Ship) -> tuple[Ship, ...]:
        return self.ships_against(self.side_of_ship(ship))

    def ship_by_id(self, name: str) -> Ship:
        for ship in self.ships:
            if ship.id == name:
                return ship
        raise KeyError(name)

    def is_locked(self, name: str) -> bool:
        """Return whether a ship has a link, and cannot leave (RS-10.8)."""
        return any(link.includes(name) for link in self.links)

    def is_immobile(self, ship: Ship) -> bool:
        """Return whether the ship is immobilised, dead in the water, locked, beached or derelict."""
        return ship.immob or ship.dead or ship.beached or ship.is_derelict or self.is_locked(ship.id)

    def ships_of(self, player: str) -> tuple[Ship, ...]:
        return tuple(ship for ship in self.ships if ship.is_afloat and ship.owner == player)

    def cluster_of(self, name: str) -> tuple[Ship, ...]:
        """Return the ships connected to `name` by links, including that ship, by id."""
        linked_ships: dict[str, list[str]] = {}
        for link in self.links:
            linked_ships.setdefault(link.a, []).append(link.b)
            linked_ships.setdefault(link.b, []).append(link.a)
        cluster, unvisited = {name}, [name]
        while unvisited:
            for other in linked_ships.get(unvisited.pop(), ()):
                if other not in cluster:
                    cluster.add(other)
                    unvisited.append(other)
        return tuple(ship for ship in self.ships if ship.id in cluster)


# --- the game ----------------------------------------------------------------------------------------------------


class PendingDecision(Struct, frozen=True, kw_only=True):
    """A question to one captain in the middle of a turn (RS-09.7, RS-10.3, RS-10.5, RS-12.1)."""

    seat: Seat  # of the captain who must answer
    ship: str  # the ship that the question is about
    key: Literal["swipe", "grapple", "slip", "prize"]  # the doctrine that the answer replaces
    by: str = ""  # the acting enemy ship; empty in PRIZE


class LiveTurn(Struct, frozen=True, kw_only=True):
    """A turn in live mode, where captains act one after the other, ship by ship."""

    order: tuple[str, ...]  # players whose player-turn is not over, the active one first
    named: tuple[str, ...] = ()  # ids of ships that have acted in the current player-turn
    captured: tuple[str, ...] = ()  # ids of ships taken in the current player-turn, which act from the next turn
    spent: tuple[str, ...] = ()
    """Ships whose captain gave up in their own player-turn; the heirs may use them from the next turn."""
    attacked: bool = False  # whether any ship attacked or boarded in this turn (RS-20.2)
    answered: int = 0  # number of answers in this turn, for ids of requests
    asked: PendingDecision | None = None  # the open question; None: nobody is asked
    line: OrderLine | None = None
    """The line that is being carried out while a captain is asked; None at the end of the turn."""
    decided: dict[str, str] = {}  # answers to questions of this turn by ship and key, such as `A1.swipe`


Box = tuple[float, float, float, float]  # west, south, east and north, in inches
Situation = Literal["meeting", "prepared", "beached"]  # how the sides of a free battle meet (RS-22.5)


class Zone(Struct, frozen=True, kw_only=True):
    """An area in which a captain places ships before the first turn (RS-22.6)."""

    player: str  # the captain
    box: Box  # in which the hulls must lie
    heading: int  # of a line abreast, in degrees
    beach: int | None = None  # the heading towards the beach on which the ships lie; None: they are afloat


class SetUp(Struct, frozen=True, kw_only=True):
    """The preparations before the first turn: captains choose fleets, then place them (RS-22.5, RS-22.6)."""

    stage: Literal["fleets", "placing"] = "placing"
    points: tuple[int, int] = (0, 0)  # for the fleet of each side, in the position's order; 0: the fleets are fixed
    nations: tuple[Nation, Nation] = ("other", "other")  # of each side's ships
    zones: tuple[Zone, ...] = ()  # of all captains who place ships
    later: str = ""  # the side that places its ships only after it has seen the other's; empty: both at once
    unplaced: tuple[str, ...] = ()  # ids of ships whose captains have still to place them; secret


class State(GameState, frozen=True, kw_only=True):
    position: Position
    seats: tuple[Seat, ...] = ()  # the seat of each player, in the order of `position.seats`
    mode: Literal["sealed", "live", "asked"] = "sealed"
    """`sealed`: secret sheets. `live`: ship by ship, in the open. `asked`: live, and captains choose their defence."""
    missed: Literal["hold", "mate"] = "mate"  # without orders, ships stay or a mate orders them
    captain: Level = "mate"  # level of the computer captains
    doctrines: tuple[Doctrines, ...] = ()  # doctrines in the position's seat order; secret
    standing: tuple[OrderSheet | None, ...] = ()  # the sheet that replaces a missing one, in seat order; secret
    last: tuple[OrderSheet, ...] = ()  # the sheets of the previous turn, in seat order; secret
    changes: tuple[int, ...] = ()  # the number of doctrine changes of each captain in this turn, in live modes
    sequence: tuple[str, ...] = ()
    """The players in the order in which they act in this turn, or acted in the previous one."""
    live: LiveTurn | None = None  # None in mode `sealed` and between turns
    set_up: SetUp | None = None  # None: the battle has begun
    before: Position | None = None  # the position before orders were last carried out; pictures begin with it

    def player_of(self, seat: Seat) -> str:
        return self.position.players[self.seats.index(seat)]

    def seat_of(self, player: str) -> Seat:
        return self.seats[self.position.players.index(player)]


def sorted_links(links: tuple[Link, ...]) -> tuple[Link, ...]:
    """Return links by lower id, then higher id; a grapple's lower id becomes `a`."""
    ordered_links = [
        structs.replace(link, a=link.b, b=link.a)
        if link.kind == "grapple" and id_sort_key(link.b) < id_sort_key(link.a)
        else link
        for link in links
    ]
    return tuple(sorted(ordered_links, key=lambda link: sorted((id_sort_key(link.a), id_sort_key(link.b)))))
