"""Attack: a host writes a scenario of one turn in which he cannot but win; it is rated, and one turn is enough."""

from __future__ import annotations

from tests.bot.life.test_farming import changes
from tests.sea import Sea

RIGGED = """
id = "rigged"
table = [60, 40]
turn_limit = 1
edge = "wall"
[[sides]]
name = "West"
nation = "greek"
ships = ["W1 Q 14 20 90", "W2 Q 26 20 270", "W3 Q 14 16 60", "W4 Q 26 16 300", "W5 Q 14 24 120", "W6 Q 26 24 240"]
[[sides]]
name = "East"
nation = "persian"
ships = ["E1 B 20 20 0"]
"""


async def test_a_game_of_ones_own_making_lifts_nobody(sea: Sea) -> None:
    await sea.command(sea.anna, "new", system="ramspeed")
    await sea.bot.table.set_scenario(sea.anna.id, 1, RIGGED)
    await sea.settle()
    await sea.choose(sea.anna, "sides", "first")
    await sea.command(sea.bela, "join")
    await sea.command(sea.anna, "start")
    for who, text in ((sea.anna, "\n".join(f"W{n}: ram E1" for n in range(1, 7))), (sea.bela, "all: stay")):
        asked = await sea.bot.table.reader.asked(who.id, 1)
        asked = await sea.bot.table.orders.type(asked, text)
        await sea.bot.table.orders.seal(asked, asked.row.version)
    await sea.settle()
    game = sea.rows("games")["games"][0]
    assert game["phase"] == "over"
    found = changes(sea).get(1, {})
    assert found.get(sea.anna.id, 0) <= 0, found
