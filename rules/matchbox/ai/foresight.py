"""A rough estimate of a round: each list of orders of one galley against guesses of the others' orders.

It uses hulls, rams and ranges as the rules do, and land roughly, but neither blocked ways nor chance. Arrays are
indexed by list, step (0 is the start), and guess.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import product
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from rules.geometry import boxes
from rules.matchbox.ai import fairway, many_hulls, many_shores
from rules.matchbox.ai.many_hulls import AxisIndex, Bools, Floats, HullBoxes, Ints
from rules.matchbox.engine import hull, laying, reach
from rules.matchbox.engine.kinds import GALLEY, VesselKind
from rules.matchbox.engine.pose import Pose
from rules.matchbox.engine.sea import Sea
from rules.matchbox.engine.state import MATCH_MM, SLOTS, Galley
from rules.matchbox.engine.volley import RANGE_MM

HIT_CHANCES: Final = np.array([0.0, 0.157, 0.147, 0.142, 0.138, 0.135, 0.132, 0.1305, 0.129])
"""The chance that one match hits with its head in an unspoiled volley, by matches in it (MB-6.3, 6.7, 6.8).

More than eight matches, with a tower or marksmen (MX-2.5, 4.5), were not measured and use the last value.
"""


def expected_hits(matches: Ints, abeam: Bools, breadth: Floats | float = 1.0) -> Floats:
    """Return the expected hits of volleys. Abeam, tails count too (MB-6.9). `breadth` is `broadside_factor`."""
    chances = HIT_CHANCES[np.minimum(matches, len(HIT_CHANCES) - 1)]
    return np.asarray(matches * chances * np.where(abeam, 2.0, 1.0) * breadth)


def broadside_factor(kind: VesselKind) -> float:
    return (kind.length_mm + kind.width_mm) / (GALLEY.length_mm + GALLEY.width_mm)


ENEMY_GUESSES: Final = (("", 0.35), ("FFFFF", 0.35), ("LFFFF", 0.15), ("RFFFF", 0.15))  # with their probabilities
HITS_AHEAD: Final = 0.12  # expected hits of a match at a good aim ahead
HITS_ABEAM: Final = 0.23  # expected hits of a match at a good aim abeam

DAMAGE_TAKEN_WEIGHT: Final = 0.9
"""Weight of an own loss of an oar or mast relative to an enemy's. Other weights are in such losses, too."""
_FIRE_SHIP_DAMAGE: Final = 4.0  # expected losses of a galley lit by a fire ship until the fire is out (MX-2.7, 2.8)
DISTANCE_WEIGHT: Final = 0.004  # per millimetre of distance to the nearest enemy at the end of the round
FACING_WEIGHT: Final = 0.25  # for having the enemy straight ahead at the end of the round
EXPOSED_WEIGHT: Final = 0.4  # for lying side on under the bow of a near enemy
EDGE_WEIGHT: Final = 0.6  # per step in which the table's edge pushes the galley back
EVENED_OARS_WEIGHT: Final = 0.5  # per oar that moving rowers adds to the weaker side
FIRE_OUT_WEIGHT: Final = 1.5  # for an extinguished fire
CLEAR_OF_FRIENDS_MM: Final = 8.0
PUSHED_MM: Final = 1.0  # a galley pushed back by more than this in a step counts as stopped by edge or land
_MIN_DISTANCE_MM: Final = 1e-6  # guessed galleys may overlap, and then neither faces the other
SAFE_DISTANCE_MM: Final = 600.0  # a merchant need not flee farther from enemies


def is_timid(galley: Galley) -> bool:
    """Return whether a vessel avoids enemies because it neither rams nor burns them (MX-2.6, 2.9)."""
    return galley.kind.bow == "none"


class HullTracks(NamedTuple):
    """Positions of hulls after each step: middles, and headings in radians clockwise from north."""

    x: Floats  # middles of hulls in mm, from the western edge
    y: Floats  # middles of hulls in mm, from the southern edge
    heading: Floats  # radians, clockwise from north
    forward_run: Floats  # consecutive forward moves up to and including the step
    pushed_back: Floats  # how far the table's edge pushed back, in mm, or a whole move if land is in the way
    kind: VesselKind = GALLEY  # the kind of vessel

    def pick(self, rows: Sequence[int]) -> HullTracks:
        x, y, heading, forward_run, pushed_back = (column[rows] for column in self[:5])
        return HullTracks(x, y, heading, forward_run, pushed_back, self.kind)

    def boxes_at(self, *where: AxisIndex) -> HullBoxes:
        x, y, heading = self.x[where], self.y[where], self.heading[where]
        return HullBoxes(x, y, np.sin(heading), np.cos(heading), many_hulls.size_of(self.kind))


