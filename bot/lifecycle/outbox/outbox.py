"""The outbox: sends what was wanted in a committed transaction, at least once, and edits rather than doubles."""

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
"""Messages that are read at once."""
WRITE_RETRY_PAUSE_S: Final = 60
"""Seconds until the next try when the database takes nothing."""
ARRIVAL_TIMEOUT_S: Final = 3.0
"""How many seconds somebody waits for a message that others see, before they see their own."""
SLOW_GAME_S: Final = 2.0
"""Seconds for which a game that is being told keeps its place: slow ones go on without, so that they take none."""
RECORD_INTERVAL_S: Final = 1.0
"""Seconds for which messages of a game are sent before it is written down what has become of them."""
MAX_CONCURRENT_PLACES: Final = 4
"""Places to which messages of one game go at a time: who waits for a panel waits for no story with a picture."""
PENDING_RETRY_S: Final = 60
"""Seconds after which a message without its picture is looked at again: as long as drawing may take (`Limits`)."""


class PendingPicture(Struct, frozen=True, eq=False):
    """A message's picture that is still being drawn."""

    picture_task: asyncio.Future[Any]
    on_abandoned: Callable[[], None]
    """To be called if nobody wants it any more."""


class SentMessage(Struct, frozen=True, kw_only=True):
    """Where a message is now, and what it shows."""

    channel_id: int
    message_id: int
    content_hash: str
    """Fingerprint of it."""
    is_edit: bool
    """Whether it took an edit."""
    was_requested: bool = True
    """Whether Discord was asked for it; not where it showed all of that already."""
    guild_id: int = 0
    """Of the game's server."""
    published_hashes: tuple[ShownHash, ...] = ()
    """What it publishes for good."""
    pending_picture: PendingPicture | None = None
    """Its picture, if that is still being drawn; the message is edited once it is there."""

    @property
    def link(self) -> str:
        """To the message."""
        return f"https://discord.com/channels/{self.guild_id}/{self.channel_id}/{self.message_id}"


class DeliveryResult(Struct, frozen=True):
    """What has become of a message that was to be sent."""

    message: OutboxMessage
    """As it was wanted when it was read."""
    sent: SentMessage | None = None
    """Where it is now; None: there was nothing to show, if nothing below says otherwise."""
    problem: str = ""
    """Why it can never arrive."""
    due_at: int | None = None
    """When it is tried again."""
    attempts: int = 0
    """How many tries of it count then."""
    is_untried: bool = False
    """The message was not sent, and its row stays as it was before this try."""
    lets_others_pass: bool = True
    """Whether what follows to the same place may be sent."""

    @property
    def is_handled(self) -> bool:
        """Whether it was dealt with, whatever it showed."""
        return not (self.is_untried or self.problem or self.due_at is not None)

    @property
    def place_columns(self) -> dict[str, int]:
        """Where it is now, as columns of its row."""
        return {"channel_id": self.sent.channel_id, "message_id": self.sent.message_id} if self.sent else {}

    def has_moved(self, row: OutboxMessage) -> bool:
        """Whether it stands no more where it stood when it was read: what was done there has been in vain."""
        return row.message_id != self.message.message_id

    def updated_row(self, row: OutboxMessage, now: int) -> OutboxMessage:
        """Its row as it must be stored; it may be wanted again by now."""
        renewed = row.wanted > self.message.wanted
        if self.is_untried:
            same = row.attempts == self.message.attempts + 1
            return structs.replace(row, attempts=self.message.attempts) if same else row
        if not self.is_handled:
            waits = {} if self.due_at is None else {"due_at": self.due_at, "attempts": self.attempts}
            return structs.replace(row, problem=self.problem or None, **waits)
        seen = max(row.sent, self.message.wanted)
        if self.sent is None:
            return structs.replace(row, sent=seen, attempts=0, shown=None)
        # What a press has shown since came after this.
        fingerprint = None if row.sent > self.message.wanted else self.sent.content_hash
        shown = structs.replace(row, attempts=0, shown=fingerprint, **self.place_columns)
        if self.sent.pending_picture:
            return structs.replace(shown, due_at=row.due_at if renewed else now + PENDING_RETRY_S)
        if not self.sent.is_edit:
            # The story of a turn in which somebody acts again and again rests from the first on.
            on_clock = isinstance(self.message.subject, StepSubject) and self.message.subject.clock
            return structs.replace(shown, sent=seen, edited_at=now if on_clock else row.edited_at)
        due_at = max(row.due_at, now + messages.EDIT_INTERVAL_S) if renewed else row.due_at
        return structs.replace(shown, sent=seen, due_at=due_at, edited_at=now)


