"""Attack: a panel is to go from its place while an edit of it there is under way."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.bot.discord.test_one_message import a_round, ours
from tests.sea import AFAR, Sea, refs, text_of


class Slow:
    """Holds up the next panel of Anna's that the outbox has brought, before that is written down."""

    def __init__(self, sea: Sea, monkeypatch: pytest.MonkeyPatch) -> None:
        self.under_way, self.go = asyncio.Event(), asyncio.Event()
        deliver = sea.bot._outbox._deliver

        async def slow(message: Any) -> Any:
            sent = await deliver(message)
            if message.kind == "panel" and message.user_id == sea.anna.id and not self.go.is_set():
                self.under_way.set()
                await self.go.wait()
            return sent

        monkeypatch.setattr(sea.bot._outbox, "_deliver", slow)


@pytest.mark.parametrize("how", ["restart", "refused once"])
async def test_a_panel_is_there_whatever_was_under_way_when_it_moved(
    sea: Sea, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    await sea.begin_at(AFAR, sea.bela)
    slow = Slow(sea, monkeypatch)
    sea.env.inject_error("DELETE", "/channels/*/messages/*", status=503, code=0, message="away", times=1)
    with sea.at_once():
        await sea.anna.slash(sea.channel, "galley orders", text="A1 F")  # the outbox edits the panel
        await asyncio.wait_for(slow.under_way.wait(), 20)
        await sea.anna.user.send_dm("A1 FFFFF")  # meanwhile it is to be posted below this
        async with asyncio.timeout(20):
            while not sea.rows("removals")["removals"]:  # noqa: ASYNC110 - another connection writes it
                await asyncio.sleep(0.01)
        slow.go.set()
    await sea.settle()
    if how == "restart":
        await sea.restart(after_s=30)
    await sea.env.advance_time(300)
    await sea.settle()
    assert sea.rows("requests")["requests"][0]["draft"] == "A1 FFFFF"
    (panel,) = ours(sea, sea.anna)
    assert "seal" in refs(panel)
    assert panel.id == sea.dms(sea.anna)[-1].id
    assert not sea.rows("removals")["removals"]


async def test_no_closed_panel_is_posted_below_the_new_one_by_an_edit_under_way(
    sea: Sea, monkeypatch: pytest.MonkeyPatch
) -> None:
    await sea.begin_at(AFAR, sea.bela)
    await a_round(sea, (sea.bela, "B1 LLLLL"))
    slow = Slow(sea, monkeypatch)
    with sea.at_once():
        await sea.anna.slash(sea.channel, "galley orders", text="A1 LLLLL")
        await asyncio.wait_for(slow.under_way.wait(), 20)
        asked = await sea.bot.table.reader.asked(sea.anna.id)
        await sea.bot.table.orders.seal(asked, asked.row.version)
        await sea.bot.table.rounds.settle()
        slow.go.set()
    await sea.settle()
    await sea.env.advance_time(60)
    await sea.settle()
    (panel,) = ours(sea, sea.anna)
    assert "Round 2" in text_of(panel)
    assert "type" in refs(panel)
