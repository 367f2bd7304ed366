"""The longest answers of computer captains, in the largest games: `python -m tests.bench.answers [--rounds N]`.

Every level plays itself in set-ups that ask the most of it: the most ships, in the least room, each kind of question.
Prints the longest answers in seconds of processor time, with what asked for them, and in anchors of
`tests.bench.rounds`, which others on the machine disturb less; and how many captains were told that it is enough. Ends
with 1 if one takes longer than is promised.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import hashlib
import math
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, get_args

from bot.jobs import drafts
from bot.jobs.stored import encode
from bot.jobs.thinking import MAX_THINKING_S, limit_time
from rules.chance.dice import Dice, derive_seed
from rules.core.protocol import CAPTAINS_OPTION, LEVEL_OPTION, Request, Setup
from rules.core.registry import RULESETS
from rules.matchbox.engine.state import Level
from tests.bench.rounds import anchor

PROMISED_S = 2.0  # of processor time, for an answer of a computer captain, or a hint with its reason and odds
SHOWN = 12
LARGEST: Mapping[str, tuple[Mapping[str, str], ...]] = {
    "matchbox": (
        {"galleys": "2", "table": "coffee"},
        {"galleys": "4", "table": "coffee"},
        {"galleys": "6", "table": "coffee"},
        {"galleys": "8", "table": "kitchen"},
        {"galleys": "8", "table": "banquet", CAPTAINS_OPTION: "2"},
        {"galleys": "4", "table": "dining", CAPTAINS_OPTION: "3"},
        {"galleys": "6", "table": "banquet", CAPTAINS_OPTION: "3"},
        {"galleys": "4", "table": "banquet", CAPTAINS_OPTION: "4"},
    ),
    "forts": ({}, {"board": "open_water"}),
    "ramspeed": (
        *({"scenario": name, "mode": mode} for name in ("corvus", "cove") for mode in ("sealed", "live", "asked")),
        *({"ships": ships, "mode": mode} for ships in ("15", "30") for mode in ("sealed", "live", "asked")),
    ),
    "squadrons": (
        {"battle": "60"},
        {"battle": "250"},
        {"battle": "400"},
        {"battle": "400", "order": "squadron", "strict": "both"},
        {"battle": "400", "extras": "both", "wind": "on", "reaction": "on", "land": "isles"},
        {"battle": "400", "deploy": "placed", "fleet": "crews"},
        {"battle": "400", CAPTAINS_OPTION: "3"},
    ),
}
"""What hosts choose for the largest games, in the least room, and for some small ones; `ships`: a scenario of a
host's own with so many a side."""


class Given(NamedTuple):
    seconds: float
    anchors: float
    what: str
    setup: str
    round: int


def own_scenario(ships: int) -> str:
    """A host's scenario: two lines abreast between twelve islands of twelve corners, as many as are allowed."""
    fleets = "".join(
        _fleet(
            side, nation, [f"{side[0]}{one} {'BTQV'[one % 4]} {3 * one} {y} {heading}" for one in range(1, ships + 1)]
        )
        for side, nation, y, heading in (("Greeks", "greek", 14, 0), ("Persians", "persian", 26, 180))
    )
    apart = 3 * ships / 12
    land = ", ".join(_island((number + 0.5) * apart, 20 + number % 3 - 1) for number in range(12))
    return f'id = "own"\ntable = [{3 * ships + 3}, 40]\nturn_limit = 15\nland = [{land}]\n{fleets}'


def _fleet(side: str, nation: str, ships: Sequence[str]) -> str:
    named = ", ".join(f'"{ship}"' for ship in ships)
    return f'[[sides]]\nname = "{side}"\nnation = "{nation}"\nships = [{named}]\n'


def _island(x: float, y: float) -> str:
    corners = [(x + math.sin(part * math.pi / 6), y + math.cos(part * math.pi / 6)) for part in range(12)]
    return "[" + ", ".join(f"[{east:.3f}, {north:.3f}]" for east, north in corners) + "]"


def setups(system: str, levels: tuple[str, ...]) -> Iterator[tuple[str, Setup]]:
    """Each of the largest set-ups at each of these levels that its game has, with its name."""
    rules = RULESETS[system]
    offered = [option.values for option in rules.options if option.key == LEVEL_OPTION]
    for chosen in LARGEST[system]:
        options = {key: value for key, value in chosen.items() if key != "ships"}
        more = {"scenario": own_scenario(int(chosen["ships"]))} if "ships" in chosen else {}
        for level in [level for level in levels if level in offered[0]] if offered else [""]:
            full = options | ({LEVEL_OPTION: level} if level else {})
            name = " ".join([system, level, *(f"{key}={value}" for key, value in chosen.items())])
            yield name, rules.with_edition(Setup(system=system, teams=rules.seats(full), options=full, **more))


def answered(name: str, setup: Setup, rounds: int, unit_s: float) -> Iterator[Given]:
    """Play some rounds, all seats by the computer, and time each answer."""
    rules = RULESETS[setup.system]
    seed = hashlib.sha256(name.encode()).hexdigest()
    state = rules.start(setup, Dice(seed=seed)).state
    last = None
    while rules.result(state) is None:
        asked = [one for one in rules.pending_requests(state) if not (one.optional or one.ahead or one.battle)]
        reached = max(one.round for one in asked)
        if reached > rounds:
            return
        answers: dict[str, Any] = {}
        for request in asked:
            took, answers[request.id] = _timed(rules, state, request, seed)
            yield Given(took, took / unit_s, request.kind, name, request.round)
            if request.kind != last:
                began = time.process_time()
                drafts.compute_hint(setup.system, encode(state), request, seed)
                took = time.process_time() - began
                yield Given(took, took / unit_s, f"hint {request.kind}", name, request.round)
        last = request.kind
        state = rules.resolve(state, answers).state


def _timed(rules: Any, state: Any, request: Request, seed: str) -> tuple[float, Any]:
    began = time.process_time()
    with limit_time():
        given = rules.format_answer(
            request, rules.computer_answer(rules.view(state, request.seat), request, derive_seed(seed, request.id))
        )
    took = time.process_time() - began
    return took, rules.parse_answer(state, request, given)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.answers", description=__doc__)
    parser.add_argument("--games", nargs="+", choices=LARGEST, default=list(LARGEST))
    parser.add_argument("--levels", nargs="+", choices=get_args(Level), default=list(get_args(Level)))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--all", action="store_true", help="print the longest of each set-up, too")
    asked = parser.parse_args()
    found: list[Given] = []
    for system in asked.games:
        for name, setup in setups(system, tuple(asked.levels)):
            given = list(answered(name, setup, asked.rounds, unit_s=anchor()))
            found += given
            if asked.all:
                _print(max(given))
    sys.stdout.write(f"the longest of {len(found)} answers and hints:\n")
    for one in sorted(found, reverse=True)[:SHOWN]:
        _print(one)
    longest, stopped = max(found).seconds, sum(one.seconds >= MAX_THINKING_S for one in found)
    sys.stdout.write(f"anchor: {anchor():.3f} s; told that it is enough: {stopped} of {len(found)}; ")
    sys.stdout.write(f"promised: {PROMISED_S} s; {'ok' if longest <= PROMISED_S else 'missed'}\n")
    return int(longest > PROMISED_S)


def _print(one: Given) -> None:
    sys.stdout.write(f"{one.seconds:5.2f} s {one.anchors:5.1f} anchors  {one.what} of round {one.round}: {one.setup}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
