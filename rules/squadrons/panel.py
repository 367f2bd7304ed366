"""What may be pressed while a sheet is written: for all, a squadron or a ship in hand; next steps, and odds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from msgspec import structs

from rules.protocol import Choices, Field, Form, Group, Option
from rules.protocol import Entry as FormEntry
from rules.squadrons import (
    activation,
    boarding,
    doctrine,
    grappling,
    grid,
    mate,
    missiles,
    moves,
    notation,
    plans,
    seen,
    sheets,
    tracks,
)
from rules.squadrons.answers import Entry, Pace
from rules.squadrons.events import barred
from rules.squadrons.orders import VALUES, Board, Cut, Fire, Line, Move, Share, Shot, Step
from rules.squadrons.seen import Laid
from rules.squadrons.sheets import Desk, Paper
from rules.squadrons.state import Position, Ship
from rules.view import Text

_MOST: Final = 25
"""Lines of a select."""
_STEPS: Final = ("P", "S", "B", "Bp", "Bs", "tp", "ts", "wp", "ws", "TA", "exit")
"""Moves that are offered one at a time; `F` is offered by several."""
_DOCTRINES: Final = ("avoid", "fire", "board", "retract", "order")
"""Keys that one form shows: as many lists as it may have."""


def choices(desk: Desk, paper: Paper) -> Choices:
    """Show what may be pressed next, the draft in words, and what is missing."""
    laid = seen.laid(desk, paper)
    groups = [_units(desk, paper)]
    if laid.current:
        groups += [group for group in _of_ship(desk, paper, laid) if group.options]
    else:
        groups.append(_courses(desk, paper))
        groups.append(_unit_buttons(desk, paper))
    ordered = {line.ship for line in laid.lines}
    return Choices(
        groups=tuple(groups),
        forms=(_doctrine_form(desk, paper), *(() if _fresh(paper) else _squadron_form(desk, paper))),
        lines=tuple(lines_of(paper, laid)),
        missing=() if paper.complete else (Text("missing.orders"),),
        progress=Text("progress.orders", {"ordered": len(ordered), "ships": len(desk.mine)}),
    )


def _fresh(paper: Paper) -> bool:
    """Whether nothing is chosen yet: what is offered then fits the screen of a phone below the picture."""
    return paper.focus == "all" and not (paper.sheet.entries or paper.sheet.paces or paper.stay)


def option(after: Paper, token: str, label: Text, *, chosen: bool = False) -> Option:
    """One thing to press, by the draft after it."""
    text, focus = sheets.write(after)
    return Option(token=token, label=label, draft=text, focus=focus, chosen=chosen)


def warnings(desk: Desk, paper: Paper) -> tuple[Text, ...]:
    """Lines that would stop as things stand, all at once."""
    found = [
        Text("warn.stopped", {"ship": track.ship, "step": track.step, "why": barred(track.rule)})
        for track in seen.laid(desk, paper).tracks
        if track.rule
    ]
    return tuple(found)


def lines_of(paper: Paper, laid: Laid) -> Iterator[Text]:
    """The draft in words: speeds, lines, boarding, then what it changes of what stands."""
    sheet = paper.sheet
    for speed, key in (("M", "max"), ("C", "cruise")):
        if targets := [pace.target for pace in sheet.paces if pace.speed == speed]:
            yield Text(f"line.pace.{key}", {"target": ", ".join(targets)})
    for entry in sheet.entries:
        yield Text("line.entry", {"orders": sheets.write_entry(entry)})
    for board in sheet.boards:
        yield Text("line.entry", {"orders": notation.write_board(board)})
    if paper.stay and not sheet.entries:
        yield Text("line.stay")
    if sheet.sequence:
        yield Text("line.sequence", {"squadrons": " → ".join(sheet.sequence)})
    if sheet.double:
        yield Text("line.double", {"squadron": sheet.double})
    for form in sheet.forms:
        yield Text("line.entry", {"orders": " ".join((form.leader, form.form, *form.ships))})
    for line in sheet.doctrines:
        yield Text("line.entry", {"orders": doctrine.write_doctrine(line)})
    for track in laid.tracks:
        if track.ship == laid.current:
            yield Text("line.ends", {"ship": track.ship, "to": track.places[-1]})


# --- whom it concerns ---------------------------------------------------------------------------------------------


def _units(desk: Desk, paper: Paper) -> Group:
    """All, the squadrons with a leader, then the ships."""
    options = [_unit(desk, paper, "all", Text("unit.all", {"ships": len(desk.mine)}))]
    for squadron in desk.squadrons(paper.sheet.forms):
        name = f"SQ{squadron.number}"
        members = desk.members(name, paper.sheet.forms) if squadron.number else ()
        if members:
            flagship = squadron.flagship
            options.append(
                _unit(
                    desk,
                    paper,
                    name,
                    Text("unit.squadron", {"squadron": name, "ship": flagship, "ships": len(members)}),
                )
            )
    for ship in desk.mine:
        entry = paper.entry(ship.id)
        orders = notation.write_body(entry.line) if entry else ""
        key = "unit.ship_ordered" if orders else "unit.ship_free"
        label = Text(key, {"ship": ship.id, "kind": ship.code, "orders": _short(orders, 18)})
        options.append(_unit(desk, paper, ship.id, label))
    return Group(key="unit", style="select", options=tuple(options))


def _short(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def _unit(desk: Desk, paper: Paper, target: str, label: Text) -> Option:
    del desk
    return option(structs.replace(paper, focus=target), f"unit.{target}", label, chosen=target == paper.focus)


# --- all, or a squadron -------------------------------------------------------------------------------------------


def _courses(desk: Desk, paper: Paper) -> Group:
    """One course for the whole unit in hand."""
    target = paper.focus
    far = _farthest(desk, paper)
    bodies: list[tuple[str, str, Text]] = [("stay", "", Text("course.stay"))]
    bodies += [(f"F{n}", f"F{n}", Text("course.ahead", {"n": n})) for n in range(1, far + 1)]
    for n in range(1, far):
        sides = (("P", "port"), ("S", "starboard"))
        bodies += [(f"{code}{n}", f"{code} F{n}", Text(f"course.{side}", {"n": n})) for code, side in sides]
    bodies += [("TA", "TA", Text("course.about")), ("B1", "B", Text("course.astern"))]
    now = paper.entry(target)
    body = notation.write_body(now.line) if now else None
    options = []
    for token, text, label in bodies[:_MOST]:
        after = sheets.with_entry(paper, Entry(target, notation.read_body(target, text)))
        after = _without_exceptions(desk, after, target)
        options.append(option(after, f"course.{token}", label, chosen=body is not None and body == text))
    return Group(key="course", style="select", options=tuple(options))


def _without_exceptions(desk: Desk, paper: Paper, target: str) -> Paper:
    """What is pressed for all counts for all: exceptions of squadrons and ships in it are gone."""
    members = set(desk.members(target, paper.sheet.forms))
    gone = [
        entry.target
        for entry in paper.sheet.entries
        if entry.target != target and (target == "all" or entry.target in members)
    ]
    for name in gone:
        entries = tuple(one for one in paper.sheet.entries if one.target != name)
        paper = structs.replace(paper, sheet=structs.replace(paper.sheet, entries=entries))
    return paper


def _farthest(desk: Desk, paper: Paper) -> int:
    """How many hexes all of the unit that can move have at their speeds."""
    position = tracks.at_speeds(desk.position, {} if desk.fixed else sheets.speeds(desk, paper.sheet))
    members = [position.ship(name) for name in desk.members(paper.focus, paper.sheet.forms)]
    points = [moves.allowance(position, ship) for ship in members if not position.immobile(ship)]
    return min(points, default=1)


def _unit_buttons(desk: Desk, paper: Paper) -> Group:
    """Speed, and whole sheets."""
    options = [] if _fresh(paper) else [*_speed_buttons(desk, paper)]
    if paper.focus == "all":
        options.append(_charge(desk, paper))
        if desk.last:
            again = sheets.again(desk, Paper(focus=paper.focus))
            options.append(option(again, "all.again", Text("all.again"), chosen=again.sheet == paper.sheet))
        stay = Paper(sheet=structs.replace(paper.sheet, entries=(), boards=()), stay=True, focus=paper.focus)
        options.append(option(stay, "all.stay", Text("all.stay"), chosen=paper.stay and not paper.sheet.entries))
    else:
        options.append(_charge(desk, paper))
        gone = sheets.without(paper, paper.focus)
        options.append(option(gone, "unit.back", Text("line.back")))
    return Group(key="orders", style="buttons", options=tuple(options))


def _speed_buttons(desk: Desk, paper: Paper) -> Iterator[Option]:
    if desk.fixed:
        return
    target = paper.focus
    now = sheets.speeds(desk, paper.sheet)
    members = desk.members(target, paper.sheet.forms)
    for speed, key in (("C", "cruise"), ("M", "max")):
        pace = Pace(target, "M" if speed == "M" else "C")
        chosen = bool(members) and all(now.get(name) == speed for name in members)
        after = sheets.with_pace(paper, pace)
        yield option(after, f"speed.{speed}", Text(f"speed.{key}"), chosen=chosen)


@lru_cache(maxsize=64)
def _charging(position: Position, members: tuple[str, ...], *, fixed: bool) -> tuple[mate.Doing, ...]:
    """What each of them would do; it hangs on no draft, so that it is found once a turn and not at every press."""
    return tuple(mate.each(position, members, "00", fixed=fixed))


def _charge(desk: Desk, paper: Paper) -> Option:
    """The unit at the nearest enemies: each ship's best attack, or nearer."""
    members = desk.members(paper.focus, paper.sheet.forms)
    after = paper
    for doing in _charging(desk.position, members, fixed=bool(desk.fixed)):
        if not desk.fixed:
            after = sheets.with_pace(after, Pace(doing.line.ship, doing.speed))
        after = sheets.with_entry(after, Entry(doing.line.ship, doing.line))
    after = structs.replace(after, stay=True)
    return option(after, "all.charge", Text("all.charge"))


