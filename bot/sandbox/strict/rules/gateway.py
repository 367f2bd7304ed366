"""Connections: what closes them at IDENTIFY and RESUME. The body is the payload, with the API's version under `v`."""

from __future__ import annotations

from typing import Final

from bot.sandbox.strict.rule import rule
from bot.sandbox.strict.state import State
from bot.sandbox.strict.values import Answer, Call, Group, Refusal

VERSION: Final = 10
GUILDS_OF_SHARD: Final = 2_500
KNOWN_INTENTS: Final = sum(1 << bit for bit in (*range(17), 20, 21, 24, 25))
"""Bits that are defined; 17 to 19, 22 and 23 are not."""
PRIVILEGED: Final = 1 << 1 | 1 << 8 | 1 << 15
"""GUILD_MEMBERS, GUILD_PRESENCES and MESSAGE_CONTENT."""
_CLOSES = "docs: topics/opcodes-and-status-codes#gateway-gateway-close-event-codes"
_DOCS = "docs: events/gateway"


def _shard(call: Call) -> tuple[int, int]:
    number, count = call.body.get("shard") or (0, 1)
    return int(number), int(count)


@rule("token", Group.GATEWAY, f"{_CLOSES} (4004)")
def token(call: Call, state: State) -> Refusal | None:
    """The token is that of the bot."""
    if call.method not in {"IDENTIFY", "RESUME"} or not state.token or call.body.get("token") == state.token:
        return None
    return Refusal(status=4004, message="Authentication failed.")


@rule("identifies a day", Group.GATEWAY, f"{_DOCS}#identifying (1000 a day, then the token is reset)")
def identifies(call: Call, state: State) -> Refusal | None:
    """After 1,000 IDENTIFYs in 24 hours all sessions end and the token is reset."""
    if call.method != "IDENTIFY" or state.wait("identifies", state.rates.identifies) is None:
        return None
    return Refusal(status=4004, message="Authentication failed.")


@rule("identifies at once", Group.GATEWAY, f"{_DOCS}#rate-limiting, #session-start-limit-object (max_concurrency)")
def identifies_at_once(call: Call, state: State) -> Answer | None:
    """One IDENTIFY in five seconds; a further one gets Invalid Session."""
    seconds = state.rates.identify_s
    if call.method != "IDENTIFY" or seconds is None or state.wait("identifies at once", (1, seconds)) is None:
        return None
    return Answer(invalid_session=True)


@rule("shard", Group.GATEWAY, f"{_CLOSES} (4010)")
def shard(call: Call, _: State) -> Refusal | None:
    """A shard's number is less than their count."""
    if call.method != "IDENTIFY" or 0 <= _shard(call)[0] < _shard(call)[1]:
        return None
    return Refusal(status=4010, message="Invalid shard.")


@rule("sharding required", Group.GATEWAY, f"{_CLOSES} (4011); {_DOCS}#sharding (2500 guilds)")
def sharding_required(call: Call, state: State) -> Refusal | None:
    """A shard has at most 2,500 servers."""
    if call.method != "IDENTIFY" or state.guilds <= GUILDS_OF_SHARD * _shard(call)[1]:
        return None
    return Refusal(status=4011, message="Sharding required.")


@rule("API version", Group.GATEWAY, f"{_CLOSES} (4012)")
def version(call: Call, _: State) -> Refusal | None:
    """The gateway's version exists."""
    if call.method != "IDENTIFY" or int(call.body.get("v", VERSION)) in {9, VERSION}:
        return None
    return Refusal(status=4012, message="Invalid API version.")


@rule("unknown intents", Group.GATEWAY, f"{_CLOSES} (4013); {_DOCS}#list-of-intents")
def unknown_intents(call: Call, _: State) -> Refusal | None:
    """Intents are bits that exist."""
    if call.method != "IDENTIFY" or not int(call.body.get("intents") or 0) & ~KNOWN_INTENTS:
        return None
    return Refusal(status=4013, message="Invalid intent(s).")


@rule("disallowed intents", Group.GATEWAY, f"{_CLOSES} (4014); {_DOCS}#privileged-intents")
def disallowed_intents(call: Call, state: State) -> Refusal | None:
    """Privileged intents are approved in the developer portal first."""
    if call.method != "IDENTIFY" or not int(call.body.get("intents") or 0) & PRIVILEGED & ~state.approved_intents:
        return None
    return Refusal(status=4014, message="Disallowed intent(s).")


@rule("resumed session", Group.GATEWAY, "docs: events/gateway-events#invalid-session; events/gateway#resuming")
def unknown_session(call: Call, state: State) -> Answer | None:
    """A session that has ended is not resumed: opcode 9, and the client identifies again."""
    if call.method != "RESUME" or call.body.get("session_id") in state.sessions:
        return None
    return Answer(invalid_session=True)


@rule("resumed sequence", Group.GATEWAY, f"{_CLOSES} (4007)")
def resumed_sequence(call: Call, state: State) -> Refusal | None:
    """RESUME names no sequence number above the last one sent."""
    last = state.sessions.get(str(call.body.get("session_id"))) if call.method == "RESUME" else None
    if last is None or int(call.body.get("seq") or 0) <= last:
        return None
    return Refusal(status=4007, message="Invalid seq.")


def count(call: Call, state: State) -> None:
    """Count an accepted IDENTIFY."""
    if call.method == "IDENTIFY":
        state.note("identifies")
        state.note("identifies at once")


RULES = (
    token,
    identifies,
    shard,
    sharding_required,
    version,
    unknown_intents,
    disallowed_intents,
    identifies_at_once,
    unknown_session,
    resumed_sequence,
)
