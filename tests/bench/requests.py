"""How often Discord is asked for a whole game of two captains: `python -m tests.bench.requests [GAME …] [--seeds N …]`.

Its limit is 50 requests a second a bot; answers to presses and commands do not count towards it. The captains of the
demo press, type, and use forms and commands in turn, and take ten seconds for each thing they do; with `--press` they
only press, and use forms where no single press is the whole answer. Told apart are the opening (the lobby, the thread,
and what is asked before the first round), each round, and the last one with the end of the game.
"""

from __future__ import annotations

import argparse
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
SEED = 7


class Counted(NamedTuple):
    rounds: list[Counter[str]]
    """By method, for each round, or turn: first the opening, and with the last round the end of the game."""
    typed: list[int]  # messages that captains typed in each: each takes two requests more, as the panel moves below it

    @property
    def all(self) -> Counter[str]:
        return sum(self.rounds, Counter())

    @property
    def played(self) -> int:
        return len(self.rounds) - 1


class _Ledger:
    """Notes, while a demo is played, what had been asked of Discord before the first answer of each round."""

    def __init__(self, *, press: bool) -> None:
        self._press = press
        self._calls: Sequence[Any] = ()
        self._began: dict[int, int] = {}
        self._typed: Counter[int] = Counter()

    def match(self) -> type[demo.DemoMatch]:
        ledger = self

        class Match(demo.DemoMatch):
            def __init__(self, *given: Any) -> None:
                super().__init__(*given)
                ledger._calls = self._world.env.http_requests
                if ledger._press:
                    self._answer_methods = itertools.cycle((self._answer_by_form,))

            async def _give_answer(self, asked: PendingRequest) -> None:
                ledger._began.setdefault(asked.row.body.round, len(ledger._calls))
                await super()._give_answer(asked)

            async def _answer_by_message(self, captain: int, text: str, asked: PendingRequest) -> None:
                ledger._typed[asked.row.body.round] += 1
                await super()._answer_by_message(captain, text, asked)

        return Match

    def counted(self) -> Counted:
        rounds = sorted({0, *self._began})
        ends = [*(self._began[number] for number in rounds[1:]), len(self._calls)]
        parts = [self._calls[begin:end] for begin, end in itertools.pairwise([0, *ends])]
        paid = [Counter(call.method for call in part if not call.path.startswith(FREE)) for part in parts]
        return Counted(paid, [self._typed[number] for number in rounds])


def counted(system: str, seed: int, *, press: bool = False) -> Counted:
    ledger, plain = _Ledger(press=press), demo.DemoMatch
    demo.DemoMatch = ledger.match()  # type: ignore[misc]
    try:
        with tempfile.TemporaryDirectory() as folder:
            demo.run_demo(system=system, seed=seed, out=Path(folder), progress=lambda _: None)
    finally:
        demo.DemoMatch = plain  # type: ignore[misc]
    return ledger.counted()


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.requests", description="Requests in whole games.")
    parser.add_argument("games", nargs="*", default=["matchbox", "forts"])
    parser.add_argument("--seeds", type=int, nargs="+", default=[SEED])
    parser.add_argument("--press", action="store_true", help="captains type no messages, and use no commands")
    given = parser.parse_args()
    for name in given.games:
        for seed in given.seeds:
            found = counted(name, seed, press=given.press)
            total, (opening, *rounds) = found.all.total(), [part.total() for part in found.rounds]
            whole = f"{total:>6} in {found.played:>3} rounds, {total / found.played:.1f} each"
            sys.stdout.write(
                f"{name:<10}seed {seed:>2}  {whole}, {total / CAPTAINS:.1f} per captain  {dict(found.all)}\n"
            )
            typed = [
                f"{one} ({2 * words} for what was typed)" if words else str(one)
                for one, words in zip(rounds, found.typed[1:], strict=True)
            ]
            sys.stdout.write(f"{'':<10}opening {opening}; rounds {', '.join(typed)}, the last with the end\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
