"""Going back: how far a game may, and what becomes of what was asked since."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from msgspec import Struct, structs

from bot.errors import Refusal
from bot.lifecycle.outbox import enqueue, reminders
from bot.lifecycle.steps import battles, clock
from bot.lifecycle.steps.playing import SeatedGame
from bot.record.chapters import group_chapters
from bot.store.models.records import SET_ASIDE_MARK, Game, RequestRow, RequestsAnswered, StepCause
from bot.store.queries.transaction import Transaction
from rules.chance import fairness
from rules.core.protocol import Concede, OutOfTurnAction, Request, TakeUp
from rules.core.replay import UndoAction


class UndoTarget(Struct, frozen=True):
    """Where a game goes back to."""

    step_no: int
    """The step after which it goes on."""
    is_revealing: bool
    """Whether a step since then has revealed anything (`rules.core.revealing`).

    If so, captains must agree, and the dice change.
    """
    public_step_count: int
    """How many steps everybody may know of."""
    is_idle: bool
    """Whether nothing has happened since but what its captain alone may know of."""


def effective_steps(causes: Sequence[tuple[int, StepCause]]) -> list[tuple[int, StepCause]]:
    """The steps that were not taken back."""
    kept: list[tuple[int, StepCause]] = []
    for number, cause in causes:
        if isinstance(cause, UndoAction):
            kept = [step for step in kept if step[0] <= cause.to]
        kept.append((number, cause))
    return kept


def find_target(
    causes: Sequence[tuple[int, StepCause]],
    asked_in: Mapping[str, int],
    to_round: int | None,
    *,
    revealing: Collection[int],
    scheme: fairness.HashScheme,
) -> UndoTarget:
    """The step at the beginning of a round; without a round the last after which none of the `revealing` steps comes.

    What was done in secret changes nothing of it: from how far a game goes back nobody learns that there was anything.
    Raises `Refusal` for a round that has not been.
    """
    step_no = (
        _step_before_acts(effective_steps(causes), revealing)
        if to_round is None
        else _first_step_of_round(causes, asked_in, to_round)
    )
    since = [cause for number, cause in causes if number > step_no]
    return UndoTarget(
        step_no,
        is_revealing=any(number > step_no for number in revealing),
        public_step_count=count_public_steps(causes, scheme),
        is_idle=not any(map(is_public_step, since)),
    )


def count_public_steps(causes: Sequence[tuple[int, StepCause]], scheme: fairness.HashScheme) -> int:
    """How many of a game's steps everybody may know of: its next dice depend on that. In scheme 2 all steps count."""
    return sum(fairness.counts_hidden_steps(scheme) or is_public_step(cause) for _, cause in causes)


def is_public_step(cause: StepCause) -> bool:
    """Whether everybody may know of a step."""
    return not (isinstance(cause, RequestsAnswered) and cause.hidden)


def _step_before_acts(kept: Sequence[tuple[int, StepCause]], revealing: Collection[int]) -> int:
    """The last step before what captains did unasked, as far as that has revealed nothing."""
    stays = [
        is_public_step(cause) and (no in revealing or not isinstance(cause, OutOfTurnAction)) for no, cause in kept
    ]
    last = max(index for index, one in enumerate(stays) if one)
    # What was done in secret before the first of those acts stays done.
    while last + 1 < len(kept) and not is_public_step(kept[last + 1][1]):
        last += 1
    return kept[last][0]


def _first_step_of_round(causes: Sequence[tuple[int, StepCause]], asked_in: Mapping[str, int], to_round: int) -> int:
    told = group_chapters((number, round_of(cause, asked_in)) for number, cause in causes if is_public_step(cause))
    # The first chapter begins with the start, which stays.
    begins = [told[0].steps[0], *(chapter.steps[-1] for chapter in told)]
    for chapter, begin in zip(told, begins, strict=False):
        if chapter.round == to_round and chapter.steps[-1] > begin:
            return begin
    raise Refusal("no_such_round", round=to_round, last=told[-1].round)


def last_round(causes: Sequence[tuple[int, StepCause]], asked_in: Mapping[str, int]) -> int:
    """The last round in which something has happened that was not taken back; 0 before the first."""
    told = group_chapters((number, round_of(cause, asked_in)) for number, cause in causes if is_public_step(cause))
    return told[-1].round


def round_of(cause: StepCause, asked_in: Mapping[str, int]) -> int | UndoAction | None:
    """The round in which a step's answers were asked for, as `group_chapters` takes it."""
    if isinstance(cause, RequestsAnswered):
        return max(map(asked_in.__getitem__, cause.requests), default=None)
    return cause if isinstance(cause, UndoAction) else None


def conceded_seats(causes: Sequence[tuple[int, StepCause]], step_no: int | None = None) -> set[int]:
    """Seats that have given up, or had by a step, and that nobody has taken up again."""
    found: set[int] = set()
    for number, cause in effective_steps(causes):
        if step_no is not None and number > step_no:
            break
        if isinstance(cause, Concede):
            found.add(cause.seat)
        elif isinstance(cause, TakeUp):
            found.discard(cause.seat)
    return found


