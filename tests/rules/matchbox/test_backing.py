"""Backing and poling, against a walk in steps of 0.1 mm that looks at every step (MB-5.13, MX-1.11, 1.12)."""

import itertools
import math
import random
from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest
import shapely
from msgspec import structs

from rules.matchbox.engine import backing, contact, hull
from rules.matchbox.engine.pose import Pose
from rules.matchbox.engine.state import Galley
from tests.laws.length import times
from tests.rules.matchbox.sea_room import CRAMPED, cramped

NEAR_MM, NOISE_MM = 0.1, 1e-6
Hulls = np.ndarray
"""Corners, clockwise from the bow's port one: (..., 4, 2)."""


def hulls(galley: Galley, way: Sequence[float], steps: int, *, pushed: bool) -> Hulls:
    """Return a hull after each number of steps along a way; pushed back onto the table, or not."""
    length, half, angle = galley.kind.length_mm, galley.kind.width_mm / 2, math.radians(galley.pose.heading_deg)
    ahead, aside = np.array((math.sin(angle), math.cos(angle))), np.array((math.cos(angle), -math.sin(angle)))
    prow = np.array((galley.pose.x_mm, galley.pose.y_mm)) + 0.1 * np.arange(steps + 1)[:, None] * np.array(way)
    across = np.array((-half, half, half, -half))[:, None] * aside
    rings = prow[:, None] + across - np.array((0.0, 0.0, length, length))[:, None] * ahead
    if pushed:
        rings -= np.maximum(rings - CRAMPED, 0).max(axis=1, keepdims=True)
        rings += np.maximum(-rings, 0).max(axis=1, keepdims=True)
    return rings


def parted(some: Hulls, other: Hulls) -> np.ndarray:
    """Return the width of the widest strip along an edge between hulls and another; negative: their overlap."""
    best = np.full(len(some), -np.inf)
    for edges in (some, other[None]):
        along = np.roll(edges, -1, axis=1) - edges
        out = np.stack((-along[..., 1], along[..., 0]), axis=-1) / np.hypot(*np.moveaxis(along, -1, 0))[..., None]
        theirs = other[None] if edges is some else some
        best = np.maximum(best, (((theirs[:, None] - edges[:, :, None]) * out[:, :, None]).sum(-1).min(-1)).max(-1))
    return best


def free(way: Hulls, others: Sequence[tuple[Hulls, bool]], land: shapely.Geometry | None, *, table: bool) -> int:
    """Return the number of free steps of a way; land, other hulls, or the table's edge end it."""
    ends = np.zeros(len(way), dtype=bool)
    shapes = shapely.polygons(way)
    for other, was_touching in others:
        if was_touching:
            gaps = parted(way, other)
            ends |= gaps < min(0.0, gaps[0]) - NOISE_MM
        else:
            ends |= shapely.distance(shapes, shapely.polygons(other)) <= NEAR_MM + NOISE_MM
    if land is not None:
        gaps = shapely.distance(land, shapes)
        ends |= gaps < min(NEAR_MM + NOISE_MM, gaps[0] - NOISE_MM)
    if table:
        ends |= ((way < -NOISE_MM) | (way > np.array(CRAMPED) + NOISE_MM)).any(axis=(1, 2))
    ends[0] = False
    return int(ends.argmax()) - 1 if ends.any() else len(way) - 1


def corners(galley: Galley) -> Hulls:
    return hulls(galley, (0.0, 0.0), 0, pushed=False)[0]


def shape(galley: Galley) -> shapely.Polygon:
    return shapely.polygons(corners(galley))


def moved(galley: Galley, hull: Hulls) -> Galley:
    x, y = hull[:2].mean(axis=0).tolist()
    return structs.replace(galley, pose=Pose(x, y, galley.pose.heading_deg))


def contacts(galleys: Sequence[Galley]) -> set[frozenset[str]]:
    pairs = itertools.combinations(galleys, 2)
    return {frozenset((a.id, b.id)) for a, b in pairs if shape(a).distance(shape(b)) <= NEAR_MM}


def others(galley: Galley, galleys: Sequence[Galley], touching: set[frozenset[str]]) -> list[tuple[Hulls, bool]]:
    return [(corners(other), {galley.id, other.id} in touching) for other in galleys if other.id != galley.id]


