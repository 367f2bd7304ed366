"""Random crowded tables for tests."""

import math
import random
from collections.abc import Sequence

import shapely
from msgspec import structs

from rules.geometry import boxes
from rules.matchbox.ai.many_rounds import FleetTables
from rules.matchbox.engine import hull, orders
from rules.matchbox.engine.kinds import KINDS, KindName
from rules.matchbox.engine.pose import Pose
from rules.matchbox.engine.sea import Sea
from rules.matchbox.engine.state import Galley, OrderList
from rules.matchbox.engine.terrain import LandPiece

TABLE = Sea(600.0, 450.0)
CRAMPED = 300.0, 220.0


def fleet(
    rng: random.Random, count: int, table: Sea = TABLE, vessels: Sequence[KindName] = (), each: Sequence[KindName] = ()
) -> tuple[Galley, ...]:
    """Return galleys of both sides, near each other, none overlapping; or vessels of these kinds; or just these, in
    turn."""
    galleys: list[Galley] = []
    while len(galleys) < count:
        vessel = each[len(galleys)] if each else rng.choice(vessels) if vessels else None
        kind = KINDS[vessel or "galley"]
        holes = rng.choice(tuple(kind.masts_by_holes))
        heading = float(rng.choice((rng.randrange(0, 360, 30), rng.randrange(360))))
        pose = Pose(float(rng.randrange(int(table.width_mm))), float(rng.randrange(int(table.height_mm))), heading)
        own = kind.make_box(pose)
        if not hull.is_on_table(own, table) or any(boxes.separation(own, hull.hull_of(other)) < 0 for other in galleys):
            continue
        if table.shore and table.shore.hull_gaps([boxes.box_corners(own)])[0] == 0:
            continue
        seat = len(galleys) % 2
        galleys.append(
            Galley(
                id=f"{'AB'[seat]}{len(galleys) // 2 + 1}",
                seat=seat,
                side=("south", "north")[seat],
                holes=holes,
                port=rng.randint(1, holes),
                starboard=rng.randint(1, holes),
                masts=rng.randint(0, kind.masts_by_holes[holes]),
                pose=pose,
                vessel=None if vessel == "galley" else vessel,
            )
        )
    return tuple(sorted(galleys, key=lambda galley: (galley.seat, galley.id)))


def near_each_other(rng: random.Random, count: int, table: Sea) -> tuple[Galley, ...]:
    """Place a fleet somewhere on a large table, a volley apart and clear of its land."""
    while True:
        east, north = (float(rng.randrange(300, int(size) - 300)) for size in table.size_mm)
        moved = []
        for galley in fleet(rng, count):
            x, y = galley.pose.x_mm + east - TABLE.width_mm / 2, galley.pose.y_mm + north - TABLE.height_mm / 2
            moved.append(structs.replace(galley, pose=Pose(x, y, galley.pose.heading_deg)))
        corners = [boxes.box_corners(hull.hull_of(galley)) for galley in moved]
        if not table.shore or table.shore.hull_gaps(corners).min() > 0:
            return tuple(moved)


def polygon(galley: Galley) -> shapely.Polygon:
    return shapely.Polygon(boxes.box_corners(hull.hull_of(galley)))


def cramped(rng: random.Random) -> tuple[Sea, list[Galley]]:
    """Return a small table with some land, or none, and vessels near it, near each other, or touching."""
    pieces = []
    for _ in range(rng.choice((0, 1, 1, 2))):
        x, y = rng.uniform(0, CRAMPED[0] - 90), rng.uniform(0, CRAMPED[1] - 90)
        points = [(round(x + rng.uniform(0, 90), 3), round(y + rng.uniform(0, 90), 3)) for _ in range(5)]
        pieces.append(LandPiece("island", tuple(shapely.MultiPoint(points).convex_hull.exterior.coords[:-1])))
    land = shapely.union_all([shapely.Polygon(piece.corners) for piece in pieces])
    galleys: list[Galley] = []
    while len(galleys) < 3:
        vessel = rng.choice((*KINDS, "galley", "heavy"))
        holes = min(KINDS[vessel].masts_by_holes)
        heading = rng.choice((rng.uniform(0, 360), 30.0 * rng.randrange(12)))
        pose = Pose(rng.uniform(0, CRAMPED[0]), rng.uniform(0, CRAMPED[1]), heading)
        name, seat = f"{'AB'[len(galleys) % 2]}{len(galleys)}", len(galleys) % 2
        one = Galley(
            id=name, seat=seat, side="south", holes=holes, port=1, starboard=1, masts=0, pose=pose, vessel=vessel
        )
        afloat = [polygon(other) for other in galleys]
        if near := [some for some in (land, *afloat) if not some.is_empty and rng.random() < 0.7]:
            # Straight towards what is near her, to where it is so near.
            (x, y), (to_x, to_y) = shapely.shortest_line(polygon(one), rng.choice(near)).coords
            gap = math.hypot(to_x - x, to_y - y)
            part = 1 - rng.choice((0.0, 0.05, 0.09, 0.11, 0.3, 4.0, 9.0, 38.0)) / gap if gap else 0.0
            one = structs.replace(one, pose=Pose(pose.x_mm + part * (to_x - x), pose.y_mm + part * (to_y - y), heading))
        own = polygon(one)
        inside = shapely.box(0, 0, *CRAMPED).contains(own)
        off_land = land.is_empty or own.distance(land) > 0.04
        if inside and off_land and all(own.intersection(other).area < 1e-6 for other in afloat):
            galleys.append(one)
    return Sea(*CRAMPED, tuple(pieces)), galleys


def order_list(rng: random.Random, galley: Galley) -> OrderList:
    """Return random legal orders, mostly movement."""
    written = ""
    while True:
        legal = [
            letter
            for letter in ("F", "F", "F", "L", "R", "X", "X", "ZZ")
            if orders.extend_fault(galley, written, (), letter) is None
        ]
        if not legal or (orders.short_fault(galley, written) is None and rng.random() < 0.2):
            return orders.parse_legal(galley, written)
        written += rng.choice(legal)


def strong(galleys: tuple[Galley, ...]) -> tuple[Galley, ...]:
    """Return the galleys unharmed."""
    return tuple(structs.replace(g, port=g.holes, starboard=g.holes, masts=g.mast_holes) for g in galleys)


def galleys_on(of: FleetTables, like: Sequence[Galley], number: int) -> tuple[Galley, ...]:
    return tuple(
        Galley(
            id=galley.id,
            seat=galley.seat,
            side=galley.side,
            holes=galley.holes,
            port=int(of.port[k, number]),
            starboard=int(of.starboard[k, number]),
            masts=int(of.masts[k, number]),
            pose=Pose(float(of.x[k, number]), float(of.y[k, number]), float(of.heading[k, number])),
            vessel=galley.vessel,
            burning=bool(of.burning[k, number]),
            crew=galley.crew,
        )
        for k, galley in enumerate(like)
        if of.afloat[k, number]
    )
