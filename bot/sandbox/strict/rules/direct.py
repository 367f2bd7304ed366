"""Direct messages: closed, without a common server, opened too fast, in quarantine."""

from __future__ import annotations

from collections.abc import Mapping

from bot.sandbox.strict.rule import rule
from bot.sandbox.strict.state import State, locate
from bot.sandbox.strict.values import Call, Group, Refusal

_DOCS = "docs: topics/opcodes-and-status-codes#json"


def dm_recipient(call: Call) -> int | None:
    """Return the user who is met by a call that opens direct messages."""
    match call.method, call.parts:
        case "POST", ["users", "@me", "channels"] if isinstance(call.body, Mapping):
            return int(call.body["recipient_id"])
    return None


def _written_to(call: Call, state: State) -> int | None:
    channel = locate(call, state) if call.place_of_new is not None else None
    return channel.recipient if channel else None


@rule("closed direct messages", Group.DIRECT, f"{_DOCS} (50007)")
def closed(call: Call, state: State) -> Refusal | None:
    """Somebody accepts no direct messages; opening the channel works."""
    if _written_to(call, state) not in state.closed_dms:
        return None
    return Refusal(status=403, code=50007, message="Cannot send messages to this user")


@rule("no common server", Group.DIRECT, f"{_DOCS} (50278)")
def no_common_server(call: Call, state: State) -> Refusal | None:
    """Somebody shares no server with the bot any more."""
    if _written_to(call, state) not in state.strangers:
        return None
    text = "Cannot send messages to this user due to having no mutual guilds"
    return Refusal(status=403, code=50278, message=text)


@rule("quarantine", Group.DIRECT, "discord/discord-api-docs#2669, #5987; at opening: Dragory/modmailbot#490")
def quarantine(call: Call, state: State) -> Refusal | None:
    """A bot that was flagged for spam opens no new direct message channels."""
    user = dm_recipient(call)
    if user is None or not state.quarantined or state.has_dm_channel(user):
        return None
    text = "Your bot has been flagged by our anti-spam system for abusive behavior."
    return Refusal(status=403, code=20026, message=text)


@rule(
    "opened too fast",
    Group.DIRECT,
    f"{_DOCS} (40003); HTTP 403: davidhozic/discord-advertisement-framework#82",
)
def opened_too_fast(call: Call, state: State) -> Refusal | None:
    """Direct messages with new people are opened too fast."""
    user = dm_recipient(call)
    if user is None or state.has_dm_channel(user) or state.wait("dm opens", state.rates.dm_opens) is None:
        return None
    return Refusal(status=403, code=40003, message="You are opening direct messages too fast.")


def count(call: Call, state: State) -> None:
    """Count an accepted call that opens direct messages with somebody new."""
    user = dm_recipient(call)
    if user is not None and state.rates.dm_opens is not None and not state.has_dm_channel(user):
        state.note("dm opens")


RULES = (closed, no_common_server, quarantine, opened_too_fast)
