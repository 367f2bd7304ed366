"""Dividing a message's options among pages that fit Discord's limits. The buttons' ids hold the number of the page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
    options: Sequence[LayoutBlock],
    controls: Sequence[Button],
    looks: Sequence[Button] = (),
    below: str,
    later_lines: Sequence[str] = (),
    always: str = "",
    short_head: Sequence[LayoutBlock] = (),
    secondary: Sequence[LayoutBlock] = (),
    final_buttons: Sequence[Button] = (),
    max_rows: int = PHONE_ROWS,
    has_picture: bool = False,
    page_custom_id: Callable[[int], CustomId],
) -> list[list[LayoutBlock]]:
    """Divide the blocks of `options` among pages of which the first fits a phone's screen.

    `above` and `controls` stand on each page, with buttons to turn pages; on the first page also `looks`, buttons that
    only show something, if possible in one row with those that turn pages. Below them stand the reasons why buttons are
    disabled, then `below` on the first page and `later_lines` on the others (`below` if there are none), then `always`.

    `short_head` blocks, if any, replace all texts on later pages, which then hold as many options as fit a phone's
    screen. The first page has `max_rows` rows of buttons if it shows a picture, or will show one (`has_picture`).

    `secondary` blocks stand below all options, never on the first page. `final_buttons`, which nobody should press by
    mistake, stand behind those that turn pages. `page_custom_id` returns the custom id that leads to a page, from 0.
    """
    fixed_size = measure_blocks(*above, [*controls, *looks, *final_buttons], "text")
    max_components = MESSAGE_ROOM.components - fixed_size.components - _MAX_PAGE_BUTTONS - 1
    is_text_only = not has_picture and all(isinstance(block, str) for block in above)
    back, more = _previous_page_button(localizer, 1, page_custom_id), _next_page_button(localizer, 1, page_custom_id)
    rows_of_first_page = PHONE_ROWS_WITHOUT_PICTURE if is_text_only else max_rows
    first_rows = _control_rows(controls, looks, [more, *final_buttons])
    option_rows_of_first_page = rows_of_first_page - sum(map(count_phone_rows, first_rows))
    option_rows_of_other_pages = (
        PHONE_ROWS_SHORT_TEXT - count_phone_rows([*controls, back, more, *final_buttons]) if short_head else None
    )
    option_pages = _fill_pages(options, max_components, option_rows_of_first_page, option_rows_of_other_pages)
    last_page_size = measure_blocks(*option_pages[-1], *secondary)
    if secondary and (len(option_pages) == 1 or last_page_size.components > max_components):
        option_pages.append([])
    option_pages[-1].extend(secondary)
    reasons_by_page = [disabled_reasons(localizer, blocks) for blocks in option_pages]
    chars_on_each_page = measure_blocks(*above, always, max(reasons_by_page, key=len)).characters
    texts = [below, *speech.split_pages(later_lines, MAX_TEXT_CHARS - chars_on_each_page - _MAX_NOTE_CHARS)]
    page_count = max(len(texts), len(option_pages))
    pages: list[list[LayoutBlock]] = []
    for page in range(page_count):
        needs_page_number = page > 0 and page_count > 2
        page_number = localizer.say("panel.page", number=page + 1, pages=page_count) if needs_page_number else ""
        note = [f"-# {page_number}"] if page_number else []
        has_short_head = page > 0 and bool(short_head)
        page_text = "" if has_short_head else texts[min(page, len(texts) - 1)]
        reasons = reasons_by_page[page] if page < len(option_pages) else ""
        text = "\n".join(filter(None, [reasons, page_text, *note, always]))
        back_here = [_previous_page_button(localizer, page, page_custom_id)] if page else []
        more_here = [_next_page_button(localizer, page, page_custom_id)] if page + 1 < page_count else []
        option_blocks = option_pages[page] if page < len(option_pages) else []
        rows = _control_rows(controls, () if page else looks, [*back_here, *more_here, *final_buttons])
        blocks: list[LayoutBlock] = [*option_blocks, *rows]
        pages.append([*(short_head if has_short_head else above), *(_with_page(block, page) for block in blocks), text])
    return pages


def _control_rows(
    controls: Sequence[Button], looks: Sequence[Button], page_buttons: Sequence[Button]
) -> list[list[Button]]:
    """Return one row of all buttons, or two if a phone wraps the one anyway."""
    joined, divided = [*controls, *looks, *page_buttons], [[*controls], [*looks, *page_buttons]]
    is_wrapped = sum(map(count_phone_rows, divided)) <= count_phone_rows(joined)
    return divided if looks and controls and is_wrapped else [joined]


def count_phone_rows(block: LayoutBlock) -> int:
    """Return how many rows a phone needs for a block: buttons that do not fit beside each other are wrapped."""
    if isinstance(block, str | DescribedPicture | PictureGallery | CurrentPicture | FileAttachment | SelectMenu):
        return 1
    row_count, width_left = 0, 0
    for button in block:
        width = len(button.label) * _CHARACTER_PX + _BUTTON_PX
        if width > width_left:  # the button starts a new row
            row_count += 1
            width_left = _ROW_PX
        width_left -= width
    return row_count


def _fill_pages(
    options: Sequence[LayoutBlock], max_components: int, first_rows: int, other_rows: int | None = None
) -> list[list[LayoutBlock]]:
    """Return pages, at least one, with all blocks in order.

    A page has up to `max_components` components; the first also up to `first_rows` rows on a phone, and later ones up
    to `other_rows` if given. A row whose first button is joined stays on the page of the block before it.
    """
    pages: list[list[LayoutBlock]] = [[]]

    def is_last_page_too_large(*added_rows: LayoutBlock) -> bool:
        page = [*pages[-1], *added_rows]
        is_later_page = len(pages) > 1
        if is_later_page and other_rows is not None and sum(map(count_phone_rows, page)) > other_rows:
            return True
        return measure_blocks(*page).components > max_components

    rows = [row for block in options for row in split_rows(block)]
    for row, next_row in zip_longest(rows, rows[1:]):
        joined_row = [next_row] if isinstance(next_row, list) and next_row[0].is_joined else []
        part_here, part_on_next_page = row, None
        if len(pages) == 1:  # the first page takes as much of the row as it has room for
            rows_taken = sum(map(count_phone_rows, [*pages[0], *joined_row]))
            part_here, part_on_next_page = _split_block(row, first_rows - rows_taken)
        if part_here:
            if pages[-1] and is_last_page_too_large(part_here, *joined_row):
                pages.append([])
            pages[-1].append(part_here)
        if part_on_next_page:
            pages.append([part_on_next_page])
    return pages


def _split_block(row: LayoutBlock, max_phone_rows: int) -> tuple[LayoutBlock, LayoutBlock]:
    """Return the part of a row that fits into `max_phone_rows` and the other part; either may be empty.

    Joined buttons stay together.
    """
    if count_phone_rows(row) <= max_phone_rows:
        return row, []
    if isinstance(row, str | DescribedPicture | PictureGallery | CurrentPicture | FileAttachment | SelectMenu):
        return [], row
    # The row may be cut before a button with one of these indices.
    cuts = [n for n in range(len(row)) if not row[n].is_joined and count_phone_rows(row[:n]) <= max_phone_rows]
    cut = max(cuts, default=0)
    return row[:cut], row[cut:]


def _next_page_button(localizer: Localizer, page: int, page_custom_id: Callable[[int], CustomId]) -> Button:
    return Button(label=label_localizer(localizer).say("button.more"), custom_id=page_custom_id(page + 1))


def _previous_page_button(localizer: Localizer, page: int, page_custom_id: Callable[[int], CustomId]) -> Button:
    return Button(label=label_localizer(localizer).say("button.fewer"), custom_id=page_custom_id(page - 1))


def _with_page(block: LayoutBlock, page: int) -> LayoutBlock:
    match block:
        case str() | DescribedPicture() | PictureGallery() | CurrentPicture() | FileAttachment():
            return block
        case SelectMenu():
            return structs.replace(block, custom_id=structs.replace(block.custom_id, page=page))
    return [structs.replace(button, custom_id=structs.replace(button.custom_id, page=page)) for button in block]
