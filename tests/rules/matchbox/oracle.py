"""One round of War Galley by another program: written from the numbered rules alone, slow and plain.

It shares no line with the resolver and finds instants by small steps, where that one reckons. Poses are rounded to
0.000001 mm after each step, as the resolver keeps them: else three hulls in contact part on the last digit.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from shapely import LineString, Point, Polygon, prepare, union_all
from shapely.geometry.base import BaseGeometry

EDGES = ("bow", "starboard", "stern", "port")
TIES = ("bow", "starboard", "port", "stern")
"""MB-5.7: the order in which edges are preferred."""
SLIDES, FINE = 5e-5, 2e-6
"""The smallest parts of a step by which hulls in contact, and hulls apart, are moved on."""
Pose = tuple[float, float, float]
Spot = tuple[float, float]


class Kind(NamedTuple):
    """A line of the table of MX-2.1."""

    length: float
    width: float
    move: float
    turn: float
    moves: int
    ram: int
    draught: str
    clearance: float
    fights: bool
    masts: Mapping[int, int]


KINDS = {
    "": Kind(60, 35, 45, 60, 5, 0, "normal", 10, True, {6: 2, 5: 3, 4: 4}),
    "h": Kind(120, 35, 45, 30, 4, 1, "deep", 40, True, {8: 4}),
    "s": Kind(45, 25, 60, 60, 5, -1, "light", 10, True, {5: 2}),
    "t": Kind(60, 35, 45, 60, 3, 0, "normal", 10, True, {4: 4}),
    "m": Kind(60, 35, 45, 60, 5, 0, "deep", 10, False, {3: 1}),
    "f": Kind(60, 35, 45, 60, 5, 0, "normal", 10, False, {4: 0}),
}


@dataclass
class Vessel:
    id: str
    side: str
    port: int
    starboard: int
    masts: int
    holes: int
    letter: str
    crew: str
    pose: Pose
    burning: bool = False
    worn: bool = False
    afloat: bool = True
    taken: bool = False
    run: int = 0
    held: bool = False
    tried: bool = False
    gained: bool = False

    @property
    def kind(self) -> Kind:
        return KINDS[self.letter]


def ahead(heading: float) -> Spot:
    return math.sin(math.radians(heading)), math.cos(math.radians(heading))


def corners(kind: Kind, pose: Pose, less: float = 0.0) -> list[Spot]:
    """Return the corners: port bow, starboard bow, starboard stern, port stern; `less` smaller all round."""
    x, y, heading = pose
    fx, fy = ahead(heading)
    half = kind.width / 2 - less
    return [
        (x + fy * half * side - fx * back, y - fx * half * side - fy * back)
        for side, back in ((-1, less), (1, less), (1, kind.length - less), (-1, kind.length - less))
    ]


def edge(of: Vessel, name: str) -> tuple[Spot, Spot]:
    there, number = corners(of.kind, of.pose), EDGES.index(name)
    return there[number], there[(number + 1) % 4]


def normal(pose: Pose, name: str) -> Spot:
    return ahead(pose[2] + 90 * EDGES.index(name))


def middle(of: Vessel) -> Spot:
    fx, fy = ahead(of.pose[2])
    return of.pose[0] - fx * of.kind.length / 2, of.pose[1] - fy * of.kind.length / 2


def lines(a: Kind, at: Pose, b: Kind, there: Pose) -> list[tuple[float, int, str]]:
    """Return the gap along each of the eight lines through two hulls' edges, with the hull and the edge (MB-5.7)."""
    gaps = []
    for whose, (kind, pose, other, other_pose) in enumerate(((a, at, b, there), (b, there, a, at))):
        own, others = corners(kind, pose), corners(other, other_pose)
        for number, name in enumerate(EDGES):
            (nx, ny), (x, y) = normal(pose, name), own[number]
            gaps.append((min(nx * (ox - x) + ny * (oy - y) for ox, oy in others), whose, name))
    return gaps


def parted(a: Kind, at: Pose, b: Kind, there: Pose) -> float:
    """Return the gap of two hulls along the best line; negative if they overlap."""
    return max(line[0] for line in lines(a, at, b, there))


