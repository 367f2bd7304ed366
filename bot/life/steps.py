"""How a step is stored: in one transaction with all that follows from it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

from msgspec import structs

from bot.life import agreement, ahead, battles, enqueue, ratings, reminders, standing
from bot.life.budgets import on_budget
from bot.life.playing import playing_of
from bot.store.personal import NOBODY
from bot.store.queries import Transaction
from bot.store.records import ASIDE, Answer, Answered, Cause, Game, GivenBy, RequestRow, StepRow
from bot.store.subjects import Counted
from bot.work import play
from rules import fairness
from rules.protocol import Request
from rules.replay import Undone

Chance = Callable[[], str]
"""Gives 64 random hex digits that nobody can guess."""


class Steps:
    """Stores what the rules have made of a game, whoever wanted it."""

    def __init__(self, now: Callable[[], int], chance: Chance) -> None:
        """`now` tells the seconds of Unix time."""
        self._now = now
        self._chance = chance

    async def commit(self, tx: Transaction, game: Game, cause: Cause, done: play.Advanced) -> None:
        """Store a step with all that follows from it: new requests, the deadline, and what must be seen."""
        now, no = self._now(), game.step_no + 1
        rows = await tx.requests.of(game.id)
        hidden = _hidden([row for row in rows if row.id in done.answers], done)
        if isinstance(cause, Answered):
            cause = structs.replace(cause, hidden=hidden)
        await tx.steps.add(
            StepRow(game_id=game.id, no=no, cause=cause, events=done.events, state=done.state, resolved_at=now)
        )
        over = done.result is not None
        seats = {} if over else {one.id: one.seat for one in done.pending if one.id not in done.answers}
        moved = [row for row in rows if seats.get(row.id, row.seat) != row.seat]
        still = seats.keys() - {row.id for row in moved}
        gone = [row for row in rows if row.id not in still]
        for row in gone:
            await tx.requests.change(row, status="closed")
        await battles.call_off(tx, game.id, {row.id for row in gone if row.body.battle} - {*done.answers}, now=now)
        await enqueue.closed_panels(tx, gone, answered=done.answers, now=now)
        await reminders.drop(tx, gone, now=now)
        await self._put_aside(tx, moved, no)
        if hidden:
            await enqueue.offer_stands(tx, game.id, game.step_no, no)
        else:
            await enqueue.lapsed_offer(tx, game.id, game.step_no, now=now)
            await agreement.lapse(tx, game, now=now)
        told = not (hidden or isinstance(cause, Undone))
        if told:
            await enqueue.step(tx, game.id, no, clock=_clock(rows, done), now=now)
        clocks = {row.body.clock: row.deadline for row in rows if row.body.clock}
        known = {row.id: row for row in rows if row not in moved}
        new = [request for request in done.pending if not over and ahead.is_new(known.get(request.id), request)]
        deadlines = [row.deadline for row in rows if row.id in still]
        for request in new:
            void = request.id in done.void
            deadlines.append(await self._open(tx, game, request, known.get(request.id), void=void, clocks=clocks))
        deadline = min((time for time in deadlines if time is not None), default=None)
        if over or deadline != game.deadline:
            await enqueue.settled_proposals(tx, game, now=now)
        await tx.games.change(
            game.id,
            phase="over" if over else "running",
            version=game.version + 1,
            claimed_at=None,
            step_no=no,
            deadline=deadline,
            ended_at=now if over else None,
        )
        if done.result is not None:
            await self._remember_names(tx, game.id)
            await ratings.enter(
                tx,
                await playing_of(tx, game.id),
                done.result,
                done.tallies,
                cause=cause,
                now=now,
            )
            await tx.captains.forget_disguised(game.id, NOBODY)
        for request in new:
            await self._ask(tx, game, request, done)
        await self._clear(tx, game.id, gone, new, over=over)
        awaited = [request for request in new if _awaited(request, done, clocks)]
        on_one_clock = awaited[0].clock if len(awaited) == 1 else ""
        if awaited and not (on_one_clock and told):  # who acts next is told by the step itself
            await enqueue.seals(tx, game.id, no, clock=on_one_clock, now=now)

    async def _put_aside(self, tx: Transaction, moved: Sequence[RequestRow], no: int) -> None:
        """Keep under other ids what is asked of another seat from now on: nobody is asked for somebody else."""
        for row in moved:
            await tx.answers.drop(row.game_id, row.id, now=self._now())
            await tx.requests.put_aside(row, f"{row.id}{ASIDE}{no}")

    async def _open(
        self,
        tx: Transaction,
        game: Game,
        request: Request,
        before: RequestRow | None,
        *,
        void: bool,
        clocks: Mapping[str, int | None],
    ) -> int | None:
        """Store what is asked now; its deadline."""
        began = game.paused_at or self._now()  # in a pause no time passes: it is added when the game goes on
        fresh = game.pace.deadline(began) if _waited_for(request) else None
        if fresh is not None and request.within:
            fresh = min(fresh, began + request.within)
        if request.clock in clocks:
            due = clocks[request.clock]
        else:
            due = await on_budget(tx, game.id, request, began=began, fresh=fresh)
        if before:
            await ahead.ask(tx, before, request, step_no=game.step_no + 1, now=began, deadline=due, void=void)
        else:
            await tx.requests.add(game.id, request, step_no=game.step_no + 1, now=began, deadline=due)
        return due

    async def _clear(
        self, tx: Transaction, game_id: int, gone: Sequence[RequestRow], new: Sequence[Request], *, over: bool
    ) -> None:
        """Take from captains' direct messages what a new question, or the end, makes out of date.

        What is told of a time that has passed stays until a question that was asked after it is closed.
        """
        now = self._now()
        if over:
            await enqueue.last_words(tx, game_id, now=now)
            return
        asked = {request.seat for request in new}
        rows = [*gone, *[row for seat in sorted(asked) for row in await tx.requests.last_closed(game_id, seat)]]
        answers = await tx.answers.to(game_id, [row.id for row in rows])
        late = {
            enqueue.panel_of(row).key for row in rows if row.id in answers and answers[row.id].given_by == "deadline"
        }
        late |= {Counted(row.id).key for row in rows}
        users = {seat.user_id for seat in await tx.seats.of(game_id) if seat.seat in asked and seat.user_id is not None}
        await enqueue.passed(tx, game_id, users, but=late, now=now)

    async def _remember_names(self, tx: Transaction, game_id: int) -> None:
        """From now on the game is told with the names that its captains have today, whatever they call themselves."""
        playing = await playing_of(tx, game_id)
        for seat in playing.seats:
            if seat.user_id is not None:
                await tx.seats.change(game_id, seat.seat, name=playing.name(seat.user_id, "") or None)

    async def _ask(self, tx: Transaction, game: Game, request: Request, done: play.Advanced) -> None:
        """Show a captain what he is asked; a computer has answered already. A battle is opened."""
        if request.battle:
            await battles.open_game(tx, game, request, number=game.step_no + 1, now=self._now())
            return
        asked, computed = await tx.requests.find(game.id, request.id), done.computed.get(request.id)
        if asked and asked.status == "sealed":
            return  # it was answered ahead
        if asked and computed is not None:
            await self.answer_for_computer(tx, asked, computed)
        elif asked:
            asked = await standing.put_in(tx, game, asked, done.state, now=self._now())
            await enqueue.panel(tx, asked, at=self._now(), patient=True)
            await reminders.plan(tx, [asked], now=self._now())

    async def answer_for_computer(self, tx: Transaction, row: RequestRow, computed: str) -> None:
        """Seal what the computer answers to an open request."""
        await self.answer(tx, row, computed, given_by="computer")
        await tx.requests.change(row, status="sealed")

    async def answer(self, tx: Transaction, row: RequestRow, body: str, *, given_by: GivenBy) -> Answer:
        """Store an answer and commit to it with a nonce of its own."""
        nonce, game = self._chance(), await tx.games.find(row.game_id)
        assert game is not None  # noqa: S101 - its request is there
        answer = Answer(
            game_id=row.game_id,
            request_id=row.id,
            seat=row.seat,
            body=body,
            nonce=nonce,
            commitment=fairness.seal_hash(game.seed_hash, row.id, body, nonce),
            given_by=given_by,
            sealed_at=self._now(),
        )
        await tx.answers.add(answer)
        return answer


def _hidden(answered: Sequence[RequestRow], done: play.Advanced) -> bool:
    return bool(answered) and play.hidden([row.body for row in answered], done.events)


def _clock(rows: Sequence[RequestRow], done: play.Advanced) -> str:
    """The clock on which a step was made, if it was one."""
    clocks = {row.body.clock for row in rows if row.id in done.answers}
    return clocks.pop() if len(clocks) == 1 else ""


def _awaited(request: Request, done: play.Advanced, clocks: Collection[str]) -> bool:
    """Whether the thread must say that somebody is asked: not the computer, nor anew within one clock."""
    return _waited_for(request) and request.id not in done.computed and request.clock not in clocks


def _waited_for(request: Request) -> bool:
    """Whether the game waits for a captain's answer, and so has a deadline for it."""
    return not (request.optional or request.ahead or request.battle)
