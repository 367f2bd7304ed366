"""Public views of a game: the log of a round, the table, films, the chronicle."""

from __future__ import annotations

from functools import partial
from typing import Any

from discord import Interaction

import render
from bot.discord.ids import CustomId
from bot.discord.interactions.responses import (
    acknowledge,
    answer_in_pages,
    answer_privately,
    picked_value,
    replace_message,
    show_after_waiting,
    user_language,
)
from bot.discord.interactions.verbs import handles_verb
from bot.discord.messages import inbox, why
from bot.discord.messages.board import (
    Button,
    FileAttachment,
    LayoutBlock,
    RenderedMessage,
    lay_out_message,
    outbox_mark_of,
)
from bot.discord.messages.choosing import label_localizer
from bot.discord.messages.gallery import GalleryMessages
from bot.discord.messages.rules import cited_rule_menu
from bot.errors import Refusal
from bot.presenters import chronicle, log
from bot.presenters.chronicle import ChronicleContent
from bot.presenters.readers.pictures import UserCrop
from bot.presenters.wording import game_localizer
from bot.services.table import Services
from bot.texts import speech


class ViewInteractions:
    """Shows games to the user. Each method answers a deferred interaction and may raise `Refusal`."""

    def __init__(self, services: Services) -> None:
        self._reader = services.reader
        self._gallery = GalleryMessages(services.reader)

    @handles_verb("log")
    async def _show_log_of_message(self, interaction: Interaction[Any], ref: CustomId) -> None:
        await acknowledge(interaction, ephemeral=True, thinking=True)
        await self.show_log(interaction, ref.game, await self._last_step_of_message(interaction, ref))

    async def _last_step_of_message(self, interaction: Interaction[Any], ref: CustomId) -> int:
        """Return the last step that the pressed message shows. Raises `Refusal` if it shows none."""
        mark = outbox_mark_of(interaction.message) if interaction.message else None
        if mark is None:
            raise Refusal("not_started")
        return await self._reader.messages.last_step_of_message(ref.game, mark)

    async def show_log(self, interaction: Interaction[Any], game_id: int, step_no: int) -> None:
        """Send a round's events up to a step and then the orders that are revealed, with a button to their texts."""
        facts, orders = await self._reader.rounds.round_log_in_words(game_id, interaction.user.id, step_no)
        localizer = game_localizer(facts.seated_game, user_language(interaction))
        event_pages, order_lines = log.event_pages(localizer, facts), log.order_lines(localizer, facts, orders)
        if not event_pages and not order_lines:
            event_pages = [localizer.say("headline.quiet")]
        *earlier_pages, last_page = speech.split_pages(event_pages) or [""]
        await answer_in_pages(interaction, earlier_pages)
        menu = cited_rule_menu(localizer, log.cited_rules(facts), game_id)
        if last_page:
            await answer_privately(interaction, lay_out_message([last_page, *menu]))
        *earlier_pages, last_page = speech.split_pages(order_lines) or [""]
        await answer_in_pages(interaction, earlier_pages)
        if last_page:
            ref = CustomId(verb="sealed", game=game_id, version=facts.public_step_count)
            buttons = [Button(label=label_localizer(localizer).say("button.sealed_texts"), custom_id=ref)]
            blocks: list[LayoutBlock] = [last_page, *([buttons] if facts.revealed_answers else [])]
            await answer_privately(interaction, lay_out_message(blocks))

    @handles_verb("sealed")
    async def _show_sealed_texts(self, interaction: Interaction[Any], ref: CustomId) -> None:
        """Send what the hashes of a round's answers cover, as far as the user may read it."""
        await acknowledge(interaction, ephemeral=True, thinking=True)
        facts = await self._reader.rounds.round_log_after(ref.game, interaction.user.id, ref.version)
        localizer = game_localizer(facts.seated_game, user_language(interaction))
        await answer_in_pages(interaction, log.sealed_lines(localizer, facts) or [localizer.say("headline.quiet")])

    @handles_verb("why")
    async def _explain_round(self, interaction: Interaction[Any], ref: CustomId) -> None:
        await acknowledge(interaction, ephemeral=True, thinking=True)
        await answer_privately(interaction, await self._render_reasons(interaction, ref, ref.version))

    @handles_verb("why_last")
    async def _explain_last_round(self, interaction: Interaction[Any], ref: CustomId) -> None:
        await acknowledge(interaction, ephemeral=True, thinking=True)
        await answer_privately(interaction, await self._render_reasons(interaction, ref, None))

    @handles_verb("why_ship")
    async def _explain_ship(self, interaction: Interaction[Any], ref: CustomId) -> None:
        await acknowledge(interaction)
        await replace_message(interaction, await self._render_reasons(interaction, ref, ref.version))

    async def _render_reasons(
        self, interaction: Interaction[Any], ref: CustomId, round_no: int | None
    ) -> RenderedMessage:
        reasons = await self._reader.rounds.reasons(ref.game, interaction.user.id, round_no)
        localizer = game_localizer(reasons.log.seated_game, user_language(interaction))
        ship = picked_value(interaction) or (ref.token if ref.verb == "why_ship" else "")
        explanation = await self._reader.rounds.explain(localizer, reasons, ship)
        return why.lay_out_reasons(localizer, reasons, explanation, ref.page)

    @handles_verb("view")
    async def _show_view(self, interaction: Interaction[Any], ref: CustomId) -> None:
        await acknowledge(interaction, ephemeral=True, thinking=True)
        await self.show_table(interaction, ref.game)

    @handles_verb("legend")
    async def _show_legend(self, interaction: Interaction[Any], ref: CustomId) -> None:
        await acknowledge(interaction, ephemeral=True, thinking=True)
        language = user_language(interaction)
        legend = await self._gallery.legend(interaction.user.id, language, ref.game, ref.request or None)
        await show_after_waiting(interaction, legend)

    async def show_table(
        self,
        interaction: Interaction[Any],
        game_id: int,
        kind: render.PictureKind | None = None,
        crop: UserCrop | None = None,
    ) -> None:
        language = user_language(interaction)
        for message in await self._gallery.table(interaction.user.id, language, game_id, kind, crop):
            await show_after_waiting(interaction, message)

    @handles_verb("film")
    async def _show_film_of_message(self, interaction: Interaction[Any], ref: CustomId) -> None:
        await acknowledge(interaction, ephemeral=True, thinking=True)
        step_no = await self._last_step_of_message(interaction, ref)
        user, language = interaction.user.id, user_language(interaction)
        await show_after_waiting(interaction, await self._gallery.film(user, language, ref.game, step_no=step_no))

    async def show_film(
        self, interaction: Interaction[Any], game_id: int, round_no: int | None, form: render.FilmFormat
    ) -> None:
        user, language = interaction.user.id, user_language(interaction)
        await show_after_waiting(
            interaction, await self._gallery.film(user, language, game_id, round_no=round_no, form=form)
        )

    @handles_verb("games")
    async def _turn_games_page(self, interaction: Interaction[Any], ref: CustomId) -> None:
        await acknowledge(interaction)
        page = inbox.lay_out_inbox(
            await self._reader.games.read_inbox(interaction.user.id),
            user_language(interaction),
            ref.token_as_number or 0,
        )
        if page:
            await replace_message(interaction, page)

    @handles_verb("chronicle")
    async def _send_chronicle(self, interaction: Interaction[Any], ref: CustomId) -> None:
        await acknowledge(interaction, ephemeral=True, thinking=True)
        content = await self.show_chronicle(interaction, ref.game)
        file = await self.chronicle_file(content, user_language(interaction))
        await show_after_waiting(interaction, lay_out_message([file]))

    async def show_chronicle(self, interaction: Interaction[Any], game_id: int) -> ChronicleContent:
        content = await self._reader.rounds.read_chronicle(game_id)
        localizer = game_localizer(content.facts.seated_game, user_language(interaction))
        await answer_in_pages(interaction, chronicle.chronicle_lines(localizer, content))
        return content

    async def chronicle_file(self, content: ChronicleContent, language: str) -> FileAttachment:
        data = await self._reader.rounds.chronicle_page(content, language)
        return FileAttachment(name=f"war-galley-{content.facts.seated_game.game.id}.html", data=data)

    @handles_verb("replay")
    async def _send_replay(self, interaction: Interaction[Any], ref: CustomId) -> None:
        await acknowledge(interaction, ephemeral=True, thinking=True)
        await self.show_replay(interaction, ref.game, "webp")

    async def show_replay(self, interaction: Interaction[Any], game_id: int, form: render.FilmFormat) -> None:
        film = await self._gallery.replay(
            interaction.user.id,
            user_language(interaction),
            game_id,
            form=form,
            progress=partial(_show_progress, interaction),
        )
        await show_after_waiting(interaction, film, in_place=True)


async def _show_progress(interaction: Interaction[Any], text: str) -> None:
    await replace_message(interaction, lay_out_message([text]))
