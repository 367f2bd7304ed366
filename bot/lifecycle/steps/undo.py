"""Go back to an earlier step: find how far a game may go back, and set aside what was asked since."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from msgspec import Struct, structs

from bot.errors import Refusal
from bot.lifecycle.outbox import enqueue, reminders
from bot.lifecycle.steps import battles, clock
from bot.lifecycle.steps.playing import SeatedGame
from bot.record.chapters import Chapter, group_chapters
from bot.store.models.records import SET_ASIDE_MARK, Game, RequestRow, RequestsAnswered, StepCause
from bot.store.queries.transaction import Transaction
from rules.core.protocol import Concede, OutOfTurnAction, Request, TakeUp
from rules.core.replay import UndoAction


class UndoTarget(Struct, frozen=True):
    step_no: int  # the last step that stays
    is_revealing: bool
    """Whether a later step has revealed anything (`rules.core.revealing`).

    If it has, captains must agree, and the dice change.
    """
    dice_moves: int  # see `count_dice_moves`
    is_idle: bool  # whether only hidden steps have happened since `step_no`
    shown_until: int | None = None  # see `UndoAction`

    @property
    def act(self) -> UndoAction:
        return UndoAction(to=self.step_no, shown_until=self.shown_until)


def effective_steps(causes: Sequence[tuple[int, StepCause]]) -> list[tuple[int, StepCause]]:
    """Return (number, cause) of the steps that were not undone. The undoing steps are included."""
    effective: list[tuple[int, StepCause]] = []
    for step_no, cause in causes:
        if isinstance(cause, UndoAction):
            effective = [step for step in effective if step[0] <= cause.to]
        effective.append((step_no, cause))
    return effective


def find_target(
    causes: Sequence[tuple[int, StepCause]],
    round_by_request: Mapping[str, int],
    to_round: int | None,
    *,
    revealing: Collection[int],
    system: str,
) -> UndoTarget:
    """Return the last step before a round; without a round, the last step with no `revealing` step after it.

    Hidden steps do not change the result, which would otherwise show that there were any. Raises `Refusal` for a round
    of which nothing has been carried out.
    """
    step_no = (
        _last_fixed_step(effective_steps(causes), revealing)
        if to_round is None
        else _last_step_before_round(causes, round_by_request, to_round, system)
    )
    later_causes = [cause for number, cause in causes if number > step_no]
    return UndoTarget(
        step_no,
        is_revealing=any(number > step_no for number in revealing),
        dice_moves=count_dice_moves(causes, revealing),
        is_idle=not any(map(is_public_step, later_causes)),
    )


def count_public_steps(causes: Sequence[tuple[int, StepCause]]) -> int:
    return sum(is_public_step(cause) for _, cause in causes)


def count_dice_moves(causes: Sequence[tuple[int, StepCause]], revealing: Collection[int]) -> int:
    """Return the number on which the dice of the next battle depend, and those after going back.

    It counts public answers that revealed something (`revealing`: numbers of such steps), and going back past a step
    that did. Somebody who knows the seed could otherwise choose these dice by storing plans, by conceding, or by taking
    a seat up.
    """
    return sum(
        cause.is_restore or any(cause.to < other < step_no for other in revealing)
        if isinstance(cause, UndoAction)
        else isinstance(cause, RequestsAnswered) and not cause.hidden and step_no in revealing
        for step_no, cause in causes
    )


def is_public_step(cause: StepCause) -> bool:
    return not (isinstance(cause, RequestsAnswered) and cause.hidden)


def _last_fixed_step(steps: Sequence[tuple[int, StepCause]], revealing: Collection[int]) -> int:
    """Return the last step that going back cannot undo: one that revealed something or answered requests in public."""
    is_kept = [
        is_public_step(cause) and (no in revealing or not isinstance(cause, OutOfTurnAction)) for no, cause in steps
    ]
    last_kept = max(index for index, kept in enumerate(is_kept) if kept)
    # Hidden steps that follow directly are kept, too.
    while last_kept + 1 < len(steps) and not is_public_step(steps[last_kept + 1][1]):
        last_kept += 1
    return steps[last_kept][0]


def _last_step_before_round(
    causes: Sequence[tuple[int, StepCause]], round_by_request: Mapping[str, int], to_round: int, system: str
) -> int:
    chapters = _public_chapters(causes, round_by_request)
    # The first chapter begins with the start, which cannot be taken back.
    steps_before = [chapters[0].steps[0], *(chapter.steps[-1] for chapter in chapters)]
    for chapter, step_before in zip(chapters, steps_before, strict=False):
        if chapter.round == to_round and chapter.steps[-1] > step_before:
            return step_before
    raise Refusal("round_not_played", system=system, round=to_round, last=chapters[-1].round)


def last_round(causes: Sequence[tuple[int, StepCause]], round_by_request: Mapping[str, int]) -> int:
    return _public_chapters(causes, round_by_request)[-1].round


def _public_chapters(causes: Sequence[tuple[int, StepCause]], round_by_request: Mapping[str, int]) -> list[Chapter]:
    return group_chapters(
        (number, round_of(cause, round_by_request)) for number, cause in causes if is_public_step(cause)
    )


def round_of(cause: StepCause, round_by_request: Mapping[str, int]) -> int | UndoAction | None:
    """Return the round in which a step's answers were requested, in the form that `group_chapters` takes."""
    if isinstance(cause, RequestsAnswered):
        return max(map(round_by_request.__getitem__, cause.requests), default=None)
    return cause if isinstance(cause, UndoAction) else None


