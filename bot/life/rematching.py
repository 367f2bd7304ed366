"""What a rematch is: the same settings, until its host chooses others."""

from __future__ import annotations

from msgspec import UNSET, structs

from bot.life.early import opened_early
from bot.store.queries import Transaction
from bot.store.records import Game
from rules.protocol import Setup
from rules.registry import RULESETS


def setup_of(game: Game) -> Setup:
    """How a game's rematch is played. An option that has come since is at its default, as in any game opened today.

    What captains keep from game to game is brought again when it begins.
    """
    usual = {spec.key: spec.default for spec in RULESETS[game.system].options}
    return structs.replace(game.setup, keepsakes=UNSET, options={**usual, **game.setup.options})


async def is_as_promised(tx: Transaction, game: Game, again: Game) -> bool:
    """Whether a game's rematch is still played as the game was; who is asked for it reads whether that is so."""
    return again.setup == setup_of(game) and again.pace == game.pace and again.early == await opened_early(tx, game)
