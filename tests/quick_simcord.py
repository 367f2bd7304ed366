"""Speed for tests: simcord looks for work more often and copies JSON faster; and tests read only the newest messages.

These patches change no result. `tests/bot/sandbox/test_quick_simcord.py` fails if simcord has moved something.
"""

from __future__ import annotations

import asyncio
import marshal
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from functools import wraps
from types import FunctionType, ModuleType, SimpleNamespace
from typing import Any

import discord
import msgspec
import simcord
from discord import Client
from simcord import _dpy_internals, _runtime, components, gateway, results
from simcord import env as simcord_env
from simcord.backend import Backend
from simcord.backend.access import can_access_channel
from simcord.backend.models import Message
from simcord.http import router

from bot.sandbox.known import encode_json, visible_messages

_COPYING_MODULES = ((router, "copy"), (gateway, "copy"), (results, "deepcopy"), (components, "deepcopy"))
"""Modules of simcord that copy what is sent, and by which name."""
_MAX_LOOP_TURNS = 1000
"""After so many turns of the event loop somebody looks all the same."""
_MARSHAL_VERSION = 2
"""The newest form in which Python writes down plain values without looking for those that come twice."""
_dispatch = router.dispatch


def _pending_listeners(client: Client) -> object:
    """All that the bot waits for, of what Discord tells."""
    return client._listeners


def _stored_views(client: Client) -> object:
    """All views and forms of which the bot knows."""
    store = client._connection._view_store
    return store._views or store._modals


_WAIT_CHECKS: Mapping[str, Callable[[Client], object]] = {
    "is_listener_future": _pending_listeners,
    "is_wait_for_listener": _pending_listeners,
    "is_view_wait_future": _stored_views,
    "_view_timeout_task_identity": _stored_views,
}
"""What simcord looks through for each task whenever it looks whether a bot is at rest, and whether there is any."""
_ORIGINAL_CHECKS = {name: vars(_dpy_internals)[name] for name in _WAIT_CHECKS}
_original_composed_tasks = _dpy_internals.composed_tasks
_COMPOSING_CODE = {
    getattr(one, "__code__", None)
    for one in (
        asyncio.wait,
        vars(asyncio.tasks)["_wait"],
        asyncio.TaskGroup.__aexit__,
        vars(asyncio.TaskGroup).get("_aexit"),
    )
}
"""What runs in a task that waits for several others."""


def poll_quickly() -> None:
    """Check every 10 ms, instead of every 50, whether the bot is at rest.

    Checking more often would take a fifth of the processor from the bot.
    """
    defaults: dict[str, Any] = vars(simcord.Env)["_settle_internal"].__kwdefaults__  # simcord offers no setting
    defaults["idle"] = 0.01
    patient = ModuleType("asyncio")
    vars(patient).update({**vars(asyncio), "sleep": _sleep_or_settle})
    vars(simcord_env)["asyncio"] = patient
    for name, any_waited_for in _WAIT_CHECKS.items():
        if (looking := vars(_dpy_internals)[name]) is _ORIGINAL_CHECKS[name]:
            setattr(_dpy_internals, name, _skip_if_none(looking, any_waited_for))
    vars(_dpy_internals).update({"composed_tasks": _composed_tasks, "_clock_monotonic": _monotonic})


async def _sleep_or_settle(seconds: float) -> None:
    """Sleep; for no time at all, until nothing is left that can be done at once: all that a look before would find."""
    await asyncio.sleep(seconds)
    if not seconds:
        loop: Any = asyncio.get_running_loop()
        for _ in range(_MAX_LOOP_TURNS):
            if not loop._ready:
                return
            await asyncio.sleep(0)


def _composed_tasks(task: asyncio.Task[Any], waiter: Any) -> list[Any]:
    """Return all that a task waits for if that is composed of several; of most it is quickly seen that it isn't."""
    # Python's own callbacks are no functions; simcord looks into some that are.
    if type(waiter) is not asyncio.Future or any(isinstance(one, FunctionType) for one, _ in waiter._callbacks or ()):
        return _original_composed_tasks(task, waiter)
    running: Any = task.get_coro()
    while running is not None:
        frame = getattr(running, "cr_frame", None)
        if frame is not None and frame.f_code in _COMPOSING_CODE:
            return _original_composed_tasks(task, waiter)
        running = getattr(running, "cr_await", None)
    return []


def _monotonic() -> float:
    """Return the time as simcord shows it to the bot, and as it is to all others."""
    env = _runtime._selected_env(driver=False)
    return env._virtual_time if env is not None else _dpy_internals.real_monotonic()


def _skip_if_none(looking: Callable[..., bool], any_waited_for: Callable[[Client], object]) -> Callable[..., bool]:
    """The same look at a task or what it waits for, with a quick answer while the bot waits for nothing of the kind."""

    @wraps(looking)
    def look(client: Client, waiting: Any) -> bool:
        return bool(any_waited_for(client)) and looking(client, waiting)

    return look


def patch_copying() -> None:
    """Copy what goes to and fro as what it is, JSON: Python's own way through any object takes ten times as long."""
    router.dispatch = _dispatch_request
    for module, name in _COPYING_MODULES:
        if hasattr(vars(module)[name], "deepcopy"):
            vars(module)[name] = SimpleNamespace(deepcopy=_copy_by_marshal)
        else:
            vars(module)[name] = _copy_by_marshal


def _dispatch_request(backend: Backend, method: str, path: str, *, json: Any = None, **rest: Any) -> Any:
    """Answer a request whose body has become JSON on its way, so that no text in it is of a class of the bot's."""
    return _dispatch(
        backend, method, path, json=None if json is None else msgspec.json.decode(encode_json(json)), **rest
    )


def _copy_by_marshal(value: Any) -> Any:
    try:
        return marshal.loads(marshal.dumps(value, _MARSHAL_VERSION))
    except ValueError:
        return _copy_by_parts(value)  # there is more in it than plain values


def _copy_by_parts(value: Any) -> Any:
    kind = type(value)
    if kind is dict:
        return {key: _copy_by_parts(one) for key, one in value.items()}
    if kind is list:
        return [_copy_by_parts(one) for one in value]
    return value if value is None or isinstance(value, (str, int, float)) else deepcopy(value)


def iterate_newest_first(
    place: simcord.ChannelHandle, viewer: simcord.MemberActor | simcord.UserHandle
) -> Iterator[discord.Message]:
    """Yield what somebody sees in a place; each message is made when it is asked for, as making many takes long."""
    for message in reversed(_visible_messages(place, viewer)):
        yield results.to_discord_message(place._env, message)


def refetch_message(
    place: simcord.ChannelHandle, viewer: simcord.MemberActor | simcord.UserHandle, number: int
) -> discord.Message:
    """Return a message as somebody sees it now. Raises `StopIteration` if they don't."""
    found = next(message for message in _visible_messages(place, viewer) if message.id == number)
    return results.to_discord_message(place._env, found)


def _visible_messages(place: simcord.ChannelHandle, viewer: simcord.MemberActor | simcord.UserHandle) -> list[Message]:
    env = place._env
    if not can_access_channel(env, place.id, viewer, history=True):
        raise ValueError(f"{viewer!r} may not read {place!r}")
    return visible_messages(env.backend, place.id, viewer.id)
