"""The values of the fleet game: ships, leaders, squadrons, positions, the state of a game (SQ section 2).

Ships are named by id: the letter of the side that built her, and a number. Facings are numbers, as in `grid`.
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
ShipStatus = Literal["afloat", "sunk", "exited", "waiting"]
"""Waiting: she has not entered the map yet (SQ-23.5)."""
CaptureStatus = Literal["", "CAP", "CAP0", "REC"]
"""Captured, her Capture Bonus alive or lost; recaptured (SQ-17.8, SQ-17.9, SQ-22.2)."""
Level = Literal["mate", "admiral"]
"""How well computer captains play."""
ShipPair = tuple[str, str]
_ID_PATTERN: Final = re.compile("([A-Z]+)([0-9]+)")


@lru_cache(maxsize=4096)
def id_sort_key(name: str) -> tuple[str, int]:
    """The place of an id in the order of ids: Blue before Red, then by number (10.1)."""
    found = _ID_PATTERN.fullmatch(name)
    return (found[1], int(found[2])) if found else (name, 0)


def other_side(side: str) -> FleetSide:
    """The other side."""
    return "R" if side == "B" else "B"


class Ship(Struct, frozen=True, kw_only=True, dict=True):
    """A galley, on the map or not. What holds only while she is active is in `play.ActivationInProgress`.

    Rules: SQ-02.6.
    """

    id: str
    code: str
    """Of her class."""
    name: str = ""
    status: ShipStatus = "afloat"
    bow: Hex = Hex(0, 0)
    """Of no meaning unless afloat; of ships lost since, where they were last."""
    facing: int = 0
    speed: Speed = "C"
    crew_change: int = 0
    """Her Crew, over that of her class (`crewChoice`, 6.D)."""
    rammed: str = ""
    """The last ship that rammed her; empty: not rammed."""
    crippled_port: bool = False
    crippled_starboard: bool = False
    fatigue: int = 0
    half_speed: bool = False
    aground: int = 0
    """The turn in which she ran aground; 0: she is not."""
    burning: bool = False
    """She acts as usual until the fire burns her down (SQ-20.4)."""
    held: CaptureStatus = ""
    depletion: int = 0
    jettisoned: bool = False
    """She has lost her towers."""
    flame: bool = False
    """Can use flame missiles."""
    pots: bool = False
    """Has firepots."""
    sails: bool = False
    """They are up."""
    mast_down: bool = False
    no_sails: bool = False
    """She may raise sails no more."""
    squadron: int = 0
    """The number of her Command Squadron, in her side; 0: none."""
    repulsed: bool = False
    """Has repulsed boarders in this turn."""
    done: bool = False
    """Activated in this turn."""
    ram_tried: bool = False
    """Has rammed in this turn already, in reaction (SQ-12.4)."""
    collided: bool = False
    """Has collided in this turn (SQ-13.8)."""

    @property
    def ship_class(self) -> ShipClass:
        """Her class."""
        return CLASSES[self.code]

    @property
    def builder(self) -> FleetSide:
        """The side that built her."""
        return "B" if self.id[0] == "B" else "R"

    @property
    def side(self) -> FleetSide:
        """The side that controls her now."""
        return other_side(self.builder) if self.held in ("CAP", "CAP0") else self.builder

    @property
    def is_afloat(self) -> bool:
        """Whether she is on the map."""
        return self.status == "afloat"

    @property
    def size(self) -> int:
        """How many hexes she covers: 1 or 2."""
        return self.ship_class.size

    @property
    def place(self) -> HexPose:
        """Her bow's hex and her facing."""
        return HexPose(self.bow, self.facing)

    @cached_property
    def stern(self) -> Hex:
        """Her sternmost hex."""
        return self.place.stern_hex(self.ship_class.size)

    @cached_property
    def hexes(self) -> tuple[Hex, ...]:
        """Her hexes, the bow first."""
        return self.place.covered_hexes(self.ship_class.size)

    @cached_property
    def adjacent_hexes(self) -> AdjacentHexes:
        """The hexes beside her."""
        return grid.adjacent_hexes(self.bow, self.facing, self.ship_class.size)

    @property
    def has_towers(self) -> bool:
        """Whether she still has towers."""
        return self.ship_class.towers and not self.jettisoned

    @property
    def crew_quality(self) -> int:
        """Her Crew now: 0 once captured (SQ-09.9, SQ-17.8)."""
        return 0 if self.held else self.ship_class.crew + self.crew_change

    @property
    def manpower(self) -> int:
        """Her manpower now (effM)."""
        return 0 if self.held else max(0, self.ship_class.m - self.depletion)

    @property
    def max_speed(self) -> int:
        """Her printed Max; more without towers (SQ-07.6)."""
        return self.ship_class.max + self.jettisoned

    @property
    def printed_speed(self) -> int:
        """The printed speed of the side that she shows."""
        return self.max_speed if self.speed == "M" else self.ship_class.cruise

    @property
    def ram_attack(self) -> int:
        """Her ram attack, of the side that she shows (SQ-02.2)."""
        return self.ship_class.ram[self.speed == "M"]

    @property
    def ram_defence(self) -> int:
        """Her ram defence."""
        return self.ship_class.rd

    @property
    def is_crippled(self) -> bool:
        """On either side, or both (SQ-14.8)."""
        return self.crippled_port or self.crippled_starboard

    @property
    def is_slowed(self) -> bool:
        """Fatigued or at half speed (SQ-09.6)."""
        return self.fatigue > 0 or self.half_speed


