"""Rate limits, and Cloudflare in front of Discord."""

from __future__ import annotations

from typing import Final

from bot.sandbox.strict.rule import rule
from bot.sandbox.strict.state import State, named
from bot.sandbox.strict.values import Call, Group, Refusal, limited

OLD_S: Final = 3600.0
"""From this age on a message's edits are limited."""
_INVALID = frozenset((401, 403, 429))
_RENAME_HEADERS = (5, 4)
"""Those of the whole route: a rename is a limit within it (discord/discord-api-docs#1900)."""


def _of_gateway(call: Call) -> bool:
    return call.method in {"IDENTIFY", "RESUME", "PRESS"}


def _is_interaction_route(call: Call) -> bool:
    return call.parts[0] in {"interactions", "webhooks"}


def route(call: Call) -> str:
    """Return the bucket of a call: method, path without ids but that of channel, server or webhook."""
    major, *rest = call.parts
    kept = [*rest[:1], *("{}" if part.isdecimal() else part for part in rest[1:])]
    return "/".join([call.method, major, *kept])


@rule(
    "Cloudflare block",
    Group.LIMITS,
    "docs: topics/opcodes-and-status-codes#json (40333); discord/discord-api-docs#6473",
)
def cloudflare_block(call: Call, state: State) -> Refusal | None:
    """Cloudflare blocks an address or user agent, in JSON."""
    if state.cloudflare != 40333 or _of_gateway(call):
        return None
    return Refusal(status=403, code=40333, message="internal network error")


@rule("Cloudflare 1020", Group.LIMITS, "discord/discord-api-docs#2802")
def cloudflare_denied(call: Call, state: State) -> Refusal | None:
    """Cloudflare's firewall denies access, as plain text."""
    if state.cloudflare != 1020 or _of_gateway(call):
        return None
    return Refusal(status=403, message="error code: 1020", plain_text=True)


@rule(
    "Cloudflare 1015",
    Group.LIMITS,
    "docs: topics/rate-limits#invalid-request-limit-aka-cloudflare-bans; discord/discord-api-docs#5385",
)
def cloudflare_banned(call: Call, state: State) -> Refusal | None:
    """Cloudflare bans an address after 10,000 invalid requests in ten minutes, as plain text."""
    banned = state.cloudflare == 1015 or state.wait("invalid", state.rates.invalid) is not None
    if not banned or _of_gateway(call):
        return None
    return Refusal(status=429, message="error code: 1015", headers={"Retry-After": "3600"}, plain_text=True)


@rule("global limit", Group.LIMITS, "docs: topics/rate-limits#global-rate-limit")
def global_limit(call: Call, state: State) -> Refusal | None:
    """A bot makes at most 50 requests a second, not counting answers to interactions."""
    if _of_gateway(call) or _is_interaction_route(call) or state.rates.requests_per_s is None:
        return None
    wait = state.wait("requests", (state.rates.requests_per_s, 1.0))
    return None if wait is None else limited(wait, scope="global")


@rule("route limit", Group.LIMITS, "docs: topics/rate-limits#header-format")
def route_limit(call: Call, state: State) -> Refusal | None:
    """Each route has a limit for each channel, server or webhook, which its headers tell."""
    if _of_gateway(call):
        return None
    wait = state.wait(route(call), state.rates.route)
    if wait is None or state.rates.route is None:
        return None
    return limited(wait, limit=(state.rates.route[0], 0), bucket=f"{hash(call.method) & 0xFFFF:x}")


@rule("renames", Group.LIMITS, "discord/discord-api-docs#1900; discordjs/discord.js#6651 (threads)")
def renames(call: Call, state: State) -> Refusal | None:
    """A channel or thread is renamed at most twice in ten minutes."""
    if not is_rename(call):
        return None
    wait = state.wait(("renames", call.parts[1]), state.rates.renames)
    return None if wait is None else limited(wait, limit=_RENAME_HEADERS, bucket="9852e1a5")


@rule(
    "edits of old messages",
    Group.LIMITS,
    "docs: topics/opcodes-and-status-codes#json (30046); discord-userdoccers/discord-userdoccers#551;"
    " HTTP 429: aikaterna/aikaterna-cogs#302",
)
def old_edits(call: Call, state: State) -> Refusal | None:
    """Messages older than an hour are edited at most three times in six seconds in one channel."""
    if not is_old_edit(call, state):
        return None
    wait = state.wait(("old edits", call.parts[1]), state.rates.old_edits)
    if wait is None:
        return None
    text = "Maximum number of edits to messages older than 1 hour reached. Try again later"
    retry = state.rates.old_edit_retry_s
    return limited(wait if isinstance(retry, str) else retry, scope="shared", json_code=30046, message=text)


def is_rename(call: Call) -> bool:
    """Return whether a call renames a channel or thread."""
    return call.method == "PATCH" and call.parts[0] == "channels" and len(call.parts) == 2 and bool(named(call.body))


def is_old_edit(call: Call, state: State) -> bool:
    """Return whether a call edits a message older than an hour through its channel."""
    if not call.is_edit or call.parts[0] != "channels":
        return False
    edited = state.edited(call)
    return edited is not None and state.now - edited.sent_at > OLD_S


def count(call: Call, state: State) -> None:
    """Count an accepted call against the limits."""
    if _of_gateway(call):
        return
    if not _is_interaction_route(call) and state.rates.requests_per_s is not None:
        state.note("requests")
    if state.rates.route is not None:
        state.note(route(call))
    if is_rename(call):
        state.note(("renames", call.parts[1]))
    if is_old_edit(call, state):
        state.note(("old edits", call.parts[1]))


def count_refused(refusal: Refusal, state: State) -> None:
    """Count a refusal towards Cloudflare's ban."""
    if refusal.status in _INVALID and refusal.headers.get("X-RateLimit-Scope") != "shared":
        state.note("invalid")


RULES = (
    cloudflare_block,
    cloudflare_denied,
    cloudflare_banned,
    global_limit,
    route_limit,
    renames,
    old_edits,
)
