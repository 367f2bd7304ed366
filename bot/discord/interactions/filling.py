"""Forms that consist of lists: opening them and reading what was chosen."""

from __future__ import annotations

from typing import Any

from discord import Interaction, ui
from msgspec import structs

from bot.discord.ids import CustomId
from bot.discord.interactions.order import PanelInteractions, PanelPress
from bot.discord.interactions.responses import interaction_data, open_form, user_language
from bot.discord.interactions.verbs import handles_verb
from bot.discord.limits import MAX_FORM_FIELDS, MAX_TITLE_CHARS
from bot.discord.messages.board import select_option
from bot.discord.messages.choosing import label_localizer
from bot.errors import Refusal
from bot.jobs.values import SubmittedForm
from bot.presenters.wording import game_localizer
from bot.services.table import Services
from bot.texts.i18n import Localizer
from bot.texts.style import shorten
from rules.core.protocol import Form


class FormInteractions:
    def __init__(self, services: Services, panel_interactions: PanelInteractions) -> None:
        self._reader = services.reader
        self._panel_interactions = panel_interactions

    @handles_verb("form")
    async def _open_form(self, interaction: Interaction[Any], ref: CustomId) -> None:
        """Open a form that shows the present draft. Raises `Refusal` if it is no longer offered."""
        request = await self._panel_interactions.find_or_redirect(interaction, ref)
        form = await self._reader.requests.find_form(request, ref.token)
        if form is None:
            raise Refusal("stale")
        await open_form(
            interaction, ListForm(game_localizer(request.seated_game, user_language(interaction)), ref, form)
        )

    @handles_verb("form_sent")
    async def _submit_form(self, interaction: Interaction[Any], ref: CustomId) -> None:
        await self._panel_interactions.apply_press(
            PanelPress(interaction, ref, SubmittedForm(ref.token, chosen_tokens(interaction)))
        )


class ListForm(ui.Modal):
    """A form of lists. It is handled by its custom id, so that it works after a restart."""

    def __init__(self, localizer: Localizer, ref: CustomId, form: Form) -> None:
        localizer = label_localizer(localizer)
        custom_id = structs.replace(ref, verb="form_sent")
        super().__init__(title=shorten(localizer.say_text(form.label), MAX_TITLE_CHARS), custom_id=custom_id.pack())
        for number, field in enumerate(form.fields[:MAX_FORM_FIELDS]):
            options = [
                select_option(localizer.say_text(entry.label), entry.token, chosen=entry.is_chosen)
                for entry in field.entries
            ]
            select: ui.Select[ListForm] = ui.Select(custom_id=f"{number}", options=options)
            self.add_item(ui.Label(text=shorten(localizer.say_text(field.label), MAX_TITLE_CHARS), component=select))


def chosen_tokens(interaction: Interaction[Any]) -> tuple[str, ...]:
    """Return the token chosen in each of `MAX_FORM_FIELDS` lists, in order; empty if none was."""
    token_by_list: dict[str, str] = {}
    for label in interaction_data(interaction).get("components", []):
        part = label.get("component") or {}
        (value, *_) = part.get("values") or [""]
        token_by_list[str(part.get("custom_id"))] = str(value)
    return tuple(token_by_list.get(f"{number}", "") for number in range(MAX_FORM_FIELDS))
