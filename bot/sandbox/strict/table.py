"""The table of rules, in the order in which Discord decides: Cloudflare, rate limits, then the content of the call."""

from __future__ import annotations

from typing import Any, Final

from bot.sandbox.strict.rule import Rule, with_rule_name
from bot.sandbox.strict.rules import commands, direct, gateway, interactions, limits, messages, threads
from bot.sandbox.strict.state import ServerState
from bot.sandbox.strict.values import AlteredAnswer, ApiCall, DiscordError

RULES: Final[tuple[Rule, ...]] = (
    *limits.RULES,
    *gateway.RULES,
    *interactions.RULES,
    *direct.RULES,
    *threads.RULES,
    *messages.RULES,
    *commands.RULES,
)


def find_error(method: str, path: str, body: Any, state: ServerState) -> DiscordError | None:  # noqa: ANN401 - any JSON
    """Return Discord's refusal of a call, or None if it is accepted.

    `path` has no API prefix, such as `/channels/1/messages`; `body` is JSON, with uploads under `FILES_KEY`.
    """
    return find_error_of_call(ApiCall(method, path, body), state)


def find_answer(method: str, path: str, body: Any, state: ServerState) -> AlteredAnswer | None:  # noqa: ANN401 - any JSON
    """Return how Discord carries out an accepted call differently, or None if it does what the call says."""
    return find_answer_of_call(ApiCall(method, path, body), state)


def find_error_of_call(call: ApiCall, state: ServerState) -> DiscordError | None:
    for rule in RULES:
        if isinstance(outcome := rule.decide_call(call, state), DiscordError):
            return with_rule_name(outcome, rule)
    return None


def find_answer_of_call(call: ApiCall, state: ServerState) -> AlteredAnswer | None:
    for rule in RULES:
        if isinstance(outcome := rule.decide_call(call, state), AlteredAnswer):
            return with_rule_name(outcome, rule)
    return None


def count_call(call: ApiCall, state: ServerState) -> None:
    for count in (limits.count_accepted, direct.count_opened, commands.count_creations, gateway.count_identify):
        count(call, state)
