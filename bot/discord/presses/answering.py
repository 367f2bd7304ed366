"""Answers the user: in their language, for their eyes only, and with the reason if something is refused."""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

import aiohttp
import discord
from discord import Interaction

from bot import logs
from bot.discord.ids import Ref
from bot.discord.messages.board import Block, Button, Shown, lay_out
from bot.discord.metrics import Metrics, Outcome
from bot.discord.presses.interactions import (
    answer,
    game_of,
    guessed,
    is_about,
    is_private,
    language_of,
    player_of,
    recognized,
    redraw,
)
from bot.discord.sending.refusal_log import RefusalLog
from bot.discord.sending.refusals import Meaning
from bot.doors.table import Table
from bot.errors import Refusal
from bot.store import NotWritten
from bot.store.records import Player
from bot.telling.wording import called, refusal_text
from bot.words.i18n import Catalogue, Words, best
from bot.words.style import Said
from rules.errors import OrderError

log = logging.getLogger(__name__)


async def headed(table: Table, interaction: Interaction[Any], text: Said) -> Said:
    """An answer below the name of the game that it is about, if one was found, except in that game's own thread."""
    number = game_of(interaction)
    if number is None:
        return text
    playing = await table.reader.playing(number)
    if playing.game.thread_id == interaction.channel_id:
        return text
    words = Words(Catalogue.load(language_of(interaction)))
    return Said(f"-# {called(words, playing)}\n{text}")


async def say(table: Table, interaction: Interaction[Any], game_id: int, key: str) -> None:
    """Answer with a sentence of the catalogue about a game, in the user's language."""
    is_about(interaction, game_id)
    said = Words(Catalogue.load(language_of(interaction))).say(key)
    await answer(interaction, await headed(table, interaction, said))


async def say_instead(table: Table, interaction: Interaction[Any], game_id: int, key: str) -> None:
    """The same in place of the private question that was pressed, whose buttons do nothing more."""
    is_about(interaction, game_id)
    said = await headed(table, interaction, Words(Catalogue.load(language_of(interaction))).say(key))
    if is_private(interaction):
        await redraw(interaction, lay_out([said]))
    else:
        await answer(interaction, said)


async def started(table: Table, interaction: Interaction[Any], game_id: int) -> Shown:
    """That a game has started, with the way to one's panel."""
    is_about(interaction, game_id)
    words = Words(Catalogue.load(language_of(interaction)))
    orders = Button(label=words.say("button.my_orders"), ref=Ref(verb="orders", game=game_id))
    return lay_out([await headed(table, interaction, words.say("say.started")), [orders]])


async def _tell(interaction: Interaction[Any], text: Said) -> None:
    if interaction.extras.get("said"):
        return
    ways: tuple[Block, ...] = interaction.extras.get("ways", ())
    if ways and interaction.extras.get("in_place"):
        await redraw(interaction, lay_out([text, *ways]))
        return
    await answer(interaction, lay_out([text, *ways]) if ways else text)


class Answering:
    """Carries out what a user asks for, and shows them the result."""

    def __init__(self, table: Table, metrics: Metrics, refusals: RefusalLog) -> None:
        self._table = table
        self._metrics = metrics
        self.refusals = refusals
        self._in_hand: set[asyncio.Task[Any]] = set()

    async def recognize(self, interaction: Interaction[Any]) -> None:
        """Look the user up before anything is said: they may have chosen a language."""
        await self.hear(interaction, await self._table.reader.player(interaction.user.id))

    async def hear(self, interaction: Interaction[Any], player: Player | None) -> None:
        """Remember what language a user's Discord speaks by now; what they are asked follows it, if they chose none."""
        recognized(interaction, player)
        spoken = str(interaction.locale)
        if player and player.chosen_locale is None and best(player.locale) != best(spoken):
            await self._table.preferences.change(player_of(interaction.user, spoken))

    async def guarded(self, interaction: Interaction[Any], what: str, acting: Awaitable[None]) -> None:
        """Do what was asked. A refusal is shown; a bug gets a number that is also in the log."""
        user = interaction.user.id

        def words() -> Words:
            return Words(Catalogue.load(language_of(interaction)))

        async def head(said: Said) -> Said:
            return await headed(self._table, interaction, said) if guessed(interaction) else said

        with logs.about(interaction=interaction.id, user=user), self._table.asked_by(user):
            await self.carry_out(what, words, acting, partial(_tell, interaction), head=head)

    async def carry_out(
        self,
        what: str,
        words: Callable[[], Words],
        acting: Awaitable[None],
        tell: Callable[[Said], Awaitable[None]],
        *,
        hint: Callable[[], Awaitable[str]] | None = None,
        head: Callable[[Said], Awaitable[Said]] | None = None,
    ) -> None:
        """Do it, and show what doesn't work; refused orders come with a hint, if there is one, refusals with a `head`.

        The language is needed only then: the action itself may find out who the user is.
        """
        outcome: Outcome = "answered"
        started = time.perf_counter()
        task = asyncio.current_task()
        assert task is not None  # noqa: S101 - awaited within one
        self._in_hand.add(task)
        try:
            await acting
        except (Refusal, OrderError) as refused:
            outcome = "refused"
            why = refused.fault.code if isinstance(refused, OrderError) else refused.key
            log.debug("refused", extra={"what": what, "why": why})
            hinted = await hint() if hint and isinstance(refused, OrderError) else ""
            said = refusal_text(words(), refused)
            await tell(Said((await head(said) if head else said) + hinted))
        except Exception as error:
            of_discord = isinstance(error, discord.HTTPException | discord.RateLimited | aiohttp.ClientError)
            if of_discord and self.refusals.read(error).meaning in (Meaning.AWAY, Meaning.LIMITED):
                outcome = "refused"
                await tell(words().say("refuse.discord_away"))
                return
            outcome, number = "failed", secrets.token_hex(3)
            log.exception("error", extra={"what": what, "number": number})
            key = "refuse.not_written" if isinstance(error, NotWritten) else "refuse.failed"
            await tell(words().say(key, number=number))
        finally:
            self._in_hand.discard(task)
            seconds = time.perf_counter() - started
            self._metrics.answered(what, outcome, seconds)
            log.debug(outcome, extra={"what": what, "ms": round(seconds * 1000)})

    async def settle(self, most_s: float) -> None:
        """Wait until everything that was asked is answered, but not longer than so."""
        if self._in_hand:
            await asyncio.wait(self._in_hand, timeout=most_s)
