"""First games between people: unrated, with hints, unless the host chooses otherwise.

A newcomer is a person who has finished fewer than three games of a kind. A host's own choice stays when others join or
leave.
"""

from __future__ import annotations

from typing import Final

from bot.store.queries.transaction import Transaction

GAMES_AS_NEWCOMER: Final = 3
_CHOSEN_FACT_PREFIX: Final = "rating_chosen."


async def is_newcomer(tx: Transaction, user_id: int, system: str) -> bool:
    finished = [row for row in await tx.ratings.of_user(user_id) if row.system == system]
    return len(finished) < GAMES_AS_NEWCOMER


async def note_choice(tx: Transaction, game_id: int) -> None:
    """Note that the host has chosen whether a game is rated."""
    await tx.facts.store(f"{_CHOSEN_FACT_PREFIX}{game_id}", "yes")


async def judge_lobby(tx: Transaction, game_id: int) -> None:
    """Make a lobby unrated while a newcomer has a seat in it, else rated, unless its host has chosen.

    Call it whenever somebody sits down or leaves, or the kind of game changes.
    """
    game = await tx.games.find_for_update(game_id)
    if game is None or await tx.facts.find(f"{_CHOSEN_FACT_PREFIX}{game_id}") is not None:
        return
    users = [seat.user_id or seat.kept_for for seat in await tx.seats.of_game(game_id)]
    has_newcomer = any([await is_newcomer(tx, user_id, game.system) for user_id in users if user_id is not None])
    if game.rated == has_newcomer:
        await tx.games.change(game_id, rated=not has_newcomer)


async def forget_game(tx: Transaction, game_id: int) -> None:
    await tx.facts.delete([f"{_CHOSEN_FACT_PREFIX}{game_id}"])
