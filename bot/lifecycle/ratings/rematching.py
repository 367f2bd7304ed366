"""Settings of a rematch: those of the finished game, until its host changes them."""

from __future__ import annotations

from msgspec import UNSET, structs

from bot.jobs import stored
from bot.lifecycle.steps.early import was_opened_early
from bot.store.models.records import Game
from bot.store.queries.transaction import Transaction
from rules.core.protocol import Setup
from rules.core.registry import RULESETS


async def rematch_setup(tx: Transaction, game: Game) -> Setup:
    """Return a rematch's setup: the game's by today's edition, with new options, and with the lots that it drew.

    So captains who exchange seats exchange sides. Keepsakes are chosen again when the rematch begins.
    """
    rules = RULESETS[game.system]
    setup = rules.with_edition(game.setup)
    options = {spec.key: spec.default for spec in rules.options} | setup.options
    start = await tx.steps.find(game.id, 0)
    start_events = stored.read_events(rules, start.events) if start else ()
    lots = rules.lots_of(game.setup, start_events)
    return structs.replace(setup, keepsakes=UNSET, match_game=UNSET, options=options, lots=lots or UNSET)


async def is_unchanged_rematch(tx: Transaction, game: Game, rematch: Game) -> bool:
    """Return whether a rematch still has the settings of the game; the invitation says so."""
    return (
        _is_played_alike(game.setup, rematch.setup)
        and rematch.setup == await rematch_setup(tx, game)
        and rematch.pace == game.pace
        and rematch.is_match == (game.first_game_id is not None)
        and rematch.early == await was_opened_early(tx, game)
    )


def _is_played_alike(setup: Setup, new_setup: Setup) -> bool:
    return new_setup.edition == setup.edition and all(
        new_setup.options.get(key) == value for key, value in setup.options.items()
    )
