"""Requests that are answered with one of several words, pressed or typed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct

from rules.core.errors import IllegalOrder, quote_excerpt
from rules.core.protocol import Request
from rules.core.view import Text
from rules.interface.drafts import single_value_notation
from rules.interface.panels import MAX_BUTTONS, single_choice
from rules.interface.question import Question
from rules.interface.typed import fold_text


class Choice(Struct, frozen=True, tag=True):
    choice: str


def choice_question(
    labels: Callable[[Request], Mapping[str, Text]],
    *,
    rule: str,
    default: Callable[[Request], str],
    code: str = "no_such_choice",
    meant: Callable[[Request, str], str] = lambda _, word: word,
    most: int = MAX_BUTTONS,
) -> Question[Any, Request, Choice | None, Choice]:
    """Return a question whose answers are the keys of `labels`. Others are refused by `rule`, as `fault.<code>`.

    `meant` maps a typed word, in lower case without accents, to the word that it means. The words have the heading
    `group.<kind>`, and are buttons if there are at most `most`.
    """

    def parse(request: Request, text: str) -> Choice:
        word, offered = meant(request, fold_text(text).strip()), labels(request)
        if word not in offered:
            raise IllegalOrder(code, rule, piece=quote_excerpt(text), legal=", ".join(offered))
        return Choice(word)

    return Question(
        notebook=single_value_notation(
            context=lambda _, request: request, parse=parse, format=lambda answer: answer.choice
        ),
        draft_choices=lambda request, answer: single_choice(
            request.kind, labels(request), answer.choice if answer else "", most=most
        ),
        default_answer=lambda request: Choice(default(request)),
        computer_answer=lambda _, request, seed: Choice(list(labels(request))[int(seed, 16) % len(labels(request))]),
    )
