"""Simulation of thousands of rounds at once, for computer captains: like the rules, except for gunnery and melees.

Moves, contacts, rams, ranges and losses are those of `round.run_round`, which remains the reference. Expected hits of
volleys are summed (`foresight.expected_hits`) and do no damage within the round, unless hits are given. Melees are
expected values, too (`grapples`). Nothing is asked in the middle of a round, and no `ZZ` has a wish. Land stops,
damages and hides hulls (`many_shores`), but none is poled off (MX-1.12).

Arrays are indexed by [galley, round] unless stated otherwise. Galleys are in galley order, and pairs in the order of
`itertools.combinations`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import combinations, product
from typing import Final, Literal, NamedTuple

import numpy as np

from rules.core.blows import BlowSide
from rules.matchbox.ai import foresight, grapples, many_hulls, many_meetings, many_shores
from rules.matchbox.ai.many_hulls import GALLEY_SIZE, AxisIndex, Bools, Floats, HullBoxes, HullSizes, Ints
from rules.matchbox.ai.many_meetings import HullPaths, Neighbour, PathPairs
from rules.matchbox.engine import damage, hull, meeting, orders, shore
from rules.matchbox.engine.boarding import GRAPPLE_REACH_MM
from rules.matchbox.engine.contact import BASE_DAMAGE
from rules.matchbox.engine.deciding import EQUAL_GAP_MM
from rules.matchbox.engine.events import BLOCKED_MM
from rules.matchbox.engine.kinds import GALLEY, KINDS
from rules.matchbox.engine.movement import SAME_INSTANT, SAME_LANDFALL
from rules.matchbox.engine.pose import Pose
from rules.matchbox.engine.sea import Sea
from rules.matchbox.engine.stages import FIRE_SHIP_DAMAGE
from rules.matchbox.engine.state import MATCH_MM, SLOTS, Galley, OrderList, SinkRule
from rules.matchbox.engine.volley import MARKSMEN_RANGE_MM, RANGE_MM

ORDER_CODES: Final = ("", "F", "L", "R", "X", "Z1", "Z2", "G")  # `Z1`, `Z2`: the two steps of `ZZ`
_ROW, _LEFT, _RIGHT, _FIRE, _MOVE_ROWERS, _GRAPPLE = 1, 2, 3, 4, 6, 7  # indices in `ORDER_CODES`
NEAREST: Final = -1  # instead of a target's number: the nearest enemy
WEAKEST: Final = -2  # instead of a target's number: the weakest enemy in range
_FACINGS: Final[tuple[BlowSide, ...]] = ("port", "starboard", "either")  # in the numbering of `many_meetings`
_CASUALTIES: Final[tuple[Literal["seaworthy", "fighting"], ...]] = ("seaworthy", "fighting")  # by `prefers_masts`
_MAX_BLOW: Final = 8  # damage of one blow
_BASE_DAMAGE: Final = np.array([BASE_DAMAGE["frontal"], BASE_DAMAGE["rear"], BASE_DAMAGE["side"], BASE_DAMAGE["side"]])
"""Damage by the touched edge of the rammed hull (MB-5.8)."""
_FACING_BY_EDGE: Final = np.array([-1, -1, many_meetings.TO_STARBOARD, many_meetings.TO_PORT])
"""Facing side by the touched edge of the rammed hull; negative: it depends on the rammer's place (MB-5.12)."""


_FLEET_COLUMNS: Final = 9  # leading fields of `FleetTables` that are arrays [galley, table]


class FleetTables(NamedTuple):
    """The galleys on many tables, one for each simulated round. Arrays are indexed by [galley, table]."""

    x: Floats  # prows, in mm from the western edge
    y: Floats  # prows, in mm from the southern edge
    heading: Floats  # degrees, clockwise from north
    port: Ints  # port oars left
    starboard: Ints  # starboard oars left
    masts: Ints  # masts left
    holes: Ints  # oar holes on each side
    afloat: Bools  # false for sunk galleys, which stay in the arrays
    burning: Bools  # true for galleys on fire
    size: HullSizes = GALLEY_SIZE  # half lengths and half widths of hulls
    bow_danger: Floats | float = 1.0
    """Danger of each vessel's bow, from 0 (a merchant's, MX-2.6) to 1, [galley, 1]."""
    floats_lame: bool = False  # whether galleys with one side empty of oars float (MB-7.2)

    @property
    def varying_columns(self) -> tuple[Floats | Ints | Bools, ...]:
        return self[:_FLEET_COLUMNS]

    def repeat(self, rounds: int) -> FleetTables:
        """Return the first table, repeated for a number of rounds."""
        return FleetTables._make(
            (*(np.repeat(column[:, :1], rounds, axis=1) for column in self.varying_columns), *self[_FLEET_COLUMNS:])
        )

    def pick_rounds(self, rounds: AxisIndex) -> FleetTables:
        return FleetTables._make((*(column[:, rounds] for column in self.varying_columns), *self[_FLEET_COLUMNS:]))


class RoundSetup(NamedTuple):
    sea: Sea  # the table with its land
    is_north: tuple[bool, ...]  # whether each galley fights for the north
    target: Ints  # each galley's target, [galley, round or 1]: a galley's number, `NEAREST` or `WEAKEST`
    prefers_masts: Bools  # whether a galley gives up oars before masts, [galley, round or 1]
    allows_boarding: bool = False  # whether galleys may grapple
    galleys: tuple[Galley, ...] = ()
    """The galleys, which determine kinds and crews; empty: ordinary galleys without promotions."""

    @property
    def has_extra_rules(self) -> bool:
        """Whether any extra rule is in force, as far as it shows here (MX-0.4)."""
        return bool(self.allows_boarding or self.sea.land) or any(
            galley.vessel or galley.crew or galley.burning for galley in self.galleys
        )


