"""The reach of a ship, its possible attacks, and reasons against the others."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Final

import numpy as np
import shapely
from msgspec import structs

from rules.ramspeed.engine import odds
from rules.ramspeed.engine.geometry import aim, hulls, moves
from rules.ramspeed.engine.geometry.aim import Approach, LegalAttack
from rules.ramspeed.engine.geometry.hindrance import OUT_OF_REACH_RULES, is_out_of_reach
from rules.ramspeed.engine.geometry.hindrance import attack_reach as furthest
from rules.ramspeed.engine.geometry.hulls import Hulls, forward_vector
from rules.ramspeed.engine.notation import sheets
from rules.ramspeed.engine.orders import Alternative, AttackOrder, GrappleOrder, RamOrder, SwipeOrder, TurnOrder
from rules.ramspeed.engine.phases import fire
from rules.ramspeed.engine.state import Position, Ship
from rules.ramspeed.engine.tables import CONSTANTS
from rules.ramspeed.interface.preview import attack_path, modifier_and_odds
from rules.ramspeed.interface.view import AimProblem, AttackPreview, Pose, Reach, Strike, pose_of

Point = tuple[float, float]


def find_blocker(position: Position, ship: Ship, target: Ship, max_run: float) -> Point | None:
    """Return a point to mark as the obstacle to an attack: of what blocks a straight run, else of what is nearest.

    `max_run` is in inches. None: neither a ship, land nor the edge is near.
    """
    hull, target_hull = hulls.hull_of(ship), hulls.hull_of(target)
    forward = forward_vector(ship.heading)
    directions = hulls.stack_vectors([forward])
    obstacles = hulls.find_obstacles(position, without=[ship.id, target.id]).shapes
    run = min(max_run, float(hulls.contact_distances(hull, target_hull, directions)[0, 0]))
    room = float(hulls.room_to_edge(hull, directions, position.width, position.height)[0])
    if len(obstacles.corners):
        contacts = hulls.contact_distances(hull, obstacles, directions)[0]
        first = int(np.argmin(contacts))
        if contacts[first] <= min(run, room):
            hull_at_contact = hull.corners[0] + np.array(forward) * contacts[first]
            return _nearest_point(hull_at_contact, obstacles, first)
    if room < run:
        inches_to_edge = ship.ship_class.length / 2 + room  # from the middle of the ship
        return ship.x + forward.x * inches_to_edge, ship.y + forward.y * inches_to_edge
    if not len(obstacles.corners):
        return None
    target_shape = shapely.Polygon(target_hull.corners[0])
    distances = [shapely.distance(target_shape, shapely.Polygon(corners)) for corners in obstacles.corners]
    nearest = int(np.argmin(distances))
    if distances[nearest] > ship.ship_class.length:
        return None
    return _nearest_point(target_hull.corners[0], obstacles, nearest)


def _nearest_point(corners: hulls.Floats, others: Hulls, number: int) -> Point:
    line = shapely.shortest_line(shapely.Polygon(corners), shapely.Polygon(others.corners[number]))
    x, y = shapely.get_coordinates(line)[1]
    return float(x), float(y)


ATTACK_TYPES: Final = {"ram": RamOrder, "swipe": SwipeOrder, "grapple": GrappleOrder}
REACH_PIVOTS_DEG: Final = (-25, -20, -15, -10, -5, 0, 5, 10, 15, 20, 25)
"""Pivots, in degrees to starboard, after which the reach is shown."""
OPENING_APPROACH: Final = Approach(
    tuple(sign * degrees for degrees in range(1, CONSTANTS.opening_turn_max + 1) for sign in (1, -1)), is_halved=True
)
"""Every opening turn of a bireme before an attack (RS-05.8)."""
_CONTACT_IN: Final = 0.1  # around a hull's way, for the outline of a strike
_SHORT_RUN_RULES: Final = frozenset({"RS-08.4", "RS-09.5"})
_ANGLE_RULES: Final = frozenset({"RS-07.4", "RS-08.2"})
_MISSED_RULES: Final = frozenset({"RS-08.1", "RS-09.1"})
_OUT_OF_REACH_RULE: Final = {RamOrder: "RS-08.5", SwipeOrder: "RS-09.6", GrappleOrder: "RS-10.1"}
_FORBIDDEN_CHECKS: Final = {
    RamOrder: aim.ram_forbidden_by,
    SwipeOrder: aim.swipe_forbidden_by,
    GrappleOrder: aim.grapple_forbidden_by,
}


@lru_cache(maxsize=128)
def find_reach(position: Position, ship: Ship) -> Reach | None:
    """Return where a ship may go, or None if it cannot move."""
    if position.is_immobile(ship) or not ship.is_afloat:
        return None
    fan = []
    for degrees in REACH_PIVOTS_DEG:
        turned_ship = moves.pivot_ship(position, ship, degrees)
        is_whole_pivot = (turned_ship.heading - ship.heading - degrees) % 360 == 0
        if is_whole_pivot:
            forward = forward_vector(turned_ship.heading)
            fan.append((degrees, moves.distance_covered(position, turned_ship, forward, ship.forward_allowance)))
    backward = moves.opposite_vector(forward_vector(ship.heading))
    astern = moves.distance_covered(position, ship, backward, ship.reverse_allowance)
    return Reach(ship=ship.id, start=pose_of(ship), fan=tuple(fan), astern=astern, max_turn_deg=ship.ship_class.turn)


_OPENING_STEP_DEG: Final = 15  # between the opening turns from which a strike's outline is made


@lru_cache(maxsize=128)
def find_strike(position: Position, ship: Ship) -> Strike | None:
    """Return where a ship can strike in her next turn, past other ships; None if she cannot move or has no crew."""
    if position.is_immobile(ship) or not ship.is_afloat or not ship.crew:
        return None
    alone = structs.replace(position, ships=(ship,), links=())
    bonus = ship.ram_run_bonus  # a ram may run farther than a plain move (RS-08.5)
    turns = dict.fromkeys(REACH_PIVOTS_DEG, ship.forward_allowance + bonus)
    if ship.ship_class.turn_and_move:
        most = CONSTANTS.opening_turn_max
        steps = range(-most, most + 1, _OPENING_STEP_DEG)
        turns = {degrees: OPENING_APPROACH.allowance_of(ship) + bonus for degrees in steps} | turns
    swept: list[shapely.Geometry] = []
    previous: tuple[float, list[Point]] | None = None  # the allowance and the corners of the last turn
    far = 0.0
    for degrees, allowance in sorted(turns.items()):
        turned_ship = moves.pivot_ship(alone, ship, degrees)
        if (turned_ship.heading - ship.heading - degrees) % 360:
            previous = None  # land or the edge stops the turn
            continue
        end = moves.sail_ship(alone, turned_ship, allowance)
        hull_corners = [*hulls.hull_of(turned_ship).corners[0], *hulls.hull_of(end).corners[0]]
        corners = [(float(x), float(y)) for x, y in hull_corners]
        between = previous[1] if previous and previous[0] == allowance else []
        swept.append(shapely.MultiPoint([*between, *corners]).convex_hull)
        previous = (allowance, corners)
        if not degrees:
            far = moves.distance_covered(alone, ship, forward_vector(ship.heading), allowance)
    if not swept:
        return None
    whole = shapely.union_all(swept).buffer(_CONTACT_IN)
    outline = shapely.get_coordinates(shapely.get_exterior_ring(whole.simplify(_CONTACT_IN / 2)))
    return Strike(ship=ship.id, far=far, outline=tuple((float(x), float(y)) for x, y in outline))


@lru_cache(maxsize=128)
def attack_previews(position: Position, ship: Ship) -> tuple[AttackPreview, ...]:
    """Return previews of every attack and shot at every enemy afloat: legal ones first, then by `_sort_value`."""
    if not ship.is_afloat:
        return ()
    previews = [
        preview
        for enemy in position.enemies(ship)
        for preview in (*_enemy_attacks(position, ship, enemy), _shot_preview(position, ship, enemy))
    ]

    def sort_key(preview: AttackPreview) -> tuple[bool, float, float]:
        return preview.fault is not None, -_sort_value(preview), _enemy_distance(position, ship, preview)

    return tuple(sorted(previews, key=sort_key))


@lru_cache(maxsize=128)
def legal_attacks(position: Position, ship: Ship) -> tuple[AttackPreview, ...]:
    """Return the legal attacks of `attack_previews`. Computer captains need only these, which cost less."""
    if not ship.is_afloat:
        return ()
    previews = []
    for enemy in position.enemies(ship):
        for order in _attack_orders(enemy):
            aimed = _best_aim(position, ship, enemy, order)
            if aimed.attack:
                previews.append(_legal_preview(position, ship, enemy, order, aimed.attack))
        if not fire.shot_forbidden_by(position, ship, enemy):
            previews.append(_shot_preview(position, ship, enemy))
    return tuple(
        sorted(previews, key=lambda preview: (-_sort_value(preview), _enemy_distance(position, ship, preview)))
    )


def _sort_value(preview: AttackPreview) -> float:
    """Return the chance of harm, with rams preferred and shots last. Computer captains depend on this order."""
    return odds.harm_chance(preview.odds) + {"ram": 0.2, "shot": -1.0}.get(preview.kind, 0)


def _enemy_distance(position: Position, ship: Ship, preview: AttackPreview) -> float:
    return hulls.measured_distance(ship, position.ship_by_id(preview.target))


def alternative_of(ship: Ship, preview: AttackPreview) -> Alternative:
    """Return the alternative of a preview. Its pivot is left open unless it is a bireme's opening turn."""
    attack: AttackOrder = ATTACK_TYPES[preview.kind](preview.target)
    pivot = (preview.start.heading - ship.heading + 180) % 360 - 180  # degrees to starboard
    if abs(pivot) > CONSTANTS.veer_max:
        return Alternative((TurnOrder(abs(pivot), "R" if pivot > 0 else "L"), attack))
    return Alternative((attack,))


