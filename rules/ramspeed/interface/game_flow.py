"""The course of a game: open requests and the effects of answers (RS-03)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from msgspec import structs

from rules.chance.dice import DiceSource, SeededDice
from rules.core.endings import end_game
from rules.core.finding import with_value_at
from rules.core.protocol import DrawReason, Event, Request, Seat, Step, ask_each
from rules.core.view import Param, Text
from rules.interface.question import Choice
from rules.ramspeed.engine.events import (
    CaptainConceded,
    DoctrineChanged,
    GameEnded,
    InheritedShip,
    ShipsPlaced,
    TurnBegan,
    TurnEnded,
)
from rules.ramspeed.engine.events import OrderOfPlaySet as Sequenced
from rules.ramspeed.engine.notation import doctrine
from rules.ramspeed.engine.orders import OrderLine, OrderSheet
from rules.ramspeed.engine.phases import turn
from rules.ramspeed.engine.phases.turn import DoctrinesByPlayer, TurnProgress, TurnStepResult
from rules.ramspeed.engine.state import LiveTurn, Position, State
from rules.ramspeed.interface import interrupts, setting_up
from rules.ramspeed.interface.interrupts import DecisionNeeded
from rules.ramspeed.interface.order_drafts import Answer, EndPlayerTurn, LiveOrder, SheetOrders, StandingChange


def pending_requests(state: State) -> tuple[Request, ...]:
    if state.result:
        return ()
    if state.set_up:
        return setting_up.pending_requests(state, state.set_up)
    if state.live is None:
        return ask_each(_seats_with_orders(state), "orders", state.position.turn, letter="t")
    return (*_optional_requests(state), _live_request(state, state.live))


def _seats_with_orders(state: State) -> tuple[Seat, ...]:
    """Return the seats that have a ship with crew. Orders of others could not be carried out."""
    position = state.position
    return tuple(
        seat
        for seat, player in sorted(zip(state.seats, position.players, strict=True))
        if any(ship.crew for ship in position.ships_of(player))
    )


def _live_request(state: State, live: LiveTurn) -> Request:
    """Return the only open request: a question to one captain, else the next ship's order of the active captain."""
    turn_number = state.position.turn
    decision = live.asked
    if decision:
        return Request(
            id=f"t{turn_number}.{decision.key}.{live.answered}",
            seat=decision.seat,
            kind=interrupts.KIND_BY_KEY[decision.key],
            round=turn_number,
            live=True,
            sealed=False,
            params={"ship": decision.ship, "by": decision.by, "key": decision.key},
            budget=f"t{turn_number}.{decision.seat}",
        )
    player = live.order[0]
    return Request(
        id=f"t{turn_number}.act.{live.answered}",
        seat=state.seat_of(player),
        kind="act",
        round=turn_number,
        live=live.answered > 0,
        sealed=False,
        clock=f"t{turn_number}.{player}",
        budget=f"t{turn_number}.{player}" if state.mode == "asked" else "",
    )


def _optional_requests(state: State) -> tuple[Request, ...]:
    """Return requests for changes to doctrines and the standing sheet, which each captain may make at any time.

    The ids change each turn, since a request is read with the ships that the captain has then; a draft for ships that
    changed hands is dropped. Records contain these ids.
    """
    turn_number = state.position.turn
    return tuple(
        Request(
            id=f"t{turn_number}.doctrine.{seat}.{change_count}",
            seat=seat,
            kind="doctrine",
            round=turn_number,
            optional=True,
        )
        for seat, change_count in zip(state.seats, state.changes, strict=True)
        if seat not in state.conceded
    )


def carry_out(state: State, answers: Iterable[tuple[Request, Answer]]) -> Step:
    """Apply changes to doctrines and standing sheets, then carry out the sheets, or one live order or choice."""
    events: list[Event] = []
    main_answers: list[tuple[Seat, Answer]] = []
    for request, answer in answers:
        if isinstance(answer, StandingChange):
            number = state.seats.index(request.seat)
            changes = with_value_at(state.changes, number, state.changes[number] + 1)
            state = structs.replace(_apply_standing_change(state, request.seat, answer), changes=changes)
            events.append(DoctrineChanged(seat=request.seat, seen_by=(request.seat,)))
        else:
            main_answers.append((request.seat, answer))
    if not main_answers:
        return Step(state, tuple(events))
    if state.set_up:
        step = setting_up.carry_out(state, state.set_up, dict(main_answers))
        return step if step.state.set_up else begin_turn(step.state, step.events)
    if state.live:
        _, answer = main_answers[0]  # in live mode only one captain is asked at a time
        return _carry_out_live(state, state.live, answer, events)
    return _carry_out_sheets(state, main_answers, events)


