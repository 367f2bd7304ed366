"""Export and deletion of what is stored about the user."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from discord import ButtonStyle, Interaction

from bot.discord.delivery.memory import RecentlyRefused
from bot.discord.delivery.refusals import REQUEST_ERRORS
from bot.discord.ids import CustomId
from bot.discord.interactions.responses import acknowledge, answer_privately, user_localizer
from bot.discord.interactions.verbs import handles_verb
from bot.discord.messages.board import Button, FileAttachment, lay_out_message
from bot.errors import Refusal
from bot.services.table import Services
from bot.texts.i18n import Localizer

log = logging.getLogger(__name__)

MAX_DELETED_MESSAGES: Final = 500
"""Direct messages deleted in one go. Discord allows about one a second."""
DELETION_TIMEOUT_S: Final = 600


def privacy_buttons(localizer: Localizer, *, has_keepsakes: bool = False) -> list[Button]:
    verb_by_key = {"button.my_data": "my_data", "button.forget": "forget"}
    if has_keepsakes:
        verb_by_key = {"button.keepsakes": "keepsakes", **verb_by_key}
    # These buttons belong to no game, which `game=0` says.
    return [
        Button(label=localizer.say(key), custom_id=CustomId(verb=verb, game=0)) for key, verb in verb_by_key.items()
    ]


class PrivacyInteractions:
    def __init__(self, services: Services) -> None:
        self._services = services
        self._busy_users: set[int] = set()
        """Users who are being served, because each request reads everything that is stored about them."""

    @contextmanager
    def _one_at_a_time(self, user_id: int) -> Iterator[None]:
        """Serve one request of a user at a time. Raises `Refusal` while another is running."""
        if user_id in self._busy_users:
            raise Refusal("busy_with_you")
        self._busy_users.add(user_id)
        try:
            yield
        finally:
            self._busy_users.remove(user_id)

    @handles_verb("my_data")
    async def _export_data(self, interaction: Interaction[Any], ref: CustomId) -> None:  # noqa: ARG002 - signature of handlers
        with self._one_at_a_time(interaction.user.id):
            await acknowledge(interaction, ephemeral=True, thinking=True)
            data = await self._services.privacy.export_data(interaction.user.id)
        localizer = user_localizer(interaction)
        await answer_privately(
            interaction,
            lay_out_message([localizer.say("say.my_data"), FileAttachment("war-galley-my-data.json", data)]),
        )

    @handles_verb("forget")
    async def _confirm_forgetting(self, interaction: Interaction[Any], ref: CustomId) -> None:  # noqa: ARG002
        await acknowledge(interaction, ephemeral=True, thinking=True)
        await self._services.privacy.refuse_unless_free(interaction.user.id)
        localizer = user_localizer(interaction)
        confirm = Button(
            label=localizer.say("button.forget_now"),
            custom_id=CustomId(verb="forget_now", game=0),
            style=ButtonStyle.danger,
        )
        await answer_privately(interaction, lay_out_message([localizer.say("say.forget_sure"), [confirm]]))

    @handles_verb("forget_now")
    async def _forget_user(self, interaction: Interaction[Any], ref: CustomId) -> None:  # noqa: ARG002
        with self._one_at_a_time(interaction.user.id):
            await acknowledge(interaction, ephemeral=True, thinking=True)
            localizer = user_localizer(interaction)
            await self._services.privacy.forget_user(interaction.user.id)
            all_deleted = await clear_direct_messages(interaction.client, interaction.user.id)
        await answer_privately(
            interaction, localizer.say("say.forgotten" if all_deleted else "say.forgotten_but_messages")
        )


async def clear_direct_messages(client: Any, user_id: int) -> bool:  # noqa: ANN401 - `WarGalley`, whose module imports this one
    """Delete the bot's direct messages to a user. Return whether all are gone."""
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
        refusal = client.refusals.parse_refusal(error)
        log.warning("direct messages were not all deleted", extra={"why": str(refusal), "deleted": deleted})
        return False
    return True
