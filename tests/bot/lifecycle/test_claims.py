"""A game that is claimed for a captain's act: nobody else goes on with it, and an act that fails blocks nothing."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from bot.jobs import play
from bot.lifecycle.steps.runner import CLAIM_TIMEOUT_S
from tests.bot import fake_jobs
from tests.sea import Sea


@pytest.mark.begun
async def test_no_game_is_taken_over_while_an_act_waits_for_a_worker(sea: Sea, monkeypatch: pytest.MonkeyPatch) -> None:
    await sea.settle()
    rounds, step = sea.bot.services.step_runner, sea.bot.workers.run_step
    claimed, go_on = asyncio.Event(), asyncio.Event()

    async def late(*given: Any, **named: Any) -> Any:
        claimed.set()
        await go_on.wait()
        return await step(*given, **named)

    monkeypatch.setattr(sea.bot.workers, "run_step", late)
    giving_up = asyncio.create_task(sea.bot.services.concede_game(sea.bela.id, 1))
    await claimed.wait()
    (claim,) = sea.rows("games")["games"]
    assert claim["phase"] == "resolving"
    sea.change_rows("UPDATE games SET claimed_at = claimed_at - ?", CLAIM_TIMEOUT_S + 1)
    await rounds.start_due_work(await rounds.find_due_work())
    assert sea.rows("games")["games"][0]["version"] == claim["version"]
    go_on.set()
    await giving_up
    await sea.settle()
    assert [row["no"] for row in sea.rows("steps")["steps"]] == [0, 1]
    assert sea.rows("games")["games"][0]["phase"] == "over"


@pytest.mark.begun
async def test_an_act_that_fails_leaves_the_game_to_go_on(sea: Sea, monkeypatch: pytest.MonkeyPatch) -> None:
    await sea.settle()
    with monkeypatch.context() as ill:
        ill.setattr(play, "apply_out_of_turn", fake_jobs.stumble_over)
        with pytest.raises(Exception, match="stumbled"):
            await sea.bot.services.concede_game(sea.bela.id, 1)
    assert sea.rows("games")["games"][0]["phase"] == "running"
    await sea.bot.services.concede_game(sea.bela.id, 1)
    await sea.settle()
    assert sea.rows("games")["games"][0]["phase"] == "over"


@pytest.mark.begun
async def test_an_act_is_refused_if_the_game_has_gone_on(sea: Sea, monkeypatch: pytest.MonkeyPatch) -> None:
    await sea.settle()
    step = sea.bot.workers.run_step

    async def overtaken(*given: Any, **named: Any) -> Any:
        sea.change_rows("UPDATE games SET version = version + 1")
        return await step(*given, **named)

    monkeypatch.setattr(sea.bot.workers, "run_step", overtaken)
    with pytest.raises(Exception, match="busy"):
        await sea.bot.services.concede_game(sea.bela.id, 1)
    assert [row["no"] for row in sea.rows("steps")["steps"]] == [0]
