"""A table seen in the mirror, from the other end or with the sides renamed plays the same round.

Crowded tables are played with chance; then the mirrored, turned or renamed table is played with the same matches
dropped where the mirror shows them. Where the rules themselves prefer port, or the galley that comes first, the two may
differ: then a reason below must apply, and few tables may need one.
"""

import math
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import pytest
from msgspec import structs

from rules.chance.dice import Dice
from rules.core.errors import OrderError
from rules.core.protocol import Event
from rules.matchbox.engine import backing, hull, laying, notation, orders, scenarios, sea
from rules.matchbox.engine.contact import pairs_in_contact
from rules.matchbox.engine.damage import apply_loss
from rules.matchbox.engine.events import (
    FireCaught,
    FireShipSpent,
    FireShipStruck,
    HullsCollided,
    MatchesLaid,
    MeleeFought,
    PartsLost,
    ReefStruck,
    RowersReseated,
    ShipBackedOff,
    ShipCaptured,
    ShipGrappled,
    ShipGrounded,
    ShipMoved,
    ShipPoledOff,
    ShipRammed,
    ShipSunk,
    VolleyDropped,
)
from rules.matchbox.engine.kinds import KindName
from rules.matchbox.engine.pose import Pose
from rules.matchbox.engine.round import RoundOutcome, run_round
from rules.matchbox.engine.sea import Sea
from rules.matchbox.engine.state import Galley, OrderList, StandingOrders
from rules.matchbox.engine.terrain import LandPiece
from tests.laws.length import times
from tests.rules.matchbox.sea_room import TABLE, fleet, order_list

pytestmark = pytest.mark.slow

CASES, BESIDE_LAND = times(120, 10_000), times(100, 3_333)
NEAR_MM = 0.0021
"""Poses are written to 0.001 mm, which rounds otherwise in the mirror."""
NEAR_PART = 1e-4
LAND = (
    LandPiece("island", ((300.0, 165.0), (360.0, 225.0), (300.0, 285.0), (240.0, 225.0))),
    LandPiece("reef", ((60.0, 185.0), (140.0, 185.0), (140.0, 265.0), (60.0, 265.0))),
    LandPiece("reef", ((460.0, 185.0), (540.0, 185.0), (540.0, 265.0), (460.0, 265.0))),
    LandPiece("mole", ((290.0, 0.0), (310.0, 0.0), (310.0, 70.0), (290.0, 70.0))),
    LandPiece("mole", ((290.0, 380.0), (310.0, 380.0), (310.0, 450.0), (290.0, 450.0))),
)
"""Land that is unchanged in the mirror, and by a half turn."""
WIDTH, HEIGHT = TABLE.width_mm, TABLE.height_mm
OPPOSITE = {"port": "starboard", "starboard": "port", "L": "R", "R": "L"}
SIDES = {"south": "north", "north": "south"}
VESSELS: tuple[KindName, ...] = (*("galley",) * 3, "heavy", "scout", "towered", "merchant", "fire")


class Case(NamedTuple):
    galleys: tuple[Galley, ...]
    lists: tuple[OrderList, ...]
    standing: Mapping[int, StandingOrders]
    sea: Sea = TABLE

    def play(self, **chance: Any) -> RoundOutcome:
        return run_round(self.sea, self.galleys, self.lists, self.standing, Dice(seed="5a17"), {}, **chance)


class Symmetry(NamedTuple):
    """A mapping of one table to another: of poses, galleys, lists and events."""

    pose: Callable[[Pose], Pose]
    galley: Callable[[Galley], Galley]
    orders: Callable[[OrderList], OrderList]
    name: Callable[[str], str]
    mirrored: bool = False

    def case(self, case: Case) -> Case:
        seen = {galley.id: galley for galley in map(self.galley, case.galleys)}
        lists = {order_list.galley: order_list for order_list in map(self.orders, case.lists)}
        names = sorted(seen)
        standing = {seen[self.name(galley.id)].seat: case.standing[galley.seat] for galley in case.galleys}
        return Case(tuple(seen[name] for name in names), tuple(lists[name] for name in names), standing, case.sea)

    def drops(self, events: Iterable[Event]) -> dict[str, list[tuple[float, float, float]]]:
        """Return the matches of each volley in the mirror, by galley@step."""
        return {
            f"{self.name(event.by)}@{event.step}": [self.drop((d.x_mm, d.y_mm, d.bearing_deg)) for d in event.drops]
            for event in events
            if isinstance(event, VolleyDropped)
        }

    def melees(self, events: Iterable[Event]) -> dict[str, list[list[float]]]:
        """Return the bearings of each melee's matches in the mirror, by boarder@step."""
        return {
            f"{self.name(event.by)}@{event.step}": [
                [self.pose(Pose(0.0, 0.0, bearing)).heading_deg for bearing in bearings] for bearings in event.bearings
            ]
            for event in events
            if isinstance(event, MeleeFought)
        }

    def drop(self, landed: tuple[float, float, float]) -> tuple[float, float, float]:
        pose = self.pose(Pose(*landed))
        return pose.x_mm, pose.y_mm, pose.heading_deg


