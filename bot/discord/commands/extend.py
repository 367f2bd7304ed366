"""`/galley extend`: more time for the open request, and pauses."""

from __future__ import annotations

from typing import Any, ClassVar

from discord import Interaction, app_commands
from discord.app_commands import Choice

from bot.discord.commands.family import CommandFamily, make_suggestion, set_autocomplete
from bot.discord.interactions.responses import user_localizer
from bot.discord.limits import MAX_CHOICES
from bot.errors import Refusal
from bot.presenters import times
from bot.services.timekeeping import ExtensionOffer
from bot.texts import durations
from bot.texts.i18n import Localizer
from bot.texts.style import PLAIN_STYLE, Markup


class TimeCommands(CommandFamily):
    names: ClassVar = ("extend",)

    def commands(self) -> dict[str, app_commands.Command[Any, ..., None]]:
        commands = super().commands()
        set_autocomplete(commands["extend"], "by", self._suggest_extension)
        return commands

    async def _suggest_extension(self, interaction: Interaction[Any], typed: str) -> list[Choice[str]]:
        """Suggest extensions that a captain may take, with a note if the other side must agree."""
        localizer = user_localizer(interaction, PLAIN_STYLE)
        try:
            game_id = await self.find_game(interaction, interaction.namespace.game)
            offers = await self.services.timekeeping.suggest_extensions(interaction.user.id, game_id, typed)
        except Refusal:
            return []
        return [
            make_suggestion(_format_offer(localizer, offer), durations.format_duration(offer.length_s))
            for offer in offers[:MAX_CHOICES]
        ]

    async def _extend(
        self,
        interaction: Interaction[Any],
        game: str | None = None,
        by: str | None = None,
        pause: bool | None = None,  # noqa: FBT001 - an option of a command
    ) -> None:
        game_id = await self.find_game(interaction, game)
        if pause is not None:
            if by:
                raise Refusal("pause_or_more")
            await self._pause(interaction, game_id, begin=pause)
            return
        length = durations.parse_duration(by) if by else None
        granted = await self.services.timekeeping.extend_deadline(interaction.user.id, game_id, length)
        await self.say(interaction, "say.extended" if granted else "say.extension_asked")

    async def _pause(self, interaction: Interaction[Any], number: int, *, begin: bool) -> None:
        if not begin:
            goes_on = await self.services.timekeeping.resume_game(interaction.user.id, number)
            await self.say(interaction, "say.resumed" if goes_on else "say.resume_asked")
            return
        paused = await self.services.timekeeping.pause_game(interaction.user.id, number)
        await self.say(interaction, "say.paused" if paused else "say.pause_asked")


def _format_offer(localizer: Localizer, offer: ExtensionOffer) -> Markup:
    length = times.duration_text(localizer, offer.length_s)
    if offer.extensions_left is None:
        return length
    if offer.extensions_left < 0:  # the other side must agree
        return localizer.say("extend.asked", length=length)
    return localizer.say("extend.at_once", length=length, left=offer.extensions_left)
