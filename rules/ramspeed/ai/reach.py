"""Values of rams and grapples for many pairs of ships at once, ignoring third ships.

Rams in open water agree with `engine.geometry.aim`. Land only counts if it lies between the middles of two ships, and
grapples are estimated.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

import numpy as np
import shapely

from rules.geometry.plane import land_of
from rules.ramspeed.ai import worth
from rules.ramspeed.engine.geometry.hulls import Floats
from rules.ramspeed.engine.state import Ring, Ship
from rules.ramspeed.engine.tables import CLASS_CODES, CONSTANTS, TABLES

_VEER_STEP_DEGREES: Final = 3
_VEERS_DEG: Final = np.arange(-24, CONSTANTS.veer_max, _VEER_STEP_DEGREES)  # to starboard
_TURNS_DEG: Final = np.linspace(30, CONSTANTS.opening_turn_max, 9)
_OPENING_TURNS_DEG: Final = np.concatenate((-_TURNS_DEG[::-1][:8], [0.0], _TURNS_DEG[:8]))  # to starboard
_BESIDE_INCHES: Final = 1.9
"""Approximate distance of two ships' middles alongside, which is no part of the run (RS-09.1)."""
_BESIDE_DEGREES: Final = CONSTANTS.oblique_max + CONSTANTS.veer_max  # maximum angle between the axes before a veer
_AHEAD_DEGREES: Final = 45.0  # degrees off the bow within which a veer leads alongside, approximately

_MIN_APPROACH: Final = 1e-9  # a ray that approaches a side more slowly is parallel to it


class TargetPair(NamedTuple):
    ship: Ship
    target: Ship
    is_target_immobile: bool


def best_attack_values(pairs: Sequence[TargetPair], land: tuple[Ring, ...]) -> Floats:
    """Return the value of the best attack of each pair in victory points, or 0 if there is none."""
    if not pairs:
        return np.zeros(0)
    values = _ram_values(pairs, opening=False)
    turning = [number for number, pair in enumerate(pairs) if pair.ship.ship_class.turn_and_move]
    if turning:
        values[turning] = np.maximum(values[turning], _ram_values([pairs[number] for number in turning], opening=True))
    values = np.maximum(values, _grapple_values(pairs))
    possible = np.flatnonzero(values)
    if land and len(possible):
        # land between the middles of two ships bars the attack
        lines = [
            ((pairs[number].ship.x, pairs[number].ship.y), (pairs[number].target.x, pairs[number].target.y))
            for number in possible.tolist()
        ]
        values[possible[shapely.intersects(land_of(land).shape, shapely.linestrings(lines))]] = 0.0
    return values


class _RamRays(NamedTuple):
    """The rays of rams' tips in the target's frame (RS-01.3); all have shape (n, m), for n pairs and m pivots."""

    forward: Floats  # inches of the tip ahead of the target's middle
    starboard: Floats  # inches of the tip to starboard of the target's middle
    forward_rate: Floats  # change of `forward` for each inch of the run
    starboard_rate: Floats  # change of `starboard` for each inch of the run


_OutlineSide = tuple[Floats | float, Floats | float, Floats]
"""A side of a convex outline: its outward normal, forward and to starboard, and its offset along the normal."""


def _as_column(values: Iterable[float]) -> Floats:
    return np.array(list(values), dtype=np.float64)[:, None]


def _ram_values(pairs: Sequence[TargetPair], *, opening: bool) -> Floats:
    """Return the value of the best legal ram of each pair in victory points, or 0 (RS-08)."""
    ships, targets = [pair.ship for pair in pairs], [pair.target for pair in pairs]
    headings = _as_column(ship.heading for ship in ships) + (_OPENING_TURNS_DEG if opening else _VEERS_DEG)[None, :]
    rays = _rays_in_target_frame(ships, targets, headings)
    half_lengths = _as_column(target.ship_class.length / 2 for target in targets)
    runs = _ray_lengths(rays, _hull_outline(targets, half_lengths))
    relative_headings = np.abs((headings - _as_column(target.heading for target in targets) + 180) % 360 - 180)
    angles = np.where(relative_headings <= 90, relative_headings, 180 - relative_headings)
    min_runs = _as_column(ship.ship_class.ram_min for ship in ships)
    max_runs = _as_column(
        (ship.forward_allowance / 2 if opening else ship.forward_allowance) + ship.ram_run_bonus for ship in ships
    )
    is_legal = (runs >= min_runs) & (runs <= max_runs)
    with np.errstate(invalid="ignore"):  # the run of a ray that misses is infinite
        is_legal &= np.abs(rays.forward + rays.forward_rate * runs) <= half_lengths - CONSTANTS.flank_margin
    is_legal &= angles > CONSTANTS.bow_on_max + 0.5  # the rules round to whole degrees
    return np.asarray(np.where(is_legal, _ram_value_table(pairs, angles, runs), 0.0).max(axis=1))


