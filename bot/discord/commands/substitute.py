"""`/galley substitute`: taking the place of a captain who is absent."""

from __future__ import annotations

from typing import Any, ClassVar, Final

from discord import Interaction

from bot.discord.commands.family import CommandFamily
from bot.discord.ids import CustomId
from bot.discord.interactions.responses import answer_privately, requester_of, user_language, user_localizer
from bot.discord.messages.board import Button, LayoutBlock, lay_out_message
from bot.errors import Refusal
from bot.lifecycle.steps.playing import SeatedGame
from bot.presenters.wording import game_localizer, game_title, thread_link

_MAX_OFFERS_SHOWN: Final = 10


class SubstituteCommands(CommandFamily):
    names: ClassVar = ("substitute",)

    async def _substitute(self, interaction: Interaction[Any], game: str | None = None) -> None:
        if interaction.guild_id is None:
            raise Refusal("guild_only")
        if game is not None:
            game_id = await self.find_game(interaction, game)
            await self.router.game_interactions.take_over(interaction, game_id)
            return
        playing_by_game = {
            seated_game.game.id: seated_game
            for seated_game in await self.services.absence.games_seeking_captain(interaction.guild_id)
        }
        games = [seated_game.game for seated_game in playing_by_game.values() if not seated_game.game.private]
        visible = [
            playing_by_game[game_row.id]
            for game_row in await self.router.access.filter_visible(requester_of(interaction), games)
        ]
        # The user's own games come last, because in those they may only return to a seat of their own side.
        seeking = [
            seated_game for seated_game in visible if seated_game.seat_of(interaction.user.id) is None
        ] or visible
        in_thread = [
            seated_game for seated_game in seeking if seated_game.game.thread_id == interaction.channel_id
        ] or seeking
        if not in_thread:
            raise Refusal("none_seek")
        offered_seats = [seat.seat for seated_game in in_thread for seat in seated_game.seats if seat.is_offered]
        if len(offered_seats) == 1:
            await self.router.game_interactions.take_over(interaction, in_thread[0].game.id)
            return
        localizer = user_localizer(interaction)
        blocks: list[LayoutBlock] = [f"### {localizer.say('substitute.title')}"]
        await answer_privately(
            interaction, lay_out_message([*blocks, *self._lay_out_offers(in_thread, user_language(interaction))])
        )

    def _lay_out_offers(self, seeking: list[SeatedGame], language: str) -> list[LayoutBlock]:
        blocks: list[LayoutBlock] = []
        for seated_game in seeking:
            localizer = game_localizer(seated_game, language)
            game, name, place = (
                seated_game.game,
                game_title(localizer, seated_game),
                thread_link(localizer, seated_game.game),
            )
            for seat in (seat for seat in seated_game.seats if seat.is_offered):
                params = {"game": name, "place": place, "team": str(seat.team)}
                ref = CustomId(verb="take_over", game=game.id, token=str(seat.seat))
                blocks.append(localizer.say("substitute.line", seat=seat.seat, **params))
                blocks.append([Button(label=localizer.say("button.take_over"), custom_id=ref)])
        return blocks[: 2 * _MAX_OFFERS_SHOWN]
