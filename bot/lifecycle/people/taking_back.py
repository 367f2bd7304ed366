"""Take back acts that revealed nothing, such as conceding by mistake, as if they had never happened.

Seals, drafts, deadlines and hidden steps made meanwhile are kept.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from msgspec import Struct, structs

from bot.errors import Refusal
from bot.jobs import play
from bot.lifecycle.outbox import enqueue, reminders
from bot.lifecycle.people import seats
from bot.lifecycle.steps import battles, undo
from bot.lifecycle.steps.playing import SeatedGame, load_seated_game
from bot.lifecycle.steps.storing import StepStore
from bot.store.models.records import SET_ASIDE_MARK, AnswerRow, RequestRow, RequestsAnswered
from bot.store.queries.transaction import Transaction
from rules.core.protocol import Request
from rules.core.replay import UndoAction


# A step that other captains must not learn of: it only answered requests for which nobody waited.
class SecretStep(Struct, frozen=True):
    requests: tuple[str, ...]  # ids of the requests that the step answered
    bodies: Mapping[str, str]  # the answers as text, by request id


async def secret_steps_since(tx: Transaction, game_id: int, since: int) -> list[SecretStep]:
    steps_not_undone = undo.effective_steps(await tx.steps.causes_of_game(game_id))
    ids_by_step = [
        cause.requests
        for no, cause in steps_not_undone
        if no > since and isinstance(cause, RequestsAnswered) and cause.hidden
    ]
    answers = await tx.answers.by_request(game_id, [request_id for ids in ids_by_step for request_id in ids])
    return [SecretStep(ids, {request_id: answers[request_id].body for request_id in ids}) for ids in ids_by_step]


async def take_back(
    tx: Transaction,
    steps: StepStore,
    seated_game: SeatedGame,
    *,
    to_step: int,
    step_result: play.StepResult,
    repeated: Sequence[play.StepResult],
    opposed: bool,
    now: int,
) -> None:
    """Store that a game continues from step `to_step`, then store the `repeated` results of hidden steps.

    Raises `Refusal` if captains who lost time meanwhile would be asked again although the game has opponents
    (`opposed`): taking back could be abused to keep them from answering.
    """
    game = seated_game.game
    undo_no = seated_game.game.step_no + 1
    secret_request_ids = [
        request_id for step in await secret_steps_since(tx, game.id, to_step) for request_id in step.requests
    ]
    kept_requests, dropped = await _split_requests(tx, game.id, to_step, step_result.pending, secret_request_ids)
    dropped_by_id = {row.id: row for row in dropped}
    cut_short_since = await _interrupted_requests(tx, game.id, to_step, kept_requests, dropped)
    if cut_short_since and opposed:
        raise Refusal("broken_off")
    lost_s = (game.paused_at or now) - min(cut_short_since.values(), default=now)
    reopened = [
        await _reopen_request(tx, row, kept_requests, dropped, lost_s=lost_s if row.id in cut_short_since else 0)
        for row in kept_requests
        if row.status == "closed"
    ]
    await undo.rename_set_aside(
        tx, game.id, undo_no, dropped, kept_clocks={row.body.clock for row in kept_requests}, now=now
    )
    # Battles that were fought are reported again below, not fought again.
    await battles.rename_battle_requests(
        tx, game.id, {f"{request_id}{SET_ASIDE_MARK}{undo_no}": request_id for request_id in secret_request_ids}
    )
    await steps.commit_step(tx, game, UndoAction(to=to_step), step_result, fought=secret_request_ids)
    await undo.restore_drafts(tx, game.id, dropped_by_id)
    for row in reopened:
        await enqueue.update_panel(tx, row, at=now)
    await reminders.schedule_reminders(tx, reopened, now=now)
    await enqueue.update_seals(tx, reopened, now=now)
    for repeated_step in repeated:
        await _repeat_secret_step(tx, steps, seated_game, undo_no, repeated_step)


async def _split_requests(
    tx: Transaction, game_id: int, to_step: int, pending: Sequence[Request], secret: Collection[str]
) -> tuple[list[RequestRow], list[RequestRow]]:
    """Return requests that stay (kept), and those asked after step `to_step` or to be asked again (dropped)."""
    seats_of = {request.id: request.seat for request in pending}
    rows = [row for row in await tx.requests.asked_since(game_id, 0) if SET_ASIDE_MARK not in row.id]
    affected_rows = [row for row in rows if row.step_no > to_step or row.id in seats_of]

    def stays(row: RequestRow) -> bool:
        is_called_off = row.body.battle is not None and row.status == "closed"
        return row.step_no <= to_step and seats_of[row.id] == row.seat and row.id not in secret and not is_called_off

    return [row for row in affected_rows if stays(row)], [row for row in affected_rows if not stays(row)]


async def _interrupted_requests(
    tx: Transaction, game_id: int, to_step: int, kept: Sequence[RequestRow], dropped: Sequence[RequestRow]
) -> dict[str, int]:
    """Return when (Unix seconds) the steps after `to_step` closed requests of other captains early, by request id."""
    causes = await tx.steps.causes_of_game(game_id)
    seats_that_gave_up = undo.conceded_seats(causes) - undo.conceded_seats(causes, to_step)
    interrupted = [
        row
        for row in kept
        if row.status == "closed" and row.deadline is not None and row.seat not in seats_that_gave_up
        if not (_shared_deadlines(row, kept) or _same_requests(row, dropped))
    ]
    public_steps = (no for no, cause in undo.effective_steps(causes) if no > to_step and undo.is_public_step(cause))
    if not interrupted:
        return {}
    step = await tx.steps.find(game_id, next(public_steps, to_step))
    return {row.id: step.resolved_at for row in interrupted} if step else {}


def _shared_deadlines(row: RequestRow, kept: Sequence[RequestRow]) -> list[int]:
    """Return the deadlines of open requests that were asked together with a closed one."""
    asked_together = [other for other in kept if other.status != "closed" and other.step_no == row.step_no]
    return [other.deadline for other in asked_together if other.deadline is not None]


def _same_requests(row: RequestRow, dropped: Sequence[RequestRow]) -> list[RequestRow]:
    # An open request of the same seat and kind asks again what the closed `row` asked.
    return [
        other
        for other in dropped
        if other.status == "open" and (other.seat, other.body.kind) == (row.seat, row.body.kind)
    ]


async def _reopen_request(
    tx: Transaction, row: RequestRow, kept: Sequence[RequestRow], dropped: Sequence[RequestRow], *, lost_s: int
) -> RequestRow:
    """Reopen a closed request with its seal and draft, until the deadline of open requests asked with it.

    Without such requests, the deadline is put off by `lost_s`. `kept` and `dropped`: see `_split_requests`. A captain
    who took the seat since gets no draft and only an unopened seal.
    """
    deadlines = _shared_deadlines(row, kept)
    is_sealed = row.id in await tx.answers.by_request(row.game_id, [row.id])
    captaincies = await tx.captaincies.of_game(row.game_id)
    # The step at which the present captain took the seat.
    held_since_step = next((held.from_step for held in captaincies if (held.seat, held.to_step) == (row.seat, None)), 0)
    drafts = [
        other for other in (*_same_requests(row, dropped), row) if other.draft and held_since_step <= other.step_no
    ]
    draft, focus = (drafts[0].draft, drafts[0].focus) if drafts else ("", "")
    own_deadline = None if row.deadline is None else row.deadline + max(0, lost_s)
    changed = await tx.requests.change(
        row,
        status="sealed" if is_sealed else "open",
        deadline=deadlines[0] if deadlines and row.deadline is not None else own_deadline,
        draft=draft,
        focus=focus,
        inherited=is_sealed and (row.inherited or held_since_step > row.step_no),
    )
    return changed or row


async def _repeat_secret_step(
    tx: Transaction, steps: StepStore, seated_game: SeatedGame, undo_no: int, step_result: play.StepResult
) -> None:
    # Stores a secret step again, with the sealed answers that the undoing step has set aside.
    aside_answers = await tx.answers.by_request(
        seated_game.game.id, [f"{request_id}{SET_ASIDE_MARK}{undo_no}" for request_id in step_result.answers]
    )
    for row in await tx.requests.open_of_game(seated_game.game.id):
        if row.id in step_result.answers:
            answer: AnswerRow = aside_answers[f"{row.id}{SET_ASIDE_MARK}{undo_no}"]
            await tx.answers.add(structs.replace(answer, request_id=row.id))
    await steps.commit_step(
        tx, seated_game.game, RequestsAnswered(requests=tuple(sorted(step_result.answers))), step_result
    )


async def offer_vacant_seats(tx: Transaction, game_id: int, seat_numbers: Collection[int], *, now: int) -> None:
    """Offer those of these seats whose captain, who had conceded, has been forgotten since."""
    seated_game = await load_seated_game(tx, game_id)
    for seat in seated_game.seats:
        if seat.seat in seat_numbers and seat.user_id is None and not seat.computer:
            await tx.seats.change(game_id, seat.seat, name=None)
            for row in await tx.requests.open_of_game(game_id):
                if row.seat == seat.seat:
                    await seats.without_secrets(tx, row)
            await seats.offer_seat(tx, seated_game, seat, "vacant", now=now)
