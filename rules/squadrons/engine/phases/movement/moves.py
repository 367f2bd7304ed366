"""Movement: where a step leads, what it costs, what forbids it, and lines that follow a leader (SQ-06 to SQ-08)."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final, cast

from msgspec import structs

from rules.geometry.hexes import Hex
from rules.squadrons.engine.notation.orders import (
    AnastropheOrder,
    CutOrder,
    JettisonOrder,
    MoveCode,
    MoveOrder,
    OrderLine,
    OrderStep,
    PassThroughOrder,
    SailOrder,
)
from rules.squadrons.engine.odds import BarReason
from rules.squadrons.engine.phases.play import ActivationInProgress
from rules.squadrons.engine.sea import grid
from rules.squadrons.engine.sea.grid import HexPose
from rules.squadrons.engine.sea.state import Position, Ship

TURN_OF_MOVE_AHEAD: Final[Mapping[str, int]] = {"F": 0, "P": -1, "S": 1}
"""Moves ahead, by the hexsides that they turn to starboard."""
_MOVE_AHEAD_BY_TURN: Final = {turn % 6: code for code, turn in TURN_OF_MOVE_AHEAD.items()}


def follower_lines(position: Position, ships: Sequence[str], line: OrderLine) -> Iterator[OrderLine]:
    """Yield the lines of all ships of a squadron in line astern; the first ship has `line`.

    A ship that cannot reach the next hex of the track stops.
    """
    if not ships:
        return
    first = position.ship_by_id(ships[0])
    yield structs.replace(line, ship=first.id)
    track = list(_bow_track(first.bow, first.facing, line.steps))
    move_count = len(track) - 1
    hexes_ahead = list(reversed(track))  # from the leader's last hex back to where her bow is now
    for previous, name in pairwise(ships):
        hexes_ahead += [here for here in position.ship_by_id(previous).hexes if here not in hexes_ahead]
        ship = position.ship_by_id(name)
        steps = tuple(_moves_along(ship.bow, ship.facing, list(reversed(hexes_ahead)), move_count))
        yield OrderLine(name, steps)
        hexes_ahead += [here for here in ship.hexes if here not in hexes_ahead]


def _bow_track(bow: Hex, facing: int, steps: Sequence[OrderStep]) -> Iterator[Hex]:
    yield bow
    for step in steps:
        turn = TURN_OF_MOVE_AHEAD.get(step.code) if isinstance(step, MoveOrder) else None
        if turn is None:
            continue
        facing = (facing + turn) % 6
        bow = grid.next_hex(bow, facing)
        yield bow


def _moves_along(bow: Hex, facing: int, track: Sequence[Hex], max_moves: int) -> Iterator[OrderStep]:
    """Yield moves ahead from hex to hex of a track, until one cannot be reached by a move ahead."""
    for here in track[:max_moves]:
        direction = grid.direction_to(bow, here)
        code = None if direction is None else _MOVE_AHEAD_BY_TURN.get((direction - facing) % 6)
        if direction is None or code is None:
            return
        yield MoveOrder(cast("Any", code))
        bow, facing = here, direction


_COST_BY_CODE: Final = {"B": 2, "Bp": 2, "Bs": 2, "TA": 2}  # movement points; all other moves cost 1
_BACKWATER_DIRECTIONS: Final = {"B": 3, "Bp": -2, "Bs": 2}
"""Moves astern, by the direction of the entered hex from the stern."""
_SWING_BY_CODE: Final = {"tp": -1, "ts": 1, "wp": -1, "ws": 1}
"""Changes of facing, by hexsides to starboard. With `t` the bow stays in its hex, with `w` the stern."""
PASS_COST: Final = 2  # movement points of passing through a ship, without those for getting clear of her (SQ-14.12)
MAX_CUT_COST: Final = 2  # SQ-18.3


def place_after_move(ship: Ship, code: MoveCode) -> HexPose:  # SQ-06.8
    bow, facing = ship.bow, ship.facing
    if code in TURN_OF_MOVE_AHEAD or code == "exit":
        new_facing = (facing + TURN_OF_MOVE_AHEAD.get(code, 0)) % 6
        return HexPose(grid.next_hex(bow, new_facing), new_facing)
    if code in _BACKWATER_DIRECTIONS:
        return _place_astern(ship, _BACKWATER_DIRECTIONS[code])
    if code == "TA":
        return HexPose(ship.stern, (facing + 3) % 6)
    new_facing = (facing + _SWING_BY_CODE[code]) % 6
    turns_round_bow = code[0] == "t"  # else round the stern
    if turns_round_bow or ship.size == 1:
        return HexPose(bow, new_facing)
    return HexPose(grid.next_hex(ship.stern, new_facing), new_facing)


def _place_astern(ship: Ship, direction: int) -> HexPose:
    stern = grid.next_hex(ship.stern, ship.facing + direction)
    turn = {3: 0, -2: 1, 2: -1}[direction]  # hexsides to starboard, so that she points away from the entered hex
    facing = (ship.facing + turn) % 6
    return HexPose(ship.stern if ship.size == 2 else stern, facing)


def backwater_places(position: Position, ship: Ship) -> tuple[tuple[str, HexPose], ...]:
    """Return the free places that a ship reaches by one hex of backwater: `B`, `Bp`, `Bs` (SQ-13.11)."""
    places = ((code, _place_astern(ship, direction)) for code, direction in _BACKWATER_DIRECTIONS.items())
    return tuple((code, place) for code, place in places if position.is_free(place.stern_hex(ship.size)))


# --- movement points ---------------------------------------------------------------------------------------------


def half_rounded_up(number: int) -> int:  # SQ-01.5
    return -(-number // 2)


def movement_allowance(position: Position, ship: Ship) -> int:  # SQ-06.2, SQ-07.4, SQ-07.5, SQ-09.6, SQ-09.10
    bonus = sail_bonus(position, ship)
    if ship.speed == "M":
        return ship.max_speed + (bonus if ship.ship_class.tremiola else 0)
    cruise = ship.ship_class.cruise + bonus
    limits = [cruise]
    if ship.half_speed or ship.mast_down:
        limits.append(half_rounded_up(cruise))
    if ship.fatigue:
        limits.append(max(1, cruise - ship.fatigue))
    if ship.is_crippled:
        limits.append(1)
    return min(limits)


def sail_bonus(position: Position, ship: Ship) -> int:  # SQ-08.2, SQ-08.5, SQ-08.6
    wind = position.wind
    is_slowed = ship.is_slowed or ship.mast_down or ship.is_crippled  # the wind adds nothing then (SQ-07.4)
    if not ship.sails or wind is None or not wind.strength or is_slowed:
        return 0
    is_wind_astern = (wind.direction - ship.facing) % 6 in (5, 0, 1)
    if not is_wind_astern:
        return 0
    return 2 if ship.ship_class.tremiola else 1


def max_announced(position: Position, ship: Ship, line: OrderLine, *, confused: bool = False) -> int:
    """Return the movement points that a line may announce, with sails set and towers jettisoned as it orders."""
    if position.options.wind:
        for step in line.all_steps:
            if isinstance(step, SailOrder):
                ship = structs.replace(ship, sails=step.up)
            elif isinstance(step, MoveOrder | PassThroughOrder | AnastropheOrder):
                break
    points = movement_allowance(position, ship)
    if ship.speed == "M" and any(isinstance(step, JettisonOrder) for step in line.all_steps):
        points += 1
    return half_rounded_up(points) if confused else points


def step_cost(position: Position, ship: Ship, step: OrderStep) -> int:
    match step:
        case MoveOrder():
            return _COST_BY_CODE.get(step.code, 1)
        case PassThroughOrder():
            return PASS_COST + ship.size
        case CutOrder():
            return min(MAX_CUT_COST, movement_allowance(position, ship))
        case JettisonOrder():
            return 1
        case SailOrder():
            return 0 if ship.ship_class.tremiola else 1
        case _:
            return 0


# --- what forbids a move -----------------------------------------------------------------------------------------


def why_movement_over(run: ActivationInProgress) -> BarReason | None:
    match run.ended_by:
        case "attack":
            return BarReason("SQ-13.14", "movement_ended")
        case "fire":
            return BarReason("SQ-19.7", "split_fire_ends")
        case "xfer":
            return BarReason("SQ-05.15", "transfer_ends")
        case _:
            return None


def why_move_barred(position: Position, run: ActivationInProgress, code: MoveCode) -> BarReason | None:
    return (
        why_movement_over(run)
        or _why_unfit(position, run, code)
        or _why_entry_barred(position, run, code)
        or _why_place_barred(position, run, code)
    )


def _why_unfit(position: Position, run: ActivationInProgress, code: MoveCode) -> BarReason | None:  # noqa: PLR0911 - a table of checks
    ship = position.ship_by_id(run.ship)
    price = _COST_BY_CODE.get(code, 1)
    if position.is_immobile(ship):
        return BarReason("SQ-06.11", "immobile")
    if ship.is_crippled and (run.has_moved or code not in crippled_codes(ship)):
        return BarReason("SQ-06.12", "crippled_side")
    if ship.speed == "M" and (code in _BACKWATER_DIRECTIONS or code in _SWING_BY_CODE or code == "TA"):
        return BarReason("SQ-06.9", "cruise_only")
    if ship.sails and (code in _SWING_BY_CODE or code == "TA"):
        return BarReason("SQ-06.10", "under_sail")
    is_astern = code in _BACKWATER_DIRECTIONS
    has_moved_otherwise = run.has_moved and not run.has_backed
    if (run.has_backed and not is_astern) or (has_moved_otherwise and is_astern):
        return BarReason("SQ-06.6", "backwater_alone")
    if run.points_left < price:
        return BarReason("SQ-06.1", "too_few_points", str(run.points_left))
    if code == "TA" and position.enemies_beside(ship):
        return BarReason("SQ-06.5", "enemy_beside")
    return None


def crippled_codes(ship: Ship) -> tuple[MoveCode, ...]:  # SQ-06.12
    return ("P", "tp", "wp") if ship.crippled_port else ("S", "ts", "ws")


def _why_entry_barred(position: Position, run: ActivationInProgress, code: MoveCode) -> BarReason | None:
    """Return why a move does not bring a ship in that waits beyond the edge of the map; None if nothing is wrong."""
    ship = position.ship_by_id(run.ship)
    ends_on_map = position.is_on_map(place_after_move(ship, code).bow)
    is_entry = code in TURN_OF_MOVE_AHEAD and ends_on_map
    is_barred = (position.is_outside(ship) and not is_entry) or (code == "TA" and not ends_on_map)
    return BarReason("SQ-23.5", "comes_in") if is_barred else None


def _why_place_barred(position: Position, run: ActivationInProgress, code: MoveCode) -> BarReason | None:
    ship = position.ship_by_id(run.ship)
    place = place_after_move(ship, code)
    if code == "exit" and position.is_on_map(place.bow):
        return BarReason("SQ-06.16", "no_exit")
    if code in TURN_OF_MOVE_AHEAD and place.bow in position.ships_by_hex:
        return BarReason("SQ-06.7", "hex_taken", grid.hex_label(place.bow))
    if code in _BACKWATER_DIRECTIONS and not position.is_free(place.stern_hex(ship.size)):
        return BarReason("SQ-06.6", "hex_taken", grid.hex_label(place.stern_hex(ship.size)))
    if code in _SWING_BY_CODE and ship.size == 2:
        entered_hex = place.stern_hex(ship.size) if code[0] == "t" else place.bow
        if not position.is_free(entered_hex):
            return BarReason("SQ-06.4", "hex_taken", grid.hex_label(entered_hex))
    if not run.under_control and position.is_on_map(place.bow) and _would_meet_enemy(position, ship, place):
        return BarReason("SQ-05.9", "keeps_away")
    return None


def _would_meet_enemy(position: Position, ship: Ship, place: HexPose) -> bool:
    around = grid.adjacent_hexes(place.bow, place.facing, ship.size).all_neighbours
    ships_near = (position.ships_by_hex.get(here) for here in around)
    return any(enemy is not None and enemy.side != ship.side for enemy in ships_near)


def leaves_map(position: Position, ship: Ship, code: MoveCode) -> bool:  # SQ-06.16
    return (code in TURN_OF_MOVE_AHEAD or code == "exit") and not position.is_on_map(place_after_move(ship, code).bow)


def note_move(run: ActivationInProgress, ship: Ship, code: MoveCode, price: int) -> None:
    """Record a move in `run`: its price in movement points, and the place of `ship`, her state before the move."""
    run.used += price
    run.has_moved = True
    run.turns += code in ("P", "S")
    run.has_swung = run.has_swung or code in _SWING_BY_CODE or code == "TA"
    run.has_backed = run.has_backed or code in _BACKWATER_DIRECTIONS
    run.last_move = code
    run.place_before_move = ship.place
    run.has_raked_here = False


def entered_hexes(before: Ship, after: Ship) -> tuple[Hex, ...]:  # SQ-10.1
    return tuple(here for here in after.hexes if here not in before.hexes)


def with_entry_lines(position: Position, lines: Sequence[OrderLine], names: Collection[str]) -> tuple[OrderLine, ...]:
    """Return the lines, adding an entry line for each named ship beyond the edge without orders to enter (SQ-23.5)."""
    ships_outside = [ship for ship in position.ships if ship.id in names and position.is_outside(ship)]
    entering = {line.ship for line in lines if _enters_fully(position, line)}
    entry_lines = [
        OrderLine(ship.id, (MoveOrder("F"),) * ship.size) for ship in ships_outside if ship.id not in entering
    ]
    ships_with_entry_line = {line.ship for line in entry_lines}
    other_lines = [line for line in lines if line.ship not in ships_with_entry_line]
    return (*other_lines, *entry_lines)


def _enters_fully(position: Position, line: OrderLine) -> bool:
    """Return whether a line begins by bringing the whole ship over the edge. Ships beyond it cannot be attacked."""
    ship = position.ships_by_id[line.ship]
    first_steps = line.steps[: ship.size]
    moves_ahead = [step.code for step in first_steps if isinstance(step, MoveOrder) and step.code in TURN_OF_MOVE_AHEAD]
    has_points = line.mp is None or line.mp >= ship.size
    if len(moves_ahead) < ship.size or not has_points:
        return False
    return position.is_on_map(place_after_move(ship, moves_ahead[0]).bow)
