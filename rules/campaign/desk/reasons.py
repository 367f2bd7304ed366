"""One reason for a turn's orders, from what their captain sees: what the largest fleet is after."""

from __future__ import annotations

from rules.campaign.desk.rehearsal import ends
from rules.campaign.desk.view import SeasonView
from rules.campaign.table.orders import FleetOrder, Orders
from rules.campaign.table.sea.naming import captains, named
from rules.spans import spans
from rules.view import Param, Text


def reason(view: SeasonView, answer: Orders) -> Text:
    """What the largest fleet is ordered to do, and what it meets there as far as can be seen."""
    if not answer.fleets:
        return Text("reason.none")
    return _reason(view, max(answer.fleets, key=lambda one: len(one.galleys)))


def _reason(view: SeasonView, order: FleetOrder) -> Text:
    known, places = view.known, view.known.sea_map.places
    crews = [galley for galley in view.galleys if galley.id in order.galleys]
    end = ends(order, crews)
    owner = view.ports.get(end, "")
    told: dict[str, Param] = {
        "galleys": " ".join(spans(order.galleys)),
        "n": len(crews),
        "place": named(view.map, end),
        "many": sum(
            one.galleys - one.engaged for one in view.lying.get(end, ()) if not known.spared(view.captain, one.captain)
        ),
    }
    if order.stance == "evade":
        worn = any(galley.parts < galley.full for galley in crews)
        return Text("reason.mend" if worn and owner == view.captain else "reason.wait", told)
    if told["many"]:
        return Text("reason.meet" if order.stance == "attack" else "reason.guard", told)
    if places[end].port and owner != view.captain and not (owner and known.spared(view.captain, owner)):
        return Text("reason.enemy_port" if owner else "reason.free_port", {**told, "owner": captains(owner)})
    return Text("reason.guard" if owner == view.captain else "reason.way", told)
