"""Pictures of new messages: one that is drawn quickly comes with its text, any other follows by an edit."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Final

from msgspec import structs

from bot.discord.messages.board import Shown
from bot.errors import Failed, TooMuch
from bot.life.outbox import Later
from bot.store.records import Message
from bot.telling.values import Drawn
from bot.words.i18n import Words

log = logging.getLogger(__name__)

PICTURE_SECONDS: Final = 1.0
"""How long the text and buttons of a new message wait for its picture, at most.

Discord gives the answer to a press three seconds, and who seals last looks for what is asked next as for such an
answer. A second of these is the step's (`panels.ANSWER_SECONDS`), one is the picture's, one is left for the way.
"""
AT_ONCE: Final = 8
"""Pictures that are handed to the workers at a time, so that a press's waits behind no more: as many as the outbox
tells games at once."""

Making = Drawn | Later
"""A picture, or that it is still being made."""


class Pictures:
    """Pictures of the outbox's messages: none is made twice, and none that is out of date is waited for."""

    patience_s: float = PICTURE_SECONDS
    """0: none is waited for."""

    def __init__(self) -> None:
        self._late: dict[int, tuple[object, Later]] = {}
        """What those show that are still being made, or not yet shown, by the rows of their messages."""
        self._places = asyncio.Semaphore(AT_ONCE)

    async def of(self, message: Message, subject: object, draw: Callable[[], Awaitable[Drawn]]) -> Making:
        """The picture of a message as it is now; of a new one that is not drawn soon only that it is being made.

        `subject` is all that it shows: a picture of something else that is still in the making is given up. While
        others are late, so would this one be: then none is waited for.
        """
        shown, later = self._late.pop(message.id, (None, None))
        if later is None or shown != subject:
            if later is not None:
                later.made.cancel()
            later = self._begin(message, draw)
        if message.message_id is None and not await self._comes_soon(later):
            self._late[message.id] = (subject, later)
            return later
        try:
            drawn: Drawn = await later.made
        except (Failed, TooMuch):
            if message.message_id is not None:
                raise
            log.exception("picture of a message could not be made")  # orders can be given without it
            return later
        return drawn

    def _begin(self, message: Message, draw: Callable[[], Awaitable[Drawn]]) -> Later:
        async def in_turn() -> Drawn:
            async with self._places:
                return await draw()

        def forget() -> None:
            if self._late.get(message.id, (None, None))[1] is later:
                del self._late[message.id]

        later = Later(asyncio.create_task(in_turn(), name="picture of a message"), forget)
        return later

    async def _comes_soon(self, later: Later) -> bool:
        if self.patience_s and all(other.made.done() for _, other in self._late.values()):
            try:
                await asyncio.wait([later.made], timeout=self.patience_s)
            except asyncio.CancelledError:
                later.made.cancel()
                raise
        return later.made.done()


def block(words: Words, picture: Making) -> Drawn | str:
    """What stands in a message where its picture belongs."""
    return picture if isinstance(picture, Drawn) else f"-# {words.say('thread.picture_follows')}"


def lacking(shown: Shown, picture: Making) -> Shown:
    """A message, which is wanted once more if its picture is still being made."""
    return shown if isinstance(picture, Drawn) else structs.replace(shown, later=picture)
