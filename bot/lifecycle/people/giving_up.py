"""Count captains of running games whose dice are thrown away: their side has not given orders in three rounds.

See `abandoning` for what is counted and why. A captain gives a game up by their own act when they concede, or leave
their own seat to the computer or to nobody. If they have put somebody else into their seat who then gives up, both are
counted. A captain who loses the seat by absence or by leaving the server, or loses after missing their last deadline,
is mentioned. If a captain leaves the server, or somebody who does not play puts one out or ends the game, it counts for
all its captains as thrown away by others.

A game counts once for a captain, and so does a match, whose dice come from the same words. A battle's dice are those of
its season. Orders take back what is counted; a press alone does not.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final, Literal

from bot.lifecycle.outbox.quiet_hours import is_away
from bot.lifecycle.people import abandoning
from bot.lifecycle.people.abandoning import ABANDONED, BY_OTHERS, MENTIONED, Verdict
from bot.lifecycle.people.captains import Captains, captains_of
from bot.lifecycle.people.rounds import MIN_ROUNDS, answered_rounds
from bot.lifecycle.steps.playing import SeatedGame
from bot.store.models.records import SeatRow
from bot.store.queries.transaction import Transaction
from rules.core.protocol import Seat

_Cause = Literal["absence", "departure", "others"]
_CAUSES: Final[Mapping[str, _Cause | None]] = {
    "offered": "absence",
    "left": "departure",
    "barred": "others",
    "vacant": None,  # the captain conceded, which was counted
}
"""Why a seat is offered, by the kind of its log entry."""


async def note_offered(tx: Transaction, seated_game: SeatedGame, seat: SeatRow, kind: str, *, now: int) -> None:
    """Count that a seat is offered under the log entry `kind`."""
    cause = _CAUSES[kind]
    if cause in ("absence", "departure"):
        await _count(tx, seated_game, [seat], MENTIONED, now=now)
    if cause in ("departure", "others"):
        await note_ended_by_others(tx, seated_game, now=now)


async def note_put_out(tx: Transaction, seated_game: SeatedGame, seat: SeatRow, by: int, *, now: int) -> None:
    """Count that the user `by` takes a seat from its captain, unless they were absent or had conceded."""
    if seat.user_id == by:
        await note_given_up(tx, seated_game, seat, now=now)
    elif seat.user_id is not None and not (seat.conceded or seat.is_offered):
        await note_ended_by_others(tx, seated_game, now=now)


async def note_silent(tx: Transaction, seated_game: SeatedGame, outcomes: Mapping[Seat, str], *, now: int) -> None:
    """Mention captains of a finished game who lost it, did not give it up, and missed their last deadline.

    Neither a round that a referee ended early nor one in which the captain was not asked is a missed deadline.
    """
    for seat in seated_game.seats:
        has_lost = outcomes[seat.seat] == "lost" and not (seat.conceded or seat.is_offered)
        if has_lost and (seat.missed or await _was_silent_while_away(tx, seated_game, seat, now)):
            await _count(tx, seated_game, [seat], MENTIONED, now=now)


async def _was_silent_while_away(tx: Transaction, seated_game: SeatedGame, seat: SeatRow, now: int) -> bool:
    """Return whether a captain, who is away as announced, gave no orders in the last round."""
    player = seated_game.players.get(seat.user_id or 0)
    if player is None or not is_away(player, now):
        return False
    answered = [answer for answer in await answered_rounds(tx, seated_game.game.id) if answer.seat == seat.seat]
    return bool(answered) and not answered[-1].is_in_person


async def note_given_up(tx: Transaction, seated_game: SeatedGame, seat: SeatRow, *, now: int) -> None:
    """Count that a seat's captain gives the game up, unless all others have conceded: then nobody loses the dice."""
    if not _has_words(seated_game):
        return
    others = [other for other in seated_game.seats if other.seat != seat.seat and other.user_id is not None]
    if any(not (other.conceded or other.is_offered) for other in others):
        await _count(tx, seated_game, [seat], ABANDONED, now=now)
    elif not await _have_all_others_conceded(tx, seated_game, seat):  # nobody else plays on, but others might have
        await _count(tx, seated_game, [seat], MENTIONED, now=now)


