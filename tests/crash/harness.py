"""Kills the bot at each point of scripted games in turn, restarts it, and compares the end with a calm one.

`python -m tests.crash.harness [EVERY] [PLAYED ...]` tries every point, or one in EVERY, of a duel and of a season with
a battle, or of those that are named, and prints what it found.
"""

from __future__ import annotations

import asyncio
import itertools
import sqlite3
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from tests.forked import start
from tests.loopback.rest import Discord

PLAYED = {"duel": "tests.crash.player:main", "season": "tests.crash.season:main"}
"""Scripted games, and what each life of the bot runs."""


class Found(NamedTuple):
    """What a run with one kill has come to."""

    killed: bool
    states_equal: bool
    seals_lost: int
    doubled: int
    """Messages and threads that stand there twice."""
    missing: int


GOOD = Found(killed=True, states_equal=True, seals_lost=0, doubled=0, missing=0)


class End(NamedTuple):
    """A game, with its battles, as it ended."""

    states: list[str]
    answers: dict[str, str]
    marks: Counter[tuple[int, int]]
    threads: Counter[str]
    """By their names."""
    public: int
    """Messages outside direct messages; a panel whose question is answered before it is sent is rightly never sent."""


async def life(folder: Path, discord: Discord, kill_at: int, played: str = "duel") -> tuple[int, int]:
    """Run the bot once; its exit code and the points it passed."""
    url = f"sqlite+aiosqlite:///{folder / 'games.sqlite'}"
    arguments = (url, discord.url, str(folder / "journal"), str(kill_at))
    with (folder / "passed").open("wb") as passed:
        code = await start(PLAYED[played], *arguments, out=passed).wait()
    return code, int((folder / "passed").read_text() or 0)


def end_of(folder: Path, discord: Discord) -> End:
    """Read how it ended, from the file and from Discord."""
    with sqlite3.connect(folder / "games.sqlite") as connection:
        states = [state for (state,) in connection.execute("SELECT state FROM steps ORDER BY game_id, no")]
        answers = dict(connection.execute("SELECT game_id || ' ' || request_id, body FROM answers").fetchall())
        wishes = connection.execute("SELECT count(*) FROM outbox WHERE sent < wanted").fetchone()[0]
    assert wishes == 0, "something was never sent"
    marks = Counter(discord.marks())
    threads = Counter(discord.names.values())
    return End(states, answers, marks, threads, sum(place not in discord.direct.values() for place, _ in marks))


async def undisturbed(played: str = "duel") -> tuple[End, int]:
    """The game as it goes when nobody is killed, and how many points it has."""
    with tempfile.TemporaryDirectory() as name:
        async with Discord().open() as discord:
            code, points = await life(Path(name), discord, 0, played)
            assert code == 0, f"the undisturbed game ended with exit code {code}"
            return end_of(Path(name), discord), points


async def disturbed(kill_at: int, whole: End, played: str = "duel") -> Found:
    """The game with a kill at one point, and a second life after it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        async with Discord().open() as discord:
            code, _ = await life(folder, discord, kill_at, played)
            killed = code == -9
            if killed:
                code, _ = await life(folder, discord, 0, played)
            assert code == 0, f"killed at {kill_at}: the second life ended with exit code {code}"
            end = end_of(folder, discord)
            journal = folder / "journal"
            sealed = dict(line.split("\t") for line in journal.read_text().splitlines()) if journal.exists() else {}
    return Found(
        killed=killed,
        states_equal=end.states == whole.states,
        seals_lost=sum(end.answers.get(request) != body for request, body in sealed.items()),
        doubled=sum(count - 1 for count in (*end.marks.values(), *end.threads.values())),
        missing=whole.public - end.public,
    )


async def main(every: int, names: Sequence[str]) -> int:
    """Try the points and print the sums; 0 if nothing was lost or doubled."""
    return max([await _tried(name, every) for name in names or PLAYED])


async def _tried(name: str, every: int) -> int:
    whole, points = await undisturbed(name)
    tried = []
    # As long as there is anything to kill: what is sent together may take more points or fewer.
    for kill_at in itertools.count(1, every):
        found = await disturbed(kill_at, whole, name)
        if not found.killed:
            break
        tried.append(found)
        if found != GOOD:
            sys.stdout.write(f"{name}, killed at {kill_at}: {found}\n")
    rows = {
        f"points of the {name}": points,
        "kill points tried": sum(found.killed for found in tried),
        "states equal": sum(found.states_equal for found in tried),
        "orders lost": sum(found.seals_lost for found in tried),
        "messages doubled": sum(found.doubled for found in tried),
        "messages missing": sum(found.missing for found in tried),
    }
    sys.stdout.writelines(f"{name:<20}{count:>6}\n" for name, count in rows.items())
    sys.stdout.flush()
    return 0 if all(found == GOOD for found in tried) else 1


if __name__ == "__main__":
    sys.exit(asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 1, sys.argv[2:])))
