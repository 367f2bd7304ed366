"""Discord is away for a day: it is asked seldom, the log stays short, and afterwards all arrives in order, once."""

from __future__ import annotations

import logging
from typing import Any

import aiohttp
import pytest

from bot.lifecycle.outbox import outage
from bot.lifecycle.outbox.outage import MAX_PAUSE_S, OutageMonitor
from tests.sea import AFAR, Sea, refs, text_of

DAY_S = 86_400
SELDOM_S = 4 * 3600
"""Pauses in these tests, so that a day of tries does not take minutes; another test checks the real ones."""


def waiting(sea: Sea) -> list[str]:
    """Return the outbox's rows that are due and not sent."""
    now = sea.now().timestamp()
    return [row["key"] for row in sea.rows("outbox")["outbox"] if row["sent"] < row["wanted"] and row["due_at"] <= now]


@pytest.fixture(params=["503", "refused"])
def away(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return two functions: one cuts the bot off from Discord, the other ends that."""

    monkeypatch.setattr(outage, "MAX_PAUSE_S", SELDOM_S)
    real: list[Any] = []

    def leave(sea: Sea) -> None:
        match request.param:
            case "503":
                sea.env.inject_error("*", "/*", status=503, times=None)
            case _:

                async def fail(*_: Any, **__: Any) -> Any:
                    raise aiohttp.ClientConnectionError("Connection refused")

                real.append(sea.bot.http.request)
                monkeypatch.setattr(sea.bot.http, "request", fail)

    def back(sea: Sea) -> None:
        sea.env.backend.faults.clear()
        for request in real:
            monkeypatch.setattr(sea.bot.http, "request", request)

    return leave, back


async def test_after_a_day_without_discord_all_arrives_in_order_and_once(
    sea: Sea, away: Any, caplog: pytest.LogCaptureFixture
) -> None:
    leave, back = away
    await sea.begin_at(AFAR, sea.bela, phase="20h")
    await sea.seal(sea.bela, "B1 FFFFF")
    leave(sea)
    calls = len(sea.env.http_requests)
    with caplog.at_level(logging.INFO, "bot"):
        await sea.env.advance_time(DAY_S)
        assert sea.rows("games")["games"][0]["step_no"] > 0
        assert {"step:1", "seals:1"} & set(waiting(sea))
        assert not [row["key"] for row in sea.rows("outbox")["outbox"] if row["problem"]]
        # It is asked seldom, and by one message at a time.
        assert len(sea.env.http_requests) - calls < 60
        back(sea)
        await sea.env.advance_time(SELDOM_S + 1)
        await sea.settle()
    assert "Discord is back" in caplog.text
    assert not waiting(sea)
    sent_rows = sorted((row for row in sea.rows("outbox")["outbox"] if row["message_id"]), key=lambda row: row["id"])
    for place in {row["channel_id"] for row in sent_rows}:
        ids = [row["message_id"] for row in sent_rows if row["channel_id"] == place]
        assert ids == sorted(ids)
    texts = [text_of(message) for message in sea.thread.history()]
    assert len(texts) == len(set(texts))
    assert sum("Round 1\n" in text for text in texts) == 1
    assert sum("Round 1 · chain of fingerprints" in text for text in texts) == 1
    assert {"step:1", "seals:1", "panel:r2.orders.0", "panel:r2.orders.1"} <= {row["key"] for row in sent_rows}
    assert "type" in refs(sea.dms(sea.anna)[-1])
    # What was due meanwhile, and is of no use any more, is not said a day late.
    assert not [row["key"] for row in sent_rows if row["kind"] == "remind"]


@pytest.mark.begun
async def test_a_connection_that_is_back_is_used_at_once(sea: Sea) -> None:
    sea.env.inject_error("*", f"/channels/{sea.thread.id}/*", status=503, times=None)
    await sea.seal(sea.anna, "A1 FFFFF")
    await sea.env.advance_time(7200)
    assert "Sealed by anna" not in sea.told()
    sea.env.backend.faults.clear()
    await sea.bot.on_resumed()
    await sea.settle()
    assert "Sealed by anna" in sea.told()
    due = [
        row["key"] for row in sea.rows("outbox")["outbox"] if row["sent"] < row["wanted"] and row["kind"] != "remind"
    ]
    assert not due


def test_a_day_of_absence_costs_few_tries_and_few_lines(caplog: pytest.LogCaptureFixture) -> None:
    away, now, tries = OutageMonitor(), 1_800_000_000, []
    with caplog.at_level(logging.INFO, "bot"):
        end = now + DAY_S
        while now < end:
            tries.append(away.next_probe([1, 2, 3]))
            away.note_failure(tries[-1], now, "503")
            now = away.next_probe_at
        assert len(caplog.records) < 20
        assert DAY_S / MAX_PAUSE_S <= len(tries) < DAY_S / MAX_PAUSE_S + 10
        assert set(tries[:3]) == set(tries[3:6]) == {1, 2, 3}  # one that is always refused does not ask alone
        away.probe_now()
        assert away.next_probe_at <= now
        assert away.note_success(now)
    assert not away.is_active
    away.note_failure(1, now + 1_000_000, "500")  # the clock is ahead for a while
    assert away.must_wait(now + 1_000_000)
    assert not away.must_wait(now)
    away.probe_now()
    away.note_success(now)
    # One failure among others that arrive is no absence.
    away.note_failure(1, now, "500")
    assert not away.note_success(now + 1)
