"""The job that makes a chronicle of a finished game, out of what is stored of it."""

from __future__ import annotations

from collections.abc import Sequence

from bot.jobs.stored import read_events, read_state
from rules.core.registry import RULESETS
from rules.interface.chronicle import Chronicle


def compose_chronicle(system: str, first: str, last: str, rounds: Sequence[tuple[int, Sequence[str]]]) -> Chronicle:
    """A finished game as a story, by its first and last state, and the events of each step of its rounds."""
    rules = RULESETS[system]
    told = [(number, read_events(rules, *events)) for number, events in rounds]
    return rules.compose_chronicle(read_state(rules, first), read_state(rules, last), told)
