"""Lessons in messages that only the pupil sees. All that a lesson needs to know stands in its buttons."""

from __future__ import annotations

import secrets
from typing import Final

from discord import ButtonStyle
from msgspec import Struct

from bot.discord.ids import Ref
from bot.discord.panels import choosing
from bot.discord.panels.board import Block, Button, Shown, lay_out
from bot.discord.panels.choosing import Meaning
from bot.doors.table import Table
from bot.errors import Refusal
from bot.words.i18n import Catalogue, Words
from bot.work import practice
from rules.registry import RULESETS

_BETWEEN: Final = "="
"""Parts, in a button, what was pressed from the draft after it."""


def systems() -> list[str]:
    """Games that can be learned by trying."""
    return [name for name, rules in RULESETS.items() if rules.lessons]


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


def draft_of(token: str) -> str:
    """The draft that a button or a line of a select leads to."""
    return token.partition(_BETWEEN)[2]


async def lesson(table: Table, page: Page, draft: str = "") -> Shown:
    """A lesson's goal, the pupil's draft on the table, and what he may press. Raises `Refusal`."""
    keys, words = page.keys, page.words()
    shown = await table.workers.draw(practice.paper, page.system, page.number, draft, table.look(words))
    head = [
        f"-# {words.say('learn.title', number=page.number + 1, of=len(RULESETS[page.system].lessons))}",
        f"### {words.say(f'{keys}.title')}",
        words.say(f"{keys}.text"),
        f"**{words.say('learn.goal')}** {words.say(f'{keys}.goal')}",
    ]
    groups = [group for group in shown.choices.groups if group.style == "buttons"]
    blocks: list[Block] = ["\n".join(head), shown.picture, "\n".join(words.text(line) for line in shown.choices.lines)]
    blocks += [block for group in groups for block in choosing.blocks(words, group, _meaning(page))]
    hint = RULESETS[page.system].lessons[page.number].hint
    blocks.append(
        [
            Button(
                label=words.say("button.try"),
                ref=page.ref("lesson_try", draft),
                style=ButtonStyle.success,
                disabled=bool(shown.choices.missing),
            ),
            Button(label=words.say("button.show_me"), ref=page.ref("lesson", f"hint{_BETWEEN}{hint}")),
        ]
    )
    return lay_out(blocks)


async def outcome(table: Table, page: Page, draft: str) -> Shown:
    """What came of the pupil's orders, and why it was what he was to do, or was not. Raises `Refusal`, `OrderError`."""
    keys, words = page.keys, page.words()
    done = await table.workers.draw(
        practice.tried, page.system, page.number, draft, table.look(words), secrets.token_hex(32)
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
        blocks += [words.say("learn.end"), [again]]
    return lay_out(blocks)


def _meaning(page: Page) -> Meaning:
    return Meaning(
        press=lambda option: page.ref("lesson", f"{option.token}{_BETWEEN}{option.draft}"),
        pick=lambda group: page.ref("lesson", group.key),
        value=lambda option: f"{option.token}{_BETWEEN}{option.draft}",
    )
