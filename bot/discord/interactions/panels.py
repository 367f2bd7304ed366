"""Showing captains their panels: in the pressed message, in a private reply, or through the outbox."""

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
    state_of,
    user_language,
    user_localizer,
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
from bot.jobs.values import DescribedPicture
from bot.presenters import panel as panel_presenter
from bot.presenters.asked import PendingRequest
from bot.presenters.panel import Advice, ClosedPanelFacts
from bot.presenters.wording import game_localizer
from bot.record.chapters import ChapterContent
from bot.services.orders import PRESS_TIMEOUT_S
from bot.services.table import Services
from bot.store.models.records import OutboxMessage
from bot.store.models.subjects import RequestSubject
from bot.texts import speech
from bot.texts.i18n import Localizer
from bot.texts.style import Markup
from bot.urgency import IsWanted

log = logging.getLogger(__name__)

INVALID_FORM: Final = 50035
"""Discord's code for an invalid body, such as one that refers to a missing attachment."""
UPLOAD_PERIOD_S: Final = 3600
MAX_NOT_KEPT: Final = 3
"""Consecutive refusals to keep a picture after which pictures are uploaded again for `UPLOAD_PERIOD_S`.

A single refusal may be due to an edit by another process.
"""
STEP_WAIT_S: Final = 0.2
"""Seconds that the answer to a press waits for the following step. The result of a longer step is a second edit."""


