"""Representative answers: enough to reach every kind of event, few enough to count."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from msgspec import structs

from rules.notebook import try_read
from rules.squadrons.desk.drafts import deployments, rosters, sheets
from rules.squadrons.desk.drafts.activations import ActivationContext, ActivationDraft, squadron_context
from rules.squadrons.desk.drafts.answers import Activation, Deployment, Entry, Pace, Roster, Sheet
from rules.squadrons.desk.drafts.deployments import DeploymentContext
from rules.squadrons.desk.drafts.rosters import RosterContext
from rules.squadrons.desk.drafts.sheets import OrderContext, OrderDraft
from rules.squadrons.desk.preview import attack_plans, best_attacks
from rules.squadrons.table.notation import doctrine_text, order_text
from rules.squadrons.table.notation.orders import Board, Share
from rules.squadrons.table.sea import fleets
from rules.squadrons.table.sea.formations import FORMATIONS
from rules.squadrons.table.sea.state import Ship

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


def sheets_for(context: OrderContext) -> tuple[Sheet, ...]:
    """Sheets of every kind."""
    return tuple(_sheets(context))


def _sheets(context: OrderContext) -> Iterator[Sheet]:
    for number, text in enumerate(_TEXTS):
        line = _DOCTRINES[number % len(_DOCTRINES)]
        read = try_read(sheets.take, context, OrderDraft(), text)
        if read is not None:
            yield structs.replace(read.sheet, doctrines=(doctrine_text.read_doctrine(line, context.side),))
    for number in range(len(_TEMPERS)):
        yield _mixed(context, number)
    yield _charging(context)
    yield Sheet()


def activations_for(context: ActivationContext) -> tuple[Activation, ...]:
    """Each squadron that may act, with several kinds of orders."""
    found: list[Activation] = []
    for squadron in context.offered:
        own = structs.replace(squadron_context(context, ActivationDraft(squadron)), fixed=(squadron,))
        found.append(Activation(squadron=squadron.flagship))
        found += [Activation(squadron=squadron.flagship, sheet=_mixed(own, one, fixed=True)) for one in range(3)]
        found.append(Activation(squadron=squadron.flagship, sheet=_charging(own, fixed=True)))
    return tuple(found)


def rosters_for(context: RosterContext) -> tuple[Roster, ...]:
    """Fleets of the heaviest, the lightest and the stock, each with another Admiral."""
    found = [rosters.stock(context.points)]
    for code, admiral in (("10", "Bold"), ("3g", "Grand"), ("T", "Bold"), ("5+" if context.crews else "5", "Grand")):
        most = min(fleets.MOST, int(context.points) // fleets.cost((code,)))
        if most >= context.captains:
            found.append(rosters.NOTEBOOK.finish(context, f"{most}x{code}; {admiral}"))
    return tuple(found)


def deployments_for(context: DeploymentContext) -> tuple[Deployment, ...]:
    """Every formation, and a leader elsewhere."""
    texts = [*FORMATIONS, *(("enter",) if context.may_enter else ())]
    found = [deployments.NOTEBOOK.finish(context, text) for text in texts]
    leader, ship = deployments.leaders_of(context)[0].id, next(iter(deployments.proposal(context).places))
    return (*found, deployments.NOTEBOOK.finish(context, f"lines; {leader} {ship}"))


def _mixed(context: OrderContext, first: int, *, fixed: bool = False) -> Sheet:
    """A line of another temper for each ship."""
    entries, boards = [], []
    for number, ship in enumerate(context.mine):
        near = _nearest(context, ship)
        if not near:
            continue
        text = _TEMPERS[(first + number) % len(_TEMPERS)].format(ship=ship.id, near=near)
        entries.append(Entry(ship.id, order_text.read_line(text)))
        if context.position.grappled_to(ship.id) and ship.m:
            boards.append(Board(context.position.grappled_to(ship.id)[0], (Share(ship.id),)))
    paces = () if fixed else (Pace("all", "M" if first % 2 else "C"),)
    return Sheet(paces=paces, entries=tuple(entries), boards=tuple(boards[:1]))


def _charging(context: OrderContext, *, fixed: bool = False) -> Sheet:
    """At the nearest enemies."""
    sheet = best_attacks.fleet(context.position, context.ids(), "00", fixed=fixed)
    return structs.replace(sheet, paces=()) if fixed else sheet


def _nearest(context: OrderContext, ship: Ship) -> str:
    found = attack_plans.enemies(context.position, ship)
    return found[0].id if found else ""
