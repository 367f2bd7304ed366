"""A turn: orders and finished battles lead to the next position, or to the end (CA-2)."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import NamedTuple

from msgspec import structs

from rules.campaign.engine.events import FleetMustered, GiftPaid, TurnBegan, TurnEnded
from rules.campaign.engine.fighting import meeting
from rules.campaign.engine.fighting.meeting import Meeting, carry_out_meeting
from rules.campaign.engine.money.night import carry_out_night
from rules.campaign.engine.orders import TurnOrders
from rules.campaign.engine.sea.maps import SeaMap
from rules.campaign.engine.sea.state import TURNS_PER_MONTH, BattleResult, Ending, Galley, Position, WinReason
from rules.campaign.engine.work import TurnInProgress
from rules.chance.dice import Dice
from rules.core.protocol import Event, Seat
from rules.core.sides import seat_of

FIRST_MAJORITY_TURN = 3 * TURNS_PER_MONTH  # CA-13.3: from this turn on a majority wins


def find_ending(position: Position) -> Ending | None:
    """Return how a campaign ends after the position's turn, or None."""
    turn = position.turn
    if FIRST_MAJORITY_TURN <= turn <= position.turns and (early := _early_ending(position)):
        return early
    if turn < position.turns or position.battles:
        return None
    return ending_by_laurels(position, position.teams)


def ending_by_laurels(position: Position, among: Iterable[int]) -> Ending:
    """Return the ending in which the best of these sides wins after the last turn (CA-13.4)."""
    scores = {team: _side_score(position, team) for team in among}
    best_teams = [team for team, score in scores.items() if score == max(scores.values())]
    return _make_ending(position, best_teams, "laurels")


def final_places(position: Position, winners: Collection[Seat], gave_up: Collection[Seat]) -> dict[Seat, int]:
    """Return the place of each seat, from 1: winners first; sides that gave up share the last.

    The other sides are ranked by the scores that decide who wins (CA-13.4). Equal sides share a place.
    """
    teams = position.teams
    winning_teams = {teams[seat] for seat in winners}
    remaining_teams = {team for seat, team in enumerate(teams) if seat not in gave_up}
    # a greater rank is better; winners and sides that gave up share a place, whatever their scores
    ranks = {
        team: (
            team in winning_teams,
            team in remaining_teams,
            () if team in winning_teams or team not in remaining_teams else _side_score(position, team),
        )
        for team in {*teams}
    }
    return {seat: 1 + sum(rank > ranks[team] for rank in ranks.values()) for seat, team in enumerate(teams)}


def _side_score(position: Position, team: int) -> tuple[int, ...]:
    """Return a side's laurels, trophies and galleys, which decide in this order (CA-13.4)."""
    counts: tuple[Callable[[str], int], ...] = (
        position.laurels_of,
        lambda captain: position.trophies.get(captain, 0),
        lambda captain: len(position.galleys_of(captain)),
    )
    return tuple(sum(count(captain) for captain in _captains_of_team(position, team)) for count in counts)


def _captains_of_team(position: Position, team: int) -> list[str]:
    return [captain for captain in position.captains if position.team_of(captain) == team]


def _early_ending(position: Position) -> Ending | None:
    """Return an ending by a majority at a month's end, or because only one side has ports (CA-13.3), or None."""
    teams = {*position.teams}
    worths = {team: position.ports_worth(_captains_of_team(position, team)) for team in teams}
    is_month_end = position.turn % TURNS_PER_MONTH == 0
    for team in teams:
        if is_month_end and worths[team] >= majority_worth(position.sea_map, len(teams)):
            return _make_ending(position, [team], "majority")
    teams_with_ports = [team for team in teams if worths[team]]
    return _make_ending(position, teams_with_ports, "last") if len(teams_with_ports) == 1 else None


def majority_worth(sea_map: SeaMap, sides: int) -> int:
    """Return the worth of ports that is a majority: more than two thirds of all for two sides, else more than half."""
    share = Fraction(2, 3) if sides == 2 else Fraction(1, 2)
    return math.floor(sea_map.total_worth * share) + 1


