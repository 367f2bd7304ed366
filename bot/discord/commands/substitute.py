"""`/galley substitute`: taking the place of a captain who is absent."""

from __future__ import annotations

from typing import Any, ClassVar, Final

from discord import Interaction

from bot.discord.commands.family import Family
from bot.discord.ids import Ref
from bot.discord.messages.board import Block, Button, lay_out
from bot.discord.presses.interactions import answer, asker_of, language_of
from bot.errors import Refusal
from bot.life.playing import Playing
from bot.telling.wording import called, place_of, words_of
from bot.words.i18n import Catalogue, Words

_SHOWN_MOST: Final = 10


class SubstituteCommands(Family):
    """Seats that are offered."""

    names: ClassVar = ("substitute",)

    async def _substitute(self, interaction: Interaction[Any], game: str | None = None) -> None:
        if interaction.guild_id is None:
            raise Refusal("guild_only")
        if game is not None:
            number = await self.number(interaction, game)
            await self.presses.game.take_over(interaction, number)
            return
        found = {playing.game.id: playing for playing in await self.table.absence.seeking(interaction.guild_id)}
        games = [playing.game for playing in found.values() if not playing.game.private]
        visible = [found[one.id] for one in await self.presses.access.visible(asker_of(interaction), games)]
        # One's own games come last: there one may only come back to a seat of one's own side.
        seeking = [playing for playing in visible if playing.seat_of(interaction.user.id) is None] or visible
        here = [playing for playing in seeking if playing.game.thread_id == interaction.channel_id] or seeking
        if not here:
            raise Refusal("none_seek")
        offered = [seat.seat for playing in here for seat in playing.seats if seat.offered]
        if len(offered) == 1:
            await self.presses.game.take_over(interaction, here[0].game.id)
            return
        words = Words(Catalogue.load(language_of(interaction)))
        blocks: list[Block] = [f"### {words.say('substitute.title')}"]
        await answer(interaction, lay_out([*blocks, *self._offers(here, language_of(interaction))]))

    def _offers(self, seeking: list[Playing], language: str) -> list[Block]:
        blocks: list[Block] = []
        for playing in seeking:
            words = words_of(playing, language)
            game, name, place = playing.game, called(words, playing), place_of(words, playing.game)
            for seat in (seat for seat in playing.seats if seat.offered):
                given = {"game": name, "place": place, "team": str(seat.team)}
                ref = Ref(verb="take_over", game=game.id, token=str(seat.seat))
                blocks.append(words.say("substitute.line", seat=seat.seat, **given))
                blocks.append([Button(label=words.say("button.take_over"), ref=ref)])
        return blocks[: 2 * _SHOWN_MOST]
