"""Compare the hits of volleys that the simulator expects with those of the aim maps."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from rules.matchbox.ai import foresight
from rules.matchbox.engine import aim, hull, laying, orders, volley
from rules.matchbox.engine.kinds import KINDS, KindName
from rules.matchbox.engine.state import Galley, LaidMatch
from tests.rules.matchbox.sea_room import TABLE, fleet, order_list


class Volley(NamedTuple):
    expected: float  # by the simulator's table
    mapped: float  # by the aim map at its best point


def judged(firer: Galley, target: Galley, galleys: Sequence[Galley], lying: Sequence[LaidMatch]) -> Volley:
    count = volley.matches_at(firer.masts, hull.hull_gap_mm(firer, target))
    chart = aim.near_map(aim.AimedVolley(firer, target, galleys, lying, TABLE, count))
    mapped, _ = aim.chances_at(chart, *aim.best_point(chart, "steady"))
    abeam, broad = hull.is_abeam(firer, target), foresight.broadside_factor(target.kind)
    return Volley(float(foresight.expected_hits(np.array([count]), np.array([abeam]), broad)[0]), mapped)


def crowded(tables: int, vessels: Sequence[KindName] = ()) -> Iterator[Volley]:
    """Yield volleys on random crowded tables, with hulls and order matches everywhere; targets are of the last kind."""
    rng = random.Random(5)
    for _ in range(tables):
        galleys = fleet(rng, rng.choice((2, 3, 4, 6)), vessels=vessels)
        steps = {galley.id: orders.step_orders(order_list(rng, galley)) for galley in galleys}
        lying = laying.lay_matches(galleys, steps, rng.randint(2, 6)).lying
        for firer in galleys:
            options = volley.enemies_in_range(firer, galleys)
            if firer.masts and options and options[0][0].kind is KINDS[vessels[-1] if vessels else "galley"]:
                yield judged(firer, options[0][0], galleys, lying)
