"""Make the view of a seat from the public table and the captain's own draft."""

from __future__ import annotations

from collections.abc import Sequence
from math import atan2, degrees
from typing import Final

from msgspec import structs

from rules.core.finding import find_nearest
from rules.core.protocol import EMPTY_DRAFT, Draft, Seat
from rules.core.sides import seat_of
from rules.core.view import Gauge, NearestEnemy, Piece, Text
from rules.geometry.boxes import compass_point
from rules.geometry.plane import Ring
from rules.matchbox.engine import hull, laying, orders, placing, points, reach, scenarios, volley
from rules.matchbox.engine.pose import Pose
from rules.matchbox.engine.sea import Sea
from rules.matchbox.engine.state import Galley, State
from rules.matchbox.engine.terrain import LAND_KINDS
from rules.matchbox.interface import deployments, fleets, order_drafts, shots, standing_orders
from rules.matchbox.interface.standing_orders import OrderContext
from rules.matchbox.interface.view import PlannedMove, Reach, TableView

_EDGE_SCENARIOS: Final = ("escort", "break-out")  # scenarios in which the south wants to leave over the north edge
_BEARING_WORDS: Final = (
    "ahead",
    "starboard_bow",
    "starboard_beam",
    "starboard_quarter",
    "astern",
    "port_quarter",
    "port_beam",
    "port_bow",
)


def make_view(state: State, seat: Seat | None, unfinished: Draft = EMPTY_DRAFT) -> TableView:
    """Return what a seat (None: a spectator) may see, with its draft for the open request."""
    public_view = TableView(
        seat=seat,
        round=state.round,
        phase=_phase_text(state),
        ground_text=_table_text(state.sea),
        pieces=_view_pieces(state, state.galleys),
        width_mm=state.width_mm,
        height_mm=state.height_mm,
        land=state.sea.land,
        sides=state.sides,
        galleys=state.galleys,
        lost=state.lost,
        struck=state.struck,
        laid_matches=state.lying,
        note_lines=(*_scenario_notes(state), *([Text("note.sinks")] if state.sinks else [])),
        scenario=state.scenario,
        score_so_far=state.score,
        score=_score_text(state, seat),
        quiet_rounds=state.quiet_rounds,
        sinks=state.sinks,
        captain_level=state.captain,
        builds=tuple((state.builds or {}).items()),
    )
    if seat is None:
        return public_view
    questions = tuple(question for question in state.questions if question.seat == seat)
    current = questions[0].galley if questions else ""
    own_view = structs.replace(
        public_view,
        decisions=questions,
        current_galley=current,
        standing_orders=state.standing[seat],
        goal=_goal_text(state, seat),
    )
    if state.phase == "choosing":
        context = fleets.fleet_context(state, seat)
        plan = fleets.draft_lines(context, fleets.FLEET_NOTATION.read_draft(context, unfinished))
        return structs.replace(own_view, fleet_context=context, plan_lines=plan)
    if state.phase == "placing":
        return _with_placing(own_view, state, seat, unfinished)
    if state.phase == "orders" and any(galley.seat == seat for galley in state.galleys):
        return _with_orders(own_view, OrderContext(state, seat), unfinished)
    return own_view


def _with_placing(view: TableView, state: State, seat: Seat, unfinished: Draft) -> TableView:
    """Return the view with the captain's strip and, if the captain is asked, their galleys (MB-2.2)."""
    context = deployments.deployment_context(state, seat)
    to_come = tuple(galley for galley in state.to_place if seat_of(galley) == seat)
    area = context.area
    view = structs.replace(view, to_place=to_come, strip=area.strip_range, placement_span=(area.west_mm, area.east_mm))
    is_other_captains_turn = state.deployment != "sealed" and state.to_place[:1] != context.galley_ids[:1]
    if not context.galley_ids or is_other_captains_turn:
        return view
    draft = deployments.DEPLOYMENT_NOTATION.read_draft(context, unfinished)
    galleys = placing.sort_galleys((*state.galleys, *deployments.with_proposals(context, draft.galleys)))
    return structs.replace(
        view,
        galleys=galleys,
        pieces=_view_pieces(state, galleys),
        plan_lines=deployments.draft_lines(context, draft.galleys),
        current_galley=deployments.current_galley(context, draft).id,
    )


