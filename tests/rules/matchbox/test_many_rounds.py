"""The simulator against the rules: the same rounds on thousands of random crowded tables."""

import random
from collections.abc import Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import pytest
from msgspec import structs

from rules.chance.dice import Dice
from rules.matchbox.ai import many_meetings, many_rounds
from rules.matchbox.ai.many_rounds import NEAREST, WEAKEST
from rules.matchbox.engine import round as rounds
from rules.matchbox.engine import volley
from rules.matchbox.engine.events import FireShipStruck, HullsCollided, ShipMoved, ShipRammed, VolleyDropped
from rules.matchbox.engine.kinds import KINDS, KindName
from rules.matchbox.engine.notation import parse_position
from rules.matchbox.engine.pose import Pose
from rules.matchbox.engine.sea import Sea
from rules.matchbox.engine.state import SLOTS, Galley, OrderList, SinkRule, StandingOrders
from tests.arena import gunnery
from tests.laws.length import times
from tests.rules.matchbox.sea_room import TABLE, fleet, galleys_on, order_list

pytestmark = pytest.mark.slow

CASES = times(360, 50_000)
FLEETS = times(25, 2_000)
THRESHOLD = 1e-6
"""Nearer to a limit of the rules than this, in mm or degrees, the simulator may take the other side of it."""
KEPT = 2e-6
"""Poses are kept to a millionth within a round, and to a thousandth after it."""
WRITTEN = 0.0011
NUDGES = 40
MOST_DOUBTFUL = 0.001
"""Of all cases: how many may lie so near a limit that simulator and rules part."""


FAR_OFF = {f"{seat}{number}@{step}": (0.0, 0.0) for seat in "AB" for number in range(1, 9) for step in range(1, 6)}


class Case(NamedTuple):
    galleys: tuple[Galley, ...]
    lists: tuple[OrderList, ...]
    standing: dict[int, StandingOrders]
    aims: dict[str, tuple[float, float]]
    seed: str
    sinks: SinkRule = "one_side"


class Told(NamedTuple):
    """A round's results in a form that the rules and the simulator share."""

    facts: frozenset[tuple[Any, ...]]
    """New contacts with rams, volleys with their targets and matches, and who is left with what."""
    prows: dict[tuple[int, str], tuple[float, ...]]
    """Where each galley that moved was after a step; step 6 is the end of the round."""


def case(rng: random.Random, count: int, vessels: Sequence[KindName] = (), *, sinks: SinkRule = "one_side") -> Case:
    """Return a crowded table, with these vessels if any; some of them burn then. Some have an empty side if they float
    with it."""
    galleys = fleet(rng, count, each=vessels)
    if sinks == "both_sides":
        galleys = tuple(structs.replace(galley, starboard=rng.choice((0, galley.starboard))) for galley in galleys)
    if vessels:
        galleys = tuple(structs.replace(galley, burning=rng.random() < 0.2) for galley in galleys)
    if rng.random() < 0.3:
        galleys = touching_already(rng, galleys)
    foes = [[galley.id for galley in galleys if galley.seat != seat] for seat in (0, 1)]
    standing = {
        seat: StandingOrders(
            target=rng.choice(("nearest", "weakest", rng.choice(foes[seat]))),
            casualties=rng.choice(("seaworthy", "fighting")),
        )
        for seat in (0, 1)
    }
    lists = tuple(structs.replace(drawn, wishes=((0, 0),) * len(drawn.wishes)) for drawn in drawn_lists(rng, galleys))
    places = {f"{g.id}@{step}": (rng.uniform(0, 600), rng.uniform(0, 450)) for g in galleys for step in range(1, 6)}
    return Case(galleys, lists, standing, places, f"{rng.getrandbits(64):016x}", sinks)


def touching_already(rng: random.Random, galleys: tuple[Galley, ...]) -> tuple[Galley, ...]:
    """Return the table a round later, with hulls side by side, if all are still afloat."""
    later = rounds.run_round(TABLE, galleys, drawn_lists(rng, galleys), {}, Dice("00"), {}, aims=FAR_OFF).galleys
    return later if len(later) == len(galleys) else galleys


def drawn_lists(rng: random.Random, galleys: Sequence[Galley]) -> list[OrderList]:
    return [order_list(rng, galley) for galley in galleys]


