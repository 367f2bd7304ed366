"""Define the job that composes the chronicle of a finished game."""

from __future__ import annotations

from collections.abc import Sequence

from bot.jobs.stored import read_events, read_state
from rules.core.registry import RULESETS
from rules.interface.chronicle import Chronicle


def compose_chronicle(system: str, first: str, last: str, rounds: Sequence[tuple[int, Sequence[str]]]) -> Chronicle:
    """Return the chronicle of a finished game from its first and last state and the events of each round's steps."""
    rules = RULESETS[system]
    events_by_round = [(number, read_events(rules, *events)) for number, events in rounds]
    return rules.compose_chronicle(read_state(rules, first), read_state(rules, last), events_by_round)
