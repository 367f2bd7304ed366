"""Export games as records, and import finished ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal, NamedTuple

import msgspec
from msgspec import UNSET, UnsetType, structs

from bot.errors import Refusal
from bot.jobs.stored import encode
from bot.lifecycle.steps import undo
from bot.lifecycle.steps.playing import SeatedGame, load_seated_game
from bot.presenters.log import is_secret
from bot.record.export import (
    LOG_ENTRY_PARAMS,
    Export,
    ExportedLogEntry,
    ExportedSeal,
    FinishedGame,
    RunningGame,
    VisibleStep,
    with_digest,
)
from bot.store import Store
from bot.store.models.pace import Pace
from bot.store.models.records import (
    AnswerRow,
    Game,
    GameStarted,
    LogEntryRow,
    RequestRow,
    RequestsAnswered,
    StepCause,
    StepRow,
)
from bot.store.queries.games import NewGameRow
from bot.store.queries.publications import PublishedHash
from bot.store.queries.transaction import Transaction
from rules.core.protocol import Request, Setup
from rules.core.registry import RULESETS
from rules.core.replay import Computation, Record, RecordedAnswer, RecordedStep, UndoAction, replay_steps
from rules.core.revealing import has_public_event, is_hidden_step, is_revealing


class ArchivedBattle(NamedTuple):
    number: int  # id of the battle's game
    request: str  # request of the parent game that the battle answers
    record: FinishedGame  # the battle's own record


class ArchiveService:
    def __init__(self, store: Store) -> None:
        self._store = store

    async def export_game(self, game_id: int, user_id: int) -> Export:
        """Return the record of a finished game, or what the user may know of a running one. Raises `Refusal`."""
        async with self._store.read() as tx:
            seated_game = await load_seated_game(tx, game_id)
            if seated_game.game.phase == "over":
                return await _finished_export(tx, seated_game)
            return await _running_export(tx, seated_game, user_id)

    async def published_hashes(self, game_id: int) -> tuple[PublishedHash, ...]:
        """Return all published hashes of a game that were noted here, in order; none of an imported game.

        An imported game has no captaincies here, and its notes came with its file.
        """
        async with self._store.read() as tx:
            return await tx.published_hashes.of_game(game_id) if await tx.captaincies.of_game(game_id) else ()

    async def export_finished(self, game_id: int) -> FinishedGame:
        """Return a finished game. Raises `Refusal` while it is running, because it has secrets."""
        async with self._store.read() as tx:
            seated_game = await load_seated_game(tx, game_id)
            if seated_game.game.phase != "over":
                raise Refusal("not_over")
            return await _finished_export(tx, seated_game)

    async def export_battles(self, game_id: int) -> list[ArchivedBattle]:
        """Return finished battles of a finished game, each followed by its own; none while the game is running."""
        async with self._store.read() as tx:
            game = await tx.games.find_for_update(game_id)
            return await _battle_exports(tx, game_id) if game and game.phase == "over" else []

    async def digest_of(self, game_id: int) -> str:
        """Return the hash of a finished game's record as published. Raises `Refusal` while the game is running."""
        async with self._store.read() as tx:
            game = await tx.games.find_for_update(game_id)
            if game is None or game.phase != "over":
                raise Refusal("not_over")
            return game.digest or await ArchiveService.current_digest(tx, game_id)

    @staticmethod
    async def current_digest(tx: Transaction, game_id: int) -> str:
        """Return the hash of a finished game's record as it is now, within a transaction that changes it.

        Events are hashed as stored, without decoding. Raises `Refusal` if the game does not exist.
        """
        finished_game = await _finished_export(
            tx, await load_seated_game(tx, game_id), events=lambda stored: msgspec.Raw(stored.encode())
        )
        return finished_game.digest

    async def import_game(self, finished_game: FinishedGame, *, guild_id: int, channel_id: int) -> tuple[int, bool]:
        """Store a finished game whose record has been verified. Return its id and whether it is new here."""
        async with self._store.write(of_many=True) as tx:
            existing = await tx.games.by_seed(finished_game.record.seed)
            if existing is not None:
                return existing.id, False
            return await _import(tx, finished_game, guild_id=guild_id, channel_id=channel_id), True


