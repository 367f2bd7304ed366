"""The computer captain, who repairs, defends, takes ports, raids and hunts, and sees no more than the seat does.

Each group of galleys in one place scores every route of two legs by what it adds at the end: galleys that would only
double others there are worth more elsewhere. So a large group parts, takes several ports, and meets fleets of its size.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from math import ceil
from typing import Final, NamedTuple

from msgspec import structs

from rules.campaign.engine.money.night import SIEGE_NIGHTS, THIRST_NIGHTS
from rules.campaign.engine.orders import MAX_LEGS, FleetOrder, PortOrders, TurnOrders
from rules.campaign.engine.sea.sight import largest_enemy_fleet
from rules.campaign.engine.sea.state import MAX_GALLEYS, Galley, Position, Stance, building_ports, price_beside
from rules.campaign.engine.sea.ways import route_to_refuge, routes_to_water, shortest_routes
from rules.campaign.interface.view import SeasonView
from rules.chance.dice import Dice
from rules.core.protocol import Request

REPAIR_SHARE: Final = 0.6  # the share of its parts below which a galley goes home to be repaired
PORT_WORTH: Final = 6.0
"""The value of each point of a port's worth if it falls in one night; later falls are worth less."""
GUARD_WORTH: Final = 4.0  # the value of each point of an own port from which enemies can be driven
HUNT_WORTH: Final = 2.0  # the value of meeting an enemy galley with a superior force
EVEN_HUNT_WORTH: Final = 0.5  # the value of meeting one with an equal force
MIN_PARTED: Final = 4  # the number of galleys from which a group may part
PART_SIZES: Final = (2, 3)  # galleys of the first part; the other has two at least
PARTING_COST: Final = 7.0  # what two parts must promise above the whole group, since a larger fleet may meet either
REACH_CHANCE: Final = 0.3  # the chance that a fleet within a turn's legs comes
CAUGHT_COST: Final = 3.0  # the cost of each galley that a larger fleet meets
LONE_COST: Final = 0.5  # the cost of a single galley that does not evade
EXPOSED_COST: Final = 3.0  # its further cost at sea, and where enemies can come
JOIN_WORTH: Final = 1.0  # the value of joining others for a single galley
TOGETHER_WORTH: Final = 0.3  # the value of each galley that another group joins
EVASION_COST: Final = 1.0  # the cost of evading, so that fleets evade only for a reason
LAST_LEG_COST: Final = 0.3  # the cost of each leg on the last turn, so that fleets row only for laurels
BOOM_SHARE: Final = 0.8  # the part of `GUARD_WORTH` for waiting behind the boom
DANGER_COST: Final = 5.0  # the cost of each galley by which enemies are stronger
FAR_PORT_WORTH: Final = 3.0  # the value of each point of a distant port, divided by the time until it can fall
RELIEF_WORTH: Final = 3.0  # the value of each point of a threatened own port, divided by the turns to reach it

_STANCES: Final[tuple[Stance, ...]] = ("attack", "evade")


@dataclass
class _CaptainOutlook:
    view: SeasonView  # what the captain sees
    position: Position  # a position of what the captain knows
    enemies_by_place: Counter[str]  # visible enemy galleys that are not in a battle, by place
    own_by_place: Counter[str] = field(default_factory=Counter)  # own galleys by the place where their orders end
    dice: Dice = field(default_factory=lambda: Dice(seed="00"))  # decide between nearly equal orders
    is_wary: bool = False  # whether a single galley avoids enemy ports, where a fleet may be unseen
    counts_laurels: bool = False  # whether only laurels of this night count, as on the last turn of a hint

    def tie_breaker(self) -> float:
        """Return a small random number, from 0 to 0.1."""
        (value, *_), self.dice = self.dice.draw_block()
        return value / 10


class _Choice(NamedTuple):
    score: float
    order: FleetOrder


def computer_answer(view: SeasonView, _: Request, seed: str) -> TurnOrders:
    """Return the computer's orders, which never ask to play a battle (CA-6.2d)."""
    return structs.replace(fleet_orders(view, seed), dice=None if view.settled_for_dice else True)


