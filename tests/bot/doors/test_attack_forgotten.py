"""Attack: who has himself forgotten in a game that goes on is nobody there, so what he did there binds nobody."""

from __future__ import annotations

import pytest

from tests.bot.doors.test_captains import changes, concede, game, kinds, sealed, until_offered
from tests.bot.doors.test_forgetting import press_under_me
from tests.sea import ABEAM, AFAR, Sea, refs


async def test_a_manager_who_plays_becomes_the_referee(sea: Sea) -> None:
    """He lends his seat to his second account, is forgotten, and takes the seat of an enemy who is there."""
    chief = sea.manager()
    await sea.begin_at(AFAR, chief)
    await sea.command(chief, "admin replace", game="1", whose="dora", substitute=sea.bela)
    await press_under_me(sea, chief, "forget", "forget_now")
    await sea.settle()
    await sea.command(chief, "admin replace", game="1", whose="anna", substitute=sea.cili)
    assert sea.rows("seats")["seats"][0]["user_id"] == sea.anna.id


async def test_a_manager_who_plays_cuts_the_enemys_time(sea: Sea) -> None:
    chief = sea.manager()
    await sea.begin_at(AFAR, chief, missed="hold")
    await sealed(sea, chief, "B1 RLRLR")
    await sea.command(chief, "admin replace", game="1", whose="dora", substitute=sea.bela)
    await press_under_me(sea, chief, "forget", "forget_now")
    await sea.settle()
    await sea.command(chief, "admin resolve", game="1")
    await sea.settle()
    assert game(sea)["step_no"] == 0


async def test_a_referee_becomes_a_captain(sea: Sea) -> None:
    chief = sea.manager()
    await sea.begin_at(AFAR, sea.bela)
    await sea.command(chief, "admin kick", game="1", whose="bela")
    await press_under_me(sea, chief, "forget", "forget_now")
    await sea.settle()
    await sea.command(chief, "substitute", game="1")
    assert sea.rows("seats")["seats"][1]["user_id"] is None


async def test_whom_a_forgotten_captain_has_planted_speaks_for_the_absent_enemy(sea: Sea) -> None:
    """Anna plants Cili in absent Béla's seat and Dora in her own: as nobody put them there, they throw dice anew."""
    dora = sea.member("dora")
    await sea.begin_at(ABEAM, sea.bela)
    for who, text in ((sea.anna, "A1 XFFFF"), (sea.bela, "B1 FFFFX")):
        await sealed(sea, who, text)
    await until_offered(sea)
    await sea.command(sea.anna, "admin replace", game="1", whose="bela", substitute=sea.cili)
    await sea.command(sea.anna, "admin replace", game="1", whose="anna", substitute=dora)
    await press_under_me(sea, sea.anna, "forget", "forget_now")
    await sea.settle()
    await sea.command(dora, "admin undo", game="1", to_round=1)
    for message in sea.thread.history():
        for key in refs(message):
            if key.startswith("agree_act"):
                await sea.press(sea.cili, message, key)
    assert "undone" not in kinds(sea)
    assert game(sea)["rated"] == 1


@pytest.mark.usefixtures("every_game_counts")
async def test_two_who_are_forgotten_void_the_winners_rating(sea: Sea) -> None:
    """The referee who seated Cili for absent Béla, and Béla, are one nobody: so his side has put her there."""
    chief = sea.manager()
    await sea.begin_at(AFAR, sea.bela)
    await until_offered(sea)
    await sea.command(chief, "admin replace", game="1", whose="bela", substitute=sea.cili)
    await sealed(sea, sea.cili, "B1 RLRLR")
    for who in (chief, sea.bela):
        await press_under_me(sea, who, "forget", "forget_now")
    await sea.settle()
    await concede(sea, sea.anna)
    assert set(changes(sea)) == {sea.anna.id, sea.cili.id}
