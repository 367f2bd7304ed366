"""An edit that keeps a picture names its attachment; a picture that Discord refuses to keep is uploaded again."""

from __future__ import annotations

import json
from typing import Any

import pytest

from bot.discord.interactions.panels import MAX_NOT_KEPT, UPLOAD_PERIOD_S
from bot.sandbox import private
from tests.sea import Sea

pytestmark = pytest.mark.begun
EDIT = "/webhooks/*/messages/*"


def attachment(message: Any) -> tuple[int, str]:
    (file,) = message.attachments
    return file.id, file.filename


def picture(sea: Sea, message: Any) -> bytes:
    return private.uploaded_files(sea.env.backend)[message.attachments[0].url]


async def press(sea: Sea, key: str) -> list[Any]:
    before = len(sea.env.http_requests)
    await sea.press(sea.anna, sea.panel(sea.anna), key)
    calls = sea.env.http_requests[before:]
    assert sum(call.path.endswith("/callback") for call in calls) == 1
    return [call for call in calls if call.method == "PATCH" and "/webhooks/" in call.path]


def named(call: Any) -> list[tuple[int, str]]:
    return [(int(file["id"]), file["filename"]) for file in call.json["attachments"] if len(str(file["id"])) > 5]


def counted(sea: Sea) -> float:
    text = sea.bot.metrics.render_metrics(None, sea.bot.workers, connected=True).decode()
    (line,) = [line for line in text.splitlines() if line.startswith("war_galley_pictures_not_kept_total")]
    return float(line.split()[1])


async def test_a_press_costs_a_callback_and_two_edits_of_which_the_first_names_the_picture(sea: Sea) -> None:
    for key in ("press order.F", "press order.F", "press order.R"):
        name_of_picture = attachment(sea.panel(sea.anna))
        first, second = await press(sea, key)
        assert "attachment://" in json.dumps(first.json["components"])
        assert named(first) == [name_of_picture]
        assert named(second) == []
        assert attachment(sea.panel(sea.anna))[0] != name_of_picture[0]
    assert counted(sea) == 0


async def test_a_picture_that_discord_refuses_to_keep_is_uploaded_again(sea: Sea) -> None:
    old = picture(sea, sea.panel(sea.anna))
    sea.env.inject_error("PATCH", EDIT, status=400, code=50035, times=1)
    seen: list[bytes | None] = []

    def look() -> None:
        panel = sea.panel(sea.anna)
        seen.append(picture(sea, panel) if panel.attachments else None)

    sea.env.backend.subscribers.append(lambda _event, _payload: look())
    reused, uploaded, drawn = await press(sea, "press order.F")
    assert named(reused)
    assert named(uploaded) == named(drawn) == []
    assert old in seen
    assert None not in seen
    assert picture(sea, sea.panel(sea.anna)) != old
    assert counted(sea) == 1
    # After a few refusals no edit tries to keep a picture for an hour, so that a press costs two edits again.
    for _ in range(1, MAX_NOT_KEPT):
        sea.env.inject_error("PATCH", EDIT, status=400, code=50035, times=1)
        assert len(await press(sea, "press order.F")) == 3
    uploaded, drawn = await press(sea, "press order.R")
    assert named(uploaded) == named(drawn) == []
    await sea.env.advance_time(UPLOAD_PERIOD_S)
    first, _ = await press(sea, "press order.back")
    assert named(first)
    assert counted(sea) == MAX_NOT_KEPT


async def test_a_picture_that_cannot_be_downloaded_leaves_its_place_to_the_next_one(sea: Sea) -> None:
    private.uploaded_files(sea.env.backend).pop(sea.panel(sea.anna).attachments[0].url)
    sea.env.inject_error("PATCH", EDIT, status=400, code=50035, times=1)
    _, plain, drawn = await press(sea, "press order.F")
    assert not plain.json["attachments"]
    assert drawn.json["attachments"]
    assert sea.panel(sea.anna).attachments
