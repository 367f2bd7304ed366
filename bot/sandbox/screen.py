"""The page's content for one player: channels with unread marks, and the messages of the open one."""

from __future__ import annotations

import re
import zlib
from typing import Any, Final

from msgspec import Struct
from simcord.backend import serializers
from simcord.backend.access import channel_accessible

from bot.sandbox.known import all_channels, available_commands, encode_json, visible_messages
from bot.sandbox.world import SandboxWorld

MAX_MESSAGES = 300
_THREAD_TYPES = (10, 11, 12)
_DM_TYPE = 1
_EPHEMERAL_FLAG = 1 << 6
_LOADING_FLAG = 1 << 7
_PANEL_BUTTON_PATTERN: Final = re.compile(rb'"custom_id":"wg/[a-z_]+/[1-9][0-9]*/[0-9.~]+/[a-z0-9_-]+[.]')
"""A button of a panel, whose custom id contains the id of a request, such as `r1.orders.0`."""


def draw_screen(world: SandboxWorld, player: int, channel: int) -> dict[str, Any]:
    """Return the page's content as JSON, and mark the open channel as read.

    The open channel is `visible_channel` of `channel`.
    """
    backend = world.env.backend
    channel = visible_channel(world, player, channel)
    messages = _messages_json(world, channel, player)
    world.read_marks[f"{player}/{channel}"] = _content_mark(messages)
    return {
        "version": world.version,
        "now": world.env.now().timestamp(),
        "me": str(player),
        "channel": str(channel),
        "players": [_player_json(world, player_id) for player_id in world.players],
        "bot": str(backend.bot_user.id),
        "channels": [_channel_json(world, channel_id, player) for channel_id in _visible_channels(world, player)],
        "messages": messages,
        "users": {str(user.id): user.global_name or user.name for user in backend.users.values()},
        "names": {str(place.id): place.name for place in all_channels(backend) if place.name},
    }


class PlayerScreenState(Struct, frozen=True):
    has_read_dms: bool  # whether all direct messages are marked as read
    private_mark: int  # content mark of the panels that only this player sees in the open channel


def screen_state(world: SandboxWorld, player: int, channel: int) -> PlayerScreenState:
    has_read_dms = not _has_unread(world, world.env.backend.dm_channels[player], player)
    return PlayerScreenState(has_read_dms, _content_mark(_open_panels(world, channel, player)))


def note_action(world: SandboxWorld, player: int, channel: int, before: PlayerScreenState) -> None:
    """Mark a player's direct messages as read if their action changed a panel here, which shows the same news."""
    panels = _open_panels(world, channel, player)
    has_panel_changed = bool(panels) and _content_mark(panels) != before.private_mark
    if before.has_read_dms and has_panel_changed:
        dm_channel = world.env.backend.dm_channels[player]
        world.read_marks[f"{player}/{dm_channel}"] = _content_mark(_messages_json(world, dm_channel, player))


def _open_panels(world: SandboxWorld, channel: int, player: int) -> list[dict[str, Any]]:
    """Return the panels in a channel that only this player sees."""
    return [
        message
        for message in _messages_json(world, channel, player)
        if message["ephemeral"] and _PANEL_BUTTON_PATTERN.search(encode_json(message))
    ]


def visible_channel(world: SandboxWorld, player: int, channel: int) -> int:
    """Return the channel if the player can see it, else the common channel."""
    return channel if channel in _visible_channels(world, player) else world.channel_id


def _visible_channels(world: SandboxWorld, player: int) -> list[int]:
    backend = world.env.backend
    return [
        channel.id for channel in all_channels(backend) if channel_accessible(backend, channel.id, player, history=True)
    ]


def offered_commands(world: SandboxWorld, player: int, channel: int, language: str) -> list[dict[str, Any]]:
    commands = available_commands(world.env.backend, visible_channel(world, player, channel), player)
    return [
        {
            "name": name,
            "label": " ".join(_localized_text(part, "name", language) for part in parts),
            "description": _localized_text(parts[-1], "description", language),
            "options": [_option_json(option, language) for option in parts[-1].get("options") or []],
        }
        for name, parts in commands  # a command's groups, then itself
    ]


def _option_json(option: dict[str, Any], language: str) -> dict[str, Any]:
    keys = ("name", "type", "required", "autocomplete", "min_value", "max_value", "max_length")
    choices = [
        {"name": _localized_text(choice, "name", language), "value": str(choice["value"])}
        for choice in option.get("choices") or []
    ]
    texts = {
        "label": _localized_text(option, "name", language),
        "description": _localized_text(option, "description", language),
    }
    return {key: option[key] for key in keys if key in option} | texts | {"choices": choices}


def _localized_text(thing: dict[str, Any], key: str, language: str) -> str:
    return str((thing.get(f"{key}_localizations") or {}).get(language) or thing.get(key) or "")


def _player_json(world: SandboxWorld, player: int) -> dict[str, Any]:
    user = world.env.backend.get_user(player)
    dm_channel = world.env.backend.dm_channels[player]
    return {
        "id": str(player),
        "name": user.global_name or user.name,
        "dm": str(dm_channel),
        "unread": _has_unread(world, dm_channel, player),
    }


def _channel_json(world: SandboxWorld, channel_id: int, player: int) -> dict[str, Any]:
    channel = world.env.backend.get_channel(channel_id)
    kind_in_server = "thread" if channel.type in _THREAD_TYPES else "text"
    kind = "dm" if channel.type == _DM_TYPE else kind_in_server
    metadata = channel.thread_metadata
    is_closed = metadata is not None and (metadata.archived or metadata.locked)
    return {
        "id": str(channel_id),
        "name": channel.name or "",
        "kind": kind,
        "over": is_closed,
        "unread": _has_unread(world, channel_id, player),
    }


def _has_unread(world: SandboxWorld, channel: int, player: int) -> bool:
    return world.read_marks.get(f"{player}/{channel}", 0) != _content_mark(_messages_json(world, channel, player))


def _messages_json(world: SandboxWorld, channel: int, player: int) -> list[dict[str, Any]]:
    backend = world.env.backend
    messages = [
        message for message in visible_messages(backend, channel, player) if message.id not in world.dismissed_messages
    ]
    return [
        dict(serializers.message_payload(backend, message))
        | {"ephemeral": bool(message.flags & _EPHEMERAL_FLAG), "loading": bool(message.flags & _LOADING_FLAG)}
        | ({"thread": str(message.id)} if message.id in backend.channels else {})
        for message in messages[-MAX_MESSAGES:]
    ]


def _content_mark(messages: list[dict[str, Any]]) -> int:
    """Return a checksum of visible messages; 0 for none."""
    return zlib.crc32(encode_json(messages)) if messages else 0