def placed(galley: Galley, pose: Pose) -> Galley:
    return structs.replace(galley, pose=pose)


def mirror_pose(pose: Pose) -> Pose:
    return Pose(round(WIDTH - pose.x_mm, 3), pose.y_mm, round(360 - pose.heading_deg, 3) % 360)


def mirror_galley(galley: Galley) -> Galley:
    crew = {"port": galley.starboard, "starboard": galley.port}
    return structs.replace(placed(galley, mirror_pose(galley.pose)), **crew)


def mirror_orders(order_list: OrderList) -> OrderList:
    letters = "".join(OPPOSITE.get(letter, letter) for letter in order_list.orders)
    return OrderList(order_list.galley, letters, tuple((starboard, port) for port, starboard in order_list.wishes))


def turn_pose(pose: Pose) -> Pose:
    return Pose(round(WIDTH - pose.x_mm, 3), round(HEIGHT - pose.y_mm, 3), round(pose.heading_deg + 180, 3) % 360)


def rename(name: str) -> str:
    return {"A": "B", "B": "A"}[name[0]] + name[1:]


def rename_galley(galley: Galley) -> Galley:
    return structs.replace(galley, id=rename(galley.id), seat=1 - galley.seat, side=SIDES[galley.side])


def same(value: Any) -> Any:
    return value


SYMMETRIES = {
    "mirrored": Symmetry(mirror_pose, mirror_galley, mirror_orders, same, mirrored=True),
    "turned": Symmetry(turn_pose, lambda galley: placed(galley, turn_pose(galley.pose)), same, same),
    "renamed": Symmetry(same, rename_galley, lambda event: structs.replace(event, galley=rename(event.galley)), rename),
}


def crowded(seed: int, sea: Sea = TABLE) -> Case:
    rng = random.Random(seed)
    galleys = fleet(rng, rng.randint(2, 9), sea, VESSELS if sea.land else ())
    standing = {
        seat: StandingOrders(
            target=rng.choice(("nearest", "weakest")), casualties=rng.choice(("seaworthy", "fighting"))
        )
        for seat in (0, 1)
    }
    lists = [wishing(rng, galley, order_list(rng, galley)) for galley in galleys]
    if sea.land:
        lists = [boarding(rng, order_list) for order_list in lists]
    return Case(galleys, tuple(lists), standing, sea)


@lru_cache(maxsize=times(CASES + BESIDE_LAND, 1))
def played(seed: int, sea: Sea = TABLE) -> tuple[Case, RoundOutcome]:
    """Return a table and its round, which every symmetry maps."""
    case = crowded(seed, sea)
    return case, case.play(aims=chance(seed, case))


def wishing(rng: random.Random, galley: Galley, order_list: OrderList) -> OrderList:
    """Give some orders a wish for how the rowers are to sit."""
    oars = galley.port + galley.starboard
    port = rng.randint(1, oars - 1)
    wishes = tuple((port, oars - port) if rng.random() < 0.2 else (0, 0) for _ in order_list.wishes)
    return structs.replace(order_list, wishes=wishes)


def boarding(rng: random.Random, order_list: OrderList) -> OrderList:
    """Let most galleys that could fire grapple."""
    return structs.replace(
        order_list,
        orders="".join("G" if letter == "X" and rng.random() < 0.7 else letter for letter in order_list.orders),
    )


