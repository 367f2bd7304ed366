"""The one place that knows every game by name."""

from __future__ import annotations

import re
from typing import Any

from rules import forts, matchbox, ramspeed, squadrons
from rules.ruleset import Ruleset

RULESETS: dict[str, Ruleset[Any]] = {
    game.name: game
    for game in (
        matchbox.GAME,
        forts.GAME,
        ramspeed.GAME,
        squadrons.GAME,
    )
}
"""Every game that can be played, by the name used on disk and in chat."""

FIRST = next(iter(RULESETS))
"""The game that is meant where none is named."""


def add(game: Ruleset[Any]) -> None:
    """Let a game from elsewhere be played. Raises `ValueError` if its name is taken or is no name."""
    if not re.fullmatch("[a-z][a-z0-9_]{0,39}", game.name):
        raise ValueError(f"{game.name!r} is no name of a game: small letters, digits and underscores, at most 40")
    if game.name in RULESETS:
        raise ValueError(f"there is a game called {game.name} already")
    RULESETS[game.name] = game
