"""In Ram Speed a captain is asked how to defend a ship: going back, time and giving up at that very moment."""

from __future__ import annotations

from typing import Any

from bot.texts.i18n import Catalogue
from tests.bot.lifecycle.test_taking_back import acts, agreeing, holds
from tests.bot.rows import dice
from tests.sea import Sea, refs

EN, HU = Catalogue.load("en"), Catalogue.load("hu")
HOUR_S = 3_600

FLEETS = (
    "40x40 open turn=1/3 phase=orders quiet=0 seats=ann@Athens,bob@Sparta,cil@Athens,dor@Sparta ; "
    "A1 T ann athenian @10,8^0 20 ; S1 T bob spartan @10.3,14^180 20 ; "
    "A2 T cil athenian @30,8^0 20 ; A3 T ann athenian @20,8^0 20 ; S2 T dor spartan @30,34^180 20"
)
"""Anna and Cili against Béla and Dora: A1 has S1 before her oars, the others are far away."""


async def attacked(sea: Sea, *, after_s: int = 0) -> tuple[Any, Any]:
    """Let Anna's ship swipe at Béla's, so that Béla must defend her; return Dora and Béla's request.

    Anna orders `after_s` seconds after her request.
    """
    dora = sea.member("dora")
    await sea.begin_at(FLEETS, sea.bela, sea.cili, dora, system="ramspeed", mode="asked", captains="2", missed="hold")
    return dora, await attack(sea, dora, after_s=after_s)


async def attack(sea: Sea, dora: Any, *, after_s: int = 0) -> Any:
    for _ in range(8):
        (who,) = [who for who in (sea.anna, sea.bela, sea.cili, dora) if await acts(sea, who)]
        if who is sea.anna:
            break
        await sea.write(who, "done")
    await sea.env.advance_time(after_s)
    await sea.write(sea.anna, "A1: swipe S1")
    pending = await acts(sea, sea.bela)
    assert pending.row.body.kind == "defence"
    return pending


async def test_nobody_gains_or_loses_time_or_dice_by_giving_up_and_taking_it_back_then(sea: Sea) -> None:
    dora, pending = await attacked(sea)
    chief, thrown = sea.manager("chief"), dice(sea)
    assert EN.say("refuse.nothing_to_undo") in await sea.command(chief, "host undo", game="1")

    async def taken_back(by: Any) -> None:
        assert EN.say("say.undone") in await sea.command(by, "host undo", game="1")
        again = await acts(sea, sea.bela)
        assert (again.row.id, again.row.deadline) == (pending.row.id, pending.row.deadline)
        assert not any([await acts(sea, who) for who in (sea.anna, sea.cili, dora)])
        assert "press turn" in refs(sea.panel(sea.bela))
        assert dice(sea) == thrown

    # Who is not concerned: Béla is asked further, until the same time.
    for quitter in (sea.cili, dora):
        await sea.env.advance_time(HOUR_S)
        await sea.concede(quitter)
        assert (await acts(sea, sea.bela)).row.deadline == pending.row.deadline
        await taken_back(chief)
    # Who is asked: the ally is, instead.
    await sea.concede(sea.bela)
    assert (await acts(sea, dora)).row.body.kind == "defence"
    assert EN.say("refuse.given_up") in await sea.command(sea.anna, "host undo", game="1")
    await taken_back(chief)
    # Once the choice is made and carried out, it is too late.
    await sea.press(sea.bela, sea.panel(sea.bela), "press turn")
    assert dice(sea) != thrown
    await sea.concede(sea.bela)
    assert EN.say("say.undone") in await sea.command(chief, "host undo", game="1")
    assert dice(sea) != thrown
    assert not await acts(sea, sea.bela)
    for who in (sea.anna, sea.cili):
        await sea.concede(who)
    await holds(sea)


async def test_who_attacks_cannot_use_up_the_time_of_who_is_asked_by_giving_up(sea: Sea) -> None:
    """Anna's giving up breaks the attack off, and with it what Béla is asked."""
    dora, pending = await attacked(sea)
    await sea.env.advance_time(2 * HOUR_S)
    await sea.concede(sea.anna)
    assert not await acts(sea, sea.bela) or (await acts(sea, sea.bela)).row.body.kind == "act"
    before = sea.rows("requests", "answers", "steps")
    for sea.languages[sea.anna.id], texts in (("hu", HU), ("en-US", EN)):
        assert texts.say("refuse.broken_off") in await sea.command(sea.anna, "host undo", game="1")
    assert sea.rows("requests", "answers", "steps") == before
    # A referee may take it back, and Béla has the time that was left.
    await sea.env.advance_time(20 * HOUR_S)
    assert EN.say("say.undone") in await sea.command(sea.manager("chief"), "host undo", game="1")
    again = await acts(sea, sea.bela)
    assert again.row.id == pending.row.id
    assert abs(again.row.deadline - sea.now().timestamp() - 22 * HOUR_S) < HOUR_S / 60
    await sea.write(sea.bela, "fordul")
    for who in (sea.anna, sea.cili):
        await sea.concede(who)
    await holds(sea)
    assert dora


async def test_the_time_of_who_attacks_stands_still_while_another_is_asked(sea: Sea) -> None:
    """Béla lets the deadline pass: the doctrine answers, and Anna has what was left, however often she attacks."""
    _, pending = await attacked(sea, after_s=20 * HOUR_S)
    assert pending.row.deadline > sea.now().timestamp() + 23 * HOUR_S
    await sea.env.advance_time(24 * HOUR_S + 60)
    await sea.settle()
    swipe = next(row for row in sea.rows("steps")["steps"] if '"swipe"' in row["events"])
    assert '"defence":"draw"' in swipe["events"]
    missed = {row["user_id"]: row["missed"] for row in sea.rows("seats")["seats"]}
    assert (missed[sea.bela.id], missed[sea.anna.id]) == (1, 0)
    left = (await acts(sea, sea.anna)).row.deadline - sea.now().timestamp()
    assert abs(left - 4 * HOUR_S) < HOUR_S / 10
    # So little time, and she may well sleep: she does nothing more in this turn, but isn't absent.
    await sea.env.advance_time(4 * HOUR_S)
    await sea.settle()
    assert not await acts(sea, sea.anna)
    assert [row["missed"] for row in sea.rows("seats")["seats"] if row["user_id"] == sea.anna.id] == [0]


async def test_all_may_go_back_from_there_and_other_dice_fall(sea: Sea) -> None:
    dora, pending = await attacked(sea, after_s=HOUR_S)
    thrown = dice(sea)
    await sea.command(sea.anna, "host undo", game="1", to_round=1)
    assert (await acts(sea, sea.bela)).row.id == pending.row.id
    for who in (sea.bela, sea.cili, dora):
        await sea.press(who, *agreeing(sea))
    assert dice(sea)["seed"] != thrown["seed"]
    again = await attack(sea, dora)
    assert again.row.deadline - sea.now().timestamp() > 24 * HOUR_S - 60
    # In the middle of it the one who is asked gives up, and the ally chooses for the ship.
    await sea.concede(sea.bela)
    await sea.press(dora, sea.panel(dora), "press grapple")
    assert '"defence":"grapple"' in "".join(row["events"] for row in sea.rows("steps")["steps"])
    for who in (sea.anna, sea.cili):
        await sea.concede(who)
    await holds(sea)
