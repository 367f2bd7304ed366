"""Layout of messages as Components V2: text, pictures, rows of buttons, lists."""

from __future__ import annotations

import hashlib
import io
import json
import logging
import math
from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

import discord
from discord import ui
from msgspec import Struct, structs

from bot.discord.ids import CustomId, parse_custom_id
from bot.discord.limits import (
    MAX_ALT_CHARS,
    MAX_COMPONENTS,
    MAX_FILE_BYTES,
    MAX_ROW_BUTTONS,
    MAX_SELECT_OPTIONS,
    MAX_SELECT_TEXT_CHARS,
    MAX_TEXT_CHARS,
)
from bot.jobs.values import DescribedPicture
from bot.lifecycle.outbox.outbox import PendingPicture
from bot.store.queries.messages import MIN_MARK
from bot.store.queries.publications import ShownHash
from bot.texts.labels import MAX_LABEL_CHARS, MAX_NOTE_CHARS, split_label
from bot.texts.style import shorten

log = logging.getLogger(__name__)

ACCENT_COLOUR: Final = discord.Colour(0xB5762F)
MIN_RESET, MAX_RESET = 100, 999
"""Range of `CustomId.reset` in lists that answer a press. Smaller numbers say which option is chosen, from 1."""


class Button(Struct, frozen=True, kw_only=True):
    label: str
    custom_id: CustomId  # what a press sends to the bot
    style: discord.ButtonStyle = discord.ButtonStyle.secondary
    is_disabled: bool = False
    disabled_reason: str = ""
    """The rule that disables the button, in words; empty if none does."""
    emoji: str | None = None  # in front of the label
    is_joined: bool = False
    """Whether it stays on the same page as the button before it."""


class MenuOption(Struct, frozen=True, kw_only=True):
    label: str  # what users read
    value: str  # the token that the interaction returns
    description: str = ""  # in small print below the label
    is_chosen: bool = False


class SelectMenu(Struct, frozen=True, kw_only=True):
    hint: str  # shown while no option is chosen
    custom_id: CustomId
    options: tuple[MenuOption, ...]


class FileAttachment(Struct, frozen=True):
    name: str  # file name
    data: bytes


class PictureGallery(Struct, frozen=True):
    pictures: tuple[DescribedPicture, ...]  # shown side by side


class CurrentPicture(Struct, frozen=True, kw_only=True):
    """The picture that a message already shows. An edit that keeps it must name its attachment."""

    attachment_id: int  # Discord's id
    filename: str
    alt_text: str
    url: str  # from which Discord serves it

    def to_dict(self) -> dict[str, Any]:
        """Return the attachment as an edit's payload lists it, for discord.py.

        Discord refuses an edit whose components refer to `attachment://…` unless it lists that attachment with its id
        and its filename (discord-api-docs#7529). No `discord.Attachment` is available: Discord lists no attachments of
        a message that has components (discord-api-docs#8277).
        """
        return {"id": str(self.attachment_id), "filename": self.filename}


MessagePicture = DescribedPicture | CurrentPicture | None

LayoutBlock = str | DescribedPicture | PictureGallery | CurrentPicture | FileAttachment | Sequence[Button] | SelectMenu


class BlockSize(NamedTuple):
    components: int = 0  # as Discord counts them: a row of buttons and each of its buttons
    characters: int = 0  # of text

    def __add__(self, other: BlockSize) -> BlockSize:  # type: ignore[override] # sizes are added, not concatenated
        return BlockSize(self.components + other.components, self.characters + other.characters)


MESSAGE_ROOM: Final = BlockSize(MAX_COMPONENTS - 1, MAX_TEXT_CHARS)  # the container is a component, too


def measure_blocks(*blocks: LayoutBlock) -> BlockSize:
    """Return how many components and characters blocks take of a message."""
    total = BlockSize()
    for block in blocks:
        match block:
            case str():
                total += BlockSize(1, len(block)) if block else BlockSize()
            case DescribedPicture() | CurrentPicture() | FileAttachment():
                total += BlockSize(1)
            case PictureGallery():
                total += BlockSize(1) if block.pictures else BlockSize()
            case SelectMenu():
                total += BlockSize(2) if block.options else BlockSize()  # a row and the list in it
            case _:
                row_count = math.ceil(len(block) / MAX_ROW_BUTTONS)
                total += BlockSize(row_count + len(block))
    return total


