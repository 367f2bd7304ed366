"""Boarding: a round in every fighting cluster, then the prizes of decided ones (RS-11, RS-12)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from rules.ramspeed.engine import events
from rules.ramspeed.engine.events import CrewAboard
from rules.ramspeed.engine.geometry import modifiers
from rules.ramspeed.engine.geometry.modifiers import Modifier
from rules.ramspeed.engine.phases.play import TurnInProgress, separate_cluster, sink_ship
from rules.ramspeed.engine.state import Position, Ship, id_sort_key
from rules.ramspeed.engine.tables import CONSTANTS, TABLES, Nation

SideNumbers = tuple[int, int]  # one number per side, that of seat 0 first


class DecidedCluster(NamedTuple):
    names: tuple[str, ...]  # ids of the linked ships
    winner: str  # the winning side; empty if no crew is left (RS-11.9) or only one side is present (RS-11.10)
    rule: str  # the rule that ends the melee


def find_clusters(position: Position) -> tuple[tuple[str, ...], ...]:
    """Return the ships of every cluster, in the order of the clusters' lowest ids."""
    clusters: list[tuple[str, ...]] = []
    clustered_ids: set[str] = set()
    for ship in position.ships:
        if ship.id not in clustered_ids and ship.is_afloat and position.is_locked(ship.id):
            clusters.append(tuple(member.id for member in position.cluster_of(ship.id)))
            clustered_ids |= {*clusters[-1]}
    return tuple(clusters)


def is_waiting(position: Position, names: tuple[str, ...]) -> bool:
    """Return whether a cluster is held together only by ships stuck in this turn (RS-11.2)."""
    return all(link.kind == "stuck" and link.fresh for link in position.links if link.a in names)


def fight_melees(play: TurnInProgress) -> None:
    """Run MELEE and PRIZE: all rounds first, then the prizes, in cluster order (RS-11.2)."""
    results = [
        _fight_round(play, names) for names in find_clusters(play.position) if not is_waiting(play.position, names)
    ]
    for cluster in filter(None, results):
        if cluster.winner:
            _settle_prizes(play, cluster)
        separate_cluster(play, cluster.names, cluster.rule)


def _side_strengths(position: Position, names: Iterable[str]) -> SideNumbers:
    ships = [position.ship_by_id(name) for name in names]
    a, b = (sum(ship.crew for ship in ships if position.side_of_ship(ship) == side) for side in position.sides)
    return a, b


def _fight_round(play: TurnInProgress, names: tuple[str, ...]) -> DecidedCluster | None:
    """Fight a round if both sides have crew, and return the cluster if it is decided, else None (RS-11.2, RS-11.8)."""
    position = play.position
    ships = [position.ship_by_id(name) for name in names]
    if len({position.side_of_ship(ship) for ship in ships}) == 1:
        return DecidedCluster(names, "", "RS-11.10")
    strengths = _side_strengths(position, names)
    if all(strengths):
        play.attacked = True
        dice = tuple(_roll_casualties(play, names, strengths[number]) for number in (0, 1))  # of each side
        side_modifiers = tuple(
            (*modifiers.strength_modifiers(strengths[number]), *_nation_modifiers(position, ships, side))
            for number, side in enumerate(position.sides)
        )
        inflicted = tuple(max(0, sum(dice[number]) + modifiers.total(side_modifiers[number])) for number in (0, 1))
        for number, side in enumerate(position.sides):
            _remove_men(play, names, side, inflicted[1 - number])
        by_side = tuple(ship.id for side in position.sides for ship in ships if position.side_of_ship(ship) == side)
        play.add_event(
            events.MeleeFought(
                ships=by_side,
                strengths=strengths,
                dice=(dice[0], dice[1]),
                modifiers=(side_modifiers[0], side_modifiers[1]),
                inflicted=(inflicted[0], inflicted[1]),
                crews=tuple(play.ship_now(name).crew for name in by_side),
                rule="RS-11.4",
            )
        )
        strengths = _side_strengths(play.position, names)
    if all(strengths):
        return None
    if not any(strengths):
        return DecidedCluster(names, "", "RS-11.9")
    winner = position.sides[0] if strengths[0] else position.sides[1]
    return DecidedCluster(names, winner, "RS-12.8")


