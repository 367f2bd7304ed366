"""Whatever Discord refuses, no game is lost: each answer has its way out, and who must know of it is told once."""

from __future__ import annotations

from typing import Any

import pytest

from bot.i18n import Catalogue
from bot.memory import FORGET_S, MINUTES, Budget, Memory, StillRefused
from bot.refusals import Meaning, Refused
from tests.sea import AFAR, Sea, refs, text_of

EN = Catalogue.load("en")


def unsent(sea: Sea) -> list[str]:
    """Messages that are not seen as they should be; reminders are wanted for later."""
    rows = sea.rows("outbox")["outbox"]
    return [row["key"] for row in rows if row["sent"] < row["wanted"] and row["kind"] != "remind"]


def told(sea: Sea, who: Any, words: str) -> int:
    """How often somebody was told something directly."""
    return sum(words in text_of(message) for message in sea.dms(who))


async def test_a_press_whose_answer_comes_too_late_is_done_and_shown(sea: Sea) -> None:
    await sea.begin_at(AFAR, sea.bela)
    await sea.write(sea.anna, "A1 FFFFF")
    sea.env.inject_error("POST", "/interactions/*/callback", status=404, code=10062)
    sea.env.inject_error("PATCH", "/webhooks/*", status=401, code=50027)
    await sea.click_only(sea.anna, sea.reply(sea.anna), refs(sea.reply(sea.anna))["seal"])
    await sea.settle()
    await sea.env.advance_time(30)
    assert "anna: sealed" in sea.told()
    assert any("unseal" in refs(message) for message in sea.dms(sea.anna))
    # Acknowledged already, by a try that was not heard: the answer follows it.
    sea.env.backend.faults.clear()
    sea.env.inject_error("PATCH", "/webhooks/*", status=404, code=10015)
    await sea.click_only(sea.anna, sea.panel(sea.anna), refs(sea.panel(sea.anna))["unseal"])
    await sea.settle()
    await sea.env.advance_time(30)
    assert "anna: sealed" not in sea.told()
    assert "seal" in refs(sea.panel(sea.anna))


async def test_commands_are_told_once_and_no_refusal_stops_the_bot(sea: Sea) -> None:
    def tellings() -> int:
        return sum(call.method == "PUT" and call.path.endswith("/commands") for call in sea.env.http_requests)

    assert tellings() == 1
    await sea.restart()
    assert tellings() == 1  # nothing has changed
    sea.change_rows("UPDATE kept_facts SET value = 'older'")
    sea.env.inject_error("PUT", "/applications/*/commands", status=400, code=30034)
    await sea.restart()
    assert tellings() == 2
    await sea.command(sea.anna, "new")
    assert len(sea.rows("games")["games"]) == 1
    await sea.env.advance_time(120)
    assert tellings() == 3
    await sea.env.advance_time(7200)
    assert tellings() == 3


def test_what_was_refused_is_forgotten_in_time() -> None:
    now = [1000]
    memory = Memory(lambda: now[0])
    memory.keep("place", 5, Refused(meaning=Meaning.FORBIDDEN, code=50013, status=403))
    with pytest.raises(StillRefused) as known:
        memory.check("place", 5)
    assert known.value.refused.code == 50013
    memory.check("place", 6)
    memory.check("person", 5)
    memory.forget("place", which=6)
    with pytest.raises(StillRefused):
        memory.check("place", 5)
    now[0] += FORGET_S
    memory.check("place", 5)


def test_the_outbox_rests_long_before_discord_bans_the_address() -> None:
    now = [600_000]
    budget = Budget(lambda: now[0], most=100)
    for status in (200, 404, 500) * 100:
        budget.count(status)
    for number in range(99):
        budget.count((401, 403, 429)[number % 3])
        now[0] += 1
    assert (budget.spent, budget.rest_until()) == (99, None)
    budget.count(403)
    until = budget.rest_until()
    assert until is not None
    assert now[0] < until <= now[0] + (MINUTES + 1) * 60
    now[0] = until
    assert budget.rest_until() is None


async def test_no_game_is_opened_in_a_thread(sea: Sea) -> None:
    await sea.begin_at(AFAR, sea.bela)
    said = await sea.command(sea.anna, "new", at=sea.thread)
    assert f"<#{sea.channel.id}>" in said
    assert len(sea.rows("games")["games"]) == 1
