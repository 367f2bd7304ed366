"""A reason for a turn's orders in one sentence, from what the captain sees."""

from __future__ import annotations

from rules.campaign.engine.orders import FleetOrder, TurnOrders
from rules.campaign.engine.sea.naming import captain_names, place_names
from rules.campaign.interface.rehearsal import end_of_route
from rules.campaign.interface.view import SeasonView
from rules.core.view import Param, Text
from rules.interface.typed import join_id_ranges


def reason_for(view: SeasonView, answer: TurnOrders) -> Text:
    """Return the purpose of the largest fleet's order, with the visible enemies at its end."""
    if not answer.fleets:
        return Text("reason.none")
    return _fleet_reason(view, max(answer.fleets, key=lambda fleet: len(fleet.galleys)))


def _fleet_reason(view: SeasonView, order: FleetOrder) -> Text:
    known, places = view.known_position, view.known_position.sea_map.places
    crews = [galley for galley in view.galleys if galley.id in order.galleys]
    end = end_of_route(order, crews)
    owner = view.ports.get(end, "")
    params: dict[str, Param] = {
        "galleys": " ".join(join_id_ranges(order.galleys)),
        "n": len(crews),
        "place": place_names(view.map, end),
        "many": sum(
            group.galleys - group.engaged
            for group in view.others_galleys.get(end, ())
            if not known.is_spared(view.captain, group.captain)
        ),
    }
    if order.stance == "evade":
        worn = any(galley.parts_left < galley.full_parts for galley in crews)
        return Text("reason.mend" if worn and owner == view.captain else "reason.wait", params)
    if params["many"]:
        return Text("reason.meet" if order.stance == "attack" else "reason.guard", params)
    if places[end].is_port and owner != view.captain and not (owner and known.is_spared(view.captain, owner)):
        return Text("reason.enemy_port" if owner else "reason.free_port", {**params, "owner": captain_names(owner)})
    return Text("reason.guard" if owner == view.captain else "reason.way", params)
