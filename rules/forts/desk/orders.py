"""What the active captain does in a player-turn: reading it, refusing it, and what may be pressed (NB part 8)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Final

from msgspec import Struct, structs

from rules.cup import Thrown
from rules.errors import Fault, IllegalOrder, UnreadableOrder, excerpt
from rules.forts.desk import forms, panel, plans
from rules.forts.desk.game_flow import OUR_RULE, PASSES, may_act, may_claim, may_undo
from rules.forts.table import actions, fire, turn
from rules.forts.table.state import (
    CODES,
    Action,
    Actions,
    Claim,
    Code,
    End,
    Pass,
    RunPlan,
    Ship,
    Shots,
    State,
    Undo,
)
from rules.forts.table.turn import Play
from rules.forts.table.words import plain
from rules.notebook import Notebook
from rules.panels import buttons, select, shown
from rules.protocol import Choices, Draft, Group, Option
from rules.view import Text

Order = Actions | Undo | RunPlan | Pass | Claim

REACH: Final = "+reach"
"""Ends the focus of a draft whose captain looks at where enemies may get to; as typed, too: `BB+reach`."""
WORDS: Final[dict[str, Order]] = {
    "undo": Undo(),
    "plan": RunPlan(),
    "pass": Pass(),
    "away": Pass(excused=True),
    "claim": Claim(),
}
"""Orders of one word."""


class OrderDraft(Struct, frozen=True):
    """An order that is not sealed yet, and what the captain looks at."""

    order: Order | None = None
    ship: Code | None = None
    """In hand; None: none was chosen."""
    reach: bool = False
    """The captain looks at where enemies may get to."""


def write(order: Order) -> str:
    """An order in canonical notation."""
    if isinstance(order, Actions):
        return actions.write(order.actions)
    return next(word for word, meant in WORDS.items() if meant == order)


def take(state: State, _: OrderDraft, text: str) -> OrderDraft:
    """The code of a ship to give orders to, or an order that can be carried out now; it takes the draft's place.

    What depends on dice that have not fallen yet is not checked. Raises `OrderError`.
    """
    bare = _bare(text)
    code = bare.removesuffix(REACH).upper()
    if code in CODES:
        if turn.find(state.position, state.position.active, code) is None:
            raise IllegalOrder("ship_gone", "NB-07.2", piece=code, ship=code)
        return OrderDraft(ship=code, reach=bare.endswith(REACH))
    if bare == REACH:
        return OrderDraft(reach=True)
    order = _read(state, text)
    _check(state, order)
    return OrderDraft(order)


def look(_: State, draft: OrderDraft, focus: str) -> OrderDraft:
    """The draft with another ship in hand, and with or without the reach of enemies."""
    code = focus.removesuffix(REACH)
    return structs.replace(draft, ship=code if code in CODES else None, reach=focus.endswith(REACH))


def _complete(_: State, draft: OrderDraft) -> Order:
    if draft.order is None:
        raise UnreadableOrder("no_action", piece=draft.ship or "")
    return draft.order


NOTEBOOK: Final[Notebook[State, State, OrderDraft, Order]] = Notebook(
    context=lambda state, _: state,
    empty=lambda _: OrderDraft(),
    take=take,
    written=lambda _, draft: Draft(write(draft.order) if draft.order else "", (draft.ship or "") + REACH * draft.reach),
    complete=_complete,
    format=write,
    look=look,
)


def current(state: State, draft: OrderDraft) -> Ship | None:
    """The ship that a draft gives orders to next.

    If none was chosen it is one that can still do something: the one that has just moved, or the first.
    """
    if draft.ship:
        return turn.find(state.position, state.position.active, draft.ship)
    able = [ship for ship in state.position.of(state.position.active) if may_act(state.position, ship)]
    last = state.moves[-1][0] if state.moves else ""
    return next((ship for ship in able if ship.id == last), able[0] if able else None)


def listed(state: State, order: Order | None) -> tuple[Action, ...]:
    """The actions of an order."""
    if isinstance(order, RunPlan):
        blocks = state.plan(state.position.active).blocks
        return tuple(a for block in blocks if block.when in ("any", state.position.wind) for a in block.actions)
    return order.actions if isinstance(order, Actions) else ()


def choices(state: State, draft: OrderDraft) -> Choices:
    """The active captain's ships, what the chosen one may do, and how to end; and the draft in words."""
    ship, order, position = current(state, draft), draft.order, state.position
    mine = position.of(position.active)
    able = [other for other in mine if may_act(position, other)]
    done = {other.code for other in mine if other not in able}
    groups = shown(
        *([_ships(draft, mine, ship, done)] if len(able) > 1 else []),
        select("shoot", _shots(state, ship) if ship else ()),
        *(panel.sail_groups(position, ship, actions.write_one, seals=True) if ship else ()),
        buttons("look", [_looked(state, draft, ship)]),
        buttons("more", _others(state)),
        buttons("finish", _finishing(state, order), beside=True),
    )
    *todo, last = listed(state, order) or (None,)
    lines = [actions.in_words(action) for action in (*todo, last) if action]
    if todo and last == End():  # it is read first, also where there is room for few lines
        lines = [Text("line.whole_turn"), *lines[:-1]]
    if order and not isinstance(order, Actions):
        lines.insert(0, Text(f"line.{write(order)}"))
    if ship and not order:  # what she has now would be read as what she has left after the order
        lines.append(Text("line.ship", {"ship": ship.code, "hex": ship.hex, "shots": ship.shots, "left": ship.margin}))
        if able == [ship] and len(mine) > 1:
            lines.append(Text("line.only", {"ship": ship.code}))
    legend = [Text("line.reach")] if draft.reach else []
    missing = Text("missing.action" if able else "missing.end")
    if ship and able:
        missing = Text("missing.ship_action", {"ship": ship.code})
    return Choices(
        groups=groups,
        forms=forms.forms(position),
        lines=(*lines, *legend, *plans.stored_lines(state.plan(position.active))),
        missing=() if order else (missing,),
    )