def chance(seed: int, case: Case) -> dict[str, tuple[float, float]]:
    """Aim each volley somewhere about an enemy, so that volleys hit, miss and misfire."""
    rng = random.Random(f"aim {seed}")
    aims = {}
    for galley, drawn in zip(case.galleys, case.lists, strict=True):
        enemies = [other for other in case.galleys if other.side != galley.side]
        target = min(enemies, key=lambda other: hull.hull_gap_mm(galley, other))
        for step, order in enumerate(orders.step_orders(drawn), start=1):
            if order == "X":
                x, y = hull.hull_middle(target.pose, target.kind)
                x, y = x + rng.uniform(-90, 90), y + rng.uniform(-90, 90)
                aims[f"{galley.id}@{step}"] = (min(max(round(x, 3), 0.0), WIDTH), min(max(round(y, 3), 0.0), HEIGHT))
    return aims


def comparable(events: Sequence[Event], symmetry: Symmetry | None = None) -> list[tuple[Any, ...]]:
    """Return the events as tuples that can be compared, mapped by the symmetry if one is given."""
    name = symmetry.name if symmetry else same
    swap = OPPOSITE if symmetry and symmetry.mirrored else {}
    lines: list[tuple[Any, ...]] = []
    for event in events:
        match event:
            case ShipMoved():
                order = swap.get(event.order, event.order)
                lines.append((event.step, "moved", name(event.galley), order, event.at_edge))
            case HullsCollided():
                lines.append((event.step, "collided", *sorted((name(event.a), name(event.b)))))
            case ShipRammed():
                by, to, edge = name(event.by), name(event.to), swap.get(event.edge, event.edge)
                lines.append((event.step, "rammed", by, to, event.kind, edge, event.run, event.damage))
            case VolleyDropped():
                shot = (event.matches, event.broadside, event.misfire, event.hits)
                lines.append((event.step, "volley", name(event.by), name(event.to), *shot))
            case PartsLost():
                port, starboard = (event.starboard, event.port) if swap else (event.port, event.starboard)
                lines.append((event.step, "lost", name(event.galley), name(event.by), port, starboard, event.masts))
            case RowersReseated():
                port, starboard = (event.starboard, event.port) if swap else (event.port, event.starboard)
                lines.append((event.step, "reorganized", name(event.galley), port, starboard))
            case ShipBackedOff():
                lines.append((6, "backed", name(event.galley), event.distance_mm))
            case ShipPoledOff():
                lines.append((6, "poled", name(event.galley), swap.get(event.to, event.to), event.distance_mm))
            case ShipGrounded():
                lines.append((event.step, "aground", name(event.galley), event.damage))
            case ReefStruck():
                lines.append((event.step, "reef", name(event.galley)))
            case FireShipStruck():
                edge = swap.get(event.edge, event.edge)
                lines.append((event.step, "torched", name(event.by), name(event.galley), edge))
            case ShipGrappled():
                lines.append((event.step, "grappled", name(event.by), name(event.galley)))
            case MeleeFought():
                fought = (event.thrown, event.hits, event.lost, event.both)
                lines.append((event.step, "melee", name(event.by), name(event.galley), *fought))
            case ShipCaptured():
                lines.append((event.step, "captured", name(event.by), name(event.galley), event.crew))
            case FireCaught() | FireShipSpent():
                lines.append((event.step, event.__struct_config__.tag, name(event.galley)))
    return sorted(lines)


def near(a: Pose, b: Pose) -> bool:
    turned = (a.heading_deg - b.heading_deg + 180) % 360 - 180
    return math.hypot(a.x_mm - b.x_mm, a.y_mm - b.y_mm) <= NEAR_MM and abs(turned) <= NEAR_MM


def alike(symmetry: Symmetry, outcome: RoundOutcome, other: RoundOutcome) -> bool:
    """Return if one outcome in the mirror is the other."""
    seen = {galley.id: galley for galley in map(symmetry.galley, outcome.galleys)}
    there = {galley.id: galley for galley in other.galleys}
    if seen.keys() != there.keys() or comparable(outcome.events, symmetry) != comparable(other.events):
        return False
    moves = {(e.step, symmetry.name(e.galley)): e for e in outcome.events if isinstance(e, ShipMoved)}
    for event in other.events:
        if isinstance(event, ShipMoved):
            before = moves[event.step, event.galley]
            if abs(event.part - before.part) > NEAR_PART or not near(symmetry.pose(before.end), event.end):
                return False
    return all(
        near(galley.pose, there[name].pose) and placed(galley, there[name].pose) == there[name]
        for name, galley in seen.items()
    )


