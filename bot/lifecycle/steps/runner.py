"""Advance games: claim a game, run the rules, and store the step and the next requests in one transaction.

A claim (`phase` "resolving" with `claimed_at` and `claimed_by`) keeps other processes from resolving the same game.
Another process may take over a claim that is older than `CLAIM_TIMEOUT_S`.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Coroutine, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from datetime import datetime
from typing import Final, NamedTuple

import msgspec

from bot import logs
from bot.errors import Refusal, is_game_gone
from bot.jobs import play
from bot.jobs.computing import ComputedAnswer
from bot.jobs.turns import mark_unowned
from bot.jobs.workers import Workers
from bot.lifecycle.outbox import enqueue
from bot.lifecycle.outbox.outbox import RetryLater
from bot.lifecycle.outbox.quiet_hours import is_away
from bot.lifecycle.people import conceding, giving_up, seats, taking_back
from bot.lifecycle.process.gaps import GapCorrector
from bot.lifecycle.process.pulse import Pulse, VirtualPulse
from bot.lifecycle.process.tenure import LeaseLost
from bot.lifecycle.ratings.unrating import make_unrated
from bot.lifecycle.steps import backups, battles, clock, matches, planning, snapshot, undo
from bot.lifecycle.steps.budgets import has_short_budget
from bot.lifecycle.steps.places import GroupSemaphore
from bot.lifecycle.steps.planning import due_requests
from bot.lifecycle.steps.playing import SeatedGame, load_seated_game
from bot.lifecycle.steps.snapshot import Snapshot
from bot.lifecycle.steps.storing import EntropySource, StepStore
from bot.store import NotWritten, Store, retries_conflicts
from bot.store.models.pace import Pace
from bot.store.models.records import (
    LATE_GIVERS,
    Game,
    GameStarted,
    GivenBy,
    RequestRow,
    RequestsAnswered,
    SeatRow,
    StepCause,
    StepRow,
)
from bot.store.queries.agenda import DueTimes
from bot.store.queries.transaction import Transaction
from bot.texts.whole import playable_systems
from bot.urgency import as_step
from rules.core.protocol import CallOff, OutOfTurnAction, Seat
from rules.core.replay import UndoAction, seed_after_restores

log = logging.getLogger(__name__)

CLAIM_TIMEOUT_S: Final = 300  # another process may take over a claim after this many seconds
STEP_TIMEOUT_S: Final = 60.0  # a press waits at most this many seconds for a running step before it is refused
POLL_INTERVAL_S: Final = 0.1
COMPARISON_TIMEOUT_S: Final = 10  # seconds that the edit of a report waits for the comparison of its thread
RETRY_AFTER_S: Final = 60  # seconds until a game that could not advance is tried again
READ_ON_AFTER_S: Final = 2  # seconds until more of a long thread is read
MAX_CONCURRENT_GAMES: Final = 50
MAX_CONCURRENT_GAMES_PER_HOST: Final = 5

Clock = Callable[[], datetime]


async def _do_nothing_more(_: Transaction) -> None:
    return None


class DueWork(msgspec.Struct, frozen=True, kw_only=True):
    agenda: DueTimes  # when something will be due next
    is_due: bool  # whether any game must be looked at now
    overdue_hosts: Mapping[int, int] = msgspec.field(default_factory=dict)  # hosts of overdue games, by game id
    claimed_games: Sequence[Game] = ()  # games whose claims may have to be broken or redated; empty if nothing is due


class _DueStep(NamedTuple):
    before: Snapshot  # of the game before the step
    rows: list[RequestRow]  # the requests that the step resolves
    step: StepRow  # the last step, from whose state the next is made
    claimed: Game  # the row of the game as claimed for the step
    late_s: int | None  # seconds since the game's deadline; None if it has not passed


class StepListener:
    """Hears what a runner does. This one ignores it."""

    def note_change(self) -> None:
        """Called after each commit that leaves messages to send or deadlines to keep."""

    def note_due_message(self, at: int) -> None:
        """Called after a commit that leaves a message which may be sent from `at` (Unix seconds)."""

    def count_step(self, system: str, duration_s: float, late_s: int | None) -> None:
        """Called after each step; `late_s` is None if it was not late."""

    def count_failed_step(self) -> None: ...


class StepRunner:
    def __init__(
        self,
        store: Store,
        workers: Workers,
        clock: Clock,
        chance: EntropySource,
        pulse: Pulse | None = None,
        *,
        record_digest: Callable[[int], Awaitable[str]],
        read_thread: backups.ThreadReader = backups.read_nothing,
        listener: StepListener | None = None,
    ) -> None:
        """Create a runner. Without `pulse`, the clock is set by hand (see `VirtualPulse`).

        `record_digest` returns the hash of a finished game's record.
        """
        self._store = store
        self._workers = workers
        self._clock = clock
        self.gaps: Final = GapCorrector(store, pulse or VirtualPulse(clock))
        self.step_store = StepStore(self.now, chance)
        self.listener = listener or StepListener()
        self.backup_check: Final = backups.BackupCheck(store, read_thread)
        self._failed_at: dict[int, int] = {}  # by game id, the last step before the one that failed
        self._record_digest = record_digest
        self._doubtful_hosts: dict[int, int | None] = {}
        """Hosts (None: unknown) of games that may be able to advance although no event will trigger it, by game id.

        The games are checked when the bot next wakes.
        """
        self._retry_at: dict[int, int] = {}
        """When (Unix seconds) to retry games whose step could not be written or whose thread could not be read."""
        self._is_closed = False
        self._tasks: dict[asyncio.Task[None], int] = {}  # tasks that advance a game, with its id
        self._comparisons: list[asyncio.Task[None]] = []  # compare games with their threads after a start
        self._slots = GroupSemaphore(MAX_CONCURRENT_GAMES, each=MAX_CONCURRENT_GAMES_PER_HOST)
        self._active_games: Counter[int] = Counter()
        """Number of this process's operations on each game; the process may hold the game's claim."""

    def now(self) -> int:
        return int(self._clock().timestamp())

    def start_advancing(self, game_id: int) -> None:
        self.listener.note_change()
        self.start_task(game_id, self._advance_in_background(game_id))

    def start_task(self, game_id: int, coroutine: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(coroutine, name=f"advance #{game_id}")
        self._tasks[task] = game_id
        task.add_done_callback(self._tasks.pop)

    async def can_advance(self, tx: Transaction, game: Game) -> bool:
        if game.phase != "running" or game.paused_at is not None:
            return False
        open_requests = await tx.requests.open_of_game(game.id)
        return bool(due_requests(open_requests, late=False, early=game.early))  # the scheduler minds deadlines

    async def _advance_in_background(self, game_id: int) -> None:
        mark_unowned()
        if not await self._try_to_advance(game_id):
            self.listener.note_change()  # the scheduler must learn when the claim times out

    async def _try_to_advance(self, game_id: int) -> bool:
        """Advance a game. Log a failure and return False; stop the game if the same step has failed before."""
        try:
            await self.advance_game(game_id)
        except Exception as fault:
            if is_game_gone(fault):
                log.info("game has been deleted", extra={"game": game_id})
                return True
            # The claim stays until it times out, which gives a passing fault, such as a worker's death, time to clear.
            log.exception("game could not be resolved", extra={"game": game_id})
            self.listener.count_failed_step()
            self._doubtful_hosts[game_id] = None
            if isinstance(fault, NotWritten):
                self._retry_at[game_id] = self.now() + RETRY_AFTER_S
            with suppress(NotWritten):
                if not isinstance(fault, NotWritten) and await self._has_failed_before(game_id):
                    self._doubtful_hosts.pop(game_id, None)
                    await self.stop_stuck_game(game_id)
                async with self._store.write() as tx:  # a step would have updated these messages
                    await tx.games.lock_game(game_id)
                    await enqueue.update_seals(tx, await tx.requests.open_of_game(game_id), now=self.now())
            return False
        return True

    async def _has_failed_before(self, game_id: int) -> bool:
        """Return whether the same step has failed before, and note that it has failed now."""
        async with self._store.read() as tx:
            game = await tx.games.find_for_update(game_id)
        step_no = game.step_no if game else 0
        failed_before = self._failed_at.get(game_id) == step_no
        self._failed_at[game_id] = step_no
        return failed_before

    async def stop_stuck_game(self, game_id: int) -> None:
        """Stop the clock of a game that failed again, and log it for the operator. The next start tries again."""
        async with self._store.write() as tx:
            game = await clock.stop_stuck_game(tx, game_id, now=self.now())
        if game is not None:
            fields = {"game": game_id, "system": game.system, "step": game.step_no + 1}
            log.error("game stands still", extra={**fields, "help": "/galley-host undo, or /galley-host end"})
            self.listener.note_change()

    async def try_step(self, game_id: int) -> bool:
        """Resolve what is due in a stuck game without storing it. Log a failure and return False."""
        async with self._store.read() as tx:
            snapshot_before = await snapshot.read_requests(tx, game_id)
            step = await tx.steps.find(game_id, snapshot_before.game.step_no)
        game = snapshot_before.game
        is_late = game.deadline is not None and game.deadline <= (game.paused_at or self.now())
        rows = due_requests(snapshot_before.open_requests, late=is_late, early=game.early)
        try:
            if rows and step:
                await self._resolve(snapshot_before, rows, step)
        except Exception:
            log.exception("game still stands still", extra={"game": game_id})
            return False
        return True

    async def wait_until_idle(self) -> None:
        while tasks := [*self._tasks, *(task for task in self._comparisons if not task.done())]:
            await asyncio.gather(*tasks)

    async def wait_until_compared(self, game_id: int) -> None:
        """Wait until a game has been compared with its thread after the start.

        Raises `RetryLater` if it cannot be, or while the comparisons have not begun.
        """
        if game_id in self.backup_check.unchecked_games and self._comparisons:
            await asyncio.wait(self._comparisons, timeout=COMPARISON_TIMEOUT_S)
        if game_id in self.backup_check.unchecked_games:
            raise RetryLater("the thread has not been compared yet", holds_up=False)

    async def wait_until_at_rest(self, game_id: int, most_s: float) -> bool:
        """Wait at most `most_s` seconds until no task of a game is running. Return whether none is."""
        tasks = [task for task, task_game_id in self._tasks.items() if task_game_id == game_id]
        if not tasks:
            return True
        _, unfinished = await asyncio.wait(tasks, timeout=most_s)
        return not unfinished

    async def wait_for_step(self, game_id: int) -> bool:
        """Wait until a running step of a game ends, here or in another bot. Return whether to try again.

        Return False if there was nothing to wait for, or the step has not ended after `STEP_TIMEOUT_S`. Callers wait
        instead of refusing, because the step may be hidden and a refusal would reveal it.
        """
        if game_id in self._tasks.values():
            return await self.wait_until_at_rest(game_id, STEP_TIMEOUT_S)
        if self._store.current_share() is None:
            return False  # no other bot uses this database
        for _ in range(round(STEP_TIMEOUT_S / POLL_INTERVAL_S)):
            async with self._store.read() as tx:
                game = await tx.games.find_without_lock(game_id)
            if game is None or not self._is_claimed_elsewhere(game):
                return game is not None and game.phase != "resolving"
            await asyncio.sleep(POLL_INTERVAL_S)
        return False

    def is_busy(self, game: Game) -> bool:
        return game.id in self._tasks.values() or self._is_claimed_elsewhere(game)

    def _is_claimed_elsewhere(self, game: Game) -> bool:
        if game.phase != "resolving" or self._is_ours(game):
            return False
        return (game.claimed_at or 0) > self.now() - CLAIM_TIMEOUT_S

    async def close(self) -> None:
        self._is_closed = True
        for comparison in self._comparisons:
            comparison.cancel()
        await asyncio.gather(*self._comparisons, return_exceptions=True)
        self._comparisons.clear()
        await self.wait_until_idle()

    async def advance_game(self, game_id: int) -> None:
        """Resolve steps while all have sealed or the deadline has passed, then begin and report battles."""
        with self._keep_claim(game_id), logs.bind_values(game=game_id), as_step():
            if not await self._is_as_shown(game_id):
                await self._call_off_if_deserted(game_id)
                return
            await self.gaps.check_if_late(self.now())
            last_changes: planning.StepChanges | None = None  # of the last step taken here
            while not self._is_closed and (last_changes is None or last_changes.can_advance(self.now())):
                changes = await self._advance_once(game_id)
                if changes is None:
                    break
                last_changes = changes
                self.listener.note_change()
            if not self._is_closed and (last_changes is None or last_changes.concerns_other_games):
                await self._begin_followers(game_id)
                await self._report_battle(game_id)

    async def _is_as_shown(self, game_id: int) -> bool:
        """Return whether a game may go on: its thread shows nothing that the database does not know.

        A thread that cannot be read is tried again later.
        """
        if game_id not in self.backup_check.unchecked_games:
            return True
        if self._is_to_wait(game_id, self.now()):
            return False
        try:
            return await self._compare_with_thread(game_id)
        except backups.HasMoreMessages:
            self._retry_at[game_id] = self.now() + READ_ON_AFTER_S
            self.listener.note_change()
            return False
        except (RetryLater, LeaseLost, Refusal) as reason:
            log.warning("game waits until its thread can be read", extra={"game": game_id, "why": str(reason)})
            self._retry_at[game_id] = self.now() + RETRY_AFTER_S
            if isinstance(reason, backups.HistoryHidden):
                async with self._store.write() as tx:
                    game = await tx.games.find_for_update(game_id)
                    if game is not None:
                        await enqueue.report_missing_permission(tx, game, reason.permission, now=self.now())
            self.listener.note_change()  # the scheduler must learn when to retry
            return False

    def _is_to_wait(self, game_id: int, now: int) -> bool:
        # A later time was noted before the clock was set back.
        return 0 < self._retry_at.get(game_id, 0) - now <= RETRY_AFTER_S

    async def _call_off_if_deserted(self, game_id: int) -> None:
        async with self._store.read() as tx:
            seated_game = await load_seated_game(tx, game_id)
        if seated_game.game.phase == "running" and seats.is_deserted(seated_game):
            with suppress(Refusal):  # another action came first
                await self._apply_out_of_turn(seated_game, CallOff(deserted=True), first=_do_nothing_more)

    async def _compare_with_thread(self, game_id: int) -> bool:
        """Return whether a game's thread shows nothing unknown. Otherwise let the game go on with other dice.

        Raises `RetryLater` or `LeaseLost` if the thread cannot be read, and `Refusal` if the game is busy.
        """
        lost = await self.backup_check.find_lost_messages(game_id)
        if lost:
            await self._go_on_after_restore(game_id, lost)
            self.backup_check.unchecked_games.discard(game_id)
        return lost is None

    async def _compare_all(self, game_ids: Sequence[int]) -> None:
        """Compare games with their threads, one after another. What fails is tried again before the next step."""
        mark_unowned()
        for game_id in game_ids:
            if game_id in self.backup_check.unchecked_games:
                try:
                    while not await self._has_read_thread(game_id):
                        pass
                except (RetryLater, LeaseLost, NotWritten, Refusal) as reason:
                    log.info("thread was not compared", extra={"game": game_id, "why": str(reason)})

    async def _has_read_thread(self, game_id: int) -> bool:
        """Compare a game with the next part of its thread. Return False if more is left to be read."""
        try:
            await self._compare_with_thread(game_id)
        except backups.HasMoreMessages:
            return False
        return True

    async def _go_on_after_restore(self, game_id: int, lost: backups.LostMessages) -> None:
        """Ask everybody again, with other dice. If the seed was revealed, call the game off, or fight the battle again.

        A game's battles go on, unless their own threads show more. Raises `Refusal`, and for a battle `RetryLater` if
        its parent's thread cannot be read.
        """
        async with self._store.read() as tx:
            seated_game = await load_seated_game(tx, game_id)
            causes = await tx.steps.causes_of_game(game_id)
            revealing = await tx.steps.revealing_steps(game_id)
            is_known = backups.last_restored(await tx.audit_log.of_game(game_id)) >= lost.newest_id
        if is_known or not seated_game.game.is_in_progress:
            return  # another comparison came first
        parent_id = seated_game.game.parent_id if lost.is_over else None
        if parent_id is not None and parent_id in self.backup_check.unchecked_games:
            await self._compare_with_thread(parent_id)  # it may go back, or be over
        log.warning("an older backup was restored", extra={"game": game_id, "shown_until": lost.shown_until})
        if parent_id is not None:
            await self._fight_again(seated_game.game, parent_id, lost)
            return
        if lost.is_over:

            async def announce(tx: Transaction) -> None:
                await make_unrated(tx, seated_game.game)
                await enqueue.add_log_entry(tx, seated_game.game, backups.RESTORED_AFTER_END, now=self.now())

            await self._apply_out_of_turn(seated_game, CallOff(), first=announce)
            return
        goal = undo.UndoTarget(
            seated_game.game.step_no,
            is_revealing=True,
            dice_moves=undo.count_dice_moves(causes, revealing),
            is_idle=False,
            shown_until=lost.shown_until,
        )
        await self.go_back_to(seated_game, goal, backups.RESTORED, until=lost.shown_until, seen=lost.newest_id)

    async def _fight_again(self, battle: Game, parent_id: int, lost: backups.LostMessages) -> None:
        """Let a battle whose end was shown be fought again with other dice. All else in its parent game stays."""
        started = time.perf_counter()
        async with self._store.read() as tx:
            parent = await load_seated_game(tx, parent_id)
            current = await tx.games.find_without_lock(battle.id)
        if current is None or not current.is_in_progress:
            return  # the parent is over
        request_id = current.parent_request or ""
        act = UndoAction(to=parent.game.step_no, shown_until=lost.shown_until, battle=request_id)
        async with self._claim_game(parent) as (game, state):
            step_result = await self._workers.run_step(
                game.host_id,
                play.go_back_to,
                game.system,
                state,
                seed=parent.dice_seed,
                number=0,
                revealed=False,
                context=parent.step_context(),
            )
            step_result = msgspec.structs.replace(step_result, is_revealing=True)
            async with self._store.write() as tx:
                now = self.now()
                _check_claim(game, await tx.games.find_for_update(game.id))
                params = {"number": battle.id, "until": lost.shown_until}
                await enqueue.add_log_entry(tx, game, backups.RESTORED_BATTLE, now=now, **params)
                await enqueue.add_log_entry(tx, current, backups.FOUGHT_AGAIN, now=now, number=game.id)
                await undo.set_aside_battle(tx, game.id, act.to + 1, request_id, now=now)
                await self.step_store.commit_step(tx, game, act, step_result)
        self._log_step(game, "Undone", started)
        self.start_advancing(game.id)

    @contextmanager
    def _keep_claim(self, game_id: int) -> Iterator[None]:
        """Keep this process from breaking its own claim on a game while a worker is busy with it."""
        self._active_games[game_id] += 1
        try:
            yield
        finally:
            self._active_games[game_id] -= 1
            if not self._active_games[game_id]:
                del self._active_games[game_id]

    @retries_conflicts
    async def _begin_followers(self, game_id: int) -> None:
        """Start battles that a step has opened and the second game of a match, if no other process does so first."""
        async with self._store.read() as tx:
            followers = [*await tx.games.battles_of(game_id), await tx.games.second_game_of(game_id)]
            to_begin = [
                await load_seated_game(tx, game.id) for game in followers if game is not None and game.phase == "lobby"
            ]
            setups = [
                seated_game.game.setup if seated_game.game.parent_id else await matches.second_setup(tx, seated_game)
                for seated_game in to_begin
            ]
        for seated_game, setup in zip(to_begin, setups, strict=True):
            game = seated_game.game
            step_result = await self._workers.run_step(
                game.host_id, play.begin_game, setup, seated_game.dice_seed, seated_game.step_context()
            )
            step_result = await self.add_statistics(game, GameStarted(), step_result)
            async with self._store.write() as tx:
                follower = await tx.games.find_for_update(game.id)
                if follower is None or follower.phase != "lobby":
                    continue
                if follower.parent_id is not None:
                    await battles.begin_battle(tx, follower, now=self.now())
                else:
                    await matches.begin_second_game(tx, follower, setup, now=self.now())
                await self.step_store.commit_step(tx, follower, GameStarted(), step_result)
            self.start_advancing(game.id)

    @retries_conflicts
    async def _report_battle(self, game_id: int) -> None:
        """Answer the parent game's request with the result of a finished battle; do nothing for other games."""
        async with self._store.read() as tx:
            game = await tx.games.find_for_update(game_id)
            if game is None or game.phase != "over" or game.parent_id is None or game.parent_request is None:
                return
            step = await tx.steps.find(game_id, game.step_no)
            row = await tx.requests.find(game.parent_id, game.parent_request)
        if step is None or row is None or row.status != "open":
            return
        report = await self._workers.run_step(
            game.host_id, play.report_battle, game.system, step.state, await self._record_digest(game_id)
        )
        async with self._store.write() as tx:
            await tx.games.lock_game(game.parent_id)
            row = await tx.requests.find(game.parent_id, game.parent_request)
            if row is None or row.status != "open" or await tx.requests.change(row, status="sealed") is None:
                return
            await self.step_store.store_answer(tx, row, report, given_by="battle")
        self.start_advancing(game.parent_id)

    async def _advance_once(self, game_id: int) -> planning.StepChanges | None:
        """Resolve and store one step; None if nothing is due, or another process has taken the claim over."""
        now = self.now()
        started = time.perf_counter()
        due = await self._claim_due_step(game_id, now)
        if due is None:
            return None
        if isinstance(due, SeatedGame):  # the game is deserted
            with suppress(Refusal):  # another action came first: the game is checked again after it
                await self.apply_out_of_turn(due, CallOff(deserted=True))
            return None
        step_result = await self._resolve(due.before, due.rows, due.step)
        cause = RequestsAnswered(requests=tuple(sorted(step_result.answers)))
        given_by: dict[str, GivenBy] = {
            row.id: step_result.unsealed_givers[row.id] for row in due.rows if row.id not in due.before.answers
        }
        late_request_ids = {request_id for request_id, source in given_by.items() if source in LATE_GIVERS}
        seats_that_missed = {row.seat for row in due.rows if row.id in late_request_ids}
        step_result = await self.add_statistics(due.before.game, cause, step_result, missed=seats_that_missed)

        async def store_step(tx: Transaction) -> planning.StepChanges | None:
            current = await snapshot.read_snapshot(tx, game_id)
            if current.game.version != due.claimed.version:
                return None
            in_person_by_seat = _answered_in_person(due.rows, late_request_ids, now, due.before.game.pace)
            # The only captain of the game, if they are away or have missed too many deadlines.
            inherited_seats = {row.seat for row in due.rows if row.inherited}
            deserter = await seats.count_missed_deadlines(
                tx, due.before.seated_game, in_person_by_seat, inherited_seats, now=now
            )
            changes = await self.step_store.commit_step(
                tx, due.claimed, cause, step_result, given_by=given_by, before=current
            )
            # The game's deadline may be set earlier than those of its requests, as when captains agree to go on.
            had_own_time_left = all(row.deadline is None or row.deadline > now for row in due.rows)
            if due.late_s is not None and had_own_time_left:
                changes = await self._end_shared_clock(tx, changes, {row.body.clock for row in due.rows}, now)
            if deserter and not changes.is_over:
                await self._stop_deserted_game(tx, game_id, deserter)
            return changes

        stored_changes = await self._store.write_alone(store_step)
        if stored_changes:
            self._log_step(due.claimed, "answers", started, late_s=due.late_s)
        return stored_changes

    @retries_conflicts
    async def _claim_due_step(self, game_id: int, now: int) -> _DueStep | SeatedGame | None:
        """Claim a game if a step of it is due. Return a deserted game, unclaimed, to be called off."""
        async with self._store.write() as tx:
            before = await snapshot.read_requests(tx, game_id)
            game = before.game
            if game.phase != "running" or game.system not in playable_systems():
                return None
            if seats.is_deserted(before.seated_game):
                return before.seated_game
            if game.paused_at is not None:
                return None
            late_s = None
            if game.deadline is not None and game.deadline <= now:
                shard = tx.beats.shard_of(game.guild_id)
                beat = (await tx.beats.all_beats()).get(shard)
                late_s = now - game.deadline if self.gaps.is_fresh(shard, beat, now) else None
            rows = due_requests(before.open_requests, late=late_s is not None, early=game.early)
            step = await tx.steps.find(game_id, game.step_no) if rows else None
            claimed = await tx.games.claim(game, now=now) if step else None
        return _DueStep(before, rows, step, claimed, late_s) if step and claimed else None

    async def _stop_deserted_game(self, tx: Transaction, game_id: int, deserter: SeatRow) -> None:
        """Stop the clock of a game whose only captain has left. Otherwise stand-ins would play it on."""
        game = await tx.games.find_for_update(game_id)
        if game is not None and game.deadline is not None:
            await clock.stop_clock(tx, game, clock.DESERTED, now=self.now(), seat=deserter.seat)

    async def _resolve(self, before: Snapshot, rows: Sequence[RequestRow], step: StepRow) -> play.StepResult:
        """Compute a step in a worker from sealed answers and, where there are none, from drafts and defaults."""
        sealed = {row.id: before.answers[row.id].body for row in rows if row.id in before.answers}
        return await self._workers.run_step(
            before.game.host_id,
            play.carry_out_answers,
            before.game.system,
            step.state,
            {row.id: sealed.get(row.id) for row in rows},
            before.seated_game.step_context(before.early_answers),
            drafts={row.id: row.draft for row in rows if row.id not in sealed},
            excused=self._excused_seats(before, rows),
        )

    def _excused_seats(self, before: Snapshot, rows: Sequence[RequestRow]) -> list[Seat]:
        """Return seats whose default is no missed turn: their captain is away by notice or their time was cut short."""
        cut_short = {row.seat for row in rows if row.deadline is not None and row.deadline > self.now()}
        players = {seat.seat: before.player_in_seat(seat.seat) for seat in before.seated_game.seats}
        return [
            seat for seat, player in players.items() if seat in cut_short or (player and is_away(player, self.now()))
        ]

    async def _end_shared_clock(
        self, tx: Transaction, changes: planning.StepChanges, clocks: Collection[str], now: int
    ) -> planning.StepChanges:
        # Requests on one clock share its time: if it has run out, those that follow are due at once.
        open_rows = [row for row in changes.open_requests if row.body.clock and not row.optional]
        if not any(row.body.clock in clocks and row.status == "open" for row in open_rows):
            return changes
        await tx.games.change(changes.game_id, deadline=now)
        return msgspec.structs.replace(changes, game_columns={**changes.game_columns, "deadline": now})

    def _log_step(self, game: Game, cause: str, started: float, *, late_s: int | None = None) -> None:
        seconds = time.perf_counter() - started
        self.listener.count_step(game.system, seconds, late_s)
        fields = {"game": game.id, "step": game.step_no + 1, "cause": cause, "ms": round(seconds * 1000)}
        log.info("step", extra=fields if late_s is None else {**fields, "late_s": late_s})

    async def apply_out_of_turn(
        self,
        seated_game: SeatedGame,
        act: OutOfTurnAction,
        conceded: SeatRow | None = None,
        *,
        first: Callable[[Transaction], Awaitable[None]] = _do_nothing_more,
        also: Callable[[Transaction], Awaitable[None]] = _do_nothing_more,
    ) -> None:
        """Apply an act that no request asked for, run `first` and `also` in its transaction, and advance the game.

        `conceded` is the seat that gives up with this act. Raises `Refusal`.

        A game whose thread cannot be read can still end: only an act that throws dice waits for the comparison.
        """
        is_compared = await self._is_as_shown(seated_game.game.id)
        await self._apply_out_of_turn(seated_game, act, conceded, may_throw_dice=is_compared, first=first, also=also)

    async def _apply_out_of_turn(
        self,
        seated_game: SeatedGame,
        act: OutOfTurnAction,
        conceded: SeatRow | None = None,
        *,
        may_throw_dice: bool = True,
        first: Callable[[Transaction], Awaitable[None]],
        also: Callable[[Transaction], Awaitable[None]] = _do_nothing_more,
    ) -> None:
        started = time.perf_counter()
        async with self._claim_game(seated_game) as (game, state):
            async with self._store.read() as tx:
                early_answers = (await snapshot.read_requests(tx, game.id)).early_answers
            seats_then = _with_concessions(seated_game.seats, {conceded.seat} if conceded else (), keep_earlier=True)
            step_context = msgspec.structs.replace(seated_game, seats=seats_then).step_context(early_answers)
            step_result = await self._workers.run_step(
                game.host_id, play.apply_out_of_turn, game.system, state, act, step_context
            )
            if step_result.throws_dice and not may_throw_dice:
                raise Refusal("thread_unread")
            step_result = await self.add_statistics(game, act, step_result)
            conceding_seat = conceded if step_result.result is None else None
            battle_seats = await self._conceded_battle_seats(game, conceding_seat) if conceding_seat else ()
            async with self._store.write() as tx:
                _check_claim(game, await tx.games.find_for_update(game.id))
                if conceded:
                    await giving_up.note_given_up(tx, await load_seated_game(tx, game.id), conceded, now=self.now())
                    await tx.seats.change(game.id, conceded.seat, conceded=True)
                await first(tx)
                await self.step_store.commit_step(tx, game, act, step_result)
                await also(tx)
                if conceding_seat:
                    now = self.now()
                    await conceding.answer_battles_by_computer(tx, self.step_store, battle_seats, now=now)
                    await conceding.answer_by_computer(
                        tx, self.step_store, game.id, conceding_seat.seat, step_result.computer_answers, now=now
                    )
        self._log_step(game, str(act.__struct_config__.tag), started)
        for id_to_advance in (game.id, *(battle_seat.seated_game.game.id for battle_seat in battle_seats)):
            self.start_advancing(id_to_advance)

    async def _conceded_battle_seats(self, game: Game, seat: SeatRow) -> Sequence[conceding.ConcededBattleSeat]:
        async def compute_answers(seated_game: SeatedGame, seat_no: int) -> Mapping[str, ComputedAnswer]:
            async with self._store.read() as tx:
                step = await tx.steps.find(seated_game.game.id, seated_game.game.step_no)
            if step is None:
                return {}  # the battle has not begun and has no requests yet
            battle = seated_game.game
            return await self._workers.run_step(
                battle.host_id, play.computer_answers, battle.system, step.state, (seat_no,)
            )

        async with self._store.read() as tx:
            battle_seats = await battles.battle_seats_of(tx, game.id, seat)
        return await conceding.with_computer_answers(battle_seats, compute_answers)

    async def go_back_to(
        self,
        seated_game: SeatedGame,
        goal: undo.UndoTarget,
        kind: str,
        *,
        user_id: int | None = None,
        unrated: bool = False,
        opposed: bool = False,
        **params: int,
    ) -> None:
        """Continue a game from an earlier step; the log entry of this `kind` announces it. Raises `Refusal`.

        `unrated`: the game is not rated any more. `opposed`: others play against the captain who takes back and have
        not agreed.
        """
        started = time.perf_counter()
        async with self._claim_game(seated_game, goal.step_no) as (game, state):
            undo_no = game.step_no + 1
            async with self._store.read() as tx:
                causes = await tx.steps.causes_of_game(game.id)
                conceded_before = undo.conceded_seats(causes, goal.step_no)
                conceded_before |= await battles.seats_conceded_above(tx, game)
            seated_before = msgspec.structs.replace(
                seated_game, seats=_with_concessions(seated_game.seats, conceded_before)
            )
            step_result = await self._workers.run_step(
                game.host_id,
                play.go_back_to,
                game.system,
                state,
                seed=seed_after_restores(seated_game.dice_seed, [*dict(causes).values(), goal.act]),
                number=goal.dice_moves,
                revealed=goal.is_revealing,
                context=seated_before.step_context(),
            )
            repeated: Sequence[play.StepResult] = ()
            if not goal.is_revealing:
                repeated = await self._replay_secret_steps(seated_before, goal.step_no, step_result.state)
            resumed_battles: list[int] = []
            async with self._store.write() as tx:
                _check_claim(game, await tx.games.find_for_update(game.id))
                # Added first so that it stands above the list of awaited captains in the thread.
                await enqueue.add_log_entry(tx, game, kind, now=self.now(), user_id=user_id, step=undo_no, **params)
                for seat in seated_before.seats:
                    await tx.seats.change(game.id, seat.seat, conceded=seat.conceded)
                if goal.is_revealing:
                    requests_set_aside = await undo.set_aside_requests(
                        tx,
                        game.id,
                        undo_no,
                        goal.step_no,
                        step_result.pending,
                        keeps_battles=goal.act.is_restore,
                        now=self.now(),
                    )
                    step_result = msgspec.structs.replace(step_result, is_revealing=goal.act.is_restore)
                    await self.step_store.commit_step(tx, game, goal.act, step_result)
                    await undo.restore_drafts(tx, game.id, requests_set_aside)
                else:
                    await taking_back.take_back(
                        tx,
                        self.step_store,
                        seated_game,
                        to_step=goal.step_no,
                        step_result=step_result,
                        repeated=repeated,
                        opposed=opposed,
                        now=self.now(),
                    )
                seats_given_back = {seat.seat for seat in seated_game.seats if seat.conceded} - conceded_before
                for seat in (seat for seat in seated_before.seats if seat.seat in seats_given_back):
                    resumed_battles += await conceding.return_command(tx, game.id, seat, now=self.now())
                await giving_up.uncount(tx, seated_game, seats_given_back)
                await taking_back.offer_vacant_seats(tx, game.id, seats_given_back, now=self.now())
                if unrated:
                    await giving_up.note_ended_by_others(tx, seated_game, now=self.now())
                if unrated and game.rated:
                    await make_unrated(tx, game)
                    await enqueue.add_log_entry(tx, game, "unrated", now=self.now(), user_id=user_id)
        self._log_step(game, "Undone", started)
        for id_to_advance in (game.id, *resumed_battles):
            self.start_advancing(id_to_advance)

    async def _replay_secret_steps(self, seated_game: SeatedGame, since: int, state: str) -> Sequence[play.StepResult]:
        game = seated_game.game
        async with self._store.read() as tx:
            secrets = await taking_back.secret_steps_since(tx, game.id, since)
        bodies = [secret.bodies for secret in secrets]
        if not bodies:
            return ()
        return await self._workers.run_step(
            game.host_id, play.repeat_answers, game.system, state, bodies, seated_game.step_context()
        )

    @asynccontextmanager
    async def _claim_game(self, seated_game: SeatedGame, step_no: int | None = None) -> AsyncIterator[tuple[Game, str]]:
        """Claim a game that has not changed since `seated_game` was read; yield it with its state.

        The state is that after `step_no` (None: the last step). If the body raises, the claim is released. Raises
        `Refusal` if the game has changed or is already claimed.
        """
        with self._keep_claim(seated_game.game.id):
            async with self._store.write() as tx:
                game = await tx.games.find_for_update(seated_game.game.id)
                if game is None or game.phase != "running" or game.step_no != seated_game.game.step_no:
                    raise Refusal("busy")
                step = await tx.steps.find(game.id, game.step_no if step_no is None else step_no)
                claimed = await tx.games.claim(game, now=self.now())
            if claimed is None or step is None:
                raise Refusal("busy")
            try:
                yield claimed, step.state
            except BaseException:
                await self._release_claim(claimed)
                raise

    async def _release_claim(self, claimed: Game) -> None:
        async def release(tx: Transaction) -> None:
            game = await tx.games.find_for_update(claimed.id)
            if game and game.phase == "resolving" and game.version == claimed.version:
                await tx.games.change(game.id, phase="running", version=game.version + 1, claimed_at=None)

        with suppress(NotWritten):  # the claim times out instead
            await self._store.write_alone(release)
            self.start_advancing(claimed.id)  # the release may be all that the next step waits for

    async def add_statistics(
        self, game: Game, cause: StepCause, step_result: play.StepResult, *, missed: Collection[Seat] = ()
    ) -> play.StepResult:
        """Return a step's result, with each captain's statistics if the step ends the game.

        Steps that were taken back, or that somebody else answered in the captain's place, do not count. `missed`: seats
        whose last answer was not given in person.
        """
        if step_result.result is None:
            return step_result
        last_no = game.step_no + 1
        async with self._store.read() as tx:
            steps = await tx.steps.of_game(game.id)
            captaincies = await tx.captaincies.of_game(game.id)
            answers = await tx.answers.of_game(game.id)
        causes = dict(undo.effective_steps([*((step.no, step.cause) for step in steps), (last_no, cause)]))
        # (number, events) of each step that was not undone. A span of it holds steps that do not count for a seat.
        played_steps = [*((step.no, step.events) for step in steps if step.no in causes), (last_no, step_result.events)]
        held_since_step = {
            captaincy.seat: captaincy.from_step for captaincy in captaincies if captaincy.to_step is None
        }
        late_answers = [
            (no, answers[request_id].seat)
            for no, request_id in _answered_requests(causes)
            if request_id in answers and answers[request_id].is_late
        ]
        late_answers += [(last_no, seat) for seat in missed]
        uncounted_spans = {
            seat: [
                (index, index + 1)
                for index, (no, _) in enumerate(played_steps)
                if (no, seat) in late_answers or (0 < no <= held_since_step.get(seat, 0))  # a former captain's
            ]
            for seat in range(len(game.setup.teams))
        }
        spans = {seat: _merge_spans(seat_spans) for seat, seat_spans in uncounted_spans.items() if seat_spans}
        events = [step_events for _, step_events in played_steps]
        tallies = await self._workers.run_step(
            game.host_id, play.count_statistics, game.system, step_result.state, events, spans
        )
        return msgspec.structs.replace(step_result, tallies=tallies)

    # --- time and restarts -------------------------------------------------------------------------------------

    async def find_due_work(self, look: Callable[[Transaction], Awaitable[None]] = _do_nothing_more) -> DueWork:
        """Correct all clocks for gaps, then return what is due in any game and when something will be due next.

        `look` may read more in the same transaction.
        """
        await self.gaps.check(self.now())
        now = self.now()
        async with self._store.read() as tx:
            await look(tx)
            beats = await tx.beats.all_beats()
            fresh_shards = {shard for shard, beat in beats.items() if self.gaps.is_fresh(shard, beat, now)}
            waiting = {game_id for game_id in self._retry_at if self._is_to_wait(game_id, now)}
            agenda = await tx.agenda.due_times(now, waiting=waiting)
            if agenda.next_deadline is not None and agenda.next_deadline <= now:
                agenda = await tx.agenda.due_times(now, fresh_shards, waiting=waiting)
            if not self._is_due(agenda):
                return DueWork(agenda=agenda, is_due=False)
            claims = []
            if agenda.oldest_claim is not None:
                claims = await tx.games.claimed_before(before=now - CLAIM_TIMEOUT_S)
            claims += await self._retryable_claims(tx, now, claims)
            hosts = await tx.games.overdue_hosts(now, fresh_shards)
            return DueWork(
                agenda=agenda,
                is_due=True,
                overdue_hosts={game_id: host for game_id, host in hosts.items() if game_id not in waiting},
                claimed_games=claims,
            )

    def _is_due(self, agenda: DueTimes) -> bool:
        wake_at = self.next_wake_time(agenda)
        return (
            bool(self._doubtful_hosts)
            or (wake_at is not None and wake_at <= self.now())
            or (agenda.oldest_claim or 0) > self.now()  # made before the clock was set back
        )

    def next_wake_time(self, agenda: DueTimes) -> int | None:
        """Return when to wake next (Unix seconds), or None."""
        claim_timeout = None if agenda.oldest_claim is None else min(agenda.oldest_claim, self.now()) + CLAIM_TIMEOUT_S
        next_check = self.now() + RETRY_AFTER_S if self._doubtful_hosts else None
        times = (agenda.next_deadline, claim_timeout, next_check, *self._retry_at.values())
        return min((time for time in times if time is not None), default=None)

    async def run_due_work(self) -> None:
        await self.start_due_work(await self.find_due_work())
        await self.wait_until_idle()

    async def start_due_work(self, work: DueWork) -> None:
        """Break and redate claims, and start a task for each game that must be looked at."""
        now = self.now()
        abandoned = [game for game in work.claimed_games if self._is_claim_abandoned(game, now)]
        # This process is still using the active ones.
        await self._break_claims([game for game in abandoned if not self._active_games[game.id]])
        games_to_retry = {game_id: None for game_id, retry_at in self._retry_at.items() if retry_at <= now}
        self._retry_at = {game_id: at for game_id, at in self._retry_at.items() if game_id not in games_to_retry}
        # Claims of the future were made before the clock was set back.
        await self._redate_claims([game for game in work.claimed_games if (game.claimed_at or 0) > now], now)
        hosts = {**games_to_retry, **self._doubtful_hosts, **work.overdue_hosts}
        for game_id in sorted(hosts.keys() - set(self._tasks.values())):
            self._doubtful_hosts.pop(game_id, None)
            self.start_task(game_id, self._advance_in_slot(game_id, hosts[game_id]))

    async def _retryable_claims(self, tx: Transaction, now: int, others: Sequence[Game]) -> list[Game]:
        """Return claims of ours whose step could not be written and may be retried now, except `others`."""
        other_ids = {game.id for game in others}
        candidates = [
            await tx.games.find_for_update(game_id)
            for game_id, retry_at in self._retry_at.items()
            if retry_at <= now and game_id not in other_ids
        ]
        return [game for game in candidates if game is not None and game.phase == "resolving" and self._is_ours(game)]

    def _is_claim_abandoned(self, game: Game, now: int) -> bool:
        retry_at = self._retry_at.get(game.id)
        can_retry = retry_at is not None and retry_at <= now and self._is_ours(game)
        return can_retry or (game.claimed_at or 0) <= now - CLAIM_TIMEOUT_S

    def _is_ours(self, game: Game) -> bool:
        share = self._store.current_share()
        return share is None or game.claimed_by == share.bot_name

    async def _advance_in_slot(self, game_id: int, host: int | None) -> None:
        async with self._slots.slot(host or ("of an unknown host", game_id)):
            if not self._is_closed:
                await self._advance_in_background(game_id)

    async def start_comparing(self) -> None:
        """Compare the games of this process's shards that were found at the start with their threads."""
        if not self.backup_check.unchecked_games:
            return
        async with self._store.read() as tx:
            games = await tx.games.games_in_progress()
        share = self._store.current_share()
        own_ids = [game.id for game in games if share is None or share.has_server(game.guild_id)]
        self._comparisons = [task for task in self._comparisons if not task.done()]
        self._comparisons.append(asyncio.create_task(self._compare_all(own_ids), name="compare games with threads"))

    async def recover_claims(self) -> None:
        """After a start, break claims that a previous process left behind, and check all games.

        Claims of this process are kept: Discord may deliver presses before it reports that the bot is ready.
        """
        async with self._store.read() as tx:
            claims = await tx.games.claimed_before(before=self.now() - CLAIM_TIMEOUT_S)
        await self._break_claims([game for game in claims if not self._active_games[game.id]])
        async with self._store.read() as tx:
            self._doubtful_hosts.update(await tx.games.ready_hosts(self.now()))
            for battle in await tx.games.unfinished_battles():
                # A finished battle reports its result; the parent begins a battle that has not begun.
                game_id = battle.id if battle.phase == "over" else battle.parent_id or battle.id
                self._doubtful_hosts[game_id] = battle.host_id
            for game in await tx.games.second_games_not_begun():
                self._doubtful_hosts[game.first_game_id or game.id] = game.host_id
        await self.start_comparing()
        self.listener.note_change()

    async def _redate_claims(self, claims: Sequence[Game], now: int) -> None:
        if claims:
            async with self._store.write(of_many=True) as tx:
                for game in claims:
                    await tx.games.change(game.id, claimed_at=now)

    async def _break_claims(self, stalled: Sequence[Game]) -> None:
        for game in stalled:
            log.warning("taking over a claim", extra={"game": game.id, "claimed_at": game.claimed_at})
            async with self._store.write() as tx:
                await tx.games.break_claim(game)
            self._doubtful_hosts[game.id] = game.host_id


