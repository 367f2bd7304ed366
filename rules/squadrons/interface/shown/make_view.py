"""The view of a fleet game for a seat: the public position, what ships can reach, and the seat's own draft."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from heapq import heappop, heappush
from itertools import groupby
from typing import Any, Final

from msgspec import structs

from rules.core.errors import Scalar
from rules.core.protocol import EMPTY_DRAFT, Draft, Request, Seat
from rules.core.view import Gauge, NearestEnemy, Param, Piece, Text
from rules.geometry.hexes import Hex
from rules.interface.typed import join_id_ranges
from rules.squadrons.engine.events import reason_key
from rules.squadrons.engine.notation import order_words
from rules.squadrons.engine.notation.orders import SIDES, Doctrines, FleetSide, MoveCode
from rules.squadrons.engine.phases.aftermath import victory
from rules.squadrons.engine.phases.command import command, turn_start
from rules.squadrons.engine.phases.movement import moves
from rules.squadrons.engine.phases.movement import reach as movement
from rules.squadrons.engine.phases.play import ActivationInProgress
from rules.squadrons.engine.sea import grid
from rules.squadrons.engine.sea.grid import FACING_NAMES, HexPose
from rules.squadrons.engine.sea.state import Position, Ship, State, id_sort_key
from rules.squadrons.interface.drafts import activations, deployments, sheets
from rules.squadrons.interface.drafts.sheets import OrderContext, OrderDraft
from rules.squadrons.interface.flow import requests
from rules.squadrons.interface.preview import attack_plans, track_preview
from rules.squadrons.interface.preview.track_preview import ShipInFocus
from rules.squadrons.interface.preview.view import FleetView, Overlay, ReachableHex
from rules.squadrons.interface.shown import reasons, teaching

_FORWARD_MOVES: Final[tuple[MoveCode, ...]] = ("F", "P", "S")
_TURN_MOVES: Final[tuple[MoveCode, ...]] = ("tp", "ts", "wp", "ws", "TA")
_BACK_MOVES: Final[tuple[MoveCode, ...]] = ("B", "Bp", "Bs")
_TWO_POINT_MOVES: Final = ("TA", *_BACK_MOVES)
THREAT_HEXES: Final = 10  # enemies farther from a ship than this are no threat in one turn


def reachable_hexes(position: Position, name: str, run: ActivationInProgress | None = None) -> tuple[ReachableHex, ...]:
    """Return the hexes that a ship's bow can reach with the fewest points, nearest first, without its present hex.

    `run` is her activation so far, None before it. Attacks, Pass-Through and land are ignored.
    """
    ship = position.ship_by_id(name)
    points = moves.movement_allowance(position, ship)
    has_backed = run is not None and run.has_backed
    has_moved = run is not None and run.has_moved
    if run is not None:
        points -= run.used
        if run.ended_by or (ship.is_crippled and has_moved):
            points = 0
    points_by_bow = _points_by_bow(position, ship, points, ahead=not has_backed, astern=has_backed or not has_moved)
    nearest_first = sorted(points_by_bow.items(), key=lambda item: (item[1], item[0]))
    return tuple(ReachableHex(hex=grid.hex_label(here), mp=mp) for here, mp in nearest_first if here != ship.bow)


def threatened_hexes(position: Position, side: str, near: tuple[Hex, ...] = ()) -> tuple[str, ...]:
    """Return the hexes that bows of a side's enemies may enter in their next activations, at any possible speed.

    With `near`, only enemies within `THREAT_HEXES` of these hexes count.
    """
    threatened: set[Hex] = set()
    for ship in position.ships:
        if not ship.is_afloat or ship.side == side:
            continue
        if near and grid.hex_distance(ship.hexes, near) > THREAT_HEXES:
            continue
        for variant in _at_possible_speeds(position, ship):
            allowance = moves.movement_allowance(position, variant)
            threatened |= _points_by_bow(position, variant, allowance).keys()
    return tuple(sorted(map(grid.hex_label, threatened)))


def _at_possible_speeds(position: Position, ship: Ship) -> Iterable[Ship]:
    if position.phase in ("E", "F") and not ship.done:
        return (ship,)
    next_ship = structs.replace(ship, speed="C", half_speed=False, fatigue=max(0, ship.fatigue - 1))
    may_row_at_max = not turn_start.why_max_barred(position, next_ship)
    return (next_ship, structs.replace(next_ship, speed="M")) if may_row_at_max else (next_ship,)


def _points_by_bow(
    position: Position, ship: Ship, points: int, *, ahead: bool = True, astern: bool = True
) -> dict[Hex, int]:
    """Return the hexes that her bow can reach with these points, each with the fewest points."""
    if position.is_immobile(ship) or not ship.is_afloat:
        return {}
    if ship.is_crippled:
        return _points_by_moves(position, ship, moves.crippled_codes(ship), min(points, 1))
    turns: Sequence[MoveCode] = () if ship.speed == "M" or ship.sails else _TURN_MOVES
    best = _points_by_moves(position, ship, (*_FORWARD_MOVES, *turns), points) if ahead else {}
    if ship.speed == "C" and astern:
        for here, mp in _points_by_moves(position, ship, _BACK_MOVES, points).items():
            best[here] = min(mp, best.get(here, mp))
    return best


def _points_by_moves(position: Position, ship: Ship, codes: Sequence[MoveCode], points: int) -> dict[Hex, int]:
    free_sea = movement.free_hexes(position, ship)
    enemies = {here for here, other in position.ships_by_hex.items() if other.side != ship.side}
    # the search of Dijkstra: the place reached with the fewest points comes first
    points_by_bow: dict[Hex, int] = {}
    visited: set[HexPose] = set()
    queue = [(0, ship.place)]
    while queue:
        used, here = heappop(queue)
        if here in visited:
            continue
        visited.add(here)
        points_by_bow.setdefault(here.bow, used)
        for code in codes:
            there, entered = _place_after_move(here, ship.size, code)
            cost = used + (2 if code in _TWO_POINT_MOVES else 1)
            is_barred = code == "TA" and not enemies.isdisjoint(grid.adjacent_hexes(*here, ship.size).all_neighbours)
            if cost <= points and there not in visited and entered <= free_sea and not is_barred:
                heappush(queue, (cost, there))
    return points_by_bow


@lru_cache(maxsize=65536)
def _place_after_move(here: HexPose, size: int, code: MoveCode) -> tuple[HexPose, frozenset[Hex]]:
    there = moves.place_after_move(
        structs.replace(attack_plans.SHIP_BY_SIZE[size], bow=here.bow, facing=here.facing), code
    )
    return there, frozenset(there.covered_hexes(size)) - frozenset(here.covered_hexes(size))


def squadron_lines(position: Position, readers_side: FleetSide | None = None) -> tuple[Text, ...]:
    """Return a sentence for each squadron and for the galleys without one, those of the reader's side first."""
    groups: dict[tuple[bool, FleetSide, int], list[Ship]] = {}
    for ship in position.ships:
        if ship.is_afloat:
            key = (ship.side != readers_side, ship.side, ship.squadron if ship.side == ship.builder else 0)
            groups.setdefault(key, []).append(ship)
    last = len(position.ships)  # a place behind all squadrons, for galleys without one (number 0)
    keys = sorted(groups, key=lambda key: (key[0], SIDES.index(key[1]), key[2] or last))
    return tuple(_group_text(position, key[1], key[2], groups[key]) for key in keys)