def begin_battle(state: State, events: Sequence[Event]) -> Step:
    """Ask for fleets or places if there is a set-up, or begin the first turn."""
    return Step(state, tuple(events)) if state.set_up else begin_turn(state, events)


def begin_turn(state: State, earlier: Iterable[Event] = ()) -> Step:
    """Begin a turn: run FIRE and, in live mode, roll the order of play."""
    events = list(earlier)
    position = state.position
    events.append(TurnBegan(turn=position.turn, ships=position.ships, links=position.links))
    result = turn.fight_fires(TurnProgress(position=position), SeededDice(state.dice))
    events += result.events
    state = structs.replace(_after_step(state, result), changes=(0,) * len(state.seats), live=None)
    is_decided = len(turn.fighting_sides(position)) > 1 >= len(turn.fighting_sides(state.position))
    if is_decided or not _seats_with_orders(state):
        # fire has killed a side's last crews, so the turn is played to its end without orders, which ends the game
        step = _run_whole_turn(state, {}, events)
        # pictures of this step begin before the orders of the turn before
        ended = structs.replace(step.state, before=state.before or step.state.before)
        return Step(ended, step.events)
    if state.mode != "sealed":
        result = turn.roll_initiative(result.progress, result.dice_source)
        events += result.events
        return _next_player_turn(_after_live_step(state, result), events)
    return Step(state, tuple(events))


# --- sheets in secret --------------------------------------------------------------------------------------------


def _carry_out_sheets(state: State, answers: Iterable[tuple[Seat, Answer]], earlier: Sequence[Event]) -> Step:
    sheets: dict[str, OrderSheet] = {}
    last_sheets = [OrderSheet()] * len(state.seats)
    for seat, answer in answers:
        if isinstance(answer, SheetOrders):
            state = _apply_standing_change(state, seat, StandingChange(answer.doctrines, answer.stand_in_sheet))
            sheets[state.player_of(seat)] = answer.sheet
            last_sheets[state.seats.index(seat)] = answer.sheet
    state = structs.replace(state, last=tuple(last_sheets))
    return _begin_next_turn(_run_whole_turn(state, sheets, earlier))


def _begin_next_turn(step: Step) -> Step:
    return step if step.state.result else begin_turn(step.state, step.events)


def _run_whole_turn(state: State, sheets: Mapping[str, OrderSheet], earlier: Sequence[Event]) -> Step:
    state = structs.replace(state, before=state.position)
    result = turn.run_turn(state.position, sheets, interrupts.doctrines_by_player(state, None), SeededDice(state.dice))
    return _end_or_continue(_after_step(state, result), (*earlier, *result.events))


def _apply_standing_change(state: State, seat: Seat, answer: StandingChange) -> State:
    number = state.seats.index(seat)
    doctrines = doctrine.merge_doctrines((*state.doctrines[number].lines, *answer.doctrines))
    state = structs.replace(state, doctrines=with_value_at(state.doctrines, number, doctrines))
    if answer.stand_in_sheet is None:
        return state
    # an empty sheet removes the standing one
    standing_sheet = answer.stand_in_sheet if answer.stand_in_sheet.lines else None
    return structs.replace(state, standing=with_value_at(state.standing, number, standing_sheet))


# --- ship by ship ------------------------------------------------------------------------------------------------


def _carry_out_live(state: State, live: LiveTurn, answer: Answer, earlier: Sequence[Event]) -> Step:
    """Carry out a ship's line, the end of a player-turn, or a choice, after which the open line begins again."""
    position_before = state.before if live.answered else state.position
    live = structs.replace(live, answered=live.answered + 1)
    state = structs.replace(state, before=position_before, live=live)
    match answer:
        case LiveOrder(line):
            return _continue_live(state, line, {}, earlier)
        case EndPlayerTurn():
            return _end_player(state, (*earlier, TurnEnded(seat=state.seat_of(live.order[0]), rule="RS-03.3")))
        case Choice(choice) if live.asked:
            decided = {**live.decided, f"{live.asked.ship}.{live.asked.key}": choice}
            state = structs.replace(state, live=structs.replace(live, asked=None, line=None, decided={}))
            return _continue_live(state, live.line, decided, earlier)
    raise ValueError(f"no answer of a player-turn: {answer}")


