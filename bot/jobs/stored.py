"""Reads and writes what the store keeps of a game, as JSON."""

from __future__ import annotations

from typing import Any

import msgspec

from rules.core.protocol import Event
from rules.core.ruleset import Ruleset


def encode(value: object) -> str:
    """Return a state, a list of events or an answer as JSON."""
    return msgspec.json.encode(value).decode()


def read_state(rules: Ruleset[Any], body: str) -> Any:  # noqa: ANN401 - each game has its own state
    """Return a stored state."""
    return msgspec.json.decode(body, type=rules.state_type)


def read_events(rules: Ruleset[Any], *bodies: str) -> tuple[Event, ...]:
    """Return the stored events of one or more steps."""
    kind = tuple[rules.event_type, ...]  # type: ignore[name-defined]
    return tuple(event for body in bodies for event in msgspec.json.decode(body, type=kind))
