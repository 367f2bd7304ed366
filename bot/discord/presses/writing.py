"""Orders written in direct messages: which question they answer, and what the bot replies."""

from __future__ import annotations

import logging
from contextlib import suppress
from datetime import datetime
from functools import cache, partial
from typing import Any, Final

import discord
from discord import Interaction
from msgspec import Struct

from bot import logs
from bot.discord.ids import CustomId
from bot.discord.messages import captain
from bot.discord.messages.board import LayoutBlock, RenderedMessage, lay_out_message
from bot.discord.messages.quoting import (
    GAME_NUMBER_PATTERN,
    correction_blocks,
    excerpt_around,
    game_choice_blocks,
    quoted_text,
)
from bot.discord.messages.welcome import help_page, welcome_buttons
from bot.discord.presses.answering import InteractionResponder
from bot.discord.presses.interactions import acknowledge, answer_privately, user_language
from bot.discord.presses.order import PanelInteractions
from bot.discord.presses.typed import MAX_TYPED_CHARS, TypedOrderInteractions
from bot.discord.presses.verbs import handles_verb
from bot.discord.sending.refusals import REQUEST_ERRORS
from bot.doors import meaning
from bot.doors.access import AccessControl, Requester
from bot.doors.table import Services
from bot.errors import Refusal
from bot.life.enqueue import panel_subject
from bot.telling import panel as telling
from bot.telling.asked import PendingRequest
from bot.telling.wording import game_localizer, game_title
from bot.words.i18n import Catalogue, Localizer, language_for_locale, languages
from bot.words.style import Markup
from rules.errors import OrderError
from rules.typed import strip_sentence_ends

log = logging.getLogger(__name__)

MAX_EDIT_REPORT_DELAY_S: Final = 300
"""Discord reports an edit at once; a report after this many seconds is about something else, such as a pin."""
MAX_EDITS: Final = 1000
"""The bot remembers the last edits that it has read of so many messages."""
MAX_MESSAGES_SEARCHED: Final = 20
"""Messages below an edited one among which its answer is looked for."""


class ParsedMessage(Struct):
    """What somebody has written, as far as it is understood."""

    text: str
    game_id: int | None = None
    """The game that its writer named."""
    about: int | None = None
    """The game that the reply is about."""
    meant: tuple[PendingRequest, ...] = ()
    """The questions that it may answer."""
    refused: str | None = None
    """The piece of it that is refused; None if it can be taken."""
    idle: bool = False
    """Its writer is asked nothing."""


