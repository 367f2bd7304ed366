"""Dice that are thrown away after others have added words to them.

A user who knows the seed then knows the dice, and could end lobby after lobby and game after game until the dice suit.
A game is played once the captain's side has given orders in three rounds (see `giving_up`).

A captain who ends it earlier by their own act is barred after a few times: they open, join and begin no rated game, nor
take over a seat in one. If somebody who does not play ends it, all its captains are only mentioned: any of them could
have asked for it, and none could prevent it. Later lobbies and threads say how often either happened.

While two games wait for a user, they get no further rated one: they could choose among many before any is counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, Literal, TypeAlias

from bot.errors import Refusal
from bot.lifecycle.people import tallies
from bot.lifecycle.steps.playing import SeatedGame, may_be_rated
from bot.store.models.records import Game, SeatRow
from bot.store.queries.transaction import Transaction

Verdict: TypeAlias = Literal["abandoned", "ended"]
ABANDONED: Final = "abandoned"  # kind of the tally that bars, and of the log entry
MENTIONED: Final = "ended"  # kind of the tally that is only mentioned
MAX_ABANDONED: Final = 2  # times within `BARRED_S` after which a user is barred from rated games
MAX_WAITING: Final = 2  # games that may wait for a user who begins another
BARRED_S: Final = 86_400
MIN_IDLE_S: Final = 86_400
"""After this time (seconds) without a change in a lobby, guests may leave it, and its host remove those who hold it
up."""
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

    None as `by`: somebody whose user id is not known. `has_lapsed`: its host has let it lie, which bars only if it was
    full. A captain who holds the lobby up may be removed: one who is barred, or who has done so for long, and is
    mentioned.
    """
    if removed is not None and removed.user_id not in (None, by):
        if await _holds_up(tx, seated_game, removed, now=now):
            await _count_if_bound(tx, seated_game, MENTIONED, removed.user_id or 0, now=now)
            return
        if await _is_barred(tx, seated_game, removed.user_id, now=now):
            return
    if by is None or not seated_game.seat_of(by):
        for seat in seated_game.seats:
            if seat.user_id is not None:
                await _count_if_bound(tx, seated_game, MENTIONED, seat.user_id, now=now)
        return
    verdict = await verdict_of_leaving(tx, seated_game, by, now=now)
    if verdict and has_lapsed and any(seat.is_free for seat in seated_game.seats):
        verdict = MENTIONED
    if verdict == ABANDONED:
        await tx.audit_log.add_for_game(seated_game.game, ABANDONED, now=now, user_id=by)
    if verdict:
        await count(tx, verdict, by, now=now)


async def verdict_of_leaving(tx: Transaction, seated_game: SeatedGame, user_id: int, *, now: int) -> Verdict | None:
    """Return how it counts if a captain leaves a lobby, which calls it off if that is its host; None: not at all."""
    if not await _is_bound(tx, seated_game, user_id, now=now):
        return None
    if user_id == seated_game.game.host_id or not _is_idle(seated_game, now):
        return ABANDONED
    seat = seated_game.seat_of(user_id)
    return MENTIONED if seat and await _holds_up(tx, seated_game, seat, now=now) else None


async def _count_if_bound(
    tx: Transaction, seated_game: SeatedGame, verdict: Verdict, user_id: int, *, now: int
) -> None:
    if await _is_bound(tx, seated_game, user_id, now=now):
        await count(tx, verdict, user_id, now=now)


async def _is_bound(tx: Transaction, seated_game: SeatedGame, user_id: int, *, now: int) -> bool:
    """Return whether a lobby has words of others who could begin the game."""
    return any(
        [
            not (
                await _is_barred(tx, seated_game, seat.user_id, now=now)
                or await _holds_up(tx, seated_game, seat, now=now)
            )
            for seat in seated_game.seats
            if seat.word is not None and seat.user_id != user_id
        ]
    )


def _is_idle(seated_game: SeatedGame, now: int) -> bool:
    unchanged_since = seated_game.game.idle_since
    return unchanged_since is not None and now - unchanged_since >= MIN_IDLE_S


async def _holds_up(tx: Transaction, seated_game: SeatedGame, seat: SeatRow, *, now: int) -> bool:
    """Return whether a guest has long kept a lobby from starting: they have not agreed, or must order elsewhere."""
    if not _is_idle(seated_game, now) or seat.user_id in (None, seated_game.game.host_id):
        return False
    if seat.word is not None and not seat.word_agreed:
        return True
    return seated_game.is_rated and len(await tx.games.awaiting_first_orders(seat.user_id or 0)) >= MAX_WAITING


async def _is_barred(tx: Transaction, seated_game: SeatedGame, user_id: int | None, *, now: int) -> bool:
    return seated_game.is_rated and await _barred_until(tx, user_id, now=now) > now