# --- one ship -----------------------------------------------------------------------------------------------------


def _of_ship(desk: Desk, paper: Paper, laid: Laid) -> Iterator[Group]:
    name = laid.current or ""
    line = next((line for line in laid.lines if line.ship == name), Line(name))
    yield _attacks(desk, paper, laid, line)
    yield _steps(desk, paper, laid, line)
    buttons = [*_speed_buttons(desk, paper)]
    shorter = _shorter(paper, line)
    buttons.append(option(shorter, "line.back", Text("line.back")))
    buttons.append(_charge(desk, paper))
    yield Group(key="orders", style="buttons", options=tuple(buttons))


def _shorter(paper: Paper, line: Line) -> Paper:
    """The draft without the last step of the ship in hand."""
    if line.alternative is not None:
        rest = line.alternative[:-1]
        return sheets.with_entry(paper, Entry(line.ship, structs.replace(line, alternative=rest or None)))
    if len(line.steps) > 1:
        return sheets.with_entry(paper, Entry(line.ship, structs.replace(line, steps=line.steps[:-1])))
    return sheets.without(paper, line.ship)


def _steps(desk: Desk, paper: Paper, laid: Laid, line: Line) -> Group:
    """What she may row next, each with where it takes her."""
    options = []
    offered = {step.step: step for step in laid.steps if not step.rule}
    if ahead := offered.get("F"):
        options.append(_step(paper, line, (Move("F"),), Text("step.F", {"to": ahead.to or ""}), "F1"))
        far = range(2, _points_left(desk, paper, line) + 1)
        options += [_step(paper, line, (Move("F"),) * n, Text("step.Fn", {"n": n}), f"F{n}") for n in far]
    for code in _STEPS:
        if step := offered.get(code):
            options.append(_step(paper, line, (Move(code),), Text(f"step.{code}", {"to": step.to or ""}), code))
    return Group(key="step", style="select", options=tuple(options[:_MOST]))


