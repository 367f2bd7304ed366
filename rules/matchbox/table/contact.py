"""Which galleys touch, with which edges, and the damage (MB-5.6 to MB-5.13)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Final, Literal, NamedTuple

from rules import geometry
from rules.blows import Facing
from rules.geometry import Box
from rules.matchbox.table import hull
from rules.matchbox.table.state import Edge, Galley

_EDGES: Final[tuple[Edge, ...]] = ("bow", "stern", "starboard", "port")
"""As `geometry.edge_spans` orders them."""
_NORMALS: Final[Mapping[Edge, tuple[int, int]]] = {
    "bow": (1, 0),
    "starboard": (0, 1),
    "port": (0, -1),
    "stern": (-1, 0),
}
"""Outward normals, ahead and to starboard, in the order that settles ties (MB-5.7)."""
_IN_TURN: Final = tuple(_NORMALS)
_SIDE_RAMS: Final = {("bow", "starboard"), ("bow", "port"), ("starboard", "bow"), ("port", "bow")}
_EQUALLY_MM: Final = 0.01
"""MB-5.7: lines that part two hulls so nearly alike part them equally well."""
BASE: Final[Mapping[str, int]] = {"side": 2, "rear": 1, "frontal": 2}
"""MB-5.8: damage by kind of ram."""

Touch = tuple[Edge, Edge]
"""The touched edge of the one hull, and of the other."""


def damage(ram: Ram, run: int) -> int:
    """What a ram deals after a run of so many forwards (MB-5.8, 5.9), by the vessel (MX-2.2, 2.4) and crew (MX-4.5)."""
    return max(0, BASE[ram.kind] + run + ram.by.kind.ram + ("r" in ram.by.crew))


class Ram(NamedTuple):
    """One galley struck another with her bow."""

    by: Galley
    to: Galley
    kind: Literal["side", "rear", "frontal"]
    edge: Edge
    """Of the rammed hull."""
    facing: Facing
    """MB-5.12: the side of the rammed hull that takes the most."""


def contacts(galleys: Sequence[Galley]) -> tuple[tuple[Galley, Galley], ...]:
    """All pairs in contact, in galley order (MB-5.6)."""
    return tuple((a, b) for a, b, _ in touching(galleys))


def touching(galleys: Sequence[Galley]) -> list[tuple[Galley, Galley, float]]:
    """The same, each with how far the two are parted in mm, as `hull.parted_mm` says."""
    hulls = []
    for galley in galleys:
        kind = galley.kind
        box = kind.box(galley.pose)
        hulls.append((galley, box, box.x, box.y, kind.reach_mm))
    # What parts two hulls is never more than the gap; where it is less, the gap itself must be looked at.
    most = hull.CONTACT_MM + hull.NOISE_MM
    found = []
    for (a, at_a, ax, ay, reach_a), (b, at_b, bx, by, reach_b) in combinations(hulls, 2):
        east, north, near = ax - bx, ay - by, reach_a + reach_b + hull.CONTACT_MM
        if east * east + north * north > near * near:
            continue
        parted = geometry.separation(at_a, at_b)
        if parted <= 0 or (parted <= most + hull.NOISE_MM and geometry.is_near(at_a, at_b, most)):
            found.append((a, b, parted))
    return found


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
    return _settle(tuple(dict.fromkeys(pairs))) if len(pairs) > 1 else pairs[0]


def _settle(pairs: Sequence[Touch]) -> Touch:
    """Choose among pairs named by lines that part the hulls equally well (MB-5.7)."""
    if len(pairs) > 1 and any(a == "bow" for a, _ in pairs) and any(b == "bow" for _, b in pairs):
        return "bow", "bow"
    return min(pairs, key=lambda pair: (not _is_side_ram(pair), "bow" not in pair))


def _is_side_ram(pair: Touch) -> bool:
    return pair in _SIDE_RAMS


def _opposed(of: Box, edge: Edge, other: Box) -> Edge:
    """The edge of the other hull whose outward normal is most opposed to that of an edge of the first."""
    (ux, uy), (ahead, abeam) = of[2:4], _NORMALS[edge]
    nx, ny = ahead * ux + abeam * uy, ahead * uy - abeam * ux
    ox, oy = other[2:4]
    along, abreast = nx * ox + ny * oy, nx * oy - ny * ox
    best, least = _IN_TURN[0], along
    for name, alike in zip(_IN_TURN[1:], (abreast, -abreast, -along), strict=True):
        if alike < least - geometry.TOUCH:
            best, least = name, alike
    return best


def rams(a: Galley, b: Galley) -> tuple[Ram, ...]:
    """The rams of a new contact, of friends too (MB-5.10): one, two if frontal, none if a scrape (MB-5.8).

    A fire ship's lights the other (MX-2.7); a merchant's bow does nothing (MX-2.6).
    """
    return tuple(ram for ram in _by_bows(a, b) if ram.by.kind.bow != "none")


def _by_bows(a: Galley, b: Galley) -> tuple[Ram, ...]:
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
        return Ram(by, to, "side", edge, edge)
    return Ram(by, to, "frontal" if frontal else "rear", edge, hull.facing(to, by))
