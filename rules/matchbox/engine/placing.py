"""Deployment of galleys (MB-2): legal places and proposed places.

A place must leave room, straight ahead, for the side's galleys that are still to come. Captains of a side who place in
secret each have a share of the strip, because they cannot see each other.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, zip_longest
from typing import Final, NamedTuple

from msgspec import UNSET, structs

from rules.core.errors import Fault, illegal_fault
from rules.core.protocol import Seat
from rules.core.sides import letter_of, seat_of
from rules.geometry.boxes import unit_vector
from rules.matchbox.engine import backing, hull
from rules.matchbox.engine.kinds import GALLEY, KINDS
from rules.matchbox.engine.points import VesselBuild, parse_build
from rules.matchbox.engine.pose import Pose
from rules.matchbox.engine.sea import Sea
from rules.matchbox.engine.shore import MIN_SHORE_GAP_MM
from rules.matchbox.engine.state import MATCH_MM, Galley, State, TableSide

STRIP_DEPTH_MM: Final = 2 * MATCH_MM  # depth of the strip along a side's own edge (MB-2.2)
MIN_FRIEND_GAP_MM: Final = 2 * MATCH_MM  # minimum gap between friendly hulls (MB-2.3)
MIN_LAND_GAP_MM: Final = 10.0  # minimum gap to land (MX-1.7)
_PROW_SETBACK_MM: Final = 15.0  # distance of a proposed prow from the front of the strip
_HALF_WIDTH_MM: Final = GALLEY.half_width_mm
_PITCH_MM: Final = GALLEY.width_mm + MIN_FRIEND_GAP_MM  # least distance between prows side by side
_PASSING_GAP_MM: Final = _HALF_WIDTH_MM + 2 * MIN_SHORE_GAP_MM
"""Distance from land at which a prow can pass straight on (MX-1.8)."""
_PROPOSED_HOLES: Final = 6  # oar holes of the type that is proposed to a captain who may choose
_SLACK_MM: Final = 0.001  # positions are rounded to this


class PlacementArea(NamedTuple):
    side: TableSide  # the captain's side
    west_mm: float  # western end of the captain's share of the strip
    east_mm: float  # eastern end of the captain's share of the strip
    sea: Sea  # the table with its land
    strip_mm: float = STRIP_DEPTH_MM  # depth needed by the longest vessel (MX-2.2)

    @property
    def ahead_deg(self) -> float:  # straight at the enemy's edge (MB-2.4)
        return 0.0 if self.side == "south" else 180.0

    def captain_coordinates(self, pose: Pose) -> tuple[float, float, float]:
        """Return distances from the captain's left and own edge, in mm, and the turn to starboard in degrees."""
        turned = (pose.heading_deg - self.ahead_deg + 180) % 360 - 180
        if self.side == "south":
            return pose.x_mm, pose.y_mm, turned
        return self.sea.width_mm - pose.x_mm, self.sea.height_mm - pose.y_mm, turned

    @property
    def strip_range(self) -> tuple[float, float]:  # of y, in mm (MB-2.2)
        deep, high = self.strip_mm, self.sea.height_mm
        return (0.0, deep) if self.side == "south" else (high - deep, high)

    def northing(self, depth_mm: float) -> float:  # y, in mm, of a distance from the own edge
        return depth_mm if self.side == "south" else self.sea.height_mm - depth_mm


def max_galleys(width_mm: float, captains: int, *, sealed: bool) -> int:
    """Return how many galleys each captain of a side can set down on a table of this width (MB-2.2, 2.3)."""
    if sealed:
        share_mm = (width_mm - MIN_FRIEND_GAP_MM * (captains - 1)) / captains
        return _count_abreast(_HALF_WIDTH_MM, share_mm - _HALF_WIDTH_MM)
    return _count_abreast(_HALF_WIDTH_MM, width_mm - _HALF_WIDTH_MM) // captains


def surely_placeable(state: State, seat: Seat) -> int:
    """Return how many galleys a captain can certainly set down beside the land (MB-2.2, MX-1.7)."""
    room = _count_in_stretches(_free_stretches((), placement_area(state, seat)))
    return room if state.deployment == "sealed" else room // state.sides.count(state.sides[seat])


def placement_area(state: State, seat: Seat) -> PlacementArea:
    side = state.sides[seat]
    allies = [other for other, other_side in enumerate(state.sides) if other_side == side]
    west, east = 0.0, state.width_mm
    if state.deployment == "sealed":
        share = (state.width_mm - MIN_FRIEND_GAP_MM * (len(allies) - 1)) / len(allies)
        west = allies.index(seat) * (share + MIN_FRIEND_GAP_MM)
        east = west + share
    return PlacementArea(side, west, east, state.sea, _deepest_strip_mm(state, allies))


