"""Meetings of hulls that turn at the table's edge, of one pair and of many (MB-5.3 to 5.5)."""

import math
import random
from itertools import product

import numpy as np
import pytest

from rules.geometry import boxes as geometry
from rules.matchbox.ai import many_hulls, many_meetings
from rules.matchbox.ai.many_meetings import HullPaths, PathPairs
from rules.matchbox.engine import hull
from rules.matchbox.engine.kinds import GALLEY
from rules.matchbox.engine.meeting import FREE_LIMITS, MAX_CURVATURE_MM, find_meeting
from rules.matchbox.engine.path import Path, path_of_order
from rules.matchbox.engine.pose import Pose
from rules.matchbox.engine.sea import Sea
from tests.rules.matchbox.sea_room import TABLE

SLIDING = (Pose(510.287, 3.28, 190.801), "L"), (Pose(485.173, 28.428, 140.209), "")
"""A hull that turns along the edge, within a millimetre of another for a third of the step."""
KITCHEN = Sea(1200.0, 800.0)


def at_the_edge(rng: random.Random) -> Pose:
    heading = rng.choice((rng.uniform(0, 360), 30.0 * rng.randrange(12)))
    pose = Pose(rng.uniform(0, rng.choice((30, 150))), rng.uniform(0, 120), heading)
    return hull.round_pose(hull.push_back(pose, TABLE))


def ways(rng: random.Random, count: int) -> list[tuple[Path, Path]]:
    """Return pairs of ways near each other at a corner of the table; at least one of each pair turns."""
    pairs: list[tuple[Path, Path]] = []
    while len(pairs) < count:
        a, b = at_the_edge(rng), at_the_edge(rng)
        if 0 <= geometry.separation(GALLEY.make_box(a), GALLEY.make_box(b)) < 80:
            orders = rng.choice([pair for pair in product("FLR", ("F", "L", "R", "")) if pair != ("F", "F")])
            both = [path_of_order(pose, order, TABLE) for pose, order in zip((a, b), orders, strict=True)]
            pairs.append((both[0], both[1]))
    return pairs


def columns(of: list[Path]) -> HullPaths:
    rows = [
        (
            path.start.x_mm,
            path.start.y_mm,
            path.start.heading_deg,
            path.end.x_mm - path.start.x_mm,
            path.end.y_mm - path.start.y_mm,
            path.turn_deg,
        )
        for path in of
    ]
    return HullPaths(*np.array(rows).T, np.array([each.sea is not None for each in of]))  # type: ignore[call-arg]


def many(of: list[tuple[Path, Path]], table: Sea = TABLE) -> PathPairs:
    return PathPairs(columns([a for a, _ in of]), columns([b for _, b in of]), *free(len(of)), table)


def free(count: int) -> tuple[np.ndarray, np.ndarray]:
    return np.full(count, FREE_LIMITS.stop_gap), np.full(count, FREE_LIMITS.min_gap)


@pytest.mark.slow
def test_at_the_edge_one_pair_and_many_meet_at_the_same_instants():
    of = ways(random.Random(1), 1500)
    one_by_one = [math.inf if (t := find_meeting(a, b)) is None else t for a, b in of]
    assert many_meetings.first_overlap(many(of), np.zeros(len(of))) == pytest.approx(one_by_one, abs=1e-9)
    assert 100 < sum(math.isfinite(t) for t in one_by_one) < 1400


@pytest.mark.slow
def test_where_a_way_says_it_has_no_kink_it_bends_no_more_than_the_searches_rely_on():
    of = [pair for pair in ways(random.Random(2), 4000) if pair[0].sea or pair[1].sea]
    pairs, rng, said = many(of), np.random.default_rng(2), 0
    for width in (0.004, 0.05, 0.2):
        low = rng.uniform(0, 1 - width, len(of))
        smooth = pairs.is_smooth(low, low + width)
        said += int(smooth.sum())
        assert [
            a.is_smooth(*span) and b.is_smooth(*span)
            for (a, b), span in zip(of, zip(low, low + width, strict=True), strict=True)
        ] == smooth.tolist()
        at = [many_hulls.edge_gaps(pairs.bearings_at(low + part * width)) for part in np.linspace(0, 1, 41)]
        for begin, between, end in zip(at, at[1:], at[2:], strict=False):
            bend = (begin + end - 2 * between) / (width / 40) ** 2
            assert bend[:, smooth].max() < MAX_CURVATURE_MM
    assert said > len(of)


def test_a_hull_that_turns_along_the_edge_is_not_looked_at_everywhere(monkeypatch):
    looked = []

    def counted(*boxes):
        looked.append(boxes)
        return spans(*boxes)

    spans = geometry.edge_gaps
    monkeypatch.setattr(geometry, "edge_gaps", counted)
    a, b = (path_of_order(pose, order, KITCHEN) for pose, order in SLIDING)
    assert find_meeting(a, b) == pytest.approx(0.313320651)
    assert len(looked) < 200


def test_nor_are_many(monkeypatch):
    looked = 0

    def counted(seen):
        nonlocal looked
        looked += len(seen.reach_a)
        return spans(seen)

    spans = many_hulls.edge_gaps
    monkeypatch.setattr(many_hulls, "edge_gaps", counted)
    a, b = (path_of_order(pose, order, KITCHEN) for pose, order in SLIDING)
    overlaps = many_meetings.first_overlap(many([(a, b), (b, a)] * 10, KITCHEN), np.array([0.0, 0.0, 0.1, 0.4] * 5))
    assert overlaps == pytest.approx([0.313320651, 0.313320651, 0.313320651, 0.4] * 5)
    assert looked < 500
