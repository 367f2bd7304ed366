"""How a game goes on by itself: a claim, the rules, one transaction, and the next question."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Coroutine, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from datetime import datetime
from typing import Final

import msgspec

from bot import logs
from bot.errors import Refusal, is_game_gone
from bot.jobs import play
from bot.jobs.turns import mark_unowned
from bot.jobs.workers import Workers
from bot.lifecycle.outbox import enqueue
from bot.lifecycle.outbox.quiet_hours import is_away
from bot.lifecycle.people import conceding, seats, taking_back
from bot.lifecycle.process.gaps import GapCorrector
from bot.lifecycle.process.pulse import Pulse, VirtualPulse, is_fresh
from bot.lifecycle.ratings.unrating import make_unrated
from bot.lifecycle.steps import battles, clock, planning, snapshot, undo
from bot.lifecycle.steps.budgets import has_short_budget
from bot.lifecycle.steps.places import GroupSemaphore
from bot.lifecycle.steps.planning import due_requests
from bot.lifecycle.steps.playing import SeatedGame, load_seated_game
from bot.lifecycle.steps.snapshot import Snapshot
from bot.lifecycle.steps.storing import EntropySource, StepStore
from bot.store import NotWritten, Store
from bot.store.models.pace import Pace
from bot.store.models.records import (
    LATE_GIVERS,
    AnswerRow,
    Game,
    GameStarted,
    GivenBy,
    Player,
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
from rules.core.replay import UndoAction

log = logging.getLogger(__name__)

CLAIM_TIMEOUT_S: Final = 300
"""A claim older than this is taken over; one of ours whose step could not be written, after `RETRY_AFTER_S`."""
STEP_TIMEOUT_S: Final = 60.0
"""Seconds for which somebody waits until a step is over before they are refused: nobody's press waits that long."""
POLL_INTERVAL_S: Final = 0.1
"""Seconds between looks whether another bot's step is over."""
RETRY_AFTER_S: Final = 60
"""When a game that could not go on is looked at again."""
MAX_CONCURRENT_GAMES: Final = 50
"""Overdue games that are read and resolved at a time; the others wait until one of them is through."""
MAX_CONCURRENT_GAMES_PER_HOST: Final = 5
"""Of these, games that one host has opened: their steps are done one at a time while others wait."""

Clock = Callable[[], datetime]
"""Tells the time, aware and in UTC."""


async def _ignore_game(_: int) -> None:
    return None


async def _do_nothing_more(_: Transaction) -> None:
    return None


class DueWork(msgspec.Struct, frozen=True, kw_only=True):
    """What is due in any game, as the store has it at one moment."""

    agenda: DueTimes
    is_due: bool
    """Whether there is something to `wake` for."""
    overdue_hosts: Mapping[int, int] = msgspec.field(default_factory=dict)
    """Hosts of games whose time is up, by game."""
    claimed_games: Sequence[Game] = ()
    """Games that are being resolved, if something is due."""


