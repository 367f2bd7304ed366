"""What lies on the toy game's sea, and what happens there."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct

from rules.dice import Dice
from rules.errors import UnreadableOrder
from rules.plane import Land, hull_polygon
from rules.protocol import Event, Result, Seat
from rules.view import Piece, Text, View

Ring = tuple[tuple[float, float], ...]
ShipId = Annotated[str, Meta(examples=["A1"])]
HULL = (1.0, 0.6)
"""Length and beam, in squares."""
WAYS = {"N": (0.0, 1.0), "E": (1.0, 0.0), "S": (0.0, -1.0), "W": (-1.0, 0.0)}
BEARINGS = {"N": 0.0, "E": 90.0, "S": 180.0, "W": 270.0}


class Scenario(Struct, frozen=True, forbid_unknown_fields=True):
    """A sea, as TOML: its size and sight in squares, its islands, and where each captain's ships begin."""

    size: tuple[int, int]
    sight: float
    ships: list[list[tuple[float, float]]]
    land: list[Ring] = []


@lru_cache
def read_scenario(text: str) -> Scenario:
    """Read a scenario. Raises `UnreadableOrder`."""
    try:
        scenario = msgspec.toml.decode(text, type=Scenario)
        land_of(tuple(scenario.land))
    except (msgspec.MsgspecError, ValueError) as wrong:
        raise UnreadableOrder("bad_scenario", expected=str(wrong)[:200]) from wrong
    return scenario


@lru_cache
def land_of(rings: tuple[Ring, ...]) -> Land:
    """The islands of a sea. Raises `ValueError` for outlines that are none."""
    return Land(rings)


class Ship(Struct, frozen=True):
    """One ship: the letter of its captain and a number."""

    id: str
    seat: Seat
    x: float
    y: float

    def at(self, x: float, y: float) -> Ship:
        """The same elsewhere."""
        return msgspec.structs.replace(self, x=x, y=y)

    def way(self, letter: str, reach: float, rings: tuple[Ring, ...]) -> float:
        """How far it can sail before it meets land."""
        return land_of(rings).way(hull_polygon(*HULL, self.x, self.y, BEARINGS[letter]), WAYS[letter], reach)

    def near(self, other: Ship, most: float) -> bool:
        """Whether another is less than so many squares away."""
        return (self.x - other.x) ** 2 + (self.y - other.y) ** 2 < most**2


class State(Struct, frozen=True, kw_only=True):
    """A game at one moment."""

    dice: Dice
    teams: tuple[int, ...]
    size: tuple[int, int]
    sight: float
    land: tuple[Ring, ...]
    ships: tuple[Ship, ...]
    last: int
    """The last round."""
    played: bool
    """Whether fights are games of their own."""
    round: int = 1
    phase: Literal["wind", "orders", "fights", "over"] = "wind"
    wind: int = 1
    """Squares that a ship sails for each of its order."""
    met: tuple[tuple[str, str], ...] = ()
    """Who fights whom, while that is played."""
    outcome: Result | None = None

    def own(self, seat: Seat) -> tuple[Ship, ...]:
        """A captain's ships."""
        return tuple(ship for ship in self.ships if ship.seat == seat)

    def sees(self, seat: Seat | None, ship: Ship) -> bool:
        """Whether a seat sees a ship: its side's own, and others near one of those. Spectators see it at the end."""
        if self.outcome or seat is None:
            return self.outcome is not None
        eyes = [own for own in self.ships if self.teams[own.seat] == self.teams[seat]]
        return self.teams[ship.seat] == self.teams[seat] or any(ship.near(own, self.sight + 1e-9) for own in eyes)

    def seen_by(self, ship: Ship) -> tuple[Seat, ...]:
        """All seats that see a ship."""
        return tuple(seat for seat in range(len(self.teams)) if self.sees(seat, ship))


class Line(Struct, frozen=True):
    """An order to one ship."""

    ship: str
    way: Literal["N", "E", "S", "W"]
    steps: Literal[1, 2, 3]


class Orders(Struct, frozen=True, tag=True):
    """A captain's orders, which are carried out in this order."""

    lines: tuple[Line, ...] = ()


class Wind(Struct, frozen=True, tag=True):
    """What wind the lone captain calls."""

    name: Literal["calm", "breeze"]


class WindCalled(Event, frozen=True):
    """A round begins with this wind."""

    variant_of = "name"

    round: int
    name: Literal["calm", "breeze"]


class Sailed(Event, frozen=True):
    """A ship has got somewhere."""

    weight = 0

    ship: ShipId
    seat: int
    x: float
    y: float


class Vanished(Event, frozen=True):
    """A ship is seen no longer."""

    ship: ShipId


class _InFights(Event, frozen=True):
    section = Text("part.fights")  # after all have sailed


class Met(_InFights, frozen=True):
    """Two ships fight."""

    weight = 2

    by: ShipId
    to: ShipId


class Fought(_InFights, frozen=True):
    """A fight was decided: by dice of six, or by a game of its own (no dice)."""

    variant_of = ("sunk", "sunk", "undecided")

    by: ShipId
    to: ShipId
    threw: int
    against: int
    sunk: Annotated[str, Meta(examples=["A1", ""])]


class Fled(Event, frozen=True):
    """A captain has given up: his ships leave the sea."""

    seat: int


class Ended(Event, frozen=True):
    """It is over."""

    weight = 3
    variant_of = ("seats", "won", "drawn")

    seats: tuple[int, ...]
    ships: tuple[Ship, ...]
    """All that are left, seen or not until now."""


Happening = WindCalled | Sailed | Vanished | Met | Fought | Fled | Ended


class ToyView(View, frozen=True, kw_only=True, tag=True):
    """What one seat sees of the sea."""

    size: tuple[int, int]
    land: tuple[Ring, ...]
    ships: tuple[Ship, ...]
    planned: tuple[Ship, ...] = ()
    """Where the viewer's orders would lead his ships."""
    focus: str = ""
    """The ship at which his panel looks."""


def piece(ship: Ship, team: int) -> Piece:
    """A ship, in the terms that every game shares."""
    place = Text("place", {"x": ship.x, "y": ship.y})
    return Piece(id=ship.id, seat=ship.seat, side="lone" if team else "pack", afloat=True, gauges=(), place=place)
