"""What the active captain does in his player-turn: reading it, refusing it, and what may be pressed (NB part 8)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from rules.errors import Fault, IllegalOrder, OrderError, UnreadableOrder
from rules.forts.desk import forms, panel, plans
from rules.forts.desk.game_flow import OUR_RULE, PASSES, Seeded, may_claim, may_undo
from rules.forts.desk.words import plain
from rules.forts.table import actions, fire, sailing, turn
from rules.forts.table.state import (
    CODES,
    Action,
    Actions,
    Claim,
    End,
    Pass,
    Position,
    RunPlan,
    Ship,
    Shots,
    State,
    Undo,
)
from rules.forts.table.turn import Play
from rules.protocol import Choices, Draft, Group, Option
from rules.view import Text

Order = Actions | Undo | RunPlan | Pass | Claim

REACH: Final = "+reach"
"""Ends the focus of a draft whose captain looks at where enemies may get to; as typed, too: `BB+reach`."""
WORDS: Final[dict[str, Order]] = {"undo": Undo(), "plan": RunPlan(), "pass": Pass(), "claim": Claim()}
"""Orders of one word."""


def parse(state: State, text: str) -> Order:
    """Read an order that can be carried out now, as far as that is known before the dice fall.

    Raises `OrderError` on anything else.
    """
    order = _read(state, text)
    _check(state, order)
    return order


def write(order: Order) -> str:
    """Write an order: `parse` gives it back."""
    if isinstance(order, Actions):
        return actions.write(order.actions)
    return next(word for word, meant in WORDS.items() if meant == order)


def amend(state: State, text: str) -> Draft:
    """Read typed text as a draft: the code of a ship to give orders to, or an order. Raises `OrderError`."""
    bare = _bare(text)
    code = bare.removesuffix(REACH).upper()
    if code in CODES:
        if turn.find(state.position, state.position.active, code) is None:
            raise IllegalOrder("ship_gone", "NB-07.2", piece=code, ship=code)
        return Draft(focus=_focus(code, reach=bare.endswith(REACH)))
    if bare == REACH:
        return Draft(focus=REACH)
    return Draft(write(parse(state, text)))


def current(state: State, draft: Draft) -> Ship | None:
    """Find the ship that a draft gives orders to next; once such a ship was the draft's text.

    If none was chosen it is one that can still do something: the one that has just moved, or the first.
    """
    code = draft.focus.removesuffix(REACH) or _bare(draft.text).upper()
    if code in CODES:
        return turn.find(state.position, state.position.active, code)
    able = [ship for ship in _mine(state.position) if _able(state.position, ship)]
    last = state.moves[-1][0] if state.moves else ""
    return next((ship for ship in able if ship.id == last), able[0] if able else None)


def _mine(position: Position) -> list[Ship]:
    return [ship for ship in position.ships if ship.colour == position.active]


def _able(position: Position, ship: Ship) -> bool:
    """Whether a ship can still do anything in this player-turn."""
    return bool(sailing.reach(position, ship).hexes) or any(line.need for line in fire.lines(position, ship))


def looks_at_reach(draft: Draft) -> bool:
    """Whether a captain looks at where enemies may get to."""
    return draft.focus.endswith(REACH)


def _focus(code: str, *, reach: bool) -> str:
    return code + REACH if reach else code


def read(state: State, draft: str) -> Order | None:
    """Read a draft; None if it is no order yet."""
    try:
        return parse(state, draft)
    except OrderError:
        return None


def listed(state: State, order: Order | None) -> tuple[Action, ...]:
    """Give the actions of an order."""
    if isinstance(order, RunPlan):
        blocks = state.plan(state.position.active).blocks
        return tuple(a for block in blocks if block.when in ("any", state.position.wind) for a in block.actions)
    return order.actions if isinstance(order, Actions) else ()


def choices(state: State, draft: Draft) -> Choices:
    """Show the active captain's ships, what the chosen one may do, and how to end; and the draft in words."""
    ship, order = current(state, draft), read(state, draft.text)
    mine = _mine(state.position)
    looks = looks_at_reach(draft)
    groups = []
    done = {other.code for other in mine if not _able(state.position, other)}
    if len(done) < len(mine):
        code_now = ship.code if ship else ""
        groups.append(panel.ship_group(mine, code_now, lambda code: Draft(focus=_focus(code, reach=looks)), done))
    if ship:
        groups += panel.sail_groups(state.position, ship, _alone, seals=True)
        groups += panel.shoot_group(ship, fire.lines(state.position, ship), _alone, lambda one: _why_not(state, one))
    groups.append(_look_group(draft, ship))
    groups.append(Group(key="finish", style="buttons", options=tuple(_turn_options(state, order))))
    lines = [panel.line_of(action) for action in listed(state, order)]
    if order and not isinstance(order, Actions):
        lines.insert(0, Text(f"line.{write(order)}"))
    if ship and not order:  # what she has now would be read as what she has left after the order
        lines.append(Text("line.ship", {"ship": ship.code, "hex": ship.hex, "shots": ship.shots, "left": ship.margin}))
    return Choices(
        groups=tuple(groups),
        forms=forms.forms(state.position),
        lines=(*lines, *plans.stored_lines(state.plan(state.position.active))),
        missing=() if order else (_missing(ship) if len(done) < len(mine) else Text("missing.end"),),
    )