def _make_ending(position: Position, teams: Iterable[int], why: WinReason) -> Ending:
    winning_teams = {*teams}
    winners = tuple(captain for captain in position.captains if position.team_of(captain) in winning_teams)
    return Ending(
        winners=winners, why=why, laurels={captain: position.laurels_of(captain) for captain in position.captains}
    )


def carry_out_watch(work: TurnInProgress, number: int) -> None:
    """Carry out the first or the second watch; all galleys row at the same time (CA-2.2, CA-4.1, CA-4.4)."""
    for galley in work.galleys.values():
        galley_turn = work.turns_by_galley[galley.id]
        galley_turn.start = galley_turn.destination = galley.place
        galley_turn.is_done_meeting = False
    # a chase goes by what is seen when the watch begins, before any galley has rowed (CA-4.5)
    destinations = {galley.id: _destination(work, galley, number) for galley in work.free_galleys()}
    for name, destination in destinations.items():
        work.turns_by_galley[name].destination = destination
    _meet_on_the_way(work)
    _complete_legs(work)
    _meet_in_places(work)


def _destination(work: TurnInProgress, galley: Galley, number: int) -> str:
    galley_turn = work.turns_by_galley[galley.id]
    if galley_turn.is_stopped or (galley_turn.is_slowed and number > 1):
        return galley.place
    if galley_turn.chase:
        return _chase_destination(work, galley, galley_turn.chase)
    return galley_turn.route[number - 1] if len(galley_turn.route) >= number else galley.place


def _chase_destination(work: TurnInProgress, galley: Galley, prey: str) -> str:
    """Return the adjacent place with most free galleys of the prey, or the present place (CA-4.5)."""
    counts: dict[str, int] = {}
    for other in work.free_galleys():
        if other.captain == prey:
            counts[other.place] = counts.get(other.place, 0) + 1
    # the captain sees all these places, as the galley is next to them (CA-12.1)
    adjacent = [code for code in work.position.sea_map.places[galley.place].legs if code in counts]
    if galley.place in counts or not adjacent:
        return galley.place
    return max(adjacent, key=lambda code: counts[code])


def _may_meet(work: TurnInProgress, galley: Galley) -> bool:
    """Return whether a galley may meet enemies now (CA-5.1)."""
    galley_turn = work.turns_by_galley[galley.id]
    return not (galley.battle or galley_turn.has_fought or galley_turn.is_done_meeting)


def _sorted_ids(work: TurnInProgress, galleys: Iterable[Galley]) -> tuple[str, ...]:
    return tuple(galley.id for galley in work.in_order(galleys))


def _meet_on_the_way(work: TurnInProgress) -> None:
    """Carry out meetings of galleys that row a leg in opposite directions, leg by leg (CA-5.2)."""
    legs: dict[tuple[str, str], list[Galley]] = {}
    for galley in work.free_galleys():
        to = work.turns_by_galley[galley.id].destination
        if to != galley.place:
            work.turns_by_galley[galley.id].has_rowed = True
            first_place, second_place = sorted((galley.place, to))
            legs.setdefault((first_place, second_place), []).append(galley)
    places = work.position.sea_map.places
    for leg in sorted(legs):
        rowing = legs[leg]
        destinations = {galley.id: work.turns_by_galley[galley.id].destination for galley in rowing}
        if len({*destinations.values()}) < 2:
            continue
        seas_of_leg = [code for code in leg if not places[code].is_port]
        place_of_battle = partial(_place_of_battle, seas_of_leg, destinations)
        carry_out_meeting(work, Meeting(_sorted_ids(work, rowing), place_of_battle, destinations))


def _place_of_battle(places: Sequence[str], destinations: Mapping[str, str], first_attacker: str) -> str:
    """Return the only place; of a leg's two seas, the one for which the first attacking galley was bound."""
    return places[0] if len(places) == 1 else destinations[first_attacker]


def _complete_legs(work: TurnInProgress) -> None:
    for galley in list(work.free_galleys()):
        galley_turn = work.turns_by_galley[galley.id]
        if galley_turn.destination != galley.place and not galley_turn.has_fought:
            work.update_galley(galley.id, place=galley_turn.destination)


