"""Kills the bot at each point of a scripted game in turn, restarts it, and compares the end with a calm one.

`python -m tests.crash.harness [EVERY]` tries every point, or one in EVERY, and prints what it found.
"""

from __future__ import annotations

import asyncio
import sqlite3
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from tests.forked import start
from tests.loopback.rest import Discord


class Found(NamedTuple):
    """What a run with one kill has come to."""

    killed: bool
    states_equal: bool
    seals_lost: int
    doubled: int
    missing: int


class End(NamedTuple):
    """A game as it ended."""

    states: list[str]
    answers: dict[str, str]
    marks: Counter[tuple[int, int]]
    public: int
    """Messages outside direct messages; a panel whose question is answered before it is sent is rightly never sent."""


async def life(folder: Path, discord: Discord, kill_at: int) -> tuple[int, int]:
    """Run the bot once; its exit code and the points it passed."""
    url = f"sqlite+aiosqlite:///{folder / 'games.sqlite'}"
    arguments = (url, discord.url, str(folder / "journal"), str(kill_at))
    with (folder / "passed").open("wb") as passed:
        code = await start("tests.crash.player:main", *arguments, out=passed).wait()
    return code, int((folder / "passed").read_text() or 0)


def end_of(folder: Path, discord: Discord) -> End:
    """Read how it ended, from the file and from Discord."""
    with sqlite3.connect(folder / "games.sqlite") as connection:
        states = [state for (state,) in connection.execute("SELECT state FROM steps ORDER BY no")]
        answers = dict(connection.execute("SELECT request_id, body FROM answers").fetchall())
        wishes = connection.execute("SELECT count(*) FROM outbox WHERE sent < wanted").fetchone()[0]
    assert wishes == 0, "something was never sent"
    marks = Counter(discord.marks())
    return End(states, answers, marks, sum(place not in discord.direct.values() for place, _ in marks))


async def undisturbed() -> tuple[End, int]:
    """The game as it goes when nobody is killed, and how many points it has."""
    with tempfile.TemporaryDirectory() as name:
        async with Discord().open() as discord:
            code, points = await life(Path(name), discord, 0)
            assert code == 0, f"the undisturbed game ended with exit code {code}"
            return end_of(Path(name), discord), points


async def disturbed(kill_at: int, whole: End) -> Found:
    """The game with a kill at one point, and a second life after it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        async with Discord().open() as discord:
            code, _ = await life(folder, discord, kill_at)
            killed = code == -9
            if killed:
                code, _ = await life(folder, discord, 0)
            assert code == 0, f"killed at {kill_at}: the second life ended with exit code {code}"
            end = end_of(folder, discord)
            journal = folder / "journal"
            sealed = dict(line.split("\t") for line in journal.read_text().splitlines()) if journal.exists() else {}
    return Found(
        killed=killed,
        states_equal=end.states == whole.states,
        seals_lost=sum(end.answers.get(request) != body for request, body in sealed.items()),
        doubled=sum(count - 1 for count in end.marks.values()),
        missing=whole.public - end.public,
    )


async def main(every: int) -> int:
    """Try the points and print the sums; 0 if nothing was lost or doubled."""
    whole, points = await undisturbed()
    tried = [await disturbed(kill_at, whole) for kill_at in range(1, points + 1, every)]
    rows = {
        "points of the game": points,
        "kill points tried": sum(found.killed for found in tried),
        "states equal": sum(found.states_equal for found in tried),
        "orders lost": sum(found.seals_lost for found in tried),
        "messages doubled": sum(found.doubled for found in tried),
        "messages missing": sum(found.missing for found in tried),
    }
    sys.stdout.writelines(f"{name:<20}{count:>6}\n" for name, count in rows.items())
    good = all(found == Found(True, True, 0, 0, 0) for found in tried)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 1)))