class RenderedMessage(Struct, frozen=True):
    view: ui.LayoutView  # texts, buttons, lists and references to the files
    files: list[discord.File]  # to be uploaded
    notified_users: tuple[int, ...] = ()  # ids of users that its mentions notify
    published_hashes: tuple[ShownHash, ...] = ()
    """Hashes that players can read in it and that must never change."""
    kept_picture: CurrentPicture | None = None
    """The picture that the message already shows. If set, the message can only be used for an edit."""
    pending_picture: PendingPicture | None = None  # follows by an edit; None: nothing does

    def send_arguments(self) -> dict[str, Any]:
        return {"view": self.view, "files": self.files, "allowed_mentions": self._allowed_mentions()}

    def edit_arguments(self) -> dict[str, Any]:
        """Return the arguments for an edit. Attachments that it does not name are removed from the message."""
        attachments = [*filter(None, [self.kept_picture]), *self.files]
        return {"view": self.view, "allowed_mentions": self._allowed_mentions(), "attachments": attachments}

    def rewind_files(self) -> None:
        """Rewind all files, because sending has read them to the end."""
        for file in self.files:
            file.reset()

    def reset_lists(self, interaction_id: int, pressed: CustomId | None) -> None:
        """Give all lists of this message a reset number that differs from the `pressed` component's.

        Discord's client sends nothing if a user picks the option that is already shown as picked
        (discord-api-docs#4801, #7765). It treats a list with another id as new.
        """
        previous_reset = pressed.reset if pressed else 0
        reset_count = MAX_RESET - MIN_RESET + 1
        offset = interaction_id % reset_count
        if MIN_RESET + offset == previous_reset:
            offset = (offset + 1) % reset_count
        reset = MIN_RESET + offset
        for item in self.view.walk_children():
            if isinstance(item, ui.Select) and (ref := parse_custom_id(item.custom_id)):
                item.custom_id = structs.replace(ref, reset=reset).pack()

    def content_hash(self) -> str:
        """Return a hash of everything visible and of the buttons' ids. Equal messages have equal hashes."""
        components = self.view.to_components()  # type: ignore[no-untyped-call]
        digest = hashlib.blake2b(json.dumps(components, sort_keys=True).encode(), digest_size=16)
        for file in self.files:
            file.fp.seek(0)
            digest.update(hashlib.blake2b(file.fp.read()).digest())
            file.reset()
        return digest.hexdigest()

    def _allowed_mentions(self) -> discord.AllowedMentions:
        users = [discord.Object(user_id) for user_id in self.notified_users]
        return discord.AllowedMentions(everyone=False, roles=False, users=users, replied_user=False)


def lay_out_message(
    blocks: Iterable[LayoutBlock], *, mark: int | None = None, pings: tuple[int, ...] = ()
) -> RenderedMessage:
    """Return a message made of blocks; `mark` identifies its row in the outbox, and users in `pings` are notified.

    Blocks beyond Discord's limits are left out and logged as a bug, because the caller should have divided them into
    pages.
    """
    container: ui.Container[ui.LayoutView] = ui.Container(accent_colour=ACCENT_COLOUR, id=mark)
    files: list[discord.File] = []
    kept_picture: CurrentPicture | None = None
    for block in _fitting_rows(blocks):
        match block:
            case str():
                container.add_item(ui.TextDisplay(block))
            case CurrentPicture():
                kept_picture = block
                container.add_item(ui.MediaGallery(_gallery_item(block.filename, block.alt_text)))
            case DescribedPicture():
                container.add_item(ui.MediaGallery(_attach_picture(block, files)))
            case PictureGallery():
                container.add_item(ui.MediaGallery(*(_attach_picture(picture, files) for picture in block.pictures)))
            case FileAttachment():
                files.append(discord.File(io.BytesIO(block.data), filename=block.name))
                container.add_item(ui.File(f"attachment://{block.name}"))
            case SelectMenu():
                container.add_item(ui.ActionRow(_make_select(block)))
            case _:
                row: ui.ActionRow[ui.LayoutView] = ui.ActionRow()
                for button in block:
                    row.add_item(_make_button(button))
                container.add_item(row)
    view = ui.LayoutView(timeout=None)
    view.add_item(container)
    view.stop()  # discord.py need not remember the view: presses are dispatched by custom id
    return RenderedMessage(view, files, pings, kept_picture=kept_picture)


def rerender_message(message: discord.Message) -> RenderedMessage:
    """Return a message of the bot as it stands, for an edit."""
    view = ui.LayoutView.from_message(message, timeout=None)
    view.stop()
    return RenderedMessage(view, [])


def current_picture_of(message: discord.Message) -> CurrentPicture | None:
    """Return the picture that a message of the bot shows, or None if it shows none or several."""
    containers = [component for component in message.components if isinstance(component, discord.Container)]
    children = [child for container in containers for child in container.children]
    items = [item for child in children if isinstance(child, discord.MediaGalleryComponent) for item in child.items]
    if len(items) != 1:
        return None
    media = items[0].media
    if not media.attachment_id:
        return None
    return CurrentPicture(
        attachment_id=int(media.attachment_id),
        filename=_file_name_of_url(media.url),
        alt_text=items[0].description or "",
        url=media.url,
    )


def _file_name_of_url(url: str) -> str:
    return url.partition("?")[0].rpartition("/")[2]


