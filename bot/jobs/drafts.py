"""Jobs about what a captain is asked: choices, the draft, typed text, a hint."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import Any, Final, NamedTuple, TypeVar

from msgspec import Struct, structs

from bot.errors import Refusal
from bot.jobs import showing
from bot.jobs.refused import marks_errors
from bot.jobs.showing import PanelOptions, PictureStyle
from bot.jobs.stored import read_state
from bot.jobs.thinking import limit_time, repeat_thinking
from rules.core.errors import IllegalOrder, OrderError, Scalar
from rules.core.protocol import EMPTY_DRAFT, STANDING_GROUP, Choices, Draft, Form, GameState, Option, Request
from rules.core.registry import RULESETS
from rules.core.ruleset import Ruleset
from rules.core.view import Text

S = TypeVar("S", bound=GameState)
SUGGESTION_TIME_S: Final = 0.5
"""Seconds of processor time after which no more ways to continue a line are looked for: Discord waits three seconds."""
HINT_SEED_DIGITS: Final = 32
"""Hexadecimal digits of a hint's seed: a button has room for them, whatever game and request it names."""


class DraftResult(Struct, frozen=True, kw_only=True):
    """A draft after a change."""

    draft: Draft
    panel_options: PanelOptions | None = None
    """What may be pressed next, and what is missing; None: the rules were not asked."""
    answer: str | None = None
    """The sealed answer in canonical notation; None: nothing was sealed."""
    only_adds: bool = False
    """Whether the option only added to the draft (`Option.adds`)."""

    @property
    def missing_parts(self) -> tuple[Text, ...]:
        """What is missing, as data."""
        return self.panel_options.choices.missing_parts if self.panel_options else ()


@marks_errors
def press_option(system: str, body: str, request: Request, draft: Draft, token: str) -> DraftResult:
    """Return the draft after an option was pressed, sealed if the option seals. Raises `OrderError`."""
    rules = RULESETS[system]
    state = read_state(rules, body)
    option = _find_option(rules, state, request, draft, token)
    draft = Draft(option.draft, option.focus)
    answer = canonical_answer(rules, state, request, draft.text) if option.seals_answer else None
    return structs.replace(_draft_result(rules, state, request, draft, answer), only_adds=option.only_adds)


@marks_errors
def type_text(system: str, body: str, request: Request, draft: Draft, text: str) -> DraftResult:
    """Return the draft with typed text put into it; where a press acts at once, a complete one is sealed, too.

    Raises `OrderError`.
    """
    rules = RULESETS[system]
    return _type_text(rules, read_state(rules, body), request, draft, text)


class HintRef(NamedTuple):
    """By which a hint is found again."""

    seed: str
    """Of its chance (hex)."""
    stopped_after: int | None = None
    """How far it was thought out (`Hint`)."""
    answer_mark: str = ""
    """The mark of the answer that it showed (`answer_mark`), if it is to be taken."""

    @property
    def token(self) -> str:
        """As a button carries it."""
        found = self.seed if self.stopped_after is None else f"{self.seed}.{self.stopped_after}"
        return f"{found}-{self.answer_mark}" if self.answer_mark else found

    @classmethod
    def read(cls, token: str) -> HintRef:
        """Read what a button carries. Raises `Refusal` if none of ours does."""
        found = re.fullmatch(rf"([0-9a-f]{{{HINT_SEED_DIGITS}}})(?:\.([0-9]{{1,6}}))?(?:-([0-9a-f]{{8}}))?", token)
        if not found:
            raise Refusal("stale")
        return cls(found[1], None if found[2] is None else int(found[2]), found[3] or "")


def answer_mark(answer: str) -> str:
    """A short mark (8 hex digits) of a hint's answer, by which it is known whether a hint found again is the same."""
    return sha256(answer.encode()).hexdigest()[:8]


@marks_errors
def take_hint(system: str, body: str, request: Request, draft: Draft, found: HintRef) -> DraftResult:
    """Return the draft with a hint put into it, as if typed.

    Raises `OrderError`, and `Refusal` if the game has changed beside the question, so that the hint is another one.
    """
    rules = RULESETS[system]
    state = read_state(rules, body)
    with repeat_thinking(found.stopped_after):
        advised = rules.format_answer(request, _compute_advice(rules, state, request, found.seed))
    if found.answer_mark and found.answer_mark != answer_mark(advised):
        raise Refusal("hint_changed")
    return _type_text(rules, state, request, draft, advised)


