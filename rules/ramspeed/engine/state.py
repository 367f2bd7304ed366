"""The values of Biremes … Oh My!: ships, links, positions, the state of a game (RS part 1.2).

Lengths in inches from the table's south-west corner, x east, y north; headings in whole degrees, 0 north, clockwise.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final, Literal

from msgspec import Struct, structs

from rules.core.finding import with_updated
from rules.core.protocol import GameState, Seat
from rules.ramspeed.engine.orders import Doctrines, OrderLine, OrderSheet
from rules.ramspeed.engine.tables import CLASSES, CONSTANTS, NATIONS, ClassCode, Nation, ShipClass

__all__ = ["NATIONS", "Captain", "ClassCode", "Link", "Nation", "Position", "Ship", "State"]

Ring = tuple[tuple[float, float], ...]
"""The corners of a piece of land; convex (RS-01.7)."""
Phase = Literal["fire", "orders", "over"]
"""Before FIRE is rolled; before orders are carried out; finished."""
Level = Literal["deckhand", "mate", "admiral"]
"""How well a computer captain plays."""
_ID_PATTERN: Final = re.compile(r"([A-Z]{1,2})([0-9]{1,2})")


@lru_cache(maxsize=4096)
def with_ship(position: Position, ship: Ship) -> Position:
    """The position with a ship as she is now."""
    return structs.replace(position, ships=with_updated(position.ships, ship))


def id_sort_key(ship: str) -> tuple[str, int, str]:
    """The place of an id in the order of ids: by letters, then by number (RS-03.6)."""
    found = _ID_PATTERN.fullmatch(ship)
    return (found[1], int(found[2]), ship) if found else (ship, 0, ship)


class Ship(Struct, frozen=True, kw_only=True):
    """A ship of the game, afloat or not."""

    id: str
    code: ClassCode
    owner: str
    """The player now in control."""
    side0: str
    """The side on which she began."""
    nation: Nation
    status: Literal["afloat", "sunk", "withdrawn"] = "afloat"
    x: float = 0.0
    """Of her middle, stored to 0.001; of no meaning unless afloat."""
    y: float = 0.0
    heading: int = 0
    crew: int = 0
    corvus: bool = False
    banks_lost: int = 0
    """0 or 1; a second one makes her `dead` (RS-09.13)."""
    dead: bool = False
    """In the water, for the rest of the game."""
    immob: bool = False
    """Marked as immobilised (RS-18)."""
    fresh: bool = False
    """Her marker was placed in the player-turn that is running, and so outlasts it (RS-18.2)."""
    fire: int = 0
    """Fire markers; 0: not burning."""
    fireship: bool = False
    beached: bool = False
    """Until the end of her owner's first player-turn (RS-18.3)."""

    @property
    def ship_class(self) -> ShipClass:
        """What her class can do."""
        return CLASSES[self.code]

    @property
    def is_afloat(self) -> bool:
        """Neither sunk nor withdrawn."""
        return self.status == "afloat"

    @property
    def is_derelict(self) -> bool:
        """Afloat without any crew."""
        return self.is_afloat and self.crew == 0

    @property
    def halved(self) -> bool:
        """She has lost a bank of oars."""
        return self.banks_lost == 1

    @property
    def _oar_share(self) -> float:
        return CONSTANTS.halved if self.halved else 1.0

    @property
    def forward_allowance(self) -> float:
        """Her forward allowance now (RS-04.3); losses of crew do not reduce it (RS-04.4)."""
        return self.ship_class.fwd * self._oar_share

    @property
    def reverse_allowance(self) -> float:
        """Her reverse allowance now."""
        return self.ship_class.back * self._oar_share

    @property
    def ram_run_bonus(self) -> float:
        """What a ram adds to her forward allowance now."""
        return self.ship_class.ram_bonus * self._oar_share


class Link(Struct, frozen=True, kw_only=True):
    """Two ships that hold each other."""

    a: str
    """Grapple: the lower id; stuck: the rammer."""
    b: str
    """Grapple: the higher id; stuck: the victim."""
    kind: Literal["grapple", "stuck"]
    checked: bool = False
    """Its one check whether fire spreads has been made (RS-15.7)."""
    fresh: bool = False
    """Made in this turn: stuck, it does not fight yet (RS-08.9)."""

    def includes(self, ship: str) -> bool:
        """Whether a ship is one of the two."""
        return ship in (self.a, self.b)

    def other_ship(self, ship: str) -> str:
        """The other one of the two."""
        return self.b if ship == self.a else self.a


class Captain(Struct, frozen=True):
    """One player at the table, with a side."""

    player: str
    side: str


