"""A worker that is no process: jobs are done where they are asked for, without a start, a wait, or other imports."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from concurrent.futures import Future
from functools import lru_cache
from typing import Any

from bot.jobs import page_steps, worker
from bot.jobs.workers import Workers
from bot.services.lobbies import OpeningLimits
from bot.services.lobby import NewGame
from bot.services.table import Services
from bot.store.models.records import Player

MANY_GAMES = OpeningLimits(open_games=1_000, per_user=10_000, per_server=10_000)


@lru_cache(maxsize=200)
def _run_once(pickled_job: bytes) -> bytes:
    """Run a job of pages, whose result depends on its arguments alone: films take longest, and games begin alike."""
    return worker._run_pickled(pickled_job)


class Here:
    """Does jobs in this very process, as a worker does them: what goes in and what comes out is pickled."""

    def __init__(self) -> None:
        self.begun: Callable[[Any], None] = lambda job: None  # called with each job before it is done

    def submit(self, job: Any, most_s: float) -> Future[Any]:
        """Do a job now; the answer is done when this returns."""
        self.begun(job)
        done: Future[Any] = Future()
        run = _run_once if job.func.__module__ == page_steps.__name__ else worker._run_pickled
        well, result = pickle.loads(run(pickle.dumps(job)))
        if well:
            done.set_result(result)
        else:
            done.set_exception(result)
        return done


def workers(here: Here | None = None) -> Workers:
    pool = Workers(1)
    pool._idle, pool._all = [here or Here()], ()  # type: ignore[list-item]
    return pool


def person(user_id: int) -> Player:
    return Player(user_id=user_id, name=f"user{user_id}", locale="en-US")


async def begin(table: Services, wish: NewGame, *captains: Player) -> int:
    """Open a game, let all captains but the first join it, and start it; return its number."""
    host, *guests = captains
    number = await table.lobbies.open_lobby(host, wish)
    for guest in guests:
        await table.lobbies.join_lobby(guest, number)
    await table.lobbies.start_game(host.user_id, number)
    return number
