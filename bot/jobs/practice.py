"""Define the jobs for lessons, from a pupil's draft to its result.

If answers are sealed, a draft is one answer. In open turns (`Request.sealed` is false) it is a list of acts, one per
line. Acts before the first dice roll are carried out while the pupil plans, the others when they try their orders.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, Final, NamedTuple

import msgspec
from msgspec import Struct

from bot.jobs import drafts, showing, stored
from bot.jobs.refused import marks_errors
from bot.jobs.showing import PictureSubject
from bot.jobs.values import DescribedPicture, PanelContent, PictureStyle
from bot.texts.story import tell_story
from rules.chance.dice import Dice
from rules.core.errors import OrderError
from rules.core.protocol import Choices, Draft, Event, Request, Setup, Step
from rules.core.registry import RULESETS
from rules.core.ruleset import Ruleset
from rules.core.view import Text
from rules.interface.lessons import Lesson
from rules.interface.outcomes import ship_holders, story_ships

PUPIL_SEAT = 0
MAX_ACTS: Final = 12
"""Maximum number of acts of an open turn in one lesson. A pupil can then only try them or start over."""


class LessonResult(Struct, frozen=True, kw_only=True):
    is_goal_reached: bool  # whether the pupil has reached the lesson's goal
    reason: str  # why the goal was reached or missed
    story: tuple[str, ...]  # lines about what happened
    picture: DescribedPicture  # of the round that was played


class LessonPanel(Struct, frozen=True, kw_only=True):
    draft: Draft  # the pupil's, after the press
    panel: PanelContent  # what the pupil may press next


class _LessonState(NamedTuple):
    """The state of a lesson, the pupil's next request (None if the lesson has ended) and the latest events."""

    state: Any  # of the rules; its type depends on the game
    request: Request | None  # None: the lesson has ended
    events: tuple[Event, ...] = ()  # since the pupil's last answer


@marks_errors
def draw_lesson_panel(system: str, number: int, draft: Draft, pressed: str | None, style: PictureStyle) -> LessonPanel:
    """Return a pupil's panel after an option was pressed (if any), with a picture of the draft.

    Raises `IndexError`, and `OrderError` for an option that can't be pressed.
    """
    rules = RULESETS[system]
    lesson = rules.lessons[number]
    state, request = _begin_lesson(rules, lesson)
    if not request.sealed:
        return _open_lesson_panel(rules, lesson, draft, pressed, style)
    state_json = stored.encode(state)
    if pressed is not None:
        draft = drafts.draft_after_option(system, state_json, request, draft, pressed)
    panel = showing.draw_panel(system, state_json, request, draft, style)
    return LessonPanel(draft=draft, panel=_without_hidden(panel, lesson.hidden_tokens))


def _open_lesson_panel(
    rules: Ruleset[Any], lesson: Lesson, draft: Draft, pressed: str | None, style: PictureStyle
) -> LessonPanel:
    """Like `draw_lesson_panel`, for an open turn, where a pressed option is the next act or changes the focus."""
    acts = draft.text.splitlines()
    focus_draft = Draft(focus=draft.focus)
    state, request = _state_after_acts(rules, lesson, acts)
    if pressed is not None:
        option_draft = drafts.draft_after_option(rules.name, stored.encode(state), request, focus_draft, pressed)
        if option_draft.text:  # an option without text only changes the focus
            acts = [*acts, option_draft.text][:MAX_ACTS]
        focus_draft = Draft(focus=option_draft.focus)
        state, request = _state_after_acts(rules, lesson, acts)
    full_panel = showing.draw_panel(rules.name, stored.encode(state), request, focus_draft, style)
    panel = _without_hidden(full_panel, lesson.hidden_tokens)
    choices = panel.choices
    if acts:
        groups = choices.groups if len(acts) < MAX_ACTS else ()
        choices = msgspec.structs.replace(choices, missing_parts=(), groups=groups)
    panel = msgspec.structs.replace(panel, choices=choices)
    return LessonPanel(draft=Draft("\n".join(acts), focus_draft.focus), panel=panel)


def _without_hidden(panel: PanelContent, hidden_tokens: Collection[str]) -> PanelContent:
    choices: Choices = panel.choices
    groups = (
        msgspec.structs.replace(
            group, options=tuple(option for option in group.options if option.token not in hidden_tokens)
        )
        for group in choices.groups
        if group.key not in hidden_tokens
    )
    visible_choices = msgspec.structs.replace(choices, groups=tuple(group for group in groups if group.options))
    return msgspec.structs.replace(panel, choices=visible_choices)


