"""Setting galleys down (MB part 2): where they may lie, and where they lie if nobody says.

Galleys of a side may be set down so unluckily that the last finds no room. So a place must leave room, straight at the
enemy's edge, for the galleys of the side that are still to come. And captains of a side who place in secret each have
a share of their strip, as they cannot see each other.
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

STRIP_DEPTH_MM: Final = 2 * MATCH_MM
"""MB-2.2: depth of the strip along a side's own edge."""
MIN_FRIEND_GAP_MM: Final = 2 * MATCH_MM
"""MB-2.3: least gap between friendly hulls."""

MIN_LAND_GAP_MM: Final = 10.0
"""MX-1.7: least gap to land."""

_PROW_SETBACK_MM: Final = 15.0
"""How far behind the strip's end a prow lies where nobody says."""
_HALF_WIDTH_MM: Final = GALLEY.half_width_mm
_PITCH_MM: Final = GALLEY.width_mm + MIN_FRIEND_GAP_MM
_PASSING_GAP_MM: Final = _HALF_WIDTH_MM + 2 * MIN_SHORE_GAP_MM
"""MX-1.8: so far from land a prow passes it, straight on, and is not stopped."""
# Places are kept to 0.001 mm, and so is what they are measured by.
_SLACK_MM: Final = 0.001


class PlacementArea(NamedTuple):
    """Where a captain may set galleys down."""

    side: TableSide
    west_mm: float
    east_mm: float
    sea: Sea
    strip_mm: float = STRIP_DEPTH_MM
    """As deep as the longest of the vessels needs it (MX-2.2)."""

    @property
    def ahead_deg(self) -> float:
        """Heading straight at the enemy's edge (MB-2.4)."""
        return 0.0 if self.side == "south" else 180.0

    def captain_coordinates(self, pose: Pose) -> tuple[float, float, float]:
        """How far a prow is from the captain's left and from their own edge, in mm; and degrees that she is turned.

        To starboard of straight at the enemy's edge; to port below 0.
        """
        turned = (pose.heading_deg - self.ahead_deg + 180) % 360 - 180
        if self.side == "south":
            return pose.x_mm, pose.y_mm, turned
        return self.sea.width_mm - pose.x_mm, self.sea.height_mm - pose.y_mm, turned

    @property
    def strip_range(self) -> tuple[float, float]:
        """The strip of the table, from y to y (MB-2.2)."""
        deep, high = self.strip_mm, self.sea.height_mm
        return (0.0, deep) if self.side == "south" else (high - deep, high)

    @property
    def share_range(self) -> tuple[float, float]:
        """The captain's part of the strip, from x to x in mm."""
        return self.west_mm, self.east_mm

    def northing(self, depth_mm: float) -> float:
        """The y in mm of a distance from the own edge."""
        return depth_mm if self.side == "south" else self.sea.height_mm - depth_mm


def max_galleys(width_mm: float, captains: int, *, sealed: bool) -> int:
    """The number of galleys that each of a side's captains can set down on a table of this width (MB-2.2, 2.3)."""
    if sealed:
        return _count_abreast(
            _HALF_WIDTH_MM, (width_mm - MIN_FRIEND_GAP_MM * (captains - 1)) / captains - _HALF_WIDTH_MM
        )
    return _count_abreast(_HALF_WIDTH_MM, width_mm - _HALF_WIDTH_MM) // captains


def surely_placeable(state: State, seat: Seat) -> int:
    """The number of galleys that a captain can surely set down beside the land in their berth (MB-2.2, MX-1.7)."""
    found = _count_in_stretches(_free_stretches((), placement_area(state, seat)))
    return found if state.deployment == "sealed" else found // state.sides.count(state.sides[seat])


