"""Dice that a captain throws away after others have added words to them.

A user who knows the seed then knows the dice, and could call off lobby after lobby, or give up game after game before
ordering anything, until the dice suit. After a few of these the user opens, joins and begins no rated game for a day,
nor takes over a seat in one. Later lobbies and threads say how many there were.

A lobby that a manager ends is mentioned too, because the host could have asked the manager. It bars nobody: a manager
could otherwise bar any host.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from bot.errors import Refusal
from bot.lifecycle.people import tallies
from bot.lifecycle.steps.playing import SeatedGame
from bot.store.queries.tallies import Tally
from bot.store.queries.transaction import Transaction

ABANDONED: Final = "abandoned"  # kind of the log entry and of the tally
ENDED_FOR_HOST: Final = "ended"  # kind of the tally of a lobby that a manager ended
MAX_ABANDONED: Final = (
    2  # lobbies or games within `BARRED_S` of each other after which a user is barred from rated games
)
BARRED_S: Final = 86_400
REMEMBERED_S: Final = 30 * 86_400  # how long lobbies and threads mention it


def has_words_of_others(seated_game: SeatedGame, user_id: int) -> bool:
    return any(seat.word is not None and seat.user_id != user_id for seat in seated_game.seats)


async def note_abandoned(tx: Transaction, seated_game: SeatedGame, user_id: int, *, now: int) -> None:
    """Log that a user throws away the dice of a lobby, unless nobody else has added a word to them."""
    if has_words_of_others(seated_game, user_id):
        await tx.audit_log.add_for_game(seated_game.game, ABANDONED, now=now, user_id=user_id)
        await tallies.count(tx, ABANDONED, user_id, now=now, until=now + REMEMBERED_S)


async def note_ended_for_host(tx: Transaction, seated_game: SeatedGame, *, now: int) -> None:
    """Count a lobby that a manager ends, so that the host's next lobbies mention it."""
    host_id = seated_game.game.host_id
    if has_words_of_others(seated_game, host_id):
        await tallies.count(tx, ENDED_FOR_HOST, host_id, now=now, until=now + REMEMBERED_S)


async def admit_user(tx: Transaction, user_id: int, *, rated: bool, opens: bool = False, now: int) -> int:
    """Return how often a user has thrown dice away lately, counting lobbies that managers ended.

    Raises `Refusal` if the user may not take part in a rated game.

    A lobby with words that its host could start counts as abandoned if they open another instead.
    """
    abandoned = await tallies.still_counted(tx, ABANDONED, user_id, now=now)
    if rated and (until := _barred_until(abandoned)) > now:
        raise Refusal("abandoning", most=MAX_ABANDONED, when=until)
    if rated and opens:
        waiting = [f"#{game_id}" for game_id in await tx.games.startable_with_words(user_id)]
        if len(waiting) >= MAX_ABANDONED:
            raise Refusal("start_first", games=", ".join(waiting))
    return len(abandoned) + len(await tallies.still_counted(tx, ENDED_FOR_HOST, user_id, now=now))


async def refuse_barred(
    tx: Transaction, captains: Iterable[tuple[int | None, str]], asking_user_id: int, *, now: int
) -> None:
    """Raise `Refusal` if somebody of these, by user id and name, may not play a rated game.

    It names them, unless they ask themselves.
    """
    for user_id, name in captains:
        abandoned = await tallies.still_counted(tx, ABANDONED, user_id, now=now) if user_id is not None else []
        until = _barred_until(abandoned)
        if until > now and user_id == asking_user_id:
            raise Refusal("abandoning", most=MAX_ABANDONED, when=until)
        if until > now:
            raise Refusal("barred_captain", name=name, most=MAX_ABANDONED, when=until)


async def refuse_barred_in_lobby(tx: Transaction, seated_game: SeatedGame, asking_user_id: int, *, now: int) -> None:
    """Raise `Refusal` if a captain of a lobby that is to be rated may not play a rated game."""
    captains = [(seat.user_id, seated_game.name_of(seat.user_id, "")) for seat in seated_game.seats]
    await refuse_barred(tx, captains, asking_user_id, now=now)


def _barred_until(abandoned: Sequence[Tally]) -> int:
    """Return until when (Unix seconds) a user may not play rated games; 0 if nothing bars them."""
    times = [tally.at for tally in abandoned[-MAX_ABANDONED:]]
    if len(times) < MAX_ABANDONED or times[-1] - times[0] >= BARRED_S:
        return 0
    return times[-1] + BARRED_S
