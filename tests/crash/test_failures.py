"""Failures at the start and while the bot runs, on real processes: some that `make failures` tries, and more."""

from __future__ import annotations

import asyncio
import signal
from pathlib import Path

import pytest

from tests import pg
from tests.crash import failures
from tests.crash.failures import SHORT, WAITS
from tests.crash.test_stopping import MOST_WAIT_S, STOPPED_WITHIN_S, until
from tests.loopback import failing
from tests.loopback.endpoint import free_port
from tests.loopback.gateway import Gateway, living, log_lines
from tests.loopback.shards import SHARDS, ShardedGateway

pytestmark = pytest.mark.timeout(300)
QUICK = (
    "`PHASE_LENGTH` is no length of time",
    "`HTTP_PORT` is taken",
    "Discord is away for a while",
    "PostgreSQL goes away",
)
LIBRARIES = ("voice", "plugin", "alembic", "static token")


@pytest.mark.parametrize("name", QUICK)
async def test_a_failure_is_met_as_expected(name: str, server: pg.Server) -> None:
    await failures.attempt(failures.FAILURES[name], server, SHORT)


async def test_without_a_terminal_it_waits_before_it_exits_and_sigterm_ends_that_at_once(tmp_path: Path) -> None:
    async with Gateway().open() as discord:
        discord.failures = [failing.UNAUTHORIZED]
        async with living(tmp_path, discord, EXIT_DELAY_S="900") as bot:
            await until(lambda: "war-galley: Discord does not accept" in (tmp_path / "log").read_text("utf-8"))
            assert bot.returncode is None
            bot.send_signal(signal.SIGTERM)
            assert await asyncio.wait_for(bot.wait(), STOPPED_WITHIN_S) == 2


async def test_sigterm_ends_the_wait_for_another_try_at_once(tmp_path: Path) -> None:
    async with Gateway().open() as discord:
        discord.failures = [failing.OUT_OF_ORDER]
        async with living(tmp_path, discord) as bot:
            await until(lambda: any(line["event"] == WAITS for line in log_lines(tmp_path)))
            bot.send_signal(signal.SIGTERM)
            assert await asyncio.wait_for(bot.wait(), STOPPED_WITHIN_S) == 0


async def test_it_says_how_it_is_while_it_waits_and_counts_on_afterwards(tmp_path: Path) -> None:
    port = free_port()
    async with Gateway().open() as discord:
        discord.failures = [failing.BLOCKED_BY_CLOUDFLARE] * 1000
        async with living(tmp_path, discord, HTTP_PORT=str(port), **SHORT):
            await until(lambda: any(line["event"] == WAITS for line in log_lines(tmp_path)))
            status, text = await failures.fetch(port, "healthz")
            assert (status, '"discord": false' in text) == (503, True)
            status, text = await failures.fetch(port, "metrics")
            assert (status, "war_galley_connected 0.0" in text) == (200, True)
            assert "process_resident_memory_bytes" in text
            discord.failures.clear()
            async with asyncio.timeout(MOST_WAIT_S):
                while (await failures.fetch(port, "healthz"))[0] != 200:  # noqa: ASYNC110 - in another process
                    await asyncio.sleep(0.1)


async def test_a_try_that_failed_leaves_no_file_thread_or_process_behind(tmp_path: Path) -> None:
    def waited() -> int:
        return sum(line["event"] == WAITS for line in log_lines(tmp_path))

    def held(pid: int) -> tuple[int, int]:
        return len([*Path(f"/proc/{pid}/fd").iterdir()]), len([*Path(f"/proc/{pid}/task").iterdir()])

    async with Gateway().open() as discord:
        discord.failures = [failing.OUT_OF_ORDER] * 8
        async with living(tmp_path, discord, FIRST_PAUSE_S="0.5") as bot:
            seen = {}
            for times in range(2, 5):
                await until(lambda: waited() >= times)  # noqa: B023 - it is waited for here
                await asyncio.sleep(0.2)
                seen[times] = held(bot.pid)
        files, threads = zip(*seen.values(), strict=True)
        assert max(files) == files[0], seen
        assert max(threads) == threads[0], seen


async def test_the_first_line_says_what_starts_and_libraries_say_nothing_of_themselves(tmp_path: Path) -> None:
    async with Gateway().open() as discord, living(tmp_path, discord):
        await asyncio.wait_for(discord.ready.wait(), MOST_WAIT_S)
    first, *others = log_lines(tmp_path)
    assert first["event"] == "the bot starts"
    assert first["version"]
    assert first["database"] == "SQLite"
    assert (first["servers"], first["games"]) == (1, 0)
    assert "900" in first["application"]
    assert first["invitation"].startswith("https://discord.com/oauth2/authorize?client_id=900&")
    assert [line for line in (first, *others) if any(word in str(line) for word in LIBRARIES)] == []


async def test_one_of_several_bots_ends_as_well_where_only_a_person_can_help(tmp_path: Path, server: pg.Server) -> None:
    async with ShardedGateway().open() as discord:
        discord.close_codes = [4004] * SHARDS
        settings = {"DATABASE_URL": server.database(), "SHARDS": str(SHARDS)}
        async with living(tmp_path, discord, **settings) as bot:
            assert await asyncio.wait_for(bot.wait(), MOST_WAIT_S) == 2
    lines = [line for line in (tmp_path / "log").read_text("utf-8").splitlines() if not line.startswith("{")]
    assert len(lines) == 1, lines


async def test_one_of_several_bots_does_not_identify_either_while_few_connections_remain(
    tmp_path: Path, server: pg.Server
) -> None:
    async with ShardedGateway().open() as discord:
        discord.remaining = 49
        settings = {"DATABASE_URL": server.database(), "SHARDS": str(SHARDS), **SHORT}
        async with living(tmp_path, discord, **settings):
            await until(lambda: any(line["event"] == WAITS for line in log_lines(tmp_path)))
            assert discord.identifies == 0