def by_the_rules(of: Case, galleys: Sequence[Galley]) -> tuple[Told, dict[tuple[int, str], int]]:
    """Return the rules' results, and the hits of each volley."""
    outcome = rounds.run_round(TABLE, galleys, of.lists, of.standing, Dice(of.seed), {}, aims=of.aims, sinks=of.sinks)
    facts: set[tuple[Any, ...]] = set()
    prows, hits = {}, {}
    for event in outcome.events:
        match event:
            case ShipMoved():
                prows[event.step, event.galley] = (event.end.x_mm, event.end.y_mm, event.end.heading_deg)
            case HullsCollided():
                facts.add((event.step, "met", event.a, event.b))
            case FireShipStruck():
                facts.add((event.step, "torched", event.by, event.galley, event.edge))
            case ShipRammed():
                facts.add((event.step, "rammed", event.by, event.to, event.edge))
            case VolleyDropped():
                facts.add((event.step, "fired", event.by, event.to, event.matches))
                hits[event.step, event.by] = event.hits
    for galley in outcome.galleys:
        facts.add(("left", galley.id, galley.port, galley.starboard, galley.masts, galley.burning))
        prows[6, galley.id] = (galley.pose.x_mm, galley.pose.y_mm, galley.pose.heading_deg)
    return Told(frozenset(facts), prows), hits


def simulated(cases: Sequence[Case], hits: Sequence[dict[tuple[int, str], int]]) -> list[Told]:
    """Return the simulator's results of cases that all have equally many galleys."""
    names = [galley.id for galley in cases[0].galleys]
    start = many_rounds.concatenate([many_rounds.fleet_table(case.galleys, case.sinks) for case in cases])
    doing = np.array(
        [[many_rounds.order_numbers(order_list.orders) for order_list in case.lists] for case in cases]
    ).transpose(2, 1, 0)
    landed = np.array(
        [[[shot.get((step, name), 0) for shot in hits] for name in names] for step in range(1, SLOTS + 1)]
    )
    codes = {"nearest": NEAREST, "weakest": WEAKEST} | {name: k for k, name in enumerate(names)}
    standing = [[case.standing[galley.seat] for galley in case.galleys] for case in cases]
    waters = many_rounds.RoundSetup(
        TABLE,
        tuple(galley.side == "north" for galley in cases[0].galleys),
        np.array([[codes[order.target] for order in row] for row in standing]).T,
        np.array([[order.casualties == "fighting" for order in row] for row in standing]).T,
        galleys=cases[0].galleys,
    )
    outcome = many_rounds.run_rounds(start, doing, waters, forced_hits=landed, traced=True)
    return [_tell(outcome, number, case.galleys) for number, case in enumerate(cases)]


def _tell(outcome: many_rounds.RoundsOutcome, number: int, galleys: Sequence[Galley]) -> Told:
    names = [galley.id for galley in galleys]
    strikes = {galley.id: {"ram": "rammed", "fire": "torched", "none": ""}[galley.kind.bow] for galley in galleys}
    facts: set[tuple[Any, ...]] = set()
    prows = {}
    for step, trace in enumerate(outcome.steps, 1):
        for (a, b), code in zip(combinations(names, 2), trace.new_contacts[:, number], strict=True):
            if code:
                facts.add((step, "met", a, b))
                edges = [many_meetings.EDGES[edge] for edge in divmod(code - 1, 4)]
                facts |= {
                    (step, strikes[by], by, to, edge)
                    for by, to, own, edge in ((a, b, *edges), (b, a, *edges[::-1]))
                    if own == "bow" and strikes[by]
                }
        for k, name in enumerate(names):
            prows[step, name] = tuple(trace.prows[:, k, number])
            if trace.matches[k, number]:
                facts.add((step, "fired", name, names[trace.target[k, number]], int(trace.matches[k, number])))
    for galley in galleys_on(outcome.fleets, galleys, number):
        facts.add(("left", galley.id, galley.port, galley.starboard, galley.masts, galley.burning))
        prows[6, galley.id] = (galley.pose.x_mm, galley.pose.y_mm, galley.pose.heading_deg)
    return Told(frozenset(facts), prows)


def agree(rules: Told, other: Told) -> bool:
    return rules.facts == other.facts and all(
        abs((here - there + 180) % 360 - 180 if k == 2 else here - there) <= (WRITTEN if where[0] == 6 else KEPT)
        for where, prow in rules.prows.items()
        for k, (here, there) in enumerate(zip(prow, other.prows[where], strict=True))
    )


def nudged(rng: random.Random, galleys: Sequence[Galley]) -> tuple[Galley, ...]:
    """Return the galleys, each moved and turned by less than the threshold."""

    def by() -> float:
        return rng.uniform(-THRESHOLD, THRESHOLD)

    return tuple(
        structs.replace(g, pose=Pose(g.pose.x_mm + by(), g.pose.y_mm + by(), (g.pose.heading_deg + by()) % 360))
        for g in galleys
    )


def in_doubt(of: Case, said: Told) -> bool:
    """Return if the rules say what is said, for a table that differs by less than the threshold."""
    rng = random.Random(of.seed)
    loose = Told(said.facts, said.prows)
    return any(agree(by_the_rules(of, nudged(rng, of.galleys))[0], loose) for _ in range(NUDGES))


