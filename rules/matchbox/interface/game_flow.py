"""The course of a game: requests, and how their answers are carried out (MB-2, MB-4, MB-8)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Literal

from msgspec import UNSET, UnsetType, structs

from rules.core import endings
from rules.core.errors import Scalar
from rules.core.keepsakes import name_number
from rules.core.protocol import DrawReason, Event, Request, Seat, Step, ask_each
from rules.core.sides import letter_of, seat_of, seats_with
from rules.core.view import Param, Text
from rules.interface.typed import join_id_ranges
from rules.matchbox.engine import kept, placing, points, scenarios
from rules.matchbox.engine import round as rounds
from rules.matchbox.engine.events import (
    CaptainConceded,
    FirstPlacerDrawn,
    FleetRevealed,
    GalleyPlaced,
    GameDrawn,
    GameWon,
    KeptCrewAboard,
    ScoreCounted,
    ShipStruck,
)
from rules.matchbox.engine.state import (
    Answer,
    CaptainRecord,
    Decision,
    Fleet,
    FleetOrders,
    Galley,
    PendingDecision,
    Placement,
    ScenarioTitle,
    State,
    TableSide,
)
from rules.matchbox.interface import decisions, deployments, fleets, standing_orders

_SIDES: Final[tuple[TableSide, ...]] = ("south", "north")
MAX_QUIET_ROUNDS: Final = 20  # consecutive rounds without any loss that end the game (MB-8.2)


def pending_requests(state: State) -> tuple[Request, ...]:
    """Return the open requests. Orders may be changed until all captains have sealed theirs (MB-3.8)."""
    if state.phase == "choosing":
        kind = "fleet" if state.points else "vessels"
        return tuple(
            Request(id=f"fleet.{seat}", seat=seat, kind=kind, round=0, params=fleets.request_params(state, seat))
            for seat in range(len(state.sides))
            if seat not in state.conceded
        )
    if state.phase == "placing":
        return _placement_requests(state)
    if state.phase == "orders":
        seats = sorted({galley.seat for galley in state.galleys})
        # `more` chooses what the panel says of the orders' letters, and of when a galley sinks
        rules_in_force = ["boarding"] if state.allows_boarding else []
        rules_in_force += ["both_sides"] if state.sinks else []
        params: dict[str, Scalar] = {"more": ".".join(rules_in_force)} if rules_in_force else {}
        if state.rounds:
            params["limit"] = state.rounds
        return ask_each(seats, "orders", state.round, params=params)
    return tuple(
        Request(
            id=f"r{state.round}.{question.key}",
            seat=question.seat,
            kind=question.kind,
            round=state.round,
            live=True,
            params={
                "galley": question.galley,
                "about": question.about,
                "damage": question.damage,
                "step": question.step,
            },
        )
        for question in state.questions
    )


def carry_out(state: State, answers: Sequence[tuple[Request, Answer]]) -> Step:
    """Reveal fleets, place galleys, begin a round, or continue one with decisions."""
    return kept.with_experience(state, _carry_out(state, answers))


def _carry_out(state: State, answers: Sequence[tuple[Request, Answer]]) -> Step:
    """Carry out answers to fleets, placements, orders or questions in the middle of a round, by the state's phase."""
    if state.phase == "choosing":
        return _show_fleets(state, {request.seat: answer for request, answer in answers if isinstance(answer, Fleet)})
    if state.phase == "placing":
        return _carry_out_placement(state, [answer for _, answer in answers if isinstance(answer, Placement)])
    if state.phase == "orders":
        return _begin_round(
            state, {request.seat: answer for request, answer in answers if isinstance(answer, FleetOrders)}
        )
    prefix = f"r{state.round}."
    choices = {
        request.id.removeprefix(prefix): answer.choice for request, answer in answers if isinstance(answer, Decision)
    }
    return _continue_round(structs.replace(state, decided={**state.decided, **choices}))


def concede(state: State, seat: Seat) -> Step:
    """Let a captain give up. The galleys strike at once, or at the end of the current round (MB-8.1)."""
    conceded = structs.replace(state, conceded=(*state.conceded, seat))
    step = _concede_in_round(conceded) if state.phase == "asking" else _end_or_prepare(*_strike_conceded(conceded))
    return kept.with_experience(state, step.preceded_by((CaptainConceded(seat=seat, rule="MB-8.1"),)))


def agree_draw(state: State, reason: DrawReason = "agreed") -> Step:
    """End the game as a draw (MB-8.1), or because it cannot go on."""
    return _end_drawn(state, reason)


def decision_of(state: State, request: Request) -> PendingDecision:
    return next(question for question in state.questions if request.id == f"r{state.round}.{question.key}")


