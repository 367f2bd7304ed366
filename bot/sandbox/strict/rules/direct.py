"""Rules for direct messages."""

from __future__ import annotations

from collections.abc import Mapping

from bot.sandbox.strict.rule import make_rule
from bot.sandbox.strict.state import ServerState, channel_of_call
from bot.sandbox.strict.values import ApiCall, DiscordError, RuleGroup

_DOCS = "docs: topics/opcodes-and-status-codes#json"


def dm_recipient(call: ApiCall) -> int | None:
    """Return the recipient of a call that opens a direct message channel, else None."""
    match call.method, call.parts:
        case "POST", ["users", "@me", "channels"] if isinstance(call.body, Mapping):
            return int(call.body["recipient_id"])
    return None


def _recipient(call: ApiCall, state: ServerState) -> int | None:
    """Return the recipient of a call that sends a direct message, else None."""
    channel = channel_of_call(call, state) if call.channel_of_new_message is not None else None
    return channel.recipient if channel else None


@make_rule("closed direct messages", RuleGroup.DIRECT, f"{_DOCS} (50007)")
def closed_dms(call: ApiCall, state: ServerState) -> DiscordError | None:
    """Refuse messages to users who accept none; opening the channel is accepted."""
    if _recipient(call, state) not in state.closed_dms:
        return None
    return DiscordError(status=403, code=50007, message="Cannot send messages to this user")


@make_rule("no common server", RuleGroup.DIRECT, f"{_DOCS} (50278)")
def no_common_server(call: ApiCall, state: ServerState) -> DiscordError | None:
    """Refuse messages to users who share no server with the bot."""
    if _recipient(call, state) not in state.strangers:
        return None
    text = "Cannot send messages to this user due to having no mutual guilds"
    return DiscordError(status=403, code=50278, message=text)


@make_rule("quarantine", RuleGroup.DIRECT, "discord/discord-api-docs#2669, #5987; at opening: Dragory/modmailbot#490")
def quarantined_bot(call: ApiCall, state: ServerState) -> DiscordError | None:
    """Refuse new direct message channels to a bot that was flagged for spam."""
    user = dm_recipient(call)
    if user is None or not state.quarantined or state.has_dm_channel(user):
        return None
    text = "Your bot has been flagged by our anti-spam system for abusive behavior."
    return DiscordError(status=403, code=20026, message=text)


@make_rule(
    "opened too fast",
    RuleGroup.DIRECT,
    f"{_DOCS} (40003); HTTP 403: davidhozic/discord-advertisement-framework#82",
)
def opened_too_fast(call: ApiCall, state: ServerState) -> DiscordError | None:
    """Refuse to open direct messages with new users too fast."""
    user = dm_recipient(call)
    if user is None or state.has_dm_channel(user) or state.seconds_to_wait("dm opens", state.rates.dm_opens) is None:
        return None
    return DiscordError(status=403, code=40003, message="You are opening direct messages too fast.")


def count_opened(call: ApiCall, state: ServerState) -> None:
    user = dm_recipient(call)
    if user is not None and state.rates.dm_opens is not None and not state.has_dm_channel(user):
        state.count_call("dm opens")


RULES = (closed_dms, no_common_server, quarantined_bot, opened_too_fast)