def _decode_events(events: str) -> tuple[dict[str, Any], ...]:
    return msgspec.json.decode(events, type=tuple[dict[str, Any], ...])


async def _finished_export(
    tx: Transaction, seated_game: SeatedGame, *, events: Callable[[str], Any] = _decode_events
) -> FinishedGame:
    game = seated_game.game
    answers = await tx.answers.of_game(game.id)
    steps = await tx.steps.of_game(game.id)
    used_requests = {request_id for step in steps for request_id in _answered_requests(step.cause)}
    record = Record(
        setup=game.setup,
        seed=game.seed,
        seed_commitment=game.seed_hash,
        steps=tuple(
            RecordedStep(
                act=_out_of_turn_action(step.cause),
                answers=_recorded_answers(answers, _answered_requests(step.cause), is_over=True),
                events=events(step.events),
                at=step.resolved_at,
            )
            for step in steps
        ),
        unused=_recorded_answers(answers, sorted(answers.keys() - used_requests), is_over=True),
        scheme=game.scheme,
        words=seated_game.dice_words,
    )
    return with_digest(
        FinishedGame(
            name=game.name,
            locale=game.locale,
            opened=game.created_at,
            ended=game.ended_at or 0,
            captains=_captain_names(seated_game),
            published=game.digest or UNSET,
            log=tuple(_log_entry(entry) for entry in await tx.audit_log.of_game(game.id) if entry.step_no >= 0),
            record=record,
            notes=await tx.published_hashes.of_game(game.id),
        )
    )


async def _battle_exports(tx: Transaction, game_id: int) -> list[ArchivedBattle]:
    exports: list[ArchivedBattle] = []
    for battle in reversed(await tx.games.battles_of(game_id)):
        if battle.phase == "over":
            finished_game = await _finished_export(tx, await load_seated_game(tx, battle.id))
            exports += [
                ArchivedBattle(battle.id, battle.parent_request or "", finished_game),
                *await _battle_exports(tx, battle.id),
            ]
    return exports


def _log_entry(entry: LogEntryRow) -> ExportedLogEntry:
    """Return a log entry for a record, which names its author by their seat, without user ids."""
    author: int | Literal["manager"] | None = entry.by_seat
    if author is None and entry.user_id is not None:
        author = "manager"
    params = {name: entry.params[name] for name in LOG_ENTRY_PARAMS[entry.kind]}
    return ExportedLogEntry(at=entry.at, step=entry.step_no, by=author, kind=entry.kind, seat=entry.seat, params=params)


async def _running_export(tx: Transaction, seated_game: SeatedGame, user_id: int) -> RunningGame:
    game, steps = seated_game.game, await tx.steps.of_game(seated_game.game.id)
    if not steps:
        raise Refusal("not_started")
    own_seat = seated_game.seat_of(user_id)
    seat = own_seat.seat if own_seat else None
    answers = await tx.answers.of_game(game.id)
    requests = {row.id: row for row in await tx.requests.asked_since(game.id, 0)}
    open_rows = [row for row in requests.values() if row.status != "closed"]
    own_requests = [row for row in open_rows if row.seat == seat]
    return with_digest(
        RunningGame(
            name=game.name,
            locale=game.locale,
            opened=game.created_at,
            captains=_captain_names(seated_game),
            setup=_visible_setup(game, seat),
            seed_commitment=game.seed_hash,
            seat=seat,
            steps=_visible_steps(game, steps, answers, requests, seat),
            seals=tuple(
                _visible_seal(row, answers)
                for row in requests.values()
                if not row.optional and (row.status != "closed" or (row.id in answers and is_secret(game, row, seat)))
            ),
            own=_recorded_answers(answers, [row.id for row in own_requests if row.id in answers and not row.inherited]),
            drafts={row.id: row.draft for row in own_requests if row.status == "open" and row.draft},
            scheme=game.scheme,
            words=seated_game.dice_words,
            notes=await tx.published_hashes.of_game(game.id),
        )
    )


