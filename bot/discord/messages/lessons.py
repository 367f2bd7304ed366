"""Lessons in messages that only the pupil sees.

The message holds the lesson's whole state: the typed orders in its text, the rest in the ids of its buttons.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from discord import ButtonStyle

from bot.discord.ids import CustomId
from bot.discord.messages import choosing, paging
from bot.discord.messages.board import Button, LayoutBlock, RenderedMessage, lay_out_message
from bot.discord.messages.choosing import CustomIdFactory
from bot.jobs.values import PanelContent
from bot.presenters.glance import ROW_CHARS, TEXT_ROWS, count_text_rows, fit_lines
from bot.presenters.lessons import LessonPage
from bot.presenters.panel import brief_orders
from bot.presenters.reader import Reader
from bot.services import first
from bot.texts.i18n import Localizer
from rules.core.protocol import EMPTY_DRAFT, Draft

MAX_BUTTON_ROWS: Final = 3
"""One row fewer than a panel has, because the goal and the use of the buttons stand above."""
MAX_TEXT_ROWS: Final = TEXT_ROWS + 3
_DRAFT_PATTERN: Final = re.compile(r"```(\S*)\n(.*)\n```", re.DOTALL)
"""The pupil's draft in a message. The focus stands where Discord expects a language, and is not displayed."""


def parse_draft(texts: Iterable[str]) -> Draft:
    """Return the draft that a lesson's message quotes; an empty one if it quotes none."""
    for text in texts:
        match = _DRAFT_PATTERN.search(text)
        if match:
            return Draft(match[2], match[1])
    return EMPTY_DRAFT


async def lay_out_lesson(
    reader: Reader, page: LessonPage, draft: Draft = EMPTY_DRAFT, pressed: str | None = None, *, button_page: int = 0
) -> RenderedMessage:
    """Return a lesson's goal, a picture with the pupil's draft, and a page of its buttons, from 0.

    Raises `Refusal`, and `OrderError` for a `pressed` option that is not possible.
    """
    lesson = await reader.lessons.open_lesson(page, draft, pressed)
    return lay_out_lesson_page(page, lesson.draft, lesson.panel, button_page)


def lay_out_lesson_page(page: LessonPage, draft: Draft, panel: PanelContent, button_page: int) -> RenderedMessage:
    pages = lesson_pages(page, draft, panel)
    return lay_out_message(pages[min(button_page, len(pages) - 1)])


def lesson_pages(page: LessonPage, draft: Draft, panel: PanelContent) -> list[list[LayoutBlock]]:
    key_prefix, localizer, choices = page.key_prefix, page.pupil_localizer(), panel.choices
    lesson_title = localizer.say(f"{key_prefix}.title")
    title = localizer.say("learn.title", number=page.number + 1, of=page.lesson_count, title=lesson_title)
    # The use of the buttons stands above them on every page; the details stand below.
    gist, *details = localizer.say(f"{key_prefix}.text").split("\n")
    lines_above, lines_below = _split_texts(localizer, page, gist, draft, panel)
    orders = f"{localizer.say('learn.orders')}\n```{draft.focus}\n{draft.text}\n```" if draft.text else ""
    start_over = Button(
        label=localizer.say("button.start_over"), custom_id=lesson_custom_id(page, "lesson"), is_disabled=not draft.text
    )
    controls = [
        Button(
            label=localizer.say("button.try"),
            custom_id=lesson_custom_id(page, "lesson_try"),
            style=ButtonStyle.success,
            is_disabled=bool(choices.missing_parts),
        ),
        Button(label=localizer.say("button.show_me"), custom_id=lesson_custom_id(page, "lesson_hint")),
    ]
    return paging.split_pages(
        localizer,
        above=[f"### {title}", panel.picture, "\n".join(lines_above)],
        options=choosing.merge_button_rows(
            [*choosing.option_blocks(localizer, choices.groups, _lesson_custom_ids(page)), [start_over]]
        ),
        controls=controls,
        below="\n".join([*lines_below, *details]),
        always=orders,
        max_rows=MAX_BUTTON_ROWS,
        page_custom_id=lambda number: lesson_custom_id(page, "lesson_page", str(number)),
    )


async def lay_out_result(reader: Reader, page: LessonPage, draft: Draft) -> RenderedMessage:
    """Return the result of the pupil's orders, and why they reached the goal or not.

    Raises `Refusal`, `OrderError`.
    """
    key_prefix, localizer = page.key_prefix, page.pupil_localizer()
    attempt = await reader.lessons.try_lesson(page, draft)
    verdict = localizer.say("learn.reached" if attempt.is_goal_reached else "learn.missed")
    title = localizer.say(f"{key_prefix}.title")
    blocks: list[LayoutBlock] = [f"### {title}\n**{verdict}** {attempt.reason}", attempt.picture]
    retry = Button(label=localizer.say("button.again"), custom_id=lesson_custom_id(page, "lesson"))
    if page.number + 1 < page.lesson_count:
        style = ButtonStyle.success if attempt.is_goal_reached else ButtonStyle.secondary
        blocks.append(
            [
                retry,
                Button(
                    label=localizer.say("button.next_lesson"),
                    custom_id=lesson_custom_id(page, "lesson", lesson_offset=1),
                    style=style,
                ),
            ]
        )
    else:
        play = Button(
            label=localizer.say("button.play_now"),
            custom_id=CustomId(verb="play", game=0, token=page.system),
            style=ButtonStyle.success,
        )
        buttons = [play, retry] if page.system in first.games_with_first_game() else [retry]
        blocks += [buttons, localizer.say("learn.end")]
    if attempt.story:
        blocks.append("\n".join(attempt.story))
    return lay_out_message(blocks)


def _split_texts(
    localizer: Localizer, page: LessonPage, gist: str, draft: Draft, panel: PanelContent
) -> tuple[list[str], list[str]]:
    """Return the lines between picture and buttons, and those below the buttons.

    Gist, goal and missing parts stand above. Orders and a warning join them if they fit.
    """
    order_lines = [*map(localizer.say_text, panel.choices.lines)]
    warning_lines = [localizer.say("panel.warning", what=localizer.say_text(warning)) for warning in panel.warnings]
    above = [gist, f"**{localizer.say('learn.goal')}** {localizer.say(f'{page.key_prefix}.goal')}"]
    if panel.choices.missing_parts:
        missing_parts = "; ".join(brief_orders(localizer, panel.choices.missing_parts))
        above.append(localizer.say("panel.missing", what=localizer.to_markup(missing_parts)))
    groups_above = [order_lines, warning_lines[:1]] if draft.text else [warning_lines[:1]]
    complete_lines: list[str] = []  # those that stand above in full
    for group in groups_above:
        fitted = fit_lines(localizer, group, ROW_CHARS)
        if fitted.text and count_text_rows(localizer, "\n".join([*above, fitted.text])) <= MAX_TEXT_ROWS:
            above.append(fitted.text)
            if fitted.is_complete:
                complete_lines += group
    return above, [line for line in [*order_lines, *warning_lines] if line not in complete_lines]


def lesson_custom_id(page: LessonPage, verb: str, token: str = "", *, lesson_offset: int = 0) -> CustomId:
    return CustomId(verb=verb, game=0, version=page.number + lesson_offset, request=page.system, token=token)


def _lesson_custom_ids(page: LessonPage) -> CustomIdFactory:
    return CustomIdFactory(
        for_option=lambda option: lesson_custom_id(page, "lesson_press", option.token),
        for_select=lambda name: lesson_custom_id(page, "lesson_pick", name),
    )
