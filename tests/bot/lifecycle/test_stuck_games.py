"""A game that a fault of ours keeps from going on says so once, is not tried for ever, and can be set right."""

from __future__ import annotations

from bot.lifecycle.steps.runner import CLAIM_TIMEOUT_S
from bot.record.export import check_export
from bot.texts.i18n import Catalogue
from rules.core.protocol import CallOff
from tests.bot.papers import exported
from tests.sea import AFAR, Sea, text_of

EN, HU = Catalogue.load("en"), Catalogue.load("hu")

DAY = 24 * 3600
UNREADABLE = "A1 this was written by a version with a fault"
"""In place of a sealed answer: reading it fails, at every try."""


async def _stuck(sea: Sea) -> None:
    """Seal for both, and make one sealed answer impossible to carry out."""
    await sea.begin_at(AFAR, sea.bela)
    await sea.seal(sea.anna, "A1 FFFFF")
    sea.change_rows("UPDATE answers SET body = ?", UNREADABLE)
    await sea.seal(sea.bela, "B1 FFFFF")


def _faults(sea: Sea) -> list[str]:
    found = [record.getMessage() for record in sea.faults]
    sea.faults.clear()
    return found


async def test_it_is_tried_twice_and_then_said_once_to_players_and_operator(sea: Sea) -> None:
    await _stuck(sea)
    assert _faults(sea) == ["game could not be resolved"]
    assert sea.told().count("can't continue") == 0, "it may pass"
    await sea.env.advance_time(CLAIM_TIMEOUT_S + 1)
    await sea.settle()
    assert _faults(sea) == ["game could not be resolved", "game stands still"]
    for _ in range(6):
        await sea.env.advance_time(DAY)
        await sea.settle()
    assert _faults(sea) == []
    assert sea.told().count("can't continue") == 1
    assert "/galley-host undo" in sea.told()
    assert "/galley-host end" in sea.told()
    (game,) = sea.rows("games")["games"]
    assert game["paused_at"] is not None, "no time passes"
    assert "can't continue" in await sea.command(sea.anna, "extend", game="1", pause=False)


async def test_the_next_start_tries_once_more_and_a_mended_game_goes_on(sea: Sea) -> None:
    await _stuck(sea)
    body = next(row["body"] for row in sea.rows("answers")["answers"] if row["seat"] == 1)
    await sea.env.advance_time(CLAIM_TIMEOUT_S + 1)
    await sea.settle()
    _faults(sea)
    await sea.restart()
    await sea.settle()
    assert _faults(sea) == ["game still stands still"]
    assert sea.told().count("can't continue") == 1
    sea.change_rows("UPDATE answers SET body = replace(?, 'B1', 'A1') WHERE seat = 0", body)
    await sea.restart()
    await sea.settle()
    assert _faults(sea) == []
    assert "I've fixed" in sea.told()
    assert (await sea.asked(sea.anna)).row.body.round == 2


async def test_taken_back_it_goes_on_with_other_orders(sea: Sea) -> None:
    await _stuck(sea)
    await sea.env.advance_time(CLAIM_TIMEOUT_S + 1)
    await sea.settle()
    _faults(sea)
    await sea.env.advance_time(3 * DAY)
    manager = sea.manager()
    await sea.command(manager, "host undo", game="1")
    await sea.settle()
    (game,) = sea.rows("games")["games"]
    assert game["paused_at"] is None
    assert "broke all seals" in sea.told()
    assert game["deadline"] >= sea.bot.services.now() + DAY - 60, "everybody has a whole phase"
    assert EN.say("refuse.not_idle") in await sea.command(manager, "host end", game="1")
    await sea.both_seal("A1 LRLRL", "B1 LRLRL")
    assert (await sea.asked(sea.anna)).row.body.round == 2


async def test_a_manager_who_does_not_play_can_end_it_unrated_and_all_are_told_who_did_and_why(sea: Sea) -> None:
    manager = sea.manager()
    sea.languages[sea.bela.id] = "hu"
    await _stuck(sea)
    await sea.env.advance_time(CLAIM_TIMEOUT_S + 1)
    await sea.settle()
    _faults(sea)
    assert "can't end it alone" in await sea.command(sea.anna, "host end", game="1")
    await sea.command(manager, "host end", game="1")
    await sea.settle()
    (game,) = sea.rows("games")["games"]
    assert (game["phase"], game["rated"]) == ("over", 0)
    assert f"<@{manager.id}> ended the game. It doesn't count." in sea.told()
    # Nobody has agreed to anything.
    for words, told in ((EN, sea.told()), (EN, text_of(sea.dms(sea.anna)[-1])), (HU, text_of(sea.dms(sea.bela)[-1]))):
        assert words.say("reason.called_off") in told
        assert "agree" not in told
        assert "egyez" not in told
    assert EN.say("fared.called_off") in text_of(sea.dms(sea.anna)[-1])
    assert not [row for row in sea.rows("ratings")["ratings"] if row["counted"]]


async def test_the_record_of_a_game_that_was_called_off_holds(sea: Sea) -> None:
    await sea.begin(sea.bela, system="forts")
    await sea.bot.services.step_runner.apply_out_of_turn(await sea.bot.services.reader.games.seated_game(1), CallOff())
    data = await exported(sea, sea.cili)
    assert b'"CallOff"' in data
    assert check_export(data) is None
    assert EN.say("reason.called_off") in sea.told()
