"""The view of a seat: the open sea, with the viewer's own unfinished orders on it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from msgspec import structs

from rules.core.finding import find_nearest
from rules.core.protocol import EMPTY_DRAFT, Draft, Seat
from rules.core.view import Gauge, NearestEnemy, Piece, Text
from rules.forts.engine import actions, fire, sailing, turn
from rules.forts.engine.fire import FireLine
from rules.forts.engine.state import (
    COLOURS,
    Action,
    FlagshipChoice,
    MoveOrder,
    PlayerColour,
    Position,
    Ship,
    ShipId,
    ShootOrder,
    State,
    ship_id,
)
from rules.forts.interface import orders, placing, plans
from rules.forts.interface.orders import OrderDraft
from rules.forts.interface.plans import PlanContext, PlanDraft
from rules.forts.interface.view import AimedShots, HexView, PlannedLeg

_TURNS_WITH_RANGE: Final = 4  # player-turns in which the panel says how far guns reach: two of each captain
_BADLY_HIT_MARGIN: Final = 2  # a flagship with at most this many hits left is in danger


def make_view(state: State, seat: Seat | None, draft: Draft = EMPTY_DRAFT) -> HexView:
    """Return what a seat, or a spectator (None), may see, with the seat's draft for its pending request."""
    position = state.position
    public_view = HexView(
        seat=seat,
        round=position.turn,
        phase=_phase_text(state),
        ground_text=_board_text(position),
        pieces=(),
        board=position.board,
        colours=tuple(state.colour_of(each) for each in range(len(state.seats))),
        white=position.white,
        active=position.active_colour if state.phase == "actions" else None,
        wind=position.wind,
        siege=position.siege,
        quiet_turns=position.quiet,
        turn_limit=state.limit,
        flagships=(None, None) if state.phase == "flagships" else position.flagships,
        ships=position.ships,
        sunk=state.sunk,
    )
    view = public_view if seat is None else _add_own_draft(public_view, state, seat, draft)
    score = None if seat is None or state.phase != "actions" else _score_text(state, state.colour_of(seat))
    return structs.replace(view, pieces=tuple(_pieces(state, view)), score=score)


def _score_text(state: State, colour: PlayerColour) -> Text | None:
    """Return a warning of danger, else the range of guns or the count of turns without a hit, or None (NB-09.1).

    The count is shown once it is half full.
    """
    quiet = state.position.quiet
    is_counted = state.limit and quiet >= turn.MAX_QUIET_TURNS // 2
    counted = Text("score.quiet", {"quiet": quiet, "most": turn.MAX_QUIET_TURNS}) if is_counted else None
    # Later in the player-turn, the panel needs its room for what the last order did.
    says_range = state.position.turn <= _TURNS_WITH_RANGE and not state.answered
    reach = Text("score.range") if says_range else None
    return _danger_text(state.position, colour) or reach or counted


def _danger_text(position: Position, colour: PlayerColour) -> Text | None:
    """Return a warning of a besieged fort, or else of a badly hit flagship and a fort that may be besieged, or None."""
    siege, enemy = position.siege, turn.flagship_of(position, turn.other_colour(colour))
    if siege and enemy and siege.by != colour:
        return Text("score.besieged", {"by": enemy.code, "hex": enemy.hex})
    own = turn.flagship_of(position, colour)
    is_badly_hit = own and own.hits_left <= _BADLY_HIT_MARGIN and own.hits_left < own.ship_class.margin
    hit = own and is_badly_hit and Text("score.flagship", {"ship": own.code, "hits": own.hits, "left": own.hits_left})
    may_besiege = enemy and position.active_colour == colour and turn.may_besiege(position, enemy)
    siege_ahead = enemy and may_besiege and Text("score.fort", {"by": enemy.code})
    if hit and siege_ahead:
        return Text("score.two", {"first": (hit,), "second": (siege_ahead,)})
    return hit or siege_ahead or None


