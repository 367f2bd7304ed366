"""Every use of what simcord does not promise to keep, but for what `known` reads, in one place.

simcord is pinned; a test for each of these functions says at once when a new version has moved something.
"""

from __future__ import annotations

import asyncio
import marshal
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import deepcopy
from functools import wraps
from multiprocessing import connection
from pathlib import Path
from time import monotonic
from types import FunctionType, ModuleType, SimpleNamespace
from typing import Any

import discord
import msgspec
import simcord
from discord import Client, Locale
from simcord import _dpy_internals, _runtime, actors, components, gateway, interactions, results
from simcord import env as simcord_env
from simcord.backend import Backend, serializers
from simcord.backend.access import can_access_channel, channel_accessible
from simcord.backend.models import Channel, Guild, Message, User
from simcord.components import walk_components
from simcord.enums import ComponentType, InteractionType, OptionType
from simcord.http import router

from bot.sandbox.known import SimulatedState
from bot.sandbox.strict import AlteredAnswer, ApiCall, CallGuard
from bot.sandbox.transport import CallDesk, RefusingSession, StrictAdapter, StrictClient

CHAT_INPUT_COMMAND = 1
"""Discord's number for commands that are typed after `/`."""
MAX_SHORT_TIMER_S = 1.0
"""Timers shorter than this many seconds run by themselves, as short pauses do."""
MAX_SHORT_TIMER_REPRODUCIBLE_S = 0.1
"""The same where all is to go alike on any machine: no time passes because a step took longer than an answer waits."""

_COPYING_MODULES = ((router, "copy"), (gateway, "copy"), (results, "deepcopy"), (components, "deepcopy"))
"""Modules of simcord that copy what is sent, and by which name."""
_MAX_LOOP_TURNS = 1000
"""After so many turns of the event loop somebody looks all the same."""
_MARSHAL_VERSION = 2
"""The newest form in which Python writes down plain values without looking for those that come twice."""
_dispatch = router.dispatch

__all__ = ["Backend", "Channel", "Guild", "Message", "OptionType", "User"]


def _pending_listeners(client: Client) -> object:
    """All that the bot waits for, of what Discord tells."""
    return client._listeners  # noqa: SLF001 - as simcord does


def _stored_views(client: Client) -> object:
    """All views and forms of which the bot knows."""
    store = client._connection._view_store  # noqa: SLF001
    return store._views or store._modals  # noqa: SLF001


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
            if not loop._ready:  # noqa: SLF001 - nobody else knows
                return
            await asyncio.sleep(0)


def _composed_tasks(task: asyncio.Task[Any], waiter: Any) -> list[Any]:  # noqa: ANN401 - simcord's own
    """Return all that a task waits for if that is composed of several; of most it is quickly seen that it isn't."""
    # Python's own callbacks are no functions; simcord looks into some that are.
    if type(waiter) is not asyncio.Future or any(isinstance(one, FunctionType) for one, _ in waiter._callbacks or ()):  # noqa: SLF001
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
    env = _runtime._selected_env(driver=False)  # noqa: SLF001
    return env._virtual_time if env is not None else _dpy_internals.real_monotonic()  # noqa: SLF001


def _skip_if_none(looking: Callable[..., bool], any_waited_for: Callable[[Client], object]) -> Callable[..., bool]:
    """The same look at a task or what it waits for, with a quick answer while the bot waits for nothing of the kind."""

    @wraps(looking)
    def look(client: Client, waiting: Any) -> bool:  # noqa: ANN401 - simcord's own
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


def _dispatch_request(backend: Backend, method: str, path: str, *, json: Any = None, **rest: Any) -> Any:  # noqa: ANN401 - simcord's own
    """Answer a request whose body has become JSON on its way, so that no text in it is of a class of the bot's."""
    return _dispatch(
        backend, method, path, json=None if json is None else msgspec.json.decode(encode_json(json)), **rest
    )


def _copy_by_marshal(value: Any) -> Any:  # noqa: ANN401 - any JSON
    try:
        return marshal.loads(marshal.dumps(value, _MARSHAL_VERSION))  # noqa: S302 - written by ourselves
    except ValueError:
        return _copy_by_parts(value)  # there is more in it than plain values


def _copy_by_parts(value: Any) -> Any:  # noqa: ANN401 - any JSON, with values of classes that JSON doesn't know
    kind = type(value)
    if kind is dict:
        return {key: _copy_by_parts(one) for key, one in value.items()}
    if kind is list:
        return [_copy_by_parts(one) for one in value]
    return value if value is None or isinstance(value, (str, int, float)) else deepcopy(value)


