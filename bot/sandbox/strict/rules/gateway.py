"""Rules that close a gateway connection at IDENTIFY or RESUME.

A call's body is the payload, with the API version as `v`.
"""

from __future__ import annotations

from typing import Final

from bot.sandbox.strict.rule import make_rule
from bot.sandbox.strict.state import ServerState
from bot.sandbox.strict.values import AlteredAnswer, ApiCall, DiscordError, RuleGroup

GATEWAY_VERSION: Final = 10
MAX_GUILDS_PER_SHARD: Final = 2_500
KNOWN_INTENTS: Final = sum(1 << bit for bit in (*range(17), 20, 21, 24, 25))
"""Defined bits; 17 to 19, 22 and 23 are not."""
PRIVILEGED_INTENTS: Final = 1 << 1 | 1 << 8 | 1 << 15
"""GUILD_MEMBERS, GUILD_PRESENCES and MESSAGE_CONTENT."""
_CLOSE_CODES_DOCS = "docs: topics/opcodes-and-status-codes#gateway-gateway-close-event-codes"
_DOCS = "docs: events/gateway"


def _shard(call: ApiCall) -> tuple[int, int]:
    number, count = call.body.get("shard") or (0, 1)
    return int(number), int(count)


@make_rule("token", RuleGroup.GATEWAY, f"{_CLOSE_CODES_DOCS} (4004)")
def invalid_token(call: ApiCall, state: ServerState) -> DiscordError | None:
    """Refuse another token than the bot's."""
    if call.method not in {"IDENTIFY", "RESUME"} or not state.token or call.body.get("token") == state.token:
        return None
    return DiscordError(status=4004, message="Authentication failed.")


@make_rule("identifies a day", RuleGroup.GATEWAY, f"{_DOCS}#identifying (1000 a day, then the token is reset)")
def too_many_identifies(call: ApiCall, state: ServerState) -> DiscordError | None:
    """Refuse more than 1,000 IDENTIFYs in 24 hours: all sessions end and the token is reset."""
    if call.method != "IDENTIFY" or state.seconds_to_wait("identifies", state.rates.identifies) is None:
        return None
    return DiscordError(status=4004, message="Authentication failed.")


@make_rule(
    "identifies at once", RuleGroup.GATEWAY, f"{_DOCS}#rate-limiting, #session-start-limit-object (max_concurrency)"
)
def identifies_too_fast(call: ApiCall, state: ServerState) -> AlteredAnswer | None:
    """Answer an IDENTIFY within five seconds of the previous one with Invalid Session."""
    seconds = state.rates.identify_s
    if (
        call.method != "IDENTIFY"
        or seconds is None
        or state.seconds_to_wait("identifies at once", (1, seconds)) is None
    ):
        return None
    return AlteredAnswer(invalid_session=True)


@make_rule("shard", RuleGroup.GATEWAY, f"{_CLOSE_CODES_DOCS} (4010)")
def invalid_shard(call: ApiCall, _: ServerState) -> DiscordError | None:
    """Refuse a shard number that is not below the shard count."""
    if call.method != "IDENTIFY" or 0 <= _shard(call)[0] < _shard(call)[1]:
        return None
    return DiscordError(status=4010, message="Invalid shard.")


@make_rule("sharding required", RuleGroup.GATEWAY, f"{_CLOSE_CODES_DOCS} (4011); {_DOCS}#sharding (2500 guilds)")
def sharding_required(call: ApiCall, state: ServerState) -> DiscordError | None:
    """Refuse a shard with more than 2,500 servers."""
    if call.method != "IDENTIFY" or state.guilds <= MAX_GUILDS_PER_SHARD * _shard(call)[1]:
        return None
    return DiscordError(status=4011, message="Sharding required.")


@make_rule("API version", RuleGroup.GATEWAY, f"{_CLOSE_CODES_DOCS} (4012)")
def invalid_version(call: ApiCall, _: ServerState) -> DiscordError | None:
    """Refuse an unknown version of the gateway."""
    if call.method != "IDENTIFY" or int(call.body.get("v", GATEWAY_VERSION)) in {9, GATEWAY_VERSION}:
        return None
    return DiscordError(status=4012, message="Invalid API version.")


@make_rule("unknown intents", RuleGroup.GATEWAY, f"{_CLOSE_CODES_DOCS} (4013); {_DOCS}#list-of-intents")
def unknown_intents(call: ApiCall, _: ServerState) -> DiscordError | None:
    """Refuse undefined intent bits."""
    if call.method != "IDENTIFY" or not int(call.body.get("intents") or 0) & ~KNOWN_INTENTS:
        return None
    return DiscordError(status=4013, message="Invalid intent(s).")


@make_rule("disallowed intents", RuleGroup.GATEWAY, f"{_CLOSE_CODES_DOCS} (4014); {_DOCS}#privileged-intents")
def disallowed_intents(call: ApiCall, state: ServerState) -> DiscordError | None:
    """Refuse privileged intents that are not approved in the developer portal."""
    if (
        call.method != "IDENTIFY"
        or not int(call.body.get("intents") or 0) & PRIVILEGED_INTENTS & ~state.approved_intents
    ):
        return None
    return DiscordError(status=4014, message="Disallowed intent(s).")


@make_rule("resumed session", RuleGroup.GATEWAY, "docs: events/gateway-events#invalid-session; events/gateway#resuming")
def unknown_session(call: ApiCall, state: ServerState) -> AlteredAnswer | None:
    """Answer a RESUME of an ended session with Invalid Session, so that the client identifies again."""
    if call.method != "RESUME" or call.body.get("session_id") in state.sessions:
        return None
    return AlteredAnswer(invalid_session=True)


@make_rule("resumed sequence", RuleGroup.GATEWAY, f"{_CLOSE_CODES_DOCS} (4007)")
def invalid_sequence(call: ApiCall, state: ServerState) -> DiscordError | None:
    """Refuse to resume after a sequence number that was not sent yet."""
    last = state.sessions.get(str(call.body.get("session_id"))) if call.method == "RESUME" else None
    if last is None or int(call.body.get("seq") or 0) <= last:
        return None
    return DiscordError(status=4007, message="Invalid seq.")


def count_identify(call: ApiCall, state: ServerState) -> None:
    if call.method == "IDENTIFY":
        state.count_call("identifies")
        state.count_call("identifies at once")


RULES = (
    invalid_token,
    too_many_identifies,
    invalid_shard,
    sharding_required,
    invalid_version,
    unknown_intents,
    disallowed_intents,
    identifies_too_fast,
    unknown_session,
    invalid_sequence,
)
