"""Pictures and films on request: under a round, by command, for players and those who watch."""

from __future__ import annotations

import io
import re
from typing import Any

import pytest
from PIL import Image

from bot.sandbox import private
from tests.bot.captains import by_typing, place, play
from tests.sea import ABEAM, AFAR, Sea, refs, text_of

FULL_SIZE: dict[str, Any] = {}
"""Settings of a bot that was told nothing of pictures."""
FILM_MOST = 3_000_000
ALT_MOST = 1024


def picture_of(sea: Sea, message: Any) -> Image.Image:
    (attached,) = message.attachments
    assert 0 < len(attached.description) <= ALT_MOST
    data = private.uploaded_files(sea.env.backend)[attached.url]
    assert len(data) <= FILM_MOST
    picture = Image.open(io.BytesIO(data))
    assert picture.format.lower() == attached.filename.rpartition(".")[2]
    return picture


def story(sea: Sea, word: str) -> Any:
    return next(message for message in reversed(sea.thread.history()) if word in text_of(message))


def lasting_ms(film: Image.Image) -> int:
    total = 0
    for number in range(film.n_frames):
        film.seek(number)
        film.load()
        total += film.info["duration"]
    return total


async def test_a_round_is_filmed_for_those_who_press_its_button(sea: Sea) -> None:
    await sea.begin_at(AFAR, sea.bela, galleys="1")
    await sea.both_seal("A1 FFFRX", "B1 FFFLX")
    before = len(sea.thread.history())
    sea.languages[sea.cili.id] = "hu"
    said = await sea.press(sea.cili, story(sea, "Round 1"), "film")
    assert r"1\. kör" in said
    (answer,) = sea.answers
    assert answer.flags.ephemeral
    film = picture_of(sea, answer)
    assert film.n_frames > 20
    assert 3_000 <= lasting_ms(film) <= 12_100
    (attached,) = answer.attachments
    assert attached.description.startswith("1. kör\n")
    assert "A1" in attached.description
    assert "evező" in attached.description
    assert len(sea.thread.history()) == before, "nobody else is shown it"


async def test_the_film_of_a_round_that_waited_for_decisions_shows_all_of_it(sea: Sea) -> None:
    await sea.begin_at(ABEAM, sea.bela, galleys="1")
    await sea.both_seal("A1 XXFFF; target ask; aim ask", "B1 FFFXX; losses ask")
    decisions = 0
    while (waiting := await sea.asked(sea.anna) or await sea.asked(sea.bela)) and waiting.row.body.live:
        who = sea.anna if await sea.asked(sea.anna) else sea.bela
        decisions += 1
        await sea.press(who, sea.panel(who), next(key for key in refs(sea.panel(who)) if key.startswith("press ")))
    assert decisions >= 2
    stories = [message for message in sea.thread.history() if "Round 1" in text_of(message) and message.attachments]
    assert len(stories) == decisions + 1
    lengths = []
    for message in (stories[-2], stories[-1]):
        await sea.press(sea.cili, message, "film")
        (answer,) = sea.answers
        lengths.append(lasting_ms(picture_of(sea, answer)))
    assert lengths[1] > lengths[0] + 1_000, "both go on from the beginning, each to its own step"
    await sea.command(sea.anna, "film", game="1", round=1, format="gif")
    (answer,) = sea.answers
    film = picture_of(sea, answer)
    assert film.format == "GIF"
    assert abs(lasting_ms(film) - lengths[-1]) < 900  # a pause is one frame, and 66 ms are 60 in a GIF
    assert re.search(r"A1 fires \d match(es)? at B1", answer.attachments[0].description)


async def test_of_what_cannot_be_seen_there_is_no_film_but_a_sentence(sea: Sea) -> None:
    await sea.begin(sea.bela, galleys="1", table="coffee", deployment="turns")
    first = sea.anna if await sea.asked(sea.anna) else sea.bela
    await sea.press(first, sea.panel(first), "seal")
    nothing = "Nothing has moved here yet, so there's nothing to film."
    assert await sea.press(sea.anna, story(sea, "places"), "film") == nothing
    assert await sea.command(sea.anna, "film", game="1") == nothing
    assert await sea.command(sea.anna, "replay", game="1") == nothing
    assert await sea.command(sea.anna, "film", game="1", round=3) == "There's no round 3 yet; the latest is 0."
    await sea.command(sea.cili, "new", galleys="1")
    assert await sea.command(sea.cili, "film", game="2") == "This game hasn't begun yet."
    assert await sea.command(sea.cili, "film", game="77") == "There's no game `#77` here, or you can't see it."