class Leader(Struct, frozen=True, kw_only=True):
    """A naval commander."""

    id: str
    """The letter of the side, `L` and a digit: `BL1`."""
    name: str
    """The kind's ratings (6.E)."""
    ship: str
    """The Command Ship."""
    reduced: Literal["", "temp", "perm"] = ""
    tried: bool = False
    """Has tried a transfer in this turn."""

    @property
    def side(self) -> FleetSide:
        """The side that the leader serves."""
        return "B" if self.id[0] == "B" else "R"

    @property
    def is_admiral(self) -> bool:
        """Whether this leader commands the fleet."""
        return LEADERS[self.name].admiral

    @property
    def rating(self) -> LeaderRatings:
        """The leader's ratings now."""
        kind = LEADERS[self.name]
        return kind.reduced if self.reduced else kind


class Squadron(Struct, frozen=True, kw_only=True):
    """Galleys that are activated together (SQ-05)."""

    side: FleetSide
    number: int
    """In its side, from 1; 0: an Individual Squadron."""
    ships: tuple[str, ...]
    """In id order; astern, in that of the line."""
    leader: str = ""
    """Empty: an Individual Squadron."""
    form: Literal["range", "astern"] = "range"
    flagship: str
    """Its Command Ship, or its only ship; it names the squadron."""
    activated: bool = False

    @property
    def display_name(self) -> str:
        """What a captain calls it: `SQ1`, or the id of its only ship."""
        return f"SQ{self.number}" if self.number else self.flagship


class Wind(Struct, frozen=True):
    """Strength and direction of the wind (SQ 6.C)."""

    strength: int
    """0: dead calm."""
    direction: int
    """Toward which it blows."""


class RuleOptions(Struct, frozen=True, kw_only=True):
    """Rules that are switched on (section 1)."""

    wind: bool = False
    land: bool = False
    flame: bool = False
    pots: bool = False
    reaction_ram: bool = False
    devices: tuple[int, int] = (0, 0)
    """What Blue and Red add to grapples, and take from those who cut loose from them."""


