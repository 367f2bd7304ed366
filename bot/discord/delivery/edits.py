"""Edits of one message in sequence, and pictures for presses: only the newest is drawn."""

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
from bot.jobs.values import DescribedPicture
from bot.urgency import IsWanted

EditOutcome = Literal["shown", "overtaken", "replaced", "lost"]
"""The result of an attempt to show something.

`shown`: everything is visible. `overtaken`: a newer press shows more. `replaced`: the outbox has edited the message
meanwhile. `lost`: an edit did not arrive.
"""

EditFunction = Callable[[RenderedMessage], Awaitable[discord.Message | None]]
"""Edits a message and returns it as Discord then shows it; None if the edit did not arrive."""


MAX_RECENT: Final = 200


class _MessageState:
    def __init__(self) -> None:
        self.lock = asyncio.Lock()
        self.drawing_lock = asyncio.Lock()
        self.latest_edit_no = 0  # presses and the outbox count their edits together, from 1
        self.latest_outbox_edit_no = 0
        self.is_picture_known = False
        """Whether this process made the last edit, so that `picture` is the one that the message shows."""
        self.picture: CurrentPicture | None = None  # None: the message shows none, or several
        self._max_attachment_id = 0  # of those that the message is known to have had

    def note_edit(self, edited: discord.Message | None) -> None:
        """Store which picture the message shows after an edit.

        None: the edit did not arrive, so the picture is unknown.
        """
        self.is_picture_known = edited is not None
        self.picture = current_picture_of(edited) if edited else None
        if self.picture:
            self._max_attachment_id = max(self._max_attachment_id, self.picture.attachment_id)

    def picture_after(self, pressed: CurrentPicture | None) -> CurrentPicture | None:
        """Return the picture that the message shows now; `pressed` is the one that it showed when it was pressed.

        Ids of attachments increase. A higher id than the known ones is a later upload by another process.
        """
        is_from_other_process = pressed is not None and pressed.attachment_id > self._max_attachment_id
        return self.picture if self.is_picture_known and not is_from_other_process else pressed


class MessageEdits:
    """Makes edits of each message in sequence, so that older content never replaces newer."""

    def __init__(self) -> None:
        self._messages: WeakValueDictionary[int, _MessageState] = WeakValueDictionary()  # by message id
        self._recent: deque[_MessageState] = deque(maxlen=MAX_RECENT)
        """Keeps recently edited messages alive, because a waiting press may hold an older picture of them."""

    def _state_of(self, message_id: int) -> _MessageState:
        """Return the state of a message, which stays alive while it is among the last `MAX_RECENT`."""
        message = self._messages.setdefault(message_id, _MessageState())
        if message not in self._recent:
            self._recent.append(message)
        return message

    @asynccontextmanager
    async def exclusive(self, message_id: int) -> AsyncIterator[Callable[[discord.Message | None], None]]:
        """Edit a message in this block. Pictures that earlier presses on it still wait for are not shown any more.

        The block calls the function that it gets with the message as Discord shows it after the edit.
        """
        message = self._state_of(message_id)
        message.latest_edit_no += 1
        message.latest_outbox_edit_no = message.latest_edit_no
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
        placeholder: str = "",
        is_old: Callable[[], bool] = lambda: False,
    ) -> EditOutcome:
        """Show text and buttons at once, over the `current_picture`, and then the picture that belongs to them.

        `placeholder` replaces a picture that would contradict the text. Without `draw`, the picture stays. One picture
        of a message is drawn at a time; of the waiting presses, only the newest draws one. Errors of `draw` are raised
        after text and buttons are shown. `is_old` returns whether another process shows something newer.
        """
        message = self._state_of(message_id)
        message.latest_edit_no += 1
        edit_no: Final = message.latest_edit_no

        def why_obsolete() -> EditOutcome | None:
            if edit_no == message.latest_edit_no:
                return "overtaken" if is_old() else None
            return "replaced" if message.latest_outbox_edit_no > edit_no else "overtaken"

        async def show(picture: MessagePicture | str) -> EditOutcome:
            async with message.lock:
                if obsolete := why_obsolete():
                    return obsolete
                edited = await edit(lay_out(picture or message.picture_after(current_picture)))
                message.note_edit(edited)
                return "shown" if edited else "lost"

        outcome = await show(placeholder or None)
        if outcome != "shown" or draw is None:
            return outcome
        async with message.drawing_lock:
            if obsolete := why_obsolete():
                return obsolete
            try:
                picture = await draw(lambda: why_obsolete() is None)
            except JobOutdated:
                return why_obsolete() or "overtaken"
            return await show(picture)
