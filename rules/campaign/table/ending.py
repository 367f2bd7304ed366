"""When a campaign is over, and who has won it (CA part 13)."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from rules.campaign.table.state import MONTH, Ending, Position, Why

FIRST_END = 3 * MONTH
"""CA-13.3: from this turn on a majority wins."""


def ending(position: Position) -> Ending | None:
    """How a campaign ends after the turn that stands in the position; None: it goes on."""
    turn = position.turn
    if FIRST_END <= turn <= position.turns and (early := _early(position)):
        return early
    if turn < position.turns or position.battles:
        return None
    return by_laurels(position, position.teams)


def by_laurels(position: Position, among: Iterable[int]) -> Ending:
    """Which of these sides has won after the last turn (CA-13.4)."""
    teams = {*among}
    counts: tuple[Callable[[str], int], ...] = (
        position.laurels,
        lambda captain: position.trophies.get(captain, 0),
        lambda captain: len(position.fleet(captain)),
    )
    for count in counts:
        scores = {team: sum(count(captain) for captain in _side(position, team)) for team in teams}
        teams = {team for team in teams if scores[team] == max(scores.values())}
    return _won(position, teams, "laurels")


def _side(position: Position, team: int) -> list[str]:
    return [captain for captain in position.captains if position.team(captain) == team]


def _early(position: Position) -> Ending | None:
    """A majority at a month's end, or a side that is alone in having ports (CA-13.3)."""
    teams = {*position.teams}
    worths = {team: position.worth(_side(position, team)) for team in teams}
    share, of = (2, 3) if len(teams) == 2 else (1, 2)
    for team in teams:
        if position.turn % MONTH == 0 and worths[team] * of > position.sea_map.worth * share:
            return _won(position, [team], "majority")
    with_ports = [team for team in teams if worths[team]]
    return _won(position, with_ports, "last") if len(with_ports) == 1 else None


def _won(position: Position, teams: Iterable[int], why: Why) -> Ending:
    wanted = {*teams}
    winners = tuple(captain for captain in position.captains if position.team(captain) in wanted)
    return Ending(
        winners=winners, why=why, laurels={captain: position.laurels(captain) for captain in position.captains}
    )
