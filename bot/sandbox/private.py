"""Use parts of simcord that are not public, where its public API lacks something that the sandbox needs.

simcord is pinned. `TestPrivateNames` has a test for each of these, which fails when a new version has moved something.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from multiprocessing import connection
from time import monotonic
from types import SimpleNamespace
from typing import Any

import simcord
from discord import Client, Locale
from simcord import _dpy_internals, actors, interactions
from simcord.backend import Backend, serializers
from simcord.enums import ComponentType, InteractionType, OptionType

from bot.sandbox.known import SimulatedState
from bot.sandbox.strict import AlteredAnswer, ApiCall, CallGuard
from bot.sandbox.transport import CallHooks, RefusingSession, StrictAdapter, StrictClient

MAX_SHORT_TIMER_S = 1.0
"""Timers shorter than this many seconds run by themselves, as short pauses do."""
MAX_SHORT_TIMER_REPRODUCIBLE_S = 0.1
"""Shorter timers run by themselves where everything must go alike on any machine."""


class PressLost(Exception):
    """A press that never reaches the bot; the client says that the interaction failed."""


class StrictEnv(simcord.Env):
    """A simcord in which time stands still until it is advanced, and which refuses what Discord refuses.

    simcord fires a bot's timers in real time, and its transports accept every call. It has no setting for either.
    """

    short_s = MAX_SHORT_TIMER_S  # timers of at least this many seconds stand still

    def __init__(self, bot: Client, **options: Any) -> None:  # noqa: ANN401 - simcord's own
        super().__init__(bot, **options)
        self.server_state = SimulatedState(self.backend)
        self.guard = CallGuard(self.server_state)
        self._own_http = bot.http  # of the bot itself; simcord replaces `bot.http`

    async def restart_bot(self, bot: Client | None = None) -> None:
        if bot is not None:
            self._own_http = bot.http
        await super().restart_bot(bot)

    def _capture_errors(self) -> None:
        """Put the rules before the transports that simcord has just installed; it calls nothing else after that."""
        super()._capture_errors()
        http = self._own_http  # the bot's own client, with its settings
        hooks = CallHooks(self.guard, http.http_trace, self._substitute, self._record_accepted)
        client = StrictClient(self.bot.http, hooks, http.max_ratelimit_timeout)
        vars(client).update({"_HTTPClient__session": RefusingSession(), "_global_over": _set_event()})
        _dpy_internals.install_http(self.bot, client)
        self._webhook_adapter = StrictAdapter(self._webhook_adapter, hooks)
        _dpy_internals.set_webhook_adapter(self._webhook_adapter)

    def before_press(self, place: int, message: int, user: int) -> None:
        """Do what a user's client does before it sends a press. Raises `PressLost` if the bot never gets it."""
        call = ApiCall("PRESS", f"/channels/{place}/messages/{message}", {"user": user})
        if self.guard.decide(call):
            raise PressLost("This interaction failed")
        answer = self.guard.answer_for(call)
        if answer:
            self._substitute(call, answer)

    def _substitute(self, call: ApiCall, answer: AlteredAnswer) -> Any:  # noqa: ANN401 - any JSON
        """Carry out an altered answer. Return the response, or None if the call itself must still be made."""
        place = self.server_state.channel_of(call)
        if answer.unarchives and place is not None:
            self.backend.edit_channel(place, {}, thread_metadata={"archived": False})
        if answer.message and place is not None:
            return dict(serializers.message_payload(self.backend, self.backend.get_message(place, answer.message)))
        return None

    def _record_accepted(self, call: ApiCall, response: Any) -> None:  # noqa: ANN401 - any JSON
        """Note which message a nonce has created."""
        place, nonce = call.channel_of_new_message, call.data.get("nonce")
        if place is not None and nonce is not None:
            self.server_state.nonces[place, str(nonce)] = int(response["id"]), self.server_state.now

    async def start(self) -> None:
        """Start the bot, with real time for waits for processes: simcord shows its own time to every thread."""
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