def _continue_live(state: State, line: OrderLine | None, decided: Mapping[str, str], earlier: Sequence[Event]) -> Step:
    """Activate a ship, or end the turn if there is no line; stop and ask if a captain has to decide something.

    `decided` are answers to earlier questions. A step that needs another one is dropped, and run again from its start.
    """

    def step(progress: TurnProgress, dice_source: DiceSource, doctrines: DoctrinesByPlayer) -> TurnStepResult:
        return (
            turn.activate_line(progress, line, dice_source, doctrines)
            if line
            else turn.close_turn(progress, dice_source, doctrines)
        )

    try:
        after, events = _run_live_step(state, step, decided)
    except DecisionNeeded as undecided:
        decision = interrupts.make_decision(state, undecided, line.ship if line else "")
        live = structs.replace(_live_turn(state), asked=decision, line=line, decided=dict(decided))
        return Step(structs.replace(state, live=live), tuple(earlier))
    earlier = (*earlier, *events)
    if line is None:
        return _begin_next_turn(_end_or_continue(after, earlier))
    live = _live_turn(after)
    own_ships = after.position.ships_of(live.order[0])
    ships_to_act = [ship for ship in own_ships if ship.id not in (*live.named, *live.captured)]
    return Step(after, earlier) if any(ship.crew for ship in ships_to_act) else _end_player(after, earlier)


def _end_player(state: State, earlier: Sequence[Event]) -> Step:
    state, events = _run_live_step(state, turn.close_player)
    return _next_player_turn(state, (*earlier, *events))


def _next_player_turn(state: State, earlier: Sequence[Event]) -> Step:
    """Begin the next player-turn in which orders are possible, or end the turn after the last."""
    if not _live_turn(state).order:
        return _continue_live(state, None, {}, earlier)
    state, events = _run_live_step(state, turn.open_player)
    earlier = (*earlier, *events)
    active_player = _live_turn(state).order[0]
    has_crew = any(ship.crew for ship in state.position.ships_of(active_player))
    return Step(state, earlier) if has_crew else _end_player(state, earlier)


def _live_turn(state: State) -> LiveTurn:
    if state.live is None:
        raise ValueError("nobody acts one after the other in this game")
    return state.live


def _run_live_step(
    state: State,
    step: Callable[[TurnProgress, DiceSource, DoctrinesByPlayer], TurnStepResult],
    decided: Mapping[str, str] | None = None,
) -> tuple[State, tuple[Event, ...]]:
    live = _live_turn(state)
    progress = TurnProgress(
        position=state.position,
        players_left=live.order,
        acted_ships=live.named,
        captured_ships=live.captured,
        idle_until_next_turn=live.spent,
        had_attack=live.attacked,
    )
    result = step(progress, SeededDice(state.dice), interrupts.doctrines_by_player(state, decided))
    return _after_live_step(state, result), result.events


def _after_live_step(state: State, result: TurnStepResult) -> State:
    after = result.progress
    live = state.live or LiveTurn(order=())
    live = structs.replace(
        live,
        order=after.players_left,
        named=after.acted_ships,
        captured=after.captured_ships,
        attacked=after.had_attack,
    )
    return structs.replace(_after_step(state, result), live=live)


def _after_step(state: State, result: TurnStepResult) -> State:
    dice = result.dice_source.dice if isinstance(result.dice_source, SeededDice) else state.dice
    sequence = next((event.players for event in result.events if isinstance(event, Sequenced)), state.sequence)
    return structs.replace(state, position=result.position, dice=dice, sequence=sequence)


# --- the end -----------------------------------------------------------------------------------------------------


def agree_draw(state: State, reason: DrawReason = "agreed") -> Step:
    return _end_or_continue(state, [turn.end_undecided(state.position, reason)])


def concede(state: State, seat: Seat) -> Step:
    """Hand a captain's ships to allies, or end the game if there are none (RS-20.4)."""
    side = state.position.side_of_player(state.player_of(seat))
    state = structs.replace(state, conceded=(*state.conceded, seat))
    heirs = setting_up.allies_left(state, seat)
    inherited = _distribute_ships(state, seat, heirs)
    state, events = _without_placing(state, seat)
    events += [CaptainConceded(seat=seat, heirs=tuple(heirs), given=inherited, rule="RS-20.4")]
    if not heirs:
        return _end_or_continue(state, [*events, turn.end_by_concession(state.position, side)])
    return _hand_over_ships(state, seat, {entry.ship: entry.owner for entry in inherited}, events)