def _meet_in_places(work: TurnInProgress) -> None:
    """Carry out meetings of galleys in one place, place by place (CA-5.3)."""
    for place in work.position.sea_map.places:
        present = [galley for galley in work.free_galleys() if galley.place == place and _may_meet(work, galley)]
        if len({galley.captain for galley in present}) > 1:
            carry_out_meeting(work, Meeting(_sorted_ids(work, present), partial(_place_of_battle, [place], {}), {}))
        meeting.explain_failed_attacks(work, place)


class TurnResult(NamedTuple):
    position: Position  # the position after the turn
    events: tuple[Event, ...]  # what happened in the turn
    dice: Dice  # the dice for later turns
    ending: Ending | None  # None: the campaign goes on


def carry_out(
    position: Position, orders: Mapping[str, TurnOrders], ended: Mapping[str, BattleResult], dice: Dice
) -> TurnResult:
    """Carry out a turn with captains' orders and the battles that have ended (CA-2.2).

    After the last turn, only battles are applied (CA-13.4).
    """
    work = TurnInProgress.begin(position, dice)
    has_moves = position.turn <= position.turns  # False after the last turn, while battles are played on
    if has_moves:
        work.add_event(TurnBegan(turn=position.turn, rule="CA-2.2"))
    for battle in position.battles:
        if battle.id in ended:
            meeting.enter_battle_result(work, battle, ended[battle.id])
    if has_moves:
        _give_orders(work, orders)
        _pay_gifts(work, orders)
        carry_out_watch(work, 1)
        work.note_sightings("first")
        carry_out_watch(work, 2)
        work.note_sightings("second")
        carry_out_night(work, {captain: turn_orders.port_orders for captain, turn_orders in orders.items()})
    work.note_sightings("dawn")
    after = work.to_position()
    _note_standing(work, after)
    ending = find_ending(after)
    next_position = structs.replace(after, turn=after.turn + 1)
    return TurnResult(next_position, tuple(work.events), work.dice_stream.dice, ending)


def _note_standing(work: TurnInProgress, after: Position) -> None:
    for captain in after.captains:
        work.add_event(FleetMustered(galleys=after.galleys_of(captain), seen_by=(seat_of(captain),), rule="CA-2.2"))
    laurels = {captain: after.laurels_of(captain) for captain in after.captains}
    turn = min(after.turn, after.turns)
    work.add_event(TurnEnded(turn=turn, trophies=after.trophies, laurels=laurels, rule="CA-12.3"))


def _give_orders(work: TurnInProgress, orders: Mapping[str, TurnOrders]) -> None:
    """Give galleys their orders, and apply spare lists and agreements on dice (CA-3.7, CA-6.2)."""
    spares = dict(work.position.spares)
    wants_dice = {captain: captain in work.position.agree for captain in work.position.captains}
    for captain, turn_orders in orders.items():
        if turn_orders.dice is not None:
            wants_dice[captain] = turn_orders.dice
        if turn_orders.spared is not None:
            spares[captain] = turn_orders.spared
        for fleet in turn_orders.fleets:
            is_slowed = any(work.galleys[name].is_lame for name in fleet.galleys)
            for name in fleet.galleys:
                galley_turn = work.turns_by_galley[name]
                galley_turn.stance, galley_turn.route, galley_turn.chase = fleet.stance, fleet.route, fleet.chase
                galley_turn.is_slowed = is_slowed
    agree = [captain for captain in work.position.captains if wants_dice[captain]]
    spares = {captain: spares[captain] for captain in sorted(spares) if spares[captain]}
    work.change(spares=spares, agree="".join(agree))


def _pay_gifts(work: TurnInProgress, orders: Mapping[str, TurnOrders]) -> None:
    """Pay gifts from available talents, payers in precedence (CA-10.6)."""
    for captain in work.position.precedence:
        gifts = orders[captain].gifts if captain in orders else ()
        for to, promised in gifts:
            talents = min(promised, work.position.talents[captain])
            if talents:
                work.add_talents(captain, -talents)
                work.add_talents(to, talents)
                seers = tuple(sorted((seat_of(captain), seat_of(to))))
                work.add_event(GiftPaid(by=captain, to=to, talents=talents, seen_by=seers, rule="CA-10.6"))