def _group_text(position: Position, side: FleetSide, number: int, members: Sequence[Ship]) -> Text:
    """Return a sentence on the place and the damage of a squadron; `number` 0: of ships without a squadron."""
    ships = sorted(members, key=lambda ship: id_sort_key(ship.id))

    def centre_rank(ship: Ship) -> tuple[int, tuple[str, int]]:
        return sum(grid.hex_distance(ship.hexes, other.hexes) for other in ships), id_sort_key(ship.id)

    central_ship = min(ships, key=centre_rank)
    facing, _ = Counter(ship.facing for ship in ships).most_common(1)[0]
    damaged = [ship.id for ship in ships if _is_hurt(position, ship)]
    params: dict[str, Scalar] = {
        "side": side,
        "number": number,
        "ships": ", ".join(join_id_ranges([ship.id for ship in ships])),
        "hex": grid.hex_label(central_ship.bow),
        "compass": FACING_NAMES[facing],
    }
    if not damaged:
        return Text("squadron.sound", params) if number else Text("squadron.alone", params)
    params["hurt"] = ", ".join(join_id_ranges(damaged))
    return Text("squadron.hurt", params) if number else Text("squadron.alone_hurt", params)


def _is_hurt(position: Position, ship: Ship) -> bool:
    return bool(
        ship.held or ship.is_slowed or ship.is_crippled or ship.burning or ship.depletion or position.is_immobile(ship)
    )


