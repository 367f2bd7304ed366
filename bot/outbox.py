"""The outbox: sends what was wanted in a committed transaction, at least once, and edits rather than doubles."""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from collections.abc import Awaitable, Callable
from typing import Final

from msgspec import Struct

from bot import logs
from bot.store import NotWritten, Store
from bot.store.messages import LONGEST_PAUSE
from bot.store.records import Message
from bot.workers import give_way

log = logging.getLogger(__name__)

MOST_TRIES: Final = 12
UNWRITTEN_PAUSE: Final = 60
"""Seconds until the next try when the database takes nothing."""


class Sent(Struct, frozen=True):
    """Where a message is now."""

    channel_id: int
    message_id: int


class Undeliverable(Exception):
    """A message can never arrive; the reason is stored with it."""


class TryLater(Exception):
    """Discord could not take the message just now."""


class NotAllowed(TryLater):
    """We lack a permission, or a place: the message waits, however long, until somebody gives it."""


class Outbox:
    """Drains the outbox whenever it is woken; messages of one game to one place never overtake each other."""

    def __init__(
        self,
        store: Store,
        now: Callable[[], int],
        deliver: Callable[[Message], Awaitable[Sent | None]],
        *,
        at_once: int = 8,
    ) -> None:
        self._store = store
        self._now = now
        self._deliver = deliver
        self._at_once = asyncio.Semaphore(at_once)
        self._task: asyncio.Task[None] | None = None
        self._again = False
        self._closed = False
        self._no_sooner: int | None = None
        """Until when nothing is tried, because nothing can be written down."""
        self.postponed: Callable[[], None] = lambda: None
        """Called when a message waits for another try; `next_due` then says until when."""

    def wake(self) -> None:
        """Send what is wanted, in the background."""
        self._again = not self._closed
        if self._again and (self._task is None or self._task.done()):
            self._task = asyncio.create_task(self._drain(), name="outbox")

    async def settle(self) -> None:
        """Wait until the present draining is over."""
        while self._task and not self._task.done():
            await asyncio.shield(self._task)

    async def close(self, most_s: float) -> None:
        """Begin no more messages; those in hand arrive if that takes no longer. The next start sends the rest."""
        self._closed = True
        if self._task and not self._task.done():
            await asyncio.wait([self._task], timeout=most_s)
            self._task.cancel()

    async def next_due(self) -> int | None:
        """When a message that waits for another try is due, in Unix seconds."""
        async with self._store.read() as tx:
            due = await tx.next_unsent(after=self._now())
        times = [time for time in (due, self._no_sooner) if time is not None]
        return min(times, default=None)

    async def _drain(self) -> None:
        logs.afresh()
        give_way()
        self._no_sooner = None
        try:
            await self._drain_all()
        except NotWritten:
            # What was sent meanwhile is not known to be sent: it is looked for before it is sent again.
            log.exception("messages wait for room to be written down")
            self._no_sooner = self._now() + UNWRITTEN_PAUSE
            self.postponed()

    async def _drain_all(self) -> None:
        while self._again:
            self._again = False
            async with self._store.read() as tx:
                waiting = await tx.unsent(now=self._now())
            by_game: dict[int, list[Message]] = defaultdict(list)
            for message in waiting:
                by_game[message.game_id].append(message)
            done = await asyncio.gather(*(self._send_in_order(messages) for messages in by_game.values()))
            if sum(done) and not self._closed:
                self._again = True  # there may be more than one read takes, or newer wishes

    async def _send_in_order(self, messages: list[Message]) -> int:
        sent = 0
        blocked = set()
        async with self._at_once:
            for message in messages:
                if self._closed or message.user_id in blocked:
                    continue  # what follows to the same place must not overtake what failed
                with logs.about(game=message.game_id, message=message.key):
                    arrived = await self._send(message)
                if arrived:
                    sent += 1
                else:
                    blocked.add(message.user_id)
        return sent

    async def _send(self, message: Message) -> bool:
        """Send one message; whether the next of its game may follow."""
        async with self._store.write() as tx:
            # Counted before it is tried: after a crash the message may be there, and is then looked for.
            await tx.change_message(message.id, attempts=message.attempts + 1)
        try:
            sent = await self._deliver(message)
        except Undeliverable as reason:
            log.warning("message cannot be delivered", extra={"why": str(reason)})
            async with self._store.write() as tx:
                await tx.change_message(message.id, problem=str(reason)[:200])
            return True
        except TryLater as reason:
            return await self._postpone(message, str(reason), patient=isinstance(reason, NotAllowed))
        except NotWritten:
            raise
        except Exception:
            log.exception("message could not be made")
            return await self._postpone(message, "failed")
        place = {"channel_id": sent.channel_id, "message_id": sent.message_id} if sent else {}
        async with self._store.write() as tx:
            await tx.change_message(message.id, sent=message.wanted, attempts=0, **place)
        log.debug("message sent" if sent else "nothing to show")
        return True

    async def _postpone(self, message: Message, reason: str, *, patient: bool = False) -> bool:
        attempts = message.attempts + 1
        given_up = attempts >= MOST_TRIES and not patient
        pause = min(LONGEST_PAUSE, 2**attempts)
        log.warning("message waits", extra={"seconds": pause, "why": reason, "given_up": given_up})
        problem = f"given up: {reason}"[:200] if given_up else None
        async with self._store.write() as tx:
            await tx.change_message(message.id, due_at=self._now() + pause, problem=problem)
        self.postponed()
        return given_up
