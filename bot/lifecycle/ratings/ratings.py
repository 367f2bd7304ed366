"""Rate captains by the results of finished games, and rank them.

The model is Weng and Lin's, as implemented by openskill: a rating has `mu`, the estimated strength, and `sigma`, its
uncertainty. A team's strength is that of all its members. A game of many sides may give each its place; otherwise all
losers are equal.

A game is rated if it began with a person in every seat. Going back does not matter, because all captains agreed and
the dice changed. Of a match the second game is rated, by the points of both. An agreed draw, or match of equal points
that ends in one, is not rated: players could repeat it as often as they like. It still counts as a loss
for those who had conceded before, and so does the end of a deserted game; otherwise a host could leave absent
captains' seats to the computer and escape a loss. A draw by the rules brings ratings closer but leaves `sigma`
unchanged; otherwise two players who only draw would rise. `bot.lifecycle.ratings.limits` says how much must be played.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import Final, Literal, NamedTuple

import msgspec
from msgspec import Struct
from openskill.models import PlackettLuce

from bot.lifecycle.people import forgotten
from bot.lifecycle.people.captains import Captains, Tenure, captains_of
from bot.lifecycle.ratings.limits import RatingLimits, limits_of
from bot.lifecycle.steps.playing import SeatedGame, may_be_rated
from bot.store.models.records import Game, RatingRow, RatingSummary, SeatRow, StepCause
from bot.store.queries.transaction import Transaction
from rules.core.protocol import AgreeDraw, CallOff, Result, Seat
from rules.interface.statistics import Statistics

MIN_RANKED_GAMES: Final = 5
_START_RATING: Final = 1000
_RATING_SCALE: Final = 40
_DOUBT_SIGMAS: Final = 3  # the shown rating is this many sigmas below `mu`: nearly all players are better than it says

PlayerOutcome = Literal["won", "lost", "drawn"]


class Skill(Struct, frozen=True):
    mu: float  # estimated strength of a player (OpenSkill)
    sigma: float  # uncertainty of `mu`

    @property
    def displayed_rating(self) -> int:
        """The rating as players see it: 1000 at first; it rises as `sigma` shrinks."""
        return round(_START_RATING + _RATING_SCALE * (self.mu - _DOUBT_SIGMAS * self.sigma))


class LadderEntry(Struct, frozen=True, kw_only=True):
    rank: int | None  # from 1; None: too few games
    score: RatingSummary  # results and stored rating of one player
    skill: Skill  # estimated strength of the player


class PlayerEnding(Struct, frozen=True):
    seat: Seat  # the seat that they hold or held last
    user_id: int
    outcome: PlayerOutcome  # how the game ended for them
    may_rise: bool  # whether this ending may raise their rating
    may_fall: bool  # whether this ending may lower their rating
    is_seated: bool  # False: they gave the seat away or lost it by absence

    def allows(self, rise: int) -> bool:
        """Return whether a change of the displayed rating counts. With places, a loser's rating may rise."""
        return (rise < 0 or self.may_rise) and (rise > 0 or self.may_fall)


def is_rated_game(game: Game, captains: Captains, *, decided: bool = True) -> bool:
    """Return whether a game is rated: meant to be, of several sides, begun with a person in each seat, and `decided`.

    Games of a host's own scenario are not, and of a match only the second is. Agreed draws and deserted games are
    decided only against those who conceded before.
    """
    has_opponents = len({seat.team for seat in captains.seated_game.seats}) > 1
    return decided and may_be_rated(game) and not game.is_match and captains.began_with_people and has_opponents


def player_endings(
    captains: Captains,
    outcomes: Mapping[Seat, PlayerOutcome],
    *,
    rated: bool,
    losers_only: Collection[int] | None = None,
) -> list[PlayerEnding]:
    """Return how a game ended for each player and whether it changes their rating.

    `losers_only`: only these sides' ratings may fall, and none may rise. Holders of seats at the end are rated, within
    `_RatingBounds`. A captain who gave the seat away, or lost it by absence, shares a defeat or a draw but no victory.
    A captain who was put into a seat and gave no orders is left out.
    """
    bounds = _RatingBounds.of_game(captains, outcomes, losers_only)
    seated_endings = _seated_endings(captains, outcomes, bounds, rated=rated)
    if not rated:
        return seated_endings
    seated_users = {ending.user_id for ending in seated_endings}
    former_seats = {
        former.user_id: tenure.seat
        for tenure in captains.tenures
        if (former := tenure.captaincy).left and former.user_id is not None and former.user_id > 0
        if former.has_played
    }
    seats = captains.seated_game.seats
    former_endings = [
        PlayerEnding(seat_no, user_id, outcomes[seat_no], may_rise=False, may_fall=True, is_seated=False)
        for user_id, seat_no in former_seats.items()
        if user_id not in seated_users and bounds.may_fall(seats[seat_no].team, outcomes[seat_no])
    ]
    return [*seated_endings, *former_endings]


