"""The sandbox's world: a server with one channel, three players and the real bot, in a simulated Discord."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import discord
import simcord
from simcord.components import walk_components
from simcord.enums import OptionType

from bot.discord.app import WarGalley
from bot.sandbox import acts, private, snapshot
from bot.sandbox.acts import ActionReply
from bot.sandbox.known import available_commands
from bot.texts.i18n import languages

BOT_NAME = "War Galley"
GUILD_NAME = "The Inland Sea"
CHANNEL_NAME = "war-room"
PLAYER_NAMES = ("Anna", "Ben", "Cora")
MANAGER_NAME = "Anna"
MANAGER_ROLE = "harbour master"
REFUSAL_HEADING = "Discord refuses a call:"
"""Prefix of a trouble that is an unexpected refusal."""
MAX_SETTLE_S = 120.0
"""Time for which the bot may be busy after one action; a day may contain many deadlines."""
PAGE_LOCALES = {
    language: next(locale.value for locale in discord.Locale if locale.value.partition("-")[0] == language)
    for language in languages()
}
"""The page's languages, with Discord's locales."""

BotBuilder = Callable[[Callable[[], datetime]], discord.Client]
"""Builds the bot with a given clock."""


class SimulatorRefusal(Exception): ...


class SandboxWorld:
    """A running sandbox. Actions take a lock; reading does not."""

    def __init__(
        self, env: private.StrictEnv, build: BotBuilder, folder: Path | None, memory: dict[str, Any] | None
    ) -> None:
        self.env = env
        self.version = 0  # a counter that each visible change increases
        self.thinking_time_s = 0  # of virtual time after each action; 0: as long as waiting edits need
        self._build = build
        self._folder = folder
        self._lock = asyncio.Lock()
        self._forms: dict[str, simcord.InteractionResult] = {}  # what opened each form, by the form's id
        if memory is None:
            memory = self._create_server()
        self.pages_folder: Path | None = None  # what pages of games show; None: there are none
        self.public_url = ""  # the address of these pages
        self._page_tasks: set[asyncio.Task[None]] = set()
        self.players: tuple[int, ...] = tuple(memory["players"])  # user ids
        self.channel_id: int = memory["channel"]  # of the common channel
        self.dismissed_messages: set[int] = set(memory["hidden"])  # ids of private messages that their reader closed
        self.read_marks: dict[str, int] = dict(memory["seen"])
        """Content marks by `player/channel`, as each player last saw the channel."""
        self.greeting_locale: tuple[str, int] = tuple(memory.get("greeting", ("", 0)))
        """Language and message id of the bot's greeting; empty and 0 before it."""
        self.guild = simcord.GuildHandle(env, env.backend.get_guild(memory["guild"]))
        env.backend.subscribers.append(lambda _event, _payload: self._increase_version())

    @classmethod
    @contextlib.asynccontextmanager
    async def open(
        cls,
        build: BotBuilder,
        *,
        folder: Path | None = None,
        now: datetime | None = None,
        reproducible: bool = False,
        thinking_time_s: int = 0,
    ) -> AsyncIterator[SandboxWorld]:
        """Run a world, restored from `folder` if something was saved there, and save it there.

        A new world begins at `now` of virtual time, or at simcord's epoch. `reproducible` makes everything that is sent
        independent of the machine's speed. `thinking_time_s` seconds pass after each action; if it is 0, as many as
        waiting edits need. Raises `SnapshotError`.
        """
        env: private.StrictEnv

        def virtual_now() -> datetime:
            return env.now()  # the bot needs a clock before the environment exists

        env = private.StrictEnv(build(virtual_now), settle_timeout=MAX_SETTLE_S, check_errors=False)
        env.short_s = private.MAX_SHORT_TIMER_REPRODUCIBLE_S if reproducible else private.MAX_SHORT_TIMER_S
        memory = snapshot.restore_world(env.backend, folder) if folder else None
        if memory is None and now is not None:
            env.backend.clock.elapsed = (now - env.now()).total_seconds()
        world = cls(env, build, folder, memory)
        world.thinking_time_s = thinking_time_s
        try:
            await env.start()
        except BaseException:
            await env.bot.close()
            raise
        try:
            world.save()
            yield world
        finally:
            await env.bot.close()
            try:
                world.save()
            finally:
                await env.shutdown()

    def _create_server(self) -> dict[str, Any]:
        self.env.backend.edit_bot_profile(BOT_NAME)
        guild = self.env.create_guild(GUILD_NAME)
        channel = guild.create_text_channel(CHANNEL_NAME)
        manager = guild.create_role(MANAGER_ROLE, permissions=discord.Permissions(manage_guild=True))
        players = [
            guild.add_member(
                self.env.create_user(name.lower(), global_name=name), roles=[manager] if name == MANAGER_NAME else []
            )
            for name in PLAYER_NAMES
        ]
        for player in players:
            player.user.dm_channel  # noqa: B018 - reading the property opens the channel
        return {
            "guild": guild.id,
            "channel": channel.id,
            "players": [player.id for player in players],
            "hidden": [],
            "seen": {},
        }

    def _increase_version(self) -> None:
        self.version += 1

    def save(self) -> None:
        if self._folder is None:
            return
        memory = {
            "guild": self.guild.id,
            "channel": self.channel_id,
            "players": self.players,
            "hidden": sorted(self.dismissed_messages),
            "seen": self.read_marks,
            "greeting": self.greeting_locale,
        }
        snapshot.save_world(self.env.backend, self._folder, memory)
        # A sandbox may run for days; its record of requests would grow.
        self.env.backend.http_requests.clear()
        self.env.backend.transcript.clear()

    def draw_pages_again(self) -> None:
        """Let the bot look at what readers of pages ask for; in the sandbox it doesn't look by itself."""
        if isinstance(self.env.bot, WarGalley) and self.env.bot.page_upkeep:
            task = asyncio.create_task(self.env.bot.page_upkeep.answer_requests())
            self._page_tasks.add(task)
            task.add_done_callback(self._page_tasks.discard)

    async def perform(self, act: acts.AnyAction) -> ActionReply:
        """Perform an action of a person at the page, wait until the bot is idle, and return the result.

        Raises `SimulatorRefusal`.
        """
        async with self._lock:
            error_cursor = self.env.error_cursor
            refusal_count = len(self.env.guard.refused)
            try:
                reply = await self._perform_unlocked(act)
                if self.thinking_time_s:
                    await self.env.advance_time(self.thinking_time_s)
                else:
                    await advance_paused_edits(self.env)
            except (simcord.SetupError, simcord.BackendError, private.PressLost, TimeoutError) as error:
                raise SimulatorRefusal("\n".join([str(error), *getattr(error, "__notes__", ())])) from error
            finally:
                self._increase_version()
                self.save()
            trouble = [f"{type(error).__name__}: {error}" for error in self.env.errors_since(error_cursor)]
            new_refusals = self.env.guard.refused[refusal_count:]
            trouble += [f"{REFUSAL_HEADING} {entry}" for entry in new_refusals if not entry.expected]
            return ActionReply(form=reply.form, choices=reply.choices, trouble=[*reply.trouble, *trouble])

    async def _perform_unlocked(self, act: acts.AnyAction) -> ActionReply:
        match act:
            case acts.Advance(hours=hours):
                await self.env.advance_time(timedelta(hours=hours).total_seconds())
            case acts.Speak(locale=locale):
                await self._invite_bot(locale)
            case acts.Restart():
                await self.env.bot.close()
                await self.env.restart_bot(self._build(self.env.now))
            case acts.Dismiss(message=message):
                self.dismissed_messages.add(message)
            case acts.Send():
                await self._send(act)
            case acts.Complete():
                return await self._complete(act)
            case _:
                # New messages are in the acting player's language; existing ones keep theirs.
                server_language = private.server_speaking(self.env, self.guild.id, act.locale)
                with private.with_user_locale(act.locale), server_language:
                    return self._reply_for(await self._interact(act))
        return ActionReply()

    def _reply_for(self, result: simcord.InteractionResult) -> ActionReply:
        """Return the reply to an interaction, and remember the form that it opened, if any."""
        if not result.acknowledged:
            return ActionReply(trouble=["silence"])
        form = result.modal
        if form is None:
            return ActionReply()
        form_id = private.interaction_id(result)
        self._forms[form_id] = result
        return ActionReply(form={**form, "id": form_id})

    async def _invite_bot(self, locale: str) -> None:
        """Let the bot join and greet; let it greet in another language while nobody has done anything."""
        if locale not in PAGE_LOCALES.values():
            raise SimulatorRefusal(f"the page has no language {locale!r}")
        backend = self.env.backend
        language, greeting_id = self.greeting_locale
        other_messages = {*backend.messages.get(self.channel_id, ())} - {greeting_id}
        if language == locale or other_messages:
            return
        if backend.get_guild(self.guild.id).preferred_locale != locale:
            backend.edit_guild(self.guild.id, {"preferred_locale": locale})
        if greeting_id in backend.messages.get(self.channel_id, ()):
            backend.delete_message(self.channel_id, greeting_id)
        private.join_server(backend, self.guild.id)
        await self.env.settle()
        self.greeting_locale = (locale, max(backend.messages.get(self.channel_id, ()), default=0))

    async def _send(self, act: acts.Send) -> None:
        if self._is_direct(act):
            await self._user(act.player).send_dm(act.text)
        else:
            await self._member(act.player).send(self._channel(act.channel), act.text)

    async def _complete(self, act: acts.Complete) -> ActionReply:
        options = self._options(act, lenient=True)
        options.pop(act.option, None)
        with private.with_user_locale(act.locale):
            if self._is_direct(act):
                user = self._user(act.player)
                suggestions = await user.autocomplete(act.command, act.option, act.typed, **options)
            else:
                member = self._member(act.player)
                suggestions = await member.autocomplete(
                    self._channel(act.channel), act.command, act.option, act.typed, **options
                )
        return ActionReply(choices=suggestions)

    async def _interact(self, act: acts.Slash | acts.Click | acts.Select | acts.Submit) -> simcord.InteractionResult:
        """Carry out an interaction as its player, in direct messages or as a member of the server."""
        actor = self._user(act.player) if self._is_direct(act) else self._member(act.player)
        result: simcord.InteractionResult
        if isinstance(act, acts.Click | acts.Select):
            self.env.before_press(act.channel, act.message, act.player)
        match act:
            case acts.Slash():
                options = self._options(act)
                if isinstance(actor, simcord.MemberActor):
                    result = await actor.slash(self._channel(act.channel), act.command, **options)
                else:
                    result = await actor.slash(act.command, **options)
            case acts.Submit():
                if act.form not in self._forms:
                    raise SimulatorRefusal("gone")
                result = await actor.submit_modal(self._forms[act.form], act.as_sent())
            case acts.Click():
                message = self._message(act)
                values = act.values if isinstance(act, acts.Select) else []
                if not _has_component(message, act.control, values):
                    result = await private.press_removed(actor, message, act.control, values)
                elif values:
                    result = await actor.select(message, values, custom_id=act.control)
                else:
                    result = await actor.click(message, custom_id=act.control)
        return result

    def _is_direct(self, act: acts.PlayerAction) -> bool:
        return self.env.backend.get_channel(act.channel).guild_id is None

    def _user(self, user_id: int) -> simcord.UserHandle:
        return simcord.UserHandle(self.env, self.env.backend.get_user(user_id))

    def _member(self, user_id: int) -> simcord.MemberActor:
        return simcord.MemberActor(self.env, self.guild, self._user(user_id))

    def _channel(self, channel_id: int) -> simcord.ChannelHandle:
        return simcord.ChannelHandle(self.env, self.guild, self.env.backend.get_channel(channel_id))

    def _message(self, act: acts.Click) -> simcord.ResponseMessage:
        return simcord.ResponseMessage(self.env, self.env.backend.get_message(act.channel, act.message))

    def _options(self, act: acts.Slash, *, lenient: bool = False) -> dict[str, Any]:
        """Return the values of a command's options; `lenient` leaves out unreadable ones."""
        commands = dict(available_commands(self.env.backend, act.channel, act.player))
        groups_and_command = commands.get(act.command) or [{}]
        option_specs = groups_and_command[-1].get("options") or []
        option_types = {spec["name"]: spec["type"] for spec in option_specs}
        values: dict[str, Any] = {}
        for name, text in act.options.items():
            try:
                values[name] = self._value(option_types.get(name, OptionType.STRING), text)
            except (ValueError, simcord.BackendError) as error:
                if not lenient:
                    raise SimulatorRefusal(f"{name}: {text!r} does not fit here") from error
        return values

    def _value(self, kind: int, text: str) -> object:
        match kind:
            case OptionType.INTEGER:
                return int(text)
            case OptionType.NUMBER:
                return float(text)
            case OptionType.BOOLEAN:
                return text == "true"
            case OptionType.USER | OptionType.MENTIONABLE:
                return self._member(int(text))
            case OptionType.CHANNEL:
                return self._channel(int(text))
        return text


def _has_component(message: simcord.ResponseMessage, control: str, values: Sequence[str]) -> bool:
    """Return whether a message has an enabled component with this custom id and these values."""
    for component in walk_components(message.components):
        if component.get("custom_id") == control and not component.get("disabled"):
            offered_values = {option["value"] for option in component.get("options") or ()}
            if offered_values.issuperset(values):
                return True
    return False


async def advance_paused_edits(env: simcord.Env) -> None:
    """Advance the virtual time until the bot has sent the edits that wait for the end of a pause."""
    while isinstance(env.bot, WarGalley) and (seconds := await env.bot.seconds_until_paused_edits()):
        await env.advance_time(seconds)
