"""Plan the line of the chain of digests that the thread shows when a round's orders are opened."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec import structs

from bot.lifecycle.steps.planning import StepChanges
from bot.lifecycle.steps.snapshot import Snapshot
from bot.record.export import export_log_entry
from bot.record.log_entries import chained_entries
from bot.store.models.chain import ChainedOrder, ChainLine, first_digest, next_digest
from bot.store.models.records import AnswerRow, RequestRow, RequestsAnswered, StepCause
from bot.store.models.subjects import ChainSubject
from bot.store.queries.messages import MessageRequest
from bot.store.queries.transaction import Transaction
from rules.core.replay import UndoAction

_UNDO_ACTS: Final = ("taken_back", "undone")


async def with_chain_line(tx: Transaction, before: Snapshot, changes: StepChanges) -> StepChanges:
    """Add the message of a line before those that a step requests, if the step makes one due.

    A line is due with the first orders of a round that everybody may see opened, and at the end of the game if anything
    has happened since the last line.
    """
    game, step = before.game, changes.step
    if isinstance(step.cause, UndoAction) or _is_hidden(step.cause):
        return changes
    lines = [message.subject for message in before.messages if isinstance(message.subject, ChainSubject)]
    last = lines[-1] if lines else None
    rows = _opened_requests(changes)
    answers = {**before.answers, **{answer.request_id: answer for answer in changes.answers}}
    orders = [_chained_order(answers[row.id]) for row in rows if row.id in answers]
    log = chained_entries(export_log_entry(entry) for entry in before.acts if entry.step_no >= 0)
    log = log[sum(len(subject.line.log) for subject in lines) :]
    round_no = max((row.body.round for row in rows), default=last.line.round if last else 0)
    is_new_round = last is None or last.line.round != round_no or any(entry.kind in _UNDO_ACTS for entry in log)
    if not (changes.is_over or (orders and is_new_round)):
        return changes
    last_step_no = last.step if last else 0
    if game.step_no > last_step_no:  # a captain was asked in the middle of the round
        orders = [*await _orders_since(tx, game.id, last_step_no), *orders]
    if not (orders or log):
        return changes
    line = ChainLine(round=round_no, orders=tuple(orders), log=tuple(log))
    previous_digest = last.digest if last else first_digest(game.seed_hash, before.seated_game.dice_words)
    subject = ChainSubject(step=step.no, line=line, digest=next_digest(previous_digest, line))
    request = MessageRequest(subject, step.resolved_at)
    return structs.replace(changes, message_requests=(request, *changes.message_requests))


def _is_hidden(cause: StepCause) -> bool:
    return isinstance(cause, RequestsAnswered) and cause.hidden


def _opened_requests(changes: StepChanges) -> Sequence[RequestRow]:
    """Return the requests whose answers a step carries out, and at the end of the game all others that it closes.

    Nobody is shown the hashes of answers that nobody had to give, so they are left out.
    """
    cause = changes.step.cause
    answered_ids = cause.requests if isinstance(cause, RequestsAnswered) else ()
    rows = {row.id: row for row in changes.closed_requests if not row.optional}
    opened_ids = [request_id for request_id in answered_ids if request_id in rows]
    other_ids = sorted(rows.keys() - {*opened_ids}) if changes.is_over else []
    return [rows[request_id] for request_id in [*opened_ids, *other_ids]]


async def _orders_since(tx: Transaction, game_id: int, step_no: int) -> list[ChainedOrder]:
    """Return the orders that steps after `step_no` have carried out in public."""
    request_ids = [
        request_id
        for number, cause in await tx.steps.causes_of_game(game_id)
        if number > step_no and isinstance(cause, RequestsAnswered) and not cause.hidden
        for request_id in cause.requests
    ]
    answers = await tx.answers.to_required_requests(game_id, request_ids)
    return [_chained_order(answers[request_id]) for request_id in request_ids if request_id in answers]


def _chained_order(answer: AnswerRow) -> ChainedOrder:
    return ChainedOrder(hash=answer.commitment, given_by=answer.given_by)
