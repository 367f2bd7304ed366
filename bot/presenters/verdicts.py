"""Verdicts: the meaning of an undecided battle for the game that it belongs to, in words of that game."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from bot.jobs.play import BattleParent
from bot.lifecycle.steps.playing import SeatedGame, load_seated_game
from bot.presenters.source import GameSource
from bot.presenters.wording import game_localizer
from bot.texts.i18n import Localizer
from bot.texts.style import Markup
from rules.core.view import Text


class ParentFacts(Struct, frozen=True, kw_only=True):
    seated_game: SeatedGame
    battle: BattleParent


async def read_parent(source: GameSource) -> ParentFacts | None:
    """Read the game that a battle belongs to; None if the game is no battle."""
    game = source.game
    if game.parent_id is None:
        return None
    row = await source.tx.requests.find(game.parent_id, game.parent_request or "")
    if row is None:
        return None
    parent = await load_seated_game(source.tx, game.parent_id)
    return ParentFacts(seated_game=parent, battle=BattleParent(parent.game.system, row.body))


def verdict_lines(localizer: Localizer, parent: ParentFacts | None, verdict: Sequence[Text]) -> list[Markup]:
    """Return the verdict's headline and reasons in the reader's language; empty: there is none."""
    if parent is None or not verdict:
        return []
    parent_localizer = game_localizer(parent.seated_game, localizer.catalogue.language)
    return [*map(parent_localizer.say_text, verdict)]
