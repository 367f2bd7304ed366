"""Random crowded tables for tests."""

from __future__ import annotations

import random
from collections.abc import Sequence

from msgspec import structs

from rules import geometry
from rules.matchbox.table import hull, orders
from rules.matchbox.table.kinds import KINDS, Name
from rules.matchbox.table.pose import Pose
from rules.matchbox.table.sea import Sea
from rules.matchbox.table.state import Galley, OrderList

TABLE = Sea(600.0, 450.0)


def fleet(rng: random.Random, count: int, table: Sea = TABLE, vessels: Sequence[Name] = ()) -> tuple[Galley, ...]:
    """Galleys of both sides, near each other, none overlapping; or vessels of these kinds."""
    galleys: list[Galley] = []
    while len(galleys) < count:
        vessel = rng.choice(vessels) if vessels else None
        kind = KINDS[vessel or "galley"]
        holes = rng.choice(tuple(kind.builds))
        heading = float(rng.choice((rng.randrange(0, 360, 30), rng.randrange(360))))
        pose = Pose(float(rng.randrange(int(table.width_mm))), float(rng.randrange(int(table.height_mm))), heading)
        own = kind.box(pose)
        if not hull.on_table(own, table) or any(geometry.separation(own, hull.of(other)) < 0 for other in galleys):
            continue
        if table.shore and table.shore.gaps([geometry.corners(own)])[0] == 0:
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
                masts=rng.randint(0, kind.builds[holes]),
                pose=pose,
                vessel=None if vessel == "galley" else vessel,
            )
        )
    return tuple(sorted(galleys, key=lambda galley: (galley.seat, galley.id)))


def near_each_other(rng: random.Random, count: int, table: Sea) -> tuple[Galley, ...]:
    """The same somewhere on a large table, a volley apart and clear of its land."""
    while True:
        east, north = (float(rng.randrange(300, int(size) - 300)) for size in table.size)
        moved = []
        for galley in fleet(rng, count):
            x, y = galley.pose.x_mm + east - TABLE.width_mm / 2, galley.pose.y_mm + north - TABLE.height_mm / 2
            moved.append(structs.replace(galley, pose=Pose(x, y, galley.pose.heading_deg)))
        corners = [geometry.corners(hull.of(galley)) for galley in moved]
        if not table.shore or table.shore.gaps(corners).min() > 0:
            return tuple(moved)


def order_list(rng: random.Random, galley: Galley) -> OrderList:
    """Legal orders, mostly movement."""
    written = ""
    while True:
        legal = [
            letter
            for letter in ("F", "F", "F", "L", "R", "X", "X", "ZZ")
            if orders.extend_fault(galley, written, (), letter) is None
        ]
        if not legal or (orders.short_fault(galley, written) is None and rng.random() < 0.2):
            return orders.check(galley, written)
        written += rng.choice(legal)


def strong(galleys: tuple[Galley, ...]) -> tuple[Galley, ...]:
    """The same galleys, unharmed."""
    return tuple(structs.replace(g, port=g.holes, starboard=g.holes, masts=g.mast_holes) for g in galleys)
