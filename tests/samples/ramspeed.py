"""Representative answers: enough to reach every kind of event, few enough to try them all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Final

from rules.ramspeed.engine.free_battle import FleetLimits
from rules.ramspeed.engine.notation import sheets
from rules.ramspeed.engine.state import Ship
from rules.ramspeed.interface import (
    fleet_drafts,
    live_orders,
    offers,
    order_drafts,
    placement_drafts,
    standing_orders,
)
from rules.ramspeed.interface.fleet_drafts import ChosenFleet
from rules.ramspeed.interface.order_drafts import EndPlayerTurn, LiveOrder, OrderContext, SheetOrders, StandingChange
from rules.ramspeed.interface.placement_drafts import Placement, PlacementContext
from tests.samples.texts import read_answers, sample_lines

_DOCTRINE_SAMPLES: Final = (
    "all: swipe=grapple grapple=stand slip=hold prize=sink idle=shoot",
    "all: swipe=turn grapple=turn slip=turn45L prize=10",
    "all: swipe=draw slip=back prize=leave",
)
_LINE_KINDS: Final = (
    ("fwd",),
    ("ram {near}", "steer {near} 3"),
    ("grapple {near}", "swipe {near}", "steer {near} 2"),
    ("swipe {near} past 1.5", "grapple {near} side P", "veer 10R 2"),
    ("shoot {near} crew; back 0.5",),
    ("steer {near} 2; shoot {near} fire",),
    ("ignite; ram {near}", "ignite; steer {near} 3"),
    ("transfer 5 to {friend}", "transfer 1 from {friend}", "face {near}"),
    ("turn 45L",),
    ("grapple {friend}", "veer 25L"),
    ("exit",),
)


def sample_sheets(context: OrderContext) -> tuple[SheetOrders, ...]:
    texts = ["\n".join(_sample_lines(context, (kind,))) for kind in _LINE_KINDS]
    for number, text in enumerate(_DOCTRINE_SAMPLES):
        mixed = list(_sample_lines(context, _LINE_KINDS[number::3])) or ["stay"]
        standing = f"standing {mixed[0]}" if number and mixed != ["stay"] else "standing none"
        texts.append("\n".join((*mixed, f"doctrine {text}", standing)))
    return read_answers(partial(order_drafts.SHEET_NOTATION.parse_answer, context), (*texts, "stay"))


def sample_live_orders(context: OrderContext) -> tuple[LiveOrder | EndPlayerTurn, ...]:
    texts = ("done", *(line for kind in _LINE_KINDS for line in _sample_lines(context, (kind,))))
    return read_answers(partial(live_orders.LIVE_NOTATION.parse_answer, context), texts)


def sample_changes(context: OrderContext) -> tuple[StandingChange, ...]:
    standing = "\n".join(f"standing {line}" for line in _sample_lines(context, _LINE_KINDS[1:2]))
    texts = ("keep", *(f"doctrine {text}\n{standing}" for text in _DOCTRINE_SAMPLES))
    return read_answers(partial(standing_orders.STANDING_NOTATION.parse_answer, context), texts)


def sample_fleets(limits: FleetLimits) -> tuple[ChosenFleet, ...]:
    last = limits.nations[-1]
    texts = ("stock", f"1xV, 1xB {last}", f"{min(limits.points, limits.max_ships)}xB", f"2xT {last}", "1xT")
    return read_answers(partial(fleet_drafts.FLEET_NOTATION.parse_answer, limits), texts)


def sample_placements(context: PlacementContext) -> tuple[Placement, ...]:
    texts = ["line"]
    for ship in context.ships[:3]:
        texts += [f"{ship.id} ^{(ship.heading + 180) % 360}", f"{ship.id} {ship.x + 0.5:g} {ship.y:g}"]
    return read_answers(partial(placement_drafts.PLACEMENT_NOTATION.parse_answer, context), texts)


def _sample_lines(context: OrderContext, kinds: Sequence[Sequence[str]]) -> Iterator[str]:
    ships = {ship.id: _example_names(context, ship) for ship in context.ships}
    return sample_lines(ships, kinds, lambda line: sheets.parse_line(line, context.position, context.player))


def _example_names(context: OrderContext, ship: Ship) -> Mapping[str, str]:
    friends = (friend for friend in context.position.ships_of(context.player) if friend.id != ship.id)
    near = {"near": offers.enemies_of(context.position, ship), "friend": offers.nearest_first(ship, friends)}
    return {name: candidates[0].id if candidates else "" for name, candidates in near.items()}


SAMPLES = {
    "fleet": sample_fleets,
    "place": sample_placements,
    "orders": sample_sheets,
    "act": sample_live_orders,
    "doctrine": sample_changes,
}