def _points_left(desk: Desk, paper: Paper, line: Line) -> int:
    """The movement points that a line leaves a galley, at the speed of the draft."""
    speeds = {} if desk.fixed else sheets.speeds(desk, paper.sheet)
    position = tracks.at_speeds(desk.position, speeds)
    ship = position.ship(line.ship)
    return moves.allowance(position, ship) - activation.price(position, ship, line)


def _step(paper: Paper, line: Line, steps: Sequence[Step], label: Text, token: str) -> Option:
    after = _added(line, steps)
    return option(sheets.with_entry(paper, Entry(line.ship, after)), f"step.{token}", label)


def _added(line: Line, steps: Sequence[Step]) -> Line:
    """More at the end of a line: after an attack that ends her movement, or an alternative, it is for `else`."""
    ended = any(type(step).__name__ in ("Ram", "Anastrophe", "Grapple") for step in line.steps)
    moving = all(isinstance(step, Move) for step in steps)
    if line.alternative is not None or (ended and moving):
        return structs.replace(line, alternative=(*(line.alternative or ()), *steps), mp=None)
    return structs.replace(line, steps=(*line.steps, *steps), mp=None)


def _attacks(desk: Desk, paper: Paper, laid: Laid, line: Line) -> Group:
    """All that she can do to enemies, the likeliest first: by the way there, or from where her line ends."""
    name = line.ship
    position = desk.position
    ship = position.ship(name)
    options: list[Option] = []
    speeds = (ship.speed,) if desk.fixed else (("C", "M") if plans.may_row_hard(position, ship) else ("C",))
    found = [plan for speed in speeds for plan in plans.attacks(position, name, speed)]
    for plan in sorted(found, key=lambda one: -one.odds.chance)[:16]:
        after = sheets.with_entry(paper, Entry(name, plan.line))
        if not desk.fixed:
            after = sheets.with_pace(after, Pace(name, plan.speed))
        way = notation.write_steps(plan.steps[:-1])
        label = Text(
            f"attack.{plan.attack}",
            {
                "to": plan.target,
                "need": plan.odds.bare,
                "chance": plan.odds.chance,
                "way": _short(f"{way}{' M' * (plan.speed == 'M')}".strip(), 12),
            },
        )
        token = f"do.{plan.attack}.{plan.target}.{plan.speed}"
        options.append(option(after, token, label, chosen=plan.steps == line.steps))
    options += _near_by(desk, paper, laid, line)
    return Group(key="attack", style="select", options=tuple(options[:_MOST]))


