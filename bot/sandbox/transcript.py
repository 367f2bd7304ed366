"""Writes a sandbox's public messages as Markdown with pictures, and its REST calls."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from simcord.backend import serializers

from bot.sandbox import private
from bot.sandbox.known import all_channels, encode_json, visible_messages
from bot.sandbox.world import SandboxWorld

_TEXT_TYPE, _GALLERY_TYPE, _BUTTON_TYPE = 10, 12, 2
_TIME_PATTERN = re.compile(r"<t:(\d+)(?::\w)?>")
_USER_PATTERN = re.compile(r"<@!?(\d+)>")
_CHANNEL_PATTERN = re.compile(r"<#(\d+)>")
_COMMAND_PATTERN = re.compile(r"</([^:>]+):\d+>")


def write_transcript(world: SandboxWorld, folder: Path, reader: int) -> None:
    """Write `transcript.md` and its pictures: every channel as `reader` sees it, without direct messages."""
    lines: list[str] = []
    picture_count = 0
    for channel in all_channels(world.env.backend):
        messages = visible_messages(world.env.backend, channel.id, reader)
        if channel.guild_id is None or not messages:
            continue
        lines += [f"# {channel.name}", ""]
        for message in messages:
            data: dict[str, Any] = dict(serializers.message_payload(world.env.backend, message))
            lines += [f"**{data['author']['global_name']}** · {_format_time(data['timestamp'])}", ""]
            for part in _message_parts(data):
                if isinstance(part, str):
                    lines += [_plain_text(world, part), ""]
                    continue
                url, description = part
                picture_count += 1
                name = f"{picture_count:03d}.{url.rpartition('.')[2]}"
                (folder / name).write_bytes(private.uploaded_files(world.env.backend)[url])
                lines += [f"![{' '.join(description.split())}]({name})", ""]
    (folder / "transcript.md").write_text("\n".join(lines), encoding="utf-8")


def write_wire(world: SandboxWorld, file: Path) -> None:
    with file.open("wb") as out:
        for call in world.env.http_requests:
            entry = {"method": call.method, "path": call.path, "json": call.json}
            out.write(encode_json(entry) + b"\n")


def _message_parts(data: dict[str, Any]) -> Iterator[str | tuple[str, str]]:
    """Yield texts, and pictures as (address, description), in the order of the message."""
    if data["content"]:
        yield data["content"]
    gallery_urls = []
    for component in _walk_components(data["components"]):
        if component["type"] == _TEXT_TYPE:
            yield component["content"]
        elif component["type"] == _GALLERY_TYPE:
            for item in component["items"]:
                gallery_urls.append(item["media"]["url"])
                yield item["media"]["url"], item.get("description") or ""
        elif component["type"] == _BUTTON_TYPE:
            yield f"[ {component.get('label') or ''} ]"
    for file in data["attachments"]:
        if file["url"] not in gallery_urls:
            yield file["url"], file["description"] or file["filename"]


def _walk_components(components: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for component in components:
        yield component
        yield from _walk_components(component.get("components", []))
        if component.get("accessory"):
            yield from _walk_components([component["accessory"]])


def _plain_text(world: SandboxWorld, text: str) -> str:
    backend = world.env.backend
    text = _TIME_PATTERN.sub(lambda match: _format_time(datetime.fromtimestamp(int(match[1]), UTC).isoformat()), text)
    text = _USER_PATTERN.sub(lambda match: f"@{backend.get_user(int(match[1])).global_name}", text)
    text = _CHANNEL_PATTERN.sub(lambda match: backend.get_channel(int(match[1])).name or "", text)
    return _COMMAND_PATTERN.sub(r"/\1", text)


def _format_time(iso: str) -> str:
    return datetime.fromisoformat(iso).strftime("%Y-%m-%d %H:%M")
