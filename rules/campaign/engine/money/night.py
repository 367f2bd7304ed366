"""The night: sieges, raids, income, yards, water, aid and corsairs (CA-9 to CA-11, CA-14)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from typing import Literal

from msgspec import structs

from rules.campaign.engine import events
from rules.campaign.engine.orders import PortOrdersByCaptain
from rules.campaign.engine.sea.state import (
    MASTS_BY_OARS,
    MAX_GALLEYS,
    TURNS_PER_MONTH,
    Galley,
    galley_price,
    new_galley,
)
from rules.campaign.engine.sea.state import building_ports as yards_of
from rules.campaign.engine.work import TurnInProgress
from rules.core.sides import seat_of

PARTS_PER_TALENT = 4  # CA-10.5: parts that a talent repairs


def repair_galley(galley: Galley, parts: int) -> Galley:
    """Return a galley with up to `parts` repaired: oars of the weaker side, else of port, then masts (CA-10.5)."""
    port, starboard, masts = galley.port, galley.starboard, galley.masts
    for _ in range(parts):
        if min(port, starboard) < galley.holes:
            if port <= starboard:
                port += 1
            else:
                starboard += 1
        elif masts < MASTS_BY_OARS[galley.holes]:
            masts += 1
    return structs.replace(galley, port=port, starboard=starboard, masts=masts)


def repair_fleet(
    work: TurnInProgress, captain: str, orders_by_captain: PortOrdersByCaptain, closed: Collection[str]
) -> None:
    """Repair a captain's galleys, by number, as long as talents last (CA-10.5)."""
    port_orders = orders_by_captain.get(captain)
    if not port_orders:
        return
    for galley in work.galleys_of(captain):
        galley_turn = work.turns_by_galley[galley.id]
        is_ordered = port_orders.repair_all or galley.id in port_orders.repair
        is_moored = work.position.ports.get(galley.place) == captain and galley.place not in closed
        lies_still = not (galley.battle or galley_turn.has_rowed or galley_turn.has_fought)
        is_damaged = galley.parts_left < galley.full_parts
        if is_ordered and is_moored and lies_still and is_damaged and work.position.talents[captain]:
            repaired = work.galleys[galley.id] = repair_galley(galley, PARTS_PER_TALENT)
            work.add_talents(captain, -1)
            work.add_event(
                events.GalleyRepaired(
                    galley=galley.id,
                    port=repaired.port,
                    starboard=repaired.starboard,
                    masts=repaired.masts,
                    seen_by=(seat_of(captain),),
                    rule="CA-10.5",
                )
            )


def launch_ordered(
    work: TurnInProgress, captain: str, orders_by_captain: PortOrdersByCaptain, closed: Collection[str]
) -> None:
    """Launch the galleys that a captain has ordered, in the order written (CA-10.4)."""
    port_orders = orders_by_captain.get(captain)
    if not port_orders:
        return
    used: set[str] = set()  # ports that have launched a galley in this night
    for port, holes in port_orders.build:
        if obstacle := _launch_obstacle(work, captain, port, used, closed):
            work.add_event(
                events.LaunchFailed(port=port, by=captain, why=obstacle, seen_by=(seat_of(captain),), rule="CA-10.4")
            )
            continue
        cost = galley_price(work.to_position(), captain)
        work.add_talents(captain, -cost)
        used.add(port)
        galley = work.renumbered(new_galley(captain, 0, port, holes))
        launched = events.GalleyLaunched(
            port=port, galley=galley.id, price=cost, seen_by=(seat_of(captain),), rule="CA-10.4"
        )
        work.add_event(launched)
        if seers := work.other_seats_seeing(port, captain):
            work.add_event(events.LaunchSeen(port=port, captain=captain, seen_by=seers, rule="CA-10.4"))


LaunchObstacle = Literal["no_yard", "closed", "busy", "full", "dear"]


def _launch_obstacle(
    work: TurnInProgress, captain: str, port: str, used: Collection[str], closed: Collection[str]
) -> LaunchObstacle | None:
    if port not in yards_of(work.position, captain):
        return "no_yard"
    if port in closed:
        return "closed"
    if port in used:
        return "busy"
    if len(work.galleys_of(captain)) >= MAX_GALLEYS:
        return "full"
    return "dear" if work.position.talents[captain] < galley_price(work.to_position(), captain) else None