def _with_orders(view: TableView, context: OrderContext, unfinished: Draft) -> TableView:
    """Return the view with the draft's planned moves and standing orders, and the reach of enemies if shown."""
    draft = order_drafts.ORDER_NOTATION.read_draft(context, unfinished)
    plans, lines = [], []
    for galley in context.own_galleys:
        ordered = draft.list_of(galley)
        if not ordered.orders:
            lines.append(Text("plan.none", {"galley": galley.id}))
            continue
        matches, ghosts = laying.lay_free(galley.pose, ordered.orders, galley.kind)
        own_matches = tuple(structs.replace(match, galley=galley.id) for match in matches)
        orders_text = orders.format_list(ordered)
        plans.append(PlannedMove(galley=galley.id, orders=orders_text, matches=own_matches, ghosts=ghosts))
        lines.append(
            Text(
                "plan.orders", {"galley": galley.id, "orders": orders_text, **_place_params(context.state, ghosts[-1])}
            )
        )
    focused_galley = unfinished.focus.removesuffix(order_drafts.REACH_SUFFIX)
    threats = tuple(_enemy_reach(context.state, enemy) for enemy in context.enemies) if draft.shows_reach else ()
    has_all_plans = len(context.own_galleys) == len(plans) > 1
    shows_all_plans = has_all_plans and not focused_galley
    reach_lines = (
        Text("plan.reach", {"galley": threat.galley, "far_mm": threat.max_distance_mm}) for threat in threats
    )
    fire = () if draft.is_hold else shots.planned_shots(context, draft.lists)
    fire_lines = (
        Text("plan.shot", {"galley": shot.by, "foe": shot.to, "matches": shot.matches, "gap_mm": shot.gap_mm})
        for shot in fire
    )
    return structs.replace(
        view,
        planned_moves=tuple(plans),
        planned_shots=fire,
        plan_lines=(*lines, *fire_lines, *reach_lines, standing_orders.standing_line(draft.standing_orders)),
        reaches=threats,
        # With complete orders for several galleys, as after a hint, and none in focus, show the plans of all.
        current_galley="" if shows_all_plans else draft.focus,
        standing_orders=draft.standing_orders,
    )


def _enemy_reach(state: State, galley: Galley) -> Reach:
    shape = reach.reach_outline(galley, state.sea)
    return Reach(galley=galley.id, max_distance_mm=reach.max_moves(galley) * galley.kind.move_mm, outline=shape)


def _table_text(sea: Sea) -> Text:
    size = {"width_mm": sea.width_mm, "height_mm": sea.height_mm}
    if not sea.land:
        return Text("ground.table", size)
    kinds = []
    for kind in LAND_KINDS:
        places = tuple(_outline_place(piece.corners) for piece in sea.land if piece.kind == kind)
        kinds += [Text(f"ground.{kind}", {"places": places})] if places else []
    return Text("ground.land", {**size, "land": tuple(kinds)})


def _score_text(state: State, seat: Seat | None) -> Text | None:
    """Return a scenario's score and rounds left for a seat, or its final score; None: no scenario."""
    title = state.scenario
    if not title or (state.result and state.result.reason.key.startswith("reason.basin")):
        return None  # the reason contains the score
    scenario, score = scenarios.SCENARIOS[title], state.score or {}
    # The last round may exceed the winning score, as with a fifth house of four.
    southern_score = min(score.get(scenario.score_keys[0], 0), scenario.winning_score)
    params = {"south": southern_score, "north": score.get("north", 0), "enough": scenario.winning_score}
    rounds_left = scenario.rounds - max(state.round - 1, 0)
    suffix = f".{state.sides[seat]}" if seat is not None and title in _EDGE_SCENARIOS else ""
    if state.result:
        suffix = ".over"
    return Text(f"score.{title}{suffix}", {**params, "rounds_left": rounds_left})


def _goal_text(state: State, seat: Seat) -> Text | None:
    """Return how a seat's side wins (MB-8.1, MX-5). Captains who choose fleets read of the enemy's instead."""
    title = state.scenario
    if not title:
        return None if state.points else Text("goal.sink")
    scenario = scenarios.SCENARIOS[title]
    return Text(f"goal.{title}.{state.sides[seat]}", {"enough": scenario.winning_score, "rounds": scenario.rounds})


def _scenario_notes(state: State) -> tuple[Text, ...]:
    """Return where the scenario's goal is, and how much of the score is missing; empty: no scenario."""
    title = state.scenario
    if not title:
        return ()
    zone_x, zone_y = zip(*scenarios.goal_zone(title, state.sea), strict=True)
    west, east = round(min(zone_x)), round(max(zone_x))
    south, north = round(min(zone_y)), round(max(zone_y))
    zone = {"west": west, "east": east, "low": south, "high": north}
    scenario = scenarios.SCENARIOS[title]
    missing_score = max(0, scenario.winning_score - (state.score or {}).get(scenario.score_keys[0], 0))
    return (Text(f"note.{title}", {**zone, "enough": scenario.winning_score, "left": missing_score}),)


