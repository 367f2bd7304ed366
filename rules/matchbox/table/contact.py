"""Which galleys touch, with which edges, and the damage (MB-5.6 to MB-5.13)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations, repeat
from typing import Final, Literal, NamedTuple

from msgspec import structs

from rules import geometry
from rules.geometry import Box, Pair
from rules.matchbox.table import hull
from rules.matchbox.table.damage import Facing
from rules.matchbox.table.sea import Sea
from rules.matchbox.table.state import MATCH_MM, Edge, Galley, Pose

_EDGES: Final[tuple[Edge, ...]] = ("bow", "stern", "starboard", "port")
"""As `geometry.edge_spans` orders them."""
_NORMALS: Final[Mapping[Edge, tuple[int, int]]] = {
    "bow": (1, 0),
    "starboard": (0, 1),
    "port": (0, -1),
    "stern": (-1, 0),
}
"""Outward normals, ahead and to starboard, in the order that settles ties (MB-5.7)."""
_SIDE_RAMS: Final = {("bow", "starboard"), ("bow", "port"), ("starboard", "bow"), ("port", "bow")}
_EQUALLY_MM: Final = 0.01
"""MB-5.7: lines that part two hulls so nearly alike part them equally well."""
_BACKING_MM: Final = 0.1
"""MB-5.13: the steps in which galleys back."""
BASE: Final[Mapping[str, int]] = {"side": 2, "rear": 1, "frontal": 2}
"""MB-5.8: damage by kind of ram."""

Touch = tuple[Edge, Edge]
"""The touched edge of the one hull, and of the other."""


class Ram(NamedTuple):
    """One galley struck another with her bow."""

    by: str
    to: str
    kind: Literal["side", "rear", "frontal"]
    edge: Edge
    """Of the rammed hull."""
    facing: Facing
    """MB-5.12: the side of the rammed hull that takes the most."""


def contacts(galleys: Sequence[Galley]) -> tuple[tuple[Galley, Galley], ...]:
    """All pairs in contact, in galley order (MB-5.6)."""
    hulls = [(galley, hull.of(galley), galley.kind.reach_mm) for galley in galleys]
    return tuple(
        (a, b)
        for (a, at_a, reach_a), (b, at_b, reach_b) in combinations(hulls, 2)
        if _in_contact(at_a, at_b, reach_a + reach_b + hull.CONTACT_MM)
    )


def _in_contact(a: Box, b: Box, near: float) -> bool:
    """Whether two hulls are in contact; they are not if their middles are farther apart, east or north, than `near`."""
    if abs(a[0] - b[0]) > near or abs(a[1] - b[1]) > near:
        return False
    # What parts them is never more than the gap; where it is less, the gap itself must be looked at.
    most = hull.CONTACT_MM + hull.NOISE_MM
    parted = geometry.separation(a, b)
    return parted <= 0 or (parted <= most + hull.NOISE_MM and geometry.gap(a, b) <= most)


def touched(a: Box, b: Box) -> Touch:
    """Which edges of two hulls in contact touch (MB-5.7)."""
    spans = geometry.edge_spans(a, b)
    best = max(spans) - _EQUALLY_MM - hull.NOISE_MM
    pairs: list[Touch] = []
    for edge, span in zip(_EDGES, spans[:4], strict=True):
        if span >= best:
            pairs.append((edge, _opposed(a, edge, b)))
    for edge, span in zip(_EDGES, spans[4:], strict=True):
        if span >= best:
            pairs.append((_opposed(b, edge, a), edge))
    return _settle(tuple(dict.fromkeys(pairs)))


def _settle(pairs: Sequence[Touch]) -> Touch:
    """Choose among pairs named by lines that part the hulls equally well (MB-5.7)."""
    if len(pairs) > 1 and any(a == "bow" for a, _ in pairs) and any(b == "bow" for _, b in pairs):
        return "bow", "bow"
    return min(pairs, key=lambda pair: (not _is_side_ram(pair), "bow" not in pair))


def _is_side_ram(pair: Touch) -> bool:
    return pair in _SIDE_RAMS


def _opposed(of: Box, edge: Edge, other: Box) -> Edge:
    """The edge of the other hull whose outward normal is most opposed to that of an edge of the first."""
    nx, ny = _normal((of.ux, of.uy), _NORMALS[edge])
    way = other.ux, other.uy
    best: Edge = "bow"
    least = 2.0
    for name, normal in _NORMALS.items():
        ox, oy = _normal(way, normal)
        along = nx * ox + ny * oy
        if along < least - geometry.TOUCH:
            best, least = name, along
    return best


def _normal(way: Pair, normal: tuple[int, int]) -> Pair:
    (ux, uy), (ahead, abeam) = way, normal
    return ahead * ux + abeam * uy, ahead * uy - abeam * ux


def rams(a: Galley, b: Galley) -> tuple[Ram, ...]:
    """The rams of a new contact, of friends too (MB-5.10): one, two if frontal, none if a scrape (MB-5.8)."""
    edge_a, edge_b = touched(hull.of(a), hull.of(b))
    if edge_a == edge_b == "bow":
        return _ram(a, b, "bow", frontal=True), _ram(b, a, "bow", frontal=True)
    if edge_a == "bow":
        return (_ram(a, b, edge_b),)
    if edge_b == "bow":
        return (_ram(b, a, edge_a),)
    return ()


def _ram(by: Galley, to: Galley, edge: Edge, *, frontal: bool = False) -> Ram:
    if edge in {"port", "starboard"}:
        return Ram(by.id, to.id, "side", edge, edge)
    return Ram(by.id, to.id, "frontal" if frontal else "rear", edge, hull.facing(to, by))


class Backing(NamedTuple):
    """How one galley backs at the end of a round."""

    galley: str
    start: Pose
    end: Pose
    distance_mm: float


def back_off(galleys: Sequence[Galley], sea: Sea) -> tuple[Backing, ...]:
    """Who backs off from a contact of the bow, and how far (MB-5.13), in galley order."""
    touching: dict[str, set[str]] = {}
    bows: set[str] = set()
    for a, b in contacts(galleys):
        touching.setdefault(a.id, set()).add(b.id)
        touching.setdefault(b.id, set()).add(a.id)
        edge_a, edge_b = touched(hull.of(a), hull.of(b))
        bows |= {galley.id for galley, edge in ((a, edge_a), (b, edge_b)) if edge == "bow"}
    there = {galley.id: galley for galley in galleys}
    backings = []
    for galley in galleys:
        if galley.id not in bows:
            continue
        others = [(hull.of(other), name in touching[galley.id]) for name, other in there.items() if name != galley.id]
        distance = _room_astern(galley, others, sea)
        end = astern(galley.pose, distance)
        there[galley.id] = structs.replace(galley, pose=end)
        backings.append(Backing(galley.id, galley.pose, end, distance))
    return tuple(backings)


def astern(pose: Pose, distance_mm: float) -> Pose:
    """The pose so far straight astern."""
    ux, uy = geometry.direction(pose.heading_deg)
    return Pose(pose.x_mm - distance_mm * ux, pose.y_mm - distance_mm * uy, pose.heading_deg)


def _room_astern(galley: Galley, others: Sequence[tuple[Box, bool]], sea: Sea) -> float:
    """How far a galley can back, up to a match, in steps of 0.1 mm; others come with whether she touched them."""
    own = hull.of(galley)
    most = int((min(MATCH_MM, _table_astern(own, sea)) + hull.NOISE_MM) / _BACKING_MM)
    near = galley.kind.reach_mm + MATCH_MM + hull.CONTACT_MM
    hulls = [
        (other, was)
        for other, was in others
        if max(abs(other.x - own.x), abs(other.y - own.y)) < near + math.hypot(other.half_length, other.half_width)
    ]
    first, last = (_at(galley, steps) for steps in (1, most))
    hulls = [one for one in hulls if not _clear(own, (first, last), one)]
    if not hulls:
        return round(most * _BACKING_MM, 1)
    floors = [_floor(own, other) for other, _ in hulls]
    gone = 0
    while gone < most:
        spare = min(map(_spare, repeat(_at(galley, gone)), hulls, floors))
        # No room shrinks faster than the galley backs, so that as many steps as fit into the narrowest are free.
        step = min(most - gone, max(1, int((spare - hull.NOISE_MM) / _BACKING_MM)))
        if step == 1 and min(map(_spare, repeat(_at(galley, gone + 1)), hulls, floors)) < 0:
            break
        gone += step
    return round(gone * _BACKING_MM, 1)


def _floor(own: Box, other: Box) -> float:
    """How far touching hulls must stay parted. An overlap that is there already is the rounding's, and may not grow."""
    return min(0.0, geometry.separation(own, other)) - hull.NOISE_MM


