"""Once somebody has been the referee of a game, they can't become one of its captains."""

from __future__ import annotations

from tests.attacks.test_voices import agree
from tests.sea import AFAR, Sea


async def test_a_manager_who_let_a_paused_game_go_on_takes_no_seat_in_it(sea: Sea) -> None:
    await sea.begin_at(AFAR, sea.bela)
    chief = sea.manager()
    await sea.command(sea.anna, "extend", game="1", pause=True)
    await agree(sea, sea.bela, "asks for a pause")
    await sea.command(chief, "host resume", game="1")
    assert [(one["kind"], one["user_id"]) for one in sea.rows("acts")["acts"]][-1] == ("resumed", chief.id)
    await sea.bot.services.absence.offer_seats_of_departed(sea.bela.id, sea.guild.id)
    await sea.settle()
    said = await sea.command(chief, "substitute", game="1")
    holders = {row["user_id"] for row in sea.rows("seats")["seats"]}
    assert chief.id not in holders, said
