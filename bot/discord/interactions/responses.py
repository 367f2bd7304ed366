"""Reading Discord's interactions and responding to them: the user, their language, answers and edits."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
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
from bot.services.repair import Caller
from bot.store.models.records import Player
from bot.texts import speech
from bot.texts.i18n import Catalogue, Localizer, language_for_locale
from bot.texts.names import usable_name
from bot.texts.style import DISCORD_STYLE, MarkupStyle

log = logging.getLogger(__name__)

UNANSWERED_KINDS: Final = (
    RefusalKind.TOO_LATE,
    RefusalKind.AWAY,
    RefusalKind.LIMITED,
    RefusalKind.LOST_MESSAGE,
    RefusalKind.OLD_EDITS,
)
"""Refusals of an answer that need no other answer: the action is done, and the outbox shows the result."""

_UPDATES: Final = (InteractionResponseType.deferred_message_update, InteractionResponseType.message_update)

T = TypeVar("T")


def caller_of(interaction: Interaction[Any]) -> Caller:
    """Return the user and the server that Discord lets them manage, if any."""
    manages = interaction.guild_id if interaction.permissions.manage_guild else None
    return Caller(user_id=interaction.user.id, managed_guild_id=manages)


def player_from_user(user: discord.User | discord.Member, locale: str) -> Player:
    return Player(user_id=user.id, name=display_name(user), locale=locale)


def display_name(user: discord.User | discord.Member) -> str:
    return usable_name(user.display_name, user.global_name or "", user.name)


@dataclass
class InteractionState:
    """Notes that handlers make about an interaction, for its answer."""

    chosen_locale: str | None = None
    """The user's own choice; None: the locale of their Discord client holds."""
    command: str = ""
    """The name of the command that a button may repeat for another game; empty if none may."""
    command_options: Mapping[str, Any] = field(default_factory=dict)  # values by option, as given
    game_id: int | None = None
    """The game that the answer is about. Answers outside its thread name the game."""
    is_game_named: bool = False
    """Whether the user has named the game, so that a refusal need not name it."""
    request_id: str | None = None  # the only request that the typed text may answer; None: any
    refusal_blocks: tuple[LayoutBlock, ...] = ()
    """Shown below the reason if the user is refused, such as the text that they typed."""
    refuses_in_place: bool = False
    """Whether a refusal replaces the message with the pressed component, because that shows an earlier refusal."""
    is_refusal_shown: bool = False  # whether the pressed message already says why the user is refused
    is_message_edited: bool = False  # whether the message with the pressed component was edited
    is_acknowledged: bool = False  # whether an earlier answer did arrive although Discord reported an error


def state_of(interaction: Interaction[Any]) -> InteractionState:
    state: InteractionState = interaction.extras.setdefault("state", InteractionState())
    return state


def user_language(interaction: Interaction[Any]) -> str:
    """Return the language that the user has chosen, or that of their Discord client."""
    return language_for_locale(state_of(interaction).chosen_locale or str(interaction.locale))


def user_localizer(interaction: Interaction[Any], style: MarkupStyle = DISCORD_STYLE) -> Localizer:
    return Localizer(Catalogue.load(user_language(interaction)), style=style)


async def acknowledge(interaction: Interaction[Any], **options: bool) -> None:
    await _ignore_expired(interaction, interaction.response.defer(**options))


async def answer_privately(interaction: Interaction[Any], text: str | RenderedMessage) -> None:
    if isinstance(text, RenderedMessage):
        await _with_fitting_pictures(
            interaction, text, lambda fitting: _send_response(interaction, fitting.send_arguments())
        )
    else:
        await _send_response(interaction, {"content": text, "allowed_mentions": discord.AllowedMentions.none()})


async def answer_in_pages(interaction: Interaction[Any], lines: Iterable[str]) -> None:
    for page in speech.split_pages(lines):
        await answer_privately(interaction, lay_out_message([page]))


async def replace_message(interaction: Interaction[Any], message: RenderedMessage) -> bool:
    """Edit the message with the pressed component, or the "is thinking…" response. Return whether the edit arrived.

    Earlier edits of this message that are still being drawn are dropped.
    """
    if interaction.message is None or interaction.response.type not in _UPDATES:
        return await edit_response(interaction, message) is not None
    async with interaction.client.edits.exclusive(interaction.message.id) as note_edit:
        edited = await edit_response(interaction, message)
        note_edit(edited)
    return edited is not None


async def edit_response(interaction: Interaction[Any], message: RenderedMessage) -> discord.Message | None:
    """Edit the original response, with new ids for its lists. Return it, or None if the edit did not arrive."""
    pressed = parse_custom_id(str(interaction_data(interaction).get("custom_id", "")))
    message.reset_lists(interaction.id, pressed)
    state_of(interaction).is_message_edited = True

    async def edit(fitting: RenderedMessage) -> discord.Message | None:
        return await _ignore_expired(interaction, interaction.edit_original_response(**fitting.edit_arguments()))

    return await _with_fitting_pictures(interaction, message, edit)


