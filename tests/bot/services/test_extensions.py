"""More time: what each side may take by itself, and what the other must agree to."""

from __future__ import annotations

from typing import Any

import pytest

from bot.errors import Refusal
from bot.texts.i18n import Catalogue
from tests.sea import AFAR, Sea, refs, text_of

EN, HU = Catalogue.load("en"), Catalogue.load("hu")
DAY_S = 86_400


def deadlines(sea: Sea) -> set[int]:
    deadlines_of_requests = [row["deadline"] for row in sea.rows("requests")["requests"] if row["status"] != "closed"]
    return {sea.rows("games")["games"][0]["deadline"], *deadlines_of_requests}


def proposals(sea: Sea) -> list[Any]:
    return [message for message in sea.thread.history() if "asks for" in text_of(message)]


def agreed(message: Any) -> str:
    return next(key for key in refs(message) if key.startswith("agree "))


@pytest.mark.parametrize("language", ["en-US", "hu"])
async def test_more_time_is_suggested_as_the_pace_and_what_is_left_have_it(sea: Sea, language: str) -> None:
    sea.languages[sea.anna.id] = language

    async def suggested(who: Any, typed: str = "", command: str = "extend") -> dict[str, str]:
        with sea.speaking(who):
            choices = await who.autocomplete(sea.channel, sea.full_name(command), "by", typed, game="1")
        return {choice["value"]: choice["name"] for choice in choices}

    await sea.begin_at(AFAR, sea.bela, extensions=1, phase="1d")
    suggestions = await suggested(sea.anna)
    assert list(suggestions) == ["3h", "6h", "12h", "1d", "2d", "3d"]
    if language == "hu":
        assert suggestions["12h"] == "12 óra: azonnal; még 0 hosszabbítás marad nektek"
        assert suggestions["2d"] == "2 nap: ha az összes többi fél beleegyezik"
    else:
        assert suggestions["12h"] == "12 hours: at once; your side has 0 extensions left"
        assert suggestions["2d"] == "2 days: if every other side agrees"
    # What is suggested is what comes of it, and can be typed too.
    (before,) = deadlines(sea)
    await sea.command(sea.anna, "extend", game="1", by="12h")
    assert deadlines(sea) == {before + DAY_S // 2}
    agreed_only = (
        HU.say("extend.asked", length="12 óra") if language == "hu" else "12 hours: if every other side agrees"
    )
    assert (await suggested(sea.anna))["12h"] == agreed_only
    assert list(await suggested(sea.anna, "5")) == ["5h", "5d", "5min"]
    assert list(await suggested(sea.anna, "1d 6h")) == ["1d 6h"]
    assert list(await suggested(sea.anna, "weeks")) == ["3h", "6h", "12h", "1d", "2d", "3d"]
    # The bot suggests the same to people in charge.
    assert (await suggested(sea.anna, "12h", "host extend"))["12h"] in ("12 hours", "12 óra")
    # Nothing is suggested to who has no seat, nor of a game that stands still or is not there.
    assert await suggested(sea.cili) == {}
    await sea.command(sea.manager(), "host pause", game="1")
    assert await suggested(sea.anna) == {}
    assert await sea.anna.autocomplete(sea.channel, "galley extend", "by", "", game="77") == []


async def test_suggestions_fit_short_and_long_phases(sea: Sea) -> None:
    for phase, least, most in (("20min", "5min", "1h"), ("7d", "1d", "21d"), ("20:00 Europe/Budapest", "3h", "3d")):
        await sea.begin_at(AFAR, phase=phase)
        game = str(len(sea.rows("games")["games"]))
        choices = await sea.anna.autocomplete(sea.channel, "galley extend", "by", "", game=game)
        assert [choices[0]["value"], choices[-1]["value"]] == [least, most]
        # Against the computer alone nobody need agree.
        assert not [choice for choice in choices if ":" in choice["name"]]


async def test_a_request_for_a_pause_outlasts_more_time_and_says_when_it_lapses(sea: Sea) -> None:
    await sea.begin_at(AFAR, sea.bela, extensions=3)
    await sea.command(sea.anna, "extend", game="1", pause=True)
    await sea.command(sea.bela, "extend", game="1")
    (request,) = proposals(sea)
    assert EN.say("agreement.lapsed") not in text_of(request)
    await sea.press(sea.bela, request, agreed(request))
    assert sea.rows("games")["games"][0]["paused_at"] is not None
    assert f"<@{sea.bela.id}> agreed to the pause" in sea.told()
    await sea.command(sea.anna, "extend", game="1", pause=False)
    await sea.command(sea.bela, "extend", game="1", pause=True)
    await sea.command(sea.manager(), "host pause", game="1")
    (*_, request) = proposals(sea)
    assert EN.say("agreement.lapsed") in text_of(request)
    assert not refs(request)


async def test_each_side_takes_its_own_extensions_then_the_other_must_agree(sea: Sea) -> None:
    await sea.begin_at(AFAR, sea.bela, extensions=1)
    (first,) = deadlines(sea)
    await sea.write(sea.anna, "A1 FF")
    panel, version = sea.panel(sea.anna), sea.rows("requests")["requests"][0]["version"]
    assert "more time now" in await sea.command(sea.anna, "extend")
    assert deadlines(sea) == {first + DAY_S}
    assert f"<@{sea.anna.id}> took more time: the deadline is now <t:{first + DAY_S}:f>" in sea.told()
    assert "0 extensions" in sea.told()
    # The panel tells the new deadline, and its old buttons still work: nothing of the draft has changed.
    assert f"<t:{first + DAY_S}:R>" in text_of(sea.panel(sea.anna))
    assert sea.rows("requests")["requests"][0]["version"] == version
    await sea.press(sea.anna, panel, "press order.F")
    assert "F F F" in text_of(sea.panel(sea.anna))

    assert "You've asked for more time" in await sea.command(sea.anna, "extend")
    assert deadlines(sea) == {first + DAY_S}
    (proposal,) = proposals(sea)
    assert f"<@{sea.bela.id}>" in text_of(proposal)
    assert "already asked for that" in await sea.command(sea.anna, "extend")
    assert "Only captains of another side" in await sea.press(sea.anna, proposal, agreed(proposal))
    assert "aren't a captain" in await sea.press(sea.cili, proposal, agreed(proposal))
    assert deadlines(sea) == {first + DAY_S}
    number = int(agreed(proposal).removeprefix("agree "))
    assert "agreed" in await sea.press(sea.bela, proposal, agreed(proposal))
    assert deadlines(sea) == {first + 2 * DAY_S}
    assert f"<@{sea.bela.id}> agreed to more time" in sea.told()
    assert not refs(proposals(sea)[0])
    with pytest.raises(Refusal, match="stale"):  # pressed twice at once, it grants nothing more
        await sea.bot.services.timekeeping.agree_to(sea.bela.id, 1, number)
    assert deadlines(sea) == {first + 2 * DAY_S}
    # What was agreed costs Béla's side nothing.
    await sea.command(sea.bela, "extend")
    assert deadlines(sea) == {first + 3 * DAY_S}


@pytest.mark.begun
async def test_a_shorter_extension_and_one_that_is_longer_than_a_phase(sea: Sea) -> None:
    (first,) = deadlines(sea)
    await sea.command(sea.anna, "extend", by="2h")
    assert deadlines(sea) == {first + 7200}
    assert "You've asked for more time" in await sea.command(sea.anna, "extend", by="3d")
    (proposal,) = proposals(sea)
    assert f"<t:{first + 7200 + 3 * DAY_S}:f>" in text_of(proposal)
    # Whatever moves the deadline meanwhile settles what was asked for.
    await sea.command(sea.bela, "extend", by="1h")
    assert deadlines(sea) == {first + 10_800}
    assert not refs(proposals(sea)[0])


async def test_what_was_asked_for_lapses_with_its_round(sea: Sea) -> None:
    await sea.begin_at(AFAR, sea.bela, extensions=0)
    await sea.command(sea.anna, "extend")
    (proposal,) = proposals(sea)
    await sea.env.advance_time(60)  # the next round has a later deadline
    await sea.both_seal()
    before = deadlines(sea)
    assert not refs(sea.again(sea.bela, proposal))
    with pytest.raises(Refusal, match="stale"):
        await sea.bot.services.timekeeping.agree_to(sea.bela.id, 1, int(agreed(proposal).removeprefix("agree ")))
    with pytest.raises(Refusal, match="stale"):
        await sea.bot.services.timekeeping.agree_to(sea.bela.id, 1, 99)
    assert deadlines(sea) == before


async def test_against_the_computer_time_is_free(sea: Sea) -> None:
    await sea.begin_at(AFAR, computer=1, extensions=0)
    (first, *_) = sorted(deadlines(sea))
    assert "more time now" in await sea.command(sea.anna, "extend")
    assert "more time now" in await sea.command(sea.anna, "extend", by="5d")
    assert first + 6 * DAY_S in deadlines(sea)


async def test_an_extension_reaches_a_deadline_that_would_have_come(sea: Sea) -> None:
    await sea.begin_at(AFAR, sea.bela, phase="2h")
    await sea.env.advance_time(7000)
    await sea.command(sea.bela, "extend")
    await sea.restart()
    await sea.env.advance_time(7000)
    assert len(sea.rows("steps")["steps"]) == 1
    await sea.env.advance_time(400)
    assert len(sea.rows("steps")["steps"]) == 2


async def test_who_may_not_have_more_time(sea: Sea) -> None:
    await sea.command(sea.anna, "new", galleys="1")
    before = sea.rows()
    assert "hasn't begun yet" in await sea.command(sea.anna, "extend", game="1")
    assert sea.rows() == before
    await sea.command(sea.bela, "join")
    await sea.command(sea.anna, "start")
    before = sea.rows("games", "requests", "acts")
    assert "aren't a captain" in await sea.command(sea.cili, "extend", game="1")
    assert "`a while` as a length of time" in await sea.command(sea.anna, "extend", by="a while")
    assert "not for both" in await sea.command(sea.anna, "extend", by="2h", pause=True)
    assert sea.rows("games", "requests", "acts") == before


@pytest.mark.parametrize("language", ["en-US", "hu"])
async def test_who_has_lost_a_seat_decides_nothing_about_its_time_but_who_has_lent_it_does(
    sea: Sea, language: str
) -> None:
    sea.languages[sea.anna.id] = language
    await sea.begin_at(AFAR, sea.bela, extensions=2)
    await sea.command(sea.anna, "host replace", game="1", whose="anna", substitute=sea.cili)
    before = deadlines(sea)
    await sea.command(sea.anna, "host extend", game="1")
    assert deadlines(sea) != before
    sea.change_rows("UPDATE seats SET offered_at = 1 WHERE seat = 0")
    dora = sea.member("dora")
    await sea.command(dora, "substitute", game="1")
    before = sea.rows("games", "requests", "acts")
    refused = (HU if language == "hu" else EN).say("refuse.seat_lost")
    for command in ("extend", "pause"):
        assert refused in await sea.command(sea.anna, f"host {command}", game="1")
    assert sea.rows("games", "requests", "acts") == before
    await sea.bot.services.timekeeping.extend_deadline(sea.bela.id, 1)
    assert sea.rows("games", "requests", "acts") != before
