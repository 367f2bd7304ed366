"""Land stops hulls, against a fine-stepped walk in plain arithmetic (MX-1.8); maps and pieces (MX-1.3 to 1.6)."""

import itertools
import math
import random

import numpy as np
import pytest
import shapely
from msgspec import structs
from shapely import Polygon

from rules.core.errors import OrderError
from rules.geometry import boxes
from rules.matchbox.engine import hull, movement, shore, terrain
from rules.matchbox.engine.kinds import KINDS
from rules.matchbox.engine.path import Path, path_of_order
from rules.matchbox.engine.pose import Pose
from rules.matchbox.engine.sea import TABLE_BY_NAME, Sea, load_maps
from rules.matchbox.engine.state import Galley
from rules.matchbox.engine.terrain import LandPiece
from tests.laws.length import times
from tests.rules.matchbox.sea_room import CRAMPED, cramped

STEPS = 400
"""Of the walk through a move: 0.2 mm or so each."""
CORNERS = np.array([(0.0, -17.5), (0.0, 17.5), (-60.0, 17.5), (-60.0, -17.5)])
"""Of a hull, as seen from its prow: ahead and to starboard."""


def islands(rng: random.Random) -> tuple[LandPiece, ...]:
    """Draw islands, convex or not, blunt or thin."""
    pieces = []
    for _ in range(rng.randint(1, 3)):
        x, y = rng.uniform(250, 550), rng.uniform(150, 350)
        bearings = sorted(rng.uniform(0, math.tau) for _ in range(rng.randint(3, 8)))
        ring = tuple(
            (round(x + r * math.sin(b), 3), round(y + r * math.cos(b), 3))
            for b in bearings
            for r in [rng.uniform(5, 70)]
        )
        pieces.append(LandPiece("island", ring))
    try:
        for piece in pieces:
            terrain.check_pieces([piece], 800.0, 500.0)
    except OrderError:
        return islands(rng)
    return tuple(pieces)


