"""Answers are read as they are written, anything else is refused in words, and buttons keep their word."""

import re
from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from rules.core.errors import Fault, OrderError
from rules.core.protocol import EMPTY_DRAFT, Choices, Draft, Option, Request
from tests.laws.length import times
from tests.laws.play import Position, decode, encode, positions, words
from tests.samples import sample_answers

EXAMPLES = settings(max_examples=times(6, 600))
MORE = settings(max_examples=times(20, 6000))
TOKEN = re.compile(r"[A-Za-z0-9\-_.+/]{1,40}")
PRESSES = 6
STOPS = (".", "!", "…", "...", ". ", " .\n", "!\r\n")
"""Ends of sentences as phones and their owners type them. A phone turns two blanks into a full stop and a blank, and
three full stops into one sign."""
STRANGE = " ;,:-+/@^()=.0123456789\n\t\0\u200b\u0661\u00b2\uff11éőÁßıK–−°"
"""Characters that players, keyboards and jokers put between the letters."""


def assert_fault_is_said(system: str, fault: Fault) -> None:
    """Check that a refusal names its reason, and has a sentence in every language."""
    assert re.fullmatch("[a-z_]+", fault.code)
    assert decode(encode(fault), Fault) == fault
    for speech in words(system):
        assert speech.fault_text(fault)


def told_by_rule(system: str, refused: OrderError) -> None:
    """Check that a refusal names a numbered rule, unless the text could not be read."""
    assert refused.fault.kind != "illegal" or refused.fault.rule
    assert_fault_is_said(system, refused.fault)


def answers_to(position: Position, request: Request) -> list:
    rules, state, _, rng = position
    mate = rules.computer_answer(rules.view(state, request.seat), request, f"{rng.getrandbits(64):016x}")
    return [*sample_answers(rules, state, request), rules.default_answer(state, request), mate]


@st.composite
def garbled(draw: st.DrawFn, texts: Sequence[str]) -> str:
    """Draw a real text with some letters changed, lost, doubled or moved, or any text at all."""
    if draw(st.integers(0, 5)) == 0:
        return draw(st.text(max_size=80))
    text = draw(st.sampled_from(texts))
    letters = st.one_of(st.sampled_from(STRANGE), st.sampled_from("".join(texts) or " "), st.characters(codec="utf-8"))
    for _ in range(draw(st.integers(0, 4))):
        at = draw(st.integers(0, len(text)))
        end = min(len(text), at + draw(st.integers(0, 3)))
        match draw(st.sampled_from(("replace", "insert", "lose", "double", "move", "case"))):
            case "replace":
                text = text[:at] + draw(letters) + text[end:]
            case "insert":
                text = text[:at] + draw(letters) + text[at:]
            case "lose":
                text = text[:at] + text[end:]
            case "double":
                text = text[:end] + text[at:]
            case "move":
                text = text[end:] + text[:at]
            case "case":
                text = text[:at] + text[at:].swapcase()
    return text


@EXAMPLES
@given(positions())
def test_every_answer_is_read_as_it_is_written_and_has_a_reason_that_can_be_told(position: Position):
    rules, state, _, _ = position
    for request in position.asked:
        answers, view = answers_to(position, request), rules.view(state, request.seat)
        assert len(answers) > 2
        for answer in answers:
            reason = rules.reason_for(view, answer)
            assert all(speech.say_text(reason) for speech in words(rules.name))
            text = rules.format_answer(request, answer)
            assert rules.parse_answer(state, request, text) == answer
            assert rules.format_answer(request, rules.parse_answer(state, request, text)) == text
            assert encode(decode(encode(answer), type(answer))) == encode(answer)


@MORE
@given(positions(), st.data())
def test_any_text_is_an_answer_or_refused_in_words(position: Position, data: st.DataObject):
    if not position.asked:
        return
    rules, state, _, rng = position
    request = rng.choice(position.asked)
    texts = [rules.format_answer(request, answer) for answer in sample_answers(rules, state, request)]
    text, draft = data.draw(garbled(texts)), data.draw(garbled(texts))
    before = encode(state)
    try:
        answer = rules.parse_answer(state, request, text)
    except OrderError as refused:
        told_by_rule(rules.name, refused)
    else:
        assert rules.parse_answer(state, request, rules.format_answer(request, answer)) == answer
    try:
        amended = rules.type_text(state, request, Draft(draft), text)
    except OrderError as refused:
        told_by_rule(rules.name, refused)
    else:
        assert not amended.text or rules.type_text(state, request, EMPTY_DRAFT, amended.text).text == amended.text
        assert_complete(position, request, amended)
    for any_draft in (text, draft):
        assert rules.draft_choices(state, request, Draft(any_draft)).groups
        assert rules.view(state, request.seat, Draft(any_draft)).seat == request.seat
    assert encode(state) == before


