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
from bot.telling.lessons import Page
from bot.telling.panel import why_grey
from bot.telling.reader import Reader
from bot.telling.values import Panel
from rules.protocol import EMPTY, Draft

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
    keys, words, choices = page.keys, page.words(), panel.choices
    head = [
        f"-# {words.say('learn.title', number=page.number + 1, of=page.of)}",
        f"### {words.say(f'{keys}.title')}",
        words.say(f"{keys}.text"),
        f"**{words.say('learn.goal')}** {words.say(f'{keys}.goal')}",
    ]
    orders = f"{words.say('learn.orders')}\n```{draft.focus}\n{draft.text}\n```" if draft.text else ""
    controls = [
        Button(
            label=words.say("button.try"),
            ref=ref_of(page, "lesson_try"),
            style=ButtonStyle.success,
            disabled=bool(choices.missing),
        ),
        Button(label=words.say("button.show_me"), ref=ref_of(page, "lesson_hint")),
        *([Button(label=words.say("button.start_over"), ref=ref_of(page, "lesson"))] if draft.text else []),
    ]
    found = paging.pages(
        words,
        above=["\n".join(head), panel.picture],
        lines=[
            *(words.text(line) for line in choices.lines),
            *(words.say("panel.warning", what=words.text(warning)) for warning in panel.warnings),
            *why_grey(words, choices.groups),
        ],
        last_line=orders,
        offered=choosing.packed(choosing.blocks(words, choices.groups, _meaning(page))),
        below=[controls],
        turn=lambda number: ref_of(page, "lesson_page", str(number)),
    )
    return lay_out(found[min(sheet, len(found) - 1)])


async def outcome(reader: Reader, page: Page, draft: Draft) -> Shown:
    """Return the result of the pupil's orders, and why they reached the goal or not. Raises `Refusal`, `OrderError`."""
    keys, words = page.keys, page.words()
    done = await reader.outcome(page, draft)
    mark = words.say("learn.reached" if done.reached else "learn.missed")
    blocks: list[Block] = [f"### {words.say(f'{keys}.title')}\n**{mark}** {done.why}", done.picture]
    blocks.append("\n".join(done.story))
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
        blocks += [words.say("learn.end"), [*([play] if page.system in first.offered() else []), again]]
    return lay_out(blocks)


def ref_of(page: Page, verb: str, token: str = "", *, onward: int = 0) -> Ref:
    """What a button of a lesson means."""
    return Ref(verb=verb, game=0, version=page.number + onward, request=page.system, token=token)


def _meaning(page: Page) -> Meaning:
    return Meaning(
        press=lambda option: ref_of(page, "lesson_press", option.token),
        pick=lambda name: ref_of(page, "lesson_pick", name),
    )
