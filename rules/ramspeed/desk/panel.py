"""What may be pressed while a sheet is written (part 8.4): the fleet, a ship in hand, the order of lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import structs

from rules.protocol import Choices, Group, Option
from rules.ramspeed.desk import forms, make_view, offers, order_drafts
from rules.ramspeed.desk.offers import Sight, option
from rules.ramspeed.desk.order_drafts import Desk, Paper
from rules.ramspeed.desk.view import PlannedLine
from rules.ramspeed.table.notation import order_words
from rules.ramspeed.table.orders import Alternative, DoctrineLine, Face, Fwd, Line, Sheet, Stay, Steer
from rules.view import Text

_STAY: Final = Alternative((Stay(),))
_ALTERNATIVES_MOST: Final = 6
"""Of a line that is pressed; more can be typed."""


def choices(desk: Desk, paper: Paper) -> Choices:
    """Show what may be pressed next, the draft in words, and what is missing: of the fleet, or of the ship in hand."""
    groups = of_one(desk, paper) if paper.focus else [_ships(desk, paper)]
    if not paper.focus or len(desk.ships) == 1:
        groups.append(_fleet(desk, paper))
    ordered = len(paper.lines)
    return Choices(
        groups=tuple(group for group in groups if group.options),
        forms=forms.of_sheet(desk, paper),
        lines=(*lines_of(desk, paper), *in_the_way(desk, paper), *changes(paper.doctrines, paper.standing)),
        missing=() if order_drafts.complete(desk, paper) else (Text("missing.orders"),),
        progress=Text("progress.orders", {"ordered": ordered, "ships": len(desk.ships)}),
    )


def of_one(desk: Desk, paper: Paper, *, at_once: bool = False) -> list[Group]:
    """The ships, and what the one in hand may do; `at_once`: it is carried out as soon as it is chosen."""
    groups = [_ships(desk, paper, fleet=not at_once)] if len(desk.ships) > 1 else []
    sight = Sight(desk, paper, at_once=at_once)
    groups += [*offers.groups(sight), _line_buttons(sight)]
    return [group for group in groups if group.options]


# --- ships and lines ---------------------------------------------------------------------------------------------


def in_the_way(desk: Desk, paper: Paper) -> Iterator[Text]:
    """What bars the ship in hand from going ahead, said once: her lists leave out what leads nowhere."""
    if paper.focus and (barred := offers.ahead_barred(Sight(desk, paper))):
        yield barred


def _ships(desk: Desk, paper: Paper, *, fleet: bool = True) -> Group:
    options = []
    if fleet and paper.focus:
        options.append(option(structs.replace(paper, focus="", adding=False), "ships.all", Text("choice.fleet")))
    for ship in desk.ships:
        line = paper.line(ship.id)
        label = order_words.brief("choice.ship", line, ship=ship.id, kind=ship.code)
        looked = structs.replace(paper, focus=ship.id, adding=False)
        options.append(option(looked, f"ship.{ship.id}", label, chosen=ship.id == paper.focus))
    return Group(key="ship", style="select", options=tuple(options))


def _line_buttons(sight: Sight) -> Group:
    """Change the line of the ship in hand, or its place, as far as that can be done now; or go on to the next ship."""
    paper, name = sight.paper, sight.paper.focus
    options = []
    if sight.line:
        open_end = not ends_chain(sight.alternatives[-1]) and len(sight.alternatives) < _ALTERNATIVES_MOST
        if open_end or paper.adding:
            adding = structs.replace(paper, adding=not paper.adding)
            options.append(option(adding, "line.or", Text("choice.or"), chosen=paper.adding))
        shorter = sight.alternatives[:-1]
        back = order_drafts.changed(paper, shorter) if shorter else order_drafts.without(paper, name)
        options.append(option(back, "line.back", Text("choice.undo_line")))
        # Earlier is enough for any order, and one button fewer leaves a phone a row.
        at = next(at for at, line in enumerate(paper.lines) if line.ship == name)
        if at:
            options.append(option(order_drafts.moved(paper, name, -1), "line.up", Text("choice.up")))
    if not sight.at_once and (idle := _next(sight)):
        looked = structs.replace(paper, focus=idle, adding=False)
        options.append(option(looked, "line.next", Text("choice.next", {"ship": idle})))
    return Group(key="line", style="buttons", options=tuple(options))


def _next(sight: Sight) -> str:
    """The next ship that has no line yet, but could use one; empty: there is none."""
    names = [ship.id for ship in sight.desk.ships]
    at = names.index(sight.paper.focus)
    idle = {ship.id for ship in sight.desk.ships if ship.crew and sight.paper.line(ship.id) is None}
    return next((name for name in (*names[at + 1 :], *names[:at]) if name in idle), "")


def ends_chain(alternative: Alternative) -> bool:
    """Whether an alternative is always legal, so that none after it would be tried (RS-21.2)."""
    maybe = alternative.attack or alternative.transfer
    return not maybe and not any(isinstance(step, Steer | Face) for step in alternative.steps)


# --- the whole fleet, and what stands ----------------------------------------------------------------------------


def _fleet(desk: Desk, paper: Paper) -> Group:
    """Orders for all at once; for the only ship those that her own lists do not have."""
    ahead = tuple(Line(ship.id, (Alternative((Fwd(),)),)) for ship in desk.ships)
    close = tuple(offers.closing(desk.position, ship) for ship in desk.ships if ship.crew)
    stay = structs.replace(paper, lines=(), stay=True, adding=False)
    several = len(desk.ships) > 1
    options = [_whole(paper, "all.close", close), _whole(paper, "all.ahead", ahead)] if several else []
    if not several and any(line.alternatives != (_STAY,) for line in close):
        options.append(structs.replace(_whole(paper, "all.close", close), label=Text("choice.all.close.one")))
    label = Text("choice.all.stay" if several else "choice.stay")
    options.append(option(stay, "all.stay", label, chosen=paper.stay and not paper.lines))
    if again := order_drafts.again(desk):
        options.append(_whole(paper, "all.again", again))
    stored = desk.standing if paper.standing is None else paper.standing
    if stored and stored.lines and (usable := order_drafts.still(desk, stored)):
        options.append(_whole(paper, "all.standing", usable))
    # In its first turn, which is all of a lesson, nobody has been late yet: what stands in can be typed.
    if desk.position.turn > 1 and paper.lines and stored != Sheet(paper.lines):
        kept = structs.replace(paper, standing=Sheet(paper.lines))
        options.append(option(kept, "all.keep", Text("choice.all.keep")))
    if stored and stored.lines:
        gone = structs.replace(paper, standing=Sheet() if desk.standing else None)
        options.append(option(gone, "all.forget", Text("choice.all.forget")))
    return Group(key="all", style="buttons", options=tuple(options))


def _whole(paper: Paper, token: str, lines: Sequence[Line]) -> Option:
    after = structs.replace(paper, lines=order_drafts.placed((), lines), stay=not lines, adding=False)
    return option(after, token, Text(f"choice.{token}"), chosen=bool(lines) and paper.lines == tuple(lines))


# --- in words ----------------------------------------------------------------------------------------------------


def lines_of(desk: Desk, paper: Paper) -> Iterator[Text]:
    """The draft, and who stays."""
    yield from ordered(desk, paper)
    idle = [ship.id for ship in desk.ships if paper.line(ship.id) is None and ship.crew]
    if order_drafts.complete(desk, paper) and not paper.complete:
        yield Text("line.nothing")
    elif idle and paper.complete:
        yield Text("line.idle", {"ships": ", ".join(idle)})


def ordered(desk: Desk, paper: Paper) -> Iterator[Text]:
    """The draft, a line a ship; below that of the ship in hand what it comes to as things stand."""
    for number, line in enumerate(paper.lines, 1):
        orders = (order_words.chain(line.alternatives),)
        yield Text("line.orders", {"number": number, "ship": line.ship, "orders": orders})
        if line.ship == paper.focus:
            yield from _details(make_view.laid(desk, paper).lines, paper.focus)


def of_line(desk: Desk, paper: Paper) -> Iterator[Text]:
    """The same of whoever acts with one ship after the other: his line has no number."""
    for line in paper.lines:
        yield Text("line.act", {"ship": line.ship, "orders": (order_words.chain(line.alternatives),)})
        yield from _details(make_view.laid(desk, paper).lines, line.ship)


def changes(doctrine_lines: Sequence[DoctrineLine], standing: Sheet | None) -> Iterator[Text]:
    """Put changes of what stands into words."""
    yield from map(order_words.doctrine, doctrine_lines)
    if standing is None:
        return
    lines = tuple(
        Text("line.of", {"ship": line.ship, "orders": (order_words.chain(line.alternatives),)})
        for line in standing.lines
    )
    yield Text("line.standing", {"orders": lines}) if lines else Text("line.standing.none")


def _details(lines: Sequence[PlannedLine], ship: str) -> Iterator[Text]:
    """What each thing that the ship in hand is to try comes to as things stand."""
    for line in lines:
        if line.ship == ship:
            yield from filter(None, map(make_view.outcome, line.ways))
