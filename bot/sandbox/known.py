"""Read messages, channels and members from simcord's backend, for the page and the rules of `bot.sandbox.strict`."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import discord
import msgspec
from simcord import interactions
from simcord.backend import Backend
from simcord.backend.models import Channel, Message

from bot.sandbox.strict import RateLimits, ServerChannel, ServerInteraction, ServerMessage, ServerState
from bot.sandbox.strict.rules.interactions import TOKEN_LIFETIME_S
from bot.sandbox.strict.state import NONCES_KEPT_S

STILL_TIME_RATES = RateLimits(requests_per_s=None, old_edits=None)
"""Limits for a clock that stands still during an action, when many seconds of calls would count as one moment."""


class SimulatedState(ServerState):
    def __init__(self, backend: Backend) -> None:
        super().__init__(STILL_TIME_RATES)
        self._backend = backend
        self.nonces: dict[tuple[int, str], tuple[int, float]] = {}
        """Maps (channel, nonce) to the message that was created with it and when (Unix seconds)."""

    @property
    def now(self) -> float:
        return self._backend.clock.now().timestamp()

    def message(self, channel_id: int, message_id: int) -> ServerMessage | None:
        message = self._backend.messages.get(channel_id, {}).get(message_id)
        if message is None:
            return None
        files = {str(file["id"]): str(file["filename"]) for file in message.attachments}
        return ServerMessage(sent_at=_unix_time(message.timestamp), flags=message.flags, attachments=files)

    def channel(self, channel_id: int) -> ServerChannel | None:
        channel = self._backend.channels.get(channel_id)
        if channel is None:
            return None
        bot_id = self._backend.bot_user.id
        recipients = [user_id for user_id in channel.recipient_ids if user_id != bot_id]
        metadata, threads = channel.thread_metadata, self._backend.channels.values()
        return ServerChannel(
            kind=channel.type,
            guild=channel.guild_id,
            archived=metadata.archived if metadata else False,
            locked=metadata.locked if metadata else False,
            recipient=recipients[0] if recipients and channel.guild_id is None else None,
            has_thread=frozenset(thread.id for thread in threads if thread.parent_id == channel_id),
        )

    def interaction(self, token: str) -> ServerInteraction | None:
        interaction_id = self._backend.interaction_tokens.get(token)
        if interaction_id is None:
            return None
        record = self._backend.interactions[interaction_id]
        expires_at = _unix_time(record.expires_at) if record.expires_at else self.now + TOKEN_LIFETIME_S
        return ServerInteraction(
            created_at=expires_at - TOKEN_LIFETIME_S,
            channel=record.channel_id,
            acknowledged=record.responded,
            message=record.message_id,
            source=record.source_message_id,
            followups=len(record.followup_ids),
        )

    def active_threads(self, guild: int, kind: int | None = None) -> int:
        """Return the number of a server's threads that are not archived; with `kind`, only those of one type."""
        channels = [channel for channel in self._backend.channels.values() if channel.guild_id == guild]
        active = [channel for channel in channels if channel.thread_metadata and not channel.thread_metadata.archived]
        return sum(kind in {None, thread.type} for thread in active)

    def may_unarchive(self, thread_id: int, user: int) -> bool:
        """Return whether a user is a member of the thread (mentions add members), or manages threads."""
        thread = self._backend.channels[thread_id]
        if user in {*thread.thread_members, thread.owner_id} or self._may_manage(thread_id, user):
            return True
        messages = self._backend.messages.get(thread_id, {}).values()
        return any(f"<@{user}>" in f"{message.content} {message.components}" for message in messages)

    def manages_threads(self, channel_id: int) -> bool:  # noqa: ARG002 - nowhere
        """Return False, because the invitation does not ask for this permission, although simcord grants all."""
        return False

    def has_dm_channel(self, user: int) -> bool:
        return user in self._backend.dm_channels

    def command_names(self, guild: int | None) -> frozenset[tuple[str, int]]:
        return frozenset(self._backend.commands.get(guild, ()))

    def message_of_nonce(self, channel_id: int, nonce: str) -> int | None:
        message_id, created_at = self.nonces.get((channel_id, nonce), (0, 0.0))
        exists = message_id in self._backend.messages.get(channel_id, {})
        is_nonce_kept = self.now - created_at < NONCES_KEPT_S
        return message_id if exists and is_nonce_kept else None

    def _may_manage(self, thread_id: int, user: int) -> bool:
        guild = self._backend.channels[thread_id].guild_id
        if guild is None or user not in self._backend.guilds[guild].members:
            return False
        return discord.Permissions(self._backend.compute_permissions(guild, user, thread_id)).manage_threads


def _unix_time(iso: str) -> float:
    return datetime.fromisoformat(iso).timestamp()


CHAT_INPUT_COMMAND = 1
"""Discord's number for commands that are typed after `/`."""


def all_channels(backend: Backend) -> list[Channel]:
    """Return all channels, threads and DMs, oldest first."""
    return sorted(backend.channels.values(), key=lambda channel: channel.id)


def visible_messages(backend: Backend, channel_id: int, user_id: int) -> list[Message]:
    """Return the messages that this user sees in a channel, oldest first."""
    stored = backend.messages.get(channel_id, {})
    return [stored[key] for key in sorted(stored) if stored[key].visible_to(user_id)]


def encode_json(value: object) -> bytes:
    """Return what simcord keeps as JSON; it keeps texts as the bot sent them, including subclasses of str."""
    return msgspec.json.encode(value, enc_hook=_to_builtins)


def _to_builtins(value: object) -> str:
    if isinstance(value, str):
        return str.__str__(value)
    raise NotImplementedError(type(value))


def available_commands(backend: Backend, channel_id: int, user_id: int) -> list[tuple[str, list[dict[str, Any]]]]:
    """Return what this user may type after `/` here: each command's full name, with its groups and itself."""
    commands = []
    for root in backend.visible_commands(user_id=user_id, channel_id=channel_id):
        if root.get("type", CHAT_INPUT_COMMAND) != CHAT_INPUT_COMMAND:
            continue  # it is in the menu of a person or a message
        for path, _leaf in interactions.command_leaves(root):
            groups_and_command = [root]
            for name in path[1:]:
                options = groups_and_command[-1]["options"]
                groups_and_command.append(next(option for option in options if option["name"] == name))
            commands.append((" ".join(path), groups_and_command))
    return commands
