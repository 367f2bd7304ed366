"""One kind of request: how its answer is written, offered and checked, and who else may answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Generic

import msgspec
from msgspec import Struct

from rules.core.errors import IllegalOrder, Scalar, decode_checked, quote_excerpt
from rules.core.protocol import Choices, Report, Request
from rules.core.view import Text, View
from rules.interface.drafts import A, AnswerNotation, C, D, S, single_value_notation
from rules.interface.panels import MAX_BUTTONS, single_choice
from rules.interface.typed import fold_text


def no_computer_answer(view: View, request: Request, seed: str) -> Any:  # noqa: ANN401 - any game's answer
    """Raise `NotImplementedError`. Used if the game answers for computer captains itself."""
    raise NotImplementedError(request.kind)


@dataclass(frozen=True, kw_only=True)
class Question(Generic[S, C, D, A]):
    """One kind of request, as functions of its notation's context and draft, without side effects.

    `Ruleset.parse_answer`, `draft_choices` and so on call them for a state and a request.
    """

    notation: AnswerNotation[S, C, D, A]  # reads and writes answers
    draft_choices: Callable[[C, D], Choices]  # what a panel shows for a draft
    draft_lines: Callable[[C, D], tuple[Text, ...]] | None = None
    """The draft in words, if that is cheaper than all of `draft_choices`; None: taken from `draft_choices`."""
    draft_warnings: Callable[[C, D], tuple[Text, ...]] = lambda *_: ()
    """Warnings about parts of a draft that have no effect, from what its seat may see."""
    advice_without_warnings: Callable[[C, A], A] = lambda _, answer: answer
    """Returns a hint's answer, changed so that it causes fewer of `draft_warnings`."""
    example_values: Callable[[C], Mapping[str, Scalar]] = lambda _: {}
    """Values of the sentence `example.<kind>`, such as the name of one of the captain's ships."""
    default_answer: Callable[[C], A | None] = lambda _: None
    """The answer at a missed deadline; None: the first mate answers."""
    excused_default: Callable[[C], A | None] | None = None
    """The default for an excused captain, which may not claim a win; None: as `default_answer`."""
    has_stored_default: Callable[[C], bool] = lambda _: False
    """Whether `default_answer` consists of orders that the captain stored for this case."""
    is_claim: Callable[[str], bool] | None = None
    """Whether a line of an answer claims a win because others gave no orders; None: no line does."""
    computer_answer: Callable[[Any, Request, str], A] = no_computer_answer
    """A computer captain's answer, from its view and a seed (hex), unless the game overrides it."""
    has_advice: bool = True  # whether a hint can suggest more than to leave everything unchanged
    is_line_kept_sealed: Callable[[str], bool] | None = None
    """Whether a line of an answer, such as a doctrine or stored orders, stays secret until the game is over. The other
    lines become public after the round, not earlier, because some may be carried out after others were asked. None:
    all lines are public once carried out."""

    @property
    def is_all_kept_sealed(self) -> bool:
        """Return whether an answer has no public line: an empty line is secret only where every line is."""
        return self.is_line_kept_sealed is not None and self.is_line_kept_sealed("")

    def public_lines(self, text: str) -> str:
        """Return the lines of an answer, in canonical notation, that become public after the round.

        They do not show whether there are secret lines.
        """
        is_secret = self.is_line_kept_sealed
        if is_secret is None:
            return text
        return "\n".join(line for line in text.split("\n") if not is_secret(line))


_UNDECIDED_REPORT: Final = Report(digest="", winners=(), ending="")


BATTLE_QUESTION: Question[Any, Request, Report | None, Report] = Question(
    notation=single_value_notation(
        context=lambda _, request: request,
        parse=lambda request, text: decode_checked(text, Report, "json", "bad_json", piece=request.id),
        format=lambda report: msgspec.json.encode(report).decode(),
    ),
    draft_choices=lambda *_: Choices(groups=(), lines=()),
    default_answer=lambda _: _UNDECIDED_REPORT,
    computer_answer=lambda *_: _UNDECIDED_REPORT,
)
"""The question for requests that a battle answers (`Request.battle`). By default nobody wins."""


class Choice(Struct, frozen=True, tag=True):
    choice: str  # the key of the chosen label


def choice_question(
    labels: Callable[[Request], Mapping[str, Text]],
    *,
    rule: str,
    default: Callable[[Request], str],
    code: str = "no_such_choice",
    meant: Callable[[Request, str], str] = lambda _, word: word,
    most: int = MAX_BUTTONS,
    example_values: Callable[[Request], Mapping[str, Scalar]] = lambda _: {},
) -> Question[Any, Request, Choice | None, Choice]:
    """Return a question whose answers are the keys of `labels`. Others are refused by `rule`, as `fault.<code>`.

    `meant` maps a typed word, in lower case without accents, to the word that it means. The words have the heading
    `group.<kind>`, and are buttons if there are at most `most`.
    """

    def parse(request: Request, text: str) -> Choice:
        word = meant(request, fold_text(text).strip())
        offered = labels(request)
        if word not in offered:
            raise IllegalOrder(code, rule, piece=quote_excerpt(text), legal=", ".join(offered))
        return Choice(word)

    def choose_at_random(_: object, request: Request, seed: str) -> Choice:
        offered = list(labels(request))
        return Choice(offered[int(seed, 16) % len(offered)])

    return Question(
        notation=single_value_notation(
            context=lambda _, request: request, parse=parse, format=lambda answer: answer.choice
        ),
        draft_choices=lambda request, answer: single_choice(
            request.kind, labels(request), answer.choice if answer else "", most=most
        ),
        example_values=example_values,
        default_answer=lambda request: Choice(default(request)),
        computer_answer=choose_at_random,
    )
