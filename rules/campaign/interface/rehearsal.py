"""Say what is certain, impossible and undecided in orders, and why a hint is given, as far as the captain sees."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import ceil
from typing import Final

from msgspec import structs

from rules.campaign.engine.money.night import SIEGE_NIGHTS, THIRST_NIGHTS
from rules.campaign.engine.orders import MAX_LEGS, FleetOrder, TurnOrders
from rules.campaign.engine.sea.maps import Place
from rules.campaign.engine.sea.naming import captain_names, place_names
from rules.campaign.engine.sea.sight import seen_galleys, visible_sieges
from rules.campaign.engine.sea.state import MAX_GALLEYS, Galley, Position, building_ports, galley_price
from rules.campaign.engine.sea.ways import routes_to_water
from rules.campaign.interface.view import SeasonView
from rules.core.view import Param, Text
from rules.interface.typed import join_id_ranges

MAX_OPEN_LINES: Final = 4  # maximum sentences about what is undecided; the most urgent come first


def rehearsal_lines(position: Position, captain: str, orders: TurnOrders) -> Iterator[Text]:
    """Yield what each fleet will certainly do or not do at the end of its route (CA-5.5, CA-5.6, CA-9.1, CA-9.3)."""
    fleet = {galley.id: galley for galley in position.galleys_of(captain)}
    besieged = set[str]()
    for order in orders.fleets:
        galleys = [fleet[name] for name in order.galleys]
        params: dict[str, Param] = {"galleys": " ".join(join_id_ranges(order.galleys)), "n": len(galleys)}
        if order.stance == "evade":
            yield _evasion_line(position, captain, order, galleys, orders)
        end = end_of_route(order, galleys)
        place = position.sea_map.places[end]
        owner = position.ports.get(end, "")
        if order.chase or not place.is_port or owner == captain:
            continue
        params_at_end = {**params, "place": place_names(position.map, end)}
        if owner and _will_spare(position, captain, orders, owner):
            yield Text("sure.spared", {**params_at_end, "captain": captain_names(owner)})
        elif order.stance == "evade":
            yield Text("sure.no_siege", params_at_end)
        elif all(galley.is_lame for galley in galleys):
            yield Text("sure.lame", params_at_end)
        elif end not in besieged:
            besieged.add(end)
            yield _siege_line(position, captain, place, _galleys_before(end, orders, fleet), params_at_end)
    yield from _thirst_lines(position, captain, orders, fleet)


def _thirst_lines(position: Position, captain: str, orders: TurnOrders, fleet: Mapping[str, Galley]) -> Iterator[Text]:
    """Yield what thirst costs the fleets that end without water, and how it ends (CA-11.2).

    A warning tells of those that end at sea although they could reach water.
    """
    for order in orders.fleets:
        galleys = [fleet[name] for name in order.galleys]
        thirsty = [galley.id for galley in galleys if galley.nights + 1 >= THIRST_NIGHTS]
        end = end_of_route(order, galleys)
        place = position.sea_map.places[end]
        if order.chase or not thirsty or not _lacks_water(position, captain, orders, fleet, place):
            continue
        params: dict[str, Param] = {
            "galleys": " ".join(join_id_ranges(thirsty)),
            "place": place_names(position.map, end),
        }
        if place.is_port:
            yield Text("sure.thirst.port", params)
        elif not can_reach_water(position, galleys):
            yield Text("sure.thirst.sea", params)


def can_reach_water(position: Position, galleys: Sequence[Galley]) -> bool:
    legs = 1 if any(galley.is_lame for galley in galleys) else MAX_LEGS
    return bool(routes_to_water(position, galleys[0].captain, galleys[0].place, legs))


def _lacks_water(
    position: Position, captain: str, orders: TurnOrders, fleet: Mapping[str, Galley], place: Place
) -> bool:
    """Return whether crews there will have no water tonight, unless a port falls to them against resistance."""
    owner = position.ports.get(place.code, "")
    if not position.ports_of(captain) or (
        place.is_port and (not owner or _will_spare(position, captain, orders, owner))
    ):
        return False
    besiegers = [galley for galley in _galleys_before(place.code, orders, fleet) if not galley.is_lame]
    is_empty = not seen_galleys(position, captain, position.galleys).get(place.code)
    return not (
        place.is_port and besiegers and is_empty and _nights_until_fall(position, captain, place, len(besiegers)) <= 1
    )


def _siege_line(
    position: Position, captain: str, port: Place, besiegers: Iterable[Galley], params: Mapping[str, Param]
) -> Text:
    """Return in how many nights a captain's galleys will take a port if nobody disturbs them (CA-9.3)."""
    galleys = sorted(besiegers, key=lambda galley: galley.id)
    sound_count = sum(not galley.is_lame for galley in galleys)
    nights = _nights_until_fall(position, captain, port, sound_count)
    names = " ".join(join_id_ranges([galley.id for galley in galleys]))
    return Text("sure.siege" if nights > 1 else "sure.falls", {**params, "galleys": names, "nights": nights})