def _roll_casualties(play: TurnInProgress, names: tuple[str, ...], strength: int) -> tuple[int, ...]:
    row = next(row for row in TABLES.melee if strength >= row.least)
    return tuple(play.throw_die(f"melee {names[0]}") for _ in range(row.dice))


def count_casualties(strength: int, dice: tuple[int, ...], bonus: int) -> int:
    """Return the casualties that a side inflicts, by its strength before the round (RS-11.4, RS-11.5)."""
    return max(0, sum(dice) + modifiers.total(modifiers.strength_modifiers(strength)) + bonus)


def melee_bonus(position: Position, ships: Sequence[Ship], side: str) -> int:
    """Return the best bonus of the nations of a side's ships in a cluster (RS-11.5, RS-13.2)."""
    return modifiers.total(_nation_modifiers(position, ships, side))


def _nation_modifiers(position: Position, ships: Sequence[Ship], side: str) -> tuple[Modifier, ...]:
    """Return the best bonus of the nations of a side's ships in a cluster, if they have any.

    With fleets of several nations it is the bonus of the nation with most men (RS-22.7).
    """
    own = [ship for ship in ships if position.side_of_ship(ship) == side]
    enemies = [ship for ship in ships if position.side_of_ship(ship) != side]
    if position.mixed:
        own_nations, enemy_nations = {_majority_nation(own)}, {_majority_nation(enemies)}
    else:
        own_nations, enemy_nations = {ship.nation for ship in own}, {ship.nation for ship in enemies}
    bonuses = [
        Modifier("nation", traits.melee, nation=nation)
        for nation, traits in TABLES.nations.items()
        if nation in own_nations and (not traits.melee_against or traits.melee_against in enemy_nations)
    ]
    best = max(bonuses, key=lambda bonus: bonus.amount, default=None)
    return (best,) if best and best.amount else ()


def _majority_nation(ships: Iterable[Ship]) -> Nation | None:
    """Return the nation with most men on these ships; None if two have as many."""
    men: Counter[Nation] = Counter()
    for ship in ships:
        men[ship.nation] += ship.crew
    most = max(men.values(), default=0)
    largest = [nation for nation, count in men.items() if count == most]
    return largest[0] if len(largest) == 1 and most else None


def _ships_of_side(position: Position, names: Iterable[str], side: str) -> list[Ship]:
    ships = [position.ship_by_id(name) for name in names]
    return [ship for ship in ships if ship.is_afloat and position.side_of_ship(ship) == side]


def _by_crew(ships: Iterable[Ship]) -> list[Ship]:
    return sorted(ships, key=lambda ship: (-ship.crew, id_sort_key(ship.id)))


def _remove_men(play: TurnInProgress, names: tuple[str, ...], side: str, losses: int) -> None:
    """Remove a side's losses one by one, each from its ship with the largest crew (RS-11.7)."""
    for _ in range(losses):
        ships = [ship for ship in _ships_of_side(play.position, names, side) if ship.crew]
        if not ships:
            return
        ship = _by_crew(ships)[0]
        play.change_ship(ship.id, crew=ship.crew - 1)


# --- prizes ------------------------------------------------------------------------------------------------------


def _settle_prizes(play: TurnInProgress, cluster: DecidedCluster) -> None:
    """Capture, sink or leave each ship of the losing side."""
    losers = [name for name in cluster.names if play.position.side_of_ship(play.ship_now(name)) != cluster.winner]
    captured_rammers = _free_rammers(play, cluster, losers)
    prizes: list[str] = []
    for name in losers:
        if name in captured_rammers or not play.ship_now(name).is_afloat:
            continue
        if _is_victim(play, name):
            sink_ship(play, name, "separation", "RS-12.5")
        else:
            _settle_prize(play, cluster, name, prizes)


