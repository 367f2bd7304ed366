"""Pauses: no time passes, nothing is resolved, captains may give orders; afterwards all have the time they had left."""

from __future__ import annotations

from typing import Any

import pytest

from bot.texts.i18n import Catalogue
from tests.sea import Sea, refs, text_of

EN = Catalogue.load("en")
HOUR_S = 3_600
DAY_S = 86_400


async def pause(sea: Sea) -> None:
    assert "You've asked for a pause" in await sea.command(sea.anna, "extend", pause=True)
    proposal = next(message for message in reversed(sea.thread.history()) if "asks for a pause" in text_of(message))
    await sea.press(sea.bela, proposal, next(key for key in refs(proposal) if key.startswith("agree ")))


def resuming(sea: Sea) -> Any:
    return next(message for message in reversed(sea.thread.history()) if "wants to resume the game" in text_of(message))


@pytest.mark.begun
async def test_a_pause_takes_no_time_away(sea: Sea) -> None:
    first = sea.rows("games")["games"][0]["deadline"]
    await sea.env.advance_time(6 * HOUR_S)
    await pause(sea)
    began = int(sea.now().timestamp())
    assert "agreed to the pause" in sea.told()
    assert "⏸️ The game is paused.\nanna and bela can still give orders until the game resumes." in sea.told()
    assert "the deadline is" not in sea.told()
    assert "The game is paused" in text_of(sea.panel(sea.anna))
    assert "The game is paused" in await sea.command(sea.anna, "status")
    # Days later: nothing was resolved and nobody was reminded, although all is sealed.
    written = len(sea.dms(sea.bela))
    await sea.restart(after_s=10 * DAY_S)
    await sea.both_seal()
    await sea.restart(after_s=DAY_S)
    assert len(sea.rows("steps")["steps"]) == 1
    assert len([message for message in sea.dms(sea.bela) if message.author.bot]) <= written + 1  # the reply
    await sea.press(sea.bela, sea.panel(sea.bela), "unseal")

    assert "has resumed" in await sea.command(sea.anna, "extend", pause=False)
    waited = int(sea.now().timestamp()) - began
    game = sea.rows("games")["games"][0]
    assert game["paused_at"] is None
    assert game["deadline"] == first + waited
    assert {row["deadline"] for row in sea.rows("requests")["requests"]} == {first + waited}
    assert f"resumed the game: the deadline is <t:{first + waited}:f>" in sea.told()
    assert f"<t:{first + waited}:R>" in text_of(sea.panel(sea.bela))
    assert "⏸️ The game is paused." not in text_of(next(m for m in sea.thread.history() if "orders" in refs(m)))
    await sea.env.advance_time(18 * HOUR_S + 60)
    assert len(sea.rows("steps")["steps"]) == 2


@pytest.mark.begun
async def test_what_all_have_sealed_in_a_pause_is_resolved_when_it_ends(sea: Sea) -> None:
    await pause(sea)
    await sea.both_seal()
    assert len(sea.rows("steps")["steps"]) == 1
    await sea.command(sea.anna, "extend", pause=False)
    assert len(sea.rows("steps")["steps"]) == 2


@pytest.mark.begun
async def test_one_may_give_up_in_a_pause(sea: Sea) -> None:
    await pause(sea)
    await sea.bot.services.concede_game(sea.anna.id, 1)
    await sea.settle()
    assert sea.rows("games")["games"][0]["phase"] == "over"
    assert "is over" in await sea.command(sea.bela, "extend", game="1", pause=False)


async def test_what_cannot_be_paused(sea: Sea) -> None:
    await sea.command(sea.anna, "new", galleys="1")
    before = sea.rows()
    assert "hasn't begun yet" in await sea.command(sea.anna, "extend", game="1", pause=True)
    assert sea.rows() == before
    await sea.command(sea.bela, "join")
    await sea.command(sea.anna, "start")
    assert "aren't a captain" in await sea.command(sea.cili, "extend", game="1", pause=True)
    assert "isn't paused" in await sea.command(sea.anna, "extend", pause=False)
    await pause(sea)
    before = sea.rows("games", "requests", "acts")
    assert "already paused" in await sea.command(sea.bela, "extend", pause=True)
    assert "is paused" in await sea.command(sea.bela, "extend")
    assert "aren't a captain" in await sea.command(sea.cili, "extend", game="1", pause=False)
    assert sea.rows("games", "requests", "acts") == before


@pytest.mark.begun
async def test_a_pause_is_not_ended_by_the_other_side_alone(sea: Sea) -> None:
    """Anna asked for it, because she is away; Béla, who agreed, hosts the game and would win by her absence."""
    sea.change_rows("UPDATE games SET host_id = ?", sea.bela.id)
    await pause(sea)
    for name, option in (("extend", {"pause": False}), ("host resume", {})):
        said = await sea.command(sea.bela, name, game="1", **option)
        assert EN.say("say.resume_asked" if name == "extend" else "refuse.already_asked") in said
        assert sea.rows("games")["games"][0]["paused_at"]
    message = resuming(sea)
    key = next(key for key in refs(message) if key.startswith("agree "))
    await sea.press(sea.bela, message, key)
    assert sea.rows("games")["games"][0]["paused_at"]
    await sea.press(sea.anna, message, key)
    assert sea.rows("games")["games"][0]["paused_at"] is None
    assert not refs(sea.again(sea.anna, message))
    assert EN.say("agreement.lapsed") not in text_of(sea.again(sea.anna, message))


@pytest.mark.begun
async def test_a_pause_of_a_referee_is_ended_by_both_sides_or_the_referee(sea: Sea) -> None:
    await sea.command(sea.manager(), "host pause", game="1")
    for days in (0, 2):  # however long the other side keeps silent
        await sea.env.advance_time(days * DAY_S)
        await sea.command(sea.bela, "extend", game="1", pause=False)
        assert sea.rows("games")["games"][0]["paused_at"]
    message = resuming(sea)
    await sea.press(sea.anna, message, next(key for key in refs(message) if key.startswith("agree ")))
    assert sea.rows("games")["games"][0]["paused_at"] is None


@pytest.mark.begun
async def test_a_pause_whose_side_never_answers_ends_after_a_phase(sea: Sea) -> None:
    first = sea.rows("games")["games"][0]["deadline"]
    await pause(sea)
    began = int(sea.now().timestamp())
    await sea.command(sea.bela, "extend", pause=False)
    message = resuming(sea)
    await sea.press(sea.anna, message, next(key for key in refs(message) if key.startswith("decline ")))
    assert "doesn't want to resume" in sea.told()
    await sea.env.advance_time(DAY_S - 60)
    assert EN.say("say.resume_asked") in await sea.command(sea.bela, "extend", pause=False)
    await sea.env.advance_time(120)
    assert EN.say("say.resumed") in await sea.command(sea.bela, "extend", pause=False)
    game = sea.rows("games")["games"][0]
    assert game["paused_at"] is None
    assert game["deadline"] == first + int(sea.now().timestamp()) - began