def placement_area(state: State, seat: Seat) -> PlacementArea:
    """Where a captain may set galleys down: their side's strip, or their share of it in sealed deployment."""
    side = state.sides[seat]
    allies = [other for other, theirs in enumerate(state.sides) if theirs == side]
    west, east = 0.0, state.width_mm
    if state.deployment == "sealed":
        share = (state.width_mm - MIN_FRIEND_GAP_MM * (len(allies) - 1)) / len(allies)
        west = allies.index(seat) * (share + MIN_FRIEND_GAP_MM)
        east = west + share
    return PlacementArea(side, west, east, state.sea, _deepest_strip_mm(state, allies))


def _deepest_strip_mm(state: State, seats: Sequence[Seat]) -> float:
    """The strip that the longest vessel of some captains needs, or may need as long as they choose (MX-2.2)."""
    if state.builds:
        known = (parse_build(build) for name, build in state.builds.items() if seat_of(name) in seats)
        return max((KINDS[build.vessel].strip_depth_mm for build in known), default=STRIP_DEPTH_MM)
    return max(kind.strip_depth_mm for kind in KINDS.values()) if state.vessels else STRIP_DEPTH_MM


def build_of(state: State, galley_id: str) -> VesselBuild | None:
    """How a vessel of a chosen fleet is built (MX-4.1); None: her captain chooses her type when she is set down."""
    return parse_build(state.builds[galley_id]) if state.builds else None


def new_galley(galley_id: str, seat: Seat, side: TableSide, built: int | VesselBuild, pose: Pose) -> Galley:
    """A vessel, unharmed unless battered: of a type, by her oar holes, or as she is built (MB-1.3, MX-2.1, 4.7)."""
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


def placement_fault(galley: Galley, friends: Sequence[Galley], where: PlacementArea, to_come: int) -> Fault | None:
    """Why a galley may not lie there among these friends; `to_come` more have no place yet (MB-2.5)."""
    return (
        _outside_fault(galley, where)
        or _land_fault(galley, where)
        or _friend_fault(galley, friends)
        or _room_fault(galley, friends, where, to_come)
    )


def propose_galley(
    galley_id: str,
    seat: Seat,
    built: int | VesselBuild,
    friends: Sequence[Galley],
    where: PlacementArea,
    *,
    to_come: int,
    wish_x_mm: float,
    clear: bool = False,
) -> Galley:
    """A vessel set down legally, straight at the enemy's edge and as near to an easting as can be.

    There is such a place as long as each galley set down before has left room. With `clear` it is one from which no
    land bars the straight way to the enemy's strip, if any is.
    """
    tried = _candidate_eastings(friends, where, wish_x_mm)
    better = _clear_eastings(tried, friends, where) if clear and where.sea.shore else ()
    there = (new_galley(galley_id, seat, where.side, built, _pose_ahead(where, x, built)) for x in (*better, *tried))
    return next(galley for galley in there if placement_fault(galley, friends, where, to_come) is None)


def fill_placement(
    state: State, seat: Seat, placed: Sequence[Galley], asked: Sequence[str], friends: Sequence[Galley]
) -> tuple[Galley, ...]:
    """The `placed` galleys, and the others that are asked for spread along the berth, in the order of `asked`."""
    where = placement_area(state, seat)
    fleet = list(placed)
    names = {galley.id for galley in placed}
    for number, galley_id in enumerate(asked):
        if galley_id in names:
            continue
        to_come = count_later(state, seat, asked) + len(asked) - len(fleet) - 1
        wish = _spread_easting(state, seat, galley_id, number, len(asked))
        built = build_of(state, galley_id) or 6
        clear = state.scenario is UNSET  # the places of scenarios belong to their balance
        there = (*friends, *fleet)
        fleet.append(propose_galley(galley_id, seat, built, there, where, to_come=to_come, wish_x_mm=wish, clear=clear))
    return tuple(sorted(fleet, key=lambda galley: asked.index(galley.id)))