def _show_fleets(state: State, fleet_by_seat: Mapping[Seat, Fleet]) -> Step:
    """Reveal all fleets together (MX-4.1), and begin deployment."""
    counts = [len(fleet_by_seat[seat].vessels) if seat in fleet_by_seat else 0 for seat in range(len(state.sides))]
    # A vessel's id is its captain's letter and a number, such as `A1`.
    manned = {
        f"{letter_of(seat)}{number}": build
        for seat, fleet in sorted(fleet_by_seat.items())
        for number, build in enumerate(_fleet_builds(state, seat, fleet), 1)
    }
    builds = {name: build._replace(crew_number=0).text for name, build in manned.items()}
    to_place = placing.turn_order(state.sides, counts, state.first or "south")
    events: list[Event] = [
        FleetRevealed(
            seat=seat, vessels=tuple(build for name, build in builds.items() if seat_of(name) == seat), rule="MX-4.1"
        )
        for seat in sorted(fleet_by_seat)
    ]
    aboard = {name: build.crew_number for name, build in manned.items() if build.crew_number}
    events += [
        KeptCrewAboard(
            galley=name, crew=name_number(seat_of(name), number), promotions=manned[name].crew, rule="MX-4.3"
        )
        for name, number in aboard.items()
    ]
    if state.deployment == "turns":
        events.append(FirstPlacerDrawn(seat=seat_of(to_place[0]), rule="MB-2.1"))
    placing_state = structs.replace(
        state,
        phase="placing",
        builds=builds,
        kept=_with_wishes(state, fleet_by_seat),
        aboard=aboard if state.kept else UNSET,
        to_place=to_place,
        galleys_each=max(counts),
        first=UNSET,
        ready=UNSET,
    )
    step = set_down_galleys(placing_state) if state.ready else Step(placing_state, ())
    return step.preceded_by(tuple(events))


def _fleet_builds(state: State, seat: Seat, fleet: Fleet) -> tuple[points.VesselBuild, ...]:
    return kept.man_fleet(state.kept[seat] if state.kept else CaptainRecord(), fleet.vessels)


def _with_wishes(state: State, fleet_by_seat: Mapping[Seat, Fleet]) -> tuple[CaptainRecord, ...] | UnsetType:
    """Return the captains' records with the preferences from their fleets."""
    wishes_by_seat = {seat: fleet.wishes for seat, fleet in fleet_by_seat.items() if fleet.wishes}
    return state.kept and tuple(
        structs.replace(record, wishes=wishes_by_seat.get(seat, record.wishes))
        for seat, record in enumerate(state.kept)
    )


def _placement_requests(state: State) -> tuple[Request, ...]:
    """Return the request to place the next galley or, in sealed deployment, requests to all captains for all theirs."""
    by_seat: dict[Seat, list[str]] = {}
    for galley in state.to_place:
        by_seat.setdefault(seat_of(galley), []).append(galley)
    sealed = state.deployment == "sealed"
    galleys_by_seat = sorted(by_seat.items())
    if not sealed:
        next_galley = state.to_place[0]
        galleys_by_seat = [(seat_of(next_galley), [next_galley])]
    return tuple(
        Request(
            id=f"place.{seat if sealed else galleys[0]}",
            seat=seat,
            kind="place",
            round=0,
            sealed=sealed,
            params={"galley": ", ".join(join_id_ranges(galleys))},
        )
        for seat, galleys in galleys_by_seat
    )


def _carry_out_placement(state: State, placements: list[Placement]) -> Step:
    placed = placing.sort_galleys(galley for placement in placements for galley in placement.galleys)
    placed_ids = {galley.id for galley in placed}
    state = structs.replace(
        state,
        galleys=placing.sort_galleys((*state.galleys, *placed)),
        to_place=tuple(galley for galley in state.to_place if galley not in placed_ids),
    )
    events = tuple(
        GalleyPlaced(
            galley=galley.id,
            seat=galley.seat,
            holes=galley.holes,
            masts=galley.masts,
            pose=galley.pose,
            vessel=galley.vessel or UNSET,
            crew=galley.crew or UNSET,
            oars=galley.port if galley.port < galley.holes else UNSET,
            rule="MB-2.1",
        )
        for galley in placed
    )
    return _end_or_prepare(state, events)


def set_down_galleys(state: State) -> Step:
    """Place all galleys where they are proposed, so that the first round begins."""
    contexts = (deployments.deployment_context(state, request.seat) for request in _placement_requests(state))
    return _carry_out_placement(state, list(map(deployments.propose_placement, contexts)))


