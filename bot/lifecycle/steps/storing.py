"""Store a step and all that follows from it in one transaction."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from bot.jobs import play
from bot.jobs.computing import ComputedAnswer
from bot.lifecycle.people import giving_up, keepsakes, pseudonyms
from bot.lifecycle.ratings import limits, ratings
from bot.lifecycle.steps import battles, chaining, matches, planning, snapshot, undo
from bot.lifecycle.steps.playing import load_seated_game
from bot.lifecycle.steps.snapshot import Snapshot
from bot.store.models.records import AnswerRow, Game, GameStarted, GivenBy, RequestRow, StepCause
from bot.store.queries.transaction import Transaction
from rules.core.protocol import CallOff
from rules.core.replay import Computation

EntropySource = Callable[[], str]  # returns 64 random hex digits that nobody can predict


class StepStore:
    def __init__(self, now: Callable[[], int], chance: EntropySource) -> None:
        self._clock = now
        self._entropy = chance

    async def commit_step(
        self,
        tx: Transaction,
        game: Game,
        cause: StepCause,
        step_result: play.StepResult,
        *,
        given_by: Mapping[str, GivenBy] | None = None,
        before: Snapshot | None = None,
        fought: Collection[str] = (),
    ) -> planning.StepChanges:
        """Store a step: new requests, the deadline, and requests for messages. Return the changes.

        `game` is the claimed row. `given_by`: who gave each answer that nobody had sealed. `before`: the snapshot, if
        it was read in this transaction. `fought`: requests whose battles exist already and are not opened again.
        """
        now = self._clock()
        before = before or await snapshot.read_snapshot(tx, game.id)
        before = await snapshot.with_budget_requests(tx, before, step_result.pending)
        outcome = planning.ResolvedStep(
            cause=cause,
            step_result=step_result,
            given_by=given_by or {},
            now=now,
            nonces=tuple(self._entropy() for _ in [*(given_by or ()), *step_result.computer_answers]),
        )
        changes = await chaining.with_chain_line(tx, before, planning.plan_step(before, outcome))
        await planning.write_changes(tx, changes, now=now)
        await battles.call_off_battles(tx, game.id, changes.called_off_requests, now=now)
        if changes.is_over:
            await self._finish_game(tx, before, outcome)
        elif keepsakes.has_keepsakes(before.game):
            await keepsakes.take_along(
                tx, before.game, step_result.held_keepsakes, begins=isinstance(cause, GameStarted)
            )
        if changes.battles:
            causes = await tx.steps.causes_of_game(game.id)
            dice_moves = undo.count_dice_moves(causes[:-1], await tx.steps.revealing_steps(game.id))
            new_battles = [battle_request for battle_request in changes.battles if battle_request.id not in fought]
            for battle_request in new_battles:
                await battles.open_battle(
                    tx, game, battle_request, causes=dict(causes).values(), number=dice_moves, now=now
                )
        return changes

    async def _finish_game(self, tx: Transaction, before: Snapshot, outcome: planning.ResolvedStep) -> None:
        """Store the captains' names, results, ratings and keepsakes of a game that this step ends."""
        game_id = before.game.id
        step_result = outcome.step_result
        names = before.seated_game.plain_names()
        for seat in before.seated_game.seats:
            if seat.user_id is not None:
                await tx.seats.change(game_id, seat.seat, name=names.get(seat.seat))
        if step_result.result is not None:
            seated_game = await load_seated_game(tx, game_id)
            outcomes = ratings.seat_outcomes(seated_game.seats, step_result.result)
            if isinstance(outcome.cause, CallOff):
                await giving_up.note_ended_by_others(tx, seated_game, now=outcome.now)
            else:
                await giving_up.note_silent(tx, seated_game, outcomes, now=outcome.now)
            losers = [seat for seat, seat_outcome in outcomes.items() if seat_outcome == "lost"]
            gave_up = await limits.ended_by_captains(tx, seated_game, losers, outcome.cause)
            if seated_game.game.belongs_to_match:
                await matches.finish_game(
                    tx,
                    seated_game,
                    step_result.result,
                    step_result.points,
                    cause=outcome.cause,
                    now=outcome.now,
                )
                seated_game = await load_seated_game(tx, game_id)
                outcomes = await matches.rated_outcomes(tx, seated_game, outcomes)
            await ratings.store_results(
                tx,
                seated_game,
                outcomes,
                step_result.tallies,
                places=step_result.places,
                cause=outcome.cause,
                gave_up=gave_up,
                now=outcome.now,
            )
            if keepsakes.has_keepsakes(seated_game.game):
                await keepsakes.hand_out_keepsakes(
                    tx, seated_game, step_result.handed_on, cause=outcome.cause, gave_up=gave_up, now=outcome.now
                )
                await keepsakes.drop_unused_keepsakes(tx, seated_game.game)
        await pseudonyms.erase_once_over(tx, (await load_seated_game(tx, game_id)).game)

    async def answer_for_computer(self, tx: Transaction, row: RequestRow, computed: ComputedAnswer) -> None:
        await self.store_answer(tx, row, computed.body, given_by="computer", computation=computed.computation)
        await tx.requests.change(row, status="sealed")

    async def store_answer(
        self,
        tx: Transaction,
        row: RequestRow,
        body: str,
        *,
        given_by: GivenBy,
        computation: Computation | None = None,
        game: Game | None = None,
    ) -> AnswerRow:
        """Store an answer with a commitment, under a nonce of its own."""
        game = game or await tx.games.find_for_update(row.game_id)
        assert game is not None  # noqa: S101 - the request belongs to it
        answer = planning.sealed_answer(
            row,
            body,
            game=game.seed_hash,
            nonce=self._entropy(),
            given_by=given_by,
            computation=computation,
            now=self._clock(),
        )
        await tx.answers.add(answer)
        return answer
