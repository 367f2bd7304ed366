"""Under overload pictures are left out first: text and buttons come, and once it is over the newest picture of each."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any

import pytest
from msgspec import structs

from bot.discord.messages.pictures import PictureCache
from bot.jobs.turns import OVERLOAD_LENGTH, WorkerSlot
from bot.jobs.values import DescribedPicture
from bot.jobs.workers import Workers
from bot.lifecycle.outbox.outbox import PendingPicture, Superseded
from bot.services.orders import PRESS_TIMEOUT_S
from bot.store.engine.shard import CLOSED_VERSION, DraftVersion
from bot.urgency import IsWanted
from tests.bot.discord.test_at_once import FOLLOWS, belongs, order, seen, until
from tests.bot.rows import unsent
from tests.here import Here
from tests.sea import AFAR, Sea, refs, text_of

DRAWN = DescribedPicture(data=b"", format="png", alt_text="")


class Flood:
    """Work that takes the only place which is not kept for presses, from the next step's end until it `ebbs`."""

    def __init__(self, pool: Workers, here: Here) -> None:
        self._turns = pool.queue
        self._others: list[asyncio.Task[WorkerSlot]] = []
        self.begun: Counter[str] = Counter()
        """Jobs that were begun, by their names."""
        self._after: str | None = None
        here.begun = self._begins

    def comes_after(self, job: str) -> None:
        self._after = job

    def _begins(self, job: Any) -> None:
        name = job.func.__name__
        self.begun[name] += 1
        if name == self._after:
            self._after = None
            self.rises()

    def rises(self) -> None:
        self._others = [asyncio.create_task(self._turns.acquire_slot("step")) for _ in range(OVERLOAD_LENGTH + 2)]

    async def ebbs(self) -> None:
        for other in self._others:
            self._turns.release_slot(await other)


@pytest.fixture
def here() -> Here:
    return Here()


@pytest.fixture
def workers(here: Here) -> Workers:
    pool = Workers(1, for_presses=1)
    pool._idle, pool._idle_press_workers, pool._all = [here], [here], ()  # type: ignore[list-item]
    return pool


@pytest.fixture
def flood(workers: Workers, here: Here) -> Flood:
    return Flood(workers, here)


async def test_presses_are_answered_at_once_and_only_the_last_is_drawn_later(sea: Sea, flood: Flood) -> None:
    await sea.begin_at(AFAR, sea.bela)
    old = seen(sea, sea.anna)
    flood.rises()
    await asyncio.sleep(0)
    flood.begun.clear()
    with sea.at_once():
        await order(sea, "F", "**A1** F\n")
        await order(sea, "F", "**A1** F F\n")
        await order(sea, "L", "**A1** F F L\n")
        assert seen(sea, sea.anna) == old
        assert not flood.begun["draw_plan"]
        await flood.ebbs()
        await until(sea, lambda: seen(sea, sea.anna) != old)
    await sea.settle()
    assert flood.begun["draw_plan"] == 1, "nothing that was out of date was drawn"
    assert seen(sea, sea.anna) == await belongs(sea, sea.anna)
    assert unsent(sea) == []


@pytest.mark.begun
async def test_what_was_pressed_through_another_bot_is_not_undone_by_a_picture(sea: Sea, flood: Flood) -> None:
    flood.rises()
    await asyncio.sleep(0)
    flood.begun.clear()
    with sea.at_once():
        await order(sea, "F", "**A1** F\n")
        pending = await sea.asked(sea.anna)
        row = pending.row
        sea.change_rows("UPDATE requests SET draft = 'A1 FL', version = version + 1 WHERE id = ?", row.id)
        draft_version = DraftVersion(
            "another", 1, row.id, row.step_no, first_version=row.version, last_version=row.version + 1
        )
        sea.bot.services.orders.note_draft_changed(draft_version)
        await flood.ebbs()
    await sea.settle()
    assert not flood.begun["draw_plan"], "nothing that was out of date was drawn"
    # That bot has only added to the orders: so what is pressed meanwhile in the panel of before counts, too.
    assert not await sea.press(sea.anna, sea.panel(sea.anna), "press order.R")
    assert "**A1** F L R\n" in text_of(sea.panel(sea.anna))
    sea.bot.services.orders.note_draft_changed(structs.replace(draft_version, last_version=CLOSED_VERSION))
    assert sea.bot.services.orders.is_outdated_version(pending)
    sea.bot.services.orders.note_draft_changed(structs.replace(draft_version, last_version=row.version))
    assert not sea.bot.services.orders.is_outdated_version(pending), "it is asked again, as after going back"