class StepTrace(NamedTuple):
    prows: Floats  # x, y and heading after movement, [3, galley, round]
    new_contacts: Ints
    """New contacts, [pair, round]: 0 for none, else 1 + 4 × the first hull's touched edge + the second's.

    Edges are numbered as in `many_meetings.EDGES`.
    """
    matches: Ints  # matches in each galley's volley; 0: no volley
    target: Ints  # number of the galley that each galley fired at; 0 without a volley, too


class RoundsOutcome(NamedTuple):
    fleets: FleetTables  # all galleys after the round
    hits: Floats
    """Expected hits, not yet subtracted: [side of the hull (port, starboard), galley, round].

    With boarding, there are two more rows: expected losses of masts in melees, and the chance of capture.
    """
    steps: tuple[StepTrace, ...]  # empty unless traced
    beached: Bools  # true for galleys that ran bow first on to land in any step (MX-1.10), [galley, round]


def fleet_table(galleys: Sequence[Galley], sinks: SinkRule = "one_side") -> FleetTables:  # a single table
    rows = [
        (g.pose.x_mm, g.pose.y_mm, g.pose.heading_deg, g.port, g.starboard, g.masts, g.holes, True, g.burning)
        for g in galleys
    ]
    dtypes = (np.float64,) * 3 + (np.int64,) * 4 + (np.bool_,) * 2
    columns = zip(*rows, strict=True)
    arrays: list[Floats | Ints | Bools] = [
        np.array(column, dtype)[:, None] for column, dtype in zip(columns, dtypes, strict=True)
    ]
    return FleetTables._make((*arrays, _hull_sizes(galleys), _bow_danger(galleys), sinks == "both_sides"))


def _hull_sizes(galleys: Sequence[Galley]) -> HullSizes:
    # Only sizes that differ are arrays, [galley, 1], which makes ordinary battles faster.
    halves = [(galley.kind.half_length_mm, galley.kind.half_width_mm) for galley in galleys]
    return GALLEY_SIZE if {*halves} <= {GALLEY_SIZE} else HullSizes(*np.array(halves).T[:, :, None])


def _bow_danger(galleys: Sequence[Galley]) -> Floats | float:
    # An array, [galley, 1], only if some vessel has a harmless bow.
    dangers = [float(galley.kind.bow != "none") for galley in galleys]
    return np.array(dangers)[:, None] if min(dangers, default=1.0) < 1.0 else 1.0


def concatenate(tables: Sequence[FleetTables]) -> FleetTables:
    """Return all rounds of several tables, one after another."""
    columns = zip(*(table.varying_columns for table in tables), strict=True)
    return FleetTables._make((*(np.concatenate(column, axis=1) for column in columns), *tables[0][_FLEET_COLUMNS:]))


@cache
def order_numbers(order_letters: str) -> tuple[int, ...]:
    return tuple(map(ORDER_CODES.index, orders.step_orders(OrderList("", order_letters))))


def run_rounds(
    start: FleetTables, order_codes: Ints, setup: RoundSetup, *, forced_hits: Ints | None = None, traced: bool = False
) -> RoundsOutcome:
    """Simulate a round on every table. `order_codes` is [step, galley, round] with indices in `ORDER_CODES`.

    `forced_hits` gives the hits of each volley, [step, galley, round], instead of expected ones.
    """
    return _RoundsInProgress(start, order_codes, setup).run_round(forced_hits, traced=traced)


