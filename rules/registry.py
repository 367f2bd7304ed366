"""The one place that knows every game by name."""

from __future__ import annotations

from typing import Any

from rules import forts, matchbox
from rules.ruleset import Ruleset

RULESETS: dict[str, Ruleset[Any]] = {
    game.name: game
    for game in (
        matchbox.GAME,
        forts.GAME,
    )
}
"""Every game that can be played, by the name used on disk and in chat."""

FIRST = next(iter(RULESETS))
"""The game that is meant where none is named."""
