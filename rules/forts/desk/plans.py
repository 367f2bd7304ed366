"""Plans: orders that a captain leaves for the next player-turn (NB part 8), and how they are written.

A plan has a line for each kind of wind, such as `any: BB*GAx1; BB>G4`; before them `auto` if it is to be carried out
as soon as the player-turn begins. In a draft, what is chosen but not yet finished comes last: a ship (`wind: BB`), or
a kind of wind without any action (`wind:`). `none` is no plan.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal, cast

from msgspec import Struct, structs

from rules.errors import UnreadableOrder, excerpt
from rules.forts.desk import panel
from rules.forts.table import actions, turn
from rules.forts.table.state import CODES, Action, Block, Code, Colour, End, Move, Plan, Position, Ship, State
from rules.forts.table.words import plain
from rules.notebook import Notebook
from rules.panels import buttons, select, shown
from rules.protocol import Choices, Draft, Option, Seat
from rules.view import Text

NONE: Final = "none"
AUTO: Final = "auto"

When = Literal["wind", "calm", "any"]
WINDS: Final[tuple[When, ...]] = ("any", "wind", "calm")


class PlanDraft(Struct, frozen=True, kw_only=True):
    """An unfinished plan."""

    plan: Plan = Plan()
    withdrawn: bool = False
    """There is to be no plan."""
    when: When = "any"
    """The kind of wind that the next action is for."""
    ship: Code | None = None
    """Which ship the next action is for."""


def write(plan: Plan) -> str:
    """A plan in canonical notation: `NOTEBOOK.finish` gives it back."""
    return write_draft(_of_plan(plan)) if plan.blocks else NONE


def _of_plan(plan: Plan) -> PlanDraft:
    return PlanDraft(plan=plan, when=plan.blocks[-1].when)


def write_draft(draft: PlanDraft) -> str:
    """A draft as text: `take` gives it back."""
    if draft.withdrawn:
        return NONE
    lines = [f"{block.when}: {actions.write(block.actions)}" for block in draft.plan.blocks]
    goes_on = bool(lines) and draft.plan.blocks[-1].when == draft.when
    if draft.ship and goes_on and not _ended(draft.plan.blocks[-1]):
        lines[-1] += f"; {draft.ship}"
    elif draft.ship or not goes_on:
        bare = not draft.ship and not lines and draft.when == "any"
        lines += [] if bare else [f"{draft.when}: {draft.ship or ''}".strip()]
    return "\n".join([AUTO, *lines] if draft.plan.auto else lines)


class PlanContext(Struct, frozen=True):
    """Read-only inputs for writing one colour's plan."""

    position: Position
    colour: Colour
    stored: Plan
    """The plan that holds now."""


def plan_context(state: State, seat: Seat) -> PlanContext:
    """The inputs for a seat's plan."""
    colour = state.colour(seat)
    return PlanContext(state.position, colour, state.plan(colour))


def complete(_: PlanContext, draft: PlanDraft) -> Plan:
    """The plan of a draft. Raises `UnreadableOrder` if it is unfinished."""
    if draft.withdrawn:
        return Plan()
    if draft.ship or not draft.plan.blocks:
        raise UnreadableOrder("plan_unfinished", piece=excerpt(write_draft(draft)))
    return draft.plan


def take(context: PlanContext, _: PlanDraft, text: str) -> PlanDraft:
    """A plan in place of the draft. Raises `UnreadableOrder`."""
    lines = [line for part in plain(text).splitlines() if (line := "".join(part.split()))]
    if lines == [NONE]:
        return PlanDraft(withdrawn=True)
    auto = bool(lines) and lines[0] == AUTO
    lines = lines[auto:]
    blocks: list[Block] = []
    when, ship = "any", ""
    for number, line in enumerate(lines):
        when, rest = actions.split_label(line)
        *before, last = rest.rstrip(";").split(";")
        ship = last if last in CODES and number == len(lines) - 1 else ""
        if found := actions.read(";".join(before) if ship else rest, context.position.board):
            blocks.append(Block(cast("When", when), found))
    return PlanDraft(plan=Plan(tuple(blocks), auto), when=cast("When", when), ship=cast("Code", ship) if ship else None)


NOTEBOOK: Final[Notebook[State, PlanContext, PlanDraft, Plan]] = Notebook(
    context=lambda state, request: plan_context(state, request.seat),
    empty=lambda _: PlanDraft(),
    take=take,
    written=lambda _, draft: Draft(write_draft(draft)),
    complete=complete,
    format=write,
)


def with_action(draft: PlanDraft, action: Action) -> PlanDraft:
    """The draft with one more action for the kind of wind that is chosen."""
    blocks = draft.plan.blocks
    if blocks and blocks[-1].when == draft.when and not _ended(blocks[-1]):
        blocks = (*blocks[:-1], Block(draft.when, (*blocks[-1].actions, action)))
    else:
        blocks = (*blocks, Block(draft.when, (action,)))
    return structs.replace(draft, plan=structs.replace(draft.plan, blocks=blocks), withdrawn=False, ship=None)