def _near_by(desk: Desk, paper: Paper, laid: Laid, line: Line) -> Iterator[Option]:
    """Shots from where she ends, cutting loose, boarding."""
    position, name = desk.position, line.ship
    ship = position.ship(name)
    held = position.grappled_to(name)
    for other in held:
        if position.ship(other).side != ship.side:
            odds = grappling.cut_odds(position, name, other, single=True)
            cut = structs.replace(line, steps=(Cut((other,)), *(s for s in line.steps if not isinstance(s, Cut))))
            label = Text("attack.cut", {"to": other, "need": odds.bare, "chance": odds.chance})
            yield option(sheets.with_entry(paper, Entry(name, cut)), f"do.cut.{other}", label)
            if ship.m and (chance := boarding.odds(position, {name: ship.m}, other)).need:
                after = sheets.with_board(paper, Board(other, (Share(name),)))
                label = Text("attack.board", {"to": other, "need": chance.bare, "chance": chance.chance})
                yield option(after, f"do.board.{other}", label)
    there = _there(position, laid, ship)
    lying = plans.with_ship(position, there)
    for enemy in plans.enemies(lying, there)[:8]:
        if missiles.shot_barred(lying, there, enemy.id):
            continue
        odds = missiles.odds(lying, name, enemy.id, ship.m)
        shot = Fire((Shot(enemy.id),))
        kept = tuple(step for step in line.steps if not isinstance(step, Fire))
        after = sheets.with_entry(paper, Entry(name, structs.replace(line, steps=(*kept, shot))))
        label = Text("attack.fire", {"to": enemy.id, "need": odds.bare, "chance": odds.chance})
        yield option(after, f"do.fire.{enemy.id}", label, chosen=shot in line.steps)


