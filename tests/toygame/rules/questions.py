"""What captains of the toy game are asked: the wind, orders, and how a fight has ended."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from msgspec import structs

from rules.errors import IllegalOrder, UnreadableOrder, excerpt
from rules.notebook import Notebook, one_piece
from rules.protocol import Choices, Draft, Group, Option, Request
from rules.question import BATTLE, Question
from rules.view import Text
from tests.toygame.rules.state import Line, Orders, Ship, State, Wind

ROW = 20
"""Ships in one group of buttons."""
SHIPS = ("ships_1", "ships_2")
ROWS = {"N": "way_N", "E": "way_E", "S": "way_S", "W": "way_W"}
_LINE = re.compile(r"([A-Z])([0-9]{1,2}) ?([NESW])([1-3])")


def _wind(_: Request, text: str) -> Wind:
    name = text.strip().casefold()
    if name not in ("calm", "breeze"):
        raise UnreadableOrder("no_wind", piece=excerpt(text))
    return Wind(name)


def _winds(_: Request, wind: Wind | None) -> Choices:
    """Both winds: pressing one is the answer."""
    options = [Option(token=one, label=Text(f"wind.{one}"), draft=one, seals=True) for one in ("calm", "breeze")]
    missing = () if wind else (Text("missing.wind"),)
    return Choices(groups=(Group(key="wind", style="buttons", options=tuple(options)),), lines=(), missing=missing)


class Context(NamedTuple):
    """Read-only inputs for editing one captain's orders."""

    state: State
    own: tuple[Ship, ...]


class OrderDraft(NamedTuple):
    """Unfinished orders, each ship named once at most, and the ship that the panel looks at."""

    lines: tuple[Line, ...] = ()
    hold: bool = False
    focus: str = ""

    @property
    def text(self) -> str:
        """As it is written."""
        return _write(self.lines) or "hold" * self.hold


def take(context: Context, draft: OrderDraft, text: str) -> OrderDraft:
    """Add orders below those that there are; one for a ship that has one takes its place, at the end."""
    own = {ship.id for ship in context.own}
    lines, hold = {line.ship: line for line in draft.lines}, draft.hold
    for piece in filter(None, (" ".join(part.split()) for part in re.split("[;,\n]", text.upper()))):
        read = _LINE.fullmatch(piece)
        if piece == "HOLD":
            hold = True
            continue
        if not read:
            raise UnreadableOrder("no_order", piece=excerpt(piece))
        line = Line(f"{read[1]}{int(read[2])}", read[3], int(read[4]))  # type: ignore[arg-type]
        if line.ship not in own:
            raise IllegalOrder("not_yours", "TG-1", piece=piece)
        lines.pop(line.ship, None)
        lines[line.ship] = line
    return OrderDraft(tuple(lines.values()), hold, draft.focus)


def _write(lines: Sequence[Line]) -> str:
    return "; ".join(f"{line.ship} {line.way}{line.steps}" for line in lines)


NOTEBOOK: Notebook[State, Context, OrderDraft, Orders] = Notebook(
    context=lambda state, request: Context(state, state.own(request.seat)),
    empty=lambda _: OrderDraft(),
    take=take,
    written=lambda _, draft: Draft(draft.text, draft.focus),
    complete=lambda _, draft: Orders(draft.lines),
    format=lambda orders: _write(orders.lines) or "hold",
    look=lambda _, draft, focus: draft._replace(focus=focus),
)


def choices(context: Context, draft: OrderDraft) -> Choices:
    """The captain's ships, and the ways of the one at which he looks."""
    own, lines = context.own, draft.lines
    focus = next((ship for ship in own if ship.id == draft.focus), own[0] if own else None)
    ships = [_look(ship, draft, ship == focus) for ship in own]
    groups = [(key, ships[at : at + ROW]) for key, at in zip(SHIPS, range(0, len(ships), ROW), strict=False)]
    if focus:
        groups += [
            (key, [_order(context, draft, focus, way, steps) for steps in (1, 2, 3)]) for way, key in ROWS.items()
        ]
    clear = Option(token="clear", label=Text("choice.clear"), draft="hold", focus=draft.focus, chosen=not lines)
    groups.append(("all", [clear]))
    return Choices(
        groups=tuple(Group(key=key, style="buttons", options=tuple(row)) for key, row in groups),
        lines=tuple(Text("line.order", structs.asdict(line)) for line in lines),
        progress=Text("progress.orders", {"ordered": len(lines), "ships": len(own)}),
    )


def _look(ship: Ship, draft: OrderDraft, seen: bool) -> Option:
    label = Text("choice.ship", {"ship": ship.id})
    return Option(token=f"look.{ship.id}", label=label, draft=draft.text, focus=ship.id, chosen=seen)


def _order(context: Context, draft: OrderDraft, ship: Ship, way: Any, steps: Any) -> Option:
    line = Line(ship.id, way, steps)
    barred = ship.way(way, 0.5, context.state.land) < 0.5
    return Option(
        token=f"go.{way}{steps}",
        label=Text("choice.way", {"way": way, "steps": steps}),
        draft=take(context, draft, _write([line])).text,
        focus=ship.id,
        fault=IllegalOrder("on_land", "TG-2", piece=f"{ship.id} {way}{steps}").fault if barred else None,
        chosen=line in draft.lines,
    )


def samples(context: Context) -> list[Orders]:
    """None, all in one way, and all in another, the last ship first."""
    ids = [ship.id for ship in context.own]
    way: Any = "W" if context.own and context.own[0].seat == len(context.state.teams) - 1 else "E"
    return [
        Orders(),
        Orders(tuple(Line(ship, "N", 1) for ship in ids)),
        Orders(tuple(Line(ship, way, 3) for ship in ids[::-1])),
    ]


QUESTIONS = {
    "wind": Question(
        notebook=one_piece(context=lambda _, request: request, parse=_wind, format=lambda wind: wind.name),
        choices=_winds,
        default=lambda _: Wind("calm"),
    ),
    "orders": Question(notebook=NOTEBOOK, choices=choices, samples=samples, default=lambda _: Orders()),
    "fight": BATTLE,
}