def _add_own_draft(public_view: HexView, state: State, seat: Seat, draft: Draft) -> HexView:
    colour = state.colour_of(seat)
    match state.phase:
        case "flagships":
            return _add_flagship(
                public_view, colour, placing.FLAGSHIP_NOTATION.read_draft(None, draft) or placing.DEFAULT_FLAGSHIP
            )
        case "berths":
            return _add_placement(public_view, state, colour, draft)
        case "actions" if colour == state.position.active_colour:
            return _add_turn_draft(public_view, state, orders.ORDER_NOTATION.read_draft(state, draft))
        case "actions":
            return _add_plan_draft(public_view, plans.plan_context(state, seat), draft)
    return public_view


def _add_flagship(public: HexView, colour: PlayerColour, choice: FlagshipChoice) -> HexView:
    flagships = (choice.code, None) if colour == "white" else (None, choice.code)
    return structs.replace(public, flagships=flagships, plan_lines=placing.flagship_lines(choice))


def _add_placement(public: HexView, state: State, colour: PlayerColour, draft: Draft) -> HexView:
    berths = placing.harbour_of(state, colour)
    ships = placing.placed_fleet(colour, placing.PLACEMENT_NOTATION.read_draft(berths, draft))
    lines = tuple(Text("line.berth", {"ship": ship.code, "hex": ship.hex}) for ship in ships)
    return structs.replace(public, ships=(*public.ships, *ships), start_hexes=berths.start, plan_lines=lines)


def _add_turn_draft(public_view: HexView, state: State, draft: OrderDraft) -> HexView:
    position = state.position
    own_ships = position.ships_of(position.active_colour)
    ship_to_order, todo = orders.current_ship(state, draft), orders.actions_of(state, draft.order)
    fire_lines = tuple(line for ship in own_ships for line in fire.fire_lines(position, ship))
    legs, aims = _planned_course(position, position.active_colour, todo)
    enemies = position.ships_of(position.waiting_colour)
    reach_by_enemy = {ship.id: sailing.max_reach(position, ship) for ship in enemies} if draft.shows_reach else {}
    threats = tuple(dict.fromkeys(label for labels in reach_by_enemy.values() for label in labels))
    under_fire = set[str]().union(*(fire.max_fire(position, ship) for ship in enemies)) if draft.shows_reach else set()
    return structs.replace(
        public_view,
        current_ship=ship_to_order.id if ship_to_order else None,
        reaches=tuple(sailing.current_reach(position, ship) for ship in own_ships),
        fire_lines=fire_lines,
        legs=legs,
        aims=aims,
        threats=threats,
        fire_threats=tuple(sorted(under_fire.difference(threats))),
        plan_lines=(
            *map(actions.action_text, todo),
            *(_reach_line(ship, reach_by_enemy) for ship in enemies if reach_by_enemy),
            *map(_fire_line_text, fire_lines),
        ),
    )


def _add_plan_draft(public_view: HexView, context: PlanContext, draft_text: Draft) -> HexView:
    draft = (
        plans.PLAN_NOTATION.read_draft(context, draft_text) if draft_text.text else PlanDraft(plan=context.stored_plan)
    )
    todo = [action for block in draft.plan.blocks if block.when in ("any", draft.wind_kind) for action in block.actions]
    legs, aims = _planned_course(context.position, context.colour, todo)
    position_after = plans.expected_position(context.position, context.colour, draft)
    ship = draft.ship and turn.find_ship(position_after, context.colour, draft.ship)
    return structs.replace(
        public_view,
        current_ship=ship.id if ship else None,
        reaches=(sailing.current_reach(position_after, ship),) if ship else (),
        legs=legs,
        aims=aims,
        plan_lines=(*plans.draft_lines(draft), *(plans.stored_lines(context.stored_plan) if draft_text.text else ())),
    )


