"""Rules for threads and channels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from bot.sandbox.strict.rule import make_rule
from bot.sandbox.strict.state import ServerState, channel_of_call, name_in_body
from bot.sandbox.strict.values import AlteredAnswer, ApiCall, DiscordError, RuleGroup, ServerChannel

ANNOUNCEMENT_CHANNEL: Final = 5
ANNOUNCEMENT_THREAD: Final = 10
PRIVATE_THREAD: Final = 12
FORUM_TYPES: Final = frozenset((15, 16))
MAX_THREADS: Final = 1_000
_DOCS = "docs: topics/opcodes-and-status-codes#json"


def _starts_thread(call: ApiCall) -> bool:
    return call.method == "POST" and call.parts[0] == "channels" and call.parts[-1] == "threads"


def _changes_channel(call: ApiCall) -> bool:
    return call.method == "PATCH" and call.parts[0] == "channels" and len(call.parts) == 2


def _unarchives(call: ApiCall) -> bool:
    return _changes_channel(call) and isinstance(call.body, Mapping) and call.body.get("archived") is False


def _sends(call: ApiCall) -> bool:
    return call.channel_of_new_message is not None or call.token_of_followup is not None


@make_rule("archived thread", RuleGroup.THREADS, f"{_DOCS} (50083); docs: topics/threads#active-archived-threads")
def archived_thread(call: ApiCall, state: ServerState) -> DiscordError | None:
    """Refuse edits in an archived thread, and changes of the thread that do not un-archive it."""
    is_change = call.is_edit or (_changes_channel(call) and not _unarchives(call))
    channel = channel_of_call(call, state) if is_change else None
    if channel is None or not channel.archived:
        return None
    return DiscordError(status=400, code=50083, message="Thread is archived")


@make_rule("message to an archived thread", RuleGroup.THREADS, "docs: topics/threads#active-archived-threads")
def unarchived_by_message(call: ApiCall, state: ServerState) -> AlteredAnswer | None:
    """Un-archive a thread to which a message is sent, unless it is locked."""
    channel = channel_of_call(call, state) if _sends(call) else None
    return AlteredAnswer(unarchives=True) if channel and channel.archived and not channel.locked else None


@make_rule("locked thread", RuleGroup.THREADS, f"{_DOCS} (160005); docs: topics/threads#locked-threads")
def locked_thread(call: ApiCall, state: ServerState) -> DiscordError | None:
    """Refuse to write, edit, rename or un-archive in a locked thread without MANAGE_THREADS."""
    needs_open_thread = (
        _sends(call)
        or call.is_edit
        or (_changes_channel(call) and (bool(name_in_body(call.body)) or _unarchives(call)))
    )
    place = state.channel_of(call) if needs_open_thread else None
    channel = state.channel(place) if place is not None else None
    if place is None or channel is None or not channel.locked or state.manages_threads(place):
        return None
    return DiscordError(status=400, code=160005, message="Thread is locked")


@make_rule("press in an archived thread", RuleGroup.THREADS, "discord/discord-api-docs#8474")
def press_in_archived(call: ApiCall, state: ServerState) -> DiscordError | None:
    """Refuse a press in an archived thread by a user who may not un-archive it, as phones do before the press."""
    channel = channel_of_call(call, state) if call.method == "PRESS" else None
    if channel is None or not channel.archived or state.may_unarchive(int(call.parts[1]), int(call.body["user"])):
        return None
    return DiscordError(status=403, code=50013, message="Missing Permissions")


@make_rule("press un-archives", RuleGroup.THREADS, "discord/discord-api-docs#8474")
def press_unarchives(call: ApiCall, state: ServerState) -> AlteredAnswer | None:
    """Un-archive a thread before the bot receives a press, if the user may do that."""
    channel = channel_of_call(call, state) if call.method == "PRESS" else None
    return AlteredAnswer(unarchives=True) if channel and channel.archived else None


@make_rule("thread of a message", RuleGroup.THREADS, f"{_DOCS} (160004)")
def thread_exists(call: ApiCall, state: ServerState) -> DiscordError | None:
    """Refuse a second thread of a message."""
    match call.method, call.parts:
        case "POST", ["channels", place, "messages", number, "threads"]:
            channel = state.channel(int(place))
            if channel and int(number) in channel.has_thread:
                return DiscordError(
                    status=400, code=160004, message="A thread has already been created for this message"
                )
    return None


@make_rule("thread type in an announcement channel", RuleGroup.THREADS, "docs: topics/threads#public-private-threads")
def thread_type(call: ApiCall, state: ServerState) -> DiscordError | None:
    """Refuse threads that are no announcement threads in announcement channels, and announcement threads elsewhere."""
    if not _starts_thread(call) or "messages" in call.parts:
        return None  # a thread from a message gets its type from the channel
    channel = channel_of_call(call, state)
    kind = call.body.get("type", PRIVATE_THREAD) if isinstance(call.body, Mapping) else PRIVATE_THREAD
    if (
        channel is None
        or (channel.kind == ANNOUNCEMENT_CHANNEL) == (kind == ANNOUNCEMENT_THREAD)
        or channel.kind in FORUM_TYPES
    ):
        return None
    return DiscordError(status=400, code=50024, message="Cannot execute action on this channel type")


def _channel_of_new_thread(call: ApiCall, state: ServerState) -> ServerChannel | None:
    """Return the channel in which a call starts a thread, or the archived thread that it reopens; else None."""
    if _starts_thread(call):
        return channel_of_call(call, state)
    may_unarchive = _unarchives(call) or _sends(call)
    channel = channel_of_call(call, state) if may_unarchive else None
    return channel if channel and channel.archived else None


@make_rule("active threads", RuleGroup.THREADS, f"{_DOCS} (160006); docs: topics/threads#active-archived-threads")
def active_threads(call: ApiCall, state: ServerState) -> DiscordError | None:
    """Refuse one more active thread above a server's limit."""
    channel = _channel_of_new_thread(call, state)
    if channel is None or channel.guild is None:
        return None
    if state.active_threads(channel.guild) < state.max_threads.get(channel.guild, MAX_THREADS):
        return None
    return DiscordError(status=400, code=160006, message="Maximum number of active threads reached")


