"""Representative orders: enough to cause every kind of event, few enough to try them all."""

from __future__ import annotations

from rules.campaign.engine.orders import TurnOrders, parse_orders
from rules.campaign.engine.sea.state import STANCES, building_ports
from rules.campaign.interface.order_drafts import OrderContext
from rules.core.sides import letter_of
from rules.interface.drafts import try_read


def sample_orders(context: OrderContext) -> list[TurnOrders]:
    position, captain = context.state.position, letter_of(context.seat)
    free = [galley for galley in position.galleys_of(captain) if not galley.battle]
    texts = ["", "repair all", *(f"build {port} 5" for port in building_ports(position, captain))]
    texts += [f"pay {other} 1; spare {other}" for other in position.captains if other != captain][:1]
    texts.append("spare none")
    for place in dict.fromkeys(galley.place for galley in free):
        names = " ".join(galley.id for galley in free if galley.place == place)
        for number, leg in enumerate(position.sea_map.places[place].legs):
            texts.append(f"{names}: {leg} {STANCES[number % 3]}")
        texts.append(f"{names}: attack")
    parsed = [try_read(parse_orders, position, captain, text) for text in texts]
    return [orders for number, orders in enumerate(parsed) if orders is not None and orders not in parsed[:number]]


SAMPLES = {"orders": sample_orders}
