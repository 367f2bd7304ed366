"""Orders of one word for each ship, such as `A1 N3; A2 E1`: typed, or pressed ship by ship; `hold` is none at all."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Generic, NamedTuple

from msgspec import Struct

from rules.core.errors import Fault, IllegalOrder, UnreadableOrder, quote_excerpt
from rules.core.protocol import Choices, Draft, Option, Request, Seat
from rules.core.view import Text
from rules.interface.drafts import AnswerNotation, S, SeatContext, seat_context
from rules.interface.panels import button_row, button_rows, drop_empty
from rules.interface.question import Question, no_computer_answer
from rules.interface.typed import split_pieces

HOLD: Final = "HOLD"
_ORDER_PATTERN: Final = re.compile(r"([A-Z]+[0-9]+)[\s:]*(.+)")


class ShipOrder(Struct, frozen=True):
    """An order to one ship."""

    ship: str
    word: str


ShipOrderList = tuple[ShipOrder, ...]
"""A captain's orders, in the order in which they were given."""


class ShipOrderDraft(NamedTuple):
    """Unfinished orders, each ship named once at most, and the ship that the panel looks at; empty: the first."""

    lines: ShipOrderList = ()
    focus: str = ""

    def with_order(self, line: ShipOrder) -> ShipOrderDraft:
        """The draft with an order at its end, in place of one for the same ship."""
        return self._replace(lines=(*(one for one in self.lines if one.ship != line.ship), line))


def ship_order_question(
    ships: Callable[[S, Seat], Sequence[str]],
    words: Mapping[str, Sequence[str]],
    *,
    rule: str,
    barred: Callable[[S, str, str], Fault | None] = lambda *_: None,
    captain: Callable[[Any, Request, str], ShipOrderList] = no_computer_answer,
) -> Question[S, SeatContext[S], ShipOrderDraft, ShipOrderList]:
    """A question whose answer gives one of these words, in capitals, to each of a captain's ships, or to some.

    `ships` are a seat's, by id, such as `A1`. `words` stand in rows of buttons, by the keys of their headings; `barred`
    says why one can't be pressed for a ship. A ship that is not the captain's is refused by this rule. All other words
    are shared, under `lines.`; a game may say them in its own way, such as `lines.word` on the buttons.
    """
    each = _ShipOrderQuestion(ships, words, rule, barred)
    return Question(
        notebook=each.notebook,
        draft_choices=each.draft_choices,
        sample_answers=each.sample_answers,
        default_answer=lambda _: (),
        computer_answer=captain,
    )


@dataclass(frozen=True)
class _ShipOrderQuestion(Generic[S]):
    ships: Callable[[S, Seat], Sequence[str]]
    words: Mapping[str, Sequence[str]]
    rule: str
    why_barred: Callable[[S, str, str], Fault | None]

    @property
    def notebook(self) -> AnswerNotation[S, SeatContext[S], ShipOrderDraft, ShipOrderList]:
        return AnswerNotation(
            context=seat_context,
            empty_draft=lambda _: ShipOrderDraft(),
            parse_into=self.parse_into,
            write_draft=lambda _, draft: Draft(_format_orders(draft.lines), draft.focus),
            complete_answer=lambda _, draft: draft.lines,
            format_answer=_format_orders,
            move_focus=lambda _, draft, focus: draft._replace(focus=focus),
        )

    def parse_into(self, context: SeatContext[S], draft: ShipOrderDraft, text: str) -> ShipOrderDraft:
        """The draft with more orders. Raises `OrderError`."""
        for piece in split_pieces(text.upper(), ";,\n\r"):
            if piece == HOLD:
                continue
            found = _ORDER_PATTERN.fullmatch(piece)
            if not found or not any(found[2] in row for row in self.words.values()):
                raise UnreadableOrder("no_line", piece=quote_excerpt(piece))
            if found[1] not in self.ships(*context):
                raise IllegalOrder("no_ship_of_yours", self.rule, piece=quote_excerpt(piece))
            draft = draft.with_order(ShipOrder(found[1], found[2]))
        return draft

    def draft_choices(self, context: SeatContext[S], draft: ShipOrderDraft) -> Choices:
        """The captain's ships, the words for the one in hand, and to hold with all."""
        ships = self.ships(*context)
        focus = draft.focus if draft.focus in ships else next(iter(ships), "")
        labels = {ship: Text("lines.ship", {"ship": ship}) for ship in ships}
        looks = self.notebook.focus_options(context, "look", labels, lambda ship: draft._replace(focus=ship), focus)
        hold = self.notebook.make_option(
            context, draft._replace(lines=()), "hold", Text("lines.hold"), chosen=not draft.lines
        )
        return Choices(
            groups=drop_empty(
                *button_rows("ships", looks),
                *(
                    button_row(key, self._order_options(context, draft, focus, row))
                    for key, row in self.words.items()
                    if focus
                ),
                button_row("hold", [hold]),
            ),
            lines=tuple(Text("lines.given", {"ship": line.ship, "word": line.word}) for line in draft.lines),
            progress=Text("lines.progress", {"ordered": len(draft.lines), "ships": len(ships)}),
        )

    def _order_options(
        self, context: SeatContext[S], draft: ShipOrderDraft, ship: str, row: Sequence[str]
    ) -> Iterator[Option]:
        for word in row:
            line, label = ShipOrder(ship, word), Text("lines.word", {"ship": ship, "word": word})
            after, fault = draft.with_order(line)._replace(focus=ship), self.why_barred(context.state, ship, word)
            chosen = line in draft.lines
            yield self.notebook.make_option(context, after, f"go.{word}", label, fault=fault, chosen=chosen)

    def sample_answers(self, context: SeatContext[S]) -> list[ShipOrderList]:
        """None, and each word for all ships, the last ship first."""
        ships = self.ships(*context)[::-1]
        return [(), *(tuple(ShipOrder(ship, word) for ship in ships) for row in self.words.values() for word in row)]


def _format_orders(lines: ShipOrderList) -> str:
    return "; ".join(f"{line.ship} {line.word}" for line in lines) or HOLD.lower()
