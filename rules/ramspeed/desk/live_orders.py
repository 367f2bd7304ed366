"""One ship after another, carried out at once: what the active captain types and may press (live mode, RS part 2)."""

from __future__ import annotations

from typing import Final

from msgspec import structs

from rules.errors import IllegalOrder, UnreadableOrder, excerpt
from rules.notebook import Notebook
from rules.panels import buttons
from rules.protocol import Choices, Draft, Group, Option, Seat
from rules.ramspeed.desk import order_drafts, panel
from rules.ramspeed.desk.answers import Act, Done
from rules.ramspeed.desk.order_drafts import OrderContext, OrderDraft
from rules.ramspeed.table.notation import sheets
from rules.ramspeed.table.orders import Sheet
from rules.ramspeed.table.state import State
from rules.view import Text

DONE: Final = "done"
"""Ends the player-turn; in a draft, `OrderDraft.stay`."""


def live_context(state: State, seat: Seat) -> OrderContext:
    """The inputs for the active captain's next line: of the ships, those that have not acted in this player-turn."""
    context = order_drafts.order_context(state, seat)
    acted = (*state.live.named, *state.live.captured) if state.live else ()
    left = tuple(ship for ship in context.ships if ship.id not in acted)
    return structs.replace(context, ships=left, last=Sheet())


def take(context: OrderContext, draft: OrderDraft, text: str) -> OrderDraft:
    """The draft with a ship to give orders to, a line, or `done`. Raises `OrderError`."""
    if list(order_drafts.pieces(text)) == [DONE]:
        return OrderDraft(stay=True)
    after = order_drafts.take(context, structs.replace(draft, lines=(), stay=False), text)
    if len(after.lines) > 1 or after.stay or after.doctrines or after.standing is not None:
        raise UnreadableOrder("one_line", piece=excerpt(text))
    for line in after.lines:
        if not any(ship.id == line.ship for ship in context.ships):
            raise IllegalOrder("acted_already", "RS-03.4", piece=line.ship, ship=line.ship)
    return structs.replace(after, focus=after.lines[0].ship if after.lines else after.focus)


def look(context: OrderContext, draft: OrderDraft, focus: str) -> OrderDraft:
    """The draft with another ship in hand; there is always one, as long as one is left."""
    after = order_drafts.look(context, draft, focus)
    if not draft.lines:
        after = structs.replace(after, adding=False)
    if after.focus or not context.ships:
        return after
    return structs.replace(after, focus=draft.lines[0].ship if draft.lines else context.ships[0].id)


def complete(_: OrderContext, draft: OrderDraft) -> Act | Done:
    """The line of a draft, or that the player-turn is over. Raises `UnreadableOrder` if there is neither."""
    if draft.stay:
        return Done()
    if not draft.lines:
        raise UnreadableOrder("one_line", piece=draft.focus)
    return Act(draft.lines[0])


NOTEBOOK: Final[Notebook[State, OrderContext, OrderDraft, Act | Done]] = Notebook(
    context=lambda state, request: live_context(state, request.seat),
    empty=lambda _: OrderDraft(),
    take=take,
    written=lambda _, draft: Draft(DONE) if draft.stay else Draft(order_drafts.written(draft), draft.focus),
    complete=complete,
    format=lambda answer: sheets.write_line(answer.line) if isinstance(answer, Act) else DONE,
    look=look,
    most=order_drafts.MOST_TEXT,
)


def choices(context: OrderContext, draft: OrderDraft) -> Choices:
    """What may be pressed for the ship in hand; a line is carried out when it is sealed, `done` at once."""
    mine = tuple(line for line in draft.lines if line.ship == draft.focus)
    one = structs.replace(draft, lines=mine, stay=False)
    groups = [*map(_of_one_ship, panel.of_one(context, one, at_once=True))] if draft.focus else []
    finish = Option(DONE, Text("choice.done"), DONE, chosen=draft.stay, seals=True)
    lines = (*panel.of_line(context, draft), *panel.in_the_way(context, draft))
    return Choices(
        groups=(*groups, buttons("finish", (finish,), beside=True)),
        lines=(Text("line.done"),) if draft.stay else lines,
        missing=() if draft.stay or draft.lines else (Text("missing.act"),),
    )


def _of_one_ship(group: Group) -> Group:
    """Options that look at another ship drop the line of the one before: only one is carried out at a time."""
    options = []
    for option in group.options:
        head = f"{option.focus.removesuffix('+')}:"
        kept = [line for line in option.draft.split("\n") if line.startswith(head)]
        options.append(structs.replace(option, draft="\n".join(kept)))
    return structs.replace(group, options=tuple(options))


def default(context: OrderContext) -> Act | Done | None:
    """The next line of the sheet that stands in for a missing one; else `done`, or the computer goes on."""
    lines = order_drafts.still(context, context.standing)
    left = [line for line in lines if any(ship.id == line.ship for ship in context.ships)]
    if left:
        return Act(left[0])
    return Done() if context.standing or context.holds else None
