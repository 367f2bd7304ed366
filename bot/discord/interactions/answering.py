"""Private answers in the user's language, with the reason if something is refused."""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any

import aiohttp
import discord
from discord import Interaction

from bot import logs
from bot.discord.delivery.refusal_log import RefusalLog
from bot.discord.delivery.refusals import RefusalKind
from bot.discord.ids import CustomId, parse_custom_id
from bot.discord.interactions.responses import (
    answer_privately,
    interaction_data,
    is_private,
    player_from_user,
    replace_message,
    state_of,
    user_localizer,
)
from bot.discord.messages.board import Button, RenderedMessage, lay_out_message
from bot.discord.messages.rules import with_rule_buttons
from bot.discord.metrics import AnswerOutcome, Metrics
from bot.errors import Refusal
from bot.presenters.rules import fault_rules
from bot.presenters.wording import game_title, refusal_text
from bot.services.table import Services
from bot.store import NotWritten
from bot.store.models.records import Player
from bot.texts.i18n import Localizer, language_for_locale
from bot.texts.style import Markup
from rules.core.errors import OrderError

log = logging.getLogger(__name__)


async def with_game_name(services: Services, interaction: Interaction[Any], text: Markup) -> Markup:
    """Return `text` below the title of the game that it is about. In that game's own thread the title is left out."""
    game_id = state_of(interaction).game_id
    if game_id is None:
        return text
    seated_game = await services.reader.games.seated_game(game_id)
    if seated_game.game.thread_id == interaction.channel_id:
        return text
    localizer = user_localizer(interaction)
    return Markup(f"-# {game_title(localizer, seated_game)}\n{text}")


async def answer_with_sentence(services: Services, interaction: Interaction[Any], game_id: int, key: str) -> None:
    state_of(interaction).game_id = game_id
    text = user_localizer(interaction).say(key)
    await answer_privately(interaction, await with_game_name(services, interaction, text))


async def replace_with_sentence(services: Services, interaction: Interaction[Any], game_id: int, key: str) -> None:
    """Replace a private question and its buttons by a sentence of the catalogue. A public message stays."""
    state_of(interaction).game_id = game_id
    text = await with_game_name(services, interaction, user_localizer(interaction).say(key))
    if is_private(interaction):
        await replace_message(interaction, lay_out_message([text]))
    else:
        await answer_privately(interaction, text)


async def lay_out_game_started(services: Services, interaction: Interaction[Any], game_id: int) -> RenderedMessage:
    state_of(interaction).game_id = game_id
    localizer = user_localizer(interaction)
    orders = Button(label=localizer.say("button.my_orders"), custom_id=CustomId(verb="orders", game=game_id))
    return lay_out_message([await with_game_name(services, interaction, localizer.say("say.started")), [orders]])


async def _answer_text(interaction: Interaction[Any], text: Markup, rules: Sequence[str]) -> None:
    """Send why an interaction was refused, with a button for each of the `rules`, by number.

    If the pressed message already says why, send nothing.
    """
    state = state_of(interaction)
    if state.is_refusal_shown:
        return
    pressed = parse_custom_id(str(interaction_data(interaction).get("custom_id", "")))
    game_id = state.game_id or (pressed.game if pressed else 0)
    blocks = with_rule_buttons(user_localizer(interaction), state.refusal_blocks, rules, game_id)
    message = lay_out_message([text, *blocks]) if blocks else text
    if isinstance(message, RenderedMessage) and state.refuses_in_place:
        await replace_message(interaction, message)
    else:
        await answer_privately(interaction, message)


class InteractionResponder:
    def __init__(self, services: Services, metrics: Metrics, refusals: RefusalLog) -> None:
        self._services = services
        self._metrics = metrics
        self.refusals = refusals
        self._running: set[asyncio.Task[Any]] = set()  # tasks that have not answered yet

    async def load_language(self, interaction: Interaction[Any]) -> None:
        await self.remember_language(interaction, await self._services.reader.players.find_player(interaction.user.id))

    async def remember_language(self, interaction: Interaction[Any], player: Player | None) -> None:
        """Use a player's language for this interaction; if they chose none, store that of their Discord client."""
        state_of(interaction).chosen_locale = player.chosen_locale if player else None
        client_locale = str(interaction.locale)
        if player is None or player.chosen_locale is not None:
            return
        if language_for_locale(player.locale) != language_for_locale(client_locale):
            await self._services.preferences.change_preferences(player_from_user(interaction.user, client_locale))

    async def run_guarded(self, interaction: Interaction[Any], what: str, action: Awaitable[None]) -> None:
        """Run an action. A refusal is shown; a bug is shown with a number that is also in the log."""
        user = interaction.user.id

        async def name_game(text: Markup) -> Markup:
            is_named = state_of(interaction).is_game_named
            return text if is_named else await with_game_name(self._services, interaction, text)

        with logs.bind_values(interaction=interaction.id, user=user), self._services.asked_by(user):
            await self.run_and_report(
                what, partial(user_localizer, interaction), action, partial(_answer_text, interaction), extend=name_game
            )

    async def run_and_report(
        self,
        what: str,
        localizer: Callable[[], Localizer],
        action: Awaitable[None],
        reply: Callable[[Markup, Sequence[str]], Awaitable[None]],
        *,
        hint: Callable[[], Awaitable[str]] | None = None,
        extend: Callable[[Markup], Awaitable[Markup]] | None = None,
    ) -> None:
        """Run an action and count its outcome as `what`. If it fails, `reply` with the reason; a bug is also logged.

        `reply` also gets the numbers of the rules that forbid the action, if they stand in a rulebook.
        `extend` returns a refusal with more text, and `hint` a text to follow refused orders. `localizer` is called
        only after a failure, because the action itself may load the user's language.
        """
        outcome: AnswerOutcome = "answered"
        started = time.perf_counter()
        task = asyncio.current_task()
        assert task is not None  # noqa: S101 - coroutines run in a task
        self._running.add(task)
        try:
            await action
        except (Refusal, OrderError) as refusal:
            outcome = "refused"
            why = refusal.fault.code if isinstance(refusal, OrderError) else refusal.key
            log.debug("refused", extra={"what": what, "why": why})
            hint_text = await hint() if hint and isinstance(refusal, OrderError) else ""
            text = refusal_text(localizer(), refusal)
            language = localizer().catalogue.language
            rules = await fault_rules(language, refusal.fault) if isinstance(refusal, OrderError) else ()
            await reply(Markup((await extend(text) if extend else text) + hint_text), rules)
        except Exception as error:
            is_from_discord = isinstance(error, discord.HTTPException | discord.RateLimited | aiohttp.ClientError)
            if is_from_discord and self.refusals.parse_refusal(error).kind in (RefusalKind.AWAY, RefusalKind.LIMITED):
                outcome = "refused"
                await reply(localizer().say("refuse.discord_away"), ())
                return
            outcome, number = "failed", secrets.token_hex(3)
            log.exception("error", extra={"what": what, "number": number})
            key = "refuse.not_written" if isinstance(error, NotWritten) else "refuse.failed"
            await reply(localizer().say(key, number=number), ())
        finally:
            self._running.discard(task)
            seconds = time.perf_counter() - started
            self._metrics.count_answer(what, outcome, seconds)
            log.debug(outcome, extra={"what": what, "ms": round(seconds * 1000)})

    async def wait_until_answered(self, timeout_s: float) -> None:
        if self._running:
            await asyncio.wait(self._running, timeout=timeout_s)