class Position(Struct, frozen=True, kw_only=True):
    """All that lies on the table: what the notation of part 10.1 writes on one line."""

    width: float
    height: float
    board: str
    """`skerries`, `corvus`, `cove` or `open`."""
    exit: bool = False
    """Ships may leave over the edge (RS-06.2)."""
    land: tuple[Ring, ...] = ()
    turn: int = 1
    limit: int = CONSTANTS.turn_limit
    phase: Phase = "fire"
    quiet: int = 0
    """Turns in a row without an attack (RS-20.2)."""
    seats: tuple[Captain, ...]
    """In seat order."""
    ships: tuple[Ship, ...]
    """By id, those no longer afloat too."""
    links: tuple[Link, ...] = ()
    """By lower id, then higher id."""

    @property
    def sides(self) -> tuple[str, ...]:
        """The two sides, that of seat 0 first."""
        return tuple(dict.fromkeys(captain.side for captain in self.seats))

    @property
    def players(self) -> tuple[str, ...]:
        """All players, in seat order."""
        return tuple(captain.player for captain in self.seats)

    def side_of_player(self, player: str) -> str:
        """The side of a player. Raises `KeyError` for one without a seat."""
        for captain in self.seats:
            if captain.player == player:
                return captain.side
        raise KeyError(player)

    def side_of_ship(self, ship: Ship) -> str:
        """The side that controls a ship now."""
        return self.side_of_player(ship.owner)

    def ships_against(self, side: str) -> tuple[Ship, ...]:
        """Ships afloat that another side controls, by id."""
        return tuple(ship for ship in self.ships if ship.is_afloat and self.side_of_ship(ship) != side)

    def enemies(self, ship: Ship) -> tuple[Ship, ...]:
        """Enemies of a ship that are afloat, by id."""
        return self.ships_against(self.side_of_ship(ship))

    def ship_by_id(self, name: str) -> Ship:
        """A ship by her id. Raises `KeyError`."""
        for ship in self.ships:
            if ship.id == name:
                return ship
        raise KeyError(name)

    def is_locked(self, name: str) -> bool:
        """Whether a ship has a link, and so cannot leave (RS-10.8)."""
        return any(link.includes(name) for link in self.links)

    def is_immobile(self, ship: Ship) -> bool:
        """Immobilised, dead in the water, locked, beached or derelict (part 1.2)."""
        return ship.immob or ship.dead or ship.beached or ship.is_derelict or self.is_locked(ship.id)

    def ships_of(self, player: str) -> tuple[Ship, ...]:
        """A player's ships afloat, by id."""
        return tuple(ship for ship in self.ships if ship.is_afloat and ship.owner == player)

    def cluster_of(self, name: str) -> tuple[Ship, ...]:
        """The ships that hang together with one by links, herself included, by id (part 1.2)."""
        beside: dict[str, list[str]] = {}
        for link in self.links:
            beside.setdefault(link.a, []).append(link.b)
            beside.setdefault(link.b, []).append(link.a)
        found, ahead = {name}, [name]
        while ahead:
            for other in beside.get(ahead.pop(), ()):
                if other not in found:
                    found.add(other)
                    ahead.append(other)
        return tuple(ship for ship in self.ships if ship.id in found)


# --- the game ----------------------------------------------------------------------------------------------------


class PendingDecision(Struct, frozen=True, kw_only=True):
    """What a captain is asked in the middle of a turn (D1 to D3, PRIZE of part 2)."""

    seat: Seat
    ship: str
    """The captain's own."""
    key: Literal["swipe", "grapple", "slip", "prize"]
    """Of the doctrine that would answer it."""
    by: str = ""
    """The enemy ship that acts; empty in PRIZE."""


class LiveTurn(Struct, frozen=True, kw_only=True):
    """A turn in which captains act one after the other, ship by ship."""

    order: tuple[str, ...]
    """The players whose player-turn is not over, the active one first."""
    named: tuple[str, ...] = ()
    """Ships that have acted in this player-turn."""
    captured: tuple[str, ...] = ()
    spent: tuple[str, ...] = ()
    """Ships of a captain who gave up during their own player-turn: the heirs act with them from the next turn."""
    attacked: bool = False
    answered: int = 0
    """Answers in this turn."""
    asked: PendingDecision | None = None
    line: OrderLine | None = None
    """What is being carried out while somebody is asked; None: the end of the turn."""
    decided: dict[str, str] = {}
    """What was chosen meanwhile, by ship and key: `A1.swipe`."""


class State(GameState, frozen=True, kw_only=True):
    """A game between two answers."""

    position: Position
    seats: tuple[Seat, ...] = ()
    """The seat of each player, in the order of `position.seats`."""
    mode: Literal["sealed", "live", "asked"] = "sealed"
    """Sheets in secret; ship by ship in the open; the same, and attacked captains choose their defence themselves."""
    missed: Literal["hold", "mate"] = "mate"
    captain: Level = "mate"
    doctrines: tuple[Doctrines, ...] = ()
    """By seat order of the position; secret."""
    standing: tuple[OrderSheet | None, ...] = ()
    """The sheet that stands in for a missing one, by seat order; secret."""
    last: tuple[OrderSheet, ...] = ()
    """The sheets of the turn before, by seat order; secret."""
    changes: tuple[int, ...] = ()
    """How often each captain has changed a doctrine in this turn, where that is asked by itself."""
    sequence: tuple[str, ...] = ()
    """The players in the order in which they act in this turn, or acted in the one before."""
    live: LiveTurn | None = None
    before: Position | None = None
    """As it lay when orders were last carried out; pictures begin with it."""

    def player_of(self, seat: Seat) -> str:
        """The name of a seat's player in the position."""
        return self.position.players[self.seats.index(seat)]

    def seat_of(self, player: str) -> Seat:
        """The seat of a player."""
        return self.seats[self.position.players.index(player)]


def sort_by_id(ships: Mapping[str, Ship]) -> tuple[Ship, ...]:
    """Ships in the order of their ids."""
    return tuple(ships[name] for name in sorted(ships, key=id_sort_key))


def sorted_links(links: tuple[Link, ...]) -> tuple[Link, ...]:
    """Links by lower id, then higher id; a grapple with its lower id first (part 10.1)."""
    proper = [
        structs.replace(link, a=link.b, b=link.a)
        if link.kind == "grapple" and id_sort_key(link.b) < id_sort_key(link.a)
        else link
        for link in links
    ]
    return tuple(sorted(proper, key=lambda link: sorted((id_sort_key(link.a), id_sort_key(link.b)))))
