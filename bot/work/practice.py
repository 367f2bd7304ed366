"""Lessons, worked out: pure jobs for the workers, from a pupil's draft to what came of it."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import msgspec
from msgspec import Struct

from bot.words import speech
from bot.work import drafts, showing, stored
from bot.work.refused import of_game
from bot.work.showing import Drawn, Look, Panel
from rules.dice import Dice
from rules.lessons import Lesson
from rules.protocol import Choices, Draft, Event, Request, Setup, Step
from rules.registry import RULESETS
from rules.ruleset import Ruleset
from rules.view import Text

PUPIL = 0
"""The seat of whoever learns."""


class Tried(Struct, frozen=True, kw_only=True):
    """What came of a lesson, in words and in motion."""

    reached: bool
    why: str
    story: tuple[str, ...]
    picture: Drawn


class Paper(Struct, frozen=True, kw_only=True):
    """A pupil's draft, and what he may do with it."""

    draft: Draft
    panel: Panel


@of_game
def paper(system: str, number: int, draft: Draft, pressed: str | None, look: Look) -> Paper:
    """What a pupil may do in a lesson, after an option was pressed if one was, with his draft laid on the table.

    Raises `IndexError`, and `OrderError` for an option that may not be pressed.
    """
    rules, lesson = RULESETS[system], RULESETS[system].lessons[number]
    state, request = _asked(rules, lesson)
    body = stored.encode(state)
    if pressed is not None:
        draft = drafts.option(system, body, request, draft, pressed)
    panel = showing.panel(system, body, request, draft, look)
    shown = msgspec.structs.replace(panel, choices=_for_beginners(panel.choices, lesson.hides))
    return Paper(draft=draft, panel=shown)


def _for_beginners(choices: Choices, hidden: Collection[str]) -> Choices:
    """What may be pressed, without what a lesson keeps for later."""
    groups = (
        msgspec.structs.replace(group, options=tuple(one for one in group.options if one.token not in hidden))
        for group in choices.groups
        if group.key not in hidden
    )
    return msgspec.structs.replace(choices, groups=tuple(groups))


@of_game
def tried(system: str, number: int, draft: str, look: Look, seed: str) -> Tried:
    """Carry a pupil's orders out against the script, with dice of a seed (hex). Raises `IndexError`, `OrderError`."""
    rules, lesson = RULESETS[system], RULESETS[system].lessons[number]
    state, request = _asked(rules, lesson)
    state = msgspec.structs.replace(state, dice=Dice(seed=seed))
    texts = {**lesson.script, request.id: draft}
    asked = rules.pending(state)
    step = rules.resolve(state, {one.id: rules.parse(state, one, texts[one.id]) for one in asked})
    events = [*step.events]
    while live := [one for one in rules.pending(step.state) if one.live]:  # a pupil is spared questions in mid-round
        step = rules.resolve(step.state, {one.id: rules.default(step.state, one) for one in live})
        events += step.events
    verdict = rules.judge(lesson.key, step.state, events)
    words = look.words
    told = speech.story(words, events, PUPIL)
    return Tried(
        reached=verdict.reached,
        why=str(words.text(verdict.why)),
        story=(told.headline, *told.lines),
        picture=_picture(rules, step, events, msgspec.structs.replace(look, caption=Text("round", {"round": 1}))),
    )


def _asked(rules: Ruleset[Any], lesson: Lesson) -> tuple[Any, Request]:
    start: Step = rules.start(Setup(system=rules.name, teams=(0, 1), position=lesson.position), Dice(seed="0" * 64))
    return start.state, next(request for request in rules.pending(start.state) if request.seat == PUPIL)


def _picture(rules: Ruleset[Any], step: Step, events: list[Event], look: Look) -> Drawn:
    body, happened = stored.encode(step.state), [stored.encode(events)]
    film = showing.film(rules.name, body, happened, look, "webp")
    return film or showing.draw(rules.name, body, happened, look, seat=PUPIL)
