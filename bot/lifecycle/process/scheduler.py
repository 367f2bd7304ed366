"""Sleeps until something is due: a deadline, or a message that waits for another try."""

from __future__ import annotations

import asyncio
import logging
from typing import Final

from bot.lifecycle.outbox.outbox import WRITE_RETRY_PAUSE_S, Outbox
from bot.lifecycle.process.own_tasks import OwnTasks
from bot.lifecycle.steps.runner import StepRunner
from bot.store import NotWritten
from bot.store.queries.messages import TURN_EDIT_INTERVAL_S

log = logging.getLogger(__name__)

SHUTDOWN_TIMEOUT_S: Final = 5.0
"""How long a bot that is being stopped waits for Discord to take the messages in hand."""


class Scheduler:
    """One sleeping task, set again whenever something has changed."""

    def __init__(self, rounds: StepRunner, outbox: Outbox) -> None:
        self._step_runner = rounds
        self._outbox = outbox
        self._own_tasks = OwnTasks()
        self._reschedule_task: asyncio.Task[None] | None = None
        self._sleep_task: asyncio.Task[None] | None = None
        self._must_reschedule = False
        self._woken = False
        """Whether something may be due that nobody has spoken of."""
        self._until = 0
        """When the sleeping task wakes, in Unix seconds, if there is one."""
        self._expected_at: int | None = None
        """When there may be something to do that was not looked for yet."""
        outbox.on_postponed = self.reschedule

    def on_change(self) -> None:
        """Something has changed: send what is wanted and look again when to wake."""
        self._outbox.wake()
        self.reschedule()

    def reschedule(self) -> None:
        """Look again when to wake."""
        self._must_reschedule = True
        if self._reschedule_task is None or self._reschedule_task.done():
            self._reschedule_task = self._own_tasks.start_task(self._reschedule(), "scheduler looks")

    def on_notification(self) -> None:
        """Another bot may have wanted messages or set deadlines: look for them."""
        self._woken = True
        self.reschedule()

    def wake_outbox_at(self, at: int) -> None:
        """Send what is wanted from this time on, in Unix seconds; that is known without a look now."""
        if at <= self._step_runner.now():
            self._outbox.send()
            return
        self._expected_at = at if self._expected_at is None else min(at, self._expected_at)
        if self._sleep_task is None or self._until > at:
            self._sleep_until(at)

    async def seconds_until_paused_edits(self) -> int:
        """Seconds until the edits that pause now are sent; 0 if there are none."""
        looked = self._reschedule_task is None or self._reschedule_task.done()
        if looked and (self._sleep_task is None or self._until > self._step_runner.now() + TURN_EDIT_INTERVAL_S):
            return 0  # it sleeps for longer than any edit pauses
        seconds = await self._outbox.seconds_until_paused_edits()
        return seconds or int(looked and self._until <= self._step_runner.now())  # it wakes just now, or in a moment

    async def close(self) -> None:
        """Stop: the steps in hand are finished, and the messages in hand if Discord takes them soon."""
        if self._sleep_task:
            self._sleep_task.cancel()
        await self._step_runner.close()
        while self._reschedule_task and not self._reschedule_task.done():
            await asyncio.shield(self._reschedule_task)
        await self._outbox.close(SHUTDOWN_TIMEOUT_S)
        if self._sleep_task:
            self._sleep_task.cancel()

    async def _reschedule(self) -> None:
        while self._must_reschedule:
            self._must_reschedule = False
            if self._expected_at is not None and self._expected_at <= self._step_runner.now():
                self._expected_at = None
            times = [time for time in (*await self._due_times(), self._expected_at) if time is not None]
            self._sleep_until(min(times, default=None))

    def _sleep_until(self, at: int | None) -> None:
        """Let the task sleep until then, but no longer than until the next beat; None: nothing is due.

        The machine's clock may be set meanwhile: the event loop sleeps by another one, which nobody sets.
        """
        if self._sleep_task:
            self._sleep_task.cancel()
            self._sleep_task = None
        now, look_s = self._step_runner.now(), self._step_runner.gaps.pulse.max_interval_s
        if look_s is not None:
            at = min(now + look_s, now + look_s if at is None else at)
        if at is not None:
            self._until = at
            self._sleep_task = self._own_tasks.start_task(self._sleep_then_wake(max(2, at - now)), "scheduler sleeps")

    async def _due_times(self) -> list[int | None]:
        try:
            slept, self._woken = self._woken, False
            look = await self._step_runner.find_due_work()
            if slept and look.agenda.has_due_removal:
                self._outbox.wake()
            elif slept and look.agenda.has_unsent:
                self._outbox.send()
            if look.is_due:
                await self._step_runner.start_due_work(look)
                self._must_reschedule = False  # what has changed so far is seen by this look
                look = await self._step_runner.find_due_work()
            return [self._step_runner.next_wake_time(look.agenda), *self._outbox.due_times(look.agenda)]
        except NotWritten:
            log.exception("what is due waits for room to be written down")
            return [self._step_runner.now() + WRITE_RETRY_PAUSE_S]

    async def _sleep_then_wake(self, pause: int) -> None:
        await asyncio.sleep(pause)
        self._sleep_task = None  # it must not cancel itself
        self._woken = True
        self.reschedule()
