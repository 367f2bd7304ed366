"""Dice that are thrown away after others have added words to them.

A user who knows the seed then knows the dice, and could end lobby after lobby and game after game until the dice suit.
The bot counts that, and later lobbies and threads say how often it happened. A game is played once the captain's side
has given orders in three rounds (see `giving_up`).

Captains have two numbers: how often they did it themselves, and how often others did it in their lobbies and games.
Anybody can raise the second, so it counts a lobby or game once. A host who calls a lobby off or removes a captain with
a word, and a captain who gives a game up, are barred after a few times from opening and beginning rated games. If
nothing has changed in the lobby for a day, its host is only mentioned: guests could keep it from starting.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, NamedTuple, TypeAlias

from bot.errors import Refusal
from bot.lifecycle.outbox import enqueue
from bot.lifecycle.people import tallies
from bot.lifecycle.steps.playing import SeatedGame
from bot.store.models.records import Game, SeatRow
from bot.store.queries.transaction import Transaction

Verdict: TypeAlias = Literal["abandoned", "ended", "by_others"]
ABANDONED: Final = "abandoned"  # kind of the tally that bars, and of the log entry
MENTIONED: Final = "ended"  # kind of the tally of a captain's own acts that are only mentioned
BY_OTHERS: Final = "by_others"  # kind of the tally of what others did
_SEVEREST_FIRST: Final[tuple[Verdict, ...]] = (ABANDONED, MENTIONED, BY_OTHERS)
REMOVED: Final = "removed"  # kind of the tally of a captain who was removed from a lobby
MAX_ABANDONED: Final = 2  # times within `BARRED_S` after which a user is barred
BARRED_S: Final = 86_400
SILENT_S: Final = 86_400  # how long nothing must have changed in a lobby before its host may end it without a bar
REMEMBERED_S: Final = 30 * 86_400  # how long lobbies and threads mention it


class ThrownAway(NamedTuple):
    by_self: int = 0
    by_others: int = 0


async def count(tx: Transaction, verdict: Verdict, user_id: int, *, now: int, game_ids: Sequence[int]) -> None:
    """Count a game whose dice are thrown away; only the severest verdict about it stays.

    They count once for a game, or for the games of a match: `game_ids`, the game itself first.
    """
    severity = _SEVEREST_FIRST.index(verdict)
    for game_id in game_ids:
        for kind in _SEVEREST_FIRST[: severity + 1]:
            if await tallies.still_counted(tx, kind, user_id, now=now, game_id=game_id):
                return
    for game_id in game_ids:
        for kind in _SEVEREST_FIRST[severity + 1 :]:
            await tallies.uncount(tx, kind, user_id, game_id=game_id)
    await tallies.count(tx, verdict, user_id, now=now, until=now + REMEMBERED_S, game_id=game_ids[0])


async def note_lobby_loss(
    tx: Transaction,
    seated_game: SeatedGame,
    *,
    by: int | None,
    removed: SeatRow | None = None,
    bars: bool = True,
    now: int,
) -> None:
    """Count that the user `by` calls a lobby off, or takes the captain of a seat (`removed`) out of it.

    None as `by`: somebody who does not play. `bars`: see `verdict_on`.
    """
    if removed is not None and _keeps_dice(removed, by):
        return
    game = seated_game.game
    by_captain = None if by is None or await enqueue.is_channel_deleted(tx, game) else seated_game.seat_of(by)
    for seat in seated_game.seats:
        if seat.user_id is not None and seat is not by_captain and _has_words_of_others(seated_game, seat.user_id):
            await _count_by_others(tx, game, seat.user_id, now=now)
    if by_captain and by and (verdict := verdict_on(seated_game, by, removed=removed, bars=bars, now=now)):
        if verdict == ABANDONED:
            await tx.audit_log.add_for_game(game, ABANDONED, now=now, user_id=by)
        await tallies.count(tx, verdict, by, now=now, until=now + REMEMBERED_S, game_id=_lobby_id(game.id))


def verdict_on(
    seated_game: SeatedGame, by: int, *, removed: SeatRow | None = None, bars: bool = True, now: int
) -> Verdict | None:
    """Return what counts for a captain who calls a lobby off, or takes the captain of a seat out of it; None: nothing.

    `bars`: whether it may count towards a bar; a host is only mentioned otherwise.
    """
    if not _has_words_of_others(seated_game, by) or (removed is not None and _keeps_dice(removed, by)):
        return None
    is_host = by == seated_game.game.host_id
    return ABANDONED if is_host and bars and not _is_silent(seated_game.game, now) else MENTIONED


def _keeps_dice(removed: SeatRow, by: int | None) -> bool:
    """Return whether a captain without a word is removed."""
    return removed.word is None and removed.user_id != by


def _is_silent(lobby: Game, now: int) -> bool:
    return lobby.idle_since is not None and now >= lobby.idle_since + SILENT_S


async def _count_by_others(tx: Transaction, lobby: Game, user_id: int, *, now: int) -> None:
    """Count once in a lobby that others threw its dice away."""
    lobby_id = _lobby_id(lobby.id)
    if not await tallies.still_counted(tx, BY_OTHERS, user_id, now=now, game_id=lobby_id):
        await tallies.count(tx, BY_OTHERS, user_id, now=now, until=now + REMEMBERED_S, game_id=lobby_id)


def _lobby_id(game_id: int) -> int:
    """Return what a lobby is called in tallies: the game that it becomes counts by itself."""
    return -game_id


def _has_words_of_others(seated_game: SeatedGame, user_id: int) -> bool:
    return any(seat.word is not None and seat.user_id != user_id for seat in seated_game.seats)


async def note_removed(tx: Transaction, game_id: int, user_id: int, *, now: int) -> None:
    """Keep a captain who was removed from a lobby out of it for a day."""
    await tallies.count(tx, REMOVED, user_id, now=now, until=now + BARRED_S, game_id=_lobby_id(game_id))


async def refuse_removed(tx: Transaction, game_id: int, user_id: int, *, now: int) -> None:
    removals = await tallies.still_counted(tx, REMOVED, user_id, now=now, game_id=_lobby_id(game_id))
    if removals:
        raise Refusal("removed_from_lobby", when=removals[-1].until)


async def times_thrown_away(tx: Transaction, user_id: int, *, now: int) -> ThrownAway:
    barring, mentioned, by_others = [
        len(await tallies.still_counted(tx, kind, user_id, now=now)) for kind in _SEVEREST_FIRST
    ]
    return ThrownAway(barring + mentioned, by_others)


async def update_mentions(tx: Transaction, seated_game: SeatedGame, *, now: int) -> None:
    """Store for each captain of a lobby how often dice of their games were thrown away until now."""
    for seat in seated_game.seats:
        times = ThrownAway() if seat.user_id is None else await times_thrown_away(tx, seat.user_id, now=now)
        if times != (seat.abandoned, seat.abandoned_by_others):
            await tx.seats.change(seated_game.game.id, seat.seat, **as_columns(times))


def as_columns(times: ThrownAway) -> dict[str, int]:
    """Return the columns of a seat that hold these numbers."""
    return {"abandoned": times.by_self, "abandoned_by_others": times.by_others}


async def refuse_barred(tx: Transaction, host_id: int, *, now: int) -> None:
    """Raise `Refusal` if a host may not open or begin a rated game."""
    if (until := await _barred_until(tx, host_id, now=now)) > now:
        raise Refusal("abandoning", most=MAX_ABANDONED, when=until)


async def _barred_until(tx: Transaction, user_id: int, *, now: int) -> int:
    """Return until when (Unix seconds) a user may not open or begin rated games; 0 if nothing bars them.

    Dice thrown away for the second time (`MAX_ABANDONED`) within `BARRED_S`, or during a bar, add `BARRED_S`.
    """
    until = 0
    times = [tally.at for tally in await tallies.still_counted(tx, ABANDONED, user_id, now=now)]
    for earlier, later in zip(times, times[MAX_ABANDONED - 1 :], strict=False):
        if later < max(until, earlier + BARRED_S):
            until = max(until, later) + BARRED_S
    return until
