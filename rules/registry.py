"""The one place that knows every game by name."""

from __future__ import annotations

from typing import Any

from rules.matchbox.ruleset import Matchbox
from rules.protocol import Ruleset

RULESETS: dict[str, Ruleset[Any, Any]] = {ruleset.name: ruleset for ruleset in (Matchbox(),)}
"""Every game that can be played, by the name used on disk and in chat."""