def count_later(state: State, seat: Seat, asked: Iterable[str]) -> int:
    """The number of galleys that will be set down in the same berth after those asked for now."""
    if state.deployment == "sealed":
        return 0
    side, now = state.sides[seat], set(asked)
    return sum(1 for galley_id in state.to_place if galley_id not in now and state.sides[seat_of(galley_id)] == side)


def shift_galley(galley: Galley, east_mm: float, north_mm: float, turn_deg: float) -> Galley:
    """A galley shifted by millimetres, and turned about her middle."""
    x, y = hull.hull_middle(galley.pose, galley.kind)
    heading, half = galley.pose.heading_deg + turn_deg, galley.kind.half_length_mm
    bow = unit_vector(heading)
    pose = Pose(x + east_mm + half * bow.x, y + north_mm + half * bow.y, heading)
    return structs.replace(galley, pose=hull.round_pose(pose))


def sort_galleys(galleys: Iterable[Galley]) -> tuple[Galley, ...]:
    """Galleys by seat, then by number."""
    return tuple(sorted(galleys, key=lambda galley: (galley.seat, int(galley.id[1:]))))


def turn_order(sides: Sequence[TableSide], counts: Sequence[int], first: TableSide) -> tuple[str, ...]:
    """Alternate between the sides, one vessel at a time, and within a side between its captains (MB-2.1).

    `counts` says how many vessels each seat has.
    """
    fleets = [
        [
            f"{letter_of(seat)}{number}"
            for number in range(1, max(counts) + 1)
            for seat, of in enumerate(sides)
            if (of == first) == foremost and number <= counts[seat]
        ]
        for foremost in (True, False)
    ]
    return tuple(galley for galley in chain.from_iterable(zip_longest(*fleets)) if galley)


def _pose_ahead(where: PlacementArea, x_mm: float, built: int | VesselBuild) -> Pose:
    strip = STRIP_DEPTH_MM if isinstance(built, int) else KINDS[built.vessel].strip_depth_mm
    return Pose(x_mm, where.northing(strip - _PROW_SETBACK_MM), where.ahead_deg)


def _outside_fault(galley: Galley, where: PlacementArea) -> Fault | None:
    west, south, east, north = hull.hull_extent(hull.hull_of(galley))
    over = max(hull.edge_overhangs(hull.hull_of(galley), where.sea))
    if over > _SLACK_MM:
        return _make_fault("off_table", "MB-2.5", galley, over_mm=round(over, 1))
    reach, strip = max(where.northing(south), where.northing(north)), galley.kind.strip_depth_mm
    if reach > strip + _SLACK_MM:
        rule = "MB-2.2" if strip == STRIP_DEPTH_MM else "MX-2.2"
        return _make_fault("beyond_strip", rule, galley, reach_mm=round(reach, 1), most_mm=strip)
    if west < where.west_mm - _SLACK_MM or east > where.east_mm + _SLACK_MM:
        return _make_fault(
            "outside_share", "MB-2.1", galley, west_mm=round(where.west_mm, 1), east_mm=round(where.east_mm, 1)
        )
    return None


def _land_fault(galley: Galley, where: PlacementArea) -> Fault | None:
    land = where.sea.shore
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


def _room_fault(galley: Galley, friends: Sequence[Galley], where: PlacementArea, to_come: int) -> Fault | None:
    if to_come == 0:
        return None
    room = _count_in_stretches(_free_stretches((*friends, galley), where))
    return None if room >= to_come else _make_fault("no_room_left", "MB-2.3", galley, room=room, to_come=to_come)


def _make_fault(code: str, rule: str, galley: Galley, **params: str | float) -> Fault:
    pose = galley.pose
    piece = f"{galley.id} @{pose.x_mm:g},{pose.y_mm:g}^{pose.heading_deg:g}"
    return illegal_fault(code, rule, piece=piece, galley=galley.id, **params)


def _count_abreast(first: float, last: float) -> int:
    """The number of galleys that can lie abreast, straight ahead, with prows from `first` to `last`."""
    return math.floor((last - first + _SLACK_MM) / _PITCH_MM) + 1 if last >= first - _SLACK_MM else 0


