"""Pictures of messages: one that is drawn quickly comes with its text, any other follows by an edit."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import Any, Final, NamedTuple

from msgspec import structs

from bot.discord.messages.board import RenderedMessage
from bot.errors import JobFailed, JobLimitExceeded, JobOutdated
from bot.lifecycle.outbox.outbox import PendingPicture, Superseded
from bot.presenters.values import DescribedPicture, IsWanted
from bot.store.models.records import OutboxMessage
from bot.texts.i18n import Localizer

log = logging.getLogger(__name__)

PICTURE_WAIT_S: Final = 1.0
"""How long text and buttons of a message wait for its picture, at most.

Discord gives the answer to a press three seconds, and who seals last looks for what is asked next as for such an
answer. One of these is the picture's; the rest is left for the step and the way.
"""
START_WAIT_S: Final = 0.1
"""How many of these may pass until a worker begins it: what waits for its turn comes later than its text."""
MAX_CONCURRENT_PICTURES: Final = 8
"""Pictures that are handed to the workers at a time, so that a press's waits behind no more: as many as the outbox
tells games at once."""

DrawFunction = Callable[[IsWanted], Coroutine[Any, Any, DescribedPicture]]
"""Draws a picture when there is time for it. Raises `JobOutdated` if it isn't wanted any more then."""
PictureOrPending = DescribedPicture | PendingPicture
"""A picture, or that it is still being made."""


class _PictureTask(NamedTuple):
    """A picture that is still being made, or not shown yet."""

    subject: object
    """All that it shows."""
    pending_picture: PendingPicture
    started: asyncio.Event
    """Set when its turn has come."""


class PictureCache:
    """Pictures of the outbox's messages: none is made twice, and none that is out of date is begun or waited for."""

    patience_s: float = PICTURE_WAIT_S
    """0: none is waited for."""

    def __init__(self, overloaded: Callable[[], bool], overtaken: Callable[[OutboxMessage], bool]) -> None:
        """Begin without pictures; while the workers are `overloaded`, none is waited for.

        `overtaken` says whether a press shows something newer than a message as its row was read.
        """
        self._is_overloaded = overloaded
        self._is_overtaken = overtaken
        self._tasks: dict[int, _PictureTask] = {}
        """By the rows of their messages."""
        self._slots = asyncio.Semaphore(MAX_CONCURRENT_PICTURES)

    async def get_or_draw(self, message: OutboxMessage, subject: object, draw: DrawFunction) -> PictureOrPending:
        """The picture of a message as it is now; of one that isn't drawn soon only that it is being made.

        `subject` is all that it shows: a picture of something else that is still in the making is given up. While
        others are late, so would this one be: then none is waited for, nor one for which no worker is free. Raises
        `Superseded` if a press has shown something newer meanwhile.
        """
        late = self._tasks.pop(message.id, None)
        if late is None or late.subject != subject:
            if late is not None:
                late.pending_picture.picture_task.cancel()
            late = self._start_drawing(message, subject, draw)
        pending = late.pending_picture
        if not await self._wait_briefly(late):
            self._tasks[message.id] = late
            return pending
        try:
            drawn: DescribedPicture = await pending.picture_task
        except JobOutdated:
            if message.message_id is None:
                return pending  # it must be there all the same
            raise Superseded from None
        except (JobFailed, JobLimitExceeded):
            if message.message_id is not None:
                raise
            log.exception("picture of a message could not be made")  # orders can be given without it
            return pending
        return drawn

    def cancel_obsolete(self, message: OutboxMessage) -> None:
        """A message has no picture any more: none that is still in the making is drawn."""
        late = self._tasks.pop(message.id, None)
        if late is not None:
            late.pending_picture.picture_task.cancel()

    def _start_drawing(self, message: OutboxMessage, subject: object, draw: DrawFunction) -> _PictureTask:
        begun = asyncio.Event()

        def wanted() -> bool:
            return not self._is_overtaken(message)

        def wanted_in_its_turn() -> bool:
            begun.set()
            return wanted()

        async def in_turn() -> DescribedPicture:
            async with self._slots:
                if not wanted():
                    raise JobOutdated
                return await draw(wanted_in_its_turn)

        def forget() -> None:
            if self._tasks.get(message.id) is late:
                del self._tasks[message.id]

        made = asyncio.create_task(in_turn(), name="picture of a message")
        made.add_done_callback(_ignore_error)
        late = _PictureTask(subject, PendingPicture(made, forget), begun)
        return late

    async def _wait_briefly(self, late: _PictureTask) -> bool:
        made = late.pending_picture.picture_task
        if (
            self.patience_s
            and not self._is_overloaded()
            and all(one.pending_picture.picture_task.done() for one in self._tasks.values())
        ):
            begins = asyncio.create_task(late.started.wait())
            try:
                await asyncio.wait([made, begins], timeout=START_WAIT_S, return_when=asyncio.FIRST_COMPLETED)
                if late.started.is_set():
                    await asyncio.wait([made], timeout=self.patience_s)
            except asyncio.CancelledError:
                made.cancel()
                raise
            finally:
                begins.cancel()
        return made.done()


def _ignore_error(made: asyncio.Task[DescribedPicture]) -> None:
    """Nobody needs to ask for a picture that came to nothing; who does learns why."""
    if not made.cancelled():
        made.exception()


def picture_block(words: Localizer, picture: PictureOrPending) -> DescribedPicture | str:
    """What stands in a message where its picture belongs."""
    return picture if isinstance(picture, DescribedPicture) else pending_note(words)


def pending_note(words: Localizer) -> str:
    """What says that a picture is still being made."""
    return f"-# {words.say('thread.picture_follows')}"


def with_pending_picture(shown: RenderedMessage, picture: PictureOrPending) -> RenderedMessage:
    """A message, which is wanted once more if its picture is still being made."""
    return shown if isinstance(picture, DescribedPicture) else structs.replace(shown, pending_picture=picture)
