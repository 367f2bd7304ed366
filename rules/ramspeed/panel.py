"""What may be pressed while a sheet is written (part 8.4): ships, what each may do, the order of lines, doctrine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import structs

from rules.errors import Fault
from rules.protocol import STANDING, Choices, Group, Option
from rules.ramspeed import asking, doctrine, notation, offers, seen, sheets
from rules.ramspeed.offers import Sight, option
from rules.ramspeed.orders import (
    Alternative,
    DoctrineLine,
    Doctrines,
    Face,
    Fwd,
    Line,
    Ram,
    Sheet,
    Stay,
    Steer,
)
from rules.ramspeed.sheets import Desk, Paper
from rules.ramspeed.state import Ship
from rules.ramspeed.view import PlannedLine
from rules.view import Text

_ALTERNATIVES_MOST: Final = 6
"""Of a line that is pressed; more can be typed."""


def choices(desk: Desk, paper: Paper) -> Choices:
    """Show what may be pressed next, the draft in words, and what is missing."""
    groups = [_ships(desk, paper)] if len(desk.ships) > 1 else []
    if paper.focus:
        sight = Sight(desk, paper)
        groups += [group for group in offers.groups(sight) if group.options]
        groups.append(_line_buttons(sight))
    groups += [_fleet(desk, paper), doctrines(desk, paper)]
    laid = seen.laid(desk, paper)
    ordered = len(paper.lines)
    return Choices(
        groups=tuple(groups),
        lines=(*_lines(desk, paper), *_details(laid.lines, paper)),
        missing=() if paper.complete else (Text("missing.orders"),),
        progress=Text("progress.orders", {"ordered": ordered, "ships": len(desk.ships)}),
    )


def of_one(desk: Desk, paper: Paper) -> list[Group]:
    """The ships, and what the one in hand may do."""
    groups = [_ships(desk, paper)] if len(desk.ships) > 1 else []
    sight = Sight(desk, paper)
    return [*groups, *(group for group in offers.groups(sight) if group.options), _line_buttons(sight)]


def lines_of(desk: Desk, paper: Paper) -> Iterator[Text]:
    """The line of the ship in hand in words, and what it comes to."""
    yield from _lines(desk, paper)
    yield from _details(seen.laid(desk, paper).lines, paper)


# --- ships and lines ---------------------------------------------------------------------------------------------


def _ships(desk: Desk, paper: Paper) -> Group:
    options = []
    for ship in desk.ships:
        line = paper.line(ship.id)
        orders = " or ".join(map(notation.write_alternative, line.alternatives)) if line else ""
        key = "choice.ship" if orders else "choice.ship.none"
        label = Text(key, {"ship": ship.id, "kind": ship.code, "orders": orders[:60]})
        looked = structs.replace(paper, focus=ship.id, adding=False)
        options.append(option(looked, f"ship.{ship.id}", label, chosen=ship.id == paper.focus))
    return Group(key="ship", style="select", options=tuple(options))


def _line_buttons(sight: Sight) -> Group:
    """Change the line of the ship in hand, or its place."""
    paper, name = sight.paper, sight.paper.focus
    none = Fault(kind="illegal", code="no_line_yet", piece=name, params={"ship": name}) if not sight.line else None
    at = next((at for at, line in enumerate(paper.lines) if line.ship == name), -1)
    ends = sight.alternatives and ends_chain(sight.alternatives[-1])
    full = len(sight.alternatives) >= _ALTERNATIVES_MOST
    closed = Fault(kind="illegal", code="chain_ended", piece=name, params={"ship": name}) if ends or full else None
    first = Fault(kind="illegal", code="first_already", piece=name, params={"ship": name}) if at == 0 else None
    last = len(paper.lines) - 1
    below = Fault(kind="illegal", code="last_already", piece=name, params={"ship": name}) if at == last else None
    adding = structs.replace(paper, adding=not paper.adding)
    shorter = sight.alternatives[:-1]
    back = sheets.changed(paper, shorter) if shorter else sheets.without(paper, name)
    options = [
        option(adding, "line.or", Text("choice.or"), chosen=paper.adding, fault=none or closed),
        option(back, "line.back", Text("choice.undo_line"), fault=none),
    ]
    if len(sight.desk.ships) > 1:
        up, down = (sheets.moved(paper, name, by) if sight.line else paper for by in (-1, 1))
        options.append(option(up, "line.up", Text("choice.up"), fault=none or first))
        options.append(option(down, "line.down", Text("choice.down"), fault=none or below))
    return Group(key="line", style="buttons", options=tuple(options))


def ends_chain(alternative: Alternative) -> bool:
    """Whether an alternative is always legal, so that none after it would be tried (RS-21.2)."""
    maybe = alternative.attack or alternative.transfer
    return not maybe and not any(isinstance(step, Steer | Face) for step in alternative.steps)


# --- the whole fleet, and what stands ----------------------------------------------------------------------------


def _fleet(desk: Desk, paper: Paper) -> Group:
    """Orders for all at once."""
    ahead = tuple(Line(ship.id, (Alternative((Fwd(),)),)) for ship in desk.ships)
    close = tuple(_closing(desk, ship) for ship in desk.ships if ship.crew)
    options = [
        _whole(paper, "all.close", close),
        _whole(paper, "all.ahead", ahead),
        option(structs.replace(paper, lines=(), stay=True, adding=False), "all.stay", Text("choice.all.stay")),
    ]
    if again := sheets.again(desk):
        options.append(_whole(paper, "all.again", again))
    stored = desk.standing if paper.standing is None else paper.standing
    if stored and stored.lines and (usable := sheets.still(desk, stored)):
        options.append(_whole(paper, "all.standing", usable))
    if paper.lines and stored != Sheet(paper.lines):
        kept = structs.replace(paper, standing=Sheet(paper.lines))
        options.append(option(kept, "all.keep", Text("choice.all.keep")))
    if stored and stored.lines:
        gone = structs.replace(paper, standing=Sheet() if desk.standing else None)
        options.append(option(gone, "all.forget", Text("choice.all.forget")))
    return Group(key="all", style="buttons", options=tuple(options))


def _closing(desk: Desk, ship: Ship) -> Line:
    """At the nearest enemy: ram him if that is possible when she acts, else nearer."""
    side = desk.position.side_of(ship)
    enemies = [one for one in desk.position.ships if one.afloat and desk.position.side_of(one) != side]
    if not enemies:
        return Line(ship.id, (Alternative((Stay(),)),))
    goal = min(enemies, key=lambda one: ((one.x - ship.x) ** 2 + (one.y - ship.y) ** 2, one.id)).id
    return Line(ship.id, (Alternative((Ram(goal),)), Alternative((Steer(goal, ship.kind.fwd),))))


def _whole(paper: Paper, token: str, lines: Sequence[Line]) -> Option:
    after = structs.replace(paper, lines=sheets.placed((), lines), stay=not lines, adding=False)
    return option(after, token, Text(f"choice.{token}"), chosen=bool(lines) and paper.lines == tuple(lines))


def doctrines(desk: Desk, paper: Paper) -> Group:
    """How all ships defend themselves; a single ship's doctrine is typed."""
    stands = Doctrines((*desk.doctrines, *paper.doctrines)).of("")
    options = []
    for key in doctrine.KEYS:
        for value in offered(key):
            line = doctrine.read_doctrine(f"all: {key}={value}", desk.position)
            merged = doctrine.merged((*paper.doctrines, line)).lines
            options.append(
                option(
                    structs.replace(paper, doctrines=merged),
                    f"doctrine.{key}.{value}",
                    asking.label(key, value),
                    chosen=str(getattr(stands, key)) == value,
                )
            )
    return Group(key=STANDING, style="select", options=tuple(options))