def _deepest_strip_mm(state: State, seats: Sequence[Seat]) -> float:
    """Return the strip depth for the longest vessel that these captains have, or may choose (MX-2.2)."""
    if state.builds:
        known = (parse_build(build) for name, build in state.builds.items() if seat_of(name) in seats)
        return max((KINDS[build.vessel].strip_depth_mm for build in known), default=STRIP_DEPTH_MM)
    return max(kind.strip_depth_mm for kind in KINDS.values()) if state.vessels else STRIP_DEPTH_MM


def build_of(state: State, galley_id: str) -> VesselBuild | None:
    """Return the build of a vessel in a chosen fleet (MX-4.1); None: its captain chooses a type when placing it."""
    return parse_build(state.builds[galley_id]) if state.builds else None


def new_galley(galley_id: str, seat: Seat, side: TableSide, built: int | VesselBuild, pose: Pose) -> Galley:
    """Return a new vessel, undamaged unless battered (MB-1.3, MX-2.1, 4.7). An int is a galley's oar holes."""
    build = VesselBuild("galley", built) if isinstance(built, int) else built
    oars = build.holes - build.is_battered
    return Galley(
        id=galley_id,
        seat=seat,
        side=side,
        holes=build.holes,
        port=oars,
        starboard=oars,
        masts=KINDS[build.vessel].masts_by_holes[build.holes],
        pose=pose,
        vessel=None if build.vessel == "galley" else build.vessel,
        crew=build.crew,
    )


def placement_fault(galley: Galley, friends: Sequence[Galley], area: PlacementArea, to_come: int) -> Fault | None:
    """Return why a galley may not be placed beside these friends; `to_come` more must fit (MB-2.5)."""
    return (
        _outside_fault(galley, area)
        or _land_fault(galley, area)
        or _friend_fault(galley, friends)
        or _room_fault(galley, friends, area, to_come)
    )


def propose_galley(
    galley_id: str,
    seat: Seat,
    built: int | VesselBuild,
    friends: Sequence[Galley],
    area: PlacementArea,
    *,
    to_come: int,
    wish_x_mm: float,
    clear: bool = False,
) -> Galley:
    """Return a vessel in a legal place, straight ahead and as near as possible to an easting.

    `friends` are on the table, and `to_come` further galleys must find room, too. A legal place exists if every earlier
    galley left room. With `clear`, places from which no land blocks the straight way to the enemy's strip are
    preferred.
    """
    eastings = _candidate_eastings(friends, area, wish_x_mm)
    clear_eastings = _clear_eastings(eastings, friends, area) if clear and area.sea.shore else ()
    candidates = (
        new_galley(galley_id, seat, area.side, built, _pose_ahead(area, x, built)) for x in (*clear_eastings, *eastings)
    )
    return next(galley for galley in candidates if placement_fault(galley, friends, area, to_come) is None)


def fill_placement(
    state: State, seat: Seat, placed: Sequence[Galley], galley_ids: Sequence[str], friends: Sequence[Galley]
) -> tuple[Galley, ...]:
    """Return the `placed` galleys and the missing ones, spread over the area, in the order of `galley_ids`."""
    area = placement_area(state, seat)
    fleet = list(placed)
    placed_ids = {galley.id for galley in placed}
    for number, galley_id in enumerate(galley_ids):
        if galley_id in placed_ids:
            continue
        to_come = count_later(state, seat, galley_ids) + len(galley_ids) - len(fleet) - 1
        easting = _spread_easting(state, seat, galley_id, number, len(galley_ids))
        build = build_of(state, galley_id) or _PROPOSED_HOLES
        clear = state.scenario is UNSET  # the places of scenarios belong to their balance
        neighbours = (*friends, *fleet)
        fleet.append(
            propose_galley(galley_id, seat, build, neighbours, area, to_come=to_come, wish_x_mm=easting, clear=clear)
        )
    return tuple(sorted(fleet, key=lambda galley: galley_ids.index(galley.id)))


def count_later(state: State, seat: Seat, galley_ids: Iterable[str]) -> int:
    """Return how many galleys will be placed in the same area after these."""
    if state.deployment == "sealed":
        return 0
    side, current_ids = state.sides[seat], set(galley_ids)
    later_ids = [galley_id for galley_id in state.to_place if galley_id not in current_ids]
    return sum(state.sides[seat_of(galley_id)] == side for galley_id in later_ids)


