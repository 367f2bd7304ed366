"""Metrics of the bot for Prometheus. Each bot has its own registry."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Final, Literal, Protocol

from prometheus_client import CollectorRegistry, Counter, Histogram, ProcessCollector, generate_latest
from prometheus_client import Gauge as Level

from bot.discord.delivery.refusals import DiscordRefusal, RefusalKind
from bot.lifecycle.outbox.outbox import RetryLater, SentMessage, Undeliverable
from bot.store.models.records import BotStatistics, OutboxMessage

DeliverFunction = Callable[..., Awaitable[SentMessage | None]]
AnswerOutcome = Literal["answered", "refused", "failed"]

OPEN_PHASES: Final = ("lobby", "running", "resolving")
PHASES: Final = (*OPEN_PHASES, "over", "cancelled")
_ANSWER_BUCKETS_S: Final = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 3.0, 10.0, 60.0)
"""Seconds. Discord waits 3 for an answer to a press."""
_DELAY_BUCKETS_S: Final = (1, 5, 15, 60, 300, 1800, 7200, 86400)


class WorkerLoad(Protocol):
    @property
    def job_count(self) -> int: ...

    @property
    def oldest_job_s(self) -> float: ...

    @property
    def replaced_count(self) -> int: ...


class Metrics:
    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        ProcessCollector(registry=self._registry)
        common: dict[str, Any] = {"namespace": "war_galley", "registry": self._registry}
        self._answers = Histogram(
            "answer_seconds",
            "From a press, command or direct message to the last part of the answer, by `what` and `outcome`",
            ("what", "outcome"),
            buckets=_ANSWER_BUCKETS_S,
            **common,
        )
        self._steps = Histogram(
            "step_seconds",
            "From the claim of a game to its stored step, by `system`; the count is the number of steps",
            ("system",),
            buckets=_ANSWER_BUCKETS_S,
            **common,
        )
        self._late = Histogram(
            "deadline_late_seconds",
            "How long after its deadline a phase was resolved",
            buckets=_DELAY_BUCKETS_S,
            **common,
        )
        self._messages = Counter(
            "messages",
            "Attempts to send messages, by `kind` (reminders are `remind`) and `outcome`",
            ("kind", "outcome"),
            **common,
        )
        self._refusals = Counter(
            "refusals",
            "What Discord refused, by its `code` (0: none) and its `meaning` (see bot/discord/delivery/refusals.py);"
            " not limits that pass within 30 seconds",
            ("code", "meaning"),
            **common,
        )
        self._quarantined = Level(
            "quarantined_timestamp_seconds",
            "When Discord last refused a direct message because it takes the bot for spam (code 20026); 0: never",
            **common,
        )
        self._old_edits = Counter(
            "old_edits",
            "Edits of messages older than an hour, which Discord limits more, by `kind`",
            ("kind",),
            **common,
        )
        self._not_kept = Counter(
            "pictures_not_kept",
            "Edits in which Discord refused to keep a message's picture, so that it was uploaded again",
            **common,
        )
        self._interactions = Counter(
            "interactions",
            "Requests to /interactions, by `outcome`: `taken`, `ping`, or why not",
            ("outcome",),
            **common,
        )
        self._errors = Counter("errors", "Bugs, each with its traceback in the log", **common)
        self._loop = Histogram("loop_lag_seconds", "How late the event loop was", buckets=_ANSWER_BUCKETS_S, **common)
        self._games = Level("games", "Games, by `phase`", ("phase",), **common)
        self._waiting = Level("outbox_waiting", "Messages that wait to be sent or edited", **common)
        self._oldest = Level("outbox_oldest_seconds", "Age of the oldest waiting message", **common)
        self._given_up = Level("outbox_given_up", "Messages that can never be delivered", **common)
        self._jobs = Level("worker_jobs", "Jobs that run or wait", **common)
        self._oldest_job = Level("worker_oldest_job_seconds", "Age of the oldest job", **common)
        self._replaced = Level(
            "workers_replaced", "Workers that died, or were killed because a job took too long", **common
        )
        self._page_bytes = Level("page_bytes", "What pages in the browser take on disk; measured every hour", **common)
        self._connected = Level("connected", "1 while Discord's gateway is connected", **common)

    # --- what happens --------------------------------------------------------------------------------------------

    def count_answer(self, what: str, outcome: AnswerOutcome, seconds: float) -> None:
        """Count a press, command or direct message and the seconds until its last answer."""
        self._answers.labels(what, outcome).observe(seconds)
        if outcome == "failed":
            self._errors.inc()

    def count_step(self, system: str, seconds: float, late_s: int | None) -> None:
        """Count a step; `late_s` is how long after its deadline it began, or None if no deadline caused it."""
        self._steps.labels(system).observe(seconds)
        if late_s is not None:
            self._late.observe(late_s)

    def note_page_size(self, size: int) -> None:
        self._page_bytes.set(size)

    def count_failed_step(self) -> None:
        self._errors.inc()

    def count_refusal(self, refusal: DiscordRefusal) -> None:
        self._refusals.labels(refusal.code, refusal.kind.value).inc()
        if refusal.kind is RefusalKind.QUARANTINED:
            self._quarantined.set_to_current_time()

    def count_unkept_picture(self) -> None:
        self._not_kept.inc()

    def count_interaction(self, outcome: str) -> None:
        self._interactions.labels(outcome).inc()

    def count_old_edit(self, kind: str) -> None:
        self._old_edits.labels(kind).inc()

    def instrument_delivery(self, deliver: DeliverFunction) -> DeliverFunction:
        """Return `deliver` so that it counts its attempts by outcome; an unexpected error counts as a bug.

        It gets a message and the data that the outbox has `loaded` for the message's batch, if any.
        """

        async def deliver_and_count(message: OutboxMessage, *loaded: object) -> SentMessage | None:
            outcome = "failed"
            try:
                sent_message = await deliver(message, *loaded)
                outcome = "sent"
            except RetryLater:
                outcome = "later"
                raise
            except Undeliverable:
                outcome = "undeliverable"
                raise
            finally:
                self._messages.labels(message.kind, outcome).inc()
                if outcome == "failed":
                    self._errors.inc()
            return sent_message

        return deliver_and_count

    def record_loop_lag(self, seconds: float) -> None:
        self._loop.observe(seconds)

    # --- what is asked for ---------------------------------------------------------------------------------------

    def render_metrics(self, statistics: BotStatistics | None, workers: WorkerLoad, *, connected: bool) -> bytes:
        """Return all metrics in Prometheus's text format.

        Without a `statistics`, figures of games and messages keep their last values.
        """
        self._connected.set(connected)
        self._jobs.set(workers.job_count)
        self._oldest_job.set(workers.oldest_job_s)
        self._replaced.set(workers.replaced_count)
        if statistics is not None:
            for phase in PHASES:
                self._games.labels(phase).set(statistics.games_by_phase.get(phase, 0))
            self._waiting.set(statistics.waiting_messages)
            self._oldest.set(statistics.oldest_waiting_s)
            self._given_up.set(statistics.undeliverable_messages)
        return generate_latest(self._registry)
