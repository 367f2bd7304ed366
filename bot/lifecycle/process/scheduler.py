"""Sleep until something is due: a deadline, a message to retry, a beat, or the end of a term."""

from __future__ import annotations

import asyncio
import logging
from typing import Final

from bot.lifecycle.outbox.outbox import WRITE_RETRY_PAUSE_S, Outbox
from bot.lifecycle.process.own_tasks import OwnTasks
from bot.lifecycle.process.terms import TermKeeper
from bot.lifecycle.steps.runner import StepRunner
from bot.store import NotWritten
from bot.store.queries.messages import TURN_EDIT_INTERVAL_S

log = logging.getLogger(__name__)

SHUTDOWN_TIMEOUT_S: Final = 5.0


class Scheduler:
    """Wakes the step runner and the outbox when something is due, with one sleeping task."""

    def __init__(self, rounds: StepRunner, outbox: Outbox, terms: TermKeeper) -> None:
        self._step_runner = rounds
        self._terms = terms
        self._outbox = outbox
        self._own_tasks = OwnTasks()
        self._reschedule_task: asyncio.Task[None] | None = None
        self._sleep_task: asyncio.Task[None] | None = None
        self._must_reschedule = False
        self._is_closed = False
        self._woken = False  # whether the next look must also send and delete waiting messages
        self._wakes_at = 0  # Unix seconds
        self._expected_at: int | None = None
        """When messages scheduled by `wake_outbox_at` are due (Unix seconds), or None."""

    def on_change(self) -> None:
        self._outbox.wake()
        self.reschedule()

    def reschedule(self) -> None:
        if self._is_closed:
            return
        self._must_reschedule = True
        if self._reschedule_task is None or self._reschedule_task.done():
            self._reschedule_task = self._own_tasks.start_task(self._reschedule(), "scheduler looks")

    def on_notification(self) -> None:
        self._woken = True
        self.reschedule()

    def wake_outbox_at(self, at: int) -> None:
        """Send messages from a time on (Unix seconds), without reading the database now."""
        if at <= self._step_runner.now():
            self._outbox.send()
            return
        self._expected_at = at if self._expected_at is None else min(at, self._expected_at)
        if self._sleep_task is None or self._wakes_at > at:
            self._sleep_until(at)

    async def seconds_until_paused_edits(self) -> int:
        """Return the seconds until the next rate-limited edit is sent; 0 if there is none."""
        is_idle = self._reschedule_task is None or self._reschedule_task.done()
        if is_idle and (self._sleep_task is None or self._wakes_at > self._step_runner.now() + TURN_EDIT_INTERVAL_S):
            return 0  # it sleeps longer than edits are delayed
        if seconds := await self._outbox.seconds_until_paused_edits():
            return seconds
        is_waking_up = is_idle and self._wakes_at <= self._step_runner.now()
        return 1 if is_waking_up else 0

    async def close(self) -> None:
        if self._sleep_task:
            self._sleep_task.cancel()
        await self._step_runner.close()
        await self._wait_until_rescheduled()
        await self._outbox.close(SHUTDOWN_TIMEOUT_S)
        self._is_closed = True  # what is shown or written from now on is looked at by the next start
        await self._wait_until_rescheduled()
        if self._sleep_task:
            self._sleep_task.cancel()

    async def _wait_until_rescheduled(self) -> None:
        while self._reschedule_task and not self._reschedule_task.done():
            await asyncio.shield(self._reschedule_task)

    async def _reschedule(self) -> None:
        while self._must_reschedule:
            self._must_reschedule = False
            if self._expected_at is not None and self._expected_at <= self._step_runner.now():
                self._expected_at = None
            times = [time for time in (*await self._due_times(), self._expected_at) if time is not None]
            self._sleep_until(min(times, default=None))

    def _sleep_until(self, at: int | None) -> None:
        """Sleep until `at` (Unix seconds; None: nothing is due), but no longer than until the next beat.

        The event loop's clock is monotonic: setting the machine's clock does not affect the sleep.
        """
        if self._sleep_task:
            self._sleep_task.cancel()
            self._sleep_task = None
        now = self._step_runner.now()
        max_sleep_s = self._step_runner.gaps.pulse.max_interval_s
        if max_sleep_s is not None:
            at = now + max_sleep_s if at is None else min(now + max_sleep_s, at)
        if at is not None:
            self._wakes_at = at
            self._sleep_task = self._own_tasks.start_task(self._sleep_then_wake(max(2, at - now)), "scheduler sleeps")

    async def _due_times(self) -> list[int | None]:
        """Start what is due, and return when something will be due next (Unix seconds; None: nothing)."""
        try:
            was_woken = self._woken
            self._woken = False
            work = await self._step_runner.find_due_work(self._terms.find_due)
            self._terms.start_due()
            if was_woken and work.agenda.has_due_removal:
                self._outbox.wake()
            elif was_woken and work.agenda.has_unsent:
                self._outbox.send()
            if work.is_due:
                await self._step_runner.start_due_work(work)
                self._must_reschedule = False  # the next read includes all changes so far
                work = await self._step_runner.find_due_work()
            wake_times = (self._step_runner.next_wake_time(work.agenda), self._terms.next_check_at)
            return [*wake_times, *self._outbox.due_times(work.agenda)]
        except NotWritten:
            log.exception("what is due waits for room to be written down")
            return [self._step_runner.now() + WRITE_RETRY_PAUSE_S]

    async def _sleep_then_wake(self, pause: int) -> None:
        await asyncio.sleep(pause)
        self._sleep_task = None  # it must not cancel itself
        self._woken = True
        self.reschedule()
