"""Divides what a message offers among pages, each of which Discord takes; which page is shown stands in its buttons."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import zip_longest
from typing import Final

from msgspec import structs

from bot.discord.ids import CustomId
from bot.discord.messages.board import (
    MAX_TEXT_CHARS,
    MESSAGE_ROOM,
    Button,
    CurrentPicture,
    FileAttachment,
    LayoutBlock,
    PictureGallery,
    SelectMenu,
    measure_blocks,
    split_rows,
)
from bot.discord.messages.choosing import disabled_reasons, label_localizer
from bot.presenters.values import DescribedPicture
from bot.texts import speech
from bot.texts.i18n import Localizer

_MAX_NOTE_CHARS: Final = 100
"""Characters in which it is said which page is shown."""
PHONE_ROWS: Final = 4
"""Rows of buttons, each 44 pixels high, that fit a phone's screen below a picture and five lines of text."""
PHONE_ROWS_WITHOUT_PICTURE: Final = 5
"""The same where there is no picture, but thirteen lines."""
PHONE_ROWS_SHORT_TEXT: Final = 8
"""The same where nothing stands above but a few lines."""
_ROW_PX: Final = 316
"""Pixels of such a row, with the gap after the last button."""
_BUTTON_PX: Final = 32
"""Pixels of a button that are no label, and of the gap beside it."""
_CHARACTER_PX: Final = 8
"""Pixels of a character in a label, about."""
_MAX_PAGE_BUTTONS: Final = 2
"""Buttons that turn pages, at most."""


def split_pages(
    words: Localizer,
    *,
    above: Sequence[LayoutBlock],
    offered: Sequence[LayoutBlock],
    controls: Sequence[Button],
    below: str,
    rest: Sequence[str] = (),
    always: str = "",
    lean: Sequence[LayoutBlock] = (),
    aside: Sequence[LayoutBlock] = (),
    last: Sequence[Button] = (),
    most_rows: int = PHONE_ROWS,
    pictured: bool = False,
    turn: Callable[[int], CustomId],
) -> list[list[LayoutBlock]]:
    """Divide what is offered among pages, so that the first fits a phone's screen.

    What is `above` and the `controls` stand on each page, with the buttons that turn pages. Below them stands why some
    of its buttons are grey, then some text on the first page, on the others the lines of the `rest` or, if there are
    none, the same; and `always` on each.
    If a few `lean` lines are given, they stand on the other pages in place of all that text, and so much is offered
    there as a phone shows. Below a picture the first page has `most_rows` rows of buttons, as a phone breaks them; so
    it has where one is `pictured` that does not stand there yet, or is shown to others alone.
    What is seldom wanted stands `aside`, below all that is offered, and never on the first page. What nobody should
    press by mistake stands `last`, behind the buttons that turn pages. `turn` says what a button means that leads to a
    page, by its number from 0.
    """
    most = (
        MESSAGE_ROOM.components - measure_blocks(*above, [*controls, *last], "text").components - _MAX_PAGE_BUTTONS - 1
    )
    bare = not pictured and all(isinstance(block, str) for block in above)
    back, more = _previous_page_button(words, 1, turn), _next_page_button(words, 1, turn)
    first = (PHONE_ROWS_WITHOUT_PICTURE if bare else most_rows) - count_phone_rows([*controls, more, *last])
    others = PHONE_ROWS_SHORT_TEXT - count_phone_rows([*controls, back, more, *last]) if lean else None
    sheets = _fill_pages(offered, most, first, others)
    if aside and (len(sheets) == 1 or measure_blocks(*sheets[-1], *aside).components > most):
        sheets.append([])
    sheets[-1].extend(aside)
    grey = [*map(partial(disabled_reasons, words), sheets)]
    taken = measure_blocks(*above, always, max(grey, key=len)).characters
    texts = [below, *speech.split_pages(rest, MAX_TEXT_CHARS - taken - _MAX_NOTE_CHARS)]
    number = max(len(texts), len(sheets))
    found: list[list[LayoutBlock]] = []
    for page in range(number):
        note = [f"-# {words.say('panel.page', number=page + 1, pages=number)}"] if page and number > 2 else []
        told = "" if page and lean else texts[min(page, len(texts) - 1)]
        why = grey[page] if page < len(grey) else ""
        text = "\n".join(filter(None, [why, told, *note, always]))
        back_here = [_previous_page_button(words, page, turn)] if page else []
        more_here = [_next_page_button(words, page, turn)] if page + 1 < number else []
        sheet: list[LayoutBlock] = [
            *(sheets[page] if page < len(sheets) else ()),
            [*controls, *back_here, *more_here, *last],
        ]
        found.append([*(lean if page and lean else above), *(_with_page(block, page) for block in sheet), text])
    return found


