"""One ship after another, carried out at once: what the active captain types and may press (live mode, RS part 2)."""

from __future__ import annotations

from typing import Final

from msgspec import structs

from rules.errors import IllegalOrder, UnreadableOrder
from rules.protocol import Choices, Draft, Group, Option, Seat
from rules.ramspeed.desk import order_drafts, panel
from rules.ramspeed.desk.active import acted, desk_of, read
from rules.ramspeed.desk.answers import Act, Done
from rules.ramspeed.desk.order_drafts import Paper
from rules.ramspeed.table.notation import sheets
from rules.ramspeed.table.state import State
from rules.view import Text

DONE: Final = "done"


def finish(state: State, seat: Seat, text: str) -> Act | Done:
    """Read a line for a ship that has not acted, or `done`. Raises `OrderError`."""
    desk = desk_of(state, seat)
    pieces = list(order_drafts.pieces(text))
    if pieces == [DONE]:
        return Done()
    paper = order_drafts.amend(desk, Paper(), text)
    if len(paper.lines) != 1 or paper.stay or paper.doctrines or paper.standing is not None:
        raise UnreadableOrder("one_line", piece=order_drafts.excerpt(text))
    _check(state, paper)
    return Act(paper.lines[0])


def _check(state: State, paper: Paper) -> None:
    for line in paper.lines:
        if line.ship in acted(state):
            raise IllegalOrder("acted_already", "RS-03.4", piece=line.ship, ship=line.ship)


def canonical(answer: Act | Done) -> str:
    """Write an answer: `finish` gives it back."""
    return sheets.write_line(answer.line) if isinstance(answer, Act) else DONE


def amend(state: State, seat: Seat, draft: Draft, text: str) -> Draft:
    """Read typed text: a ship to give orders to, a line, or `done`. Raises `OrderError`."""
    desk = desk_of(state, seat)
    if list(order_drafts.pieces(text)) == [DONE]:
        return Draft(DONE)
    before = read(desk, draft)
    paper = order_drafts.amend(desk, structs.replace(before, lines=()), text)
    if len(paper.lines) > 1 or paper.stay or paper.doctrines or paper.standing is not None:
        raise UnreadableOrder("one_line", piece=order_drafts.excerpt(text))
    _check(state, paper)
    focus = paper.lines[0].ship if paper.lines else paper.focus
    return Draft(order_drafts.written(paper), focus)


def choices(state: State, seat: Seat, draft: Draft) -> Choices:
    """What may be pressed for the ship in hand; a line is carried out when it is sealed, `done` at once."""
    desk = desk_of(state, seat)
    paper = read(desk, draft)
    done = _done(draft.text)
    groups: list[Group] = []
    if paper.focus:
        mine = structs.replace(paper, lines=tuple(line for line in paper.lines if line.ship == paper.focus))
        groups += (_of_one_ship(group) for group in panel.of_one(desk, mine, at_once=True))
    finish = Option(token=DONE, label=Text("choice.done"), draft=DONE, chosen=done, seals=True)
    groups.append(Group(key="finish", style="buttons", options=(finish,)))
    return Choices(
        groups=tuple(groups),
        lines=(Text("line.done"),) if done else (*panel.of_line(desk, paper), *panel.in_the_way(desk, paper)),
        missing=() if done or paper.lines else (Text("missing.act"),),
    )


def _of_one_ship(group: Group) -> Group:
    """Whoever looks at another ship drops the line of the one before: only one is carried out at a time."""
    options = []
    for option in group.options:
        head = f"{option.focus.removesuffix('+')}:"
        kept = [line for line in option.draft.split("\n") if line.startswith(head)]
        options.append(structs.replace(option, draft="\n".join(kept)))
    return structs.replace(group, options=tuple(options))


def _done(text: str) -> bool:
    return list(order_drafts.pieces(text)) == [DONE]


def default(state: State, seat: Seat) -> Act | Done | None:
    """The next line of the sheet that stands in for him; else he has done, or the computer goes on."""
    desk = desk_of(state, seat)
    lines = order_drafts.still(desk, desk.standing) if desk.standing else ()
    left = [line for line in lines if any(ship.id == line.ship for ship in desk.ships)]
    if left:
        return Act(left[0])
    return Done() if desk.standing or state.missed == "hold" else None
