"""A host who plays may act on their own seat, and on one that is being offered already."""

from __future__ import annotations

import pytest

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
    said = await sea.command(sea.anna, "host replace", game="1", whose=f"#{ally['seat'] + 1}", substitute=eve)
    after = next(row for row in sea.rows("seats")["seats"] if row["seat"] == ally["seat"])
    assert after["user_id"] is None, said


@pytest.mark.parametrize("settings", [{"most_games": 1}])
async def test_who_gives_their_seat_away_still_hosts_the_game(sea: Sea) -> None:
    await sea.begin(sea.bela, galleys="1")
    await sea.command(sea.anna, "host kick", game="1", whose="anna", to_computer=True)
    assert sea.anna.id not in [row["user_id"] for row in sea.rows("seats")["seats"]]
    said = await sea.command(sea.anna, "new")
    assert len(sea.rows("games")["games"]) == 1, said


@pytest.mark.parametrize("to_computer", [True, False])
async def test_no_game_goes_on_for_nobody(sea: Sea, to_computer: bool) -> None:
    await sea.begin(computer=1, galleys="1")
    said = await sea.command(sea.anna, "host kick", game="1", whose="anna", to_computer=to_computer)
    assert sea.anna.id in [row["user_id"] for row in sea.rows("seats")["seats"]], said
    assert "Nobody else is playing" in said
