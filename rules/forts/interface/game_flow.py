"""The course of a game: open requests and the effects of answers (NB-02)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Literal, TypeVar

from msgspec import structs

from rules.chance.dice import SeededDice
from rules.core import endings
from rules.core.finding import find_by_id
from rules.core.protocol import DrawReason, Event, Request, Seat, Step
from rules.core.view import Text
from rules.forts.engine import events, fire, sailing, turn
from rules.forts.engine.state import (
    COLOURS,
    NO_LIMIT,
    ActionList,
    Answer,
    ClaimWin,
    FlagshipChoice,
    MoveOrder,
    PassTurn,
    Placement,
    PlayerColour,
    Position,
    RunPlan,
    Ship,
    ShootOrder,
    State,
    StoredPlan,
    UndoMove,
    ship_id,
)
from rules.forts.engine.turn import TurnInProgress
from rules.forts.interface import placing, plans

T = TypeVar("T")

PASSES_TO_CLAIM: Final = 3
"""NB-10.7: consecutive player-turns that a captain lets pass before the other may claim the win."""
PLAN_RULE: Final = "NB-10.3"
UNDO_RULE: Final = "NB-10.6"
CLAIM_RULE: Final = "NB-10.7"

TurnEndCause = Literal["captain", "plan", "deadline", "idle"]


def begin_flow(step: Step) -> Step:
    state: State = step.state
    if state.phase != "actions" or state.position.wind:
        return step
    return _open_turn(state, step.events)


def pending_requests(state: State) -> tuple[Request, ...]:
    """Return what both captains are asked before the first turn, then an action of one, and a plan of the other."""
    if state.phase in ("flagships", "berths"):
        kind = "flagship" if state.phase == "flagships" else "berths"
        return tuple(Request(id=f"{kind}.{seat}", seat=seat, kind=kind, round=0) for seat in sorted(state.seats))
    if state.phase == "over":
        return ()
    position = state.position
    active, waiting = state.seat_of(position.active_colour), state.seat_of(position.waiting_colour)
    return (
        Request(
            id=f"t{position.turn}.act.{state.answered}",
            seat=active,
            kind="act",
            round=position.turn,
            live=state.answered > 0,
            sealed=False,
            clock=f"t{position.turn}",
            params={
                "wind": position.wind or "none",
                "limit": str(state.limit or NO_LIMIT),
                "more": "limited" if state.limit else "unlimited",
            },
        ),
        Request(
            id=f"t{position.turn}.plan.{state.planned}", seat=waiting, kind="plan", round=position.turn, optional=True
        ),
    )


def carry_out(state: State, answers: Sequence[tuple[Request, Answer]]) -> Step:
    by_seat = {request.seat: answer for request, answer in answers}
    if state.phase == "flagships":
        return _announce_flagships(state, by_seat)
    if state.phase == "berths":
        return _place_fleets(state, by_seat)
    new_events: tuple[Event, ...] = ()
    waiting = state.seat_of(state.position.waiting_colour)
    active = state.seat_of(state.position.active_colour)
    if isinstance(plan := by_seat.get(waiting), StoredPlan):
        state = structs.replace(_with_plan(state, state.position.waiting_colour, plan), planned=state.planned + 1)
        plan_text = plans.format_plan(plan) if plan.blocks else ""
        new_events = (events.PlanStored(seat=waiting, plan=plan_text, seen_by=(waiting,), rule=PLAN_RULE),)
    if active in by_seat:
        return _carry_out_answer(state, by_seat[active], new_events)
    return Step(state, new_events)


def concede(state: State, seat: Seat) -> Step:
    winner: PlayerColour = "red" if state.colour_of(seat) == "white" else "white"
    return _end_won(state, (events.CaptainConceded(seat=seat, rule="NB-09.3"),), winner, "struck")


def agree_draw(state: State, reason: DrawReason = "agreed") -> Step:
    """End the game in a draw by agreement (NB-09.3), or because it cannot go on."""
    return _end_drawn(state, (), reason)


def may_act(position: Position, ship: Ship) -> bool:
    return bool(sailing.current_reach(position, ship).hexes) or any(
        line.need for line in fire.fire_lines(position, ship)
    )


def may_undo(state: State) -> bool:
    """Return whether the last move can be undone: no die was rolled since, and each ship does so once a turn."""
    return bool(state.moves) and state.moves[-1][0] not in state.undone


def may_claim(state: State) -> bool:
    return state.passes[COLOURS.index(state.position.waiting_colour)] >= PASSES_TO_CLAIM


# --- before the first player-turn --------------------------------------------------------------------------------


def _announce_flagships(state: State, by_seat: Mapping[Seat, Answer]) -> Step:
    codes = tuple(answer.code for seat in state.seats if isinstance(answer := by_seat[seat], FlagshipChoice))
    announced = tuple(
        events.FlagshipNamed(seat=seat, colour=colour, code=code, rule="NB-02.3")
        for seat, colour, code in zip(state.seats, COLOURS, codes, strict=True)
    )
    position = structs.replace(state.position, flagships=codes)
    return Step(structs.replace(state, position=position, phase="berths"), announced)


def _place_fleets(state: State, by_seat: Mapping[Seat, Answer]) -> Step:
    fleets = [
        placing.placed_fleet(colour, answer)
        for seat, colour in zip(state.seats, COLOURS, strict=True)
        if isinstance(answer := by_seat[seat], Placement)
    ]
    placed = tuple(
        events.FleetPlaced(seat=seat, colour=colour, ships=ships, rule="NB-02.2")
        for seat, colour, ships in zip(state.seats, COLOURS, fleets, strict=True)
    )
    ships = tuple(ship for ships in fleets for ship in ships)
    position = turn.with_ready_ships(structs.replace(state.position, ships=ships, turn=1))
    return _open_turn(structs.replace(state, position=position, phase="actions"), placed)


# --- player-turns ------------------------------------------------------------------------------------------------


def _turn_in_progress(state: State, earlier: tuple[Event, ...]) -> TurnInProgress:
    return TurnInProgress(
        position=state.position,
        dice_source=SeededDice(state.dice),
        seats=state.seats,
        events=earlier,
        sunk=state.sunk,
        undoable_moves=state.moves,
    )


def _state_after(state: State, play: TurnInProgress) -> State:
    return structs.replace(
        state,
        position=play.position,
        dice=play.dice_source.dice,
        sunk=play.sunk,
        moves=() if play.winner else play.undoable_moves,
    )


def _open_turn(state: State, earlier_events: tuple[Event, ...]) -> Step:
    """Begin a player-turn: roll the wind, and carry out a plan that is to run at once.

    If no ship can do anything, the player-turn ends. Its captain is not asked, and keeps a plan for the next (NB-10.8).
    """
    position, colour = state.position, state.position.active_colour
    seat = state.seat_of(colour)
    began = events.TurnBegan(turn=position.turn, seat=seat, colour=colour, ships=position.ships)
    play = turn.open_turn(_turn_in_progress(state, (*earlier_events, began)))
    state = structs.replace(_state_after(state, play), answered=0, planned=0, undone=(), last_ship=None)
    plan = state.plan_of(colour)
    if plan.auto and plan.blocks:
        return _run_plan(state, plan, play.events)
    if may_claim(state) or any(may_act(state.position, ship) for ship in state.position.ships_of(colour)):
        return Step(state, play.events)
    return _continue_turn(state, structs.replace(_turn_in_progress(state, play.events), is_over=True), "idle")


def _carry_out_answer(state: State, answer: Answer, earlier_events: tuple[Event, ...]) -> Step:
    colour = state.position.active_colour
    match answer:
        case ActionList():
            acting = [action for action in answer.actions if isinstance(action, MoveOrder | ShootOrder)]
            last_ship = ship_id(colour, acting[-1].ship) if acting else state.last_ship
            return _continue_turn(
                structs.replace(state, last_ship=last_ship),
                turn.run_live(_turn_in_progress(state, earlier_events), answer.actions),
                "captain",
            )
        case UndoMove():
            return _undo_move(state, earlier_events)
        case RunPlan():
            return _run_plan(state, state.plan_of(colour), earlier_events)
        case PassTurn(excused):
            pass_count = state.passes[COLOURS.index(colour)]
            if state.answered:  # the captain did something in this player-turn
                pass_count = 0
            elif not excused:
                pass_count += 1
            state = structs.replace(state, passes=_set_for_colour(state.passes, colour, pass_count))
            return _continue_turn(
                state, structs.replace(_turn_in_progress(state, earlier_events), is_over=True), "deadline"
            )
        case ClaimWin():
            claimed = events.WinClaimed(seat=state.seat_of(colour), rule=CLAIM_RULE)
            return _end_won(state, (*earlier_events, claimed), colour, "claimed")
    raise ValueError(f"no answer of a player-turn: {answer}")


def _undo_move(state: State, earlier_events: tuple[Event, ...]) -> Step:
    ship_undone, start = state.moves[-1]
    ship = find_by_id(state.position.ships, ship_undone)
    undone = events.MoveUndone(ship=ship_undone, start=ship.hex, end=start, rule=UNDO_RULE)
    state = structs.replace(
        state,
        position=turn.with_ship(state.position, structs.replace(ship, hex=start, moved=False)),
        moves=state.moves[:-1],
        undone=(*state.undone, ship_undone),
        last_ship=ship_undone,
        answered=state.answered + 1,
    )
    return Step(state, (*earlier_events, undone))


def _run_plan(state: State, plan: StoredPlan, earlier_events: tuple[Event, ...]) -> Step:
    seat = state.seat_of(state.position.active_colour)
    run = events.PlanRun(seat=seat, plan=plans.format_plan(plan), rule=PLAN_RULE)
    return _continue_turn(state, turn.run_plan(_turn_in_progress(state, (*earlier_events, run)), plan.blocks), "plan")


def _continue_turn(state: State, play: TurnInProgress, cause: TurnEndCause) -> Step:
    """Wait for the captain's next action, or if the player-turn is over, close it and open the next or end the game.

    `cause` is why the player-turn ends, if it does. Each cause but `idle` discards the captain's plan (NB-10.4).
    """
    colour = state.position.active_colour
    if play.is_over and not play.winner:
        ended = events.TurnEnded(turn=state.position.turn, seat=state.seat_of(colour), cause=cause)
        keeps_wind = state.wind_scope == "round" and colour == "white"
        play = turn.close_turn(structs.replace(play, events=(*play.events, ended)), state.limit, keep_wind=keeps_wind)
        if cause != "idle":
            state = _with_plan(state, colour, StoredPlan())
        if cause not in ("deadline", "idle"):
            state = structs.replace(state, passes=_set_for_colour(state.passes, colour, 0))
    state = _state_after(state, play)
    if play.winner:
        return _end_by_result(state, play)
    if state.position.active_colour == colour:
        return Step(structs.replace(state, answered=state.answered + 1), play.events)
    return _open_turn(state, play.events)


def _with_plan(state: State, colour: PlayerColour, plan: StoredPlan) -> State:
    return structs.replace(state, plans=_set_for_colour(state.plans, colour, plan))


def _set_for_colour(both: tuple[T, T], colour: PlayerColour, new: T) -> tuple[T, T]:
    white, red = both
    return (new, red) if colour == "white" else (white, new)


# --- the end -----------------------------------------------------------------------------------------------------


def _end_by_result(state: State, play: TurnInProgress) -> Step:
    if play.winner == "draw":
        return _end_drawn(state, play.events, "score")
    assert play.winner is not None  # noqa: S101 - asked only of a game that is decided
    reasons: dict[type[Event], str] = {
        events.ShipSunk: "flagship",
        events.FortCaptured: "fort",
        events.BattleScored: "score",
    }
    return _end_won(state, play.events, play.winner, reasons[type(play.events[-1])])


def _end_won(state: State, earlier: tuple[Event, ...], colour: PlayerColour, why: str) -> Step:
    seat = state.seat_of(colour)
    reason = Text(f"reason.{why}", {"colour": colour, "seat": seat})
    return _end_game(state, (*earlier, events.BattleWon(colour=colour, seat=seat)), (seat,), reason)


def _end_drawn(state: State, earlier: tuple[Event, ...], reason: DrawReason | Literal["score"]) -> Step:
    text = Text("reason.level" if reason == "score" else f"reason.{reason}")
    battle_drawn = events.BattleDrawn(reason=reason, rule="NB-09.2" if reason == "score" else "")
    return _end_game(state, (*earlier, battle_drawn), (), text)


def _end_game(state: State, earlier: tuple[Event, ...], winners: tuple[Seat, ...], reason: Text) -> Step:
    return endings.end_game(state, earlier, winners, reason, phase="over", moves=(), plans=(StoredPlan(), StoredPlan()))