def shift_galley(galley: Galley, east_mm: float, north_mm: float, turn_deg: float) -> Galley:  # turns about its middle
    x, y = hull.hull_middle(galley.pose, galley.kind)
    heading, half = galley.pose.heading_deg + turn_deg, galley.kind.half_length_mm
    bow = unit_vector(heading)
    pose = Pose(x + east_mm + half * bow.x, y + north_mm + half * bow.y, heading)
    return structs.replace(galley, pose=hull.round_pose(pose))


def sort_galleys(galleys: Iterable[Galley]) -> tuple[Galley, ...]:
    return tuple(sorted(galleys, key=lambda galley: (galley.seat, int(galley.id[1:]))))


def turn_order(sides: Sequence[TableSide], counts: Sequence[int], first: TableSide) -> tuple[str, ...]:
    """Return ids that alternate between the sides, and within a side between captains (MB-2.1).

    `counts` has each seat's vessels.
    """
    first_ids: list[str] = []  # ids of the side that begins
    second_ids: list[str] = []
    for number in range(1, max(counts) + 1):
        for seat, side in enumerate(sides):
            if number <= counts[seat]:
                ids = first_ids if side == first else second_ids
                ids.append(f"{letter_of(seat)}{number}")
    return tuple(galley for galley in chain.from_iterable(zip_longest(first_ids, second_ids)) if galley)


def _pose_ahead(area: PlacementArea, x_mm: float, built: int | VesselBuild) -> Pose:
    strip = STRIP_DEPTH_MM if isinstance(built, int) else KINDS[built.vessel].strip_depth_mm
    return Pose(x_mm, area.northing(strip - _PROW_SETBACK_MM), area.ahead_deg)


def _outside_fault(galley: Galley, area: PlacementArea) -> Fault | None:
    """Return why a galley is not in the captain's area: off the table, or outside the strip or the captain's share."""
    west, south, east, north = hull.hull_extent(hull.hull_of(galley))
    overhang = max(hull.edge_overhangs(hull.hull_of(galley), area.sea))
    if overhang > _SLACK_MM:
        return _make_fault("off_table", "MB-2.5", galley, over_mm=round(overhang, 1))
    deepest, strip_depth = max(area.northing(south), area.northing(north)), galley.kind.strip_depth_mm
    if deepest > strip_depth + _SLACK_MM:
        rule = "MB-2.2" if strip_depth == STRIP_DEPTH_MM else "MX-2.2"
        return _make_fault("beyond_strip", rule, galley, reach_mm=round(deepest, 1), most_mm=strip_depth)
    if west < area.west_mm - _SLACK_MM or east > area.east_mm + _SLACK_MM:
        return _make_fault(
            "outside_share", "MB-2.1", galley, west_mm=round(area.west_mm, 1), east_mm=round(area.east_mm, 1)
        )
    return None


def _land_fault(galley: Galley, area: PlacementArea) -> Fault | None:
    land = area.sea.shore
    gap = backing.land_gap(hull.hull_of(galley), land) if land else MIN_LAND_GAP_MM
    if gap >= MIN_LAND_GAP_MM - _SLACK_MM:
        return None
    return _make_fault("too_near_land", "MX-1.7", galley, gap_mm=round(gap, 1), least_mm=MIN_LAND_GAP_MM)


def _friend_fault(galley: Galley, friends: Sequence[Galley]) -> Fault | None:
    if not friends:
        return None
    gap, other = min((hull.hull_gap_mm(galley, friend), friend.id) for friend in friends)
    if gap >= MIN_FRIEND_GAP_MM - _SLACK_MM:
        return None
    return _make_fault("too_close", "MB-2.3", galley, other=other, gap_mm=round(gap, 1), least_mm=MIN_FRIEND_GAP_MM)


def _room_fault(galley: Galley, friends: Sequence[Galley], area: PlacementArea, to_come: int) -> Fault | None:
    if to_come == 0:
        return None
    room = _count_in_stretches(_free_stretches((*friends, galley), area))
    return None if room >= to_come else _make_fault("no_room_left", "MB-2.3", galley, room=room, to_come=to_come)


def _make_fault(code: str, rule: str, galley: Galley, **params: str | float) -> Fault:
    pose = galley.pose
    piece = f"{galley.id} @{pose.x_mm:g},{pose.y_mm:g}^{pose.heading_deg:g}"
    return illegal_fault(code, rule, piece=piece, galley=galley.id, **params)


