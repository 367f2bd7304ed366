"""A user's games: a line each, and a button to each panel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from discord import ButtonStyle

from bot.discord.ids import CustomId
from bot.discord.messages.board import Button, RenderedMessage, lay_out_message
from bot.discord.messages.choosing import label_localizer
from bot.presenters.inbox import InboxEntry, inbox_line
from bot.presenters.wording import short_game_title
from bot.texts.i18n import Catalogue, Localizer
from bot.texts.labels import MAX_LABEL_CHARS

MAX_GAMES_PER_PAGE: Final = 10


def lay_out_inbox(entries: Sequence[InboxEntry], language: str, page: int = 0) -> RenderedMessage | None:
    """Return a page of somebody's games, from 0; None if there are none."""
    if not entries:
        return None
    pages = [entries[start : start + MAX_GAMES_PER_PAGE] for start in range(0, len(entries), MAX_GAMES_PER_PAGE)]
    page = min(page, len(pages) - 1)
    localizer = Localizer(Catalogue.load(language))
    lines = [f"### {localizer.say('games.title')}", *(inbox_line(entry, language) for entry in pages[page])]
    panel_buttons = [_game_button(localizer, entry) for entry in pages[page] if entry.has_panel]
    neighbours = [number for number in (page - 1, page + 1) if 0 <= number < len(pages)]
    page_buttons = [_page_button(localizer, number, len(pages)) for number in neighbours]
    return lay_out_message(["\n".join(lines), panel_buttons, page_buttons])


def _game_button(localizer: Localizer, entry: InboxEntry) -> Button:
    style = ButtonStyle.primary if entry.waits_for_user else ButtonStyle.secondary
    label = short_game_title(label_localizer(localizer), entry.seated_game, MAX_LABEL_CHARS)
    return Button(label=label, custom_id=CustomId(verb="orders", game=entry.seated_game.game.id), style=style)


def _page_button(localizer: Localizer, page: int, pages: int) -> Button:
    label = localizer.say("games.page", page=page + 1, pages=pages)
    return Button(label=label, custom_id=CustomId(verb="games", game=0, token=str(page)))
