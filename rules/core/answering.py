"""Answers to a game's requests, by their `Question`: how captains write them, and what the computer answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import structs

from rules.chance.dice import derive_seed
from rules.core.engine import Engine, S
from rules.core.errors import Fault, OrderError, Scalar
from rules.core.protocol import EMPTY_DRAFT, Choices, Draft, Request, Seat, first_request_to
from rules.core.view import Text, View
from rules.interface.question import Question
from rules.interface.typed import own_words, straighten_punctuation, strip_sentence_ends


def _quote_as_typed(fault: Fault, text: str) -> Fault:
    """Return a fault with its pieces as a captain typed them, in their own case, accents and punctuation."""
    faults = tuple(_quote_as_typed(cause, text) for cause in fault.faults)
    given = fault.params.get("given")
    params = {**fault.params, "given": own_words(text, given)} if isinstance(given, str) else fault.params
    return structs.replace(fault, piece=own_words(text, fault.piece), params=params, faults=faults)


class ComputerCaptain(Engine[S]):
    """The computer's answers: those of computer captains, of stand-ins and of the first mate who gives hints."""

    questions: Mapping[str, Question[S, Any, Any, Any]]  # how each kind of request is answered, by `Request.kind`

    def computer_answer(self, view: View, request: Request, seed: str, /) -> Any:  # noqa: ANN401 - any game's answer
        """Return a computer captain's answer from its own view. The seed (hex) decides between equal answers."""
        return self._question(request).computer_answer(view, request, seed)

    def advise(self, view: View, request: Request, seed: str, /) -> Any:  # noqa: ANN401 - any game's answer
        """Return the first mate's advice from a seat's view and a seed (hex).

        It does not depend on the level of computer captains.
        """
        return self.computer_answer(view, request, seed)

    def stand_in_answer(self, state: S, request: Request, /) -> Any:  # noqa: ANN401 - any game's answer
        """Return the first mate's answer for a captain who missed a deadline."""
        return self.advise(self.view(state, request.seat), request, derive_seed(state.dice.seed, f"mate {request.id}"))

    def reason_for(self, view: View, answer: Any, /) -> Text:  # noqa: ANN401, ARG002 - any game's answer
        """Return one reason for an answer, from what a seat may see."""
        return Text("reason.none")

    def describe_odds(self, view: View, answer: Any, seed: str, /) -> tuple[Text, ...]:  # noqa: ANN401, ARG002 - see below
        """Return how likely an answer is to achieve its aim, from what a seat may see.

        Empty: nothing to add to the reason. The seed (hex) is for simulated trials.
        """
        return ()

    def default_answer(self, state: S, request: Request, *, excused: bool = False) -> Any:  # noqa: ANN401 - any game's answer
        """Return the answer at a missed deadline: the question's default, else the first mate's answer.

        A captain is `excused` after announcing an absence, or if their time was cut short.
        """
        question = self._question(request)
        find_default = question.excused_default if excused and question.excused_default else question.default_answer
        answer = find_default(question.notation.context(state, request))
        return self.stand_in_answer(state, request) if answer is None else answer

    def has_stored_default(self, state: S, request: Request) -> bool:
        """Return whether the captain's own stored orders answer at a missed deadline."""
        question = self._question(request)
        return question.has_stored_default(question.notation.context(state, request))

    def _question(self, request: Request) -> Question[S, Any, Any, Any]:
        return self.questions[request.kind]


class AnswerDrafts(ComputerCaptain[S]):
    """The answers that captains write: their notation, their drafts, and what may be pressed for a draft."""

    def parse_answer(self, state: S, request: Request, text: str) -> Any:  # noqa: ANN401 - any game's answer
        """Return a complete, legal answer. Raises `OrderError` for anything else."""
        question = self._question(request)
        return question.notation.parse_answer(question.notation.context(state, request), text)

    def format_answer(self, request: Request, answer: Any) -> str:  # noqa: ANN401 - any game's answer
        """Return an answer in the canonical notation that `parse_answer` reads."""
        question = self._question(request)
        return question.notation.format_answer(answer)

    def type_text(self, state: S, request: Request, draft: Draft, text: str) -> Draft:
        """Return the draft after a text was typed into it. Lines may end with a full stop.

        Raises `OrderError`, which quotes the text as it was typed, if the text cannot be read or breaks a rule.
        """
        question = self._question(request)
        notation = question.notation
        context = notation.context(state, request)
        parsed = notation.read_draft(context, draft)
        try:
            changed = notation.type_text(context, parsed, straighten_punctuation(strip_sentence_ends(text)))
        except OrderError as error:
            error.fault = _quote_as_typed(error.fault, text)
            raise
        return notation.write_draft(context, changed)

    def coded_names(self, state: S) -> Mapping[str, Text]:  # noqa: ARG002 -- a game may need it
        """Return the names of things that answers name by codes, by code; empty: there are none."""
        return {}

    def draft_choices(self, state: S, request: Request, draft: Draft = EMPTY_DRAFT) -> Choices:
        """Return what may be pressed for a draft. An unreadable draft counts as empty."""
        question = self._question(request)
        context = question.notation.context(state, request)
        return question.draft_choices(context, question.notation.read_draft(context, draft))

    def draft_lines(self, state: S, request: Request, draft: Draft) -> tuple[Text, ...]:
        """Return the draft in words. An unreadable draft counts as empty."""
        question = self._question(request)
        context = question.notation.context(state, request)
        parsed = question.notation.read_draft(context, draft)
        if question.draft_lines:
            return question.draft_lines(context, parsed)
        return question.draft_choices(context, parsed).lines

    def chosen_label(self, state: S, request: Request, draft: Draft) -> Text | None:
        """Return the label of the option that answers with this draft at once, or None if no option does."""
        options = (option for group in self.draft_choices(state, request, draft).groups for option in group.options)
        return next((each.label for each in options if each.seals_answer and each.draft == draft.text), None)

    def draft_warnings(self, state: S, request: Request, draft: Draft) -> tuple[Text, ...]:
        """Return warnings about parts of a draft that have no effect in the current position.

        They do not make it illegal.
        """
        question = self._question(request)
        context = question.notation.context(state, request)
        return question.draft_warnings(context, question.notation.read_draft(context, draft))

    def advice_without_warnings(self, state: S, request: Request, answer: Any) -> Any:  # noqa: ANN401 - any game's answer
        """Return the answer closest to `answer` that causes no warning."""
        question = self._question(request)
        return question.advice_without_warnings(question.notation.context(state, request), answer)

    def example_values(self, state: S, request: Request) -> Mapping[str, Scalar]:
        """Return values for the sentence `example.<kind>`, such as the name of one of the captain's ships."""
        question = self._question(request)
        return question.example_values(question.notation.context(state, request))

    def plan_lines(self, state: S, seat: Seat | None, draft: Draft, kind: str = "") -> tuple[Text, ...]:
        """Return a seat's draft in words, for its first pending request (of `kind` if given).

        Empty: no such request.
        """
        request = first_request_to(self.pending_requests(state), seat, kind)
        return self.draft_lines(state, request, draft) if request else ()