class _OrderArrays(NamedTuple):
    """Lists of orders as arrays [list, step from 0]."""

    forward: Bools  # whether the order is `F`
    goes: Bools  # whether the order moves the hull
    turns: Ints  # -1: to port; 1: to starboard
    beginnings: tuple[tuple[Ints, Ints], ...]
    """For each step: one list for each distinct sequence of orders up to it, and for each list the index of its own
    sequence. So each sequence is followed once."""


def step_letters(orders: Sequence[str]) -> npt.NDArray[np.str_]:  # [list, step]; a blank for no order
    return np.array([list(order.ljust(SLOTS)) for order in orders])


@lru_cache(maxsize=64)
def _order_arrays(orders: tuple[str, ...]) -> _OrderArrays:
    """Return lists as arrays. Lists with the same first moves share these steps, so that each is computed once."""
    letters = step_letters(orders)
    turns = (letters == "R").astype(np.int64) - (letters == "L")
    forward = letters == "F"
    goes = forward | (turns != 0)
    beginning_of = np.zeros(len(orders), np.int64)
    beginnings = []
    for step in range(SLOTS):
        # A number for each sequence of moves so far: that of the sequence before, and three bits for this step.
        keys = 8 * beginning_of + 4 * forward[:, step] + 2 * goes[:, step] + (turns[:, step] > 0)
        _, representatives, beginning_of = np.unique(keys, return_index=True, return_inverse=True)
        beginnings.append((representatives, beginning_of))
    return _OrderArrays(forward, goes, turns, tuple(beginnings))


def legal_lists(galley: Galley) -> tuple[str, ...]:
    """Return all legal lists of a galley. `ZZ` occurs only at the beginning, and only if it is useful."""
    is_zz_useful = mending_worth(galley) > 0
    return _legal_lists(reach.max_moves(galley), galley.masts, galley.holes, is_zz_useful)