async def test_a_whole_game_is_filmed_while_it_goes_on_and_when_it_is_over(sea: Sea) -> None:
    await sea.begin(sea.bela, galleys="1", table="coffee")
    await place(sea, (sea.anna, sea.bela))
    await play(sea, (sea.anna, sea.bela), by_typing, rounds=2)
    said = await sea.command(sea.cili, "replay", game="1")
    assert "#1 War Galley" in said
    (answer,) = sea.answers
    assert answer.flags.ephemeral
    first = picture_of(sea, answer)
    assert first.n_frames > 30
    edits = [str(call.json) for call in sea.env.http_requests if call.method == "PATCH" and "Filming" in str(call.json)]
    assert [re.findall(r"Filming round \d of \d", edit) for edit in edits] == [
        ["Filming round 1 of 2"],
        ["Filming round 2 of 2"],
    ]
    await sea.concede(sea.anna)
    assert " won!" in sea.told()
    await sea.command(sea.cili, "replay", game="1", format="gif")
    (answer,) = sea.answers
    again = picture_of(sea, answer)
    assert again.format == "GIF"
    assert again.n_frames > 30
    assert "One side conceded" in answer.attachments[0].description
    assert "Round 1: " in answer.attachments[0].description


@pytest.mark.parametrize(
    ("settings", "form", "width"),
    [
        (FULL_SIZE, "PNG", 1600),
        ({"picture_format": "WebP", "picture_width": 400}, "WEBP", 400),
        ({"picture_width": 200}, "PNG", 200),  # no setting is smaller, and no picture
    ],
)
async def test_stills_are_png_unless_the_bot_is_told_otherwise(sea: Sea, form: str, width: int) -> None:
    await sea.begin_at(AFAR, sea.bela, galleys="1")
    plan = picture_of(sea, sea.panel(sea.anna))
    assert (plan.format, plan.width) == (form, max(200, width * 4 // 5))
    await sea.command(sea.cili, "table", game="1")
    table = picture_of(sea, sea.answers[0])
    assert (table.format, table.width) == (form, width)
    await sea.both_seal("A1 FFFRX", "B1 FFFLX")
    picture = picture_of(sea, story(sea, "Round 1"))
    assert (picture.format, picture.width) == (form, width)
    await sea.press(sea.cili, story(sea, "Round 1"), "film")
    assert picture_of(sea, sea.answers[0]).format == "WEBP", "films are films"


@pytest.mark.parametrize("settings", [FULL_SIZE])
async def test_the_table_is_shown_as_it_is_asked_for(sea: Sea) -> None:
    await sea.begin_at(ABEAM, sea.bela, galleys="1")
    assert await sea.command(sea.anna, "table", game="1", picture="round") == "Nothing moved in the latest round."
    await sea.both_seal("A1 XXFFF", "B1 FFFFX")
    seen = {}
    for options in (
        {},
        {"picture": "table"},
        {"picture": "round"},
        {"picture": "volley"},
        {"crop": "whole"},
        {"crop": "action"},
        {"crop": "fleet"},
        {"picture": "volley", "crop": "whole"},
    ):
        said = await sea.command(sea.anna, "table", game="1", **options)
        (answer,) = sea.answers
        assert answer.flags.ephemeral
        assert "A1, southern fleet, anna" in said
        seen[str(options)] = picture_of(sea, answer).convert("RGB").tobytes()
        is_described = "fires" in answer.attachments[0].description
        assert is_described == (
            ("picture" in options and options["picture"] != "table") or options.get("crop") == "action"
        ), options
    assert len(set(seen.values())) == len(seen) - 1  # the table is what is shown if nothing is asked for
    assert seen["{}"] == seen[str({"picture": "table"})]
    assert await sea.command(sea.cili, "table", game="1", crop="fleet") == "You aren't a captain in this game."
    assert await sea.command(sea.cili, "table", game="1", crop="whole")


async def test_a_volley_that_nobody_fired_is_not_shown(sea: Sea) -> None:
    await sea.begin_at(AFAR, sea.bela, galleys="1")
    choices = await sea.anna.autocomplete(sea.channel, "galley table", "picture", "", game="1")
    assert {choice["value"]: choice["name"] for choice in choices} == {
        "table": "the table",
        "round": "the latest round, step by step",
        "volley": "the volleys of the last round",
    }
    (choice,) = await sea.anna.autocomplete(sea.channel, "galley table", "picture", "Volleys", game="1")
    assert choice["value"] == "volley"
    said = await sea.command(sea.anna, "table", game="1", picture="melee")
    assert said == "picture: `melee` isn't possible here. Choose from: table, round, volley."
    await sea.both_seal("A1 FFFFF", "B1 FFLFF")
    said = await sea.command(sea.anna, "table", game="1", picture="volley")
    assert said == "No volley was fired in the last round."


async def test_a_fleet_too_large_for_a_description_is_told_in_words(sea: Sea) -> None:
    await sea.begin(sea.bela, galleys="8", table="banquet", deployment="sealed")
    await place(sea, (sea.anna, sea.bela))
    description = next(m for m in reversed(sea.thread.history()) if m.attachments).attachments[0].description
    assert len(description) <= ALT_MOST
    assert description.endswith("There's more in words: see the Log in the thread, or /galley status.")
    said = await sea.command(sea.cili, "status", game="1")
    for name in (f"{letter}{number}" for letter in "AB" for number in range(1, 9)):
        assert re.search(rf"^{name}, .*oars \d/\d.*prow at .*nearest enemy ", said, re.MULTILINE), name
