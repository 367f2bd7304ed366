"""Attack: building and placing a fleet counts as a round that was played, and two turns are enough to lift a twin."""

from __future__ import annotations

from bot.life.worth import ROUNDS_LEAST
from tests.bot.life.test_farming import BRIEF
from tests.sea import Sea

TYPED = {"fleet": "stock", "place": "line", "orders": "pass"}


async def test_setting_up_is_no_round_of_fighting(sea: Sea) -> None:
    await sea.begin(sea.bela, system="squadrons", battle="60", sides="first", fleet="points", deploy="placed")
    met = set()
    while True:
        rows = [row for row in sea.rows("requests")["requests"] if row["status"] == "open"]
        asked = [await sea.bot.table.reader.asked((sea.anna, sea.bela)[row["seat"]].id, 1, row["id"]) for row in rows]
        if asked[0].row.body.round == ROUNDS_LEAST:
            break
        for one in asked:
            met.add(one.row.body.kind)
            typed = await sea.bot.table.orders.type(one, TYPED[one.row.body.kind])
            if typed.row.status == "open":
                await sea.bot.table.orders.seal(typed, typed.row.version)
        await sea.settle()
    assert met == set(TYPED)
    await sea.bot.table.concede(sea.bela.id, 1)
    await sea.settle()
    assert BRIEF in sea.told(), "a game of two turns has lifted somebody"
