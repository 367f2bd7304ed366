"""Live mode: the active captain's orders, typed or pressed, for one ship after another (RS-03)."""

from __future__ import annotations

from typing import Final

from msgspec import structs

from rules.core.errors import IllegalOrder, OrderError, UnreadableOrder, quote_excerpt
from rules.core.protocol import Choices, Draft, Option, OptionGroup, Seat
from rules.core.view import Text
from rules.interface.drafts import AnswerNotation
from rules.interface.panels import button_row
from rules.ramspeed.engine.notation import sheets
from rules.ramspeed.engine.orders import OrderSheet
from rules.ramspeed.engine.state import State
from rules.ramspeed.interface import order_drafts, panel
from rules.ramspeed.interface.order_drafts import EndPlayerTurn, LiveOrder, OrderContext, OrderDraft

DONE_WORD: Final = "done"  # ends the player-turn; a draft stores it as `OrderDraft.is_stay`


def live_context(state: State, seat: Seat) -> OrderContext:
    context = order_drafts.order_context(state, seat)
    acted = (*state.live.named, *state.live.captured) if state.live else ()
    remaining = tuple(ship for ship in context.ships if ship.id not in acted)
    return structs.replace(context, ships=remaining, last_sheet=OrderSheet())


def parse_into(context: OrderContext, draft: OrderDraft, text: str) -> OrderDraft:
    """Return the draft with a focus, a line or `done` from typed text. Raises `OrderError`."""
    if list(order_drafts.split_lines(text)) == [DONE_WORD]:
        return OrderDraft(is_stay=True)
    try:
        draft_after = order_drafts.parse_into(context, structs.replace(draft, lines=(), is_stay=False), text)
    except OrderError as error:
        if error.fault.code == "bad_doctrine":  # no doctrines are taken here
            raise UnreadableOrder("one_line", piece=quote_excerpt(text)) from None
        raise
    if (
        len(draft_after.lines) > 1
        or draft_after.is_stay
        or draft_after.doctrines
        or draft_after.stand_in_sheet is not None
    ):
        raise UnreadableOrder("one_line", piece=quote_excerpt(text))
    for line in draft_after.lines:
        if not any(ship.id == line.ship for ship in context.ships):
            raise IllegalOrder("acted_already", "RS-03.4", piece=line.ship, ship=line.ship)
    return structs.replace(draft_after, focus=draft_after.lines[0].ship if draft_after.lines else draft_after.focus)


def move_focus(context: OrderContext, draft: OrderDraft, focus: str) -> OrderDraft:
    """Return the draft with another focus; as long as a ship is left, one always has the focus."""
    draft_after = order_drafts.move_focus(context, draft, focus)
    if not draft.lines:
        draft_after = structs.replace(draft_after, is_adding=False)
    if draft_after.focus or not context.ships:
        return draft_after
    return structs.replace(draft_after, focus=draft.lines[0].ship if draft.lines else context.ships[0].id)


def complete_order(_: OrderContext, draft: OrderDraft) -> LiveOrder | EndPlayerTurn:
    if draft.is_stay:
        return EndPlayerTurn()
    if not draft.lines:
        raise UnreadableOrder("one_line", piece=draft.focus)
    return LiveOrder(draft.lines[0])


LIVE_NOTATION: Final[AnswerNotation[State, OrderContext, OrderDraft, LiveOrder | EndPlayerTurn]] = AnswerNotation(
    context=lambda state, request: live_context(state, request.seat),
    empty_draft=lambda _: OrderDraft(),
    parse_into=parse_into,
    write_draft=lambda _, draft: (
        Draft(DONE_WORD)
        if draft.is_stay
        else Draft(order_drafts.draft_text(draft), structs.replace(draft, is_adding=False).focus_text)
    ),
    complete_answer=complete_order,
    format_answer=lambda answer: sheets.format_line(answer.line) if isinstance(answer, LiveOrder) else DONE_WORD,
    move_focus=move_focus,
    max_chars=order_drafts.MAX_TEXT_CHARS,
)


def draft_choices(context: OrderContext, draft: OrderDraft) -> Choices:
    """Return the options for the ship in focus. A line is carried out when it is sealed, `done` at once."""
    own_lines = tuple(line for line in draft.lines if line.ship == draft.focus)
    own_draft = structs.replace(draft, lines=own_lines, is_stay=False)
    ship_groups = panel.ship_groups(context, own_draft, at_once=True) if draft.focus else []
    groups = [_without_other_lines(group) for group in ship_groups]
    finish = Option(DONE_WORD, Text("choice.done"), DONE_WORD, is_chosen=draft.is_stay, seals_answer=True)
    lines = (*panel.live_draft_lines(context, draft), *panel.obstacle_lines(context, draft))
    return Choices(
        groups=(*groups, button_row("finish", (finish,), beside=True)),
        lines=(Text("line.done"),) if draft.is_stay else (*lines, *panel.look_lines(draft)),
        missing_parts=() if draft.is_stay or draft.lines else (Text("missing.act"),),
    )


def _without_other_lines(group: OptionGroup) -> OptionGroup:
    """Remove other ships' lines from the options' drafts, since only one line is carried out at a time."""
    options = []
    for option in group.options:
        line_start = f"{option.focus.partition('+')[0]}:"
        own_lines = [line for line in option.draft.split("\n") if line.startswith(line_start)]
        options.append(structs.replace(option, draft="\n".join(own_lines)))
    return structs.replace(group, options=tuple(options))


def default_order(context: OrderContext) -> LiveOrder | EndPlayerTurn | None:
    """Return the next possible line of the standing sheet, else `done`, else None to let the computer act."""
    lines = order_drafts.still_possible(context, context.stand_in_sheet)
    lines_to_carry_out = [line for line in lines if any(ship.id == line.ship for ship in context.ships)]
    if lines_to_carry_out:
        return LiveOrder(lines_to_carry_out[0])
    return EndPlayerTurn() if context.stand_in_sheet or context.stays_if_late else None
