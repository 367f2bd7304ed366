"""Edits of one message come one after another; of the pictures that presses want of it, only the newest is drawn."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Final, Literal
from weakref import WeakValueDictionary

import discord

from bot.discord.messages.board import CurrentPicture, MessagePicture, RenderedMessage, current_picture_of
from bot.errors import JobOutdated
from bot.presenters.values import DescribedPicture, IsWanted

EditOutcome = Literal["shown", "overtaken", "replaced", "lost"]
"""What became of something that was to be shown: all of it is seen; a newer press shows more; the outbox has shown
the message meanwhile; or it did not arrive."""

EditFunction = Callable[[RenderedMessage], Awaitable[discord.Message | None]]
"""Edits a message and returns it as Discord shows it then; None if the edit did not arrive."""


MAX_RECENT: Final = 200
"""Messages of which it is remembered what they show, beside those that are being edited."""


class _MessageState:
    """A message that is being edited, or is to be."""

    def __init__(self) -> None:
        self.lock = asyncio.Lock()
        self.drawing_task = asyncio.Lock()
        self.newest_press = 0
        """The number of the edit that shows it last, as far as we know."""
        self.is_replaced = 0
        """The number of the outbox's last edit."""
        self.is_picture_known = False
        """Whether we have edited it, so that `picture` is the one that it shows."""
        self.picture: CurrentPicture | None = None
        self._newest_attachment = 0
        """The highest id of an attachment that the message has had, as far as we know."""

    def note_edit(self, edited: discord.Message | None) -> None:
        """Store which picture the message shows after an edit; None: the edit did not arrive, so nobody knows."""
        self.is_picture_known, self.picture = edited is not None, current_picture_of(edited) if edited else None
        self._newest_attachment = max(self._newest_attachment, self.picture.attachment_id if self.picture else 0)

    def picture_after(self, pressed: CurrentPicture | None) -> CurrentPicture | None:
        """Return the picture that the message shows now, where `pressed` is the one that it showed when it was pressed.

        Ids of attachments rise, so a higher one than ours was uploaded later: by another bot.
        """
        is_newer = pressed is not None and pressed.attachment_id > self._newest_attachment
        return self.picture if self.is_picture_known and not is_newer else pressed


class MessageEdits:
    """Shows messages so that nothing older comes after what is newer, in all channels of one bot."""

    def __init__(self) -> None:
        self._messages: WeakValueDictionary[int, _MessageState] = WeakValueDictionary()
        self._recent: deque[_MessageState] = deque(maxlen=MAX_RECENT)
        """Keeps messages that were edited lately: a press that waits may still know an older picture of them."""

    def _message(self, message_id: int) -> _MessageState:
        message = self._messages.setdefault(message_id, _MessageState())
        if message not in self._recent:
            self._recent.append(message)
        return message

    @asynccontextmanager
    async def exclusive(self, message_id: int) -> AsyncIterator[Callable[[discord.Message | None], None]]:
        """Edit a message in this block: a picture that a press still wants of it is drawn no more.

        The block calls what it gets with the message as Discord shows it after the edit.
        """
        message = self._message(message_id)
        message.newest_press += 1
        message.is_replaced = message.newest_press
        async with message.lock:
            message.is_picture_known = False
            yield message.note_edit

    async def text_then_picture(
        self,
        message_id: int,
        current_picture: CurrentPicture | None,
        lay_out: Callable[[MessagePicture | str], RenderedMessage],
        draw: Callable[[IsWanted], Awaitable[DescribedPicture]] | None,
        edit: EditFunction,
        *,
        until_then: str = "",
        is_old: Callable[[], bool] = lambda: False,
    ) -> EditOutcome:
        """Show text and buttons at once, over the `current_picture`, and then the picture that belongs to them.

        `until_then` is said in place of a picture that would belie the text. Without `draw` the picture stays. At most
        one picture a message is in the making; the newest press that waits has the next, and those between none; nor
        has one that has to wait until it is out of date. What else `draw` raises is raised once text and buttons are
        shown. `is_old` tells what we can't know of ourselves: whether another bot shows more.
        """
        message = self._message(message_id)
        message.newest_press += 1
        number: Final = message.newest_press

        def overtaken() -> EditOutcome | None:
            if number == message.newest_press:
                return "overtaken" if is_old() else None
            return "replaced" if message.is_replaced > number else "overtaken"

        async def show(picture: MessagePicture | str) -> EditOutcome:
            async with message.lock:
                if over := overtaken():
                    return over
                edited = await edit(lay_out(picture or message.picture_after(current_picture)))
                message.note_edit(edited)
                return "shown" if edited else "lost"

        came = await show(until_then or None)
        if came != "shown" or draw is None:
            return came
        async with message.drawing_task:
            if over := overtaken():
                return over
            try:
                picture = await draw(lambda: overtaken() is None)
            except JobOutdated:
                return overtaken() or "overtaken"
            return await show(picture)
