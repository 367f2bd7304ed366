"""How far the simulator's gunnery is off the aim maps: `python -m tests.arena.gunnery [--games 60] [--tables 400]`."""

from __future__ import annotations

import argparse
import hashlib
import random
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from rules.chance.dice import Dice, derive_seed
from rules.core.protocol import Setup
from rules.matchbox.ai import foresight
from rules.matchbox.engine import aim, hull, laying, orders, volley
from rules.matchbox.engine.events import VolleyDropped
from rules.matchbox.engine.kinds import KINDS, KindName
from rules.matchbox.engine.sea import Sea
from rules.matchbox.engine.state import Galley, LaidMatch
from rules.matchbox.game import Matchbox
from tests.rules.matchbox.sea_room import TABLE, fleet, order_list


class Volley(NamedTuple):
    expected: float  # by the simulator's table
    other: float  # by the aim map at its best point; or as they really fell


def judged(
    firer: Galley, target: Galley, galleys: Sequence[Galley], lying: Sequence[LaidMatch], *, table: Sea
) -> Volley:
    """Hold the two against each other."""
    count = volley.matches_at(firer.masts, hull.hull_gap_mm(firer, target))
    chart = aim.near_map(aim.AimedVolley(firer, target, galleys, lying, table, count))
    mapped, _ = aim.chances_at(chart, *aim.best_point(chart, "steady"))
    abeam = hull.is_abeam(firer, target)
    broad = foresight.broadside_factor(target.kind)
    return Volley(float(foresight.expected_hits(np.array([count]), np.array([abeam]), broad)[0]), mapped)


def crowded(tables: int, vessels: Sequence[KindName] = ()) -> Iterator[Volley]:
    """Volleys on random crowded tables, with hulls and order matches everywhere; at the last of these vessels."""
    rng = random.Random(5)
    for _ in range(tables):
        galleys = fleet(rng, rng.choice((2, 3, 4, 6)), vessels=vessels)
        steps = {galley.id: orders.step_orders(order_list(rng, galley)) for galley in galleys}
        lying = laying.lay_matches(galleys, steps, rng.randint(2, 6)).lying
        for firer in galleys:
            options = volley.enemies_in_range(firer, galleys)
            if firer.masts and options and options[0][0].kind is KINDS[vessels[-1] if vessels else "galley"]:
                yield judged(firer, options[0][0], galleys, lying, table=TABLE)


def dropped(games: int) -> Iterator[Volley]:
    """Volleys of whole games between computer captains, as they fell."""
    rules = Matchbox()
    for number in range(games):
        seed = hashlib.sha256(b"gunnery %d" % number).hexdigest()
        options = {"galleys": str(1 + number % 2)}
        state = rules.start(Setup(system="matchbox", teams=(0, 1), options=options), Dice(seed)).state
        while requests := rules.pending_requests(state):
            answers = {
                one.id: rules.computer_answer(rules.view(state, one.seat), one, derive_seed(seed, f"captain {one.id}"))
                for one in requests
            }
            step = rules.resolve(state, answers)
            state = step.state
            for event in step.events:
                if isinstance(event, VolleyDropped):
                    count, abeam = np.array([event.matches]), np.array([event.broadside])
                    yield Volley(float(foresight.expected_hits(count, abeam)[0]), event.hits)


def report(name: str, volleys: Iterable[Volley]) -> str:
    """One line: how many, what is expected, and by how much that is off."""
    expected, other = np.array(list(volleys)).T
    off = expected - other
    return (
        f"{name}: {len(off)} volleys, {other.mean():.3f} hits each, expected {expected.mean():.3f}; "
        f"off by {np.abs(off).mean():.3f} a volley, {off.mean():+.4f} on the whole"
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.arena.gunnery", description="How good gunnery's table is.")
    parser.add_argument("--games", type=int, default=60)
    parser.add_argument("--tables", type=int, default=400)
    chosen = parser.parse_args()
    sys.stdout.write(report("aim maps of crowded tables", crowded(chosen.tables)) + "\n")
    for name in ("heavy", "scout"):
        found = crowded(chosen.tables, ("galley", name))
        sys.stdout.write(report(f"the same of volleys at a vessel of the kind {name}", found) + "\n")
    sys.stdout.write(report("whole games, as the matches fell", dropped(chosen.games)) + "\n")


if __name__ == "__main__":
    main()
