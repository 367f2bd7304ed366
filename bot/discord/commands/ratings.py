"""`/galley ladder`, `history profile`: captains' ratings and results."""

from __future__ import annotations

from typing import Any, ClassVar

import discord
from discord import Interaction
from discord.app_commands import Choice

from bot.discord.commands.family import CommandFamily, game_choices
from bot.discord.interactions.responses import answer_in_pages, display_name, requester_of, user_language
from bot.errors import Refusal
from bot.pages.folder import archive_address
from bot.presenters import ladder
from bot.texts.i18n import Catalogue, Localizer
from bot.texts.style import Markup
from bot.texts.whole import playable_systems


class RatingCommands(CommandFamily):
    names: ClassVar = ("ladder", "history.profile")  # commands below /galley; after a dot, those of a group

    def option_values(self) -> dict[str, list[Choice[str]]]:
        return {"system": game_choices()}

    async def _ladder(self, interaction: Interaction[Any], system: str | None = None) -> None:
        if interaction.guild_id is None:
            raise Refusal("guild_only")
        language = user_language(interaction)
        scores = await self.services.reader.players.server_scores(interaction.guild_id)
        systems = [name for name in playable_systems() if system in (None, name)]
        all_scores = {name: [score for score in scores if score.system == name] for name in systems}
        scores_by_system = {name: system_scores for name, system_scores in all_scores.items() if system_scores}
        if not scores_by_system:
            await self.say(interaction, "say.no_ladder")
            return
        user_id, ladder_count = interaction.user.id, len(scores_by_system)
        localizers = [Localizer(Catalogue.load(language, name)) for name in scores_by_system]
        ladders = [
            ladder.ladder_text(localizer, system_scores, user_id, ladder_count=ladder_count)
            for localizer, system_scores in zip(localizers, scores_by_system.values(), strict=True)
        ]
        lines = [*ladders, f"-# {Catalogue.load(language).say('ladder.note')}"]
        page_writer = interaction.client.pages
        key = (await self.services.servers.load_settings(interaction.guild_id)).page_key if page_writer else None
        if page_writer and key:
            address = Markup(archive_address(page_writer.public_url, key))
            lines.append(Catalogue.load(language).say("say.archive", address=address))
        await answer_in_pages(interaction, lines)

    async def _profile(
        self, interaction: Interaction[Any], user: discord.User | None = None, *, figures: bool = False
    ) -> None:
        subject = user or interaction.user
        language = user_language(interaction)
        localizer = Localizer(Catalogue.load(language))
        scores, rows, battle_systems = await self.services.reader.players.user_career(subject.id)
        is_on_same_server = isinstance(subject, discord.Member)
        if not rows or not (
            is_on_same_server or await self.router.access.may_see_profile(requester_of(interaction), subject.id)
        ):
            await self.say(interaction, "say.no_profile", who=display_name(subject))
            return
        title = f"### {localizer.say('profile.title', who=display_name(subject))}"
        all_rows = {name: [row for row in rows if row.system == name] for name in playable_systems()}
        rows_by_system = {name: played for name, played in all_rows.items() if played}
        parts = [
            ladder.profile_text(
                Localizer(Catalogue.load(language, name)),
                scores.get(name),
                played,
                battle_systems=battle_systems,
                figures=figures,
                profile_count=len(rows_by_system),
            )
            for name, played in rows_by_system.items()
        ]
        shown_scores = [scores[name] for name in rows_by_system if name in scores]
        note = ladder.profile_note(localizer, shown_scores, figures=figures)
        await answer_in_pages(interaction, [title, *parts, f"-# {note}"])