def _type_text(rules: Ruleset[S], state: S, request: Request, draft: Draft, text: str) -> DraftResult:
    return _finish_change(rules, state, request, rules.type_text(state, request, draft, text))


class SubmittedForm(NamedTuple):
    """A form as it was submitted."""

    form: str
    """Its token."""
    line_tokens: tuple[str, ...]
    """Tokens of the chosen lines, one for each list."""


@marks_errors
def fill_form(system: str, body: str, request: Request, draft: Draft, filled: SubmittedForm) -> DraftResult:
    """Return the draft with what was chosen in a form's lists. Raises `OrderError`."""
    rules = RULESETS[system]
    state = read_state(rules, body)
    form = next((one for one in rules.draft_choices(state, request, draft).forms if one.token == filled.form), None)
    if form is None:
        raise IllegalOrder("no_such_option", "", piece=filled.form)
    typed = _form_text(form, filled.line_tokens)
    if not typed:
        raise IllegalOrder("nothing_chosen", "", piece=form.token)
    draft = rules.type_text(state, request, draft, typed)
    draft = draft._replace(focus=form.focus or draft.focus)
    return _finish_change(rules, state, request, draft)


def _form_text(form: Form, chosen: Sequence[str]) -> str:
    """Return the text that these lines of a form stand for. Raises `OrderError` for lines that it doesn't have."""
    texts = []
    for number, field in enumerate(form.fields):
        token = chosen[number] if number < len(chosen) else ""
        entry = next((one for one in field.entries if one.token == token), None)
        if entry is None:
            raise IllegalOrder("no_such_option", "", piece=token)
        texts.append(entry.text)
    return form.prefix + form.separator.join(filter(None, texts))


def _finish_change(rules: Ruleset[S], state: S, request: Request, draft: Draft) -> DraftResult:
    """Return a changed draft; where a press acts at once, a complete one is sealed."""
    seals = not request.sealed and _acts_at_once(rules.draft_choices(state, request, draft))
    answer = canonical_answer(rules, state, request, draft.text) if seals else None
    return _draft_result(rules, state, request, draft, answer)


@marks_errors
def seal_draft(system: str, body: str, request: Request, draft: Draft) -> DraftResult:
    """Return a draft, sealed. Raises `OrderError`."""
    rules = RULESETS[system]
    state = read_state(rules, body)
    answer = canonical_answer(rules, state, request, draft.text)
    return _draft_result(rules, state, request, draft, answer)


def _draft_result(rules: Ruleset[S], state: S, request: Request, draft: Draft, answer: str | None) -> DraftResult:
    return DraftResult(draft=draft, answer=answer, panel_options=showing.panel_options_at(rules, state, request, draft))


@marks_errors
def answer_example(system: str, body: str, request: Request) -> dict[str, Scalar]:
    """Return values for the example of how to type an answer, with the captain's own ships."""
    rules = RULESETS[system]
    return dict(rules.example_values(read_state(rules, body), request)) if request.kind in rules.questions else {}


def draft_after_option(system: str, body: str, request: Request, draft: Draft, token: str) -> Draft:
    """Return the draft after an option was pressed, whether or not that would seal it. Raises `OrderError`."""
    rules = RULESETS[system]
    pressed = _find_option(rules, read_state(rules, body), request, draft, token)
    return Draft(pressed.draft, pressed.focus)


def _find_option(rules: Ruleset[S], state: S, request: Request, draft: Draft, token: str) -> Option:
    options = [
        o for group in rules.draft_choices(state, request, draft).groups for o in group.options if o.token == token
    ]
    if not options:
        raise IllegalOrder("no_such_option", "", piece=token)
    (found, *_) = options
    if found.fault:
        raise OrderError(found.fault)
    return found


@marks_errors
def draft_from_standing_orders(system: str, body: str, request: Request, text: str) -> str:
    """Return a draft with standing orders only; empty if this request takes none. Raises `OrderError`."""
    rules = RULESETS[system]
    return standing_orders_draft(rules, read_state(rules, body), request, text)


def standing_orders_draft(rules: Ruleset[S], state: S, request: Request, text: str) -> str:
    """The same, after a state that was read already."""
    found = rules.draft_choices(state, request)
    takes = any(group.key == STANDING_GROUP for group in found.groups) or any(
        form.token == STANDING_GROUP for form in found.forms
    )
    return rules.type_text(state, request, EMPTY_DRAFT, text).text if takes else ""


