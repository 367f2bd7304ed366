"""How often Discord is asked for a whole game of two captains: `python -m tests.bench.requests`.

Its limit is 50 requests a second a bot; answers to presses and commands do not count towards it. The captains of the
demo press, type, and use forms and commands in turn, and look at what came of it before they go on, so that nothing is
saved by bursts.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections import Counter
from pathlib import Path

from bot.ops import demo

FREE = ("/interactions/", "/webhooks/")
SEED = 7


def counted(system: str) -> tuple[Counter[str], int]:
    """Requests of one game by method, without those that are free; and how many rounds, or turns, it took."""
    rounds: set[int] = set()
    with tempfile.TemporaryDirectory() as folder:
        wire = Path(folder) / "wire.jsonl"
        demo.run(
            system=system,
            seed=SEED,
            out=Path(folder) / "out",
            wire=wire,
            progress=lambda asked: rounds.add(asked.round),
        )
        calls = [json.loads(line) for line in wire.read_text("utf-8").splitlines()]
    return Counter(call["method"] for call in calls if not call["path"].startswith(FREE)), len(rounds - {0})


if __name__ == "__main__":
    for name in sys.argv[1:] or ("matchbox", "forts"):
        found, rounds = counted(name)
        each = found.total() / rounds
        sys.stdout.write(f"{name:<10}{found.total():>6} in {rounds} rounds, {each:.1f} each  {dict(found)}\n")