def wish_by_port_count(case: Case, outcome: RoundOutcome) -> bool:
    """MB-7.3: numbers that losses have made impossible are met at the nearest *port* count."""
    wished = {
        order_list.galley: [numbers for numbers in order_list.wishes if numbers != (0, 0)] for order_list in case.lists
    }
    return any(
        isinstance(event, RowersReseated)
        and any(sum(numbers) != event.port + event.starboard for numbers in wished[event.galley])
        for event in outcome.events
    )


def half_a_pair_lies(case: Case, outcome: RoundOutcome) -> bool:
    """MB-4.3: the first match of a `ZZ` lies to port; when it is taken up, or the second is in hand, one lies alone."""
    return any(
        isinstance(event, MatchesLaid)
        and any(count % 2 for count in Counter(match.galley for match in event.lying if match.order == "Z").values())
        for event in outcome.events
    )


def followed(case: Case, outcome: RoundOutcome) -> Iterator[tuple[Event, dict[str, Galley]]]:
    """Yield each event with the galleys afloat before it, in galley order, as earlier events say."""
    afloat = {galley.id: galley for galley in case.galleys}
    for event in outcome.events:
        yield event, afloat
        match event:
            case ShipMoved() | ShipBackedOff() | ShipPoledOff():
                afloat[event.galley] = placed(afloat[event.galley], event.end)
            case RowersReseated():
                afloat[event.galley] = structs.replace(afloat[event.galley], port=event.port, starboard=event.starboard)
            case PartsLost():
                afloat[event.galley] = apply_loss(afloat[event.galley], (event.port, event.starboard, event.masts))
            case MeleeFought():
                for galley, masts in zip((event.by, event.galley), event.lost, strict=True):
                    afloat[galley] = structs.replace(afloat[galley], masts=afloat[galley].masts - masts)
            case ShipCaptured():
                taken = {"side": event.side, "seat": event.seat, "masts": event.crew}
                afloat[event.galley] = structs.replace(afloat[event.galley], **taken)
                afloat[event.by] = structs.replace(afloat[event.by], masts=afloat[event.by].masts - event.crew)
            case ShipSunk() | FireShipSpent():
                del afloat[event.galley]


def struck_dead_ahead(case: Case, outcome: RoundOutcome) -> bool:
    """Part 10: who is hit exactly from fore or aft, and has as many oars on either side, loses more to port."""
    for event, afloat in followed(case, outcome):
        if isinstance(event, PartsLost) and event.by in afloat and event.port != event.starboard:
            hurt = afloat[event.galley]
            if hurt.port == hurt.starboard and hull.facing_side(hurt, afloat[event.by]) == "either":
                return True
    return False


def others_first(afloat: Mapping[str, Galley]) -> list[Galley]:
    return sorted(afloat.values(), key=lambda galley: rename(galley.id))


def first_to_lay(case: Case, outcome: RoundOutcome) -> bool:
    """MB-4.4: of two matches that cross, that of the galley which comes later stays in the hand."""
    steps = {order_list.galley: orders.step_orders(order_list) for order_list in case.lists}
    laid = [(event, dict(afloat)) for event, afloat in followed(case, outcome) if isinstance(event, MatchesLaid)]
    return any(
        set(laying.lay_matches(others_first(afloat), steps, first).lying) != set(event.lying)
        for first, (event, afloat) in enumerate(laid, start=1)
    )


def first_to_deal(case: Case, outcome: RoundOutcome) -> bool:
    """MB-5.11, 6.4: blows to one galley are dealt one after another, in galley order."""
    blows: Counter[tuple[Any, ...]] = Counter()
    for event in outcome.events:
        match event:
            case ShipRammed():
                blows["rammed", event.step, event.to] += 1
            case VolleyDropped():
                blows["fired", event.step, event.to] += bool(event.hits)
    return any(count > 1 for count in blows.values())


def first_to_back(case: Case, outcome: RoundOutcome) -> bool:
    """MB-5.13: galleys back in galley order, and the first may be in the way of the next."""
    *_, (_, afloat) = followed(case, structs.replace(outcome, events=before_backing(outcome)))
    first, other = (
        {(event.galley, event.distance_mm) for event in backing.back_off(galleys, TABLE, (), pairs_in_contact(galleys))}
        for galleys in (tuple(afloat.values()), others_first(afloat))
    )
    return first != other


def before_backing(outcome: RoundOutcome) -> tuple[Event, ...]:
    return tuple(event for event in outcome.events if not isinstance(event, ShipBackedOff))