class _RatingBounds(NamedTuple):
    """The users whose ratings may not rise, and the sides whose ratings may fall.

    Who has put somebody into a seat doesn't rise, because that captain may play better, or worse on purpose, nor does
    who returns to a seat in which somebody else gave orders. All others are rated as if nobody had been put there:
    otherwise a second account could save a loser. But nobody falls by losing to a side that left all its seats to the
    computer.
    """

    barred_users: Collection[int]
    losers_only: Collection[int] | None  # sides whose ratings may fall, while none may rise; None: no limit
    anybody_may_rise: bool
    anybody_may_fall: bool
    is_void: bool  # a referee left a seat to the computer or to nobody: no holder of a seat is rated

    @classmethod
    def of_game(
        cls, captains: Captains, outcomes: Mapping[Seat, PlayerOutcome], losers_only: Collection[int] | None
    ) -> _RatingBounds:
        decisive_tenures = _decisive_tenures(captains)
        filled_by_referees = [
            tenure for tenure in decisive_tenures if not captains.teams_of(tenure.captaincy.put_by or 0)
        ]
        is_void = any(tenure.captaincy.user_id is None for tenure in filled_by_referees)
        # A host who does not play chose a captain.
        is_chosen_by_host = any(
            tenure.is_planted and tenure.captaincy.user_id is not None for tenure in filled_by_referees
        )
        seats_left = {
            tenure.seat
            for tenure in decisive_tenures
            if tenure not in captains.battle_tenures
            if tenure.captaincy.user_id is None and tenure.captaincy.to_step is None
            if captains.seated_game.seats[tenure.seat].team in captains.teams_of(tenure.captaincy.put_by or 0)
        }
        winning_seats = {seat for seat, outcome in outcomes.items() if outcome == "won"}
        is_won_by_computer = bool(winning_seats) and winning_seats <= seats_left
        return cls(
            barred_users=_barred_users(captains, decisive_tenures),
            losers_only=losers_only,
            anybody_may_rise=losers_only is None and not is_chosen_by_host,
            anybody_may_fall=not is_won_by_computer,
            is_void=is_void,
        )

    def may_fall(self, team: int, outcome: PlayerOutcome) -> bool:
        is_limited = self.losers_only is not None and (outcome == "drawn" or team not in self.losers_only)
        return outcome != "won" and self.anybody_may_fall and not is_limited


def _decisive_tenures(captains: Captains) -> list[Tenure]:
    """Return the tenures of those who were put into a seat, also of a battle, and may have decided something there.

    They need not have given orders, if the game went on meanwhile: without them the computer played. Captains who have
    also joined this side by themselves do not count.
    """
    seats = captains.seated_game.seats
    tenures = [*captains.tenures, *captains.battle_tenures]
    joined = {
        (seats[t.seat].team, t.captaincy.user_id) for t in tenures if t.captaincy.put_by is None and not t.is_planted
    }
    decisive_tenures = []
    for tenure in tenures:
        captaincy = tenure.captaincy
        player = (seats[tenure.seat].team, captaincy.user_id)
        game_went_on = captaincy.to_step is None or captaincy.to_step > captaincy.from_step
        is_own_side = captaincy.user_id is not None and player in joined
        if captaincy.put_by is not None and game_went_on and not is_own_side:
            decisive_tenures.append(tenure)
    return decisive_tenures


def _barred_users(captains: Captains, decisive_tenures: Sequence[Tenure]) -> set[int]:
    """Return those who put somebody into a seat. If it is an enemy's, also those who came later to the filler's side.

    A second account could otherwise fill the enemy's seat and leave its own to the main account.
    """
    seats = captains.seated_game.seats
    fillers = {tenure.captaincy.put_by or 0 for tenure in decisive_tenures}
    fillers_of_enemies = {
        put_by
        for tenure in decisive_tenures
        if (put_by := tenure.captaincy.put_by) is not None
        if captains.teams_of(put_by) - {seats[tenure.seat].team}
    }
    teams_of_fillers = {team for filler in fillers_of_enemies for team in captains.teams_of(filler)}
    latecomers = {
        tenure.captaincy.user_id
        for tenure in captains.tenures
        if tenure.captaincy.user_id is not None and not tenure.is_original
        if seats[tenure.seat].team in teams_of_fillers
    }
    originals = {tenure.captaincy.user_id for tenure in captains.tenures if tenure.is_original}
    return fillers | (latecomers - originals)


