"""What Discord's interactions hold, and how they are answered: who acts, in which language, with what."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Iterable
from typing import Any, Final, TypeVar, cast

import discord
from discord import Interaction, InteractionResponseType

from bot.discord.delivery import refusals
from bot.discord.delivery.memory import RecentlyRefused
from bot.discord.delivery.refusals import ALREADY_ACKNOWLEDGED_CODE, PICTURE_REFUSALS, REQUEST_ERRORS, RefusalKind
from bot.discord.ids import parse_custom_id
from bot.discord.messages import plainer
from bot.discord.messages.board import LayoutBlock, RenderedMessage, lay_out_message, rerender_message
from bot.services.access import Requester
from bot.store.models.records import Player
from bot.texts import speech
from bot.texts.i18n import Catalogue, Localizer, language_for_locale
from bot.texts.names import usable_name

log = logging.getLogger(__name__)

UNANSWERED_KINDS: Final = (
    RefusalKind.TOO_LATE,
    RefusalKind.AWAY,
    RefusalKind.LIMITED,
    RefusalKind.LOST_MESSAGE,
    RefusalKind.OLD_EDITS,
)
"""Refusals of an answer that need no other: what was pressed is done, and the outbox shows what came of it."""

_UPDATES: Final = (InteractionResponseType.deferred_message_update, InteractionResponseType.message_update)
"""Responses after which the original response is the message that was pressed."""

T = TypeVar("T")


def player_from_user(user: discord.User | discord.Member, locale: str) -> Player:
    """Return a Discord user as the table knows them."""
    return Player(user_id=user.id, name=display_name(user), locale=locale)


def display_name(user: discord.User | discord.Member) -> str:
    """Return somebody's name: on this server, in their profile, or of their account."""
    return usable_name(user.display_name, user.global_name or "", user.name)


def set_language(interaction: Interaction[Any], player: Player | None) -> None:
    """Remember which language the user has chosen, if any; None: they have never played or chosen."""
    interaction.extras["chosen_locale"] = player and player.chosen_locale


def user_language(interaction: Interaction[Any]) -> str:
    """Return the user's language: the chosen one (see `set_language`), or that of their Discord."""
    return language_for_locale(str(interaction.extras.get("chosen_locale") or interaction.locale))


async def acknowledge(interaction: Interaction[Any], **how: bool) -> None:
    """Tell Discord that an interaction is worked on. What was asked is done even if that comes too late."""
    await _ignore_expired(interaction, interaction.response.defer(**how))


async def answer_privately(interaction: Interaction[Any], text: str | RenderedMessage) -> None:
    """Say something to the user, and to nobody else."""
    if isinstance(text, RenderedMessage):
        await _with_fitting_pictures(
            interaction, text, lambda shown: _send_response(interaction, shown.send_arguments())
        )
    else:
        await _send_response(interaction, {"content": text, "allowed_mentions": discord.AllowedMentions.none()})


async def answer_in_pages(interaction: Interaction[Any], lines: Iterable[str]) -> None:
    """Say something of any length to the user, in as many messages as it takes."""
    for page in speech.split_pages(lines):
        await answer_privately(interaction, lay_out_message([page]))


async def replace_message(interaction: Interaction[Any], shown: RenderedMessage) -> bool:
    """Show something in place of what was pressed, or of "is thinking…"; return whether it arrived.

    Edits of this message that began earlier, such as one whose picture is still drawn, are not sent afterwards.
    """
    if interaction.message is None or interaction.response.type not in _UPDATES:
        return await edit_response(interaction, shown) is not None
    async with interaction.client.edits.exclusive(interaction.message.id) as record:
        edited = await edit_response(interaction, shown)
        record(edited)
    return edited is not None


async def edit_response(interaction: Interaction[Any], shown: RenderedMessage) -> discord.Message | None:
    """Edit what was pressed, or "is thinking…". Return the edited message, or None if the edit did not arrive."""
    shown.reset_lists(interaction.id, parse_custom_id(str(interaction_data(interaction).get("custom_id", ""))))
    interaction.extras["edited"] = True

    async def edit(fit: RenderedMessage) -> discord.Message | None:
        return await _ignore_expired(interaction, interaction.edit_original_response(**fit.edit_arguments()))

    return await _with_fitting_pictures(interaction, shown, edit)


async def reset_lists(interaction: Interaction[Any]) -> None:
    """Let a list be picked from again whose message the pick has left as it was, and which nothing else changes."""
    if interaction.message and not interaction.extras.get("edited"):
        await replace_message(interaction, rerender_message(interaction.message))


async def delete_response(interaction: Interaction[Any]) -> None:
    """Take a private message away that was pressed."""
    await _ignore_expired(interaction, interaction.delete_original_response())


async def show_after_waiting(interaction: Interaction[Any], shown: RenderedMessage, *, in_place: bool = False) -> None:
    """Show the user what took long to draw, `refuse_in_place` of "is thinking…" or below.

    Discord takes an answer for a quarter of an hour. What is ready later goes to their direct messages.
    """

    def give(fit: RenderedMessage) -> Awaitable[bool]:
        return replace_message(interaction, fit) if in_place else _send_response(interaction, fit.send_arguments())

    if await _with_fitting_pictures(interaction, shown, give) or not interaction.is_expired():
        return
    shown.rewind_files()
    try:
        place = await interaction.client.direct_channel(interaction.user.id)
        await place.send(**shown.send_arguments())
    except RecentlyRefused as known:
        log.warning("answer did not arrive", extra={"why": str(known), "code": known.refused.code})
    except REQUEST_ERRORS as error:  # their direct messages may be closed
        _handle_lost_answer(interaction, error)


