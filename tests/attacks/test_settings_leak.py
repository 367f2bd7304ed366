"""Only you see your settings: nobody can tell from a message how you are reminded (PRIVACY.md)."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from typing import Any

import pytest

from bot.discord.messages.board import outbox_mark_of
from bot.jobs.workers import Workers
from tests.bot.papers import sealed
from tests.sea import AFAR, Sea, parts


async def seen_by_all(sea: Sea, reminders: str) -> list[str]:
    """Return the custom ids of the thread's buttons after a round, with Anna's choice of reminders."""
    await sea.command(sea.anna, "me", reminders=reminders)
    await sea.begin_at(AFAR, sea.bela)
    await sealed(sea, sea.anna, "A1 RLRLR")
    await sealed(sea, sea.bela, "B1 RLRLR")
    ids = [getattr(part, "custom_id", None) for message in sea.thread.history() for part in parts(message)]
    return [custom_id for custom_id in ids if custom_id]


async def test_no_button_in_the_thread_tells_whether_somebody_is_reminded(
    new_database: Callable[[], str], workers: Workers, settings: dict[str, Any]
) -> None:
    tapes = []
    for reminders in ("both", "none"):
        sea = Sea(new_database(), workers, itertools.count(1), **settings)
        async with sea.open():
            tapes.append(await seen_by_all(sea, reminders))
    assert tapes[0] == tapes[1]


async def test_no_number_of_a_message_counts_what_others_are_shown(sea: Sea, monkeypatch: pytest.MonkeyPatch) -> None:
    """From the numbers of two messages one could else read how many came between them, such as reminders."""
    monkeypatch.setattr("secrets.randbelow", random.Random(5).randrange)
    await seen_by_all(sea, "both")
    marks = [mark for message in sea.thread.history() if (mark := outbox_mark_of(message))]
    sent = [call.json for call in sea.env.http_requests if isinstance(call.json, dict)]
    nonces = [str(one["nonce"]) for one in sent if "-" in str(one.get("nonce"))]
    assert len(marks) >= 3
    assert len(nonces) >= len(marks)
    rows = sea.rows("outbox")["outbox"]
    assert {int(nonce.partition("-")[0]) for nonce in nonces} <= {row["mark"] for row in rows}
    for numbers in (marks, [int(nonce.partition("-")[0]) for nonce in nonces]):
        assert all(abs(one - other) > len(rows) for one, other in itertools.pairwise(numbers) if one != other)
