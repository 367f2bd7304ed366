"""Dividing a message's options among pages that fit Discord's limits. The buttons' ids hold the number of the page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import zip_longest
from typing import Final

from msgspec import structs

from bot.discord.ids import CustomId
from bot.discord.limits import MAX_TEXT_CHARS
from bot.discord.messages.board import (
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
from bot.jobs.values import DescribedPicture
from bot.texts import speech
from bot.texts.i18n import Localizer

_MAX_NOTE_CHARS: Final = 100
PHONE_ROWS: Final = 4
"""Rows of buttons, each 44 pixels high, that fit a phone's screen below a picture and five lines of text."""
PHONE_ROWS_WITHOUT_PICTURE: Final = 5
"""Rows of buttons that fit a phone's screen below thirteen lines of text without a picture."""
PHONE_ROWS_SHORT_TEXT: Final = 8
_ROW_PX: Final = 316
"""Width of a row, including the gap after the last button."""
_BUTTON_PX: Final = 32
"""Width of a button without its label, including the gap beside it."""
_CHARACTER_PX: Final = 8
_MAX_PAGE_BUTTONS: Final = 2


def split_pages(
    localizer: Localizer,
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
    """Divide the `offered` blocks among pages of which the first fits a phone's screen.

    `above` and `controls` stand on each page, with buttons to turn pages. Below them stand the reasons why buttons are
    disabled, then `below` on the first page and the lines of `rest` on the others (`below` if `rest` is empty), then
    `always`.

    If `lean` lines are given, they replace those texts on later pages, which then hold as many options as fit a phone's
    screen. The first page has `most_rows` rows of buttons if it shows a picture or is `pictured`, which means that a
    picture follows or is shown to others.

    `aside` blocks stand below all options, never on the first page. `last` buttons, which nobody should press by
    mistake, stand behind those that turn pages. `turn` returns the custom id that leads to a page, from 0.
    """
    most = (
        MESSAGE_ROOM.components - measure_blocks(*above, [*controls, *last], "text").components - _MAX_PAGE_BUTTONS - 1
    )
    bare = not pictured and all(isinstance(block, str) for block in above)
    back, more = _previous_page_button(localizer, 1, turn), _next_page_button(localizer, 1, turn)
    first = (PHONE_ROWS_WITHOUT_PICTURE if bare else most_rows) - count_phone_rows([*controls, more, *last])
    others = PHONE_ROWS_SHORT_TEXT - count_phone_rows([*controls, back, more, *last]) if lean else None
    sheets = _fill_pages(offered, most, first, others)
    if aside and (len(sheets) == 1 or measure_blocks(*sheets[-1], *aside).components > most):
        sheets.append([])
    sheets[-1].extend(aside)
    grey = [*map(partial(disabled_reasons, localizer), sheets)]
    used = measure_blocks(*above, always, max(grey, key=len)).characters
    texts = [below, *speech.split_pages(rest, MAX_TEXT_CHARS - used - _MAX_NOTE_CHARS)]
    number = max(len(texts), len(sheets))
    pages: list[list[LayoutBlock]] = []
    for page in range(number):
        note = [f"-# {localizer.say('panel.page', number=page + 1, pages=number)}"] if page and number > 2 else []
        page_text = "" if page and lean else texts[min(page, len(texts) - 1)]
        reasons = grey[page] if page < len(grey) else ""
        text = "\n".join(filter(None, [reasons, page_text, *note, always]))
        back_here = [_previous_page_button(localizer, page, turn)] if page else []
        more_here = [_next_page_button(localizer, page, turn)] if page + 1 < number else []
        blocks: list[LayoutBlock] = [
            *(sheets[page] if page < len(sheets) else ()),
            [*controls, *back_here, *more_here, *last],
        ]
        pages.append([*(lean if page and lean else above), *(_with_page(block, page) for block in blocks), text])
    return pages


def count_phone_rows(block: LayoutBlock) -> int:
    """Return how many rows a phone needs for a block: buttons that do not fit beside each other are wrapped."""
    if isinstance(block, str | DescribedPicture | PictureGallery | CurrentPicture | FileAttachment | SelectMenu):
        return 1
    number, width_left = 0, 0
    for button in block:
        width = len(button.label) * _CHARACTER_PX + _BUTTON_PX
        if width > width_left:
            number, width_left = number + 1, _ROW_PX
        width_left -= width
    return number


def _fill_pages(
    offered: Sequence[LayoutBlock], room: int, first: int, others: int | None = None
) -> list[list[LayoutBlock]]:
    """Distribute blocks in order among at least one page of up to `room` components.

    The first page has up to `first` phone rows, later ones up to `others` if given. A row whose first button is joined
    stays on the page of the block before it.
    """
    sheets: list[list[LayoutBlock]] = [[]]
    rows = [row for block in offered for row in split_rows(block)]
    for row, after in zip_longest(rows, rows[1:]):
        first_part, rest = row, None
        tied = [after] if isinstance(after, list) and after[0].is_joined else []
        if len(sheets) == 1:
            first_part, rest = _split_block(row, first - sum(map(count_phone_rows, [*sheets[0], *tied])))
        for part in (first_part, rest):
            if not part:
                continue
            candidate_page = [*sheets[-1], part, *tied]
            is_full = others is not None and len(sheets) > 1 and sum(map(count_phone_rows, candidate_page)) > others
            if part is rest or (sheets[-1] and (is_full or measure_blocks(*candidate_page).components > room)):
                sheets.append([])
            sheets[-1].append(part)
    return sheets


def _split_block(row: LayoutBlock, most: int) -> tuple[LayoutBlock, LayoutBlock]:
    """Split a row after `most` phone rows into two parts, either of which may be empty.

    Joined buttons stay together.
    """
    if count_phone_rows(row) <= most:
        return row, []
    if isinstance(row, str | DescribedPicture | PictureGallery | CurrentPicture | FileAttachment | SelectMenu):
        return [], row
    fits = max((n for n in range(len(row)) if not row[n].is_joined and count_phone_rows(row[:n]) <= most), default=0)
    return row[:fits], row[fits:]


def _next_page_button(localizer: Localizer, page: int, turn: Callable[[int], CustomId]) -> Button:
    return Button(label=label_localizer(localizer).say("button.more"), custom_id=turn(page + 1))


def _previous_page_button(localizer: Localizer, page: int, turn: Callable[[int], CustomId]) -> Button:
    return Button(label=label_localizer(localizer).say("button.fewer"), custom_id=turn(page - 1))


def _with_page(block: LayoutBlock, page: int) -> LayoutBlock:
    match block:
        case str() | DescribedPicture() | PictureGallery() | CurrentPicture() | FileAttachment():
            return block
        case SelectMenu():
            return structs.replace(block, custom_id=structs.replace(block.custom_id, page=page))
    return [structs.replace(button, custom_id=structs.replace(button.custom_id, page=page)) for button in block]
