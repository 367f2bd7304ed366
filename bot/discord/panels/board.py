"""Lays out messages as Components V2: text, pictures, rows of buttons, selects."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Iterable, Sequence
from typing import Any, Final

import discord
from discord import ui
from msgspec import Struct

from bot.discord.ids import Ref
from bot.store.publications import Hash
from bot.work.showing import Drawn

ACCENT: Final = discord.Colour(0xB5762F)
"""The brown of old wood, at the edge of every message."""
TEXT_MOST: Final = 4000
"""Characters in one message, all texts together (Discord)."""
ALT_MOST: Final = 1024
FILE_MOST: Final = 10 * 1024 * 1024
ROW_MOST: Final = 5
OPTIONS_MOST: Final = 25
LABEL_MOST: Final = 80
SELECT_TEXT_MOST: Final = 100

_MARKS: Final = 1_000_000
"""Component ids above this say which row of the outbox a message shows; Discord numbers its own from 1."""


class Button(Struct, frozen=True, kw_only=True):
    """Something to press."""

    label: str
    ref: Ref
    style: discord.ButtonStyle = discord.ButtonStyle.secondary
    disabled: bool = False
    emoji: str | None = None


class Pick(Struct, frozen=True, kw_only=True):
    """One line of a select."""

    label: str
    value: str
    description: str = ""
    chosen: bool = False


class Select(Struct, frozen=True, kw_only=True):
    """Something to choose from a list."""

    hint: str
    ref: Ref
    picks: tuple[Pick, ...]


class Attached(Struct, frozen=True):
    """A file to be taken away."""

    name: str
    data: bytes


Block = str | Drawn | Attached | Sequence[Button] | Select


class Shown(Struct, frozen=True):
    """A message ready for Discord."""

    view: ui.LayoutView
    files: list[discord.File]
    pings: tuple[int, ...] = ()
    """Users who may be notified by its mentions."""
    hashes: tuple[Hash, ...] = ()
    """What it publishes for good."""

    def sending(self) -> dict[str, Any]:
        """Arguments for sending it anew."""
        return {"view": self.view, "files": self.files, "allowed_mentions": self._mentions()}

    def editing(self) -> dict[str, Any]:
        """Arguments for an edit; pictures that it no longer has go away."""
        return {"view": self.view, "attachments": self.files, "allowed_mentions": self._mentions()}

    def rewind(self) -> None:
        """Make it ready to be sent once more."""
        for file in self.files:
            file.reset()

    def fingerprint(self) -> str:
        """Of all that is seen of it and of what its buttons mean: equal messages have the same."""
        components = self.view.to_components()  # type: ignore[no-untyped-call]
        seen = hashlib.blake2b(json.dumps(components, sort_keys=True).encode(), digest_size=16)
        for file in self.files:
            file.fp.seek(0)
            seen.update(hashlib.blake2b(file.fp.read()).digest())
            file.reset()
        return seen.hexdigest()

    def _mentions(self) -> discord.AllowedMentions:
        users = [discord.Object(user_id) for user_id in self.pings]
        return discord.AllowedMentions(everyone=False, roles=False, users=users, replied_user=False)


def lay_out(blocks: Iterable[Block], *, mark: int | None = None, pings: tuple[int, ...] = ()) -> Shown:
    """Build a message from its blocks; `mark` is its row in the outbox."""
    container: ui.Container[ui.LayoutView] = ui.Container(
        accent_colour=ACCENT, id=None if mark is None else _MARKS + mark
    )
    files: list[discord.File] = []
    room = TEXT_MOST
    for block in blocks:
        match block:
            case str():
                if text := block[:room]:
                    container.add_item(ui.TextDisplay(text))
                    room -= len(text)
            case Drawn():
                name = f"picture{len(files)}.{block.format}"
                if len(block.data) > FILE_MOST:
                    raise ValueError(f"a picture of {len(block.data)} bytes is more than Discord takes")
                files.append(discord.File(io.BytesIO(block.data), filename=name, description=block.alt[:ALT_MOST]))
                item = discord.MediaGalleryItem(f"attachment://{name}", description=block.alt[:ALT_MOST])
                container.add_item(ui.MediaGallery(item))
            case Attached():
                files.append(discord.File(io.BytesIO(block.data), filename=block.name))
                container.add_item(ui.File(f"attachment://{block.name}"))
            case Select():
                if block.picks:
                    container.add_item(ui.ActionRow(_select(block)))
            case _:
                for start in range(0, len(block), ROW_MOST):
                    row: ui.ActionRow[ui.LayoutView] = ui.ActionRow()
                    for button in block[start : start + ROW_MOST]:
                        row.add_item(_button(button))
                    container.add_item(row)
    view = ui.LayoutView(timeout=None)
    view.add_item(container)
    view.stop()  # presses are dispatched by their custom ids alone, so discord.py need not remember the view
    return Shown(view, files, pings)


def mark_of(message: discord.Message) -> int | None:
    """The row of the outbox that a message of ours shows."""
    for component in message.components:
        number = getattr(component, "id", None)  # a kind of component that discord.py does not know has none
        if number is not None and number > _MARKS:
            return int(number) - _MARKS
    return None


def _button(button: Button) -> ui.Button[ui.LayoutView]:
    return ui.Button(
        label=_short(button.label, LABEL_MOST),
        custom_id=button.ref.pack(),
        style=button.style,
        disabled=button.disabled,
        emoji=button.emoji,
    )


def _select(select: Select) -> ui.Select[ui.LayoutView]:
    one_chosen = sum(pick.chosen for pick in select.picks) == 1  # Discord shows it; several are ticked instead
    options = [
        discord.SelectOption(
            label=_short(("✓ " if pick.chosen and not one_chosen else "") + pick.label, SELECT_TEXT_MOST),
            value=pick.value,
            description=_short(pick.description, SELECT_TEXT_MOST) or None,
            default=pick.chosen and one_chosen,
        )
        for pick in select.picks[:OPTIONS_MOST]
    ]
    return ui.Select(custom_id=select.ref.pack(), placeholder=_short(select.hint, 150), options=options)


def _short(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
