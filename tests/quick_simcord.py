"""Speed simcord up for tests: it polls more often and copies JSON faster, and tests read only the newest messages.

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
"""Modules of simcord that copy payloads, with the name of their copying function."""
_MAX_LOOP_TURNS = 1000  # the polling stops waiting for an idle event loop after this many turns
_MARSHAL_VERSION = 2  # the newest format of `marshal` that does not track repeated objects
_dispatch = router.dispatch


def _pending_listeners(client: Client) -> object:
    """Return the futures with which the bot waits for events."""
    return client._listeners


def _stored_views(client: Client) -> object:
    """Return the views and forms that the bot has registered."""
    store = client._connection._view_store
    return store._views or store._modals


_WAIT_CHECKS: Mapping[str, Callable[[Client], object]] = {
    "is_listener_future": _pending_listeners,
    "is_wait_for_listener": _pending_listeners,
    "is_view_wait_future": _stored_views,
    "_view_timeout_task_identity": _stored_views,
}  # simcord's checks of a task, by name, each with a function that tells whether the check can find anything
_ORIGINAL_CHECKS = {name: vars(_dpy_internals)[name] for name in _WAIT_CHECKS}
_original_composed_tasks = _dpy_internals.composed_tasks
_COMPOSING_CODE = {
    getattr(function, "__code__", None)
    for function in (
        asyncio.wait,
        vars(asyncio.tasks)["_wait"],
        asyncio.TaskGroup.__aexit__,
        vars(asyncio.TaskGroup).get("_aexit"),
    )
}  # code objects of asyncio in which a task waits for several others


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
    """Sleep. With 0 seconds, return when the event loop has nothing left that can run now."""
    await asyncio.sleep(seconds)
    if not seconds:
        loop: Any = asyncio.get_running_loop()
        for _ in range(_MAX_LOOP_TURNS):
            if not loop._ready:
                return
            await asyncio.sleep(0)


def _composed_tasks(task: asyncio.Task[Any], waiter: Any) -> list[Any]:
    """Return the tasks that a task waits for together; [] at once for a task that waits for a single thing."""
    # Python's own callbacks are no functions; simcord looks into some that are.
    if type(waiter) is not asyncio.Future or any(
        isinstance(callback, FunctionType) for callback, _ in waiter._callbacks or ()
    ):
        return _original_composed_tasks(task, waiter)
    running: Any = task.get_coro()
    while running is not None:
        frame = getattr(running, "cr_frame", None)
        if frame is not None and frame.f_code in _COMPOSING_CODE:
            return _original_composed_tasks(task, waiter)
        running = getattr(running, "cr_await", None)
    return []


def _monotonic() -> float:
    """Return simcord's virtual time to the bot, and the real monotonic time to all other code, in seconds."""
    env = _runtime._selected_env(driver=False)
    return env._virtual_time if env is not None else _dpy_internals.real_monotonic()


def _skip_if_none(looking: Callable[..., bool], any_waited_for: Callable[[Client], object]) -> Callable[..., bool]:
    """Return a check of a task that answers False at once while the bot waits for nothing that it could find."""

    @wraps(looking)
    def look(client: Client, waiting: Any) -> bool:
        return bool(any_waited_for(client)) and looking(client, waiting)

    return look


def patch_copying() -> None:
    """Let simcord copy payloads by `marshal`, because they are JSON and `deepcopy` is slower."""
    router.dispatch = _dispatch_request
    for module, name in _COPYING_MODULES:
        if hasattr(vars(module)[name], "deepcopy"):
            vars(module)[name] = SimpleNamespace(deepcopy=_copy_by_marshal)
        else:
            vars(module)[name] = _copy_by_marshal


def _dispatch_request(backend: Backend, method: str, path: str, *, json: Any = None, **rest: Any) -> Any:
    """Pass on a request after its body went through JSON, so that it holds no object of the bot's classes."""
    return _dispatch(
        backend, method, path, json=None if json is None else msgspec.json.decode(encode_json(json)), **rest
    )


def _copy_by_marshal(value: Any) -> Any:
    try:
        return marshal.loads(marshal.dumps(value, _MARSHAL_VERSION))
    except ValueError:
        return _copy_by_parts(value)  # it holds more than plain values


def _copy_by_parts(value: Any) -> Any:
    kind = type(value)
    if kind is dict:
        return {key: _copy_by_parts(item) for key, item in value.items()}
    if kind is list:
        return [_copy_by_parts(item) for item in value]
    return value if value is None or isinstance(value, (str, int, float)) else deepcopy(value)


def iterate_newest_first(
    place: simcord.ChannelHandle, viewer: simcord.MemberActor | simcord.UserHandle
) -> Iterator[discord.Message]:
    """Yield the messages that a user sees in a channel, newest first, and build each only when it is needed."""
    for message in reversed(_visible_messages(place, viewer)):
        yield results.to_discord_message(place._env, message)


def refetch_message(
    place: simcord.ChannelHandle, viewer: simcord.MemberActor | simcord.UserHandle, number: int
) -> discord.Message:
    """Return a message as a user sees it now. Raises `StopIteration` if the user does not see it."""
    found = next(message for message in _visible_messages(place, viewer) if message.id == number)
    return results.to_discord_message(place._env, found)


def _visible_messages(place: simcord.ChannelHandle, viewer: simcord.MemberActor | simcord.UserHandle) -> list[Message]:
    env = place._env
    if not can_access_channel(env, place.id, viewer, history=True):
        raise ValueError(f"{viewer!r} may not read {place!r}")
    return visible_messages(env.backend, place.id, viewer.id)
