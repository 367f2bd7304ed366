"""One kind of request: how its answer is written, offered and warned of, and what answers in a captain's place."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Generic

import msgspec

from rules.core.errors import Scalar
from rules.core.parsing import decode_checked
from rules.core.protocol import Choices, Report, Request
from rules.core.view import Text, View
from rules.interface.drafts import A, AnswerNotation, C, D, S, single_value_notation


def _no_lines(*_: object) -> tuple[Text, ...]:
    return ()


def _no_values(_: object) -> Mapping[str, Scalar]:
    return {}


def _no_default(_: object) -> None:
    return None


def _always_false(_: object) -> bool:
    return False


def _unchanged_answer(_: object, answer: A) -> A:
    return answer


def no_computer_answer(view: View, request: Request, seed: str) -> Any:  # noqa: ANN401 - any game's answer
    """Raise `NotImplementedError`: the game answers for computer captains itself."""
    raise NotImplementedError(request.kind)


@dataclass(frozen=True, kw_only=True)
class Question(Generic[S, C, D, A]):
    """One kind of request, made of functions of its notebook's context and draft; none has side effects.

    `Ruleset.parse`, `choices` and so on call them for a state and a request.
    """

    notebook: AnswerNotation[S, C, D, A]
    draft_choices: Callable[[C, D], Choices]
    """What may be pressed after a draft, and the draft in words."""
    draft_lines: Callable[[C, D], tuple[Text, ...]] | None = None
    """The draft in words alone, where `choices` takes its time to find what may be pressed; None: as `choices` does."""
    sample_answers: Callable[[C], Sequence[A]] | None = None
    """A finite, representative set of legal answers, for tests and counting; None: each option that seals."""
    draft_warnings: Callable[[C, D], tuple[Text, ...]] = _no_lines
    """What of a draft has no effect as things stand, from what its seat may see."""
    advice_without_warnings: Callable[[C, A], A] = _unchanged_answer
    """The answer nearest to this one of which `warnings` says nothing."""
    example_values: Callable[[C], Mapping[str, Scalar]] = _no_values
    """Values of the sentence `example.<kind>`, such as the name of one of the captain's ships."""
    default_answer: Callable[[C], A | None] = _no_default
    """The answer when the deadline has passed; None: the first mate gives it."""
    excused_default: Callable[[C], A | None] | None = None
    """The same for a captain who had announced an absence, or whose time was cut short: nobody may claim a win for it.
    None: as `default` says."""
    has_stored_default: Callable[[C], bool] = _always_false
    """Whether `default` is what the captain has stored for when they are late."""
    is_claim: Callable[[str], bool] | None = None
    """Whether a line of an answer claims the win because others gave no orders; None: no line does."""
    computer_answer: Callable[[Any, Request, str], A] = no_computer_answer
    """A computer captain's answer, from what its seat sees and a seed (hex), unless the game has a captain for all."""
    has_advice: bool = True
    """Whether a hint can say more than to leave things as they are."""
    is_line_kept_sealed: Callable[[str], bool] | None = None
    """Which lines of an answer stay sealed until the game is over: doctrines, and what is stored for later. Its other
    lines may be read by all once its round is over, and not before: some may be carried out after others were asked.
    None: an answer can have no such line, and is opened when it is carried out."""

    def public_lines(self, text: str) -> str:
        """The lines of an answer, in canonical notation, that all may read when its round is over.

        Whether it has others, nobody can tell from these.
        """
        sealed = self.is_line_kept_sealed
        return text if sealed is None else "\n".join(line for line in text.split("\n") if not sealed(line))


_UNDECIDED_REPORT: Final = Report(digest="", winners=(), ending="")


def _possible_reports(request: Request) -> Sequence[Report]:
    """A draw, and a win of each seat of the battle."""
    seats = range(len(request.battle.seats)) if request.battle else ()
    return [Report(digest="", winners=winners, ending="") for winners in ((), *((seat,) for seat in seats))]


BATTLE_QUESTION: Question[Any, Request, Report | None, Report] = Question(
    notebook=single_value_notation(
        context=lambda _, request: request,
        parse=lambda request, text: decode_checked(text, Report, "json", "bad_json", piece=request.id),
        format=lambda report: msgspec.json.encode(report).decode(),
    ),
    draft_choices=lambda *_: Choices(groups=(), lines=()),
    sample_answers=_possible_reports,
    default_answer=lambda _: _UNDECIDED_REPORT,
    computer_answer=lambda *_: _UNDECIDED_REPORT,
)
"""The question of a request that a battle answers (`Request.battle`): no captain is asked; by default nobody wins."""