def hint_orders(view: SeasonView, _: Request, seed: str) -> TurnOrders:
    """Return the orders of a hint: the computer's, but the choice between play and dice stays with the captain.

    A hint repairs only damaged galleys, leaves no single galley before an enemy port, and uses the booms of own ports.
    It keeps besiegers whose port falls tonight, and on the last turn neither repairs nor builds.
    """
    orders = fleet_orders(view, seed, wary=True)
    port_orders = PortOrders()
    if not _is_last_turn(view):
        has_damage = any(galley.parts_left < galley.full_parts for galley in view.galleys)
        port_orders = structs.replace(orders.port_orders, repair_all=has_damage)
    return structs.replace(orders, fleets=_behind_booms(view, orders.fleets), port_orders=port_orders)


def _is_last_turn(view: SeasonView) -> bool:
    return view.round >= view.turns


def _behind_booms(view: SeasonView, fleets: Sequence[FleetOrder]) -> tuple[FleetOrder, ...]:
    """Return orders in which fleets that stay in an own port evade if a larger fleet can attack them (CA-5.6).

    A galley that is alone in a port evades unless an enemy lies there, since a fleet may come unseen.
    """
    position = view.known_position
    place_by_galley = {galley.id: galley.place for galley in view.galleys}
    staying = [
        fleet
        for fleet in fleets
        if not fleet.route and not fleet.chase and view.ports.get(place_by_galley[fleet.galleys[0]]) == view.captain
    ]
    galleys_by_port = Counter(place_by_galley[name] for fleet in staying for name in fleet.galleys)
    ready_by_port = Counter(
        place_by_galley[name] for fleet in staying if fleet.stance != "evade" for name in fleet.galleys
    )
    after = list(fleets)
    for fleet in staying:
        port = place_by_galley[fleet.galleys[0]]
        is_seen = any(group.galleys > group.engaged for group in view.others_galleys.get(port, ()))
        is_alone = galleys_by_port[port] == 1 and not is_seen
        if is_alone or largest_enemy_fleet(position, view.captain, view.others_galleys, port) > ready_by_port[port]:
            after[after.index(fleet)] = structs.replace(fleet, stance="evade")
    return tuple(after)


def stand_in_orders(view: SeasonView, seed: str) -> TurnOrders:
    """Return orders for a captain who is late or away; talents pay for repairs only (CA-14.1, CA-14.3)."""
    return structs.replace(fleet_orders(view, seed), port_orders=PortOrders(repair_all=True))


def fleet_orders(view: SeasonView, seed: str, *, wary: bool = False) -> TurnOrders:
    """Return orders for a captain's whole fleet. `wary`: consider enemies that are not seen."""
    known_position = view.known_position
    outlook = _CaptainOutlook(
        view=view,
        position=known_position,
        enemies_by_place=_enemies_by_place(view, known_position),
        dice=Dice(seed=seed),
        is_wary=wary,
        counts_laurels=wary and _is_last_turn(view),
    )
    takers = [*_order_takers(outlook)] if wary else []
    taking_ids = {name for order in takers for name in order.galleys}
    free_galleys = [galley for galley in view.galleys if not galley.battle and galley.id not in taking_ids]
    repair_share = 0 if outlook.counts_laurels else REPAIR_SHARE
    damaged = [
        galley for galley in free_galleys if galley.is_lame or galley.parts_left < repair_share * galley.full_parts
    ]
    fleets = [*takers, *(_order_home(outlook, galley) for galley in damaged)]
    groups: dict[str, list[Galley]] = {}
    for galley in free_galleys:
        if galley not in damaged:
            groups.setdefault(galley.place, []).append(galley)
    # the largest groups choose first, and others join them or go elsewhere
    for group in sorted(groups.values(), key=lambda group_of_place: (-len(group_of_place), group_of_place[0].id)):
        fleets += _best_orders(outlook, group)
    return TurnOrders(
        fleets=tuple(fleets), port_orders=PortOrders(build=tuple(_choose_builds(outlook)), repair_all=True)
    )


