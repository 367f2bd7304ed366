"""What may be pressed for all, the rest, or a squadron: a course, speeds, how it is formed and when it acts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from msgspec import structs

from rules.protocol import Group, Option
from rules.squadrons.desk.drafts import sheets, squadron_orders
from rules.squadrons.desk.drafts.answers import Entry, Pace
from rules.squadrons.desk.drafts.sheets import Desk, Paper
from rules.squadrons.desk.panels.ship_options import MOST, option
from rules.squadrons.desk.preview import best_attacks, track_preview
from rules.squadrons.table.notation import order_text, order_words
from rules.squadrons.table.notation.orders import Line, Move, Step
from rules.squadrons.table.phases.movement import moves
from rules.squadrons.table.sea.state import Position
from rules.view import Text

_ON: tuple[tuple[str, tuple[Step, ...]], ...] = (
    *((f"F{n}", (Move("F"),) * n) for n in (1, 2, 3, 4)),
    ("P", (Move("P"),)),
    ("S", (Move("S"),)),
)
"""What may follow a course."""


def fresh(paper: Paper) -> bool:
    """Whether nothing is chosen yet: what is offered then fits the screen of a phone below the picture."""
    return paper.focus == "all" and not (paper.sheet.entries or paper.sheet.paces or paper.stay)


def members(desk: Desk, paper: Paper) -> tuple[str, ...]:
    """The ships of the unit in hand; of the rest, those that nothing else names."""
    sheet = paper.sheet
    named = {ship for one in sheet.entries if one.target != "rest" for ship in desk.members(one.target, sheet.forms)}
    found = desk.members(paper.focus, sheet.forms)
    return tuple(name for name in found if paper.focus != "rest" or name not in named)


def groups(desk: Desk, paper: Paper, partners: Sequence[str]) -> Iterator[Group]:
    """All that the unit in hand may be ordered."""
    yield _courses(desk, paper)
    if not fresh(paper):
        yield _further(paper)
    if paper.focus.startswith("SQ"):
        yield _forms(desk, paper)
    yield _buttons(desk, paper, partners)


# --- a course ----------------------------------------------------------------------------------------------------


def _courses(desk: Desk, paper: Paper) -> Group:
    """One course for the whole unit in hand."""
    far = _farthest(desk, paper)
    bodies: list[tuple[str, str, Text]] = [("stay", "", Text("course.stay"))]
    bodies += [(f"F{n}", f"F{n}", Text("course.ahead", {"n": n})) for n in range(1, far + 1)]
    for n in range(1, far):
        sides = (("P", "port"), ("S", "starboard"))
        bodies += [(f"{code}{n}", f"{code} F{n}", Text(f"course.{side}", {"n": n})) for code, side in sides]
    bodies += [("TA", "TA", Text("course.about")), ("B1", "B", Text("course.astern"))]
    now = paper.entry(paper.focus)
    body = order_text.write_body(now.line) if now else None
    options = []
    for token, text, label in bodies[:MOST]:
        after = _ordered(desk, paper, order_text.read_body(paper.focus, text), follow=_follows(paper))
        options.append(option(after, f"course.{token}", label, chosen=body is not None and body == text))
    return Group(key="course", style="select", options=tuple(options))


def _further(paper: Paper) -> Group:
    """What the unit does after the course that it has."""
    now = paper.entry(paper.focus)
    options = []
    for token, more in _ON if now and now.line.steps else ():
        line = structs.replace(now.line, steps=(*now.line.steps, *more), mp=None) if now else Line(paper.focus)
        after = sheets.with_entry(paper, Entry(paper.focus, line, bool(now and now.follow)))
        options.append(option(after, f"more.{token}", Text("course.further", {"what": order_words.steps(more)})))
    return Group(key="further", style="select", options=tuple(options))


def _ordered(desk: Desk, paper: Paper, line: Line, *, follow: bool) -> Paper:
    """The draft with a course for the unit in hand.

    What is pressed for all counts for all, and what is pressed for a squadron for all of it: exceptions are gone.
    """
    target = paper.focus
    after = sheets.with_entry(paper, Entry(target, line, follow))
    if target == "rest":
        return after
    inside = set(desk.members(target, paper.sheet.forms))
    kept = tuple(
        one for one in after.sheet.entries if one.target == target or (target != "all" and one.target not in inside)
    )
    return structs.replace(after, sheet=structs.replace(after.sheet, entries=kept))


def _follows(paper: Paper) -> bool:
    """Whether the unit in hand follows its first ship: as ordered, or as lines astern do."""
    if now := paper.entry(paper.focus):
        return now.follow
    form = squadron_orders.form_of(paper, paper.focus)
    return form is not None and form.form == "astern"


def _farthest(desk: Desk, paper: Paper) -> int:
    """How many hexes all of the unit that can move have at their speeds."""
    position = track_preview.at_speeds(desk.position, {} if desk.fixed else sheets.speeds(desk, paper.sheet))
    ships = [position.ship(name) for name in members(desk, paper)]
    return min((moves.allowance(position, ship) for ship in ships if not position.immobile(ship)), default=1)


# --- how it is formed ---------------------------------------------------------------------------------------------


def _forms(desk: Desk, paper: Paper) -> Group:
    """How the squadron in hand is formed; nothing where it can be formed in one way alone."""
    found = [*squadron_orders.forms_of(desk, paper, paper.focus)]
    now = squadron_orders.form_of(paper, paper.focus)
    options = []
    for token, form in found if len(found) > 1 else ():
        label = Text("form.range")
        if form.form == "astern":
            label = Text("form.astern", {"ships": tuple(map(order_words.who, form.ships))})
        elif form.ships:
            label = Text("form.take", {"ship": form.ships[-1]})
        chosen = form == now or (token == "range" and now is None)  # noqa: S105 - names an option
        options.append(option(squadron_orders.with_form(paper, form), f"form.{token}", label, chosen=chosen))
    return Group(key="form", style="select", options=tuple(options[:MOST]))


# --- buttons -----------------------------------------------------------------------------------------------------


def _buttons(desk: Desk, paper: Paper, partners: Sequence[str]) -> Group:
    """Speed, when it acts, and whole sheets."""
    options = [] if fresh(paper) else [*speed_buttons(desk, paper)]
    options.append(charge(desk, paper))
    if paper.focus == "all":
        options += _whole(desk, paper)
        options += _doubles(desk, paper, partners) if desk.fixed else ()
    else:
        options += _of_squadron(desk, paper, partners)
        now = paper.entry(paper.focus)
        if now or any(pace.target == paper.focus for pace in paper.sheet.paces):
            options.append(option(_shorter(paper), "unit.back", Text("line.back")))
    return Group(key="orders", style="buttons", options=tuple(options))


def _whole(desk: Desk, paper: Paper) -> Iterator[Option]:
    if desk.last:
        again = sheets.again(desk, Paper(focus=paper.focus))
        yield option(again, "all.again", Text("all.again"), chosen=again.sheet == paper.sheet)
    stay = Paper(sheet=structs.replace(paper.sheet, entries=(), boards=()), stay=True, focus=paper.focus)
    yield option(stay, "all.stay", Text("all.stay"), chosen=paper.stay and not paper.sheet.entries)
    if desk.claimable:
        yield option(sheets.claiming(desk, paper), "all.claim", Text("all.claim"), chosen=paper.sheet.claim)


def _of_squadron(desk: Desk, paper: Paper, partners: Sequence[str]) -> Iterator[Option]:
    """Act earlier, act with the Admiral, follow the first ship."""
    unit = paper.focus
    if not desk.fixed and (sooner := squadron_orders.earlier(desk, paper, unit)):
        yield option(sooner, "unit.up", Text("line.up"))
    yield from _doubles(desk, paper, partners)
    now = paper.entry(unit)
    if unit.startswith("SQ") and now and now.line.steps and len(members(desk, paper)) > 1:
        after = sheets.with_entry(paper, structs.replace(now, follow=not now.follow))
        yield option(after, "unit.follow", Text("unit.follow"), chosen=now.follow)


def _doubles(desk: Desk, paper: Paper, partners: Sequence[str]) -> Iterator[Option]:
    """Act together with the Admiral's squadron: a switch at his, and at the other."""
    double = paper.sheet.double
    if paper.focus in partners:
        after = squadron_orders.together(paper, paper.focus)
        yield option(after, "unit.double", Text("unit.double"), chosen=double == paper.focus)
    elif paper.focus == squadron_orders.admirals(desk, paper.sheet) or desk.fixed:
        for name in partners:
            label = Text("unit.together", {"squadron": (order_words.who(name),)})
            yield option(squadron_orders.together(paper, name), f"unit.double.{name}", label, chosen=double == name)