class PressLost(Exception):
    """A press that never reaches the bot; the client says that the interaction failed."""


class StrictEnv(simcord.Env):
    """A simcord in which time stands still until it is advanced, and which refuses what Discord refuses.

    simcord itself also fires a bot's timers when that much real time has passed, and after every act it waits for
    timers that could still fire before `settle_timeout`.
    """

    short_s = MAX_SHORT_TIMER_S
    """How long a timer must be to stand still."""

    def __init__(self, bot: Client, **given: Any) -> None:  # noqa: ANN401 - simcord's own
        super().__init__(bot, **given)
        self.known = SimulatedState(self.backend)
        self.guard = CallGuard(self.known)
        self._own_http = bot.http

    async def restart_bot(self, bot: Client | None = None) -> None:
        """Attach another bot."""
        if bot is not None:
            self._own_http = bot.http
        await super().restart_bot(bot)

    def _capture_errors(self) -> None:
        """Put the rules before the transports that simcord has just installed, as nothing else comes after that."""
        super()._capture_errors()
        own = self._own_http
        desk = CallDesk(self.guard, own.http_trace, self._substitute, self._record_accepted)
        client = StrictClient(self.bot.http, desk, own.max_ratelimit_timeout)
        vars(client).update({"_HTTPClient__session": RefusingSession(), "_global_over": _set_event()})
        _dpy_internals.install_http(self.bot, client)
        self._webhook_adapter = StrictAdapter(self._webhook_adapter, desk)
        _dpy_internals.set_webhook_adapter(self._webhook_adapter)

    def before_press(self, place: int, message: int, user: int) -> None:
        """Do what a user's client does before it sends a press. Raises `PressLost` if the bot never gets it."""
        call = ApiCall("PRESS", f"/channels/{place}/messages/{message}", {"user": user})
        if self.guard.decide(call):
            raise PressLost("This interaction failed")
        if answer := self.guard.answer_for(call):
            self._substitute(call, answer)

    def _substitute(self, call: ApiCall, answer: AlteredAnswer) -> Any:  # noqa: ANN401 - any JSON
        """Carry out what the rules answer."""
        place = self.known.channel_of(call)
        if answer.unarchives and place is not None:
            self.backend.edit_channel(place, {}, thread_metadata={"archived": False})
        if answer.message and place is not None:
            return message_payload(self.backend, self.backend.get_message(place, answer.message))
        return None

    def _record_accepted(self, call: ApiCall, response: Any) -> None:  # noqa: ANN401 - any JSON
        place, nonce = call.channel_of_new_message, call.data.get("nonce")
        if place is not None and nonce is not None:
            self.known.nonces[place, str(nonce)] = int(response["id"]), self.known.now

    async def start(self) -> None:
        """Start the bot. Processes are waited for in real time, also while this Discord's stands still."""
        # simcord shows its time to every thread, and a wait of no seconds ends only when time has passed.
        vars(connection)["time"] = SimpleNamespace(monotonic=monotonic)
        await super().start()

    def _schedule_timer(self, record: Any, *rest: Any) -> None:  # noqa: ANN401 - simcord's own, and not named outside
        super()._schedule_timer(record, *rest)
        if record.real_handle is not None and record.when - self.backend.clock.elapsed >= self.short_s:
            record.real_handle.cancel()


def _set_event() -> asyncio.Event:
    event = asyncio.Event()
    event.set()
    return event


def listen_to_gateway(env: simcord.Env, changed: Callable[[], None]) -> None:
    """Call `changed` at every event of this Discord's gateway."""

    def heard(_event: str, _payload: Mapping[str, Any]) -> None:
        changed()

    env.backend.subscribers.append(heard)


def name_bot(backend: Backend, name: str) -> None:
    """Name the bot's account."""
    backend.edit_bot_profile(name)


def all_channels(backend: Backend) -> list[Channel]:
    """Return all channels, threads and DMs, oldest first."""
    return sorted(backend.channels.values(), key=lambda channel: channel.id)


def can_read(backend: Backend, channel_id: int, user_id: int) -> bool:
    """Return whether this user may read the channel."""
    return channel_accessible(backend, channel_id, user_id, history=True)


def visible_messages(backend: Backend, channel_id: int, user_id: int) -> list[Message]:
    """Return the messages that this user sees in a channel, oldest first."""
    stored = backend.messages.get(channel_id, {})
    return [stored[key] for key in sorted(stored) if stored[key].visible_to(user_id)]


