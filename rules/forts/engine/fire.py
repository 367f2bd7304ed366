"""Lines of fire and chances to hit (NB-01.6 to NB-01.11, NB-05, NB-06)."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Final, Literal

from msgspec import Struct

from rules.forts.engine import sailing
from rules.forts.engine.boards import Board, all_hexes, hex_labels, sea_hexes
from rules.forts.engine.state import CLASSES, ClassCode, Position, Ship, ShipId
from rules.geometry import hexes
from rules.geometry.hexes import Hex

MIN_HIT: Final = 3  # NB-05.2: the lowest number that hits, in calm and wind alike (NB-03.3)
MIN_HIT_ADJACENT: Final = 2  # NB-05.3: at distance 1
MIN_HIT_PLUNGING: Final = 5  # NB-06.1


class Blocker(Struct, frozen=True, kw_only=True):
    """A hex that blocks a line of fire (NB-01.6)."""

    hex: str  # the label; empty if the hex is off the board
    kind: Literal["land", "fort", "ship", "edge"]  # the obstacle; `edge`: the hex is off the board
    ship: ShipId | None = None  # the id of the ship in the hex; None: no ship


class FireLine(Struct, frozen=True, kw_only=True):
    by: ShipId  # id of the ship that shoots
    to: ShipId  # id of its target
    start: str  # hex of the ship that shoots
    end: str  # hex of the target
    distance: int  # hexes from start to end
    fire: Literal["open", "plunging", "blocked"]  # `plunging`: blocked, but the ship may shoot all the same (NB-06.1)
    need: int  # the lowest number that hits: 2, 3 or 5; 0 if shooting is not allowed
    blockers: tuple[Blocker, ...] = ()
    """The obstacles; both hexes if the line runs between two (NB-01.8). Empty if the line is open."""

    @property
    def hit_faces(self) -> int:
        """Return the number of faces of a die that hit; meaningful only if shooting is allowed."""
        return 7 - self.need


def hex_distance(board: Board, a: str, b: str) -> int:
    """Return the number of hexes from one to another, ignoring obstacles (NB-01.4)."""
    return hexes.hex_distance(all_hexes(board)[a], all_hexes(board)[b])


def find_blockers(board: Board, ships: Iterable[Ship], start: str, end: str) -> tuple[Blocker, ...]:
    """Return what blocks the line of fire between two hexes, from the start on; empty if it is open.

    A hex that the line crosses blocks alone (NB-01.7), two hexes that it runs between only together (NB-01.8). Ships
    and forts block like land (NB-05.7).
    """
    ships_by_hex = {all_hexes(board)[ship.hex]: ship for ship in ships}
    line = hexes.line_between(all_hexes(board)[start], all_hexes(board)[end])
    blockers = [blocker for line_hex in line.crossed if (blocker := _blocker_in(board, ships_by_hex, line_hex))]
    for pair in line.pairs:
        pair_blockers = [blocker for line_hex in pair if (blocker := _blocker_in(board, ships_by_hex, line_hex))]
        if len(pair_blockers) == 2:
            blockers += pair_blockers
    return tuple(blockers)


def fire_line(position: Position, by: Ship, to: Ship) -> FireLine | None:
    """Return the line of fire from a ship to another, or None if it is out of range (NB-05.1).

    Along an open line a brig shoots like other ships (NB-06.2).
    """
    distance = hex_distance(position.board, by.hex, to.hex)
    if distance > by.ship_class.range:
        return None
    blockers = find_blockers(position.board, position.ships, by.hex, to.hex)
    fire: Literal["open", "plunging", "blocked"]
    if not blockers:
        fire, need = "open", MIN_HIT_ADJACENT if distance == 1 else MIN_HIT
    elif by.ship_class.plunges:
        fire, need = "plunging", MIN_HIT_PLUNGING
    else:
        fire, need = "blocked", 0  # no roll hits
    return FireLine(
        by=by.id,
        to=to.id,
        start=by.hex,
        end=to.hex,
        distance=distance,
        fire=fire,
        need=need,
        blockers=blockers,
    )


def fire_lines(position: Position, by: Ship) -> tuple[FireLine, ...]:
    enemies = [other for other in position.ships if other.colour != by.colour] if by.shots else []
    return tuple(line for enemy in enemies if (line := fire_line(position, by, enemy)))


def max_fire(position: Position, ship: Ship) -> frozenset[str]:
    """Return the hexes at which a ship might shoot in its next player-turn, in wind, with no other ships in the way."""
    starts = (ship.hex, *sailing.max_reach(position, ship))
    return frozenset().union(*(_hexes_in_fire(position.board, ship.code, start) for start in starts))


@cache
def _hexes_in_fire(board: Board, code: ClassCode, start: str) -> frozenset[str]:
    """Return the sea hexes at which a ship of this class could shoot from a hex if it were alone."""
    here, ship_class = all_hexes(board)[start], CLASSES[code]
    return frozenset(
        label
        for there, label in sea_hexes(board).items()
        if 1 <= hexes.hex_distance(here, there) <= ship_class.range
        and (ship_class.plunges or not find_blockers(board, (), start, label))
    )


def _blocker_in(board: Board, ships_by_hex: dict[Hex, Ship], here: Hex) -> Blocker | None:
    label = hex_labels(board).get(here, "")
    if not label:
        return Blocker(hex="", kind="edge")
    if label in (board.west.fort, board.east.fort):
        return Blocker(hex=label, kind="fort")
    if label in board.land:
        return Blocker(hex=label, kind="land")
    return Blocker(hex=label, kind="ship", ship=ships_by_hex[here].id) if here in ships_by_hex else None