def _is_victim(play: TurnInProgress, name: str) -> bool:
    return any(link.kind == "stuck" and link.b == name for link in play.position.links)


def _free_rammers(play: TurnInProgress, cluster: DecidedCluster, losers: list[str]) -> list[str]:
    """Move crews of winning victims to their rammers, and sink the victims (RS-12.6). Return the captured rammers."""
    captured_rammers: list[str] = []
    for victim in [name for name in cluster.names if name not in losers and _is_victim(play, name)]:
        ship = play.ship_now(victim)
        if not ship.is_afloat:
            continue
        links = [link for link in play.position.links if link.kind == "stuck" and link.b == victim]
        if not any(link.a in losers for link in links):
            continue  # the winner owns all rammers: none is captured, and the victim sinks when links dissolve
        men = ship.crew
        for rammer in sorted((link.a for link in links), key=id_sort_key):
            if rammer not in losers or _is_victim(play, rammer) or not men:
                continue
            prize = play.ship_now(rammer)
            men_aboard = min(men, prize.ship_class.crew_max - prize.crew)
            men -= men_aboard
            crew = prize.crew + men_aboard
            play.change_ship(rammer, crew=crew, owner=ship.owner, nation=ship.nation)
            play.add_event(
                events.ShipCaptured(ship=rammer, player=ship.owner, crew=crew, nation=ship.nation, rule="RS-12.6")
            )
            captured_rammers.append(rammer)
        sink_ship(play, victim, "separation", "RS-12.6", _take_crew_aboard(play, cluster, victim, men))
    return captured_rammers


def _take_crew_aboard(play: TurnInProgress, cluster: DecidedCluster, victim: str, men: int) -> tuple[CrewAboard, ...]:
    """Move a victim's remaining men to other ships of their side. Return these ships with their new crews."""
    saved: list[CrewAboard] = []
    for other in _ships_of_side(play.position, cluster.names, cluster.winner):
        if other.id == victim or _is_victim(play, other.id):
            continue
        men_aboard = min(men, other.ship_class.crew_max - other.crew)
        men -= men_aboard
        if men_aboard:
            play.change_ship(other.id, crew=other.crew + men_aboard)
            saved.append(CrewAboard(other.id, other.crew + men_aboard))
    return tuple(saved)


def _settle_prize(play: TurnInProgress, cluster: DecidedCluster, name: str, prizes: list[str]) -> None:
    """Capture, sink or leave one ship, by the doctrine of the largest donor of its new crew (RS-12.2, RS-12.4).

    A captured ship is added to `prizes`, which give no men.
    """
    prize = play.ship_now(name)
    winning_ships = _ships_of_side(play.position, cluster.names, cluster.winner)
    donors = _by_crew(ship for ship in winning_ships if ship.crew and ship.id not in prizes)
    doctrine = play.doctrine_of(donors[0]).prize if donors else "sink"
    if doctrine == "leave":
        play.add_event(events.DerelictLeft(ship=name, rule="RS-12.4"))
        return
    men_to_spare = sum(ship.crew - 1 for ship in donors)  # each keeps a man
    prize_crew = min(doctrine, prize.ship_class.crew_max, men_to_spare) if isinstance(doctrine, int) else 0
    if prize_crew < CONSTANTS.prize_crew:
        sink_ship(play, name, "prize", "RS-12.1")
        return
    men_wanted = prize_crew
    crews_left: list[CrewAboard] = []
    for donor in donors:
        men_given = min(men_wanted, donor.crew - 1)
        men_wanted -= men_given
        if men_given:
            play.change_ship(donor.id, crew=donor.crew - men_given)
            crews_left.append(CrewAboard(donor.id, donor.crew - men_given))
    captor = donors[0]
    play.change_ship(name, crew=prize_crew, owner=captor.owner, nation=captor.nation)
    prizes.append(name)
    play.add_event(
        events.ShipCaptured(
            ship=name,
            player=captor.owner,
            crew=prize_crew,
            nation=captor.nation,
            gave=tuple(crews_left),
            rule="RS-12.2",
        )
    )