def _enemies_by_place(view: SeasonView, known: Position) -> Counter[str]:
    enemies = Counter[str]()
    for place, groups in view.others_galleys.items():
        for group in groups:
            if not known.is_spared(view.captain, group.captain):
                enemies[place] += group.galleys - group.engaged
    return +enemies


def _choose_builds(outlook: _CaptainOutlook) -> Iterator[tuple[str, int]]:
    """Yield a galley for each safe yard, the home first, as long as the talents last."""
    view, position = outlook.view, outlook.position
    talents, galleys = view.talents, len(view.galleys)
    home = position.home_city(view.captain)
    safe = [port for port in building_ports(position, view.captain) if not outlook.enemies_by_place[port]]
    for port in sorted(safe, key=lambda port: port != home):
        talents -= price_beside(galleys)
        if talents < 0 or galleys >= MAX_GALLEYS:
            return
        holes = (5, 4, 6)[int(outlook.tie_breaker() * 30) % 3]  # a random type
        yield port, holes
        galleys += 1


# --- one fleet ---------------------------------------------------------------------------------------------------


def _order_takers(outlook: _CaptainOutlook) -> Iterator[FleetOrder]:
    """Yield orders to stay for besiegers whose port falls tonight if nobody comes, and count them there (CA-9.3)."""
    view, places = outlook.view, outlook.position.sea_map.places
    for port in sorted({galley.place for galley in view.galleys}):
        owner = view.ports.get(port, "")
        is_friendly = owner != "" and outlook.position.is_spared(view.captain, owner)
        if not places[port].is_port or is_friendly or outlook.enemies_by_place[port]:
            continue
        sound = [
            galley.id for galley in view.galleys if galley.place == port and not galley.battle and not galley.is_lame
        ]
        if sound and _galley_nights_left(outlook, port) <= len(sound):
            outlook.own_by_place[port] += len(sound)
            yield FleetOrder(galleys=tuple(sound), stance="attack")


def _galley_nights_left(outlook: _CaptainOutlook, port: str) -> int:
    """Return the galley-nights after which a port falls to the captain."""
    besieger, nights_so_far = outlook.view.sieges.get(port, ("", 0))
    nights = SIEGE_NIGHTS[outlook.position.sea_map.places[port].worth]
    return nights - (nights_so_far if besieger == outlook.view.captain else 0)


def _order_home(outlook: _CaptainOutlook, galley: Galley) -> FleetOrder:
    view, position = outlook.view, outlook.position
    besieged = {port for port in position.ports_of(view.captain) if outlook.enemies_by_place[port]}
    if position.ports.get(galley.place) == view.captain and galley.place not in besieged:
        return FleetOrder(galleys=(galley.id,), stance="evade")
    legs = 1 if galley.is_lame else MAX_LEGS
    route = route_to_refuge(position, view.captain, galley.place, besieged)[:legs]
    if galley.nights + 1 >= THIRST_NIGHTS and not position.sea_map.places[(galley.place, *route)[-1]].is_port:
        route = next(iter(routes_to_water(position, view.captain, galley.place, legs)), route)
    return FleetOrder(galleys=(galley.id,), route=route, stance="evade")


def _best_orders(outlook: _CaptainOutlook, group: Sequence[Galley]) -> tuple[FleetOrder, ...]:
    """Return the best orders for galleys of one place, together or in two parts, and count them at their ends."""
    count = len(group)
    partings: list[tuple[int, ...]] = [(count,)]
    if count >= MIN_PARTED:
        partings += [(first, count - first) for first in PART_SIZES if count - first >= min(PART_SIZES)]
    options = []
    for sizes in partings:
        trial = replace(outlook, own_by_place=Counter(outlook.own_by_place))
        parts = (group[:size] if number == 0 else group[-size:] for number, size in enumerate(sizes))
        choices = [_best_choice(trial, part) for part in parts]
        outlook.dice = trial.dice
        promise = sum(choice.score for choice in choices) - PARTING_COST * (len(sizes) - 1)
        options.append((promise, choices, trial))
    _, choices, trial = max(options, key=lambda option: option[0])
    outlook.own_by_place = trial.own_by_place
    return tuple(choice.order for choice in choices)