def _shorter(paper: Paper) -> Paper:
    """The draft without the last step of the unit's course; then without the course."""
    now = paper.entry(paper.focus)
    if now and len(now.line.steps) > 1:
        line = structs.replace(now.line, steps=now.line.steps[:-1], mp=None)
        return sheets.with_entry(paper, structs.replace(now, line=line))
    return sheets.without(paper, paper.focus)


def speed_buttons(desk: Desk, paper: Paper) -> Iterator[Option]:
    """Cruise or full speed, of the unit or ship in hand."""
    if desk.fixed:
        return
    now = sheets.speeds(desk, paper.sheet)
    ships = members(desk, paper)
    for speed, key in (("C", "cruise"), ("M", "max")):
        chosen = bool(ships) and all(now.get(name) == speed for name in ships)
        after = paper
        for target in ships if paper.focus == "rest" else (paper.focus,):
            after = sheets.with_pace(after, Pace(target, "M" if speed == "M" else "C"))
        yield option(after, f"speed.{speed}", Text(f"speed.{key}"), chosen=chosen)


@lru_cache(maxsize=64)
def _charging(
    position: Position, ships: tuple[str, ...], places: tuple[int, ...], *, fixed: bool
) -> tuple[best_attacks.Doing, ...]:
    """What each of them would do; it hangs on no orders, so that it is found once a turn and not at every press."""
    return tuple(best_attacks.each(position, ships, "00", fixed=fixed, places=dict(zip(ships, places, strict=True))))


def charge(desk: Desk, paper: Paper) -> Option:
    """The unit at the nearest enemies: each ship's best attack, or nearer."""
    after, ships = paper, members(desk, paper)
    units = squadron_orders.sequence(desk, paper.sheet)
    when = {name: at for at, unit in enumerate(units) for name in desk.members(unit, paper.sheet.forms)}
    places = tuple(when.get(name, len(units)) for name in ships)
    for doing in _charging(desk.position, ships, places, fixed=bool(desk.fixed)):
        if not desk.fixed:
            after = sheets.with_pace(after, Pace(doing.line.ship, doing.speed))
        after = sheets.with_entry(after, Entry(doing.line.ship, doing.line))
    after = structs.replace(after, stay=True)
    return option(after, "all.charge", _charge_label(paper.focus))


def _charge_label(focus: str) -> Text:
    """For whom the button orders."""
    if focus == "all":
        return Text("all.charge")
    if focus == "rest":
        return Text("rest.charge")
    return Text("unit.charge", {"who": (order_words.who(focus),)})