SIEGE_NIGHTS: dict[int, int] = {1: 2, 2: 6, 3: 12}  # CA-9.3: galley-nights at which a port falls, by its worth
THIRST_NIGHTS = 3  # CA-11.2: nights away from water from which a crew suffers
AID_INTERVAL = 2 * TURNS_PER_MONTH  # CA-10.7: turns between two galleys sent as aid


def carry_out_night(work: TurnInProgress, orders: PortOrdersByCaptain) -> None:
    """Carry out the night (CA-2.2)."""
    closed = _carry_out_sieges(work)
    income = {
        port: work.position.sea_map.places[port].worth for port in sorted(work.position.ports) if port not in closed
    }
    _carry_out_raids(work, income)
    income_by_captain = Counter[str]()
    for port, talents in income.items():
        work.add_talents(work.position.ports[port], talents)
        income_by_captain[work.position.ports[port]] += talents
    for captain in work.position.precedence:
        repair_fleet(work, captain, orders, closed)
        launch_ordered(work, captain, orders, closed)
    for captain in work.position.captains:
        talents_left = work.position.talents[captain]
        seen_by = (seat_of(captain),)
        work.add_event(
            events.NightAccounted(
                captain=captain,
                income=income_by_captain[captain],
                talents=talents_left,
                seen_by=seen_by,
                rule="CA-10.1",
            )
        )
    _count_thirst(work)
    _send_aid(work, closed)
    _send_corsairs(work)


def _galleys_before(work: TurnInProgress, port: str) -> list[Galley]:
    """Return the galleys before a port (CA-9.1)."""
    owner = work.position.ports.get(port, "")
    return [
        galley
        for galley in work.in_order(work.free_galleys())
        if galley.place == port
        and galley.captain != owner
        and work.turns_by_galley[galley.id].stance != "evade"
        and not (owner and work.position.is_spared(galley.captain, owner))
    ]


def _carry_out_sieges(work: TurnInProgress) -> frozenset[str]:
    """Carry out sieges; return the ports blockaded or fallen, which have no income this night (CA-9.2 to CA-9.4)."""
    closed_ports = set()
    sieges: dict[str, tuple[str, int]] = {}
    for place in work.position.sea_map.places.values():
        present = _galleys_before(work, place.code) if place.is_port else []
        if not present:
            continue
        closed_ports.add(place.code)
        if not _is_besieging(work, place.code, present):
            continue
        sound_galleys = Counter(galley.captain for galley in present if not galley.is_lame)
        captains = [
            captain for captain in work.position.precedence if any(galley.captain == captain for galley in present)
        ]
        besieger = max(captains, key=lambda captain: sound_galleys[captain])
        besieger_before, nights_before = work.position.sieges.get(place.code, (besieger, 0))
        goes_on = work.position.team_of(besieger_before) == work.position.team_of(besieger)
        nights = sound_galleys.total() + (nights_before if goes_on else 0)
        if nights >= SIEGE_NIGHTS[place.worth]:
            _capture_port(work, place.code, besieger)
        elif nights:
            sieges[place.code] = (besieger, nights)
            work.add_event(
                events.PortBesieged(
                    port=place.code,
                    owner=work.position.ports.get(place.code, ""),
                    by=besieger,
                    nights=nights,
                    of=SIEGE_NIGHTS[place.worth],
                    seen_by=work.seats_seeing(place.code),
                    rule="CA-9.3",
                )
            )
    work.change(sieges=sieges)
    return frozenset(closed_ports)


def _is_besieging(work: TurnInProgress, port: str, present: list[Galley]) -> bool:
    """Return whether the galleys before a port besiege it, rather than only blockade it (CA-9.3, CA-9.4)."""
    position = work.position
    owner = position.ports.get(port, "")
    owner_allies = position.captains_of_side(owner) if owner else ""
    is_one_side = len({position.team_of(galley.captain) for galley in present}) == 1
    is_guarded = any(galley.place == port and galley.captain in owner_allies for galley in work.free_galleys())
    has_battle = any(battle.place == port for battle in position.battles)
    return is_one_side and not is_guarded and not has_battle


def _capture_port(work: TurnInProgress, port: str, by: str) -> None:
    previous_owner = work.position.ports.get(port, "")
    ports = work.position.ports
    work.change(ports={**ports, port: by})
    worth = work.position.sea_map.places[port].worth
    work.add_event(events.PortFell(port=port, by=by, was=previous_owner, worth=worth, rule="CA-9.3"))


