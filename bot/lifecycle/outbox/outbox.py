"""Send the messages requested by committed transactions: at least once each, editing rather than posting twice.

Tries are counted in the database before they are made, and results are recorded after. After a crash in between, a
message may already be on Discord; it is looked for before it is sent again. Messages of one game to one place are sent
in order. Different games are sent concurrently.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import asynccontextmanager, nullcontext
from functools import partial
from typing import Any, Final

from msgspec import Struct, structs

from bot import logs
from bot.errors import Refusal, is_game_gone
from bot.jobs.turns import mark_background
from bot.lifecycle.outbox.outage import OutageMonitor
from bot.lifecycle.outbox.removing import MessageDeleter
from bot.lifecycle.process.own_tasks import OwnTasks
from bot.lifecycle.process.tenure import LeaseLost, OwnershipCheck, always_owned, require_ownership
from bot.store import NotWritten, Store
from bot.store.models.records import OutboxMessage, Removal
from bot.store.models.subjects import StepSubject
from bot.store.queries import messages
from bot.store.queries.agenda import DueTimes
from bot.store.queries.messages import MAX_RETRY_PAUSE_S, MAX_TRIES_IN_ORDER, SLOW_RETRY_PAUSE_S
from bot.store.queries.publications import ShownHash
from bot.store.queries.transaction import Transaction
from bot.urgency import as_awaited

log = logging.getLogger(__name__)

MAX_BATCH: Final = 50
WRITE_RETRY_PAUSE_S: Final = 60
ARRIVAL_TIMEOUT_S: Final = 3.0  # how long a captain's own message waits for a message that others see
SLOW_GAME_S: Final = 2.0
"""A game that takes longer gives up its place among the concurrent games and continues without one."""
RECORD_INTERVAL_S: Final = 1.0
MAX_CONCURRENT_GAMES: Final = 8
MAX_CONCURRENT_PLACES: Final = 4
PENDING_RETRY_S: Final = 60
"""Seconds after which a message that lacks its picture is tried again: the time limit of drawing (`JobLimits`)."""


class PendingPicture(Struct, frozen=True, eq=False):
    picture_task: asyncio.Future[Any]  # done when the picture is drawn
    on_abandoned: Callable[[], None]  # called if the message does not need the picture any more


class SentMessage(Struct, frozen=True, kw_only=True):
    channel_id: int  # where Discord shows the message
    message_id: int  # Discord's id of the message
    content_hash: str  # fingerprint of what the message shows
    is_edit: bool  # whether an earlier message was edited instead of posting a new one
    was_requested: bool = True  # whether Discord was called; False if the message already showed the content
    guild_id: int = 0  # the Discord server; 0: unknown
    published_hashes: tuple[ShownHash, ...] = ()  # hashes of seeds and seals that its text shows
    pending_picture: PendingPicture | None = None
    """A picture that is still being drawn; the message is edited when it is ready."""

    @property
    def link(self) -> str:
        return f"https://discord.com/channels/{self.guild_id}/{self.channel_id}/{self.message_id}"


class DeliveryResult(Struct, frozen=True):
    message: OutboxMessage  # the row as it was read before the try
    sent: SentMessage | None = None  # delivered message; None if it was not delivered or had nothing to show
    problem: str = ""  # reason why the message can never be delivered; "" if there is none
    due_at: int | None = None  # when to try again (Unix seconds); None: not again
    attempts: int = 0  # how many failed tries to count before the next one
    is_untried: bool = False  # the message was left alone: its counted try is taken back
    lets_others_pass: bool = True  # whether later messages to the same place may be sent before it

    @property
    def is_handled(self) -> bool:
        return not (self.is_untried or self.problem or self.due_at is not None)

    @property
    def place_columns(self) -> dict[str, int]:
        return {"channel_id": self.sent.channel_id, "message_id": self.sent.message_id} if self.sent else {}

    def has_moved(self, current: OutboxMessage) -> bool:
        return current.message_id != self.message.message_id

    def updated_row(self, row: OutboxMessage, now: int) -> OutboxMessage:
        """Return the row with this result. A newer request for the message, made meanwhile, is kept."""
        was_requested_again = row.wanted > self.message.wanted
        if self.is_untried:
            # The try that was counted beforehand is taken back, unless another process has tried since.
            is_own_try = row.attempts == self.message.attempts + 1
            return structs.replace(row, attempts=self.message.attempts) if is_own_try else row
        if not self.is_handled:
            retry_columns = {} if self.due_at is None else {"due_at": self.due_at, "attempts": self.attempts}
            return structs.replace(row, problem=self.problem or None, **retry_columns)
        sent_version = max(row.sent, self.message.wanted)
        if self.sent is None:
            return structs.replace(row, sent=sent_version, attempts=0, shown=None)
        # A press has shown newer content meanwhile.
        fingerprint = None if row.sent > self.message.wanted else self.sent.content_hash
        updated = structs.replace(row, attempts=0, shown=fingerprint, **self.place_columns)
        if self.sent.pending_picture:
            return structs.replace(updated, due_at=row.due_at if was_requested_again else now + PENDING_RETRY_S)
        if not self.sent.is_edit:
            # The first message of a shared clock's turn already starts the pause between edits.
            on_clock = isinstance(self.message.subject, StepSubject) and self.message.subject.clock
            return structs.replace(updated, sent=sent_version, edited_at=now if on_clock else row.edited_at)
        due_at = max(row.due_at, now + messages.EDIT_INTERVAL_S) if was_requested_again else row.due_at
        return structs.replace(updated, sent=sent_version, due_at=due_at, edited_at=now)


class Undeliverable(Exception):
    """The message can never arrive. The text is stored as the reason."""


class Superseded(Exception):
    pass


class RetryLater(Exception):
    """Discord cannot take the message now; it is retried without a limit of time."""

    def __init__(self, reason: str, *, pause_s: int = 0, holds_up: bool = True) -> None:
        super().__init__(reason)
        self.pause_s = pause_s
        self.blocks_place = holds_up
        """Whether later messages to the same place must wait too. Edits stay in place and may be overtaken."""


class DiscordUnavailable(RetryLater):
    pass


class PermissionMissing(RetryLater):
    pass


class UnexpectedRefusal(RetryLater):
    """Discord refused for an unknown reason. After some tries later messages stop waiting for this one."""


class Outbox:
    """Sends all pending messages whenever it is woken; messages of one game to one place stay in order."""

    def __init__(
        self,
        store: Store,
        now: Callable[[], int],
        deliver: Callable[..., Awaitable[SentMessage | None]],
        *,
        load: Callable[[Sequence[OutboxMessage]], Awaitable[Any]] | None = None,
        may_send_in_parallel: Callable[[Any], bool] = lambda _: False,
        slow_s: float = SLOW_GAME_S,
        rest_until: Callable[[], int | None] = lambda: None,
        excluded_systems: Callable[[], Collection[str]] = tuple,
        delete: Callable[[Removal], Awaitable[None]] | None = None,
        ownership_check: Callable[[], OwnershipCheck] = lambda: always_owned,
        on_postponed: Callable[[], None] = lambda: None,
        on_shown: Callable[[int], None] = lambda _: None,
    ) -> None:
        """Create an outbox. It calls `on_postponed` when messages or deletions must be tried again later.

        It calls `on_shown` with a game's id when it has stored that the game's thread or channel shows messages.

        `load` reads what a batch of one game's messages needs; `deliver` sends one of them and gets the loaded data,
        too. Nothing is sent before `rest_until` (Unix seconds).
        """
        self._store = store
        self._own_tasks = OwnTasks()
        self._clock = now
        self._deliver = deliver
        self._load = load
        self._may_send_in_parallel = may_send_in_parallel
        """Return, from the loaded data, whether messages of a game to different places may be sent concurrently."""
        self._rest_until = rest_until
        self._excluded_systems = excluded_systems
        self._ownership_check = ownership_check
        self._game_slots = asyncio.Semaphore(MAX_CONCURRENT_GAMES)
        self._slow_game_s = slow_s
        self._task: asyncio.Task[None] | None = None
        self._must_read = False  # whether to read the waiting messages again
        self._has_backlog = False  # whether the last read was cut off at `MAX_BATCH`
        self._wake_event = asyncio.Event()
        self._closed = False
        self._blocked_until_s: int | None = None  # Unix seconds; None: nothing keeps messages from being sent
        self.outage = OutageMonitor()
        self._on_postponed = on_postponed
        self._on_shown = on_shown
        self._arrival_events: dict[tuple[int, str], asyncio.Event] = {}
        """Events of messages for whose arrival a press waits, by (game id, key)."""
        self._finished_pictures: dict[int, tuple[OutboxMessage, PendingPicture]] = {}  # by message id, not recorded yet
        self._may_delete = False  # whether obsolete messages may be due for deletion
        self._picture_tasks: dict[asyncio.Task[None], PendingPicture] = {}
        self._deleter = MessageDeleter(store, now, delete, on_postponed) if delete else None

    def wake(self) -> None:
        self._may_delete = True
        self.send()

    def send(self) -> None:
        self._must_read = not self._closed
        self._wake_event.set()
        if self._must_read and (self._task is None or self._task.done()):
            self._task = self._own_tasks.start_task(self._drain(), "outbox")

    async def retry_now(self, guild_id: int | None = None) -> None:
        """Make all waiting messages due now, of one server or (None) everywhere: Discord seems to take them again."""
        self.outage.probe_now()
        async with self._store.write(of_many=True) as tx:
            if guild_id is None:
                await tx.messages.retry_waiting(now=self._clock())
            else:
                await tx.messages.make_public_due(now=self._clock(), guild_id=guild_id)
        self.wake()

    async def settle(self) -> None:
        """Wait until nothing is being sent, drawn for a message, or deleted."""
        while (self._task and not self._task.done()) or self._picture_tasks:
            tasks = [*self._picture_tasks]
            if self._task:
                tasks.append(self._task)
            await asyncio.wait([task for task in tasks if not task.done()], return_when=asyncio.FIRST_COMPLETED)
        if self._deleter:
            await self._deleter.settle()

    async def close(self, most_s: float) -> None:
        self._closed = True
        if self._task and not self._task.done():
            await asyncio.wait([self._task], timeout=most_s)
            self._task.cancel()
            await asyncio.wait([self._task])
        for picture_task in self._picture_tasks:
            picture_task.cancel()
        await asyncio.gather(*self._picture_tasks, return_exceptions=True)
        if self._deleter:
            await self._deleter.close()

    async def wait_for_arrival(self, game_id: int, key: str) -> None:
        """Wait until a message is posted, but at most `ARRIVAL_TIMEOUT_S`."""
        arrived = self._arrival_events.setdefault((game_id, key), asyncio.Event())
        async with self._store.read() as tx:
            message = await tx.messages.find(game_id, key)
        if message and message.message_id is None:
            wait_task = asyncio.create_task(arrived.wait())
            await asyncio.wait([wait_task], timeout=ARRIVAL_TIMEOUT_S)
            wait_task.cancel()
        self._arrival_events.pop((game_id, key), None)

    def due_times(self, agenda: DueTimes) -> list[int | None]:
        return [agenda.next_message, agenda.next_removal if self._deleter else None, self._blocked_until_s]

    async def seconds_until_paused_edits(self) -> int:
        """Return the seconds until the next rate-limited edit is sent; 0 if there is none."""
        async with self._store.read() as tx:
            due = await tx.messages.next_paused_edit(after=self._clock())
        return due - self._clock() if due else 0

    async def _drain(self) -> None:
        """Send all that is due. If the database cannot be written, try again later."""
        mark_background()
        self._blocked_until_s = None
        try:
            await self._drain_all()
        except NotWritten:
            # Messages sent meanwhile may not be recorded; they are looked for before they are sent again.
            log.exception("messages wait for room to be written down")
            self._blocked_until_s = self._clock() + WRITE_RETRY_PAUSE_S
            self._on_postponed()
            return
        self._start_deletion()
        self._may_delete = False

    async def _drain_all(self) -> None:
        """Send pending messages, several games at once, until nothing is left to read."""
        sending: dict[int, asyncio.Task[bool]] = {}  # by game id; True: the game has more to send
        reread_games: set[int] = set()
        try:
            while self._must_read or sending:
                if self._must_read and not (self.outage.is_active and sending):
                    self._must_read = False
                    reread_games |= sending.keys()  # this read leaves out their new messages
                    for messages in await self._read_unsent(sending):
                        send = self._send_in_order(messages)
                        sending[messages[0].game_id] = asyncio.create_task(send, name="outbox of a game")
                for game_id in await self._wait_for_game(sending):
                    has_more = sending.pop(game_id).result()
                    must_read = has_more or self._has_backlog or game_id in reread_games or self.outage.is_active
                    reread_games.discard(game_id)
                    if must_read and not self._closed:
                        self._must_read = True  # for a backlog, newer requests, or the end of an outage
                    self._start_deletion()
        except asyncio.CancelledError:
            for task in sending.values():
                task.cancel()
            raise
        finally:
            await asyncio.gather(*sending.values(), return_exceptions=True)

    async def _read_unsent(self, busy: Collection[int]) -> list[list[OutboxMessage]]:
        """Return pending messages by game, without `busy` games; in an outage, only one message as a probe."""
        blocked_until = self._blocked_until()
        if blocked_until is not None:
            self._blocked_until_s = blocked_until
            self._on_postponed()
            return []
        async with self._store.read() as tx:
            waiting = await tx.messages.unsent(
                now=self._clock(), most=MAX_BATCH, excluded_systems=self._excluded_systems(), busy=busy
            )
        self._has_backlog = len(waiting) == MAX_BATCH
        if self._has_backlog and not (self._closed or self.outage.is_active):
            self._must_read = True  # other games do not wait for one long backlog
        by_game: dict[int, list[OutboxMessage]] = defaultdict(list)
        for message in waiting:
            by_game[message.game_id].append(message)
        if self.outage.is_active and waiting:
            first_messages = {messages[0].id: messages[:1] for messages in by_game.values()}
            return [first_messages[self.outage.next_probe([*first_messages])]]
        return [*by_game.values()]

    async def _wait_for_game(self, sending: Mapping[int, asyncio.Task[bool]]) -> list[int]:
        self._wake_event.clear()
        if not sending or (self._must_read and not self.outage.is_active):
            return []
        woken = asyncio.create_task(self._wake_event.wait())
        try:
            await asyncio.wait([*sending.values(), woken], return_when=asyncio.FIRST_COMPLETED)
        finally:
            woken.cancel()
        return [game_id for game_id, task in sending.items() if task.done()]

    def _start_deletion(self) -> None:
        if self._deleter and self._may_delete and self._blocked_until_s is None and not self.outage.is_active:
            self._deleter.wake()

    def _blocked_until(self) -> int | None:
        if (until := self._rest_until()) is not None:
            log.warning("outbox rests: too many refusals", extra={"seconds": until - self._clock()})
            return until
        return self.outage.next_probe_at if self.outage.is_active and self.outage.must_wait(self._clock()) else None

    @asynccontextmanager
    async def _send_slot(self) -> AsyncIterator[None]:
        """Hold a place among the concurrent games, but give it up after `_slow_game_s` seconds."""
        await self._game_slots.acquire()
        is_held = True

        def release() -> None:
            nonlocal is_held
            if is_held:
                is_held = False
                self._game_slots.release()

        release_timer = asyncio.get_running_loop().call_later(self._slow_game_s, release)
        try:
            yield
        finally:
            release_timer.cancel()
            release()

    async def _send_in_order(self, messages: list[OutboxMessage]) -> bool:
        """Send a game's messages, in order to each place. Return whether there may be more to send."""
        is_probe = self.outage.is_active
        blocked: set[tuple[int | None, bool]] = set()
        untried = {message.id: message for message in messages}
        results: list[DeliveryResult] = []
        may_have_more = False
        recorded_at = time.monotonic()

        async def send_all(batch: Sequence[OutboxMessage], *loaded: object) -> None:
            nonlocal results, may_have_more, recorded_at
            for message in batch:
                if self._closed or message.delivery_lane in blocked or (self.outage.is_active and not is_probe):
                    continue  # a later message must not overtake a failed one
                del untried[message.id]
                with logs.bind_values(game=message.game_id, message=message.key):
                    result = await self._send(message, *loaded)
                results.append(result)
                if not result.lets_others_pass:
                    blocked.add(message.delivery_lane)
                if time.monotonic() - recorded_at > RECORD_INTERVAL_S:
                    results_so_far = results
                    results = []
                    recorded_at = time.monotonic()
                    may_have_more |= await self._record(results_so_far)

        async with self._send_slot():
            if self._closed:
                return False
            # Captains who wait for the next request wait for this write, too.
            has_new_message = any(message.message_id is None for message in messages)
            check_ownership = self._ownership_check()
            with as_awaited() if has_new_message else nullcontext():
                # Tries are counted first: after a crash, the message may be on Discord and is looked for.
                counted = await self._store.write_shared(lambda tx: tx.messages.count_tries(messages))
            untried = {row_id: message for row_id, message in untried.items() if row_id in counted}
            if not (messages := [*untried.values()]):
                return False
            try:
                try:
                    loaded = (await self._load(messages),) if self._load else ()
                except Refusal as refusal:
                    if not is_game_gone(refusal):
                        raise
                    return False
                is_parallel = bool(loaded) and self._may_send_in_parallel(*loaded)
                batches = _by_place(messages) if is_parallel else [messages]
                with require_ownership(check_ownership):
                    await _run_limited([partial(send_all, place_batch, *loaded) for place_batch in batches])
            finally:
                may_have_more |= await self._record(
                    [*results, *(DeliveryResult(message, is_untried=True) for message in untried.values())]
                )
        return may_have_more or is_probe  # in an outage only the probe was read

    async def _send(self, message: OutboxMessage, *loaded: object) -> DeliveryResult:
        """Try to deliver a message. `loaded` is what `load` has read for the message's batch, if anything."""
        # New messages are urgent: the captain who sealed last waits for the next request, which follows the story.
        is_new = message.message_id is None
        try:
            with as_awaited() if is_new else nullcontext():
                sent = await self._deliver(message, *loaded)
        except Undeliverable as reason:
            log.warning("message cannot be delivered", extra={"why": str(reason)})
            return DeliveryResult(message, problem=str(reason)[:200])
        except RetryLater as reason:
            return self._postpone(message, reason)
        except Superseded:
            log.debug("message overtaken by a press")
            return DeliveryResult(message, is_untried=True)
        except LeaseLost:
            log.info("message left to another bot")
            return DeliveryResult(message, is_untried=True, lets_others_pass=False)
        except NotWritten:
            raise
        except Exception as fault:  # noqa: BLE001 - logged there
            return self._result_after_error(message, fault)
        log.debug("message sent" if sent else "nothing to show")
        if sent and sent.was_requested and self.outage.is_active and self.outage.note_success(self._clock()):
            await self.retry_now()
        return DeliveryResult(message, sent)

    def _result_after_error(self, message: OutboxMessage, fault: Exception) -> DeliveryResult:
        if is_game_gone(fault):
            log.info("game has been deleted")
            return DeliveryResult(message, is_untried=True, lets_others_pass=False)
        log.error("message could not be made", exc_info=fault)
        return self._postpone(message, UnexpectedRefusal("failed"))

    async def _record(self, results: Sequence[DeliveryResult]) -> bool:
        """Store the results of one game's messages. Return whether a message must be sent again."""
        if not results:
            return False
        now = self._clock()

        async def note(tx: Transaction) -> tuple[bool, bool, bool]:
            """Return whether messages were queued for deletion, one must be sent again, and one is retried later."""
            await tx.games.lock_game(results[0].message.game_id)
            rows = await tx.messages.by_ids([result.message.id for result in results])
            known_results = [result for result in results if result.message.id in rows]
            if not known_results:  # the game may have been deleted
                return False, False, False
            moved_results = [
                result for result in known_results if result.is_handled and result.has_moved(rows[result.message.id])
            ]
            unmoved_results = [result for result in known_results if result not in moved_results]
            await tx.messages.record([result.updated_row(rows[result.message.id], now) for result in unmoved_results])
            # A message deleted meanwhile is sent again if it was requested since. The copy just sent is removed.
            messages_to_delete = [structs.replace(result.message, **result.place_columns) for result in moved_results]
            messages_to_delete += [
                result.message for result in unmoved_results if result.is_handled and result.sent is None
            ]
            await tx.removals.take_away(messages_to_delete, now=now)
            hashes = [
                (shown_hash, result.sent.link)
                for result in results
                if result.sent
                for shown_hash in result.sent.published_hashes
            ]
            await tx.published_hashes.note_published(results[0].message.game_id, hashes, now=now)
            requested_again = any(
                rows[result.message.id].wanted > result.message.wanted
                for result in unmoved_results
                if result.is_handled
            )
            has_retries = any(result.due_at is not None for result in known_results)
            return bool(messages_to_delete), bool(moved_results) or requested_again, has_retries

        has_removals, must_resend, has_retries = await self._store.write_shared(note)
        if any(result.sent and result.message.user_id is None for result in results):
            self._on_shown(results[0].message.game_id)
        self._may_delete |= has_removals
        if must_resend or has_retries:
            self._on_postponed()
        for result in results:
            if result.is_handled:
                self._note_arrival(result.message, result.sent)
        return must_resend

    def _note_arrival(self, message: OutboxMessage, sent: SentMessage | None) -> None:
        if awaited := self._arrival_events.get((message.game_id, message.key)):
            awaited.set()
        if sent and sent.pending_picture:
            self._on_postponed()
            if sent.pending_picture in self._picture_tasks.values():
                return
            task = asyncio.create_task(self._finish_picture(message, sent.pending_picture), name="what a message lacks")
            self._picture_tasks[task] = sent.pending_picture
            task.add_done_callback(self._picture_tasks.pop)

    async def _finish_picture(self, message: OutboxMessage, pending: PendingPicture) -> None:
        """Wait for a message's picture, then let the outbox edit all messages whose pictures are ready."""
        try:
            await asyncio.wait([pending.picture_task])
        except asyncio.CancelledError:
            pending.picture_task.cancel()  # the next start draws it again
            raise
        if not pending.picture_task.cancelled():
            pending.picture_task.exception()  # it is logged when drawing fails again
        self._finished_pictures[message.id] = (message, pending)
        await asyncio.sleep(0)  # pictures that finish together are recorded together
        if message.id not in self._finished_pictures:
            return
        finished_pictures = self._finished_pictures
        self._finished_pictures = {}
        try:
            async with self._store.write() as tx:
                waiting_ids = await tx.messages.mark_completed(
                    [message for message, _ in finished_pictures.values()], now=self._clock()
                )
        except NotWritten:
            log.exception("a message is completed when it is looked at anew")
            return
        for row_id, (_, finished) in finished_pictures.items():
            if row_id not in waiting_ids:
                finished.on_abandoned()  # the message was completed otherwise, or has other content by now
        if waiting_ids:
            self.wake()

    def _postpone(self, message: OutboxMessage, reason: RetryLater) -> DeliveryResult:
        """Return when to retry a message, and whether later messages to the same place may be sent before it."""
        now = self._clock()
        # One try is kept, so that the message is looked for on Discord before it is sent again.
        tries = max(1, message.attempts) if reason.blocks_place else 0
        # Pause as long as it has waited, which doubles the pause and survives restarts and newer requests.
        pause_s = min(MAX_RETRY_PAUSE_S, max(2, now - message.wanted_at))
        lets_others_pass = not reason.blocks_place
        match reason:
            case DiscordUnavailable():
                self.outage.note_failure(message.id, now, str(reason))
                pause_s = max(2, self.outage.next_probe_at - now)
            case UnexpectedRefusal():
                tries = message.attempts + 1
                lets_others_pass = tries >= MAX_TRIES_IN_ORDER
                pause_s = SLOW_RETRY_PAUSE_S if lets_others_pass else min(MAX_RETRY_PAUSE_S, 2**tries)
        pause_s = max(pause_s, reason.pause_s)
        if not isinstance(reason, DiscordUnavailable):
            log.warning("message waits", extra={"seconds": pause_s, "why": str(reason)})
        return DeliveryResult(message, due_at=now + pause_s, attempts=tries, lets_others_pass=lets_others_pass)


def _by_place(messages: Sequence[OutboxMessage]) -> list[list[OutboxMessage]]:
    by_lane: dict[tuple[int | None, bool], list[OutboxMessage]] = defaultdict(list)
    for message in messages:
        by_lane[message.delivery_lane].append(message)
    return [*by_lane.values()]


async def _run_limited(calls: Sequence[Callable[[], Awaitable[None]]]) -> None:
    """Await these calls, `MAX_CONCURRENT_PLACES` at once. Raise the first error once the others have stopped."""
    places = asyncio.Semaphore(MAX_CONCURRENT_PLACES)

    async def in_turn(call: Callable[[], Awaitable[None]]) -> None:
        async with places:
            await call()

    if len(calls) == 1:
        await calls[0]()
        return
    tasks = [asyncio.create_task(in_turn(call), name="messages to a place") for call in calls]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