REASONS = {
    "mirrored": {wish_by_port_count: 0.06, half_a_pair_lies: 0.01, struck_dead_ahead: 0.002},
    "turned": {},
    "renamed": {first_to_lay: 0.01, first_to_deal: 0.01, first_to_back: 0.01},
}
"""For each symmetry, why a table may play otherwise, and how many of all tables may at most."""


WITH_LAND = {"mirrored": {struck_dead_ahead: 0.2, wish_by_port_count: 0.06, half_a_pair_lies: 0.01}, "turned": {}}
OFTEN = ("Rammed", "BackedOff")
ON_OPEN_SEA = ("Scraped", "Lost", "Sank", "Reorganized")
BESIDE_IT = (
    "RanAground",
    "StruckReef",
    "PoledOff",
    "Torched",
    "CaughtFire",
    "BurntOut",
    "Grappled",
    "Melee",
    "Captured",
)
"""Events that must have happened on one table of ten on open sea, on one of twenty with land."""


@pytest.mark.timeout(0)
@pytest.mark.parametrize(
    ("name", "with_land"), [*((name, False) for name in SYMMETRIES), *((name, True) for name in WITH_LAND)]
)
def test_symmetry(name, with_land):
    """With land vessels run aground, hide, are poled clear, burn and board in the mirror too (MX-1 to MX-3)."""
    symmetry, excused, happened = SYMMETRIES[name], Counter[Callable[..., bool]](), Counter[str]()
    reasons, count = (WITH_LAND[name], BESIDE_LAND) if with_land else (REASONS[name], CASES)
    sea = structs.replace(TABLE, land=LAND) if with_land else TABLE
    for seed in range(count):
        case, outcome = played(seed, sea)
        happened.update(event.__struct_config__.tag for event in outcome.events)
        try:
            other = symmetry.case(case).play(
                drops=symmetry.drops(outcome.events), melees=symmetry.melees(outcome.events)
            )
        except OrderError:  # another volley, or one of other strength, than the drops are for
            other = None
        if other is None or not alike(symmetry, outcome, other):
            reason = next((reason for reason in reasons if reason(case, outcome)), None)
            assert reason, (seed, notation.format_position(sea, case.galleys), case.lists)
            excused[reason] += 1
    assert {reason.__name__: n for reason, n in excused.items() if n > reasons[reason] * count} == {}
    often = (*OFTEN, *(BESIDE_IT if with_land else ON_OPEN_SEA))
    assert min(happened[kind] for kind in often) > count / (20 if with_land else 10)


def from_south(galley: Galley, sea: Sea) -> Galley:
    """Return a galley as the other side's in the mirror, south for north."""
    pose = Pose(galley.pose.x_mm, sea.height_mm - galley.pose.y_mm, (180 - galley.pose.heading_deg) % 360)
    return structs.replace(rename_galley(galley), pose=pose)


def test_the_harbour_is_fair_and_other_scenarios_look_the_same_in_the_mirror():
    """Vessels in the basin count alike for both sides (MX-5.4); those that may leave do so east and west (MX-5.1)."""
    harbour, strait, counted = sea.load_maps()["harbour"], sea.load_maps()["strait"], 0
    for seed in range(200):
        rng = random.Random(seed)
        galleys = fleet(rng, 3, harbour, VESSELS)
        score = {"south": rng.randint(0, 3), "north": rng.randint(0, 3)}
        after = scenarios.score_after_round("harbour", score, galleys, left=0, houses=0)
        turned = {SIDES[side]: points for side, points in score.items()}
        seen = [from_south(galley, harbour) for galley in galleys]
        then = scenarios.score_after_round("harbour", turned, seen, left=0, houses=0)
        assert then == {SIDES[side]: points for side, points in after.items()}
        number = rng.choice((3, 16))
        endings = (scenarios.find_ending("harbour", number, *sides) for sides in ((after, galleys), (then, seen)))
        won, lost = (ending and ending.winner for ending in endings)
        assert lost == SIDES.get(won or "", won)
        counted += after != score
        for galley in fleet(rng, 3, strait, VESSELS):
            x = strait.width_mm - galley.pose.x_mm
            other = placed(galley, Pose(x, galley.pose.y_mm, 360 - galley.pose.heading_deg))
            for title in ("escort", "break-out"):
                assert scenarios.leaves_table(title, galley, strait) == scenarios.leaves_table(title, other, strait)
    assert counted > 20
