"""The one place that knows every game by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rules.forts.case import adjudicate as adjudicate_forts
from rules.forts.game import Forts
from rules.matchbox.game import Matchbox
from rules.matchbox.table.case import adjudicate as adjudicate_matchbox
from rules.protocol import Ruleset

RULESETS: dict[str, Ruleset[Any, Any]] = {ruleset.name: ruleset for ruleset in (Matchbox(), Forts())}
"""Every game that can be played, by the name used on disk and in chat."""

FIRST = next(iter(RULESETS))
"""The game that is meant where none is named."""

ADJUDICATORS: dict[str, Callable[[bytes], dict[str, Any]]] = {
    "matchbox": adjudicate_matchbox,
    "forts": adjudicate_forts,
}
"""What carries out a JSON case, by the game's name; raises `OrderError` naming the field or rule."""
