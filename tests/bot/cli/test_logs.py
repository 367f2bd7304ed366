"""Log lines say what happened to which game, by whose press, and never a secret."""

from __future__ import annotations

import io
import json
import logging
import os
import re
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import sqlalchemy
from sqlalchemy.exc import OperationalError

from bot import OWN_PACKAGES, logs
from bot.store import Store
from rules.core.errors import IllegalOrder
from tests.bot import fake_jobs
from tests.sea import AFAR, Sea

TOKEN = "aW50ZXJhY3Rpb246MTIzNDU2Nzg5"


@contextmanager
def logged(level: logs.LogLevel, form: logs.LogFormat) -> Iterator[io.StringIO]:
    """Collect the lines that a bot with these settings logs."""
    root, out = logging.getLogger(), io.StringIO()
    names = ("", *OWN_PACKAGES)
    handlers, levels = root.handlers[:], {name: logging.getLogger(name).level for name in names}
    logs.configure_logging(level, form, out)
    try:
        yield out
    finally:
        root.handlers[:] = handlers
        for name, was in levels.items():
            logging.getLogger(name).setLevel(was)


def lines(out: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in out.getvalue().splitlines()]


async def test_a_whole_game_is_logged_without_its_secrets(sea: Sea) -> None:
    with logged("DEBUG", "json") as out:
        await sea.begin_at(AFAR, sea.bela)
        await sea.write(sea.anna, "A1 FLRLF; casualties fighting")
        await sea.write(sea.anna, "A1 FLQ")
        await sea.press(sea.anna, sea.panel(sea.anna), "seal")
        await sea.seal(sea.bela, "B1 FFRFX")
        await sea.restart()
        await sea.concede(sea.bela)
    log = lines(out)
    assert sea.rows("games")["games"][0]["phase"] == "over"
    secrets = [*sea.chances, "FLRLF", "F L R L F", "FLQ", "FFRFX", "F F R F X", "casualties fighting"]
    secrets += [row["body"] for row in sea.rows("answers")["answers"]]
    secrets += [record.token for record in sea.env.backend.interactions.values()]
    text = out.getvalue()
    assert [secret for secret in secrets if secret in text] == []
    assert {"game opened", "game began", "step", "message sent", "answered", "refused"} <= {
        line["event"] for line in log
    }
    # The log has the interaction of what somebody asked for, also where it made the game go on.
    interactions = set(sea.env.backend.interactions)
    pressed = [line for line in log if line.get("what") == "seal"]
    assert {(line["game"], line["user"]) for line in pressed} == {(1, sea.anna.id), (1, sea.bela.id)}
    assert {line["interaction"] for line in pressed} <= interactions
    (resolved,) = [line for line in log if line["event"] == "step" and line["cause"] == "answers" and line["step"] == 1]
    assert resolved["interaction"] == pressed[-1]["interaction"]
    # What the outbox does is nobody's press.
    sent = [line for line in log if line["event"] == "message sent"]
    assert sent
    assert all(line["game"] == 1 and line["message"] and "interaction" not in line for line in sent)


async def test_lines_for_readers_hold_the_same(sea: Sea) -> None:
    with logged("INFO", "text") as out:
        await sea.begin(sea.bela)
    (opened,) = [line for line in out.getvalue().splitlines() if "game opened" in line]
    assert "game=1" in opened
    assert "bot.services.lobbies" in opened
    assert not [line for line in out.getvalue().splitlines() if "message sent" in line]


async def test_a_fault_of_ours_has_the_number_that_players_see(sea: Sea, monkeypatch: pytest.MonkeyPatch) -> None:
    await sea.begin(sea.bela)

    async def broken(*_: Any, **__: Any) -> None:
        secret_plan = "FLRLF"
        raise RuntimeError(f"no way to {len(secret_plan)}")

    monkeypatch.setattr(sea.bot.services.reader.rounds, "chapters", broken)
    monkeypatch.setattr(sea.bot.services.reader.requests, "pending_request", broken)
    for form in ("json", "text"):
        with logged("INFO", form) as out:
            said = await sea.command(sea.anna, "log", game="1")
            written = await sea.write(sea.anna, "A1 F")
        text = out.getvalue()
        for told in (said, written):
            (number,) = re.findall("`([0-9a-f]{6})`", told)
            assert number in text
        assert text.count("RuntimeError: no way to 5") == 2
        assert "FLRLF" not in text, "a traceback shows the values of variables"
    assert len(sea.faults) == 4
    sea.faults.clear()