def strikes(galley: Galley, galleys: Sequence[Galley], touching: set[frozenset[str]]) -> bool:
    met = [other for other in galleys if other.id != galley.id and {galley.id, other.id} in touching]
    return any(contact.touched_edges(hull.hull_of(galley), hull.hull_of(other))[0] == "bow" for other in met)


def backed(
    galleys: Sequence[Galley], land: shapely.Geometry | None, also: Sequence[str]
) -> dict[str, tuple[int, Galley]]:
    """Return for each vessel that backs the number of steps, and her place afterwards."""
    there, touching = {galley.id: galley for galley in galleys}, contacts(galleys)
    backing_vessels = {}
    for galley in galleys:
        ashore = land is not None and land.distance(shapely.LineString(corners(galley)[:2])) <= NEAR_MM
        if not (galley.id in also or ashore or strikes(galley, galleys, touching)):
            continue
        angle = math.radians(galley.pose.heading_deg)
        way = hulls(galley, (-math.sin(angle), -math.cos(angle)), 450, pushed=land is not None)
        steps = free(way, others(galley, [*there.values()], touching), land, table=land is None)
        there[galley.id] = moved(galley, way[steps])
        backing_vessels[galley.id] = steps, there[galley.id]
    return backing_vessels


def poled(galleys: Sequence[Galley], land: shapely.Geometry | None) -> dict[str, tuple[int, str, Galley]]:
    """Return for each vessel that is poled the number of steps, the side, and her place afterwards."""
    there, poled_vessels = {galley.id: galley for galley in galleys}, {}
    for galley in galleys if land is not None else ():
        clearance, angle = galley.kind.clearance_mm, math.radians(galley.pose.heading_deg)
        bow_port, bow_starboard, stern_starboard, stern_port = corners(galley)
        port, starboard = (
            clearance - land.distance(shapely.LineString(side))
            for side in ((bow_port, stern_port), (bow_starboard, stern_starboard))
        )
        if (port > NOISE_MM) == (starboard > NOISE_MM):
            continue
        to, sign = ("starboard", 1) if port > 0 else ("port", -1)
        lacks = math.ceil(max(port, starboard) / 0.1 - NOISE_MM)
        way = hulls(galley, (sign * math.cos(angle), -sign * math.sin(angle)), lacks, pushed=False)
        sides = shapely.linestrings(np.stack((way[:, [0, 3]], way[:, [1, 2]])))
        clear = (shapely.distance(land, sides) >= clearance - NOISE_MM).all(axis=0)
        way = way[: int(clear.argmax()) + 1] if clear.any() else way
        touching = contacts([*there.values()])
        if steps := free(way, others(galley, [*there.values()], touching), land, table=True):
            there[galley.id] = moved(galley, way[steps])
            poled_vessels[galley.id] = steps, to, there[galley.id]
    return poled_vessels


@pytest.mark.parametrize("share", range(4))
def test_vessels_back_and_are_poled_as_a_walk_by_steps_says(share):
    rng, said = random.Random(share), Counter[str]()
    for _ in range(times(12, 2000)):
        sea, galleys = cramped(rng)
        land = shapely.union_all([shapely.Polygon(piece.corners) for piece in sea.land]) if sea.land else None
        also = [galley.id for galley in galleys if rng.random() < 0.5]
        expected = backed(galleys, land, also)
        backings = backing.back_off(galleys, sea, also, contact.pairs_in_contact(galleys))
        assert [(event.galley, event.distance_mm) for event in backings] == [
            (n, steps / 10) for n, (steps, _) in expected.items()
        ]
        begun = {galley.id: galley for galley in galleys}
        for back in backings:
            assert back.start is begun[back.galley].pose
            assert structs.astuple(back.end) == pytest.approx(structs.astuple(expected[back.galley][1].pose), abs=1e-9)
        said["backed"] += len(expected)
        expected_poles = poled(galleys, land)
        polings = backing.pole_off(galleys, sea)
        assert [(event.galley, event.distance_mm, event.to) for event in polings] == [
            (name, steps / 10, to) for name, (steps, to, _) in expected_poles.items()
        ]
        for pole in polings:
            assert pole.start is begun[pole.galley].pose
            assert structs.astuple(pole.end) == pytest.approx(
                structs.astuple(expected_poles[pole.galley][2].pose), abs=1e-9
            )
            said[pole.to] += 1
    assert min(said["backed"], said["port"], said["starboard"]) > 0