def interaction_id(result: simcord.InteractionResult) -> str:
    return str(result._interaction.id)  # noqa: SLF001 - a result keeps its interaction private


def uploaded_files(backend: Backend) -> dict[str, bytes]:
    """Return uploads by address: the mapping itself, because simcord can neither list nor delete them."""
    return backend.cdn._blobs  # noqa: SLF001


def snowflake_sequences(backend: Backend) -> dict[int, int]:
    """Return the number of ids given in each millisecond: the mapping itself, because ids must not come again."""
    return backend._sequences  # noqa: SLF001


@contextmanager
def server_speaking(env: simcord.Env, guild_id: int, locale: str) -> Iterator[None]:
    """Give a server this language within the block, without the event of a change that simcord would send."""
    simulated_guild = env.backend.get_guild(guild_id)
    cached_guild = env.bot.get_guild(guild_id)  # as the bot knows it; None if it is not on the server

    def set_language(language: str) -> None:
        simulated_guild.preferred_locale = language
        if cached_guild is not None:
            cached_guild.preferred_locale = Locale(language)

    previous_language = simulated_guild.preferred_locale
    set_language(locale)
    try:
        yield
    finally:
        set_language(previous_language)


def join_server(backend: Backend, guild_id: int) -> None:
    """Let the bot join a server that has channels already; simcord's bots join servers when these are created."""
    payload = serializers.guild_create_payload(backend, backend.get_guild(guild_id))
    backend.emit("GUILD_DELETE", {"id": str(guild_id)})
    # Discord says only of servers that were known before whether they are available.
    backend.emit("GUILD_CREATE", {key: value for key, value in payload.items() if key != "unavailable"})


async def press_removed(
    actor: simcord.MemberActor | simcord.UserHandle,
    message: simcord.ResponseMessage,
    control: str,
    values: Sequence[str] = (),
) -> simcord.InteractionResult:
    """Press a button, or pick `values` of a list, that the message no longer has; simcord's actors cannot do that.

    As if another device still shows it, the bot gets the message with this component.
    """
    stored = actors._visible_message(actor, message)  # noqa: SLF001
    kind = ComponentType.STRING_SELECT if values else ComponentType.BUTTON
    options = [{"label": value, "value": value} for value in values]
    content = {"placeholder": "…", "options": options} if values else {"style": 2, "label": "…"}
    env = actor._env  # noqa: SLF001
    payload = dict(serializers.message_payload(env.backend, stored))
    row = {"type": ComponentType.ACTION_ROW, "components": [{"type": kind, "custom_id": control, **content}]}
    payload["components"] = [*stored.components, row]
    data: dict[str, Any] = {"custom_id": control, "component_type": kind}
    if values:
        data["values"] = [*values]
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
    """Give users this locale within the block, and replies the full name of their command; simcord has neither."""
    original = interactions.base_payload

    def with_locale(backend: Backend, **arguments: Any) -> tuple[Any, dict[str, Any]]:  # noqa: ANN401 - passed on
        record, body = original(backend, **arguments)
        body["locale"] = locale
        if "guild_id" in body:
            body["guild_locale"] = backend.get_guild(int(body["guild_id"])).preferred_locale
        if record.command_name:
            record.command_name = " ".join(_command_path(body["data"]))
        return record, body

    interactions.base_payload = with_locale
    try:
        yield
    finally:
        interactions.base_payload = original


def _command_path(data: dict[str, Any]) -> list[str]:
    """Return the name of a command, after the names of the groups that contain it."""
    subcommand_types = (OptionType.SUBCOMMAND, OptionType.SUBCOMMAND_GROUP)
    for option in data.get("options", ()):
        if option["type"] in subcommand_types:
            return [data["name"], *_command_path(option)]
    return [data["name"]]
