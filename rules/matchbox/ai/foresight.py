"""What a round may bring: every list of orders of one galley against guesses of what the others do, by rough measure.

It knows hulls, rams and ranges as the rules do, and land roughly, but neither blocked ways nor chance. Arrays are by
list, step (0 is before the first), and guess.
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
from rules.matchbox.ai import fairway, gunnery, many_shores
from rules.matchbox.ai.many_hulls import Bools, HullBoxes, HullSizes
from rules.matchbox.engine import hull, laying, reach
from rules.matchbox.engine.kinds import GALLEY, VesselKind
from rules.matchbox.engine.pose import Pose
from rules.matchbox.engine.sea import Sea
from rules.matchbox.engine.state import MATCH_MM, SLOTS, Galley
from rules.matchbox.engine.volley import RANGE_MM

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

ENEMY_GUESSES: Final = (("", 0.35), ("FFFFF", 0.35), ("LFFFF", 0.15), ("RFFFF", 0.15))
"""What an enemy may do, and how much that counts."""
HITS_AHEAD: Final = 0.12
HITS_ABEAM: Final = 0.23
"""Expected of a match at a good aim (MB part 9, D8)."""

DAMAGE_TAKEN_WEIGHT: Final = 0.9
"""Of one oar or mast lost, against one that the enemy loses; the others are in such oars or masts, too."""
_FIRE_SHIP_DAMAGE: Final = 4.0
"""What a galley loses that a fire ship lights: at once, and until the fire is put out (MX-2.7, 2.8)."""
DISTANCE_WEIGHT: Final = 0.004
"""Per millimetre that the nearest enemy is farther away than close by, at the end of the round."""
FACING_WEIGHT: Final = 0.25
"""Of the enemy straight ahead at the end of the round."""
EXPOSED_WEIGHT: Final = 0.4
"""Of lying side on under the bow of an enemy near by."""
EDGE_WEIGHT: Final = 0.6
"""Per step in which the table's edge pushes her back."""
EVENED_OARS_WEIGHT: Final = 0.5
"""Per oar that moving rowers adds to her weaker side."""
FIRE_OUT_WEIGHT: Final = 1.5
"""Of a fire that is put out."""
CLEAR_OF_FRIENDS_MM: Final = 8.0
"""The gap that a friend is given."""
_MIN_DISTANCE_MM: Final = 1e-6
"""Guessed galleys may lie on each other; then neither faces the other."""


SAFE_DISTANCE_MM: Final = 600.0
"""So far from all enemies a merchant needs to go no farther."""


def is_timid(galley: Galley) -> bool:
    """Whether she keeps away from enemies, as she neither fights nor burns (MX-2.6, 2.9)."""
    return galley.kind.bow == "none"


class HullTracks(NamedTuple):
    """Where hulls are after each step."""

    x: Floats
    """Middles."""
    y: Floats
    heading: Floats
    """Radians clockwise from north."""
    forward_run: Floats
    """Forwards without a break, up to and including the step."""
    pushed_back: Floats
    """How far the table's edge pushed back, in mm; a whole move where land is in the way."""
    kind: VesselKind = GALLEY
    """Whose hulls they are."""

    def pick(self, rows: Sequence[int]) -> HullTracks:
        """Some of them."""
        x, y, heading, run, spilt = (column[rows] for column in self[:5])
        return HullTracks(x, y, heading, run, spilt, self.kind)


class _OrderArrays(NamedTuple):
    """Lists of orders, as arrays: [list, step from 0]."""

    forward: Bools
    goes: Bools
    turns: Ints
    """-1 for a turn to port, 1 for one to starboard."""
    beginnings: tuple[tuple[Ints, Ints], ...]
    """By step, one list for each way in which lists begin, up to and including it, and which of these each begins as.
    So each beginning needs to be followed once."""


@lru_cache(maxsize=64)
def _order_arrays(orders: tuple[str, ...]) -> _OrderArrays:
    letters = np.array([list(order.ljust(SLOTS)) for order in orders])
    turns = (letters == "R").astype(np.int64) - (letters == "L")
    forward = letters == "F"
    goes = forward | (turns != 0)
    begun = np.zeros(len(orders), np.int64)
    beginnings = []
    for step in range(SLOTS):
        _, one, begun = np.unique(
            8 * begun + 4 * forward[:, step] + 2 * goes[:, step] + (turns[:, step] > 0),
            return_index=True,
            return_inverse=True,
        )
        beginnings.append((one, begun))
    return _OrderArrays(forward, goes, turns, tuple(beginnings))


