"""Representative answers: enough to reach every kind of event, few enough to count."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from msgspec import structs

from rules.errors import OrderError
from rules.protocol import Seat
from rules.squadrons.desk.drafts import activations, deployments, rosters, sheets
from rules.squadrons.desk.drafts.answers import Activation, Answer, Entry, Pace, Sheet
from rules.squadrons.desk.drafts.deployments import Chart
from rules.squadrons.desk.drafts.formations import FORMATIONS
from rules.squadrons.desk.drafts.rosters import Yard
from rules.squadrons.desk.drafts.sheets import Desk, Paper
from rules.squadrons.desk.preview import attack_plans, best_attacks
from rules.squadrons.table.notation import doctrine_text, order_text
from rules.squadrons.table.notation.orders import Board, Share
from rules.squadrons.table.sea import fleets
from rules.squadrons.table.sea.state import Ship, State

_TEXTS: Final = (
    "all: F3",
    "all M\nall: F2 P F2",
    "all: S F2\nrest C",
    "all: TA",
    "all: B",
    "all: F2 exit",
)
_DOCTRINES: Final = (
    "all: avoid=any fire=return+threat board=always retract=stay unfoul=always",
    "all: avoid=ask fire=ask retract=ask order=ask",
    "all: avoid=off fire=off board=never speed=max transfer=never",
)
_TEMPERS: Final = (
    "{ship}: F2 ram {near} | else F1",
    "{ship}: F3 rake {near} F1",
    "{ship}: F1 grap {near} fire {near}",
    "{ship}: fire {near}",
    "{ship}: cut {near} F2",
    "{ship}: X {near}:p",
    "{ship}: ana {near} s",
    "{ship}: jettison F2",
    "{ship}: ts ram {near}",
)


def _sheets(desk: Desk) -> Iterator[Sheet]:
    """Sheets of every temper."""
    for number, text in enumerate(_TEXTS):
        line = _DOCTRINES[number % len(_DOCTRINES)]
        read = _read(desk, text)
        if read is not None:
            yield structs.replace(read, doctrines=(doctrine_text.read_doctrine(line, desk.side),))
    for number in range(len(_TEMPERS)):
        yield _mixed(desk, number)
    yield _charging(desk)
    yield Sheet()


def sheets_for(desk: Desk) -> tuple[Answer, ...]:
    """The same, as a tuple."""
    return tuple(_sheets(desk))


def activations_for(state: State, seat: Seat) -> tuple[Answer, ...]:
    """Each squadron that may act, with orders of some temper."""
    found: list[Answer] = []
    desk = sheets.desk_of(state, seat)
    for squadron in activations.offered(state, seat):
        mine = tuple(ship for ship in desk.mine if ship.id in squadron.ships)
        own = structs.replace(desk, mine=mine, fixed=(squadron,))
        found.append(Activation(squadron=squadron.flagship))
        found += [Activation(squadron=squadron.flagship, sheet=_mixed(own, one, fixed=True)) for one in range(3)]
        found.append(Activation(squadron=squadron.flagship, sheet=_charging(own, fixed=True)))
    return tuple(found)


def rosters_for(yard: Yard) -> tuple[Answer, ...]:
    """Fleets of the heaviest, the lightest and the stock, each with another Admiral."""
    found: list[Answer] = [rosters.stock(yard.points)]
    for code, admiral in (("10", "Bold"), ("3g", "Grand"), ("T", "Bold"), ("5+" if yard.crews else "5", "Grand")):
        most = min(fleets.MOST, int(yard.points) // fleets.cost((code,)))
        if most >= yard.captains:
            found.append(rosters.finish(yard, f"{most}x{code}; {admiral}"))
    return tuple(found)


def deployments_for(chart: Chart) -> tuple[Answer, ...]:
    """Every formation, and a leader elsewhere."""
    texts = [*FORMATIONS, *(("enter",) if chart.may_enter else ())]
    found: list[Answer] = [deployments.finish(chart, text) for text in texts]
    leader, ship = deployments.leaders_of(chart)[0].id, next(iter(deployments.proposal(chart).places))
    return (*found, deployments.finish(chart, f"lines; {leader} {ship}"))


def _read(desk: Desk, text: str) -> Sheet | None:
    try:
        return sheets.amend(desk, Paper(), text).sheet
    except OrderError:
        return None


def _mixed(desk: Desk, first: int, *, fixed: bool = False) -> Sheet:
    """A line of another temper for each ship."""
    entries, boards = [], []
    for number, ship in enumerate(desk.mine):
        near = _nearest(desk, ship)
        if not near:
            continue
        text = _TEMPERS[(first + number) % len(_TEMPERS)].format(ship=ship.id, near=near)
        entries.append(Entry(ship.id, order_text.read_line(text)))
        if desk.position.grappled_to(ship.id) and ship.m:
            boards.append(Board(desk.position.grappled_to(ship.id)[0], (Share(ship.id),)))
    paces = () if fixed else (Pace("all", "M" if first % 2 else "C"),)
    return Sheet(paces=paces, entries=tuple(entries), boards=tuple(boards[:1]))


def _charging(desk: Desk, *, fixed: bool = False) -> Sheet:
    """At the nearest enemies."""
    sheet = best_attacks.fleet(desk.position, desk.ids(), "00", fixed=fixed)
    return structs.replace(sheet, paces=()) if fixed else sheet


def _nearest(desk: Desk, ship: Ship) -> str:
    found = attack_plans.enemies(desk.position, ship)
    return found[0].id if found else ""
