"""What a host who plays may do with seats: act on their own, or on one that is being offered already."""

from __future__ import annotations

from tests.attacks.test_voices import FOUR
from tests.sea import Sea


async def test_a_host_who_plays_puts_no_friend_in_the_seat_of_the_enemys_computer_ally(sea: Sea) -> None:
    """Anna plays against Béla and a computer ally, whose seat nobody offers; in it her friend would betray Béla."""
    eve = sea.member("eve")
    await sea.begin_at(FOUR, sea.bela, captains="2", galleys="1")
    seats = [row for row in sea.rows("seats")["seats"] if row["game_id"] == 1]
    bela = next(row for row in seats if row["user_id"] == sea.bela.id)
    ally = next(row for row in seats if row["team"] == bela["team"] and row["computer"])
    assert ally["offered_at"] is None
    said = await sea.command(sea.anna, "admin replace", game="1", whose=f"#{ally['seat'] + 1}", substitute=eve)
    after = next(row for row in sea.rows("seats")["seats"] if row["seat"] == ally["seat"])
    assert after["user_id"] is None, said
