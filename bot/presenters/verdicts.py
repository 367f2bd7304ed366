"""Verdicts: the meaning of a battle for the game that it belongs to, in words of that game."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from msgspec import Struct, structs

from bot.jobs.play import BattleParent
from bot.lifecycle.steps.playing import SeatedGame, load_seated_game
from bot.presenters.source import GameSource
from bot.presenters.wording import game_localizer, game_title, thread_link
from bot.texts.i18n import Localizer
from bot.texts.style import Markup
from rules.core.view import Text


class ParentFacts(Struct, frozen=True, kw_only=True):
    seated_game: SeatedGame
    battle: BattleParent
    state: str = ""
    """Secret, for workers only: the last state of the parent game; empty if it was not read."""


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


async def read_running_parent(source: GameSource) -> ParentFacts | None:
    """Like `read_parent`, with the state of the parent game."""
    parent = await read_parent(source)
    if parent is None:
        return None
    step = await source.tx.steps.find(parent.seated_game.game.id, parent.seated_game.game.step_no)
    return structs.replace(parent, state=step.state) if step else None


def way_back_lines(localizer: Localizer, parent: ParentFacts | None) -> list[Markup]:
    """Return a link from a finished battle to the game that it belongs to; empty: it is no battle."""
    if parent is None:
        return []
    title, thread = game_title(localizer, parent.seated_game), thread_link(localizer, parent.seated_game.game)
    return [localizer.say("ending.battle_of", game=title, thread=thread)]


def verdict_lines(localizer: Localizer, parent: ParentFacts | None, verdict: Sequence[Text]) -> list[Markup]:
    """Return texts of the parent game in the reader's language; empty if there are none.

    Captains have the names of the battle (`localizer`): the parent game's seats may have changed hands since.
    """
    if parent is None or not verdict:
        return []
    parent_localizer = game_localizer(parent.seated_game, localizer.catalogue.language)
    battle = parent.battle.request.battle
    names = {
        parent_seat: localizer.names[seat]
        for seat, parent_seat in enumerate(battle.seats if battle else ())
        if seat in localizer.names
    }
    parent_localizer = replace(parent_localizer, names={**parent_localizer.names, **names})
    return [*map(parent_localizer.say_text, verdict)]
