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
from bot.discord.messages.board import Shown
from bot.life.playing import Playing
from bot.words.style import escape

_LINK: Final = re.compile(
    r"(?:https?:|www\\?\.|discord\\?\.gg)\S+|\b[\w-]+\\?\.(?:com|net|org|gg|io|ly|me|xyz)\b\S*", re.IGNORECASE
)
"""What a filter of links takes for one, also where its markup is escaped."""
_NOTHING: Final = "…"


def without_names(shown: Shown, playing: Playing) -> Shown:
    """The same without what people have chosen: names of captains become mentions, the game's name and links go."""
    chosen = {playing.game.name: _NOTHING}
    chosen |= {seat.name: _NOTHING for seat in playing.seats if seat.name}
    chosen |= {player.name: f"<@{player.user_id}>" for player in playing.players.values()}
    names = {text: by for name, by in chosen.items() for text in (name, escape(name)) if text.strip()}
    for item in shown.view.walk_children():
        match item:
            case ui.TextDisplay():
                item.content = _plain(item.content, names)
            case ui.Button():
                item.label = _plain(item.label or "", dict.fromkeys(names, _NOTHING))
            case ui.Select():
                for option in item.options:
                    option.label = _plain(option.label, dict.fromkeys(names, _NOTHING))
                    option.description = _plain(option.description or "", dict.fromkeys(names, _NOTHING)) or None
            case ui.MediaGallery():
                for picture in item.items:
                    picture.description = None
    for file in shown.files:
        file.description = None
    return shown


def _plain(text: str, names: dict[str, str]) -> str:
    """A text without these names, the longest first, and without links."""
    for name in sorted(names, key=len, reverse=True):
        text = names[name].join(re.split(rf"(?<!\w){re.escape(name)}(?!\w)", text))
    return _LINK.sub(_NOTHING, text)


def has_pictures(shown: Shown) -> bool:
    """Whether there is a picture that could be left out."""
    return any(isinstance(item, ui.MediaGallery) for item in shown.view.walk_children())


async def with_smaller_pictures(shown: Shown) -> Shown:
    """The same with pictures of half the width and height."""
    files = []
    for file in shown.files:
        file.reset()
        if not file.filename.startswith("picture"):
            files.append(file)
            continue
        data = await asyncio.to_thread(render.halved, file.fp.read())
        files.append(discord.File(io.BytesIO(data), filename=file.filename, description=file.description))
    return structs.replace(shown, files=files)


def without_pictures(shown: Shown, note: str) -> Shown:
    """The same without pictures, and a note that says so."""
    for item in [*shown.view.walk_children()]:
        if isinstance(item, ui.MediaGallery) and isinstance(item.parent, ui.Container):
            item.parent.remove_item(item)
    for box in shown.view.children:
        if isinstance(box, ui.Container):
            box.add_item(ui.TextDisplay(f"-# {note}"))
    return structs.replace(shown, files=[], kept=None)
