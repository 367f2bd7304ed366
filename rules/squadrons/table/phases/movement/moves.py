"""Movement: where a step takes a galley, what it costs, how far she may go, and what forbids it (SQ-06 to SQ-08)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from msgspec import structs

from rules.hexes import Hex
from rules.squadrons.table.notation.orders import Anastrophe, Cut, Jettison, Line, Move, MoveCode, Sail, Step, Through
from rules.squadrons.table.odds import Barred
from rules.squadrons.table.phases.play import Run
from rules.squadrons.table.sea import grid
from rules.squadrons.table.sea.grid import Place
from rules.squadrons.table.sea.state import Position, Ship

_COSTS: Final = {"B": 2, "Bp": 2, "Bs": 2, "TA": 2}
"""Movement points of moves that cost more than one."""
AHEAD: Final[Mapping[str, int]] = {"F": 0, "P": -1, "S": 1}
"""Moves ahead: by how many hexsides each turns the facing, to starboard."""
_BACK: Final = {"B": 3, "Bp": -2, "Bs": 2}
"""Backwater, by the direction of the hex from the stern."""
_SWING: Final = {"tp": -1, "ts": 1, "wp": -1, "ws": 1}
"""Facing changes: of `t` the bow stays where it is, of `w` the stern."""
PASS: Final = 2
"""Movement points of a pass through a ship, before those that bring the mover clear of her (SQ-14.12)."""
CUT: Final = 2
"""The most movement points that coming free of grapples costs (SQ-18.3)."""


def reached(ship: Ship, code: MoveCode) -> Place:
    """Where a move takes a ship, whatever is there (4.3; SQ-06.8)."""
    bow, facing = ship.bow, ship.facing
    if code in AHEAD or code == "exit":
        turned = (facing + AHEAD.get(code, 0)) % 6
        return Place(grid.step(bow, turned), turned)
    if code in _BACK:
        return _astern(ship, _BACK[code])
    if code == "TA":
        return Place(ship.stern, (facing + 3) % 6)
    turned = (facing + _SWING[code]) % 6
    if code[0] == "t" or ship.size == 1:
        return Place(bow, turned)
    return Place(grid.step(ship.stern, turned), turned)


def _astern(ship: Ship, direction: int) -> Place:
    """One hex of backwater (4.3)."""
    stern = grid.step(ship.stern, ship.facing + direction)
    turn = {3: 0, -2: 1, 2: -1}[direction]
    facing = (ship.facing + turn) % 6
    return Place(ship.stern if ship.size == 2 else stern, facing)


def astern(position: Position, ship: Ship) -> tuple[tuple[str, Place], ...]:
    """Where a ship may go by one hex of backwater: `B`, `Bp`, `Bs`, those that are free (D-13, SQ-13.11)."""
    places = ((code, _astern(ship, direction)) for code, direction in _BACK.items())
    return tuple((code, place) for code, place in places if position.free(place.stern(ship.size)))


# --- movement points ---------------------------------------------------------------------------------------------


def half(number: int) -> int:
    """Half of it, rounded up (SQ-01.5)."""
    return -(-number // 2)


def allowance(position: Position, ship: Ship) -> int:
    """The movement points that a galley may use now (SQ-06.2, SQ-07.4, SQ-07.5, SQ-09.6, SQ-09.10)."""
    bonus = sail_bonus(position, ship)
    if ship.speed == "M":
        return ship.max + (bonus if ship.kind.tremiola else 0)
    cruise = ship.kind.cruise + bonus
    limits = [cruise]
    if ship.half_speed or ship.mast_down:
        limits.append(half(cruise))
    if ship.fatigue:
        limits.append(max(1, cruise - ship.fatigue))
    if ship.crippled:
        limits.append(1)
    return min(limits)


def sail_bonus(position: Position, ship: Ship) -> int:
    """What the wind adds to a galley under sail (SQ-08.2, SQ-08.5, SQ-08.6)."""
    wind = position.wind
    if not ship.sails or wind is None or not wind.strength or (wind.direction - ship.facing) % 6 not in (5, 0, 1):
        return 0
    return 2 if ship.kind.tremiola else 1


def allowed(position: Position, ship: Ship, line: Line, *, confused: bool = False) -> int:
    """The movement points that a line may announce: sails and jettison may change them before the first move (10.3)."""
    if position.options.wind:
        for step in line.steps:
            if isinstance(step, Sail):
                ship = structs.replace(ship, sails=step.up)
            elif isinstance(step, Move | Through | Anastrophe):
                break
    points = allowance(position, ship)
    if ship.speed == "M" and any(isinstance(step, Jettison) for step in _all(line)):
        points += 1
    return half(points) if confused else points


def _all(line: Line) -> tuple[Step, ...]:
    return (*line.steps, *(line.alternative or ()))


def cost(position: Position, ship: Ship, step: Step) -> int:
    """The movement points of a step (10.3)."""
    match step:
        case Move():
            return _COSTS.get(step.code, 1)
        case Through():
            return PASS + ship.size
        case Cut():
            return min(CUT, allowance(position, ship))
        case Jettison():
            return 1
        case Sail():
            return 0 if ship.kind.tremiola else 1
        case _:
            return 0


# --- what forbids a move -----------------------------------------------------------------------------------------


def ended(run: Run) -> Barred | None:
    """Why a galley may not move any more (10.3, row "any move, X")."""
    match run.ended:
        case "attack":
            return Barred("SQ-13.14", "movement_ended")
        case "fire":
            return Barred("SQ-19.7", "split_fire_ends")
        case "xfer":
            return Barred("SQ-05.15", "transfer_ends")
        case _:
            return None


def barred(position: Position, run: Run, code: MoveCode) -> Barred | None:
    """Why the active galley may not make a move now; None: she may (10.3)."""
    return ended(run) or _unfit(position, run, code) or _entering(position, run, code) or _where(position, run, code)


def _unfit(position: Position, run: Run, code: MoveCode) -> Barred | None:  # noqa: PLR0911 - a table of checks
    ship = position.ship(run.ship)
    price = _COSTS.get(code, 1)
    if position.immobile(ship):
        return Barred("SQ-06.11", "immobile")
    if ship.crippled and (run.moved or code not in _toward(ship)):
        return Barred("SQ-06.12", "crippled_side")
    if ship.speed == "M" and (code in _BACK or code in _SWING or code == "TA"):
        return Barred("SQ-06.9", "cruise_only")
    if ship.sails and (code in _SWING or code == "TA"):
        return Barred("SQ-06.10", "under_sail")
    if (run.backed and code not in _BACK) or (run.moved and not run.backed and code in _BACK):
        return Barred("SQ-06.6", "backwater_alone")
    if run.left < price:
        return Barred("SQ-06.1", "too_few_points", str(run.left))
    if code == "TA" and position.enemies_beside(ship):
        return Barred("SQ-06.5", "enemy_beside")
    return None


def _toward(ship: Ship) -> tuple[str, ...]:
    """The moves that a galley crippled on one side may make (SQ-06.12)."""
    return ("P", "tp", "wp") if ship.crippled_port else ("S", "ts", "ws")


def _entering(position: Position, run: Run, code: MoveCode) -> Barred | None:
    """Why a galley that comes in over her edge, or has just come, may not make a move (SQ-23.5)."""
    ship = position.ship(run.ship)
    outside, inward = position.outside(ship), position.on_map(reached(ship, code).bow)
    wrong = (outside and (code not in AHEAD or not inward)) or (code == "TA" and not inward)
    return Barred("SQ-23.5", "comes_in") if wrong else None


def _where(position: Position, run: Run, code: MoveCode) -> Barred | None:
    ship = position.ship(run.ship)
    there = reached(ship, code)
    if code == "exit" and position.on_map(there.bow):
        return Barred("SQ-06.16", "no_exit")
    if code in AHEAD and there.bow in position.occupied:
        return Barred("SQ-06.7", "hex_taken", grid.label(there.bow))
    if code in _BACK and not position.free(there.stern(ship.size)):
        return Barred("SQ-06.6", "hex_taken", grid.label(there.stern(ship.size)))
    if code in _SWING and ship.size == 2:
        swung = there.stern(ship.size) if code[0] == "t" else there.bow
        if not position.free(swung):
            return Barred("SQ-06.4", "hex_taken", grid.label(swung))
    if not run.under_control and position.on_map(there.bow) and _meets(position, ship, there):
        return Barred("SQ-05.9", "keeps_away")
    return None


def _meets(position: Position, ship: Ship, there: Place) -> bool:
    """Whether an enemy would be beside a ship at a place."""
    around = grid.beside(there.bow, there.facing, ship.size).all
    near = (position.occupied.get(here) for here in around)
    return any(one is not None and one.side != ship.side for one in near)


def leaves(position: Position, ship: Ship, code: MoveCode) -> bool:
    """Whether a move takes a ship off the map (SQ-06.16)."""
    return (code in AHEAD or code == "exit") and not position.on_map(reached(ship, code).bow)


def mark(run: Run, ship: Ship, code: MoveCode, price: int) -> None:
    """Note a move in a galley's activation; `ship` is as she was before it."""
    run.used += price
    run.moved = True
    run.turns += code in ("P", "S")
    run.swung = run.swung or code in _SWING or code == "TA"
    run.backed = run.backed or code in _BACK
    run.last = code
    run.before = ship.place
    run.raked = False


def entered(before: Ship, after: Ship) -> tuple[Hex, ...]:
    """The hexes that a ship has come to occupy by a move (SQ-10.1)."""
    return tuple(here for here in after.hexes if here not in before.hexes)


def coming_in(position: Position, lines: Sequence[Line], names: Collection[str]) -> tuple[Line, ...]:
    """The lines with one for each of these ships that waits beyond the edge and is not ordered over it (SQ-23.5)."""
    late = [ship for ship in position.ships if ship.id in names and position.outside(ship)]
    ordered = {line.ship for line in lines if _comes_in(position, line)}
    own = [Line(ship.id, (Move("F"),) * ship.size) for ship in late if ship.id not in ordered]
    kept = [line for line in lines if line.ship not in {one.ship for one in own}]
    return (*kept, *own)


def _comes_in(position: Position, line: Line) -> bool:
    """Whether a line begins by bringing all of her over the edge: a ship beyond it cannot be attacked."""
    ship = position.by_id[line.ship]
    ahead = [step.code for step in line.steps[: ship.size] if isinstance(step, Move) and step.code in AHEAD]
    paid = line.mp is None or line.mp >= ship.size
    return len(ahead) == ship.size and paid and position.on_map(reached(ship, ahead[0]).bow)
