"""Count the requests to Discord in a whole game of two captains: `python -m tests.bench.requests [--press] [GAME …]`.

Its limit is 50 requests a second a bot; answers to presses and commands do not count towards it. The captains of the
demo press, type, and use forms and commands in turn, and take ten seconds for each thing they do; with `--press` they
only press, and use forms where no single press is the whole answer. Told apart are the opening (the lobby, the thread,
and what is asked before the first round), each round, and the last one with the end of the game.
"""

from __future__ import annotations

import itertools
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from bot.cli import demo
from bot.presenters.asked import PendingRequest

FREE = ("/interactions/", "/webhooks/")
CAPTAINS = 2
SEEDS = (7, 2, 3)


class Counted(NamedTuple):
    """Requests of one game, without those that are free."""

    rounds: list[int]  # of each round, or turn: first the opening, and with the last round the end of the game
    typed: list[int]  # messages that captains typed in each: two requests more, as the panel moves below it

    @property
    def total(self) -> int:
        return sum(self.rounds)

    @property
    def played(self) -> int:
        return len(self.rounds) - 1


def counted(system: str, seed: int, *, press: bool = False) -> Counted:
    """Play a game; its captains `press` alone, or do everything that players can."""
    calls: Sequence[Any] = ()
    began: dict[int, int] = {}  # by round, how often Discord had been asked before its first answer
    typed: Counter[int] = Counter()

    class Match(demo.DemoMatch):
        def __init__(self, *args: Any) -> None:
            super().__init__(*args)
            nonlocal calls
            calls = self._world.env.http_requests
            if press:
                self._answer_methods = itertools.cycle((self._answer_by_form,))

        async def _give_answer(self, pending: PendingRequest) -> None:
            began.setdefault(pending.row.body.round, len(calls))
            await super()._give_answer(pending)

        async def _answer_by_message(self, captain: int, text: str, pending: PendingRequest) -> None:
            typed[pending.row.body.round] += 1
            await super()._answer_by_message(captain, text, pending)

    plain, demo.DemoMatch = demo.DemoMatch, Match  # type: ignore[misc]
    try:
        with tempfile.TemporaryDirectory() as folder:
            demo.run_demo(system=system, seed=seed, out=Path(folder), progress=lambda _: None)
    finally:
        demo.DemoMatch = plain  # type: ignore[misc]
    rounds = sorted({0, *began})
    ends = [0, *(began[number] for number in rounds[1:]), len(calls)]
    parts = [calls[begin:end] for begin, end in itertools.pairwise(ends)]
    paid = [sum(not call.path.startswith(FREE) for call in part) for part in parts]
    return Counted(paid, [typed[number] for number in rounds])


def main(arguments: Sequence[str]) -> None:
    press = "--press" in arguments
    games = [name for name in arguments if name != "--press"] or ["matchbox"]
    for name, seed in itertools.product(games, SEEDS):
        counts = counted(name, seed, press=press)
        opening, *rounds = counts.rounds
        each = ", ".join(f"{count} ({typed} typed)" for count, typed in zip(rounds, counts.typed[1:], strict=True))
        print(
            f"{name}, seed {seed}: {counts.total} in {counts.played} rounds: opening {opening}; {each}",
            flush=True,
        )


if __name__ == "__main__":
    main(sys.argv[1:])