async def test_new_messages_come_without_pictures_and_get_their_newest_later(sea: Sea, flood: Flood) -> None:
    await sea.begin_at(AFAR, sea.bela)
    for who, text in ((sea.bela, "B1 LLLLL"), (sea.anna, "A1 LLLLL")):
        await sea.write(who, text)
    await sea.press(sea.bela, sea.panel(sea.bela), "seal")
    before = sea.panel(sea.anna)
    flood.comes_after("carry_out_answers")
    with sea.at_once():
        await sea.click_only(sea.anna, before, refs(before)["seal"])
        await until(sea, lambda: min(sea.panel(who).id for who in (sea.anna, sea.bela)) > before.id)
        await until(sea, lambda: FOLLOWS in sea.told())
        flood.begun.clear()
        await order(sea, "F", "**A1** F\n")
        await order(sea, "F", "**A1** F F\n")
        assert not any(sea.panel(who).attachments for who in (sea.anna, sea.bela))
        assert not flood.begun["draw_plan"] + flood.begun["draw_state"]
        await flood.ebbs()
        await until(sea, lambda: bool(sea.panel(sea.anna).attachments and sea.panel(sea.bela).attachments))
    await sea.settle()
    assert (flood.begun["draw_plan"], flood.begun["draw_state"]) == (2, 1), "nothing that was out of date was drawn"
    for who in (sea.anna, sea.bela):
        assert seen(sea, who) == await belongs(sea, who)
    assert FOLLOWS not in sea.told() + text_of(sea.panel(sea.anna)) + text_of(sea.panel(sea.bela))
    await sea.env.advance_time(PRESS_TIMEOUT_S)
    await sea.settle()
    assert unsent(sea) == []


@pytest.mark.parametrize("new", [False, True])
@pytest.mark.parametrize("overloaded", [False, True])
async def test_no_message_waits_for_its_picture_under_overload(sea: Sea, *, new: bool, overloaded: bool) -> None:
    await sea.begin_at(AFAR, sea.bela)
    async with sea.bot.services.store.read() as tx:
        (message, *_) = await tx.messages.of_game(1)

    async def draw(_: IsWanted) -> DescribedPicture:
        return DRAWN

    pictures = PictureCache(lambda: overloaded, lambda _: False)
    came = await pictures.get_or_draw(
        structs.replace(message, message_id=None) if new else message, "what it shows", draw
    )
    if overloaded:
        assert isinstance(came, PendingPicture)
        assert await came.picture_task == DRAWN, "it is drawn all the same, and follows"
    else:
        assert came == DRAWN


async def test_what_is_shown_otherwise_by_now_is_not_drawn(sea: Sea) -> None:
    await sea.begin_at(AFAR, sea.bela)
    async with sea.bot.services.store.read() as tx:
        (message, *_) = await tx.messages.of_game(1)
    begun: list[object] = []

    async def draw(_: IsWanted) -> DescribedPicture:
        begun.append(_)
        return DRAWN

    with pytest.raises(Superseded):
        await PictureCache(lambda: False, lambda _: True).get_or_draw(message, "what it showed", draw)
    late = PictureCache(lambda: True, lambda _: False)
    came = await late.get_or_draw(message, "what it showed", draw)
    late.cancel_obsolete(message)
    assert isinstance(came, PendingPicture)
    with pytest.raises(asyncio.CancelledError):
        await came.picture_task
    assert not begun