def _with_concessions(
    seats: Sequence[SeatRow], conceded_seats: Collection[Seat], *, keep_earlier: bool = False
) -> list[SeatRow]:
    """Return the seats with `conceded` set for `conceded_seats`; `keep_earlier`: also for those that had conceded."""
    return [
        msgspec.structs.replace(seat, conceded=seat.seat in conceded_seats or (keep_earlier and seat.conceded))
        for seat in seats
    ]


def _check_claim(claimed: Game, game: Game | None) -> None:
    if game is None or game.version != claimed.version:
        raise Refusal("busy")


def _answered_requests(causes: Mapping[int, StepCause]) -> list[tuple[int, str]]:
    return [
        (no, request_id)
        for no, cause in causes.items()
        if isinstance(cause, RequestsAnswered)
        for request_id in cause.requests
    ]


def _merge_spans(spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Join (begin, end) spans, in order, where one ends at the beginning of the next."""
    merged: list[tuple[int, int]] = []
    for begin, end in spans:
        if merged and merged[-1][1] == begin:
            merged[-1] = (merged[-1][0], end)
        else:
            merged.append((begin, end))
    return merged


def _answered_in_person(
    rows: Sequence[RequestRow], late_request_ids: Collection[str], now: int, pace: Pace
) -> dict[int, bool]:
    """Return, by seat, whether the captain answered all judged requests in person; unjudged seats are absent.

    A late answer is not judged if the request was optional, asked when time had already run out, cut short, or given
    less time than the game's pace.
    """
    awaited_rows = [
        row
        for row in rows
        if not (row.optional or (row.id in late_request_ids and (row.body.within or has_short_budget(row, pace))))
    ]
    judged_rows = [
        row for row in awaited_rows if row.id not in late_request_ids or (row.asked_at < (row.deadline or 0) <= now)
    ]
    return {
        row.seat: all(other.id not in late_request_ids for other in judged_rows if other.seat == row.seat)
        for row in judged_rows
    }