def _attach_picture(picture: DescribedPicture, files: list[discord.File]) -> discord.MediaGalleryItem:
    """Return a gallery item and add its file to `files`. Raises `ValueError` beyond `MAX_FILE_BYTES`."""
    if len(picture.data) > MAX_FILE_BYTES:
        raise ValueError(f"a picture of {len(picture.data)} bytes is more than Discord takes")
    name = f"picture{len(files)}.{picture.format}"
    files.append(discord.File(io.BytesIO(picture.data), filename=name, description=picture.alt_text[:MAX_ALT_CHARS]))
    return _gallery_item(name, picture.alt_text)


def _gallery_item(name: str, alt: str) -> discord.MediaGalleryItem:
    return discord.MediaGalleryItem(f"attachment://{name}", description=alt[:MAX_ALT_CHARS] or None)


def split_rows(block: LayoutBlock) -> list[LayoutBlock]:
    if isinstance(block, str | DescribedPicture | PictureGallery | CurrentPicture | FileAttachment | SelectMenu):
        return [block]
    return [block[start : start + MAX_ROW_BUTTONS] for start in range(0, len(block), MAX_ROW_BUTTONS)]


def _fitting_rows(blocks: Iterable[LayoutBlock]) -> Iterable[LayoutBlock]:
    """Yield rows while a message has room for them. Too long a text is shortened; a row beyond the room is left out."""
    room = MESSAGE_ROOM
    rows = [row for block in blocks for row in split_rows(block)]
    for row in rows:
        shortened_row = row
        if isinstance(row, str) and len(row) > room.characters:
            log.error("a text is too long for a message", extra={"characters": len(row)})
            shortened_row = shorten(row, room.characters)
        size = measure_blocks(shortened_row)
        if size.components > room.components:
            log.error("too many components for a message", extra={"components": size.components})
        elif size.components:
            room = BlockSize(room.components - size.components, room.characters - size.characters)
            yield shortened_row


def outbox_mark_of(message: discord.Message) -> int | None:
    """Return the mark of the outbox row that a message of the bot shows, or None."""
    for component in message.components:
        number = getattr(component, "id", None)  # components unknown to discord.py have no id
        if number is not None and number >= MIN_MARK:
            return int(number)
    return None


def _make_button(button: Button) -> ui.Button[ui.LayoutView]:
    if len(button.label) > MAX_LABEL_CHARS:
        log.error(
            "a label is too long for a phone", extra={"verb": button.custom_id.verb, "characters": len(button.label)}
        )
    return ui.Button(
        label=shorten(button.label, MAX_LABEL_CHARS),
        custom_id=button.custom_id.pack(),
        style=button.style,
        disabled=button.is_disabled,
        emoji=button.emoji,
    )


def _make_select(select: SelectMenu) -> ui.Select[ui.LayoutView]:
    chosen_numbers = [number for number, option in enumerate(select.options, start=1) if option.is_chosen]
    is_one_chosen = len(chosen_numbers) == 1  # Discord can preselect one option; several get a tick
    options = [
        select_option(
            ("✓ " if option.is_chosen and not is_one_chosen else "") + option.label,
            option.value,
            option.description,
            chosen=option.is_chosen and is_one_chosen,
        )
        for option in select.options[:MAX_SELECT_OPTIONS]
    ]
    if len(select.hint) > MAX_LABEL_CHARS:
        log.error(
            "a list's name is too long for a phone", extra={"verb": select.custom_id.verb, "hint": len(select.hint)}
        )
    structs.replace(select.custom_id, reset=MAX_RESET).pack()  # raises `ValueError` if the id has no room for a reset
    # A new id lets users pick an option again that they picked before and that was changed elsewhere.
    custom_id = structs.replace(select.custom_id, reset=chosen_numbers[0] if is_one_chosen else 0)
    return ui.Select(custom_id=custom_id.pack(), placeholder=shorten(select.hint, MAX_LABEL_CHARS), options=options)


def select_option(label: str, value: str, description: str = "", *, chosen: bool = False) -> discord.SelectOption:
    """Return an option of a list. The rest of a label too long for a phone goes in front of the description."""
    label_start, label_rest = split_label(label)
    if len(label_start) > MAX_LABEL_CHARS or len(label_rest) > MAX_NOTE_CHARS:
        sizes = {"label": len(label_start), "below": len(label_rest)}
        log.error("a list's line is too long for a phone", extra=sizes)
    return discord.SelectOption(
        label=shorten(label_start, MAX_LABEL_CHARS),
        value=value,
        description=shorten(small_print(label, description), MAX_SELECT_TEXT_CHARS) or None,
        default=chosen,
    )


def small_print(label: str, description: str) -> str:
    """Return the description of a list's option, preceded by the rest of a label that is too long for a phone."""
    return ". ".join(filter(None, [split_label(label)[1], description]))