class _RoundsInProgress:
    def __init__(self, start: FleetTables, order_codes: Ints, setup: RoundSetup) -> None:
        self.setup = setup
        self.order_codes = order_codes  # indices in `ORDER_CODES`, [step, galley, round]
        kinds = {piece.kind for piece in setup.sea.land}
        self.islands = "island" in kinds  # whether land may hide galleys
        self.reefs = "reef" in kinds
        self.shores = bool(kinds - {"reef"})  # whether land may stop galleys
        self.aground: list[tuple[int, Ints, Ints, Ints]] = []
        """Galley, tables, damage and facing side of hulls damaged by land in this step."""
        self.beached: list[tuple[int, Ints]] = []  # galley and tables of hulls that ran aground in this step
        self.landfalls = np.zeros(order_codes.shape[1:], bool)  # hulls that ran aground in this round
        self.x, self.y, self.heading, port, starboard, masts, self.holes, afloat, burning, size, *_ = start
        self.start = start
        self.afloat, self.burning = afloat.copy(), burning.copy()
        self.alight = bool(burning.any())  # whether any galley burns or has burnt
        self.parts = np.stack((port, starboard, masts))
        """Remaining port oars, starboard oars and masts, [3, galley, round]."""
        self.galley_count = len(self.x)
        self.pairs = tuple(combinations(range(self.galley_count), 2))
        self.a = np.array([a for a, _ in self.pairs], np.int64)  # the first galley of each pair
        self.b = np.array([b for _, b in self.pairs], np.int64)  # the second galley of each pair
        self.runs = np.zeros(self.x.shape, np.int64)  # consecutive forward moves (MB-5.9)
        self.has_extra_rules = setup.has_extra_rules  # whether any extra rule is in force
        self.tried_to_move, self.moved = (np.zeros(self.x.shape, bool) for _ in range(2))
        """Galleys that carried out an `F`, `L` or `R`, and those that moved by one (MX-0.4)."""
        # Expected hits by side; with boarding, also expected losses of masts and chances of capture.
        self.hits = np.zeros((4 if setup.allows_boarding else 2, *self.x.shape))
        self.grapples: list[tuple[int, Ints, Ints]] = []  # boarders, their targets in this round, and the tables
        self.size = (  # half lengths and half widths
            HullSizes(*(np.broadcast_to(half, self.x.shape) for half in size)) if size.distinct_columns else GALLEY_SIZE
        )
        self.boxes = many_hulls.hull_boxes(self.x, self.y, self.heading, self.size)
        # Whether pairs are in contact, and their separation in mm, [pair, round].
        self.touching, self.separation = self._find_contacts()
        self.rate: Floats | float = meeting.MAX_RATE_MM  # how fast gaps of pairs may change, in mm a step
        self.curvature: Floats | float = meeting.MAX_CURVATURE_MM  # bound on the gaps' second derivative
        self.move_mm: Floats | float = MATCH_MM  # length of a forward move
        self.turn_deg: Floats | float = GALLEY.turn_deg  # angle of one turn
        self.reef_run: Floats | float = shore.REEF_RUN_BY_DRAUGHT["normal"]  # forward moves that a reef punishes
        self.ram_bonus = [0] * self.galley_count  # differences of ram damage from a galley's (MX-2.1, 4.5)
        self.bows = ["ram"] * self.galley_count  # the kind of each bow: `ram`, `fire` or `none`
        self.extra_matches: list[tuple[bool, bool]] = [(False, False)] * self.galley_count
        """Whether each drops a match more by a tower, and one near the enemy by marksmen (MX-2.5, 4.5)."""
        self.breadth = np.ones(self.galley_count)  # factor for hits on each galley: large hulls are hit more often
        self.boarding_bonus = [0] * self.galley_count  # additional matches of each in a melee (MX-4.5)
        if any(galley.vessel or galley.crew for galley in setup.galleys):
            self._note_vessel_kinds(setup.galleys)

    def _note_vessel_kinds(self, built: Sequence[Galley]) -> None:
        """Replace the values of ordinary galleys by those of each vessel's kind and crew."""
        self.move_mm = np.array([[galley.kind.move_mm] for galley in built])
        self.turn_deg = np.array([[galley.kind.turn_deg] for galley in built])
        self.reef_run = np.array([[many_shores.costly_reef_run(galley)] for galley in built])
        self.ram_bonus = [galley.kind.ram_bonus + ("r" in galley.crew) for galley in built]
        self.bows = [galley.kind.bow for galley in built]
        self.extra_matches = [(galley.kind.has_tower, "m" in galley.crew) for galley in built]
        self.breadth = np.array([foresight.broadside_factor(galley.kind) for galley in built])
        self.boarding_bonus = [int("b" in galley.crew) for galley in built]
        if self.size.distinct_columns:
            bounds = [meeting.rate_bounds(built[a].kind, built[b].kind) for a, b in self.pairs]
            self.rate, self.curvature = np.array(bounds).T

    def run_round(self, forced_hits: Ints | None, *, traced: bool) -> RoundsOutcome:
        """Carry out all steps and the end of a round, with `forced_hits` as in `run_rounds`, and return the result."""
        steps = []
        for step in range(SLOTS):
            actions = self._without_held(self.order_codes[step]) if self.grapples else self.order_codes[step]
            self._move_all(actions)
            prows = np.stack((self.x, self.y, self.heading)) if traced else None
            contacts_met = self._judge_contacts()
            hits_in_step = None if forced_hits is None else forced_hits[step]
            matches, target = self._drop_volleys(actions == _FIRE, hits_in_step)
            if self.setup.allows_boarding:
                self._grapple(actions == _GRAPPLE)
            self._reorganize(actions == _MOVE_ROWERS)
            if prows is not None:
                steps.append(StepTrace(prows, contacts_met, matches, target))
        self._burn_all()
        self._back_off()
        end = FleetTables(
            np.round(self.x, 3),
            np.round(self.y, 3),
            np.round(self.heading, 3) % 360,
            self.parts[0],
            self.parts[1],
            self.parts[2],
            self.holes,
            self.afloat,
            self.burning & self.afloat,
            *self.start[_FLEET_COLUMNS:],
        )
        return RoundsOutcome(end, self.hits, tuple(steps), self.landfalls)

    # --- movement ----------------------------------------------------------------------------------------------------

    def _move_all(self, actions: Ints) -> None:
        """Move all galleys by their orders until they are stopped, and note groundings (MB-5.2 to 5.5)."""
        can_move = self.afloat & (self.parts[:2] > 0).all(axis=0) if self.start.floats_lame else self.afloat
        forward = (actions == _ROW) & can_move
        turn = self.turn_deg * ((actions == _RIGHT).astype(np.float64) - (actions == _LEFT)) * can_move
        paths, is_still = self._planned_paths(forward, turn)
        fraction = self._stop_fractions(paths, ~is_still)
        x, y = self.x + fraction * paths.dx, self.y + fraction * paths.dy
        heading = (self.heading + fraction * turn) % 360.0
        is_swung = paths.may_swing_over_edge & (fraction > 0.0) & (fraction < 1.0)
        if is_swung.any():
            swung_boxes = many_hulls.hull_boxes(x, y, heading, self.size)
            push_x, push_y = many_hulls.edge_pushes(swung_boxes, self.setup.sea)
            x, y = x + is_swung * push_x, y + is_swung * push_y
        old_boxes, old_x, old_y = self.boxes, self.x, self.y
        runs_before = self.runs
        # A galley that hardly gets ahead counts as blocked.
        is_gaining = np.hypot(paths.dx, paths.dy) * fraction >= BLOCKED_MM - hull.LENGTH_TOLERANCE_MM
        self.runs = np.where(forward & is_gaining, self.runs + 1, 0)
        self.x, self.y, self.heading = np.round(x, 6), np.round(y, 6), np.round(heading, 6) % 360.0
        self.boxes = many_hulls.hull_boxes(self.x, self.y, self.heading, self.size)
        if self.has_extra_rules:
            self.tried_to_move |= forward | (turn != 0.0)
            self.moved |= np.hypot(self.x - old_x, self.y - old_y) >= BLOCKED_MM - hull.LENGTH_TOLERANCE_MM
        if self.shores or self.reefs:
            self._judge_groundings(forward & ~is_still, forward & is_gaining, old_boxes, runs_before)

    def _planned_paths(self, forward: Bools, turn: Floats) -> tuple[HullPaths, Bools]:
        """Return each galley's way if only the table's edge is in the way, and which galleys stay in place."""
        turns = turn != 0.0
        ahead_x, ahead_y = self.boxes.ux, self.boxes.uy
        if turns.any():
            angle = np.radians((self.heading + turn) % 360.0)
            ahead_x, ahead_y = np.where(turns, np.sin(angle), ahead_x), np.where(turns, np.cos(angle), ahead_y)
        distance = self.move_mm * (forward | turns)
        dx, dy = distance * ahead_x, distance * ahead_y
        half = self.size.half_length
        boxes_after = HullBoxes(self.x + dx - half * ahead_x, self.y + dy - half * ahead_y, ahead_x, ahead_y, self.size)
        # A galley without a move is pushed back, too, if rounding has put it over the edge.
        push_x, push_y = many_hulls.edge_pushes(boxes_after, self.setup.sea)
        dx, dy = dx + push_x, dy + push_y
        is_still = ~turns & (np.hypot(dx, dy) <= hull.LENGTH_TOLERANCE_MM) | ~self.afloat
        dx, dy = np.where(is_still, 0.0, dx), np.where(is_still, 0.0, dy)
        swings = turns & self._may_cross_edge(dx, dy)
        return HullPaths(self.x, self.y, self.heading, dx, dy, turn, swings, self.size), is_still

    def _judge_groundings(self, rowed: Bools, gained: Bools, old_boxes: HullBoxes, old_runs: Ints) -> None:
        """Note groundings of galleys that `rowed` forward, and reefs met by those that `gained` way (MX-1.10, 1.15)."""
        sea = self.setup.sea
        self.aground, self.beached = [], []
        if self.shores and rowed.any():
            for galley in range(self.galley_count):
                tables = np.flatnonzero(rowed[galley])
                groundings = many_shores.new_groundings(
                    old_boxes.pick_rows(galley, tables), self.boxes.pick_rows(galley, tables), sea
                )
                tables = tables[groundings.hull_numbers]
                self.aground.append((galley, tables, old_runs[galley, tables], groundings.facing))
                self.beached.append((galley, tables))
                self.landfalls[galley, tables] = True
        too_fast = gained & (self.runs >= self.reef_run)
        if self.reefs and too_fast.any():
            for galley in range(self.galley_count):
                tables = np.flatnonzero(too_fast[galley])
                tables = tables[many_shores.meets_reef(self.boxes.pick_rows(galley, tables), sea)]
                self.aground.append((galley, tables, np.ones_like(tables), np.full_like(tables, many_meetings.EITHER)))

    def _may_cross_edge(self, dx: Floats, dy: Floats) -> Bools:
        """Return which prows come so near to an edge of the table that a corner might swing over it."""
        reach = self.size.prow_reach_mm
        width, height = self.setup.sea.width_mm, self.setup.sea.height_mm
        low_x, high_x = self.x + np.minimum(dx, 0.0), self.x + np.maximum(dx, 0.0)
        low_y, high_y = self.y + np.minimum(dy, 0.0), self.y + np.maximum(dy, 0.0)
        return np.asarray((np.minimum(low_x, low_y) < reach) | (high_x > width - reach) | (high_y > height - reach))

    def _stop_fractions(self, paths: HullPaths, moving: Bools) -> Floats:
        """Return the part of its move, from 0 to 1, after which land or another hull stops each galley."""
        fractions = np.ones(self.x.shape)
        landfall = many_shores.stop_fractions(paths, moving, self.setup.sea) if self.shores else None
        has_landfall = landfall is not None and bool(np.isfinite(landfall).any())
        may_meet = (moving[self.a] | moving[self.b]) & self.afloat[self.a] & self.afloat[self.b]
        pair, tables = np.nonzero(may_meet)
        meets_at = np.full(may_meet.shape, np.inf)  # fraction of the step, [pair, round]
        meets_at[pair, tables] = self._first_overlap(paths, pair, tables, np.zeros(len(tables)))
        if self.galley_count == 2 and not has_landfall:  # the only meeting ends both moves
            np.minimum(fractions, meets_at[0], out=fractions)
            return np.where(moving, fractions, 1.0)
        stops = meets_at if landfall is None else np.concatenate((meets_at, landfall))
        rows = np.flatnonzero(np.isfinite(stops).any(axis=0))  # tables on which anything stops
        if not len(rows):
            return fractions
        paths_now = paths.pick_rows(slice(None), rows)  # stopped galleys stay where they are
        meets_at, moving, afloat = meets_at[:, rows], moving[:, rows].copy(), self.afloat[:, rows]
        both_afloat = afloat[self.a] & afloat[self.b]
        lands_at = np.full(moving.shape, np.inf) if landfall is None else landfall[:, rows]
        # Each turn of the loop carries out the next stop on every table, as in `movement.move_all`.
        for _ in range(self.galley_count):
            now = np.minimum(meets_at.min(axis=0), lands_at.min(axis=0))  # the next stop on each table
            has_stop = np.isfinite(now)
            if not has_stop.any():
                break
            is_stopping = (lands_at <= now + SAME_LANDFALL) & has_stop
            pairs_meeting = (meets_at <= now + SAME_INSTANT) & has_stop & ~is_stopping.any(axis=0)
            for k, (a, b) in enumerate(self.pairs):
                is_stopping[a] |= pairs_meeting[k]
                is_stopping[b] |= pairs_meeting[k]
            newly_stopped = is_stopping & moving
            moving &= ~is_stopping
            fractions[:, rows] = np.where(newly_stopped, now, fractions[:, rows])
            boxes_now = paths_now.boxes_at(np.where(newly_stopped, now, 0.0), self.setup.sea)
            heading_now = (paths_now.heading + np.where(has_stop, now, 0.0) * paths_now.turn) % 360.0
            half_length = boxes_now.size.half_length
            paths_now = HullPaths(
                np.where(newly_stopped, boxes_now.x + half_length * boxes_now.ux, paths_now.x),
                np.where(newly_stopped, boxes_now.y + half_length * boxes_now.uy, paths_now.y),
                np.where(newly_stopped, heading_now, paths_now.heading),
                np.where(newly_stopped, 0.0, paths_now.dx),
                np.where(newly_stopped, 0.0, paths_now.dy),
                np.where(newly_stopped, 0.0, paths_now.turn),
                paths_now.may_swing_over_edge & ~newly_stopped,
                paths_now.size,
            )
            stops_a, stops_b = is_stopping[self.a], is_stopping[self.b]
            meets_at = np.where(stops_a | stops_b, np.inf, meets_at)
            lands_at = np.where(is_stopping, np.inf, lands_at)
            # A galley still moving may meet one that has just stopped.
            pair, tables = np.nonzero(both_afloat & (stops_a != stops_b) & (moving[self.a] | moving[self.b]))
            if len(tables):
                meets_at[pair, tables] = self._first_overlap(paths_now, pair, tables, now[tables], rows)
        return fractions

    def _first_overlap(
        self, paths: HullPaths, pair: Ints, tables: Ints, since: Floats, rows: Ints | None = None
    ) -> Floats:
        """Return when each pair meets. With `rows`, `paths` and `tables` count only these tables."""
        where = pair, tables if rows is None else rows[tables]
        stop_gap, min_gap = many_meetings.gap_limits(self.touching[where], self.separation[where])
        a, b = paths.pick_rows(self.a[pair], tables), paths.pick_rows(self.b[pair], tables)
        bounds = (many_hulls.pick_rows(bound, pair) for bound in (self.rate, self.curvature))
        return many_meetings.first_overlap(PathPairs(a, b, stop_gap, min_gap, self.setup.sea, *bounds), since)

    # --- contact -----------------------------------------------------------------------------------------------------

    def _find_contacts(self) -> tuple[Bools, Floats]:
        """Return which pairs are in contact (MB-5.6), and their separation in mm, [pair, round]."""
        a, b = self.boxes.pick_rows(self.a), self.boxes.pick_rows(self.b)
        separation = many_hulls.pair_separation(many_hulls.pair_bearings(a, b))
        touching = (
            (separation <= hull.CONTACT_MM + hull.LENGTH_TOLERANCE_MM) & self.afloat[self.a] & self.afloat[self.b]
        )
        where = np.nonzero(touching)
        if len(where[0]):  # the exact gap is needed only for pairs that are near
            gaps = many_hulls.pair_gap(a.pick_rows(*where), b.pick_rows(*where))
            touching[where] = gaps <= hull.CONTACT_MM + hull.LENGTH_TOLERANCE_MM
        return touching, separation

    def _judge_contacts(self) -> Ints:
        """Deal the damage of new contacts and groundings (MB-5.6 to 5.12). Return contacts as in `StepTrace`."""
        touching_before = self.touching
        self.touching, self.separation = self._find_contacts()
        new = self.touching & ~touching_before
        contacts_met = np.zeros(new.shape, np.int64)
        if not (new.any() or self.aground):
            return contacts_met
        blows = []  # rammed or grounded galley, tables, damage, facing side
        fires: list[tuple[int, int, Ints, Ints]] = []  # fire ship, galley struck, tables, facing side
        runs = self.runs.copy()
        for pair in np.flatnonzero(new.any(axis=1)).tolist():
            (a, b), tables = self.pairs[pair], np.flatnonzero(new[pair])
            edge_a, edge_b = self._touched_edges(pair, tables)
            contacts_met[pair, tables] = 1 + 4 * edge_a + edge_b
            for rammer, rammed, own_edge, other_edge in ((a, b, edge_a, edge_b), (b, a, edge_b, edge_a)):
                rams = own_edge == many_meetings.BOW
                if rams.any() and self.bows[rammer] != "none":
                    ram_tables, edge = tables[rams], other_edge[rams]
                    visible_side = many_meetings.facing_sides(
                        self.boxes.pick_rows(rammed, ram_tables), self.boxes.pick_rows(rammer, ram_tables)
                    )
                    edge_facing = _FACING_BY_EDGE[edge]
                    facing = np.where(edge_facing < 0, visible_side, edge_facing)
                    if self.bows[rammer] == "fire":
                        fires.append((rammer, rammed, ram_tables, facing))
                        continue
                    amounts = _BASE_DAMAGE[edge] + runs[rammer, ram_tables] + self.ram_bonus[rammer]
                    blows.append((rammed, ram_tables, np.clip(amounts, 0, _MAX_BLOW), facing))
            self.runs[a, tables] = self.runs[b, tables] = 0
        for galley, tables, amounts, facing in self.aground:
            blows.append((galley, tables[amounts > 0], amounts[amounts > 0], facing[amounts > 0]))
        for galley, tables in self.beached:
            self.runs[galley, tables] = 0
        self.aground, self.beached = [], []
        for galley, tables, amounts, facing in blows:
            self._deal_damage(galley, tables, amounts, facing)
        self._light_fires(fires)
        self._remove_sunk()
        return contacts_met

    def _light_fires(self, fires: Sequence[tuple[int, int, Ints, Ints]]) -> None:
        """Deal fire ships' damage, light the hulls they struck, and take the fire ships' oars (MX-2.7)."""
        for _, struck, tables, facing in fires:
            self._deal_damage(struck, tables, np.full_like(tables, FIRE_SHIP_DAMAGE), facing)
            self.burning[struck, tables] = self.alight = True
        for fire_ship, _, tables, _ in fires:
            self.parts[:2, fire_ship, tables] = 0  # which sinks it

    def _burn_all(self) -> None:  # MX-2.8
        if not self.alight:
            return
        for galley in range(self.galley_count):
            tables = np.flatnonzero(self.burning[galley] & self.afloat[galley])
            self._deal_damage(galley, tables, np.ones_like(tables), np.full_like(tables, many_meetings.EITHER))
        self._remove_sunk()

    def _touched_edges(self, pair: int, tables: Ints) -> tuple[Ints, Ints]:
        """Return which edges of a pair touch on these tables (MB-5.7)."""
        a, b = self.pairs[pair]
        turned = self.heading[b, tables] - self.heading[a, tables]
        return many_meetings.touched_edges(self.boxes.pick_rows(a, tables), self.boxes.pick_rows(b, tables), turned)

    # --- damage ------------------------------------------------------------------------------------------------------

    def _deal_damage(self, galley: int, tables: Ints, amounts: Ints, facing: Ints) -> None:
        """Deal a galley one blow on each of these tables (MB-7.1), except where it has been sunk already."""
        is_afloat = self._can_float(self.parts[:2, galley, tables])
        tables, amounts, facing = tables[is_afloat], amounts[is_afloat], facing[is_afloat]
        prefers_masts = np.broadcast_to(self.setup.prefers_masts, self.x.shape)[galley, tables].astype(np.int64)
        port, starboard, masts = self.parts[:, galley, tables]
        self.parts[:, galley, tables] = _loss_table()[:, prefers_masts, facing, amounts, port, starboard, masts]

    def _can_float(self, oars: Ints) -> Bools:
        """Return which galleys have oars enough to float (MB-7.2). `oars` are port and starboard, [2, ...]."""
        has_oars = oars > 0
        return np.asarray(has_oars.any(axis=0) if self.start.floats_lame else has_oars.all(axis=0))

    def _remove_sunk(self) -> None:  # MB-7.2
        self.afloat &= self._can_float(self.parts[:2])
        is_sunk = ~self.afloat
        self.touching &= ~(is_sunk[self.a] | is_sunk[self.b])

    def _reorganize(self, reorganizes: Bools) -> None:
        """Share the oars evenly between the sides of these galleys (MB-7.3), or put out their fire (MX-2.8)."""
        reorganizes = reorganizes & self.afloat
        if self.alight:
            puts_out = reorganizes & self.burning
            self.burning, reorganizes = self.burning & ~puts_out, reorganizes & ~puts_out
        port, starboard, _ = self.parts
        oars = port + starboard
        reorganizes = reorganizes & (oars > 1)
        if not reorganizes.any():
            return
        even_port = oars // 2 + np.where(port > starboard, oars % 2, 0)  # an odd oar stays on the stronger side
        new_port = np.clip(even_port, np.maximum(1, oars - self.holes), np.minimum(self.holes, oars - 1))
        self.parts[0] = np.where(reorganizes, new_port, port)
        self.parts[1] = np.where(reorganizes, oars - new_port, starboard)

    # --- fire --------------------------------------------------------------------------------------------------------

    def _drop_volleys(self, firing: Bools, forced_hits: Ints | None) -> tuple[Ints, Ints]:
        """Fire, add expected hits or deal forced ones, and return the matches and target of each galley (MB-6)."""
        matches = np.zeros(self.x.shape, np.int64)
        target = np.zeros(self.x.shape, np.int64)
        firing = firing & self.afloat & (self.parts[2] > 0)
        blows = []  # targets, tables, hits, facing sides
        for own in np.flatnonzero(firing.any(axis=1)).tolist():
            tables = np.flatnonzero(firing[own])
            enemies = self._enemies_of(own)
            targets, gap = self._choose_targets(own, tables, self._visible_gaps(own, tables, enemies), enemies)
            reached = np.isfinite(gap)
            tables, targets, gap = tables[reached], targets[reached], gap[reached]
            if not len(tables):
                continue
            volley = self._volley_sizes(own, tables, gap)
            matches[own, tables], target[own, tables] = volley, targets
            own_hulls, enemy_hulls = self.boxes.pick_rows(own, tables), self.boxes.pick_rows(targets, tables)
            facing = many_meetings.facing_sides(enemy_hulls, own_hulls)
            if forced_hits is not None:
                blows.append((targets, tables, forced_hits[own, tables], facing))
                continue
            ahead = (enemy_hulls.x - own_hulls.x) * own_hulls.ux + (enemy_hulls.y - own_hulls.y) * own_hulls.uy
            abeam = np.abs(ahead) <= own_hulls.size.half_length + hull.LENGTH_TOLERANCE_MM
            port, starboard, _ = self.parts[:, targets, tables]
            # Fore or aft, the side with more oars counts as hit.
            side = np.where(facing == many_meetings.EITHER, port < starboard, facing).astype(np.int64)
            np.add.at(self.hits, (side, targets, tables), foresight.expected_hits(volley, abeam, self.breadth[targets]))
        for targets, tables, amounts, facing in blows:
            is_hit = amounts > 0
            self._deal_each(targets[is_hit], tables[is_hit], amounts[is_hit], facing[is_hit])
        if blows:
            self._remove_sunk()
        return matches, target

    def _enemies_of(self, own: int) -> list[int]:
        return [
            galley for galley in range(self.galley_count) if self.setup.is_north[galley] != self.setup.is_north[own]
        ]

    def _volley_sizes(self, own: int, tables: Ints, gap: Floats) -> Ints:
        """Return how many matches a galley drops over a gap in mm on each table (MB-6.3, MX-2.5, 4.5)."""
        masts = self.parts[2, own, tables]
        tower, marksmen = self.extra_matches[own]
        volley = np.where(gap <= MATCH_MM, 2 * masts, np.where(gap <= 2 * MATCH_MM, masts, (masts + 1) // 2))
        return np.asarray(volley + tower + marksmen * (gap <= MARKSMEN_RANGE_MM))

    def _enemy_gaps(self, own: int, tables: Ints, foes: Sequence[int]) -> Floats:
        """Return gaps to enemies in mm, [enemy, table], infinite out of range or if sunk (MB-6.3)."""
        own_hulls = self.boxes.pick_rows(own, tables)
        gaps = np.full((len(foes), len(tables)), np.inf)
        for k, foe in enumerate(foes):
            enemy_hulls = self.boxes.pick_rows(foe, tables)
            reach = own_hulls.size.reach_mm + enemy_hulls.size.reach_mm
            distance = np.hypot(enemy_hulls.x - own_hulls.x, enemy_hulls.y - own_hulls.y)
            near_rows = np.flatnonzero(self.afloat[foe, tables] & (distance < RANGE_MM + reach + 1))
            if len(near_rows):
                gaps[k, near_rows] = np.round(
                    many_hulls.pair_gap(own_hulls.pick_rows(near_rows), enemy_hulls.pick_rows(near_rows)), 3
                )
        gaps[gaps > RANGE_MM] = np.inf
        return gaps

    def _visible_gaps(self, own: int, tables: Ints, foes: Sequence[int]) -> Floats:
        """Return gaps to enemies in sight, else infinite. Towers see and are seen (MX-1.13, 2.5)."""
        gaps = self._enemy_gaps(own, tables, foes)
        has_tower = [tower for tower, _ in self.extra_matches]  # by galley
        if has_tower[own] or not self.islands:
            return gaps
        for k, foe in enumerate(foes):
            rows_in_range = np.flatnonzero(np.isfinite(gaps[k]))
            if len(rows_in_range) and not has_tower[foe]:
                own_hulls = self.boxes.pick_rows(own, tables[rows_in_range])
                enemy_hulls = self.boxes.pick_rows(foe, tables[rows_in_range])
                gaps[k, rows_in_range[many_shores.is_hidden(self.setup.sea, own_hulls, enemy_hulls)]] = np.inf
        return gaps

    def _grapple_gaps(self, own: int, tables: Ints, foes: Sequence[int]) -> Floats:
        """Return gaps to enemies that can be grappled, else infinite (MX-3.2)."""
        gaps = self._enemy_gaps(own, tables, foes)
        gaps[gaps > GRAPPLE_REACH_MM] = np.inf
        for k, foe in enumerate(foes):
            gaps[k, self.burning[foe, tables]] = np.inf
            if not self.shores:
                continue
            rows_in_reach = np.flatnonzero(np.isfinite(gaps[k]))
            if len(rows_in_reach):
                own_hulls = self.boxes.pick_rows(own, tables[rows_in_reach])
                enemy_hulls = self.boxes.pick_rows(foe, tables[rows_in_reach])
                gaps[k, rows_in_reach[many_shores.is_grapple_barred(self.setup.sea, own_hulls, enemy_hulls)]] = np.inf
        return gaps

    def _choose_targets(self, own: int, tables: Ints, gaps: Floats, foes: Sequence[int]) -> tuple[Ints, Floats]:
        """Return the target by standing orders and its gap in mm, infinite if there is none (MB-6.1, MB-6.2)."""
        if len(foes) == 1:
            return np.full(len(tables), foes[0]), gaps[0]
        preferred = np.broadcast_to(self.setup.target, self.x.shape)[own, tables]
        rank = np.where(gaps < EQUAL_GAP_MM, 0.0, gaps)  # the enemy with the lowest is chosen, usually the nearest
        prefers_weakest = preferred == WEAKEST
        if prefers_weakest.any():
            # The factors make the weaker side's oars decide first, then all oars and masts, then the gap.
            port, starboard, masts = self.parts[:, foes][:, :, tables]
            strength = 1e6 * np.minimum(port, starboard) + 1e4 * (port + starboard + masts)
            rank = np.where(prefers_weakest, strength + rank, rank)
        is_ordered_target = (np.array(foes)[:, None] == preferred) & np.isfinite(gaps)
        rank = np.where(is_ordered_target, -1.0, rank)
        best = rank.argmin(axis=0)
        return np.array(foes)[best], gaps[best, np.arange(len(tables))]

    def _deal_each(self, targets: Ints, tables: Ints, amounts: Ints, facing: Ints) -> None:  # one blow a row
        for galley in np.unique(targets).tolist():
            is_struck = targets == galley
            self._deal_damage(galley, tables[is_struck], amounts[is_struck], facing[is_struck])

    # --- boarding ----------------------------------------------------------------------------------------------------

    def _without_held(self, actions: Ints) -> Ints:  # actions without moves of held galleys (MX-3.3)
        is_held = np.zeros(self.x.shape, bool)
        for own, targets, tables in self.grapples:
            both_afloat = self.afloat[own, tables] & self.afloat[targets, tables]
            is_held[own, tables[both_afloat]] = is_held[targets[both_afloat], tables[both_afloat]] = True
        return np.where(is_held & (actions >= _ROW) & (actions <= _RIGHT), 0, actions)

    def _grapple(self, ordered: Bools) -> None:
        """Let galleys grapple, and add the expected results of melees to `hits` (MX-3.2 to 3.7)."""
        boards = ordered & self.afloat & (self.parts[2] > 0) & ~self.burning
        target_of = np.full(self.x.shape, -1)  # -1: grapples nobody
        for own in np.flatnonzero(boards.any(axis=1)).tolist():
            tables = np.flatnonzero(boards[own])
            enemies = self._enemies_of(own)
            targets, gap = self._choose_targets(own, tables, self._grapple_gaps(own, tables, enemies), enemies)
            in_reach = np.isfinite(gap)
            target_of[own, tables[in_reach]] = targets[in_reach]
        masts = np.maximum(np.rint(self.parts[2] - self.hits[2]), 0).astype(np.int64)
        for own in np.flatnonzero((target_of >= 0).any(axis=1)).tolist():
            tables = np.flatnonzero(target_of[own] >= 0)
            targets = target_of[own, tables]
            self.grapples.append((own, targets, tables))
            is_mutual = target_of[targets, tables] == own
            for enemy in np.unique(targets).tolist():
                is_met = targets == enemy
                self._expect_melee(own, enemy, tables[is_met & ~is_mutual], masts, both=False)
                if own < enemy:  # a mutual melee counts once
                    self._expect_melee(own, enemy, tables[is_met & is_mutual], masts, both=True)

    def _expect_melee(self, own: int, enemy: int, tables: Ints, masts: Ints, *, both: bool) -> None:
        """Add expected losses of masts (`hits[2]`) and chances of capture (`hits[3]`) from one melee."""
        odds = grapples.melee_odds(both=both, more=(self.boarding_bonus[own], self.boarding_bonus[enemy]))
        masts_of_both = masts[own, tables], masts[enemy, tables]
        self.hits[2, own, tables] += odds.own_losses[masts_of_both]
        self.hits[2, enemy, tables] += odds.enemy_losses[masts_of_both]
        self.hits[3, enemy, tables] += (1.0 - self.hits[3, enemy, tables]) * odds.capture_chance[masts_of_both]
        self.hits[3, own, tables] += (1.0 - self.hits[3, own, tables]) * odds.captured_chance[masts_of_both]

    # --- backing off -------------------------------------------------------------------------------------------------

    def _back_off(self) -> None:
        """Move galleys astern that touch something with their bows or were blocked (MB-5.13, MX-0.4, 1.11)."""
        touching, _ = self._find_contacts()
        if not (touching.any() or self.shores or (self.tried_to_move & ~self.moved).any()):
            return
        self.x, self.y = self.x.copy(), self.y.copy()
        must_back = np.zeros(self.x.shape, bool)
        for k in np.flatnonzero(touching.any(axis=1)).tolist():
            (a, b), tables = self.pairs[k], np.flatnonzero(touching[k])
            edge_a, edge_b = self._touched_edges(k, tables)
            must_back[a, tables] |= edge_a == many_meetings.BOW
            must_back[b, tables] |= edge_b == many_meetings.BOW
        if self.shores:
            for galley in range(self.galley_count):
                must_back[galley, many_shores.with_land_at_bow(self.boxes.pick_rows(galley), self.setup.sea)] = True
        must_back |= self.tried_to_move & ~self.moved
        must_back &= self.afloat
        for galley in np.flatnonzero(must_back.any(axis=1)).tolist():
            tables = np.flatnonzero(must_back[galley])
            hulls = self.boxes.pick_rows(galley, tables)
            pairs_of_galley = [(k, b if galley == a else a) for k, (a, b) in enumerate(self.pairs) if galley in (a, b)]
            neighbours = [
                Neighbour(self.boxes.pick_rows(other, tables), touching[k, tables], self.afloat[other, tables])
                for k, other in pairs_of_galley
            ]
            distance = many_meetings.backing_room(hulls, neighbours, self.setup.sea)
            if self.shores:
                distance = many_shores.backing_room(hulls, distance, self.setup.sea)
            self.x[galley, tables] -= distance * hulls.ux
            self.y[galley, tables] -= distance * hulls.uy
            self.boxes.x[galley, tables] -= distance * hulls.ux
            self.boxes.y[galley, tables] -= distance * hulls.uy


@cache
def _loss_table() -> Ints:
    """Return a table of what is left of a galley after a blow (MB-7.1), so that many blows are one look-up.

    Indices: what is left (port oars, starboard oars, masts), `prefers_masts`, facing side, size of the blow, and what
    the galley had before: port oars, starboard oars, masts.
    """
    oars = max(max(kind.masts_by_holes) for kind in KINDS.values()) + 1
    masts = max(max(kind.masts_by_holes.values()) for kind in KINDS.values()) + 1
    left = np.zeros((3, 2, 3, _MAX_BLOW + 1, oars, oars, masts), np.int64)
    left[:, :, :, 0] = np.indices((oars, oars, masts))[:, None, None]
    for port, starboard, mast in np.ndindex(oars, oars, masts):
        if not (port or starboard):
            continue
        galley = Galley(
            id="",
            seat=0,
            side="south",
            holes=oars,
            port=port,
            starboard=starboard,
            masts=mast,
            pose=Pose(0.0, 0.0, 0.0),
        )
        for side, blow in product(range(len(_FACINGS)), range(1, _MAX_BLOW + 1)):
            options = damage.legal_splits(galley, blow, _FACINGS[side])
            for prefers_masts, casualties in enumerate(_CASUALTIES if options else ()):
                after = damage.apply_loss(galley, damage.choose_split(options, galley, casualties))
                left[:, prefers_masts, side, blow, port, starboard, mast] = after.port, after.starboard, after.masts
    left.setflags(write=False)
    return left