def _count_abreast(first: float, last: float) -> int:  # galleys whose prows fit between two eastings
    return math.floor((last - first + _SLACK_MM) / _PITCH_MM) + 1 if last >= first - _SLACK_MM else 0


def _count_in_stretches(stretches: Iterable[tuple[float, float]]) -> int:
    """Return how many galleys fit in stretches from west to east, which may be closer than friends may lie."""
    total = 0
    next_x = -math.inf  # the nearest easting for the next galley
    for first, last in stretches:
        next_x = max(next_x, first)
        count = _count_abreast(next_x, last)
        total += count
        next_x += count * _PITCH_MM
    return total


def _free_stretches(friends: Iterable[Galley], area: PlacementArea) -> Iterator[tuple[float, float]]:
    """Yield ranges of x, from west to east, in which a prow may be placed straight ahead."""
    free_from, last = area.west_mm + _HALF_WIDTH_MM, area.east_mm - _HALF_WIDTH_MM
    for west, east in sorted([*_friend_stretches(friends), *_land_stretches(area)]):
        if west - _HALF_WIDTH_MM >= free_from - _SLACK_MM:
            yield free_from, min(west - _HALF_WIDTH_MM, last)
        free_from = max(free_from, east + _HALF_WIDTH_MM)
    if last >= free_from - _SLACK_MM:
        yield free_from, last


def _friend_stretches(friends: Iterable[Galley]) -> Iterator[tuple[float, float]]:
    """Yield the range of x that each friend blocks for other hulls (MB-2.3)."""
    for friend in friends:
        west, _, east, _ = hull.hull_extent(hull.hull_of(friend))
        yield west - MIN_FRIEND_GAP_MM, east + MIN_FRIEND_GAP_MM


def _land_stretches(area: PlacementArea) -> Iterator[tuple[float, float]]:
    """Yield ranges of x that land in the strip blocks for hulls (MX-1.7)."""
    if area.sea.shore:
        low, high = area.strip_range
        strip = (0.0, low - MIN_LAND_GAP_MM, area.sea.width_mm, high + MIN_LAND_GAP_MM)
        for west, east in area.sea.shore.parts_within(strip):
            yield west - MIN_LAND_GAP_MM, east + MIN_LAND_GAP_MM


def _clear_eastings(eastings: Iterable[float], friends: Iterable[Galley], area: PlacementArea) -> list[float]:
    """Return the free eastings from which no land blocks the straight way to the enemy's strip."""
    free = [*_free_stretches(friends, area)]
    land = area.sea.shore
    between_strips = 0.0, area.strip_mm, area.sea.width_mm, area.sea.height_mm - area.strip_mm
    land_ranges = land.parts_within(between_strips) if land else ()
    barred = [(west - _PASSING_GAP_MM, east + _PASSING_GAP_MM) for west, east in land_ranges]

    def is_clear(x: float) -> bool:
        is_free = any(west <= x <= east for west, east in free)
        return is_free and not any(west < x < east for west, east in barred)

    return [x for x in eastings if is_clear(x)]


def _candidate_eastings(friends: Sequence[Galley], area: PlacementArea, wanted_x: float) -> list[float]:
    # The wanted easting, ends of free stretches, and every 5 mm, the nearest to the wanted one first.
    ends = [end for stretch in _free_stretches(friends, area) for end in stretch]
    grid = [5.0 * k for k in range(math.ceil(area.west_mm / 5), math.floor(area.east_mm / 5) + 1)]
    eastings = {
        round(min(max(x, area.west_mm + _HALF_WIDTH_MM), area.east_mm - _HALF_WIDTH_MM), 3)
        for x in (wanted_x, *ends, *grid)
    }
    return sorted(eastings, key=lambda x: (abs(x - wanted_x), x))


def _spread_easting(state: State, seat: Seat, galley_id: str, number: int, count: int) -> float:
    # The easting, in mm, that spreads a captain's galleys, or those of all allies, evenly over the area.
    area = placement_area(state, seat)
    if state.deployment == "sealed":
        part = (number + 0.5) / count
    else:
        allies = [other for other, side in enumerate(state.sides) if side == area.side]
        place = allies.index(seat) * state.galleys_each + int(galley_id[1:]) - 0.5
        part = place / (len(allies) * state.galleys_each)
    return round(area.west_mm + part * (area.east_mm - area.west_mm), 3)
