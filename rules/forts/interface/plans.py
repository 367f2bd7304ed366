"""Plans: orders that a captain leaves for the next player-turn (NB-10.3), and their notation.

A plan has a line for each kind of wind, such as `any: BB*GAx1; BB>G4`. The word `auto` before them has the plan carried
out as soon as the player-turn begins. A draft may end with an unfinished part: a ship (`wind: BB`), or a kind of wind
without actions (`wind:`). `none` is no plan.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal, cast

from msgspec import Struct, structs

from rules.core.errors import UnreadableOrder, quote_excerpt
from rules.core.protocol import Choices, Draft, Option, Seat
from rules.core.view import Text
from rules.forts.engine import actions, turn
from rules.forts.engine.actions import to_notation_words
from rules.forts.engine.state import (
    CODES,
    Action,
    ClassCode,
    EndOrder,
    MoveOrder,
    PlanBlock,
    PlayerColour,
    Position,
    Ship,
    State,
    StoredPlan,
)
from rules.forts.interface import panel
from rules.interface.drafts import AnswerNotation
from rules.interface.panels import button_row, drop_empty, select_menu

NO_PLAN_WORD: Final = "none"
AUTO_WORD: Final = "auto"

WindKind = Literal["wind", "calm", "any"]
WIND_KINDS: Final[tuple[WindKind, ...]] = ("any", "wind", "calm")


class PlanDraft(Struct, frozen=True, kw_only=True):
    plan: StoredPlan = StoredPlan()  # the plan so far
    is_withdrawn: bool = False  # whether the captain wants no plan
    wind_kind: WindKind = "any"  # the kind of wind for which actions are added
    ship: ClassCode | None = None  # the ship for which an action is chosen next


def format_plan(plan: StoredPlan) -> str:
    return write_draft(_draft_of_plan(plan)) if plan.blocks else NO_PLAN_WORD


def _draft_of_plan(plan: StoredPlan) -> PlanDraft:
    return PlanDraft(plan=plan, wind_kind=plan.blocks[-1].when)


def write_draft(draft: PlanDraft) -> str:
    """Return a draft as text. It may end with a ship or a kind of wind that has no action yet."""
    if draft.is_withdrawn:
        return NO_PLAN_WORD
    lines = [f"{block.when}: {actions.format_actions(block.actions)}" for block in draft.plan.blocks]
    continues_last_line = bool(lines) and draft.plan.blocks[-1].when == draft.wind_kind
    is_empty = not lines and not draft.ship and draft.wind_kind == "any"
    if draft.ship and continues_last_line and not _ends_turn(draft.plan.blocks[-1]):
        lines[-1] += f"; {draft.ship}"
    elif (draft.ship or not continues_last_line) and not is_empty:
        lines.append(f"{draft.wind_kind}: {draft.ship or ''}".strip())
    return "\n".join([AUTO_WORD, *lines] if draft.plan.auto else lines)


class PlanContext(Struct, frozen=True):
    position: Position  # the present position
    colour: PlayerColour  # the captain's colour
    stored_plan: StoredPlan  # the plan that is stored now


def plan_context(state: State, seat: Seat) -> PlanContext:
    colour = state.colour_of(seat)
    return PlanContext(state.position, colour, state.plan_of(colour))


def complete_plan(_: PlanContext, draft: PlanDraft) -> StoredPlan:
    """Return the plan of a draft. Raises `UnreadableOrder` if it is unfinished."""
    if draft.is_withdrawn:
        return StoredPlan()
    if draft.ship or not draft.plan.blocks:
        raise UnreadableOrder("plan_unfinished", piece=quote_excerpt(write_draft(draft)))
    return draft.plan


def parse_into(context: PlanContext, _: PlanDraft, text: str) -> PlanDraft:
    """Return a draft with the plan of the text. Raises `UnreadableOrder`."""
    compact = ["".join(line.split()) for line in to_notation_words(text).splitlines()]
    lines = [line for line in compact if line]
    if lines == [NO_PLAN_WORD]:
        return PlanDraft(is_withdrawn=True)
    auto = bool(lines) and lines[0] == AUTO_WORD
    if auto:
        lines = lines[1:]
    blocks: list[PlanBlock] = []
    when, ship = "any", ""
    for number, line in enumerate(lines):
        when, actions_text = actions.split_label(line)
        *complete_texts, last_text = actions_text.rstrip(";").split(";")
        is_last_line = number == len(lines) - 1
        ship = last_text if last_text in CODES and is_last_line else ""
        if ship:  # a ship without an action is the unfinished end of the draft
            actions_text = ";".join(complete_texts)
        if parsed := actions.parse_actions(actions_text, context.position.board):
            blocks.append(PlanBlock(cast("WindKind", when), parsed))
    return PlanDraft(
        plan=StoredPlan(tuple(blocks), auto),
        wind_kind=cast("WindKind", when),
        ship=cast("ClassCode", ship) if ship else None,
    )


PLAN_NOTATION: Final[AnswerNotation[State, PlanContext, PlanDraft, StoredPlan]] = AnswerNotation(
    context=lambda state, request: plan_context(state, request.seat),
    empty_draft=lambda _: PlanDraft(),
    parse_into=parse_into,
    write_draft=lambda _, draft: Draft(write_draft(draft)),
    complete_answer=complete_plan,
    format_answer=format_plan,
)


def with_action(draft: PlanDraft, action: Action) -> PlanDraft:
    blocks = draft.plan.blocks
    if blocks and blocks[-1].when == draft.wind_kind and not _ends_turn(blocks[-1]):
        blocks = (*blocks[:-1], PlanBlock(draft.wind_kind, (*blocks[-1].actions, action)))
    else:
        blocks = (*blocks, PlanBlock(draft.wind_kind, (action,)))
    return structs.replace(draft, plan=structs.replace(draft.plan, blocks=blocks), is_withdrawn=False, ship=None)


def without_last(draft: PlanDraft) -> PlanDraft:
    blocks = draft.plan.blocks
    if draft.ship or draft.is_withdrawn or not blocks:
        return structs.replace(draft, ship=None, is_withdrawn=False)
    *earlier_blocks, last = blocks
    shorter = (PlanBlock(last.when, last.actions[:-1]),) if len(last.actions) > 1 else ()
    return structs.replace(
        draft, plan=structs.replace(draft.plan, blocks=(*earlier_blocks, *shorter)), wind_kind=last.when
    )


def expected_position(position: Position, colour: PlayerColour, draft: PlanDraft) -> Position:
    """Return the position expected for the next action: the ships' planned places, and the kind of wind."""
    kind: Literal["wind", "calm"] = "calm" if draft.wind_kind == "calm" else "wind"
    hex_by_ship = {
        action.ship: action.hex
        for block in draft.plan.blocks
        if block.when in ("any", draft.wind_kind)
        for action in block.actions
        if isinstance(action, MoveOrder)
    }
    ships = tuple(_expected_ship(ship, hex_by_ship.get(ship.code), colour) for ship in position.ships)
    return structs.replace(position, wind=kind, ships=ships)