def legal_lists(galley: Galley) -> tuple[str, ...]:
    """All legal lists of a galley; `ZZ` only at the beginning, and only if it does any good."""
    return _legal_lists(reach.max_moves(galley), galley.masts, galley.holes, mending_worth(galley) > 0)


def mending_worth(galley: Galley) -> float:
    """What a `ZZ` is worth: an even pull, in oars, or a fire that is put out (MB-7.3, MX-2.8)."""
    if galley.burning:
        return FIRE_OUT_WEIGHT
    return EVENED_OARS_WEIGHT * ((galley.port + galley.starboard) // 2 - min(galley.port, galley.starboard))


@cache
def _legal_lists(moves: int, masts: int, stock: int, mends: bool) -> tuple[str, ...]:  # noqa: FBT001 -- a key of the cache
    found = list(_fill_list("", moves, masts, SLOTS))
    if mends:
        found += _fill_list("ZZ", min(moves, stock - 2), masts, SLOTS - 2)
    return tuple(found)


def _fill_list(first: str, moves: int, masts: int, slots: int) -> list[str]:
    """Lists that leave out no `F` and no `X` that they could have (MB-3.7)."""
    length = min(slots, moves + masts)
    return [
        first + "".join(letters)
        for letters in product("FLRX", repeat=length)
        if letters.count("X") <= masts and length - letters.count("X") <= moves
    ]


def pool_tracks(galley: Galley, pool: Sequence[str], sea: Sea) -> HullTracks:
    """Follow a galley through many of all her lists, as `follow_tracks` does."""
    rows = _row_numbers(legal_lists(galley))
    return _all_tracks(galley, sea).pick([rows[drawn] for drawn in pool])


def follow_tracks(galley: Galley, orders: Sequence[str], sea: Sea) -> HullTracks:
    """Follow a galley through each of several lists, with nothing in the way but land and the table's edge."""
    written = _order_arrays(tuple(orders))
    if sea.shore:
        return _tracks_along_shores(galley, written, sea)
    kind = galley.kind
    heading = np.radians(galley.pose.heading_deg + kind.turn_deg * _shift_to_zero(np.cumsum(written.turns, axis=1)))
    sin, cos = np.sin(heading), np.cos(heading)
    far = kind.move_mm * written.goes
    x = galley.pose.x_mm + _shift_to_zero(np.cumsum(far * sin[:, 1:], axis=1)) - kind.half_length_mm * sin
    y = galley.pose.y_mm + _shift_to_zero(np.cumsum(far * cos[:, 1:], axis=1)) - kind.half_length_mm * cos
    run = np.zeros((len(orders), SLOTS + 1))
    for step in range(SLOTS):
        run[:, step + 1] = (run[:, step] + 1) * written.forward[:, step]
    kept_x = _clamp_to_table(x, kind.half_length_mm * np.abs(sin) + kind.half_width_mm * np.abs(cos), sea.width_mm)
    kept_y = _clamp_to_table(y, kind.half_length_mm * np.abs(cos) + kind.half_width_mm * np.abs(sin), sea.height_mm)
    return HullTracks(kept_x, kept_y, heading, run, np.abs(kept_x - x) + np.abs(kept_y - y), kind)


def _tracks_along_shores(galley: Galley, written: _OrderArrays, sea: Sea) -> HullTracks:
    """The same on a table with land: who would be on it after an order stays where she is."""
    x, y, heading, run, spilt = (np.zeros((len(written.goes), SLOTS + 1)) for _ in range(5))
    middle = hull.hull_middle(galley.pose, galley.kind)
    x[:, 0], y[:, 0], heading[:, 0] = middle.x, middle.y, math.radians(galley.pose.heading_deg)
    half, beam = galley.kind.half_length_mm, galley.kind.half_width_mm
    for step, (one, begins) in enumerate(written.beginnings):
        goes, now = written.goes[one, step], heading[one, step]
        then = now + math.radians(galley.kind.turn_deg) * written.turns[one, step]
        sin, cos, far = np.sin(then), np.cos(then), galley.kind.move_mm * goes
        to_x = x[one, step] + half * np.sin(now) + far * sin - half * sin
        to_y = y[one, step] + half * np.cos(now) + far * cos - half * cos
        kept_x = _clamp_to_table(to_x, half * np.abs(sin) + beam * np.abs(cos), sea.width_mm)
        kept_y = _clamp_to_table(to_y, half * np.abs(cos) + beam * np.abs(sin), sea.height_mm)
        barred = goes & many_shores.touches_land(sea, kept_x, kept_y, sin, cos, size=HullSizes(half, beam))
        x[:, step + 1] = np.where(barred, x[one, step], kept_x)[begins]
        y[:, step + 1] = np.where(barred, y[one, step], kept_y)[begins]
        heading[:, step + 1] = np.where(barred, now, then)[begins]
        pushed = np.abs(kept_x - to_x) + np.abs(kept_y - to_y)
        spilt[:, step + 1] = np.where(barred, galley.kind.move_mm, pushed)[begins]
        run[:, step + 1] = ((run[one, step] + 1) * (written.forward[one, step] & ~barred))[begins]
    return HullTracks(x, y, heading, run, spilt, galley.kind)


@lru_cache(maxsize=16)
def _all_tracks(galley: Galley, sea: Sea) -> HullTracks:
    return follow_tracks(galley, legal_lists(galley), sea)


def reef_damage(galley: Galley, pool: Sequence[str], sea: Sea) -> Floats:
    """How often reefs hurt a galley in each of many of all her lists (MX-1.15)."""
    rows = _row_numbers(legal_lists(galley))
    return _all_reef_damage(galley, sea)[[rows[drawn] for drawn in pool]]


@lru_cache(maxsize=16)
def _all_reef_damage(galley: Galley, sea: Sea) -> Floats:
    orders, run = legal_lists(galley), many_shores.costly_reef_run(galley)
    found = np.zeros(len(orders))
    if not sea.terrain.reefs.pieces:
        return found
    of, size = _all_tracks(galley, sea), HullSizes(galley.kind.half_length_mm, galley.kind.half_width_mm)
    for step, (one, begins) in enumerate(_order_arrays(orders).beginnings, 1):
        fast = of.forward_run[one, step] >= run
        x, y, heading = (column[one[fast], step] for column in of[:3])
        over = np.zeros(len(one))
        over[fast] = many_shores.meets_reef(HullBoxes(x, y, np.sin(heading), np.cos(heading), size), sea)
        found += over[begins]
    return found


@lru_cache(maxsize=64)
def _row_numbers(orders: tuple[str, ...]) -> dict[str, int]:
    return {drawn: row for row, drawn in enumerate(orders)}


@lru_cache(maxsize=16)
def guessed_tracks(galley: Galley, sea: Sea) -> HullTracks:
    """The tracks of an enemy, or of a friend who has not decided yet, by guess."""
    most = reach.max_moves(galley)
    return follow_tracks(galley, [letters[:most] for letters, _ in ENEMY_GUESSES], sea)


def plain_list(galley: Galley, foes: Sequence[Galley], sea: Sea) -> str:
    """The plain captain's list: fire when an enemy is in range, else turn to the nearest and row on."""
    moves, shots = reach.max_moves(galley), galley.masts
    pose, drawn = galley.pose, ""
    while len(drawn) < SLOTS and moves + shots:
        here = galley.kind.make_box(pose)
        gap, _, there = min(
            (round(boxes.box_gap(here, hull.hull_of(foe)), 6), foe.id, hull.hull_of(foe)) for foe in foes
        )
        east, north = fairway.direction_to(sea, here[:2], there[:2])
        off = (math.degrees(math.atan2(east, north)) - pose.heading_deg + 180) % 360 - 180
        least = galley.kind.turn_deg / 2
        wanted = "X" if gap <= RANGE_MM else "L" if off < -least else "R" if off > least else "F"
        if wanted != "X" and sea.shore:
            wanted = _order_off_shore(galley.kind, pose, wanted, off, sea)
        order = "X" if shots and (wanted == "X" or not moves) else "F" if wanted == "X" else wanted
        moves, shots = moves - (order != "X"), shots - (order == "X")
        drawn += order
        pose = hull.push_back(laying.pose_after_order(pose, order, galley.kind), sea, galley.kind)
    return drawn


def _order_off_shore(kind: VesselKind, pose: Pose, wanted: str, off_deg: float, sea: Sea) -> str:
    """The order that is wanted, or the next best that does not run her on to land."""
    turns = "LR" if off_deg < 0 else "RL"
    tried: list[str] = [wanted, "F", *turns]
    for order in tried:
        there = kind.make_box(hull.push_back(laying.pose_after_order(pose, order, kind), sea, kind))
        x, y, sin, cos = (np.array([place]) for place in there[:4])
        if not many_shores.touches_land(
            sea, x, y, sin, cos, size=HullSizes(kind.half_length_mm, kind.half_width_mm)
        ).any():
            return order
    return wanted


def list_worth(galley: Galley, orders: Sequence[str], mine: HullTracks, foes: Sequence[HullTracks]) -> Floats:
    """The worth of each list of orders: about one for each oar or mast of damage to be expected."""
    fire = np.array([[letter == "X" for letter in order.ljust(SLOTS)] for order in orders])
    weights = np.array([weight for _, weight in ENEMY_GUESSES])
    met = [_Encounter(mine, foe) for foe in foes]
    first = np.minimum.reduce([meeting.first for meeting in met])
    total = np.zeros((len(orders), len(ENEMY_GUESSES)))
    for meeting in met:
        total += np.where(meeting.first == first, meeting.ram_balance(), 0.0)
    total += (np.maximum.reduce([meeting.volley_hits(galley.masts) for meeting in met]) * fire[:, :, None]).sum(axis=1)
    outlooks = [meeting.end_worth() for meeting in met]
    total += np.minimum.reduce(outlooks) if is_timid(galley) else np.maximum.reduce(outlooks)
    value = total @ weights
    value -= EDGE_WEIGHT * (mine.pushed_back[:, 1:] > 1.0).sum(axis=1)
    return np.asarray(value + mending_worth(galley) * np.array([order.startswith("ZZ") for order in orders]))


def is_clear(mine: HullTracks, friends: Sequence[HullTracks]) -> npt.NDArray[np.bool_]:
    """Which lists run neither into the table's edge nor near what friends might do."""
    free = (mine.pushed_back <= 1.0).all(axis=1)
    for friend in friends:
        free &= (_Encounter(mine, friend).spans.max(axis=0) >= CLEAR_OF_FRIENDS_MM).all(axis=(1, 2))
    return np.asarray(free)


class _Encounter:
    """One galley's lists against one other galley's guesses: arrays [list, step, guess]."""

    def __init__(self, mine: HullTracks, other: HullTracks) -> None:
        x, y, heading, self.run, _ = (column[:, :, None] for column in mine[:5])
        other_x, other_y, other_heading, self.other_run, _ = (column.T[None, :, :] for column in other[:5])
        self.heading, self.other_heading = heading, other_heading
        dx, dy = other_x - x, other_y - y
        sin, cos, other_sin, other_cos = np.sin(heading), np.cos(heading), np.sin(other_heading), np.cos(other_heading)
        self.distance = np.hypot(dx, dy)
        self.ahead, self.abeam = dx * sin + dy * cos, dx * cos - dy * sin
        self.other_ahead, self.other_abeam = -(dx * other_sin + dy * other_cos), dy * other_sin - dx * other_cos
        same, cross = np.abs(np.cos(heading - other_heading)), np.abs(np.sin(heading - other_heading))
        own, theirs = self.kind, self.other_kind = mine.kind, other.kind
        long, broad = theirs.half_length_mm, theirs.half_width_mm
        end = own.half_length_mm + long * same + broad * cross
        side = own.half_width_mm + long * cross + broad * same
        long, broad = own.half_length_mm, own.half_width_mm
        other_end = theirs.half_length_mm + long * same + broad * cross
        other_side = theirs.half_width_mm + long * cross + broad * same
        self.spans = np.stack(
            [
                np.abs(self.ahead) - end,
                np.abs(self.abeam) - side,
                np.abs(self.other_ahead) - other_end,
                np.abs(self.other_abeam) - other_side,
            ]
        )
        """How far the hulls are parted along and across mine, along and across the other's."""
        meets = self.spans.max(axis=0)[:, 1:] <= 0
        self.first = np.where(meets.any(axis=1), meets.argmax(axis=1) + 1, SLOTS + 1)
        """The step in which they meet, by list and guess."""

    def ram_balance(self) -> Floats:
        """Damage dealt less damage taken when they meet (MB-5.7 to 5.9), by list and guess."""
        met = np.nonzero(self.first <= SLOTS)
        at = self.first[met]

        def when(values: Floats, back: int = 0) -> Floats:
            return np.asarray(np.broadcast_to(values, self.distance.shape)[met[0], at - back, met[1]])

        axis = np.stack([when(span, 1) for span in self.spans]).argmax(axis=0)
        ahead, abeam = when(self.ahead, 1) > 0, when(self.abeam, 1) > 0
        other_ahead, other_abeam = when(self.other_ahead, 1) > 0, when(self.other_abeam, 1) > 0
        turned = np.rint(np.degrees(when(self.heading) - when(self.other_heading)) / 90.0).astype(np.int64)
        # Edges by quarter turns: bow 0, starboard 1, stern 2, port 3. The other's edge is the one most opposed.
        own = np.where(axis == 0, np.where(ahead, 0, 2), np.where(abeam, 1, 3))
        theirs = np.where(axis == 2, np.where(other_ahead, 0, 2), np.where(other_abeam, 1, 3))
        mine = np.where(axis < 2, own, (theirs - turned + 2) % 4)
        others = np.where(axis < 2, (own + turned + 2) % 4, theirs)
        dealt = np.where(mine == 0, _ram_damage(self.kind, others == 2, when(self.run)), 0.0)
        taken = np.where(others == 0, _ram_damage(self.other_kind, mine == 2, when(self.other_run)), 0.0)
        found = np.zeros(self.first.shape)
        found[met] = dealt - DAMAGE_TAKEN_WEIGHT * taken
        return found

    def volley_hits(self, masts: int) -> Floats:
        """Hits to be expected of a volley in each step (MB-6.2, 6.3), by list, step and guess."""
        step = np.arange(1, SLOTS + 1)[None, :, None]
        gap = np.where(step >= self.first[:, None, :], 0.0, self.spans.max(axis=0)[:, 1:])
        count = np.select(
            [gap <= MATCH_MM, gap <= 2 * MATCH_MM, gap <= RANGE_MM], [2 * masts, masts, (masts + 1) // 2], 0
        )
        count = count + (count > 0) * self.kind.has_tower
        abeam = np.abs(self.ahead[:, 1:]) <= self.kind.half_length_mm
        return np.asarray(count * np.where(abeam, HITS_ABEAM, HITS_AHEAD) * gunnery.broadside_factor(self.other_kind))

    def end_worth(self) -> Floats:
        """How well it lies after the round: near, facing the enemy, and not under its bow; by list and guess.

        Who can do the enemy no harm by lying there lies the better the farther off (`is_timid`).
        """
        distance = np.maximum(self.distance[:, -1], _MIN_DISTANCE_MM)
        facing, faced = self.ahead[:, -1] / distance, self.other_ahead[:, -1] / distance
        side_on = np.abs(np.sin(self.heading[:, -1] - self.other_heading[:, -1]))
        exposed = (faced > 0.9) & (side_on > 0.7) & (distance < 220.0)
        near = np.maximum(distance - 70.0, 0.0)
        if self.kind.bow == "none":
            return np.asarray(DISTANCE_WEIGHT * np.minimum(near, SAFE_DISTANCE_MM) - EXPOSED_WEIGHT * exposed)
        return np.asarray(FACING_WEIGHT * facing - DISTANCE_WEIGHT * near - EXPOSED_WEIGHT * exposed)


def _ram_damage(kind: VesselKind, stern: Bools, run: Floats) -> Floats:
    """What a bow of this kind deals, by whether it strikes a stern (MB-5.8, 5.9, MX-2.1)."""
    if kind.bow != "ram":
        return np.full(run.shape, _FIRE_SHIP_DAMAGE if kind.bow == "fire" else 0.0)
    return np.maximum(0.0, np.where(stern, 1.0, 2.0) + run + kind.ram_bonus)


def _shift_to_zero(values: Floats) -> Floats:
    return np.concatenate((np.zeros((len(values), 1)), values), axis=1)


def _clamp_to_table(values: Floats, reach: Floats, length: float) -> Floats:
    return np.asarray(np.clip(values, reach, length - reach))