def _visible_setup(game: Game, seat: int | None) -> Setup:
    """Return the setup without the keepsakes of other seats, which are secret."""
    if not game.setup.keepsakes:
        return game.setup
    own_keepsakes = tuple(keepsakes if other == seat else () for other, keepsakes in enumerate(game.setup.keepsakes))
    return structs.replace(game.setup, keepsakes=own_keepsakes)


def _visible_steps(
    game: Game,
    steps: Iterable[StepRow],
    answers: Mapping[str, AnswerRow],
    requests: Mapping[str, RequestRow],
    seat: int | None,
) -> tuple[VisibleStep, ...]:
    """Return the steps that a seat may know of, numbered without gaps."""
    visible_steps: list[VisibleStep] = []
    last_visible_numbers: list[int] = []  # for each step of the game, the number of the last visible step at that time
    for step in steps:
        visible = _visible_step(game, step, answers, requests, seat)
        if visible and isinstance(visible.act, UndoAction):
            renumbered_undo = structs.replace(visible.act, to=last_visible_numbers[visible.act.to])
            visible = structs.replace(visible, act=renumbered_undo)
        if visible:
            visible_steps.append(visible)
        last_visible_numbers.append(len(visible_steps) - 1)
    return tuple(visible_steps)


def _visible_step(
    game: Game, step: StepRow, answers: Mapping[str, AnswerRow], requests: Mapping[str, RequestRow], seat: int | None
) -> VisibleStep | None:
    """Return a step as a seat may see it; None if the step is hidden from it."""
    visible_events = tuple(
        event for event in _decode_events(step.events) if event["seen_by"] is None or seat in event["seen_by"]
    )
    visible_requests = [
        request_id for request_id in _answered_requests(step.cause) if not is_secret(game, requests[request_id], seat)
    ]
    if isinstance(step.cause, RequestsAnswered) and step.cause.hidden and not visible_requests:
        return None
    return VisibleStep(
        act=_out_of_turn_action(step.cause),
        answers=_recorded_answers(answers, visible_requests),
        events=visible_events,
        at=step.resolved_at,
    )


def _visible_seal(row: RequestRow, answers: Mapping[str, AnswerRow]) -> ExportedSeal:
    answer = answers.get(row.id)
    request_id = answer.original_request_id if answer else row.id
    return ExportedSeal(request=request_id, seat=row.seat, commitment=answer.commitment if answer else None)


def _recorded_answers(
    answers: Mapping[str, AnswerRow], requests: Iterable[str], *, is_over: bool = False
) -> tuple[RecordedAnswer, ...]:
    """Return answers for a record. How the computer came to its own stays secret until the game `is_over`."""
    return tuple(
        RecordedAnswer(
            request=answer.original_request_id,
            body=answer.body,
            nonce=answer.nonce,
            commitment=answer.commitment,
            given_by=answer.given_by,
            at=answer.sealed_at,
            computation=_computation_of(answer) if is_over else UNSET,
        )
        for answer in map(answers.__getitem__, requests)
    )


def _computation_of(answer: AnswerRow) -> Computation | UnsetType:
    return msgspec.json.decode(answer.computation, type=Computation) if answer.computation else UNSET


def _answered_requests(cause: StepCause) -> tuple[str, ...]:
    return cause.requests if isinstance(cause, RequestsAnswered) else ()


def _out_of_turn_action(cause: StepCause) -> Any:  # noqa: ANN401 - whatever a recorded step takes for an act
    return None if isinstance(cause, GameStarted | RequestsAnswered) else cause


def _captain_names(seated_game: SeatedGame) -> tuple[str | None, ...]:
    names = seated_game.seat_names("")
    return tuple(names[seat.seat] or None for seat in seated_game.seats)


# --- import --------------------------------------------------------------------------------------------------------


