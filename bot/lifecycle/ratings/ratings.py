"""How good captains are, as their games show: the rating of a finished game, and the ladder.

Weng and Lin's model, as openskill has it: a rating is `mu`, a guess at a player's strength, and `sigma`, how unsure it
is. Teams are as strong as all who are in them. A game of many sides may give each its place; else all who lost are
equals. A game is rated if it began with a person in every seat. Going back changes nothing: all captains agreed to it,
and other dice fell. A draw that captains agree to is not rated: what two can have by agreeing to it, as often as they
like, says nothing of either. Who had given up before has lost to them all the same, and so has who gave up a game that
nobody plays any more: else a host could leave absent captains' seats to the computer, and escape a loss. A draw by the
rules brings two guesses together, and takes no doubt away: else two who only ever draw would rise. `rating_limits` says
how much must be played.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import Final, Literal

import msgspec
from msgspec import Struct
from openskill.models import PlackettLuce

from bot.lifecycle.people import forgotten
from bot.lifecycle.people.captains import Captains, captains_of
from bot.lifecycle.ratings.limits import RatingLimits, limits_of
from bot.lifecycle.steps.playing import SeatedGame, may_be_rated
from bot.store.models.records import Captaincy, Game, RatingRow, RatingSummary, SeatRow, StepCause
from bot.store.queries.transaction import Transaction
from rules.core.protocol import AgreeDraw, CallOff, Result, Seat
from rules.interface.statistics import Statistics

MIN_RANKED_GAMES: Final = 5
"""Rated games after which somebody has a rank."""
_START_RATING: Final = 1000
_RATING_SCALE: Final = 40
_DOUBT_SIGMAS: Final = 3
"""Sigmas by which a rating is shown lower than guessed: nearly all are truly better than it says."""

PlayerOutcome = Literal["won", "lost", "drawn"]


class Skill(Struct, frozen=True):
    """A rating."""

    mu: float
    sigma: float

    @property
    def displayed_rating(self) -> int:
        """As players see it: 1000 at first, and more when the doubt shrinks."""
        return round(_START_RATING + _RATING_SCALE * (self.mu - _DOUBT_SIGMAS * self.sigma))


class LadderEntry(Struct, frozen=True, kw_only=True):
    """A line of a ladder."""

    rank: int | None
    """None: provisional."""
    score: RatingSummary
    skill: Skill


class PlayerEnding(Struct, frozen=True):
    """How a game ended for one player."""

    seat: Seat
    user_id: int
    outcome: PlayerOutcome
    changes_rating: bool
    """Whether it changes their rating."""
    is_seated: bool
    """Whether they hold the seat at the end."""


def is_rated_game(game: Game, captains: Captains, *, decided: bool = True) -> bool:
    """Whether a game is rated: it was meant to be, began with a person in each seat of several sides, and was decided.

    Nobody's rating changes by a scenario of the host's own. A draw to which its captains have agreed, and the end of a
    game that all have left, have `decided` nothing, except over those who had given up before.
    """
    seats = captains.seated_game.seats
    people = {one.seat for one in captains.captaincies if one.user_id is not None and one.from_step == 0}
    whole = people == {seat.seat for seat in seats} and len({seat.team for seat in seats}) > 1
    return decided and may_be_rated(game) and whole


def player_endings(
    captains: Captains, ended: Mapping[Seat, PlayerOutcome], *, rated: bool, losers_only: Collection[int] | None = None
) -> list[PlayerEnding]:
    """Return whose ratings a finished game changes. With `losers_only`, only these sides' fall, and nobody's rises.

    Those who hold a seat at the end are rated. If a captain put somebody else, the computer or nobody in any seat,
    that captain's side can only lose rating, and the other sides can only gain. If a referee left a seat to the
    computer or to nobody, no rating changes; if a host who doesn't play put somebody in a seat, nobody's rating rises,
    and that side's doesn't fall. A captain who gave the seat away, or was absent until it was taken, shares
    their side's defeat, but not its victory; nor its defeat, if the next captain may not speak for the side.
    Somebody who was put in a seat and gave no orders there isn't rated.
    """
    seats = captains.seated_game.seats
    teams = {seat.team for seat in seats}
    only_lose: set[int] = set()
    only_win: set[int] = set()
    for seat in seats:
        now = captains.current_captaincy(seat)
        if now is None or now.put_by is None:
            continue
        putters = captains.teams_of(now.put_by)
        if putters:
            only_lose |= putters
            only_win |= teams - putters
        elif now.user_id is None:
            only_lose, only_win = teams, teams
        elif captains.is_planted(now):
            only_lose |= teams
            only_win.add(seat.team)
    found = []
    for seat in seats:
        now, outcome = captains.current_captaincy(seat), ended[seat.seat]
        may = outcome in ("lost", *(() if seat.team in only_lose else ("drawn", "won")))
        may = may and (seat.team not in only_win or outcome == "won")
        may = may and (losers_only is None or (outcome == "lost" and seat.team in losers_only))
        if seat.user_id is not None:
            there = now is not None and (now.put_by is None or now.acted)
            found.append(PlayerEnding(seat.seat, seat.user_id, outcome, rated and may and there, is_seated=True))
    sitting = {one.user_id for one in found}
    gone = [(one.user_id or 0, one.seat) for one in captains.captaincies if one.left and not _was_ousted(captains, one)]
    left = {user_id: seat for user_id, seat in gone if user_id > 0 and user_id not in sitting}
    for user_id, number in left.items():
        if rated and ended[number] == "lost" and (losers_only is None or seats[number].team in losers_only):
            found.append(PlayerEnding(number, user_id, "lost", changes_rating=True, is_seated=False))
    return found


def _was_ousted(captains: Captains, gone: Captaincy) -> bool:
    """Whether the one who got an absent captain's seat was put there by those who gain by it: no defeat of theirs."""
    later = [one for one in captains.captaincies if one.seat == gone.seat and one.id > gone.id]
    after = next((one for one in later if one.user_id is not None), later[-1] if later else None)
    return captains.is_planted(after)


