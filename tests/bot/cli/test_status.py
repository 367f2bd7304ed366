"""The output of `war-galley status`, and counts of errors, which hold no values."""

from __future__ import annotations

import logging
import time

import pytest

from bot.logs import MAX_KINDS, OTHER_KINDS, ErrorCounter
from bot.store import Store
from bot.store.queries.error_counts import HOUR_S, RETENTION_S
from tests.bot.services.test_import import shelled
from tests.sea import AFAR, Sea

SECRET = "A1 FFXFX of user 1456074443980800002"


def line(name: str, text: str, *values: object, error: Exception | None = None) -> logging.LogRecord:
    raised = (type(error), error, None) if error else None
    return logging.LogRecord(name, logging.ERROR, __file__, 1, text, values, raised)


def test_errors_are_counted_by_constant_texts() -> None:
    counter = ErrorCounter()
    for record in (
        line("bot.lifecycle.outbox.outbox", "message could not be made", error=ValueError(SECRET)),
        line("bot.lifecycle.outbox.outbox", "message could not be made"),
        line("discord.client", "Ignoring exception in %s", SECRET, error=KeyError(SECRET)),
        line("asyncio", f"Task exception was never retrieved {SECRET}"),
    ):
        counter.handle(record)
    assert counter.take() == {"message could not be made": 2, "discord.client: KeyError": 1, "asyncio": 1}
    assert counter.take() == {}


def test_there_are_no_more_kinds_than_can_be_stored() -> None:
    counter = ErrorCounter()
    for number in range(2 * MAX_KINDS):
        counter.handle(line(f"library{number}", "text"))
    counts = counter.take()
    assert len(counts) == MAX_KINDS + 1
    assert counts[OTHER_KINDS] == MAX_KINDS


@pytest.mark.postgres
async def test_counts_add_up_and_old_ones_go(database: str) -> None:
    store, now = await Store.open(database), 1_000 * HOUR_S
    for at, counts in ((now, {"a": 1, "b": 5}), (now + 60, {"a": 2}), (now + 2 * HOUR_S, {"a": 4})):
        async with store.write() as tx:
            await tx.error_counts.add(counts, now=at)
    async with store.read() as tx:
        rows = [(row.kind, row.count, row.last_at) for row in await tx.error_counts.counts_since(now)]
        assert rows == [("a", 7, now + 2 * HOUR_S), ("b", 5, now)]
        assert [row.kind for row in await tx.error_counts.counts_since(now + HOUR_S + 1)] == ["a"]
    async with store.write() as tx:
        await tx.error_counts.add({"c": 1}, now=now + RETENTION_S + HOUR_S)
        assert {row.kind for row in await tx.error_counts.counts_since(0)} == {"a", "c"}
    await store.close()


@pytest.mark.postgres
async def test_the_shell_shows_how_the_bot_stands(sea: Sea) -> None:
    await sea.begin_at(AFAR, sea.bela)
    await sea.command(sea.anna, "new")
    await sea.command(sea.bela, "new")
    sea.change_rows("UPDATE games SET guild_id = 77, phase = 'over' WHERE id = 3")
    async with sea.bot.services.store.write() as tx:
        await tx.error_counts.add({"game stands still": 3}, now=int(time.time()))
        await tx.denials.deny_user(5, now=1)
    done = await shelled("status", "--database", sea.database_url)
    assert done.exit_code == 0, done.output
    shown_lines = done.stdout.splitlines()
    assert shown_lines[0] == "bot: running"
    assert f"  {sea.guild.id} ({sea.guild.name}): 1 lobby, 1 running" in shown_lines
    assert "  77 (the bot is not there): 1 over" in shown_lines
    assert "denied users: 5" in shown_lines
    assert "errors in the last 24 hours: 3" in shown_lines
    assert any(line.startswith("  3 × game stands still, last ") for line in shown_lines)
    done = await shelled("status", "--server", sea.guild.id, "--database", sea.database_url)
    assert [line.partition(" opened")[0] for line in done.stdout.splitlines()] == [
        "#2 matchbox, lobby,",
        "#1 matchbox, running,",
    ]
