"""The course of a game: what becomes of the answers (SQ sections 3 and 9).

Every turn begins with a sealed sheet of each captain. Then the squadrons of both sides act in turn, as the sheets say;
only a doctrine that says `ask` stops them, or a squadron without orders where captains order squadron by squadron.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from msgspec import structs

from rules.core.endings import end_game
from rules.core.protocol import DrawReason, Event, Request, Seat, Step
from rules.core.tuples import with_value_at
from rules.interface.choosing import Choice
from rules.squadrons.engine.events import (
    CaptainConceded,
    EndReason,
    GameEnded,
    InitiativeWon,
    SquadronsFormed,
    TurnBegan,
)
from rules.squadrons.engine.notation import doctrine_text
from rules.squadrons.engine.notation.orders import SIDES, Doctrines, Speed, SquadronActivation, SquadronOrders
from rules.squadrons.engine.phases import wind
from rules.squadrons.engine.phases.activation import activation, turn_order
from rules.squadrons.engine.phases.aftermath import recovery, victory
from rules.squadrons.engine.phases.command import command, ownership, turn_start
from rules.squadrons.engine.phases.movement import moves
from rules.squadrons.engine.phases.play import DecisionNeeded, RecordedDice, TurnInProgress
from rules.squadrons.engine.sea.state import InterruptedActivation, PendingDecision, Squadron, State, other_side
from rules.squadrons.interface.drafts import alternate_choices, interrupts, sheets
from rules.squadrons.interface.drafts.answers import ActivationOrder, Answer, OrderSheet
from rules.squadrons.interface.flow import merge_allies, requests, setting_up

# --- what becomes of answers --------------------------------------------------------------------------------------


def carry_out(state: State, given: Sequence[tuple[Request, Answer]]) -> Step:
    """Carry out what was built or placed, a turn's sheets, or what one captain was asked alone."""
    by_seat = {request.seat: answer for request, answer in given}
    if state.stage in ("roster", "deploy"):
        return _begin_if_set_up(setting_up.carry_out_set_up(state, by_seat))
    if state.stage == "turn" and not state.running:
        return _start_turn(state, by_seat)
    ((_, answer),) = given
    return _carry_out_single(structs.replace(state, answered=state.answered + 1), answer)


def _carry_out_single(state: State, answer: Answer) -> Step:
    """Carry out what one captain was asked alone."""
    match answer:
        case Choice(choice) if state.running:
            return _resume_activation(state, state.running, choice)
        case Choice(choice) if state.stage == "form" and (
            squadron := alternate_choices.next_unformed(state, state.active or "B")
        ):
            state = alternate_choices.with_form(state, squadron, choice)
            return _form_in_turn(structs.replace(state, active=other_side(squadron.side)), [])
        case Choice(choice) if state.stage == "speed":
            squadron = alternate_choices.squadrons_without_speed(state, state.active or "B")[0]
            return _set_speeds_in_turn(
                *_set_squadron_speeds(state, squadron, alternate_choices.speeds_of_choice(squadron.ships, choice), [])
            )
        case Choice(choice) if state.stage == "order":
            return _set_first_player(state, choice, [])
        case ActivationOrder():
            return _carry_out_activation(state, answer)
    raise ValueError(f"no answer to this: {answer}")


def carry_out_set_up(state: State, told: Iterable[Event] = ()) -> Step:
    """A game begins: fleets are built and placed, as far as its options say so; then the first turn."""
    return _begin_if_set_up(setting_up.begin_set_up(state, tuple(told)))


def _begin_if_set_up(step: Step) -> Step:
    return begin_turn(step.state, step.events) if step.state.stage == setting_up.OVER_STAGE else step


def begin_turn(state: State, told: Iterable[Event] = ()) -> Step:
    """A turn begins: the captains are asked for their sheets."""
    position = structs.replace(state.position, phase="A")
    state = structs.replace(
        state,
        position=position,
        stage="turn",
        sheets=(None, None),
        squadrons=(),
        initiative=None,
        first=None,
        active=None,
        doubled=(False, False),
        forms=((), ()),
        paced=(),
        answered=0,
        running=None,
    )
    begun = [*told, TurnBegan(turn=position.turn, position=position)]
    if "form" not in state.turns:
        return Step(state, tuple(begun))
    return _form_in_turn(
        structs.replace(state, stage="form", active=alternate_choices.side_with_lower_admiral(state)), begun
    )