def _best_choice(outlook: _CaptainOutlook, group: Sequence[Galley]) -> _Choice:
    here = group[0].place
    routes = [*_possible_routes(outlook, here)]
    is_thirsty = max(galley.nights for galley in group) + 1 >= THIRST_NIGHTS and not outlook.counts_laurels
    if is_thirsty and routes_to_water(outlook.position, outlook.view.captain, here, MAX_LEGS):
        # no place at sea is worth the oars that thirst costs every galley
        routes = [route for route in routes if outlook.position.sea_map.places[(here, *route)[-1]].is_port]
    names = tuple(galley.id for galley in group)
    best = max(
        (
            _Choice(
                _route_score(outlook, group, route, stance) + outlook.tie_breaker(),
                FleetOrder(galleys=names, route=route, stance=stance),
            )
            for route in routes
            for stance in _STANCES
        ),
        key=lambda choice: choice.score,
    )
    outlook.own_by_place[best.order.route[-1] if best.order.route else here] += len(group)
    return best


def _possible_routes(outlook: _CaptainOutlook, start: str) -> Iterator[tuple[str, ...]]:
    position = outlook.position
    for route in shortest_routes(position.map, len(position.captains), start).values():
        if len(route) <= MAX_LEGS:
            yield route


def _route_score(outlook: _CaptainOutlook, group: Sequence[Galley], route: Sequence[str], stance: Stance) -> float:
    """Return how good it is for galleys of one place to row a route: what they add at its end, and its dangers."""
    view, position = outlook.view, outlook.position
    end = route[-1] if route else group[0].place
    own_before, enemy_count = outlook.own_by_place[end], outlook.enemies_by_place[end]
    own_count = len(group) + own_before
    score = -LAST_LEG_COST * len(route) if outlook.counts_laurels else TOGETHER_WORTH * own_before - 0.05 * len(route)
    if not outlook.counts_laurels and own_before and len(group) == 1:
        score += JOIN_WORTH
    if stance == "attack":
        score += _place_value(outlook, end, own_count) - _place_value(outlook, end, own_before)
        for code in route[:-1]:  # enemies may be met on the way
            score += 0.5 * _meeting_score(len(group), outlook.enemies_by_place[code])
    else:
        score -= EVASION_COST
        if position.ports.get(end) == view.captain:
            score += _guard_score(outlook, end, own_count) - _guard_score(outlook, end, own_before)
        elif enemy_count and (enemy_count == own_count or any(galley.is_lame for galley in group)):
            score -= DANGER_COST  # they can't slip away (CA-5.5)
    if outlook.counts_laurels:
        return score
    needs_water = max(galley.nights for galley in group) + 1 >= THIRST_NIGHTS
    if needs_water and (not position.sea_map.places[end].is_port or _is_enemy_port(outlook, end)):
        score -= 3
    return score + _far_ports_score(outlook, end, own_count)


def _place_value(outlook: _CaptainOutlook, end: str, own_count: int) -> float:
    """Return the value of a number of galleys that attack where their route ends: fights and ports."""
    if not own_count:
        return 0
    place = outlook.position.sea_map.places[end]
    enemy_count, threat = outlook.enemies_by_place[end], _largest_fleet_near(outlook, end)
    value = _meeting_score(own_count, enemy_count)
    if threat > own_count:
        value -= REACH_CHANCE * CAUGHT_COST * own_count
    else:
        value += REACH_CHANCE * _meeting_score(own_count, threat)
    if own_count == 1:
        value -= LONE_COST + EXPOSED_COST * (not place.is_port) + EXPOSED_COST * (threat > 0)
        if outlook.is_wary and (not place.is_port or _is_enemy_port(outlook, end)):
            value -= DANGER_COST
    if outlook.counts_laurels and not place.is_port:
        return value  # a raid brings talents only
    if place.is_port:
        return value + _port_score(outlook, end, own_count, enemy_count)
    return value + sum(
        0.5 * outlook.position.sea_map.places[port].worth for port in place.legs if _is_enemy_port(outlook, port)
    )