def _begin_round(state: State, answers: Mapping[Seat, FleetOrders]) -> Step:
    """Run the round with these answers until it ends or asks a captain. Seats without one keep standing orders."""
    lists = {order_list.galley: order_list for answer in answers.values() for order_list in answer.lists}
    return _continue_round(
        structs.replace(
            state,
            before=state.galleys,
            orders=tuple(lists[galley.id] for galley in state.galleys),
            standing=tuple(
                answers[seat].standing if seat in answers else previous for seat, previous in enumerate(state.standing)
            ),
            told=0,
            decided={},
        )
    )


def _continue_round(state: State) -> Step:
    """Run the round again from its start with all decisions made so far, until it ends or asks a captain."""
    while True:
        outcome = rounds.run_round(
            state.sea,
            state.before,
            state.orders,
            dict(enumerate(state.standing)),
            state.dice,
            state.decided,
            number=state.round,
            options=state.extra_rules,
            sinks=state.sink_rule,
            scenario=state.scenario or None,
        )
        waiting = structs.replace(
            state,
            phase="asking",
            galleys=outcome.galleys,
            lost=_all_lost(state, outcome),
            lying=outcome.laid_matches,
            step=outcome.step,
            questions=outcome.decisions,
            told=len(outcome.events),
        )
        decided_now = _decide_for_conceded(waiting)  # questions to captains who gave up are answered at once
        if not decided_now:
            break
        state = structs.replace(state, decided={**state.decided, **decided_now})
    new_events = outcome.events[state.told :]
    return Step(waiting, new_events) if outcome.decisions else _end_round(state, outcome, new_events)


def _all_lost(state: State, outcome: rounds.RoundOutcome) -> tuple[Galley, ...]:
    """Return all galleys lost so far, once each: `state` has those of this round, too, if the round has asked."""
    ids_at_start = {galley.id for galley in state.before}
    return (*(galley for galley in state.lost if galley.id not in ids_at_start), *outcome.sunk)


def _decide_for_conceded(state: State) -> dict[str, str]:
    return {
        question.key: decisions.default_decision(state.galleys, question).choice
        for question in state.questions
        if question.seat in state.conceded
    }


def _concede_in_round(state: State) -> Step:
    # Default decisions replace those of captains who have given up.
    state = structs.replace(state, decided={**state.decided, **_decide_for_conceded(state)})
    open_questions = tuple(question for question in state.questions if question.key not in state.decided)
    return Step(structs.replace(state, questions=open_questions), ()) if open_questions else _continue_round(state)


def _end_round(state: State, outcome: rounds.RoundOutcome, events: tuple[Event, ...]) -> Step:
    """Store the result of a round, and end the game or prepare the next round. The step begins with `events`."""
    state = structs.replace(
        _clear_round(state),
        phase="orders",
        galleys=outcome.galleys,
        lost=_all_lost(state, outcome),
        dice=outcome.dice,
        round=state.round + 1,
        quiet_rounds=0 if outcome.had_loss else state.quiet_rounds + 1,
        ordered=state.orders,
    )
    state, scored = _with_score(state, outcome)
    return _end_or_prepare(*_strike_conceded(state, (*events, *scored)))


def _with_score(state: State, outcome: rounds.RoundOutcome) -> tuple[State, tuple[Event, ...]]:
    """Return the state with a scenario's score after the round, and the event that reports it (MX-5)."""
    title = state.scenario
    if not title:
        return state, ()
    score = scenarios.score_after_round(
        title, state.score or {}, outcome.galleys, left=len(outcome.left_table), houses=outcome.houses
    )
    state = structs.replace(state, score=score, left=(*(state.left or ()), *outcome.left_table) or UNSET)
    scenario = scenarios.SCENARIOS[title]
    event = ScoreCounted(
        scenario=title,
        south=score[scenario.score_keys[0]],
        north=score.get("north", 0),
        enough=scenario.winning_score,
        rounds_left=scenario.rounds - (state.round - 1),
        rule=scenarios.RULE_BY_TITLE[title],
    )
    return state, (event,)


def _clear_round(state: State) -> State:
    return structs.replace(state, before=(), orders=(), decided={}, told=0, questions=(), lying=(), step=0)


def _strike_conceded(state: State, events: tuple[Event, ...] = ()) -> tuple[State, tuple[Event, ...]]:
    """Return the state without galleys of captains who have given up (MB-8.1), and the events."""
    struck = tuple(galley for galley in state.galleys if galley.seat in state.conceded)
    state = structs.replace(
        state,
        galleys=tuple(galley for galley in state.galleys if galley not in struck),
        lost=(*state.lost, *struck),
        struck=(*state.struck, *(galley.id for galley in struck)),
        to_place=tuple(galley for galley in state.to_place if seat_of(galley) not in state.conceded),
    )
    return state, (*events, *(ShipStruck(galley=galley.id, rule="MB-8.1") for galley in struck))