def gap(a: Vessel, b: Vessel, at: Pose | None = None, there: Pose | None = None) -> float:
    first, other = corners(a.kind, at or a.pose), corners(b.kind, there or b.pose)
    if parted(a.kind, at or a.pose, b.kind, there or b.pose) <= 0:
        return 0.0
    return min(
        LineString((p[n], p[(n + 1) % 4])).distance(Point(corner))
        for p, q in ((first, other), (other, first))
        for n in range(4)
        for corner in q
    )


def touched(a: Vessel, b: Vessel) -> tuple[str, str]:
    """Return the edges with which two hulls touch (MB-5.7); two sides stand for any scrape."""
    gaps = lines(a.kind, a.pose, b.kind, b.pose)
    best = max(line[0] for line in gaps)
    pairs = []
    for part, whose, name in gaps:
        if part < best - 0.01:
            continue
        pose, other = (a.pose, b.pose) if whose == 0 else (b.pose, a.pose)
        nx, ny = normal(pose, name)

        def opposed(other_name: str, nx: float = nx, ny: float = ny, other: Pose = other) -> float:
            ox, oy = normal(other, other_name)
            return round(nx * ox + ny * oy, 9)

        against = min(TIES, key=opposed)
        pairs.append((name, against) if whose == 0 else (against, name))
    if len(set(pairs)) == 1:
        return pairs[0]
    if any(edge == "bow" for edge, _ in pairs) and any(other == "bow" for _, other in pairs):
        return "bow", "bow"
    with_bow = [pair for pair in pairs if "bow" in pair]
    sides = [pair for pair in with_bow if "port" in pair or "starboard" in pair]
    return next(iter((*sides, *with_bow)), ("port", "port"))


def lateral(struck: Vessel, by: Vessel) -> str | None:
    """Return the side of one hull on which the other's middle lies (MB-5.12); None: exactly fore and aft."""
    (x, y), (to_x, to_y), (nx, ny) = middle(struck), middle(by), normal(struck.pose, "starboard")
    off = nx * (to_x - x) + ny * (to_y - y)
    return None if abs(off) <= 0.001 else "starboard" if off > 0 else "port"