def _enemy_attacks(position: Position, ship: Ship, enemy: Ship) -> Iterator[AttackPreview]:
    for order in _attack_orders(enemy):
        aimed = _best_aim(position, ship, enemy, order)
        if aimed.attack:
            yield _legal_preview(position, ship, enemy, order, aimed.attack)
        else:
            yield _barred_preview(position, ship, enemy, order, aimed.rule)


def _attack_orders(enemy: Ship) -> tuple[AttackOrder, ...]:
    return tuple(attack(enemy.id) for attack in ATTACK_TYPES.values())


def _best_aim(position: Position, ship: Ship, enemy: Ship, order: AttackOrder) -> aim.AimResult:
    """Return the best aim at an enemy, with a bireme's opening turn only if it is needed; else the rule against it."""
    rule = _FORBIDDEN_CHECKS[type(order)](position, ship, enemy)
    if not rule and is_out_of_reach(ship, enemy, order):
        rule = _OUT_OF_REACH_RULE[type(order)]
    if rule:
        return aim.AimResult(None, rule)
    aimed = _try_approach(position, ship, order, aim.AUTO_APPROACH)
    if aimed.attack is None and ship.ship_class.turn_and_move:
        aimed_after_turn = _try_approach(position, ship, order, OPENING_APPROACH)
        return aimed_after_turn if aimed_after_turn.attack else aimed
    return aimed