_BEARING_WORDS: Final = ("ahead", "bow_s", "quarter_s", "astern", "quarter_p", "bow_p")


def make_view(state: State, seat: Seat | None, draft: Draft = EMPTY_DRAFT) -> FleetView:
    """Return the view of a seat (None for a spectator), with its draft for an open request."""
    own_requests = [request for request in requests.pending_requests(state) if request.seat == seat]
    request = own_requests[0] if own_requests else None
    position = _with_placed_fleet(state, request, draft) or state.position
    overlay = _draft_overlay(state, request, draft) if request else Overlay()
    side: FleetSide | None = state.captains[seat].side if seat is not None else None
    state = structs.replace(state, position=position)
    ordering_side = side if request and request.kind in ("orders", "act") else None  # None: nothing to order now
    danger = reasons.admiral_danger(position, ordering_side) if ordering_side else None
    return FleetView(
        seat=seat,
        round=state.position.turn,
        phase=_phase_text(state),
        ground_text=_ground_text(state.position),
        pieces=tuple(_view_pieces(state)),
        note_lines=_set_up_notes(state),
        plan_lines=tuple(_plan_lines(overlay)),
        position=state.position,
        captain=state.captain,
        pace=state.pace,
        captains=state.captains,
        side=side,
        position_before=state.before,
        squadrons=state.squadrons,
        first=state.first,
        active=None if state.result else state.active,
        acting_ships=state.running.acting if state.running else (),
        slowed_ships=state.running.slowed if state.running else (),
        able_flagships=_able_flagships(state, request),
        points=victory.victory_points(state.position),
        score=danger or victory.score_text(state.position, side),
        goal=_goal_text(state, ordering_side) if ordering_side else None,
        doctrines=state.doctrines[SIDES.index(side)] if side else Doctrines(),
        group_lines=squadron_lines(state.position, side),
        overlay=overlay,
    )


def _goal_text(state: State, side: FleetSide) -> Text | None:
    lesson = teaching.first_lesson(state.position, side) if state.teaches else None
    return lesson or reasons.admiral_goal(state.position, side)


def _able_flagships(state: State, request: Request | None) -> tuple[str, ...]:
    if request is None or request.kind != "act":
        return ()
    return tuple(squadron.flagship for squadron in activations.activation_context(state, request).squadrons)


def _draft_overlay(state: State, request: Request, draft: Draft) -> Overlay:
    match request.kind:
        case "place":
            context = deployments.deployment_context(state, state.captains[request.seat].side)
            focus = deployments.DEPLOYMENT_NOTATION.read_draft(context, draft).ship_or_all
            return Overlay(
                current_ship=focus if focus in state.position.ships_by_id else None,
                start_hexes=deployments.start_hexes(context),
            )
        case "act":
            activation_context = activations.activation_context(state, request)
            activation_draft = activations.ACTIVATION_NOTATION.read_draft(activation_context, draft)
            squadron_context = activations.squadron_context(activation_context, activation_draft)
            return sheet_overlay(squadron_context, activation_draft.order_draft)
        case "orders":
            order_context = sheets.order_context(state, request.seat)
            return sheet_overlay(order_context, sheets.SHEET_NOTATION.read_draft(order_context, draft))
    return Overlay(current_ship=str(request.params.get("ship", "")) or None)


