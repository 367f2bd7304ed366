"""Answers of one word for each ship, such as `A1 N3; A2 E1`. `hold` means no orders."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Generic, NamedTuple

from msgspec import Struct

from rules.core.errors import Fault, IllegalOrder, UnreadableOrder, quote_excerpt
from rules.core.protocol import Choices, Draft, Option, OptionGroup, Request, Seat
from rules.core.view import Text
from rules.interface.drafts import AnswerNotation, S, SeatContext, seat_context
from rules.interface.panels import button_row, button_rows, drop_empty
from rules.interface.question import Question, no_computer_answer
from rules.interface.typed import split_pieces

HOLD: Final = "HOLD"
_ORDER_PATTERN: Final = re.compile(r"([A-Z]+[0-9]+)[\s:]*(.+)")


class ShipOrder(Struct, frozen=True):
    ship: str  # id of the ship
    word: str  # the order, in capitals, such as `N3`


ShipOrderList = tuple[ShipOrder, ...]


class ShipOrderDraft(NamedTuple):
    """Unfinished orders, at most one for each ship, and the ship in focus (empty: the first)."""

    lines: ShipOrderList = ()  # orders so far
    focus: str = ""  # id of the ship whose orders are shown; empty: the first

    def with_order(self, line: ShipOrder) -> ShipOrderDraft:
        """Return the draft with an order at its end, in place of an earlier order to that ship."""
        return self._replace(lines=(*(order for order in self.lines if order.ship != line.ship), line))


def ship_order_question(
    ships: Callable[[S, Seat], Sequence[str]],
    words: Mapping[str, Sequence[str]],
    *,
    rule: str,
    barred: Callable[[S, str, str], Fault | None] = lambda *_: None,
    captain: Callable[[Any, Request, str], ShipOrderList] = no_computer_answer,
) -> Question[S, SeatContext[S], ShipOrderDraft, ShipOrderList]:
    """Return a question whose answer gives one of these words, in capitals, to some of a captain's ships.

    `ships` returns a seat's ship ids, such as `A1`. `words` maps headings of button rows to their words. `barred`
    returns the reason why a word cannot be pressed for a ship. Orders to ships of other captains are refused by `rule`.
    `captain` returns the orders of a computer captain from the view, the request and a seed.
    The texts have shared keys under `lines.`, which a game may override, such as `lines.word` for buttons.
    """
    question = _ShipOrderQuestion(ships, words, rule, barred)
    return Question(
        notation=question.notation,
        draft_choices=question.draft_choices,
        default_answer=lambda _: (),
        computer_answer=captain,
    )


@dataclass(frozen=True)
class _ShipOrderQuestion(Generic[S]):
    ships: Callable[[S, Seat], Sequence[str]]  # returns the ids of a seat's ships
    words: Mapping[str, Sequence[str]]  # words of each row of buttons, by its heading
    rule: str  # number of the rule that refuses orders to other ships
    why_barred: Callable[[S, str, str], Fault | None]  # returns why a word cannot be pressed for a ship, or None

    @property
    def notation(self) -> AnswerNotation[S, SeatContext[S], ShipOrderDraft, ShipOrderList]:
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
        for piece in split_pieces(text.upper(), ";,\n\r"):
            if piece == HOLD:
                continue
            order_match = _ORDER_PATTERN.fullmatch(piece)
            if not order_match:
                raise UnreadableOrder("no_line", piece=quote_excerpt(piece))
            ship, word = order_match[1], order_match[2]
            is_known_word = any(word in row for row in self.words.values())
            if not is_known_word:
                raise UnreadableOrder("no_line", piece=quote_excerpt(piece))
            if ship not in self.ships(*context):
                raise IllegalOrder("no_ship_of_yours", self.rule, piece=quote_excerpt(piece))
            draft = draft.with_order(ShipOrder(ship, word))
        return draft

    def draft_choices(self, context: SeatContext[S], draft: ShipOrderDraft) -> Choices:
        ships = self.ships(*context)
        focus = draft.focus if draft.focus in ships else next(iter(ships), "")
        labels = {ship: Text("lines.ship", {"ship": ship}) for ship in ships}
        looks = self.notation.focus_options(context, "look", labels, lambda ship: draft._replace(focus=ship), focus)
        hold = self.notation.make_option(
            context, draft._replace(lines=()), "hold", Text("lines.hold"), chosen=not draft.lines
        )
        order_rows: list[OptionGroup] = []
        if focus:
            order_rows = [
                button_row(key, self._order_options(context, draft, focus, row)) for key, row in self.words.items()
            ]
        return Choices(
            groups=drop_empty(*button_rows("ships", looks), *order_rows, button_row("hold", [hold])),
            lines=tuple(Text("lines.given", {"ship": line.ship, "word": line.word}) for line in draft.lines),
            progress=Text("lines.progress", {"ordered": len(draft.lines), "ships": len(ships)}),
        )

    def _order_options(
        self, context: SeatContext[S], draft: ShipOrderDraft, ship: str, row: Sequence[str]
    ) -> Iterator[Option]:
        for word in row:
            order = ShipOrder(ship, word)
            label = Text("lines.word", {"ship": ship, "word": word})
            after = draft.with_order(order)._replace(focus=ship)
            fault = self.why_barred(context.state, ship, word)
            chosen = order in draft.lines
            yield self.notation.make_option(context, after, f"go.{word}", label, fault=fault, chosen=chosen)


def _format_orders(lines: ShipOrderList) -> str:
    return "; ".join(f"{line.ship} {line.word}" for line in lines) or HOLD.lower()
