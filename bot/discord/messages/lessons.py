"""Lessons in messages that only the pupil sees.

The message holds all that a lesson needs: the orders as one would type them; its buttons hold the rest.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from discord import ButtonStyle

from bot.discord.ids import Ref
from bot.discord.messages import choosing, paging
from bot.discord.messages.board import Block, Button, Shown, lay_out
from bot.discord.messages.choosing import Meaning
from bot.doors import first
from bot.telling.glance import ROW, ROWS, joined, rows
from bot.telling.lessons import Page
from bot.telling.panel import in_brief
from bot.telling.reader import Reader
from bot.telling.values import Panel
from bot.words.i18n import Words
from rules.protocol import EMPTY, Draft

ROWS_OF_BUTTONS: Final = 3
"""One fewer than a panel has: above them stand a goal and what the buttons do."""
ROWS_OF_TEXT: Final = ROWS + 3
"""Rows of text between picture and buttons, with what the buttons do."""
_DRAFT: Final = re.compile(r"```(\S*)\n(.*)\n```", re.DOTALL)
"""Where a message shows the pupil's draft; the focus is hidden where Discord expects a language."""


def draft_in(texts: Iterable[str]) -> Draft:
    """The draft that a lesson's message shows, by all its texts; empty if it shows none."""
    return next((Draft(found[2], found[1]) for text in texts if (found := _DRAFT.search(text))), EMPTY)


async def lesson(
    reader: Reader, page: Page, draft: Draft = EMPTY, pressed: str | None = None, *, sheet: int = 0
) -> Shown:
    """Return a lesson's goal, the pupil's draft on the table, and the buttons of a page, from 0.

    Raises `Refusal`, and `OrderError` for an option that can't be `pressed`.
    """
    lesson = await reader.lesson(page, draft, pressed)
    return laid_out(page, lesson.draft, lesson.panel, sheet)


def laid_out(page: Page, draft: Draft, panel: Panel, sheet: int) -> Shown:
    """A lesson with a draft, and a page of what may be done with it. Raises `Refusal`."""
    found = pages_of(page, draft, panel)
    return lay_out(found[min(sheet, len(found) - 1)])


def pages_of(page: Page, draft: Draft, panel: Panel) -> list[list[Block]]:
    """All pages of a lesson with a draft. Raises `Refusal`."""
    keys, words, choices = page.keys, page.words(), panel.choices
    numbered = words.say("learn.title", number=page.number + 1, of=page.of, title=words.say(f"{keys}.title"))
    # What the buttons do is read before them, also after the first press; the rest of it is for who wants to know more.
    gist, *more = words.say(f"{keys}.text").split("\n")
    seen, unseen = _glance(words, page, gist, draft, panel)
    orders = f"{words.say('learn.orders')}\n```{draft.focus}\n{draft.text}\n```" if draft.text else ""
    over = Button(label=words.say("button.start_over"), ref=ref_of(page, "lesson"), disabled=not draft.text)
    controls = [
        Button(
            label=words.say("button.try"),
            ref=ref_of(page, "lesson_try"),
            style=ButtonStyle.success,
            disabled=bool(choices.missing),
        ),
        Button(label=words.say("button.show_me"), ref=ref_of(page, "lesson_hint")),
    ]
    return paging.pages(
        words,
        above=[f"### {numbered}", panel.picture, "\n".join(seen)],
        offered=choosing.packed([*choosing.blocks(words, choices.groups, _meaning(page)), [over]]),
        controls=controls,
        below="\n".join([*unseen, *more]),
        always=orders,
        most_rows=ROWS_OF_BUTTONS,
        turn=lambda number: ref_of(page, "lesson_page", str(number)),
    )


async def outcome(reader: Reader, page: Page, draft: Draft) -> Shown:
    """Return the result of the pupil's orders, and why they reached the goal or not. Raises `Refusal`, `OrderError`."""
    keys, words = page.keys, page.words()
    done = await reader.outcome(page, draft)
    mark = words.say("learn.reached" if done.reached else "learn.missed")
    blocks: list[Block] = [f"### {words.say(f'{keys}.title')}\n**{mark}** {done.why}", done.picture]
    again = Button(label=words.say("button.again"), ref=ref_of(page, "lesson"))
    if page.number + 1 < page.of:
        style = ButtonStyle.success if done.reached else ButtonStyle.secondary
        blocks.append(
            [
                again,
                Button(label=words.say("button.next_lesson"), ref=ref_of(page, "lesson", onward=1), style=style),
            ]
        )
    else:
        play = Button(
            label=words.say("button.play_now"),
            ref=Ref(verb="play", game=0, token=page.system),
            style=ButtonStyle.success,
        )
        blocks += [[*([play] if page.system in first.offered() else []), again], words.say("learn.end")]
    return lay_out([*blocks, *(["\n".join(done.story)] if done.story else [])])


def _glance(words: Words, page: Page, gist: str, draft: Draft, panel: Panel) -> tuple[list[str], list[str]]:
    """What stands between picture and buttons: gist, goal, what is missing, orders and a warning if they fit; the rest.

    What is missing is why one can't try it yet.
    """
    lines = [*map(words.text, panel.choices.lines)]
    warned = [words.say("panel.warning", what=words.text(warning)) for warning in panel.warnings]
    seen = [gist, f"**{words.say('learn.goal')}** {words.say(f'{page.keys}.goal')}"]
    if panel.choices.missing:
        seen.append(words.say("panel.missing", what=words.said("; ".join(in_brief(words, panel.choices.missing)))))
    told: list[str] = []
    for some in (lines if draft.text else [], warned[:1]):
        shown = joined(words, some, ROW)
        if shown.text and rows(words, "\n".join([*seen, shown.text])) <= ROWS_OF_TEXT:
            seen.append(shown.text)
            told += some if shown.whole else []
    return seen, [line for line in [*lines, *warned] if line not in told]


def ref_of(page: Page, verb: str, token: str = "", *, onward: int = 0) -> Ref:
    """What a button of a lesson means."""
    return Ref(verb=verb, game=0, version=page.number + onward, request=page.system, token=token)


def _meaning(page: Page) -> Meaning:
    return Meaning(
        press=lambda option: ref_of(page, "lesson_press", option.token),
        pick=lambda name: ref_of(page, "lesson_pick", name),
    )
