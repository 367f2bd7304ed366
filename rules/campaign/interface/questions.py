"""The kinds of requests with their warnings: orders from captains, and ends of battles, which battles answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from rules.campaign.engine.money.night import THIRST_NIGHTS
from rules.campaign.engine.orders import FleetOrder, TurnOrders
from rules.campaign.engine.sea.naming import coded_place_names, place_names
from rules.campaign.engine.sea.sight import largest_enemy_fleet, seen_galleys
from rules.campaign.engine.sea.state import MAX_GALLEYS, Galley, Position, State, galley_price
from rules.campaign.interface import order_drafts
from rules.campaign.interface.order_drafts import OrderDraft
from rules.campaign.interface.rehearsal import can_reach_water
from rules.core.sides import letter_of
from rules.core.view import Param, Text
from rules.interface.drafts import SeatContext
from rules.interface.question import BATTLE_QUESTION, Question
from rules.interface.typed import join_id_ranges


def order_warnings(context: SeatContext[State], draft: OrderDraft) -> tuple[Text, ...]:
    position, captain = context.state.position, letter_of(context.seat)
    orders = draft.orders
    return (
        *_gift_warnings(position, captain, orders),
        *_yard_warnings(position, captain, orders),
        *_repair_warnings(position, captain, orders),
        *_thirst_warnings(position, orders),
        *_boom_warnings(position, captain, orders),
    )


def _gift_warnings(position: Position, captain: str, orders: TurnOrders) -> Iterator[Text]:
    """Warn of gifts beyond the captain's talents (CA-10.6)."""
    if sum(talents for _, talents in orders.gifts) > position.talents[captain]:
        yield Text("warn.poor", {"talents": position.talents[captain]})


def _yard_warnings(position: Position, captain: str, orders: TurnOrders) -> Iterator[Text]:
    """Warn of a galley that cannot be paid even with this night's full income, or exceeds eight (CA-10.3, CA-10.4)."""
    if not orders.port_orders.build:
        return
    places = position.sea_map.places
    gift_total = sum(talents for _, talents in orders.gifts)
    income = sum(places[port].worth for port in position.ports_of(captain))
    max_talents = max(position.talents[captain] - gift_total, 0) + income
    cost = galley_price(position, captain)
    if len(position.galleys_of(captain)) >= MAX_GALLEYS:
        yield Text("warn.no_ninth", {"most": MAX_GALLEYS})
    elif max_talents < cost:
        yield Text("warn.too_dear", {"price": cost, "talents": max_talents})


def _repair_warnings(position: Position, captain: str, orders: TurnOrders) -> Iterator[Text]:
    """Warn of repairs of galleys that are whole, or do not stay in an own port (CA-10.5)."""
    for galley in position.galleys_of(captain):
        if galley.id not in orders.port_orders.repair:
            continue
        order = orders.order_for(galley.id)
        if galley.parts_left == galley.full_parts:
            yield Text("warn.whole", {"galley": galley.id})
        elif _is_rowing(galley, order) or galley.battle or position.ports.get(galley.place) != captain:
            yield Text("warn.not_moored", {"galley": galley.id})


def _is_rowing(galley: Galley, order: FleetOrder | None) -> bool:
    return order is not None and any(place != galley.place for place in order.route)


def _thirst_warnings(position: Position, orders: TurnOrders) -> Iterator[Text]:
    """Warn of fleets without water at the end of their route that could reach some (CA-11.1, CA-11.2)."""
    for fleet in orders.fleets:
        galleys = [galley for galley in position.galleys if galley.id in fleet.galleys]
        end = fleet.route[-1] if fleet.route else galleys[0].place
        ends_at_sea = not fleet.chase and not position.sea_map.places[end].is_port
        if not ends_at_sea or not can_reach_water(position, galleys):
            continue
        thirsty = [galley.id for galley in galleys if galley.nights + 1 >= THIRST_NIGHTS]
        if thirsty:
            yield Text("warn.thirst", {"galleys": " ".join(thirsty), "place": coded_place_names(position.map, end)})


def _boom_warnings(position: Position, captain: str, orders: TurnOrders) -> Iterator[Text]:
    """Warn of galleys in an own port that a larger fleet can attack although its boom would protect them (CA-5.6)."""
    galleys_by_id = {galley.id: galley for galley in position.galleys}
    staying = [fleet for fleet in orders.fleets if not fleet.route and not fleet.chase]
    for fleet in staying:
        port = galleys_by_id[fleet.galleys[0]].place
        if fleet.stance == "evade" or position.ports.get(port) != captain:
            continue
        enemies = largest_enemy_fleet(position, captain, seen_galleys(position, captain, position.galleys), port)
        ready, evading = (
            sum(
                len(other.galleys)
                for other in staying
                if galleys_by_id[other.galleys[0]].place == port and (other.stance == "evade") == is_evading
            )
            for is_evading in (False, True)
        )
        if ready < enemies <= evading + len(fleet.galleys) + position.sea_map.places[port].worth:
            params: dict[str, Param] = {"galleys": " ".join(join_id_ranges(fleet.galleys)), "n": len(fleet.galleys)}
            yield Text("warn.boom", {**params, "many": enemies, "place": place_names(position.map, port)})


QUESTIONS: Final[Mapping[str, Question[State, Any, Any, Any]]] = {
    "orders": Question(
        notation=order_drafts.ORDER_NOTATION,
        draft_choices=order_drafts.draft_choices,
        example_values=order_drafts.example_values,
        default_answer=order_drafts.default_orders,
        draft_warnings=order_warnings,
        is_line_kept_sealed=lambda _: True,
    ),
    "battle": BATTLE_QUESTION,
}
"""By `Request.kind`. Orders stay secret until the campaign is over (CA-12.3)."""