def _outline_place(corners: Ring) -> Text:
    xs, ys = zip(*corners, strict=True)
    west, east = round(min(xs)), round(max(xs))
    south, north = round(min(ys)), round(max(ys))
    return Text("ground.place", {"west": west, "east": east, "south": south, "north": north})


def _phase_text(state: State) -> Text:
    """Return what the game waits for or, when it is over, why it ended."""
    if state.result:
        return state.result.reason
    if state.phase == "choosing":
        return Text("phase.choosing")
    if state.phase == "placing":
        if state.deployment == "sealed":
            return Text("phase.deploying")
        galley = state.to_place[0]
        return Text("phase.placing", {"galley": galley, "seat": seat_of(galley)})
    if state.phase == "orders":
        key = "phase.orders.limited" if state.rounds else "phase.orders"
        return Text(key, {"round": state.round, "limit": state.rounds})
    return Text("phase.asking", {"round": state.round, "step": state.step})


def _view_pieces(state: State, galleys: Sequence[Galley]) -> tuple[Piece, ...]:
    """Return galleys afloat, then lost ones, then those that left the table (MX-5.1)."""
    sea = state.sea
    afloat = (_view_piece(galley, _galley_text(state, galley), galleys, sea) for galley in galleys)
    lost = (
        _view_piece(galley, Text("place.struck" if galley.id in state.struck else "place.lost"))
        for galley in state.lost
    )
    return (*afloat, *lost, *(_view_piece(galley, Text("place.left"), left=True) for galley in state.left or ()))


def _galley_text(state: State, galley: Galley) -> Text:
    text = Text("place.afloat", _place_params(state, galley.pose))
    if galley.vessel or galley.crew:
        text = Text("place.vessel", {"vessel": (points.build_name(points.build_of_galley(galley)),), "where": (text,)})
    return Text("place.burning", {"where": (text,)}) if galley.burning else text


def _view_piece(
    galley: Galley, place: Text, afloat: Sequence[Galley] = (), sea: Sea | None = None, *, left: bool = False
) -> Piece:
    """Return a galley as a piece, with its nearest enemy of those `afloat`. If these are empty, it is not afloat."""
    return Piece(
        id=galley.id,
        seat=galley.seat,
        side=galley.side,
        afloat=bool(afloat),
        has_left=left,
        gauges=(
            Gauge("port", galley.port, galley.holes),
            Gauge("starboard", galley.starboard, galley.holes),
            Gauge("masts", galley.masts, galley.mast_holes),
        ),
        place=place,
        nearest_enemy=_nearest_enemy(galley, afloat, sea),
    )


def _nearest_enemy(galley: Galley, galleys: Sequence[Galley], sea: Sea | None) -> NearestEnemy | None:
    """Return the nearest enemy, the gap between hulls (MB-6.2) and its bearing from the galley's heading.

    The sentence mentions if an island hides the enemy (MX-1.13).
    """
    enemies = (other for other in galleys if other.side != galley.side)
    nearest = find_nearest(enemies, lambda other: hull.hull_gap_mm(galley, other))
    if nearest is None:
        return None
    gap, enemy = nearest
    (x, y), (ex, ey) = hull.hull_middle(galley.pose, galley.kind), hull.hull_middle(enemy.pose, enemy.kind)
    turn = (degrees(atan2(ex - x, ey - y)) - galley.pose.heading_deg) % 360
    bearing = _BEARING_WORDS[round(turn / 45) % 8]
    key = "near.enemy" if sea is None or volley.is_in_sight(galley, enemy, sea) else "near.hidden"
    return NearestEnemy(key, {"galley": enemy.id, "gap_mm": round(gap), "bearing": bearing}, gap=gap)


def _place_params(state: State, pose: Pose) -> dict[str, str | int | float | bool]:
    return {
        "column": ("west", "centre", "east")[_third_of(pose.x_mm, state.width_mm)],
        "row": ("south", "middle", "north")[_third_of(pose.y_mm, state.height_mm)],
        "x_mm": round(pose.x_mm),
        "y_mm": round(pose.y_mm),
        "heading": f"{round(pose.heading_deg) % 360:03d}",
        "compass": compass_point(pose.heading_deg),
    }


def _third_of(place: float, length: float) -> int:  # 0, 1 or 2
    return min(2, max(0, int(3 * place / length)))
