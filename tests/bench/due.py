"""Large games that are due at the same moment, while others press."""

from __future__ import annotations

import asyncio
import signal
import sqlite3
import tempfile
import time
from contextlib import closing
from pathlib import Path
from typing import Final

from tests.bench.crowd import Crowd, Row, faults, of_presses, opened, query, ready, started
from tests.loopback.gateway import Gateway, measured

LARGEST: Final = {"galleys": "8", "captains": "2", "captain": "admiral", "deployment": "ready"}
"""Options for sixteen galleys a side; the computer has all seats but the hosts'."""
FIRST_HOST: Final = 1_000_001
TEXT_P99_S: Final = 1.0
WAVE_MOST_S: Final = 600.0


async def due(games: int, users: int, pause_s: float, waves: int) -> list[Row]:
    """Let `games` large games, each with a host of its own, be due at once, in several waves, while users press.

    Only presses count that come while one of these games is late.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        async with Gateway().open() as discord, measured(folder, discord, LOG_LEVEL="WARNING") as process:
            await ready(discord, process)
            await asyncio.gather(*(_begin(discord, FIRST_HOST + number) for number in range(games)))
            playing = Crowd(discord, games=users // 2, pause_s=pause_s)
            await playing.begin()
            times: list[tuple[float, float]] = []
            async with playing.playing():
                for _ in range(waves):
                    await asyncio.sleep(2 * pause_s)  # everybody thinks, or waits
                    began, now = time.monotonic(), int(time.time())
                    _let_be_due(folder, games, now)
                    while _behind(folder, games, now):
                        if time.monotonic() > began + WAVE_MOST_S:
                            raise TimeoutError
                        await asyncio.sleep(0.5)
                        playing.check()
                    times.append((began, time.monotonic()))
            process.send_signal(signal.SIGTERM)
            assert await process.wait() == 0
        wrong = faults(folder)
    presses = [press for press in playing.presses if any(since <= press.at <= until for since, until in times)]
    return [
        Row("large games due at once", games, ""),
        Row("users who press meanwhile", users, ""),
        Row("seconds until all have gone on, longest", max(until - since for since, until in times), "s"),
        Row("presses meanwhile", len(presses), ""),
        Row("faults logged", wrong, "", 0),
        *of_presses(presses, text_p99_s=TEXT_P99_S, text_most_s=None),
    ]


async def _begin(discord: Gateway, host: int) -> None:
    await started(discord, host, await opened(discord, host, LARGEST))


def _let_be_due(folder: Path, games: int, now: int) -> None:
    """Let the first games be due now. The bot sees it at its next look, which each seal starts."""
    with closing(sqlite3.connect(folder / "games.sqlite", timeout=60)) as connection, connection:
        connection.execute("UPDATE games SET deadline = ? WHERE id <= ?", (now, games))
        connection.execute("UPDATE requests SET deadline = ? WHERE game_id <= ? AND status = 'open'", (now, games))


def _behind(folder: Path, games: int, due_at: int) -> int:
    (count,) = query(folder, f"SELECT count(*) FROM games WHERE id <= {games} AND deadline <= {due_at}")
    return int(count)