def rated_users(captains: Captains) -> dict[Seat, int]:
    """Return whose rating says how strong each seat is: its holder's, or that of the last who took it themselves."""
    found = {}
    for seat in captains.seated_game.seats:
        people = [one for one in captains.captaincies if one.seat == seat.seat and one.user_id is not None]
        own = [one for one in people if one.put_by is None or (one.acted and not captains.is_planted(one))]
        if own:
            found[seat.seat] = own[-1].user_id or 0
    return found


def seat_outcomes(seats: Sequence[SeatRow], result: Result) -> dict[Seat, PlayerOutcome]:
    """How a game ended for each seat; allies win and lose together, whether or not they fought to the end.

    A side that has given up has lost, also if the others' game is drawn.
    """
    won = {seat.team for seat in seats if seat.seat in result.winners}
    beaten = {seat.team for seat in seats} - {seat.team for seat in seats if not seat.conceded}
    found: dict[Seat, PlayerOutcome] = {}
    for seat in seats:
        found[seat.seat] = "won" if seat.team in won else "lost" if won or seat.team in beaten else "drawn"
    return found


def rate_game(
    seats: Sequence[SeatRow],
    ended: Mapping[Seat, PlayerOutcome],
    before: Mapping[Seat, Skill],
    places: Mapping[Seat, int] = MappingProxyType({}),
) -> dict[Seat, Skill]:
    """Rate a game by what its players were rated before; a draw is a tie, after which they are as unsure as before.

    Those who lost are equals, unless the game gave each seat a place.
    """
    model = _rating_model()
    teams = [[seat.seat for seat in seats if seat.team == team] for team in sorted({seat.team for seat in seats})]
    players = [[model.rating(mu=before[seat].mu, sigma=before[seat].sigma) for seat in team] for team in teams]
    ranks = [float(places.get(team[0], 1) if ended[team[0]] == "lost" else 0) for team in teams]
    after = model.rate(players, ranks=ranks)
    return {
        seat: Skill(player.mu, before[seat].sigma if ended[seat] == "drawn" else player.sigma)
        for team, rates in zip(teams, after, strict=True)
        for seat, player in zip(team, rates, strict=True)
    }


def stored_skill(last: RatingRow | RatingSummary | None) -> Skill:
    """Return a player's skill from the stored rating; the initial one for None."""
    found = last or _rating_model().rating()
    return Skill(found.mu, found.sigma)


