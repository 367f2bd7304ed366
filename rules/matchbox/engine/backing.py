"""Vessels come clear at the end of a round: straight astern, and sideways off land (MB-5.13, MX-1.11, 1.12)."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Final, Literal, NamedTuple

from msgspec import structs

from rules.geometry import boxes
from rules.geometry.boxes import Box, Pair
from rules.geometry.plane import Land
from rules.matchbox.engine import hull, shore
from rules.matchbox.engine.contact import pairs_in_contact, touched_edges
from rules.matchbox.engine.pose import Pose
from rules.matchbox.engine.sea import Sea
from rules.matchbox.engine.state import MATCH_MM, Galley

_STEP_MM: Final = 0.1  # the step in which vessels back off and are poled off (MB-5.13, MX-1.12)

_PoseFunction = Callable[[int], Pose]  # a vessel's pose after a number of steps


class Backing(NamedTuple):
    galley: str  # id of the vessel
    start: Pose  # pose before it backs off
    end: Pose  # pose after it has backed off
    distance_mm: float  # how far it backs off; 0: it has no room


class Poling(NamedTuple):
    galley: str  # id of the vessel
    start: Pose  # pose before it is poled off
    end: Pose  # pose after it was poled off
    to: Literal["port", "starboard"]  # the side towards which it is poled
    distance_mm: float  # how far it is poled


def back_off(
    galleys: Sequence[Galley], sea: Sea, also: Collection[str], pairs: Iterable[tuple[Galley, Galley]]
) -> tuple[Backing, ...]:
    """Return which vessels back off from a contact of the bow, and how far (MB-5.13, MX-1.11), in galley order.

    Ids in `also` are of blocked vessels, which back off even if no bow touches (MX-0.4). `pairs` are all pairs in
    contact.
    """
    touching: dict[str, set[str]] = {}
    backing_ids = set(also)
    for a, b in pairs:
        touching.setdefault(a.id, set()).add(b.id)
        touching.setdefault(b.id, set()).add(a.id)
        edge_a, edge_b = touched_edges(hull.hull_of(a), hull.hull_of(b))
        if edge_a == "bow":
            backing_ids.add(a.id)
        if edge_b == "bow":
            backing_ids.add(b.id)
    land = sea.shore  # None: open water
    if land:
        backing_ids |= {galley.id for galley in galleys if shore.is_land_at_bow(hull.hull_of(galley), land)}
    galleys_by_id = {galley.id: galley for galley in galleys}  # with the poses of those that have already backed off
    backings = []
    for galley in galleys:
        if galley.id not in backing_ids:
            continue
        touched_ids = touching.get(galley.id, set())
        others = [
            (hull.hull_of(other), name in touched_ids) for name, other in galleys_by_id.items() if name != galley.id
        ]
        distance, end = _back_vessel(galley, others, sea, land)
        galleys_by_id[galley.id] = structs.replace(galley, pose=end)
        backings.append(Backing(galley.id, galley.pose, end, distance))
    return tuple(backings)


def _back_vessel(galley: Galley, others: Sequence[tuple[Box, bool]], sea: Sea, land: Land | None) -> tuple[float, Pose]:
    """Return how far a vessel backs, up to a match, and its pose then. `others` are hulls and whether they touch it."""
    own = hull.hull_of(galley)
    max_distance = MATCH_MM if land else min(MATCH_MM, _table_room(own, (-own.ux, -own.uy), sea))

    def back(distance_mm: float) -> Pose:
        pose = shift_pose(galley.pose, (-own.ux, -own.uy), distance_mm)
        # With land on the table, the table's edge does not end the way but pushes the vessel along (MX-1.11).
        return hull.push_back(pose, sea, galley.kind) if land else pose

    max_steps = int((max_distance + hull.LENGTH_TOLERANCE_MM) / _STEP_MM)
    steps = _steps_of_room(galley, lambda steps: back(steps * _STEP_MM), max_steps, others, land)
    distance = round(steps * _STEP_MM, 1)
    return distance, back(distance)


def pole_off(galleys: Sequence[Galley], sea: Sea) -> tuple[Poling, ...]:
    """Return which vessels are poled sideways off land, and how far (MX-1.12), in galley order."""
    galleys_by_id = {galley.id: galley for galley in galleys}
    polings: list[Poling] = []
    land = sea.shore
    if not land:
        return ()
    for galley in galleys:
        own = hull.hull_of(galley)
        if land.distance_bound(own.x, own.y) > galley.kind.reach_mm + galley.kind.clearance_mm:
            continue
        others = [other for name, other in galleys_by_id.items() if name != galley.id]
        poling = _pole_vessel(galley, others, sea, land)
        if poling and poling.distance_mm:
            galleys_by_id[galley.id] = structs.replace(galley, pose=poling.end)
            polings.append(poling)
    return tuple(polings)


def _pole_vessel(galley: Galley, others: Sequence[Galley], sea: Sea, land: Land) -> Poling | None:
    """Return how a vessel is poled off; None: land is not too near on exactly one of its sides."""
    own, clearance = hull.hull_of(galley), galley.kind.clearance_mm
    edges = land.edges_within(hull.hull_extent(own, clearance))
    port_lack, starboard_lack = (clearance - gap for gap in shore.side_gaps(own, edges))  # of clearance from land, mm
    port_is_too_near = port_lack > hull.LENGTH_TOLERANCE_MM
    starboard_is_too_near = starboard_lack > hull.LENGTH_TOLERANCE_MM
    if port_is_too_near == starboard_is_too_near:
        return None
    to: Literal["port", "starboard"] = "starboard" if port_is_too_near else "port"
    missing = max(port_lack, starboard_lack)
    direction = (own.uy, -own.ux) if to == "starboard" else (-own.uy, own.ux)
    # No side gains more distance than the shift, so none has its clearance before the last of these steps.
    max_steps = min(
        math.ceil((missing - hull.LENGTH_TOLERANCE_MM) / _STEP_MM),
        int((_table_room(own, direction, sea) + hull.LENGTH_TOLERANCE_MM) / _STEP_MM),
    )

    def pose_after(steps: int) -> Pose:
        return shift_pose(galley.pose, direction, steps * _STEP_MM)

    own_contacts = [pair for pair in pairs_in_contact([galley, *others]) if galley in pair]
    touching_ids = {touching.id for pair in own_contacts for touching in pair}
    hulls = [(hull.hull_of(other), other.id in touching_ids) for other in others]
    steps = _steps_of_room(galley, pose_after, max_steps, hulls, land)
    distance = round(steps * _STEP_MM, 1)
    return Poling(galley.id, galley.pose, shift_pose(galley.pose, direction, distance), to, distance)


def shift_pose(pose: Pose, unit: Pair, distance_mm: float) -> Pose:  # along a unit vector
    return Pose(pose.x_mm + distance_mm * unit[0], pose.y_mm + distance_mm * unit[1], pose.heading_deg)


def _steps_of_room(
    galley: Galley, pose_after: _PoseFunction, max_steps: int, others: Sequence[tuple[Box, bool]], land: Land | None
) -> int:
    """Return how many steps of 0.1 mm, at most `max_steps`, a vessel can go before others or land stop it.

    `others` are hulls and whether they touched it before, and `pose_after` returns the vessel's pose after some steps
    (MB-5.13, MX-1.11).
    """
    own = hull.hull_of(galley)
    max_distance = galley.kind.reach_mm + max_steps * _STEP_MM + hull.CONTACT_MM
    hulls = [
        (other, was_touching)
        for other, was_touching in others
        if max(abs(other.x - own.x), abs(other.y - own.y))
        < max_distance + math.hypot(other.half_length, other.half_width)
    ]
    first_hull, last_hull = (galley.kind.make_box(pose_after(steps)) for steps in (1, max_steps))
    # If the table's edge pushes the vessel, its way is shorter and bent.
    straight = math.hypot(last_hull.x - own.x, last_hull.y - own.y) > max_steps * _STEP_MM - hull.LENGTH_TOLERANCE_MM
    hulls = [entry for entry in hulls if not (straight and _stays_clear(own, (first_hull, last_hull), entry))]
    margin = shore.BOW_CONTACT_MM + 4 * hull.LENGTH_TOLERANCE_MM + (0.0 if straight else max_steps * _STEP_MM)
    edges = shore.edges_in_the_way(own, last_hull, land, margin) if land else []
    if not hulls and not edges:
        return max_steps
    hulls_and_limits = [(entry, _min_separation(own, entry[0])) for entry in hulls]
    min_land_gap = min(
        shore.BOW_CONTACT_MM + 2 * hull.LENGTH_TOLERANCE_MM, shore.edges_gap_mm(own, edges) - hull.LENGTH_TOLERANCE_MM
    )

    def spare(steps: int) -> float:  # the smallest spare gap, in mm, after these steps
        own_hull = galley.kind.make_box(pose_after(steps))
        land_room = shore.edges_gap_mm(own_hull, edges) - min_land_gap
        return min([land_room, *(_spare_distance(own_hull, *entry) for entry in hulls_and_limits)])

    steps_done, room = 0, spare(0)
    while steps_done < max_steps:
        # A gap shrinks at most by the distance moved, so all steps that fit into the smallest gap are free.
        step = min(max_steps - steps_done, max(1, int((room - hull.LENGTH_TOLERANCE_MM) / _STEP_MM)))
        room = spare(steps_done + step)
        if step == 1 and room < 0:
            break
        steps_done += step
    return steps_done


def land_gap(own: Box, land: Land) -> float:
    return float(land.hull_gaps([boxes.box_corners(own)])[0])


def _min_separation(own: Box, other: Box) -> float:
    """Return the least separation of touching hulls. An existing overlap is due to rounding and may not grow."""
    return min(0.0, boxes.separation(own, other)) - hull.LENGTH_TOLERANCE_MM


def _stays_clear(own: Box, first_and_last: tuple[Box, Box], other: tuple[Box, bool]) -> bool:
    """Return whether the line through some edge keeps two hulls apart on all of a straight way."""
    first_hull, last_hull = first_and_last
    other_hull, was_touching = other
    min_gap = boxes.TOUCH_DISTANCE + (
        _min_separation(own, other_hull) if was_touching else hull.CONTACT_MM + 2 * hull.LENGTH_TOLERANCE_MM
    )
    # On a straight way, the gap along a line is a linear function.
    gaps = zip(boxes.edge_gaps(first_hull, other_hull), boxes.edge_gaps(last_hull, other_hull), strict=True)
    return any(first_gap >= min_gap and last_gap >= min_gap for first_gap, last_gap in gaps)


def _spare_distance(own: Box, other: tuple[Box, bool], min_separation: float) -> float:
    """Return how much nearer two hulls may come; negative: they are too near (MB-5.13)."""
    other_hull, was_touching = other
    if was_touching:
        return boxes.separation(own, other_hull) - min_separation
    return boxes.box_gap(own, other_hull) - hull.CONTACT_MM - 2 * hull.LENGTH_TOLERANCE_MM


def _table_room(own: Box, direction: Pair, sea: Sea) -> float:
    # How far a hull can go in a direction before it reaches an edge of the table, in mm.
    west, south, east, north = hull.hull_extent(own)
    ux, uy = direction
    # The distance from each edge, and how fast the hull approaches it.
    edges = (west, -ux), (south, -uy), (sea.width_mm - east, ux), (sea.height_mm - north, uy)
    return min(max(0.0, distance) / rate for distance, rate in edges if rate > boxes.TOUCH_DISTANCE)
