"""Messages that Discord has refused, made plainer: without names and links, with smaller pictures, or with none."""

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
    r"(?:https?:|www\\?\.|discord\\?\.gg)\S+|\b[\w-]+\\?\.(?:com|net|org|gg|io|ly|me|xyz)\b\S*", re.IGNORECASE
)
"""What a filter of links takes for one, also where its markup is escaped."""
_REMOVED_TEXT: Final = "…"


def without_names(shown: RenderedMessage, playing: SeatedGame) -> RenderedMessage:
    """The same without what people have chosen: names of captains become mentions, the game's name and links go."""
    chosen = {playing.game.name: _REMOVED_TEXT}
    chosen |= {seat.name: _REMOVED_TEXT for seat in playing.seats if seat.name}
    chosen |= {player.name: f"<@{player.user_id}>" for player in playing.players.values()}
    names = {text: by for name, by in chosen.items() for text in (name, escape(name)) if text.strip()}
    for item in shown.view.walk_children():
        match item:
            case ui.TextDisplay():
                item.content = _without_names_and_links(item.content, names)
            case ui.Button():
                item.label = _without_names_and_links(item.label or "", dict.fromkeys(names, _REMOVED_TEXT))
            case ui.Select():
                for option in item.options:
                    option.label = _without_names_and_links(option.label, dict.fromkeys(names, _REMOVED_TEXT))
                    option.description = (
                        _without_names_and_links(option.description or "", dict.fromkeys(names, _REMOVED_TEXT)) or None
                    )
            case ui.MediaGallery():
                for picture in item.items:
                    picture.description = None
    for file in shown.files:
        file.description = None
    return shown


def _without_names_and_links(text: str, names: dict[str, str]) -> str:
    """A text without these names, the longest first, and without links."""
    for name in sorted(names, key=len, reverse=True):
        text = names[name].join(re.split(rf"(?<!\w){re.escape(name)}(?!\w)", text))
    return _LINK_PATTERN.sub(_REMOVED_TEXT, text)


def has_pictures(shown: RenderedMessage) -> bool:
    """Whether there is a picture that could be left out."""
    return any(isinstance(item, ui.MediaGallery) for item in shown.view.walk_children())


async def with_smaller_pictures(shown: RenderedMessage) -> RenderedMessage:
    """The same with pictures of half the width and height."""
    files = []
    for file in shown.files:
        file.reset()
        if not file.filename.startswith("picture"):
            files.append(file)
            continue
        data = await asyncio.to_thread(render.halve_picture, file.fp.read())
        files.append(discord.File(io.BytesIO(data), filename=file.filename, description=file.description))
    return structs.replace(shown, files=files)


def without_pictures(shown: RenderedMessage, note: str) -> RenderedMessage:
    """The same without pictures, and a note that says so."""
    for item in [*shown.view.walk_children()]:
        if isinstance(item, ui.MediaGallery) and isinstance(item.parent, ui.Container):
            item.parent.remove_item(item)
    for box in shown.view.children:
        if isinstance(box, ui.Container):
            box.add_item(ui.TextDisplay(f"-# {note}"))
    return structs.replace(shown, files=[], kept_picture=None)