def _with_placed_fleet(state: State, request: Request | None, draft: Draft) -> Position | None:
    if request is None or request.kind != "place":
        return None
    side = state.captains[request.seat].side
    deployment_draft = deployments.DEPLOYMENT_NOTATION.read_draft(deployments.deployment_context(state, side), draft)
    return deployments.with_deployment(state.position, side, deployments.deployment_of_draft(deployment_draft))


def sheet_overlay(context: OrderContext, draft: OrderDraft) -> Overlay:
    focus = ShipInFocus(context, draft)
    speeds: Mapping[str, Any] = {} if context.fixed_squadrons else sheets.speeds_of_sheet(context, draft.sheet)
    odds = track_preview.odds_by_ship(focus.start, focus.lines)
    planned, _ = track_preview.planned_tracks(focus.start, focus.lines)
    tracks = tuple(structs.replace(track, odds=odds.get(track.ship, ())) for track in planned)
    overlay = Overlay(speeds=tuple(speeds.items()), lines=focus.lines, tracks=tracks)
    if focus.name not in context.position.ships_by_id:
        return overlay
    walk = focus.walk_line()
    ship, is_fixed = focus.ship_before, bool(context.fixed_squadrons)
    plans = attack_plans.best_attacks(focus.position_before, focus.name, ship.speed)
    possible_plans = attack_plans.plans_at_speeds(focus.position_before, ship, fixed=is_fixed)
    hexes_at_end = walk.position.ship_by_id(focus.name).hexes
    return structs.replace(
        overlay,
        current_ship=focus.name,
        next_steps=tuple(track_preview.possible_next_steps(walk)),
        attack_previews=tuple(
            track_preview.attack_preview(focus.name, plan.target, plan.attack, plan.steps[-1], plan.odds)
            for plan in plans
        ),
        targets=tuple(sorted({plan.target for plan in possible_plans}, key=id_sort_key)),
        reachable_hexes=reachable_hexes(walk.position, focus.name, walk.run),
        threatened_hexes=threatened_hexes(walk.position, ship.side, hexes_at_end),
    )


def _plan_lines(overlay: Overlay) -> Iterator[Text]:
    orders = {line.ship: (order_words.line_text(line),) for line in overlay.lines}
    for track in overlay.tracks:
        params: dict[str, Param] = {"ship": track.ship, "orders": orders[track.ship], "to": track.places[-1]}
        if track.rule:
            step = order_words.written_texts(track.step)
            yield Text("plan.barred", {**params, "step": step, "why": reason_key(track.rule)})
        else:
            yield Text("plan", params)


def _phase_text(state: State) -> Text:
    position = state.position
    blue, red = victory.victory_points(position)
    params: dict[str, Param] = {
        "turns": (turns_text(position),),
        "blue": blue,
        "red": red,
        "target": position.target,
    }
    if state.result:
        return Text("phase.over", params)
    if state.stage == "roster":
        return Text("phase.building", {"points": state.points})
    if state.stage == "deploy":
        return Text("phase.placing", {"side": state.active or "B"})
    if state.running:
        return Text("phase.asked", {**params, "seat": state.running.asked.seat})
    if state.stage in ("activation", "order") and state.active:
        return Text("phase.acting", {**params, "side": state.active})
    return Text("phase.ordering", params)


def turns_text(position: Position) -> Text:
    """Return the turn with its limit, and the wind that blows in it (SQ-08.0)."""
    limit, weather, wind = "limited" if position.limit else "endless", "", position.wind
    params: dict[str, Param] = {"turn": position.turn, "limit": position.limit}
    if wind is not None:
        weather = ".wind" if wind.strength else ".calm"
        params |= {"strength": wind.strength, "direction": wind.compass}
    return Text(f"turns.{limit}{weather}", params)