class StepRunner:
    """Resolves what is due in any game."""

    def __init__(
        self, store: Store, workers: Workers, clock: Clock, chance: EntropySource, pulse: Pulse | None = None
    ) -> None:
        """Without a `pulse` the clock is one that is set by hand: see `VirtualPulse`."""
        self._store = store
        self._workers = workers
        self._clock = clock
        self.gaps: Final = GapCorrector(store, pulse or VirtualPulse(clock))
        self.step_store = StepStore(self.now, chance)
        self.on_change: Callable[[], None] = lambda: None
        """Called after each commit that wants messages sent or deadlines kept."""
        self.on_expected: Callable[[int], None] = lambda _: None
        """Called after each commit that wants messages from a time on (Unix seconds), and nothing else."""
        self.on_step: Callable[[str, float, int | None], None] = lambda *_: None
        """Called after each step: which system, the seconds it took, and how late if its deadline had come."""
        self.on_failure: Callable[[], None] = lambda: None
        """Called when a game could not go on for a fault of ours."""
        self.on_stuck: Callable[[int], Awaitable[None]] = _ignore_game
        """Called when a game could not go on for a fault of ours, and it was not the first try."""
        self._failed_at: dict[int, int] = {}
        """The step at which a game could not go on when it was last tried."""
        self.record_digest: Callable[[int], Awaitable[str]]
        """The fingerprint of a finished game's record; set by what writes records."""
        self._doubtful_hosts: dict[int, int | None] = {}
        """Hosts, where they are known, of games that may have to go on although nobody will say so.

        They are looked at when the bot next wakes.
        """
        self._write_retry_at: dict[int, int] = {}
        """When (Unix seconds) games are tried again whose step could not be written: the database was away, or full."""
        self._is_closed = False
        self._tasks: dict[asyncio.Task[None], int] = {}
        """What goes on in the background, and in which game."""
        self._slots = GroupSemaphore(MAX_CONCURRENT_GAMES, each=MAX_CONCURRENT_GAMES_PER_HOST)
        self._active_games: Counter[int] = Counter()
        """How often a game is looked at just now by this very process, which may hold its claim."""

    def now(self) -> int:
        """Seconds of Unix time."""
        return int(self._clock().timestamp())

    def start_advancing(self, game_id: int) -> None:
        """See in the background whether a game can go on; what was committed is sent meanwhile."""
        self.on_change()
        self._start_task(game_id, self._advance_in_background(game_id))

    def _start_task(self, game_id: int, going_on: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(going_on, name=f"advance #{game_id}")
        self._tasks[task] = game_id
        task.add_done_callback(self._tasks.pop)

    async def can_advance(self, tx: Transaction, game: Game) -> bool:
        """Whether nobody is waited for any more, so that a step follows at once."""
        if game.phase != "running" or game.paused_at is not None:
            return False
        return bool(due_requests(await tx.requests.open_of_game(game.id), late=False, early=game.early))

    async def _advance_in_background(self, game_id: int) -> None:
        mark_unowned()
        if not await self._advance_logged(game_id):
            self.on_change()  # so that it is known when its claim is to be taken over

    async def _advance_logged(self, game_id: int) -> bool:
        """Go on with a game; whether that was possible."""
        try:
            await self.advance_game(game_id)
        except Exception as fault:
            if is_game_gone(fault):
                log.info("game has been deleted", extra={"game": game_id})
                return True
            # The claim stays: it is taken over when it is old, so that a fault may pass, such as a worker's death.
            log.exception("game could not be resolved", extra={"game": game_id})
            self.on_failure()
            self._doubtful_hosts[game_id] = None
            if isinstance(fault, NotWritten):
                self._write_retry_at[game_id] = self.now() + RETRY_AFTER_S
            with suppress(NotWritten):
                if not isinstance(fault, NotWritten) and await self._has_failed_before(game_id):
                    self._doubtful_hosts.pop(game_id, None)
                    await self.on_stuck(game_id)
                async with self._store.write() as tx:  # the step would have shown them
                    await tx.games.lock_game(game_id)
                    await enqueue.update_seals(tx, await tx.requests.open_of_game(game_id), now=self.now())
            return False
        return True

    async def _has_failed_before(self, game_id: int) -> bool:
        """Whether a game could not go on from this very step before."""
        async with self._store.read() as tx:
            game = await tx.games.find_for_update(game_id)
        before, now = self._failed_at.get(game_id), game.step_no if game else 0
        self._failed_at[game_id] = now
        return before == now

    async def try_step(self, game_id: int) -> bool:
        """Try what is due in a game that stands still, and store nothing of it; a fault is logged."""
        async with self._store.read() as tx:
            before = await snapshot.read_requests(tx, game_id)
            step = await tx.steps.find(game_id, before.game.step_no)
        late = before.game.deadline is not None and before.game.deadline <= (before.game.paused_at or self.now())
        rows = due_requests(before.open_requests, late=late, early=before.game.early)
        try:
            if rows and step:
                await self._resolve(before, rows, step)
        except Exception:
            log.exception("game still stands still", extra={"game": game_id})
            return False
        return True

    async def wait_until_idle(self) -> None:
        """Wait until no game is being resolved."""
        while self._tasks:
            await asyncio.gather(*self._tasks)

    async def wait_until_at_rest(self, game_id: int, most_s: float) -> bool:
        """Wait until a game stands still again, but not longer than so; whether it does."""
        going = [task for task, game in self._tasks.items() if game == game_id]
        return not going or not (await asyncio.wait(going, timeout=most_s))[1]

    async def wait_for_step(self, game_id: int) -> bool:
        """Wait until the step in hand is over, ours or another bot's; whether there was one, and it is.

        It may be one of which nobody may know, so nobody is refused because of it.
        """
        if game_id in self._tasks.values():
            return await self.wait_until_at_rest(game_id, STEP_TIMEOUT_S)
        if self._store.current_share() is None:
            return False
        for _ in range(round(STEP_TIMEOUT_S / POLL_INTERVAL_S)):
            async with self._store.read() as tx:
                game = await tx.games.find_without_lock(game_id)
            if game is None or not self._is_claimed_elsewhere(game):
                return game is not None and game.phase != "resolving"
            await asyncio.sleep(POLL_INTERVAL_S)
        return False

    def is_busy(self, game: Game) -> bool:
        """Whether a game is in the middle of a step, or is looked at whether it can go on."""
        return game.id in self._tasks.values() or self._is_claimed_elsewhere(game)

    def _is_claimed_elsewhere(self, game: Game) -> bool:
        """Whether another bot is in the middle of a step of a game, as long as it isn't to be taken over."""
        if game.phase != "resolving" or self._is_ours(game):
            return False
        return (game.claimed_at or 0) > self.now() - CLAIM_TIMEOUT_S

    async def close(self) -> None:
        """Begin no more steps; those in hand are finished. The next start goes on."""
        self._is_closed = True
        await self.wait_until_idle()

    async def advance_game(self, game_id: int) -> None:
        """Resolve what is due: while all have sealed or the deadline has passed, the game goes on."""
        with self._keep_claim(game_id), logs.bind_values(game=game_id), as_step():
            await self.gaps.check_if_late(self.now())
            step: planning.StepChanges | None = None
            while not self._is_closed and (step is None or step.can_advance(self.now())):
                last, step = step, await self._advance_once(game_id)
                if step is None:
                    step = last
                    break
                self.on_change()
            if not self._is_closed and (step is None or step.concerns_other_games):
                await self._begin_battles(game_id)
                await self._report_battle(game_id)

    @contextmanager
    def _keep_claim(self, game_id: int) -> Iterator[None]:
        """Keep a claim on a game from being taken over, however long a worker keeps it waiting."""
        self._active_games[game_id] += 1
        try:
            yield
        finally:
            self._active_games[game_id] -= 1
            if not self._active_games[game_id]:
                del self._active_games[game_id]

    async def _begin_battles(self, parent_id: int) -> None:
        """Begin the games that a game has opened to answer its questions."""
        async with self._store.read() as tx:
            waiting = [game for game in await tx.games.battles_of(parent_id) if game.phase == "lobby"]
            ready = [await load_seated_game(tx, game.id) for game in waiting]
        for playing in ready:
            game = playing.game
            done = await self._workers.run_step(
                game.host_id, play.begin_game, game.setup, playing.dice_seed, playing.step_context()
            )
            done = await self.add_statistics(game, GameStarted(), done)
            async with self._store.write() as tx:
                again = await tx.games.find_for_update(game.id)
                if again is None or again.phase != "lobby":
                    continue
                await battles.begin_battle(tx, again, now=self.now())
                await self.step_store.commit_step(tx, again, GameStarted(), done)
            self.start_advancing(game.id)

    async def _report_battle(self, game_id: int) -> None:
        """If a battle is over, answer what it was played for, and let that game go on."""
        async with self._store.read() as tx:
            game = await tx.games.find_for_update(game_id)
            if game is None or game.phase != "over" or game.parent_id is None or game.parent_request is None:
                return
            step, row = (
                await tx.steps.find(game_id, game.step_no),
                await tx.requests.find(game.parent_id, game.parent_request),
            )
        if step is None or row is None or row.status != "open":
            return
        report = await self._workers.run_step(
            game.host_id, play.report_battle, game.system, step.state, await self.record_digest(game_id)
        )
        async with self._store.write() as tx:
            await tx.games.lock_game(game.parent_id)
            row = await tx.requests.find(game.parent_id, game.parent_request)
            if row is None or row.status != "open" or await tx.requests.change(row, status="sealed") is None:
                return
            await self.step_store.store_answer(tx, row, report, given_by="battle")
        self.start_advancing(game.parent_id)

    async def _advance_once(self, game_id: int) -> planning.StepChanges | None:
        """Resolve what is due, if anything is; what that has changed."""
        now, started = self.now(), time.perf_counter()
        async with self._store.write() as tx:
            before = await snapshot.read_requests(tx, game_id)
            game, left = before.game, seats.is_deserted(before.seated_game)
            going = game.phase == "running" and game.system in playable_systems()
            if not going or (game.paused_at is not None and not left):
                return None
            late = game.deadline is not None and game.deadline <= now and await self._is_fresh(tx, game, now)
            rows = due_requests(before.open_requests, late=late, early=game.early)
            if not (rows or left):
                return None
            step = None if left else await tx.steps.find(game_id, game.step_no)
            claimed = None if left else await tx.games.claim(game, now=now)
        if left:
            with suppress(Refusal):  # somebody has done something else meanwhile: then it is looked at again
                await self.apply_out_of_turn(before.seated_game, CallOff(deserted=True))
        if claimed is None or step is None:
            return None
        unsealed = [row for row in rows if row.id not in before.answers]
        done = await self._resolve(before, rows, step)
        cause = RequestsAnswered(requests=tuple(sorted(done.answers)))
        given: dict[str, GivenBy] = {row.id: done.unsealed_givers[row.id] for row in unsealed}
        late_ones = {one for one, by in given.items() if by in LATE_GIVERS}
        missed = {row.seat for row in rows if row.id in late_ones}
        done = await self.add_statistics(game, cause, done, missed=missed)
        async with self._store.write() as tx:
            current = await snapshot.read_snapshot(tx, game_id)
            if current.game.version != claimed.version:
                return None  # somebody took the claim over
            gone = await seats.count_missed_deadlines(
                tx, before.seated_game, _answered_in_person(rows, late_ones, now, game.pace), now=now
            )
            changes = await self.step_store.commit_step(tx, claimed, cause, done, given=given, before=current)
            if late and all(row.deadline is None or row.deadline > now for row in rows):
                changes = await self._end_shared_clock(tx, changes, {row.body.clock for row in rows}, now)
            if gone and not changes.is_over:
                await self._stop_deserted_game(tx, game_id, gone)
        self._log_step(claimed, "answers", started, late_s=now - game.deadline if late and game.deadline else None)
        return changes

    async def _is_fresh(self, tx: Transaction, game: Game, now: int) -> bool:
        """Whether all clocks of a game have been moved by gaps until now, so that what is due is late."""
        return is_fresh((await tx.beats.all_beats()).get(tx.beats.shard_of(game.guild_id)), now)

    async def _stop_deserted_game(self, tx: Transaction, game_id: int, gone: SeatRow) -> None:
        """Stop the clock of a game whose only captain is gone: else it would play on, day by day, by itself."""
        game = await tx.games.find_for_update(game_id)
        if game is not None and game.deadline is not None:
            await clock.stop_clock(tx, game, clock.DESERTED, now=self.now(), seat=gone.seat)

    async def _resolve(self, before: Snapshot, rows: Sequence[RequestRow], step: StepRow) -> play.StepResult:
        """What comes of the answers to these requests after a step."""
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
        """Whose default doesn't count as a turn let pass: who announced an absence, or whose time was cut short."""
        cut_short = {row.seat for row in rows if row.deadline is not None and row.deadline > self.now()}
        seats = [seat.seat for seat in before.seated_game.seats]
        return [seat for seat in seats if seat in cut_short or self._is_away(before.player_in_seat(seat))]

    def _is_away(self, player: Player | None) -> bool:
        """Whether a player has announced to be away now."""
        return player is not None and is_away(player, self.now())

    async def _end_shared_clock(
        self, tx: Transaction, changes: planning.StepChanges, clocks: Collection[str], now: int
    ) -> planning.StepChanges:
        """Whose time was ended before its deadline has no more for what is asked next on the same clock."""
        asked = [row for row in changes.open_requests if row.body.clock and not row.optional]
        if not any(row.body.clock in clocks and row.status == "open" for row in asked):
            return changes
        await tx.games.change(changes.game_id, deadline=now)
        return msgspec.structs.replace(changes, game_columns={**changes.game_columns, "deadline": now})

    def _log_step(self, game: Game, cause: str, started: float, *, late_s: int | None = None) -> None:
        seconds = time.perf_counter() - started
        self.on_step(game.system, seconds, late_s)
        told = {"game": game.id, "step": game.step_no + 1, "cause": cause, "ms": round(seconds * 1000)}
        log.info("step", extra=told if late_s is None else {**told, "late_s": late_s})

    async def apply_out_of_turn(
        self,
        playing: SeatedGame,
        act: OutOfTurnAction,
        conceded: SeatRow | None = None,
        *,
        also: Callable[[Transaction], Awaitable[None]] = _do_nothing_more,
    ) -> None:
        """Carry out what was done unasked, and `also` what belongs to it. Raises `Refusal`."""
        started = time.perf_counter()
        async with self._claim_game(playing) as (game, state):
            async with self._store.read() as tx:
                given_ahead = (await snapshot.read_requests(tx, game.id)).early_answers
            seats_then = _with_concessions(playing.seats, {conceded.seat} if conceded else (), kept=True)
            aside = msgspec.structs.replace(playing, seats=seats_then).step_context(given_ahead)
            done = await self._workers.run_step(game.host_id, play.apply_out_of_turn, game.system, state, act, aside)
            done = await self.add_statistics(game, act, done)
            goes_on = conceded if done.result is None else None
            fleets = await self._conceded_battle_seats(game, goes_on) if goes_on else ()
            async with self._store.write() as tx:
                _check_claim(game, await tx.games.find_for_update(game.id))
                if conceded:
                    await tx.seats.change(game.id, conceded.seat, conceded=True)
                await self.step_store.commit_step(tx, game, act, done)
                await also(tx)
                if goes_on:
                    now = self.now()
                    await conceding.answer_battles_by_computer(tx, self.step_store, fleets, now=now)
                    await conceding.answer_by_computer(
                        tx, self.step_store, game.id, goes_on.seat, done.computer_answers, now=now
                    )
        self._log_step(game, str(act.__struct_config__.tag), started)
        for number in (game.id, *(fleet.seated_game.game.id for fleet in fleets)):
            self.start_advancing(number)

    async def _conceded_battle_seats(self, game: Game, seat: SeatRow) -> Sequence[conceding.ConcededBattleSeat]:
        """What this seat's captain has in battles, with what the computer orders there."""

        async def think(playing: SeatedGame, seat_no: int) -> Mapping[str, str]:
            async with self._store.read() as tx:
                step = await tx.steps.find(playing.game.id, playing.game.step_no)
            if step is None:
                return {}  # it has not begun, and asks nothing yet
            there = playing.game
            return await self._workers.run_step(
                there.host_id, play.computer_answers, there.system, step.state, (seat_no,)
            )

        async with self._store.read() as tx:
            held = await battles.battle_seats_of(tx, game.id, seat)
        return await conceding.with_computer_answers(held, think)

    async def go_back_to(
        self,
        playing: SeatedGame,
        goal: undo.UndoTarget,
        kind: str,
        *,
        user_id: int,
        unrated: bool = False,
        opposed: bool = False,
        **params: int,
    ) -> None:
        """Go on from an earlier step, `unrated` or not; the act of this `kind` says so. Raises `Refusal`.

        `opposed`: others play against who does it, and have not agreed.
        """
        started = time.perf_counter()
        async with self._claim_game(playing, goal.step_no) as (game, state):
            number = game.step_no + 1
            async with self._store.read() as tx:
                gone = undo.conceded_seats(await tx.steps.causes_of_game(game.id), goal.step_no)
                gone |= await battles.seats_conceded_above(tx, game)
            then = msgspec.structs.replace(playing, seats=_with_concessions(playing.seats, gone))
            done = await self._workers.run_step(
                game.host_id,
                play.go_back_to,
                game.system,
                state,
                seed=playing.dice_seed,
                number=goal.public_step_count,
                revealed=goal.is_revealing,
                aside=then.step_context(),
            )
            repeated = [] if goal.is_revealing else await self._replay_secret_steps(then, goal.step_no, done.state)
            commanding: list[int] = []
            async with self._store.write() as tx:
                _check_claim(game, await tx.games.find_for_update(game.id))
                # First: in the thread it stands above the list of those who are asked then.
                await enqueue.add_log_entry(tx, game, kind, now=self.now(), user_id=user_id, step=number, **params)
                for seat in then.seats:
                    await tx.seats.change(game.id, seat.seat, conceded=seat.conceded)
                if goal.is_revealing:
                    aside = await undo.set_aside_requests(
                        tx, game.id, number, goal.step_no, done.pending, now=self.now()
                    )
                    await self.step_store.commit_step(tx, game, UndoAction(to=goal.step_no), done)
                    await undo.restore_drafts(tx, game.id, aside)
                else:
                    await taking_back.take_back(
                        tx,
                        self.step_store,
                        playing,
                        to=goal.step_no,
                        done=done,
                        again=repeated,
                        opposed=opposed,
                        now=self.now(),
                    )
                again = {seat.seat for seat in playing.seats if seat.conceded} - gone
                for seat in (seat for seat in then.seats if seat.seat in again):
                    commanding += await conceding.return_command(tx, game.id, seat, now=self.now())
                await taking_back.offer_vacant_seats(tx, game.id, again, now=self.now())
                if unrated and game.rated:
                    await make_unrated(tx, game)
                    await enqueue.add_log_entry(tx, game, "unrated", now=self.now(), user_id=user_id)
        self._log_step(game, "Undone", started)
        for one in (game.id, *commanding):
            self.start_advancing(one)

    async def _replay_secret_steps(self, playing: SeatedGame, to: int, state: str) -> Sequence[play.StepResult]:
        """Work out again, from a state after step `to`, what was done in secret since."""
        game = playing.game
        async with self._store.read() as tx:
            secrets = await taking_back.secret_steps_since(tx, game.id, to)
        given = [secret.bodies for secret in secrets]
        if not given:
            return ()
        return await self._workers.run_step(
            game.host_id, play.repeat_answers, game.system, state, given, playing.step_context()
        )

    @asynccontextmanager
    async def _claim_game(self, playing: SeatedGame, step_no: int | None = None) -> AsyncIterator[tuple[Game, str]]:
        """Claim a game that is as somebody saw it; with its state now, or after an earlier step. Raises `Refusal`.

        If what is done with it fails, the claim is given back, so that the game can go on at once.
        """
        with self._keep_claim(playing.game.id):
            async with self._store.write() as tx:
                game = await tx.games.find_for_update(playing.game.id)
                if game is None or game.phase != "running" or game.step_no != playing.game.step_no:
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
        """Let a game that we claimed go on from where it stood."""
        with suppress(NotWritten):  # then the claim is taken over when it is old
            async with self._store.write() as tx:
                game = await tx.games.find_for_update(claimed.id)
                if game and game.phase == "resolving" and game.version == claimed.version:
                    await tx.games.change(game.id, phase="running", version=game.version + 1, claimed_at=None)
            self.start_advancing(claimed.id)  # it may have been waited for alone

    async def add_statistics(
        self, game: Game, cause: StepCause, done: play.StepResult, *, missed: Collection[Seat] = ()
    ) -> play.StepResult:
        """Count, if a game is over now, what each captain has done in person, without what was taken back.

        Those who `missed` the last step did nothing in it.
        """
        if done.result is None:
            return done
        last = game.step_no + 1
        async with self._store.read() as tx:
            steps = await tx.steps.of_game(game.id)
            held, answered = await tx.captaincies.of_game(game.id), await tx.answers.of_game(game.id)
        kept = dict(undo.effective_steps([*((step.no, step.cause) for step in steps), (last, cause)]))
        happened = [*((step.no, step.events) for step in steps if step.no in kept), (last, done.events)]
        since = {one.seat: one.from_step for one in held if one.to_step is None}
        late = [
            (no, answered[one].seat)
            for no, one in _answered_requests(kept)
            if one in answered and _is_late(answered[one])
        ]
        late += [(last, seat) for seat in missed]
        without = {
            seat: [
                (at, at + 1)
                for at, (no, _) in enumerate(happened)
                if (no, seat) in late or (0 < no <= since.get(seat, 0))
            ]
            for seat in range(len(game.setup.teams))
        }
        spans = {seat: _merge_spans(steps) for seat, steps in without.items() if steps}
        events = [events for _, events in happened]
        tallies = await self._workers.run_step(
            game.host_id, play.count_statistics, game.system, done.state, events, spans
        )
        return msgspec.structs.replace(done, tallies=tallies)

    # --- time and restarts -------------------------------------------------------------------------------------

    async def find_due_work(self) -> DueWork:
        """Move all clocks by gaps, then return what is due in any game and when something will be next."""
        await self.gaps.check(self.now())
        now = self.now()
        async with self._store.read() as tx:
            fresh = {shard for shard, beat in (await tx.beats.all_beats()).items() if is_fresh(beat, now)}
            agenda = await tx.agenda.due_times(now)
            if agenda.next_deadline is not None and agenda.next_deadline <= now:
                agenda = await tx.agenda.due_times(now, fresh)
            if not self._is_due(agenda):
                return DueWork(agenda=agenda, is_due=False)
            claims = []
            if agenda.oldest_claim is not None:
                claims = await tx.games.claimed_before(before=now - CLAIM_TIMEOUT_S)
            claims += await self._retryable_claims(tx, now, claims)
            return DueWork(
                agenda=agenda, is_due=True, overdue_hosts=await tx.games.overdue_hosts(now, fresh), claimed_games=claims
            )

    def _is_due(self, agenda: DueTimes) -> bool:
        due = self.next_wake_time(agenda)
        return (
            bool(self._doubtful_hosts) or (due is not None and due <= self.now()) or self._is_claimed_in_future(agenda)
        )

    def next_wake_time(self, agenda: DueTimes) -> int | None:
        """When to wake next, in Unix seconds."""
        claimed = None if agenda.oldest_claim is None else min(agenda.oldest_claim, self.now()) + CLAIM_TIMEOUT_S
        doubtful = self.now() + RETRY_AFTER_S if self._doubtful_hosts else None
        times = (agenda.next_deadline, claimed, doubtful, *self._write_retry_at.values())
        return min((time for time in times if time is not None), default=None)

    def _is_claimed_in_future(self, agenda: DueTimes) -> bool:
        return agenda.oldest_claim is not None and agenda.oldest_claim > self.now()

    async def run_due_work(self, look: DueWork | None = None) -> None:
        """Do all that is due, as a `look` has found it, and wait until it is done."""
        await self.start_due_work(look or await self.find_due_work())
        await self.wait_until_idle()

    async def start_due_work(self, look: DueWork) -> None:
        """Begin all that is due, as a `look` has found it: games go on at the same time, so none waits for another."""
        now = self.now()
        stalled = [game for game in look.claimed_games if self._is_claim_abandoned(game, now)]
        await self._break_claims(
            [game for game in stalled if not self._active_games[game.id]]
        )  # others wait for a worker
        self._write_retry_at = {game_id: again for game_id, again in self._write_retry_at.items() if again > now}
        await self._redate_claims([game for game in look.claimed_games if (game.claimed_at or 0) > now], now)
        hosts = {**self._doubtful_hosts, **look.overdue_hosts}
        for game_id in sorted(hosts.keys() - set(self._tasks.values())):
            self._doubtful_hosts.pop(game_id, None)
            self._start_task(game_id, self._advance_in_slot(game_id, hosts[game_id]))

    async def _retryable_claims(self, tx: Transaction, now: int, others: Sequence[Game]) -> list[Game]:
        """Claims of ours whose step could not be written and is to be tried again, beside these; of any shard."""
        known = {game.id for game in others}
        tried = [
            await tx.games.find_for_update(one)
            for one, again in self._write_retry_at.items()
            if again <= now and one not in known
        ]
        return [game for game in tried if game is not None and game.phase == "resolving" and self._is_ours(game)]

    def _is_claim_abandoned(self, game: Game, now: int) -> bool:
        """Whether nobody will end a claim on a game."""
        tried_again = self._write_retry_at.get(game.id, now + 1) <= now and self._is_ours(game)
        return tried_again or (game.claimed_at or 0) <= now - CLAIM_TIMEOUT_S

    def _is_ours(self, game: Game) -> bool:
        """Whether this bot has claimed a game."""
        share = self._store.current_share()
        return share is None or game.claimed_by == share.bot_name

    async def _advance_in_slot(self, game_id: int, host: int | None) -> None:
        async with self._slots.slot(host or ("of an unknown host", game_id)):
            if not self._is_closed:
                await self._advance_in_background(game_id)

    async def recover_claims(self) -> None:
        """After a start: nobody else resolves here, so every claim but our own was broken off; go on with all games.

        Discord may bring presses before it says that it is ready, so there may be claims of our own.
        """
        async with self._store.read() as tx:
            claims = await tx.games.claimed_before(before=self.now() - CLAIM_TIMEOUT_S)
        await self._break_claims([game for game in claims if not self._active_games[game.id]])
        async with self._store.read() as tx:
            self._doubtful_hosts.update(await tx.games.ready_hosts(self.now()))
            for battle in await tx.games.unfinished_battles():
                one = battle.id if battle.phase == "over" else battle.parent_id or battle.id
                self._doubtful_hosts[one] = battle.host_id
        self.on_change()

    async def _redate_claims(self, claims: Sequence[Game], now: int) -> None:
        """Date claims of the future from today: since they were made, the clock has been put right."""
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


def _with_concessions(seats: Sequence[SeatRow], gone: Collection[Seat], *, kept: bool = False) -> list[SeatRow]:
    """Return seats as they are once these have given up; `kept`: besides those that have already."""
    return [msgspec.structs.replace(seat, conceded=seat.seat in gone or (kept and seat.conceded)) for seat in seats]


def _check_claim(claimed: Game, game: Game | None) -> None:
    """Raise `Refusal` if a game is no longer as it was when it was claimed: what was worked out fits it no longer."""
    if game is None or game.version != claimed.version:
        raise Refusal("busy")


def _answered_requests(causes: Mapping[int, StepCause]) -> list[tuple[int, str]]:
    """Which requests were answered in which steps."""
    return [(no, one) for no, cause in causes.items() if isinstance(cause, RequestsAnswered) for one in cause.requests]


def _is_late(answer: AnswerRow) -> bool:
    """Whether somebody else answered in the captain's place."""
    return answer.is_late


def _merge_spans(spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The same stretches, those that follow each other as one."""
    found: list[tuple[int, int]] = []
    for begin, end in spans:
        if found and found[-1][1] == begin:
            found[-1] = (found[-1][0], end)
        else:
            found.append((begin, end))
    return found


def _answered_in_person(rows: Sequence[RequestRow], late: Collection[str], now: int, pace: Pace) -> dict[int, bool]:
    """Who has answered in person, by seat; without those whose time was cut short, and what nobody waited for.

    A question that was asked when its captain's time had already run out is no further missed deadline, nor is one
    that gave less time than the game gives.
    """
    waited = [
        row
        for row in rows
        if not (row.optional or (row.id in late and (row.body.within or has_short_budget(row, pace))))
    ]
    judged = [row for row in waited if row.id not in late or (row.asked_at < (row.deadline or 0) <= now)]
    return {row.seat: all(other.id not in late for other in judged if other.seat == row.seat) for row in judged}
