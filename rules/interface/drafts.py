"""How a captain writes an answer: typing, pressing and finished answers meet in one notation.

A game gives a `AnswerNotation` a few functions of values; from them a `PendingDecision` (rules/interface/question.py)
reads drafts, puts typed text into them, and reads and writes whole answers. No game checks lengths or catches
`OrderError` for this by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Generic, NamedTuple, ParamSpec, TypeVar, cast

from rules.core.errors import Fault, OrderError, UnreadableOrder, quote_excerpt
from rules.core.protocol import Draft, Option, Request, Seat
from rules.core.view import Text

S = TypeVar("S")
"""A game's state."""
C = TypeVar("C")
"""The read-only inputs for editing one seat's answer."""
D = TypeVar("D")
"""An unfinished answer."""
A = TypeVar("A")
"""A whole answer."""
P = ParamSpec("P")
T = TypeVar("T")

MAX_TEXT_CHARS: Final = 1000
"""Characters of typed text that are read, and of a draft, if a notebook does not say otherwise."""


def _keep_focus(context: C, draft: D, focus: str) -> D:  # noqa: ARG001 - one of several ways to look
    return draft


def _take_typed(context: C, before: D, draft: D) -> D:  # noqa: ARG001 - one of several ways to take what is typed
    return draft


def _accept_all(*_: object) -> None:
    return None


class SeatContext(NamedTuple, Generic[S]):
    """The context of a notebook that needs no more than the state, and whose answer it is."""

    state: S
    seat: Seat


def seat_context(state: S, request: Request) -> SeatContext[S]:
    """The state and the seat that is asked."""
    return SeatContext(state, request.seat)


@dataclass(frozen=True, kw_only=True)
class AnswerNotation(Generic[S, C, D, A]):
    """One notation: functions of values, without side effects.

    `context` collects what the others need; `take` is the only reader, of drafts, typed text and finished answers.
    """

    context: Callable[[S, Request], C]
    """The inputs for one seat's answer: its ships, standing orders, limits."""
    empty_draft: Callable[[C], D]
    """The draft in which nothing is written."""
    parse_into: Callable[[C, D, str], D]
    """The draft with typed text in it; what the text does not mention stays. Raises `OrderError`."""
    write_draft: Callable[[C, D], Draft]
    """The draft as text that `take` reads, and its focus."""
    complete_answer: Callable[[C, D], A]
    """The answer that a draft makes. Raises `OrderError` if something is missing."""
    format_answer: Callable[[A], str]
    """An answer in canonical notation: `finish(context, format(answer)) == answer`."""
    move_focus: Callable[[C, D, str], D] = _keep_focus
    """The draft with its focus moved; a focus that names nothing changes nothing."""
    merge_typed: Callable[[C, D, D], D] = _take_typed
    """The draft that is kept of one (the last) into which text was typed, by what it was before."""
    check_typed: Callable[[C, D], None] = _accept_all
    """Raises `OrderError` for a draft that can be read, as it was legal when it was sealed, but not be typed now."""
    max_chars: int = MAX_TEXT_CHARS
    """Characters of typed text, and of a draft."""

    def read_draft(self, context: C, draft: Draft) -> D:
        """The draft; one whose text cannot be read counts as empty."""
        found = try_read(self._parse_checked, context, self.empty_draft(context), draft.text)
        return self.move_focus(context, self.empty_draft(context) if found is None else found, draft.focus)

    def type_text(self, context: C, draft: D, text: str) -> D:
        """The draft with typed text in it. Raises `OrderError`, also if the draft gets too long to be read again."""
        after = self.merge_typed(context, draft, self._parse_checked(context, draft, text))
        self.check_typed(context, after)
        check_length(self.write_draft(context, after).text, self.max_chars)
        return after

    def make_option(
        self,
        context: C,
        after: D,
        token: str,
        label: Text | None = None,
        *,
        fault: Fault | None = None,
        chosen: bool = False,
        seals: bool = False,
        adds: bool = False,
        joined: bool = False,
        stays: bool = False,
    ) -> Option:
        """One thing to press, by the draft that there is after it; its label is `choice.<token>` if none is given."""
        text, focus = self.write_draft(context, after)
        label = label or Text(f"choice.{token}")
        return Option(
            token,
            label,
            text,
            focus,
            fault=fault,
            is_chosen=chosen,
            seals_answer=seals,
            only_adds=adds,
            is_joined=joined,
            stays_visible=stays,
        )

    def focus_options(
        self, context: C, token: str, labels: Mapping[str, Text], after: Callable[[str], D], now: str
    ) -> Iterator[Option]:
        """One thing to press for each focus that has a label, `<token>.<focus>`; the one looked at now is chosen."""
        for focus, label in labels.items():
            yield self.make_option(context, after(focus), f"{token}.{focus}", label, chosen=focus == now)

    def parse_answer(self, context: C, text: str) -> A:
        """A whole answer. Raises `OrderError` if anything in it is unreadable, illegal, left out or too long."""
        draft = self._parse_checked(context, self.empty_draft(context), text)
        answer = self.complete_answer(context, draft)
        check_length(self.write_draft(context, draft).text, self.max_chars)
        return answer

    def typed_option(
        self,
        context: C,
        draft: D,
        token: str,
        label: Text,
        text: str,
        *,
        chosen: bool | None = None,
        adds: bool = False,
    ) -> Option:
        """One thing to press that does what this text would do if it were typed, or is refused as that would be.

        It is chosen if it changes nothing, unless that is said.
        """
        try:
            after = self._parse_checked(context, draft, text)
        except OrderError as wrong:
            return self.make_option(context, draft, token, label, fault=wrong.fault)
        return self.make_option(
            context, after, token, label, chosen=after == draft if chosen is None else chosen, adds=adds
        )

    def _parse_checked(self, context: C, draft: D, text: str) -> D:
        check_length(text, self.max_chars)
        return self.parse_into(context, draft, text)


def single_value_notation(
    *,
    context: Callable[[S, Request], C],
    parse: Callable[[C, str], A],
    format: Callable[[A], str],  # noqa: A002 - named as the field is
) -> AnswerNotation[S, C, A | None, A]:
    """The notebook of an answer that is a single thing, such as a choice: its draft is the answer, or None."""

    def take(context: C, _: A | None, text: str) -> A | None:
        return parse(context, text)

    return AnswerNotation(
        context=context,
        empty_draft=lambda _: None,
        parse_into=take,
        write_draft=lambda _, draft: Draft() if draft is None else Draft(format(draft)),
        complete_answer=lambda _, draft: cast("A", draft),  # `take` gives an answer, or raises
        format_answer=format,
    )


def check_length(text: str, most: int) -> None:
    """Raise `UnreadableOrder` if a text has more than `most` characters."""
    if len(text) > most:
        raise UnreadableOrder("text_too_long", piece=quote_excerpt(text), most=most, length=len(text))


def try_read(read: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T | None:
    """What a function reads; None if it raises `OrderError`."""
    try:
        return read(*args, **kwargs)
    except OrderError:
        return None
