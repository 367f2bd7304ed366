"""How often Discord is asked for a whole game of two captains: `python -m tests.bench.requests [GAME …] [--seeds N …]`.

Its limit is 50 requests a second a bot; answers to presses and commands do not count towards it. The captains of the
demo press, type, and use forms and commands in turn, and take ten seconds for each thing they do.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter
from pathlib import Path

from bot.ops import demo

FREE = ("/interactions/", "/webhooks/")
CAPTAINS = 2
SEED = 7


def counted(system: str, seed: int) -> tuple[Counter[str], int]:
    """Requests of one game by method, without those that are free; and how many rounds, or turns, it took."""
    rounds: set[int] = set()
    with tempfile.TemporaryDirectory() as folder:
        wire = Path(folder) / "wire.jsonl"
        demo.run(
            system=system,
            seed=seed,
            out=Path(folder) / "out",
            wire=wire,
            progress=lambda asked: rounds.add(asked.round),
        )
        calls = [json.loads(line) for line in wire.read_text("utf-8").splitlines()]
    return Counter(call["method"] for call in calls if not call["path"].startswith(FREE)), len(rounds - {0})


def main() -> None:
    """Print a line for each game."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.requests", description="Requests in whole games.")
    parser.add_argument("games", nargs="*", default=["matchbox", "forts"])
    parser.add_argument("--seeds", type=int, nargs="+", default=[SEED])
    given = parser.parse_args()
    for name in given.games:
        for seed in given.seeds:
            found, rounds = counted(name, seed)
            each, mine = found.total() / rounds, found.total() / CAPTAINS
            total = f"{found.total():>6} in {rounds:>3} rounds, {each:.1f} each, {mine:.1f} per captain"
            sys.stdout.write(f"{name:<10}seed {seed:>2}  {total}  {dict(found)}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
