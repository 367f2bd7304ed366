"""The computer captain, who repairs, defends, takes ports, raids and hunts, and sees no more than the seat does.

Each group of galleys in one place scores every route of two legs by what it expects at the end.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import ceil
from typing import Final

from msgspec import structs

from rules.campaign.engine.money.night import SIEGE_NIGHTS, THIRST_NIGHTS
from rules.campaign.engine.orders import MAX_LEGS, FleetOrder, PortOrders, TurnOrders
from rules.campaign.engine.sea.state import MAX_GALLEYS, Galley, Position, Stance, building_ports, galley_price
from rules.campaign.engine.sea.ways import route_to_refuge, routes_to_water, shortest_routes
from rules.campaign.interface.view import SeasonView
from rules.chance.dice import Dice
from rules.core.protocol import Request

REPAIR_SHARE: Final = 0.6  # the share of its parts below which a galley goes home to be repaired
PORT_WORTH: Final = 6.0
"""The value of each point of a port's worth if it falls in one night; later falls are worth less."""
GUARD_WORTH: Final = 4.0  # the value of each point of an own port from which enemies can be driven
HUNT_WORTH: Final = 2.0  # the value of meeting an enemy galley with a superior force
EVEN_HUNT_WORTH: Final = 0.5
BOOM_SHARE: Final = 0.8  # the part of `GUARD_WORTH` for waiting behind the boom
DANGER_COST: Final = 5.0  # the cost of each galley by which enemies are stronger
FAR_PORT_WORTH: Final = 3.0  # the value of each point of a distant port, divided by the time until it can fall
RELIEF_WORTH: Final = 3.0


@dataclass
class _CaptainOutlook:
    view: SeasonView
    position: Position
    enemies_by_place: Counter[str]
    own_by_place: Counter[str] = field(default_factory=Counter)  # own galleys by the place where their orders end
    dice: Dice = field(default_factory=lambda: Dice(seed="00"))
    is_wary: bool = False  # whether a single galley avoids enemy ports, where a fleet may be unseen

    def tie_breaker(self) -> float:
        (value, *_), self.dice = self.dice.draw_block()
        return value / 10


def computer_answer(view: SeasonView, _: Request, seed: str) -> TurnOrders:
    """Return the computer's orders, which never ask to play a battle (CA-6.2d)."""
    return structs.replace(fleet_orders(view, seed), dice=None if view.settled_for_dice else True)


def hint_orders(view: SeasonView, _: Request, seed: str) -> TurnOrders:
    """Return the orders of a hint: the computer's, but the choice between play and dice stays with the captain.

    A hint repairs only damaged galleys, and leaves no single galley before an enemy port.
    """
    orders = fleet_orders(view, seed, wary=True)
    hurt = any(galley.parts_left < galley.full_parts for galley in view.galleys)
    return structs.replace(orders, port_orders=structs.replace(orders.port_orders, repair_all=hurt))


def stand_in_orders(view: SeasonView, seed: str) -> TurnOrders:
    """Return orders for a captain who is late or away; talents pay for repairs only (CA-14.1, CA-14.3)."""
    return structs.replace(fleet_orders(view, seed), port_orders=PortOrders(repair_all=True))


def fleet_orders(view: SeasonView, seed: str, *, wary: bool = False) -> TurnOrders:
    """Return orders for a captain's whole fleet. `wary`: consider enemies that are not seen."""
    known = view.known_position
    look = _CaptainOutlook(
        view=view, position=known, enemies_by_place=_enemies_by_place(view, known), dice=Dice(seed=seed), is_wary=wary
    )
    free = [galley for galley in view.galleys if not galley.battle]
    worn = [galley for galley in free if galley.is_lame or galley.parts_left < REPAIR_SHARE * galley.full_parts]
    fleets = [_order_home(look, galley) for galley in worn]
    groups: dict[str, list[Galley]] = {}
    for galley in free:
        if galley not in worn:
            groups.setdefault(galley.place, []).append(galley)
    # The largest groups choose first, and others join them or go elsewhere.
    fleets += [
        _best_order(look, group)
        for group in sorted(groups.values(), key=lambda group_of_place: (-len(group_of_place), group_of_place[0].id))
    ]
    return TurnOrders(fleets=tuple(fleets), port_orders=PortOrders(build=tuple(_choose_builds(look)), repair_all=True))


def _enemies_by_place(view: SeasonView, known: Position) -> Counter[str]:
    enemies = Counter[str]()
    for place, there in view.others_galleys.items():
        for group in there:
            if not known.is_spared(view.captain, group.captain):
                enemies[place] += group.galleys - group.engaged
    return +enemies


def _choose_builds(look: _CaptainOutlook) -> Iterator[tuple[str, int]]:
    view, known = look.view, look.position
    if view.talents < galley_price(known, view.captain) or len(view.galleys) >= MAX_GALLEYS:
        return
    safe = [port for port in building_ports(known, view.captain) if not look.enemies_by_place[port]]
    if safe:
        home = known.home_city(view.captain)
        yield (home if home in safe else safe[0]), (5, 4, 6)[int(look.tie_breaker() * 30) % 3]


# --- one fleet ---------------------------------------------------------------------------------------------------


def _order_home(look: _CaptainOutlook, galley: Galley) -> FleetOrder:
    view, known = look.view, look.position
    besieged = {port for port in known.ports_of(view.captain) if look.enemies_by_place[port]}
    if known.ports.get(galley.place) == view.captain and galley.place not in besieged:
        return FleetOrder(galleys=(galley.id,), stance="evade")
    legs = 1 if galley.is_lame else MAX_LEGS
    way = route_to_refuge(known, view.captain, galley.place, besieged)[:legs]
    if galley.nights + 1 >= THIRST_NIGHTS and not known.sea_map.places[(galley.place, *way)[-1]].is_port:
        way = next(iter(routes_to_water(known, view.captain, galley.place, legs)), way)
    return FleetOrder(galleys=(galley.id,), route=way, stance="evade")


