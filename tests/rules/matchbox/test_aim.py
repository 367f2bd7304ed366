"""The aim map against dropped volleys, and the quick search for the best aim against the map (MB-6)."""

import math
import random
from collections.abc import Sequence

import numpy as np
import pytest

from rules.matchbox.ai import foresight
from rules.matchbox.engine import aim, hull, laying, orders, volley
from rules.matchbox.engine.kinds import KINDS, KindName
from rules.matchbox.engine.notation import parse_position
from rules.matchbox.engine.sea import Sea
from rules.matchbox.engine.state import MATCH_MM
from tests.laws.length import LONG, times
from tests.rules.matchbox import sea_room

TABLES = (sea_room.TABLE, Sea(601.0, 447.5), Sea(1200.0, 800.0), Sea(300.0, 260.0))
VOLLEYS = times(20_000, 1_000_000)
"""Dropped over each point."""


def crowd(number: int, vessels: Sequence[KindName] = ()) -> aim.AimedVolley:
    """Return a volley on a crowded table with order matches; the same number always gives the same one."""
    rng = random.Random(f"aim {number}")
    table = TABLES[number % len(TABLES)]
    galleys = sea_room.strong(
        sea_room.fleet(rng, rng.randint(2, 4 if min(table.width_mm, table.height_mm) < 300 else 9), table, vessels)
    )
    steps = {galley.id: orders.step_orders(sea_room.order_list(rng, galley)) for galley in galleys}
    firer = rng.choice(galleys)
    target = rng.choice([galley for galley in galleys if galley.side != firer.side])
    lying = laying.lay_matches(galleys, steps, rng.randint(1, 5)).lying
    return aim.AimedVolley(firer, target, galleys, lying, table, rng.randint(1, 8))


def facing(position: str, lying=(), matches: int = 6) -> aim.AimedVolley:
    """Let the first galley fire at the second."""
    sea = parse_position(position)
    return aim.AimedVolley(sea.galleys[0], sea.galleys[1], sea.galleys, lying, sea.sea, matches)


def quick(shot: aim.AimedVolley, kind: str) -> tuple[float, float]:
    return aim.best_aim(*shot[:5], count=shot.match_count, kind=kind)


def meets_box(box, x, y, way_x, way_y, length):
    """Return if x, y + s × way, 0 <= s <= length, meets a box: all arrays."""
    places = ((x - box.x) * box.ux + (y - box.y) * box.uy, (x - box.x) * box.uy - (y - box.y) * box.ux)
    rates = (way_x * box.ux + way_y * box.uy, way_x * box.uy - way_y * box.ux)
    low, high = np.zeros_like(x), np.full_like(x, length)
    for place, rate, half in zip(places, rates, (box.half_length, box.half_width), strict=True):
        enter, leave = (-half - place) / rate, (half - place) / rate
        low, high = np.maximum(low, np.minimum(enter, leave)), np.minimum(high, np.maximum(enter, leave))
    return low <= high


def crosses(match, x, y, way_x, way_y):
    """Return if x, y + s × way, 0 <= s <= 45 mm, crosses a match."""
    (ax, ay), (bx, by) = laying.match_ends(match)

    def parted(px, py, qx, qy, rx, ry, sx, sy):
        turn = (qx - px) * (ry - py) - (qy - py) * (rx - px)
        other = (qx - px) * (sy - py) - (qy - py) * (sx - px)
        return turn * other > 0

    end_x, end_y = x + MATCH_MM * way_x, y + MATCH_MM * way_y
    return ~parted(ax, ay, bx, by, x, y, end_x, end_y) & ~parted(x, y, end_x, end_y, ax, ay, bx, by)


def judged(shot: aim.AimedVolley, x, y, bearing):
    """Return for each match if it hits, and if it touches (MB-6.6 to 6.9)."""
    on_table = (x >= 0) & (x <= shot.sea.width_mm) & (y >= 0) & (y <= shot.sea.height_mm)
    ux, uy = np.sin(bearing), np.cos(bearing)
    tail_x, tail_y, head_x, head_y = (
        value + half * part for half in (-22.5, 22.5) for value, part in ((x, ux), (y, uy))
    )
    target = hull.hull_of(shot.target)
    hit = meets_box(target, head_x, head_y, ux, uy, 1e5)
    if hull.is_abeam(shot.firer, shot.target):
        hit |= meets_box(target, tail_x, tail_y, -ux, -uy, 1e5)
    touch = np.zeros_like(hit)
    for galley in shot.galleys:
        touch |= meets_box(hull.hull_of(galley), tail_x, tail_y, ux, uy, MATCH_MM)
    for match in shot.laid_matches:
        touch |= crosses(match, tail_x, tail_y, ux, uy)
    return hit & on_table, touch & on_table


