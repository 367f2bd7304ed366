"""Forms of lists: how they are opened, how they look, and what was chosen."""

from __future__ import annotations

from typing import Any, Final

from discord import Interaction, ui
from msgspec import structs

from bot.discord.ids import Ref
from bot.discord.messages.board import line
from bot.discord.messages.choosing import labels
from bot.discord.presses.interactions import data_of, language_of, open_form
from bot.discord.presses.order import Ordering, Press
from bot.discord.presses.verbs import verb
from bot.doors.table import Table
from bot.errors import Refusal
from bot.telling.values import Filled
from bot.telling.wording import words_of
from bot.words.i18n import Words
from bot.words.style import shortened
from rules.protocol import Form

TITLE_MOST: Final = 45
"""Characters of a form's title and of the name of a list in it (Discord)."""
LISTS_MOST: Final = 5
"""In one form (Discord)."""


class Filling:
    """Opens forms of lists, and puts what was chosen into the draft."""

    def __init__(self, table: Table, ordering: Ordering) -> None:
        self._reader = table.reader
        self._ordering = ordering

    @verb("form")
    async def _form(self, interaction: Interaction[Any], ref: Ref) -> None:
        """Open a form, which shows the draft as it is now. Raises `Refusal` if it is not offered now."""
        asked = await self._ordering.find_or_lead(interaction, ref)
        form = await self._reader.form(asked, ref.token)
        if form is None:
            raise Refusal("stale")
        await open_form(interaction, ListForm(words_of(asked.playing, language_of(interaction)), ref, form))

    @verb("form_sent")
    async def _form_sent(self, interaction: Interaction[Any], ref: Ref) -> None:
        await self._ordering.carry_out(Press(interaction, ref, Filled(ref.token, chosen(interaction))))


class ListForm(ui.Modal):
    """A form of lists. What it sends is handled by its custom id, so that a restart loses nothing."""

    def __init__(self, words: Words, ref: Ref, form: Form) -> None:
        words = labels(words)
        sent = structs.replace(ref, verb="form_sent")
        super().__init__(title=shortened(words.text(form.label), TITLE_MOST), custom_id=sent.pack(), timeout=3600)
        for number, field in enumerate(form.fields[:LISTS_MOST]):
            options = [line(words.text(entry.label), entry.token, chosen=entry.chosen) for entry in field.entries]
            select: ui.Select[ListForm] = ui.Select(custom_id=f"{number}", options=options)
            self.add_item(ui.Label(text=shortened(words.text(field.label), TITLE_MOST), component=select))


def chosen(interaction: Interaction[Any]) -> tuple[str, ...]:
    """The tokens that were chosen in a form's lists, in order; empty where nothing was."""
    found: dict[str, str] = {}
    for label in data_of(interaction).get("components", []):
        part = label.get("component") or {}
        (value, *_) = part.get("values") or [""]
        found[str(part.get("custom_id"))] = str(value)
    return tuple(found.get(f"{number}", "") for number in range(LISTS_MOST))
