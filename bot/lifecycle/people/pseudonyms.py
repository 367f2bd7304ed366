"""Keep forgotten captains from changing sides, by numbers that stand for them while their games go on.

The number is the same in both games of a match, and in a season and its battles. It is kept until all of them are over,
because captains of one are players of the others.
"""

from __future__ import annotations

import hmac

from bot.store.models.personal import NOBODY_ID
from bot.store.models.records import Game
from bot.store.queries.transaction import Transaction


def pseudonym(secret: str, user_id: int) -> int:
    """Return the number that stands for a forgotten user, which keeps them from joining another side.

    It is negative, unlike Discord's ids. Nobody can compute it without the games' `secret` (hex).
    """
    return -int.from_bytes(hmac.digest(bytes.fromhex(secret), str(user_id).encode(), "sha256")[:7], "big")


async def secret_of_family(tx: Transaction, game: Game) -> str:
    """Return what the numbers are made of (hex) in a game and in all that are linked to it.

    In a match it is the second game's seed, which becomes public only when that ends.
    """
    root = await _season_of(tx, game)
    return root.second_seed or root.seed


async def secret_while_played(tx: Transaction, game: Game) -> str | None:
    """Return what the numbers are made of; None if neither the game nor another linked to it goes on."""
    root = await _season_of(tx, game)
    last = (await tx.games.second_game_of(root.id) if root.is_match else None) or root
    return await secret_of_family(tx, root) if last.is_in_progress else None


async def erase_once_over(tx: Transaction, game: Game) -> None:
    """Erase all numbers of a finished game and of those linked to it, unless one of these goes on."""
    if await secret_while_played(tx, game) is not None:
        return
    root = await _season_of(tx, game)
    for game_id in (root.id, root.first_game_id):
        if game_id is not None:
            for played in (game_id, *(battle.id for battle in await tx.games.battles_of(game_id))):
                await tx.captaincies.forget_pseudonyms(played, NOBODY_ID)


async def _season_of(tx: Transaction, game: Game) -> Game:
    """Return the game to which a battle belongs; any other game itself."""
    while game.parent_id is not None:
        parent = await tx.games.find_without_lock(game.parent_id)
        assert parent is not None  # noqa: S101 - it is deleted with its battles
        game = parent
    return game