def dropped(shot: aim.AimedVolley, x: float, y: float, seed: int):
    """Drop many volleys over a point; return the means of hits and of misfires, and their standard errors."""
    rng = np.random.default_rng(seed)
    hits, spoilt = [], []
    for _ in range(max(1, VOLLEYS // 100_000)):
        shape = (min(VOLLEYS, 100_000), shot.match_count)
        hit, touch = judged(
            shot,
            rng.normal(x, volley.SCATTER_MM, shape),
            rng.normal(y, volley.SCATTER_MM, shape),
            rng.uniform(0, math.tau, shape),
        )
        spoilt.append(touch.any(axis=1))
        hits.append(np.where(spoilt[-1], 0, hit.sum(axis=1)))
    for_hits, for_misfire = np.concatenate(hits), np.concatenate(spoilt)
    root = math.sqrt(len(for_hits))
    # A rare event may not have come at all: then the error of its mean is that of one that came once.
    return (
        for_hits.mean(),
        for_misfire.mean(),
        for_hits.std() / root + 1 / VOLLEYS,
        for_misfire.std() / root + 1 / VOLLEYS,
    )


def test_matches_dropped_at_once_fare_as_the_rules_say():
    shot = crowd(6)
    rng = np.random.default_rng(6)
    middle = hull.hull_middle(shot.target.pose)
    landed = [
        (round(float(x), 3), round(float(y), 3), round(float(bearing), 3))
        for x, y, bearing in zip(
            rng.normal(middle.x, 90, 2000), rng.normal(middle.y, 90, 2000), rng.uniform(0, 359.9, 2000), strict=True
        )
    ]
    drops = volley.judge_drops(*shot[:4], sea=shot.sea, landed=landed)
    x, y, bearing = np.array(landed).T
    hit, touch = judged(shot, x, y, np.radians(bearing))
    assert [bool(drop.hit) for drop in drops] == hit.tolist()
    assert [bool(drop.touches) for drop in drops] == touch.tolist()
    assert 100 < touch.sum() < 1900
    assert 100 < hit.sum() < 1900


@pytest.mark.parametrize("number", range(20))
@pytest.mark.timeout(900)
def test_the_map_tells_what_dropped_volleys_do(number):
    """Within a hundredth, and what chance adds to that; of the last ones every kind of vessel."""
    shot = crowd(number, () if number < 14 else tuple(KINDS))
    rng = random.Random(number)
    x, y = (
        min(max(round(centre + rng.uniform(-90, 90), -1), 0.0), 10 * (length // 10))
        for centre, length in zip(
            hull.hull_middle(shot.target.pose), (shot.sea.width_mm, shot.sea.height_mm), strict=True
        )
    )
    expected, misfire = aim.chances_at(aim.near_map(shot), x, y)
    mean, spoilt, error, spoilt_error = dropped(shot, x, y, number)
    assert abs(expected - mean) < 0.01 + (0 if LONG else 4.5 * error)
    assert abs(misfire - spoilt) < 0.01 + (0 if LONG else 4.5 * spoilt_error)


LARGE = ("heavy", "galley", "scout", "merchant")  # a larger hull may be hit best from farther off


@pytest.mark.parametrize(
    ("number", "vessels"),
    [
        *((number, ()) for number in range(times(40, 500))),
        *((number, LARGE) for number in (510, *range(times(0, 200)))),
    ],
)
def test_the_quick_search_finds_the_best_point_of_the_map(number, vessels):
    shot = crowd(number, vessels)
    chart = aim.near_map(shot)
    assert [quick(shot, kind) for kind in ("steady", "safe")] == [
        aim.best_point(chart, kind) for kind in ("steady", "safe")
    ]


@pytest.mark.parametrize(
    ("number", "kind"), [(31, "steady"), (31, "safe"), (96, "safe"), (97, "safe"), (315, "steady"), (335, "safe")]
)
def test_where_the_close_map_misleads_the_search_looks_farther_off(number, kind):
    shot = crowd(number)
    close = aim._make_map(shot, *aim._points_near_target(shot, aim._CLOSE_MM), aim._CLOSE_BLUR_MM)
    assert aim.best_point(close, kind) != quick(shot, kind)
    assert quick(shot, kind) == aim.best_point(aim.near_map(shot), kind)


@pytest.mark.parametrize("turn", [0, 90, 180, 270])
def test_of_equals_the_westernmost_then_the_southernmost(turn):
    """In still water both sides of a hull are alike."""
    shot = facing(f"1200x800 ; A1:south 6-6+2/6 @600,300^0 ; B1:north 5-5+3/5 @600,470^{turn}", matches=2)
    chart = aim.near_map(shot)
    best = quick(shot, "steady")
    assert best == aim.best_point(chart, "steady")
    alike = np.argwhere(np.round(chart.expected_hits, 6) == np.round(chart.expected_hits.max(), 6))
    assert best == min((chart.xs[i], chart.ys[j]) for i, j in alike)


@pytest.mark.parametrize("number", ["quiet", *range(12)])
@pytest.mark.parametrize("kind", ["steady", "safe"])
def test_nothing_better_lies_elsewhere_on_the_table(number, kind):
    """All points of the whole table, mapped as the points nearby are."""
    shot = (
        facing("900x600 ; A1:south 6-6+2/6 @400,200^20 ; B1:north 5-5+3/5 @450,330^130 ; A2:south 6-6+2/6 @480,210^0")
        if number == "quiet"
        else crowd(number)
    )
    xs, ys = (np.arange(0.0, length + 1e-6, aim.MAP_PITCH_MM) for length in (shot.sea.width_mm, shot.sea.height_mm))
    chart = aim._make_map(shot, xs, ys, aim._BLUR_MM)
    assert chart.misfire.shape == (shot.sea.width_mm // 10 + 1, shot.sea.height_mm // 10 + 1)
    assert quick(shot, kind) == aim.best_point(chart, kind)


def test_safe_keeps_to_its_misfire_and_steady_expects_more():
    shot = facing("900x600 ; A1:south 6-6+2/6 @400,200^20 ; B1:north 5-5+3/5 @450,330^130", matches=8)
    chart = aim.near_map(shot)
    steady, safe = (aim.chances_at(chart, *quick(shot, kind)) for kind in ("steady", "safe"))
    assert safe[1] <= aim.SAFE_MISFIRE < steady[1]
    assert safe[0] < steady[0] == chart.expected_hits.max()


def test_safe_takes_the_least_misfire_where_none_is_small():
    """A table that is all hulls."""
    rows = " ; ".join(
        f"{'AB'[n % 2]}{n // 2 + 1}:{('south', 'north')[n % 2]} 5-5+3/5 @{18 + 36 * (n % 8)},{60 + 61 * (n // 8)}^0"
        for n in range(32)
    )
    shot = facing(f"290x244 ; {rows}", matches=8)
    chart = aim.near_map(shot)
    assert chart.misfire.min() > aim.SAFE_MISFIRE
    assert aim.chances_at(chart, *quick(shot, "safe"))[1] == chart.misfire.min()


@pytest.mark.parametrize("kind", KINDS.values(), ids=list(KINDS))
def test_farther_off_no_match_points_at_the_hull_more_often_than_the_search_believes(kind):
    """The chance to point at a hull's largest breadth, its diagonal, dropped 100 mm from its middle."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    x, y = (20.0 * part for part in np.meshgrid(nodes, nodes))
    chance = np.arcsin(np.minimum(1.0, kind.reach_mm / np.hypot(aim._CLOSE_MM + x, y))) / math.pi
    assert 1.0 < aim._max_far_chance(kind.reach_mm) / ((chance * np.outer(weights, weights)).sum() / math.tau) < 1.02


def test_a_guess_right_on_the_own_hull_is_worth_a_number():
    """Two ends at the same point do not lead to a division by zero."""
    sea = parse_position("1200x800 ; A1:south 6-6+2/6 @600,300^0 ; B1:north 5-5+3/5 @600,300^0")
    mine, other = (foresight.follow_tracks(galley, ["FF"], Sea(1200.0, 800.0)) for galley in sea.galleys)
    guesses = foresight.HullTracks(*(np.repeat(column, len(foresight.ENEMY_GUESSES), axis=0) for column in other[:5]))
    with np.errstate(all="raise"):
        value = foresight.list_worth(sea.galleys[0], ["FF"], mine, [guesses])
    assert np.isfinite(value).all()