async def _import(tx: Transaction, finished_game: FinishedGame, *, guild_id: int, channel_id: int) -> int:
    record = finished_game.record
    opening = NewGameRow(
        setup=record.setup,
        pace=Pace(seconds=0),
        name=finished_game.name,
        locale=finished_game.locale,
        guild_id=guild_id,
        channel_id=channel_id,
        host_id=0,
        seed=record.seed,
        created_at=finished_game.opened,
        rated=False,
        phase="over",
        scheme=record.scheme,
        step_no=len(record.steps) - 1,
        ended_at=finished_game.ended,
        digest=None if finished_game.published is UNSET else finished_game.published,
    )
    game_id = await tx.games.add(opening)
    conceded = undo.conceded_seats([(number, _step_cause(step, number)) for number, step in enumerate(record.steps)])
    for seat, (team, name, word) in enumerate(
        zip(record.setup.teams, finished_game.captains, record.words, strict=True)
    ):
        about = {"name": name, "word": word, "computer": name is None, "conceded": seat in conceded}
        await tx.seats.add(game_id=game_id, seat=seat, team=team, **about)
    await _import_steps(tx, game_id, record)
    await tx.published_hashes.add_all(game_id, finished_game.notes)
    for entry in finished_game.log:
        # Records name no users; 0 stands for somebody unknown.
        user_id = None if entry.by is None else 0
        by_seat = None if entry.by == "manager" else entry.by
        await tx.audit_log.add_entry(
            game_id,
            entry.kind,
            entry.params,
            at=entry.at,
            step_no=entry.step,
            seat=entry.seat,
            user_id=user_id,
            by_seat=by_seat,
        )
    return game_id


async def _import_steps(tx: Transaction, game_id: int, record: Record) -> None:
    """Store the steps of a record with their answers and requests, replaying the game for their states."""
    rules = RULESETS[record.setup.system]
    requests: dict[str, Request] = {}  # all so far, by id
    state_before: Any = None
    pending_before: tuple[Request, ...] = ()
    for number, (recorded, (_, step)) in enumerate(zip(record.steps, replay_steps(rules, record), strict=True)):
        for answer in recorded.answers:
            await tx.answers.add(_stored_answer(game_id, requests[answer.request].seat, answer))
        events, state, at = encode(step.events), encode(step.state), recorded.at
        answered = [requests[answer.request] for answer in recorded.answers]
        cause = _step_cause(recorded, number, hidden=is_hidden_step(answered, public=has_public_event(step.events)))
        pending = rules.pending_requests(step.state)
        was_advanced = state_before is not None and not isinstance(recorded.act, UndoAction)
        revealed = was_advanced and is_revealing(
            state_before,
            step,
            pending_before=pending_before,
            pending=pending,
            answered_ids=[request.id for request in answered],
        )
        await tx.steps.add(
            StepRow(
                game_id=game_id, no=number, cause=cause, events=events, state=state, resolved_at=at, revealed=revealed
            )
        )
        state_before, pending_before = step.state, pending
        if isinstance(recorded.act, UndoAction):
            for request_id in await undo.set_aside_requests(tx, game_id, number, recorded.act.to, pending, now=at):
                del requests[request_id]
        for request in pending:
            if request.id not in requests:
                requests[request.id] = request
                await tx.requests.add(game_id, request, step_no=number, now=at, deadline=None, status="closed")
    for answer in record.unused:
        await tx.answers.add(_stored_answer(game_id, requests[answer.request].seat, answer))


def _step_cause(recorded: RecordedStep, number: int, *, hidden: bool = False) -> StepCause:
    if recorded.act is not None:
        return recorded.act
    request_ids = tuple(answer.request for answer in recorded.answers)
    return RequestsAnswered(requests=request_ids, hidden=hidden) if number else GameStarted()


def _stored_answer(game_id: int, seat: int, answer: RecordedAnswer) -> AnswerRow:
    return AnswerRow(
        game_id=game_id,
        request_id=answer.request,
        seat=seat,
        body=answer.body,
        nonce=answer.nonce,
        commitment=answer.commitment,
        given_by=answer.given_by,
        sealed_at=answer.at,
        computation=encode(answer.computation) if isinstance(answer.computation, Computation) else "",
    )