def _best_order(look: _CaptainOutlook, group: Sequence[Galley]) -> FleetOrder:
    names = tuple(galley.id for galley in group)
    here = group[0].place
    routes = [*_possible_routes(look, here)]
    if max(galley.nights for galley in group) + 1 >= THIRST_NIGHTS and routes_to_water(
        look.position, look.view.captain, here, MAX_LEGS
    ):
        # No place at sea is worth the oars that thirst costs every galley.
        routes = [route for route in routes if look.position.sea_map.places[(here, *route)[-1]].is_port]
    scored = [(_route_score(look, group, route) + look.tie_breaker(), route) for route in routes]
    _, route = max(scored)
    end = route[-1] if route else here
    look.own_by_place[end] += len(group)
    return FleetOrder(galleys=names, route=route, stance=_choose_stance(look, group, end))


def _possible_routes(look: _CaptainOutlook, here: str) -> Iterator[tuple[str, ...]]:
    known = look.position
    for way in shortest_routes(known.map, len(known.captains), here).values():
        if len(way) <= MAX_LEGS:
            yield way


def _choose_stance(look: _CaptainOutlook, group: Sequence[Galley], end: str) -> Stance:
    places = look.position.sea_map.places
    near = max((look.enemies_by_place[code] for code in (end, *places[end].legs)), default=0)
    own = look.own_by_place[end]
    if own >= max(near, 2):
        return "attack"
    if near > own or len(group) == 1:
        mine = look.position.ports.get(end) == look.view.captain
        return "evade" if mine or not places[end].is_port or near else "hold"
    return "hold"


def _route_score(look: _CaptainOutlook, group: Sequence[Galley], route: Sequence[str]) -> float:
    view, known = look.view, look.position
    end = route[-1] if route else group[0].place
    place = known.sea_map.places[end]
    own, foes = len(group) + look.own_by_place[end], look.enemies_by_place[end]
    shut = known.ports.get(end) == view.captain and foes > own
    score = (0 if shut else _meeting_score(own, foes)) + 0.3 * look.own_by_place[end] - 0.05 * len(route)
    for code in route[:-1]:
        score += 0.5 * _meeting_score(len(group), look.enemies_by_place[code])
    owner = known.ports.get(end, "")
    if look.is_wary and own == 1 and (not place.is_port or (owner and not known.is_spared(view.captain, owner))):
        score -= DANGER_COST
    if place.is_port:
        score += _port_score(look, end, own, foes)
    else:
        score += sum(0.5 * known.sea_map.places[port].worth for port in place.legs if _is_enemy_port(look, port))
        score += 0.5 * sum(
            _meeting_score(own, look.enemies_by_place[code]) for code in place.legs if look.enemies_by_place[code] > own
        )
    dry = max(galley.nights for galley in group) + 1 >= THIRST_NIGHTS
    if dry and not (place.is_port and (not owner or known.is_spared(view.captain, owner))):
        score -= 3
    return score + _far_ports_score(look, end, own)


def _meeting_score(own: int, foes: int) -> float:
    if not foes:
        return 0
    return HUNT_WORTH * foes if own > foes else EVEN_HUNT_WORTH * foes if own == foes else -DANGER_COST * (foes - own)


def _is_enemy_port(look: _CaptainOutlook, port: str) -> bool:
    owner = look.position.ports.get(port, "")
    return bool(owner) and not look.position.is_spared(look.view.captain, owner)


def _port_score(look: _CaptainOutlook, port: str, own: int, foes: int) -> float:
    view, known = look.view, look.position
    owner, worth = known.ports.get(port, ""), known.sea_map.places[port].worth
    if owner and known.is_spared(view.captain, owner):
        near = max(look.enemies_by_place[sea] for sea in known.sea_map.seas_of_port(port))
        threat = max(foes, near)
        if not threat or owner != view.captain:
            return 0
        # Behind the boom fewer galleys hold the port, and one in the port ends a siege (CA-5.6, CA-9.3).
        return GUARD_WORTH * worth * (1 if own >= threat else BOOM_SHARE if threat <= own + worth else 0.1)
    if foes >= own:
        return 0
    by, count = view.sieges.get(port, ("", 0))
    nights = SIEGE_NIGHTS[worth] - (count if by == view.captain else 0)
    return PORT_WORTH * worth / max(1, ceil(nights / own)) + (1.0 * worth if owner else 0.5)


def _far_ports_score(look: _CaptainOutlook, here: str, own: int) -> float:
    """Return the value of the best distant port, the greater the nearer it is and the more it is worth."""
    view, known = look.view, look.position
    best = 0.0
    for port, way in shortest_routes(known.map, len(known.captains), here).items():
        place = known.sea_map.places[port]
        if not place.is_port or not way:
            continue
        owner, turns = known.ports.get(port, ""), (len(way) + 1) / 2
        if owner == view.captain and look.enemies_by_place[port]:
            best = max(best, RELIEF_WORTH * place.worth / turns * min(1.0, own / look.enemies_by_place[port]))
        elif not (owner and known.is_spared(view.captain, owner)):
            if look.is_wary and own == 1 and owner:
                continue
            nights = ceil(SIEGE_NIGHTS[place.worth] / max(1, own))
            best = max(best, FAR_PORT_WORTH * place.worth / (nights + turns) / (1 + look.enemies_by_place[port]))
    return best