def _nights_until_fall(position: Position, captain: str, port: Place, sound_count: int) -> int:
    by, nights_so_far = visible_sieges(position, captain, position.galleys).get(port.code, ("", 0))
    is_own_siege = by != "" and position.team_of(by) == position.team_of(captain)
    return ceil((SIEGE_NIGHTS[port.worth] - (nights_so_far if is_own_siege else 0)) / sound_count)


def _galleys_before(port: str, orders: TurnOrders, fleet: Mapping[str, Galley]) -> Iterator[Galley]:
    """Yield the galleys that will be before a port without evading; they besiege it together."""
    for order in orders.fleets:
        galleys = [fleet[name] for name in order.galleys]
        if order.stance != "evade" and not order.chase and end_of_route(order, galleys) == port:
            yield from galleys


def _evasion_line(
    position: Position, captain: str, order: FleetOrder, galleys: Sequence[Galley], orders: TurnOrders
) -> Text:
    """Return how large an attack an evading fleet is safe from, behind the boom or by slipping away."""
    params: dict[str, Param] = {"galleys": " ".join(join_id_ranges(order.galleys)), "n": len(galleys)}
    place = galleys[0].place
    if position.ports.get(place) == captain and not order.route and not order.chase:
        evading_orders = [
            other for other in orders.fleets if other.stance == "evade" and not other.route and not other.chase
        ]
        evading_ids = {name for other in evading_orders for name in other.galleys}
        galleys_there = sum(
            galley.id in evading_ids and galley.place == place for galley in position.galleys_of(captain)
        )
        largest_attack = galleys_there + position.sea_map.places[place].worth
        return Text("sure.boom", {**params, "place": place_names(position.map, place), "most": largest_attack})
    if any(galley.is_lame for galley in galleys):
        return Text("sure.caught", params)
    return Text("sure.slips", {**params, "least": len(galleys) + 1})


def end_of_route(order: FleetOrder, galleys: Sequence[Galley]) -> str:
    return order.route[-1] if order.route else galleys[0].place


def _will_spare(position: Position, captain: str, orders: TurnOrders, other: str) -> bool:
    """Return whether the captain spares another from this turn on (CA-3.7)."""
    spared = position.spares.get(captain, "") if orders.spared is None else orders.spared
    return other in spared or position.team_of(captain) == position.team_of(other)


def open_decisions(position: Position, captain: str, orders: TurnOrders) -> tuple[Text, ...]:
    return tuple(_iterate_open_decisions(position, captain, orders))[:MAX_OPEN_LINES]


def _iterate_open_decisions(position: Position, captain: str, orders: TurnOrders) -> Iterator[Text]:
    """Yield what is undecided, the most urgent first."""
    free = [galley for galley in position.galleys_of(captain) if not galley.battle]
    idle = [galley for galley in free if orders.order_for(galley.id) is None]
    yield from _unrelieved_sieges(position, captain, orders, free)
    yield from _enemies_near_idle_galleys(position, captain, orders, idle)
    yield from _thirst_of_idle_galleys(position, captain, orders, idle)
    yield from _possible_repairs(position, captain, orders, idle)
    cost = galley_price(position, captain)
    may_build = building_ports(position, captain) and len(position.galleys_of(captain)) < MAX_GALLEYS
    if may_build and not orders.port_orders.build and position.talents[captain] >= cost:
        yield Text("open.yard", {"price": cost})


