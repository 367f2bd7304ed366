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
from bot.life import battles, clock, enqueue, giving_up, planning, seats, snapshot, taking_back, undo
from bot.life.budgets import has_short_budget
from bot.life.gaps import GapCorrector
from bot.life.places import GroupSemaphore
from bot.life.planning import due_requests
from bot.life.playing import SeatedGame, load_seated_game
from bot.life.pulse import Pulse, VirtualPulse, is_fresh
from bot.life.quiet_hours import is_away
from bot.life.snapshot import Snapshot
from bot.life.steps import EntropySource, StepStore
from bot.life.unrating import make_unrated
from bot.store import NotWritten, Store
from bot.store.agenda import DueTimes
from bot.store.pace import Pace
from bot.store.queries import Transaction
from bot.store.records import (
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
from bot.urgency import as_step
from bot.words.whole import playable_systems
from bot.work import play
from bot.work.turns import mark_unowned
from bot.work.workers import Workers
from rules.protocol import CallOff, OutOfTurnAction, Seat
from rules.replay import UndoAction

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
    due: bool
    """Whether there is something to `wake` for."""
    overdue: Mapping[int, int] = msgspec.field(default_factory=dict)
    """Hosts of games whose time is up, by game."""
    claims: Sequence[Game] = ()
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
        self.steps = StepStore(self.now, chance)
        self.changed: Callable[[], None] = lambda: None
        """Called after each commit that wants messages sent or deadlines kept."""
        self.expects: Callable[[int], None] = lambda _: None
        """Called after each commit that wants messages from a time on (Unix seconds), and nothing else."""
        self.stepped: Callable[[str, float, int | None], None] = lambda *_: None
        """Called after each step: which system, the seconds it took, and how late if its deadline had come."""
        self.failed: Callable[[], None] = lambda: None
        """Called when a game could not go on for a fault of ours."""
        self.stuck: Callable[[int], Awaitable[None]] = _ignore_game
        """Called when a game could not go on for a fault of ours, and it was not the first try."""
        self._failed_at: dict[int, int] = {}
        """The step at which a game could not go on when it was last tried."""
        self.digest_of: Callable[[int], Awaitable[str]]
        """The fingerprint of a finished game's record; set by what writes records."""
        self._doubtful: dict[int, int | None] = {}
        """Hosts, where they are known, of games that may have to go on although nobody will say so.

        They are looked at when the bot next wakes.
        """
        self._unwritten: dict[int, int] = {}
        """When (Unix seconds) games are tried again whose step could not be written: the database was away, or full."""
        self._closed = False
        self._going_on: dict[asyncio.Task[None], int] = {}
        """What goes on in the background, and in which game."""
        self._places = GroupSemaphore(MAX_CONCURRENT_GAMES, each=MAX_CONCURRENT_GAMES_PER_HOST)
        self._in_hand: Counter[int] = Counter()
        """How often a game is looked at just now by this very process, which may hold its claim."""

    def now(self) -> int:
        """Seconds of Unix time."""
        return int(self._clock().timestamp())

    def go_on(self, game_id: int) -> None:
        """See in the background whether a game can go on; what was committed is sent meanwhile."""
        self.changed()
        self._begin(game_id, self._go_on(game_id))

    def _begin(self, game_id: int, going_on: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(going_on, name=f"advance #{game_id}")
        self._going_on[task] = game_id
        task.add_done_callback(self._going_on.pop)

    async def goes_on(self, tx: Transaction, game: Game) -> bool:
        """Whether nobody is waited for any more, so that a step follows at once."""
        if game.phase != "running" or game.paused_at is not None:
            return False
        return bool(due_requests(await tx.requests.of(game.id), late=False, early=game.early))

    async def _go_on(self, game_id: int) -> None:
        mark_unowned()
        if not await self._advance_logged(game_id):
            self.changed()  # so that it is known when its claim is to be taken over

    async def _advance_logged(self, game_id: int) -> bool:
        """Go on with a game; whether that was possible."""
        try:
            await self.advance(game_id)
        except Exception as fault:
            if is_game_gone(fault):
                log.info("game has been deleted", extra={"game": game_id})
                return True
            # The claim stays: it is taken over when it is old, so that a fault may pass, such as a worker's death.
            log.exception("game could not be resolved", extra={"game": game_id})
            self.failed()
            self._doubtful[game_id] = None
            if isinstance(fault, NotWritten):
                self._unwritten[game_id] = self.now() + RETRY_AFTER_S
            with suppress(NotWritten):
                if not isinstance(fault, NotWritten) and await self._failed_before(game_id):
                    self._doubtful.pop(game_id, None)
                    await self.stuck(game_id)
                async with self._store.write() as tx:  # the step would have shown them
                    await tx.games.hold(game_id)
                    await enqueue.update_seals(tx, await tx.requests.of(game_id), now=self.now())
            return False
        return True

    async def _failed_before(self, game_id: int) -> bool:
        """Whether a game could not go on from this very step before."""
        async with self._store.read() as tx:
            game = await tx.games.find(game_id)
        before, now = self._failed_at.get(game_id), game.step_no if game else 0
        self._failed_at[game_id] = now
        return before == now

    async def could_go_on(self, game_id: int) -> bool:
        """Try what is due in a game that stands still, and store nothing of it; a fault is logged."""
        async with self._store.read() as tx:
            before = await snapshot.read_requests(tx, game_id)
            step = await tx.steps.find(game_id, before.game.step_no)
        late = before.game.deadline is not None and before.game.deadline <= (before.game.paused_at or self.now())
        rows = due_requests(before.open, late=late, early=before.game.early)
        try:
            if rows and step:
                await self._carried_out(before, rows, step)
        except Exception:
            log.exception("game still stands still", extra={"game": game_id})
            return False
        return True

    async def settle(self) -> None:
        """Wait until no game is being resolved."""
        while self._going_on:
            await asyncio.gather(*self._going_on)

    async def gone_on(self, game_id: int, most_s: float) -> bool:
        """Wait until a game stands still again, but not longer than so; whether it does."""
        going = [task for task, game in self._going_on.items() if game == game_id]
        return not going or not (await asyncio.wait(going, timeout=most_s))[1]

    async def step_over(self, game_id: int) -> bool:
        """Wait until the step in hand is over, ours or another bot's; whether there was one, and it is.

        It may be one of which nobody may know, so nobody is refused because of it.
        """
        if game_id in self._going_on.values():
            return await self.gone_on(game_id, STEP_TIMEOUT_S)
        if self._store.share() is None:
            return False
        for _ in range(round(STEP_TIMEOUT_S / POLL_INTERVAL_S)):
            async with self._store.read() as tx:
                game = await tx.games.peek(game_id)
            if game is None or not self._is_elsewhere(game):
                return game is not None and game.phase != "resolving"
            await asyncio.sleep(POLL_INTERVAL_S)
        return False

    def is_going_on(self, game: Game) -> bool:
        """Whether a game is in the middle of a step, or is looked at whether it can go on."""
        return game.id in self._going_on.values() or self._is_elsewhere(game)

    def _is_elsewhere(self, game: Game) -> bool:
        """Whether another bot is in the middle of a step of a game, as long as it isn't to be taken over."""
        if game.phase != "resolving" or self._is_ours(game):
            return False
        return (game.claimed_at or 0) > self.now() - CLAIM_TIMEOUT_S

    async def close(self) -> None:
        """Begin no more steps; those in hand are finished. The next start goes on."""
        self._closed = True
        await self.settle()

    async def advance(self, game_id: int) -> None:
        """Resolve what is due: while all have sealed or the deadline has passed, the game goes on."""
        with self._held(game_id), logs.bind_values(game=game_id), as_step():
            await self.gaps.keep_up(self.now())
            step: planning.StepChanges | None = None
            while not self._closed and (step is None or step.goes_on(self.now())):
                last, step = step, await self._advance_once(game_id)
                if step is None:
                    step = last
                    break
                self.changed()
            if not self._closed and (step is None or step.concerns_others):
                await self._begin_battles(game_id)
                await self._report(game_id)

    @contextmanager
    def _held(self, game_id: int) -> Iterator[None]:
        """Keep a claim on a game from being taken over, however long a worker keeps it waiting."""
        self._in_hand[game_id] += 1
        try:
            yield
        finally:
            self._in_hand[game_id] -= 1
            if not self._in_hand[game_id]:
                del self._in_hand[game_id]

    async def _begin_battles(self, parent_id: int) -> None:
        """Begin the games that a game has opened to answer its questions."""
        async with self._store.read() as tx:
            waiting = [game for game in await tx.games.battles_of(parent_id) if game.phase == "lobby"]
            ready = [await load_seated_game(tx, game.id) for game in waiting]
        for playing in ready:
            game = playing.game
            done = await self._workers.step(
                game.host_id, play.begin_game, game.setup, playing.dice_seed, playing.beside()
            )
            done = await self.tallied(game, GameStarted(), done)
            async with self._store.write() as tx:
                again = await tx.games.find(game.id)
                if again is None or again.phase != "lobby":
                    continue
                await battles.begin_battle(tx, again, now=self.now())
                await self.steps.commit(tx, again, GameStarted(), done)
            self.go_on(game.id)

    async def _report(self, game_id: int) -> None:
        """If a battle is over, answer what it was played for, and let that game go on."""
        async with self._store.read() as tx:
            game = await tx.games.find(game_id)
            if game is None or game.phase != "over" or game.parent_id is None or game.parent_request is None:
                return
            step, row = (
                await tx.steps.find(game_id, game.step_no),
                await tx.requests.find(game.parent_id, game.parent_request),
            )
        if step is None or row is None or row.status != "open":
            return
        report = await self._workers.step(
            game.host_id, play.report_battle, game.system, step.state, await self.digest_of(game_id)
        )
        async with self._store.write() as tx:
            await tx.games.hold(game.parent_id)
            row = await tx.requests.find(game.parent_id, game.parent_request)
            if row is None or row.status != "open" or await tx.requests.change(row, status="sealed") is None:
                return
            await self.steps.answer(tx, row, report, given_by="battle")
        self.go_on(game.parent_id)

    async def _advance_once(self, game_id: int) -> planning.StepChanges | None:
        """Resolve what is due, if anything is; what that has changed."""
        now, started = self.now(), time.perf_counter()
        async with self._store.write() as tx:
            before = await snapshot.read_requests(tx, game_id)
            game, left = before.game, seats.is_deserted(before.playing)
            going = game.phase == "running" and game.system in playable_systems()
            if not going or (game.paused_at is not None and not left):
                return None
            late = game.deadline is not None and game.deadline <= now and await self._is_fresh(tx, game, now)
            rows = due_requests(before.open, late=late, early=game.early)
            if not (rows or left):
                return None
            step = None if left else await tx.steps.find(game_id, game.step_no)
            claimed = None if left else await tx.games.claim(game, now=now)
        if left:
            with suppress(Refusal):  # somebody has done something else meanwhile: then it is looked at again
                await self.act(before.playing, CallOff(deserted=True))
        if claimed is None or step is None:
            return None
        unsealed = [row for row in rows if row.id not in before.answers]
        done = await self._carried_out(before, rows, step)
        cause = RequestsAnswered(requests=tuple(sorted(done.answers)))
        given: dict[str, GivenBy] = {row.id: done.unsealed[row.id] for row in unsealed}
        late_ones = {one for one, by in given.items() if by in LATE_GIVERS}
        missed = {row.seat for row in rows if row.id in late_ones}
        done = await self.tallied(game, cause, done, missed=missed)
        async with self._store.write() as tx:
            current = await snapshot.read_snapshot(tx, game_id)
            if current.game.version != claimed.version:
                return None  # somebody took the claim over
            gone = await seats.count_missed_deadlines(
                tx, before.playing, _answered_in_person(rows, late_ones, now, game.pace), now=now
            )
            changes = await self.steps.commit(tx, claimed, cause, done, given=given, before=current)
            if late and all(row.deadline is None or row.deadline > now for row in rows):
                changes = await self._cut_short(tx, changes, {row.body.clock for row in rows}, now)
            if gone and not changes.over:
                await self._wait_for(tx, game_id, gone)
        self._tell(claimed, "answers", started, late_s=now - game.deadline if late and game.deadline else None)
        return changes

    async def _is_fresh(self, tx: Transaction, game: Game, now: int) -> bool:
        """Whether all clocks of a game have been moved by gaps until now, so that what is due is late."""
        return is_fresh((await tx.beats.all()).get(tx.beats.shard_of(game.guild_id)), now)

    async def _wait_for(self, tx: Transaction, game_id: int, gone: SeatRow) -> None:
        """Stop the clock of a game whose only captain is gone: else it would play on, day by day, by itself."""
        game = await tx.games.find(game_id)
        if game is not None and game.deadline is not None:
            await clock.stop_clock(tx, game, clock.DESERTED, now=self.now(), seat=gone.seat)

    async def _carried_out(self, before: Snapshot, rows: Sequence[RequestRow], step: StepRow) -> play.StepResult:
        """What comes of the answers to these requests after a step."""
        sealed = {row.id: before.answers[row.id].body for row in rows if row.id in before.answers}
        return await self._workers.step(
            before.game.host_id,
            play.carry_out_answers,
            before.game.system,
            step.state,
            {row.id: sealed.get(row.id) for row in rows},
            before.playing.beside(before.ahead),
            drafts={row.id: row.draft for row in rows if row.id not in sealed},
            excused=self._excused(before, rows),
        )

    def _excused(self, before: Snapshot, rows: Sequence[RequestRow]) -> list[Seat]:
        """Whose default doesn't count as a turn let pass: who announced an absence, or whose time was cut short."""
        cut_short = {row.seat for row in rows if row.deadline is not None and row.deadline > self.now()}
        seats = [seat.seat for seat in before.playing.seats]
        return [seat for seat in seats if seat in cut_short or self._away(before.player(seat))]

    def _away(self, player: Player | None) -> bool:
        """Whether a player has announced to be away now."""
        return player is not None and is_away(player, self.now())

    async def _cut_short(
        self, tx: Transaction, changes: planning.StepChanges, clocks: Collection[str], now: int
    ) -> planning.StepChanges:
        """Whose time was ended before its deadline has no more for what is asked next on the same clock."""
        asked = [row for row in changes.open if row.body.clock and not row.optional]
        if not any(row.body.clock in clocks and row.status == "open" for row in asked):
            return changes
        await tx.games.change(changes.game_id, deadline=now)
        return msgspec.structs.replace(changes, game={**changes.game, "deadline": now})

    def _tell(self, game: Game, cause: str, started: float, *, late_s: int | None = None) -> None:
        seconds = time.perf_counter() - started
        self.stepped(game.system, seconds, late_s)
        told = {"game": game.id, "step": game.step_no + 1, "cause": cause, "ms": round(seconds * 1000)}
        log.info("step", extra=told if late_s is None else {**told, "late_s": late_s})

    async def act(
        self,
        playing: SeatedGame,
        act: OutOfTurnAction,
        conceded: SeatRow | None = None,
        *,
        also: Callable[[Transaction], Awaitable[None]] = _do_nothing_more,
    ) -> None:
        """Carry out what was done unasked, and `also` what belongs to it. Raises `Refusal`."""
        started = time.perf_counter()
        async with self._claimed(playing) as (game, state):
            async with self._store.read() as tx:
                given_ahead = (await snapshot.read_requests(tx, game.id)).ahead
            seats_then = _with_concessions(playing.seats, {conceded.seat} if conceded else (), kept=True)
            aside = msgspec.structs.replace(playing, seats=seats_then).beside(given_ahead)
            done = await self._workers.step(game.host_id, play.apply_out_of_turn, game.system, state, act, aside)
            done = await self.tallied(game, act, done)
            goes_on = conceded if done.result is None else None
            fleets = await self._fleets(game, goes_on) if goes_on else ()
            async with self._store.write() as tx:
                _check_claim(game, await tx.games.find(game.id))
                if conceded:
                    await tx.seats.change(game.id, conceded.seat, conceded=True)
                await self.steps.commit(tx, game, act, done)
                await also(tx)
                if goes_on:
                    now = self.now()
                    await giving_up.answer_battles_by_computer(tx, self.steps, fleets, now=now)
                    await giving_up.answer_by_computer(tx, self.steps, game.id, goes_on.seat, done.computed, now=now)
        self._tell(game, str(act.__struct_config__.tag), started)
        for number in (game.id, *(fleet.playing.game.id for fleet in fleets)):
            self.go_on(number)

    async def _fleets(self, game: Game, seat: SeatRow) -> Sequence[giving_up.ConcededBattleSeat]:
        """What this seat's captain has in battles, with what the computer orders there."""

        async def think(playing: SeatedGame, seat_no: int) -> Mapping[str, str]:
            async with self._store.read() as tx:
                step = await tx.steps.find(playing.game.id, playing.game.step_no)
            if step is None:
                return {}  # it has not begun, and asks nothing yet
            there = playing.game
            return await self._workers.step(there.host_id, play.computer_answers, there.system, step.state, (seat_no,))

        async with self._store.read() as tx:
            held = await battles.battle_seats_of(tx, game.id, seat)
        return await giving_up.with_computer_answers(held, think)

    async def go_back(
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
        async with self._claimed(playing, goal.step_no) as (game, state):
            number = game.step_no + 1
            async with self._store.read() as tx:
                gone = undo.conceded_seats(await tx.steps.causes(game.id), goal.step_no)
                gone |= await battles.seats_conceded_above(tx, game)
            then = msgspec.structs.replace(playing, seats=_with_concessions(playing.seats, gone))
            done = await self._workers.step(
                game.host_id,
                play.go_back_to,
                game.system,
                state,
                seed=playing.dice_seed,
                number=goal.told,
                revealed=goal.revealed,
                aside=then.beside(),
            )
            repeated = [] if goal.revealed else await self._repeated(then, goal.step_no, done.state)
            commanding: list[int] = []
            async with self._store.write() as tx:
                _check_claim(game, await tx.games.find(game.id))
                # First: in the thread it stands above the list of those who are asked then.
                await enqueue.add_log_entry(tx, game, kind, now=self.now(), user_id=user_id, step=number, **params)
                for seat in then.seats:
                    await tx.seats.change(game.id, seat.seat, conceded=seat.conceded)
                if goal.revealed:
                    aside = await undo.set_aside_requests(
                        tx, game.id, number, goal.step_no, done.pending, now=self.now()
                    )
                    await self.steps.commit(tx, game, UndoAction(to=goal.step_no), done)
                    await undo.restore_drafts(tx, game.id, aside)
                else:
                    await taking_back.take_back(
                        tx,
                        self.steps,
                        playing,
                        to=goal.step_no,
                        done=done,
                        again=repeated,
                        opposed=opposed,
                        now=self.now(),
                    )
                again = {seat.seat for seat in playing.seats if seat.conceded} - gone
                for seat in (seat for seat in then.seats if seat.seat in again):
                    commanding += await giving_up.return_command(tx, game.id, seat, now=self.now())
                await taking_back.offer_vacant_seats(tx, game.id, again, now=self.now())
                if unrated and game.rated:
                    await make_unrated(tx, game)
                    await enqueue.add_log_entry(tx, game, "unrated", now=self.now(), user_id=user_id)
        self._tell(game, "Undone", started)
        for one in (game.id, *commanding):
            self.go_on(one)

    async def _repeated(self, playing: SeatedGame, to: int, state: str) -> Sequence[play.StepResult]:
        """Work out again, from a state after step `to`, what was done in secret since."""
        game = playing.game
        async with self._store.read() as tx:
            secrets = await taking_back.secret_steps_since(tx, game.id, to)
        given = [secret.bodies for secret in secrets]
        if not given:
            return ()
        return await self._workers.step(game.host_id, play.repeat_answers, game.system, state, given, playing.beside())

    @asynccontextmanager
    async def _claimed(self, playing: SeatedGame, step_no: int | None = None) -> AsyncIterator[tuple[Game, str]]:
        """Claim a game that is as somebody saw it; with its state now, or after an earlier step. Raises `Refusal`.

        If what is done with it fails, the claim is given back, so that the game can go on at once.
        """
        with self._held(playing.game.id):
            async with self._store.write() as tx:
                game = await tx.games.find(playing.game.id)
                if game is None or game.phase != "running" or game.step_no != playing.game.step_no:
                    raise Refusal("busy")
                step = await tx.steps.find(game.id, game.step_no if step_no is None else step_no)
                claimed = await tx.games.claim(game, now=self.now())
            if claimed is None or step is None:
                raise Refusal("busy")
            try:
                yield claimed, step.state
            except BaseException:
                await self._give_back(claimed)
                raise

    async def _give_back(self, claimed: Game) -> None:
        """Let a game that we claimed go on from where it stood."""
        with suppress(NotWritten):  # then the claim is taken over when it is old
            async with self._store.write() as tx:
                game = await tx.games.find(claimed.id)
                if game and game.phase == "resolving" and game.version == claimed.version:
                    await tx.games.change(game.id, phase="running", version=game.version + 1, claimed_at=None)
            self.go_on(claimed.id)  # it may have been waited for alone

    async def tallied(
        self, game: Game, cause: StepCause, done: play.StepResult, *, missed: Collection[Seat] = ()
    ) -> play.StepResult:
        """Count, if a game is over now, what each captain has done in person, without what was taken back.

        Those who `missed` the last step did nothing in it.
        """
        if done.result is None:
            return done
        last = game.step_no + 1
        async with self._store.read() as tx:
            steps = await tx.steps.of(game.id)
            held, answered = await tx.captains.of(game.id), await tx.answers.of(game.id)
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
        tallies = await self._workers.step(game.host_id, play.count_statistics, game.system, done.state, events, spans)
        return msgspec.structs.replace(done, tallies=tallies)

    # --- time and restarts -------------------------------------------------------------------------------------

    async def look(self) -> DueWork:
        """Move all clocks by gaps, then return what is due in any game and when something will be next."""
        await self.gaps.look(self.now())
        now = self.now()
        async with self._store.read() as tx:
            fresh = {shard for shard, beat in (await tx.beats.all()).items() if is_fresh(beat, now)}
            agenda = await tx.agenda.next(now)
            if agenda.deadline is not None and agenda.deadline <= now:
                agenda = await tx.agenda.next(now, fresh)
            if not self._is_due(agenda):
                return DueWork(agenda=agenda, due=False)
            claims = []
            if agenda.claimed is not None:
                claims = await tx.games.claimed(before=now - CLAIM_TIMEOUT_S)
            claims += await self._unwritten_by(tx, now, claims)
            return DueWork(agenda=agenda, due=True, overdue=await tx.games.overdue(now, fresh), claims=claims)

    def _is_due(self, agenda: DueTimes) -> bool:
        due = self.next_due(agenda)
        return bool(self._doubtful) or (due is not None and due <= self.now()) or self._is_of_the_future(agenda)

    def next_due(self, agenda: DueTimes) -> int | None:
        """When to wake next, in Unix seconds."""
        claimed = None if agenda.claimed is None else min(agenda.claimed, self.now()) + CLAIM_TIMEOUT_S
        doubtful = self.now() + RETRY_AFTER_S if self._doubtful else None
        times = (agenda.deadline, claimed, doubtful, *self._unwritten.values())
        return min((time for time in times if time is not None), default=None)

    def _is_of_the_future(self, agenda: DueTimes) -> bool:
        return agenda.claimed is not None and agenda.claimed > self.now()

    async def wake(self, look: DueWork | None = None) -> None:
        """Do all that is due, as a `look` has found it, and wait until it is done."""
        await self.begin(look or await self.look())
        await self.settle()

    async def begin(self, look: DueWork) -> None:
        """Begin all that is due, as a `look` has found it: games go on at the same time, so none waits for another."""
        now = self.now()
        stalled = [game for game in look.claims if self._is_broken_off(game, now)]
        await self._take_over([game for game in stalled if not self._in_hand[game.id]])  # others wait for a worker
        self._unwritten = {game_id: again for game_id, again in self._unwritten.items() if again > now}
        await self._date_anew([game for game in look.claims if (game.claimed_at or 0) > now], now)
        hosts = {**self._doubtful, **look.overdue}
        for game_id in sorted(hosts.keys() - set(self._going_on.values())):
            self._doubtful.pop(game_id, None)
            self._begin(game_id, self._in_its_place(game_id, hosts[game_id]))

    async def _unwritten_by(self, tx: Transaction, now: int, others: Sequence[Game]) -> list[Game]:
        """Claims of ours whose step could not be written and is to be tried again, beside these; of any shard."""
        known = {game.id for game in others}
        tried = [
            await tx.games.find(one) for one, again in self._unwritten.items() if again <= now and one not in known
        ]
        return [game for game in tried if game is not None and game.phase == "resolving" and self._is_ours(game)]

    def _is_broken_off(self, game: Game, now: int) -> bool:
        """Whether nobody will end a claim on a game."""
        tried_again = self._unwritten.get(game.id, now + 1) <= now and self._is_ours(game)
        return tried_again or (game.claimed_at or 0) <= now - CLAIM_TIMEOUT_S

    def _is_ours(self, game: Game) -> bool:
        """Whether this bot has claimed a game."""
        share = self._store.share()
        return share is None or game.claimed_by == share.holder

    async def _in_its_place(self, game_id: int, host: int | None) -> None:
        async with self._places.of(host or ("of an unknown host", game_id)):
            if not self._closed:
                await self._go_on(game_id)

    async def recover(self) -> None:
        """After a start: nobody else resolves here, so every claim but our own was broken off; go on with all games.

        Discord may bring presses before it says that it is ready, so there may be claims of our own.
        """
        async with self._store.read() as tx:
            claims = await tx.games.claimed(before=self.now() - CLAIM_TIMEOUT_S)
        await self._take_over([game for game in claims if not self._in_hand[game.id]])
        async with self._store.read() as tx:
            self._doubtful.update(await tx.games.ready(self.now()))
            for battle in await tx.games.battles_in_hand():
                one = battle.id if battle.phase == "over" else battle.parent_id or battle.id
                self._doubtful[one] = battle.host_id
        self.changed()

    async def _date_anew(self, claims: Sequence[Game], now: int) -> None:
        """Date claims of the future from today: since they were made, the clock has been put right."""
        if claims:
            async with self._store.write(of_many=True) as tx:
                for game in claims:
                    await tx.games.change(game.id, claimed_at=now)

    async def _take_over(self, stalled: Sequence[Game]) -> None:
        for game in stalled:
            log.warning("taking over a claim", extra={"game": game.id, "claimed_at": game.claimed_at})
            async with self._store.write() as tx:
                await tx.games.break_claim(game)
            self._doubtful[game.id] = game.host_id


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
    return answer.late


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
