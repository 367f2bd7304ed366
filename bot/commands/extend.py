"""`/galley extend`: more time for what is asked now, and pauses."""

from __future__ import annotations

from typing import Any, ClassVar

from discord import Interaction

from bot import durations
from bot.commands.family import Family
from bot.errors import Refusal


class TimeCommands(Family):
    """More time, and none at all."""

    names: ClassVar = ("extend",)

    async def _extend(
        self,
        interaction: Interaction[Any],
        game: str | None = None,
        by: str | None = None,
        pause: bool | None = None,  # noqa: FBT001 - an option of a command
    ) -> None:
        number = await self.number(interaction, game)
        if pause is not None:
            if by:
                raise Refusal("pause_or_more")
            await self._pause(interaction, number, begin=pause)
            return
        length = durations.seconds(by) if by else None
        granted = await self.table.time.extend(interaction.user.id, number, length)
        await self.say(interaction, "say.extended" if granted else "say.extension_asked")

    async def _pause(self, interaction: Interaction[Any], number: int, *, begin: bool) -> None:
        if not begin:
            await self.table.time.resume(interaction.user.id, number)
            await self.say(interaction, "say.resumed")
            return
        paused = await self.table.time.pause(interaction.user.id, number)
        await self.say(interaction, "say.paused" if paused else "say.pause_asked")