def _count_in_stretches(stretches: Iterable[tuple[float, float]]) -> int:
    """The same in several stretches, west to east: land between two of them may be thinner than what parts friends."""
    found, at = 0, -math.inf
    for first, last in stretches:
        at = max(at, first)
        more = _count_abreast(at, last)
        found, at = found + more, at + more * _PITCH_MM
    return found


def _free_stretches(friends: Iterable[Galley], where: PlacementArea) -> Iterator[tuple[float, float]]:
    """The stretches where the prow of one more galley may lie, straight ahead, at any depth."""
    at, last = where.west_mm + _HALF_WIDTH_MM, where.east_mm - _HALF_WIDTH_MM
    for west, east in sorted([*_friend_stretches(friends), *_land_stretches(where)]):
        if west - _HALF_WIDTH_MM >= at - _SLACK_MM:
            yield at, min(west - _HALF_WIDTH_MM, last)
        at = max(at, east + _HALF_WIDTH_MM)
    if last >= at - _SLACK_MM:
        yield at, last


def _friend_stretches(friends: Iterable[Galley]) -> Iterator[tuple[float, float]]:
    """From where to where, west to east, no other hull may lie for each of these friends (MB-2.3)."""
    for friend in friends:
        west, _, east, _ = hull.hull_extent(hull.hull_of(friend))
        yield west - MIN_FRIEND_GAP_MM, east + MIN_FRIEND_GAP_MM


def _land_stretches(where: PlacementArea) -> Iterator[tuple[float, float]]:
    """The same for land in the strip (MX-1.7)."""
    if where.sea.shore:
        low, high = where.strip_range
        strip = (0.0, low - MIN_LAND_GAP_MM, where.sea.width_mm, high + MIN_LAND_GAP_MM)
        for west, east in where.sea.shore.parts_within(strip):
            yield west - MIN_LAND_GAP_MM, east + MIN_LAND_GAP_MM


def _clear_eastings(eastings: Iterable[float], friends: Iterable[Galley], where: PlacementArea) -> list[float]:
    """Those eastings with room beside friends from which no land bars the straight way to the enemy's strip."""
    free, land = [*_free_stretches(friends, where)], where.sea.shore
    between = 0.0, where.strip_mm, where.sea.width_mm, where.sea.height_mm - where.strip_mm
    barred = (
        [(west - _PASSING_GAP_MM, east + _PASSING_GAP_MM) for west, east in land.parts_within(between)] if land else []
    )
    return [
        x
        for x in eastings
        if any(west <= x <= east for west, east in free) and not any(west < x < east for west, east in barred)
    ]


def _candidate_eastings(friends: Sequence[Galley], where: PlacementArea, wish: float) -> list[float]:
    """Eastings to try, the nearest to the wish first."""
    ends = [end for stretch in _free_stretches(friends, where) for end in stretch]
    coarse = [5.0 * k for k in range(math.ceil(where.west_mm / 5), math.floor(where.east_mm / 5) + 1)]
    tried = {
        round(min(max(x, where.west_mm + _HALF_WIDTH_MM), where.east_mm - _HALF_WIDTH_MM), 3)
        for x in (wish, *ends, *coarse)
    }
    return sorted(tried, key=lambda x: (abs(x - wish), x))


def _spread_easting(state: State, seat: Seat, galley_id: str, number: int, asked: int) -> float:
    where = placement_area(state, seat)
    if state.deployment == "sealed":
        part = (number + 0.5) / asked
    else:
        allies = [other for other, side in enumerate(state.sides) if side == where.side]
        part = (allies.index(seat) * state.galleys_each + int(galley_id[1:]) - 0.5) / (len(allies) * state.galleys_each)
    return round(where.west_mm + part * (where.east_mm - where.west_mm), 3)
