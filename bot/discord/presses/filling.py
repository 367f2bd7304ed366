"""Forms of lists: the buttons that open them, how they look, and what was chosen."""

from __future__ import annotations

from typing import Any, Final

from discord import Interaction, ui
from msgspec import structs

from bot.discord.ids import Ref
from bot.discord.messages.board import line
from bot.discord.messages.choosing import labels
from bot.discord.presses.interactions import data_of
from bot.words.i18n import Words
from bot.words.style import shortened
from rules.protocol import Form

TITLE_MOST: Final = 45
"""Characters of a form's title and of the name of a list in it (Discord)."""
LISTS_MOST: Final = 5
"""In one form (Discord)."""


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