def offered(key: str) -> tuple[str, ...]:
    """What may be pressed for a key of a doctrine."""
    return asking.OFFERED.get(key, doctrine.LEGAL[key])


def _lines(desk: Desk, paper: Paper) -> Iterator[Text]:
    """The draft, a line a ship; then what it changes of what stands."""
    for number, line in enumerate(paper.lines, 1):
        orders = " or ".join(map(notation.write_alternative, line.alternatives))
        yield Text("line.orders", {"number": number, "ship": line.ship, "orders": orders})
    idle = [ship.id for ship in desk.ships if paper.line(ship.id) is None and ship.crew]
    if paper.complete and idle:
        yield Text("line.idle", {"ships": ", ".join(idle)})
    yield from changes(paper.doctrines, paper.standing)


def changes(doctrine_lines: Sequence[DoctrineLine], standing: Sheet | None) -> Iterator[Text]:
    """Put changes of what stands into words."""
    for line in doctrine_lines:
        yield Text("line.doctrine", {"doctrine": doctrine.write_doctrine(line)})
    if standing is not None:
        written = " / ".join(map(notation.write_line, standing.lines))
        yield Text("line.standing" if written else "line.standing.none", {"orders": written})


def _details(lines: Sequence[PlannedLine], paper: Paper) -> Iterator[Text]:
    """What the line of the ship in hand comes to as things stand."""
    for line in lines:
        if line.ship == paper.focus:
            for number, way in enumerate(line.ways, 1):
                yield seen.told(line.ship, line.number, way, first=number == 1)