def _carry_out_raids(work: TurnInProgress, income: dict[str, int]) -> None:
    """Let galleys at sea take income from enemy ports, which reduces `income` (CA-9.5)."""
    position = work.position
    for captain in position.precedence:
        raiders_by_sea = Counter(
            galley.place
            for galley in work.free_galleys()
            if galley.captain == captain
            and not galley.is_lame
            and work.turns_by_galley[galley.id].stance == "attack"
            and not position.sea_map.places[galley.place].is_port
        )
        for sea in sorted(raiders_by_sea):
            raiders_left = raiders_by_sea[sea]
            enemy_ports = [
                port
                for port in position.sea_map.ports_on_sea(sea)
                if _is_unguarded_enemy_port(work, captain, port, sea)
            ]
            for port in sorted(enemy_ports, key=lambda code: (-income.get(code, 0), code)):
                loot = min(raiders_left, income.get(port, 0))
                if loot:
                    raiders_left -= loot
                    income[port] -= loot
                    work.add_talents(captain, loot)
                    owner = position.ports[port]
                    seers = work.seats_seeing(port, owner, captain)
                    raided = events.PortRaided(
                        port=port, owner=owner, by=captain, talents=loot, seen_by=seers, rule="CA-9.5"
                    )
                    work.add_event(raided)


def _is_unguarded_enemy_port(work: TurnInProgress, captain: str, port: str, sea: str) -> bool:
    owner = work.position.ports.get(port, "")
    if not owner or work.position.is_spared(captain, owner):
        return False
    guards = work.position.captains_of_side(owner)
    return not any(galley.place in (port, sea) and galley.captain in guards for galley in work.free_galleys())


def _count_thirst(work: TurnInProgress) -> None:
    """Count nights away, apply thirst, and let rested crews repair (CA-8.3, CA-11.1, CA-11.2, CA-11.3)."""
    position = work.position
    for galley in work.in_order(work.free_galleys()):
        owner = position.ports.get(galley.place, "")
        has_water = position.sea_map.places[galley.place].is_port and (
            not owner or position.is_spared(galley.captain, owner)
        )
        nights = 0 if has_water or not position.ports_of(galley.captain) else galley.nights + 1
        rested = work.update_galley(galley.id, nights=nights)
        if nights >= THIRST_NIGHTS:
            port, starboard = max(1, galley.port - 1), max(1, galley.starboard - 1)
            work.update_galley(galley.id, port=port, starboard=starboard)
            work.add_event(events.CrewThirsted(galley=galley.id, seen_by=(seat_of(galley.captain),), rule="CA-11.2"))
        elif not work.turns_by_galley[galley.id].has_fought:
            work.galleys[galley.id] = repair_galley(rested, rested.rank)


def _send_aid(work: TurnInProgress, closed: frozenset[str]) -> None:
    """Send a galley to the side that alone has the fewest laurels (CA-10.7)."""
    position = work.position
    is_aid_due = position.turn % AID_INTERVAL == 0 and position.turn != position.turns
    if not is_aid_due:
        return
    laurels: Counter[int] = Counter(dict.fromkeys(position.teams, 0))
    for captain in position.captains:
        laurels[position.team_of(captain)] += position.laurels_of(captain)
    last_teams = [team for team in laurels if laurels[team] == min(laurels.values())]
    if len(last_teams) > 1:
        return
    captains_of_last_side = [captain for captain in position.precedence if position.team_of(captain) == last_teams[0]]
    captain = min(captains_of_last_side, key=lambda ally: len(work.galleys_of(ally)))
    if len(work.galleys_of(captain)) >= MAX_GALLEYS:
        return
    home = position.home_city(captain)
    is_home_safe = position.ports.get(home) == captain and home not in closed
    place = home if is_home_safe else position.sea_map.sea_before(home)
    galley = work.renumbered(new_galley(captain, 0, place))
    work.add_event(events.AidSent(galley=galley.id, place=place, rule="CA-10.7"))


def _send_corsairs(work: TurnInProgress) -> None:
    """Send a galley to each captain without ports and with fewer than two galleys, every even turn (CA-14.4)."""
    position = work.position
    if position.turn % 2:
        return
    for captain in position.precedence:
        if not position.ports_of(captain) and len(work.galleys_of(captain)) < 2:
            place = position.sea_map.sea_before(position.home_city(captain))
            galley = work.renumbered(new_galley(captain, 0, place))
            work.add_event(events.CorsairJoined(galley=galley.id, rule="CA-14.4"))
