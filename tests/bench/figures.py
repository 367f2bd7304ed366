"""The benchmarks: each figure is a piece of work, and so is the figure that it is compared with."""

from __future__ import annotations

import hashlib
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from msgspec import structs

import render
from rules.chance.dice import Dice, derive_seed
from rules.core.protocol import Setup
from rules.matchbox.ai import many_rounds
from rules.matchbox.engine import aim, notation, sea, volley
from rules.matchbox.engine import round as rounds
from rules.matchbox.engine.events import VolleyDropped
from rules.matchbox.engine.sea import load_maps
from rules.matchbox.engine.state import State
from rules.matchbox.engine.terrain import LandPiece
from rules.matchbox.game import Matchbox
from tests.bench import fleet, galleys
from tests.pictures import bench as pictures
from tests.pictures import positions, squadrons_positions
from tests.rules.matchbox import sea_room

GAMES = 10  # of computer captains, two galleys each
AGAIN = 3  # times that each of their rounds is resolved
ROUNDS = 60  # of four galleys, with land and without
QUICKEST_OF = 20
"""Times that each of these is carried out: on a busy machine, waiting for memory is much of so short a time."""
STILLS = 7  # times each picture is drawn
FILMS = 3
IMPORTS = 5
SIMULATED = 16_384  # rounds at a time, of which those on one table come with different orders
TABLES = 2_048
ADMIRALS = 12
THINKERS = 40

Work = Callable[[], object]


class Figure(NamedTuple):
    name: str
    works: Callable[[], Iterable[Work]]
    """Gives what is done one after another, each timed by itself. What it takes to make them ready is not timed."""
    anchor: str = ""  # the figure that it is measured against; empty: none
    most_s: float | None = None  # goal: the median's bound in seconds
    most_ratio: float | None = None  # goal: the bound of the median over the anchor's
    timer: Callable[[], float] = time.process_time
    times: int | None = None  # how many works there are, where each is made ready only after the one before is done
    quickest_of: int = 1
    """Each work is done so often, all in turn, and its quickest time counts. Not together with `times`."""


@cache
def figures() -> tuple[Figure, ...]:
    return (*_rounds(), *_with_land(), *_simulated(), *_fleets(), *_aims(), *_imports(), *_pictures())


# --- the resolver ----------------------------------------------------------------------------------------------------


def _rounds() -> Iterator[Figure]:
    two = "a 2-v-2 round with two volleys"
    yield Figure(two, lambda: _again(_with_two()), most_s=0.005)
    yield Figure(f"{two}, aimed by the captains", lambda: _again(map(_aimed, _with_two())))
    yield Figure("a 2-v-2 round as computer captains play it", lambda: _again(_whole()))
    yield Figure("orders of a computer captain", lambda: [work for played in _whole() for work in played.captains])


def _with_land() -> Iterator[Figure]:
    """Measure rounds and orders on the table with most land, and on one of its size without any (MX-1)."""
    richest = max(load_maps().values(), key=lambda table: sum(len(piece.corners) for piece in table.land))
    often: dict[str, Any] = {"quickest_of": QUICKEST_OF}
    bare = Figure(f"a 2-v-2 round on a table of {richest.width_mm:.0f} mm", lambda: _ashore(richest, ()), **often)
    yield bare
    rocks = partial(_ashore, richest, richest.land)
    yield Figure("the same among eleven rocks", rocks, bare.name, most_ratio=1.6, **often)

    bare = Figure(f"orders for two galleys on a table of {richest.width_mm:.0f} mm", lambda: _thinking(richest, ()))
    yield bare
    rocks = partial(_thinking, richest, richest.land)
    yield Figure("orders for two galleys among eleven rocks", rocks, bare.name, most_ratio=2.0)


def _thinking(table: sea.Sea, land: tuple[LandPiece, ...]) -> list[Work]:
    rng, rules, works = random.Random(28), Matchbox(), list[Work]()
    for number in range(THINKERS):
        position = notation.format_position(structs.replace(table, land=land), sea_room.near_each_other(rng, 4, table))
        state = rules.start(Setup(system="matchbox", teams=(0, 1), position=position), Dice(f"{number:02x}")).state
        works.append(partial(_captain, rules, state, rules.pending_requests(state)[0], "28" * 32))
    for work in works:  # ways round land to where somebody lies are kept, and looked for once
        work()
    return works


