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
        """Give the user the only seat on offer, or list the seats to choose from."""
        if interaction.guild_id is None:
            raise Refusal("guild_only")
        if game is not None:
            game_id = await self.find_game(interaction, game)
            await self.router.game_interactions.take_over(interaction, game_id)
            return
        seeking_games = await self.services.absence.games_seeking_captain(interaction.guild_id)
        seated_game_by_id = {seated_game.game.id: seated_game for seated_game in seeking_games}
        public_games = [seated_game.game for seated_game in seeking_games if not seated_game.game.private]
        visible_games = await self.router.access.filter_visible(requester_of(interaction), public_games)
        visible = [seated_game_by_id[game_row.id] for game_row in visible_games]
        # In their own games users may only return to a seat of their own side, so other games are preferred.
        games_of_others = [seated_game for seated_game in visible if seated_game.seat_of(interaction.user.id) is None]
        preferred = games_of_others or visible
        games_of_thread = [
            seated_game for seated_game in preferred if seated_game.game.thread_id == interaction.channel_id
        ]
        candidates = games_of_thread or preferred
        if not candidates:
            raise Refusal("none_seek")
        offered_seats = [seat.seat for seated_game in candidates for seat in seated_game.seats if seat.is_offered]
        if len(offered_seats) == 1:
            await self.router.game_interactions.take_over(interaction, candidates[0].game.id)
            return
        localizer = user_localizer(interaction)
        blocks: list[LayoutBlock] = [f"### {localizer.say('substitute.title')}"]
        await answer_privately(
            interaction, lay_out_message([*blocks, *self._lay_out_offers(candidates, user_language(interaction))])
        )

    def _lay_out_offers(self, seeking: list[SeatedGame], language: str) -> list[LayoutBlock]:
        blocks: list[LayoutBlock] = []
        for seated_game in seeking:
            localizer = game_localizer(seated_game, language)
            game = seated_game.game
            title, place = game_title(localizer, seated_game), thread_link(localizer, game)
            offered_seats = [seat for seat in seated_game.seats if seat.is_offered]
            for seat in offered_seats:
                params = {"game": title, "place": place, "team": str(seat.team)}
                ref = CustomId(verb="take_over", game=game.id, token=str(seat.seat))
                blocks.append(localizer.say("substitute.line", seat=seat.seat, **params))
                blocks.append([Button(label=localizer.say("button.take_over"), custom_id=ref)])
        return blocks[: 2 * _MAX_OFFERS_SHOWN]  # a line and a button each