@dataclass
class Round:
    """A round, its chance drawn as it goes: `drops` and `melees` are what fell."""

    size: tuple[float, float]
    land: Sequence[tuple[str, Sequence[Spot]]]
    vessels: list[Vessel]
    orders: Mapping[str, str]
    boarding: bool
    chance: random.Random
    both_sides: bool = False  # a vessel sinks when both of her sides are empty, not when one is (MB-7.2)
    town: BaseGeometry | None = None
    told: list[tuple[Any, ...]] = field(default_factory=list)
    drops: dict[str, list[tuple[float, float, float]]] = field(default_factory=dict)
    melees: dict[str, list[list[float]]] = field(default_factory=dict)
    houses: set[str] = field(default_factory=set)
    left: list[str] = field(default_factory=list)
    grapples: list[tuple[Vessel, Vessel]] = field(default_factory=list)

    def __post_init__(self) -> None:
        def joined(*kinds: str) -> BaseGeometry:
            shape = union_all([Polygon(ring) for kind, ring in self.land if kind in kinds])
            prepare(shape)
            return shape

        self.solid, self.islands, self.reefs = joined("island", "mole"), joined("island"), joined("reef")
        plain = not (self.land or self.boarding or any(v.letter or v.crew or v.burning for v in self.vessels))
        self.blocked_back = not plain  # MX-0.4

    @property
    def afloat(self) -> list[Vessel]:
        return [vessel for vessel in self.vessels if vessel.afloat]

    def play(self) -> None:
        for step in range(1, 6):
            self._hold()
            self._step(step)
        for vessel in self.afloat:
            if vessel.burning:
                self._blow(5, vessel, 1, None)
        self._back_off()
        self._pole_clear()

    # --- ways ----------------------------------------------------------------------------------------------------

    def _off_land(self, shape: BaseGeometry) -> float:
        return math.inf if self.solid.is_empty else self.solid.distance(shape)

    def _hull_off_land(self, vessel: Vessel, pose: Pose) -> float:
        return self._off_land(Polygon(corners(vessel.kind, pose)))

    def _edge_off_land(self, vessel: Vessel, name: str) -> float:
        return self._off_land(LineString(edge(vessel, name)))

    def _pushed(self, kind: Kind, pose: Pose) -> Pose:
        """MB-5.4."""
        moved = list(pose)
        for axis in (0, 1):
            values = [corner[axis] for corner in corners(kind, pose)]
            moved[axis] += max(0.0, -min(values)) - max(0.0, max(values) - self.size[axis])
        return moved[0], moved[1], moved[2]

    def _way(self, vessel: Vessel, order: str) -> tuple[Pose, Pose] | None:
        if order not in tuple("FLR") or vessel.held or not (vessel.port and vessel.starboard):
            return None
        x, y, heading = vessel.pose
        heading += {"F": 0, "L": -vessel.kind.turn, "R": vessel.kind.turn}[order]
        fx, fy = ahead(heading)
        end = self._pushed(vessel.kind, (x + fx * vessel.kind.move, y + fy * vessel.kind.move, heading))
        return vessel.pose, end

    def _at(self, vessel: Vessel, way: tuple[Pose, Pose] | None, t: float) -> Pose:
        if way is None:
            return vessel.pose
        (x, y, heading), (to_x, to_y, to_heading) = way
        return self._pushed(vessel.kind, (x + t * (to_x - x), y + t * (to_y - y), heading + t * (to_heading - heading)))

    @staticmethod
    def _speed(vessel: Vessel, way: tuple[Pose, Pose] | None) -> float:
        """Return the largest movement of a point of the hull in a step, in mm (DX13)."""
        if way is None:
            return 0.0
        (x, y, heading), (to_x, to_y, to_heading) = way
        swing = math.radians(abs(to_heading - heading)) * math.hypot(vessel.kind.length, vessel.kind.width / 2)
        return 2 * (math.hypot(to_x - x, to_y - y) + swing) + 1e-9

    def _landfall(self, vessel: Vessel, way: tuple[Pose, Pose]) -> float:
        """Return the share of her way after which land stops a vessel (MX-1.8)."""
        if self.solid.is_empty:
            return 1.0

        def off(t: float) -> float:
            return self._hull_off_land(vessel, self._at(vessel, way, t))

        least, speed, t = min(0.05, off(0.0)) - 1e-6, self._speed(vessel, way), 0.0
        while off(t) >= least:
            if t >= 1.0:
                return 1.0
            t = min(1.0, t + max((off(t) - least) / speed, 1e-4))
        return _last(lambda at: off(at) >= least, t, 1e-4)

    def _meeting(
        self, a: Vessel, way: tuple[Pose, Pose] | None, until: float, b: Vessel, way_b: Any, until_b: float
    ) -> float | None:
        """Return the share of their ways after which two vessels stop each other; None: they do not (MB-5.5)."""
        speed = self._speed(a, way) + self._speed(b, way_b)
        if not speed:
            return None

        def poses(t: float) -> tuple[Pose, Pose]:
            return self._at(a, way, min(t, until)), self._at(b, way_b, min(t, until_b))

        def deep(t: float) -> float:
            at, there = poses(t)
            return -parted(a.kind, at, b.kind, there)

        end, t = max(until if way else 0.0, until_b if way_b else 0.0), 0.0
        if gap(a, b, *poses(0.0)) <= 0.1:
            floor = max(0.0, deep(0.0))
            while not (deep(t) > 0.01 and deep(t) > floor + 1e-9):
                if t >= end:
                    return None
                t = min(end, t + max((0.01 - deep(t)) / speed, SLIDES))
            return _last(lambda at: deep(at) <= floor + 1e-9, t, SLIDES)
        while deep(t) <= 0:
            if t >= end:
                return None
            t = min(end, t + max(gap(a, b, *poses(t)) / speed, FINE))
        return _last(lambda at: deep(at) <= 0, t, 1e-3)

    def _move(self, orders: Mapping[str, str]) -> None:
        """Carry out all movement of a step (MB-5.5, MX-1.8)."""
        there = self.afloat
        ways = {vessel.id: self._way(vessel, orders[vessel.id]) for vessel in there}
        part = {v.id: self._landfall(v, way) if (way := ways[v.id]) else 0.0 for v in there}
        met: set[tuple[str, str]] = set()
        while True:
            events = []
            for a, b in pairs_of(there):
                if (a.id, b.id) not in met:
                    t = self._meeting(a, ways[a.id], part[a.id], b, ways[b.id], part[b.id])
                    if t is not None:
                        events.append((t, a.id, b.id))
            if not events:
                break
            now = min(events)[0]
            for t, *both in events:
                if t <= now + 1e-9:
                    met.add((both[0], both[1]))
                    part.update({name: min(part[name], t) for name in both})
        for vessel in there:
            way, order = ways[vessel.id], orders[vessel.id]
            gained = 0.0
            if way:
                x, y, heading = self._at(vessel, way, part[vessel.id])
                gained = math.hypot(x - vessel.pose[0], y - vessel.pose[1])
                vessel.pose = round(x, 6), round(y, 6), round(heading, 6)
                vessel.tried = True
                vessel.gained |= gained >= 0.5
            vessel.run = vessel.run + 1 if order == "F" and gained >= 0.5 else 0

    # --- a step --------------------------------------------------------------------------------------------------

    def _slots(self, vessel: Vessel) -> list[str]:
        letters = self.orders.get(vessel.id, "").replace("ZZ", "zZ")
        return [*letters.ljust(5)]

    def _step(self, step: int) -> None:
        there = self.afloat
        orders = {v.id: " " if v.taken else self._slots(v)[step - 1] for v in there}
        ashore = {v.id for v in there if self._edge_off_land(v, "bow") <= 0.1}
        contacts = {(a.id, b.id) for a, b in pairs_of(there) if gap(a, b) <= 0.1}
        runs = {v.id: v.run for v in there}
        moves = {v.id for v in there if self._way(v, orders[v.id])}
        self._move(orders)
        broken: set[str] = set()
        rams, fires = [], []
        for a, b in pairs_of(there):
            if gap(a, b) > 0.1 or (a.id, b.id) in contacts:
                continue
            broken |= {a.id, b.id}
            own, other = touched(a, b)
            dealt = [(a, b, other)] * (own == "bow") + [(b, a, own)] * (other == "bow")
            dealt = [(by, to, name) for by, to, name in dealt if by.letter != "m"]  # MX-2.6
            if not dealt:
                self.told.append((step, "scrape", *sorted((a.id, b.id))))
            for by, to, name in dealt:
                (fires if by.letter == "f" else rams).append((by, to, name))
        blows: list[tuple[Vessel, int, str | None]] = []
        for by, to, name in rams:
            kind = {"bow": "frontal", "stern": "rear"}.get(name, "side")
            damage = max(0, (1 if kind == "rear" else 2) + by.run + by.kind.ram + ("r" in by.crew))
            self.told.append((step, "ram", by.id, to.id, kind, name, damage))
            blows.append((to, damage, name if kind == "side" else lateral(to, by)))
        grounded = []
        for vessel in there:
            if orders[vessel.id] != "F" or vessel.id not in moves:
                continue
            if vessel.id not in ashore and self._edge_off_land(vessel, "bow") <= 0.1:  # MX-1.10
                damage = min(runs[vessel.id], 1) if "p" in vessel.crew else runs[vessel.id]
                port, starboard = (self._off_land(Point(corner)) for corner in edge(vessel, "bow"))
                side = None if abs(port - starboard) <= 0.01 else "port" if port < starboard else "starboard"
                self.told.append((step, "aground", vessel.id, damage))
                blows.append((vessel, damage, side))
                grounded.append(vessel)
        broken |= {vessel.id for vessel in grounded}
        for vessel in there:
            if orders[vessel.id] == "F" and vessel.run and "p" not in vessel.crew:  # MX-1.15
                least = {"normal": 2, "deep": 1, "light": 6}[vessel.kind.draught]
                if vessel.run >= least and self.reefs.intersects(Polygon(corners(vessel.kind, vessel.pose, less=0.05))):
                    self.told.append((step, "reef", vessel.id))
                    blows.append((vessel, 1, None))
        for vessel, damage, side in blows:
            self._blow(step, vessel, damage, side)
        self._burn(step, fires)
        for vessel in grounded:  # MX-5.5
            lands = vessel.afloat and vessel.masts and vessel.side == "south" and vessel.id not in self.houses
            if self.town and lands and self.town.distance(LineString(edge(vessel, "bow"))) <= 0.1:
                self.houses.add(vessel.id)
                self.told.append((step, "landed", vessel.id))
        for vessel in there:
            vessel.run = 0 if vessel.id in broken else vessel.run
        self._fire(step, orders)
        self._board(step, orders)
        for vessel in self.afloat:
            if orders[vessel.id] == "Z" and not vessel.taken:
                self._reorganize(step, vessel)

    def _burn(self, step: int, fires: Sequence[tuple[Vessel, Vessel, str]]) -> None:
        """MX-2.7."""
        self.told += [(step, "fired", by.id, to.id, name) for by, to, name in fires]
        for by, to, name in fires:
            self._blow(step, to, 3, name if name in ("port", "starboard") else lateral(to, by))
            if to.afloat and not to.burning:
                to.burning = True
                self.told.append((step, "burning", to.id))
        for by in {by.id: by for by, _, _ in fires}.values():
            if by.afloat:
                by.afloat = False
                self.told.append((step, "burnt_out", by.id))

    def _blow(self, step: int, vessel: Vessel, damage: int, facing: str | None) -> None:
        """MB-7.1, `seaworthy`."""
        if not vessel.afloat or not damage:
            return
        splits = set()
        for side in (facing,) if facing else ("port", "starboard"):
            most_f, most_o = (vessel.port, vessel.starboard)[:: 1 if side == "port" else -1]
            for f in range(1, min(damage, most_f) + 1):
                for o in range(min(damage - f, most_o, f) + 1):
                    m = damage - f - o
                    if m <= min(vessel.masts, f) and (damage < 3 or not vessel.masts or m):
                        splits.add((f, o, m) if side == "port" else (o, f, m))
        if not splits:
            vessel.afloat = False
            self.told.append((step, "sunk", vessel.id))
            return

        def worth(split: tuple[int, int, int]) -> tuple[int, ...]:
            port, starboard, masts = vessel.port - split[0], vessel.starboard - split[1], vessel.masts - split[2]
            return min(port, starboard), masts, port + starboard, split[vessel.port < vessel.starboard]

        best = max(splits, key=worth)
        vessel.port, vessel.starboard, vessel.masts = (
            have - lost for have, lost in zip((vessel.port, vessel.starboard, vessel.masts), best, strict=True)
        )
        empty = [not vessel.port, not vessel.starboard]
        if all(empty) if self.both_sides else any(empty):
            vessel.afloat = False
            self.told.append((step, "sunk", vessel.id))
        else:
            self.told.append((step, "loss", vessel.id, best))

    def _reorganize(self, step: int, vessel: Vessel) -> None:
        """MB-7.3, MX-2.8, MX-4.5."""
        if vessel.burning:
            vessel.burning = False
            self.told.append((step, "put_out", vessel.id))
            return
        if "c" in vessel.crew and not vessel.worn and vessel.port + vessel.starboard < 2 * vessel.holes:
            vessel.worn = True
            if vessel.port <= vessel.starboard:
                vessel.port += 1
            else:
                vessel.starboard += 1
            self.told.append((step, "mended", vessel.id))
        oars = vessel.port + vessel.starboard
        more, fewer = oars - oars // 2, oars // 2
        if oars > 1:
            vessel.port, vessel.starboard = (more, fewer) if vessel.port >= vessel.starboard else (fewer, more)
        self.told.append((step, "reorganized", vessel.id, vessel.port, vessel.starboard))

    # --- fire and boarding ---------------------------------------------------------------------------------------

    def _matches_laid(self, first: int) -> list[LineString]:
        """Return the order matches on the table of all steps from `first` (MB-4.2 to 4.5, MX-1.17)."""
        there = [vessel for vessel in self.afloat if not vessel.taken]
        ends, in_hand, laid = {v.id: v.pose for v in there}, set(), []
        hulls = [(vessel.id, Polygon(corners(vessel.kind, vessel.pose))) for vessel in self.afloat]
        for step in range(first, 6):
            for vessel in there:
                order = self._slots(vessel)[step - 1]
                if order == " ":
                    continue
                x, y, heading = ends[vessel.id]
                if order in "FLR":
                    heading += {"F": 0, "L": -vessel.kind.turn, "R": vessel.kind.turn}[order]
                (fx, fy), (rx, ry) = ahead(heading), ahead(heading + 90)
                start, end = (x, y), (x + fx * 45, y + fy * 45)
                if order in "FLR":
                    end = x + fx * vessel.kind.move, y + fy * vessel.kind.move
                    ends[vessel.id] = (*end, heading)
                elif order == "X":
                    start, end = (x - rx * 22.5, y - ry * 22.5), (x + rx * 22.5, y + ry * 22.5)
                elif order in "zZ":
                    off = -3 if order == "z" else 3
                    start, end = (x + rx * off, y + ry * off), (end[0] + rx * off, end[1] + ry * off)
                match = LineString((start, end))
                if vessel.id in in_hand or (
                    any(name != vessel.id and shape.intersects(match) for name, shape in (*hulls, *laid))
                    or self.solid.intersects(match)
                ):
                    in_hand.add(vessel.id)
                else:
                    laid.append((vessel.id, match))
        return [match for _, match in laid]

    def _nearest(self, vessel: Vessel, reach: float, barring: BaseGeometry, *, over: bool) -> Vessel | None:
        """Return the usual choice among enemies in reach and in sight (MX-1.13, 3.2); a tower sees `over` islands."""
        enemies = []
        for other in self.afloat:
            off = round(gap(vessel, other), 3)
            towers = over and "t" in (vessel.letter, other.letter)
            hidden = not towers and barring.intersection(LineString((middle(vessel), middle(other)))).length > 0.1
            if other.side != vessel.side and off <= reach and not hidden and not (not over and other.burning):
                enemies.append((0.0 if off < 0.01 else off, len(enemies), other))
        return min(enemies)[2] if enemies else None

    def _fire(self, step: int, orders: Mapping[str, str]) -> None:
        laid, volleys = self._matches_laid(step + 1), []
        hulls = {vessel.id: Polygon(corners(vessel.kind, vessel.pose)) for vessel in self.afloat}
        for vessel in self.afloat:
            if orders[vessel.id] != "X" or vessel.taken or not vessel.masts:
                continue
            target = self._nearest(vessel, 135.0, self.islands, over=True)
            if not target:
                continue
            off = round(gap(vessel, target), 3)
            number = vessel.masts * 2 if off <= 45 else vessel.masts if off <= 90 else (vessel.masts + 1) // 2
            number += (vessel.letter == "t") + ("m" in vessel.crew and off <= 90)
            (x, y), (fx, fy) = middle(target), ahead(vessel.pose[2])
            abeam = -1e-6 <= -((x - vessel.pose[0]) * fx + (y - vessel.pose[1]) * fy) <= vessel.kind.length + 1e-6
            drops = [self._drop(x, y) for _ in range(number)]
            self.drops[f"{vessel.id}@{step}"] = drops
            spoilt, hits = False, 0
            for drop_x, drop_y, bearing in drops:
                on_table = 0 <= drop_x <= self.size[0] and 0 <= drop_y <= self.size[1]
                if not on_table or self.solid.intersects(Point(drop_x, drop_y)):
                    continue
                bx, by = ahead(bearing)
                head, tail = (drop_x + bx * 22.5, drop_y + by * 22.5), (drop_x - bx * 22.5, drop_y - by * 22.5)
                spoilt |= any(LineString((head, tail)).intersects(shape) for shape in (*hulls.values(), *laid))
                rays = [(head, 1)] + [(tail, -1)] * abeam
                hits += any(
                    LineString((end, (end[0] + way * bx * 9e3, end[1] + way * by * 9e3))).intersects(hulls[target.id])
                    for end, way in rays
                )
            hits = 0 if spoilt else hits
            self.told.append((step, "volley", vessel.id, target.id, number, abeam, spoilt, hits))
            volleys.append((target, hits, lateral(target, vessel)))
        for target, hits, side in volleys:
            self._blow(step, target, hits, side)

    def _drop(self, x: float, y: float) -> tuple[float, float, float]:
        wide = self.chance.choice((20.0, 63.0))
        where = (round(self.chance.gauss(at, wide), 3) for at in (x, y))
        return (*where, round(self.chance.random() * 359.9, 3))  # type: ignore[return-value]

    def _board(self, step: int, orders: Mapping[str, str]) -> None:
        """MX-3."""
        chosen = []
        for vessel in self.afloat:
            if orders[vessel.id] == "G" and not vessel.taken and vessel.masts and not vessel.burning:
                other = self._nearest(vessel, 22.5, self.solid, over=False)
                if other:
                    chosen.append((vessel, other))
        self.told += [(step, "grappled", vessel.id, other.id) for vessel, other in chosen]
        self.grapples += chosen
        fought: set[tuple[str, str]] = set()
        for vessel, other in chosen:
            if (other.id, vessel.id) in fought or vessel.side == other.side or not vessel.masts:
                continue
            both = any(grappler is other and to is vessel for grappler, to in chosen) and other.masts > 0
            fought |= {(vessel.id, other.id)} if both else set()
            own, hits = self._throw(vessel, other, vessel.masts + ("b" in vessel.crew))
            its, hits_back = self._throw(other, vessel, other.masts + 2 * (not both) + ("b" in other.crew))
            self.melees[f"{vessel.id}@{step}"] = [own, its]
            melee = (len(own), len(its)), (hits, hits_back), both
            self.told.append((step, "melee", vessel.id, other.id, *melee))
            had, it_had = vessel.masts, other.masts
            vessel.masts, other.masts = max(0, had - hits_back), max(0, it_had - hits)
            if hits > it_had and vessel.masts:
                self._take(step, vessel, other)
            elif both and hits_back > had and other.masts:
                self._take(step, other, vessel)

    def _throw(self, vessel: Vessel, other: Vessel, number: int) -> tuple[list[float], int]:
        (x, y), (to_x, to_y) = middle(vessel), middle(other)
        bearing = math.degrees(math.atan2(to_x - x, to_y - y))
        thrown = [round(self.chance.random() * 359.9, 3) for _ in range(number)]
        return thrown, sum(abs((one - bearing + 180) % 360 - 180) <= 90 for one in thrown)

    def _take(self, step: int, vessel: Vessel, other: Vessel) -> None:
        self.told.append((step, "captured", vessel.id, other.id, 1))
        vessel.masts -= 1
        other.masts, other.side, other.taken, other.crew, other.worn = 1, vessel.side, True, "", False

    def _hold(self) -> None:
        """MX-3.3."""
        held = {
            v.id for pair in self.grapples if all(v.afloat for v in pair) and pair[0].side != pair[1].side for v in pair
        }
        for vessel in self.vessels:
            vessel.held = vessel.id in held

    # --- after the steps -----------------------------------------------------------------------------------------

    def _free(self, vessel: Vessel, pose: Pose, touching: Mapping[str, float], off: float) -> bool:
        """Return if a hull that backs or is poled may lie so (MB-5.13, MX-1.11); `off`: its gap to land before."""
        for other in self.afloat:
            if other is vessel:
                continue
            if other.id in touching:
                if -parted(vessel.kind, pose, other.kind, other.pose) > touching[other.id] + 1e-7:
                    return False
            elif gap(vessel, other, at=pose) <= 0.1:
                return False
        now = self._hull_off_land(vessel, pose)
        return now > 0.1 or now >= off - 1e-6

    def _touching(self, vessel: Vessel) -> dict[str, float]:
        return {
            other.id: max(0.0, -parted(vessel.kind, vessel.pose, other.kind, other.pose))
            for other in self.afloat
            if other is not vessel and gap(vessel, other) <= 0.1
        }

    def _on_table(self, vessel: Vessel, pose: Pose) -> bool:
        width, height = self.size
        return all(-1e-6 <= x <= width + 1e-6 and -1e-6 <= y <= height + 1e-6 for x, y in corners(vessel.kind, pose))

    def _back_off(self) -> None:
        there = self.afloat
        backing = {v.id for v in there if self.blocked_back and v.tried and not v.gained}
        backing |= {v.id for v in there if self._edge_off_land(v, "bow") <= 0.1}
        for a, b in pairs_of(there):
            if gap(a, b) <= 0.1:
                backing |= {v.id for v, name in zip((a, b), touched(a, b), strict=True) if name == "bow"}
        touching = {vessel.id: set(self._touching(vessel)) for vessel in there}
        for vessel in there:
            if vessel.id not in backing:
                continue
            (fx, fy), off = ahead(vessel.pose[2]), self._hull_off_land(vessel, vessel.pose)
            deep = {
                other.id: max(0.0, -parted(vessel.kind, vessel.pose, other.kind, other.pose))
                for other in there
                if other.id in touching[vessel.id]
            }
            for _ in range(450):
                x, y, heading = vessel.pose
                pose = x - fx * 0.1, y - fy * 0.1, heading
                if not self.solid.is_empty:
                    pose = self._pushed(vessel.kind, pose)
                elif not self._on_table(vessel, pose):
                    break
                if not self._free(vessel, pose, deep, off):
                    break
                vessel.pose = pose

    def _pole_clear(self) -> None:
        """MX-1.12."""
        for vessel in self.afloat:
            clear = vessel.kind.clearance
            lacks = {name: clear - self._edge_off_land(vessel, name) for name in ("port", "starboard")}
            if (lacks["port"] > 0) == (lacks["starboard"] > 0):
                continue
            nx, ny = normal(vessel.pose, "starboard" if lacks["port"] > 0 else "port")
            off, touching = self._hull_off_land(vessel, vessel.pose), self._touching(vessel)
            for _ in range(math.ceil(max(lacks.values()) * 10 - 1e-9)):
                if all(self._edge_off_land(vessel, name) >= clear for name in lacks):
                    break
                x, y, heading = vessel.pose
                pose = x + nx * 0.1, y + ny * 0.1, heading
                if not self._on_table(vessel, pose) or not self._free(vessel, pose, touching, off):
                    break
                vessel.pose = pose

    # --- the end -------------------------------------------------------------------------------------------------

    def usual_winner(self) -> str | None:
        """MB-8.1, MX-2.9."""
        sides = {vessel.side for vessel in self.afloat if vessel.kind.fights}
        return None if len(sides) == 2 else next(iter(sides), "draw")

    def scenario(self, name: str, number: int, score: dict[str, int]) -> str | None:
        """Add this round to the score, and return the winner or None (MX-5)."""
        if name in ("escort", "break-out"):
            return self._leaving(name, number, score)
        if name == "raid":
            score["houses"] += len(self.houses)
            return "south" if score["houses"] >= 4 else self.usual_winner() or ("north" if number >= 12 else None)
        inside = {
            vessel.side
            for vessel in self.afloat
            if vessel.kind.fights and middle(vessel)[0] <= 380 and 260 <= middle(vessel)[1] <= 640
        }
        if len(inside) == 1:
            score[inside.pop()] += 1
        if winner := self.usual_winner():
            return winner
        south, north = score["south"], score["north"]
        if max(south, north) >= 4 or number >= 16:
            return "draw" if south == north else "south" if south > north else "north"
        return None

    def _leaving(self, name: str, number: int, score: dict[str, int]) -> str | None:
        def may(vessel: Vessel) -> bool:
            return vessel.side == "south" and (vessel.letter == "m" if name == "escort" else vessel.kind.fights)

        for vessel in self.afloat:
            if may(vessel) and self.size[1] - vessel.pose[1] <= 45 + 1e-9:
                vessel.afloat = False
                self.left.append(vessel.id)
                self.told.append((5, "left", vessel.id))
        score["left"] += len(self.left)
        if score["left"] >= 2:
            return "south"
        if score["left"] + sum(map(may, self.afloat)) < 2 or number >= (16 if name == "escort" else 12):
            return "north"
        return None if any(v.side == "north" and v.kind.fights for v in self.afloat) else "south"


def pairs_of(vessels: Sequence[Vessel]) -> Iterator[tuple[Vessel, Vessel]]:
    for number, vessel in enumerate(vessels):
        for other in vessels[number + 1 :]:
            yield vessel, other


def _last(holds: Any, until: float, by: float) -> float:
    """The last instant before `until` at which something held, looked for backwards in steps."""
    low = high = until
    while low > 0 and not holds(low):
        low, high = max(0.0, low - by), low
    for _ in range(60):
        between = (low + high) / 2
        low, high = (between, high) if holds(between) else (low, between)
    return low