@pytest.mark.parametrize("count", range(2, 8))
def test_it_resolves_rounds_as_the_rules_do(count):
    rng = random.Random(count)
    agrees([case(rng, count) for _ in range(CASES // 6 + 1)], most=MOST_DOUBTFUL)


@pytest.mark.parametrize("count", range(2, 7))
def test_it_resolves_rounds_of_special_vessels_as_the_rules_do(count):
    """Of every kind and size, some of them on fire (MX-2)."""
    rng = random.Random(count)
    for _ in range(FLEETS // 5):
        vessels = rng.choices(list(KINDS), k=count)
        agrees([case(rng, count, vessels) for _ in range(12)], most=1 / 12)


@pytest.mark.parametrize("count", range(2, 5))
def test_it_resolves_rounds_in_which_galleys_float_with_an_empty_side_as_the_rules_do(count):
    rng = random.Random(count)
    cases = [case(rng, count, ["galley"] * (count - 1) + ["fire"], sinks="both_sides") for _ in range(CASES // 12 + 1)]
    lame = [g for each in cases for g in by_the_rules(each, each.galleys)[0].facts if g[0] == "left" and 0 in g[2:4]]
    assert lame
    agrees(cases, most=max(MOST_DOUBTFUL, 1 / len(cases)))


def agrees(cases: Sequence[Case], *, most: float) -> None:
    """Simulate rounds of the same vessels, and compare them with the rules."""
    rules = [by_the_rules(each, each.galleys) for each in cases]
    doubtful = []
    for number, said in enumerate(simulated(cases, [hits for _, hits in rules])):
        by_rules = rules[number][0]
        if not agree(by_rules, said):
            doubtful.append(number)
            assert in_doubt(cases[number], said), (number, by_rules.facts ^ said.facts)
    assert len(doubtful) <= most * len(cases), doubtful


def test_it_leaves_what_it_is_given_as_it_was():
    rng = random.Random(0)
    cases = [case(rng, 4) for _ in range(200)]
    said = [simulated(cases, [{}] * len(cases)) for _ in range(2)]
    assert said[0] == said[1]
    table = many_rounds.fleet_table(cases[0].galleys)
    repeated = table.repeat(5)
    waters = many_rounds.RoundSetup(TABLE, (False, False, True, True), np.full((4, 1), NEAREST), np.zeros((4, 1), bool))
    many_rounds.run_rounds(repeated, np.zeros((SLOTS, 4, 5), np.int64), waters)
    assert all(
        (column == original).all()
        for column, original in zip(repeated.varying_columns, table.varying_columns, strict=True)
    )


def test_gunnery_is_expected_of_the_side_that_the_firer_sees():
    """From abeam to port of the target, out of reach of every ram; nobody loses anything to what is only expected."""
    sea = parse_position("1200x800 ; A1:south 5-5+3/5 @600,300^0 ; B1:north 5-5+3/5 @670,300^0")
    waters = many_rounds.RoundSetup(Sea(1200.0, 800.0), (False, True), np.full((2, 1), NEAREST), np.zeros((2, 1), bool))
    doing = np.array([many_rounds.order_numbers("XFFFF"), many_rounds.order_numbers("FFFFF")]).T[:, :, None]
    outcome = many_rounds.run_rounds(many_rounds.fleet_table(sea.galleys), doing, waters)
    assert outcome.hits[0, 1, 0] == outcome.hits.sum() > 0.7
    assert (outcome.fleets.port == 5).all()


def test_gunnery_knows_the_largest_volley():
    """Of a tower with marksmen, hull to hull: ten matches (MB-6.3, MX-2.5, 4.5)."""
    sea = parse_position("1200x800 ; A1:south 4-4+4/4t{m} @600,300^0 ; B1:north 4-4+4/4 @648,300^0")
    waters = many_rounds.RoundSetup(
        Sea(1200.0, 800.0), (False, True), np.full((2, 1), NEAREST), np.zeros((2, 1), bool), galleys=sea.galleys
    )
    assert volley.volley_size(sea.galleys[0], 3.0) == 10
    doing = np.array([many_rounds.order_numbers("X"), many_rounds.order_numbers("")]).T[:, :, None]
    outcome = many_rounds.run_rounds(many_rounds.fleet_table(sea.galleys), doing, waters)
    assert outcome.hits[0, 1, 0] > 1


@pytest.mark.parametrize(("vessels", "off"), [((), 0.03), (("galley", "heavy"), 0.06), (("galley", "scout"), 0.03)])
def test_gunnery_comes_near_the_aim_maps(vessels, off):
    """On crowded tables, which are the worst."""
    expected, mapped = np.array(list(gunnery.crowded(40, vessels))).T
    assert len(mapped) > 30
    assert np.abs(expected - mapped).mean() < off
    assert abs((expected - mapped).mean()) < off
    assert mapped.mean() > 0.15
