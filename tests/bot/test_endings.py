"""Giving up, agreeing a draw, and what is left of a game that is over."""

from __future__ import annotations

from tests.bot.records import assert_holds
from tests.sea import AFAR, Sea, refs, text_of


async def test_giving_up_asks_once_more_and_ends_a_duel(sea: Sea) -> None:
    await sea.begin_at(AFAR, sea.bela)
    before = sea.rows()
    assert "really" in await sea.command(sea.bela, "concede")
    (sure,) = sea.answers
    assert sure.flags.ephemeral
    assert sea.rows() == before
    await sea.press(sea.bela, sure, "concede")
    (game,) = sea.rows("games")["games"]
    assert game["phase"] == "over"
    assert game["seed"] in sea.told()
    assert "bela" in text_of(sea.thread.last_message)
    await assert_holds(sea)
    # Nothing is left to press but to look back.
    left = {key for message in sea.thread.history() for key in refs(message)}
    assert not left & {"orders", "draw", "seal", "unseal", "type"}
    assert not any(refs(message) for message in sea.dms(sea.anna))
    assert "over" in await sea.press(sea.bela, sure, "concede")
    assert "over" in await sea.command(sea.anna, "draw", game="1")


async def test_a_captain_gives_up_while_his_ally_fights_on(sea: Sea) -> None:
    await sea.command(sea.anna, "new", captains=2, galleys="1", computer=2)
    await sea.command(sea.bela, "join")
    position = " ; ".join(
        ["900x600"]
        + [f"{name}:south 4-4+2/6 @{x},80^0" for name, x in (("A1", 200), ("C1", 600))]
        + [f"{name}:north 4-4+2/6 @{x},520^180" for name, x in (("B1", 200), ("D1", 600))]
    )
    sea.change_rows("UPDATE games SET setup = json_set(setup, '$.position', ?)", position)
    sea.change_rows("UPDATE seats SET team = seat % 2")
    await sea.command(sea.anna, "start")
    await sea.command(sea.anna, "concede")
    await sea.press(sea.anna, sea.answers[0], "concede")
    (game,) = sea.rows("games")["games"]
    assert game["phase"] == "running"
    assert "Nothing is asked" in await sea.write(sea.anna, "A1 FFFFF")
    assert await sea.asked(sea.bela)
    assert "anna" in text_of(next(message for message in reversed(sea.thread.history()) if message.attachments))


async def test_a_draw_needs_both_and_lapses_with_the_round(sea: Sea) -> None:
    await sea.begin_at(AFAR, sea.bela)
    assert "offered" in await sea.command(sea.anna, "draw")
    offer = sea.thread.last_message
    assert "anna offers a draw" in text_of(offer)
    for who, text in ((sea.anna, "A1 FFFFF"), (sea.bela, "B1 RLRLF")):
        await sea.write(who, text)
        await sea.press(who, sea.panel(who), "seal")
    assert not refs(sea.again(sea.anna, offer))
    assert "offered" in await sea.command(sea.bela, "draw", game="1")
    assert sea.rows("games")["games"][0]["phase"] == "running"
    offer = sea.thread.last_message
    assert "bela offers a draw" in text_of(offer)
    assert "anna offers" not in text_of(offer)
    assert "not a captain" in await sea.press(sea.cili, offer, "draw")
    assert "drawn" in await sea.press(sea.anna, offer, "draw")
    assert sea.rows("games")["games"][0]["phase"] == "over"
    assert "draw" in text_of(sea.thread.last_message)
    assert not refs(sea.again(sea.anna, offer))
    await assert_holds(sea)


async def test_the_computer_agrees_to_no_draw(sea: Sea) -> None:
    await sea.begin_at(AFAR)
    assert "fights on" in await sea.command(sea.anna, "draw")
    assert sea.rows("seats")["seats"][0]["draw_at"] is None
    assert sea.rows("games")["games"][0]["phase"] == "running"
