"""Saves the sandbox's Discord to disk, because simcord keeps it only in memory."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import msgspec
import simcord
from simcord.backend import Backend
from simcord.backend.models import Channel, Guild, Message, User

from bot.sandbox import private
from bot.sandbox.known import all_channels, encode_json

SNAPSHOT_FILE = "discord.json"
FORMAT_VERSION = 1

_ADDRESS_PATTERN = re.compile(rb'https://cdn\.simcord\.invalid/attachments/\d+/\d+/[^"\\/]+')


class SnapshotError(Exception): ...


class FormatStamp(msgspec.Struct, frozen=True):
    format: int  # `FORMAT_VERSION` of the program that wrote it
    simcord: str  # version of the library


class WorldSnapshot(msgspec.Struct, frozen=True, kw_only=True):
    format: int  # `FORMAT_VERSION` of the program that wrote it
    simcord: str  # version of the library
    elapsed: float  # seconds of virtual time since simcord's epoch
    sequences: dict[int, int]  # number of ids given, by millisecond
    application: int  # id of the application
    bot: int  # user id of the bot
    users: list[User]
    guilds: list[Guild]
    channels: list[Channel]
    messages: list[Message]
    direct: dict[int, int]  # ids of direct message channels, by user id
    commands: list[tuple[int | None, dict[str, Any]]]
    """Slash commands with their guild, so that mentions of them keep their ids."""
    memory: dict[str, Any]  # the page's own data, such as what was read


def save_world(backend: Backend, folder: Path, memory: dict[str, Any]) -> None:
    """Write the world atomically to `folder`, and delete uploads that no message shows any more."""
    snapshot = WorldSnapshot(
        format=FORMAT_VERSION,
        simcord=simcord.__version__,
        elapsed=backend.clock.elapsed,
        sequences=private.snowflake_sequences(backend),
        application=backend.application_id,
        bot=backend.bot_user.id,
        users=list(backend.users.values()),
        guilds=list(backend.guilds.values()),
        channels=all_channels(backend),
        messages=[message for stored in backend.messages.values() for message in stored.values()],
        direct=backend.dm_channels,
        commands=[(scope, command) for scope, commands in backend.commands.items() for command in commands.values()],
        memory=memory,
    )
    text = encode_json(snapshot)
    shown_addresses = {address.decode() for address in _ADDRESS_PATTERN.findall(text)}
    _save_media(private.uploaded_files(backend), shown_addresses, folder / "media")
    new_file = folder / f"{SNAPSHOT_FILE}.new"
    new_file.write_bytes(text)
    new_file.replace(folder / SNAPSHOT_FILE)


def restore_world(backend: Backend, folder: Path) -> dict[str, Any] | None:
    """Fill a new backend from `folder` and return the page's data, or None if nothing was saved.

    Raises `SnapshotError` if the saved data cannot be read; the backend is then unchanged.
    """
    file = folder / SNAPSHOT_FILE
    if not file.exists():
        return None
    try:
        text = file.read_bytes()
        stamp = msgspec.json.decode(text, type=FormatStamp)
        if (stamp.format, stamp.simcord) != (FORMAT_VERSION, simcord.__version__):
            raise SnapshotError(f"{file}: written by format {stamp.format} with simcord {stamp.simcord}")
        snapshot = msgspec.json.decode(text, type=WorldSnapshot)
        addresses = {address.decode() for address in _ADDRESS_PATTERN.findall(text)}
        media = {address: _media_path(folder / "media", address).read_bytes() for address in addresses}
    except (OSError, msgspec.DecodeError) as error:
        raise SnapshotError(f"{file}: {error}") from error
    _fill_backend(backend, snapshot)
    private.uploaded_files(backend).update(media)
    return snapshot.memory


def _fill_backend(backend: Backend, snapshot: WorldSnapshot) -> None:
    backend.clock.elapsed = snapshot.elapsed
    private.snowflake_sequences(backend).update(snapshot.sequences)
    backend.application_id = snapshot.application
    backend.users = {user.id: user for user in snapshot.users}
    backend.bot_user = backend.users[snapshot.bot]
    backend.guilds = {guild.id: guild for guild in snapshot.guilds}
    backend.channels = {channel.id: channel for channel in snapshot.channels}
    backend.messages = {channel.id: {} for channel in snapshot.channels}
    for message in snapshot.messages:
        backend.messages[message.channel_id][message.id] = message
    backend.dm_channels = dict(snapshot.direct)
    for scope, command in snapshot.commands:
        backend.commands.setdefault(scope, {})[(command["name"], command["type"])] = command


def _save_media(blobs: dict[str, bytes], shown_addresses: set[str], folder: Path) -> None:
    """Write uploads to files, and delete files and `blobs` that are not shown any more."""
    folder.mkdir(parents=True, exist_ok=True)
    for address in blobs.keys() - shown_addresses:
        del blobs[address]
    blobs_by_path = {_media_path(folder, address): blob for address, blob in blobs.items()}
    for path in set(folder.iterdir()) - set(blobs_by_path):
        path.unlink()
    for path, blob in blobs_by_path.items():
        if not path.exists():
            new_file = path.with_suffix(".new")
            new_file.write_bytes(blob)
            new_file.rename(path)


def _media_path(folder: Path, address: str) -> Path:
    return folder / address.split("/")[-2]
