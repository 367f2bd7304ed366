"""The view of a seat: the open sea, with the viewer's own draft of orders on it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import structs

from rules.core.errors import Scalar
from rules.core.finding import find_nearest
from rules.core.protocol import EMPTY_DRAFT, Draft, Seat
from rules.core.view import Gauge, NearestEnemy, Param, Piece, Text
from rules.geometry.boxes import compass_point
from rules.ramspeed.engine.geometry import hulls
from rules.ramspeed.engine.geometry.hulls import bearing_deg
from rules.ramspeed.engine.notation import order_words
from rules.ramspeed.engine.phases import command, turn
from rules.ramspeed.engine.state import Position, Ship, State
from rules.ramspeed.engine.tables import CONSTANTS, TABLES
from rules.ramspeed.interface import aims, live_orders, order_drafts, placement_drafts, preview
from rules.ramspeed.interface.game_flow import pending_requests
from rules.ramspeed.interface.order_drafts import OrderContext, OrderDraft
from rules.ramspeed.interface.placement_drafts import PlacementContext
from rules.ramspeed.interface.view import PlannedCourse, PlannedLine, SeaView, Strike, ViewZone

BEARING_WORDS: Final = ("ahead", "bow_s", "beam_s", "quarter_s", "astern", "quarter_p", "beam_p", "bow_p")
_QUIET_TURNS_SHOWN: Final = 2


def make_view(state: State, seat: Seat | None, draft: Draft = EMPTY_DRAFT) -> SeaView:
    """Return what a seat, or a spectator (None), may see, with the seat's draft for its pending request."""
    set_up = state.set_up
    own_player = state.player_of(seat) if seat is not None and seat in state.seats else None
    position = placement_drafts.visible_position(state, None)
    live = state.live
    public = SeaView(
        seat=seat,
        round=0 if set_up else position.turn,
        phase=_phase_text(state),
        ground_text=_table_text(position),
        pieces=tuple(_view_pieces(state, position)),
        position=position,
        seats=state.seats,
        captain=state.captain,
        position_before=state.before,
        sequence=tuple(state.seat_of(player) for player in state.sequence),
        active=state.seat_of(live.order[0]) if live and live.order and not state.result else None,
        acted=(*live.named, *live.captured) if live else (),
        score=_score_text(state, position, seat),
        zones=_view_zones(state, own_player),
    )
    return public if seat is None else _add_own_draft(public, state, seat, draft)


def _score_text(state: State, position: Position, seat: Seat | None) -> Text | None:
    """Return the score, with the ships that scored for readers without a panel, and how long nobody has attacked.

    The result of a finished game has its score.
    """
    if state.result:
        return None
    quiet = {"quiet": position.quiet, "limit": CONSTANTS.quiet_limit}
    is_quiet = position.quiet >= _QUIET_TURNS_SHOWN
    points = turn.side_scores(position)
    if not any(points):
        return Text("score.quiet", quiet) if is_quiet else None
    scored, scored_against = turn.score_breakdowns(position)
    if seat is not None:
        scored, scored_against = (
            Text("scored.total", {"side": turn.side_key(position, side), "points": side_points})
            for side, side_points in zip(position.sides, points, strict=True)
        )
    score: dict[str, Param] = {"scored": (scored,), "scored_against": (scored_against,)}
    return Text("score.quiet.points", {**score, **quiet}) if is_quiet else Text("score", score)


def _add_own_draft(public: SeaView, state: State, seat: Seat, draft: Draft) -> SeaView:
    own_requests = [request for request in pending_requests(state) if request.seat == seat and not request.optional]
    pending = own_requests[0] if own_requests else None
    match pending.kind if pending else "":
        case "place":
            placing = placement_drafts.placement_context(state, state.player_of(seat))
            return _add_own_places(public, state, placing, draft)
        case "fleet":
            return public
        case "orders":
            context = order_drafts.order_context(state, seat)
            return _add_planned_lines(public, context, order_drafts.SHEET_NOTATION.read_draft(context, draft))
        case "act":
            context = live_orders.live_context(state, seat)
            return _add_planned_lines(public, context, live_orders.LIVE_NOTATION.read_draft(context, draft))
    return structs.replace(public, current_ship=str(pending.params["ship"])) if pending else public


def _add_own_places(public: SeaView, state: State, context: PlacementContext, draft: Draft) -> SeaView:
    placed = placement_drafts.PLACEMENT_NOTATION.read_draft(context, draft)
    answer = placement_drafts.PLACEMENT_NOTATION.complete_answer(context, placed)
    position = placement_drafts.with_places(context.position, answer)
    return structs.replace(
        public,
        position=position,
        pieces=tuple(_view_pieces(state, position)),
        current_ship=placed.focus if placed.focus != placement_drafts.ALL_SHIPS else None,
        proposed_placement=placement_drafts.propose_placement(context),
    )


