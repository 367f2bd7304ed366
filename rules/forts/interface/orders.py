"""Orders of the active captain in a player-turn: parsing, checks, options and forms (NB-10)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final

from msgspec import Struct, structs

from rules.chance.dice import SeededDice
from rules.core.errors import Fault, IllegalOrder, Scalar, UnreadableOrder, quote_excerpt
from rules.core.protocol import Choices, Draft, Form, FormField, FormLine, Option, OptionGroup
from rules.core.view import Text
from rules.forts.engine import actions, fire, sailing, turn
from rules.forts.engine.actions import to_notation_words
from rules.forts.engine.boards import all_hexes
from rules.forts.engine.fire import FireLine
from rules.forts.engine.state import (
    CODES,
    Action,
    ActionList,
    ClaimWin,
    ClassCode,
    EndOrder,
    MoveOrder,
    PassTurn,
    Position,
    RunPlan,
    Ship,
    ShootOrder,
    State,
    Target,
    UndoMove,
)
from rules.forts.engine.turn import TurnInProgress
from rules.forts.interface import panel, plans
from rules.forts.interface.game_flow import (
    CLAIM_RULE,
    PASSES_TO_CLAIM,
    PLAN_RULE,
    UNDO_RULE,
    may_act,
    may_claim,
    may_undo,
)
from rules.geometry import hexes
from rules.interface.drafts import AnswerNotation
from rules.interface.panels import button_row, drop_empty, list_field, select_menu

_MAX_SHIPS: Final = 4  # a captain's ships; the fifth list of the form is for the end of the turn
_MAX_ENTRIES: Final = 24  # entries of a list besides doing nothing; the panel's own lists offer all hexes and shots


def turn_forms(position: Position) -> tuple[Form, ...]:
    """Return the form, if at least two of the active captain's ships can do anything."""
    own_ships = position.ships_of(position.active_colour)[:_MAX_SHIPS]
    fields = [field for ship in own_ships if (field := _ship_field(position, ship))]
    if len(fields) < 2:
        return ()
    end = FormLine("end", Text("choice.end"), "end", is_chosen=True)
    end_field = list_field(Text("field.then"), Text("choice.go_on"), [end], token="on")  # noqa: S106 - no secret
    return (Form(token="turn", label=Text("form.turn"), fields=(*fields, end_field), separator="; "),)  # noqa: S106 - no secret


def _ship_field(position: Position, ship: Ship) -> FormField | None:
    entries = [*_shot_lines(ship, fire.fire_lines(position, ship))]
    entries += _sail_lines(position, ship, _MAX_ENTRIES - len(entries))
    if not entries:
        return None
    stay = Text("choice.stay", {"hex": ship.hex})
    return list_field(Text("field.ship", {"ship": ship.code, "hex": ship.hex}), stay, entries, "stay")


def _shot_lines(ship: Ship, lines: Sequence[FireLine]) -> Iterator[FormLine]:
    allowed = [line for line in lines if line.need]
    limits = (1, 0) if ship.shots > 1 else (1,)  # one shot, or all that are left (0)
    for line in allowed:
        for most in limits:
            key = "choice.shoot_one" if most else "choice.shoot_all"
            label = Text(key, {"target": line.to[1:], "hex": line.end, "need": line.need})
            yield _form_line(f"at.{line.to[1:]}.{most}", label, _shots_along(ship, line, most))


def _sail_lines(position: Position, ship: Ship, max_lines: int) -> Iterator[FormLine]:
    """Yield moves to the hexes nearest to an enemy, each followed by shots if they are possible."""
    reach = sailing.current_reach(position, ship)
    hexes_by_label = all_hexes(position.board)
    foes = [hexes_by_label[other.hex] for other in position.ships if other.colour != ship.colour]
    steps = dict(zip(reach.hexes, reach.steps, strict=True))
    distance_by_label = {
        label: min((hexes.hex_distance(hexes_by_label[label], foe) for foe in foes), default=0) for label in steps
    }
    nearest = sorted(steps, key=lambda label: (distance_by_label[label], steps[label], label))[:max_lines]
    for label in sorted(nearest, key=lambda label: (label[0], int(label[1:]))):
        sail = MoveOrder(ship.code, label)
        moved = structs.replace(ship, hex=label)
        lines = [line for line in fire.fire_lines(turn.with_ship(position, moved), moved) if line.need]
        likeliest = min(lines, key=lambda line: (line.need, line.to), default=None)
        params: dict[str, Scalar] = {"hex": label, "steps": steps[label]}
        if likeliest:
            text = Text("choice.sail_shoot", {**params, "target": likeliest.to[1:], "need": likeliest.need})
            yield _form_line(f"to.{label}", text, sail, _shots_along(ship, likeliest, 0))
        else:
            yield _form_line(f"to.{label}", Text("choice.sail", params), sail)