async def _have_all_others_conceded(tx: Transaction, seated_game: SeatedGame, seat: SeatRow) -> bool:
    tenures = (await captains_of(tx, seated_game)).tenures
    return all(seated_game.seats[tenure.seat].conceded for tenure in tenures if tenure.seat != seat.seat)


async def note_ended_by_others(tx: Transaction, seated_game: SeatedGame, *, now: int) -> None:
    """Count for all captains of a game that somebody who does not play ends it, or that it loses one of them."""
    await _count_for_all(tx, seated_game, BY_OTHERS, now=now)


async def note_lapsed(tx: Transaction, seated_game: SeatedGame, *, now: int) -> None:
    """Mention all captains of a game in which nobody has acted, unless its clock was stopped."""
    if seated_game.game.paused_at is None and seated_game.game.deadline is not None:
        await _count_for_all(tx, seated_game, MENTIONED, now=now)


async def _count_for_all(tx: Transaction, seated_game: SeatedGame, verdict: Verdict, *, now: int) -> None:
    seats = [seat for seat in seated_game.seats if seat.user_id is not None and not seat.conceded]
    await _count(tx, seated_game, seats, verdict, now=now)


async def uncount(tx: Transaction, seated_game: SeatedGame, seats: Collection[Seat]) -> None:
    """Count captains no more who have given orders in a game, or have taken a concession back."""
    users = [user_id for seat in seats if (user_id := seated_game.seats[seat].user_id) is not None]
    if users and _has_words(seated_game):
        await tx.tallies.delete((ABANDONED, MENTIONED, BY_OTHERS), users, game_id=seated_game.game.id)


async def _count(
    tx: Transaction, seated_game: SeatedGame, seats: Collection[SeatRow], verdict: Verdict, *, now: int
) -> None:
    """Count those who answer for these seats, except of sides that have played the game."""
    if not _has_words(seated_game):
        return
    answered = await answered_rounds(tx, seated_game.game.id)
    captains = await captains_of(tx, seated_game)
    game_ids = [game_id for game_id in (seated_game.game.id, seated_game.game.first_game_id) if game_id is not None]
    for seat in seats:
        rounds_ordered = {
            answer.round
            for answer in answered
            if answer.is_in_person and seated_game.seats[answer.seat].team == seat.team
        }
        for user_id in _users_answering(captains, seat) if len(rounds_ordered) < MIN_ROUNDS else ():
            if _has_words_of_others(captains, user_id):
                await abandoning.count(tx, verdict, user_id, now=now, game_ids=game_ids)


def _has_words(seated_game: SeatedGame) -> bool:
    return seated_game.game.parent_id is None and any(seated_game.dice_words)


def _users_answering(captains: Captains, seat: SeatRow) -> list[int]:
    """Return the seat's captain, and those of its earlier captains who put this one there; no forgotten users.

    Nobody answers for a seat into which others put them before they give orders in it.
    """
    captaincy = captains.current_captaincy(seat)
    captaincies = [other for other in captains.captaincies if other.seat == seat.seat]
    holder_id = captaincy.user_id if captaincy else None
    has_played = any(other.has_played for other in captaincies if other.user_id == holder_id)
    users = [holder_id] if has_played else []
    for earlier in reversed([other for other in captaincies if other.left]):
        if captaincy is not None and earlier.user_id is not None and earlier.user_id == captaincy.put_by:
            captaincy = earlier
            users.append(earlier.user_id)
    return [user_id for user_id in dict.fromkeys(users) if user_id is not None and user_id > 0]


def _has_words_of_others(captains: Captains, user_id: int) -> bool:
    words = captains.seated_game.dice_words
    authors = [tenure.captaincy.user_id for tenure in captains.tenures if tenure.is_original and words[tenure.seat]]
    return any(author not in captains.known_user_ids(user_id) for author in authors)
