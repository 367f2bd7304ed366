"""How a step is stored: in one transaction with all that follows from it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from bot.jobs import play
from bot.lifecycle.people import keepsakes
from bot.lifecycle.ratings import limits, ratings
from bot.lifecycle.steps import battles, planning, snapshot, undo
from bot.lifecycle.steps.playing import load_seated_game
from bot.lifecycle.steps.snapshot import Snapshot
from bot.store.models.personal import NOBODY_ID
from bot.store.models.records import AnswerRow, Game, GameStarted, GivenBy, RequestRow, StepCause
from bot.store.queries.transaction import Transaction

EntropySource = Callable[[], str]
"""Gives 64 random hex digits that nobody can guess."""


class StepStore:
    """Stores what the rules have made of a game, no matter who wanted it."""

    def __init__(self, now: Callable[[], int], chance: EntropySource) -> None:
        """`now` tells the seconds of Unix time."""
        self._clock = now
        self._entropy = chance

    async def commit_step(
        self,
        tx: Transaction,
        game: Game,
        cause: StepCause,
        done: play.StepResult,
        *,
        given: Mapping[str, GivenBy] | None = None,
        before: Snapshot | None = None,
        fought: Collection[str] = (),
    ) -> planning.StepChanges:
        """Store a step with all that follows from it: new requests, the deadline, and what must be seen.

        `game` is as it was claimed, `given` says who gave the answers that nobody had sealed, `before` is how it
        stands in this transaction, if that was read already. Battles are opened for new requests, except those that are
        `fought` already. Returns what has changed.
        """
        now = self._clock()
        before = before or await snapshot.read_snapshot(tx, game.id)
        before = await snapshot.with_budget_requests(tx, before, done.pending)
        outcome = planning.ResolvedStep(
            cause=cause,
            step_result=done,
            given_by=given or {},
            now=now,
            nonces=tuple(self._entropy() for _ in [*(given or ()), *done.computer_answers]),
        )
        changes = planning.plan_step(before, outcome)
        await planning.write_changes(tx, changes, now=now)
        await battles.call_off_battles(tx, game.id, changes.called_off_requests, now=now)
        if changes.is_over:
            await self._finish_game(tx, before, outcome)
        elif keepsakes.has_keepsakes(before.game):
            await keepsakes.take_along(tx, before.game, done.held_keepsakes, begins=isinstance(cause, GameStarted))
        if changes.battles:
            number = undo.count_public_steps((await tx.steps.causes_of_game(game.id))[:-1], game.scheme)
            for request in (one for one in changes.battles if one.id not in fought):
                await battles.open_battle(tx, game, request, number=number, now=now)
        return changes

    async def _finish_game(self, tx: Transaction, before: Snapshot, outcome: planning.ResolvedStep) -> None:
        """The game is over: names stay as they are today, and captains are rated."""
        game_id, done = before.game.id, outcome.step_result
        for seat in before.seated_game.seats:
            if seat.user_id is not None:
                await tx.seats.change(game_id, seat.seat, name=before.seated_game.name_of(seat.user_id, "") or None)
        if done.result is not None:
            playing = await load_seated_game(tx, game_id)
            ended = ratings.seat_outcomes(playing.seats, done.result)
            losers = [seat for seat, how in ended.items() if how == "lost"]
            gave_up = await limits.ended_by_captains(tx, playing, losers, outcome.cause)
            await ratings.store_results(
                tx,
                playing,
                ended,
                done.tallies,
                places=done.places,
                cause=outcome.cause,
                gave_up=gave_up,
                now=outcome.now,
            )
            if keepsakes.has_keepsakes(playing.game):
                await keepsakes.hand_out_keepsakes(
                    tx, playing, done.handed_on, cause=outcome.cause, gave_up=gave_up, now=outcome.now
                )
                await keepsakes.drop_unused_keepsakes(tx, playing.game)
        await tx.captaincies.forget_pseudonyms(game_id, NOBODY_ID)

    async def answer_for_computer(self, tx: Transaction, row: RequestRow, computed: str) -> None:
        """Seal what the computer answers to an open request."""
        await self.store_answer(tx, row, computed, given_by="computer")
        await tx.requests.change(row, status="sealed")

    async def store_answer(
        self, tx: Transaction, row: RequestRow, body: str, *, given_by: GivenBy, game: Game | None = None
    ) -> AnswerRow:
        """Store an answer and commit to it with a nonce of its own."""
        game = game or await tx.games.find_for_update(row.game_id)
        assert game is not None  # noqa: S101 - its request is there
        answer = planning.sealed_answer(
            row, body, game=game.seed_hash, nonce=self._entropy(), given_by=given_by, now=self._clock()
        )
        await tx.answers.add(answer)
        return answer
