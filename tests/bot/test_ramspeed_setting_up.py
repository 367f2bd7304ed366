"""Free battles and scenarios with zones through the real bot: fleets in secret, places, and games to their end."""

from __future__ import annotations

import pytest

from bot.texts.i18n import Catalogue
from tests.bot.records import assert_holds
from tests.sea import Sea, refs, text_of

HU = Catalogue.load("hu", "ramspeed")
MAX_TURNS = 30


async def test_fleets_are_chosen_and_placed_in_secret(sea: Sea) -> None:
    sea.languages[sea.bela.id] = "hu"
    await sea.begin(sea.bela, system="ramspeed", scenario="free", opponents="rolled", sides="first")

    # What costs too much is refused by its rule; a ready fleet is a beginning, and a press more or less changes it.
    assert "RS-22.5" in await sea.write(sea.anna, "3xV")
    await sea.press(sea.anna, sea.panel(sea.anna), "press ready.triremes")
    await sea.pick(sea.anna, sea.panel(sea.anna), "less", f"less.T.{await nation_of(sea)}")
    await sea.pick(sea.anna, sea.panel(sea.anna), "more", "more.B")
    pending = await sea.asked(sea.anna, 1)
    assert pending is not None
    assert pending.row.draft == "5xT, 1xB"
    await sea.press(sea.anna, sea.panel(sea.anna), "seal")

    # Nobody learns of Anna's fleet before Béla's is sealed.
    seen = [*(text_of(message) for message in sea.dms(sea.bela)), sea.told()]
    assert not any("A6" in text for text in seen)
    assert HU.say("fault.fleet_too_dear", spent=16, most=12) in await sea.write(sea.bela, "16 x birémisz")
    await sea.seal(sea.bela, "2 x quadrirémisz, 6xb")
    await sea.settle()
    assert "B8" in sea.told()

    # Places: a refusal names the ship and what is in the way; a press moves all ships.
    assert "RS-22.6" in await sea.write(sea.anna, "A1 20,10")
    await sea.press(sea.anna, sea.panel(sea.anna), "press shift.left")
    await sea.seal(sea.anna, "A1 ^45")
    assert "A1" not in str(await sea.command(sea.bela, "table"))
    await sea.press(sea.bela, sea.panel(sea.bela), "seal")
    await sea.settle()
    pending = await sea.asked(sea.bela, 1)
    assert pending is not None
    assert (pending.row.body.kind, pending.row.body.round) == ("orders", 1)
    assert "A1" in str(await sea.command(sea.bela, "table"))
    await sea.concede(sea.bela, 1)
    await assert_holds(sea)
    assert not sea.faults


async def nation_of(sea: Sea) -> str:
    pending = await sea.asked(sea.anna, 1)
    assert pending is not None
    return str(pending.row.body.params["nations"])


@pytest.mark.parametrize(
    "options",
    [
        {"scenario": "artemisium"},
        {"scenario": "free", "points": "6", "situation": "meeting", "nations": "mixed"},
        {"scenario": "free", "points": "8", "second_points": "6", "situation": "prepared", "opponents": "rolled"},
        {"scenario": "free", "points": "6", "situation": "beached", "swipe_run": "within", "command": "on"},
    ],
    ids=["artemisium", "meeting", "prepared", "beached"],
)
async def test_a_battle_is_played_to_its_end(sea: Sea, options: dict[str, str]) -> None:
    await sea.begin(system="ramspeed", computer=1, sides="first", **options)
    for _ in range(MAX_TURNS):
        pending = await sea.asked(sea.anna, 1)
        if pending is None:
            break
        if pending.row.body.kind == "fleet":
            await sea.press(sea.anna, sea.panel(sea.anna), "press ready.triremes")
        elif pending.row.body.kind == "orders":
            can_close = "press all.close" in refs(sea.panel(sea.anna))
            await sea.press(sea.anna, sea.panel(sea.anna), "press all.close" if can_close else "press all.stay")
        await sea.press(sea.anna, sea.panel(sea.anna), "seal")
        await sea.settle()
    assert await sea.asked(sea.anna, 1) is None
    await assert_holds(sea)
    assert not sea.faults
