"""What a rematch is: the same settings, until its host chooses others."""

from __future__ import annotations

from msgspec import UNSET, structs

from bot.lifecycle.steps.early import was_opened_early
from bot.store.models.records import Game
from bot.store.queries.transaction import Transaction
from rules.core.protocol import OptionSpec, Setup
from rules.core.registry import RULESETS


def rematch_setup(game: Game) -> Setup:
    """How a game's rematch is played: as any game opened today, with options that have come since, and today's prices.

    What captains keep from game to game is brought again when it begins.
    """
    options = OptionSpec.current_values(RULESETS[game.system].options, game.setup.options)
    return structs.replace(game.setup, keepsakes=UNSET, edition=UNSET, options=options)


async def is_unchanged_rematch(tx: Transaction, game: Game, again: Game) -> bool:
    """Whether a game's rematch is still played as the game was; who is asked for it reads whether that is so."""
    return (
        _is_played_alike(game)
        and again.setup == rematch_setup(game)
        and again.pace == game.pace
        and again.early == await was_opened_early(tx, game)
    )


def _is_played_alike(game: Game) -> bool:
    """Whether nothing of what was chosen in it, nor its edition, is another today."""
    was, today = game.setup, RULESETS[game.system].with_edition(rematch_setup(game))
    return today.edition == was.edition and all(today.options.get(key) == value for key, value in was.options.items())
