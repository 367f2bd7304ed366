"""A draft of orders on the sea: what each line leads to, where the ship in hand could go, both in words (part 8.4)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from rules.ramspeed.desk import aims, preview
from rules.ramspeed.desk.order_drafts import OrderContext, OrderDraft
from rules.ramspeed.desk.view import Aim, PlannedLine, Reach, Way
from rules.ramspeed.table import odds
from rules.ramspeed.table.notation import order_words
from rules.view import Param, Text

COMPASS: Final = ("n", "ne", "e", "se", "s", "sw", "w", "nw")


class Overlay(NamedTuple):
    """What the viewer's draft adds to the sea."""

    current: str | None = None
    lines: tuple[PlannedLine, ...] = ()
    reach: Reach | None = None
    aims: tuple[Aim, ...] = ()
    plan: tuple[Text, ...] = ()


def overlay(context: OrderContext, draft: OrderDraft) -> Overlay:
    """A draft on the sea: every line, and what the ship in hand could do when it is her turn."""
    whole = preview.planned(context.position, draft.lines)
    if not draft.focus:
        return Overlay(lines=whole.lines, plan=tuple(_plan(whole.lines)))
    there = preview.planned(context.position, draft.lines, upto=draft.focus).position
    ship = there.ship(draft.focus)
    return Overlay(
        current=draft.focus,
        lines=whole.lines,
        reach=aims.reach(there, ship),
        aims=aims.aims(there, ship),
        plan=tuple(_plan(whole.lines)),
    )


def _plan(lines: Sequence[PlannedLine]) -> Iterator[Text]:
    """A sheet in words, an alternative a line."""
    for line in lines:
        for number, way in enumerate(line.ways, 1):
            yield alternative_words(line.ship, line.number, way, first=number == 1)


def alternative_words(ship: str, number: int, way: Way, *, first: bool) -> Text:
    """An alternative in words: what it is, and where it would lead as things stand."""
    which = "first" if first else "or"
    orders: dict[str, Param] = {"ship": ship, "number": number, "order": order_words.written(way.order)}
    if way.rule:
        return Text(f"plan.{which}.barred", {**orders, "why": way.why or way.rule})
    end = way.path[-1]
    where: dict[str, Param] = {"x": end.x, "y": end.y, "heading": end.heading, "compass": compass(end.heading)}
    if way.to is None:
        return Text(f"plan.{which}", {**orders, **where})
    return Text(f"plan.{which}.attack", {**orders, **where, "to": way.to, "run": way.run, "modifier": way.modifier})


def outcome(way: Way) -> Text | None:
    """The result of an alternative as things stand, for those who also see the picture; None: not worth a sentence."""
    if way.rule:
        return Text("outcome.barred", {"order": order_words.written(way.order), "why": way.why or way.rule})
    if way.to:
        params: dict[str, Param] = {"to": way.to, "run": way.run, "modifier": way.modifier}
        return Text(f"outcome.{way.kind}", {**params, **odds.hopes(way.kind, way.odds)})
    return None


def compass(heading: float) -> str:
    """The nearest of eight directions."""
    return COMPASS[round(heading / 45) % 8]
