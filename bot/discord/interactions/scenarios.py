"""The form for a host's own scenario, as a file or as text."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import discord
from discord import Interaction, ui
from msgspec import UNSET

from bot.discord.delivery.refusals import REQUEST_ERRORS
from bot.discord.ids import CustomId
from bot.discord.interactions.responses import (
    acknowledge,
    answer_privately,
    form_text,
    interaction_data,
    open_form,
    state_of,
    user_language,
    user_localizer,
)
from bot.discord.interactions.verbs import handles_verb
from bot.discord.limits import MAX_HINT_CHARS, MAX_TITLE_CHARS
from bot.discord.messages.board import Button
from bot.discord.messages.quoting import quote_text, quoted_text
from bot.errors import Refusal
from bot.presenters.lobby import example_scenario
from bot.presenters.wording import game_localizer
from bot.services import options
from bot.services.options import MAX_SCENARIO_BYTES
from bot.services.table import Services
from bot.texts.i18n import Localizer
from rules.core.errors import OrderError

MAX_FORM_CHARS = 4000  # Discord's limit for a form's field
MAX_QUOTED_CHARS = 3000
"""Characters of a refused scenario that is quoted. A message holds 4,000 in all."""
DROP_MARK = "-"
"""Text that a host enters to drop a scenario that is too long for the form to show."""
_KEEP_TOKEN = "stays"  # noqa: S105 - not a password


class ScenarioInteractions:
    def __init__(self, services: Services) -> None:
        self._services = services

    @handles_verb("scenario")
    async def _open_scenario_form(self, interaction: Interaction[Any], ref: CustomId) -> None:
        seated_game = await self._services.reader.games.seated_game(ref.game)
        options.refuse_without_scenario(seated_game, interaction.user.id)
        text = seated_game.game.setup.scenario
        localizer = game_localizer(seated_game, user_language(interaction))
        example = example_scenario(localizer, seated_game.game.system) if text is UNSET else ""
        await open_form(interaction, _ScenarioForm(localizer, ref, "" if text is UNSET else text, example))

    @handles_verb("scenario_sent")
    async def _submit_scenario(self, interaction: Interaction[Any], ref: CustomId) -> None:
        await acknowledge(interaction, ephemeral=True, thinking=True)
        text = await _attached_text(interaction) or form_text(interaction)
        if ref.token == _KEEP_TOKEN and not text.strip():
            seated_game = await self._services.reader.games.seated_game(ref.game)
            await answer_privately(
                interaction, game_localizer(seated_game, user_language(interaction)).say("say.scenario_stays")
            )
            return
        if ref.token == _KEEP_TOKEN and text.strip() == DROP_MARK:
            text = ""
        with self._offer_correction(interaction, text, ref.game):
            seated_game = await self._services.lobbies.set_scenario(interaction.user.id, ref.game, text)
        localizer = game_localizer(seated_game, user_language(interaction))
        await answer_privately(interaction, localizer.say("say.scenario_set" if text.strip() else "say.scenario_gone"))

    @contextmanager
    def _offer_correction(self, interaction: Interaction[Any], text: str, game_id: int) -> Iterator[None]:
        """If a scenario is refused, quote it with a button that opens the form again, if it is short enough."""
        try:
            yield
        except OrderError:
            localizer = user_localizer(interaction)
            button = Button(
                label=localizer.say("button.correct"), custom_id=CustomId(verb="scenario_again", game=game_id)
            )
            quoted = quote_text(text)
            if len(quoted) <= MAX_QUOTED_CHARS:
                state_of(interaction).refusal_blocks = ("\n".join([localizer.say("say.you_wrote"), quoted]), [button])
            raise

    @handles_verb("scenario_again")
    async def _open_correction_form(self, interaction: Interaction[Any], ref: CustomId) -> None:
        seated_game = await self._services.reader.games.seated_game(ref.game)
        options.refuse_without_scenario(seated_game, interaction.user.id)
        localizer = game_localizer(seated_game, user_language(interaction))
        await open_form(interaction, _ScenarioForm(localizer, ref, quoted_text(interaction.message), ""))


class _ScenarioForm(ui.Modal):
    def __init__(self, localizer: Localizer, ref: CustomId, text: str, example: str) -> None:
        # An empty form doesn't delete a text that was too long for the form to show.
        fits = len(text) <= MAX_FORM_CHARS
        custom_id = CustomId(verb="scenario_sent", game=ref.game, token="" if fits else _KEEP_TOKEN)
        super().__init__(title=localizer.say("button.scenario")[:MAX_TITLE_CHARS], custom_id=custom_id.pack())
        file: ui.FileUpload[_ScenarioForm] = ui.FileUpload(custom_id="file", required=False, max_values=1)
        self.add_item(ui.Label(text=localizer.say("scenario.file")[:MAX_TITLE_CHARS], component=file))
        field: ui.TextInput[_ScenarioForm] = ui.TextInput(
            custom_id="text", style=discord.TextStyle.paragraph, max_length=MAX_FORM_CHARS, required=False
        )
        if fits:
            field.default = text or example[:MAX_FORM_CHARS] or None
            hint = localizer.say("scenario.hint_example" if example else "scenario.hint")
        else:
            hint = localizer.say("scenario.hint_long", drop=DROP_MARK)
        self.add_item(
            ui.Label(
                text=localizer.say("scenario.text")[:MAX_TITLE_CHARS],
                description=hint[:MAX_HINT_CHARS],
                component=field,
            )
        )


async def _attached_text(interaction: Interaction[Any]) -> str:
    """Return the text of the attached file; empty if there is none. Raises `Refusal`."""
    file = next(_attached_files(interaction), None)
    if file is None:
        return ""
    if int(file.get("size", 0)) > MAX_SCENARIO_BYTES:
        raise Refusal("scenario_too_long", most=MAX_SCENARIO_BYTES // 1024)
    try:
        data: bytes = await interaction.client.http.get_from_cdn(str(file["url"]))
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise Refusal("scenario_unreadable") from None
    except REQUEST_ERRORS as error:
        interaction.client.refusals.parse_refusal(error)
        raise Refusal("not_downloaded") from error


def _attached_files(interaction: Interaction[Any]) -> Iterator[dict[str, Any]]:
    yield from (interaction_data(interaction).get("resolved") or {}).get("attachments", {}).values()
