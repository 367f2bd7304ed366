"""Driving the bot in simcord as its users do: commands, direct messages, buttons, forms, time and restarts."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import discord
import simcord

from bot.app import WarGalley, build
from bot.config import Config
from bot.ids import Ref, unpack
from bot.workers import Workers

# A press that opens a form waits for 50 ms of silence; two are enough here.
simcord.Env._settle_internal.__kwdefaults__["idle"] = 0.002


def parts(message: Any) -> Iterator[Any]:
    """All components of a message, nested ones too, as discord.py objects."""
    waiting = list(message.components)
    while waiting:
        component = waiting.pop(0)
        yield component
        waiting = [*getattr(component, "children", []), *waiting]


def text_of(message: Any) -> str:
    """Everything that a message says."""
    texts = [part.content for part in parts(message) if hasattr(part, "content")]
    return "\n".join(filter(None, [message.content, *texts]))


def refs(message: Any) -> dict[str, Ref]:
    """Buttons and selects of a message by `verb` or `verb token`, enabled ones only."""
    found = {}
    for part in parts(message):
        ref = unpack(getattr(part, "custom_id", None) or "")
        if ref and not getattr(part, "disabled", False):
            found[f"{ref.verb} {ref.token}".strip()] = ref
    return found


class Sea:
    """The bot and its Discord."""

    def __init__(self, database_url: str, workers: Workers, counter: Iterator[int]) -> None:
        self.database_url = database_url
        self._workers = workers
        self._counter = counter
        self.env: simcord.Env
        self.bot: WarGalley
        self.answers: list[Any] = []
        """What the last interaction was answered, for its eyes only or not."""

    def make_bot(self) -> WarGalley:
        """A bot whose chance can be foretold, so that tests never flake."""
        return build(
            Config(database_url=self.database_url, _env_file=None),
            clock=discord.utils.utcnow,
            workers=self._workers,
            chance=lambda: hashlib.sha256(str(next(self._counter)).encode()).hexdigest(),
        )

    @asynccontextmanager
    async def open(self) -> AsyncIterator[Sea]:
        """Start the bot among three players on one server."""
        self.bot = self.make_bot()
        async with simcord.run(self.bot, settle_timeout=60, check_errors=True) as env:
            self.env = env
            self.guild = env.create_guild("Sea")
            self.channel = self.guild.create_text_channel("war-room")
            self.anna, self.bela, self.cili = (
                self.guild.add_member(env.create_user(name)) for name in ("anna", "bela", "cili")
            )
            await env.settle()
            try:
                yield self
            finally:
                await self.bot.close()

    async def restart(self) -> None:
        """Stop the bot and start another on the same database and the same Discord."""
        await self.bot.close()
        self.bot = self.make_bot()
        await self.env.restart_bot(self.bot)
        await self.env.settle()

    # --- looking -----------------------------------------------------------------------------------------------

    @property
    def thread(self) -> Any:
        """The game thread opened last."""
        return self.channel.threads[-1]

    def told(self) -> str:
        """Everything said in the thread so far."""
        return "\n".join(text_of(message) for message in self.thread.history())

    def panel(self, who: Any) -> Any:
        """A player's newest direct message that has buttons."""
        messages = list(who.user.dm_channel.history())
        return next(message for message in reversed(messages) if refs(message))

    def said(self, result: Any) -> str:
        """What an interaction was answered, all of it."""
        self.answers = [answer.message for answer in [result.response, *result.followups] if answer is not None]
        return "\n".join(text_of(answer) for answer in self.answers)

    # --- acting ------------------------------------------------------------------------------------------------

    async def command(self, who: Any, name: str, *, at: Any = None, **options: Any) -> str:
        """Use `/galley name`; what was answered."""
        result = await who.slash(at or self.channel, f"galley {name}", **options)
        await self.env.settle()
        return self.said(result)

    async def press(self, who: Any, message: Any, key: str) -> str:
        """Press a button by its verb, or `verb token`; what was answered besides the edit."""
        return await self.click(who, message, refs(message)[key])

    async def click(self, who: Any, message: Any, ref: Ref) -> str:
        """Press a certain button."""
        actor = who.user if message.guild is None else who
        result = await actor.click(message, custom_id=ref.pack())
        await self.env.settle()
        return self.said(result)

    async def write(self, who: Any, text: str) -> str:
        """Write to the bot directly; what it answered."""
        await who.user.send_dm(text)
        await self.env.settle()
        return text_of(who.user.dm_channel.last_message)

    async def begin(self, *others: Any, **options: Any) -> None:
        """Anna opens a game, the others join, she starts it."""
        await self.command(self.anna, "new", **options)
        for other in others:
            await self.command(other, "join")
        await self.command(self.anna, "start")