class Undeliverable(Exception):
    """A message can never arrive; the reason is stored with it."""


class Superseded(Exception):
    """A press shows what is newer than what was to be sent: nothing is sent."""


class RetryLater(Exception):
    """Discord could not take the message just now: it waits, however long."""

    def __init__(self, reason: str, *, pause_s: int = 0, holds_up: bool = True) -> None:
        super().__init__(reason)
        self.pause_s = pause_s
        """Seconds that must pass before the next try."""
        self.blocks_place = holds_up
        """Whether what follows to the same place waits, too; an edit may be overtaken, as it stands where it stands."""


class DiscordUnavailable(RetryLater):
    """Discord takes nothing: neither this message nor, as long as it is so, any other."""


class PermissionMissing(RetryLater):
    """We lack a permission, or a place: the message waits until somebody gives it."""


class UnexpectedRefusal(RetryLater):
    """Nothing that we know will pass by itself: after some tries what follows no longer waits for it."""


class Outbox:
    """Drains the outbox whenever it is woken; messages of one game to one place never overtake each other."""

    def __init__(
        self,
        store: Store,
        now: Callable[[], int],
        deliver: Callable[..., Awaitable[SentMessage | None]],
        *,
        load: Callable[[Sequence[OutboxMessage]], Awaitable[Any]] | None = None,
        apart: Callable[[Any], bool] = lambda _: False,
        at_once: int = 8,
        slow_s: float = SLOW_GAME_S,
        rest_until: Callable[[], int | None] = lambda: None,
        but: Callable[[], Collection[str]] = tuple,
        delete: Callable[[Removal], Awaitable[None]] | None = None,
        tenure: Callable[[], OwnershipCheck] = lambda: always_owned,
    ) -> None:
        self._store = store
        self._own_tasks = OwnTasks()
        self._clock = now
        self._deliver = deliver
        """Sends a message, with what `load` has read for all of its game that are sent now, if anything loads."""
        self._load = load
        self._may_send_in_parallel = apart
        """Whether messages of a game to several places may be sent side by side, by what was loaded of it."""
        self._rest_until = rest_until
        """Until when nothing should be asked of Discord, so that it does not ban us; None: there is no need to rest."""
        self._excluded_systems = but
        """Games of which nothing is sent, by their kinds."""
        self._ownership_check = tenure
        """Gives what tells, later, whether what is ours to send now still is."""
        self._game_slots = asyncio.Semaphore(at_once)
        self._slow_game_s = slow_s
        self._task: asyncio.Task[None] | None = None
        self._must_read = False
        self._has_backlog = False
        """Whether there was more to be sent than was read last."""
        self._wake_event = asyncio.Event()
        """Set when there is more to be read while some games are being told."""
        self._closed = False
        self._blocked_until_s: int | None = None
        """Until when nothing is tried, because nothing can be written down, or Discord is away."""
        self.outage = OutageMonitor()
        self.on_postponed: Callable[[], None] = lambda: None
        """Called when a message waits for another try; `next_due` then says until when."""
        self._arrival_events: dict[tuple[int, str], asyncio.Event] = {}
        """Messages for whose arrival somebody waits, by game and key."""
        self._finished_pictures: dict[int, tuple[OutboxMessage, PendingPicture]] = {}
        """What messages lacked and is made, which is not written down yet; by their rows."""
        self._may_delete = False
        """Whether there may be something to delete."""
        self._picture_tasks: dict[asyncio.Task[None], PendingPicture] = {}
        """Wait until what a message lacks is made."""
        self._deleter = MessageDeleter(store, now, delete) if delete else None
        if self._deleter:
            self._deleter.on_postponed = self._notify_postponed

    def _notify_postponed(self) -> None:
        self.on_postponed()

    def wake(self) -> None:
        """Send what is wanted and delete what has passed, in the background."""
        self._may_delete = True
        self.send()

    def send(self) -> None:
        """Send what is wanted, in the background."""
        self._must_read = not self._closed
        self._wake_event.set()
        if self._must_read and (self._task is None or self._task.done()):
            self._task = self._own_tasks.start_task(self._drain(), "outbox")

    async def retry_now(self, guild_id: int | None = None) -> None:
        """Let nothing wait any longer, there is reason to believe that it arrives now: on a server, or anywhere."""
        self.outage.probe_now()
        async with self._store.write(of_many=True) as tx:
            if guild_id is None:
                await tx.messages.retry_waiting(now=self._clock())
            else:
                await tx.messages.make_public_due(now=self._clock(), guild_id=guild_id)
        self.wake()

    async def settle(self) -> None:
        """Wait until the present draining is over, and what followed from it."""
        while (self._task and not self._task.done()) or self._picture_tasks:
            tasks = [*self._picture_tasks, *([self._task] if self._task else [])]
            await asyncio.wait([task for task in tasks if not task.done()], return_when=asyncio.FIRST_COMPLETED)
        if self._deleter:
            await self._deleter.settle()

    async def close(self, most_s: float) -> None:
        """Begin no more messages; those in hand arrive if that takes no longer. The next start sends the rest."""
        self._closed = True
        if self._task and not self._task.done():
            await asyncio.wait([self._task], timeout=most_s)
            self._task.cancel()
            await asyncio.wait([self._task])
        for following in self._picture_tasks:
            following.cancel()
        await asyncio.gather(*self._picture_tasks, return_exceptions=True)
        if self._deleter:
            await self._deleter.close()

    async def wait_for_arrival(self, game_id: int, key: str) -> None:
        """Wait until a message that is wanted stands where it belongs, but no longer than `ARRIVAL_TIMEOUT_S`."""
        there = self._arrival_events.setdefault((game_id, key), asyncio.Event())
        async with self._store.read() as tx:
            message = await tx.messages.find(game_id, key)
        if message and message.message_id is None:
            waiting = asyncio.create_task(there.wait())
            await asyncio.wait([waiting], timeout=ARRIVAL_TIMEOUT_S)
            waiting.cancel()
        self._arrival_events.pop((game_id, key), None)

    def due_times(self, agenda: DueTimes) -> list[int | None]:
        """When messages are tried again, or deleted, in Unix seconds."""
        return [agenda.next_message, agenda.next_removal if self._deleter else None, self._blocked_until_s]

    async def seconds_until_paused_edits(self) -> int:
        """Seconds until the edits that pause now are sent; 0 if there are none."""
        async with self._store.read() as tx:
            due = await tx.messages.next_paused_edit(after=self._clock())
        return due - self._clock() if due else 0

    async def _drain(self) -> None:
        mark_background()
        self._blocked_until_s = None
        try:
            await self._drain_all()
        except NotWritten:
            # What was sent meanwhile is not known to be sent: it is looked for before it is sent again.
            log.exception("messages wait for room to be written down")
            self._blocked_until_s = self._clock() + WRITE_RETRY_PAUSE_S
            self.on_postponed()
            return
        self._start_deletion()
        self._may_delete = False

    async def _drain_all(self) -> None:
        """Give every game that has something to be told a task of its own, so that no slow one keeps others waiting."""
        sending: dict[int, asyncio.Task[bool]] = {}
        asked_anew: set[int] = set()
        try:
            while self._must_read or sending:
                if self._must_read and not (self.outage.is_active and sending):
                    self._must_read = False
                    asked_anew |= sending.keys()  # what they have to tell since they began is not read now
                    for messages in await self._read_unsent(sending):
                        send = self._send_in_order(messages)
                        sending[messages[0].game_id] = asyncio.create_task(send, name="outbox of a game")
                for game_id in await self._wait_for_game(sending):
                    renewed = sending.pop(game_id).result()
                    more = renewed or self._has_backlog or game_id in asked_anew or self.outage.is_active
                    asked_anew.discard(game_id)
                    if more and not self._closed:
                        self._must_read = True  # more than one read takes, newer wishes, or the end of an outage
                    self._start_deletion()
        except asyncio.CancelledError:
            for task in sending.values():
                task.cancel()
            raise
        finally:
            await asyncio.gather(*sending.values(), return_exceptions=True)

    async def _read_unsent(self, busy: Collection[int]) -> list[list[OutboxMessage]]:
        """What is to be sent now, game by game, of games that are not `busy`; in an outage one message to ask with."""
        if (until := self._blocked_until()) is not None:
            self._blocked_until_s = until
            self.on_postponed()
            return []
        async with self._store.read() as tx:
            waiting = await tx.messages.unsent(
                now=self._clock(), most=MAX_BATCH, but=self._excluded_systems(), busy=busy
            )
        self._has_backlog = len(waiting) == MAX_BATCH
        if self._has_backlog and not (self._closed or self.outage.is_active):
            self._must_read = True  # what lies behind a long backlog of one game waits for none of it
        by_game: dict[int, list[OutboxMessage]] = defaultdict(list)
        for message in waiting:
            by_game[message.game_id].append(message)
        if self.outage.is_active and waiting:
            firsts = {messages[0].id: messages[:1] for messages in by_game.values()}
            return [firsts[self.outage.next_probe([*firsts])]]
        return [*by_game.values()]

    async def _wait_for_game(self, sending: Mapping[int, asyncio.Task[bool]]) -> list[int]:
        """Wait until the messages of a game are sent, or there is more to be read. Returns the games that are done."""
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
        """Delete what has passed, in the background."""
        if self._deleter and self._may_delete and self._blocked_until_s is None and not self.outage.is_active:
            self._deleter.wake()

    def _blocked_until(self) -> int | None:
        """Until when nothing is tried; None: now is the time."""
        if (until := self._rest_until()) is not None:
            log.warning("outbox rests: too many refusals", extra={"seconds": until - self._clock()})
            return until
        return self.outage.next_probe_at if self.outage.is_active and self.outage.must_wait(self._clock()) else None

    @asynccontextmanager
    async def _send_slot(self) -> AsyncIterator[None]:
        """Hold one of the places of games that are told at once; who takes long gives it to another, and goes on."""
        await self._game_slots.acquire()
        held = True

        def give() -> None:
            nonlocal held
            if held:
                held = False
                self._game_slots.release()

        slow = asyncio.get_running_loop().call_later(self._slow_game_s, give)
        try:
            yield
        finally:
            slow.cancel()
            give()

    async def _send_in_order(self, messages: list[OutboxMessage]) -> bool:
        """Send what a game has to tell, to one place one message after the other; whether there may be more to tell."""
        asking = self.outage.is_active
        blocked: set[tuple[int | None, bool]] = set()
        untried = {message.id: message for message in messages}
        fates: list[DeliveryResult] = []
        renewed, since = False, time.monotonic()

        async def send_all(those: Sequence[OutboxMessage], *loaded: object) -> None:
            nonlocal fates, renewed, since
            for message in those:
                if self._closed or message.delivery_lane in blocked or (self.outage.is_active and not asking):
                    continue  # what follows to the same place must not overtake what failed
                del untried[message.id]
                with logs.bind_values(game=message.game_id, message=message.key):
                    fate = await self._send(message, *loaded)
                fates.append(fate)
                if not fate.lets_others_pass:
                    blocked.add(message.delivery_lane)
                if time.monotonic() - since > RECORD_INTERVAL_S:
                    done, fates, since = fates, [], time.monotonic()
                    renewed |= await self._record(done)

        async with self._send_slot():
            if self._closed:
                return False
            # Who waits for what is asked next waits for this, too.
            new, ours = any(message.message_id is None for message in messages), self._ownership_check()
            with as_awaited() if new else nullcontext():
                # Counted before they are tried: after a crash a message may be there, and is then looked for.
                counted = await self._store.write_shared(lambda tx: tx.messages.count_tries(messages))
            untried = {number: message for number, message in untried.items() if number in counted}
            if not (messages := [*untried.values()]):
                return False
            try:
                try:
                    loaded = (await self._load(messages),) if self._load else ()
                except Refusal as refused:
                    if not is_game_gone(refused):
                        raise
                    return False
                apart = bool(loaded) and self._may_send_in_parallel(*loaded)
                parts = _by_place(messages) if apart else [messages]
                with require_ownership(ours):
                    await _run_limited([partial(send_all, those, *loaded) for those in parts])
            finally:
                renewed |= await self._record(
                    [*fates, *(DeliveryResult(message, is_untried=True) for message in untried.values())]
                )
        return renewed or asking  # in an outage the rest was not read

    async def _send(self, message: OutboxMessage, *loaded: object) -> DeliveryResult:
        """Send one message; what has become of it."""
        # The captain who has sealed last waits for what is asked next, and that for the story which stands before it.
        new = message.message_id is None
        try:
            with as_awaited() if new else nullcontext():
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
            return self._fate_after_error(message, fault)
        log.debug("message sent" if sent else "nothing to show")
        if sent and sent.was_requested and self.outage.is_active and self.outage.note_success(self._clock()):
            await self.retry_now()
        return DeliveryResult(message, sent)

    def _fate_after_error(self, message: OutboxMessage, fault: Exception) -> DeliveryResult:
        """Return the fate of a message whose delivery raised an unexpected error."""
        if is_game_gone(fault):
            log.info("game has been deleted")
            return DeliveryResult(message, is_untried=True, lets_others_pass=False)
        log.error("message could not be made", exc_info=fault)
        return self._postpone(message, UnexpectedRefusal("failed"))

    async def _record(self, fates: Sequence[DeliveryResult]) -> bool:
        """Write down what has become of messages of one game. Returns whether one of them is wanted again by now."""
        if not fates:
            return False
        now = self._clock()

        async def note(tx: Transaction) -> tuple[bool, bool, bool]:
            """Store the fates. Return whether removals were queued, a message must be resent, a retry is due later."""
            await tx.games.lock_game(fates[0].message.game_id)
            rows = await tx.messages.by_ids([fate.message.id for fate in fates])
            known = [fate for fate in fates if fate.message.id in rows]  # the others nobody wants any more
            if not known:  # the game may have been deleted
                return False, False, False
            taken = [fate for fate in known if fate.is_handled and fate.has_moved(rows[fate.message.id])]
            shown = [fate for fate in known if fate not in taken]
            await tx.messages.record([fate.updated_row(rows[fate.message.id], now) for fate in shown])
            # What was taken away meanwhile is sent once more if it is wanted since; what we have just shown goes.
            gone = [structs.replace(fate.message, **fate.place_columns) for fate in taken]
            gone += [fate.message for fate in shown if fate.is_handled and fate.sent is None]
            await tx.removals.take_away(gone, now=now)
            hashes = [(one, fate.sent.link) for fate in fates if fate.sent for one in fate.sent.published_hashes]
            await tx.published_hashes.note_published(fates[0].message.game_id, hashes, now=now)
            anew = any(rows[one.message.id].wanted > one.message.wanted for one in shown if one.is_handled)
            return bool(gone), bool(taken) or anew, any(fate.due_at is not None for fate in known)

        gone, renewed, waits = await self._store.write_shared(note)
        self._may_delete |= gone
        if renewed or waits:
            self.on_postponed()
        for fate in fates:
            if fate.is_handled:
                self._note_arrival(fate.message, fate.sent)
        return renewed

    def _note_arrival(self, message: OutboxMessage, sent: SentMessage | None) -> None:
        """Wake those who wait for a message; edit it once its picture is drawn."""
        if awaited := self._arrival_events.get((message.game_id, message.key)):
            awaited.set()
        if sent and sent.pending_picture:
            self.on_postponed()
            if sent.pending_picture in self._picture_tasks.values():
                return
            following = asyncio.create_task(
                self._finish_picture(message, sent.pending_picture), name="what a message lacks"
            )
            self._picture_tasks[following] = sent.pending_picture
            following.add_done_callback(self._picture_tasks.pop)

    async def _finish_picture(self, message: OutboxMessage, pending: PendingPicture) -> None:
        try:
            await asyncio.wait([pending.picture_task])
        except asyncio.CancelledError:
            pending.picture_task.cancel()  # the next start makes it
            raise
        if not pending.picture_task.cancelled():
            pending.picture_task.exception()  # logged when it is drawn once more
        self._finished_pictures[message.id] = (message, pending)
        await asyncio.sleep(0)  # what is made at the same time is written down together
        if message.id not in self._finished_pictures:
            return
        made, self._finished_pictures = self._finished_pictures, {}
        try:
            async with self._store.write() as tx:
                lacking = await tx.messages.mark_completed([one for one, _ in made.values()], now=self._clock())
        except NotWritten:
            log.exception("a message is completed when it is looked at anew")
            return
        for number, (_, what) in made.items():
            if number not in lacking:
                what.on_abandoned()  # it was shown otherwise, or shows something else by now
        if lacking:
            self.wake()

    def _postpone(self, message: OutboxMessage, reason: RetryLater) -> DeliveryResult:
        """Let a message wait, and what follows it, unless that may overtake it."""
        now, tries = self._clock(), max(1, message.attempts) if reason.blocks_place else 0
        # As long again as it has waited: so pauses double, and neither a restart nor a newer wish forgets it.
        pause = min(MAX_RETRY_PAUSE_S, max(2, now - message.wanted_at))
        passes = not reason.blocks_place
        match reason:
            case DiscordUnavailable():
                self.outage.note_failure(message.id, now, str(reason))
                pause = max(2, self.outage.next_probe_at - now)
            case UnexpectedRefusal():
                tries = message.attempts + 1
                passes = tries >= MAX_TRIES_IN_ORDER
                pause = SLOW_RETRY_PAUSE_S if passes else min(MAX_RETRY_PAUSE_S, 2**tries)
        pause = max(pause, reason.pause_s)
        if not isinstance(reason, DiscordUnavailable):
            log.warning("message waits", extra={"seconds": pause, "why": str(reason)})
        return DeliveryResult(message, due_at=now + pause, attempts=tries, lets_others_pass=passes)


def _by_place(messages: Sequence[OutboxMessage]) -> list[list[OutboxMessage]]:
    """Messages of one game by where they go, in their order."""
    found: dict[tuple[int | None, bool], list[OutboxMessage]] = defaultdict(list)
    for message in messages:
        found[message.delivery_lane].append(message)
    return [*found.values()]


async def _run_limited(doing: Sequence[Callable[[], Awaitable[None]]]) -> None:
    """Do `MAX_CONCURRENT_PLACES` of these at a time. Raises what one of them raises, once no other goes on."""
    places = asyncio.Semaphore(MAX_CONCURRENT_PLACES)

    async def in_turn(one: Callable[[], Awaitable[None]]) -> None:
        async with places:
            await one()

    if len(doing) == 1:
        await doing[0]()
        return
    tasks = [asyncio.create_task(in_turn(one), name="messages to a place") for one in doing]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