def count_phone_rows(block: LayoutBlock) -> int:
    """Return how many rows a phone shows of a block: buttons that have no room beside each other are broken."""
    if isinstance(block, str | DescribedPicture | PictureGallery | CurrentPicture | FileAttachment | SelectMenu):
        return 1
    number, left = 0, 0
    for button in block:
        wide = len(button.label) * _CHARACTER_PX + _BUTTON_PX
        if wide > left:
            number, left = number + 1, _ROW_PX
        left -= wide
    return number


def _fill_pages(
    offered: Sequence[LayoutBlock], room: int, first: int, others: int | None = None
) -> list[list[LayoutBlock]]:
    """Fill pages of so many components, in order, the first with so many rows of a phone; at least one, be it empty.

    The `others` have so many rows, too, if that is given. Buttons of which the first is joined stay below what is
    before them.
    """
    sheets: list[list[LayoutBlock]] = [[]]
    every = [row for block in offered for row in split_rows(block)]
    for row, after in zip_longest(every, every[1:]):
        here, rest = row, None
        tied = [after] if isinstance(after, list) and after[0].is_joined else []
        if len(sheets) == 1:
            here, rest = _split_block(row, first - sum(map(count_phone_rows, [*sheets[0], *tied])))
        for part in (here, rest):
            if not part:
                continue
            there = [*sheets[-1], part, *tied]
            full = others is not None and len(sheets) > 1 and sum(map(count_phone_rows, there)) > others
            if part is rest or (sheets[-1] and (full or measure_blocks(*there).components > room)):
                sheets.append([])
            sheets[-1].append(part)
    return sheets


def _split_block(row: LayoutBlock, most: int) -> tuple[LayoutBlock, LayoutBlock]:
    """Return the part of a row that takes so many rows of a phone, and the rest; either may be empty.

    Buttons that belong together are not parted.
    """
    if count_phone_rows(row) <= most:
        return row, []
    if isinstance(row, str | DescribedPicture | PictureGallery | CurrentPicture | FileAttachment | SelectMenu):
        return [], row
    fits = max((n for n in range(len(row)) if not row[n].is_joined and count_phone_rows(row[:n]) <= most), default=0)
    return row[:fits], row[fits:]


def _next_page_button(words: Localizer, page: int, turn: Callable[[int], CustomId]) -> Button:
    return Button(label=label_localizer(words).say("button.more"), custom_id=turn(page + 1))


def _previous_page_button(words: Localizer, page: int, turn: Callable[[int], CustomId]) -> Button:
    return Button(label=label_localizer(words).say("button.fewer"), custom_id=turn(page - 1))


def _with_page(block: LayoutBlock, page: int) -> LayoutBlock:
    """The same, so that after a press this page is shown."""
    match block:
        case str() | DescribedPicture() | PictureGallery() | CurrentPicture() | FileAttachment():
            return block
        case SelectMenu():
            return structs.replace(block, custom_id=structs.replace(block.custom_id, page=page))
    return [structs.replace(button, custom_id=structs.replace(button.custom_id, page=page)) for button in block]