class PanelDisplay:
    """Shows panels in answers to presses and tells the outbox what was shown."""

    def __init__(self, services: Services, edits: MessageEdits, metrics: Metrics) -> None:
        self._services = services
        self._reader = services.reader
        self._edits = edits
        self._metrics = metrics
        self._upload_until = 0
        """Unix seconds until which pictures that could be kept are uploaded again."""
        self._not_kept = 0
        """Number of consecutive edits in which Discord has refused to keep a picture."""

    async def answer_with_panel(
        self, interaction: Interaction[Any], request: PendingRequest, *, note: str = ""
    ) -> None:
        """Send a captain's panel as a private answer to a deferred interaction. A slow picture follows by an edit."""
        localizer = game_localizer(request.seated_game, user_language(interaction))
        panel = captain.panel_layout(
            localizer, request, await self._reader.requests.panel_options(request), note=note, is_static=True
        )
        drawing = asyncio.create_task(self._reader.requests.draw_plan(request, localizer), name="picture of an answer")
        try:
            if not self._reader.pictures.is_overloaded():
                await asyncio.wait([drawing], timeout=PICTURE_WAIT_S)
            if drawing.done():
                await answer_privately(interaction, panel.render_page(await drawing))
                return
        finally:
            drawing.cancel()
        await answer_privately(interaction, panel.render_page(pending_note(localizer)))
        await self._add_picture(interaction, request, note)

    async def _add_picture(self, interaction: Interaction[Any], request: PendingRequest, note: str) -> None:
        """Add the picture to a panel that was shown without, in its current state, unless it is pressed meanwhile."""
        try:
            response = await interaction.original_response()
        except REQUEST_ERRORS as error:  # the user may have dismissed it
            interaction.client.refusals.parse_refusal(error)
            return
        localizer = game_localizer(request.seated_game, user_language(interaction))
        with suppress(Refusal):  # the request is closed: the next press says so
            current = await self._reader.requests.pending_request(
                interaction.user.id, request.row.game_id, request.row.id
            )
            panel_options = await self._reader.requests.panel_options(current)
            lay_out = captain.panel_layout(localizer, current, panel_options, note=note, is_static=True).render_page
            draw = partial(self._reader.requests.draw_plan, current, localizer)
            edit = partial(self._edit_panel, interaction, lay_out)
            is_old = partial(self._services.orders.is_outdated_version, current)
            await self._edits.text_then_picture(response.id, None, lay_out, draw, edit, is_old=is_old)

    async def show_in_place(
        self,
        interaction: Interaction[Any],
        request: PendingRequest,
        page: int = 0,
        *,
        draws_picture: bool = True,
        advice: Advice | None = None,
        note: str = "",
        removes_picture: bool = False,
    ) -> None:
        """Show the current request in the message that was pressed, which is the panel or a reply below it.

        Text and buttons come at once over the present picture, and the new picture follows if `draws_picture`. With
        `removes_picture` the present one is removed first, because it shows an earlier state of the game. The outbox
        later adds what cannot be drawn now.
        """
        panel, pressed = request.panel_message, interaction.message
        localizer = game_localizer(request.seated_game, user_language(interaction))
        if pressed is None:
            await self.answer_with_panel(interaction, request, note=note)
            return
        is_panel = panel is not None and panel.message_id == pressed.id
        if panel and panel.message_id and not is_panel and not pressed.flags.ephemeral:
            # The outbox has posted a newer panel below the captain's text.
            if await replace_message(
                interaction, lay_out_message([await self._order_summary(localizer, request, captain.panel_link(panel))])
            ):
                await self._services.orders.note_panel_seen(request, pressed.id)
            return
        # The outbox finds its message by the mark, so an edit must keep it.
        mark = panel.mark if panel and is_panel else None
        options = await self._reader.requests.panel_options(request)
        contents = captain.panel_layout(
            localizer, request, options, note=note, advice=advice, is_static=pressed.flags.ephemeral
        )
        lay_out = partial(contents.render_page, mark=mark, page=page)
        pictured = request if advice is None else request.with_draft(advice.hint.answer)
        hint = advice.hint if advice else None
        draw = partial(self._reader.requests.draw_plan, pictured, localizer, hint=hint) if draws_picture else None
        edit = partial(self._edit_panel, interaction, lay_out)
        placeholder = pending_note(localizer) if removes_picture else ""  # "" keeps the present picture
        is_old = partial(self._services.orders.is_outdated_version, request)
        try:
            outcome = await self._edits.text_then_picture(
                pressed.id, current_picture_of(pressed), lay_out, draw, edit, placeholder=placeholder, is_old=is_old
            )
        except (JobFailed, JobLimitExceeded):
            log.exception("picture of a press could not be made")
            if not is_panel:  # the outbox does not update this message
                await replace_message(interaction, lay_out(None))
            outcome = "replaced"
        if outcome == "shown" and draws_picture:
            await self._services.orders.note_panel_seen(request, pressed.id)
        elif outcome == "replaced":
            await self._services.orders.note_panel_seen(request, 0)

    async def show_result(self, interaction: Interaction[Any], answered: PendingRequest, page: int = 0) -> None:
        """Show a changed draft at once. After a seal that advances the game, show the next request or the result."""
        if not answered.advances_game:
            await self.show_in_place(interaction, answered, page)
            return
        step_runner, game_id = self._services.step_runner, answered.row.game_id
        if not await step_runner.wait_until_at_rest(game_id, STEP_WAIT_S):
            # The coming step would make a picture obsolete.
            await self.show_in_place(interaction, answered, draws_picture=False)
            await step_runner.wait_until_at_rest(game_id, PRESS_TIMEOUT_S)
        panel, pressed = await self._reader.messages.panel_message(answered), interaction.message
        # In direct messages the next request comes as a new message. Private replies show it in place.
        is_reply = pressed is not None and pressed.flags.ephemeral
        # One panel serves all requests on one clock, and then its captain's optional requests.
        panel_request_id = panel.subject_as(RequestSubject).request if panel else answered.row.id
        request_id = None if is_reply else panel_request_id  # None: the next request of the game
        try:
            current = await self._reader.requests.pending_request(
                interaction.user.id, game_id, request_id, with_panel=True
            )
        except Refusal:
            await self._show_closed(interaction, answered, panel)
            return
        await self.show_in_place(interaction, current, removes_picture=current.state != answered.state)

    async def _show_closed(
        self, interaction: Interaction[Any], answered: PendingRequest, panel: OutboxMessage | None
    ) -> None:
        """Show in the pressed message that the request is closed, with the result."""
        pressed = interaction.message
        is_panel = panel is not None and pressed is not None and panel.message_id == pressed.id
        is_reply = pressed is not None and pressed.flags.ephemeral
        if panel and (is_panel or is_reply):
            if is_reply and interaction.guild_id is None and panel.message_id is not None:
                # The panel in the same direct messages already shows the result.
                seated_game = await self._reader.games.seated_game(answered.row.game_id)
                localizer = game_localizer(seated_game, user_language(interaction))
                link = localizer.say("say.panel_link", link=captain.panel_link(panel))
                closed = captain.closed_panel_after_press(seated_game, localizer, link=link)
                is_shown = await replace_message(interaction, closed)
            else:
                seated_game, facts, closing = await self._reader.rounds.read_closed_panel(panel)
                localizer = game_localizer(seated_game, user_language(interaction))
                texts = panel_presenter.closed_panel_text(localizer, facts, closing)
                if facts.last_round:
                    lay_out = partial(captain.lay_out_closed_panel, facts, localizer, texts, mark=panel.mark)
                    draw = self._final_picture(facts, facts.last_round, localizer)
                    is_shown = await self._show_end(interaction, draw, localizer, lay_out)
                else:
                    closed = captain.lay_out_closed_panel(facts, localizer, texts, mark=panel.mark)
                    is_shown = await replace_message(interaction, closed)
            if is_shown and is_panel:
                await self._services.orders.note_panel_shown(panel)
        if not is_panel:
            await self._services.orders.note_panel_seen(answered, 0)  # the outbox need not wait for this answer

    async def show_after_step(self, interaction: Interaction[Any], game_id: int) -> None:
        """Show the current state in a private message of a closed request, with a note that the game has moved on."""
        note = user_localizer(interaction).say("say.moved_on")
        await self.show_next(interaction, game_id, note=note)
        state_of(interaction).is_refusal_shown = True

    async def show_next(self, interaction: Interaction[Any], game_id: int, *, note: str = "") -> None:
        """Show the next request in a panel that is closed, or a link to it, or how the game ended."""
        pressed, user_id = interaction.message, interaction.user.id
        try:
            request = await self._reader.requests.pending_request(user_id, game_id, with_panel=True)
        except Refusal:
            seated_game, facts, closing = await self._reader.rounds.read_ended(game_id, user_id)
            localizer = game_localizer(seated_game, user_language(interaction))
            texts = panel_presenter.final_text(localizer, facts, closing)
            texts = texts._replace(lines=(*filter(None, [note]), *texts.lines))
            lay_out = partial(captain.lay_out_closed_panel, facts, localizer, texts)
            if facts.last_round and pressed:
                draw = self._final_picture(facts, facts.last_round, localizer)
                await self._show_end(interaction, draw, localizer, lay_out)
                await self._services.orders.forget_shown(game_id, pressed.id)
                return
            closed = lay_out()
        else:
            if pressed is None or pressed.flags.ephemeral:
                await self.show_in_place(interaction, request, note=note, removes_picture=True)
                return
            localizer = game_localizer(request.seated_game, user_language(interaction))
            panel = request.panel_message
            text = localizer.say("panel.closed")
            if panel and panel.message_id:  # it has been sent
                text = Markup(f"{text} {localizer.say('say.panel_link', link=captain.panel_link(panel))}")
            closed = lay_out_message([text])
        await replace_message(interaction, closed)
        if pressed:
            await self._services.orders.forget_shown(game_id, pressed.id)

    def _final_picture(
        self, facts: ClosedPanelFacts, end: ChapterContent, localizer: Localizer
    ) -> Callable[[IsWanted], Awaitable[DescribedPicture]]:
        return partial(self._reader.pictures.draw_final_round, end, localizer, facts.seat.seat if facts.seat else None)

    async def _show_end(
        self,
        interaction: Interaction[Any],
        draw: Callable[[IsWanted], Awaitable[DescribedPicture]],
        localizer: Localizer,
        lay_out: Callable[[MessagePicture | str], RenderedMessage],
    ) -> bool:
        """Show the end of the game in the pressed message. Return whether that has arrived."""
        if interaction.message is None:
            return False
        edit = partial(self._edit_panel, interaction, lay_out)
        message_id, current_picture = interaction.message.id, current_picture_of(interaction.message)
        try:
            note = pending_note(localizer)
            outcome = await self._edits.text_then_picture(
                message_id, current_picture, lay_out, draw, edit, placeholder=note
            )
        except (JobFailed, JobLimitExceeded):
            log.exception("picture of an end could not be made")
            await replace_message(interaction, lay_out(None))
            return False
        return outcome == "shown"

    async def let_outbox_show(self, request: PendingRequest) -> PendingRequest:
        """Let the outbox show a changed panel.

        If the game advances, wait `STEP_WAIT_S` to show the result in the same edit.
        """
        if request.advances_game:
            await self._services.step_runner.wait_until_at_rest(request.row.game_id, STEP_WAIT_S)
            await self._services.orders.note_panel_seen(request, 0)
        return request

    async def panel_link(self, interaction: Interaction[Any], game_id: int) -> LayoutBlock:
        """Return a link to somebody's panel or a button that shows it. Raises `Refusal` if they have no request."""
        request = await self._reader.requests.pending_request(interaction.user.id, game_id, with_panel=True)
        localizer = game_localizer(request.seated_game, user_language(interaction))
        if request.panel_message and request.panel_message.message_id:
            return await self._order_summary(localizer, request, captain.panel_link(request.panel_message))
        return [Button(label=localizer.say("button.my_orders"), custom_id=CustomId(verb="orders", game=game_id))]

    async def _order_summary(self, localizer: Localizer, request: PendingRequest, link: str) -> str:
        choices = (await self._reader.requests.panel_options(request)).choices
        lines = speech.split_pages([*map(localizer.say_text, choices.lines)], panel_presenter.MAX_HINT_CHARS)[:1]
        lines += [panel_presenter.sealed_text(localizer, request)] if request.answer else []
        return "\n".join([*lines, localizer.say("say.panel_below", link=Markup(link))])

    async def _edit_panel(
        self,
        interaction: Interaction[Any],
        lay_out: Callable[[MessagePicture | str], RenderedMessage],
        rendered: RenderedMessage,
    ) -> discord.Message | None:
        """Edit a panel. Return the edited message, or None if the edit did not arrive.

        If Discord refuses to keep the picture, upload it again. After several refusals, upload pictures for a while
        without trying to keep them.
        """
        if rendered.kept_picture is None:
            return await edit_response(interaction, rendered)
        is_upload_period = 0 < self._upload_until - self._services.now() <= UPLOAD_PERIOD_S
        if not is_upload_period:
            try:
                edited = await edit_response(interaction, rendered)
            except discord.HTTPException as error:
                if error.status != BAD_REQUEST or error.code not in (0, INVALID_FORM):
                    raise
                self._metrics.count_unkept_picture()
                refusal = interaction.client.refusals.parse_refusal(error)
                log.warning("picture not kept", extra={"why": str(refusal), "code": refusal.code})
                self._not_kept += 1
                if self._not_kept >= MAX_NOT_KEPT:
                    self._not_kept, self._upload_until = 0, self._services.now() + UPLOAD_PERIOD_S
            else:
                self._not_kept = 0
                return edited
        return await edit_response(interaction, lay_out(await _download_picture(interaction, rendered.kept_picture)))


async def _download_picture(interaction: Interaction[Any], picture: CurrentPicture) -> DescribedPicture | None:
    try:
        data = await interaction.client.http.get_from_cdn(picture.url)
    except REQUEST_ERRORS as error:
        log.warning("picture not downloaded", extra={"why": str(interaction.client.refusals.parse_refusal(error))})
        return None
    return DescribedPicture(data=data, format=picture.filename.rpartition(".")[2], alt_text=picture.alt_text)
