"""How a step is stored: in one transaction with all that follows from it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from bot.life import battles, keepsakes, planning, rating_limits, ratings, snapshot, undo
from bot.life.playing import playing_of
from bot.life.snapshot import Snapshot
from bot.store.personal import NOBODY
from bot.store.queries import Transaction
from bot.store.records import Answer, Cause, Game, GivenBy, RequestRow, Started
from bot.work import play

Chance = Callable[[], str]
"""Gives 64 random hex digits that nobody can guess."""


class Steps:
    """Stores what the rules have made of a game, no matter who wanted it."""

    def __init__(self, now: Callable[[], int], chance: Chance) -> None:
        """`now` tells the seconds of Unix time."""
        self._now = now
        self._chance = chance

    async def commit(
        self,
        tx: Transaction,
        game: Game,
        cause: Cause,
        done: play.Advanced,
        *,
        given: Mapping[str, GivenBy] | None = None,
        before: Snapshot | None = None,
        fought: Collection[str] = (),
    ) -> planning.Changes:
        """Store a step with all that follows from it: new requests, the deadline, and what must be seen.

        `game` is as it was claimed, `given` says who gave the answers that nobody had sealed, `before` is how it
        stands in this transaction, if that was read already. Battles are opened for new requests, except those that are
        `fought` already. Returns what has changed.
        """
        now = self._now()
        before = before or await snapshot.whole(tx, game.id)
        before = await snapshot.with_budgets(tx, before, done.pending)
        outcome = planning.Outcome(
            cause=cause,
            done=done,
            given=given or {},
            now=now,
            nonces=tuple(self._chance() for _ in [*(given or ()), *done.computed]),
        )
        changes = planning.plan(before, outcome)
        await planning.apply(tx, changes, now=now)
        await battles.call_off(tx, game.id, changes.called_off, now=now)
        if changes.over:
            await self._end(tx, before, outcome)
        elif keepsakes.has_some(before.game):
            await keepsakes.take_along(tx, before.game, done.held, begins=isinstance(cause, Started))
        if changes.battles:
            number = undo.told((await tx.steps.causes(game.id))[:-1], game.scheme)
            for request in (one for one in changes.battles if one.id not in fought):
                await battles.open_game(tx, game, request, number=number, now=now)
        return changes

    async def _end(self, tx: Transaction, before: Snapshot, outcome: planning.Outcome) -> None:
        """The game is over: names stay as they are today, and captains are rated."""
        game_id, done = before.game.id, outcome.done
        for seat in before.playing.seats:
            if seat.user_id is not None:
                await tx.seats.change(game_id, seat.seat, name=before.playing.name(seat.user_id, "") or None)
        if done.result is not None:
            playing = await playing_of(tx, game_id)
            ended = ratings.outcomes(playing.seats, done.result)
            losers = [seat for seat, how in ended.items() if how == "lost"]
            gave_up = await rating_limits.given_up(tx, playing, losers, outcome.cause)
            await ratings.enter(
                tx,
                playing,
                ended,
                done.tallies,
                places=done.places,
                cause=outcome.cause,
                gave_up=gave_up,
                now=outcome.now,
            )
            if keepsakes.has_some(playing.game):
                await keepsakes.hand_on(tx, playing, done.handed, cause=outcome.cause, gave_up=gave_up, now=outcome.now)
                await keepsakes.leave_unsaid(tx, playing.game)
        await tx.captains.forget_disguised(game_id, NOBODY)

    async def answer_for_computer(self, tx: Transaction, row: RequestRow, computed: str) -> None:
        """Seal what the computer answers to an open request."""
        await self.answer(tx, row, computed, given_by="computer")
        await tx.requests.change(row, status="sealed")

    async def answer(
        self, tx: Transaction, row: RequestRow, body: str, *, given_by: GivenBy, game: Game | None = None
    ) -> Answer:
        """Store an answer and commit to it with a nonce of its own."""
        game = game or await tx.games.find(row.game_id)
        assert game is not None  # noqa: S101 - its request is there
        answer = planning.sealed(
            row, body, game=game.seed_hash, nonce=self._chance(), given_by=given_by, now=self._now()
        )
        await tx.answers.add(answer)
        return answer