def draft_choices(system: str, body: str, request: Request, draft: Draft) -> Choices:
    """Return what may be pressed next, and what is missing."""
    rules = RULESETS[system]
    return rules.draft_choices(read_state(rules, body), request, draft)


def suggest_continuations(
    system: str,
    body: str,
    request: Request,
    typed: str,
    look: PictureStyle,
    *,
    most: int,
    used_s: Callable[[], float] = time.process_time,
) -> list[tuple[str, str]]:
    """Return ways to continue a line that is being typed, as pairs of words and orders: what may be pressed next.

    No more are looked for when there are `most`, or `SUGGESTION_TIME_S` are over; `used_s` tells the process's
    processor time.
    """
    rules, began = RULESETS[system], used_s()
    state, plain, begun = read_state(rules, body), look.plain_localizer, typed.casefold().strip()
    found: dict[str, str] = {}
    waiting = [(Draft(typed), ""), (EMPTY_DRAFT, "")]
    for draft, before in waiting:
        if sum(text not in ("", typed) for text in found) >= most or used_s() - began > SUGGESTION_TIME_S:
            break
        groups = sorted(rules.draft_choices(state, request, draft).groups, key=lambda group: group.style == "select")
        for option in (o for group in groups for o in group.options):  # buttons first: long lists leave them no room
            words = plain.say_text(option.label)
            label = f"{before} · {words}" if before else str(words)
            # What only looks at a ship is typed as her name: "BB" leads on to "BB>G4", and "bb>g" begins that.
            text = option.focus if option.draft == draft.text else option.draft
            if option.fault or text in found:
                continue
            fits = text.casefold().startswith(begun)
            if fits:
                found[text] = label
            if (
                not (before or option.seals_answer)
                and draft == EMPTY_DRAFT
                and (fits or begun.startswith(text.casefold()))
            ):
                waiting.append((Draft(option.draft, option.focus), label))
    return [(label, draft) for draft, label in found.items() if draft and draft != typed][:most]


class Hint(Struct, frozen=True, kw_only=True):
    """What a first mate would answer in a captain's place."""

    answer: str
    lines: tuple[Text, ...]
    """The same in words."""
    reason: Text
    odds: tuple[Text, ...] = ()
    """How likely it is that this comes off; empty, too, if there was no time to find out."""
    stopped_after: int | None = None
    """How far the mate had thought when there was no more time (`bot.jobs.thinking`); None: there was enough."""


def compute_hint(system: str, body: str, request: Request, hint_seed: str, stopped: int | None = None) -> Hint:
    """Return the first mate's advice for a seat, whatever the level of the computer captains.

    The seed (hex) decides between equals. A hint that is found again is thought out as far as before: `stopped`.
    """
    rules = RULESETS[system]
    state = read_state(rules, body)
    view = rules.view(state, request.seat)
    with limit_time() if stopped is None else repeat_thinking(stopped) as thought:
        answer = _compute_advice(rules, state, request, hint_seed)
        stopped = thought.stopped_after if stopped is None else stopped
        odds = rules.describe_odds(view, answer, hint_seed) if stopped is None else ()
    text = rules.format_answer(request, answer)
    return Hint(
        answer=text,
        lines=rules.draft_lines(state, request, Draft(text)),
        reason=rules.reason_for(view, answer),
        odds=odds,
        stopped_after=stopped,
    )


def _compute_advice(rules: Ruleset[S], state: S, request: Request, hint_seed: str) -> Any:  # noqa: ANN401 - any game's answer
    answer = rules.advise(rules.view(state, request.seat), request, hint_seed)
    return rules.advice_without_warnings(state, request, answer)


@marks_errors
def complete_answer(system: str, body: str, request: Request, text: str) -> str:
    """Return a finished draft as an answer in canonical notation. Raises `OrderError`."""
    rules = RULESETS[system]
    return canonical_answer(rules, read_state(rules, body), request, text)


def canonical_answer(rules: Ruleset[S], state: S, request: Request, text: str) -> str:
    """A finished draft as the answer it is, in canonical notation. Raises `OrderError`."""
    return rules.format_answer(request, rules.parse_answer(state, request, text))


def _acts_at_once(choices: Choices) -> bool:
    """Return whether a draft is complete, in a request whose options are carried out when pressed."""
    return not choices.missing_parts and any(
        option.seals_answer for group in choices.groups for option in group.options
    )
