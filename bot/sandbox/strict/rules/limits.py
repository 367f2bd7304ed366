"""Rate limits, and Cloudflare's blocks."""

from __future__ import annotations

from typing import Final

from bot.sandbox.strict.rule import make_rule
from bot.sandbox.strict.state import ServerState, name_in_body
from bot.sandbox.strict.values import ApiCall, DiscordError, RuleGroup, rate_limited

OLD_MESSAGE_S: Final = 3600.0
_INVALID_STATUSES = frozenset((401, 403, 429))
_RENAME_HEADERS = (5, 4)  # allowed and remaining calls
"""Headers show the limit of the whole route; renames have a limit within it (discord/discord-api-docs#1900)."""


def _is_gateway_call(call: ApiCall) -> bool:
    return call.method in {"IDENTIFY", "RESUME", "PRESS"}


def _is_interaction_route(call: ApiCall) -> bool:
    return call.parts[0] in {"interactions", "webhooks"}


def rate_limit_bucket(call: ApiCall) -> str:
    """Return the bucket of a call: method and path, with no ids but that of channel, server or webhook."""
    kept_parts, other_parts = call.parts[:2], call.parts[2:]  # such as `channels` and the id of the channel
    pattern = ["{}" if part.isdecimal() else part for part in other_parts]
    return "/".join([call.method, *kept_parts, *pattern])


@make_rule(
    "Cloudflare block",
    RuleGroup.LIMITS,
    "docs: topics/opcodes-and-status-codes#json (40333); discord/discord-api-docs#6473",
)
def cloudflare_block(call: ApiCall, state: ServerState) -> DiscordError | None:
    """Refuse calls of an address or user agent that Cloudflare blocks, in JSON."""
    if state.cloudflare != 40333 or _is_gateway_call(call):
        return None
    return DiscordError(status=403, code=40333, message="internal network error")


@make_rule("Cloudflare 1020", RuleGroup.LIMITS, "discord/discord-api-docs#2802")
def cloudflare_denied(call: ApiCall, state: ServerState) -> DiscordError | None:
    """Refuse calls that Cloudflare's firewall denies, as plain text."""
    if state.cloudflare != 1020 or _is_gateway_call(call):
        return None
    return DiscordError(status=403, message="error code: 1020", plain_text=True)


@make_rule(
    "Cloudflare 1015",
    RuleGroup.LIMITS,
    "docs: topics/rate-limits#invalid-request-limit-aka-cloudflare-bans; discord/discord-api-docs#5385",
)
def cloudflare_banned(call: ApiCall, state: ServerState) -> DiscordError | None:
    """Refuse calls of an address with 10,000 invalid requests in ten minutes, as plain text."""
    banned = state.cloudflare == 1015 or state.seconds_to_wait("invalid", state.rates.invalid) is not None
    if not banned or _is_gateway_call(call):
        return None
    return DiscordError(status=429, message="error code: 1015", headers={"Retry-After": "3600"}, plain_text=True)


@make_rule("global limit", RuleGroup.LIMITS, "docs: topics/rate-limits#global-rate-limit")
def global_limit(call: ApiCall, state: ServerState) -> DiscordError | None:
    """Refuse more than 50 calls a second, not counting answers to interactions."""
    if _is_gateway_call(call) or _is_interaction_route(call) or state.rates.requests_per_s is None:
        return None
    wait = state.seconds_to_wait("requests", (state.rates.requests_per_s, 1.0))
    return None if wait is None else rate_limited(wait, scope="global")


@make_rule("route limit", RuleGroup.LIMITS, "docs: topics/rate-limits#header-format")
def route_limit(call: ApiCall, state: ServerState) -> DiscordError | None:
    """Refuse calls above a route's limit for each channel, server or webhook, with its headers."""
    if _is_gateway_call(call):
        return None
    wait = state.seconds_to_wait(rate_limit_bucket(call), state.rates.route)
    if wait is None or state.rates.route is None:
        return None
    return rate_limited(wait, limit=(state.rates.route[0], 0), bucket=f"{hash(call.method) & 0xFFFF:x}")


@make_rule("renames", RuleGroup.LIMITS, "discord/discord-api-docs#1900; discordjs/discord.js#6651 (threads)")
def rename_limit(call: ApiCall, state: ServerState) -> DiscordError | None:
    """Refuse to rename a channel or thread more than twice in ten minutes."""
    if not is_rename(call):
        return None
    wait = state.seconds_to_wait(("renames", call.parts[1]), state.rates.renames)
    return None if wait is None else rate_limited(wait, limit=_RENAME_HEADERS, bucket="9852e1a5")


@make_rule(
    "edits of old messages",
    RuleGroup.LIMITS,
    "docs: topics/opcodes-and-status-codes#json (30046); discord-userdoccers/discord-userdoccers#551;"
    " HTTP 429: aikaterna/aikaterna-cogs#302",
)
def old_edit_limit(call: ApiCall, state: ServerState) -> DiscordError | None:
    """Refuse more than three edits in six seconds, in one channel, of messages older than an hour."""
    if not is_old_edit(call, state):
        return None
    wait = state.seconds_to_wait(("old edits", call.parts[1]), state.rates.old_edits)
    if wait is None:
        return None
    text = "Maximum number of edits to messages older than 1 hour reached. Try again later"
    retry_s = state.rates.old_edit_retry_s
    return rate_limited(wait if isinstance(retry_s, str) else retry_s, scope="shared", json_code=30046, message=text)


def is_rename(call: ApiCall) -> bool:
    return (
        call.method == "PATCH"
        and call.parts[0] == "channels"
        and len(call.parts) == 2
        and bool(name_in_body(call.body))
    )


def is_old_edit(call: ApiCall, state: ServerState) -> bool:
    if not call.is_edit or call.parts[0] != "channels":
        return False
    edited = state.edited_message(call)
    return edited is not None and state.now - edited.sent_at > OLD_MESSAGE_S


def count_accepted(call: ApiCall, state: ServerState) -> None:
    if _is_gateway_call(call):
        return
    if not _is_interaction_route(call) and state.rates.requests_per_s is not None:
        state.count_call("requests")
    if state.rates.route is not None:
        state.count_call(rate_limit_bucket(call))
    if is_rename(call):
        state.count_call(("renames", call.parts[1]))
    if is_old_edit(call, state):
        state.count_call(("old edits", call.parts[1]))


def count_refused(refusal: DiscordError, state: ServerState) -> None:
    if refusal.status in _INVALID_STATUSES and refusal.headers.get("X-RateLimit-Scope") != "shared":
        state.count_call("invalid")


RULES = (
    cloudflare_block,
    cloudflare_denied,
    cloudflare_banned,
    global_limit,
    route_limit,
    rename_limit,
    old_edit_limit,
)
