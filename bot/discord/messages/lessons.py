"""Lessons in messages that only the pupil sees.

The message holds all that a lesson needs: the orders as one would type them; its buttons hold the rest.
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
from bot.presenters.glance import ROW_CHARS, TEXT_ROWS, count_text_rows, fit_lines
from bot.presenters.lessons import LessonPage
from bot.presenters.panel import brief_orders
from bot.presenters.reader import Reader
from bot.presenters.values import PanelContent
from bot.services import first
from bot.texts.i18n import Localizer
from rules.core.protocol import EMPTY_DRAFT, Draft

MAX_BUTTON_ROWS: Final = 3
"""One fewer than a panel has: above them stand a goal and what the buttons do."""
MAX_TEXT_ROWS: Final = TEXT_ROWS + 3
"""Rows of text between picture and buttons, with what the buttons do."""
_DRAFT_PATTERN: Final = re.compile(r"```(\S*)\n(.*)\n```", re.DOTALL)
"""Where a message shows the pupil's draft; the focus is hidden where Discord expects a language."""


def parse_draft(texts: Iterable[str]) -> Draft:
    """The draft that a lesson's message shows, by all its texts; empty if it shows none."""
    return next((Draft(found[2], found[1]) for text in texts if (found := _DRAFT_PATTERN.search(text))), EMPTY_DRAFT)


async def lay_out_lesson(
    reader: Reader, page: LessonPage, draft: Draft = EMPTY_DRAFT, pressed: str | None = None, *, sheet: int = 0
) -> RenderedMessage:
    """Return a lesson's goal, the pupil's draft on the table, and the buttons of a page, from 0.

    Raises `DiscordError`, and `OrderError` for an option that can't be `pressed`.
    """
    lesson = await reader.open_lesson(page, draft, pressed)
    return lay_out_lesson_page(page, lesson.draft, lesson.panel, sheet)


def lay_out_lesson_page(page: LessonPage, draft: Draft, panel: PanelContent, sheet: int) -> RenderedMessage:
    """A lesson with a draft, and a page of what may be done with it. Raises `DiscordError`."""
    found = lesson_pages(page, draft, panel)
    return lay_out_message(found[min(sheet, len(found) - 1)])


def lesson_pages(page: LessonPage, draft: Draft, panel: PanelContent) -> list[list[LayoutBlock]]:
    """All pages of a lesson with a draft. Raises `DiscordError`."""
    keys, words, choices = page.key_prefix, page.pupil_localizer(), panel.choices
    numbered = words.say("learn.title", number=page.number + 1, of=page.lesson_count, title=words.say(f"{keys}.title"))
    # What the buttons do is read before them, also after the first press; the rest of it is for who wants to know more.
    gist, *more = words.say(f"{keys}.text").split("\n")
    seen, unseen = _split_texts(words, page, gist, draft, panel)
    orders = f"{words.say('learn.orders')}\n```{draft.focus}\n{draft.text}\n```" if draft.text else ""
    over = Button(
        label=words.say("button.start_over"), custom_id=lesson_custom_id(page, "lesson"), is_disabled=not draft.text
    )
    controls = [
        Button(
            label=words.say("button.try"),
            custom_id=lesson_custom_id(page, "lesson_try"),
            style=ButtonStyle.success,
            is_disabled=bool(choices.missing_parts),
        ),
        Button(label=words.say("button.show_me"), custom_id=lesson_custom_id(page, "lesson_hint")),
    ]
    return paging.split_pages(
        words,
        above=[f"### {numbered}", panel.picture, "\n".join(seen)],
        offered=choosing.merge_button_rows(
            [*choosing.option_blocks(words, choices.groups, _lesson_custom_ids(page)), [over]]
        ),
        controls=controls,
        below="\n".join([*unseen, *more]),
        always=orders,
        most_rows=MAX_BUTTON_ROWS,
        turn=lambda number: lesson_custom_id(page, "lesson_page", str(number)),
    )


async def lay_out_result(reader: Reader, page: LessonPage, draft: Draft) -> RenderedMessage:
    """Return the result of the pupil's orders, and why they reached the goal or not.

    Raises `DiscordError`, `OrderError`.
    """
    keys, words = page.key_prefix, page.pupil_localizer()
    done = await reader.try_lesson(page, draft)
    mark = words.say("learn.reached" if done.is_goal_reached else "learn.missed")
    blocks: list[LayoutBlock] = [f"### {words.say(f'{keys}.title')}\n**{mark}** {done.reason}", done.picture]
    again = Button(label=words.say("button.again"), custom_id=lesson_custom_id(page, "lesson"))
    if page.number + 1 < page.lesson_count:
        style = ButtonStyle.success if done.is_goal_reached else ButtonStyle.secondary
        blocks.append(
            [
                again,
                Button(
                    label=words.say("button.next_lesson"),
                    custom_id=lesson_custom_id(page, "lesson", onward=1),
                    style=style,
                ),
            ]
        )
    else:
        play = Button(
            label=words.say("button.play_now"),
            custom_id=CustomId(verb="play", game=0, token=page.system),
            style=ButtonStyle.success,
        )
        blocks += [[*([play] if page.system in first.games_with_first_game() else []), again], words.say("learn.end")]
    return lay_out_message([*blocks, *(["\n".join(done.story)] if done.story else [])])


def _split_texts(
    words: Localizer, page: LessonPage, gist: str, draft: Draft, panel: PanelContent
) -> tuple[list[str], list[str]]:
    """What stands between picture and buttons: gist, goal, what is missing, orders and a warning if they fit; the rest.

    What is missing is why one can't try it yet.
    """
    lines = [*map(words.say_text, panel.choices.lines)]
    warned = [words.say("panel.warning", what=words.say_text(warning)) for warning in panel.warnings]
    seen = [gist, f"**{words.say('learn.goal')}** {words.say(f'{page.key_prefix}.goal')}"]
    if panel.choices.missing_parts:
        seen.append(
            words.say(
                "panel.missing", what=words.to_markup("; ".join(brief_orders(words, panel.choices.missing_parts)))
            )
        )
    told: list[str] = []
    for some in (lines if draft.text else [], warned[:1]):
        shown = fit_lines(words, some, ROW_CHARS)
        if shown.text and count_text_rows(words, "\n".join([*seen, shown.text])) <= MAX_TEXT_ROWS:
            seen.append(shown.text)
            told += some if shown.is_complete else []
    return seen, [line for line in [*lines, *warned] if line not in told]


def lesson_custom_id(page: LessonPage, verb: str, token: str = "", *, onward: int = 0) -> CustomId:
    """What a button of a lesson means."""
    return CustomId(verb=verb, game=0, version=page.number + onward, request=page.system, token=token)


def _lesson_custom_ids(page: LessonPage) -> CustomIdFactory:
    return CustomIdFactory(
        for_option=lambda option: lesson_custom_id(page, "lesson_press", option.token),
        for_select=lambda name: lesson_custom_id(page, "lesson_pick", name),
    )