def _ships(draft: OrderDraft, mine: list[Ship], ship: Ship | None, done: set[Code]) -> Group:
    def look_at(code: Code) -> Draft:
        return Draft(focus=code + REACH * draft.reach)

    return panel.ship_group(mine, ship.code if ship else "", look_at, done)


def _shots(state: State, ship: Ship) -> Iterator[Option]:
    def why_not(action: Action) -> Fault | None:
        found = turn.hindrance(state.position, action)
        return found.error(action).fault if found else None

    return panel.shots(ship, fire.lines(state.position, ship), actions.write_one, why_not)


def _looked(state: State, draft: OrderDraft, ship: Ship | None) -> Option:
    """What the captain may look at: no part of the orders."""
    after = structs.replace(draft, ship=ship.code if ship else None, reach=not draft.reach)
    return NOTEBOOK.option(state, after, "look.reach", chosen=draft.reach)


def _finishing(state: State, order: Order | None) -> Iterator[Option]:
    """Carry out what was typed, or end the turn."""
    for key, what in (("do", order), ("end", Actions((End(),)))):
        if what:
            yield NOTEBOOK.option(state, OrderDraft(what), key, seals=True)


def _others(state: State) -> Iterator[Option]:
    """What may be done besides giving orders to a ship."""
    option = partial(NOTEBOOK.option, state, seals=True)
    if may_undo(state):
        yield option(OrderDraft(Undo()), "undo", Text("choice.undo", {"ship": state.moves[-1][0][1:]}))
    if state.plan(state.position.active).blocks:
        yield option(OrderDraft(RunPlan()), "plan")
    if may_claim(state):
        yield option(OrderDraft(Claim()), "claim")


def _bare(text: str) -> str:
    return "".join(plain(text).split()).strip(";")


def _read(state: State, text: str) -> Order:
    if _bare(text) in WORDS:
        return WORDS[_bare(text)]
    found = actions.read(";".join(plain(text).splitlines()), state.position.board)
    if not found:
        raise UnreadableOrder("no_action", piece=excerpt(text))
    return Actions(found)


def _check(state: State, order: Order) -> None:
    match order:
        case Undo() if not may_undo(state):
            raise IllegalOrder("nothing_to_undo", OUR_RULE, piece="undo")
        case RunPlan() if not state.plan(state.position.active).blocks:
            raise IllegalOrder("no_plan", OUR_RULE, piece="plan")
        case Claim() if not may_claim(state):
            raise IllegalOrder("no_claim", OUR_RULE, piece="claim", passes=PASSES)
        case Actions():
            _check_actions(state, order.actions)


def _check_actions(state: State, todo: tuple[Action, ...]) -> None:
    """Refuse what is impossible up to the first shots; what comes after them depends on the dice."""
    play = Play(position=state.position, cup=Thrown(state.dice))
    for action in todo:
        if found := turn.hindrance(play.position, action):
            raise found.error(action)
        if isinstance(action, Shots | End):
            return
        play = turn.carry_out(play, action)


def default(state: State, *, excused: bool = False) -> RunPlan | Pass | None:
    """The stored plan, or else nothing or the computer's (NB part 2)."""
    if state.plan(state.position.active).blocks:
        return RunPlan()
    return Pass(excused=excused) if state.missed == "hold" else None
