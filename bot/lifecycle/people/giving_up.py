"""Count captains who give a game up before their side has played it, with words of others in its dice.

They do so when they concede, leave their own seat to the computer or to nobody, lose it by absence, or are silent until
they have lost. If they have put somebody else into their seat who then gives up, both are counted. A captain who was
put out by somebody else has given nothing up. A captain who leaves the server is only mentioned, since a manager could
have removed them.

A game counts once for a captain, and so does a match, whose dice come from the same words. A battle's dice are those of
its season.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from bot.lifecycle.people import tallies
from bot.lifecycle.people.abandoning import ABANDONED, ENDED_FOR_HOST, REMEMBERED_S
from bot.lifecycle.people.captains import Captains, captains_of
from bot.lifecycle.people.rounds import MIN_ROUNDS, answered_rounds
from bot.lifecycle.steps.playing import SeatedGame
from bot.store.models.records import SeatRow
from bot.store.queries.transaction import Transaction
from rules.core.protocol import Seat

_LEFT_SERVER: Final = "left"  # kind of the log entry of a seat offered because its captain left the server
_MISSED_DEADLINES: Final = "offered"


async def note_offered(tx: Transaction, seated_game: SeatedGame, seat: SeatRow, kind: str, *, now: int) -> None:
    """Count the captain of a seat that is offered under the log entry `kind`."""
    if kind == _MISSED_DEADLINES:
        await note_given_up(tx, seated_game, seat, now=now)
    elif kind == _LEFT_SERVER:
        await note_given_up(tx, seated_game, seat, now=now, tally=ENDED_FOR_HOST)


async def note_put_out(tx: Transaction, seated_game: SeatedGame, seat: SeatRow, by: int, *, now: int) -> None:
    """Count a captain whose seat becomes empty or the computer's, if it is their own doing."""
    if seat.user_id == by:
        await note_given_up(tx, seated_game, seat, now=now)


async def note_silent(tx: Transaction, seated_game: SeatedGame, outcomes: Mapping[Seat, str], *, now: int) -> None:
    """Count captains of a finished game who lost it, did not give it up, and missed too many of its rounds."""
    if not _has_words(seated_game):
        return
    round_count = len({answered.round for answered in await answered_rounds(tx, seated_game.game.id)})
    for seat in seated_game.seats:
        if outcomes[seat.seat] == "lost" and not (seat.conceded or seat.is_offered):
            await note_given_up(tx, seated_game, seat, now=now, needed=min(MIN_ROUNDS, round_count))


async def note_given_up(
    tx: Transaction,
    seated_game: SeatedGame,
    seat: SeatRow,
    *,
    now: int,
    tally: str = ABANDONED,
    needed: int = MIN_ROUNDS,
) -> None:
    """Count that a seat's captain gives the game up, unless their side has ordered in `needed` rounds.

    `tally`: its kind. If nobody else plays on, nobody loses the dice.
    """
    if not _has_words(seated_game) or not _has_other_captains(seated_game, seat):
        return
    rounds_ordered = {
        answered.round
        for answered in await answered_rounds(tx, seated_game.game.id)
        if answered.is_in_person and seated_game.seats[answered.seat].team == seat.team
    }
    if len(rounds_ordered) >= needed:
        return
    captains = await captains_of(tx, seated_game)
    for user_id in _users_answering(captains, seat):
        if _has_words_of_others(captains, user_id) and not await _is_counted(tx, seated_game, user_id, now=now):
            until = now + REMEMBERED_S
            await tallies.count(tx, tally, user_id, now=now, until=until, game_id=seated_game.game.id)


async def take_back(tx: Transaction, game_id: int, user_id: int | None) -> None:
    """Count a captain no more who commands again in a game."""
    if user_id is not None:
        for kind in (ABANDONED, ENDED_FOR_HOST):
            await tallies.uncount(tx, kind, user_id, game_id=game_id)


def _has_words(seated_game: SeatedGame) -> bool:
    return seated_game.game.parent_id is None and any(seated_game.dice_words)


def _has_other_captains(seated_game: SeatedGame, seat: SeatRow) -> bool:
    return any(
        other.user_id not in (None, seat.user_id) and not other.conceded and not other.is_offered
        for other in seated_game.seats
    )


def _users_answering(captains: Captains, seat: SeatRow) -> list[int]:
    """Return the seat's captain, and those who gave it away or lost it by absence, except forgotten users.

    Nobody answers for a seat into which others put them before they give orders in it.
    """
    captaincies = [captaincy for captaincy in captains.captaincies if captaincy.seat == seat.seat]
    users = [
        captaincy.user_id
        for captaincy in captaincies
        if captaincy.user_id is not None and (captaincy.left or captaincy.to_step is None)
        if captaincy.put_by is None or captaincy.acted
    ]
    return [user_id for user_id in dict.fromkeys(users) if user_id > 0]


def _has_words_of_others(captains: Captains, user_id: int) -> bool:
    words = captains.seated_game.dice_words
    authors = [tenure.captaincy.user_id for tenure in captains.tenures if tenure.is_original and words[tenure.seat]]
    return any(author not in captains.known_user_ids(user_id) for author in authors)


async def _is_counted(tx: Transaction, seated_game: SeatedGame, user_id: int, *, now: int) -> bool:
    game_ids = [game_id for game_id in (seated_game.game.id, seated_game.game.first_game_id) if game_id is not None]
    return any(
        [
            await tallies.still_counted(tx, kind, user_id, now=now, game_id=game_id)
            for game_id in game_ids
            for kind in (ABANDONED, ENDED_FOR_HOST)
        ]
    )
