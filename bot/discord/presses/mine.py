"""What is stored about the user: handed out, and deleted."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from discord import ButtonStyle, Interaction

from bot.discord.ids import CustomId
from bot.discord.messages.board import Button, FileAttachment, lay_out_message
from bot.discord.presses.interactions import acknowledge, answer_privately, user_language
from bot.discord.presses.verbs import handles_verb
from bot.discord.sending.memory import RecentlyRefused
from bot.discord.sending.refusals import REQUEST_ERRORS
from bot.doors.table import Services
from bot.errors import Refusal
from bot.words.i18n import Catalogue, Localizer

log = logging.getLogger(__name__)

MAX_DELETED_MESSAGES: Final = 500
"""Direct messages that are deleted at a time: Discord takes about one a second."""
DELETION_TIMEOUT_S: Final = 600
"""Seconds that may take: Discord lets an interaction be answered for 15 minutes."""


def privacy_buttons(words: Localizer, *, keeps: bool = False) -> list[Button]:
    """What hangs under the answer of `/galley me`, for one who `keeps` something from game to game or not."""
    kept = [Button(label=words.say("button.keepsakes"), ref=CustomId(verb="keepsakes", game=0))] if keeps else []
    return [
        *kept,
        Button(label=words.say("button.my_data"), ref=CustomId(verb="my_data", game=0)),
        Button(label=words.say("button.forget"), ref=CustomId(verb="forget", game=0)),
    ]


class PrivacyInteractions:
    """Gives people what is stored of them, and forgets them."""

    def __init__(self, table: Services) -> None:
        self._table = table
        self._busy: set[int] = set()
        """Users being served just now: each request goes through all that is stored."""

    @contextmanager
    def _alone(self, user_id: int) -> Iterator[None]:
        """Do one thing at a time for a user. Raises `Refusal` while another is being done for them."""
        if user_id in self._busy:
            raise Refusal("busy_with_you")
        self._busy.add(user_id)
        try:
            yield
        finally:
            self._busy.remove(user_id)

    @handles_verb("my_data")
    async def _data(self, interaction: Interaction[Any], ref: CustomId) -> None:  # noqa: ARG002 - as every verb
        with self._alone(interaction.user.id):
            await acknowledge(interaction, ephemeral=True, thinking=True)
            data = await self._table.privacy.data(interaction.user.id)
        words = Localizer(Catalogue.load(user_language(interaction)))
        await answer_privately(
            interaction, lay_out_message([words.say("say.my_data"), FileAttachment("war-galley-my-data.json", data)])
        )

    @handles_verb("forget")
    async def _ask(self, interaction: Interaction[Any], ref: CustomId) -> None:  # noqa: ARG002
        await acknowledge(interaction, ephemeral=True, thinking=True)
        await self._table.privacy.refuse_unless_free(interaction.user.id)
        words = Localizer(Catalogue.load(user_language(interaction)))
        sure = Button(
            label=words.say("button.forget_now"), ref=CustomId(verb="forget_now", game=0), style=ButtonStyle.danger
        )
        await answer_privately(interaction, lay_out_message([words.say("say.forget_sure"), [sure]]))

    @handles_verb("forget_now")
    async def _forget(self, interaction: Interaction[Any], ref: CustomId) -> None:  # noqa: ARG002
        with self._alone(interaction.user.id):
            await acknowledge(interaction, ephemeral=True, thinking=True)
            words = Localizer(Catalogue.load(user_language(interaction)))
            await self._table.privacy.forget(interaction.user.id)
            whole = await clear_direct_messages(interaction.client, interaction.user.id)
        await answer_privately(interaction, words.say("say.forgotten" if whole else "say.forgotten_but_messages"))


async def clear_direct_messages(client: Any, user_id: int) -> bool:  # noqa: ANN401 - our own client, which is above this package
    """Delete the bot's direct messages to a user; returns whether all are gone."""
    deleted = 0
    try:
        async with asyncio.timeout(DELETION_TIMEOUT_S):
            place = await client.direct_channel(user_id)
            async for message in place.history(limit=None):
                if message.author == client.user:
                    if deleted == MAX_DELETED_MESSAGES:
                        return False
                    await message.delete()
                    deleted += 1
    except RecentlyRefused:
        return False
    except REQUEST_ERRORS as error:
        refused = client.refusals.read(error)
        log.warning("direct messages were not all deleted", extra={"why": str(refused), "deleted": deleted})
        return False
    return True