def _end_or_prepare(state: State, events: tuple[Event, ...]) -> Step:
    """End the game if it is decided, else prepare the next round. The step begins with `events`."""
    sides_left = [side for side in _SIDES if _has_galleys(state, side)]
    if state.scenario and state.phase not in {"choosing", "placing"} and not _has_side_conceded(state):
        step = _end_scenario_or_prepare(state, state.scenario)
    elif len(sides_left) < 2:
        step = _end_won(state, sides_left[0]) if sides_left else _end_drawn(state, "both")
    elif state.quiet_rounds >= MAX_QUIET_ROUNDS:
        step = _end_drawn(state, "quiet")
    elif 0 < state.rounds < state.round:
        step = _end_drawn(state, "nightfall")
    else:
        step = Step(_ready_for_round(state), ())
    return step.preceded_by(events)


def _end_scenario_or_prepare(state: State, title: ScenarioTitle) -> Step:
    """End a scenario if it is decided (MX-5.1), else prepare the next round."""
    ending = scenarios.find_ending(title, state.round - 1, state.score or {}, state.galleys)
    if ending is None:
        return Step(_ready_for_round(state), ())
    rule = scenarios.RULE_BY_TITLE[title]
    if ending.winner == "draw":
        reason: Literal["both", "basin"] = "both" if ending.why == "sunk" else "basin"
        return _end_game(state, GameDrawn(reason=reason, rule=rule), (), _ending_reason(state, f"reason.{reason}.draw"))
    seats = seats_with(state.sides, ending.winner)
    win_reason = _ending_reason(state, f"reason.{ending.why}", ending.winner)
    return _end_game(state, GameWon(side=ending.winner, seats=seats, rule=rule), seats, win_reason)


def _ending_reason(state: State, key: str, side: TableSide | None = None) -> Text:
    score: dict[str, Param] = dict((state.score or {}).items())
    return Text(key, {"side": side or "", **score})


def match_points(state: State) -> dict[Seat, float]:
    """Return each seat's points in a scenario, which a match adds up; empty: no scenario."""
    if not state.scenario or state.result is None:
        return {}
    winner = state.sides[state.result.winners[0]] if state.result.winners else None
    points = scenarios.side_points(state.scenario, state.score or {}, winner)
    return {seat: points[side] for seat, side in enumerate(state.sides)}


def _has_side_conceded(state: State) -> bool:  # all captains of either side have given up
    return any(all(seat in state.conceded for seat in seats_with(state.sides, side)) for side in _SIDES)


def _has_galleys(state: State, side: TableSide) -> bool:
    if state.phase == "choosing":
        return any(seat not in state.conceded for seat in seats_with(state.sides, side))
    if any(state.sides[seat_of(galley)] == side for galley in state.to_place):
        return True
    afloat = [galley for galley in state.galleys if galley.side == side]
    if any(galley.kind.is_fighting for galley in afloat):
        return True
    # Merchants go on alone (MX-5.2), so a side that concedes against them loses, too.
    return bool(afloat) and _has_side_conceded(state)


def _ready_for_round(state: State) -> State:
    # The first round is 1. Standing orders lose targets that are no longer afloat.
    if state.phase == "choosing" or state.to_place:
        return state
    return structs.replace(
        state,
        phase="orders",
        round=max(state.round, 1),
        standing=tuple(standing_orders.without_lost(order, state.galleys) for order in state.standing),
    )


def _end_won(state: State, side: TableSide) -> Step:
    seats = seats_with(state.sides, side)
    losers = [seat for seat, seat_side in enumerate(state.sides) if seat_side != side]
    all_conceded = all(seat in state.conceded for seat in losers)
    reason = Text("reason.conceded" if all_conceded else "reason.sunk", {"side": side})
    event = GameWon(side=side, seats=seats, rule="MB-8.1")
    return _end_game(state, event, seats, reason)


def _end_drawn(state: State, reason: DrawReason | Literal["both", "quiet", "nightfall"]) -> Step:
    rule = {"quiet": "MB-8.2", "called_off": "", "nightfall": ""}.get(reason, "MB-8.1")
    event = GameDrawn(reason=reason, rule=rule)
    return _end_game(state, event, (), Text(f"reason.{reason}"))


def _end_game(state: State, event: Event, winners: tuple[Seat, ...], reason: Text) -> Step:
    return endings.end_game(_clear_round(state), (event,), winners, reason, phase="over", to_place=())
