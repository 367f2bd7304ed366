"""A few of the kills of `make crash`; and the power fails: what had not reached the disk of the log is lost.

The game goes on from before, and ends as if nothing had happened.
"""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.crash.harness import GOOD, End, disturbed, end_of, life, undisturbed
from tests.loopback.rest import Discord

FRAME = 4096 + 24  # bytes of a page in the log


@pytest.fixture(scope="module")
def calm() -> tuple[End, int]:
    return asyncio.run(undisturbed())


async def test_a_killed_bot_goes_on_and_loses_nothing(calm: tuple[End, int]) -> None:
    calm_end, points = calm
    assert points > 100
    for part in (4, 2):
        life = await disturbed(points // part, calm_end)
        assert life == GOOD, points // part


@pytest.mark.long
@pytest.mark.timeout(300)
async def test_a_log_torn_anywhere_leaves_an_earlier_moment_from_which_the_game_goes_on(
    tmp_path: Path, calm: tuple[End, int]
) -> None:
    calm_end, points = calm
    async with Discord().open() as discord:
        first = tmp_path / "first"
        first.mkdir()
        code, _ = await life(first, discord, points * 3 // 5)
        assert code == -9
        log = (first / "games.sqlite-wal").read_bytes()
        frames = len(log) // FRAME
        assert frames > 20
        seen = set()
        for cut in (0, 10 * FRAME + 1000, len(log) - 1):
            folder = tmp_path / str(cut)
            folder.mkdir()
            shutil.copy(first / "games.sqlite", folder)
            (folder / "games.sqlite-wal").write_bytes(log[:cut])
            seen.add(await asyncio.to_thread(steps_in, folder))
            code, _ = await life(folder, discord, 0)
            assert code == 0, f"cut at {cut} of {len(log)}"
            with closing(sqlite3.connect(folder / "games.sqlite")) as connection:
                assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            end = end_of(folder, discord)
            assert end.states == calm_end.states, cut
            assert end.answers == calm_end.answers, cut
    assert len(seen) > 1


def steps_in(folder: Path) -> int:
    """Return the number of steps in the database that is left; -1 if it has no tables."""
    copy = folder / "look"
    copy.mkdir()
    for file in ("games.sqlite", "games.sqlite-wal"):
        shutil.copy(folder / file, copy)
    with closing(sqlite3.connect(copy / "games.sqlite")) as connection:
        try:
            return int(connection.execute("SELECT count(*) FROM steps").fetchone()[0])
        except sqlite3.OperationalError:
            return -1