def _shots_along(ship: Ship, line: FireLine, most: int) -> ShootOrder:
    return ShootOrder(ship.code, (Target(line.to[1:], most),))  # type: ignore[arg-type] # what an id ends in is a code


def _form_line(token: str, label: Text, *todo: Action) -> FormLine:
    return FormLine(token, label, actions.format_actions(todo))


ActiveOrder = ActionList | UndoMove | RunPlan | PassTurn | ClaimWin

REACH_SUFFIX: Final = "+reach"
"""The end of a draft's focus while the reach of enemies is shown; it can be typed, too, as in `BB+reach`."""
ONE_WORD_ORDERS: Final[dict[str, ActiveOrder]] = {
    "undo": UndoMove(),
    "plan": RunPlan(),
    "pass": PassTurn(),
    "away": PassTurn(excused=True),
    "claim": ClaimWin(),
}


class OrderDraft(Struct, frozen=True):
    order: ActiveOrder | None = None  # the order to carry out; None: not chosen
    ship: ClassCode | None = None  # the ship in focus; None: not chosen
    shows_reach: bool = False  # whether the picture shows which hexes enemies can reach


def format_order(order: ActiveOrder) -> str:
    if isinstance(order, ActionList):
        return actions.format_actions(order.actions)
    return next(word for word, meant in ONE_WORD_ORDERS.items() if meant == order)


def parse_into(state: State, _: OrderDraft, text: str) -> OrderDraft:
    """Return a draft with a ship in focus, or with an order that can be carried out now.

    Actions after the first shots are not checked, as they depend on dice. Raises `OrderError`.
    """
    compact = _compact_text(text)
    code = compact.removesuffix(REACH_SUFFIX).upper()
    if code in CODES:
        if turn.find_ship(state.position, state.position.active_colour, code) is None:
            raise IllegalOrder("ship_gone", "NB-07.2", piece=code, ship=code)
        return OrderDraft(ship=code, shows_reach=compact.endswith(REACH_SUFFIX))
    if compact == REACH_SUFFIX:
        return OrderDraft(shows_reach=True)
    order = _parse_order(state, text)
    _check_order(state, order)
    return OrderDraft(order)


def move_focus(_: State, draft: OrderDraft, focus: str) -> OrderDraft:
    code = focus.removesuffix(REACH_SUFFIX)
    return structs.replace(draft, ship=code if code in CODES else None, shows_reach=focus.endswith(REACH_SUFFIX))


def _complete_order(_: State, draft: OrderDraft) -> ActiveOrder:
    if draft.order is None:
        raise UnreadableOrder("no_action", piece=draft.ship or "")
    return draft.order


ORDER_NOTATION: Final[AnswerNotation[State, State, OrderDraft, ActiveOrder]] = AnswerNotation(
    context=lambda state, _: state,
    empty_draft=lambda _: OrderDraft(),
    parse_into=parse_into,
    write_draft=lambda _, draft: Draft(
        format_order(draft.order) if draft.order else "", (draft.ship or "") + REACH_SUFFIX * draft.shows_reach
    ),
    complete_answer=_complete_order,
    format_answer=format_order,
    move_focus=move_focus,
)


def current_ship(state: State, draft: OrderDraft) -> Ship | None:
    """Return the ship in focus.

    If none was chosen, it is a ship that can still do something: the one that acted last, or the first.
    """
    if draft.ship:
        return turn.find_ship(state.position, state.position.active_colour, draft.ship)
    able_ships = [
        ship for ship in state.position.ships_of(state.position.active_colour) if may_act(state.position, ship)
    ]
    return next((ship for ship in able_ships if ship.id == state.last_ship), able_ships[0] if able_ships else None)


def actions_of(state: State, order: ActiveOrder | None) -> tuple[Action, ...]:
    """Return the actions of an order: of a list, or of the stored plan for the present wind; empty for other orders."""
    if isinstance(order, RunPlan):
        blocks = state.plan_of(state.position.active_colour).blocks
        present_blocks = [block for block in blocks if block.when in ("any", state.position.wind)]
        return tuple(action for block in present_blocks for action in block.actions)
    return order.actions if isinstance(order, ActionList) else ()


def _order_lines(state: State, order: ActiveOrder | None) -> list[Text]:
    """Return sentences about an order and its actions; they are empty for None."""
    lines = [actions.action_text(action) for action in actions_of(state, order)]
    if order and not isinstance(order, ActionList):
        lines.insert(0, Text(f"line.{format_order(order)}"))
    return lines