@make_rule("active announcement threads", RuleGroup.THREADS, f"{_DOCS} (160007)")
def active_announcement_threads(call: ApiCall, state: ServerState) -> DiscordError | None:
    """Refuse one more active announcement thread above a server's limit, which is smaller."""
    channel = _channel_of_new_thread(call, state)
    if channel is None or channel.guild is None or channel.kind not in {ANNOUNCEMENT_CHANNEL, ANNOUNCEMENT_THREAD}:
        return None
    max_threads = state.max_announcement_threads.get(channel.guild, MAX_THREADS)
    if state.active_threads(channel.guild, ANNOUNCEMENT_THREAD) < max_threads:
        return None
    return DiscordError(status=400, code=160007, message="Maximum number of active announcement threads reached")


def _has_name_with(call: ApiCall, words: set[str]) -> bool:
    """Return whether a call names a thread or channel with one of the words."""
    name = name_in_body(call.body).casefold() if _starts_thread(call) or _changes_channel(call) else ""
    return any(word.casefold() in name for word in words)


@make_rule("blocked title", RuleGroup.THREADS, f"{_DOCS} (200001)")
def blocked_title(call: ApiCall, state: ServerState) -> DiscordError | None:
    """Refuse thread titles with words that a server's automatic moderator blocks."""
    if not _has_name_with(call, state.blocked_words):
        return None
    return DiscordError(status=400, code=200001, message="Title was blocked by automatic moderation")


@make_rule("forbidden name", RuleGroup.THREADS, f"{_DOCS} (20031)")
def forbidden_name(call: ApiCall, state: ServerState) -> DiscordError | None:
    """Refuse names with words that Discord forbids."""
    if not _has_name_with(call, state.forbidden_words):
        return None
    text = "Your Stage topic, server name, server description, or channel names contain words that are not allowed"
    return DiscordError(status=400, code=20031, message=text)


@make_rule("uploads limited", RuleGroup.THREADS, f"{_DOCS} (400001)")
def uploads_limited(call: ApiCall, state: ServerState) -> DiscordError | None:
    """Refuse uploads in servers where Discord limits them."""
    channel = channel_of_call(call, state) if call.files else None
    if channel is None or channel.guild not in state.uploads_limited:
        return None
    return DiscordError(status=400, code=400001, message="Access to file uploads has been limited for this guild")


@make_rule("message to a forum", RuleGroup.THREADS, f"{_DOCS} (40058)")
def message_to_forum(call: ApiCall, state: ServerState) -> DiscordError | None:
    """Refuse messages in a forum, which contains only posts."""
    channel = channel_of_call(call, state) if call.channel_of_new_message is not None else None
    if channel is None or channel.kind not in FORUM_TYPES:
        return None
    return DiscordError(status=400, code=40058, message="Cannot send a message in a forum channel")


RULES = (
    archived_thread,
    locked_thread,
    unarchived_by_message,
    press_in_archived,
    press_unarchives,
    thread_exists,
    thread_type,
    active_threads,
    active_announcement_threads,
    blocked_title,
    forbidden_name,
    uploads_limited,
    message_to_forum,
)
