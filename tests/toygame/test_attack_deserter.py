"""Attack: who has lost his seat still fights its battle, and may throw it away."""

from __future__ import annotations

from bot.doors.repair import Caller
from bot.store.records import Player
from tests.sea import Sea
from tests.toygame.test_play import until_they_meet


async def test_whoever_takes_a_seat_over_fights_its_battle_too(sea: Sea) -> None:
    await until_they_meet(sea)
    sea.change_rows("UPDATE seats SET offered_at = 1 WHERE game_id = 1 AND seat = 0")
    await sea.bot.table.absence.take_over(Player(user_id=sea.cili.id, name="cili", locale="en"), 1, 0)
    await sea.settle()
    battle = [seat["user_id"] for seat in sea.rows("seats")["seats"] if seat["game_id"] == 2]
    assert battle == [sea.cili.id, sea.bela.id]
    told = [act["game_id"] for act in sea.rows("acts")["acts"] if act["kind"] == "substituted"]
    assert told == [1, 2]


async def test_whom_a_manager_replaces_by_the_computer_fights_no_battle_either(sea: Sea) -> None:
    await until_they_meet(sea)
    await sea.bot.table.repair.kick(Caller(user_id=sea.cili.id, manages=sea.guild.id), 1, 1, computer=True)
    await sea.settle()
    seats = [(seat["user_id"], seat["computer"]) for seat in sea.rows("seats")["seats"] if seat["game_id"] == 2]
    assert seats == [(sea.anna.id, 0), (None, 1)]
    assert sea.rows("games")["games"][1]["step_no"] == 1  # the computer has called the wind, and waits for Anna
    assert not sea.faults