class Position(Struct, frozen=True, kw_only=True, dict=True):
    """All that lies on the map: what the notation of 10.1 writes on one line, and what the options add."""

    width: int
    height: int
    turn: int = 1
    phase: Phase = "A"
    options: RuleOptions = RuleOptions()
    land: tuple[Hex, ...] = ()
    wind: Wind | None = None
    target: int = 0
    """Victory points that win."""
    limit: int = 0
    """The last turn; 0: none."""
    bonus: tuple[int, int] = (0, 0)
    """Victory points besides those for ships, Blue and Red."""
    lost: tuple[int | None, int | None] = (None, None)
    """By side: the initiative of the only Admiral, as then shown, lost in this turn (SQ-22.7)."""
    exits: ExitPoints | None = None
    ships: tuple[Ship, ...]
    """By id, those lost too."""
    grapples: tuple[ShipPair, ...] = ()
    """Each in id order."""
    fouls: tuple[ShipPair, ...] = ()
    """The rammer first."""
    leaders: tuple[Leader, ...] = ()
    """By id; those lost for good are gone."""

    @cached_property
    def ships_by_id(self) -> dict[str, Ship]:
        """All ships, by id; not to be changed."""
        return {ship.id: ship for ship in self.ships}

    @cached_property
    def ships_by_hex(self) -> dict[Hex, Ship]:
        """The ships on the map, by each of their hexes; not to be changed."""
        return {here: ship for ship in self.ships if ship.status == "afloat" for here in ship.hexes}

    @cached_property
    def land_hexes(self) -> frozenset[Hex]:
        """The hexes of land."""
        return frozenset(self.land)

    def ship_by_id(self, name: str) -> Ship:
        """A ship by her id. Raises `KeyError`."""
        return self.ships_by_id[name]

    def with_ship(self, ship: Ship) -> Position:
        """The same with a ship as she is now; what was found out about the others is kept."""
        before, by_id = self.ships_by_id[ship.id], {**self.ships_by_id, ship.id: ship}
        position = structs.replace(self, ships=tuple(by_id.values()))
        position.__dict__["ships_by_id"] = by_id
        if "ships_by_hex" in self.__dict__:
            occupied = dict(self.ships_by_hex)
            for here in before.hexes if before.status == "afloat" else ():
                if occupied.get(here) is before:
                    del occupied[here]
            occupied.update(dict.fromkeys(ship.hexes if ship.status == "afloat" else (), ship))
            position.__dict__["ships_by_hex"] = occupied
        return position

    def is_on_map(self, here: Hex) -> bool:
        """Whether a hex is on the map, sea or land."""
        column, row = grid.column_and_row(here)
        return 1 <= column <= self.width and 1 <= row <= self.height

    def is_outside(self, ship: Ship) -> bool:
        """Whether a ship waits beyond the edge over which she comes in (SQ-23.5)."""
        return ship.is_afloat and not self.is_on_map(ship.bow)

    def is_free(self, here: Hex) -> bool:
        """Whether a hex is empty sea on the map."""
        return here not in self.ships_by_hex and here not in self.land_hexes and self.is_on_map(here)

    def ships_of(self, side: str) -> tuple[Ship, ...]:
        """The ships on the map that a side controls, by id."""
        return tuple(ship for ship in self.ships if ship.status == "afloat" and ship.side == side)

    def ships_beside(self, ship: Ship) -> tuple[Ship, ...]:
        """The ships beside one, by id."""
        near = {
            there.id: there for here in ship.adjacent_hexes.all_neighbours if (there := self.ships_by_hex.get(here))
        }
        near.pop(ship.id, None)
        return tuple(near[name] for name in sorted(near, key=id_sort_key))

    def enemies_beside(self, ship: Ship) -> tuple[Ship, ...]:
        """The ships of the other side beside one, by id."""
        return tuple(there for there in self.ships_beside(ship) if there.side != ship.side)

    # --- pairs ---------------------------------------------------------------------------------------------------

    def grappled_to(self, name: str) -> tuple[str, ...]:
        """The ships to which one is Grappled, by id (SQ-16.9)."""
        return _partners_of(self.grapples, name)

    def fouled_with(self, name: str) -> tuple[str, ...]:
        """The ships with which one is Fouled, by id."""
        return _partners_of(self.fouls, name)

    def linked_to(self, name: str) -> tuple[str, ...]:
        """The ships to which one is Grappled or Fouled, by id."""
        return _partners_of((*self.grapples, *self.fouls), name)

    def chain_of(self, name: str) -> tuple[str, ...]:
        """All ships that hang on one, directly or through others, herself not included, by id."""
        found, ahead = {name}, [name]
        while ahead:
            for one in self.linked_to(ahead.pop()):
                if one not in found:
                    found.add(one)
                    ahead.append(one)
        return tuple(sorted(found - {name}, key=id_sort_key))

    def is_immobile(self, ship: Ship) -> bool:
        """Rammed, aground, crippled on both sides, Grappled or Fouled (2.5; SQ-14.9, SQ-18.4)."""
        return bool(
            ship.rammed
            or ship.aground
            or (ship.crippled_port and ship.crippled_starboard)
            or self.grappled_to(ship.id)
            or self.fouled_with(ship.id)
        )

    def is_mobile(self, ship: Ship) -> bool:
        """Neither immobile nor crippled (2.5)."""
        return not ship.is_crippled and not self.is_immobile(ship)

    # --- leaders -------------------------------------------------------------------------------------------------

    def find_leader(self, name: str) -> Leader | None:
        """A leader by id; None: there is no such leader."""
        return next((leader for leader in self.leaders if leader.id == name), None)

    def leader_aboard(self, ship: str) -> Leader | None:
        """The leader on a ship."""
        return next((leader for leader in self.leaders if leader.ship == ship), None)

    def admirals(self, side: str) -> tuple[Leader, ...]:
        """The Admirals of a side, by id."""
        return tuple(leader for leader in self.leaders if leader.side == side and leader.is_admiral)


