"""Crews that captains keep: nobody saves, heals or leaves behind what they should not."""

from __future__ import annotations

import json

from bot.record.export import check, write
from tests.bot.test_keepsakes import given, gives_up, opened, seals
from tests.sea import Sea


async def test_who_is_forgotten_in_a_game_that_goes_on_leaves_neither_crews_nor_their_names(sea: Sea) -> None:
    dan = sea.member("dan")
    given(sea, sea.anna, 1, "Argo", xp=18, promotions="rmb")
    given(sea, sea.cili, 1, "Hydra", xp=3)
    await sea.command(sea.anna, "new", captains="2", table="dining", deployment="ready", points="quick", crews="kept")
    for who in (sea.bela, sea.cili, dan):
        await sea.command(who, "join")
    await sea.command(sea.anna, "start")
    for who in (sea.anna, sea.bela, sea.cili, dan):
        await seals(sea, who, "5")
    await gives_up(sea, sea.anna)
    await sea.bot.table.privacy.forget(sea.anna.id)
    await sea.settle()
    setup = json.loads(sea.rows("games")["games"][0]["setup"])
    assert "Argo" not in json.dumps(setup)
    assert "Hydra" in json.dumps(setup)
    seats = {row["user_id"]: row["team"] for row in sea.rows("seats")["seats"]}
    for who in [who for who in (sea.bela, sea.cili, dan) if seats[who.id] == seats[sea.cili.id]]:
        await gives_up(sea, who)
    assert sea.rows("games")["games"][0]["phase"] == "over"
    assert {row["user_id"] for row in sea.rows("keepsakes")["keepsakes"]} == {sea.bela.id, sea.cili.id, dan.id}


async def test_who_gives_up_before_fleets_are_shown_does_not_see_what_others_could_have_brought(sea: Sea) -> None:
    given(sea, sea.anna, 1, "Argo", xp=3)
    await opened(sea, sea.bela)
    await gives_up(sea, sea.bela)
    paper = write(await sea.bot.table.archive.finished(1))
    assert b"Argo" not in paper
    assert check(paper) is None