def _form_in_turn(state: State, told: list[Event]) -> Step:
    """Both sides form their squadrons in turn, the one with the lower Admiral first; then sheets are written (D-4)."""
    while True:
        unformed: dict[str, int] = {
            side: int(alternate_choices.next_unformed(state, side) is not None) for side in SIDES
        }
        side = turn_order.next_side(unformed, state.active or "B", None)
        squadron = alternate_choices.next_unformed(state, side) if side else None
        if squadron is None:
            formed = tuple(
                one
                for each in SIDES
                for one in command.form_squadrons(state.position, each, alternate_choices.chosen_forms(state, each))
            )
            return Step(structs.replace(state, stage="turn", active=None, squadrons=formed), tuple(told))
        state = structs.replace(state, active=squadron.side)
        if len(alternate_choices.possible_forms(state, squadron)) > 1:
            return Step(state, tuple(told))
        state = structs.replace(alternate_choices.with_form(state, squadron, "range"), active=other_side(squadron.side))


def _start_turn(state: State, given: Mapping[Seat, Answer]) -> Step:
    """The sheets are in: wind, squadrons, initiative, speeds; then all act."""
    by_seat = {seat: answer for seat, answer in given.items() if isinstance(answer, OrderSheet)}
    if winner := merge_allies.claiming_side(state, by_seat):
        return _end_game(state, "claimed", winner, [])
    idle = tuple(
        count + 1 if merge_allies.is_idle(state, side, by_seat) else 0
        for count, side in zip(state.idle, SIDES, strict=True)
    )
    last = tuple(sheets.format_sheet(by_seat[seat]) if seat in by_seat else "" for seat in range(len(state.captains)))
    blue, red = (merge_allies.merge_sheets(state, side, by_seat) for side in SIDES)
    stand = tuple(merge_allies.merge_doctrines(state, side, by_seat) for side in SIDES)
    state = structs.replace(state, before=state.position, last=last, idle=idle, sheets=(blue, red), doctrines=stand)
    play = _turn_in_progress(state)
    wind.change_wind(play)
    wishes = {"B": blue.forms, "R": red.forms}
    if "form" in state.turns:
        wishes = {side: alternate_choices.chosen_forms(state, side) for side in SIDES}
    formed = turn_start.run_phase_b(play, wishes)
    play.add_event(SquadronsFormed(squadrons=formed, rule="SQ-05.8"))
    opener = state.opener if state.position.turn == 1 else None  # settled by the die of the set-up (SQ-23.7)
    winner = opener or turn_start.run_phase_c(play)
    state = structs.replace(_state_after(state, play), squadrons=formed, initiative=winner)
    told = list(play.events)
    wish = play.side_doctrine(winner, "order")
    if wish == "ask":
        return Step(structs.replace(state, stage="order"), tuple(told))
    return _set_first_player(state, wish, told)


def _set_first_player(state: State, wish: str, told: Sequence[Event]) -> Step:
    """Who goes first, by the wish of the side that has the initiative (SQ-03.2)."""
    winner = state.initiative or "B"
    first = winner if wish == interrupts.FIRST_CHOICES[0] else other_side(winner)
    won = InitiativeWon(side=winner, first=first, rule="SQ-03.2")
    return _set_speeds(structs.replace(state, first=first), [*told, won])


def _set_speeds(state: State, told: list[Event]) -> Step:
    """Phase D, then E."""
    if "speed" in state.turns:
        return _set_speeds_in_turn(structs.replace(state, stage="speed", active=state.first), told)
    play = _turn_in_progress(state)
    turn_start.run_phase_d(play, {side: sheet.speeds for side, sheet in zip(SIDES, state.sheets, strict=True) if sheet})
    state = _with_phase(_state_after(state, play), "E")
    return _run_activations(structs.replace(state, stage="activation", active=state.first), [*told, *play.events])


def _set_speeds_in_turn(state: State, told: list[Event]) -> Step:
    """Both sides set the speeds of their squadrons in turn, the first player first (SQ-07.1); then phase E."""
    while True:
        todo: dict[str, int] = {side: len(alternate_choices.squadrons_without_speed(state, side)) for side in SIDES}
        side = turn_order.next_side(todo, state.active or "B", None)
        if side is None:
            return _run_activations(
                structs.replace(_with_phase(state, "E"), stage="activation", active=state.first), told
            )
        squadron = alternate_choices.squadrons_without_speed(state, side)[0]
        state = structs.replace(state, active=side)
        if alternate_choices.needs_speed_question(state, squadron):
            return Step(state, tuple(told))
        state, told = _set_squadron_speeds(state, squadron, alternate_choices.sheet_speeds(state, squadron), told)