def draft_choices(context: PlanContext, draft: PlanDraft) -> Choices:
    colour = context.colour
    position = expected_position(context.position, colour, draft)
    own_ships = position.ships_of(colour)
    enemies = [ship for ship in position.ships if ship.colour != colour]
    is_ended = any(_ends_turn(block) for block in draft.plan.blocks if block.when in ("any", draft.wind_kind))
    ship = turn.find_ship(position, colour, draft.ship) if draft.ship and not is_ended else None

    def draft_with_action(action: Action) -> str:
        return write_draft(with_action(draft, action))

    def draft_with_ship(code: ClassCode) -> Draft:
        return Draft(write_draft(structs.replace(draft, ship=code, is_withdrawn=False)))

    is_complete = draft.is_withdrawn or (draft.plan.blocks and not draft.ship)
    return Choices(
        groups=drop_empty(
            button_row("when", _wind_options(context, draft)),
            panel.ship_group(() if is_ended else own_ships, draft.ship or "", draft_with_ship),
            *(panel.sail_groups(position, ship, draft_with_action, seals=False) if ship else ()),
            select_menu("aim_at", panel.aim_options(ship, enemies, draft_with_action) if ship else ()),
            button_row("plan", _plan_options(context, draft, ended=is_ended)),
        ),
        lines=(*draft_lines(draft), *stored_lines(context.stored_plan)),
        missing_parts=() if is_complete else (Text("missing.plan"),),
    )


def draft_lines(draft: PlanDraft) -> tuple[Text, ...]:
    if draft.is_withdrawn:
        return (Text("line.none"),)
    auto = (Text("line.auto"),) if draft.plan.auto else ()
    blocks = (
        Text(f"line.{block.when}", {"actions": actions.format_actions(block.actions)}) for block in draft.plan.blocks
    )
    return (*auto, *blocks)


def stored_lines(plan: StoredPlan) -> tuple[Text, ...]:
    return (Text("line.stored", {"plan": " / ".join(format_plan(plan).splitlines())}),) if plan.blocks else ()


def _ends_turn(block: PlanBlock) -> bool:
    return block.actions[-1] == EndOrder()


def _expected_ship(ship: Ship, planned_hex: str | None, colour: PlayerColour) -> Ship:
    if ship.colour != colour:
        return ship
    return structs.replace(
        ship, hex=planned_hex or ship.hex, moved=planned_hex is not None, shots=ship.ship_class.shots
    )


def _wind_options(context: PlanContext, draft: PlanDraft) -> Iterator[Option]:
    for when in WIND_KINDS:
        after = structs.replace(draft, wind_kind=when, ship=None, is_withdrawn=False)
        is_chosen = draft.wind_kind == when and not draft.is_withdrawn
        yield PLAN_NOTATION.make_option(context, after, f"when.{when}", chosen=is_chosen)


def _plan_options(context: PlanContext, draft: PlanDraft, *, ended: bool) -> Iterator[Option]:
    toggled_plan = structs.replace(draft.plan, auto=not draft.plan.auto)
    toggled_draft = structs.replace(draft, plan=toggled_plan, is_withdrawn=False)
    yield PLAN_NOTATION.make_option(context, toggled_draft, "auto", chosen=draft.plan.auto)
    yield PLAN_NOTATION.make_option(context, PlanDraft(is_withdrawn=True), "none", chosen=draft.is_withdrawn)
    if not ended:
        yield PLAN_NOTATION.make_option(context, with_action(draft, EndOrder()), "plan_end")
    if draft.plan.blocks or draft.ship:
        yield PLAN_NOTATION.make_option(context, without_last(draft), "plan_back")
    if context.stored_plan.blocks and draft.plan != context.stored_plan:
        yield PLAN_NOTATION.make_option(context, _draft_of_plan(context.stored_plan), "plan_stored")
