"""The table of rules, in the order in which Discord decides: Cloudflare, limits, then what is asked."""

from __future__ import annotations

from typing import Any, Final

from bot.sandbox.strict.rule import Rule, replaced
from bot.sandbox.strict.rules import commands, direct, gateway, interactions, limits, messages, threads
from bot.sandbox.strict.state import State
from bot.sandbox.strict.values import Answer, Call, Refusal

RULES: Final[tuple[Rule, ...]] = (
    *limits.RULES,
    *gateway.RULES,
    *interactions.RULES,
    *direct.RULES,
    *threads.RULES,
    *messages.RULES,
    *commands.RULES,
)


def refusal(method: str, path: str, body: Any, state: State) -> Refusal | None:  # noqa: ANN401 - any JSON
    """Return Discord's refusal of a call, or None if it is accepted.

    `path` has no API prefix, such as `/channels/1/messages`; `body` is JSON, with uploaded files
    under `FILES`. Changes nothing.
    """
    return refusal_of(Call(method, path, body), state)


def answer(method: str, path: str, body: Any, state: State) -> Answer | None:  # noqa: ANN401 - any JSON
    """Return how Discord carries out an accepted call, or None if it does what the call says."""
    return answer_of(Call(method, path, body), state)


def refusal_of(call: Call, state: State) -> Refusal | None:
    """Like `refusal`."""
    for rule in RULES:
        if isinstance(found := rule.decide(call, state), Refusal):
            return replaced(found, rule)
    return None


def answer_of(call: Call, state: State) -> Answer | None:
    """Like `answer`."""
    for rule in RULES:
        if isinstance(found := rule.decide(call, state), Answer):
            return replaced(found, rule)
    return None


def count(call: Call, state: State) -> None:
    """Count an accepted call against the limits of all rules."""
    for module in (limits, direct, commands, gateway):
        module.count(call, state)