def _rays_in_target_frame(ships: Sequence[Ship], targets: Sequence[Ship], headings: Floats) -> _RamRays:
    """Return the rams' ways from the tips of the bows, seen from the targets' middles, in inches."""
    angle, course = np.radians(headings), np.radians(_as_column(target.heading for target in targets))
    east, north, ahead_east, ahead_north = np.sin(angle), np.cos(angle), np.sin(course), np.cos(course)
    bow = _as_column(ship.ship_class.length / 2 for ship in ships)
    # inches of the tip east and north of the target's middle
    x = _as_column(ship.x for ship in ships) + east * bow - _as_column(target.x for target in targets)
    y = _as_column(ship.y for ship in ships) + north * bow - _as_column(target.y for target in targets)
    return _RamRays(
        forward=x * ahead_east + y * ahead_north,
        starboard=x * ahead_north - y * ahead_east,
        forward_rate=east * ahead_east + north * ahead_north,
        starboard_rate=east * ahead_north - north * ahead_east,
    )


def _hull_outline(targets: Sequence[Ship], half_lengths: Floats) -> tuple[_OutlineSide, ...]:
    """Return the five sides of each target's hull in its own frame (RS-01.2); `half_lengths` in inches."""
    beam = _as_column(target.ship_class.beam / 2 for target in targets)
    taper = _as_column(target.ship_class.taper for target in targets)
    slant = np.hypot(taper, beam)
    forward, starboard, support = beam / slant, taper / slant, beam * half_lengths / slant
    stern, beams = (-1.0, 0.0, half_lengths), ((0.0, 1.0, beam), (0.0, -1.0, beam))
    return (stern, *beams, (forward, starboard, support), (forward, -starboard, support))


def _ray_lengths(rays: _RamRays, outline: Sequence[_OutlineSide]) -> Floats:
    """Return inches along each ray until it enters a convex outline: 0 inside, infinite if it misses."""
    # the part of each ray that no side has cut off yet, in inches from the tip
    first, last = np.zeros_like(rays.forward), np.full_like(rays.forward, np.inf)
    is_missed = np.zeros(rays.forward.shape, dtype=np.bool_)
    for forward, starboard, support in outline:
        slack = support - (forward * rays.forward + starboard * rays.starboard)
        rate = forward * rays.forward_rate + starboard * rays.starboard_rate
        with np.errstate(divide="ignore", invalid="ignore"):
            distance = slack / rate
        last = np.where(rate > _MIN_APPROACH, np.minimum(last, distance), last)
        first = np.where(rate < -_MIN_APPROACH, np.maximum(first, distance), first)
        is_missed |= (np.abs(rate) <= _MIN_APPROACH) & (slack < 0)
    return np.where(is_missed | (first > last), np.inf, first)


def _ram_value_table(pairs: Sequence[TargetPair], angles: Floats, runs: Floats) -> Floats:
    """Return the value of a ram by angle (degrees between the axes) and run: (n, m) (RS-08.6, RS-08.7, T3)."""
    table, modifiers = TABLES.ram, TABLES.ram.modifiers
    base = _as_column(
        table.matrix[ship.code][CLASS_CODES.index(target.code)]
        + TABLES.nations[ship.nation].ram
        + (modifiers.immobile if is_target_immobile else 0)
        for ship, target, is_target_immobile in pairs
    )
    sums = base + np.where(angles <= CONSTANTS.oblique_max + 0.5, modifiers.oblique, 0)
    long_modifiers = np.where(runs >= modifiers.long_run, modifiers.long, 0)
    sums = sums + np.where(runs <= modifiers.short_run, modifiers.short, long_modifiers)
    lowest, highest = worth.MODIFIER_SUMS[0], worth.MODIFIER_SUMS[-1]
    indices = np.clip(sums, lowest, highest).astype(np.intp) - lowest
    values_by_sum = np.stack([worth.ram_values(ship, target) for ship, target, _ in pairs])
    return np.asarray(np.take_along_axis(values_by_sum, indices, axis=1))


def _grapple_values(pairs: Sequence[TargetPair]) -> Floats:
    """Return the value of a grapple for each pair in victory points; 0 if the target seems to be out of reach."""
    # x east and y north, in inches; `a` is the ship and `b` the target of a pair
    x, y, heading, allowance, tx, ty, target_heading = np.array(
        [(a.x, a.y, a.heading, a.forward_allowance, b.x, b.y, b.heading) for a, b, _ in pairs], dtype=np.float64
    ).T
    distance = np.hypot(x - tx, y - ty)
    degrees_off = np.abs((np.degrees(np.arctan2(tx - x, ty - y)) - heading + 180) % 360 - 180)
    relative_headings = np.abs((heading - target_heading + 180) % 360 - 180)
    angles = np.where(relative_headings <= 90, relative_headings, 180 - relative_headings)
    is_near = (distance <= allowance + _BESIDE_INCHES) & (degrees_off <= _AHEAD_DEGREES) & (angles <= _BESIDE_DEGREES)
    values = np.zeros(len(pairs))
    for number in np.flatnonzero(is_near).tolist():
        ship, target, is_target_immobile = pairs[number]
        values[number] = max(0.0, worth.grapple_value(ship, target, automatic=is_target_immobile))
    return values
