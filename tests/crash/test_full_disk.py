"""No room for the database's file to grow, as the operating system has it: a limit set on the running bot itself."""

from __future__ import annotations

import asyncio
import resource
import signal
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.crash.test_stopping import ANNA, STOPPED_WITHIN_S, asked, begin, query, until
from tests.loopback.gateway import Gateway, living, log_lines

pytestmark = pytest.mark.timeout(300)
WAITING = ("game could not be resolved", "messages wait for room to be written down")
TABLES = ("games", "requests", "answers", "steps", "seats", "outbox")


def limit(pid: int, most: int) -> None:
    """Let no file of a process grow beyond `most` bytes: later writes fail."""
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (most, resource.RLIM_INFINITY))


def all_rows(folder: Path) -> dict[str, list[Any]]:
    return {table: query(folder, f"SELECT * FROM {table}") for table in TABLES}


def log_of_changes(folder: Path) -> int:
    """Return the size of SQLite's write-ahead log, to which every change is appended."""
    return (folder / "games.sqlite-wal").stat().st_size


def everything_sent(folder: Path) -> bool:
    return not query(folder, "SELECT 1 FROM outbox WHERE sent < wanted AND kind <> 'remind' AND problem IS NULL")


async def press(discord: Gateway, verb: str) -> str:
    message, refs = next(discord.panels(ANNA))
    ref = next(ref for ref in refs if ref.verb == verb and ref.token != "order.back")
    return (await discord.press(ANNA, message, ref.pack())).said


async def test_a_disk_without_room_refuses_loses_no_order_and_goes_on(tmp_path: Path) -> None:
    async with Gateway().open() as discord:
        async with living(tmp_path, discord) as process:
            await begin(discord)
            await until(lambda: asked(discord, "seal") and everything_sent(tmp_path))
            ((step_no,),) = query(tmp_path, "SELECT step_no FROM games")
            assert (tmp_path / "log").stat().st_size < log_of_changes(tmp_path)
            before, room = all_rows(tmp_path), 0
            # Not a byte, then torn pages, then pages but no transaction: what does not fit whole is refused whole.
            limit(process.pid, log_of_changes(tmp_path))
            while "save anything" in await press(discord, "seal"):
                assert all_rows(tmp_path) == before
                room += 5_000
                limit(process.pid, log_of_changes(tmp_path) + room)
            assert room > 0
            # Now there was room for the seal, but not for all that comes of it: the round waits.
            sealed = query(tmp_path, "SELECT request_id, body FROM answers WHERE given_by = 'captain'")
            assert sealed
            await until(lambda: any(line["event"] in WAITING for line in log_lines(tmp_path)))
            assert query(tmp_path, "SELECT step_no FROM games") == [(step_no,)]
            limit(process.pid, resource.RLIM_INFINITY)
            process.send_signal(signal.SIGTERM)
            assert await asyncio.wait_for(process.wait(), STOPPED_WITHIN_S) == 0
        async with living(tmp_path, discord):
            await until(lambda: query(tmp_path, "SELECT step_no FROM games") > [(step_no,)])
            await until(lambda: everything_sent(tmp_path))
        assert set(sealed) <= set(query(tmp_path, "SELECT request_id, body FROM answers"))
        assert max(Counter(discord.marks()).values()) == 1
        assert query(tmp_path, "PRAGMA integrity_check") == [("ok",)]
    logged = (tmp_path / "log").read_text("utf-8")
    secrets = [value for row in query(tmp_path, "SELECT body, nonce FROM answers") for value in row]
    secrets += [seed for (seed,) in query(tmp_path, "SELECT seed FROM games")]
    assert [secret for secret in secrets if secret in logged] == []
