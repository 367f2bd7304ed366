"""Shows captains their panels: in the message that was pressed, in a reply, or by leaving them to the outbox."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from http.client import BAD_REQUEST
from typing import Any, Final

import discord
from discord import Interaction

from bot.discord.delivery.edits import MessageEdits
from bot.discord.delivery.refusals import REQUEST_ERRORS
from bot.discord.ids import CustomId
from bot.discord.interactions.responses import (
    answer_privately,
    edit_response,
    replace_message,
    suppress_refusal,
    user_language,
)
from bot.discord.messages import captain
from bot.discord.messages.board import (
    Button,
    CurrentPicture,
    LayoutBlock,
    MessagePicture,
    RenderedMessage,
    current_picture_of,
    lay_out_message,
)
from bot.discord.messages.pictures import PICTURE_WAIT_S, pending_note
from bot.discord.metrics import Metrics
from bot.errors import JobFailed, JobLimitExceeded, Refusal
from bot.presenters import panel as telling
from bot.presenters.asked import PendingRequest
from bot.presenters.panel import Advice, ClosedPanelFacts
from bot.presenters.values import DescribedPicture, IsWanted
from bot.presenters.wording import game_localizer
from bot.record.chapters import ChapterContent
from bot.services.orders import PRESS_TIMEOUT_S
from bot.services.table import Services
from bot.store.models.records import OutboxMessage
from bot.store.models.subjects import RequestSubject
from bot.texts import speech
from bot.texts.i18n import Catalogue, Localizer
from bot.texts.style import Markup

log = logging.getLogger(__name__)

INVALID_FORM: Final = 50035
"""Discord's code for a body that it does not accept, such as one that refers to an attachment it doesn't find."""
UPLOAD_PERIOD_S: Final = 3600
"""Seconds for which pictures are uploaded again without trying to keep them, once Discord refuses that."""
MAX_NOT_KEPT: Final = 3
"""Refusals in a row after which that is so; a single one may be because another bot has just edited the message."""
STEP_WAIT_S: Final = 0.2
"""How long the answer to a press waits for the step that follows it; longer ones are shown by a second edit."""


class PanelDisplay:
    """Shows panels in answers to presses, and tells the outbox what was shown."""

    def __init__(self, table: Services, edits: MessageEdits, metrics: Metrics) -> None:
        self._services = table
        self._reader = table.reader
        self._edits = edits
        self._metrics = metrics
        self._upload_until = 0
        """Until when (Unix seconds) pictures that could be kept are uploaded again."""
        self._not_kept = 0
        """How many pictures in a row Discord has refused to keep."""

    async def answer_with_panel(self, interaction: Interaction[Any], asked: PendingRequest, *, note: str = "") -> None:
        """Give a captain a panel for their eyes only, below all else; the interaction was deferred."""
        words = game_localizer(asked.seated_game, user_language(interaction))
        panel = captain.panel_layout(words, asked, await self._reader.panel_options(asked), note=note, still=True)
        drawing = asyncio.create_task(self._reader.draw_plan(asked, words), name="picture of an answer")
        try:
            if not self._reader.is_overloaded():
                await asyncio.wait([drawing], timeout=PICTURE_WAIT_S)
            if drawing.done():
                await answer_privately(interaction, panel.render_page(await drawing))
                return
        finally:
            drawing.cancel()
        await answer_privately(interaction, panel.render_page(pending_note(words)))
        await self._add_picture(interaction, asked, note)

    async def _add_picture(self, interaction: Interaction[Any], asked: PendingRequest, note: str) -> None:
        """Show a panel as it is by now, with its picture, where it was shown without, if it isn't pressed meanwhile."""
        try:
            shown = await interaction.original_response()
        except REQUEST_ERRORS as error:  # its reader may have dismissed it
            interaction.client.refusals.parse_refusal(error)
            return
        words = game_localizer(asked.seated_game, user_language(interaction))
        with suppress(Refusal):  # it is asked no more: a press says so
            fresh = await self._reader.pending_request(interaction.user.id, asked.row.game_id, asked.row.id)
            lay = captain.panel_layout(
                words, fresh, await self._reader.panel_options(fresh), note=note, still=True
            ).render_page
            draw, edit = partial(self._reader.draw_plan, fresh, words), partial(self._edit_panel, interaction, lay)
            is_old = partial(self._services.orders.is_outdated_version, fresh)
            await self._edits.text_then_picture(shown.id, None, lay, draw, edit, is_old=is_old)

    async def show_in_place(
        self,
        interaction: Interaction[Any],
        asked: PendingRequest,
        page: int = 0,
        *,
        drawn: bool = True,
        advice: Advice | None = None,
        note: str = "",
        anew: bool = False,
    ) -> None:
        """Show how things stand in the message that was pressed, be it the panel or a reply below it.

        Of a panel text and buttons come at once, over the picture that it has, and then the new picture, if it is to
        be `drawn`; it counts as seen with that. Where the game stands otherwise since, it is shown `anew`, without the
        picture of how it stood. What cannot be drawn now is left to the outbox.
        """
        panel, pressed = asked.panel_message, interaction.message
        words = game_localizer(asked.seated_game, user_language(interaction))
        if pressed is None:
            await self.answer_with_panel(interaction, asked, note=note)
            return
        ours = panel is not None and panel.message_id == pressed.id
        if panel and panel.message_id and not ours and not pressed.flags.ephemeral:
            # Below what the captain wrote there is a newer one.
            if await replace_message(
                interaction, lay_out_message([await self._order_summary(words, asked, captain.panel_link(panel))])
            ):
                await self._services.orders.note_panel_seen(asked, pressed.id)
            return
        # The outbox's mark stays on the message that the outbox sent.
        mark = panel.mark if panel and ours else None
        offered, still = await self._reader.panel_options(asked), pressed.flags.ephemeral
        contents = captain.panel_layout(words, asked, offered, note=note, advice=advice, still=still)
        lay = partial(contents.render_page, mark=mark, page=page)
        planned = asked if advice is None else asked.with_draft(advice.hint.answer)
        draw = partial(self._reader.draw_plan, planned, words) if drawn else None
        edit = partial(self._edit_panel, interaction, lay)
        until_then, is_old = (
            pending_note(words) if anew else "",
            partial(self._services.orders.is_outdated_version, asked),
        )
        try:
            came = await self._edits.text_then_picture(
                pressed.id, current_picture_of(pressed), lay, draw, edit, until_then=until_then, is_old=is_old
            )
        except (JobFailed, JobLimitExceeded):
            log.exception("picture of a press could not be made")
            if not ours:  # nobody else shows it there
                await replace_message(interaction, lay(None))
            came = "replaced"
        if came == "shown" and drawn:
            await self._services.orders.note_panel_seen(asked, pressed.id)
        elif came == "replaced":
            await self._services.orders.note_panel_seen(asked, 0)

    async def show_result(self, interaction: Interaction[Any], asked: PendingRequest, page: int = 0) -> None:
        """Show a changed draft at once; of a seal also what came of it, if the game goes on with it."""
        if not asked.advances_game:
            await self.show_in_place(interaction, asked, page)
            return
        rounds, game_id = self._services.step_runner, asked.row.game_id
        if not await rounds.wait_until_at_rest(game_id, STEP_WAIT_S):
            await self.show_in_place(interaction, asked, drawn=False)  # the step that comes would make it old
            await rounds.wait_until_at_rest(game_id, PRESS_TIMEOUT_S)
        panel, pressed = await self._reader.panel_message(asked), interaction.message
        # In direct messages what is asked next comes as a new message; elsewhere it follows in the same.
        here = pressed is not None and pressed.flags.ephemeral
        # One panel shows all that is asked on one clock, and then what its captain may do while others are asked.
        request = None if here else panel.subject_as(RequestSubject).request if panel else asked.row.id
        try:
            fresh = await self._reader.pending_request(interaction.user.id, game_id, request, with_panel=True)
        except Refusal:
            await self._show_closed(interaction, asked, panel)
            return
        await self.show_in_place(interaction, fresh, anew=fresh.state != asked.state)

    async def _show_closed(
        self, interaction: Interaction[Any], asked: PendingRequest, panel: OutboxMessage | None
    ) -> None:
        """Show in the message that was pressed what is left of its panel, whose question is closed."""
        pressed = interaction.message
        ours = panel is not None and pressed is not None and panel.message_id == pressed.id
        here = pressed is not None and pressed.flags.ephemeral
        if panel and (ours or here):
            if here and interaction.guild_id is None and panel.message_id is not None:
                # The panel beside it says so, and stays; it is not said twice.
                playing = await self._reader.seated_game(asked.row.game_id)
                words = game_localizer(playing, user_language(interaction))
                link = words.say("say.panel_link", link=captain.panel_link(panel))
                shown = captain.closed_panel_after_press(playing, words, link=link)
            else:
                playing, left, closing = await self._reader.read_closed_panel(panel)
                words = game_localizer(playing, user_language(interaction))
                told = telling.closed_panel_text(words, left, closing)
                if left.last_round:
                    lay = partial(captain.lay_out_closed_panel, left, words, told, mark=panel.mark)
                    if (
                        await self._show_end(interaction, self._final_picture(left, left.last_round, words), words, lay)
                        and ours
                    ):
                        await self._services.orders.note_panel_shown(panel)
                    return
                shown = captain.lay_out_closed_panel(left, words, told, mark=panel.mark)
            if await replace_message(interaction, shown) and ours:
                await self._services.orders.note_panel_shown(panel)
        if not ours:
            await self._services.orders.note_panel_seen(asked, 0)  # nothing else shows it, so it is not waited for

    async def show_after_step(self, interaction: Interaction[Any], game_id: int) -> None:
        """In a private message that asks something no more: say so above how things stand, and nowhere else."""
        moved = Localizer(Catalogue.load(user_language(interaction))).say("say.moved_on")
        await self.show_next(interaction, game_id, note=moved)
        suppress_refusal(interaction)

    async def show_next(self, interaction: Interaction[Any], game_id: int, *, note: str = "") -> None:
        """In a panel that was closed meanwhile: show what is asked now, or where it is asked, or what came of it."""
        pressed, user_id = interaction.message, interaction.user.id
        try:
            asked = await self._reader.pending_request(user_id, game_id, with_panel=True)
        except Refusal:
            playing, left, closing = await self._reader.read_ended(game_id, user_id)
            words = game_localizer(playing, user_language(interaction))
            told = telling.final_text(words, left, closing)
            told = told._replace(lines=(*filter(None, [note]), *told.lines))
            lay = partial(captain.lay_out_closed_panel, left, words, told)
            if left.last_round and pressed:
                await self._show_end(interaction, self._final_picture(left, left.last_round, words), words, lay)
                await self._services.orders.forget_shown(game_id, pressed.id)
                return
            shown = lay()
        else:
            if pressed is None or pressed.flags.ephemeral:
                await self.show_in_place(interaction, asked, note=note, anew=True)
                return
            words = game_localizer(asked.seated_game, user_language(interaction))
            found = asked.panel_message and asked.panel_message.message_id
            link = (
                words.say("say.panel_link", link=captain.panel_link(asked.panel_message))
                if asked.panel_message and found
                else ""
            )
            shown = lay_out_message([f"{words.say('panel.closed')} {link}".rstrip()])
        await replace_message(interaction, shown)
        if pressed:
            await self._services.orders.forget_shown(game_id, pressed.id)

    def _final_picture(
        self, left: ClosedPanelFacts, end: ChapterContent, words: Localizer
    ) -> Callable[[IsWanted], Awaitable[DescribedPicture]]:
        """What draws the last picture of a game from its captain's side."""
        return partial(self._reader.draw_final_round, end, words, left.seat.seat if left.seat else None)

    async def _show_end(
        self,
        interaction: Interaction[Any],
        draw: Callable[[IsWanted], Awaitable[DescribedPicture]],
        words: Localizer,
        lay: Callable[[MessagePicture | str], RenderedMessage],
    ) -> bool:
        """Show how a game has ended in the message that was pressed, with its last picture; whether all of it came."""
        if interaction.message is None:
            return False
        edit = partial(self._edit_panel, interaction, lay)
        number, current = interaction.message.id, current_picture_of(interaction.message)
        try:
            instead = pending_note(words)
            came = await self._edits.text_then_picture(number, current, lay, draw, edit, until_then=instead)
        except (JobFailed, JobLimitExceeded):
            log.exception("picture of an end could not be made")
            await replace_message(interaction, lay(None))
            return False
        return came == "shown"

    async def let_outbox_show(self, asked: PendingRequest) -> PendingRequest:
        """Let the outbox show a changed panel, and if the game goes on with it what came of that, in one go."""
        if asked.advances_game:
            await self._services.step_runner.wait_until_at_rest(asked.row.game_id, STEP_WAIT_S)
            await self._services.orders.note_panel_seen(asked, 0)
        return asked

    async def panel_link(self, interaction: Interaction[Any], game_id: int) -> LayoutBlock:
        """Where somebody's panel is, or the button that shows it. Raises `Refusal` if they are asked nothing."""
        asked = await self._reader.pending_request(interaction.user.id, game_id, with_panel=True)
        words = game_localizer(asked.seated_game, user_language(interaction))
        if asked.panel_message and asked.panel_message.message_id:
            return await self._order_summary(words, asked, captain.panel_link(asked.panel_message))
        return [Button(label=words.say("button.my_orders"), custom_id=CustomId(verb="orders", game=game_id))]

    async def _order_summary(self, words: Localizer, asked: PendingRequest, link: str) -> str:
        """A captain's orders in a message that is not the panel, which a link leads to."""
        choices = (await self._reader.panel_options(asked)).choices
        lines = speech.split_pages([*map(words.say_text, choices.lines)], telling.MAX_HINT_CHARS)[:1]
        lines += [telling.sealed_text(words, asked)] if asked.answer else []
        return "\n".join([*lines, words.say("say.panel_below", link=Markup(link))])

    async def _edit_panel(
        self,
        interaction: Interaction[Any],
        lay: Callable[[MessagePicture | str], RenderedMessage],
        shown: RenderedMessage,
    ) -> discord.Message | None:
        """Edit a panel. Return the edited message, or None if the edit did not arrive.

        If Discord refuses to keep the picture, the same edit uploads it again.
        """
        if shown.kept_picture is None:
            return await edit_response(interaction, shown)
        if not 0 < self._upload_until - self._services.now() <= UPLOAD_PERIOD_S:
            try:
                edited = await edit_response(interaction, shown)
            except discord.HTTPException as error:
                if error.status != BAD_REQUEST or error.code not in (0, INVALID_FORM):
                    raise
                self._metrics.count_unkept_picture()
                refused = interaction.client.refusals.parse_refusal(error)
                log.warning("picture not kept", extra={"why": str(refused), "code": refused.code})
                self._not_kept += 1
                if self._not_kept >= MAX_NOT_KEPT:
                    self._not_kept, self._upload_until = 0, self._services.now() + UPLOAD_PERIOD_S
            else:
                self._not_kept = 0
                return edited
        return await edit_response(interaction, lay(await _download_picture(interaction, shown.kept_picture)))


async def _download_picture(interaction: Interaction[Any], picture: CurrentPicture) -> DescribedPicture | None:
    """Return a picture that a message shows, or None if Discord doesn't have it any more."""
    try:
        data = await interaction.client.http.get_from_cdn(picture.url)
    except REQUEST_ERRORS as error:
        log.warning("picture not downloaded", extra={"why": str(interaction.client.refusals.parse_refusal(error))})
        return None
    return DescribedPicture(data=data, format=picture.filename.rpartition(".")[2], alt_text=picture.alt_text)