def mending_worth(galley: Galley) -> float:
    """Return the worth of a `ZZ`, in oars: of more oars on the weaker side, or a fire put out (MB-7.3, MX-2.8)."""
    if galley.burning:
        return FIRE_OUT_WEIGHT
    return EVENED_OARS_WEIGHT * ((galley.port + galley.starboard) // 2 - min(galley.port, galley.starboard))


@cache
def _legal_lists(moves: int, masts: int, holes: int, mends: bool) -> tuple[str, ...]:  # noqa: FBT001 -- part of the cache's key
    lists = _fill_list("", moves, masts, SLOTS)
    if mends:
        lists += _fill_list("ZZ", min(moves, holes - 2), masts, SLOTS - 2)  # a `ZZ` takes two of the oars' matches
    return tuple(lists)


def _fill_list(first: str, moves: int, masts: int, slots: int) -> list[str]:
    """Return all lists that begin with `first` and have no room for a further `F` or `X` (MB-3.7)."""
    length = min(slots, moves + masts)
    return [
        first + "".join(letters)
        for letters in product("FLRX", repeat=length)
        if letters.count("X") <= masts and length - letters.count("X") <= moves
    ]


def pool_tracks(galley: Galley, pool: Sequence[str], sea: Sea) -> HullTracks:
    # Tracks are computed once for all legal lists of a galley; the pool is some of them.
    rows = _row_numbers(legal_lists(galley))
    return _all_tracks(galley, sea).pick([rows[order_letters] for order_letters in pool])


def follow_tracks(galley: Galley, orders: Sequence[str], sea: Sea) -> HullTracks:
    """Return the tracks of a galley for several lists, with only land and the table's edge in the way."""
    arrays = _order_arrays(tuple(orders))
    if sea.shore:
        return _tracks_along_shores(galley, arrays, sea)
    kind = galley.kind
    heading = np.radians(galley.pose.heading_deg + kind.turn_deg * _start_at_zero(np.cumsum(arrays.turns, axis=1)))
    sin, cos = np.sin(heading), np.cos(heading)
    distance = kind.move_mm * arrays.goes
    # The pose is that of the prow, and the middle is half a length astern.
    x = galley.pose.x_mm + _start_at_zero(np.cumsum(distance * sin[:, 1:], axis=1)) - kind.half_length_mm * sin
    y = galley.pose.y_mm + _start_at_zero(np.cumsum(distance * cos[:, 1:], axis=1)) - kind.half_length_mm * cos
    run = np.zeros((len(orders), SLOTS + 1))  # consecutive forward moves so far
    for step in range(SLOTS):
        run[:, step + 1] = (run[:, step] + 1) * arrays.forward[:, step]
    clamped_x = _clamp_to_table(x, kind.half_length_mm * np.abs(sin) + kind.half_width_mm * np.abs(cos), sea.width_mm)
    clamped_y = _clamp_to_table(y, kind.half_length_mm * np.abs(cos) + kind.half_width_mm * np.abs(sin), sea.height_mm)
    return HullTracks(clamped_x, clamped_y, heading, run, np.abs(clamped_x - x) + np.abs(clamped_y - y), kind)


def _tracks_along_shores(galley: Galley, arrays: _OrderArrays, sea: Sea) -> HullTracks:
    """Return tracks on a table with land. A hull that would end a move on land stays."""
    x, y, heading, run, pushed_back = (np.zeros((len(arrays.goes), SLOTS + 1)) for _ in range(5))
    middle = hull.hull_middle(galley.pose, galley.kind)
    x[:, 0], y[:, 0], heading[:, 0] = middle.x, middle.y, math.radians(galley.pose.heading_deg)
    half_length, half_width = galley.kind.half_length_mm, galley.kind.half_width_mm
    for step, (rows, beginning_of) in enumerate(arrays.beginnings):
        goes, old_heading = arrays.goes[rows, step], heading[rows, step]
        new_heading = old_heading + math.radians(galley.kind.turn_deg) * arrays.turns[rows, step]
        sin, cos, distance = np.sin(new_heading), np.cos(new_heading), galley.kind.move_mm * goes
        to_x = x[rows, step] + half_length * np.sin(old_heading) + distance * sin - half_length * sin
        to_y = y[rows, step] + half_length * np.cos(old_heading) + distance * cos - half_length * cos
        clamped_x = _clamp_to_table(to_x, half_length * np.abs(sin) + half_width * np.abs(cos), sea.width_mm)
        clamped_y = _clamp_to_table(to_y, half_length * np.abs(cos) + half_width * np.abs(sin), sea.height_mm)
        size = many_hulls.size_of(galley.kind)
        is_barred = goes & many_shores.touches_land(sea, clamped_x, clamped_y, sin, cos, size=size)
        x[:, step + 1] = np.where(is_barred, x[rows, step], clamped_x)[beginning_of]
        y[:, step + 1] = np.where(is_barred, y[rows, step], clamped_y)[beginning_of]
        heading[:, step + 1] = np.where(is_barred, old_heading, new_heading)[beginning_of]
        pushed = np.abs(clamped_x - to_x) + np.abs(clamped_y - to_y)
        pushed_back[:, step + 1] = np.where(is_barred, galley.kind.move_mm, pushed)[beginning_of]
        run[:, step + 1] = ((run[rows, step] + 1) * (arrays.forward[rows, step] & ~is_barred))[beginning_of]
    return HullTracks(x, y, heading, run, pushed_back, galley.kind)


@lru_cache(maxsize=16)
def _all_tracks(galley: Galley, sea: Sea) -> HullTracks:
    return follow_tracks(galley, legal_lists(galley), sea)


def reef_damage(galley: Galley, pool: Sequence[str], sea: Sea) -> Floats:
    """Return how often reefs damage a galley with each of these lists (MX-1.15)."""
    rows = _row_numbers(legal_lists(galley))
    return _all_reef_damage(galley, sea)[[rows[order_letters] for order_letters in pool]]


@lru_cache(maxsize=16)
def _all_reef_damage(galley: Galley, sea: Sea) -> Floats:
    """Return how often reefs damage a galley with each of its legal lists."""
    orders, damaging_run = legal_lists(galley), many_shores.costly_reef_run(galley)
    damage = np.zeros(len(orders))
    if not sea.terrain.reefs.pieces:
        return damage
    tracks = _all_tracks(galley, sea)
    for step, (rows, beginning_of) in enumerate(_order_arrays(orders).beginnings, 1):
        is_fast = tracks.forward_run[rows, step] >= damaging_run
        strikes = np.zeros(len(rows))
        strikes[is_fast] = many_shores.meets_reef(tracks.boxes_at(rows[is_fast], step), sea)
        damage += strikes[beginning_of]
    return damage


@lru_cache(maxsize=64)
def _row_numbers(orders: tuple[str, ...]) -> dict[str, int]:
    return {order_letters: row for row, order_letters in enumerate(orders)}


@lru_cache(maxsize=16)
def guessed_tracks(galley: Galley, sea: Sea) -> HullTracks:
    # Tracks of an enemy with the guessed orders, as far as it has oars for them.
    max_moves = reach.max_moves(galley)
    return follow_tracks(galley, [letters[:max_moves] for letters, _ in ENEMY_GUESSES], sea)


def plain_list(galley: Galley, foes: Sequence[Galley], sea: Sea) -> str:
    """Return simple orders: turn to the nearest enemy, row until it is in range, and fire."""
    moves, shots = reach.max_moves(galley), galley.masts  # those left
    pose, letters = galley.pose, ""
    while len(letters) < SLOTS and moves + shots:
        own_hull = galley.kind.make_box(pose)
        # The nearest enemy, or the first by id of several at the same distance.
        gap, _, enemy_hull = min(
            (round(boxes.box_gap(own_hull, hull.hull_of(foe)), 6), foe.id, hull.hull_of(foe)) for foe in foes
        )
        east, north = fairway.direction_to(sea, own_hull[:2], enemy_hull[:2])
        bearing_off_deg = (math.degrees(math.atan2(east, north)) - pose.heading_deg + 180) % 360 - 180
        tolerance_deg = galley.kind.turn_deg / 2
        if gap <= RANGE_MM:
            preferred = "X"
        elif abs(bearing_off_deg) > tolerance_deg:
            preferred = "L" if bearing_off_deg < 0 else "R"
        else:
            preferred = "F"
        if preferred != "X" and sea.shore:
            preferred = _order_off_shore(galley.kind, pose, preferred, bearing_off_deg, sea)
        if shots and (preferred == "X" or not moves):
            order = "X"
            shots -= 1
        else:
            order = "F" if preferred == "X" else preferred
            moves -= 1
        letters += order
        pose = hull.push_back(laying.pose_after_order(pose, order, galley.kind), sea, galley.kind)
    return letters


def _order_off_shore(kind: VesselKind, pose: Pose, preferred: str, off_deg: float, sea: Sea) -> str:
    """Return the preferred order, or one that does not end on land. `off_deg`: the goal's bearing, 0 ahead."""
    turns = "LR" if off_deg < 0 else "RL"
    candidates: list[str] = [preferred, "F", *turns]
    for order in candidates:
        box_after = kind.make_box(hull.push_back(laying.pose_after_order(pose, order, kind), sea, kind))
        x, y, sin, cos = (np.array([value]) for value in box_after[:4])
        if not many_shores.touches_land(sea, x, y, sin, cos, size=many_hulls.size_of(kind)).any():
            return order
    return preferred


def list_worth(galley: Galley, orders: Sequence[str], own: HullTracks, foes: Sequence[HullTracks]) -> Floats:
    """Return the worth of each list, about 1 for each oar or mast of expected damage.

    Of all enemies, only those met first are rammed. Each volley counts for the enemy at which it is best, and the final
    position for one enemy: the best for a fighting vessel, the worst for a timid one.
    """
    fires = step_letters(orders) == "X"
    weights = np.array([weight for _, weight in ENEMY_GUESSES])
    encounters = [_Encounter(own, foe) for foe in foes]
    first_step = np.minimum.reduce([meeting.first for meeting in encounters])  # of a contact with any enemy
    total = np.zeros((len(orders), len(ENEMY_GUESSES)))
    for meeting in encounters:
        total += np.where(meeting.first == first_step, meeting.ram_balance(), 0.0)
    best_volleys = np.maximum.reduce([meeting.volley_hits(galley.masts) for meeting in encounters])
    total += (best_volleys * fires[:, :, None]).sum(axis=1)
    outlooks = [meeting.end_worth() for meeting in encounters]
    total += np.minimum.reduce(outlooks) if is_timid(galley) else np.maximum.reduce(outlooks)
    value = total @ weights  # the guesses of enemy orders, weighted by their probability
    value -= EDGE_WEIGHT * (own.pushed_back[:, 1:] > PUSHED_MM).sum(axis=1)
    return np.asarray(value + mending_worth(galley) * np.array([order.startswith("ZZ") for order in orders]))


def is_clear(own: HullTracks, friends: Sequence[HullTracks]) -> Bools:
    """Return which lists of orders keep clear of friends and of the table's edge."""
    clear = (own.pushed_back <= PUSHED_MM).all(axis=1)
    for friend in friends:
        clear &= (_Encounter(own, friend).axis_gaps.max(axis=0) >= CLEAR_OF_FRIENDS_MM).all(axis=(1, 2))
    return np.asarray(clear)


class _Encounter:
    """One galley's lists against another galley's guesses: arrays [list, step, guess]."""

    def __init__(self, own: HullTracks, other: HullTracks) -> None:
        x, y, heading, self.run, _ = (column[:, :, None] for column in own[:5])
        other_x, other_y, other_heading, self.other_run, _ = (column.T[None, :, :] for column in other[:5])
        self.heading, self.other_heading = heading, other_heading  # radians
        dx, dy = other_x - x, other_y - y
        sin, cos, other_sin, other_cos = np.sin(heading), np.cos(heading), np.sin(other_heading), np.cos(other_heading)
        self.distance = np.hypot(dx, dy)  # of middles, in mm
        self.ahead, self.abeam = dx * sin + dy * cos, dx * cos - dy * sin
        self.other_ahead, self.other_abeam = -(dx * other_sin + dy * other_cos), dy * other_sin - dx * other_cos
        cos_between, sin_between = np.abs(np.cos(heading - other_heading)), np.abs(np.sin(heading - other_heading))
        self.kind, self.other_kind = own.kind, other.kind
        own_length, own_width = own.kind.half_length_mm, own.kind.half_width_mm
        length, width = other.kind.half_length_mm, other.kind.half_width_mm
        # Distances of middles, along and across each hull, at which the other touches it.
        end = own_length + length * cos_between + width * sin_between
        side = own_width + length * sin_between + width * cos_between
        other_end = length + own_length * cos_between + own_width * sin_between
        other_side = width + own_length * sin_between + own_width * cos_between
        # Gaps in mm along the axes of both hulls; the hulls are apart if any is positive.
        self.axis_gaps = np.stack(
            [
                np.abs(self.ahead) - end,
                np.abs(self.abeam) - side,
                np.abs(self.other_ahead) - other_end,
                np.abs(self.other_abeam) - other_side,
            ]
        )
        meets = self.axis_gaps.max(axis=0)[:, 1:] <= 0
        self.first = np.where(meets.any(axis=1), meets.argmax(axis=1) + 1, SLOTS + 1)
        """The step of the meeting by list and guess; beyond the last: never."""

    def ram_balance(self) -> Floats:
        """Return damage dealt minus weighted damage taken at the meeting (MB-5.7 to 5.9), by list and guess."""
        meeting_pairs = np.nonzero(self.first <= SLOTS)
        steps = self.first[meeting_pairs]

        def at_meeting(values: Floats, back: int = 0) -> Floats:
            # The values at each meeting, or `back` steps before.
            return np.asarray(
                np.broadcast_to(values, self.distance.shape)[meeting_pairs[0], steps - back, meeting_pairs[1]]
            )

        # The axis along which the hulls were still apart one step before the meeting: 0 along this hull, 1 across it,
        # 2 along the other, 3 across the other.
        axis = np.stack([at_meeting(gaps, 1) for gaps in self.axis_gaps]).argmax(axis=0)
        ahead, abeam = at_meeting(self.ahead, 1) > 0, at_meeting(self.abeam, 1) > 0
        other_ahead, other_abeam = at_meeting(self.other_ahead, 1) > 0, at_meeting(self.other_abeam, 1) > 0
        quarter_turns = np.rint(np.degrees(at_meeting(self.heading) - at_meeting(self.other_heading)) / 90.0).astype(
            np.int64
        )
        # Number edges by quarter turns: bow 0, starboard 1, stern 2, port 3. The other's edge is the most opposed one.
        own_edge = np.where(axis == 0, np.where(ahead, 0, 2), np.where(abeam, 1, 3))
        other_edge = np.where(axis == 2, np.where(other_ahead, 0, 2), np.where(other_abeam, 1, 3))
        is_own_axis = axis < 2
        struck_own_edge = np.where(is_own_axis, own_edge, (other_edge - quarter_turns + 2) % 4)
        struck_other_edge = np.where(is_own_axis, (own_edge + quarter_turns + 2) % 4, other_edge)
        dealt = np.where(
            struck_own_edge == 0, _ram_damage(self.kind, struck_other_edge == 2, at_meeting(self.run)), 0.0
        )
        suffered = np.where(
            struck_other_edge == 0, _ram_damage(self.other_kind, struck_own_edge == 2, at_meeting(self.other_run)), 0.0
        )
        balance = np.zeros(self.first.shape)
        balance[meeting_pairs] = dealt - DAMAGE_TAKEN_WEIGHT * suffered
        return balance

    def volley_hits(self, masts: int) -> Floats:
        """Return expected hits of a volley in each step (MB-6.2, 6.3), by list, step and guess."""
        step = np.arange(1, SLOTS + 1)[None, :, None]
        gap = np.where(step >= self.first[:, None, :], 0.0, self.axis_gaps.max(axis=0)[:, 1:])
        matches = np.select(
            [gap <= MATCH_MM, gap <= 2 * MATCH_MM, gap <= RANGE_MM], [2 * masts, masts, (masts + 1) // 2], 0
        )
        matches = matches + (matches > 0) * self.kind.has_tower
        abeam = np.abs(self.ahead[:, 1:]) <= self.kind.half_length_mm
        return np.asarray(matches * np.where(abeam, HITS_ABEAM, HITS_AHEAD) * broadside_factor(self.other_kind))

    def end_worth(self) -> Floats:
        """Return the worth of the final position, by list and guess: near, facing the enemy, not under its bow.

        For vessels that do no harm with their bows, distance is good (`is_timid`).
        """
        distance = np.maximum(self.distance[:, -1], _MIN_DISTANCE_MM)
        facing, other_facing = self.ahead[:, -1] / distance, self.other_ahead[:, -1] / distance
        side_on = np.abs(np.sin(self.heading[:, -1] - self.other_heading[:, -1]))
        # The enemy's bow points at this side from near by, so that it can ram in the next round.
        exposed = (other_facing > 0.9) & (side_on > 0.7) & (distance < 220.0)
        approach_distance = np.maximum(distance - 70.0, 0.0)  # to about a hull's length between the middles
        if self.kind.bow == "none":
            return np.asarray(
                DISTANCE_WEIGHT * np.minimum(approach_distance, SAFE_DISTANCE_MM) - EXPOSED_WEIGHT * exposed
            )
        return np.asarray(FACING_WEIGHT * facing - DISTANCE_WEIGHT * approach_distance - EXPOSED_WEIGHT * exposed)


def _ram_damage(kind: VesselKind, stern: Bools, run: Floats) -> Floats:
    """Return the damage that a bow of this kind deals, by whether it strikes a stern (MB-5.8, 5.9, MX-2.1)."""
    if kind.bow != "ram":
        return np.full(run.shape, _FIRE_SHIP_DAMAGE if kind.bow == "fire" else 0.0)
    return np.maximum(0.0, np.where(stern, 1.0, 2.0) + run + kind.ram_bonus)


def _start_at_zero(values: Floats) -> Floats:  # adds a first column of zeros, for the start of the round
    return np.concatenate((np.zeros((len(values), 1)), values), axis=1)


def _clamp_to_table(middles: Floats, reach: Floats, length: float) -> Floats:  # along one axis of the table
    return np.asarray(np.clip(middles, reach, length - reach))
