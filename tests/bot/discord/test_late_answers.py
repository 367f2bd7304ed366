"""Pictures that are ready when Discord takes no answer to a press any more: they arrive otherwise, or not at all."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.bot.discord.test_at_once import Brush, belongs, brush, order, seen, waiting, workers  # noqa: F401 - fixtures
from tests.sea import AFAR, Sea, refs, text_of

TAKEN_S = 15 * 60
"""How long Discord takes answers to a press or command."""


def pass_by(sea: Sea) -> None:
    clock = sea.env.backend.clock
    clock.elapsed += TAKEN_S + 1


def refused(sea: Sea, caplog: pytest.LogCaptureFixture) -> int:
    return sum(record.getMessage() == "answer did not arrive" for record in caplog.records)


pytestmark = pytest.mark.refused("expired token")


@pytest.mark.begun
async def test_the_outbox_brings_a_panel_the_picture_that_the_press_could_not(
    sea: Sea,
    brush: Brush,  # noqa: F811
    caplog: pytest.LogCaptureFixture,
) -> None:
    old = seen(sea, sea.anna)
    brush.hold()
    with sea.at_once():
        await order(sea, "F", "**A1** F\n")
        await brush.begins()
        brush.let_be()
        pass_by(sea)
        brush.finish()
        (pressing,) = sea.bot.router.responder._running
        await pressing
    assert refused(sea, caplog) == 1
    assert seen(sea, sea.anna) == old
    await sea.env.advance_time(30)
    assert seen(sea, sea.anna) == await belongs(sea, sea.anna) != old
    assert waiting(sea) == []


async def test_a_panel_for_ones_eyes_only_keeps_its_text_and_nothing_is_tried_again(
    sea: Sea,
    brush: Brush,  # noqa: F811
    caplog: pytest.LogCaptureFixture,
) -> None:
    direct = f"/channels/{sea.anna.user.dm_channel.id}/messages"
    sea.env.inject_error("POST", direct, status=403, code=50007, message="no", times=None)
    await sea.begin_at(AFAR, sea.bela)
    await sea.command(sea.anna, "orders", at=sea.thread)
    (panel,) = sea.answers
    brush.hold()
    with sea.at_once():
        await sea.click_only(sea.anna, panel, refs(panel)["press order.F"])
        await brush.begins()
        brush.let_be()
        pass_by(sea)
        brush.finish()
        (pressing,) = sea.bot.router.responder._running
        await pressing
    calls = len(sea.env.http_requests)
    await sea.env.advance_time(3600)
    assert refused(sea, caplog) == 1
    assert not [call for call in sea.env.http_requests[calls:] if "webhooks" in call.path]
    # The next press is another interaction, and brings its picture.
    panel = sea.again(sea.anna, panel)
    assert "**A1** F\n" in text_of(panel)
    before = panel.attachments[0].url
    await sea.press(sea.anna, panel, "press order.L")
    assert sea.again(sea.anna, panel).attachments[0].url != before


@pytest.mark.parametrize("closed", [False, True])
async def test_a_film_that_took_too_long_comes_by_direct_message(
    sea: Sea,
    brush: Brush,  # noqa: F811
    caplog: pytest.LogCaptureFixture,
    *,
    closed: bool,
) -> None:
    await sea.begin_at(AFAR, sea.bela)
    await sea.both_seal()
    if closed:
        direct = f"/channels/{sea.cili.user.dm_channel.id}/messages"
        sea.env.inject_error("POST", direct, status=403, code=50007, message="no", times=None)
    brush.hold("film_round")
    with sea.at_once():
        result: Any = await sea.cili.slash(sea.thread, "galley film")
        await brush.begins()
        brush.let_be()
        pass_by(sea)
        brush.finish()
        (asking,) = sea.bot.router.responder._running
        await asking
    await sea.settle()
    assert not result.followups
    assert refused(sea, caplog) == (2 if closed else 1)
    sent = [message for message in sea.dms(sea.cili) if message.attachments]
    assert [Path(message.attachments[0].filename).suffix for message in sent] == ([] if closed else [".webp"])
    assert not sea.faults
