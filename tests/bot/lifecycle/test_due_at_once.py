"""Games that are due at the same moment: none waits for another's step, nor does anybody who presses."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path

import pytest

from bot.jobs import play
from bot.jobs.workers import Workers
from tests.bot import fake_jobs
from tests.sea import AFAR, Sea

LONG_AGO = 10 * 24 * 3600


@pytest.fixture
async def own_sea(tmp_path: Path) -> AsyncIterator[Sea]:
    """A sea with processes as a host has them, of which one may be held up."""
    workers = Workers(2, for_presses=1)
    world = Sea(f"sqlite+aiosqlite:///{tmp_path / 'games.sqlite'}", workers, itertools.count(1))
    try:
        async with world.open():
            yield world
    finally:
        workers.close()


def _steps(sea: Sea) -> dict[int, int]:
    return {row["id"]: row["step_no"] for row in sea.rows("games")["games"]}


async def test_a_slow_step_holds_up_neither_other_games_nor_presses_and_is_finished_at_the_end(
    own_sea: Sea, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    sea, rounds = own_sea, own_sea.bot.services.step_runner
    for _ in range(3):
        await sea.begin_at(AFAR, sea.bela)
    await sea.settle()
    monkeypatch.setattr(play, "carry_out_answers", partial(fake_jobs.first_held, str(tmp_path)))
    before = _steps(sea)
    sea.change_rows("UPDATE games SET deadline = deadline - ? WHERE id < 3", LONG_AGO)
    sea.change_rows("UPDATE requests SET deadline = deadline - ? WHERE game_id < 3", LONG_AGO)
    await rounds.start_due_work(await rounds.find_due_work())
    while sum(_steps(sea).values()) == sum(before.values()):  # noqa: ASYNC110 - nobody tells
        await asyncio.sleep(0.01)
    after = _steps(sea)
    held = next(game for game in (1, 2) if after[game] == before[game])
    assert after[3 - held] > before[3 - held], "the other one has gone on"
    await rounds.start_due_work(await rounds.find_due_work())
    assert [*rounds._tasks.values()].count(held) == 1, "what is in hand is not begun again"
    asked = await sea.asked(sea.anna, 3)
    assert (await sea.bot.services.orders.type_text(asked, "A1 FFFRX")).row.as_draft.text == "A1 FFFRX"
    closing = asyncio.create_task(rounds.close())
    (tmp_path / "go_on").touch()
    await closing
    assert _steps(sea)[held] > before[held], "a bot that is stopped finishes what it has begun"
