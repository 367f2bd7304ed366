"""Attack: a host changes options while others join, agree and he starts."""

from __future__ import annotations

import asyncio
import json

from bot.errors import Refusal
from bot.store.records import Player
from rules.errors import OrderError
from tests.sea import Sea


async def test_options_joins_words_and_the_start_at_once_leave_a_whole_game(sea: Sea) -> None:
    for number in range(1, 7):
        host = sea.anna
        await sea.command(host, "new", captains=2)
        table, game = sea.bot.table, number

        async def tried(doing):
            try:
                await doing
            except (Refusal, OrderError) as refused:
                return refused

        jobs = [
            table.join(Player(user_id=sea.bela.id, name="bela", locale="en"), game, 1),
            table.choose(host.id, game, "captains", "1"),
            table.join(Player(user_id=sea.cili.id, name="cili", locale="en"), game, 1),
            table.start(host.id, game, ""),
            table.choose(host.id, game, "captains", "3"),
            table.add_word(sea.bela.id, game, "rostrum"),
            table.choose(host.id, game, "galleys", "1"),
            table.leave(sea.cili.id, game),
        ]
        jobs = [*jobs[number:], *jobs[:number]]
        await asyncio.gather(*map(tried, jobs))
        await sea.settle()
        (row,) = [one for one in sea.rows("games")["games"] if one["id"] == game]
        seats = [one for one in sea.rows("seats")["seats"] if one["game_id"] == game]
        setup = json.loads(row["setup"])
        assert [s["team"] for s in seats] == setup["teams"]
        assert len({s["user_id"] for s in seats if s["user_id"]}) == sum(bool(s["user_id"]) for s in seats)
        if row["phase"] != "lobby":
            begun = [one for one in sea.rows("steps")["steps"] if one["game_id"] == game]
            assert begun
            assert setup["options"]["captains"] == "3" or len(seats) in (2, 4)
    assert not sea.faults