def _add_planned_lines(public: SeaView, context: OrderContext, draft: OrderDraft) -> SeaView:
    lines = preview.plan_lines(context.position, draft.lines).lines
    strikes = _enemy_strikes(context) if draft.shows_reach else ()
    strike_lines = (Text("plan.strike", {"ship": strike.ship, "far": strike.far}) for strike in strikes)
    view = structs.replace(public, lines=lines, plan_lines=(*_plan_lines(lines), *strike_lines), strikes=strikes)
    if flagship := command.find_flagship(context.position, context.position.side_of_player(context.player)):
        command_line = Text("plan.command", {"flagship": flagship.id, "radius": TABLES.command.radius})
        plan_lines = (*view.plan_lines, command_line)
        view = structs.replace(view, plan_lines=plan_lines, command_area=command.command_area(flagship))
    if not draft.focus:
        return view
    position = preview.plan_lines(context.position, draft.lines, upto=draft.focus).position
    ship = position.ship_by_id(draft.focus)
    return structs.replace(
        view,
        current_ship=ship.id,
        reach=aims.find_reach(position, ship),
        attack_previews=aims.attack_previews(position, ship),
    )


def _enemy_strikes(context: OrderContext) -> tuple[Strike, ...]:
    position = context.position
    enemies = position.enemies(context.ships[0]) if context.ships else ()
    strikes = (aims.find_strike(position, enemy) for enemy in enemies)
    return tuple(strike for strike in strikes if strike is not None)


def _plan_lines(lines: Sequence[PlannedLine]) -> Iterator[Text]:
    for line in lines:
        for number, course in enumerate(line.courses, 1):
            yield _alternative_text(line.ship, line.number, course, first=number == 1)


def _alternative_text(ship: str, number: int, course: PlannedCourse, *, first: bool) -> Text:
    which = "first" if first else "or"
    orders: dict[str, Param] = {"ship": ship, "number": number, "order": order_words.order_sentences(course.order)}
    if course.rule:
        return Text(f"plan.{which}.barred", {**orders, "why": course.why or course.rule})
    end = course.path[-1]
    where: dict[str, Param] = {"x": end.x, "y": end.y, "heading": end.heading, "compass": compass_point(end.heading)}
    if course.target is None:
        return Text(f"plan.{which}", {**orders, **where})
    return Text(
        f"plan.{which}.attack", {**orders, **where, "to": course.target, "run": course.run, "modifier": course.modifier}
    )


def _phase_text(state: State) -> Text:
    position, live = state.position, state.live
    if state.result:
        return Text("phase.battle_over")
    if state.set_up:
        return Text(f"phase.{state.set_up.stage}")
    params: dict[str, Scalar] = {"turn": position.turn, "limit": position.limit}
    if live is None:
        return Text("phase.ordering", params)
    seat = live.asked.seat if live.asked else state.seat_of(live.order[0])
    return Text("phase.asked" if live.asked else "phase.acting", {**params, "seat": seat})


def _table_text(position: Position) -> Text:
    land = "; ".join(", ".join(f"{x:g}/{y:g}" for x, y in ring) for ring in position.land)
    key = "ground.land" if land else "ground.open"
    return Text(key, {"width": position.width, "height": position.height, "land": land})


def _view_zones(state: State, own_player: str | None) -> tuple[ViewZone, ...]:
    """Return the zones of captains who have still to place ships."""
    set_up, position = state.set_up, state.position
    if set_up is None:
        return ()
    owners = {ship.owner for ship in position.ships if ship.id in set_up.unplaced}
    return tuple(
        ViewZone(
            box=zone.box,
            side=position.sides.index(position.side_of_player(zone.player)),
            is_own=zone.player == own_player,
        )
        for zone in set_up.zones
        if set_up.stage == "fleets" or zone.player in owners
    )


def _view_pieces(state: State, position: Position) -> Iterator[Piece]:
    for ship in position.ships:
        yield Piece(
            id=ship.id,
            seat=state.seat_of(ship.owner),
            side=turn.side_key(position, position.side_of_ship(ship)),
            afloat=ship.is_afloat,
            gauges=(Gauge("crew", ship.crew, ship.ship_class.crew_max),) if ship.is_afloat else (),
            place=_place_text(position, ship),
            nearest_enemy=_nearest_enemy(position, ship) if ship.is_afloat else None,
        )


def _place_text(position: Position, ship: Ship) -> Text:
    if not ship.is_afloat:
        return Text(f"place.{ship.status}", {"kind": ship.code})
    where: dict[str, Scalar] = {
        "x": ship.x,
        "y": ship.y,
        "heading": ship.heading,
        "compass": compass_point(ship.heading),
    }
    return Text(f"place.{ship_condition(position, ship)}", {"kind": ship.code, **where, "fire": ship.fire})


def ship_condition(position: Position, ship: Ship) -> str:
    """Return the most serious condition of a ship, or `afloat`."""
    conditions = (
        ("derelict", ship.is_derelict),
        ("locked", position.is_locked(ship.id)),
        ("fireship", ship.fireship),
        ("burning", ship.fire > 0),
        ("dead", ship.dead),
        ("immob", ship.immob),
        ("beached", ship.beached),
        ("halved", ship.halved),
    )
    return next((name for name, holds in conditions if holds), "afloat")


def _nearest_enemy(position: Position, ship: Ship) -> NearestEnemy | None:
    nearest = find_nearest(position.enemies(ship), lambda enemy: hulls.measured_distance(ship, enemy))
    if nearest is None:
        return None
    distance, enemy = nearest
    relative_deg = (bearing_deg(ship.x, ship.y, enemy.x, enemy.y) - ship.heading) % 360
    bearing = BEARING_WORDS[round(relative_deg / 45) % 8]
    return NearestEnemy("near.ship", {"ship": enemy.id, "away": distance, "bearing": bearing}, gap=distance)