def _try_approach(position: Position, ship: Ship, order: AttackOrder, approach: Approach) -> aim.AimResult:
    match order:
        case RamOrder():
            return aim.aim_ram(position, ship, order.target, approach)
        case SwipeOrder():
            return aim.aim_swipe(position, ship, order, approach)
    return aim.aim_grapple(position, ship, order, approach)


def _empty_preview(ship: Ship, enemy: Ship, attack: AttackOrder | None = None) -> AttackPreview:
    kind: Any = sheets.format_step(attack).split()[0] if attack else "shot"
    return AttackPreview(by=ship.id, target=enemy.id, kind=kind, start=pose_of(ship), end=pose_of(ship))


def _barred_preview(position: Position, ship: Ship, enemy: Ship, attack: AttackOrder, rule: str) -> AttackPreview:
    fault, measured, limit = _attack_fault(position, ship, enemy, attack, rule)
    blocker = find_blocker(position, ship, enemy, furthest(ship, attack)) if fault == "blocked" else None
    return structs.replace(
        _empty_preview(ship, enemy, attack), fault=fault, rule=rule, measured=measured, limit=limit, blocker=blocker
    )


def _legal_preview(
    position: Position, ship: Ship, enemy: Ship, attack: AttackOrder, aimed: LegalAttack
) -> AttackPreview:
    modifier, results = modifier_and_odds(position, ship, enemy, attack, aimed)
    end = list(attack_path(ship, attack, aimed))[-1]
    start = Pose(ship.x, ship.y, aimed.heading)
    return structs.replace(
        _empty_preview(ship, enemy, attack),
        start=start,
        end=end,
        run=aimed.run,
        zone=aimed.zone,
        modifier=modifier,
        odds=results,
    )


def _attack_fault(
    position: Position, ship: Ship, enemy: Ship, attack: AttackOrder, rule: str
) -> tuple[AimProblem, float, float]:
    """Return the problem that an attack has by a rule, what was measured, and the limit (inches, or degrees)."""
    if _FORBIDDEN_CHECKS[type(attack)](position, ship, enemy):
        return "unfit", 0.0, 0.0
    distance = hulls.measured_distance(ship, enemy)
    if rule in OUT_OF_REACH_RULES:
        return "far", distance, furthest(ship, attack)
    if rule in _SHORT_RUN_RULES:
        if isinstance(attack, SwipeOrder) and position.swipe_run == "within":
            return "far", distance, ship.ship_class.swipe_min
        min_run = ship.ship_class.ram_min if isinstance(attack, RamOrder) else ship.ship_class.swipe_min
        return "near", distance, min_run
    if rule in _ANGLE_RULES:
        relative_heading = (ship.heading - enemy.heading + 180) % 360 - 180
        return "angle", float(aim.axis_angle(relative_heading)), 0.0
    return ("missed" if rule in _MISSED_RULES else "blocked"), distance, 0.0


def _shot_preview(position: Position, ship: Ship, enemy: Ship) -> AttackPreview:
    distance = hulls.measured_distance(ship, enemy)
    shot = structs.replace(_empty_preview(ship, enemy), run=distance)
    if rule := fire.shot_forbidden_by(position, ship, enemy):
        fault = "far" if rule == "RS-14.3" else "unfit"
        return structs.replace(shot, fault=fault, rule=rule, measured=distance, limit=CONSTANTS.missile_range)
    return structs.replace(shot, odds=odds.shot_chances("crew"))
