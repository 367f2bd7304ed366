"""The longest answers of computer captains, in the largest games: `python -m tests.bench.answers [GAME …]`.

Every level plays itself for `ROUNDS` rounds in set-ups that ask the most of it: the most ships, in the least room, each
kind of question. Prints the longest answers in seconds of processor time, with what asked for them, and how many
captains were stopped. Ends with 1 if one takes longer than is promised.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import hashlib
import math
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from bot.jobs import drafts
from bot.jobs.stored import encode
from bot.jobs.thinking import MAX_THINKING_S, limit_time
from rules.chance.dice import Dice, derive_seed
from rules.core.protocol import CAPTAINS_OPTION, LEVEL_OPTION, Request, Setup
from rules.core.registry import RULESETS

PROMISED_S = 2.0  # processor time of an answer of a computer captain, or a hint with its reason and odds
ROUNDS, SHOWN = 5, 12
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
        {"battle": "400", "extras": "both", "wind": "changing", "reaction": "on", "land": "isles"},
        {"battle": "400", "deploy": "placed", "fleet": "crews"},
        {"battle": "400", CAPTAINS_OPTION: "3"},
    ),
}
"""Options of the largest games, of those with least room, and of some small ones. `ships` is the number of ships a side
in a host's own scenario."""


class Answer(NamedTuple):
    seconds: float
    question: str
    setup: str


def own_scenario(ships: int) -> str:
    """Return a host's scenario: two lines abreast between twelve islands of twelve corners, as many as are allowed."""
    fleets = [
        f'[[sides]]\nname = "{side}"\nnation = "{nation}"\nships = {_ships(side[0], ships, y, heading)}\n'
        for side, nation, y, heading in (("Greeks", "greek", 14, 0), ("Persians", "persian", 26, 180))
    ]
    apart = 3 * ships / 12
    land = ", ".join(_island((number + 0.5) * apart, 20 + number % 3 - 1) for number in range(12))
    head = f'id = "own"\ntable = [{3 * ships + 3}, 40]\nturn_limit = 15\nland = [{land}]\n'
    return head + "".join(fleets)


def _ships(letter: str, count: int, y: int, heading: int) -> str:
    ships = (f'"{letter}{ship} {"BTQV"[ship % 4]} {3 * ship} {y} {heading}"' for ship in range(1, count + 1))
    return f"[{', '.join(ships)}]"


def _island(x: float, y: float) -> str:
    corners = [(x + math.sin(part * math.pi / 6), y + math.cos(part * math.pi / 6)) for part in range(12)]
    return "[" + ", ".join(f"[{east:.3f}, {north:.3f}]" for east, north in corners) + "]"


def setups(system: str) -> Iterator[tuple[str, Setup]]:
    rules = RULESETS[system]
    levels = next((option.values for option in rules.options if option.key == LEVEL_OPTION), ("",))
    for chosen in LARGEST[system]:
        options = {key: value for key, value in chosen.items() if key != "ships"}
        own = {"scenario": own_scenario(int(chosen["ships"]))} if "ships" in chosen else {}
        for level in levels:
            full = options | ({LEVEL_OPTION: level} if level else {})
            name = " ".join([system, level, *(f"{key}={value}" for key, value in chosen.items())])
            yield name, rules.with_edition(Setup(system=system, teams=rules.seats(full), options=full, **own))


def answers(name: str, setup: Setup) -> Iterator[Answer]:
    rules, seed, last = RULESETS[setup.system], hashlib.sha256(name.encode()).hexdigest(), None
    state = rules.start(setup, Dice(seed=seed)).state
    while rules.result(state) is None:
        pending = [each for each in rules.pending_requests(state) if not (each.optional or each.ahead or each.battle)]
        if max(request.round for request in pending) > ROUNDS:
            return
        by_request: dict[str, Any] = {}
        for request in pending:
            began = time.process_time()
            with limit_time():
                by_request[request.id] = _answer(rules, state, request, derive_seed(seed, request.id))
            question = f"{request.kind} of round {request.round}"
            yield Answer(time.process_time() - began, question, name)
            if request.kind != last:
                began = time.process_time()
                drafts.compute_hint(setup.system, encode(state), request, seed)
                yield Answer(time.process_time() - began, f"hint {question}", name)
        last = request.kind
        parsed = {each.id: rules.parse_answer(state, each, by_request[each.id]) for each in pending}
        state = rules.resolve(state, parsed).state


def _answer(rules: Any, state: Any, request: Request, seed: str) -> str:
    answer = rules.computer_answer(rules.view(state, request.seat), request, seed)
    return str(rules.format_answer(request, answer))


def main(systems: Sequence[str]) -> int:
    timed: list[Answer] = []
    for system in systems or LARGEST:
        for name, setup in setups(system):
            timed += answers(name, setup)
    timed.sort(reverse=True)
    print(f"the longest of {len(timed)} answers and hints:")
    for answer in timed[:SHOWN]:
        print(f"{answer.seconds:5.2f} s  {answer.question}: {answer.setup}")
    longest, stopped = timed[0].seconds, sum(answer.seconds >= MAX_THINKING_S for answer in timed)
    print(f"stopped: {stopped}; promised: {PROMISED_S} s; {'ok' if longest <= PROMISED_S else 'missed'}")
    return int(longest > PROMISED_S)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