def _clear(own: Box, astern: tuple[Box, Box], other: tuple[Box, bool]) -> bool:
    """Whether the line through some edge keeps two hulls far enough apart from the first place astern to the last."""
    first, last = astern
    there, was_touching = other
    least = geometry.TOUCH + (_floor(own, there) if was_touching else hull.CONTACT_MM + 2 * hull.NOISE_MM)
    # How far a line parts them grows or shrinks evenly on a straight way.
    parted = zip(geometry.edge_spans(first, there), geometry.edge_spans(last, there), strict=True)
    return any(before >= least and after >= least for before, after in parted)


def _at(galley: Galley, steps: int) -> Box:
    """The hull so many steps astern."""
    return hull.box(astern(galley.pose, steps * _BACKING_MM), galley.kind)


def _spare(own: Box, other: tuple[Box, bool], floor: float) -> float:
    """How much nearer two hulls may come; below 0: they are too near (MB-5.13)."""
    there, was_touching = other
    if was_touching:
        return geometry.separation(own, there) - floor
    return geometry.gap(own, there) - hull.CONTACT_MM - 2 * hull.NOISE_MM


def _table_astern(own: Box, sea: Sea) -> float:
    """How far a hull can back before it would leave the table."""
    west, south, east, north = hull.extent(own)
    ux, uy = own.ux, own.uy
    room = [
        max(0.0, place) / rate
        for place, rate in ((west, ux), (south, uy), (sea.width_mm - east, -ux), (sea.height_mm - north, -uy))
        if rate > geometry.TOUCH
    ]
    return min(room, default=math.inf)