async def reset_lists(interaction: Interaction[Any]) -> None:
    """Give the lists of an unchanged message new ids, so that the user can pick the same option again."""
    if interaction.message and not state_of(interaction).is_message_edited:
        await replace_message(interaction, rerender_message(interaction.message))


async def delete_response(interaction: Interaction[Any]) -> None:
    await _ignore_expired(interaction, interaction.delete_original_response())


async def show_after_waiting(
    interaction: Interaction[Any], message: RenderedMessage, *, in_place: bool = False
) -> None:
    """Send a private message whose picture took long to draw; `in_place` edits the original response instead.

    Discord accepts responses for 15 minutes. After that the message goes to the user's direct messages.
    """

    def respond(fitting: RenderedMessage) -> Awaitable[bool]:
        if in_place:
            return replace_message(interaction, fitting)
        return _send_response(interaction, fitting.send_arguments())

    has_arrived = await _with_fitting_pictures(interaction, message, respond)
    if has_arrived or not interaction.is_expired():
        return
    message.rewind_files()
    try:
        place = await interaction.client.direct_channel(interaction.user.id)
        await place.send(**message.send_arguments())
    except RecentlyRefused as error:
        log.warning("answer did not arrive", extra={"why": str(error), "code": error.refusal.code})
    except REQUEST_ERRORS as error:  # their direct messages may be closed
        _handle_lost_answer(interaction, error)


async def open_form(interaction: Interaction[Any], form: discord.ui.Modal) -> None:
    form.stop()  # discord.py need not remember the form: what is sent is dispatched by custom id
    await _ignore_expired(interaction, interaction.response.send_modal(form))


async def _send_response(interaction: Interaction[Any], arguments: dict[str, Any]) -> bool:
    """Send a private response, or a follow-up if there is one already. Return whether it has arrived."""
    if interaction.response.is_done() or state_of(interaction).is_acknowledged:
        sending: Awaitable[object] = interaction.followup.send(ephemeral=True, wait=True, **arguments)
    else:
        sending = interaction.response.send_message(ephemeral=True, **arguments)
    return await _ignore_expired(interaction, sending) is not None


async def _with_fitting_pictures(
    interaction: Interaction[Any], message: RenderedMessage, send: Callable[[RenderedMessage], Awaitable[T]]
) -> T:
    """Call `send` with the message. If its pictures are refused, try again with smaller ones, then without any."""
    localizer = user_localizer(interaction)
    has_smaller_pictures = False
    while True:  # ends at the latest when a message without pictures is refused
        try:
            return await send(message)
        except discord.HTTPException as error:
            kind = refusals.parse_refusal(error).kind
            if kind not in PICTURE_REFUSALS or not plainer.has_pictures(message):
                raise
            interaction.client.refusals.parse_refusal(error)
        if has_smaller_pictures or kind is RefusalKind.NO_UPLOADS:
            message = plainer.without_pictures(message, localizer.say(PICTURE_REFUSALS[kind]))
        else:
            message = await plainer.with_smaller_pictures(message)
            has_smaller_pictures = True


def _handle_lost_answer(interaction: Interaction[Any], error: BaseException) -> None:
    refusal = interaction.client.refusals.parse_refusal(error)
    log.warning("answer did not arrive", extra={"why": str(refusal), "code": refusal.code})


async def _ignore_expired(interaction: Interaction[Any], response: Awaitable[T]) -> T | None:
    """Return Discord's response, or None if the interaction is no longer accepted. Raises other `REQUEST_ERRORS`."""
    try:
        return await response
    except REQUEST_ERRORS as error:
        refusal = refusals.parse_refusal(error)
        # The pressed message may be gone: the user dismissed it, or another question has replaced it.
        if refusal.kind not in UNANSWERED_KINDS:
            raise
        _handle_lost_answer(interaction, error)
        if refusal.code == ALREADY_ACKNOWLEDGED_CODE:
            state_of(interaction).is_acknowledged = True  # send a follow-up
        return None


def requester_of(interaction: Interaction[Any]) -> Requester:
    is_manager = interaction.guild_id is not None and interaction.permissions.manage_guild
    return Requester(user_id=interaction.user.id, guild_id=interaction.guild_id, is_manager=is_manager)


def interaction_data(interaction: Interaction[Any]) -> dict[str, Any]:
    return cast("dict[str, Any]", interaction.data or {})


def picked_value(interaction: Interaction[Any]) -> str | None:
    values = interaction_data(interaction).get("values") or ()
    return str(values[0]) if values else None


def form_text(interaction: Interaction[Any]) -> str:
    """Return the content of a form's field `text`, at any depth of its components; empty if there is none."""
    components_to_search: list[Any] = list(interaction_data(interaction).get("components", []))
    while components_to_search:
        component = components_to_search.pop()
        if component.get("custom_id") == "text":
            return str(component.get("value") or "")
        components_to_search += component.get("components", [])  # of a row
        if component.get("component"):  # of a label
            components_to_search.append(component["component"])
    return ""


def is_private(interaction: Interaction[Any]) -> bool:
    """Return whether the pressed message is ephemeral. Only the user sees it, and only their presses change it."""
    return interaction.message is not None and interaction.message.flags.ephemeral
