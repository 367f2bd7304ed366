"""The end of a campaign and its winners (CA part 13)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from rules.campaign.engine.sea.state import TURNS_PER_MONTH, Ending, Position, WinReason
from rules.core.protocol import Seat

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
    return _make_ending(position, [team for team, score in scores.items() if score == max(scores.values())], "laurels")


def final_places(position: Position, winners: Collection[Seat], gave_up: Collection[Seat]) -> dict[Seat, int]:
    """Return the place of each seat, from 1: winners first, sides that gave up last.

    The other sides are ranked by the scores that decide who wins (CA-13.4). Equal sides share a place.
    """
    teams = position.teams
    won, there = {teams[seat] for seat in winners}, {team for seat, team in enumerate(teams) if seat not in gave_up}
    ranks = {
        team: (team in won, team in there, () if team in won else _side_score(position, team)) for team in {*teams}
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
    share, of = (2, 3) if len(teams) == 2 else (1, 2)
    for team in teams:
        if position.turn % TURNS_PER_MONTH == 0 and worths[team] * of > position.sea_map.total_worth * share:
            return _make_ending(position, [team], "majority")
    with_ports = [team for team in teams if worths[team]]
    return _make_ending(position, with_ports, "last") if len(with_ports) == 1 else None


def _make_ending(position: Position, teams: Iterable[int], why: WinReason) -> Ending:
    winning_teams = {*teams}
    winners = tuple(captain for captain in position.captains if position.team_of(captain) in winning_teams)
    return Ending(
        winners=winners, why=why, laurels={captain: position.laurels_of(captain) for captain in position.captains}
    )