def draft_choices(state: State, draft: OrderDraft) -> Choices:
    ship, order, position = current_ship(state, draft), draft.order, state.position
    own_ships = position.ships_of(position.active_colour)
    able_ships = [other for other in own_ships if may_act(position, other)]
    exhausted = {other.code for other in own_ships if other not in able_ships}
    groups = drop_empty(
        *([_ship_group(draft, own_ships, ship, exhausted)] if len(able_ships) > 1 else []),
        select_menu("shoot", _shot_options(state, ship) if ship else ()),
        *(panel.sail_groups(position, ship, actions.format_action, seals=True) if ship else ()),
        button_row("look", [_reach_option(state, draft, ship)]),
        button_row("more", _other_options(state)),
        button_row("finish", _end_options(state, order), beside=True),
    )
    lines = _order_lines(state, order)
    if ship and not order:  # the ship's present shots would be mistaken for those left after the order
        lines.append(
            Text("line.ship", {"ship": ship.code, "hex": ship.hex, "shots": ship.shots, "left": ship.hits_left})
        )
        if able_ships == [ship] and len(own_ships) > 1:
            lines.append(Text("line.only", {"ship": ship.code}))
    reach_lines = [Text("line.reach")] if draft.shows_reach else []
    missing = Text("missing.action" if able_ships else "missing.end")
    if ship and able_ships:
        missing = Text("missing.ship_action", {"ship": ship.code})
    return Choices(
        groups=groups,
        forms=turn_forms(position),
        lines=(*lines, *reach_lines, *plans.stored_lines(state.plan_of(position.active_colour))),
        missing_parts=() if order else (missing,),
    )


def _ship_group(draft: OrderDraft, own_ships: list[Ship], ship: Ship | None, exhausted: set[ClassCode]) -> OptionGroup:
    def look_at(code: ClassCode) -> Draft:
        return Draft(focus=code + REACH_SUFFIX * draft.shows_reach)

    return panel.ship_group(own_ships, ship.code if ship else "", look_at, exhausted)


def _shot_options(state: State, ship: Ship) -> Iterator[Option]:
    def why_not(action: Action) -> Fault | None:
        hindrance = turn.find_hindrance(state.position, action)
        return hindrance.to_error(action).fault if hindrance else None

    return panel.shot_options(ship, fire.fire_lines(state.position, ship), actions.format_action, why_not)


def _reach_option(state: State, draft: OrderDraft, ship: Ship | None) -> Option:
    after = structs.replace(draft, ship=ship.code if ship else None, shows_reach=not draft.shows_reach)
    return ORDER_NOTATION.make_option(state, after, "look.reach", chosen=draft.shows_reach)


def _end_options(state: State, order: ActiveOrder | None) -> Iterator[Option]:
    for key, sealed_order in (("do", order), ("end", ActionList((EndOrder(),)))):
        if sealed_order:
            yield ORDER_NOTATION.make_option(state, OrderDraft(sealed_order), key, seals=True)


def _other_options(state: State) -> Iterator[Option]:
    option = partial(ORDER_NOTATION.make_option, state, seals=True)
    if may_undo(state):
        yield option(OrderDraft(UndoMove()), "undo", Text("choice.undo", {"ship": state.moves[-1][0][1:]}))
    if state.plan_of(state.position.active_colour).blocks:
        yield option(OrderDraft(RunPlan()), "plan")
    if may_claim(state):
        yield option(OrderDraft(ClaimWin()), "claim")


def _compact_text(text: str) -> str:
    return "".join(to_notation_words(text).split()).strip(";")


def _parse_order(state: State, text: str) -> ActiveOrder:
    if _compact_text(text) in ONE_WORD_ORDERS:
        return ONE_WORD_ORDERS[_compact_text(text)]
    parsed = actions.parse_actions(";".join(to_notation_words(text).splitlines()), state.position.board)
    if not parsed:
        raise UnreadableOrder("no_action", piece=quote_excerpt(text))
    return ActionList(parsed)


def _check_order(state: State, order: ActiveOrder) -> None:
    match order:
        case UndoMove() if not may_undo(state):
            raise IllegalOrder("nothing_to_undo", UNDO_RULE, piece="undo")
        case RunPlan() if not state.plan_of(state.position.active_colour).blocks:
            raise IllegalOrder("no_plan", PLAN_RULE, piece="plan")
        case ClaimWin() if not may_claim(state):
            raise IllegalOrder("no_claim", CLAIM_RULE, piece="claim", passes=PASSES_TO_CLAIM)
        case ActionList():
            _check_actions(state, order.actions)


def _check_actions(state: State, todo: tuple[Action, ...]) -> None:
    """Refuse actions that are impossible, up to the first shots, since later ones depend on dice."""
    play = TurnInProgress(position=state.position, dice_source=SeededDice(state.dice))
    for action in todo:
        if hindrance := turn.find_hindrance(play.position, action):
            raise hindrance.to_error(action)
        if isinstance(action, ShootOrder | EndOrder):
            return
        play = turn.carry_out(play, action)


def default_order(state: State, *, excused: bool = False) -> RunPlan | PassTurn | None:
    """Return the order to run the stored plan, else to pass, or None to let the computer act (NB-10.5)."""
    if state.plan_of(state.position.active_colour).blocks:
        return RunPlan()
    return PassTurn(excused=excused) if state.missed == "hold" else None