@marks_errors
def try_orders(system: str, number: int, draft: str, style: PictureStyle, seed: str) -> LessonResult:
    """Return the result of a pupil's orders against the lesson's script, with dice of this seed (hex).

    The lesson's own solution is rolled with its own seed. If an earlier event has made an act impossible, that act and
    all later ones are skipped. Raises `IndexError`, `OrderError`.
    """
    rules = RULESETS[system]
    lesson = rules.lessons[number]
    state, request = _begin_lesson(rules, lesson)
    if lesson.solution_seed and draft == lesson.solution:
        seed = lesson.solution_seed
    acts = [draft] if request.sealed else draft.splitlines() or [draft]
    seeded_state = msgspec.structs.replace(state, dice=Dice(seed=seed))
    lesson_state = _carry_out_answer(rules, lesson, seeded_state, request, acts[0])
    events = [*lesson_state.events]
    for act in acts[1:]:
        if lesson_state.request is None:
            break
        try:
            lesson_state = _carry_out_answer(rules, lesson, lesson_state.state, lesson_state.request, act)
        except OrderError:
            break
        events += lesson_state.events
    verdict = rules.judge_lesson(lesson.key, lesson_state.state, events)
    localizer = style.localizer
    teams = (0, 1)  # of the pupil and the opponent, by seat
    ships = story_ships(ship_holders(rules.view(lesson_state.state, PUPIL_SEAT)), PUPIL_SEAT, teams, events)
    story = tell_story(localizer, events, PUPIL_SEAT, story_ships=ships)
    is_quiet = story.headline == localizer.say("headline.quiet")
    round_style = msgspec.structs.replace(style, caption=Text("round", {"round": request.round}))
    return LessonResult(
        is_goal_reached=verdict.is_reached,
        reason=str(localizer.say_text(verdict.reason)),
        story=story.lines if is_quiet else (story.headline, *story.lines),
        picture=_draw_round(rules, lesson_state.state, events, round_style),
    )


def _begin_lesson(rules: Ruleset[Any], lesson: Lesson) -> tuple[Any, Request]:
    setup = Setup(system=rules.name, teams=(0, 1), options=lesson.options, position=lesson.position)
    start: Step = rules.start(setup, Dice(seed="0" * 64))
    awaited = _awaited_requests(rules, start.state)
    return start.state, next(request for request in awaited if request.seat == PUPIL_SEAT)


def _state_after_acts(rules: Ruleset[Any], lesson: Lesson, acts: Sequence[str]) -> tuple[Any, Request]:
    state, request = _begin_lesson(rules, lesson)
    for act in acts:
        lesson_state = _carry_out_answer(rules, lesson, state, request, act)
        if lesson_state.request is None or lesson_state.state.dice != state.dice:
            break
        state = lesson_state.state
        request = lesson_state.request
    return state, request


def _carry_out_answer(rules: Ruleset[Any], lesson: Lesson, state: Any, request: Request, text: str) -> _LessonState:  # noqa: ANN401 - any game's
    """Return the lesson's state after the pupil's answer and the script's, up to the pupil's next request.

    Raises `OrderError`.
    """
    texts = {**lesson.script, request.id: text}  # answers by request id
    first_answers = {
        awaited_request.id: rules.parse_answer(state, awaited_request, texts[awaited_request.id])
        for awaited_request in _awaited_requests(rules, state)
    }
    step = rules.resolve(state, first_answers)
    events = step.events
    while awaited := _awaited_requests(rules, step.state):
        mid_round = [request for request in awaited if request.live and request.sealed]
        if mid_round:  # these are answered for the pupil
            answers = {request.id: rules.default_answer(step.state, request) for request in mid_round}
        elif all(request.id in lesson.script for request in awaited):
            answers = {
                request.id: rules.parse_answer(step.state, request, lesson.script[request.id]) for request in awaited
            }
        else:
            break
        step = rules.resolve(step.state, answers)
        events += step.events
    next_acts = (request for request in awaited if request.seat == PUPIL_SEAT and not request.sealed)
    return _LessonState(step.state, next(next_acts, None), events)


def _awaited_requests(rules: Ruleset[Any], state: Any) -> list[Request]:  # noqa: ANN401 - any game's state
    return [
        request
        for request in rules.pending_requests(state)
        if not (request.optional or request.ahead or request.battle)
    ]


def _draw_round(rules: Ruleset[Any], state: Any, events: list[Event], style: PictureStyle) -> DescribedPicture:  # noqa: ANN401 - any game's
    state_json = stored.encode(state)
    events_json = [stored.encode(events)]
    film = showing.film_round(rules.name, state_json, events_json, style, "webp")
    return film or showing.draw_state(rules.name, state_json, events_json, style, PictureSubject(seat=PUPIL_SEAT))