def _set_squadron_speeds(
    state: State, squadron: Squadron, wishes: Mapping[str, Speed], told: list[Event]
) -> tuple[State, list[Event]]:
    """A squadron's speeds are set; the other side is next."""
    play = _turn_in_progress(state)
    turn_start.run_phase_d(play, {squadron.side: wishes}, squadron.ships)
    state = structs.replace(
        _state_after(state, play), paced=(*state.paced, squadron.flagship), active=other_side(squadron.side)
    )
    return state, [*told, *play.events]


# --- squadrons act in turn ----------------------------------------------------------------------------------------


def _run_activations(state: State, told: list[Event]) -> Step:
    """Squadrons act as the sheets say, until somebody is asked or the turn is over (SQ-03.1, SQ-03.6)."""
    while True:
        side = turn_order.active_side(state)
        if side is None:
            if state.position.phase == "F":
                return _end_turn(state, told)
            state = structs.replace(_with_phase(state, "F"), active=state.first)
            continue
        state = structs.replace(state, active=side)
        squadron = turn_order.next_squadron(state, side)
        if squadron is None or (state.pace == "squadron" and not turn_order.has_orders(state, squadron)):
            return Step(state, tuple(told))
        step = _carry_out(state, turn_order.sheet_activation(state, squadron), told)
        if step.state.running or step.state.result:
            return step
        state, told = step.state, list(step.events)


def _carry_out_activation(state: State, answer: ActivationOrder) -> Step:
    """One squadron, ordered when it is due."""
    seat = requests.acting_seat(state)
    context = sheets.order_context(state, seat)
    sheet = answer.sheet
    squadron = next(one for one in state.squadrons if one.flagship == answer.squadron)
    at = SIDES.index(squadron.side)
    if not sheet.is_stand_in:
        state = structs.replace(state, idle=with_value_at(state.idle, at, 0))
    own = merge_allies.own_doctrines(state, seat, sheet)
    stand = Doctrines(doctrine_text.merge_lines((*state.doctrines[at].lines, *own)))
    state = structs.replace(state, doctrines=with_value_at(state.doctrines, at, stand))
    flags = sheets.flagship_by_squadron(context, sheet)
    double = turn_order.double_partner(state, squadron, flags.get(sheet.double, sheet.double))
    order = SquadronActivation(
        squadron=squadron.flagship,
        orders=SquadronOrders(
            moves.with_entry_lines(state.position, sheets.lines_of_sheet(context, sheet), squadron.ships), sheet.boards
        ),
        double=double.flagship if double else "",
    )
    return _continue_turn(_carry_out(state, order, []))


def _resume_activation(state: State, running: InterruptedActivation, choice: str) -> Step:
    """An activation goes on in which somebody was asked: from its beginning, with the dice that fell."""
    state = structs.replace(state, position=running.start, running=None)
    running = structs.replace(running, decided=(*running.decided, choice))
    return _continue_turn(_carry_out(state, running.order, [], running))


def _continue_turn(step: Step) -> Step:
    """The next squadrons act, unless somebody is asked or the game is over."""
    return step if step.state.running or step.state.result else _run_activations(step.state, list(step.events))


def _carry_out(
    state: State, order: SquadronActivation, told: list[Event], again: InterruptedActivation | None = None
) -> Step:
    """Activate a squadron; of one that is carried out again what was told already is not told again."""
    start = state.position
    decided = again.decided if again else ()
    already = again.told if again else 0
    play = TurnInProgress(
        start, RecordedDice(state.dice, again.thrown if again else ()), _merged_doctrines(state), decided
    )
    squadrons = state.squadrons
    try:
        acted = activation.activate_squadrons(play, squadrons, order)
    except DecisionNeeded as open_:
        seat, key = ownership.seat_of(state, open_.ship), cast("Any", open_.key)
        asked = PendingDecision(seat=seat, ship=open_.ship, key=key, by=open_.by, offered=open_.offered)
        fell = play.cup.dice_thrown if isinstance(play.cup, RecordedDice) else ()
        running = InterruptedActivation(
            start=start,
            order=order,
            told=len(play.events),
            thrown=fell,
            decided=decided,
            acting=play.squadron,
            slowed=play.slowed,
            asked=asked,
        )
        state = structs.replace(_state_after(state, play), running=running)
        return Step(state, (*told, *play.events[already:]))
    side = next(one.side for one in squadrons if one.flagship == order.squadron)
    at = SIDES.index(side)
    state = structs.replace(
        _state_after(state, play),
        squadrons=tuple(structs.replace(one, activated=True) if one.flagship in acted else one for one in squadrons),
        doubled=with_value_at(state.doubled, at, state.doubled[at] or bool(order.double)),
        active=other_side(side),
    )
    return Step(state, (*told, *play.events[already:]))


