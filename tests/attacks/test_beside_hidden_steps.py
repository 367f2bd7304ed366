"""A secret action shows to nobody, not even by a refusal of another captain's press."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from bot.jobs import drafts, play
from bot.store.engine.shard import HeldShards
from bot.texts.i18n import Catalogue
from tests.bot.test_twins import waiting
from tests.sea import Sea, refs

EN = Catalogue.load("en")


async def store_a_plan_meanwhile(sea: Sea, monkeypatch: pytest.MonkeyPatch, job: Any, secretive: Any) -> list[Any]:
    """Let a captain who waits store a plan during `job` of another's press; return a list that is empty until then."""
    workers, stored = sea.bot.services.workers, list[Any]()
    run = workers.run_rules

    async def slow(function: Any, *args: Any, **kwargs: Any) -> Any:
        result = await run(function, *args, **kwargs)
        if function is job and not stored:
            stored.append(secretive)
            typed = await sea.bot.services.orders.type_text(
                await sea.bot.services.reader.requests.pending_request(secretive.id, 1), "any: end"
            )
            await sea.bot.services.orders.seal_draft(typed, typed.row.version)
            await sea.bot.services.step_runner.wait_until_idle()
        return result

    monkeypatch.setattr(workers, "run_rules", slow)
    return stored


async def test_a_press_is_not_refused_because_the_enemy_stores_a_plan_meanwhile(
    sea: Sea, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A press waits for a worker, under load for seconds; so one can listen for what the enemy does in secret."""
    secretive = await waiting(sea)
    enemy = sea.bela if secretive is sea.anna else sea.anna
    stored = await store_a_plan_meanwhile(sea, monkeypatch, drafts.press_option, secretive)
    panel = sea.panel(enemy)
    said = await sea.press(enemy, panel, next(key for key in refs(panel) if key.startswith("press ship.")))
    assert stored
    assert EN.say("refuse.busy") not in said, "the enemy has done something in secret just now"


async def test_a_typed_order_is_not_lost_because_the_enemy_stores_a_plan_meanwhile(
    sea: Sea, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A captain who waits may store plan after plan, each a step, while the other captain's deadline comes."""
    secretive = await waiting(sea)
    enemy = sea.bela if secretive is sea.anna else sea.anna
    stored = await store_a_plan_meanwhile(sea, monkeypatch, drafts.type_text, secretive)
    asked = await sea.asked(enemy)
    turn = asked.row.body.round
    said = await sea.write(enemy, "end")
    assert stored
    again = await sea.asked(enemy)
    assert again is None or again.row.body.round > turn or again.row.optional, f"the order is lost: {said}"


async def types(sea: Sea, enemy: Any) -> None:
    await sea.bot.services.orders.type_text(await sea.bot.services.reader.requests.pending_request(enemy.id, 1), "end")


async def extends(sea: Sea, enemy: Any) -> None:
    await sea.bot.services.timekeeping.extend_deadline(enemy.id, 1)


async def offers_a_draw(sea: Sea, enemy: Any) -> None:
    await sea.bot.services.offer_draw(enemy.id, 1)


@pytest.mark.parametrize("act", [types, extends, offers_a_draw])
async def test_nobody_is_told_that_the_game_is_busy_while_the_enemys_plan_is_being_stored(
    sea: Sea, monkeypatch: pytest.MonkeyPatch, act: Any
) -> None:
    """A step waits for a worker, too: who is refused until then knows that a plan is stored just now."""
    secretive = await waiting(sea)
    enemy = sea.bela if secretive is sea.anna else sea.anna
    workers, begun, free = sea.bot.services.workers, asyncio.Event(), asyncio.Event()
    step = workers.run_step

    async def slow(host: int, job: Any, *given: Any, **named: Any) -> Any:
        if job is play.carry_out_answers and not begun.is_set():
            begun.set()
            await free.wait()
        return await step(host, job, *given, **named)

    monkeypatch.setattr(workers, "run_step", slow)
    typed = await sea.bot.services.orders.type_text(
        await sea.bot.services.reader.requests.pending_request(secretive.id, 1), "any: end"
    )
    await sea.bot.services.orders.seal_draft(typed, typed.row.version)
    await begun.wait()
    assert sea.rows("games")["games"][0]["phase"] == "resolving"
    acting = asyncio.create_task(act(sea, enemy))
    await asyncio.wait([acting], timeout=0.2)
    waits = not acting.done()
    free.set()
    await acting
    assert waits
    await sea.settle()


async def test_nobody_is_told_that_the_game_is_busy_while_another_bot_stores_the_enemys_plan(sea: Sea) -> None:
    secretive = await waiting(sea)
    enemy = sea.bela if secretive is sea.anna else sea.anna
    store = sea.bot.services.store
    alone, share = store.current_share, HeldShards(bot_name="us", shard_count=1, held_tokens={0: 1}, all_tokens={0: 1})
    claim = "UPDATE games SET phase = 'resolving', version = version + 1, claimed_by = 'them', claimed_at = ?"
    sea.change_rows(claim, sea.bot.services.now())
    store.current_share = lambda: share
    acting = [asyncio.create_task(act(sea, enemy)) for act in (types, extends, offers_a_draw)]
    done, _ = await asyncio.wait(acting, timeout=0.5)
    sea.change_rows("UPDATE games SET phase = 'running', version = version + 1, claimed_by = NULL, claimed_at = NULL")
    store.current_share = alone
    await asyncio.gather(*acting)
    assert not done
    await sea.settle()


async def test_a_managers_end_of_a_game_tells_of_no_plan(sea: Sea) -> None:
    """Whether a game is idle depends on what it asked last, but not on what it asked after a hidden step."""
    secretive = await waiting(sea)
    await sea.env.advance_time(60)
    at = sea.bot.services.now()
    await sea.env.advance_time(60)
    typed = await sea.bot.services.orders.type_text(
        await sea.bot.services.reader.requests.pending_request(secretive.id, 1), "any: end"
    )
    await sea.bot.services.orders.seal_draft(typed, typed.row.version)
    await sea.settle()
    assert max(row["asked_at"] for row in sea.rows("requests")["requests"]) > at, "the hidden step asks again"
    async with sea.bot.services.store.read() as tx:
        assert await tx.requests.first_asked_after(1, at) is None
