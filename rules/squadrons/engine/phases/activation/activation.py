"""One activation: galleys one after another, then boarding (SQ-03). Games and cases use the same code.

Nothing is refused here: an illegal step ends its branch.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Literal

from msgspec import structs

from rules.core.protocol import Event
from rules.squadrons.engine import events
from rules.squadrons.engine.notation.order_text import format_step
from rules.squadrons.engine.notation.orders import (
    AnastropheOrder,
    OrderLine,
    OrderStep,
    SquadronActivation,
    SquadronOrders,
)
from rules.squadrons.engine.odds import RollModifier, non_zero
from rules.squadrons.engine.phases.activation import steps
from rules.squadrons.engine.phases.combat import boarding, sinking
from rules.squadrons.engine.phases.command import command
from rules.squadrons.engine.phases.movement import moves
from rules.squadrons.engine.phases.play import ActivationInProgress, TurnInProgress
from rules.squadrons.engine.sea.grid import HexPose, hex_label
from rules.squadrons.engine.sea.state import Leader, Position, Ship, Squadron, id_sort_key
from rules.squadrons.engine.tables import TABLES, fatigue_level


def run_activation(play: TurnInProgress, names: Sequence[str], orders: SquadronOrders, *, capped: bool = False) -> None:
    """Activate galleys of one side. `capped` halves their allowances because orders are confused (SQ-03.8).

    Raises `DecisionNeeded` if a captain must answer a question first.
    """
    names = tuple(sorted(names, key=id_sort_key))
    play.squadron, play.runs = names, {}
    uncontrolled: set[str] = set()
    if play.position.phase == "F":
        uncontrolled = _roll_control(play, names)
    at_max = {name for name in names if play.ship_now(name).speed == "M"}
    play.slowed = tuple(name for name in names if play.ship_now(name).half_speed)
    leaders_aboard = [leader for name in names if (leader := play.position.leader_aboard(name))]
    reduced_leaders = [leader for leader in leaders_aboard if leader.reduced == "temp"]
    ordered_ships = {line.ship for line in orders.lines}
    lines_without_orders = [OrderLine(name) for name in names if name not in ordered_ships]
    for line in (*orders.lines, *lines_without_orders):
        if line.ship in names:
            _run_galley(
                play, line, began_max=line.ship in at_max, under_control=line.ship not in uncontrolled, capped=capped
            )
    boarding.carry_out_boardings(play, names, orders.boards)
    _close_activation(play, names, reduced_leaders)


def _roll_control(play: TurnInProgress, names: Sequence[str]) -> set[str]:
    """Roll whether single ships stay under control. Return those that do not and must keep away from enemies."""
    uncontrolled = set()
    for name in names:
        ship = play.ship_now(name)
        if play.position.enemies_beside(ship):
            continue
        die = play.throw_die("is")
        ok = die <= ship.crew_quality
        play.add_event(events.ControlRolled(ship=name, die=die, crew=ship.crew_quality, ok=ok, rule="SQ-05.9"))
        if not ok:
            play.change_ship(name, speed="C")
            uncontrolled.add(name)
    return uncontrolled


def _close_activation(play: TurnInProgress, names: Sequence[str], reduced_leaders: Sequence[Leader]) -> None:
    # Half Speed ends (SQ-07.4), leaders recover their ratings, the ships are done
    for name in play.slowed:
        if play.ship_now(name).half_speed:
            play.change_ship(name, half_speed=False)
    for leader in reduced_leaders:
        leader_now = play.position.find_leader(leader.id)
        has_stayed = leader_now in (leader, structs.replace(leader, tried=True))
        if leader_now and has_stayed:
            play.put_leader(structs.replace(leader_now, reduced=""))
            play.add_event(events.LeaderRestored(leader=leader.id, rule="SQ-05.17"))
    for name in names:
        if play.ship_now(name).status != "sunk":
            play.change_ship(name, done=True)


# --- one galley --------------------------------------------------------------------------------------------------


def begin_run(position: Position, line: OrderLine, *, capped: bool = False) -> ActivationInProgress:
    """Return the activation of a galley with the points that her line announces."""
    ship = position.ship_by_id(line.ship)
    allowance = moves.max_announced(position, ship, line, confused=capped)
    return ActivationInProgress(
        ship.id,
        began_max=ship.speed == "M",
        announced=min(announced_points(position, ship, line), allowance),
        ram_tried=ship.ram_tried,
    )


def line_cost(position: Position, ship: Ship, line: OrderLine) -> int:
    return sum(moves.step_cost(position, ship, step) for step in line.all_steps)


def has_anastrophe(line: OrderLine) -> bool:
    """Return whether either branch has an anastrophe, which announces the full allowance."""
    return any(isinstance(step, AnastropheOrder) for step in line.all_steps)


def announced_points(position: Position, ship: Ship, line: OrderLine) -> int:
    """Return the movement points that a line announces, even if they exceed the allowance."""
    if has_anastrophe(line):
        return moves.max_announced(position, ship, line)
    return line_cost(position, ship, line) if line.mp is None else line.mp


def _run_galley(play: TurnInProgress, line: OrderLine, *, began_max: bool, under_control: bool, capped: bool) -> None:
    ship = play.ship_now(line.ship)
    if not ship.is_afloat:
        return
    active = begin_run(play.position, line, capped=capped)
    active.began_max = began_max
    active.under_control = under_control
    play.runs[ship.id] = active
    ran_aground_earlier = ship.aground and ship.aground < play.position.turn  # `aground` is a turn, 0: afloat
    if not (ran_aground_earlier and _try_refloat(play, active)):
        _run_branch(play, active, line.steps)
        if line.alternative is not None and not (active.is_movement_over or active.is_gone):
            _run_branch(play, active, line.alternative)
    if not active.is_gone:
        _roll_fatigue(play, active)


def _run_branch(play: TurnInProgress, active: ActivationInProgress, branch: Sequence[OrderStep]) -> None:
    # stops before an illegal step and after an attack that was avoided
    for step in branch:
        if barred := steps.why_barred(play.position, active, step):
            play.add_event(events.StepStopped(ship=active.ship, step=format_step(step), rule=barred.rule))
            return
        if steps.carry_out_step(play, active, step):
            return


def _try_refloat(play: TurnInProgress, active: ActivationInProgress) -> bool:
    """Roll for a galley aground and return whether her activation is over (SQ-06.14)."""
    ship = play.ship_now(active.ship)
    die = play.throw_die("groundRolled")
    is_wrecked = die >= TABLES.need.wrecked
    place = _refloated_place(play.position, ship) if die <= ship.crew_quality and not is_wrecked else None
    result: Literal["freed", "stays", "wrecked"] = "wrecked" if is_wrecked else "freed" if place else "stays"
    play.add_event(
        events.RefloatRolled(
            ship=ship.id,
            die=die,
            crew=ship.crew_quality,
            result=result,
            to=str(place) if place else None,
            rule="SQ-06.14",
        )
    )
    if is_wrecked:
        sinking.break_up(play, ship.id)
        active.is_gone = True
    if place:
        play.change_ship(ship.id, aground=0, was_aground=True, bow=place.bow, facing=place.facing)
        active.end_movement("attack")
    return result != "stays"


def _refloated_place(position: Position, ship: Ship) -> HexPose | None:
    """Return the place astern to which a galley gets off; None if something holds her or no hex is free (SQ-06.14)."""
    is_held = position.is_immobile(structs.replace(ship, aground=0))
    places_astern = moves.backwater_places(position, ship)
    return places_astern[0][1] if places_astern and not is_held else None


def _roll_fatigue(play: TurnInProgress, active: ActivationInProgress) -> None:
    """Tire a galley that began at Max, by a roll; one that made an anastrophe tires without a roll.

    Rules: SQ-09.2, SQ-09.3, SQ-09.4, SQ-09.5, SQ-09.8.
    """
    ship = play.ship_now(active.ship)
    modifiers: tuple[RollModifier, ...] = ()
    die: int | None = None
    if active.has_automatic_fatigue:
        level = fatigue_level(TABLES.fatigue.anastrophe, ship.crew_quality)
    elif active.began_max:
        modifiers = non_zero(
            ("beyond_cruise", max(0, active.used - ship.ship_class.cruise)),
            ("rammed_too", int(active.ram_tried)),
            ("raked_too", int(active.rake_tried)),
        )
        die = play.throw_die("fatigue")
        level = fatigue_level(die + sum(part.amount for part in modifiers), ship.crew_quality)
    else:
        return
    play.add_event(
        events.FatigueRolled(
            ship=ship.id,
            mp=active.used,
            drm=sum(part.amount for part in modifiers),
            modifiers=modifiers,
            crew=ship.crew_quality,
            die=die,
            result=level,
            rule="SQ-09.1",
        )
    )
    if level > ship.fatigue:
        play.change_ship(ship.id, fatigue=level)


# --- in a game ---------------------------------------------------------------------------------------------------


def ready_galleys(position: Position, squadron: Squadron) -> tuple[str, ...]:
    """Return the galleys of a squadron that can act now; in line astern, in the order of the line."""
    ships = (position.ships_by_id[name] for name in squadron.ships)
    return tuple(ship.id for ship in ships if ship.is_afloat and ship.side == squadron.side and not ship.done)


def activate_squadrons(
    play: TurnInProgress, squadrons: Collection[Squadron], order: SquadronActivation
) -> frozenset[str]:
    """Activate the squadron of an order, or two by Double Activation (SQ-03.7, SQ-05.12).

    Return the flagships of the squadrons that acted. If the roll for Double Activation fails, only the other squadron
    acts, possibly confused. Raises `KeyError` for an unknown squadron, and `DecisionNeeded` if a captain must answer a
    question first.
    """
    play.fired_back = set()  # a Double Activation is one activation (SQ-05.12, SQ-19.5)
    by_flagship = {squadron.flagship: squadron for squadron in squadrons}
    squadron = by_flagship[order.squadron]
    second = by_flagship.get(order.double) if order.double else None
    if second is None or double_barred_by(play.position, squadrons, order):
        _run_squadron(play, squadron, order.orders)
        return frozenset({squadron.flagship})
    if _roll_double(play, squadron, second):
        _run_squadron(play, squadron, order.orders)
        _run_squadron(play, second, order.orders)
        return frozenset({squadron.flagship, second.flagship})
    _run_squadron(play, second, order.orders, capped=_roll_confusion(play, second))
    return frozenset({second.flagship})


def _run_squadron(play: TurnInProgress, squadron: Squadron, orders: SquadronOrders, *, capped: bool = False) -> None:
    names = ready_galleys(play.position, squadron)
    play.add_event(
        events.SquadronActivated(
            side=squadron.side, number=squadron.number, flagship=squadron.flagship, ships=names, rule="SQ-05.9"
        )
    )
    lines = tuple(line for line in orders.lines if line.ship in names)
    boards = tuple(board for board in orders.boards if any(share.ship in names for share in board.shares))
    position_before = play.position
    event_count = len(play.events)
    run_activation(play, names, SquadronOrders(lines, boards), capped=capped)
    _add_rowed_event(play, squadron, position_before, event_count)


def _add_rowed_event(play: TurnInProgress, squadron: Squadron, position_before: Position, event_count: int) -> None:
    """Report ships that no event since `event_count` mentions: where they rowed to, or that they stayed."""
    new_events = play.events[event_count:]
    reported = {name for event in new_events if event.weight for name in _acting_ships(event)}
    unreported = [
        name for name in squadron.ships if position_before.ship_by_id(name).is_afloat and name not in reported
    ]
    ships = [play.ship_now(name) for name in unreported]
    own_ships = [ship for ship in ships if ship.is_afloat and ship.side == squadron.side]
    moved_ships = [ship for ship in own_ships if ship.place != position_before.ship_by_id(ship.id).place]
    rowed = tuple(events.ShipEndPlace(ship.id, hex_label(ship.bow)) for ship in moved_ships)
    stayed = tuple(ship.id for ship in own_ships if ship not in moved_ships)
    if rowed or (stayed and squadron.number):
        play.add_event(events.SquadronRowed(ships=rowed, stayed=stayed if squadron.number else (), rule="SQ-06.3"))


def _acting_ships(event: Event) -> tuple[str, ...]:
    match event:
        case events.ShipBoarded():
            return tuple(party.ship for party in event.by)
        case events.AvoidanceTried() | events.FatigueRolled() | events.ShotFired(reaction=True):
            return ()
    return tuple(str(getattr(event, name)) for name in ("ship", "by") if hasattr(event, name))


def double_barred_by(position: Position, squadrons: Collection[Squadron], order: SquadronActivation) -> str:
    """Return the rule that forbids a Double Activation; empty if it is allowed (SQ-05.11, SQ-05.14).

    The limit of one Double Activation a turn is not checked.
    """
    by_flagship = {squadron.flagship: squadron for squadron in squadrons}
    squadron, other = by_flagship.get(order.squadron), by_flagship.get(order.double)
    if squadron is None or other is None or not squadron.leader or not other.leader:
        return "SQ-05.14"
    leader = position.find_leader(squadron.leader)
    if leader is None or not leader.is_admiral or squadron is other or position.phase != "E":
        return "SQ-05.11"
    if not ready_galleys(position, squadron) or not ready_galleys(position, other):
        return "SQ-05.11"
    ship, flagship = position.ships_by_id[leader.ship], position.ships_by_id[other.flagship]
    reach = command.distances_by_ship(position, ship, squadron.side, leader.rating.range)
    return "" if ship.is_afloat and flagship.is_afloat and other.flagship in reach else "SQ-05.11"


def _roll_double(play: TurnInProgress, squadron: Squadron, second: Squadron) -> bool:
    leader = play.position.find_leader(squadron.leader)
    initiative = leader.rating.initiative if leader else 0
    rows = TABLES.double.rows
    need = rows[min(initiative, len(rows) - 1)]
    die = play.throw_die("double_activated")
    ok = die <= need
    play.add_event(
        events.DoubleActivated(
            leader=squadron.leader, flagship=second.flagship, need=need, die=die, ok=ok, rule="SQ-05.11"
        )
    )
    return ok


def _roll_confusion(play: TurnInProgress, squadron: Squadron) -> bool:
    """Roll for confused orders, set the ships to cruise if so, and return whether their allowances are halved."""
    die = play.throw_die("confused")
    table = TABLES.confusion
    is_cruise, is_half = die >= table.cruise, die >= table.half
    effect: Literal["half", "cruise", "none"] = "cruise" if is_cruise else "none"
    if is_half:
        effect = "half"
    play.add_event(events.OrdersConfused(flagship=squadron.flagship, die=die, effect=effect, rule="SQ-05.13"))
    if is_cruise:
        for name in ready_galleys(play.position, squadron):
            play.change_ship(name, speed="C")
    return is_half