def _ashore(table: sea.Sea, land: tuple[LandPiece, ...]) -> list[Work]:
    rng, works = random.Random(27), []
    with_land = structs.replace(table, land=land)
    for number in range(ROUNDS):
        galleys = sea_room.near_each_other(rng, 4, table)
        lists = [sea_room.order_list(rng, galley) for galley in galleys]
        aims = {f"{orders.galley}@{step}": (20.0, 20.0) for orders in lists for step in range(1, 6)}
        dice = Dice(f"{number:02x}")
        works.append(partial(rounds.run_round, with_land, galleys, lists, {}, dice, {}, aims=aims))
    for work in works:  # what a process keeps of a map from its first rounds on is not measured
        work()
    return works


class _Round(NamedTuple):
    """A round with all four galleys afloat at its beginning: called, it is resolved."""

    state: State
    answers: dict[str, Any]
    volleys: tuple[VolleyDropped, ...]
    captains: tuple[Work, ...]  # each finds orders for it

    def __call__(self) -> object:
        return Matchbox().resolve(self.state, self.answers)


def _again(rounds: Iterable[Work]) -> list[Work]:
    return list(rounds) * AGAIN


def _aimed(played: _Round) -> Work:
    """Return the round's work with each volley's aim in its orders, as if its captain had picked the point."""
    state, lists = played.state, [orders for answer in played.answers.values() for orders in answer.lists]
    aims = {f"{volley.by}@{volley.step}": (volley.aim_x_mm, volley.aim_y_mm) for volley in played.volleys}
    table = state.sea
    return partial(rounds.run_round, table, state.galleys, lists, {}, state.dice, {}, aims=aims)


def _with_two() -> list[_Round]:
    return [case for case in (*_whole(), *_sparse()) if len(case.volleys) == 2]


@cache
def _whole() -> tuple[_Round, ...]:
    return tuple(chain.from_iterable(_game(number, "") for number in range(GAMES)))


@cache
def _sparse() -> tuple[_Round, ...]:
    return tuple(chain.from_iterable(_game(number, _few_masts(number)) for number in range(GAMES)))


def _few_masts(number: int) -> str:
    """Return a position with about two volleys a round: one galley a side has masts to fire from."""
    west, apart = 400 + 11 * number, 120 + 5 * number
    return (
        f"1200x800 ; A1:south 6-6+2/6 @{west},300^0 ; A2:south 6-6+0/6 @{west + apart},300^0 ; "
        f"B1:north 6-6+2/6 @{west + 40},{460 + 3 * number}^180 ; B2:north 6-6+0/6 @{west + apart + 40},500^180"
    )


def _game(number: int, position: str) -> Iterator[_Round]:
    """Play a whole game between two computer captains with two galleys each."""
    rules, seed = Matchbox(), hashlib.sha256(b"bench %d" % number).hexdigest()
    state = rules.start(Setup(system="matchbox", teams=(0, 1), position=position), Dice(seed)).state
    while requests := rules.pending_requests(state):
        captains = {request.id: partial(_captain, rules, state, request, seed) for request in requests}
        answers = {request: captain() for request, captain in captains.items()}
        step = rules.resolve(state, answers)
        if state.phase == "orders" and len(state.galleys) == 4:
            volleys = tuple(event for event in step.events if isinstance(event, VolleyDropped))
            yield _Round(state, answers, volleys, tuple(captains.values()))
        state = step.state


def _captain(rules: Matchbox, state: State, request: Any, seed: str) -> Any:
    return rules.computer_answer(rules.view(state, request.seat), request, derive_seed(seed, f"captain {request.id}"))


# --- the simulator ---------------------------------------------------------------------------------------------------


def _simulated() -> Iterator[Figure]:
    yield Figure(
        f"{SIMULATED} crowded duel rounds, simulated", lambda: _again([_simulation(2)]), most_s=SIMULATED / 34_000
    )
    yield Figure("the admiral, orders for two galleys", _admirals, most_s=2.0, times=ADMIRALS)