async def store_results(
    tx: Transaction,
    playing: SeatedGame,
    ended: Mapping[Seat, PlayerOutcome],
    tallies: Mapping[Seat, Statistics],
    *,
    cause: StepCause,
    gave_up: bool,
    now: int,
    places: Mapping[Seat, int] = MappingProxyType({}),
) -> None:
    """Store what a finished game, which `ended` so for each seat, says about its players; ratings change if it counts.

    `places` are those of a game that ranks all who haven't won; `gave_up` as in `limits_of`.

    The counts of those who sit there at the end are stored even if the game doesn't count.
    """
    await tx.ratings.lock_all()  # two games of one captain may end at once
    await forgotten.erase_expired(tx, now=now)
    game, captains = playing.game, await captains_of(tx, playing)
    beaten = frozenset(seat.team for seat in playing.seats if ended[seat.seat] == "lost")
    called_off = isinstance(cause, CallOff)
    quits_lose = isinstance(cause, AgreeDraw) or (isinstance(cause, CallOff) and cause.deserted)
    counted = is_rated_game(game, captains, decided=bool(beaten) if quits_lose else not called_off)
    limits = RatingLimits()
    if counted:
        limits = await limits_of(tx, captains, gave_up=gave_up, now=now)
        if quits_lose:
            limits = limits.for_losers_only(beaten)
        elif limits.explanation_key:
            await tx.audit_log.add_for_game(game, f"unrated_{limits.explanation_key}", now=now)
    people = player_endings(captains, ended, rated=counted, losers_only=limits.losers_only)
    strengths = rated_users(captains)
    last = await tx.ratings.last_of_users(game.system, {*strengths.values(), *(one.user_id for one in people)})
    # A later rating has a later time, also if two games end in one second or the clock was set back.
    at = max([now, *(row.rated_at + 1 for row in last.values())])
    for one in people:
        skill, changed = stored_skill(last.get(one.user_id)), one.changes_rating
        if one.changes_rating:
            meant = {seat: stored_skill(last.get(user_id)) for seat, user_id in strengths.items()}
            after = rate_game(playing.seats, ended, {**meant, one.seat: skill}, places)[one.seat]
            changed = not limits.forbids(one.user_id, after.displayed_rating - skill.displayed_rating)
            skill = after if changed else skill
        await tx.ratings.add(
            RatingRow(
                game_id=game.id,
                user_id=one.user_id,
                system=game.system,
                seat=one.seat,
                outcome=one.outcome,
                mu=skill.mu,
                sigma=skill.sigma,
                counted=changed,
                facts=msgspec.json.encode(
                    tallies.get(one.seat, Statistics()) if one.is_seated else Statistics()
                ).decode(),
                rated_at=at,
            )
        )


async def rating_at_stake(tx: Transaction, playing: SeatedGame, seat: SeatRow, *, now: int) -> int:
    """By how many points somebody's rating falls if they give up now and their side has lost by that; 0: by none."""
    game, captains = playing.game, await captains_of(tx, playing)
    if seat.user_id is None or not is_rated_game(game, captains):
        return 0
    limits = await limits_of(tx, captains, gave_up=True, now=now)
    ended: dict[Seat, PlayerOutcome] = {one.seat: "lost" if one.team == seat.team else "won" for one in playing.seats}
    people = player_endings(captains, ended, rated=True, losers_only=limits.losers_only)
    if not any(one.changes_rating and one.seat == seat.seat and one.is_seated for one in people):
        return 0
    strengths = {**rated_users(captains), seat.seat: seat.user_id}
    last = await tx.ratings.last_of_users(game.system, {*strengths.values()})
    before = {number: stored_skill(last.get(user_id)) for number, user_id in strengths.items()}
    lost = before[seat.seat].displayed_rating - rate_game(playing.seats, ended, before)[seat.seat].displayed_rating
    return 0 if limits.forbids(seat.user_id, -lost) else max(0, lost)


def rank_players(scores: Iterable[RatingSummary]) -> list[LadderEntry]:
    """Rank players of one system, the best first; after them those who have played too few games, without a rank."""
    known = [(score, stored_skill(score)) for score in scores]
    known.sort(key=lambda one: (is_provisional(one[0]), -one[1].displayed_rating, -one[0].game_count, one[0].user_id))
    rungs: list[LadderEntry] = []
    for place, (score, skill) in enumerate(known, start=1):
        # Equals share the rank of the first of them.
        equal = rungs and rungs[-1].skill.displayed_rating == skill.displayed_rating
        rank = None if is_provisional(score) else rungs[-1].rank if equal else place
        rungs.append(LadderEntry(rank=rank, score=score, skill=skill))
    return rungs


def is_provisional(score: RatingSummary) -> bool:
    """Whether somebody has played too few games to be ranked."""
    return score.game_count < MIN_RANKED_GAMES


@cache
def _rating_model() -> PlackettLuce:
    return PlackettLuce()
