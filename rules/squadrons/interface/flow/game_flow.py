"""The course of a game: what answers cause (SQ-03, SQ-24).

Every turn begins with a sealed sheet from each captain. Then the squadrons of both sides act in turn, as the sheets
say. This stops only for a doctrine `ask`, or for a squadron without orders if captains order squadron by squadron.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from msgspec import structs

from rules.core.endings import end_game
from rules.core.finding import with_value_at
from rules.core.protocol import DrawReason, Event, Request, Seat, Step
from rules.interface.question import Choice
from rules.squadrons.engine.events import (
    CaptainConceded,
    EndReason,
    GameEnded,
    InitiativeWon,
    SquadronsFormed,
    TurnBegan,
)
from rules.squadrons.engine.notation import doctrine_text
from rules.squadrons.engine.notation.orders import (
    SIDES,
    Doctrines,
    Speed,
    SquadronActivation,
    SquadronForm,
    SquadronOrders,
)
from rules.squadrons.engine.phases.activation import activation, turn_order
from rules.squadrons.engine.phases.aftermath import recovery, victory
from rules.squadrons.engine.phases.command import command, turn_start
from rules.squadrons.engine.phases.movement import moves
from rules.squadrons.engine.phases.play import DecisionNeeded, RecordedDice, TurnInProgress
from rules.squadrons.engine.sea.state import InterruptedActivation, PendingDecision, Squadron, State, other_side
from rules.squadrons.interface.drafts import alternate_choices, sheets
from rules.squadrons.interface.drafts.answers import ActivationOrder, Answer, OrderSheet
from rules.squadrons.interface.flow import merge_allies, requests, setting_up

# --- what becomes of answers --------------------------------------------------------------------------------------


def carry_out(state: State, answers: Sequence[tuple[Request, Answer]]) -> Step:
    """Carry out rosters or deployments, the sheets of a turn, or the answer of one captain."""
    by_seat = {request.seat: answer for request, answer in answers}
    if state.stage in ("roster", "deploy"):
        return _begin_if_set_up(setting_up.carry_out_set_up(state, by_seat))
    if state.stage == "turn" and not state.running:
        return _start_turn(state, by_seat)
    ((_, answer),) = answers
    return _carry_out_single(structs.replace(state, answered=state.answered + 1), answer)


def _carry_out_single(state: State, answer: Answer) -> Step:
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
            speeds = alternate_choices.speeds_of_choice(squadron.ships, choice)
            state, events = _set_squadron_speeds(state, squadron, speeds, [])
            return _set_speeds_in_turn(state, events)
        case Choice(choice) if state.stage == "order":
            return _set_first_player(state, choice, [])
        case ActivationOrder():
            return _carry_out_activation(state, answer)
    raise ValueError(f"no answer to this: {answer}")


def carry_out_set_up(state: State, events: Iterable[Event] = ()) -> Step:
    return _begin_if_set_up(setting_up.begin_set_up(state, tuple(events)))


def _begin_if_set_up(step: Step) -> Step:
    return begin_turn(step.state, step.events) if step.state.stage == setting_up.OVER_STAGE else step


def begin_turn(state: State, events: Iterable[Event] = ()) -> Step:
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
    play = _turn_in_progress(state)
    turn_start.change_wind(play)  # before anybody plans (SQ-08.0)
    first_to_form = turn_start.roll_first_to_form(play) if "form" in state.turns else None
    state = _state_after(state, play)
    all_events = [*events, TurnBegan(turn=position.turn, position=position), *play.events]
    if first_to_form is None:
        return Step(state, tuple(all_events))
    return _form_in_turn(structs.replace(state, stage="form", active=first_to_form), all_events)


def _form_in_turn(state: State, events: list[Event]) -> Step:  # SQ-05.8
    """Form squadrons by turns, and stop to ask where there is a choice. After the last one, ask for sheets."""
    while True:
        unformed: dict[str, int] = {
            side: int(alternate_choices.next_unformed(state, side) is not None) for side in SIDES
        }
        side = turn_order.next_side(unformed, state.active or "B", None)
        squadron = alternate_choices.next_unformed(state, side) if side else None
        if squadron is None:
            forms = {forming_side: alternate_choices.chosen_forms(state, forming_side) for forming_side in SIDES}
            play = _turn_in_progress(state)
            formed = _form_squadrons(play, forms)
            state = structs.replace(_state_after(state, play), stage="turn", active=None, squadrons=formed)
            return Step(state, (*events, *play.events))
        state = structs.replace(state, active=squadron.side)
        if len(alternate_choices.possible_forms(state, squadron)) > 1:
            return Step(state, tuple(events))
        state = structs.replace(alternate_choices.with_form(state, squadron, "range"), active=other_side(squadron.side))


def _start_turn(state: State, answers: Mapping[Seat, Answer]) -> Step:
    """Carry out phases B to D with the sheets (squadrons, initiative, speeds), then the activations."""
    by_seat = {seat: answer for seat, answer in answers.items() if isinstance(answer, OrderSheet)}
    if claiming_side := merge_allies.claiming_side(state, by_seat):
        return _end_game(state, "claimed", claiming_side, [])
    idle_turns = tuple(
        count + 1 if merge_allies.is_idle(state, side, by_seat) else 0
        for count, side in zip(state.idle, SIDES, strict=True)
    )
    last_sheets = tuple(
        sheets.format_sheet(by_seat[seat]) if seat in by_seat else "" for seat in range(len(state.captains))
    )
    blue, red = (merge_allies.merge_sheets(state, side, by_seat) for side in SIDES)
    doctrines = tuple(merge_allies.merge_doctrines(state, side, by_seat) for side in SIDES)
    state = structs.replace(
        state,
        before=state.position,
        last=last_sheets,
        idle=idle_turns,
        sheets=(blue, red),
        doctrines=doctrines,
    )
    play = _turn_in_progress(state)
    # formed already if the sides form squadrons in turn
    formed = state.squadrons or _form_squadrons(play, {"B": blue.forms, "R": red.forms})
    opener = state.opener if state.position.turn == 1 else None  # settled by the die of the set-up (SQ-23.7)
    winner = opener or turn_start.run_phase_c(play)  # of the initiative
    state = structs.replace(_state_after(state, play), squadrons=formed, initiative=winner)
    events = list(play.events)
    choice = play.side_doctrine(winner, "order")
    if choice == "ask":
        return Step(structs.replace(state, stage="order"), tuple(events))
    return _set_first_player(state, choice, events)


def _form_squadrons(play: TurnInProgress, forms: Mapping[Any, Sequence[SquadronForm]]) -> tuple[Squadron, ...]:
    formed = turn_start.run_phase_b(play, forms)
    play.add_event(SquadronsFormed(squadrons=formed, rule="SQ-05.8"))
    return formed


def _set_first_player(state: State, choice: str, events: Sequence[Event]) -> Step:
    winner = state.initiative or "B"
    first = winner if choice == alternate_choices.FIRST_CHOICES[0] else other_side(winner)
    initiative_event = InitiativeWon(side=winner, first=first, rule="SQ-03.2")
    return _set_speeds(structs.replace(state, first=first), [*events, initiative_event])


def _set_speeds(state: State, events: list[Event]) -> Step:
    if "speed" in state.turns:
        return _set_speeds_in_turn(structs.replace(state, stage="speed", active=state.first), events)
    play = _turn_in_progress(state)
    speeds_by_side: dict[str, Mapping[str, Speed]] = {
        side: sheet.speeds for side, sheet in zip(SIDES, state.sheets, strict=True) if sheet
    }
    turn_start.run_phase_d(play, speeds_by_side)
    state = _with_phase(_state_after(state, play), "E")
    return _run_activations(structs.replace(state, stage="activation", active=state.first), [*events, *play.events])


def _set_speeds_in_turn(state: State, events: list[Event]) -> Step:  # SQ-07.1
    """Set speeds by squadrons, the sides in turn, and stop to ask where there is a choice; then begin activations."""
    while True:
        unset_counts: dict[str, int] = {
            side: len(alternate_choices.squadrons_without_speed(state, side)) for side in SIDES
        }
        side = turn_order.next_side(unset_counts, state.active or "B", None)
        if side is None:
            state = structs.replace(_with_phase(state, "E"), stage="activation", active=state.first)
            return _run_activations(state, events)
        squadron = alternate_choices.squadrons_without_speed(state, side)[0]
        state = structs.replace(state, active=side)
        if alternate_choices.needs_speed_question(state, squadron):
            return Step(state, tuple(events))
        state, events = _set_squadron_speeds(state, squadron, alternate_choices.sheet_speeds(state, squadron), events)


def _set_squadron_speeds(
    state: State, squadron: Squadron, speeds: Mapping[str, Speed], events: list[Event]
) -> tuple[State, list[Event]]:
    play = _turn_in_progress(state)
    turn_start.run_phase_d(play, {squadron.side: speeds}, squadron.ships)
    state = structs.replace(
        _state_after(state, play), paced=(*state.paced, squadron.flagship), active=other_side(squadron.side)
    )
    return state, [*events, *play.events]


# --- squadrons act in turn ----------------------------------------------------------------------------------------


def _run_activations(state: State, events: list[Event]) -> Step:  # SQ-03.1, SQ-03.6
    """Activate squadrons by their sheets until a captain must be asked or the turn ends."""
    while True:
        side = turn_order.active_side(state)
        if side is None:
            if state.position.phase == "F":
                return _end_turn(state, events)
            state = structs.replace(_with_phase(state, "F"), active=state.first)
            continue
        state = structs.replace(state, active=side)
        squadron = turn_order.next_squadron(state, side)
        if squadron is None or (state.pace == "squadron" and not turn_order.has_orders(state, squadron)):
            return Step(state, tuple(events))
        step = _carry_out(state, turn_order.sheet_activation(state, squadron), events)
        if step.state.running or step.state.result:
            return step
        state, events = step.state, list(step.events)


def _carry_out_activation(state: State, answer: ActivationOrder) -> Step:
    seat = requests.acting_seat(state)
    context = sheets.order_context(state, seat)
    sheet = answer.sheet
    squadron = next(candidate for candidate in state.squadrons if candidate.flagship == answer.squadron)
    at = SIDES.index(squadron.side)
    if not sheet.is_stand_in:
        state = structs.replace(state, idle=with_value_at(state.idle, at, 0))
    changed_doctrines = merge_allies.own_doctrines(state, seat, sheet)
    doctrines = Doctrines(doctrine_text.merge_lines((*state.doctrines[at].lines, *changed_doctrines)))
    state = structs.replace(state, doctrines=with_value_at(state.doctrines, at, doctrines))
    flagships = sheets.flagship_by_squadron(context, sheet)
    partner = turn_order.double_partner(state, squadron, flagships.get(sheet.double, sheet.double))
    lines = moves.with_entry_lines(state.position, sheets.lines_of_sheet(context, sheet), squadron.ships)
    order = SquadronActivation(
        squadron=squadron.flagship,
        orders=SquadronOrders(lines, sheet.boards),
        double=partner.flagship if partner else "",
    )
    return _continue_turn(_carry_out(state, order, []))


def _resume_activation(state: State, running: InterruptedActivation, choice: str) -> Step:
    """Replay an interrupted activation from its beginning, with the dice already rolled and one more answer."""
    state = structs.replace(state, position=running.start, running=None)
    running = structs.replace(running, decided=(*running.decided, choice))
    return _continue_turn(_carry_out(state, running.order, [], running))


def _continue_turn(step: Step) -> Step:
    return step if step.state.running or step.state.result else _run_activations(step.state, list(step.events))


def _carry_out(
    state: State, order: SquadronActivation, events: list[Event], interrupted: InterruptedActivation | None = None
) -> Step:
    """Activate a squadron, or stop at the first question that is not answered yet.

    An `interrupted` activation is replayed. Its events already reported are not reported again.
    """
    start = state.position
    decided = interrupted.decided if interrupted else ()
    reported_count = interrupted.told if interrupted else 0
    dice = RecordedDice(state.dice, interrupted.thrown if interrupted else ())
    play = TurnInProgress(start, dice, _merged_doctrines(state), decided)
    squadrons = state.squadrons
    try:
        flagships = activation.activate_squadrons(play, squadrons, order)
    except DecisionNeeded as question:
        seat, key = command.seat_of(state, question.ship), cast("Any", question.key)
        decision = PendingDecision(seat=seat, ship=question.ship, key=key, by=question.by, offered=question.offered)
        thrown = play.dice_source.dice_thrown if isinstance(play.dice_source, RecordedDice) else ()
        running = InterruptedActivation(
            start=start,
            order=order,
            told=len(play.events),
            thrown=thrown,
            decided=decided,
            acting=play.squadron,
            slowed=play.slowed,
            asked=decision,
        )
        state = structs.replace(_state_after(state, play), running=running)
        return Step(state, (*events, *play.events[reported_count:]))
    side = next(squadron.side for squadron in squadrons if squadron.flagship == order.squadron)
    at = SIDES.index(side)
    has_doubled = state.doubled[at] or bool(order.double)
    squadrons_after = tuple(
        structs.replace(squadron, activated=True) if squadron.flagship in flagships else squadron
        for squadron in squadrons
    )
    state = structs.replace(
        _state_after(state, play),
        squadrons=squadrons_after,
        doubled=with_value_at(state.doubled, at, has_doubled),
        active=other_side(side),
    )
    return Step(state, (*events, *play.events[reported_count:]))


# --- the end of a turn, and of the game ---------------------------------------------------------------------------


def _end_turn(state: State, events: list[Event]) -> Step:
    play = _turn_in_progress(_with_phase(state, "G"))
    recovery.run_phase_g(play)
    play.position = structs.replace(play.position, phase="H")
    ending = victory.run_phase_h(play)
    state = _state_after(state, play)
    events = [*events, *play.events]
    last_event = play.events[-1]
    if ending is not None and isinstance(last_event, GameEnded):
        return _close_game(state, last_event, events)
    return begin_turn(state, events)


def agree_draw(state: State, reason: DrawReason = "agreed") -> Step:
    return _end_game(state, reason, "draw", [])


def concede(state: State, seat: Seat) -> Step:
    """Let a captain give up: allies take over the ships, or the side loses (SQ-22.8)."""
    side = state.captains[seat].side
    own_request_ids = {request.id for request in requests.pending_requests(state) if request.seat == seat}
    state = structs.replace(state, conceded=(*state.conceded, seat))
    heirs = tuple(captain.seat for captain in command.captains_of_side(state, side))
    events: list[Event] = [CaptainConceded(seat=seat, heirs=heirs, rule="SQ-22.8")]
    if not heirs:
        return _end_game(state, "conceded", other_side(side), events)
    running = state.running
    if running and running.asked.seat == seat:
        # a captain who gave up is not asked; the interrupted activation goes on by default
        choice = alternate_choices.default_choice(requests.decision_request(state, running.asked))
        step = _resume_activation(structs.replace(state, answered=state.answered + 1), running, choice)
        return step.preceded_by(events)
    request_ids = {request.id for request in requests.pending_requests(state)}
    if own_request_ids & request_ids:  # an heir gets the question, and needs a new request id
        state = structs.replace(state, answered=state.answered + 1)
    return Step(state, tuple(events))


def _end_game(state: State, reason: EndReason, winner: str, events: list[Event]) -> Step:
    blue, red = victory.victory_points(state.position)
    rule = {"claimed": "SQ-24.1", "called_off": ""}.get(reason, "SQ-22.8")
    end = GameEnded(winner=winner, reason=reason, blue=blue, red=red, drawish=False, rule=rule)  # type: ignore[arg-type]
    return _close_game(state, end, [*events, end])


def _close_game(state: State, end: GameEnded, events: Sequence[Event]) -> Step:
    winners = tuple(captain.seat for captain in state.captains if captain.side == end.winner)
    reason = victory.end_reason_text(state.position, end, events, state.before)
    return end_game(state, events, winners, reason, stage="over", running=None)


def match_points(state: State) -> dict[Seat, float]:
    """Return each seat's points of a finished battle, which a match adds up."""
    winners = {captain.side for captain in state.captains if state.result and captain.seat in state.result.winners}
    points = victory.match_points(state.position, next(iter(winners), None))
    return {captain.seat: points[captain.side] for captain in state.captains}


# --- plays --------------------------------------------------------------------------------------------------------


def _merged_doctrines(state: State) -> Doctrines:
    """Return the doctrines of both sides, without those for ships that the other side holds now."""
    lines = []
    for side, doctrines in zip(SIDES, state.doctrines, strict=True):
        for line in doctrines.lines:
            ship = state.position.ships_by_id.get(line.who)
            if ship is None or ship.side == side:
                lines.append(line)
    return Doctrines(tuple(lines))


def _turn_in_progress(state: State) -> TurnInProgress:
    return TurnInProgress(state.position, RecordedDice(state.dice), _merged_doctrines(state))


def _state_after(state: State, play: TurnInProgress) -> State:
    dice = play.dice_source.dice if isinstance(play.dice_source, RecordedDice) else state.dice
    return structs.replace(state, position=play.position, dice=dice)


def _with_phase(state: State, phase: Any) -> State:  # noqa: ANN401 - a letter of the phases
    return structs.replace(state, position=structs.replace(state.position, phase=phase))