def _ground_text(position: Position) -> Text:
    size: dict[str, Param] = {"width": position.width, "height": position.height}
    if not position.land:
        return Text("ground", size)
    return Text("ground.land", {**size, "land": ", ".join(_land_ranges(position.land))})


def _land_ranges(land: Iterable[Hex]) -> Iterator[str]:
    """Yield the labels of land hexes; those of a column that follow each other as a range, such as `1010–1012`."""
    labels = sorted(map(grid.hex_label, land))
    # the labels of neighbours in a column are successive numbers
    for _, neighbours in groupby(enumerate(labels), key=lambda numbered: int(numbered[1]) - numbered[0]):
        column = [label for _, label in neighbours]
        yield column[0] if len(column) == 1 else f"{column[0]}–{column[-1]}"


def _set_up_notes(state: State) -> tuple[Text, ...]:
    """Return the wind while fleets are built and placed, when no turn has begun yet."""
    wind = state.position.wind
    if wind is None or state.stage not in ("roster", "deploy"):
        return ()
    params: dict[str, Param] = {"strength": wind.strength, "direction": wind.compass}
    return (Text("note.wind" if wind.strength else "note.calm", params),)


def _view_pieces(state: State) -> Iterator[Piece]:
    position = state.position
    owners = command.owner_by_ship(state)
    for ship in position.ships:
        seat = owners.get(ship.id)
        if seat is None:
            seat = next((captain.seat for captain in state.captains if captain.side == ship.side), 0)
        yield Piece(
            id=ship.id,
            seat=seat,
            side=ship.side,
            afloat=ship.is_afloat,
            gauges=(Gauge("m", ship.manpower, ship.ship_class.m),) if ship.is_afloat and ship.ship_class.m else (),
            place=_place_text(position, ship),
            nearest_enemy=_nearest_enemy(position, ship) if ship.is_afloat else None,
        )


def _place_text(position: Position, ship: Ship) -> Text:
    if not ship.is_afloat:
        return Text(f"place.{ship.status}", {"kind": ship.code})
    where: dict[str, Scalar] = {
        "kind": ship.code,
        "hex": grid.hex_label(ship.bow),
        "compass": FACING_NAMES[ship.facing],
        "speed": ship.speed,
    }
    if position.is_outside(ship):
        return Text("place.outside", {"kind": ship.code})
    return Text(f"place.{ship_condition(position, ship)}", where)


def ship_condition(position: Position, ship: Ship) -> str:
    """Return the worst condition of a ship; `afloat` if nothing is wrong."""
    conditions = (
        ("captured", ship.held),
        ("rammed", ship.rammed),
        ("aground", ship.aground),
        ("burning", ship.burning),
        ("fouled", position.fouled_with(ship.id)),
        ("grappled", position.grappled_to(ship.id)),
        ("crippled", ship.is_crippled),
        ("tired", ship.fatigue),
        ("dismasted", ship.mast_down),
        ("half", ship.half_speed),
        ("sailing", ship.sails),
    )
    return next((name for name, holds in conditions if holds), "afloat")


def _nearest_enemy(position: Position, ship: Ship) -> NearestEnemy | None:
    enemies = attack_plans.enemies_by_distance(position, ship)
    if not enemies:
        return None
    nearest = enemies[0]
    distance = grid.hex_distance(ship.hexes, nearest.hexes)
    bearing = _BEARING_WORDS[_bearing_sixth(ship, nearest)]
    return NearestEnemy("near.ship", {"ship": nearest.id, "away": distance, "bearing": bearing}, gap=distance)


def _bearing_sixth(ship: Ship, other: Ship) -> int:
    """Return the bearing of another ship in sixths of a circle, 0 ahead, clockwise."""
    dq, dr = other.bow[0] - ship.bow[0], other.bow[1] - ship.bow[1]
    # half hexes to the other ship along each of the six directions
    distances = ((-dq - 2 * dr), (dq - dr), (2 * dq + dr), (dq + 2 * dr), (dr - dq), (-2 * dq - dr))
    return (distances.index(max(distances)) - ship.facing) % 6
