"""One bot plays on a database file: a second says so and waits, and what only looks works beside the first."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from bot.cli.shell import prove_record
from tests.crash.test_stopping import MOST_WAIT_S, until
from tests.forked import run
from tests.loopback.gateway import Gateway, living, log_lines

EXAMPLE = Path(__file__).parents[2] / "docs" / "example.json"
REFUSED = "another war-galley is running on this database file"
pytestmark = pytest.mark.timeout(300)


async def shell(file: Path, *arguments: str) -> tuple[int, str, str]:
    """Run a command of the shell on a database; return its exit code, output and errors."""
    return await run("bot.cli.main:app", *arguments, "--database", f"sqlite+aiosqlite:///{file}")


async def ready(discord: Gateway) -> None:
    await asyncio.wait_for(discord.ready.wait(), MOST_WAIT_S)


async def test_a_second_bot_waits_what_looks_works_and_the_next_starts_after_a_kill(tmp_path: Path) -> None:
    file, record, copy, link = (tmp_path / name for name in ("games.sqlite", "game.json", "copy.sqlite", "link"))
    assert (await shell(file, "import", str(EXAMPLE)))[0] == 0
    link.mkdir()
    (link / file.name).symlink_to(file)  # another way to the same file
    async with Gateway().open() as discord, Gateway().open() as other:
        async with living(tmp_path, discord) as first:
            await ready(discord)
            async with living(link, other) as second:
                await until(lambda: [line for line in log_lines(link) if line["event"] == "the bot waits"])
                assert second.returncode is None
            (line,) = log_lines(link)
            assert REFUSED in line["why"]
            assert not other.ready.is_set()  # it never came as far as Discord

            for looks in (("backup", str(copy)), ("export", "1", "-o", str(record))):
                code, _, complaint = await shell(file, *looks)
                assert (code, complaint) == (0, "")
            code, said, complaint = await shell(file, "forget", "1")  # the bot that runs does it
            assert (code, said.startswith("forgotten"), complaint) == (0, True, "")
            code, said, complaint = await shell(file, "import", str(record))  # it writes
            assert (code, said) == (2, "")
            assert complaint.strip().endswith(REFUSED)
            assert len(complaint.splitlines()) == 1
            assert first.returncode is None
            first.kill()
            await first.wait()
        async with living(link, other):
            await ready(other)
    holds, report = prove_record(record.read_bytes(), "", "en")
    assert holds, report
    with closing(sqlite3.connect(copy)) as connection:
        assert connection.execute("SELECT phase FROM games").fetchall() == [("over",)]
