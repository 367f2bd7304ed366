"""Dice that are thrown away after others have added words to them.

A user who knows the seed then knows the dice, and could end lobby after lobby and game after game until the dice suit.
The bot counts that, and later lobbies and threads say how often it happened. A game is played once the captain's side
has given orders in three rounds (see `giving_up`).

It counts for all captains if somebody who does not play does it: any of them could have asked for it. Only an act that
nobody else can bring about is more than mentioned: a host who calls a lobby off or removes a captain with a word, and a
captain who gives a game up, are barred after a few times from opening and beginning rated games.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, TypeAlias

from bot.errors import Refusal
from bot.lifecycle.people import tallies
from bot.lifecycle.steps.playing import SeatedGame
from bot.store.models.records import SeatRow
from bot.store.queries.transaction import Transaction

Verdict: TypeAlias = Literal["abandoned", "ended"]
ABANDONED: Final = "abandoned"  # kind of the tally that bars, and of the log entry
MENTIONED: Final = "ended"  # kind of the tally that is only mentioned
MAX_ABANDONED: Final = 2  # times within `BARRED_S` after which a user is barred
BARRED_S: Final = 86_400
REMEMBERED_S: Final = 30 * 86_400  # how long lobbies and threads mention it


async def count(tx: Transaction, verdict: Verdict, user_id: int, *, now: int, game_ids: Sequence[int] = ()) -> None:
    """Count dice that a user has thrown away, or that somebody else has; the latter gives way to the former.

    They count once for a game, or for the games of a match: `game_ids`, the game itself first. Empty: a lobby.
    """
    for game_id in game_ids:
        for kind in {ABANDONED, verdict}:
            if await tallies.still_counted(tx, kind, user_id, now=now, game_id=game_id):
                return
    for game_id in game_ids:
        await tallies.uncount(tx, MENTIONED, user_id, game_id=game_id)
    about = game_ids[0] if game_ids else None
    await tallies.count(tx, verdict, user_id, now=now, until=now + REMEMBERED_S, game_id=about)


async def note_lobby_loss(
    tx: Transaction,
    seated_game: SeatedGame,
    *,
    by: int | None,
    removed: SeatRow | None = None,
    has_lapsed: bool = False,
    now: int,
) -> None:
    """Count that the user `by` calls a lobby off, or takes the captain of a seat (`removed`) out of it.

    None as `by`: somebody whose user id is not known. `has_lapsed`: its host has let it lie. If a captain without a
    word is removed, the dice stay.
    """
    if removed is not None and removed.word is None and removed.user_id != by:
        return
    does_play = by is not None and seated_game.seat_of(by) is not None
    users = [by] if does_play else [seat.user_id for seat in seated_game.seats]
    verdict: Verdict = ABANDONED if does_play and by == seated_game.game.host_id and not has_lapsed else MENTIONED
    for user_id in users:
        if user_id is not None and has_words_of_others(seated_game, user_id):
            if verdict == ABANDONED:
                await tx.audit_log.add_for_game(seated_game.game, ABANDONED, now=now, user_id=user_id)
            await count(tx, verdict, user_id, now=now)


def has_words_of_others(seated_game: SeatedGame, user_id: int) -> bool:
    return any(seat.word is not None and seat.user_id != user_id for seat in seated_game.seats)


async def times_thrown_away(tx: Transaction, user_id: int, *, now: int) -> int:
    return sum([len(await tallies.still_counted(tx, kind, user_id, now=now)) for kind in (ABANDONED, MENTIONED)])


async def update_mentions(tx: Transaction, seated_game: SeatedGame, *, now: int) -> None:
    """Store for each captain of a lobby how often dice of their games were thrown away until now."""
    for seat in seated_game.seats:
        times = 0 if seat.user_id is None else await times_thrown_away(tx, seat.user_id, now=now)
        if times != seat.abandoned:
            await tx.seats.change(seated_game.game.id, seat.seat, abandoned=times)


async def refuse_barred(tx: Transaction, host_id: int, *, now: int) -> None:
    """Raise `Refusal` if a host may not open or begin a rated game."""
    if (until := await _barred_until(tx, host_id, now=now)) > now:
        raise Refusal("abandoning", most=MAX_ABANDONED, when=until)


async def _barred_until(tx: Transaction, user_id: int, *, now: int) -> int:
    """Return until when (Unix seconds) a user may not open or begin rated games; 0 if nothing bars them.

    Each time that is the second (`MAX_ABANDONED`) within `BARRED_S`, or while the user is barred, adds `BARRED_S`.
    """
    until = 0
    times = [tally.at for tally in await tallies.still_counted(tx, ABANDONED, user_id, now=now)]
    for earlier, later in zip(times, times[MAX_ABANDONED - 1 :], strict=False):
        if later < max(until, earlier + BARRED_S):
            until = max(until, later) + BARRED_S
    return until