def from_edges(points: np.ndarray, starts: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """Return for each set of points the least distance to any of the segments."""
    way = ends - starts
    off = points[..., None, :] - starts
    part = np.clip((off * way).sum(-1) / (way * way).sum(-1), 0.0, 1.0)
    return np.hypot(*np.moveaxis(off - part[..., None] * way, -1, 0)).min(axis=(-1, -2))


def off_land(path: Path, pieces: tuple[LandPiece, ...], instants: np.ndarray) -> np.ndarray:
    """Return the hull's gaps to land, by corners and edges; any small number where it lies on land."""
    rings = [np.array(piece.corners) for piece in pieces]
    starts, ends = np.concatenate(rings), np.concatenate([np.roll(ring, -1, axis=0) for ring in rings])
    poses = np.array([(p.x_mm, p.y_mm, p.heading_deg) for p in map(path.pose_at, instants.tolist())])
    turn = np.radians(poses[:, 2])[:, None]
    ahead, aside = CORNERS.T
    hulls = np.stack(
        (
            poses[:, :1] + ahead * np.sin(turn) + aside * np.cos(turn),
            poses[:, 1:2] + ahead * np.cos(turn) - aside * np.sin(turn),
        ),
        axis=-1,
    )
    least = from_edges(hulls, starts, ends)
    for start, other in zip(range(4), (1, 2, 3, 0), strict=True):
        way = hulls[:, other] - hulls[:, start]
        off = starts - hulls[:, start][:, None]
        part = np.clip((off * way[:, None]).sum(-1) / (way * way).sum(-1)[:, None], 0.0, 1.0)
        gap = np.hypot(*np.moveaxis(off - part[..., None] * way[:, None], -1, 0)).min(axis=1)
        least = np.minimum(least, gap)
    return least


def moves(seed: int, count: int):
    """Yield moves of hulls that begin in the water, some of them right at the shore, with their pieces of land."""
    rng = random.Random(seed)
    made = 0
    while made < count:
        pieces = islands(rng)
        sea = Sea(800.0, 500.0, pieces)
        pose = Pose(rng.uniform(60, 740), rng.uniform(60, 440), rng.choice((rng.uniform(0, 360), 0.0, 90.0)))
        land = sea.terrain.land
        if not 0 < land.hull_gaps([hull.hull_corners(pose)])[0] < 25:
            continue
        for order in rng.choice(("F", "FF", "FL", "RF", "LR")):
            path = path_of_order(pose, order, sea)
            instant = shore.land_stop(path, land)
            pose = path.pose_at(1.0 if instant is None else instant)
        made += 1
        yield path, pieces, land, instant


@pytest.mark.parametrize("share", range(20))
def test_land_stops_a_hull_where_a_fine_stepped_walk_says(share):
    count, stopped = times(3, 500), 0
    for path, pieces, land, instant in moves(share, count):
        gap = off_land(path, pieces, np.array([0.0]))[0]
        assert gap == pytest.approx(land.hull_gaps([hull.hull_corners(path.start)])[0], abs=1e-9)
        keep = min(shore.MIN_SHORE_GAP_MM, gap) - min(shore.ROUNDING_TOLERANCE_MM, gap / 2)
        last = 1.0 if instant is None else instant
        walk = off_land(path, pieces, np.linspace(0.0, last, STEPS))
        assert walk.min() >= keep - 1e-7
        if instant is not None:
            stopped += 1
            after = last + np.geomspace(1e-9, 1e-5, 9)
            assert (off_land(path, pieces, np.minimum(after, 1.0)) < keep + 1e-9).any(), (path, pieces)
    assert stopped >= count // 6


class Watched(Path, frozen=True, kw_only=True):
    """A path that notes the instants at which it is read."""

    looks: list[float]

    def outlines_at(self, instants):
        self.looks.extend(instants)
        return super().outlines_at(instants)


def test_vessels_of_every_kind_are_stopped_by_land_and_soon_found_to_be():
    """Beside rocks and the table's edge. How soon that is found depends on few looks, and on few edges far away."""
    rng, looks, edges, nearby, stopped = random.Random(5), ([], []), 0, 0, 0
    for _ in range(15):
        sea, galleys = cramped(rng)
        land = sea.shore
        if not land:
            continue
        every = land.edges_within((0.0, 0.0, *CRAMPED))
        for galley, order in itertools.product(galleys, "FLR"):
            path = path_of_order(galley.pose, order, sea, galley.kind)
            begin, end = boxes.box_corners(path.first_hull), boxes.box_corners(path.last_hull)
            for margin in (0.05, 0.1, 3.0, 20.0):
                found = shore.edges_in_the_way(path.first_hull, path.last_hull, land, margin)
                gaps = shapely.distance(shapely.MultiPoint([*begin, *end]).convex_hull, shapely.linestrings(every))
                close = {edge for edge, gap in zip(every, gaps.tolist(), strict=True) if gap < margin - 1e-9}
                assert close <= {*found}
                edges, nearby = edges + len(found), nearby + len(close)
            instant = shore.land_stop(Watched(**structs.asdict(path), looks=looks[path.sea is not None]), land)
            gap = land.hull_gaps([begin])[0]
            keep = min(shore.MIN_SHORE_GAP_MM, gap) - min(shore.ROUNDING_TOLERANCE_MM, gap / 2)
            last = 1.0 if instant is None else instant
            assert land.hull_gaps(path.outlines_at(np.linspace(0.0, last, 60))).min() >= keep - 1e-7
            if instant is not None:
                stopped += 1
                after = np.minimum(last + np.geomspace(1e-9, 1e-5, 9), 1.0)
                assert land.hull_gaps(path.outlines_at(after)).min() < keep + 1e-9
    assert stopped > 15
    assert len(looks[False]) <= 260
    assert len(looks[True]) <= 2100
    assert edges <= 1.05 * nearby


def test_land_and_hulls_stop_in_one_sequence_of_instants():
    """The first is stopped by land half way, so that the one behind her meets her where she lies."""
    sea = Sea(800.0, 500.0, (LandPiece("island", ((300, 322), (500, 322), (500, 420), (300, 420))),))
    first, second = (
        Galley(id=name, seat=0, side="south", holes=6, port=6, starboard=6, masts=2, pose=Pose(400, y, 0))
        for name, y in (("A1", 300.0), ("A2", 210.0))
    )
    ways = movement.move_all([first, second], {"A1": "F", "A2": "F"}, sea)
    assert ways["A1"].stopped_by_land
    assert ways["A1"].end.y_mm == pytest.approx(321.95)
    assert not ways["A2"].stopped_by_land
    assert ways["A2"].fraction == 1
    ways = movement.move_all([first, structs.replace(second, pose=Pose(400, 235, 0))], {"A1": "F", "A2": "F"}, sea)
    assert ways["A2"].end.y_mm == pytest.approx(261.95)


def test_nobody_creeps_on_to_land_by_the_rounding_at_the_end_of_rounds():
    """MX-1.8. Rounded to 0.001, a pose may lie 0.0007 mm nearer: again and again, if nothing keeps her off."""
    coast = Polygon([(0, 0), (800, 0), (800, 300), (0, 100)])
    land = Sea(800.0, 500.0, (LandPiece("island", tuple(coast.exterior.coords[:-1])),)).shore
    kind, along = KINDS["galley"], math.degrees(math.atan2(800, 200))
    rng, pose = random.Random(1), Pose(400.0, 218.14, along)

    def gap(of: Pose) -> float:
        return coast.distance(Polygon(boxes.box_corners(kind.make_box(of))))

    pose = Pose(400.0, pose.y_mm - (gap(pose) - shore.MIN_SHORE_GAP_MM) * math.hypot(800, 200) / 800, along)
    began = plain = pose
    for _ in range(300):
        ahead = rng.uniform(-1, 1)
        moved, left = (Pose(of.x_mm + ahead * 0.8, of.y_mm + ahead * 0.2, of.heading_deg) for of in (pose, plain))
        pose = min((shore.round_pose_ashore(moved, kind, land), pose), key=gap)
        plain = min((hull.round_pose(left), plain), key=gap)
    assert gap(began) == pytest.approx(shore.MIN_SHORE_GAP_MM)
    assert gap(plain) < 0.03, "without it she would creep"
    assert gap(pose) >= 0.045 - 1e-9
    assert shore.round_pose_ashore(Pose(400.0, 300.0, along), kind, land) == hull.round_pose(Pose(400.0, 300.0, along))


@pytest.mark.parametrize("name", load_maps())
def test_a_map_keeps_the_rules_and_is_the_same_for_both_sides(name):
    sea = load_maps()[name]
    assert sea.size_mm in {table.size_mm for table in TABLE_BY_NAME.values()}
    terrain.check_pieces(sea.land, *sea.size_mm)
    width, height = sea.size_mm
    turned = {"harbour": lambda x, y: (x, height - y), "port": lambda x, y: (width - x, y)}.get(
        name, lambda x, y: (width - x, height - y)
    )
    shapes = {(piece.kind, frozenset(piece.corners)) for piece in sea.land}
    assert {(piece.kind, frozenset(turned(*c) for c in piece.corners)) for piece in sea.land} == shapes
