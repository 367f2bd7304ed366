"""Attack: whoever takes a seat over sees at what the captain before him was looking."""

from __future__ import annotations

from bot.store.records import Player
from tests.sea import AFAR, Sea


async def test_what_a_captain_looked_at_goes_to_nobody_with_his_seat(sea: Sea) -> None:
    await sea.begin_at(f"{AFAR} ; A2:south 5-5+3/5 @700,80^0", sea.bela)
    await sea.write(sea.anna, "A2")  # she has ordered nothing, and only looks at her second galley
    (row,) = [one for one in sea.rows("requests")["requests"] if one["seat"] == 0]
    assert (row["draft"], row["focus"]) == ("", "A2")
    sea.change_rows("UPDATE seats SET offered_at = 1 WHERE game_id = 1 AND seat = 0")
    await sea.bot.table.absence.take_over(Player(user_id=sea.cili.id, name="cili", locale="en"), 1, 0)
    await sea.settle()
    (row,) = [one for one in sea.rows("requests")["requests"] if one["seat"] == 0]
    assert row["focus"] == ""
