"""Requests that are answered by one of several words: pressing or typing it is the answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct

from rules.errors import IllegalOrder, excerpt
from rules.notebook import one_piece
from rules.panels import pick
from rules.protocol import Choices, Request
from rules.question import Question
from rules.typed import fold
from rules.view import Text


class Choice(Struct, frozen=True, tag=True):
    """What was chosen, in the words of the notation."""

    choice: str


def one_of(
    labels: Callable[[Request], Mapping[str, Text]], *, rule: str, default: str, code: str = "no_such_choice"
) -> Question[Any, Request, Choice | None, Choice]:
    """A question whose answers are the words of `labels`; any other is refused by this rule, as `fault.<code>`.

    Its buttons stand under `group.<kind>`, what is missing is called `missing.<kind>`.
    """

    def parse(request: Request, text: str) -> Choice:
        word = fold(text).strip()
        if word not in labels(request):
            raise IllegalOrder(code, rule, piece=excerpt(text), legal=", ".join(labels(request)))
        return Choice(word)

    def choices(request: Request, answer: Choice | None) -> Choices:
        offered, chosen = labels(request), answer.choice if answer else ""
        return pick(request.kind, offered, chosen, line=offered.get(chosen), missing=f"missing.{request.kind}")

    return Question(
        notebook=one_piece(context=lambda _, request: request, parse=parse, format=lambda answer: answer.choice),
        choices=choices,
        default=lambda _: Choice(default),
        captain=lambda _, request, seed: Choice(list(labels(request))[int(seed, 16) % len(labels(request))]),
    )