def _has_returned(captains: Captains, seat: SeatRow) -> bool:
    """Return whether the seat's captain had left it, or a battle's seat, and somebody else gave orders there then.

    The captain of a seat at the end of the game got it back, or never left the game when they left a battle.
    """
    own_ids = captains.known_user_ids(seat.user_id or 0)
    for tenures in (captains.tenures, captains.battle_tenures):
        has_left = False
        for tenure in tenures:
            captaincy = tenure.captaincy
            if tenure.seat != seat.seat or captaincy.user_id is None:
                continue
            if captaincy.user_id in own_ids:
                has_left = has_left or captaincy.left
            elif has_left and captaincy.acted:
                return True
    return False


def _seated_endings(
    captains: Captains, outcomes: Mapping[Seat, PlayerOutcome], bounds: _RatingBounds, *, rated: bool
) -> list[PlayerEnding]:
    is_rated = rated and not bounds.is_void
    endings = []
    for seat in captains.seated_game.seats:
        if seat.user_id is None:
            continue
        outcome = outcomes[seat.seat]
        user_ids = captains.known_user_ids(seat.user_id)
        own_captaincies = [
            tenure.captaincy
            for tenure in captains.tenures
            if tenure.seat == seat.seat and tenure.captaincy.user_id in user_ids
        ]
        if not any(captaincy.has_played for captaincy in own_captaincies):
            continue
        is_barred = not user_ids.isdisjoint(bounds.barred_users) or _has_returned(captains, seat)
        may_rise = is_rated and bounds.anybody_may_rise and not is_barred
        may_fall = is_rated and bounds.may_fall(seat.team, outcome)
        endings.append(PlayerEnding(seat.seat, seat.user_id, outcome, may_rise, may_fall, is_seated=True))
    return endings


def rated_users(captains: Captains) -> dict[Seat, int]:
    """Return the user whose rating stands for each seat's strength: the last captain who spoke for its side."""
    return {
        tenure.seat: captaincy.user_id
        for tenure in captains.tenures
        if (captaincy := tenure.captaincy).user_id is not None and tenure.has_voice
        if captaincy.has_played
    }


def seat_outcomes(seats: Sequence[SeatRow], result: Result) -> dict[Seat, PlayerOutcome]:
    """Return how a game ended for each seat. Allies win and lose together; a side that has conceded has lost."""
    winning_teams = {seat.team for seat in seats if seat.seat in result.winners}
    conceded_teams = {seat.team for seat in seats} - {seat.team for seat in seats if not seat.conceded}
    outcomes: dict[Seat, PlayerOutcome] = {}
    for seat in seats:
        if seat.team in winning_teams:
            outcomes[seat.seat] = "won"
        elif winning_teams or seat.team in conceded_teams:
            outcomes[seat.seat] = "lost"
        else:
            outcomes[seat.seat] = "drawn"
    return outcomes


def rate_game(
    seats: Sequence[SeatRow],
    outcomes: Mapping[Seat, PlayerOutcome],
    before: Mapping[Seat, Skill],
    places: Mapping[Seat, int] = MappingProxyType({}),
) -> dict[Seat, Skill]:
    """Return the skills after a game, from those before it. A draw leaves `sigma` unchanged.

    Losers are equal unless the game gave each seat a place.
    """
    model = _rating_model()
    teams = [[seat.seat for seat in seats if seat.team == team] for team in sorted({seat.team for seat in seats})]
    ratings_before = [[model.rating(mu=before[seat].mu, sigma=before[seat].sigma) for seat in team] for team in teams]
    # Lower ranks are better: 0 for winners and for all in a draw.
    ranks = [float(places.get(team[0], 1) if outcomes[team[0]] == "lost" else 0) for team in teams]
    ratings_after = model.rate(ratings_before, ranks=ranks)
    return {
        seat: Skill(player.mu, before[seat].sigma if outcomes[seat] == "drawn" else player.sigma)
        for team, team_ratings in zip(teams, ratings_after, strict=True)
        for seat, player in zip(team, team_ratings, strict=True)
    }


def stored_skill(last: RatingRow | RatingSummary | None) -> Skill:
    rating = last or _rating_model().rating()
    return Skill(rating.mu, rating.sigma)