def message_payload(backend: Backend, message: Message) -> dict[str, Any]:
    """Return a message as Discord's API writes it."""
    return dict(serializers.message_payload(backend, message))


def encode_json(value: object) -> bytes:
    """Return what simcord keeps as JSON; it keeps texts as the bot sent them, including subclasses of str."""
    return msgspec.json.encode(value, enc_hook=_to_builtins)


def _to_builtins(value: object) -> str:
    if isinstance(value, str):
        return str.__str__(value)
    raise NotImplementedError(type(value))


def forget_calls(backend: Backend) -> None:
    """Drop the record of requests; a sandbox may run for days."""
    backend.http_requests.clear()
    backend.transcript.clear()


def message_handle(env: simcord.Env, channel_id: int, message_id: int) -> simcord.ResponseMessage:
    """Return a message that an actor can click on."""
    return simcord.ResponseMessage(env, env.backend.get_message(channel_id, message_id))


def member_handle(env: simcord.Env, guild: simcord.GuildHandle, user_id: int) -> simcord.MemberActor:
    """Return an actor for an existing member."""
    return simcord.MemberActor(env, guild, user_handle(env, user_id))


def user_handle(env: simcord.Env, user_id: int) -> simcord.UserHandle:
    """Return a handle of an existing user."""
    return simcord.UserHandle(env, env.backend.get_user(user_id))


def guild_handle(env: simcord.Env, guild_id: int) -> simcord.GuildHandle:
    """Return a handle of an existing guild."""
    return simcord.GuildHandle(env, env.backend.get_guild(guild_id))


def channel_handle(env: simcord.Env, guild: simcord.GuildHandle, channel_id: int) -> simcord.ChannelHandle:
    """Return a handle of an existing channel or thread."""
    return simcord.ChannelHandle(env, guild, env.backend.get_channel(channel_id))


def is_dm(backend: Backend, channel_id: int) -> bool:
    """Return whether a channel belongs to no guild."""
    return backend.get_channel(channel_id).guild_id is None


def available_commands(backend: Backend, channel_id: int, user_id: int) -> list[tuple[str, list[dict[str, Any]]]]:
    """Return what this user may type after `/` here: each command's full name, with its groups and itself."""
    found = []
    for root in backend.visible_commands(user_id=user_id, channel_id=channel_id):
        if root.get("type", CHAT_INPUT_COMMAND) != CHAT_INPUT_COMMAND:
            continue  # it is in the menu of a person or a message
        for path, _leaf in interactions.command_leaves(root):
            chain = [root]
            for name in path[1:]:
                chain.append(next(part for part in chain[-1]["options"] if part["name"] == name))
            found.append((" ".join(path), chain))
    return found


def interaction_id(result: simcord.InteractionResult) -> str:
    """Return the id of the interaction with this result."""
    return str(result._interaction.id)  # noqa: SLF001  # a result keeps its interaction private


def uploaded_files(backend: Backend) -> dict[str, bytes]:
    """Return every uploaded file by its address; the mapping itself, to be filled and pruned."""
    return backend.cdn._blobs  # noqa: SLF001  # the store has no way to list or to forget


def set_clock(backend: Backend, elapsed: float) -> None:
    """Set the virtual clock to so many seconds after simcord's epoch."""
    backend.clock.elapsed = elapsed


def snowflake_sequences(backend: Backend) -> dict[int, int]:
    """Return how many snowflakes were given in each millisecond; the mapping itself, so that none is given twice."""
    return backend._sequences  # noqa: SLF001  # ids must not come again after a restore


def set_server_language(backend: Backend, guild_id: int, locale: str) -> None:
    """Set a server's language, such as `hu`, and tell the bot."""
    if backend.get_guild(guild_id).preferred_locale != locale:
        backend.edit_guild(guild_id, {"preferred_locale": locale})


@contextmanager
def server_speaking(env: simcord.Env, guild_id: int, locale: str) -> Iterator[None]:
    """Let a server speak this language to the bot within the block, and tell nobody of a change."""
    stored, seen = env.backend.get_guild(guild_id), env.bot.get_guild(guild_id)
    spoken = stored.preferred_locale
    try:
        for guild, one in ((stored, locale), (seen, Locale(locale))):
            if guild is not None:
                guild.preferred_locale = one
        yield
    finally:
        for guild, one in ((stored, spoken), (seen, Locale(spoken))):
            if guild is not None:
                guild.preferred_locale = one


