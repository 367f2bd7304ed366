"""Quoting typed text in an answer, so that a button can take it up again, even after a restart."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, Final

import discord

from bot.discord.ids import CustomId
from bot.discord.messages.board import Button, LayoutBlock
from bot.discord.messages.choosing import label_localizer
from bot.errors import Refusal
from bot.lifecycle.steps.playing import SeatedGame
from bot.presenters.wording import game_title, short_game_title
from bot.store.models.records import RequestRow
from bot.texts.i18n import Localizer
from bot.texts.labels import MAX_LABEL_CHARS
from bot.texts.style import ZERO_WIDTH_SPACE, Markup, shorten

MAX_GAME_BUTTONS: Final = 25  # Discord's five rows of five
MAX_ORDER_CHARS: Final = 200
"""Characters of the unchanged orders that are quoted; the panel shows all of them."""
MAX_EXCERPT_CHARS: Final = 80
GAME_NUMBER_PATTERN: Final = re.compile(r"^#(\d{1,9})\b\s*")
_QUOTE_PATTERN: Final = re.compile(r"```\n(.*)\n```", re.DOTALL)


def quote_text(text: str) -> str:
    return f"```\n{text.replace('`', f'{ZERO_WIDTH_SPACE}´')}\n```"


def excerpt_around(text: str, piece: str) -> str:
    """Return the text in one line. Of a long text, return the part around `piece`, or its beginning."""
    line = " ".join(text.split())
    if len(line) <= MAX_EXCERPT_CHARS:
        return line
    piece_in_line = " ".join(piece.split())[:MAX_EXCERPT_CHARS]
    piece_start = max(line.casefold().find(piece_in_line.casefold()), 0)
    start = piece_start - MAX_EXCERPT_CHARS // 4  # so that some text stands before the piece
    start = max(min(start, len(line) - MAX_EXCERPT_CHARS), 0)
    end = start + MAX_EXCERPT_CHARS
    ellipsis_before = "…" if start else ""
    ellipsis_after = "…" if end < len(line) else ""
    return f"{ellipsis_before}{line[start:end].strip()}{ellipsis_after}"


def quoted_text(message: discord.Message | None) -> str:
    """Return the text quoted in a message of the bot; empty if there is none."""
    components_to_search: list[Any] = list(message.components) if message else []
    while components_to_search:
        component = components_to_search.pop(0)
        if isinstance(component, discord.TextDisplay) and (match := _QUOTE_PATTERN.search(component.content)):
            return match[1].replace(f"{ZERO_WIDTH_SPACE}´", "`")
        components_to_search += getattr(component, "children", [])
    return ""


def correction_blocks(
    localizer: Localizer, row: RequestRow, text: str, *, offers_panel: bool = False
) -> list[LayoutBlock]:
    """Return the blocks below a refusal: the text, the orders that stay, and a button that opens the text in a form.

    With `offers_panel`, another button shows the panel again that this message replaces.
    """
    ref = CustomId(verb="correct", game=row.game_id, request=row.id, version=row.version)
    panel = Button(
        label=localizer.say("button.my_orders"), custom_id=CustomId(verb="page", game=row.game_id, request=row.id)
    )
    kept_orders = shorten("; ".join(row.draft.replace("`", "´").splitlines()), MAX_ORDER_CHARS)
    lines = [localizer.say("say.you_wrote"), quote_text(text)]
    lines.append(
        localizer.say("say.orders_stay", orders=kept_orders) if kept_orders else localizer.say("say.nothing_noted")
    )
    buttons = [Button(label=localizer.say("button.correct"), custom_id=ref)]
    if offers_panel:
        lines.append(localizer.say("say.panel_back"))
        buttons.append(panel)
    return ["\n".join(lines), buttons]


def ambiguous_game_refusal(localizer: Localizer, games: Sequence[SeatedGame]) -> Refusal:
    titles = [localizer.style.list_item(game_title(localizer, seated_game)) for seated_game in games[:MAX_GAME_BUTTONS]]
    return Refusal("which_of", games=Markup("\n".join(["", *titles])))


def game_choice_blocks(
    localizer: Localizer, games: Iterable[tuple[SeatedGame, CustomId]], text: str = ""
) -> list[LayoutBlock]:
    """Return a button for each game that may be meant; the text is quoted for the handler."""
    buttons = [
        Button(label=short_game_title(label_localizer(localizer), seated_game, MAX_LABEL_CHARS), custom_id=ref)
        for seated_game, ref in games
    ][:MAX_GAME_BUTTONS]
    return [*([quote_text(text)] if text else []), buttons]
