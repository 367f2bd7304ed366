"""The notation of an answer, shared by typed text, pressed buttons and finished answers.

A game supplies an `AnswerNotation` with a few pure functions. From them a `Question` (rules/interface/question.py)
reads drafts, types text into them, and reads and writes whole answers. Length limits and `OrderError`s of unreadable
drafts are handled here, not in the games.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Generic, NamedTuple, ParamSpec, TypeVar, cast

from rules.core.errors import Fault, OrderError, UnreadableOrder, quote_excerpt
from rules.core.protocol import Draft, Option, Request, Seat
from rules.core.view import Text

S = TypeVar("S")
C = TypeVar("C")  # the read-only inputs for editing one seat's answer
D = TypeVar("D")  # an unfinished answer
A = TypeVar("A")  # a finished answer
P = ParamSpec("P")
T = TypeVar("T")

MAX_TEXT_CHARS: Final = 1000  # default limit for typed text and for drafts


class SeatContext(NamedTuple, Generic[S]):
    """A context for notations that need only the state and the seat."""

    state: S  # the game
    seat: Seat  # the seat whose captain answers


def seat_context(state: S, request: Request) -> SeatContext[S]:
    return SeatContext(state, request.seat)


@dataclass(frozen=True, kw_only=True)
class AnswerNotation(Generic[S, C, D, A]):
    """The notation of one kind of answer, as functions without side effects.

    `parse_into` is the only parser. It reads drafts, typed text and finished answers.
    """

    context: Callable[[S, Request], C]  # returns what editing an answer needs to know, for a request
    empty_draft: Callable[[C], D]  # returns a draft with nothing chosen
    parse_into: Callable[[C, D, str], D]
    """Puts a text into a draft, and keeps what the text does not mention. Raises `OrderError`."""
    write_draft: Callable[[C, D], Draft]  # writes a draft as text that `parse_into` reads, with its focus
    complete_answer: Callable[[C, D], A]  # turns a draft into an answer. Raises `OrderError` if something is missing.
    format_answer: Callable[[A], str]
    """Writes an answer in canonical notation, so that `parse_answer` returns an equal answer."""
    move_focus: Callable[[C, D, str], D] = lambda _, draft, __: draft  # ignores an unknown focus
    merge_typed: Callable[[C, D, D], D] = lambda _, __, draft: draft  # combines the drafts before and after typing
    check_typed: Callable[[C, D], None] = lambda *_: None
    """Raises `OrderError` for a draft that is readable because an older seal may contain it, but may no longer be
    typed."""
    max_chars: int = MAX_TEXT_CHARS  # limit for typed text and drafts

    def read_draft(self, context: C, draft: Draft) -> D:
        """Return the parsed draft, or the empty draft if its text cannot be read."""
        empty = self.empty_draft(context)
        parsed = try_read(self._parse_checked, context, empty, draft.text)
        return self.move_focus(context, empty if parsed is None else parsed, draft.focus)

    def type_text(self, context: C, draft: D, text: str) -> D:
        """Return the draft after a text was typed. Raises `OrderError`, also if the draft becomes too long."""
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
        """Return an option that leads to `after`, with flags as in `Option`. The default label is `choice.<token>`."""
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
        """Yield an option `<token>.<focus>` for each labelled focus, with `now` marked as chosen."""
        for focus, label in labels.items():
            yield self.make_option(context, after(focus), f"{token}.{focus}", label, chosen=focus == now)

    def parse_answer(self, context: C, text: str) -> A:
        """Return a whole answer. Raises `OrderError` if it is unreadable, illegal, incomplete or too long."""
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
        """Return an option with the effect of typing `text`, or with the fault that typing it would cause.

        Unless `chosen` is given, it counts as chosen if it changes nothing.
        """
        try:
            after = self._parse_checked(context, draft, text)
        except OrderError as error:
            return self.make_option(context, draft, token, label, fault=error.fault)
        is_chosen = after == draft if chosen is None else chosen
        return self.make_option(context, after, token, label, chosen=is_chosen, adds=adds)

    def _parse_checked(self, context: C, draft: D, text: str) -> D:
        check_length(text, self.max_chars)
        return self.parse_into(context, draft, text)


def single_value_notation(
    *,
    context: Callable[[S, Request], C],
    parse: Callable[[C, str], A],
    format: Callable[[A], str],  # noqa: A002 - named like the field
) -> AnswerNotation[S, C, A | None, A]:
    """Return the notation of an answer that is a single value. Its draft is the answer or None."""

    def take(context: C, _: A | None, text: str) -> A | None:
        return parse(context, text)

    return AnswerNotation(
        context=context,
        empty_draft=lambda _: None,
        parse_into=take,
        write_draft=lambda _, draft: Draft() if draft is None else Draft(format(draft)),
        complete_answer=lambda _, draft: cast("A", draft),  # `take` returns an answer or raises
        format_answer=format,
    )


def check_length(text: str, most: int) -> None:
    if len(text) > most:
        raise UnreadableOrder("text_too_long", piece=quote_excerpt(text), most=most, length=len(text))


def try_read(read: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T | None:
    try:
        return read(*args, **kwargs)
    except OrderError:
        return None
