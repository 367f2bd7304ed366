"""The toy game's state and events."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from msgspec import Meta, Struct, structs

from rules.core.endings import CaptainConceded
from rules.core.finding import find_by_id
from rules.core.protocol import Event, GameState, Seat
from rules.core.view import Text, View
from rules.geometry.plane import Ring, hull_polygon, land_of

ShipId = Annotated[str, Meta(examples=["A1"])]
WAYS: Final = {"N": (0, 1, 0), "E": (1, 0, 90), "S": (0, -1, 180), "W": (-1, 0, 270)}
"""East, north and bearing of the ways that ships sail."""
HULL: Final = (1.0, 0.6)  # length and beam, in squares


class Scenario(Struct, frozen=True, forbid_unknown_fields=True):
    """A sea, as TOML: its size and sight in squares, its islands, and where each captain's ships begin."""

    size: tuple[int, int]
    sight: float
    ships: list[list[tuple[float, float]]]
    land: tuple[Ring, ...] = ()

    def __post_init__(self) -> None:
        """Raise `ValueError` for outlines that are no islands."""
        land_of(self.land)


class Ship(Struct, frozen=True):
    """One ship: the letter of its captain and a number."""

    id: str
    seat: Seat
    team: int
    x: float
    y: float

    def reach(self, way: str, most: float, rings: tuple[Ring, ...]) -> float:
        """Return the distance that it can sail before it meets land, in squares."""
        east, north, bearing = WAYS[way]
        return land_of(rings).distance_to_land(hull_polygon(*HULL, self.x, self.y, bearing), (east, north), most)

    def near(self, other: Ship, most: float) -> bool:
        """Return if another is less than this many squares away."""
        return (self.x - other.x) ** 2 + (self.y - other.y) ** 2 < most**2


class State(GameState, frozen=True, kw_only=True):
    teams: tuple[int, ...]
    sea: Scenario
    ships: tuple[Ship, ...]
    last: int  # the last round
    played: bool  # whether fights are games of their own
    round: int = 1
    phase: Literal["wind", "orders", "fights", "over"] = "wind"
    wind: int = 1  # squares that a ship sails for each of its order
    met: tuple[tuple[str, str], ...] = ()  # which ships fight each other, while that battle is played

    @property
    def alone(self) -> bool:
        return len({ship.team for ship in self.ships}) < 2

    def own(self, seat: Seat) -> tuple[Ship, ...]:
        return tuple(ship for ship in self.ships if ship.seat == seat)

    def ship(self, name: str) -> Ship:
        return find_by_id(self.ships, name)

    def moved(self, name: str, word: str) -> Ship:
        """Return the ship where an order such as `N3` leads her, if she meets only land and the edge of the sea."""
        ship, way, (width, height) = self.ship(name), word[0], self.sea.size
        edge = {"N": height - ship.y, "E": width - ship.x, "S": ship.y, "W": ship.x}[way]
        far = ship.reach(way, max(0.0, min(edge, self.wind * int(word[1]))), self.sea.land)
        far, (east, north, _) = int(1000 * far) / 1000, WAYS[way]
        return structs.replace(ship, x=round(ship.x + far * east, 3), y=round(ship.y + far * north, 3))

    def sees(self, seat: Seat | None, ship: Ship) -> bool:
        """Return if a seat sees a ship: its side's own, and others near one of those. Spectators see it at the end."""
        if self.result or seat is None:
            return self.result is not None
        team, sight = self.teams[seat], self.sea.sight + 1e-9
        return ship.team == team or any(ship.near(own, sight) for own in self.ships if own.team == team)

    def seers(self, ship: Ship) -> tuple[Seat, ...]:
        return tuple(seat for seat in range(len(self.teams)) if self.sees(seat, ship))


class WindCalled(Event, frozen=True):
    variant_of = "name"

    round: int
    name: Literal["calm", "breeze"]


class Sailed(Event, frozen=True):
    weight = 0

    ship: ShipId
    seat: int
    x: float
    y: float


class Vanished(Event, frozen=True):
    ship: ShipId


class Met(Event, frozen=True):
    weight = 2
    section_heading = Text("part.fights")

    by: ShipId
    to: ShipId


class Fought(Event, frozen=True):
    """A fight was decided: by dice of six, or by a game of its own (no dice)."""

    variant_of = ("sunk", "sunk", "undecided")
    section_heading = Text("part.fights")

    by: ShipId
    to: ShipId
    threw: int
    against: int
    sunk: Annotated[str, Meta(examples=["A1", ""])]


class Ended(Event, frozen=True):
    weight = 3
    variant_of = ("seats", "won", "drawn")

    seats: tuple[int, ...]
    ships: tuple[Ship, ...]  # all that are left, seen or not until now


Happening = WindCalled | Sailed | Vanished | Met | Fought | CaptainConceded | Ended


class ToyView(View, frozen=True, kw_only=True, tag=True):
    sea: Scenario
    ships: tuple[Ship, ...]
    planned: tuple[Ship, ...] = ()  # where the viewer's orders would lead the ships
    focus: str = ""  # the ship that the viewer's panel looks at