def join_server(backend: Backend, guild_id: int) -> None:
    """Let the bot join a server that has its channels already, as if it had just been invited."""
    told = serializers.guild_create_payload(backend, backend.get_guild(guild_id))
    backend.emit("GUILD_DELETE", {"id": str(guild_id)})
    # Discord says only of servers that were known before whether they are available.
    backend.emit("GUILD_CREATE", {key: value for key, value in told.items() if key != "unavailable"})


def iterate_newest_first(
    place: simcord.ChannelHandle, viewer: simcord.MemberActor | simcord.UserHandle
) -> Iterator[discord.Message]:
    """Yield what somebody sees in a place; each message is made when it is asked for, as making many takes long."""
    for message in reversed(_visible_messages(place, viewer)):
        yield results.to_discord_message(place._env, message)  # noqa: SLF001


def refetch_message(
    place: simcord.ChannelHandle, viewer: simcord.MemberActor | simcord.UserHandle, number: int
) -> discord.Message:
    """Return a message as somebody sees it now. Raises `StopIteration` if they don't."""
    found = next(message for message in _visible_messages(place, viewer) if message.id == number)
    return results.to_discord_message(place._env, found)  # noqa: SLF001


def _visible_messages(place: simcord.ChannelHandle, viewer: simcord.MemberActor | simcord.UserHandle) -> list[Message]:
    env = place._env  # noqa: SLF001
    if not can_access_channel(env, place.id, viewer, history=True):
        raise ValueError(f"{viewer!r} may not read {place!r}")
    return visible_messages(env.backend, place.id, viewer.id)


def may_be_pressed(message: simcord.ResponseMessage, control: str, values: Sequence[str] = ()) -> bool:
    """Return whether a message has an enabled component with this custom id and these values."""
    return any(
        part.get("custom_id") == control
        and not part.get("disabled")
        and {*values} <= {option["value"] for option in part.get("options") or ()}
        for part in walk_components(message.components)
    )


async def press_removed(
    actor: simcord.MemberActor | simcord.UserHandle,
    message: simcord.ResponseMessage,
    control: str,
    values: Sequence[str] = (),
) -> simcord.InteractionResult:
    """Press a button that the message no longer has, as on another device or before an edit.

    As on Discord, the bot gets the message as it was seen.
    """
    stored = actors._visible_message(actor, message)  # noqa: SLF001 - simcord's actors press only what is there
    kind = ComponentType.STRING_SELECT if values else ComponentType.BUTTON
    chosen = [{"label": value, "value": value} for value in values]
    shown = {"placeholder": "…", "options": chosen} if values else {"style": 2, "label": "…"}
    env = actor._env  # noqa: SLF001
    payload = dict(serializers.message_payload(env.backend, stored))
    row = {"type": ComponentType.ACTION_ROW, "components": [{"type": kind, "custom_id": control, **shown}]}
    payload["components"] = [*stored.components, row]
    data: dict[str, Any] = {"custom_id": control, "component_type": kind} | ({"values": [*values]} if values else {})
    return await actors._dispatch_actor_interaction(  # noqa: SLF001
        actor,
        InteractionType.MESSAGE_COMPONENT,
        simcord.ChannelHandle(env, getattr(actor, "guild", None), env.backend.get_channel(stored.channel_id)),
        data,
        extra={"message": payload},
        source_message_id=stored.id,
    )


@contextmanager
def with_user_locale(locale: str) -> Iterator[None]:
    """Give users this locale, such as `hu`, within the block; simcord knows only en-US.

    Replies then also show the full name of the command they answer, as Discord's do, not just its first word.
    """
    plain = interactions.base_payload

    def localized(backend: Backend, **given: Any) -> tuple[Any, dict[str, Any]]:  # noqa: ANN401 - passed on
        record, body = plain(backend, **given)
        body["locale"] = locale
        if "guild_id" in body:
            body["guild_locale"] = backend.get_guild(int(body["guild_id"])).preferred_locale
        if record.command_name:
            record.command_name = " ".join(_command_path(body["data"]))
        return record, body

    interactions.base_payload = localized
    try:
        yield
    finally:
        interactions.base_payload = plain


def _command_path(data: dict[str, Any]) -> list[str]:
    nested = [
        option
        for option in data.get("options", ())
        if option["type"] in (OptionType.SUBCOMMAND, OptionType.SUBCOMMAND_GROUP)
    ]
    return [data["name"], *(_command_path(nested[0]) if nested else ())]


def emoji_font() -> Path | None:
    """Return a font with emoji, from simcord's preview; a desktop may have none."""
    fonts = Path(simcord.__file__).parent / "preview" / "static" / "fonts"
    return next(iter(sorted(fonts.glob("noto-color-emoji*.ttf"))), None)