def recently_conceded_seats(causes: Sequence[tuple[int, StepCause]], asked_in: Mapping[str, int]) -> set[int]:
    """Seats that have given up since the last round began and that nobody has taken up again.

    A game may carry the round in hand out before it ends by that.
    """
    found: set[int] = set()
    last = 0
    for _, cause in effective_steps(causes):
        if isinstance(cause, Concede):
            found.add(cause.seat)
        elif isinstance(cause, TakeUp):
            found.discard(cause.seat)
        elif (
            isinstance(cause, RequestsAnswered)
            and (no := max(map(asked_in.__getitem__, cause.requests), default=0)) > last
        ):
            found, last = set(), no
    return found


async def load_target(tx: Transaction, game: Game, to_round: int | None, *, now: int) -> UndoTarget:
    """How far a game goes back.

    Raises `Refusal` for a round that has not been or that nobody has time to play again, and for one in which a seat
    had been given up that somebody else has taken up since: they would lose it. A battle must have ended when the turn
    comes in which the game above counts on it.
    """
    causes, asked_in = await tx.steps.causes_of_game(game.id), await tx.requests.rounds_by_request(game.id)
    found = find_target(
        causes, asked_in, to_round, revealing=await tx.steps.revealing_steps(game.id), scheme=game.scheme
    )
    if conceded_seats(causes, found.step_no) - conceded_seats(causes):
        raise Refusal("taken_up")
    if found.is_revealing and to_round is not None:
        clock.refuse_without_deadline(game, to_round, now=now)
    return found


# --- doing it ------------------------------------------------------------------------------------------------------


async def break_seals(tx: Transaction, playing: SeatedGame, user_id: int, *, now: int) -> None:
    """Break all seals, so that every captain may order again. Raises `Refusal` if nobody has sealed."""
    computers = playing.computer_seats
    rows = [
        row for row in await tx.requests.open_of_game(playing.game.id) if row.seat not in computers and not row.optional
    ]
    # An earlier captain's seal stays: the present one has no draft of it.
    sealed = [row for row in rows if row.status == "sealed" and not row.inherited]
    if not sealed:
        raise Refusal("nothing_to_undo")
    for row in sealed:
        await tx.answers.break_seal(row.game_id, row.id, now=now)
        changed = await tx.requests.change(row, status="open")
        await enqueue.update_panel(tx, changed or row, at=now)
    await enqueue.update_seals(tx, sealed, now=now)
    await enqueue.add_log_entry(tx, playing.game, "unsealed", now=now, user_id=user_id)


async def set_aside_requests(
    tx: Transaction, game_id: int, number: int, to: int, pending: Sequence[Request], *, now: int
) -> dict[str, RequestRow]:
    """Put aside, in step `number`, what was asked since the step that it goes back to, or is to be asked again.

    Returns it by the ids that are free now. What was sealed but not carried out is forgotten: nobody has seen it. The
    rest keeps its answers, under other ids.
    """
    again = {request.id for request in pending}
    rows = [row for row in await tx.requests.asked_since(game_id, 0) if SET_ASIDE_MARK not in row.id]
    aside = [row for row in rows if row.step_no >= to or row.id in again]
    await aside_id(tx, game_id, number, aside, now=now)
    return {row.id: row for row in aside}


async def aside_id(
    tx: Transaction, game_id: int, number: int, aside: Sequence[RequestRow], *, clocks: Collection[str] = (), now: int
) -> None:
    """Put these requests aside in step `number`. Messages about these `clocks` are used further."""
    await reminders.cancel_reminders(tx, aside, now=now)
    names = {row.id: f"{row.id}{SET_ASIDE_MARK}{number}" for row in aside}
    for row in aside:
        if row.status != "closed":
            await tx.answers.break_seal(game_id, row.id, now=now)
        await tx.requests.set_aside(row, names[row.id])
    for step_no, cause in await tx.steps.causes_of_game(game_id):
        if isinstance(cause, RequestsAnswered) and names.keys() & set(cause.requests):
            renamed = structs.replace(cause, requests=tuple(names.get(one, one) for one in cause.requests))
            await tx.steps.change_cause(game_id, step_no, renamed)
    await battles.detach_battles(tx, game_id, names, now=now)
    await enqueue.retire_seal_messages(tx, game_id, aside, clocks=clocks, now=now)


async def restore_drafts(tx: Transaction, game_id: int, aside: Mapping[str, RequestRow]) -> None:
    """Give captains who are asked again their old drafts; nobody gets those of an earlier captain."""
    since = {one.seat: one.from_step for one in await tx.captaincies.of_game(game_id) if one.to_step is None}
    for row in await tx.requests.open_of_game(game_id):
        his = row.id in aside and since.get(row.seat, 0) <= aside[row.id].step_no
        if row.status == "open" and his:
            await tx.requests.change(
                row, draft=aside[row.id].draft, focus=aside[row.id].focus, version=aside[row.id].version + 1
            )