def _simulation(count: int) -> Work:
    rng = random.Random(count)
    fleets = [sea_room.fleet(rng, count) for _ in range(TABLES)] * (SIMULATED // TABLES)
    start = many_rounds.concatenate([many_rounds.fleet_table(fleet) for fleet in fleets])
    lists = [
        [many_rounds.order_numbers(sea_room.order_list(rng, galley).orders) for galley in fleet] for fleet in fleets
    ]
    nobody = np.zeros((count, 1), np.int64)
    north = tuple(galley.side == "north" for galley in fleets[0])
    waters = many_rounds.RoundSetup(sea_room.TABLE, north, nobody + many_rounds.NEAREST, nobody > 0)
    work = partial(many_rounds.run_rounds, start, np.array(lists).transpose(2, 1, 0), waters)
    work()
    return work


def _admirals() -> Iterator[Work]:
    rules = Matchbox()
    for number, case in enumerate(_whole()[:ADMIRALS]):
        request = rules.pending_requests(case.state)[number % 2]
        view = structs.replace(rules.view(case.state, request.seat), captain_level="admiral")
        yield partial(rules.computer_answer, view, request, f"{number:02x}")


# --- fleets on a free table ------------------------------------------------------------------------------------------


def _fleets() -> Iterator[Figure]:
    yield Figure("a turn of thirty ships that ram, swipe and grapple", fleet.turns, most_s=0.05)
    yield Figure("a turn of 15 galleys against 15 in squadrons", galleys.turns, most_s=0.3)


# --- aims ------------------------------------------------------------------------------------------------------------


def _aims() -> Iterator[Figure]:
    yield Figure("the aim map of one volley", lambda: [partial(_aim_map, shot) for shot in _shots()], most_s=0.05)


def _aim_map(shot: aim.AimedVolley) -> object:
    return aim.near_map(shot)


@cache
def _shots() -> tuple[aim.AimedVolley, ...]:
    return tuple(shot for number in range(40) if (shot := _shot(number)))


def _shot(number: int) -> aim.AimedVolley | None:
    galleys = positions.fleet(number, each=4)
    for firer in galleys:
        for target, gap in volley.enemies_in_range(firer, galleys):
            matches = volley.matches_at(max(1, firer.masts), gap)
            return aim.AimedVolley(firer, target, galleys, (), sea.TABLE_BY_NAME["kitchen"], matches)
    return None


# --- imports ---------------------------------------------------------------------------------------------------------


def _imports() -> Iterator[Figure]:
    both = "importing numpy and msgspec"
    apart: dict[str, Any] = {"timer": _spent_by_children, "times": IMPORTS}
    yield Figure(both, lambda: _importing("numpy, msgspec"), **apart)
    yield Figure("importing the rules", lambda: _importing("rules.core.registry"), both, most_ratio=1.5, **apart)


def _importing(what: str) -> Iterator[Work]:
    """Yield starts of Python that import a module; compiled files are kept between them."""
    with tempfile.TemporaryDirectory() as cache_folder:
        variables = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
        environment = {**variables, "PYTHONPYCACHEPREFIX": cache_folder}
        work = partial(subprocess.run, [sys.executable, "-c", f"import {what}"], env=environment, check=True)
        yield from _warm(lambda: work, IMPORTS)


def _spent_by_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


# --- pictures --------------------------------------------------------------------------------------------------------


def _pictures() -> Iterator[Figure]:
    for name, draw in pictures.stills().items():
        png = f"Pillow, as PNG: {name}"
        yield Figure(png, partial(_warm, lambda name=name: pictures.as_png(name), STILLS))
        yield Figure(f"still, {name}", partial(_warm, lambda draw=draw: draw, STILLS), png, most_ratio=pictures.STILL)
    after, told = squadrons_positions.a_turn()
    report = partial(render.draw_still, after, told, kind="round", crop="action", names=positions.NAMES)
    yield Figure("fleets, 15 v 15, report", partial(_warm, lambda: report, STILLS), most_s=1.5)
    view, events = positions.a_round()
    for form in ("webp", "gif"):
        film = partial(render.draw_film, view, events, names=positions.NAMES, form=form)
        yield Figure(f"film, {form}", partial(_warm, lambda film=film: film, FILMS))


def _warm(make: Callable[[], Work], times: int) -> list[Work]:
    """Do the work once to warm up, and return it `times` times."""
    work = make()
    work()
    return [work] * times
