"""Somebody's games: a line each, and a way to each panel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from discord import ButtonStyle

from bot.discord.ids import Ref
from bot.discord.messages.board import Button, Shown, lay_out
from bot.discord.messages.choosing import labels
from bot.telling.inbox import Waiting, line
from bot.telling.wording import called
from bot.words.i18n import Catalogue, Words
from bot.words.labels import LABEL_MOST
from bot.words.style import shortened

PAGE_MOST: Final = 10
"""Games on a page: two rows of buttons, and as many lines as a phone shows at once."""


def inbox(found: Sequence[Waiting], language: str, page: int = 0) -> Shown | None:
    """Return a page of somebody's games, from 0; None if there are none."""
    if not found:
        return None
    pages = [found[start : start + PAGE_MOST] for start in range(0, len(found), PAGE_MOST)]
    page = min(page, len(pages) - 1)
    words = Words(Catalogue.load(language))
    lines = [f"### {words.say('games.title')}", *(line(one, language) for one in pages[page])]
    panels = [_button(words, one) for one in pages[page] if one.asked]
    turns = [_turn(words, number, len(pages)) for number in (page - 1, page + 1) if 0 <= number < len(pages)]
    return lay_out(["\n".join(lines), panels, turns])


def _button(words: Words, one: Waiting) -> Button:
    style = ButtonStyle.primary if one.mine else ButtonStyle.secondary
    label = shortened(called(labels(words), one.playing), LABEL_MOST)
    return Button(label=label, ref=Ref(verb="orders", game=one.playing.game.id), style=style)


def _turn(words: Words, page: int, pages: int) -> Button:
    label = words.say("games.page", page=page + 1, pages=pages)
    return Button(label=label, ref=Ref(verb="games", game=0, token=str(page)))