def conceded_seats(causes: Sequence[tuple[int, StepCause]], step_no: int | None = None) -> set[int]:
    conceded: set[int] = set()
    for number, cause in effective_steps(causes):
        if step_no is not None and number > step_no:
            break
        if isinstance(cause, Concede):
            conceded.add(cause.seat)
        elif isinstance(cause, TakeUp):
            conceded.discard(cause.seat)
    return conceded


def recently_conceded_seats(causes: Sequence[tuple[int, StepCause]], round_by_request: Mapping[str, int]) -> set[int]:
    """Return seats that have conceded since the last round began and were not taken over again.

    A game may finish the current round before such a concession ends it.
    """
    conceded: set[int] = set()
    latest_round = 0
    for _, cause in effective_steps(causes):
        if isinstance(cause, Concede):
            conceded.add(cause.seat)
        elif isinstance(cause, TakeUp):
            conceded.discard(cause.seat)
        elif isinstance(cause, RequestsAnswered):
            answered_round = max(map(round_by_request.__getitem__, cause.requests), default=0)
            if answered_round > latest_round:
                conceded.clear()
                latest_round = answered_round
    return conceded


async def load_target(tx: Transaction, game: Game, to_round: int | None, *, now: int) -> UndoTarget:
    """Return the step that a game goes back to: the last before a round, or (None) as far as nothing was revealed.

    Raises `Refusal` for a round of which nothing has been carried out or that there is no time to replay (a battle must
    end before its parent game needs it), and if somebody has taken over a seat that was conceded then: they would lose
    it.
    """
    causes = await tx.steps.causes_of_game(game.id)
    round_by_request = await tx.requests.rounds_by_request(game.id)
    revealing = await tx.steps.revealing_steps(game.id)
    target = find_target(causes, round_by_request, to_round, revealing=revealing, system=game.system)
    if conceded_seats(causes, target.step_no) - conceded_seats(causes):
        raise Refusal("taken_up")
    if target.is_revealing and to_round is not None:
        clock.refuse_without_deadline(game, to_round, now=now)
    return target


# --- doing it ------------------------------------------------------------------------------------------------------


