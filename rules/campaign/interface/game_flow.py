"""The course of a campaign: open requests and the effects of answers (CA parts 2 and 6)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import structs

from rules.campaign.engine.ending import ending_by_laurels
from rules.campaign.engine.events import SeasonEnded
from rules.campaign.engine.orders import TurnOrders
from rules.campaign.engine.sea.naming import captain_names
from rules.campaign.engine.sea.state import BattleResult, Ending, Position, State
from rules.campaign.engine.turn import carry_out as carry_out_turn
from rules.campaign.interface import battles
from rules.core import endings
from rules.core.protocol import DrawReason, Report, Request, Seat, Step
from rules.core.sides import letter_of, seat_of
from rules.core.view import Text


def pending_requests(state: State) -> tuple[Request, ...]:
    """Return the open requests: sealed orders, and battles that are being played (CA part 16).

    Every captain is asked for orders, even one who has nothing to order, since requests must not reveal what a captain
    has (CA-2.1).
    """
    position = state.position
    if state.phase == "over":
        return ()
    last = state.phase == "battles"
    running = tuple(
        battles.battle_request(position, battle, waits=last or position.turn >= battle.began + battles.MAX_BATTLE_TURNS)
        for battle in position.battles
        if battle.id not in state.ended
    )
    if last:
        return running
    orders = tuple(
        Request(id=f"t{position.turn}.orders.{captain}", seat=seat_of(captain), kind="orders", round=position.turn)
        for captain in position.captains
    )
    return (*orders, *running)


def carry_out(state: State, answers: Sequence[tuple[Request, Any]]) -> Step:
    ended = dict(state.ended)
    orders: dict[str, TurnOrders] = {}
    for request, answer in answers:
        match answer:
            case TurnOrders():
                orders[letter_of(request.seat)] = answer
            case Report():
                battle = next(
                    candidate for candidate in state.position.battles if candidate.id == request.params["battle"]
                )
                ended[battle.id] = battles.battle_result(state.position, battle, answer)
    state = structs.replace(state, ended=ended)
    waits = any(not request.optional for request in pending_requests(state))
    if state.phase == "orders" and not orders:
        return Step(state, ())
    if state.phase == "battles" and waits:
        return Step(state, ())
    return _carry_out_turn(state, orders, ended)


def _carry_out_turn(state: State, orders: dict[str, TurnOrders], ended: dict[str, BattleResult]) -> Step:
    result = carry_out_turn(state.position, orders, ended, state.dice)
    state = structs.replace(state, position=result.position, dice=result.dice, ended={})
    if result.ending:
        return _end_game(state, _without_conceded(state, result.ending)).preceded_by(result.events)
    phase = "battles" if result.position.turn > result.position.turns else "orders"
    return Step(structs.replace(state, phase=phase), result.events)


def _without_conceded(state: State, ending: Ending) -> Ending:
    """Return the ending without captains who gave up; if no winner is left, the best of the others win (CA-13.4)."""
    position = state.position
    remaining_teams = {team for seat, team in enumerate(position.teams) if seat not in state.conceded}
    winners = tuple(captain for captain in ending.winners if position.team_of(captain) in remaining_teams)
    return structs.replace(ending, winners=winners) if winners else ending_by_laurels(position, remaining_teams)


def _end_game(state: State, ending: Ending) -> Step:
    season_ended = SeasonEnded(winners=ending.winners, why=ending.why, laurels=ending.laurels, rule="CA-13.1")
    winners = tuple(map(seat_of, ending.winners))
    reason = Text(f"reason.{ending.why}", {"seats": captain_names(ending.winners)})
    return endings.end_game(state, (season_ended,), winners, reason, phase="over")


def concede(state: State, seat: Seat) -> Step:
    """Let the computer go on for a captain who gives up, as nobody is ever out of the game (CA-14.5)."""
    state = structs.replace(state, conceded=(*state.conceded, seat))
    conceded_event = endings.CaptainConceded(seat=seat, rule="CA-14.5")
    teams = state.position.teams
    remaining = [other for other in range(len(teams)) if other not in state.conceded]
    sides = {teams[other] for other in remaining}
    if len(sides) > 1:
        return Step(state, (conceded_event,))
    winners = tuple(other for other in range(len(teams)) if teams[other] in sides)
    ended = SeasonEnded(
        winners=tuple(map(letter_of, winners)),
        why="conceded",
        laurels=_laurels_by_captain(state.position),
        rule="CA-14.5",
    )
    return endings.end_game(state, (conceded_event, ended), winners, Text("reason.conceded"), phase="over")


def _laurels_by_captain(position: Position) -> dict[str, int]:
    return {captain: position.laurels_of(captain) for captain in position.captains}


def agree_draw(state: State, reason: DrawReason = "agreed") -> Step:
    season_ended = SeasonEnded(winners=(), why=reason, laurels=_laurels_by_captain(state.position))
    return endings.end_game(state, (season_ended,), (), Text(f"reason.{reason}"), phase="over")