def _partners_of(pairs: Iterable[ShipPair], name: str) -> tuple[str, ...]:
    found = {b if a == name else a for a, b in pairs if name in (a, b)}
    return tuple(sorted(found, key=id_sort_key)) if found else ()


# --- the game ----------------------------------------------------------------------------------------------------


class Captain(Struct, frozen=True, kw_only=True):
    """A seat and what is its own."""

    seat: Seat
    side: FleetSide
    leaders: tuple[str, ...] = ()
    """Leaders whose squadrons this captain orders, if several share a side; the first captain has all others."""


class PendingDecision(Struct, frozen=True, kw_only=True):
    """What a captain is asked in the middle of an activation (D-10, D-13)."""

    seat: Seat
    ship: str
    """The captain's own ship that it is about."""
    key: Literal["avoid", "fire", "rram", "retract"]
    """Of the doctrine that would answer it."""
    by: str = ""
    """The enemy that acts."""
    offered: tuple[str, ...] = ()
    """What may be answered."""


class InterruptedActivation(Struct, frozen=True, kw_only=True):
    """An activation in which somebody is asked. It is carried out again from its beginning when they have answered."""

    start: Position
    order: SquadronActivation
    told: int
    """Events told already."""
    thrown: tuple[int, ...]
    """Dice that fell already."""
    decided: tuple[str, ...] = ()
    """What was answered, in order."""
    acting: tuple[str, ...] = ()
    """The ships that are activated."""
    slowed: tuple[str, ...] = ()
    """Those of them that had Half Speed when their activation began."""
    asked: PendingDecision


class State(GameState, frozen=True, kw_only=True):
    """A game between two answers."""

    position: Position
    captains: tuple[Captain, ...] = ()
    """By seat."""
    pace: Literal["turn", "squadron"] = "turn"
    """One sealed message a turn, or an order for each activation."""
    stage: Literal["roster", "deploy", "form", "turn", "order", "speed", "activation", "over"] = "turn"
    """Fleets are built; ships placed; squadrons formed in turn; sheets written; who goes first is chosen; speeds set in
    turn; squadrons act."""
    points: int = 0
    """Of each fleet; 0: a scenario."""
    building: bool = False
    """Captains build their fleets by points; else they have the stock fleets."""
    crews: bool = False
    """Those who build choose crews, too (6.D)."""
    placed: bool = False
    """Captains place their fleets; else these lie in line abreast."""
    opener: FleetSide | None = None
    """Who has won the die of the set-up: that side has the Initiative of the first turn (SQ-23.7)."""
    rosters: tuple[str, ...] = ()
    """By side, in the notation of fleets, once both are revealed."""
    sheets: tuple[TurnSheet | None, TurnSheet | None] = (None, None)
    """This turn's, by side; secret."""
    last: tuple[str, ...] = ()
    """By seat: the text of the sheet of the turn before; secret."""
    doctrines: tuple[Doctrines, Doctrines] = (Doctrines(), Doctrines())
    """By side; secret."""
    squadrons: tuple[Squadron, ...] = ()
    """Of this turn, Blue first, then by number."""
    initiative: FleetSide | None = None
    """Who has won it."""
    first: FleetSide | None = None
    """Who goes first in this turn."""
    active: FleetSide | None = None
    """Whose activation it is."""
    turns: tuple[Literal["form", "speed"], ...] = ()
    """What both sides do squadron by squadron instead of on their sheets (SQ-05.8, SQ-07.1)."""
    forms: tuple[tuple[SquadronForm, ...], tuple[SquadronForm, ...]] = ((), ())
    """By side: squadrons that were formed so in this turn, by number."""
    paced: tuple[str, ...] = ()
    """Squadrons whose speeds were set so in this turn, by Command Ship."""
    idle: tuple[int, int] = (0, 0)
    """By side: turns in a row in which all was answered in its captains' place (9.3)."""
    doubled: tuple[bool, bool] = (False, False)
    """By side: Double Activation was tried in this turn."""
    answered: int = 0
    """Answers in this turn, for ids of requests."""
    running: InterruptedActivation | None = None
    before: Position | None = None
    """As it lay when the turn began; pictures begin with it."""
    missed: Literal["hold", "mate"] = "mate"
    captain: Level = "mate"
