"""A canary for each patch of `tests.quick_simcord`: if one fails, simcord has moved something."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable

from simcord import _dpy_internals, components, gateway, interactions, results
from simcord.http import router

from bot.sandbox.world import SandboxWorld
from tests import quick_simcord
from tests.bot.sandbox.test_sandbox import world  # noqa: F401 - a fixture


class Word(str):
    """A text of a class of one's own."""


async def _waits_for(awaitable: Awaitable[object]) -> None:
    await awaitable


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
