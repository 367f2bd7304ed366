"""What of a turn's orders can't come off, or costs more than it seems, from what their captain knows."""

from __future__ import annotations

from collections.abc import Iterator

from rules.campaign.desk.order_drafts import OrderDraft
from rules.campaign.table.money.night import THIRST
from rules.campaign.table.orders import MOST_LEGS, FleetOrder, Orders
from rules.campaign.table.sea.naming import coded
from rules.campaign.table.sea.state import MOST, Galley, Position, State, price
from rules.campaign.table.sea.ways import water
from rules.notebook import Seated
from rules.sides import letter_of
from rules.view import Text


def warnings(desk: Seated[State], draft: OrderDraft) -> tuple[Text, ...]:
    """What these orders can't do, and where crews will be thirsty."""
    position, captain = desk.state.position, letter_of(desk.seat)
    orders = draft.orders
    return (
        *_gifts(position, captain, orders),
        *_yards(position, captain, orders),
        *_repairs(position, captain, orders),
        *_thirst(position, orders),
    )


def _gifts(position: Position, captain: str, orders: Orders) -> Iterator[Text]:
    """More talents than there are (CA-10.6)."""
    if sum(talents for _, talents in orders.gifts) > position.talents[captain]:
        yield Text("warn.poor", {"talents": position.talents[captain]})


def _yards(position: Position, captain: str, orders: Orders) -> Iterator[Text]:
    """A galley that can't be paid even with all that this night may bring, or has no place (CA-10.3, CA-10.4)."""
    if not orders.wish.build:
        return
    places = position.sea_map.places
    given = sum(talents for _, talents in orders.gifts)
    most = max(position.talents[captain] - given, 0) + sum(places[port].worth for port in position.owned(captain))
    cost = price(position, captain)
    if len(position.fleet(captain)) >= MOST:
        yield Text("warn.no_ninth", {"most": MOST})
    elif most < cost:
        yield Text("warn.too_dear", {"price": cost, "talents": most})


def _repairs(position: Position, captain: str, orders: Orders) -> Iterator[Text]:
    """Galleys named for repair that are whole, or don't lie still in a port of their captain's (CA-10.5)."""
    for galley in position.fleet(captain):
        if galley.id not in orders.wish.repair:
            continue
        order = orders.of(galley.id)
        if galley.parts == galley.full:
            yield Text("warn.whole", {"galley": galley.id})
        elif _rows(galley, order) or galley.battle or position.ports.get(galley.place) != captain:
            yield Text("warn.not_moored", {"galley": galley.id})


def _rows(galley: Galley, order: FleetOrder | None) -> bool:
    return order is not None and any(place != galley.place for place in order.route)


def _thirst(position: Position, orders: Orders) -> Iterator[Text]:
    """Fleets whose crews have no water at the end of their way, though they can reach some (CA-11.1, CA-11.2)."""
    for fleet in orders.fleets:
        crews = [galley for galley in position.galleys if galley.id in fleet.galleys]
        end = fleet.route[-1] if fleet.route else crews[0].place
        legs = 1 if any(galley.lame for galley in crews) else MOST_LEGS
        if (
            fleet.chase
            or position.sea_map.places[end].port
            or not water(position, crews[0].captain, crews[0].place, legs)
        ):
            continue
        dry = [galley.id for galley in crews if galley.nights + 1 >= THIRST]
        if dry:
            yield Text("warn.thirst", {"galleys": " ".join(dry), "place": coded(position.map, end)})