class DirectMessageOrders:
    """Takes direct messages as typed orders: `A1 FFX; A2 FFF`, or `#12 A1 FFX` where several games could be meant."""

    def __init__(
        self,
        table: Services,
        answering: InteractionResponder,
        access: AccessControl,
        ordering: PanelInteractions,
        typing: TypedOrderInteractions,
    ) -> None:
        self._table = table
        self._answering = answering
        self._access = access
        self._ordering = ordering
        self._typing = typing
        self._since = table.now()
        self._edits: dict[int, tuple[datetime, str]] = {}
        """Maps the id of a message to the time and the text of the last edit of it that was read."""

    async def edited(self, message: discord.Message) -> None:
        """Take the text to which a direct message was edited.

        Discord reports other changes of a message, such as its link previews and pins, in the same way.
        """
        edited_at = message.edited_at
        if edited_at is None or self._table.now() - edited_at.timestamp() >= MAX_EDIT_REPORT_DELAY_S:
            return
        if edited_at.timestamp() < self._since:  # an edit is reported only to the bot that runs then
            return
        edit = (edited_at, message.content)
        if self._edits.get(message.id) != edit:
            self._edits[message.id] = edit
            if len(self._edits) > MAX_EDITS:
                del self._edits[next(iter(self._edits))]
            await self.direct_message(message)

    async def direct_message(self, message: discord.Message) -> None:
        """Take it. The panel, posted again below it, is the answer; a reply says only what the panel cannot."""
        user = message.author.id
        known = await self._table.reader.player(user)
        words = Localizer(Catalogue.load(language_for_locale(known.language if known else "")))
        typed = _parse_message(message.content)

        async def acting() -> None:
            self._table.denials.check(user)
            if shown := await self._carry_out(typed, message, words):
                await self._reply(message, typed, shown)

        async def tell(text: Markup) -> None:
            await self._reply(message, typed, lay_out_message([text, *_remedy_blocks(typed, words)]))

        hint = partial(self._examples, words, typed)
        with logs.bind_values(interaction=message.id, user=user), self._table.asked_by(user):
            await self._answering.carry_out("direct message", lambda: words, acting(), tell, hint=hint)

    async def _carry_out(
        self, typed: ParsedMessage, message: discord.Message, words: Localizer
    ) -> RenderedMessage | None:
        """Put it into the draft of what it answers; what there is to say besides the panel.

        Raises `Refusal` or `OrderError`, also if it may answer questions of several games.
        """
        user = message.author.id
        if not typed.text:
            raise Refusal("empty")
        if typed.game_id is None and strip_sentence_ends(typed.text.lstrip("/").casefold()) in _help_words():
            return help_page(words.catalogue.language, await self._asked(user, words))
        if len(typed.text) > MAX_TYPED_CHARS:
            raise Refusal("too_long", most=MAX_TYPED_CHARS)
        if typed.game_id is not None:
            typed.about = (await self._access.game(Requester(user_id=user), typed.game_id)).id
        try:
            found = await meaning.interpret_text(
                self._table.reader, self._table.orders, user, typed.text, typed.game_id
            )
        except Refusal as refused:
            typed.idle = refused.key == "nothing_asked"
            if refused.key == "game_over" and typed.about is not None:
                return await self._how_it_ended(typed.about, user, words)
            raise
        typed.meant, typed.about = found.asked, found.asked[0].row.game_id
        if len(found.asked) > 1:
            raise Refusal("which_game")
        below = message.edited_at is None or await self._check_edit(found.asked[0], message, words)
        try:
            if found.refused:
                raise found.refused
            asked = await self._table.orders.type(found.asked[0], typed.text, below=below)
        except OrderError as refused:
            typed.refused = refused.fault.piece
            raise
        return await self._what_came(await self._ordering.panels.leave_to_outbox(asked), user, words.catalogue.language)

    async def _check_edit(self, asked: PendingRequest, message: discord.Message, words: Localizer) -> bool:
        """Return whether to post the panel again: none is shown, or it stands above the edited message.

        Raises `Refusal` if the orders are sealed, or the message is older than the question.
        """
        panel = await self._table.reader.panel_message(asked)
        shown = panel if panel and panel.message_id else None
        if asked.row.status == "sealed":
            link = (
                words.say("say.panel_link", link=captain.panel_link(shown))
                if shown
                else words.style.command("galley orders")
            )
            raise Refusal("edited_sealed", panel=link)
        # `asked_at` is in whole seconds: a message of the same second may be older.
        if message.created_at.timestamp() < asked.row.asked_at + 1:
            raise Refusal("edited_late")
        return shown is None or (shown.message_id or 0) < message.id

    @handles_verb("meant")
    async def _meant(self, interaction: Interaction[Any], ref: CustomId) -> None:
        """Take what was typed for the game whose button was pressed; the question goes."""
        text = quoted_text(interaction.message)
        if interaction.guild_id is not None or not text:
            raise Refusal("stale")  # an id may be forged: what everybody sees holds no typed text, and would go
        await acknowledge(interaction)
        asked = await self._ordering.find(interaction, ref)
        with self._typing.correctable(interaction, asked, text):
            asked = await self._table.orders.type(asked, text, below=True)
        shown = await self._what_came(
            await self._ordering.panels.leave_to_outbox(asked), interaction.user.id, user_language(interaction)
        )
        if shown:
            await answer_privately(interaction, shown)
        if interaction.message:
            channel_id, message_id = interaction.message.channel.id, interaction.message.id
            await self._table.orders.answered(
                interaction.user.id, asked.row.game_id, channel_id=channel_id, message_id=message_id, over=True
            )

    async def _asked(self, user: int, words: Localizer) -> list[str]:
        """How to write what somebody is asked, for each of their games."""
        found: list[str] = []
        for game_id in await self._table.reader.asking(user):
            with suppress(Refusal):  # it has just gone on
                asked = await self._table.reader.asked(user, game_id)
                own = game_localizer(asked.playing, words.catalogue.language)
                found.append(f"-# {game_title(own, asked.playing)} · {await self._typing.example(own, asked)}")
        return found

    async def _what_came(self, asked: PendingRequest, user: int, language: str) -> RenderedMessage | None:
        """What came of something that was carried out at once; None if the panel tells it, as more is asked there."""
        if asked.answer is None:
            return None
        game_id = asked.row.game_id
        with suppress(Refusal):
            again = await self._table.reader.asked(user, game_id)
            if panel_subject(again.row).key == panel_subject(asked.row).key:
                return None
        playing, left, closing = await self._table.reader.ended(game_id, user)
        words = game_localizer(playing, language)
        told = telling.final_text(words, left, closing)
        return lay_out_message(
            ["\n".join([*told.said, *told.story, words.say("say.carried_out", text=asked.answer.body)])]
        )

    async def _how_it_ended(self, game_id: int, user: int, words: Localizer) -> RenderedMessage:
        """That a game takes no more orders, and how it ended for their writer."""
        playing, left, closing = await self._table.reader.ended(game_id, user)
        own = game_localizer(playing, words.catalogue.language)
        said = telling.final_text(own, left, closing).said
        return lay_out_message(["\n".join([f"-# {game_title(own, playing)}", own.say("refuse.game_over"), *said])])

    async def _reply(self, message: discord.Message, typed: ParsedMessage, shown: RenderedMessage) -> None:
        """Answer below a message, or below nothing if it is deleted, until something else is asked or written.

        The answer to an edited message takes the place of the one before.
        """
        below = message.to_reference(fail_if_not_exists=False)
        try:
            if message.edited_at and (reply := await _reply_to(message)):
                await reply.edit(**shown.editing())
                return
            sent = await message.channel.send(reference=below, **shown.sending())
        except REQUEST_ERRORS as error:
            refused = self._answering.refusals.read(error)
            log.warning("answer did not arrive", extra={"why": str(refused), "code": refused.code})
            return
        games = [typed.about, *(asked.row.game_id for asked in typed.meant)]
        for game_id in dict.fromkeys(games):
            if game_id is not None:
                await self._table.orders.answered(
                    message.author.id, game_id, channel_id=sent.channel.id, message_id=sent.id
                )

    async def _examples(self, words: Localizer, typed: ParsedMessage) -> str:
        """How to write what somebody is asked just now."""
        found = [
            await self._typing.example(game_localizer(one.playing, words.catalogue.language), one)
            for one in typed.meant
        ]
        more = [words.say("say.write_help")] if found else []
        return "".join(f"\n-# {example}" for example in dict.fromkeys([*found, *more]))


