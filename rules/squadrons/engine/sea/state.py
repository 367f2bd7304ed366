"""The values of the fleet game: ships, leaders, squadrons, positions, the state of a game.

A ship's id is the letter of the side that built her and a number. Facings are numbers, as in `grid`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property, lru_cache
from typing import Final, Literal

from msgspec import Struct, structs

from rules.core.protocol import GameState, Seat
from rules.geometry.hexes import Hex
from rules.squadrons.engine.notation.orders import (
    Doctrines,
    FleetSide,
    Speed,
    SquadronActivation,
    SquadronForm,
    TurnSheet,
)
from rules.squadrons.engine.sea import grid
from rules.squadrons.engine.sea.grid import AdjacentHexes, HexPose
from rules.squadrons.engine.tables import CLASSES, LEADERS, ExitPoints, LeaderRatings, ShipClass

Phase = Literal["A", "B", "C", "D", "E", "F", "G", "H"]
ShipStatus = Literal["afloat", "sunk", "exited", "waiting"]  # `waiting`: The ship has not entered the map yet (SQ-23.5)
CaptureStatus = Literal["", "CAP", "CAP0", "REC"]
"""Captured with her Capture Bonus still to gain, captured with it lost, recaptured (SQ-17.8, SQ-17.9, SQ-22.2)."""
Level = Literal["mate", "admiral"]
ShipPair = tuple[str, str]
_ID_PATTERN: Final = re.compile("([A-Z]+)([0-9]+)")  # `B12`, `BL1`


@lru_cache(maxsize=4096)
def id_sort_key(name: str) -> tuple[str, int]:
    match = _ID_PATTERN.fullmatch(name)
    return (match[1], int(match[2])) if match else (name, 0)


def sort_pairs(pairs: Iterable[ShipPair]) -> tuple[ShipPair, ...]:
    return tuple(sorted(pairs, key=lambda pair: (id_sort_key(pair[0]), id_sort_key(pair[1]))))


def other_side(side: str) -> FleetSide:
    return "R" if side == "B" else "B"


class Ship(Struct, frozen=True, kw_only=True, dict=True):  # SQ-02.6
    id: str  # letter of the side that built her (`B` or `R`) and a number: `B1`
    code: str  # class, a key of `CLASSES`: `5`
    name: str = ""  # only for texts; empty: the id is shown instead
    status: ShipStatus = "afloat"
    bow: Hex = Hex(0, 0)  # without meaning unless she is afloat. A lost ship keeps her last hex.
    facing: int = 0  # direction of her bow: 0 north, clockwise to 5
    speed: Speed = "C"  # `C` cruise or `M` max, set for the turn
    crew_change: int = 0  # Crew bought above or below that of her class: 1, 0 or -1 (SQ-02)
    rammed: str = ""  # the last ship that rammed her; empty if she is not rammed
    crippled_port: bool = False  # oars of that side are lost (SQ-14)
    crippled_starboard: bool = False
    fatigue: int = 0  # 0: fresh; else the level of the fatigue table, 2 to 4 (SQ-09)
    half_speed: bool = False  # her next activation has half the allowance
    aground: int = 0  # the turn in which she ran aground; 0 if she is not aground
    was_aground: bool = False  # she has been aground and got off: her points stay scored (SQ-06.13)
    burning: bool = False  # on fire (SQ-20.4)
    held: CaptureStatus = ""  # whether she was taken; empty: never
    depletion: int = 0  # manpower lost (SQ-21)
    jettisoned: bool = False  # she has thrown her towers overboard (SQ-19.12)
    flame: bool = False  # she carries flame missiles (SQ-20.1)
    pots: bool = False  # she carries firepots (SQ-20.1)
    sails: bool = False  # her sails are up (SQ-08.1)
    mast_down: bool = False  # her fallen mast is not cleared yet (SQ-08.4)
    no_sails: bool = False  # she has lost her mast for the rest of the game
    squadron: int = 0  # number of her Command Squadron within its side; 0 if she is in none
    repulsed: bool = False  # she has repulsed boarders in this turn
    done: bool = False  # she has been activated in this turn
    ram_tried: bool = False  # she has tried a reaction ram in this turn (SQ-12.4)
    collided: bool = False  # she has collided in this turn

    @property
    def ship_class(self) -> ShipClass:
        return CLASSES[self.code]

    @property
    def builder(self) -> FleetSide:
        return "B" if self.id[0] == "B" else "R"

    @property
    def side(self) -> FleetSide:
        return other_side(self.builder) if self.held in ("CAP", "CAP0") else self.builder

    @property
    def is_afloat(self) -> bool:
        return self.status == "afloat"

    @property
    def size(self) -> int:
        return self.ship_class.size

    @property
    def place(self) -> HexPose:
        return HexPose(self.bow, self.facing)

    @cached_property
    def stern(self) -> Hex:
        return self.place.stern_hex(self.ship_class.size)

    @cached_property
    def hexes(self) -> tuple[Hex, ...]:
        return self.place.covered_hexes(self.ship_class.size)

    @cached_property
    def adjacent_hexes(self) -> AdjacentHexes:
        return grid.adjacent_hexes(self.bow, self.facing, self.ship_class.size)

    @property
    def has_towers(self) -> bool:
        return self.ship_class.towers and not self.jettisoned

    @property
    def crew_quality(self) -> int:
        """Return her current Crew; 0 once captured (SQ-09.9, SQ-17.8)."""
        return 0 if self.held else self.ship_class.crew + self.crew_change

    @property
    def manpower(self) -> int:
        return 0 if self.held else max(0, self.ship_class.m - self.depletion)

    @property
    def max_speed(self) -> int:
        """Return her printed Max, plus 1 if she has jettisoned her towers (SQ-07.6)."""
        return self.ship_class.max + self.jettisoned

    @property
    def printed_speed(self) -> int:
        return self.max_speed if self.speed == "M" else self.ship_class.cruise

    @property
    def ram_attack(self) -> int:  # SQ-02.2
        return self.ship_class.ram[self.speed == "M"]

    @property
    def ram_defence(self) -> int:
        return self.ship_class.rd

    @property
    def is_crippled(self) -> bool:  # SQ-14.8
        return self.crippled_port or self.crippled_starboard

    @property
    def is_slowed(self) -> bool:  # SQ-09.6
        return self.fatigue > 0 or self.half_speed


class Leader(Struct, frozen=True, kw_only=True):
    id: str  # letter of the side, `L` and a digit: `BL1`
    name: str  # kind of leader, a key of `LEADERS`: `Bold` or `SqC`
    ship: str  # id of the ship that the leader is aboard
    reduced: Literal["", "temp", "perm"] = ""  # lower ratings, for now or for good (SQ-05.17)
    tried: bool = False  # the leader has tried a transfer in this turn

    @property
    def side(self) -> FleetSide:
        return "B" if self.id[0] == "B" else "R"

    @property
    def is_admiral(self) -> bool:
        return LEADERS[self.name].admiral

    @property
    def rating(self) -> LeaderRatings:
        kind = LEADERS[self.name]
        return kind.reduced if self.reduced else kind


class Squadron(Struct, frozen=True, kw_only=True):  # SQ-05
    side: FleetSide
    number: int  # number within its side, from 1; 0 for an Individual Squadron
    ships: tuple[str, ...]  # in id order; in line astern, in the order of the line
    leader: str = ""  # id of the commanding leader; empty for an Individual Squadron
    form: Literal["range", "astern"] = "range"  # near the leader, or in a line
    flagship: str  # the Command Ship, or the only ship. Its id names the squadron.
    activated: bool = False  # it has acted in this turn

    @property
    def display_name(self) -> str:
        return f"SQ{self.number}" if self.number else self.flagship


class Wind(Struct, frozen=True):
    strength: int  # 0: dead calm
    direction: int  # direction toward which the wind blows, as in `grid`

    @property
    def compass(self) -> str:
        return grid.FACING_NAMES[self.direction % 6]


class RuleOptions(Struct, frozen=True, kw_only=True):
    wind: bool = False  # wind and sails (SQ-08)
    wind_changes: bool = False  # the wind is rolled for in phase A of each turn after the first
    land: bool = False  # the map has land
    flame: bool = False  # flame missiles (SQ-20)
    pots: bool = False  # firepots (SQ-20)
    reaction_ram: bool = False  # reaction rams (SQ-12)
    devices: tuple[int, int] = (0, 0)
    """Grappling devices of Blue and Red, added to their grapples and subtracted from attempts to cut them."""


class Position(Struct, frozen=True, kw_only=True, dict=True):
    width: int  # columns of the map
    height: int  # rows of the map
    turn: int = 1  # from 1
    phase: Phase = "A"
    options: RuleOptions = RuleOptions()
    land: tuple[Hex, ...] = ()  # hexes of land
    wind: Wind | None = None  # None: the game has no wind
    target: int = 0  # victory points that win
    limit: int = 0  # the last turn; 0 for no limit
    bonus: tuple[int, int] = (0, 0)  # victory points of Blue and Red that are not for ships
    lost: tuple[int | None, int | None] = (None, None)
    """For each side that lost its only Admiral in this turn, the initiative then displayed (SQ-22.7); else None."""
    exits: ExitPoints | None = None  # edge row over which a side scores points; None: there is none
    ships: tuple[Ship, ...]  # sorted by id, with ships that are lost
    grapples: tuple[ShipPair, ...] = ()  # pairs of ship ids, the lower id first
    fouls: tuple[ShipPair, ...] = ()  # pairs of ship ids: rammer, victim
    leaders: tuple[Leader, ...] = ()  # sorted by id; without leaders that are lost for good

    @cached_property
    def ships_by_id(self) -> dict[str, Ship]:
        """Return all ships, also lost ones. Do not change the mapping."""
        return {ship.id: ship for ship in self.ships}

    @cached_property
    def ships_by_hex(self) -> dict[Hex, Ship]:
        """Return the ships afloat by each hex that they cover. Do not change the mapping."""
        return {here: ship for ship in self.ships if ship.status == "afloat" for here in ship.hexes}

    @cached_property
    def land_hexes(self) -> frozenset[Hex]:
        return frozenset(self.land)

    def ship_by_id(self, name: str) -> Ship:
        return self.ships_by_id[name]

    def with_ship(self, ship: Ship) -> Position:
        """Return the position with one ship replaced. The caches of ships by id and by hex are updated, not rebuilt."""
        ship_before = self.ships_by_id[ship.id]
        by_id = {**self.ships_by_id, ship.id: ship}
        position = structs.replace(self, ships=tuple(by_id.values()))
        position.__dict__["ships_by_id"] = by_id
        if "ships_by_hex" in self.__dict__:
            occupied = dict(self.ships_by_hex)
            hexes_before = ship_before.hexes if ship_before.status == "afloat" else ()
            for here in hexes_before:
                if occupied.get(here) is ship_before:
                    del occupied[here]
            if ship.status == "afloat":
                occupied.update(dict.fromkeys(ship.hexes, ship))
            position.__dict__["ships_by_hex"] = occupied
        return position

    def is_on_map(self, here: Hex) -> bool:
        column, row = grid.column_and_row(here)
        return 1 <= column <= self.width and 1 <= row <= self.height

    def is_outside(self, ship: Ship) -> bool:  # SQ-23.5
        return ship.is_afloat and not self.is_on_map(ship.bow)

    def is_free(self, here: Hex) -> bool:
        return here not in self.ships_by_hex and here not in self.land_hexes and self.is_on_map(here)

    def ships_of(self, side: str) -> tuple[Ship, ...]:
        return tuple(ship for ship in self.ships if ship.status == "afloat" and ship.side == side)

    def ships_beside(self, ship: Ship) -> tuple[Ship, ...]:
        """Return the ships next to one, own and enemy, by id."""
        ships_by_id: dict[str, Ship] = {}
        for here in ship.adjacent_hexes.all_neighbours:
            other = self.ships_by_hex.get(here)
            if other is not None and other.id != ship.id:
                ships_by_id[other.id] = other
        return tuple(ships_by_id[name] for name in sorted(ships_by_id, key=id_sort_key))

    def enemies_beside(self, ship: Ship) -> tuple[Ship, ...]:
        return tuple(there for there in self.ships_beside(ship) if there.side != ship.side)

    # --- pairs ---------------------------------------------------------------------------------------------------

    def grappled_to(self, name: str) -> tuple[str, ...]:  # SQ-16.9
        return _partners_of(self.grapples, name)

    def fouled_with(self, name: str) -> tuple[str, ...]:
        return _partners_of(self.fouls, name)

    def linked_to(self, name: str) -> tuple[str, ...]:
        return _partners_of((*self.grapples, *self.fouls), name)

    def chain_of(self, name: str) -> tuple[str, ...]:
        """Return all ships that are linked to this one directly or through others, by id, without the ship herself."""
        chain = {name}
        unvisited = [name]
        while unvisited:
            for partner in self.linked_to(unvisited.pop()):
                if partner not in chain:
                    chain.add(partner)
                    unvisited.append(partner)
        return tuple(sorted(chain - {name}, key=id_sort_key))

    def is_immobile(self, ship: Ship) -> bool:  # SQ-14.9, SQ-18.4
        return bool(
            ship.rammed
            or ship.aground
            or (ship.crippled_port and ship.crippled_starboard)
            or self.grappled_to(ship.id)
            or self.fouled_with(ship.id)
        )

    def is_mobile(self, ship: Ship) -> bool:
        return not ship.is_crippled and not self.is_immobile(ship)

    # --- leaders -------------------------------------------------------------------------------------------------

    def find_leader(self, name: str) -> Leader | None:
        return next((leader for leader in self.leaders if leader.id == name), None)

    def leader_aboard(self, ship: str) -> Leader | None:
        return next((leader for leader in self.leaders if leader.ship == ship), None)

    def admirals(self, side: str) -> tuple[Leader, ...]:
        return tuple(leader for leader in self.leaders if leader.side == side and leader.is_admiral)


def _partners_of(pairs: Iterable[ShipPair], name: str) -> tuple[str, ...]:
    partners = {b if a == name else a for a, b in pairs if name in (a, b)}
    return tuple(sorted(partners, key=id_sort_key)) if partners else ()


# --- the game ----------------------------------------------------------------------------------------------------


class Captain(Struct, frozen=True, kw_only=True):
    seat: Seat  # number of the captain's seat
    side: FleetSide
    leaders: tuple[str, ...] = ()
    """Leaders whose squadrons this captain orders, if captains share a side. The first captain has all others."""


class PendingDecision(Struct, frozen=True, kw_only=True):  # SQ-10.2, SQ-13.11
    seat: Seat  # of the captain who must answer
    ship: str  # id of the ship that the question is about
    key: Literal["avoid", "fire", "rram", "retract"]  # the doctrine that says `ask`; `rram` is a reaction ram
    by: str = ""  # id of the enemy ship that causes it
    offered: tuple[str, ...] = ()  # answers to choose from; empty: those of the key


class InterruptedActivation(Struct, frozen=True, kw_only=True):
    """An activation that waits for an answer. It is replayed from its beginning once the answer is there."""

    start: Position  # the position when the activation began
    order: SquadronActivation  # what is carried out
    told: int  # number of events already reported; the replay does not report them again
    thrown: tuple[int, ...]  # dice already rolled; the replay uses them again
    decided: tuple[str, ...] = ()  # answers so far, in the order of the questions; the replay takes them one by one
    acting: tuple[str, ...] = ()  # ids of the ships that are activated
    slowed: tuple[str, ...] = ()  # those of them that had Half Speed when it began
    asked: PendingDecision  # the question that is still open


class State(GameState, frozen=True, kw_only=True):
    position: Position
    captains: tuple[Captain, ...] = ()  # by seat
    pace: Literal["turn", "squadron"] = "turn"
    """`turn`: One sealed sheet for a turn. `squadron`: One order for each activation."""
    stage: Literal["roster", "deploy", "form", "turn", "order", "speed", "activation", "over"] = "turn"
    """`roster`: Fleets are built. `deploy`: Ships are placed. `form`: Squadrons are formed in turn. `turn`: Sheets are
    written. `order`: The side to go first is chosen. `speed`: Speeds are set in turn. `activation`: Squadrons act.
    """
    points: int = 0  # points of each fleet; 0 for a scenario
    building: bool = False  # captains buy their fleets; else they have the stock fleets
    crews: bool = False  # a bought fleet may change Crews (SQ-02)
    teaches: bool = False  # panels explain the rules turn by turn, for a first game
    placed: bool = False  # captains deploy their fleets; else they start in lines abreast
    opener: FleetSide | None = None
    """The side that won the set-up die and has the Initiative of the first turn (SQ-23.7)."""
    rosters: tuple[str, ...] = ()  # by side, in the notation of rosters; empty until both are revealed
    sheets: tuple[TurnSheet | None, TurnSheet | None] = (None, None)  # sheets of this turn, by side; secret
    last: tuple[str, ...] = ()  # by seat, the text of the previous turn's sheet; secret
    doctrines: tuple[Doctrines, Doctrines] = (Doctrines(), Doctrines())  # by side; secret
    squadrons: tuple[Squadron, ...] = ()  # squadrons of both sides in this turn; empty until they are formed
    initiative: FleetSide | None = None  # the side with the initiative of this turn; None until it is rolled
    first: FleetSide | None = None  # the side that activates first in this turn; None until it is chosen
    active: FleetSide | None = None  # the side that activates next; None outside activations
    turns: tuple[Literal["form", "speed"], ...] = ()
    """Choices that both sides make squadron by squadron instead of on their sheets (SQ-05.8, SQ-07.1)."""
    forms: tuple[tuple[SquadronForm, ...], tuple[SquadronForm, ...]] = ((), ())  # by side, orders so far (SQ-05.8)
    paced: tuple[str, ...] = ()  # Command Ships of squadrons that have set their speeds this turn (SQ-07.1)
    idle: tuple[int, int] = (0, 0)  # by side, consecutive turns in which no captain answered (SQ-24.1)
    doubled: tuple[bool, bool] = (False, False)  # by side: Double Activation was used
    answered: int = 0  # number of answers in this turn, for ids of requests
    running: InterruptedActivation | None = None  # an activation that waits for an answer; None: nobody is asked
    before: Position | None = None  # the position when the turn began. Pictures of the turn start from it.
    missed: Literal["hold", "mate"] = "mate"  # ships without orders stay, or a computer mate orders them
    captain: Level = "mate"  # level of the computer captains
