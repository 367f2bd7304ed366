"""A canary for each patch of `tests.quick_simcord`: if one fails, simcord has moved something."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable

import simcord
from simcord import _dpy_internals, components, env, gateway, interactions, results
from simcord.http import router

from bot.sandbox.world import SandboxWorld
from tests import quick_simcord
from tests.bot.sandbox.test_sandbox import Person, world  # noqa: F401 - a fixture


class Word(str):
    """A text of a class of one's own."""


async def _waits_for(one: Awaitable[object]) -> None:
    await one


async def test_settle_quickly() -> None:
    quick_simcord.poll_quickly()
    assert simcord.Env._settle_internal.__kwdefaults__["idle"] == 0.01
    assert env.asyncio.sleep is quick_simcord._sleep_or_settle
    assert all(vars(_dpy_internals)[name].__wrapped__ is look for name, look in quick_simcord._ORIGINAL_CHECKS.items())


async def test_quick_looks_find_what_simcord_finds() -> None:
    alone = asyncio.get_running_loop().create_future()
    waiting = asyncio.ensure_future(_waits_for(alone))

    async def together() -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(_waits_for(alone))

    ways = {
        "one": (_waits_for(alone), False),
        "all": (_waits_for(asyncio.gather(alone, waiting)), True),
        "any": (_waits_for(asyncio.wait([waiting])), True),
        "shielded": (_waits_for(asyncio.shield(waiting)), True),
        "group": (together(), True),
        "task": (_waits_for(waiting), True),
    }
    tasks = {name: asyncio.ensure_future(way) for name, (way, _) in ways.items()}
    await quick_simcord._sleep_or_settle(0)
    for name, task in tasks.items():
        found = quick_simcord._composed_tasks(task, task._fut_waiter)
        assert found == quick_simcord._original_composed_tasks(task, task._fut_waiter), name
        assert bool(found) == ways[name][1], name
    alone.set_result(None)
    await asyncio.gather(*tasks.values())


async def test_a_look_comes_when_nothing_is_left_to_do_at_once() -> None:
    done = []

    async def much() -> None:
        for number in range(20):
            await asyncio.sleep(0)
            done.append(number)

    task = asyncio.ensure_future(much())
    await quick_simcord._sleep_or_settle(0)
    assert len(done) == 20
    await task


async def test_who_waits_for_discord_is_still_found(world: SandboxWorld) -> None:  # noqa: F811
    bot, internals = world.env.bot, _dpy_internals
    listener = asyncio.ensure_future(bot.wait_for("message"))
    await quick_simcord._sleep_or_settle(0)
    assert internals.is_wait_for_listener(bot, listener) or internals.is_listener_future(bot, listener._fut_waiter)
    listener.cancel()


async def test_copy_quickly() -> None:
    for _ in range(2):
        quick_simcord.patch_copying()
    sent = {"components": [{"type": 1, "values": ("a",)}]}
    for copied in (router.copy.deepcopy(sent), gateway.copy.deepcopy(sent), results.deepcopy(sent)):
        assert copied == sent
        assert copied["components"][0] is not sent["components"][0]
    assert results.deepcopy is components.deepcopy
    odd = {"kind": interactions.InteractionType.PING, "parts": [Word("a")]}
    assert results.deepcopy(odd) == odd
    assert results.deepcopy(odd)["parts"] is not odd["parts"]


async def test_what_is_sent_is_kept_as_json(world: SandboxWorld) -> None:  # noqa: F811
    quick_simcord.patch_copying()
    channel = world.env.bot.get_partial_messageable(world.channel_id)
    sent = await channel.send(Word("Ahoy!"))
    kept = world.env.backend.get_message(world.channel_id, sent.id)
    assert type(kept.content) is str
    assert kept.content == "Ahoy!"


async def test_reading(world: SandboxWorld) -> None:  # noqa: F811
    place, *people = [world._channel(world.channel_id), *world.players[:2]]
    (anna, _) = (world._member(one) for one in people)
    await Person(world).slash("toy new", name="First")
    expected = place.history(viewer=anna)
    assert [one.id for one in quick_simcord.iterate_newest_first(place, anna)] == [one.id for one in reversed(expected)]
    assert quick_simcord.refetch_message(place, anna, expected[0].id) == expected[0]
