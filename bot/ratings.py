"""How good captains are, as their games show: the rating of a finished game, and the ladder.

Weng and Lin's model, as openskill has it: a rating is `mu`, a guess at a player's strength, and `sigma`, how unsure it
is. Teams are as strong as all who are in them. A game is rated if every captain in it is a person at its end: nobody
knows how strong the computer is, also where it took the seat of somebody who was sent away. Going back changes nothing:
all captains agreed to it, and other dice fell.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Final, Literal

import msgspec
from msgspec import Struct
from openskill.models import PlackettLuce

from bot.playing import Playing
from bot.store.queries import Transaction
from bot.store.records import Game, RatingRow, Score, SeatRow
from rules.protocol import Result, Seat
from rules.tally import Tally

PROVISIONAL_UNTIL: Final = 5
"""Rated games after which somebody has a rank."""
_START: Final = 1000
_SCALE: Final = 40
_DOUBT: Final = 3
"""Sigmas by which a rating is shown lower than guessed: nearly all are truly better than it says."""

Outcome = Literal["won", "lost", "drawn"]


class Skill(Struct, frozen=True):
    """A rating."""

    mu: float
    sigma: float

    @property
    def shown(self) -> int:
        """As players see it: 1000 at first, and more when the doubt shrinks."""
        return round(_START + _SCALE * (self.mu - _DOUBT * self.sigma))


class Rung(Struct, frozen=True, kw_only=True):
    """A line of a ladder."""

    rank: int | None
    """None: provisional."""
    score: Score
    skill: Skill


def counts(game: Game, seats: Sequence[SeatRow]) -> bool:
    """Whether a game that ends so is rated: it was meant to be, and all its captains are people."""
    return game.rated and all(seat.user_id is not None for seat in seats) and len({seat.team for seat in seats}) > 1


def outcomes(seats: Sequence[SeatRow], result: Result) -> dict[Seat, Outcome]:
    """How a game ended for each seat; allies win and lose together, whether or not they fought to the end."""
    won = {seat.team for seat in seats if seat.seat in result.winners}
    return {seat.seat: "drawn" if not won else "won" if seat.team in won else "lost" for seat in seats}


def rated(seats: Sequence[SeatRow], ended: Mapping[Seat, Outcome], before: Mapping[Seat, Skill]) -> dict[Seat, Skill]:
    """Rate a game by what its players were rated before; a draw is a tie."""
    model = _model()
    teams = [[seat.seat for seat in seats if seat.team == team] for team in sorted({seat.team for seat in seats})]
    players = [[model.rating(mu=before[seat].mu, sigma=before[seat].sigma) for seat in team] for team in teams]
    ranks = [float(ended[team[0]] == "lost") for team in teams]
    after = model.rate(players, ranks=ranks)
    return {
        seat: Skill(player.mu, player.sigma)
        for team, rates in zip(teams, after, strict=True)
        for seat, player in zip(team, rates, strict=True)
    }


def skill_of(last: RatingRow | Score | None) -> Skill:
    """How good somebody is by what is stored of him; None: he has not played yet."""
    found = last or _model().rating()
    return Skill(found.mu, found.sigma)


async def enter(tx: Transaction, playing: Playing, result: Result, tallies: Mapping[Seat, Tally], *, now: int) -> None:
    """Store what a game that has ended says of its players; their ratings change if it counts.

    Whoever sits at the end is meant, whoever sat there before. What he did is kept of games that do not count too.
    """
    game, people = playing.game, [seat for seat in playing.seats if seat.user_id is not None]
    last = await tx.last_ratings(game.system, [seat.user_id or 0 for seat in people])
    before = {seat.seat: skill_of(last.get(seat.user_id or 0)) for seat in people}
    ended = outcomes(playing.seats, result)
    counted = counts(game, playing.seats)
    after = rated(playing.seats, ended, before) if counted else before
    await tx.change_game(game.id, rated=counted)
    # A later rating has a later time, also if two games end in one second or the clock was set back.
    at = max([now, *(row.rated_at + 1 for row in last.values())])
    for seat in people:
        await tx.add_rating(
            RatingRow(
                game_id=game.id,
                user_id=seat.user_id or 0,
                system=game.system,
                seat=seat.seat,
                outcome=ended[seat.seat],
                mu=after[seat.seat].mu,
                sigma=after[seat.seat].sigma,
                facts=msgspec.json.encode(tallies[seat.seat]).decode(),
                rated_at=at,
            )
        )


def ladder(scores: Iterable[Score]) -> list[Rung]:
    """Rank players of one system, the best first; after them those who have played too few games, without a rank."""
    known = [(score, skill_of(score)) for score in scores]
    known.sort(key=lambda one: (provisional(one[0]), -one[1].shown, -one[0].games, one[0].user_id))
    rungs: list[Rung] = []
    for place, (score, skill) in enumerate(known, start=1):
        # Equals share the rank of the first of them.
        equal = rungs and rungs[-1].skill.shown == skill.shown
        rank = None if provisional(score) else rungs[-1].rank if equal else place
        rungs.append(Rung(rank=rank, score=score, skill=skill))
    return rungs


def provisional(score: Score) -> bool:
    """Whether somebody has played too few games to be ranked."""
    return score.games < PROVISIONAL_UNTIL


@cache
def _model() -> PlackettLuce:
    return PlackettLuce()