def without_last(draft: PlanDraft) -> PlanDraft:
    """The draft without what was pressed last."""
    blocks = draft.plan.blocks
    if draft.ship or draft.withdrawn or not blocks:
        return structs.replace(draft, ship=None, withdrawn=False)
    *kept, last = blocks
    shorter = (Block(last.when, last.actions[:-1]),) if last.actions[1:] else ()
    return structs.replace(draft, plan=structs.replace(draft.plan, blocks=(*kept, *shorter)), when=last.when)


def foreseen(position: Position, colour: Colour, draft: PlanDraft) -> Position:
    """How the ships would lie, and what the wind would be, for the next action of a plan."""
    kind: Literal["wind", "calm"] = "calm" if draft.when == "calm" else "wind"
    at = {
        action.ship: action.hex
        for block in draft.plan.blocks
        if block.when in ("any", draft.when)
        for action in block.actions
        if isinstance(action, Move)
    }
    ships = tuple(_foreseen(ship, at.get(ship.code), colour) for ship in position.ships)
    return structs.replace(position, wind=kind, ships=ships)


def choices(context: PlanContext, draft: PlanDraft) -> Choices:
    """The kinds of wind, the captain's ships, what the chosen one may do, and the draft in words."""
    colour = context.colour
    position = foreseen(context.position, colour, draft)
    mine = position.of(colour)
    enemies = [ship for ship in position.ships if ship.colour != colour]
    ended = any(_ended(block) for block in draft.plan.blocks if block.when in ("any", draft.when))
    ship = turn.find(position, colour, draft.ship) if draft.ship and not ended else None

    def after(action: Action) -> str:
        return write_draft(with_action(draft, action))

    def look_at(code: Code) -> Draft:
        return Draft(write_draft(structs.replace(draft, ship=code, withdrawn=False)))

    complete = draft.withdrawn or (draft.plan.blocks and not draft.ship)
    return Choices(
        groups=shown(
            buttons("when", _winds(context, draft)),
            panel.ship_group(() if ended else mine, draft.ship or "", look_at),
            *(panel.sail_groups(position, ship, after, seals=False) if ship else ()),
            select("aim_at", panel.aims(ship, enemies, after) if ship else ()),
            buttons("plan", _plans(context, draft, ended=ended)),
        ),
        lines=(*lines(draft), *stored_lines(context.stored)),
        missing=() if complete else (Text("missing.plan"),),
    )


def lines(draft: PlanDraft) -> tuple[Text, ...]:
    """A draft in words."""
    if draft.withdrawn:
        return (Text("line.none"),)
    auto = (Text("line.auto"),) if draft.plan.auto else ()
    blocks = (Text(f"line.{block.when}", {"actions": actions.write(block.actions)}) for block in draft.plan.blocks)
    return (*auto, *blocks)


def stored_lines(plan: Plan) -> tuple[Text, ...]:
    """The stored plan in words, if there is one."""
    return (Text("line.stored", {"plan": " / ".join(write(plan).splitlines())}),) if plan.blocks else ()


def _ended(block: Block) -> bool:
    return block.actions[-1] == End()


def _foreseen(ship: Ship, at: str | None, colour: Colour) -> Ship:
    if ship.colour != colour:
        return ship
    return structs.replace(ship, hex=at or ship.hex, moved=at is not None, shots=ship.kind.shots)


def _winds(context: PlanContext, draft: PlanDraft) -> Iterator[Option]:
    """The kinds of wind for which the next action may be."""
    for when in WINDS:
        after = structs.replace(draft, when=when, ship=None, withdrawn=False)
        chosen = draft.when == when and not draft.withdrawn
        yield NOTEBOOK.option(context, after, f"when.{when}", chosen=chosen)


def _plans(context: PlanContext, draft: PlanDraft, *, ended: bool) -> Iterator[Option]:
    """What can be done with the plan as a whole."""
    auto = structs.replace(draft.plan, auto=not draft.plan.auto)
    changed = structs.replace(draft, plan=auto, withdrawn=False)
    yield NOTEBOOK.option(context, changed, "auto", chosen=draft.plan.auto)
    yield NOTEBOOK.option(context, PlanDraft(withdrawn=True), "none", chosen=draft.withdrawn)
    if not ended:
        yield NOTEBOOK.option(context, with_action(draft, End()), "plan_end")
    if draft.plan.blocks or draft.ship:
        yield NOTEBOOK.option(context, without_last(draft), "plan_back")
    if context.stored.blocks and draft.plan != context.stored:
        yield NOTEBOOK.option(context, _of_plan(context.stored), "plan_stored")