# --- the end of a turn, and of the game ---------------------------------------------------------------------------


def _end_turn(state: State, told: list[Event]) -> Step:
    """Phases G and H; then the next turn, or the end."""
    play = _turn_in_progress(_with_phase(state, "G"))
    recovery.run_phase_g(play)
    play.position = structs.replace(play.position, phase="H")
    over = victory.run_phase_h(play)
    state = _state_after(state, play)
    told = [*told, *play.events]
    end = play.events[-1]
    return _close_game(state, end, told) if over is not None and isinstance(end, GameEnded) else begin_turn(state, told)


def agree_draw(state: State, reason: DrawReason = "agreed") -> Step:
    """All captains have agreed on a draw, or the game can't go on."""
    return _end_game(state, reason, "draw", [])


def concede(state: State, seat: Seat) -> Step:
    """A captain gives up: allies take over the ships, or the side has lost (SQ-22.8)."""
    side, asked = state.captains[seat].side, requests.pending_requests(state)
    state = structs.replace(state, conceded=(*state.conceded, seat))
    heirs = tuple(one.seat for one in ownership.captains_of_side(state, side))
    told: list[Event] = [CaptainConceded(seat=seat, heirs=heirs, rule="SQ-22.8")]
    if not heirs:
        return _end_game(state, "conceded", other_side(side), told)
    running = state.running
    if running and running.asked.seat == seat:
        # a captain who has given up is asked no more; what was begun goes on by default
        choice = interrupts.default_choice(requests.decision_request(state, running.asked))
        return _resume_activation(structs.replace(state, answered=state.answered + 1), running, choice).preceded_by(
            told
        )
    if {one.id for one in asked if one.seat == seat} & {one.id for one in requests.pending_requests(state)}:
        state = structs.replace(state, answered=state.answered + 1)  # another is asked, and not under the same name
    return Step(state, tuple(told))


def _end_game(state: State, reason: EndReason, winner: str, told: list[Event]) -> Step:
    blue, red = victory.victory_points(state.position)
    rule = {"claimed": "SQ-24.1", "called_off": ""}.get(reason, "SQ-22.8")
    end = GameEnded(winner=winner, reason=reason, blue=blue, red=red, drawish=False, rule=rule)  # type: ignore[arg-type]
    return _close_game(state, end, [*told, end])


def _close_game(state: State, end: GameEnded, told: Sequence[Event]) -> Step:
    """The game is over."""
    winners = tuple(one.seat for one in state.captains if one.side == end.winner)
    reason = victory.end_reason_text(state.position, end, told, state.before)
    return end_game(state, told, winners, reason, stage="over", running=None)


# --- plays --------------------------------------------------------------------------------------------------------


def _merged_doctrines(state: State) -> Doctrines:
    """What holds for each side, its squadrons, and the ships that it controls now."""
    lines = [
        line
        for side, stand in zip(SIDES, state.doctrines, strict=True)
        for line in stand.lines
        if (ship := state.position.ships_by_id.get(line.who)) is None or ship.side == side
    ]
    return Doctrines(tuple(lines))


def _turn_in_progress(state: State) -> TurnInProgress:
    return TurnInProgress(state.position, RecordedDice(state.dice), _merged_doctrines(state))


def _state_after(state: State, play: TurnInProgress) -> State:
    """Put back into the state what came of a play."""
    dice = play.cup.dice if isinstance(play.cup, RecordedDice) else state.dice
    return structs.replace(state, position=play.position, dice=dice)


def _with_phase(state: State, phase: Any) -> State:  # noqa: ANN401 - a letter of the phases
    return structs.replace(state, position=structs.replace(state.position, phase=phase))
