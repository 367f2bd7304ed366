"""Biremes … Oh My! through the real bot: sheets typed and pressed, refused, sealed, carried out, told and verified."""

from __future__ import annotations

from tests.bot.records import assert_holds
from tests.sea import Sea

SHORT = (
    "30x24 open turn=1/1 phase=orders quiet=0 seats=ann@Athens,bob@Sparta ; A1 T ann athenian @8,5^0 20 ; "
    "A2 B ann athenian @20,4^0 10 ; S1 T bob spartan @8,12^90 20 ; S2 T bob spartan @24,20^180 20"
)  # the last turn of a game: A1 has S1 before her beak


async def test_a_game_is_played_in_both_languages_to_its_end_and_can_be_verified(sea: Sea) -> None:
    await sea.begin_at(SHORT, sea.bela, system="ramspeed")
    said = await sea.write(sea.anna, "A1: fwd 9\nA2: fwd")
    assert "RS-21.4" in said
    assert "Line 1" in said
    assert "RS-21.5" in await sea.write(sea.anna, "A1: fwd 2\nS1: fwd 2")
    assert (await sea.asked(sea.anna, 1)).row.draft == ""

    # Typed and pressed lines meet in one sheet; their places can be changed.
    await sea.write(sea.anna, "A2: turn 45L; fwd 2")
    await sea.pick(sea.anna, sea.panel(sea.anna), "ship", "ship.A1")
    await sea.pick(sea.anna, sea.panel(sea.anna), "attack", "do.ram.S1")
    await sea.press(sea.anna, sea.panel(sea.anna), "press line.or")
    await sea.pick(sea.anna, sea.panel(sea.anna), "move", "go.fwd")
    stale = sea.panel(sea.anna)
    await sea.press(sea.anna, sea.panel(sea.anna), "press line.up")
    draft = (await sea.asked(sea.anna, 1)).row.draft
    assert draft == "A1: ram S1 or fwd\nA2: turn 45L; fwd 2"
    assert stale is not None
    await sea.press(sea.anna, sea.panel(sea.anna), "seal")

    # Nobody else has seen any of it; the other captain writes in another language.
    assert "ram S1" not in sea.told()
    await sea.seal(sea.bela, "S2: előre 2\nS1: marad\nelv mind: evezőtörés=fordul")
    await sea.settle()
    told = sea.told()
    assert "A1 rams S1" in told or "S1 goes down" in told
    rows = sea.rows("games")["games"]
    assert rows[0]["phase"] == "over"
    await assert_holds(sea)
    assert not sea.faults


async def test_captains_act_ship_by_ship_where_the_host_wants_it_so(sea: Sea) -> None:
    await sea.command(sea.anna, "new", system="ramspeed")
    await sea.choose(sea.anna, "mode", "live")
    await sea.choose(sea.anna, "sides", "first")
    await sea.command(sea.bela, "join")
    await sea.command(sea.anna, "start")
    for _ in range(2):
        asked = await sea.asked(sea.anna, 1)
        who = sea.bela if asked.row.optional else sea.anna
        ship = "A1" if who is sea.anna else "S1"
        assert await sea.write(who, f"{ship}: fwd 2")
        assert "RS-03.4" in await sea.write(who, f"{ship}: fwd 2")
        await sea.press(who, sea.panel(who), "press done")
    assert (await sea.asked(sea.anna, 1)).row.body.round == 2