async def store_results(
    tx: Transaction,
    seated_game: SeatedGame,
    outcomes: Mapping[Seat, PlayerOutcome],
    tallies: Mapping[Seat, Statistics],
    *,
    cause: StepCause,
    gave_up: bool,
    now: int,
    places: Mapping[Seat, int] = MappingProxyType({}),
) -> None:
    """Store results and statistics of a finished game, and change ratings if it counts.

    `places`: places of seats that have not won, if the game ranks them. `gave_up`: see `limits_of`. Statistics of those
    seated at the end are stored even if the game does not count.
    """
    await tx.ratings.lock_all()  # two games of one captain may end at once
    await forgotten.erase_expired(tx, now=now)
    game = seated_game.game
    captains = await captains_of(tx, seated_game)
    losing_teams = frozenset(seat.team for seat in seated_game.seats if outcomes[seat.seat] == "lost")
    called_off, deserted = isinstance(cause, CallOff), isinstance(cause, CallOff) and cause.deserted
    # If the points of a match decide it, an agreed draw of its second game is not the result that is rated.
    is_decided_match = game.first_game_id is not None and bool(losing_teams)
    only_quitters_lose = (isinstance(cause, AgreeDraw) and not is_decided_match) or deserted
    counted = is_rated_game(game, captains, decided=bool(losing_teams) if only_quitters_lose else not called_off)
    limits = RatingLimits()
    if counted:
        limits = await limits_of(tx, captains, gave_up=gave_up, now=now)
        if only_quitters_lose:
            limits = limits.for_losers_only(losing_teams)
        elif limits.explanation_key:
            await tx.audit_log.add_for_game(game, f"unrated_{limits.explanation_key}", now=now)
    endings = player_endings(captains, outcomes, rated=counted, losers_only=limits.losers_only)
    user_of_seat = rated_users(captains)
    last_ratings = await tx.ratings.last_of_users(
        game.system, {*user_of_seat.values(), *(ending.user_id for ending in endings)}
    )
    # A later rating must have a later time, even if two games end in one second or the clock was set back.
    rated_at = max([now, *(row.rated_at + 1 for row in last_ratings.values())])
    for ending in endings:
        skill = stored_skill(last_ratings.get(ending.user_id))
        changed = False
        if ending.may_rise or ending.may_fall:
            skills = {seat: stored_skill(last_ratings.get(user_id)) for seat, user_id in user_of_seat.items()}
            skill_after = rate_game(seated_game.seats, outcomes, {**skills, ending.seat: skill}, places)[ending.seat]
            rise = skill_after.displayed_rating - skill.displayed_rating
            changed = ending.allows(rise) and not limits.forbids(ending.user_id, rise)
            skill = skill_after if changed else skill
        await tx.ratings.add(
            RatingRow(
                game_id=game.id,
                user_id=ending.user_id,
                system=game.system,
                seat=ending.seat,
                outcome=ending.outcome,
                mu=skill.mu,
                sigma=skill.sigma,
                counted=changed,
                facts=msgspec.json.encode(
                    tallies.get(ending.seat, Statistics()) if ending.is_seated else Statistics()
                ).decode(),
                rated_at=rated_at,
            )
        )


async def rating_at_stake(tx: Transaction, seated_game: SeatedGame, seat: SeatRow, *, now: int) -> int:
    """Return how many points the user loses if they concede now and their side loses; 0 if none.

    It is 0 also in a match, in which the points of both games decide.
    """
    game = seated_game.game
    captains = await captains_of(tx, seated_game)
    if seat.user_id is None or game.belongs_to_match or not is_rated_game(game, captains):
        return 0
    limits = await limits_of(tx, captains, gave_up=True, now=now)
    outcomes: dict[Seat, PlayerOutcome] = {
        other.seat: "lost" if other.team == seat.team else "won" for other in seated_game.seats
    }
    endings = player_endings(captains, outcomes, rated=True, losers_only=limits.losers_only)
    if not any(ending.may_fall and ending.seat == seat.seat and ending.is_seated for ending in endings):
        return 0
    user_of_seat = {**rated_users(captains), seat.seat: seat.user_id}
    last_ratings = await tx.ratings.last_of_users(game.system, {*user_of_seat.values()})
    before = {seat_no: stored_skill(last_ratings.get(user_id)) for seat_no, user_id in user_of_seat.items()}
    after = rate_game(seated_game.seats, outcomes, before)
    points_lost = before[seat.seat].displayed_rating - after[seat.seat].displayed_rating
    return 0 if limits.forbids(seat.user_id, -points_lost) else max(0, points_lost)


def rank_players(scores: Iterable[RatingSummary]) -> list[LadderEntry]:
    """Return ladder entries, best first. Provisional players follow without a rank."""
    skills = [(score, stored_skill(score)) for score in scores]
    skills.sort(
        key=lambda entry: (is_provisional(entry[0]), -entry[1].displayed_rating, -entry[0].game_count, entry[0].user_id)
    )
    entries: list[LadderEntry] = []
    for place, (score, skill) in enumerate(skills, start=1):
        # Equal ratings share a rank.
        is_equal = entries and entries[-1].skill.displayed_rating == skill.displayed_rating
        rank = None
        if not is_provisional(score):
            rank = entries[-1].rank if is_equal else place
        entries.append(LadderEntry(rank=rank, score=score, skill=skill))
    return entries


def is_provisional(score: RatingSummary) -> bool:
    return score.game_count < MIN_RANKED_GAMES


@cache
def _rating_model() -> PlackettLuce:
    return PlackettLuce()
