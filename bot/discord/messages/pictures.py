"""Pictures of messages: a picture that is drawn quickly comes with the text, any other follows by an edit."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import Any, Final, NamedTuple

from msgspec import structs

from bot.discord.messages.board import RenderedMessage
from bot.errors import JobFailed, JobLimitExceeded, JobOutdated
from bot.jobs.values import DescribedPicture
from bot.lifecycle.outbox.outbox import PendingPicture, Superseded
from bot.store.models.records import OutboxMessage
from bot.texts.i18n import Localizer
from bot.urgency import IsWanted

log = logging.getLogger(__name__)

PICTURE_WAIT_S: Final = 1.0
"""Seconds that text and buttons of a message wait for its picture, at most.

Discord allows three seconds to answer a press, and the last captain to seal expects the next request as fast. The
remaining two seconds are left for the step and the network.
"""
START_WAIT_S: Final = 0.1
"""Seconds within which a worker must begin a picture; otherwise the picture follows its text."""
MAX_CONCURRENT_PICTURES: Final = 8
"""Pictures given to the workers at once, as many as the outbox delivers games. Pictures of presses wait for no more."""

DrawFunction = Callable[[IsWanted], Coroutine[Any, Any, DescribedPicture]]
"""Draws a picture; raises `JobOutdated` if it is no longer wanted when a worker is free."""
PictureOrPending = DescribedPicture | PendingPicture


class _PictureTask(NamedTuple):
    subject: object
    """Everything that the picture depends on; an equal subject means an equal picture."""
    pending_picture: PendingPicture  # the task that draws it
    started: asyncio.Event  # set when a worker begins to draw


class PictureCache:
    """Pictures of outbox messages. None is drawn twice, and obsolete ones are cancelled."""

    patience_s: float = PICTURE_WAIT_S  # seconds to wait for a picture; 0: do not wait

    def __init__(self, is_overloaded: Callable[[], bool], is_overtaken: Callable[[OutboxMessage], bool]) -> None:
        """Start empty. While the workers are overloaded, no picture is waited for.

        `is_overtaken` returns whether a press has shown something newer than the message's row.
        """
        self._is_overloaded = is_overloaded
        self._is_overtaken = is_overtaken
        self._tasks: dict[int, _PictureTask] = {}  # maps the outbox id of a message to its picture
        self._slots = asyncio.Semaphore(MAX_CONCURRENT_PICTURES)

    async def get_or_draw(self, message: OutboxMessage, subject: object, draw: DrawFunction) -> PictureOrPending:
        """Return the picture of a message, or a `PendingPicture` if it is not drawn soon.

        A pending picture with another `subject` is cancelled. The picture is not waited for while others are pending or
        no worker is free. Raises `Superseded` if a press has shown something newer meanwhile.
        """
        task = self._tasks.pop(message.id, None)
        if task is None or task.subject != subject:
            if task is not None:
                task.pending_picture.picture_task.cancel()
            task = self._start_drawing(message, subject, draw)
        pending = task.pending_picture
        if not await self._wait_briefly(task):
            self._tasks[message.id] = task
            return pending
        try:
            picture: DescribedPicture = await pending.picture_task
        except JobOutdated:
            if message.message_id is None:
                return pending  # a new message is sent nevertheless
            raise Superseded from None
        except (JobFailed, JobLimitExceeded):
            if message.message_id is not None:
                raise
            log.exception("picture of a message could not be made")  # the message is usable without it
            return pending
        return picture

    def cancel_obsolete(self, message: OutboxMessage) -> None:
        task = self._tasks.pop(message.id, None)
        if task is not None:
            task.pending_picture.picture_task.cancel()

    def _start_drawing(self, message: OutboxMessage, subject: object, draw: DrawFunction) -> _PictureTask:
        started = asyncio.Event()

        def is_wanted() -> bool:
            return not self._is_overtaken(message)

        def note_begin_if_wanted() -> bool:  # a worker calls this when it is free to draw the picture
            started.set()
            return is_wanted()

        async def draw_when_slot_is_free() -> DescribedPicture:
            async with self._slots:
                if not is_wanted():
                    raise JobOutdated
                return await draw(note_begin_if_wanted)

        def forget() -> None:
            if self._tasks.get(message.id) is task:
                del self._tasks[message.id]

        drawing = asyncio.create_task(draw_when_slot_is_free(), name="picture of a message")
        drawing.add_done_callback(_ignore_error)
        task = _PictureTask(subject, PendingPicture(drawing, forget), started)
        return task

    async def _wait_briefly(self, task: _PictureTask) -> bool:
        """Wait up to `patience_s` for a picture, unless workers are busy. Return whether it is drawn."""
        drawing = task.pending_picture.picture_task
        are_others_drawn = all(other_task.pending_picture.picture_task.done() for other_task in self._tasks.values())
        if self.patience_s and not self._is_overloaded() and are_others_drawn:
            wait_for_begin = asyncio.create_task(task.started.wait())
            try:
                await asyncio.wait([drawing, wait_for_begin], timeout=START_WAIT_S, return_when=asyncio.FIRST_COMPLETED)
                if task.started.is_set():
                    await asyncio.wait([drawing], timeout=self.patience_s)
            except asyncio.CancelledError:
                drawing.cancel()
                raise
            finally:
                wait_for_begin.cancel()
        return drawing.done()


def _ignore_error(drawing: asyncio.Task[DescribedPicture]) -> None:
    """Retrieve the task's exception, so that asyncio does not log it if nobody awaits the picture."""
    if not drawing.cancelled():
        drawing.exception()


def picture_block(localizer: Localizer, picture: PictureOrPending) -> DescribedPicture | str:
    return picture if isinstance(picture, DescribedPicture) else pending_note(localizer)


def pending_note(localizer: Localizer) -> str:
    return f"-# {localizer.say('thread.picture_follows')}"


def with_pending_picture(rendered: RenderedMessage, picture: PictureOrPending) -> RenderedMessage:
    return rendered if isinstance(picture, DescribedPicture) else structs.replace(rendered, pending_picture=picture)
