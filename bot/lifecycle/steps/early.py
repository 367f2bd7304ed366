"""Decide when a round ends before its deadline."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from msgspec import structs

from bot.lifecycle.steps.playing import SeatedGame
from bot.store.models.records import Game, RequestRow
from bot.store.queries.transaction import Transaction
from rules.core.registry import RULESETS

_EARLY_FACT_PREFIX: Final = "hurried."


def resolves_early(rows: Iterable[RequestRow], *, early: bool) -> bool:
    """Return whether a round ends once all have sealed. It does not during a battle, whose result may inform them."""
    return early and not any(row.body.battle for row in rows if row.body.optional)


def is_solo_lobby(seated_game: SeatedGame) -> bool:
    """Return whether only the host and computers sit in the lobby of a game whose rounds normally wait for their hour.

    Rounds wait so that nobody gains by being quick. Against computers there is no need to.
    """
    person_count = sum(seat.user_id is not None for seat in seated_game.seats)
    return person_count == 1 and not RULESETS[seated_game.game.system].resolves_early


async def resolve_early_while_solo(tx: Transaction, game: Game) -> Game:
    """Resolve rounds early until a second person plays. Return the changed game."""
    if game.early:
        return game
    await tx.games.change(game.id, early=True)
    await tx.facts.store(f"{_EARLY_FACT_PREFIX}{game.id}", "yes")
    return structs.replace(game, early=True)


async def restore_round_length(tx: Transaction, game: Game) -> None:
    if await tx.facts.find(f"{_EARLY_FACT_PREFIX}{game.id}") is not None:
        await tx.games.change(game.id, early=False)
        await tx.facts.delete([f"{_EARLY_FACT_PREFIX}{game.id}"])


async def forget(tx: Transaction, game_id: int) -> None:
    await tx.facts.delete([f"{_EARLY_FACT_PREFIX}{game_id}"])


async def was_opened_early(tx: Transaction, game: Game) -> bool:
    return game.early and await tx.facts.find(f"{_EARLY_FACT_PREFIX}{game.id}") is None
