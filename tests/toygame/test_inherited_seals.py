"""An inherited seal that is void keeps no later seal from being broken."""

from __future__ import annotations

from bot.store.models.records import Player
from tests.sea import Sea
from tests.toygame.test_ahead import begun
from tests.toygame.test_play import row, wind_panel


async def test_what_a_captain_seals_is_not_taken_for_the_seal_of_one_before_them(sea: Sea) -> None:
    await begun(sea)
    sea.change_rows("UPDATE seats SET offered_at = 1 WHERE game_id = 1 AND seat = 0")
    await sea.bot.services.absence.take_over_seat(Player(user_id=sea.cili.id, name="cili", locale="en"), 1, 0)
    await sea.settle()
    assert row(sea, "r1.orders.0")["inherited"]
    # As if the wind had sunk a ship: what was given ahead cannot be carried out.
    sea.change_rows("UPDATE steps SET state = json_remove(state, '$.ships[1]')")
    await sea.press(sea.bela, await wind_panel(sea, sea.bela), "press calm")
    assert row(sea, "r1.orders.0")["status"] == "open"
    await sea.press(sea.cili, sea.panel(sea.cili), "seal")
    assert row(sea, "r1.orders.0")["status"] == "sealed"
    assert not row(sea, "r1.orders.0")["inherited"]  # it is Cili's own: going back breaks it, and the panel says so
