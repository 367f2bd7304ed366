"""How a captain writes an answer: typing, pressing and finished answers meet in one notation.

A game gives a `AnswerNotation` a few functions of values; from them a `PendingDecision` (rules/question.py) reads
drafts, puts typed text into them, and reads and writes whole answers. No game checks lengths or catches `OrderError`
for this by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Generic, NamedTuple, ParamSpec, TypeVar, cast

from rules.errors import Fault, OrderError, UnreadableOrder, quote_excerpt
from rules.protocol import Draft, Option, Request, Seat
from rules.view import Text

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
    empty: Callable[[C], D]
    """The draft in which nothing is written."""
    take: Callable[[C, D, str], D]
    """The draft with typed text in it; what the text does not mention stays. Raises `OrderError`."""
    written: Callable[[C, D], Draft]
    """The draft as text that `take` reads, and its focus."""
    complete: Callable[[C, D], A]
    """The answer that a draft makes. Raises `OrderError` if something is missing."""
    format: Callable[[A], str]
    """An answer in canonical notation: `finish(context, format(answer)) == answer`."""
    look: Callable[[C, D, str], D] = _keep_focus
    """The draft with its focus moved; a focus that names nothing changes nothing."""
    typed_in: Callable[[C, D, D], D] = _take_typed
    """The draft that is kept of one (the last) into which text was typed, by what it was before."""
    check: Callable[[C, D], None] = _accept_all
    """Raises `OrderError` for a draft that can be read, as it was legal when it was sealed, but not be typed now."""
    most: int = MAX_TEXT_CHARS
    """Characters of typed text, and of a draft."""

    def read(self, context: C, draft: Draft) -> D:
        """The draft; one whose text cannot be read counts as empty."""
        found = try_read(self._taken, context, self.empty(context), draft.text)
        return self.look(context, self.empty(context) if found is None else found, draft.focus)

    def amend(self, context: C, draft: D, text: str) -> D:
        """The draft with typed text in it. Raises `OrderError`, also if the draft gets too long to be read again."""
        after = self.typed_in(context, draft, self._taken(context, draft, text))
        self.check(context, after)
        check_length(self.written(context, after).text, self.most)
        return after

    def option(
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
        text, focus = self.written(context, after)
        label = label or Text(f"choice.{token}")
        return Option(
            token, label, text, focus, fault=fault, chosen=chosen, seals=seals, adds=adds, joined=joined, stays=stays
        )

    def looks(
        self, context: C, token: str, labels: Mapping[str, Text], after: Callable[[str], D], now: str
    ) -> Iterator[Option]:
        """One thing to press for each focus that has a label, `<token>.<focus>`; the one looked at now is chosen."""
        for focus, label in labels.items():
            yield self.option(context, after(focus), f"{token}.{focus}", label, chosen=focus == now)

    def finish(self, context: C, text: str) -> A:
        """A whole answer. Raises `OrderError` if anything in it is unreadable, illegal, left out or too long."""
        draft = self._taken(context, self.empty(context), text)
        answer = self.complete(context, draft)
        check_length(self.written(context, draft).text, self.most)
        return answer

    def typed(
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
            after = self._taken(context, draft, text)
        except OrderError as wrong:
            return self.option(context, draft, token, label, fault=wrong.fault)
        return self.option(context, after, token, label, chosen=after == draft if chosen is None else chosen, adds=adds)

    def _taken(self, context: C, draft: D, text: str) -> D:
        check_length(text, self.most)
        return self.take(context, draft, text)


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
        empty=lambda _: None,
        take=take,
        written=lambda _, draft: Draft() if draft is None else Draft(format(draft)),
        complete=lambda _, draft: cast("A", draft),  # `take` gives an answer, or raises
        format=format,
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
