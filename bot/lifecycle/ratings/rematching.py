"""Settings of a rematch: those of the finished game, until its host changes them."""

from __future__ import annotations

from msgspec import UNSET, structs

from bot.lifecycle.steps.early import was_opened_early
from bot.store.models.records import Game
from bot.store.queries.transaction import Transaction
from rules.core.protocol import OptionSpec, Setup
from rules.core.registry import RULESETS


def rematch_setup(game: Game) -> Setup:
    """Return a rematch's setup: the game's options, with new options and today's edition.

    Keepsakes are chosen again when the rematch begins.
    """
    options = OptionSpec.current_values(RULESETS[game.system].options, game.setup.options)
    return structs.replace(game.setup, keepsakes=UNSET, edition=UNSET, options=options)


async def is_unchanged_rematch(tx: Transaction, game: Game, rematch: Game) -> bool:
    """Return whether a rematch still has the settings of the game; the invitation says so."""
    return (
        _is_played_alike(game)
        and rematch.setup == rematch_setup(game)
        and rematch.pace == game.pace
        and rematch.early == await was_opened_early(tx, game)
    )


def _is_played_alike(game: Game) -> bool:
    was, today = game.setup, RULESETS[game.system].with_edition(rematch_setup(game))
    return today.edition == was.edition and all(today.options.get(key) == value for key, value in was.options.items())