def _without_placing(state: State, seat: Seat) -> tuple[State, list[Event]]:
    """Let the ships that a captain has still to place lie where they are proposed, for all to see."""
    set_up = state.set_up
    if set_up is None:
        return state, []
    ships = tuple(ship for ship in state.position.ships_of(state.player_of(seat)) if ship.id in set_up.unplaced)
    names = {ship.id for ship in ships}
    unplaced = tuple(name for name in set_up.unplaced if name not in names)
    events: list[Event] = [ShipsPlaced(seat=seat, ships=ships, rule="RS-22.6")] if ships else []
    return structs.replace(state, set_up=structs.replace(set_up, unplaced=unplaced)), events


def _distribute_ships(state: State, seat: Seat, heirs: Sequence[Seat]) -> tuple[InheritedShip, ...]:
    if not heirs:
        return ()
    ships = state.position.ships_of(state.player_of(seat))
    new_owners = [state.player_of(heirs[number % len(heirs)]) for number in range(len(ships))]
    return tuple(InheritedShip(ship.id, owner) for ship, owner in zip(ships, new_owners, strict=True))


def _hand_over_ships(state: State, seat: Seat, new_owners: Mapping[str, str], earlier: Sequence[Event]) -> Step:
    """Hand ships to allies, who act with them from their next player-turn.

    If the captain's player-turn has begun or is over, that is in the next turn, since no ship acts twice in one.
    """
    player = state.player_of(seat)
    ships = tuple(structs.replace(ship, owner=new_owners.get(ship.id, ship.owner)) for ship in state.position.ships)
    state = structs.replace(state, position=structs.replace(state.position, ships=ships))
    live = state.live
    if state.set_up:
        return Step(state, tuple(earlier))
    if live is None:
        return Step(state, tuple(earlier)) if _seats_with_orders(state) else begin_turn(state, earlier)
    is_active = live.order[:1] == (player,)
    is_captain_asked = live.asked is not None and live.asked.seat == seat
    order = tuple(other for other in live.order if other != player)
    captured = (*live.captured, *new_owners) if order and not is_active else ()
    is_turn_still_to_come = player in live.order[1:]
    # ships whose player-turn has begun or is over are idle until the next turn
    spent = live.spent if is_turn_still_to_come else (*live.spent, *new_owners)
    live_after = structs.replace(live, order=order, captured=captured, spent=spent, answered=live.answered + 1)
    if is_active or is_captain_asked:
        live_after = structs.replace(live_after, asked=None, line=None, decided={})
    state = structs.replace(state, live=live_after)
    if is_active:
        return _next_player_turn(state, earlier)
    if is_captain_asked:  # the line that was begun is carried out; only heirs can be asked now
        return _continue_live(state, live.line, live.decided, earlier)
    return Step(state, tuple(earlier))


def _end_or_continue(state: State, events: Sequence[Event]) -> Step:
    ending = events[-1]
    if not isinstance(ending, GameEnded):
        return Step(state, tuple(events))
    position = turn.finished_position(state.position)
    winners = _winning_seats(state, ending)
    return end_game(state, events, winners, end_reason(position, ending), position=position, live=None)


def _winning_seats(state: State, end: GameEnded) -> tuple[Seat, ...]:
    seats = zip(state.seats, state.position.seats, strict=True)
    return tuple(sorted(seat for seat, captain in seats if captain.side == end.winner))


def end_reason(position: Position, end: GameEnded) -> Text:
    first, second = end.score
    if end.winner == turn.DRAW_WINNER:
        side, other = (turn.side_key(position, name) for name in position.sides)
        scored, scored_against = turn.score_breakdowns(position)
        drawn: dict[str, Param] = {"side": side, "other": other, "first": first, "second": second}
        breakdowns: dict[str, Param] = {"scored": (scored,), "scored_against": (scored_against,)}
        return Text(f"reason.{end.variant}", {**drawn, **breakdowns})
    (loser,) = (name for name in position.sides if name != end.winner)
    scored, scored_against = turn.score_breakdowns(position, loser if end.reason == "conceded" else "")
    winner_points, loser_points = first, second
    if end.winner != position.sides[0]:
        winner_points, loser_points, scored, scored_against = second, first, scored_against, scored
    won: dict[str, Param] = {
        "side": turn.side_key(position, end.winner),
        "other": turn.side_key(position, loser),
        "points": winner_points,
        "against": loser_points,
        "scored": (scored,),
        "scored_against": (scored_against,),
    }
    return Text(f"reason.{end.variant}", won)
