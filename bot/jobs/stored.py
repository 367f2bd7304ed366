"""Encode and decode stored states, events and answers as JSON."""

from __future__ import annotations

from typing import Any

import msgspec

from rules.core.protocol import Event
from rules.core.ruleset import Ruleset


def encode(value: object) -> str:
    return msgspec.json.encode(value).decode()


def read_state(rules: Ruleset[Any], state_json: str) -> Any:  # noqa: ANN401 - each game has its own state
    return msgspec.json.decode(state_json, type=rules.state_type)


def read_events(rules: Ruleset[Any], *bodies: str) -> tuple[Event, ...]:
    kind = tuple[rules.event_type, ...]  # type: ignore[name-defined]
    return tuple(event for state_json in bodies for event in msgspec.json.decode(state_json, type=kind))
