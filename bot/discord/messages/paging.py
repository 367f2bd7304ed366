"""Divides what a message offers among pages, each of which Discord takes; which page is shown stands in its buttons."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from msgspec import structs

from bot.discord.ids import Ref
from bot.discord.messages.board import ROOM, TEXT_MOST, Attached, Block, Button, Gallery, Kept, Select, cost, rows
from bot.discord.messages.choosing import labels
from bot.telling.values import Drawn
from bot.words import speech
from bot.words.i18n import Words

_NOTE_MOST: Final = 100
"""Characters in which it is said which page is shown."""
_TURNING: Final = 3
"""Components of the row that turns pages: it, and a button either way."""


def pages(
    words: Words,
    *,
    above: Sequence[Block],
    lines: Sequence[str],
    last_line: str,
    offered: Sequence[Block],
    below: Sequence[Block],
    turn: Callable[[int], Ref],
) -> list[list[Block]]:
    """Divide lines and what is offered among pages; on each stands what is above and below, and the last line.

    `turn` says what a button means that leads to a page, by its number from 0.
    """
    fixed = cost(*above, last_line, *below)
    characters = TEXT_MOST - fixed.characters - _NOTE_MOST
    texts = speech.paged(lines, characters) or [""]
    room = ROOM.components - cost(*above, "text", *below).components
    sheets = _filled(offered, room)
    if len(texts) > 1 or len(sheets) > 1:
        sheets = _filled(offered, room - _TURNING)
    number = max(len(texts), len(sheets))
    found: list[list[Block]] = []
    for page in range(number):
        note = [f"-# {words.say('panel.page', number=page + 1, pages=number)}"] if number > 1 else []
        text = "\n".join(filter(None, [texts[min(page, len(texts) - 1)], last_line, *note]))
        turning: list[Block] = [_turning(words, page, number, turn)] if number > 1 else []
        sheet: list[Block] = [*sheets[min(page, len(sheets) - 1)], *turning, *below]
        found.append([*above, text, *(_on_page(block, page) for block in sheet)])
    return found


def _filled(offered: Sequence[Block], room: int) -> list[list[Block]]:
    """Fill pages of so many components, in order; at least one, be it empty."""
    sheets: list[list[Block]] = [[]]
    for row in (row for block in offered for row in rows(block)):
        if cost(*sheets[-1], row).components > room and sheets[-1]:
            sheets.append([])
        sheets[-1].append(row)
    return sheets


def _turning(words: Words, page: int, number: int, turn: Callable[[int], Ref]) -> list[Button]:
    words = labels(words)
    back = [Button(label=words.say("button.page_back", number=page), ref=turn(page - 1))] if page else []
    on = [Button(label=words.say("button.page_on", number=page + 2), ref=turn(page + 1))] if page + 1 < number else []
    return [*back, *on]


def _on_page(block: Block, page: int) -> Block:
    """The same, so that after a press this page is shown."""
    match block:
        case str() | Drawn() | Gallery() | Kept() | Attached():
            return block
        case Select():
            return structs.replace(block, ref=structs.replace(block.ref, page=page))
    return [structs.replace(button, ref=structs.replace(button.ref, page=page)) for button in block]
