"""Simpler versions of refused messages: without names and links, with smaller pictures, or without any."""

from __future__ import annotations

import asyncio
import io
import re
from typing import Final

import discord
from discord import ui
from msgspec import structs

import render
from bot.discord.messages.board import RenderedMessage
from bot.lifecycle.steps.playing import SeatedGame
from bot.texts.style import escape

_LINK_PATTERN: Final = re.compile(
    r"(?:https?\\?:|www\\?\.|discord\\?\.gg)\S+|\b[\w-]+\\?\.(?:com|net|org|gg|io|ly|me|xyz)\b\S*", re.IGNORECASE
)
"""Matches what a filter may take for a link, even with escaped markup."""
_REMOVED_TEXT: Final = "…"


def without_names(message: RenderedMessage, seated_game: SeatedGame) -> RenderedMessage:
    """Replace captains' names by mentions and remove the game's name and links. The message is changed in place."""
    replacements = {seated_game.game.name: _REMOVED_TEXT}
    replacements |= {seat.name: _REMOVED_TEXT for seat in seated_game.seats if seat.name}
    replacements |= {player.name: f"<@{player.user_id}>" for player in seated_game.players.values()}
    replacements |= {seated_game.name_of(user_id, ""): f"<@{user_id}>" for user_id in seated_game.players}
    # Messages may show a name as it is or escaped.
    names: dict[str, str] = {}
    for name, text in replacements.items():
        for form in (name, escape(name)):
            if form.strip():
                names[form] = text
    removals = dict.fromkeys(names, _REMOVED_TEXT)  # labels cannot show mentions
    for item in message.view.walk_children():
        match item:
            case ui.TextDisplay():
                item.content = _without_names_and_links(item.content, names)
            case ui.Button():
                item.label = _without_names_and_links(item.label or "", removals)
            case ui.Select():
                for option in item.options:
                    option.label = _without_names_and_links(option.label, removals)
                    option.description = _without_names_and_links(option.description or "", removals) or None
            case ui.MediaGallery():
                for picture in item.items:
                    picture.description = None
    for file in message.files:
        file.description = None
    return message


def _without_names_and_links(text: str, names: dict[str, str]) -> str:
    """Return `text` with each name replaced by its value in `names`, the longest first, and without links."""
    for name in sorted(names, key=len, reverse=True):
        parts = re.split(rf"(?<!\w){re.escape(name)}(?!\w)", text)
        text = names[name].join(parts)
    return _LINK_PATTERN.sub(_REMOVED_TEXT, text)


def has_pictures(message: RenderedMessage) -> bool:
    return any(isinstance(item, ui.MediaGallery) for item in message.view.walk_children())


async def with_smaller_pictures(message: RenderedMessage) -> RenderedMessage:
    files = []
    for file in message.files:
        file.reset()
        if not file.filename.startswith("picture"):
            files.append(file)
            continue
        data = await asyncio.to_thread(render.halve_picture, file.fp.read())
        files.append(discord.File(io.BytesIO(data), filename=file.filename, description=file.description))
    return structs.replace(message, files=files)


def without_pictures(message: RenderedMessage, note: str) -> RenderedMessage:
    """Remove all pictures and add a note that says so."""
    for item in [*message.view.walk_children()]:
        if isinstance(item, ui.MediaGallery) and isinstance(item.parent, ui.Container):
            item.parent.remove_item(item)
    for box in message.view.children:
        if isinstance(box, ui.Container):
            box.add_item(ui.TextDisplay(f"-# {note}"))
    return structs.replace(message, files=[], kept_picture=None)
