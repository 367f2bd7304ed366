"""Settings of a rematch: those of the finished game, until its host changes them."""

from __future__ import annotations

from msgspec import UNSET, structs

from bot.lifecycle.steps.early import was_opened_early
from bot.store.models.records import Game
from bot.store.queries.transaction import Transaction
from rules.core.protocol import Setup
from rules.core.registry import RULESETS


def rematch_setup(game: Game) -> Setup:
    """Return a rematch's setup: the game's by today's edition, with new options.

    Keepsakes are chosen again when the rematch begins.
    """
    rules = RULESETS[game.system]
    setup = rules.with_edition(game.setup)
    options = {spec.key: spec.default for spec in rules.options} | setup.options
    return structs.replace(setup, keepsakes=UNSET, options=options)


async def is_unchanged_rematch(tx: Transaction, game: Game, rematch: Game) -> bool:
    """Return whether a rematch still has the settings of the game; the invitation says so."""
    return (
        _is_played_alike(game)
        and rematch.setup == rematch_setup(game)
        and rematch.pace == game.pace
        and rematch.is_match == (game.first_game_id is not None)
        and rematch.early == await was_opened_early(tx, game)
    )


def _is_played_alike(game: Game) -> bool:
    setup, new_setup = game.setup, rematch_setup(game)
    return new_setup.edition == setup.edition and all(
        new_setup.options.get(key) == value for key, value in setup.options.items()
    )