def _look_group(draft: Draft, ship: Ship | None) -> Group:
    """What the captain may look at: no part of his orders."""
    looks = looks_at_reach(draft)
    look = Option(
        token="look.reach",  # noqa: S106 - no secret
        label=Text("choice.look.reach"),
        draft=draft.text,
        focus=_focus(ship.code if ship else "", reach=not looks),
        chosen=looks,
    )
    return Group(key="look", style="buttons", options=(look,))


def _missing(ship: Ship | None) -> Text:
    return Text("missing.ship_action", {"ship": ship.code}) if ship else Text("missing.action")


def _turn_options(state: State, order: Order | None) -> Iterator[Option]:
    """Show what may be done besides giving orders to a ship."""
    if order:
        yield Option(token="do", label=Text("choice.do"), draft=write(order), seals=True)  # noqa: S106 - no secret
    yield Option(token="end", label=Text("choice.end"), draft="end", seals=True)  # noqa: S106 - no secret
    if may_undo(state):
        ship, _ = state.moves[-1]
        yield Option(token="undo", label=Text("choice.undo", {"ship": ship[1:]}), draft="undo", seals=True)  # noqa: S106 - no secret
    if state.plan(state.position.active).blocks:
        yield Option(token="plan", label=Text("choice.plan"), draft="plan", seals=True)  # noqa: S106 - no secret
    if may_claim(state):
        yield Option(token="claim", label=Text("choice.claim"), draft="claim", seals=True)  # noqa: S106 - no secret


def _alone(action: Action) -> str:
    return actions.write_one(action)


def _why_not(state: State, action: Action) -> Fault | None:
    found = turn.hindrance(state.position, action)
    return found.error(action).fault if found else None


def _bare(text: str) -> str:
    return "".join(plain(text).split()).strip(";")


def _read(state: State, text: str) -> Order:
    if len(text) > actions.MOST_TEXT:
        raise UnreadableOrder("text_too_long", piece=actions.excerpt(text), most=actions.MOST_TEXT, length=len(text))
    if _bare(text) in WORDS:
        return WORDS[_bare(text)]
    found = actions.read(";".join(plain(text).splitlines()), state.position.board)
    if not found:
        raise UnreadableOrder("no_action", piece=actions.excerpt(text))
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
    play = Play(position=state.position, cup=Seeded(state.dice))
    for action in todo:
        if found := turn.hindrance(play.position, action):
            raise found.error(action)
        if isinstance(action, Shots | End):
            return
        play = turn.carry_out(play, action)
