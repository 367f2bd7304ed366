"""The set-up of the fleet game through the real bot: fleets built in secret, then placed, or coming in later."""

from __future__ import annotations

from tests.bot.records import assert_holds
from tests.sea import Sea, text_of


async def test_fleets_are_built_in_secret_placed_one_after_the_other_and_verified(sea: Sea) -> None:
    await sea.begin(sea.bela, system="squadrons", battle="60", fleet="points", deploy="placed", sides="first")

    # What costs too much is refused by its rule; the stock fleet is a beginning, and a press more or less changes it.
    assert "SQ-23.1" in await sea.write(sea.anna, "9x5")
    await sea.press(sea.anna, sea.panel(sea.anna), "press all.stock")
    await sea.pick(sea.anna, sea.panel(sea.anna), "less", "less.L2")
    await sea.pick(sea.anna, sea.panel(sea.anna), "more", "more.2")
    assert (await sea.asked(sea.anna, 1)).row.draft == "1x2, 1x3, 1xcat3, 2x5; Steady"
    await sea.press(sea.anna, sea.panel(sea.anna), "seal")

    # Nobody learns of Anna's fleet before Béla's is sealed.
    seen = [*(text_of(message) for message in sea.dms(sea.bela)), sea.told()]
    assert not any("cat3" in text or "cataphracted" in text for text in seen)
    await sea.seal(sea.bela, "4x3v, 1x5; merész")
    await sea.settle()
    assert "cataphracted trireme" in sea.told()
    assert "trireme, veteran crew" in sea.told()

    # The loser of the die places first, then the winner comes in over their own edge.
    (first,) = [who for who in (sea.anna, sea.bela) if await sea.asked(who, 1)]
    second = sea.bela if first is sea.anna else sea.anna
    await sea.pick(first, sea.panel(first), "formation", "formation.columns")
    await sea.press(first, sea.panel(first), "seal")
    await sea.settle()
    await sea.seal(second, "enter")
    await sea.settle()
    for who in (sea.anna, sea.bela):
        pending = await sea.asked(who, 1)
        assert (pending.row.body.kind, pending.row.body.round) == ("orders", 1)
        await sea.press(who, sea.panel(who), "press all.charge")
        await sea.press(who, sea.panel(who), "seal")
    await sea.settle()
    assert (await sea.asked(sea.anna, 1)).row.body.round == 2
    await sea.concede(sea.bela, 1)
    await assert_holds(sea)
    assert not sea.faults
