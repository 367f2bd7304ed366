"""A battle that was opened and has not begun is no lobby in which its host and its captains may do what they like.

Between the two a worker has a job, which takes seconds under load, and the thread has named the battle's number.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from bot.errors import Refusal
from bot.jobs import play
from bot.services.repair import Caller
from tests.sea import Sea
from tests.toygame.test_play import until_they_meet

BATTLE = 2


async def kick(sea: Sea) -> None:
    caller = Caller(user_id=sea.anna.id, managed_guild_id=None)
    await sea.bot.services.repair.kick_captain(caller, BATTLE, 1, computer=False)


ATTACKS: dict[str, Callable[[Sea], Awaitable[object]]] = {
    "cancel": lambda sea: sea.bot.services.lobbies.would_cancel(sea.anna.id, BATTLE),
    "word": lambda sea: sea.bot.services.lobbies.add_word(sea.anna.id, BATTLE, "lucky"),
    "leave": lambda sea: sea.bot.services.lobbies.leave_lobby(sea.bela.id, BATTLE),
    "kick": kick,
    "start": lambda sea: sea.bot.services.lobbies.start_game(sea.anna.id, BATTLE),
}
HARMLESS: dict[str, Callable[[Sea], Awaitable[object]]] = {
    "leave the server": lambda sea: sea.bot.services.absence.offer_seats_of_departed(sea.anna.id, sea.guild.id),
    "speak another language": lambda sea: sea.bot.services.servers.note_server_language(sea.guild.id, "hu"),
}  # what is no attack, and also called a battle off or showed it as a lobby


async def test_nobody_does_anything_to_a_battle_before_it_begins(sea: Sea, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the game that waits for it never goes on, its dice are somebody's choice, or a captain is missing."""
    workers, refused = sea.bot.services.step_runner._workers, dict[str, str]()
    step = workers.run_step

    async def slow(host: int, job: Any, *args: Any, **named: Any) -> Any:
        found = await step(host, job, *args, **named)
        waits = [one for one in sea.rows("games")["games"] if one["parent_id"] and one["phase"] == "lobby"]
        if job is play.begin_game and waits and not refused:
            assert not await sea.bot.services.reader.lobbies.lobbies_in(sea.channel.id)
            for name, attack in ATTACKS.items():
                with pytest.raises(Refusal) as answer:
                    await attack(sea)
                refused[name] = answer.value.key
            for harmless in HARMLESS.values():
                await harmless(sea)
            assert not [row for row in sea.rows("outbox")["outbox"] if row["game_id"] == BATTLE], "no lobby is shown"
        return found

    monkeypatch.setattr(workers, "run_step", slow)
    await until_they_meet(sea)
    await sea.settle()
    assert refused == dict.fromkeys(ATTACKS, "busy")
    assert {one["id"]: one["phase"] for one in sea.rows("games")["games"]} == {1: "running", BATTLE: "running"}
    seats = [row for row in sea.rows("seats")["seats"] if row["game_id"] == BATTLE]
    assert [(row["user_id"], row["word"]) for row in seats] == [(sea.anna.id, None), (sea.bela.id, None)]
