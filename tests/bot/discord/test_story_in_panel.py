"""The story is where captains are: a new panel begins with what has happened since their last question."""

from __future__ import annotations

from typing import Any

from tests.sea import Sea, refs, text_of

BESIDE = "900x600 ; A1:south 4-4+4/4 @400,300^0 ; B1:north 4-4+4/4 @470,300^0"
"""Within reach of each other's fire."""


def alt_of(message: Any) -> str:
    (attached,) = message.attachments
    return str(attached.description)


async def test_the_panel_of_a_round_begins_with_the_round_before(sea: Sea) -> None:
    await sea.begin_at(BESIDE, sea.bela)
    assert "A1 fires at B1: " not in text_of(sea.panel(sea.anna))
    await sea.both_seal("A1 XFFFF", "B1 XFFFF")
    story = text_of(sea.panel(sea.anna))
    assert "round 2" in story.casefold()
    assert "A1 fires at B1: " in story
    assert "B1 (bela): `XFFFF`" in story
    await sea.press(sea.anna, sea.panel(sea.anna), "press order.F")
    assert "A1 fires at B1: " in await sea.read(sea.anna)  # it stays while the captain plans


async def test_of_what_was_told_in_the_middle_of_a_round_nothing_is_told_again(sea: Sea) -> None:
    await sea.begin_at(BESIDE, sea.bela)
    await sea.both_seal("A1 XFFFF; aim ask", "B1 XFFFF")
    aiming = text_of(sea.panel(sea.anna))
    assert "B1 (bela): `XFFFF`" in aiming
    assert "A1 fires at B1: " not in aiming
    await sea.press(sea.anna, sea.panel(sea.anna), "press steady")
    after = text_of(sea.panel(sea.anna))
    assert "A1 fires at B1: " in after
    assert "B1 (bela): `XFFFF`" not in after
    assert "B1 (bela): `XFFFF`" in text_of(sea.panel(sea.bela))  # Béla was asked nothing in between


async def test_the_end_stands_where_the_captain_is(sea: Sea) -> None:
    await sea.begin_at(BESIDE, sea.bela)
    panel = sea.panel(sea.anna)
    await sea.concede(sea.bela)
    await sea.env.advance_time(30)
    closed = text_of(sea.again(sea.anna, panel))
    assert "Game over" in closed
    fared, why = closed.splitlines()[1:3]
    assert (fared, why, closed.count("bela conceded")) == ("**You win!**", "bela conceded.", 1)
    ending = next(message for message in reversed(sea.thread.history()) if "rematch" in refs(message))
    assert alt_of(sea.again(sea.anna, panel)) == alt_of(ending) != ""


async def test_who_ends_the_game_by_their_own_seal_reads_there_how(sea: Sea) -> None:
    await sea.begin_at(BESIDE.replace("B1:north 4-4+4/4", "B1:north 1-1+4/4"), sea.bela)
    while sea.rows("games")["games"][0]["phase"] == "running":  # any two hits sink her
        for who, text in ((sea.anna, "A1 XXXXF"), (sea.bela, "B1 XXXXF")):
            await sea.write(who, text)
            panel = sea.panel(who)
            await sea.press(who, panel, "seal")
    closed = sea.again(sea.bela, panel)
    assert "Game over" in text_of(closed)
    assert "**" in text_of(closed)
    assert "Only the winners are still afloat" in alt_of(closed)


async def test_a_game_ended_from_elsewhere_leaves_no_live_panel_and_tells_the_end_once(sea: Sea) -> None:
    await sea.begin_at(BESIDE.replace("B1:north 4-4+4/4", "B1:north 1-1+4/4"), sea.bela)
    while sea.rows("games")["games"][0]["phase"] == "running":
        await sea.seal(sea.bela, "B1 XXXXF")
        await sea.write(sea.anna, "A1 XXXXF")
        await sea.direct_command(sea.anna, "orders")
        (private,) = sea.answers
        panel = sea.panel(sea.anna)
        await sea.press(sea.anna, private, "seal")
    pressed, seen = sea.again(sea.anna, private), sea.dms(sea.anna)
    assert panel.id in {message.id for message in seen}
    closed = text_of(sea.again(sea.anna, panel))
    assert [{*refs(message)} for message in seen if message.author.bot and refs(message)] == [
        {"why_last", "replay", "rematch"}
    ]
    assert "Game over" in closed
    assert "> A1 (anna): `XXXXF`" in closed
    text = text_of(pressed)
    assert "Game over" in text
    assert "XXXXF" not in text
    assert f"/{panel.id}" in text


async def test_an_example_that_is_copied_is_understood(sea: Sea) -> None:
    await sea.begin(sea.bela, galleys="1", table="coffee")
    who = sea.anna if "place" in text_of(sea.panel(sea.anna)) else sea.bela
    assert "say where to place" not in await sea.write(who, "5/3 @\u200b450,70^0")


async def test_the_story_names_who_gave_the_orders_of_a_captain_who_was_late(sea: Sea) -> None:
    await sea.begin_at(BESIDE, sea.bela)
    await sea.seal(sea.anna, "A1 XFFFF")
    await sea.env.advance_time(86_401)
    for text in (await sea.read(sea.anna), await sea.read(sea.bela), sea.told()):
        assert "B1 (bela's first mate)" in text
        assert "A1 (anna)" in text
        assert "B1 (bela)" not in text