def _there(position: Position, laid: Laid, ship: Ship) -> Ship:
    """The ship in hand where her line ends."""
    track = next((track for track in laid.tracks if track.ship == ship.id), None)
    if track is None or track.rule:
        return position.ship(ship.id)
    place = grid.read_place(track.places[-1])
    return structs.replace(ship, bow=place.bow, facing=place.facing)


# --- forms --------------------------------------------------------------------------------------------------------


def _doctrine_form(desk: Desk, paper: Paper) -> Form:
    """How all ships defend themselves: five lists at once."""
    stand = (*desk.doctrines, *paper.sheet.doctrines)
    fields = []
    for key in _DOCTRINES:
        now = doctrine.stands(stand, desk.side, key)
        entries = tuple(
            FormEntry(
                token=f"{key}.{number}",
                label=Text(f"doctrine.{key}.{'both' if '+' in value else value}"),
                text=f"{key}={value}",
                chosen=value == now,
            )
            for number, value in enumerate(VALUES[key])
        )
        fields.append(Field(label=Text(f"doctrine.{key}"), entries=entries))
    return Form(
        token="doctrine",  # noqa: S106 - names a form
        label=Text("form.doctrine"),
        fields=tuple(fields),
        before="doctrine all: ",
        between=" ",
        focus=paper.focus,
    )


def _squadron_form(desk: Desk, paper: Paper) -> Iterator[Form]:
    """One squadron's order in five lists: who, how fast, a turn, how far, a turn at the end."""
    formed = [one for one in desk.squadrons(paper.sheet.forms) if one.number]
    names = ["all", *(f"SQ{one.number}" for one in formed if desk.members(f"SQ{one.number}", paper.sheet.forms))]
    who = tuple(
        FormEntry(
            token=name,
            label=_named(name),
            text=f"{name}:",
            chosen=name == (paper.focus if paper.focus in names else "all"),
        )
        for name in names[:_MOST]
    )
    speeds = (("", "as_is"), *(() if desk.fixed else (("C", "cruise"), ("M", "max"))))
    fields = [
        Field(label=Text("form.who"), entries=who),
        Field(
            label=Text("form.speed"),
            entries=_list("speed", [(text, Text(f"form.speed.{key}")) for text, key in speeds]),
        ),
        Field(label=Text("form.turn"), entries=_list("turn", _turns())),
        Field(
            label=Text("form.far"),
            entries=_list(
                "far", [("", Text("form.far.none")), *((f"F{n}", Text("course.ahead", {"n": n})) for n in range(1, 9))]
            ),
        ),
        Field(label=Text("form.then"), entries=_list("then", _turns())),
    ]
    yield Form(
        token="squadron",  # noqa: S106 - names a form
        label=Text("form.squadron"),
        fields=tuple(fields),
        between=" ",
        focus=paper.focus,
    )


def _turns() -> list[tuple[str, Text]]:
    return [
        ("", Text("form.turn.none")),
        ("P", Text("form.turn.P")),
        ("S", Text("form.turn.S")),
        ("P2", Text("form.turn.P2")),
        ("S2", Text("form.turn.S2")),
    ]


def _list(name: str, entries: Sequence[tuple[str, Text]]) -> tuple[FormEntry, ...]:
    return tuple(
        FormEntry(token=f"{name}.{number}", label=label, text=text, chosen=number == 0)
        for number, (text, label) in enumerate(entries)
    )


def _named(target: str) -> Text:
    return Text("form.all") if target == "all" else Text("form.of", {"squadron": target})
