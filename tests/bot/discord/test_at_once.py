"""A press is answered with text and buttons over the old picture; the picture that belongs to them follows."""

from __future__ import annotations

import asyncio
import os
import select
from collections.abc import Callable, Coroutine, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from bot.discord.messages import pictures
from bot.jobs import showing
from bot.jobs.workers import Workers
from bot.presenters.wording import game_localizer
from bot.sandbox import private
from bot.texts.i18n import Catalogue
from tests.bot import fake_jobs
from tests.bot.rows import unsent
from tests.sea import AFAR, Sea, parts, refs, text_of

FOLLOWS = Catalogue.load("en").say("thread.picture_follows")


@pytest.fixture(scope="module")
def workers() -> Iterator[Workers]:
    """Start three processes, so that two may be held up in drawing."""
    pool = Workers(3)
    yield pool
    pool.close()


class Brush:
    """Holds, when asked to, every worker that draws a plan, or another picture, until it may go on."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self._monkeypatch = monkeypatch
        self.pipes = [str(folder / "begun"), str(folder / "go_on")]
        for pipe in self.pipes:
            os.mkfifo(pipe)
        # Open both ways, so that neither side waits for the other to open it, and nothing written is lost.
        self._begun, self._go_on = (os.open(pipe, os.O_RDWR) for pipe in self.pipes)

    def hold(self, job: str = "draw_plan") -> None:
        """Hold pictures from now on; none is drawn soon enough for a new message."""
        self._monkeypatch.setattr(pictures.PictureCache, "patience_s", 0)
        self._monkeypatch.setattr(showing, job, partial(fake_jobs.held, job, *self.pipes))

    def let_be(self) -> None:
        self._monkeypatch.undo()

    async def begins(self) -> None:
        await asyncio.to_thread(os.read, self._begun, 1)

    @property
    def more_begun(self) -> bool:
        return bool(select.select([self._begun], [], [], 0)[0])

    def finish(self) -> None:
        os.write(self._go_on, b".")

    def close(self) -> None:
        os.close(self._begun)
        os.close(self._go_on)


@pytest.fixture
def brush(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Brush]:
    held_brush = Brush(tmp_path, monkeypatch)
    yield held_brush
    held_brush.close()


async def until(sea: Sea, happened: Callable[[], bool]) -> None:
    news = asyncio.Event()
    listener = lambda *_: news.set()  # noqa: E731 - to be taken away again
    sea.env.backend.subscribers.append(listener)
    try:
        while not happened():
            news.clear()
            await news.wait()
    finally:
        sea.env.backend.subscribers.remove(listener)


def picture(message: Any) -> tuple[bytes, str]:
    (item,) = [item for part in parts(message) for item in getattr(part, "items", [])]
    (file,) = message.attachments
    assert item.media.url == file.url
    return file.url, item.description


async def belongs(sea: Sea, who: Any) -> tuple[bytes, str]:
    pending = await sea.bot.services.reader.requests.pending_request(who.id)
    drawn = await sea.bot.services.reader.requests.draw_plan(pending, game_localizer(pending.seated_game, "en"))
    return drawn.data, drawn.alt_text


def seen(sea: Sea, who: Any) -> tuple[bytes, str]:
    url, alt = picture(sea.panel(who))
    return private.uploaded_files(sea.env.backend)[str(url)], alt


async def order(sea: Sea, token: str, then: str) -> None:
    """Let Anna order in a hurry, and return the answer."""
    panel = sea.panel(sea.anna)
    await sea.click_only(sea.anna, panel, refs(panel)[f"press order.{token}"])
    await until(sea, lambda: then in text_of(sea.panel(sea.anna)))


async def test_text_and_buttons_come_at_once_and_the_newest_picture_last(sea: Sea, brush: Brush) -> None:
    await sea.begin_at(AFAR, sea.bela)
    brush.hold()
    old = seen(sea, sea.anna)
    with sea.at_once():
        await order(sea, "F", "**A1** F\n")
        assert seen(sea, sea.anna) == old  # with its own description, too
        await order(sea, "F", "**A1** F F\n")
        await order(sea, "L", "**A1** F F L\n")
        assert seen(sea, sea.anna) == old
        await brush.begins()
        assert not brush.more_begun  # one is drawn at a time
        brush.finish()
        await brush.begins()
        brush.finish()
        await until(sea, lambda: seen(sea, sea.anna) != old)
        assert not brush.more_begun  # of the one between there was never any
        assert "**A1** F F L\n" in text_of(sea.panel(sea.anna))
    await sea.settle()
    brush.let_be()
    assert seen(sea, sea.anna) == await belongs(sea, sea.anna)
    assert unsent(sea) == []


async def test_what_comes_between_text_and_picture_is_not_undone_by_the_picture(sea: Sea, brush: Brush) -> None:
    await sea.begin_at(AFAR, sea.bela)
    # The outbox shows what the captain types meanwhile: the press's picture does not come after it.
    brush.hold()
    with sea.at_once():
        await order(sea, "F", "**A1** F\n")
        await brush.begins()
        brush.let_be()
        await sea.write(sea.anna, "A1 FFLLL")
        await until(sea, lambda: "**A1** F F L L L" in text_of(sea.panel(sea.anna)))
        typed = seen(sea, sea.anna)
        brush.finish()
    await sea.settle()
    assert "**A1** F F L L L" in text_of(sea.panel(sea.anna))
    assert seen(sea, sea.anna) == typed == await belongs(sea, sea.anna)
    assert unsent(sea) == []


async def test_a_new_panel_does_not_wait_for_a_slow_picture_which_follows(sea: Sea, brush: Brush) -> None:
    await sea.begin_at(AFAR, sea.bela)
    for who, text in ((sea.bela, "B1 LLLLL"), (sea.anna, "A1 LLLLL")):
        await sea.write(who, text)
    await sea.press(sea.bela, sea.panel(sea.bela), "seal")
    brush.hold()
    before = sea.panel(sea.anna)

    def asked_anew(who: Any) -> bool:
        return any("press order.F" in refs(message) for message in sea.dms(who) if message.id > before.id)

    with sea.at_once():
        await sea.click_only(sea.anna, before, refs(before)["seal"])
        await brush.begins()
        await until(sea, lambda: asked_anew(sea.anna) and asked_anew(sea.bela))  # Béla's does not wait for Anna's
        for who in (sea.anna, sea.bela):
            assert FOLLOWS in text_of(sea.panel(who))
            assert not sea.panel(who).attachments
        # What is pressed meanwhile counts, and its picture is the last.
        await order(sea, "F", "**A1** F\n")
        brush.let_be()
        for _ in range(3):  # one each, and that of her press
            brush.finish()
        await until(sea, lambda: bool(sea.panel(sea.anna).attachments and sea.panel(sea.bela).attachments))
    await sea.settle()
    for who in (sea.anna, sea.bela):
        assert seen(sea, who) == await belongs(sea, who)
        assert FOLLOWS not in text_of(sea.panel(who))
    assert "**A1** F\n" in text_of(sea.panel(sea.anna))
    assert unsent(sea) == []


async def test_who_writes_while_a_new_panels_picture_is_drawn_has_the_panel_below(sea: Sea, brush: Brush) -> None:
    await sea.begin_at(AFAR, sea.bela)
    for who, text in ((sea.bela, "B1 LLLLL"), (sea.anna, "A1 LLLLL")):
        await sea.write(who, text)
    await sea.press(sea.bela, sea.panel(sea.bela), "seal")
    brush.hold()
    before = sea.panel(sea.bela)
    with sea.at_once():
        panel = sea.panel(sea.anna)
        await sea.click_only(sea.anna, panel, refs(panel)["seal"])
        await brush.begins()
        await until(sea, lambda: sea.panel(sea.bela).id > before.id)
        bare = sea.panel(sea.bela)
        assert not bare.attachments
        await sea.write(sea.bela, "B1 FFFFF")
        await until(sea, lambda: "F F F F F" in text_of(sea.panel(sea.bela)))
        brush.let_be()
        for _ in range(3):
            brush.finish()
    await sea.settle()
    (panel,) = [message for message in sea.dms(sea.bela) if message.author.bot]
    assert panel.id > bare.id
    assert "F F F F F" in text_of(panel)
    assert seen(sea, sea.bela) == await belongs(sea, sea.bela)
    assert unsent(sea) == []


async def test_a_story_does_not_wait_for_a_slow_picture_which_comes_after_a_restart(sea: Sea, brush: Brush) -> None:
    await sea.begin_at(AFAR, sea.bela)
    await sea.seal(sea.bela, "B1 LLLLL")
    await sea.write(sea.anna, "A1 LLLLL")
    panel = sea.panel(sea.anna)
    brush.hold("draw_state")
    with sea.at_once():
        await sea.click_only(sea.anna, panel, refs(panel)["seal"])
        await brush.begins()
        await until(sea, lambda: FOLLOWS in sea.told())
        await until(sea, lambda: sea.panel(sea.bela).id > panel.id)  # nor do the panels wait for it
        brush.finish()
        brush.let_be()
        await sea.bot.close()
    (story,) = [message for message in sea.thread.history() if "Round 1\n" in text_of(message)]
    await sea.restart()
    await sea.settle()
    (again,) = [message for message in sea.thread.history() if "Round 1\n" in text_of(message)]
    assert again.id == story.id
    assert again.attachments
    assert FOLLOWS not in sea.told()
    assert unsent(sea) == []


async def test_who_plays_for_their_eyes_only_on_a_server_has_one_panel_below_what_the_channel_is_told(sea: Sea) -> None:
    await sea.command(sea.anna, "help")
    await sea.press(sea.anna, sea.answers[0], "play matchbox")
    (panel,) = sea.answers
    announced = sea.rows("outbox")["outbox"][0]
    assert announced["key"] == "lobby"
    assert announced["message_id"] < panel.id  # the panel is at the bottom
    assert not await sea.press(sea.anna, panel, "hint")
    hint = sea.again(sea.anna, panel)
    await sea.press(sea.anna, hint, next(key for key in refs(hint) if key.startswith("take")))
    taken = sea.again(sea.anna, panel)
    assert "seal" in refs(taken)
    assert picture(taken)
    assert max(message.id for message in sea.channel.history(viewer=sea.anna)) == panel.id  # and no second one
    await sea.press(sea.anna, taken, "seal")
    following = sea.again(sea.anna, panel)
    assert refs(following)["hint"].request == (await sea.asked(sea.anna)).row.id
    await sea.settle()
    assert unsent(sea) == []
    await sea.bot.services.concede_game(sea.anna.id, 1)
    await sea.settle()


async def test_the_picture_of_the_last_round_does_not_stand_under_the_next_text(sea: Sea, brush: Brush) -> None:
    await sea.command(sea.anna, "help")
    await sea.press(sea.anna, sea.answers[0], "play matchbox")
    (panel,) = sea.answers
    await sea.press(sea.anna, panel, "hint")
    hint = sea.again(sea.anna, panel)
    await sea.press(sea.anna, hint, next(key for key in refs(hint) if key.startswith("take")))
    brush.hold()
    with sea.at_once():
        taken = sea.again(sea.anna, panel)
        assert picture(taken)
        await sea.click_only(sea.anna, taken, refs(taken)["seal"])
        await until(sea, lambda: "Round 2" in text_of(sea.again(sea.anna, panel)))
        assert FOLLOWS in text_of(sea.again(sea.anna, panel))
        assert not sea.again(sea.anna, panel).attachments
        await brush.begins()
    brush.let_be()
    for _ in range(4):  # the outbox may have begun others, and overtaken this one, which then comes a second later
        brush.finish()
    await sea.settle()
    assert sea.again(sea.anna, panel).attachments
    await sea.bot.services.concede_game(sea.anna.id, 1)
    await sea.settle()


# --- ready when Discord takes no answer to the press any more --------------------------------------------------------

TOKEN_LIFETIME_S = 15 * 60


async def too_late(sea: Sea, brush: Brush, act: Coroutine[Any, Any, Any], job: str = "draw_plan") -> Any:
    """Run `act`, whose picture is finished only after Discord takes answers."""
    brush.hold(job)
    with sea.at_once():
        result = await act
        await brush.begins()
        brush.let_be()
        sea.env.backend.clock.elapsed += TOKEN_LIFETIME_S + 1
        brush.finish()
        (answering,) = sea.bot.router.responder._running
        await answering
    return result


def refused(caplog: pytest.LogCaptureFixture) -> int:
    return sum(record.getMessage() == "answer did not arrive" for record in caplog.records)


@pytest.mark.refused("expired token")
async def test_the_outbox_brings_the_picture_that_came_too_late(
    sea: Sea, brush: Brush, caplog: pytest.LogCaptureFixture
) -> None:
    await sea.begin_at(AFAR, sea.bela)
    old = seen(sea, sea.anna)
    await too_late(sea, brush, order(sea, "F", "**A1** F\n"))
    assert refused(caplog) == 1
    assert seen(sea, sea.anna) == old
    await sea.env.advance_time(30)
    assert seen(sea, sea.anna) == await belongs(sea, sea.anna) != old
    assert unsent(sea) == []


@pytest.mark.refused("expired token")
async def test_a_private_panel_keeps_its_text_and_its_late_picture_is_not_tried_again(
    sea: Sea, brush: Brush, caplog: pytest.LogCaptureFixture
) -> None:
    direct = f"/channels/{sea.anna.user.dm_channel.id}/messages"
    sea.env.inject_error("POST", direct, status=403, code=50007, message="no", times=None)
    await sea.begin_at(AFAR, sea.bela)
    await sea.command(sea.anna, "orders", at=sea.thread)
    (panel,) = sea.answers
    await too_late(sea, brush, sea.click_only(sea.anna, panel, refs(panel)["press order.F"]))
    calls = len(sea.env.http_requests)
    await sea.env.advance_time(3600)
    assert refused(caplog) == 1
    assert not [call for call in sea.env.http_requests[calls:] if "webhooks" in call.path]
    # The next press is another interaction, and brings its picture.
    panel = sea.again(sea.anna, panel)
    assert "**A1** F\n" in text_of(panel)
    before = panel.attachments[0].url
    await sea.press(sea.anna, panel, "press order.L")
    assert sea.again(sea.anna, panel).attachments[0].url != before


@pytest.mark.refused("expired token")
@pytest.mark.parametrize("closed", [False, True])
async def test_a_film_that_took_too_long_comes_by_direct_message(
    sea: Sea, brush: Brush, caplog: pytest.LogCaptureFixture, *, closed: bool
) -> None:
    await sea.begin_at(AFAR, sea.bela)
    await sea.both_seal()
    if closed:
        direct = f"/channels/{sea.cili.user.dm_channel.id}/messages"
        sea.env.inject_error("POST", direct, status=403, code=50007, message="no", times=None)
    result = await too_late(sea, brush, sea.cili.slash(sea.thread, "galley film"), "film_round")
    await sea.settle()
    assert not result.followups
    assert refused(caplog) == (2 if closed else 1)
    sent = [message for message in sea.dms(sea.cili) if message.attachments]
    assert [Path(message.attachments[0].filename).suffix for message in sent] == ([] if closed else [".webp"])
    assert not sea.faults
