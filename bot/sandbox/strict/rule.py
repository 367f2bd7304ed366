from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from msgspec import Struct, structs

from bot.sandbox.strict.state import ServerState
from bot.sandbox.strict.values import AlteredAnswer, ApiCall, DiscordError, RuleGroup

DecisionT = TypeVar("DecisionT", DiscordError, AlteredAnswer)


class Rule(Struct, frozen=True):
    """A condition under which Discord refuses a call or carries it out differently, and the source for it."""

    name: str
    group: RuleGroup
    source: str  # where Discord's documentation or others describe it
    decide_call: Callable[[ApiCall, ServerState], DiscordError | AlteredAnswer | None]  # None: the rule does not apply


def make_rule(
    name: str, group: RuleGroup, source: str
) -> Callable[[Callable[[ApiCall, ServerState], DiscordError | AlteredAnswer | None]], Rule]:
    return lambda decide: Rule(name, group, source, decide)


def with_rule_name(outcome: DecisionT, rule: Rule) -> DecisionT:
    return structs.replace(outcome, rule=rule.name)
