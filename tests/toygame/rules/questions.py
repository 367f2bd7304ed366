"""What captains of the toy game are asked: the wind, orders, and how a fight has ended."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from msgspec import structs

from rules.choosing import one_of
from rules.errors import IllegalOrder, UnreadableOrder, excerpt
from rules.notebook import Notebook, Seated, seated
from rules.panels import buttons, shown
from rules.protocol import Choices, Draft, Option
from rules.question import BATTLE, Question
from rules.typed import pieces
from rules.view import Text
from tests.toygame.rules.state import Line, Ship, State, Way

ROWS = ("ships_1", "ships_2")
"""Rows of buttons for ships, of twenty each."""
WAY_ROWS: dict[Way, str] = {"N": "way_N", "E": "way_E", "S": "way_S", "W": "way_W"}
WINDS = {name: Text(f"wind.{name}") for name in ("calm", "breeze")}
_LINE = re.compile(r"([A-Z])([0-9]{1,2}) *([NESW])([1-3])")


Context = Seated[State]
Orders = tuple[Line, ...]
"""A captain's orders, which are carried out one after the other."""


class OrderDraft(NamedTuple):
    """Unfinished orders, each ship named once at most, and the ship that the panel looks at."""

    lines: Orders = ()
    focus: str = ""

    def ordered(self, line: Line) -> OrderDraft:
        """The draft with an order at its end, in place of one for the same ship."""
        return self._replace(lines=(*(one for one in self.lines if one.ship != line.ship), line))


def take(context: Context, draft: OrderDraft, text: str) -> OrderDraft:
    """The draft with more orders. Raises `OrderError`."""
    for piece in pieces(text.upper(), ";,\n\r"):
        read = _LINE.fullmatch(piece)
        if piece == "HOLD":
            continue
        if not read:
            raise UnreadableOrder("no_order", piece=excerpt(piece))
        line = Line(f"{read[1]}{int(read[2])}", read[3], int(read[4]))  # type: ignore[arg-type]
        if line.ship not in {ship.id for ship in context.state.own(context.seat)}:
            raise IllegalOrder("not_yours", "TG-1", piece=piece)
        draft = draft.ordered(line)
    return draft


def write(lines: Orders) -> str:
    """Orders as `take` reads them."""
    return "; ".join(f"{line.ship} {line.way}{line.steps}" for line in lines) or "hold"


NOTEBOOK: Notebook[State, Context, OrderDraft, Orders] = Notebook(
    context=seated,
    empty=lambda _: OrderDraft(),
    take=take,
    written=lambda _, draft: Draft(write(draft.lines), draft.focus),
    complete=lambda _, draft: draft.lines,
    format=write,
    look=lambda _, draft, focus: draft._replace(focus=focus),
)


def choices(context: Context, draft: OrderDraft) -> Choices:
    """The captain's ships, the ways of the one in hand, and to hold with all."""
    own = context.state.own(context.seat)
    focus = next((ship for ship in own if ship.id == draft.focus), own[0] if own else None)
    ships = [
        NOTEBOOK.option(context, draft._replace(focus=ship.id), f"look.{ship.id}", label, chosen=ship == focus)
        for ship, label in ((ship, Text("choice.ship", {"ship": ship.id})) for ship in own)
    ]
    return Choices(
        groups=shown(
            *(buttons(key, ships[at : at + 20]) for key, at in zip(ROWS, (0, 20), strict=True)),
            *(buttons(key, _ways(context, draft, focus, way)) for way, key in WAY_ROWS.items() if focus),
            buttons("all", [NOTEBOOK.option(context, draft._replace(lines=()), "clear", chosen=not draft.lines)]),
        ),
        lines=tuple(Text("line.order", structs.asdict(line)) for line in draft.lines),
        progress=Text("progress.orders", {"ordered": len(draft.lines), "ships": len(own)}),
    )


def _ways(context: Context, draft: OrderDraft, ship: Ship, way: Way) -> Iterator[Option]:
    barred = ship.reach(way, 0.5, context.state.sea.land) < 0.5
    fault = IllegalOrder("on_land", "TG-2", piece=f"{ship.id} {way}").fault if barred else None
    for steps in (1, 2, 3):
        line = Line(ship.id, way, steps)  # type: ignore[arg-type]
        after, label = draft.ordered(line)._replace(focus=ship.id), Text("choice.way", {"way": way, "steps": steps})
        yield NOTEBOOK.option(context, after, f"go.{way}{steps}", label, fault=fault, chosen=line in draft.lines)


def samples(context: Context) -> list[Orders]:
    """None, and all in each way, the last ship first."""
    own = context.state.own(context.seat)[::-1]
    return [(), *(tuple(Line(ship.id, way, 3) for ship in own) for way in WAY_ROWS)]


QUESTIONS: dict[str, Question[State, Any, Any, Any]] = {
    "wind": one_of(lambda _: WINDS, rule="TG", default="calm", code="no_wind"),
    "orders": Question(notebook=NOTEBOOK, choices=choices, samples=samples, default=lambda _: ()),
    "fight": BATTLE,
}
