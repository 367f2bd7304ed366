"""What is measured, in seconds of processor time: each figure gives its samples, and those of its anchor."""

from __future__ import annotations

import hashlib
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from importlib.util import find_spec
from statistics import mean
from typing import Any, NamedTuple

import render
from rules.dice import Dice, subseed
from rules.matchbox import aim, volley
from rules.matchbox.events import VolleyDropped
from rules.matchbox.ruleset import Matchbox
from rules.matchbox.state import State
from rules.protocol import Setup
from tests.pictures import bench as pictures
from tests.pictures import positions

GAMES = 10
"""Of computer captains, two galleys each."""
PHASES = 60
"""Movement phases of the anchor."""
STILLS = 7
"""Times each picture is drawn."""
IMPORTS = 5


class Figure(NamedTuple):
    """One thing measured."""

    name: str
    samples: list[float]
    """Seconds."""
    anchor: str = ""
    """What it is measured against; empty: nothing."""
    anchor_samples: list[float] | None = None
    """None: the anchor could not be measured."""
    most_s: float | None = None
    """Goal: the median's bound in seconds."""
    most_ratio: float | None = None
    """Goal: the bound of the median over the anchor's."""


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """How long it takes, and what it gives."""
    start = time.process_time()
    given = work()
    return time.process_time() - start, given


def samples(work: Callable[[], Any], times: int) -> list[float]:
    """Time the same work again and again, after once to warm up."""
    work()
    return [timed(work)[0] for _ in range(times)]


def figures() -> Iterator[Figure]:
    """Measure everything, one figure after another."""
    yield from _rounds()
    yield from _aims()
    yield _imports()
    yield from _pictures()


# --- the resolver ----------------------------------------------------------------------------------------------------


def _rounds() -> Iterator[Figure]:
    whole = [round_ for number in range(GAMES) for round_ in _game(number, "")]
    sparse = [round_ for number in range(GAMES) for round_ in _game(number, _few_masts(number))]
    two = [round_.taken for round_ in (*whole, *sparse) if round_.volleys == 2]
    anchor, phases = "diplomacy 1.1.2, a movement phase", _movement_phases()
    yield Figure("a 2-v-2 round with two volleys", two, anchor, phases, most_s=0.005)
    volleys = round(mean(round_.volleys for round_ in whole), 1)
    every = [round_.taken for round_ in whole]
    yield Figure(f"a 2-v-2 round as captains play it, {volleys} volleys", every, anchor, phases)
    captains = [thought for round_ in whole for thought in round_.thought]
    yield Figure("computer captain, orders for two galleys", captains)


class _Round(NamedTuple):
    """A round with all four galleys afloat at its beginning."""

    volleys: int
    taken: float
    """Seconds to resolve it."""
    thought: list[float]
    """Seconds that each captain took for his orders."""


def _few_masts(number: int) -> str:
    """A position from which two volleys a round are common: one galley a side has masts to fire from."""
    west, apart = 400 + 11 * number, 120 + 5 * number
    return (
        f"1200x800 ; A1:south 6-6+2/6 @{west},300^0 ; A2:south 6-6+0/6 @{west + apart},300^0 ; "
        f"B1:north 6-6+2/6 @{west + 40},{460 + 3 * number}^180 ; B2:north 6-6+0/6 @{west + apart + 40},500^180"
    )


def _game(number: int, position: str) -> Iterator[_Round]:
    """Play a whole game between two computer captains with two galleys each."""
    rules, seed = Matchbox(), hashlib.sha256(b"bench %d" % number).hexdigest()
    state = rules.start(Setup(system="matchbox", teams=(0, 1), position=position), Dice(seed)).state
    while requests := rules.pending(state):
        thought = [timed(partial(_captain, rules, state, one, seed)) for one in requests]
        answers = {one.id: answer for one, (_, answer) in zip(requests, thought, strict=True)}
        taken, step = timed(partial(rules.resolve, state, answers))
        if state.phase == "orders" and len(state.galleys) == 4:
            volleys = sum(isinstance(event, VolleyDropped) for event in step.events)
            yield _Round(volleys, taken, [spent for spent, _ in thought])
        state = step.state


def _captain(rules: Matchbox, state: State, request: Any, seed: str) -> Any:
    return rules.captain(rules.view(state, request.seat), request, subseed(seed, f"captain {request.id}"))


def _movement_phases() -> list[float] | None:
    """Resolve movement phases of random orders in PyPI's diplomacy, if the extra `bench` is installed."""
    if find_spec("diplomacy") is None:
        return None
    from diplomacy import Game  # noqa: PLC0415 -- need not be there

    rng = random.Random(1)
    game, taken = Game(), []
    while len(taken) < PHASES:
        if game.is_game_done:
            game = Game()
        possible, moves = game.get_all_possible_orders(), game.phase_type == "M"
        for power in game.powers:
            places = game.get_orderable_locations(power)
            game.set_orders(power, [rng.choice(possible[place]) for place in places if possible[place]])
        spent, _ = timed(game.process)
        taken += [spent] if moves else []
    return taken


# --- aims ------------------------------------------------------------------------------------------------------------


def _aims() -> Iterator[Figure]:
    shots = [shot for number in range(40) if (shot := _shot(number))]
    single = [timed(lambda shot=shot: aim.best_aim(*shot[:5], count=shot.matches, kind="steady"))[0] for shot in shots]
    yield Figure("the best aim of one volley", single)
    whole = [timed(lambda shot=shot: aim.aim_map(*shot[:5], count=shot.matches))[0] for shot in shots]
    yield Figure("the kitchen table's whole aim map", whole, most_s=0.05)


def _shot(number: int) -> aim.Shot | None:
    """A volley on a kitchen table with eight galleys."""
    galleys = positions.fleet(number, each=4)
    for firer in galleys:
        for target, gap in volley.in_range(firer, galleys):
            matches = volley.matches(max(1, firer.masts), gap)
            return aim.Shot(firer, target, galleys, (), (1200.0, 800.0), matches)
    return None


# --- imports ---------------------------------------------------------------------------------------------------------


def _imports() -> Figure:
    with tempfile.TemporaryDirectory() as cache:
        ours, theirs = (
            [_import(what, cache) for _ in range(IMPORTS + 1)][1:] for what in ("rules.registry", "numpy, msgspec")
        )
    return Figure("importing all rules", ours, "importing numpy and msgspec", theirs, most_ratio=2.0)


def _import(what: str, cache: str) -> float:
    """Processor time of a new Python that imports this, its compiled files kept in `cache`."""
    kept = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", f"import {what}"], env={**kept, "PYTHONPYCACHEPREFIX": cache}, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


# --- pictures --------------------------------------------------------------------------------------------------------


def _pictures() -> Iterator[Figure]:
    for name, work in pictures.stills().items():
        anchor = samples(pictures.as_png(work()), STILLS)
        yield Figure(f"still, {name}", samples(work, STILLS), "Pillow, as PNG", anchor, most_ratio=pictures.STILL)
    view, events = positions.a_round()
    for form in ("webp", "gif"):
        film = samples(lambda form=form: render.film(view, events, names=positions.NAMES, form=form), 3)
        yield Figure(f"film, {form}", film)