async def admit_user(tx: Transaction, user_id: int, *, rated: bool, now: int) -> int:
    """Return how often dice of a user's games were thrown away lately.

    Raises `Refusal` if the user may not open or join a rated game: they are barred, or games wait for them.
    """
    if rated and (until := await _barred_until(tx, user_id, now=now)) > now:
        raise Refusal("abandoning", most=MAX_ABANDONED, when=until)
    if rated:
        _refuse_waiting(
            [*await _lobbies_to_start(tx, user_id, now=now), *await tx.games.awaiting_first_orders(user_id)]
        )
    return await times_thrown_away(tx, user_id, now=now)


async def times_thrown_away(tx: Transaction, user_id: int, *, now: int) -> int:
    return sum([len(await tallies.still_counted(tx, kind, user_id, now=now)) for kind in (ABANDONED, MENTIONED)])


async def update_mentions(tx: Transaction, seated_game: SeatedGame, *, now: int) -> None:
    """Store for each captain of a lobby how often dice of their games were thrown away until now."""
    for seat in seated_game.seats:
        times = 0 if seat.user_id is None else await times_thrown_away(tx, seat.user_id, now=now)
        if times != seat.abandoned:
            await tx.seats.change(seated_game.game.id, seat.seat, abandoned=times)


def _refuse_waiting(game_ids: Sequence[int]) -> None:
    if len(game_ids) >= MAX_WAITING:
        raise Refusal("start_first", games=", ".join(f"#{game_id}" for game_id in sorted(game_ids)))


async def _lobbies_to_start(tx: Transaction, host_id: int, *, now: int) -> list[int]:
    """Return a host's full lobbies with words of others that nobody but the host keeps from starting."""
    lobbies = await tx.games.full_lobbies_with_words(host_id)
    return [game.id for game in lobbies if await _waits_for_host(tx, game, now=now)]


async def _waits_for_host(tx: Transaction, game: Game, *, now: int) -> bool:
    others = [seat for seat in await tx.seats.of_game(game.id) if seat.user_id not in (None, game.host_id)]
    if any(seat.word is not None and not seat.word_agreed for seat in others):
        return False
    return not may_be_rated(game) or not any([await _is_unready(tx, seat.user_id or 0, now=now) for seat in others])


async def _is_unready(tx: Transaction, user_id: int, *, now: int) -> bool:
    return (
        await _barred_until(tx, user_id, now=now) > now
        or len(await tx.games.awaiting_first_orders(user_id)) >= MAX_WAITING
    )


async def refuse_barred(
    tx: Transaction, captains: Iterable[tuple[int | None, str]], asking_user_id: int, *, now: int
) -> None:
    """Raise `Refusal` if somebody of these, by user id and name, may not play a rated game.

    It names them, unless they ask themselves.
    """
    for user_id, name in captains:
        until = await _barred_until(tx, user_id, now=now)
        if until > now and user_id == asking_user_id:
            raise Refusal("abandoning", most=MAX_ABANDONED, when=until)
        if until > now:
            raise Refusal("barred_captain", name=name, most=MAX_ABANDONED, when=until)


async def refuse_barred_in_lobby(tx: Transaction, seated_game: SeatedGame, asking_user_id: int, *, now: int) -> None:
    """Raise `Refusal` if a captain of a lobby that is to be rated may not play a rated game."""
    captains = [(seat.user_id, seated_game.name_of(seat.user_id, "")) for seat in seated_game.seats]
    await refuse_barred(tx, captains, asking_user_id, now=now)


async def refuse_unready(tx: Transaction, seated_game: SeatedGame, *, now: int) -> None:
    """Raise `Refusal` if a captain of a rated lobby is barred, or other games wait for their first orders."""
    host_id = seated_game.game.host_id
    await refuse_barred_in_lobby(tx, seated_game, host_id, now=now)
    for seat in seated_game.seats:
        waiting = await tx.games.awaiting_first_orders(seat.user_id or 0)
        if seat.user_id == host_id:
            _refuse_waiting(waiting)
        if len(waiting) >= MAX_WAITING:
            raise Refusal("captain_waits", name=seated_game.name_of(seat.user_id, ""), most=MAX_WAITING)


async def _barred_until(tx: Transaction, user_id: int | None, *, now: int) -> int:
    """Return until when (Unix seconds) a user may not play rated games; 0 if nothing bars them.

    Each time that is the second (`MAX_ABANDONED`) within `BARRED_S`, or while the user is barred, adds `BARRED_S`.
    """
    abandoned = [] if user_id is None else await tallies.still_counted(tx, ABANDONED, user_id, now=now)
    until = 0
    times = [tally.at for tally in abandoned]
    for earlier, later in zip(times, times[MAX_ABANDONED - 1 :], strict=False):
        if later < max(until, earlier + BARRED_S):
            until = max(until, later) + BARRED_S
    return until
