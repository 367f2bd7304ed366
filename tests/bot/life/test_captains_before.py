"""Games of before the history of seats was kept: it is made from their seats and audit logs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from alembic import command
from sqlalchemy import Connection, create_engine, text

from bot.life.captains import captains_of
from bot.life.playing import playing_of
from bot.store import Store, upgrading

GAME = {
    "system": "any",
    "name": "an old game",
    "locale": "en",
    "guild_id": 1,
    "channel_id": 2,
    "host_id": 10,
    "version": 4,
    "pace": '{"seconds":60}',
    "early": True,
    "extensions": 2,
    "rated": True,
    "private": False,
    "setup": '{"system":"any","teams":[0,1]}',
    "seed": "00",
    "created_at": 0,
}


def put(connection: Connection, table: str, **row: Any) -> None:
    places = ", ".join(f":{column}" for column in row)
    connection.execute(text(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({places})"), row)


def seat(connection: Connection, game_id: int, number: int, user_id: int | None, *, computer: bool = False) -> None:
    of = {"game_id": game_id, "seat": number, "team": number, "user_id": user_id, "computer": computer}
    put(connection, "seats", **of, conceded=False, missed=0)


def act(connection: Connection, kind: str, *, by: int, at_step: int, was: int) -> None:
    about = json.dumps({"captain": "somebody", "was": was})
    put(connection, "acts", game_id=1, at=5, step_no=at_step, user_id=by, kind=kind, seat=1, params=about)


async def test_who_held_which_seat_is_told_by_the_log(tmp_path: Path) -> None:
    with create_engine(f"sqlite:///{tmp_path / 'games.sqlite'}").connect() as connection:
        command.upgrade(upgrading.settings(connection), "0005")
        for number, phase, step_no in ((1, "running", 9), (2, "running", 3), (3, "lobby", -1), (4, "over", 7)):
            put(connection, "games", id=number, phase=phase, step_no=step_no, **GAME)
            seat(connection, number, 0, 10)
        seat(connection, 1, 1, 14)
        seat(connection, 2, 1, None, computer=True)
        seat(connection, 3, 1, 11)
        seat(connection, 4, 1, 11)
        # Taken from 11, taken over by 12, lent by the host to 13, given to the computer, and from it to 14.
        act(connection, "kicked", by=10, at_step=2, was=11)
        act(connection, "substituted", by=12, at_step=2, was=0)
        act(connection, "replaced", by=10, at_step=4, was=12)
        act(connection, "computer", by=99, at_step=6, was=13)
        act(connection, "replaced", by=10, at_step=8, was=0)
        put(connection, "requests", game_id=1, id="r1", seat=0, body="{}", step_no=0, asked_at=0, optional=False,
            status="open", draft="", version=0)  # fmt: skip
        rating = {"system": "any", "seat": 0, "outcome": "won", "mu": 25.0, "sigma": 8.0, "facts": "{}", "rated_at": 3}
        put(connection, "ratings", game_id=4, user_id=10, **rating)
        connection.execute(text("UPDATE games SET rated = false WHERE id = 4"))
        connection.commit()
    store = await Store.open(f"sqlite+aiosqlite:///{tmp_path / 'games.sqlite'}")
    async with store.read() as tx:
        captains = await captains_of(tx, await playing_of(tx, 1))
        held = [(one.user_id, one.from_step, one.to_step, one.put_by) for one in captains.held if one.seat == 1]
        assert held == [
            (11, 0, 2, None),
            (None, 2, 2, 10),
            (12, 2, 4, None),
            (13, 4, 6, 10),
            (None, 6, 8, 99),
            (14, 8, None, 10),
        ]
        assert not any(one.left for one in captains.held)
        assert [captains.plays(user) for user in (10, 11, 12, 13, 14, 99, 15)] == [True] * 5 + [False] * 2
        assert captains.planted(captains.now(captains.playing.seats[1]))
        assert [one.user_id for one in await tx.captains.of(2)] == [10]
        assert await tx.captains.of(3) == []
        assert [one.user_id for one in await tx.captains.of(4)] == [10, 11]
        rated = {number: game.rated for number in (1, 2, 3) if (game := await tx.games.find(number))}
        assert rated == {1: True, 2: False, 3: True}
        assert [row.counted for row in await tx.ratings.of(4)] == [False]
    await store.close()
