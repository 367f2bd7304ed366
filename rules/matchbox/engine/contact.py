"""Contacts of galleys: which edges touch, and the damage (MB-5.6 to MB-5.13)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Final, Literal, NamedTuple

from rules.core.blows import BlowSide
from rules.geometry import boxes
from rules.geometry.boxes import Box
from rules.matchbox.engine import hull
from rules.matchbox.engine.state import Galley, HullEdge

_EDGES: Final[tuple[HullEdge, ...]] = ("bow", "stern", "starboard", "port")  # in the order of `boxes.edge_gaps`
_EDGE_NORMALS: Final[Mapping[HullEdge, tuple[int, int]]] = {
    "bow": (1, 0),
    "starboard": (0, 1),
    "port": (0, -1),
    "stern": (-1, 0),
}
"""Outward normals, ahead and to starboard, in the order that settles ties (MB-5.7)."""
_TIE_ORDER: Final = tuple(_EDGE_NORMALS)
_EQUAL_MM: Final = 0.01  # lines whose gaps differ by no more separate two hulls equally well (MB-5.7)
BASE_DAMAGE: Final[Mapping[str, int]] = {"side": 2, "rear": 1, "frontal": 2}  # damage by kind of ram (MB-5.8)

TouchedEdges = tuple[HullEdge, HullEdge]


def ram_damage(ram: RamContact, run: int) -> int:
    """Return a ram's damage after a forward run (MB-5.8, 5.9), by vessel (MX-2.2, 2.4) and crew (MX-4.5)."""
    return max(0, BASE_DAMAGE[ram.kind] + run + ram.by.kind.ram_bonus + ("r" in ram.by.crew))


class RamContact(NamedTuple):
    """One galley struck another with its bow. `edge` is that of the rammed hull."""

    by: Galley  # the galley whose bow struck
    rammed: Galley  # the galley that was struck
    kind: Literal["side", "rear", "frontal"]  # where the bow struck: `frontal` is bow to bow
    edge: HullEdge  # the struck edge of the rammed hull
    facing: BlowSide  # the side of the rammed hull that takes most of the damage (MB-5.12)


def pairs_in_contact(galleys: Sequence[Galley]) -> tuple[tuple[Galley, Galley], ...]:
    """Return all pairs in contact, in galley order (MB-5.6)."""
    return tuple((a, b) for a, b, _ in contacts_with_gaps(galleys))


def contacts_with_gaps(galleys: Sequence[Galley]) -> list[tuple[Galley, Galley, float]]:
    """Return all pairs in contact, in galley order, with the separation (`boxes.separation`) of each pair in mm."""
    hulls = []
    for galley in galleys:
        kind = galley.kind
        box = kind.make_box(galley.pose)
        hulls.append((galley, box, box.x, box.y, kind.reach_mm))
    # The separation is never more than the gap, so only where it is small must the gap itself be computed.
    max_gap = hull.CONTACT_MM + hull.LENGTH_TOLERANCE_MM
    contacts = []
    for (a, box_a, ax, ay, reach_a), (b, box_b, bx, by, reach_b) in combinations(hulls, 2):
        east, north, max_distance = ax - bx, ay - by, reach_a + reach_b + hull.CONTACT_MM
        if east * east + north * north > max_distance * max_distance:
            continue
        separation_mm = boxes.separation(box_a, box_b)
        may_touch = separation_mm <= max_gap + hull.LENGTH_TOLERANCE_MM
        if separation_mm <= 0 or (may_touch and boxes.is_near(box_a, box_b, max_gap)):
            contacts.append((a, b, separation_mm))
    return contacts


def touched_edges(a: Box, b: Box) -> TouchedEdges:
    """Return which edges of two hulls in contact touch (MB-5.7)."""
    gaps = boxes.edge_gaps(a, b)
    # The line that separates the hulls best decides, and others that are nearly as good compete with it.
    best = max(gaps) - _EQUAL_MM - hull.LENGTH_TOLERANCE_MM
    pairs: list[TouchedEdges] = []
    for edge, gap in zip(_EDGES, gaps[:4], strict=True):
        if gap >= best:
            pairs.append((edge, _most_opposed_edge(a, edge, b)))
    for edge, gap in zip(_EDGES, gaps[4:], strict=True):
        if gap >= best:
            pairs.append((_most_opposed_edge(b, edge, a), edge))
    return _settle_tie(tuple(dict.fromkeys(pairs))) if len(pairs) > 1 else pairs[0]


def _settle_tie(pairs: Sequence[TouchedEdges]) -> TouchedEdges:
    """Choose among pairs of edges whose lines separate the hulls equally well (MB-5.7)."""
    if len(pairs) > 1 and any(a == "bow" for a, _ in pairs) and any(b == "bow" for _, b in pairs):
        return "bow", "bow"
    # A bow against a side comes before a bow against a stern, and that before the rest.
    return min(
        pairs, key=lambda pair: ("bow" not in pair or {*pair}.isdisjoint({"port", "starboard"}), "bow" not in pair)
    )


def _most_opposed_edge(own: Box, edge: HullEdge, other: Box) -> HullEdge:
    """Return the edge of the other hull whose outward normal points most against that of this edge."""
    ux, uy = own.ux, own.uy
    ahead, abeam = _EDGE_NORMALS[edge]
    normal_x, normal_y = ahead * ux + abeam * uy, ahead * uy - abeam * ux  # outward, x east and y north
    along = normal_x * other.ux + normal_y * other.uy  # the normal, ahead of the other hull
    abreast = normal_x * other.uy - normal_y * other.ux  # the normal, to starboard of the other hull
    # Cosines between the normal and those of the other's edges, in the order that settles ties.
    best_edge, least_cosine = _TIE_ORDER[0], along
    for other_edge, cosine in zip(_TIE_ORDER[1:], (abreast, -abreast, -along), strict=True):
        if cosine < least_cosine - boxes.TOUCH_DISTANCE:
            best_edge, least_cosine = other_edge, cosine
    return best_edge


def rams_of_contact(a: Galley, b: Galley) -> tuple[RamContact, ...]:
    """Return the rams of a new contact (MB-5.8, MB-5.10): one, two if frontal, none for a scrape.

    A fire ship's ram lights the other (MX-2.7). A merchant's bow does nothing (MX-2.6).
    """
    return tuple(ram for ram in _rams_by_bows(a, b) if ram.by.kind.bow != "none")


def _rams_by_bows(a: Galley, b: Galley) -> tuple[RamContact, ...]:
    edge_a, edge_b = touched_edges(hull.hull_of(a), hull.hull_of(b))
    if edge_a == edge_b == "bow":
        return _make_ram(a, b, "bow", frontal=True), _make_ram(b, a, "bow", frontal=True)
    if edge_a == "bow":
        return (_make_ram(a, b, edge_b),)
    if edge_b == "bow":
        return (_make_ram(b, a, edge_a),)
    return ()


def _make_ram(by: Galley, to: Galley, edge: HullEdge, *, frontal: bool = False) -> RamContact:
    if edge in {"port", "starboard"}:
        return RamContact(by, to, "side", edge, edge)
    return RamContact(by, to, "frontal" if frontal else "rear", edge, hull.facing_side(to, by))
