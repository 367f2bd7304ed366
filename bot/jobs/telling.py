"""Define the job that puts sealed answers into words, for everybody who may read them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeVar

from bot.jobs.stored import read_state
from bot.texts.reading import SentenceReader
from rules.core.errors import OrderError
from rules.core.protocol import EMPTY_DRAFT, Draft, GameState, Request
from rules.core.registry import RULESETS
from rules.core.ruleset import Ruleset
from rules.core.view import Text

S = TypeVar("S", bound=GameState)


class SealedText(NamedTuple):
    state: str  # the state in which the question was asked, as JSON, secret; empty: undone since
    request: Request
    text: str  # the answer, or those of its lines that its reader may see


def describe_answers(system: str, answers: Sequence[SealedText]) -> tuple[tuple[Text, ...], ...]:
    """Return the sentences of each answer, all of which can be typed; none if only its notation can."""
    rules = RULESETS[system]
    states = {text: read_state(rules, text) for text in {answer.state for answer in answers if answer.state}}
    return tuple(
        answer_lines(rules, states[answer.state], answer.request, answer.text) if answer.state else ()
        for answer in answers
    )


def answer_lines(rules: Ruleset[S], state: S, request: Request, text: str) -> tuple[Text, ...]:
    try:
        rules.type_text(state, request, EMPTY_DRAFT, text)
    except OrderError:
        return ()
    reader = SentenceReader.load(rules.name)
    lines = rules.draft_lines(state, request, Draft(text))
    orders = reader.orders_only(lines) if reader else ()
    if len(orders) > 1:
        return orders
    label = rules.chosen_label(state, request, Draft(text))
    if label and (not orders or (label,) in orders[0].params.values()):  # the line only quotes the label
        return (label,)
    return orders