def _largest_fleet_near(outlook: _CaptainOutlook, place: str) -> int:
    """Return the number of galleys of the largest visible fleet that can row to a place in one turn."""
    routes = shortest_routes(outlook.position.map, len(outlook.position.captains), place).items()
    return max((outlook.enemies_by_place[code] for code, route in routes if 0 < len(route) <= MAX_LEGS), default=0)


def _guard_score(outlook: _CaptainOutlook, port: str, own_count: int) -> float:
    return _port_score(outlook, port, own_count, outlook.enemies_by_place[port]) if own_count else 0


def _meeting_score(own_count: int, enemy_count: int) -> float:
    if not enemy_count:
        return 0
    if own_count > enemy_count:
        return HUNT_WORTH * enemy_count
    return EVEN_HUNT_WORTH * enemy_count if own_count == enemy_count else -DANGER_COST * (enemy_count - own_count)


def _is_enemy_port(outlook: _CaptainOutlook, port: str) -> bool:
    owner = outlook.position.ports.get(port, "")
    return bool(owner) and not outlook.position.is_spared(outlook.view.captain, owner)


def _port_score(outlook: _CaptainOutlook, port: str, own_count: int, enemy_count: int) -> float:
    """Return the value of a port for galleys that end the turn there: as its guards, or as besiegers."""
    view, position = outlook.view, outlook.position
    owner, worth = position.ports.get(port, ""), position.sea_map.places[port].worth
    if owner and position.is_spared(view.captain, owner):  # an own or a friend's port, to be guarded
        enemies_at_sea = max(outlook.enemies_by_place[sea] for sea in position.sea_map.seas_of_port(port))
        threat = max(enemy_count, enemies_at_sea)
        if not threat or owner != view.captain:
            return 0
        # behind the boom fewer galleys hold the port, and one in the port ends a siege (CA-5.6, CA-9.3)
        if own_count >= threat:
            chance = 1.0
        elif threat <= own_count + worth:
            chance = BOOM_SHARE
        else:
            chance = 0.1
        return GUARD_WORTH * worth * chance
    if enemy_count >= own_count:
        return 0
    nights = _galley_nights_left(outlook, port)
    if outlook.counts_laurels and nights > own_count:
        return 0
    bonus = 1.0 * worth if owner else 0.5  # a port that an enemy loses is worth more than a free one
    return PORT_WORTH * worth / max(1, ceil(nights / own_count)) + bonus


def _far_ports_score(outlook: _CaptainOutlook, start: str, own_count: int) -> float:
    """Return the value of the best distant port, the greater the nearer it is and the more it is worth."""
    view, position = outlook.view, outlook.position
    best = 0.0
    for port, route in shortest_routes(position.map, len(position.captains), start).items():
        place = position.sea_map.places[port]
        if not place.is_port or not route:
            continue
        owner, turns = position.ports.get(port, ""), (len(route) + 1) / 2
        enemies = outlook.enemies_by_place[port]
        is_friendly = owner != "" and position.is_spared(view.captain, owner)
        is_too_dangerous = outlook.is_wary and own_count == 1 and owner != ""
        if owner == view.captain and enemies:  # relieve it
            best = max(best, RELIEF_WORTH * place.worth / turns * min(1.0, own_count / enemies))
        elif not is_friendly and not is_too_dangerous:  # besiege it
            nights = ceil(SIEGE_NIGHTS[place.worth] / max(1, own_count))
            best = max(best, FAR_PORT_WORTH * place.worth / (nights + turns) / (1 + enemies))
    return best
