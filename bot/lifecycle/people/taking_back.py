"""Taking back acts that revealed nothing, such as giving up by mistake: for everybody else it is as if they never were.

Seals, drafts and deadlines of what is still asked stay as they are, and so does what was done in secret meanwhile.
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
from bot.store.models.records import SET_ASIDE_MARK, AnswerRow, Captaincy, RequestRow, RequestsAnswered
from bot.store.queries.transaction import Transaction
from rules.core.protocol import Request
from rules.core.replay import UndoAction


class SecretStep(Struct, frozen=True):
    """A step that only who answered knows of, taken since the one that a game goes back to."""

    requests: tuple[str, ...]
    bodies: Mapping[str, str]
    """The answers, by request."""


async def secret_steps_since(tx: Transaction, game_id: int, to: int) -> list[SecretStep]:
    """What was done in secret since a step and was not taken back, in order."""
    kept = undo.effective_steps(await tx.steps.causes_of_game(game_id))
    given = [cause.requests for no, cause in kept if no > to and isinstance(cause, RequestsAnswered) and cause.hidden]
    answers = await tx.answers.by_request(game_id, [one for requests in given for one in requests])
    return [SecretStep(requests, {one: answers[one].body for one in requests}) for requests in given]


async def take_back(
    tx: Transaction,
    steps: StepStore,
    playing: SeatedGame,
    *,
    to: int,
    done: play.StepResult,
    again: Sequence[play.StepResult],
    opposed: bool,
    now: int,
) -> None:
    """Store that a game goes on from step `to`, as `done` says; then, `again`, what was done in secret since.

    Raises `Refusal` if that would ask somebody again who has lost time meanwhile, and those who do it are `opposed`
    by others in the game: they could keep them from answering.
    """
    game, number = playing.game, playing.game.step_no + 1
    secret = [one for found in await secret_steps_since(tx, game.id, to) for one in found.requests]
    kept, gone = await _split_requests(tx, game.id, to, done.pending, secret)
    aside = {row.id: row for row in gone}
    broken_off = await _interrupted_requests(tx, game.id, to, kept, gone)
    if broken_off and opposed:
        raise Refusal("broken_off")
    lost = (game.paused_at or now) - min(broken_off.values(), default=now)
    reopened = [
        await _reopen_request(tx, row, kept, gone, lost=lost if row.id in broken_off else 0)
        for row in kept
        if row.status == "closed"
    ]
    await undo.aside_id(tx, game.id, number, gone, clocks={row.body.clock for row in kept}, now=now)
    # How a battle has ended is said again below: it is not fought once more.
    await battles.rename_battle_requests(tx, game.id, {f"{one}{SET_ASIDE_MARK}{number}": one for one in secret})
    await steps.commit_step(tx, game, UndoAction(to=to), done, fought=secret)
    await undo.restore_drafts(tx, game.id, aside)
    for row in reopened:
        await enqueue.update_panel(tx, row, at=now)
    await reminders.schedule_reminders(tx, reopened, now=now)
    await enqueue.update_seals(tx, reopened, now=now)
    for one in again:
        await _repeat_secret_steps(tx, steps, playing, number, one)


async def _split_requests(
    tx: Transaction, game_id: int, to: int, pending: Sequence[Request], secret: Collection[str]
) -> tuple[list[RequestRow], list[RequestRow]]:
    """What was asked after step `to` and stays asked, and what has been asked since, or must be asked once more."""
    seats_of = {request.id: request.seat for request in pending}
    rows = [row for row in await tx.requests.asked_since(game_id, 0) if SET_ASIDE_MARK not in row.id]
    concerned = [row for row in rows if row.step_no > to or row.id in seats_of]

    def stays(row: RequestRow) -> bool:
        called_off = row.body.battle is not None and row.status == "closed"
        return row.step_no <= to and seats_of[row.id] == row.seat and row.id not in secret and not called_off

    return [row for row in concerned if stays(row)], [row for row in concerned if not stays(row)]


async def _interrupted_requests(
    tx: Transaction, game_id: int, to: int, kept: Sequence[RequestRow], gone: Sequence[RequestRow]
) -> dict[str, int]:
    """What captains who have not given up themselves were asked no more since step `to`, and since when (s)."""
    causes = await tx.steps.causes_of_game(game_id)
    gave_up = undo.conceded_seats(causes) - undo.conceded_seats(causes, to)
    found = [
        row
        for row in kept
        if row.status == "closed" and row.deadline is not None and row.seat not in gave_up
        if not (_shared_deadlines(row, kept) or _same_requests(row, gone))
    ]
    since = (no for no, cause in undo.effective_steps(causes) if no > to and undo.is_public_step(cause))
    step = await tx.steps.find(game_id, next(since, to)) if found else None
    return {row.id: step.resolved_at for row in found if step}


def _shared_deadlines(row: RequestRow, kept: Sequence[RequestRow]) -> list[int]:
    """Until when others have time who were asked in the same step."""
    others = [one.deadline for one in kept if one.status != "closed" and one.step_no == row.step_no]
    return [one for one in others if one is not None]


def _same_requests(row: RequestRow, gone: Sequence[RequestRow]) -> list[RequestRow]:
    """The same question to the same captain, which has another id since."""
    return [one for one in gone if one.status == "open" and (one.seat, one.body.kind) == (row.seat, row.body.kind)]


async def _reopen_request(
    tx: Transaction, row: RequestRow, kept: Sequence[RequestRow], gone: Sequence[RequestRow], *, lost: int
) -> RequestRow:
    """Ask again what an act has closed, with its seal and draft, until when the others asked with it have time.

    Who holds the seat only since then gets nobody's draft, and the seal unopened.
    Alone it has so many seconds more as it has `lost`.
    """
    deadlines = _shared_deadlines(row, kept)
    sealed = row.id in await tx.answers.by_request(row.game_id, [row.id])
    since = next((one.from_step for one in await tx.captaincies.of_game(row.game_id) if _is_holder(one, row.seat)), 0)
    drafts = [one for one in (*_same_requests(row, gone), row) if one.draft and since <= one.step_no]
    draft, focus = (drafts[0].draft, drafts[0].focus) if drafts else ("", "")
    alone = None if row.deadline is None else row.deadline + max(0, lost)
    changed = await tx.requests.change(
        row,
        status="sealed" if sealed else "open",
        deadline=deadlines[0] if deadlines and row.deadline is not None else alone,
        draft=draft,
        focus=focus,
        inherited=sealed and (row.inherited or since > row.step_no),
    )
    return changed or row


def _is_holder(one: Captaincy, seat: int) -> bool:
    return one.seat == seat and one.to_step is None


async def _repeat_secret_steps(
    tx: Transaction, steps: StepStore, playing: SeatedGame, number: int, done: play.StepResult
) -> None:
    """Carry out again what was done in secret, with the seals under which it was given."""
    old = await tx.answers.by_request(playing.game.id, [f"{one}{SET_ASIDE_MARK}{number}" for one in done.answers])
    for row in await tx.requests.open_of_game(playing.game.id):
        if row.id in done.answers:
            answer: AnswerRow = old[f"{row.id}{SET_ASIDE_MARK}{number}"]
            await tx.answers.add(structs.replace(answer, request_id=row.id))
    await steps.commit_step(tx, playing.game, RequestsAnswered(requests=tuple(sorted(done.answers))), done)


async def offer_vacant_seats(tx: Transaction, game_id: int, again: Collection[int], *, now: int) -> None:
    """Offer those of these seats that nobody holds: the captain who gave up there has been forgotten since."""
    playing = await load_seated_game(tx, game_id)
    for seat in playing.seats:
        if seat.seat in again and seat.user_id is None and not seat.computer:
            await tx.seats.change(game_id, seat.seat, name=None)
            for row in await tx.requests.open_of_game(game_id):
                if row.seat == seat.seat:
                    await seats.without_secrets(tx, row)
            await seats.offer_seat(tx, playing, seat, "vacant", now=now)