async def open_form(interaction: Interaction[Any], form: discord.ui.Modal) -> None:
    """Let the user fill in a form."""
    await _ignore_expired(interaction, interaction.response.send_modal(form))


async def _send_response(interaction: Interaction[Any], arguments: dict[str, Any]) -> bool:
    if interaction.response.is_done() or interaction.extras.get("acknowledged"):
        saying: Awaitable[object] = interaction.followup.send(ephemeral=True, wait=True, **arguments)
    else:
        saying = interaction.response.send_message(ephemeral=True, **arguments)
    return await _ignore_expired(interaction, saying) is not None


async def _with_fitting_pictures(
    interaction: Interaction[Any], shown: RenderedMessage, give: Callable[[RenderedMessage], Awaitable[T]]
) -> T:
    """Give it with its pictures, else with smaller ones, else with none."""
    words = Localizer(Catalogue.load(user_language(interaction)))
    for last in (False, True):
        try:
            return await give(shown)
        except discord.HTTPException as error:
            meaning = refusals.parse_refusal(error).kind
            if meaning not in PICTURE_REFUSALS or not plainer.has_pictures(shown):
                raise
            interaction.client.refusals.parse_refusal(error)
        if last or meaning is RefusalKind.NO_UPLOADS:
            shown = plainer.without_pictures(shown, words.say(PICTURE_REFUSALS[meaning]))
        else:
            shown = await plainer.with_smaller_pictures(shown)
    return await give(shown)


def _handle_lost_answer(interaction: Interaction[Any], error: BaseException) -> None:
    refused = interaction.client.refusals.parse_refusal(error)
    log.warning("answer did not arrive", extra={"why": str(refused), "code": refused.code})


async def _ignore_expired(interaction: Interaction[Any], answering: Awaitable[T]) -> T | None:
    """Return what Discord returns for an answer, or None if Discord does not take it any more.

    What was pressed is done in either case.
    """
    try:
        return await answering
    except REQUEST_ERRORS as error:
        refused = refusals.parse_refusal(error)
        # What was pressed may be gone by now, as its reader has dismissed it, or is asked something else.
        if refused.kind not in UNANSWERED_KINDS:
            raise
        _handle_lost_answer(interaction, error)
        if refused.code == ALREADY_ACKNOWLEDGED_CODE:
            interaction.extras["acknowledged"] = True  # by an earlier try that was not heard: it may be followed up
        return None


def requester_of(interaction: Interaction[Any]) -> Requester:
    """Return the user as `bot.services.access` knows them."""
    manages = interaction.guild_id is not None and interaction.permissions.manage_guild
    return Requester(user_id=interaction.user.id, guild_id=interaction.guild_id, is_manager=manages)


def interaction_data(interaction: Interaction[Any]) -> dict[str, Any]:
    """What Discord sent with an interaction."""
    return cast("dict[str, Any]", interaction.data or {})


def picked_value(interaction: Interaction[Any]) -> str | None:
    """Return the value that was picked from a list; None if something else was pressed."""
    values = interaction_data(interaction).get("values") or ()
    return str(values[0]) if values else None


def form_text(interaction: Interaction[Any]) -> str:
    """What was written into the field `text` of a form, wherever its components hold it; empty if nothing was."""
    waiting: list[Any] = list(interaction_data(interaction).get("components", []))
    while waiting:
        component = waiting.pop()
        if component.get("custom_id") == "text":
            return str(component.get("value") or "")
        waiting += [*component.get("components", []), *filter(None, [component.get("component")])]
    return ""


def add_to_refusal(interaction: Interaction[Any], *blocks: LayoutBlock) -> None:
    """If the user is refused, show this below the reason: ways on, such as what they typed."""
    interaction.extras["ways"] = blocks


def set_game(interaction: Interaction[Any], game_id: int, *, named: bool = False) -> None:
    """What is answered is about this game, and says so unless it was asked in its thread.

    A refusal says so only if the user hasn't `named` the game.
    """
    interaction.extras["about"] = game_id
    interaction.extras["named"] = named


def is_game_guessed(interaction: Interaction[Any]) -> bool:
    """Whether an answer is about a game that the user hasn't named."""
    return game_number(interaction) is not None and not interaction.extras.get("named")


def game_number(interaction: Interaction[Any]) -> int | None:
    """The game that an answer is about, if it was found."""
    found: int | None = interaction.extras.get("about")
    return found


def require_request(interaction: Interaction[Any], request: str) -> None:
    """What is typed is for this question alone; where it is asked no more, for none."""
    interaction.extras["question"] = request


def required_request(interaction: Interaction[Any]) -> str | None:
    """The only question for which something was typed; None: whatever is asked."""
    found: str | None = interaction.extras.get("question")
    return found


def refuse_in_place(interaction: Interaction[Any]) -> None:
    """If it is refused, say so in place of what was pressed, which told of an earlier refusal."""
    interaction.extras["in_place"] = True


def is_private(interaction: Interaction[Any]) -> bool:
    """Whether a message was pressed that only the user sees, and that nothing but their presses changes."""
    return interaction.message is not None and interaction.message.flags.ephemeral


def suppress_refusal(interaction: Interaction[Any]) -> None:
    """If it is refused, say no more: what was pressed says why."""
    interaction.extras["said"] = True
