"""A rule of the table."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from msgspec import Struct, structs

from bot.sandbox.strict.state import State
from bot.sandbox.strict.values import Answer, Call, Group, Refusal

Outcome = TypeVar("Outcome", Refusal, Answer)


class Rule(Struct, frozen=True):
    """One thing that Discord refuses or does otherwise, and where that is known from."""

    name: str
    group: Group
    source: str
    decide: Callable[[Call, State], Refusal | Answer | None]


def rule(name: str, group: Group, source: str) -> Callable[[Callable[[Call, State], Refusal | Answer | None]], Rule]:
    """Return a decorator that makes a function a rule."""
    return lambda decide: Rule(name, group, source, decide)


def replaced(outcome: Outcome, of: Rule) -> Outcome:
    """Return an outcome with the name of its rule."""
    return structs.replace(outcome, rule=of.name)
