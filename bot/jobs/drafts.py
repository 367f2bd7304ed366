"""Define the jobs about an open request: choices, the draft, typed text and hints."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeVar

from msgspec import Struct, structs

from bot.errors import Refusal
from bot.jobs import showing
from bot.jobs.refused import marks_errors
from bot.jobs.stored import read_state
from bot.jobs.suggesting import Moment, add_suggestions, quote_as_typed, with_colons
from bot.jobs.thinking import limit_time, repeat_thinking
from bot.jobs.values import Hint, HintRef, PanelOptions, PictureStyle, SubmittedForm, answer_mark
from bot.texts.reading import CodedNames, SentenceReader, find_label
from rules.core.errors import IllegalOrder, OrderError, Scalar
from rules.core.protocol import EMPTY_DRAFT, STANDING_GROUP, Choices, Draft, Form, GameState, Option, Request
from rules.core.registry import RULESETS
from rules.core.ruleset import Ruleset
from rules.core.view import Text

S = TypeVar("S", bound=GameState)
SUGGESTION_TIME_S: Final = 0.5
"""Processor time after which the search for suggestions stops. Discord waits three seconds for them."""


class DraftResult(Struct, frozen=True, kw_only=True):
    draft: Draft  # after the change
    panel_options: PanelOptions | None = None  # next choices, and what is missing; None if they were not computed
    answer: str | None = None  # the sealed answer as text; None: not sealed
    only_adds: bool = False  # whether the change only adds to the draft, so that buttons of the old one stay valid

    @property
    def missing_parts(self) -> tuple[Text, ...]:
        return self.panel_options.choices.missing_parts if self.panel_options else ()


@marks_errors
def press_option(system: str, state_json: str, request: Request, draft: Draft, token: str) -> DraftResult:
    """Return the draft after an option was pressed, sealed if the option seals. Raises `OrderError`."""
    rules = RULESETS[system]
    state = read_state(rules, state_json)
    option = _require_option(rules, state, request, draft, token)
    changed_draft = Draft(option.draft, option.focus)
    answer = canonical_answer(rules, state, request, changed_draft.text) if option.seals_answer else None
    return structs.replace(_draft_result(rules, state, request, changed_draft, answer), only_adds=option.only_adds)


class TypedText(NamedTuple):
    text: str
    names: Mapping[int, str]  # captains' names by seat, which the text may use


@marks_errors
def type_text(system: str, state_json: str, request: Request, draft: Draft, typed: TypedText) -> DraftResult:
    """Return the draft with typed text applied. Raises `OrderError`.

    If the request's options take effect when pressed, a complete draft is sealed.
    """
    rules = RULESETS[system]
    state = read_state(rules, state_json)
    return _finish_change(rules, state, request, read_typed(rules, state, request, draft, typed))


@marks_errors
def take_hint(system: str, state_json: str, request: Request, draft: Draft, hint: HintRef) -> DraftResult:
    """Return the draft with a hint applied as if it had been typed.

    Raises `OrderError`, and `Refusal` if the game has changed so that the hint is now another one.
    """
    rules = RULESETS[system]
    state = read_state(rules, state_json)
    with repeat_thinking(hint.stopped_after):
        advised = rules.format_answer(request, _compute_advice(rules, state, request, hint.seed))
    if hint.answer_mark and hint.answer_mark != answer_mark(advised):
        raise Refusal("hint_changed")
    return _type_text(rules, state, request, draft, advised)


@marks_errors
def take_and_seal_hint(system: str, state_json: str, request: Request, draft: Draft, hint: HintRef) -> DraftResult:
    taken = take_hint(system, state_json, request, draft, hint)
    rules = RULESETS[system]
    answer = canonical_answer(rules, read_state(rules, state_json), request, taken.draft.text)
    return structs.replace(taken, answer=answer)


def _type_text(rules: Ruleset[S], state: S, request: Request, draft: Draft, text: str) -> DraftResult:
    return _finish_change(rules, state, request, rules.type_text(state, request, draft, text))


def read_typed(rules: Ruleset[S], state: S, request: Request, draft: Draft, typed: TypedText) -> Draft:
    """Return the draft after a text was typed into it: in notation, or in sentences as panels show orders.

    Raises `OrderError` with the nearest readable order.
    """
    try:
        return _read_text(rules, state, request, draft, typed)
    except OrderError as error:
        moment = Moment(rules, state, request, draft)
        error.fault = add_suggestions(quote_as_typed(error.fault, typed.text), moment, typed.text)
        raise


def _read_text(rules: Ruleset[S], state: S, request: Request, draft: Draft, typed: TypedText) -> Draft:
    try:
        return rules.type_text(state, request, draft, typed.text)
    except OrderError as error:
        reader = SentenceReader.load(rules.name)
        coded_names = CodedNames(rules.name, rules.coded_names(state))
        notation = reader.read_lines(typed.text, typed.names, coded_names) if reader else None
        labelled = _labelled_draft(rules, state, request, draft, notation or typed.text)
        if labelled:
            return labelled
        refusal = error
        moment = Moment(rules, state, request, draft)
        coded = coded_names.put_codes(typed.text)
        for text in (notation, with_colons(moment, notation or typed.text), coded, with_colons(moment, coded)):
            if text is None or text == typed.text:
                continue
            try:
                return rules.type_text(state, request, draft, text)
            except OrderError as mended_error:
                if mended_error.fault.kind == "illegal":
                    refusal = mended_error
        raise refusal from None


def _labelled_draft(rules: Ruleset[S], state: S, request: Request, draft: Draft, typed: str) -> Draft | None:
    """Return the draft after the option that answers at once and has this label, or None if no option does."""
    groups = rules.draft_choices(state, request, draft).groups
    options = [option for group in groups for option in group.options if option.seals_answer and not option.fault]
    option = find_label(rules.name, options, typed) if options else None
    return Draft(option.draft, option.focus) if option else None


@marks_errors
def fill_form(system: str, state_json: str, request: Request, draft: Draft, submitted: SubmittedForm) -> DraftResult:
    """Return the draft with the lines applied that were selected in a form. Raises `OrderError`."""
    rules = RULESETS[system]
    state = read_state(rules, state_json)
    forms = rules.draft_choices(state, request, draft).forms
    form = next((form for form in forms if form.token == submitted.form), None)
    if form is None:
        raise IllegalOrder("no_such_option", "", piece=submitted.form)
    selected_text = _form_text(form, submitted.line_tokens)
    if not selected_text:
        raise IllegalOrder("nothing_chosen", "", piece=form.token)
    filled_draft = rules.type_text(state, request, draft, selected_text)
    return _finish_change(rules, state, request, filled_draft._replace(focus=form.focus or filled_draft.focus))


def _form_text(form: Form, tokens: Sequence[str]) -> str:
    """Return what a player would type for the entries selected in a form, one token a field."""
    texts = []
    for number, field in enumerate(form.fields):
        token = tokens[number] if number < len(tokens) else ""
        entry = next((entry for entry in field.entries if entry.token == token), None)
        if entry is None:
            raise IllegalOrder("no_such_option", "", piece=token)
        texts.append(entry.text)
    return form.prefix + form.separator.join(filter(None, texts))


def _finish_change(rules: Ruleset[S], state: S, request: Request, draft: Draft) -> DraftResult:
    """Return a changed draft. If options take effect when pressed, a complete draft is sealed."""
    is_sealed = not request.sealed and _acts_at_once(rules.draft_choices(state, request, draft))
    answer = canonical_answer(rules, state, request, draft.text) if is_sealed else None
    return _draft_result(rules, state, request, draft, answer)


@marks_errors
def seal_draft(system: str, state_json: str, request: Request, draft: Draft) -> DraftResult:
    rules = RULESETS[system]
    state = read_state(rules, state_json)
    answer = canonical_answer(rules, state, request, draft.text)
    return _draft_result(rules, state, request, draft, answer)


def _draft_result(rules: Ruleset[S], state: S, request: Request, draft: Draft, answer: str | None) -> DraftResult:
    return DraftResult(draft=draft, answer=answer, panel_options=showing.panel_options_at(rules, state, request, draft))


@marks_errors
def answer_example(system: str, state_json: str, request: Request) -> dict[str, Scalar]:
    rules = RULESETS[system]
    return dict(rules.example_values(read_state(rules, state_json), request)) if request.kind in rules.questions else {}


def draft_after_option(system: str, state_json: str, request: Request, draft: Draft, token: str) -> Draft:
    rules = RULESETS[system]
    pressed = _require_option(rules, read_state(rules, state_json), request, draft, token)
    return Draft(pressed.draft, pressed.focus)


def _require_option(rules: Ruleset[S], state: S, request: Request, draft: Draft, token: str) -> Option:
    groups = rules.draft_choices(state, request, draft).groups
    option = next((option for group in groups for option in group.options if option.token == token), None)
    if option is None:
        raise IllegalOrder("no_such_option", "", piece=token)
    if option.fault:
        raise OrderError(option.fault)
    return option


@marks_errors
def draft_from_standing_orders(system: str, state_json: str, request: Request, text: str) -> str:
    """Return a draft with standing orders only, or an empty one if the request takes none. Raises `OrderError`."""
    rules = RULESETS[system]
    return standing_orders_draft(rules, read_state(rules, state_json), request, text)


def standing_orders_draft(rules: Ruleset[S], state: S, request: Request, text: str) -> str:
    """Like `draft_from_standing_orders`, for a decoded state."""
    choices = rules.draft_choices(state, request)
    has_standing_group = any(group.key == STANDING_GROUP for group in choices.groups)
    has_standing_form = any(form.token == STANDING_GROUP for form in choices.forms)
    if not (has_standing_group or has_standing_form):
        return ""
    return rules.type_text(state, request, EMPTY_DRAFT, text).text


def draft_choices(system: str, state_json: str, request: Request, draft: Draft) -> Choices:
    rules = RULESETS[system]
    return rules.draft_choices(read_state(rules, state_json), request, draft)


def suggest_continuations(
    system: str,
    state_json: str,
    request: Request,
    typed: str,
    style: PictureStyle,
    *,
    most: int,
    used_s: Callable[[], float] = time.process_time,
) -> list[tuple[str, str]]:
    """Return up to `most` continuations of a line that is being typed, as pairs of label and draft.

    The search also stops after `SUGGESTION_TIME_S`. `used_s` returns the process's processor time.
    """
    rules = RULESETS[system]
    began = used_s()
    state = read_state(rules, state_json)
    localizer = style.plain_localizer
    typed_folded = typed.casefold().strip()
    labels: dict[str, str] = {}  # by the text of the draft
    drafts_to_continue = [(Draft(typed), ""), (EMPTY_DRAFT, "")]  # with the labels of the options that led there
    for draft, label_before in drafts_to_continue:
        suggestion_count = sum(text not in ("", typed) for text in labels)
        if suggestion_count >= most or used_s() - began > SUGGESTION_TIME_S:
            break
        groups = rules.draft_choices(state, request, draft).groups
        # Buttons first, because long lists would take all places.
        buttons_first = sorted(groups, key=lambda group: group.style == "select")
        for option in [option for group in buttons_first for option in group.options]:
            option_label = localizer.say_text(option.label)
            label = f"{label_before} · {option_label}" if label_before else str(option_label)
            # An option that only focuses a ship is typed as her name: "BB" leads to "BB>G4", which "bb>g" begins.
            text = option.focus if option.draft == draft.text else option.draft
            if option.fault or text in labels:
                continue
            continues_typed = text.casefold().startswith(typed_folded)
            if continues_typed:
                labels[text] = label
            is_first_option = draft == EMPTY_DRAFT and not (label_before or option.seals_answer)
            if is_first_option and (continues_typed or typed_folded.startswith(text.casefold())):
                drafts_to_continue.append((Draft(option.draft, option.focus), label))
    return [(label, draft_text) for draft_text, label in labels.items() if draft_text and draft_text != typed][:most]


def compute_hint(system: str, state_json: str, request: Request, hint_seed: str, stop_after: int | None = None) -> Hint:
    """Return the best advice for a seat, regardless of the computer captains' level.

    `hint_seed` (hex) decides between equal answers. `stop_after` is the `stopped_after` of a hint to be recomputed.
    """
    rules = RULESETS[system]
    state = read_state(rules, state_json)
    view = rules.view(state, request.seat)
    # Thinking that stops at the same check as before gives the same hint again.
    thinking_limit = limit_time() if stop_after is None else repeat_thinking(stop_after)
    with thinking_limit as thinking_log:
        answer = _compute_advice(rules, state, request, hint_seed)
        stopped_after = thinking_log.stopped_after if stop_after is None else stop_after
        odds = rules.describe_odds(view, answer, hint_seed) if stopped_after is None else ()
    text = rules.format_answer(request, answer)
    return Hint(
        answer=text,
        lines=rules.draft_lines(state, request, Draft(text)),
        reason=rules.reason_for(view, answer),
        odds=odds,
        stopped_after=stopped_after,
    )


def _compute_advice(rules: Ruleset[S], state: S, request: Request, hint_seed: str) -> Any:  # noqa: ANN401 - any game's answer
    answer = rules.advise(rules.view(state, request.seat), request, hint_seed)
    return rules.advice_without_warnings(state, request, answer)


@marks_errors
def complete_answer(system: str, state_json: str, request: Request, text: str) -> str:
    rules = RULESETS[system]
    return canonical_answer(rules, read_state(rules, state_json), request, text)


def canonical_answer(rules: Ruleset[S], state: S, request: Request, text: str) -> str:
    """Return an answer in the form in which it is sealed. Raises `OrderError` if it is incomplete or illegal."""
    return rules.format_answer(request, rules.parse_answer(state, request, text))


def _acts_at_once(choices: Choices) -> bool:
    """Return whether the draft is complete and the request's options take effect when pressed."""
    return not choices.missing_parts and any(
        option.seals_answer for group in choices.groups for option in group.options
    )