def _unrelieved_sieges(position: Position, captain: str, orders: TurnOrders, free: Sequence[Galley]) -> Iterator[Text]:
    fleet = {galley.id: galley for galley in free}
    destinations = {end_of_route(order, [fleet[name] for name in order.galleys]) for order in orders.fleets}
    own_ports = position.ports_of(captain)
    for port, (by, nights) in visible_sieges(position, captain, position.galleys).items():
        if port in own_ports and port not in destinations:
            params: dict[str, Param] = {"port": place_names(position.map, port), "by": captain_names(by)}
            needed = SIEGE_NIGHTS[position.sea_map.places[port].worth]
            yield Text("open.siege", {**params, "nights": nights, "of": needed})


def _enemies_near_idle_galleys(
    position: Position, captain: str, orders: TurnOrders, idle: Sequence[Galley]
) -> Iterator[Text]:
    groups_by_place = seen_galleys(position, captain, position.galleys)
    for place in sorted({galley.place for galley in idle}):
        codes = (place, *position.sea_map.places[place].legs)
        groups_near = [group for code in codes for group in groups_by_place.get(code, ())]
        foes = [group for group in groups_near if not _will_spare(position, captain, orders, group.captain)]
        if enemy_count := sum(group.galleys - group.engaged for group in foes):
            galleys = " ".join(join_id_ranges([galley.id for galley in idle if galley.place == place]))
            yield Text(
                "open.enemies", {"galleys": galleys, "many": enemy_count, "place": place_names(position.map, place)}
            )


def _thirst_of_idle_galleys(
    position: Position, captain: str, orders: TurnOrders, idle: Sequence[Galley]
) -> Iterator[Text]:
    staying = structs.replace(orders, fleets=(*orders.fleets, *(FleetOrder(galleys=(galley.id,)) for galley in idle)))
    fleet = {galley.id: galley for galley in position.galleys_of(captain)}
    places = position.sea_map.places
    thirsty = [
        galley.id
        for galley in idle
        if galley.nights + 1 >= THIRST_NIGHTS and _lacks_water(position, captain, staying, fleet, places[galley.place])
    ]
    if thirsty:
        yield Text("open.thirst", {"galleys": " ".join(join_id_ranges(thirsty)), "n": len(thirsty)})


def _possible_repairs(position: Position, captain: str, orders: TurnOrders, idle: Sequence[Galley]) -> Iterator[Text]:
    if orders.port_orders.repair_all or not position.talents[captain]:
        return
    own_ports = position.ports_of(captain)
    moored_damaged = [
        galley.id for galley in idle if galley.parts_left < galley.full_parts and galley.place in own_ports
    ]
    if unordered := [name for name in moored_damaged if name not in orders.port_orders.repair]:
        yield Text("open.repair", {"galleys": " ".join(unordered), "n": len(unordered)})


def reason_for(view: SeasonView, answer: TurnOrders) -> Text:
    """Return the purpose of the largest fleet's order, with the enemies that are seen where its route ends."""
    if not answer.fleets:
        return Text("reason.none")
    return _fleet_reason(view, max(answer.fleets, key=lambda fleet: len(fleet.galleys)))


def _fleet_reason(view: SeasonView, order: FleetOrder) -> Text:
    known_position = view.known_position
    places = known_position.sea_map.places
    galleys = [galley for galley in view.galleys if galley.id in order.galleys]
    end = end_of_route(order, galleys)
    owner = view.ports.get(end, "")
    params: dict[str, Param] = {
        "galleys": " ".join(join_id_ranges(order.galleys)),
        "n": len(galleys),
        "place": place_names(view.map, end),
        "many": sum(
            group.galleys - group.engaged
            for group in view.others_galleys.get(end, ())
            if not known_position.is_spared(view.captain, group.captain)
        ),
    }
    if order.stance == "evade":
        is_damaged = any(galley.parts_left < galley.full_parts for galley in galleys)
        return Text("reason.mend" if is_damaged and owner == view.captain else "reason.wait", params)
    if params["many"]:
        return Text("reason.meet" if order.stance == "attack" else "reason.guard", params)
    if places[end].is_port and owner != view.captain and not (owner and known_position.is_spared(view.captain, owner)):
        if owner and end not in view.seen_places:
            return Text("reason.enemy_port.unseen", {**params, "owner": captain_names(owner)})
        return Text("reason.enemy_port" if owner else "reason.free_port", {**params, "owner": captain_names(owner)})
    return Text("reason.guard" if owner == view.captain else "reason.way", params)