def _planned_course(
    position: Position, colour: PlayerColour, todo: Iterable[Action]
) -> tuple[tuple[PlannedLeg, ...], tuple[AimedShots, ...]]:
    """Return the moves and shots of planned actions, each from where earlier moves will have brought the ship."""
    hex_by_ship = {ship.id: ship.hex for ship in position.ships}  # with the planned moves so far
    legs, aims = [], []
    for action in todo:
        if not isinstance(action, MoveOrder | ShootOrder):
            continue
        by = ship_id(colour, action.ship)
        if by not in hex_by_ship:
            continue
        match action:
            case MoveOrder():
                legs.append(PlannedLeg(ship=by, start=hex_by_ship[by], end=action.hex))
                hex_by_ship[by] = action.hex
            case ShootOrder():
                targets = dict.fromkeys(ship_id(turn.other_colour(colour), target.code) for target in action.targets)
                aims += [
                    AimedShots(by=by, to=to, start=hex_by_ship[by], end=hex_by_ship[to])
                    for to in targets
                    if to in hex_by_ship
                ]
    return tuple(legs), tuple(aims)


def _reach_line(ship: Ship, reach_by_enemy: Mapping[ShipId, tuple[str, ...]]) -> Text:
    return Text(
        "plan.reach",
        {
            "ship": ship.id,
            "steps": sailing.move_allowance(ship, "wind"),
            "hexes": len(reach_by_enemy[ship.id]),
            "range": ship.ship_class.range,
        },
    )


def _fire_line_text(line: FireLine) -> Text:
    by = ", ".join(stop.hex for stop in line.blockers)
    return Text(f"fire.{line.fire}", {"by": line.by, "to": line.to, "need": line.need, "blockers": by})


def _phase_text(state: State) -> Text:
    position = state.position
    if state.phase != "actions":
        return Text("phase.battle_over" if state.phase == "over" else f"phase.{state.phase}")
    return Text(
        "phase.sailing",
        {"turn": position.turn, "seat": state.seat_of(position.active_colour), "wind": position.wind or "none"},
    )


def _board_text(position: Position) -> Text:
    board = position.board
    west, east = ("white", "red") if position.white == "west" else ("red", "white")
    return Text(
        "ground.board",
        {
            "last": chr(ord("A") + board.columns - 1),
            "rows_even": board.rows_even,
            "rows_odd": board.rows_odd,
            "west": west,
            "west_fort": board.west.fort,
            "east": east,
            "east_fort": board.east.fort,
            "land": ", ".join(board.land),
        },
    )


def _nearest_enemy(position: Position, ships: Iterable[Ship], ship: Ship) -> NearestEnemy | None:
    enemies = sorted((other for other in ships if other.colour != ship.colour), key=lambda other: other.id)
    nearest = find_nearest(enemies, lambda other: fire.hex_distance(position.board, ship.hex, other.hex))
    if nearest is None:
        return None
    distance, enemy = nearest
    return NearestEnemy("near.ship", {"ship": enemy.id, "steps": distance}, gap=distance)


def _pieces(state: State, view: HexView) -> Iterator[Piece]:
    for ship in (*view.ships, *view.sunk):
        afloat = ship not in view.sunk
        is_flagship = view.flagships[COLOURS.index(ship.colour)] == ship.code
        shows_shots = afloat and ship.colour == view.active
        shots = (Gauge("shots", ship.shots, ship.ship_class.shots),) if shows_shots else ()
        place_key = "place.flagship" if is_flagship else "place.ship"
        yield Piece(
            id=ship.id,
            seat=state.seat_of(ship.colour),
            side=ship.colour,
            afloat=afloat,
            gauges=(Gauge("margin", ship.hits_left, ship.ship_class.margin), *shots),
            place=Text(place_key if afloat else "place.sunk", {"ship": ship.code, "hex": ship.hex}),
            nearest_enemy=_nearest_enemy(state.position, view.ships, ship) if afloat else None,
        )


def position_of(view: HexView) -> Position:
    white, red = view.flagships
    return Position(
        board=view.board,
        turn=view.round,
        wind=view.wind,
        siege=view.siege,
        quiet=view.quiet_turns,
        white=view.white,
        flagships=(white or "BB", red or "BB"),
        ships=view.ships,
    )
