"""Sleeps until something is due: a deadline, or a message that waits for another try."""

from __future__ import annotations

import asyncio
import logging
from typing import Final

from bot.life.outbox import WRITE_RETRY_PAUSE_S, Outbox
from bot.life.own_tasks import OwnTasks
from bot.life.rounds import StepRunner
from bot.store import NotWritten
from bot.store.messages import TURN_EDIT_INTERVAL_S

log = logging.getLogger(__name__)

SHUTDOWN_TIMEOUT_S: Final = 5.0
"""How long a bot that is being stopped waits for Discord to take the messages in hand."""


class Scheduler:
    """One sleeping task, set again whenever something has changed."""

    def __init__(self, rounds: StepRunner, outbox: Outbox) -> None:
        self._rounds = rounds
        self._outbox = outbox
        self._own = OwnTasks()
        self._looking: asyncio.Task[None] | None = None
        self._sleeping: asyncio.Task[None] | None = None
        self._again = False
        self._slept = False
        """Whether something may be due that nobody has spoken of."""
        self._until = 0
        """When the sleeping task wakes, in Unix seconds, if there is one."""
        self._expected: int | None = None
        """When there may be something to do that was not looked for yet."""
        outbox.postponed = self.look

    def wake(self) -> None:
        """Something has changed: send what is wanted and look again when to wake."""
        self._outbox.wake()
        self.look()

    def look(self) -> None:
        """Look again when to wake."""
        self._again = True
        if self._looking is None or self._looking.done():
            self._looking = self._own.start(self._look(), "scheduler looks")

    def heard(self) -> None:
        """Another bot may have wanted messages or set deadlines: look for them."""
        self._slept = True
        self.look()

    def expect(self, at: int) -> None:
        """Send what is wanted from this time on, in Unix seconds; that is known without a look now."""
        if at <= self._rounds.now():
            self._outbox.send()
            return
        self._expected = at if self._expected is None else min(at, self._expected)
        if self._sleeping is None or self._until > at:
            self._sleep_until(at)

    async def pausing(self) -> int:
        """Seconds until the edits that pause now are sent; 0 if there are none."""
        looked = self._looking is None or self._looking.done()
        if looked and (self._sleeping is None or self._until > self._rounds.now() + TURN_EDIT_INTERVAL_S):
            return 0  # it sleeps for longer than any edit pauses
        seconds = await self._outbox.pausing()
        return seconds or int(looked and self._until <= self._rounds.now())  # it wakes just now, or in a moment

    async def close(self) -> None:
        """Stop: the steps in hand are finished, and the messages in hand if Discord takes them soon."""
        if self._sleeping:
            self._sleeping.cancel()
        await self._rounds.close()
        while self._looking and not self._looking.done():
            await asyncio.shield(self._looking)
        await self._outbox.close(SHUTDOWN_TIMEOUT_S)
        if self._sleeping:
            self._sleeping.cancel()

    async def _look(self) -> None:
        while self._again:
            self._again = False
            if self._expected is not None and self._expected <= self._rounds.now():
                self._expected = None
            times = [time for time in (*await self._due(), self._expected) if time is not None]
            self._sleep_until(min(times, default=None))

    def _sleep_until(self, at: int | None) -> None:
        """Let the task sleep until then, but no longer than until the next beat; None: nothing is due.

        The machine's clock may be set meanwhile: the event loop sleeps by another one, which nobody sets.
        """
        if self._sleeping:
            self._sleeping.cancel()
            self._sleeping = None
        now, look_s = self._rounds.now(), self._rounds.gaps.pulse.look_s
        if look_s is not None:
            at = min(now + look_s, now + look_s if at is None else at)
        if at is not None:
            self._until = at
            self._sleeping = self._own.start(self._sleep(max(2, at - now)), "scheduler sleeps")

    async def _due(self) -> list[int | None]:
        try:
            slept, self._slept = self._slept, False
            look = await self._rounds.look()
            if slept and look.agenda.passed:
                self._outbox.wake()
            elif slept and look.agenda.unsent:
                self._outbox.send()
            if look.due:
                await self._rounds.begin(look)
                self._again = False  # what has changed so far is seen by this look
                look = await self._rounds.look()
            return [self._rounds.next_due(look.agenda), *self._outbox.next_due(look.agenda)]
        except NotWritten:
            log.exception("what is due waits for room to be written down")
            return [self._rounds.now() + WRITE_RETRY_PAUSE_S]

    async def _sleep(self, pause: int) -> None:
        await asyncio.sleep(pause)
        self._sleeping = None  # it must not cancel itself
        self._slept = True
        self.look()
