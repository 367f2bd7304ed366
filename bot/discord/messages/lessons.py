"""Lessons in messages that only the pupil sees.

All that a lesson needs to know stands in its message: his orders as he might type them, and the rest in its buttons.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterable
from typing import Final

from discord import ButtonStyle
from msgspec import Struct

from bot.discord.ids import Ref
from bot.discord.messages import choosing, paging
from bot.discord.messages.board import Block, Button, Shown, lay_out
from bot.discord.messages.choosing import Meaning
from bot.doors import first
from bot.doors.table import Table
from bot.errors import Refusal
from bot.words.i18n import Catalogue, Words
from bot.words.whole import playable
from bot.work import practice
from bot.work.showing import Panel
from rules.protocol import EMPTY, Draft
from rules.registry import RULESETS

_DRAFT: Final = re.compile(r"```(\S*)\n(.*)\n```", re.DOTALL)
"""Where a message shows the pupil's draft; what he looks at stands where Discord takes a language, unseen."""


def systems() -> list[str]:
    """Games that can be learned by trying."""
    return [name for name in playable() if RULESETS[name].lessons]


class Page(Struct, frozen=True):
    """Which lesson is shown to whom."""

    language: str
    name: str
    """Of the pupil."""
    system: str
    number: int

    @property
    def keys(self) -> str:
        """How the keys of its words begin. Raises `Refusal` if there is no such lesson."""
        if self.system not in systems() or not 0 <= self.number < len(RULESETS[self.system].lessons):
            raise Refusal("no_such_lesson")
        return f"lesson.{RULESETS[self.system].lessons[self.number].key}"

    def words(self) -> Words:
        """How the pupil is spoken to."""
        catalogue = Catalogue.load(self.language, self.system)
        names = {practice.PUPIL: self.name, 1: str(catalogue.say("learn.dummy"))}
        return Words(catalogue, names)

    def ref(self, verb: str, token: str = "", *, onward: int = 0) -> Ref:
        """What a button of it means."""
        return Ref(verb=verb, game=0, version=self.number + onward, request=self.system, token=token)

    @property
    def hint(self) -> str:
        """Orders that reach the goal. Raises `Refusal` if there is no such lesson."""
        return RULESETS[self.system].lessons[self.number].hint if self.keys else ""


def draft_in(texts: Iterable[str]) -> Draft:
    """The draft that a lesson's message shows, by all its texts; empty if it shows none."""
    return next((Draft(found[2], found[1]) for text in texts if (found := _DRAFT.search(text))), EMPTY)


async def lesson(
    table: Table, page: Page, draft: Draft = EMPTY, pressed: str | None = None, *, sheet: int = 0
) -> Shown:
    """A lesson's goal, the pupil's draft on the table, and what he may press on a page of it, from 0.

    Raises `Refusal`, and `OrderError` for an option that may not be `pressed`.
    """
    _, words = page.keys, page.words()
    paper = await table.workers.draw(practice.paper, page.system, page.number, draft, pressed, table.look(words))
    return laid_out(page, paper.draft, paper.panel, sheet)


def laid_out(page: Page, draft: Draft, panel: Panel, sheet: int) -> Shown:
    """A lesson with a draft, and a page of what may be done with it. Raises `Refusal`."""
    keys, words, choices = page.keys, page.words(), panel.choices
    head = [
        f"-# {words.say('learn.title', number=page.number + 1, of=len(RULESETS[page.system].lessons))}",
        f"### {words.say(f'{keys}.title')}",
        words.say(f"{keys}.text"),
        f"**{words.say('learn.goal')}** {words.say(f'{keys}.goal')}",
    ]
    orders = f"{words.say('learn.orders')}\n```{draft.focus}\n{draft.text}\n```" if draft.text else ""
    controls = [
        Button(
            label=words.say("button.try"),
            ref=page.ref("lesson_try"),
            style=ButtonStyle.success,
            disabled=bool(choices.missing),
        ),
        Button(label=words.say("button.show_me"), ref=page.ref("lesson_hint")),
        *([Button(label=words.say("button.start_over"), ref=page.ref("lesson"))] if draft.text else []),
    ]
    found = paging.pages(
        words,
        above=["\n".join(head), panel.picture],
        lines=[
            *(words.text(line) for line in choices.lines),
            *(words.say("panel.warning", what=words.text(warning)) for warning in panel.warnings),
            *choosing.why_grey(words, choices.groups),
        ],
        last_line=orders,
        offered=choosing.packed(choosing.blocks(words, choices.groups, _meaning(page))),
        below=[controls],
        turn=lambda number: page.ref("lesson_page", str(number)),
    )
    return lay_out(found[min(sheet, len(found) - 1)])


async def outcome(table: Table, page: Page, draft: Draft) -> Shown:
    """What came of the pupil's orders, and why it was what he was to do, or was not. Raises `Refusal`, `OrderError`."""
    keys, words = page.keys, page.words()
    done = await table.workers.draw(
        practice.tried, page.system, page.number, draft.text, table.look(words), secrets.token_hex(32)
    )
    mark = words.say("learn.reached" if done.reached else "learn.missed")
    blocks: list[Block] = [f"### {words.say(f'{keys}.title')}\n**{mark}** {done.why}", done.picture]
    blocks.append("\n".join(done.story))
    again = Button(label=words.say("button.again"), ref=page.ref("lesson"))
    if page.number + 1 < len(RULESETS[page.system].lessons):
        style = ButtonStyle.success if done.reached else ButtonStyle.secondary
        blocks.append(
            [
                again,
                Button(label=words.say("button.next_lesson"), ref=page.ref("lesson", onward=1), style=style),
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


def _meaning(page: Page) -> Meaning:
    return Meaning(
        press=lambda option: page.ref("lesson_press", option.token), pick=lambda name: page.ref("lesson_pick", name)
    )
