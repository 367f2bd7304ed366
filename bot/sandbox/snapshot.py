"""Keeps the sandbox's Discord on disk: simcord has it only in memory, and games must outlive the sandbox."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import msgspec
import simcord

from bot.sandbox import private
from bot.sandbox.private import Backend, Channel, Guild, Message, User

SNAPSHOT_FILE = "discord.json"
"""The file, next to a folder `media` with uploads."""
FORMAT_VERSION = 1
"""Increased whenever older files can no longer be read."""

_ADDRESS_PATTERN = re.compile(rb'https://cdn\.simcord\.invalid/attachments/\d+/\d+/[^"\\/]+')


class SnapshotError(Exception):
    """The saved Discord cannot be read."""


class FormatStamp(msgspec.Struct, frozen=True):
    """The part of a file that is read first: its format."""

    format: int
    simcord: str


class WorldSnapshot(msgspec.Struct, frozen=True, kw_only=True):
    """Everything worth keeping of a simcord world."""

    format: int
    simcord: str
    elapsed: float
    """Seconds of virtual time since simcord's epoch."""
    sequences: dict[int, int]
    application: int
    bot: int
    users: list[User]
    guilds: list[Guild]
    channels: list[Channel]
    messages: list[Message]
    direct: dict[int, int]
    """The DM channel of each user."""
    commands: list[tuple[int | None, dict[str, Any]]]
    """Slash commands with the guild they belong to, so that mentions of them keep their ids."""
    memory: dict[str, Any]
    """The page's own memory, such as what was read."""


def save_world(backend: Backend, folder: Path, memory: dict[str, Any]) -> None:
    """Write the world to `folder`, all or nothing; uploads that no message shows any more are dropped."""
    snapshot = WorldSnapshot(
        format=FORMAT_VERSION,
        simcord=simcord.__version__,
        elapsed=backend.clock.elapsed,
        sequences=private.snowflake_sequences(backend),
        application=backend.application_id,
        bot=backend.bot_user.id,
        users=list(backend.users.values()),
        guilds=list(backend.guilds.values()),
        channels=private.all_channels(backend),
        messages=[message for stored in backend.messages.values() for message in stored.values()],
        direct=backend.dm_channels,
        commands=[(scope, command) for scope, known in backend.commands.items() for command in known.values()],
        memory=memory,
    )
    text = private.encode_json(snapshot)
    _save_media(
        private.uploaded_files(backend),
        {address.decode() for address in _ADDRESS_PATTERN.findall(text)},
        folder / "media",
    )
    fresh = folder / f"{SNAPSHOT_FILE}.new"
    fresh.write_bytes(text)
    fresh.replace(folder / SNAPSHOT_FILE)


def restore_world(backend: Backend, folder: Path) -> dict[str, Any] | None:
    """Fill a new backend from `folder` and return the page's memory, or None if nothing was saved there.

    Raises `SnapshotError` if what was saved cannot be read; the backend is then untouched.
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
    private.set_clock(backend, snapshot.elapsed)
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


def _save_media(blobs: dict[str, bytes], shown: set[str], folder: Path) -> None:
    """Make the folder hold exactly the files that are shown; each is written once, because uploads never change."""
    folder.mkdir(parents=True, exist_ok=True)
    for address in [address for address in blobs if address not in shown]:
        del blobs[address]
    wanted = {_media_path(folder, address): blob for address, blob in blobs.items()}
    for path in set(folder.iterdir()) - set(wanted):
        path.unlink()
    for path, blob in wanted.items():
        if not path.exists():
            fresh = path.with_suffix(".new")
            fresh.write_bytes(blob)
            fresh.rename(path)


def _media_path(folder: Path, address: str) -> Path:
    """Return where a file is kept: by its upload's id, the last but one part of its address."""
    return folder / address.split("/")[-2]