@MORE
@given(positions(), st.data())
def test_orders_that_end_like_a_sentence_are_the_same_orders(position: Position, data: st.DataObject):
    if not position.asked:
        return
    rules, state, _, rng = position
    rng.seed(data.draw(st.integers(0, 2**32)))
    request = rng.choice(position.asked)
    texts = [rules.format_answer(request, answer) for answer in answers_to(position, request)]
    texts += [option.draft for group in rules.draft_choices(state, request).groups for option in group.options]
    text = data.draw(st.one_of(st.sampled_from(texts), garbled(texts)))
    draft, stop = Draft(data.draw(st.sampled_from(texts))), data.draw(st.sampled_from(STOPS))
    if not text.strip(" \t\r\n.!…"):
        return
    lines = data.draw(st.sampled_from((text + stop, text.replace("\n", f"{stop.strip()}\n") + stop)))
    assert typed(position, request, draft, lines) == typed(position, request, draft, text)


def typed(position: Position, request: Request, draft: Draft, text: str) -> Draft | Fault:
    """Return the draft after typing, or the refusal's fault."""
    try:
        return position.rules.type_text(position.state, request, draft, text)
    except OrderError as refused:
        return refused.fault


@EXAMPLES
@given(positions(), st.integers(0, 2**32))
def test_what_may_be_pressed_leads_on_and_what_may_not_says_why(position: Position, whim: int):
    if not position.asked:
        return
    rules, state, _, rng = position
    rng.seed(whim)
    request = rng.choice(position.asked)
    draft = EMPTY_DRAFT
    for _ in range(PRESSES):
        choices = rules.draft_choices(state, request, draft)
        assert choices == rules.draft_choices(state, request, draft)
        assert choices.lines == rules.draft_lines(state, request, draft)
        assert_shown(rules.name, choices)
        options = [option for group in choices.groups for option in group.options]
        for option in options:
            if option.fault:
                assert_fault_is_said(rules.name, option.fault)
        open_options = [option for option in options if option.fault is None]
        assert open_options
        pressed = rng.choice(open_options)
        assert_leads_on(position, request, draft, pressed)
        draft = Draft(pressed.draft, pressed.focus)


def assert_shown(system: str, choices: Choices) -> None:
    """Check that choices fit on a panel, and every word of them is known."""
    tokens = [option.token for group in choices.groups for option in group.options]
    assert len(tokens) == len(set(tokens))
    assert all(TOKEN.fullmatch(token) for token in tokens)
    assert all(len(group.options) <= 25 for group in choices.groups)
    for speech in words(system):
        for group in choices.groups:
            assert speech.say(f"group.{group.key}")
            assert all(speech.say_text(option.label) for option in group.options)
        assert all(speech.say_text(text) for text in (*choices.lines, *choices.missing_parts))


def assert_leads_on(position: Position, request: Request, before: Draft, pressed: Option) -> None:
    """Check that the same panel, typing and the table's picture understand the draft after a press."""
    rules, state, _, _ = position
    if pressed.draft:
        assert rules.type_text(state, request, EMPTY_DRAFT, pressed.draft).text == pressed.draft
    after = Draft(pressed.draft, pressed.focus)
    again = [option for group in rules.draft_choices(state, request, after).groups for option in group.options]
    if after == before and pressed.is_chosen:
        assert all(option.is_chosen for option in again if option.token == pressed.token)
    # Looking at something changes nothing of what is ordered.
    if after.text == before.text:
        missing = [bool(rules.draft_choices(state, request, draft).missing_parts) for draft in (before, after)]
        assert missing[0] == missing[1]
    rules.view(state, request.seat, after)
    if pressed.seals_answer:
        rules.parse_answer(state, request, pressed.draft)
    assert_complete(position, request, after)


def assert_complete(position: Position, request: Request, draft: Draft) -> None:
    """Check that a draft is an answer just when nothing is said to be missing."""
    rules, state, _, _ = position
    missing = rules.draft_choices(state, request, draft).missing_parts
    try:
        rules.parse_answer(state, request, draft.text)
    except OrderError as refused:
        told_by_rule(rules.name, refused)
        complete = False
    else:
        complete = True
    assert complete == (not missing), draft
