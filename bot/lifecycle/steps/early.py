"""When a round ends before its deadline."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from msgspec import structs

from bot.lifecycle.steps.playing import SeatedGame
from bot.store.models.records import Game, RequestRow
from bot.store.queries.transaction import Transaction
from rules.core.registry import RULESETS

_EARLY_FACT_PREFIX: Final = "hurried."
"""What is remembered of a game that goes on early only because one person plays it."""


def resolves_early(rows: Iterable[RequestRow], *, early: bool) -> bool:
    """Whether a round ends as soon as all have sealed: not while a battle goes on, from which they may learn."""
    return early and not any(row.body.battle for row in rows if row.body.optional)


def is_solo_lobby(playing: SeatedGame) -> bool:
    """Whether a lobby's host plays against the computer alone, so far, a game whose rounds usually wait for their hour.

    They wait so that nobody gains by being quick. The computer doesn't, so such a game goes on early from its start.
    """
    people = sum(seat.user_id is not None for seat in playing.seats)
    return people == 1 and not RULESETS[playing.game.system].resolves_early


async def resolve_early_while_solo(tx: Transaction, game: Game) -> Game:
    """From now on a game goes on as soon as all have sealed, until a second person plays; the game as it is then."""
    if game.early:
        return game
    await tx.games.change(game.id, early=True)
    await tx.facts.store(f"{_EARLY_FACT_PREFIX}{game.id}", "yes")
    return structs.replace(game, early=True)


async def restore_round_length(tx: Transaction, game: Game) -> None:
    """A second person has come: rounds wait for their hour, as they would have from the start."""
    if await tx.facts.find(f"{_EARLY_FACT_PREFIX}{game.id}") is not None:
        await tx.games.change(game.id, early=False)
        await tx.facts.delete([f"{_EARLY_FACT_PREFIX}{game.id}"])


async def forget(tx: Transaction, game_id: int) -> None:
    """Remember nothing more of a game that is deleted."""
    await tx.facts.delete([f"{_EARLY_FACT_PREFIX}{game_id}"])


async def was_opened_early(tx: Transaction, game: Game) -> bool:
    """Whether a game was opened to go on as soon as all have sealed, no matter who plays."""
    return game.early and await tx.facts.find(f"{_EARLY_FACT_PREFIX}{game.id}") is None