@pytest.mark.processes
async def test_a_resolver_or_painter_that_fails_in_mid_round_tells_no_secret_and_loses_no_order(sea: Sea) -> None:
    await sea.begin_at(AFAR, sea.bela, early=False)
    await sea.both_seal("A1 FLRLF", "B1 FFRFX")
    (step,) = sea.rows("steps")["steps"]
    with logged("DEBUG", "json") as out:
        # The process that computes dies: another takes its place, and nobody notices.
        for pid in fake_jobs.pids(sea.bot.workers):
            os.kill(pid, signal.SIGKILL)
        await sea.command(sea.cili, "table", game="1")
        assert sea.answers[0].attachments
        # The state cannot be read: neither painted for who asks, nor resolved when the time comes.
        sea.change_rows("UPDATE steps SET state = json_set(state, '$.width_mm', 'FLRLF')")
        assert "error number" in await sea.command(sea.cili, "table", game="1")
        await sea.env.advance_time(86_400)
        await sea.env.settle()
        assert len(sea.rows("steps")["steps"]) == 1
        # What was wrong is mended, and the game goes on with what was sealed.
        sea.change_rows("UPDATE steps SET state = ?", step["state"])
        await sea.env.advance_time(600)
        await sea.env.settle()
    assert len(sea.rows("steps")["steps"]) == 2
    bodies = {row["request_id"]: row["body"] for row in sea.rows("answers")["answers"]}
    assert bodies["r1.orders.0"].startswith("A1 FLRLF")
    assert bodies["r1.orders.1"].startswith("B1 FFRFX")
    assert sea.told().count("Round 1\n") == 1
    faults = [line for line in lines(out) if line["level"] == "error"]
    assert {"error", "game could not be resolved"} <= {line["event"] for line in faults}
    # It says what kind of fault it was, and where.
    assert all("ValidationError" in line["exception"] and "/bot/jobs/" in line["exception"] for line in faults)
    secrets = [*sea.chances, "FLRLF", "FFRFX", "F L R L F", "F F R F X", *bodies.values()]
    assert [secret for secret in secrets if secret in out.getvalue()] == []
    sea.faults.clear()


def test_refused_orders_and_tokens_are_cut_out_of_tracebacks() -> None:
    with logged("INFO", "json") as out:
        try:
            raise IllegalOrder("too_many_moves", "MB-3.4", piece="A1 FFLFRF", most=3)
        except IllegalOrder:
            logging.getLogger("bot.lifecycle.steps.runner").exception("game could not be resolved")
        logging.getLogger("discord.http").warning("POST https://discord.com/api/v10/interactions/77/%s/callback", TOKEN)
    first, second = lines(out)
    assert "too_many_moves" in first["exception"]
    assert "IllegalOrder(" not in first["exception"].splitlines()[-1]
    assert "FFLFRF" not in first["exception"].splitlines()[-1]
    assert TOKEN not in second["event"]
    assert "/callback" in second["event"]


def test_libraries_tell_no_more_than_info() -> None:
    with logged("DEBUG", "json") as out:
        for name in ("discord.http", "discord.gateway", "aiosqlite", "sqlalchemy.engine"):
            logging.getLogger(name).debug("a whole message")
        logging.getLogger("bot").debug("ours")
    assert [line["event"] for line in lines(out)] == ["ours"]


async def test_an_error_of_the_database_names_no_values(tmp_path: Any) -> None:
    store = await Store.open(f"sqlite+aiosqlite:///{tmp_path / 'games.sqlite'}")
    async with store.write() as tx:
        await tx.games._connection.execute(sqlalchemy.text("DROP TABLE answers"))
    with pytest.raises(OperationalError) as failed:
        async with store.read() as tx:
            await tx.answers.by_request(1, ["a plan nobody may know"])
    assert "a plan nobody may know" not in str(failed.value)
    await store.close()
