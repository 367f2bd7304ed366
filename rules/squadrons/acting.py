"""One squadron at a time, ordered when its go comes: which one, and what it does (SQ 9.2, D-7, D-9).

A draft is the squadron's name on a line of its own, `act SQ1` or `act B4`, and then the lines of a sheet.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from msgspec import structs

from rules.errors import IllegalOrder, OrderError
from rules.protocol import Choices, Draft, Group, Option, Seat
from rules.squadrons import activation, course, panel, seats, sheets
from rules.squadrons.answers import Activation
from rules.squadrons.notation import RULE, excerpt
from rules.squadrons.sheets import Desk, Paper
from rules.squadrons.state import Squadron, State
from rules.squadrons.words import plain
from rules.view import Text

_ACT: Final = re.compile("act ?:? ?(sq[1-9]|[br][1-9][0-9]?)")


class Pad(NamedTuple):
    """What a captain writes his orders upon."""

    desk: Desk
    """With the ships of the squadron alone."""
    squadron: Squadron
    draft: Draft
    """Without the line that names it."""


def offered(state: State, seat: Seat) -> tuple[Squadron, ...]:
    """Squadrons with a ship of his that can act now, by number."""
    own = set(seats.ships_of(state, seat))
    able = course.left(state, state.active or "B")
    return tuple(one for one in able if own & set(activation.still(state.position, one)))


def named(squadron: Squadron) -> str:
    """What a captain calls a squadron."""
    return f"SQ{squadron.number}" if squadron.number else squadron.flagship


def _pad(state: State, seat: Seat, text: str, focus: str = "") -> Pad:
    """Divide a draft. Raises `IllegalOrder` for a squadron that may not act now."""
    every = offered(state, seat)
    lines = [line for line in plain(text).split("\n") if line.strip()]
    found = _ACT.fullmatch(lines[0].strip()) if lines else None
    wanted = found[1].upper() if found else ""
    squadron = next((one for one in every if wanted in (named(one), one.flagship)), None)
    if found and squadron is None:
        legal = ", ".join(map(named, every))
        raise IllegalOrder("not_its_go", RULE, piece=excerpt(wanted), legal=legal)
    squadron = squadron or every[0]
    desk = sheets.desk_of(state, seat)
    mine = tuple(ship for ship in desk.mine if ship.id in squadron.ships)
    desk = structs.replace(desk, mine=mine, fixed=(squadron,), last="")
    rest = text.split("\n", 1)[1] if found and "\n" in text else "" if found else text
    return Pad(desk, squadron, Draft(rest, focus))


def _lenient(state: State, seat: Seat, draft: Draft) -> Pad:
    try:
        return _pad(state, seat, draft.text, draft.focus)
    except OrderError:
        return _pad(state, seat, "", draft.focus)


def _written(pad: Pad, paper: Paper) -> Draft:
    text, focus = sheets.write(paper)
    return Draft("\n".join(filter(None, (f"act {named(pad.squadron)}", text))), focus)


def finish(state: State, seat: Seat, text: str) -> Activation:
    """Read a squadron and its orders. Raises `OrderError`."""
    pad = _pad(state, seat, text)
    paper = sheets.amend(pad.desk, Paper(), pad.draft.text)
    return Activation(squadron=pad.squadron.flagship, sheet=paper.sheet)


def canonical(answer: Activation) -> str:
    """Write an answer: `finish` gives it back. A squadron is named by a ship."""
    text = sheets.canonical(answer.sheet)
    return "\n".join(filter(None, (f"act {answer.squadron}", "" if text == sheets.PASS else text)))


def amend(state: State, seat: Seat, draft: Draft, text: str) -> Draft:
    """Put typed lines into the draft. Raises `OrderError`."""
    before = _lenient(state, seat, draft)
    pad = _pad(state, seat, text)
    if not _ACT.match(plain(text).strip()):
        pad = before._replace(draft=Draft(text, draft.focus))
        paper = sheets.read(pad.desk, before.draft)
    else:
        paper = Paper(focus="all")
    return _written(pad, sheets.amend(pad.desk, paper, pad.draft.text))


def choices(state: State, seat: Seat, draft: Draft) -> Choices:
    """Which squadron acts; then what it does, as in a sheet."""
    pad = _lenient(state, seat, draft)
    paper = sheets.read(pad.desk, pad.draft)
    shown = panel.choices(pad.desk, paper)
    groups = tuple(_renamed(pad, group) for group in shown.groups)
    every = offered(state, seat)
    if len(every) > 1:
        options = tuple(
            Option(
                token=f"act.{named(one)}",
                label=Text("act.squadron", {"squadron": named(one), "ships": len(one.ships)}),
                draft=f"act {named(one)}",
                chosen=one == pad.squadron,
            )
            for one in every
        )
        groups = (Group(key="act", style="select", options=options), *groups)
    line = Text("line.acts", {"squadron": named(pad.squadron)})
    return structs.replace(shown, groups=groups, forms=(), lines=(line, *shown.lines), missing=())


def _renamed(pad: Pad, group: Group) -> Group:
    """The same options, their drafts with the squadron's name."""
    head = f"act {named(pad.squadron)}"
    options = tuple(structs.replace(one, draft="\n".join(filter(None, (head, one.draft)))) for one in group.options)
    return structs.replace(group, options=options)


def warnings(state: State, seat: Seat, draft: Draft) -> tuple[Text, ...]:
    """Every line that would stop as things stand."""
    pad = _lenient(state, seat, draft)
    return panel.warnings(pad.desk, sheets.read(pad.desk, pad.draft))


def still(state: State, seat: Seat) -> Activation:
    """The next squadron does nothing."""
    return Activation(squadron=offered(state, seat)[0].flagship)