async def _reply_to(message: discord.Message) -> discord.Message | None:
    """Return what was answered to a message before it was edited; None if it is not found nearby."""
    async for later in message.channel.history(limit=MAX_MESSAGES_SEARCHED, after=message, oldest_first=True):
        if later.author != message.author and later.reference and later.reference.message_id == message.id:
            return later
    return None


@cache
def _help_words() -> frozenset[str]:
    """What somebody types who asks for help, in any language: the command's name, alone or in its group."""
    said = [Catalogue.load(language) for language in languages()]
    names = [(one.say("command_name.galley"), one.say("command_name.help")) for one in said]
    return frozenset({"?", *(help_ for _, help_ in names), *(f"{group} {help_}" for group, help_ in names)})


def _remedy_blocks(typed: ParsedMessage, words: Localizer) -> list[LayoutBlock]:
    """What may be done about a text that was not taken."""
    if typed.idle:
        return [f"-# {words.say('say.ways_on')}", welcome_buttons(words)]
    if len(typed.meant) > 1:
        # A text is for the question that was open when it was written, and for none that comes later.
        refs = [CustomId(verb="meant", game=asked.row.game_id, request=asked.row.id) for asked in typed.meant]
        return game_choice_blocks(words, zip((asked.playing for asked in typed.meant), refs, strict=True), typed.text)
    if typed.refused is None:
        return []
    (asked,) = typed.meant
    return [
        f"-# {game_title(words, asked.playing)}",
        *correction_blocks(words, asked.row, excerpt_around(typed.text, typed.refused)),
    ]


def _parse_message(content: str) -> ParsedMessage:
    """Part the number of the game from what is written."""
    text = content.strip()
    number = GAME_NUMBER_PATTERN.match(text)
    return ParsedMessage(text[number.end() :] if number else text, int(number[1]) if number else None)