async def break_seals(tx: Transaction, seated_game: SeatedGame, user_id: int, *, now: int) -> None:
    """Break all captains' seals, which lets them order again. Raises `Refusal` if nobody has sealed."""
    computer_seats = seated_game.computer_seats
    rows = [
        row
        for row in await tx.requests.open_of_game(seated_game.game.id)
        if row.seat not in computer_seats and not row.optional
    ]
    # A former captain's seal stays: the present captain has no draft of it.
    sealed_rows = [row for row in rows if row.status == "sealed" and not row.inherited]
    if not sealed_rows:
        raise Refusal("nothing_to_undo")
    for row in sealed_rows:
        await tx.answers.break_seal(row.game_id, row.id, now=now)
        changed = await tx.requests.change(row, status="open")
        await enqueue.update_panel(tx, changed or row, at=now)
    await enqueue.update_seals(tx, sealed_rows, now=now)
    await enqueue.add_log_entry(tx, seated_game.game, "unsealed", now=now, user_id=user_id)


async def set_aside_requests(
    tx: Transaction,
    game_id: int,
    undo_no: int,
    to_step: int,
    pending: Sequence[Request],
    *,
    keeps_battles: bool = False,
    now: int,
) -> dict[str, RequestRow]:
    """Set aside, in step `undo_no`, requests that were asked since `to_step` or are asked again; return them by id.

    Seals that were not carried out are deleted unread. The other requests keep their answers under new ids.
    `keeps_battles`: battles that the game awaits go on, and reports of battles that are over stay.
    """
    pending_ids = {request.id for request in pending}
    rows = [row for row in await tx.requests.asked_since(game_id, 0) if SET_ASIDE_MARK not in row.id]
    rows_to_set_aside = [
        row
        for row in rows
        if (row.step_no >= to_step or row.id in pending_ids)
        and not (keeps_battles and row.body.battle and row.status != "closed")
    ]
    await rename_set_aside(tx, game_id, undo_no, rows_to_set_aside, now=now)
    return {row.id: row for row in rows_to_set_aside}


async def rename_set_aside(
    tx: Transaction,
    game_id: int,
    undo_no: int,
    rows: Sequence[RequestRow],
    *,
    kept_clocks: Collection[str] = (),
    now: int,
) -> None:
    """Rename requests that the step `undo_no` sets aside, close them, and detach their answers and battles."""
    await reminders.cancel_reminders(tx, rows, now=now)
    new_ids = {row.id: f"{row.id}{SET_ASIDE_MARK}{undo_no}" for row in rows}
    for row in rows:
        if row.status != "closed":
            await tx.answers.break_seal(game_id, row.id, now=now)
        await tx.requests.set_aside(row, new_ids[row.id])
    for step_no, cause in await tx.steps.causes_of_game(game_id):
        if isinstance(cause, RequestsAnswered) and new_ids.keys() & set(cause.requests):
            renamed = structs.replace(
                cause, requests=tuple(new_ids.get(request_id, request_id) for request_id in cause.requests)
            )
            await tx.steps.change_cause(game_id, step_no, renamed)
    await battles.detach_battles(tx, game_id, new_ids, now=now)
    await enqueue.retire_seal_messages(tx, game_id, rows, kept_clocks=kept_clocks, now=now)


async def set_aside_battle(tx: Transaction, game_id: int, undo_no: int, request_id: str, *, now: int) -> None:
    """Set aside the request of a battle that is fought again, in step `undo_no`."""
    row = await tx.requests.find(game_id, request_id)
    if row is not None:
        await rename_set_aside(tx, game_id, undo_no, [row], now=now)


async def restore_drafts(tx: Transaction, game_id: int, old_rows: Mapping[str, RequestRow]) -> None:
    """Restore the drafts of requests that are asked again, from `old_rows` by id, if the captain has not changed."""
    held_since_step = {
        captaincy.seat: captaincy.from_step
        for captaincy in await tx.captaincies.of_game(game_id)
        if captaincy.to_step is None
    }
    for row in await tx.requests.open_of_game(game_id):
        old_row = old_rows.get(row.id)
        if row.status == "open" and old_row and held_since_step.get(row.seat, 0) <= old_row.step_no:
            await tx.requests.change(row, draft=old_row.draft, focus=old_row.focus, version=old_row.version + 1)
