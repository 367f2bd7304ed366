"""Export games as records, and import finished ones."""

from __future__ import annotations

from typing import Any, NamedTuple

from msgspec import UNSET, structs

from bot.errors import Refusal
from bot.jobs.stored import encode
from bot.jobs.workers import Workers
from bot.lifecycle.steps import undo
from bot.lifecycle.steps.playing import SeatedGame, load_seated_game
from bot.record import bundle, writing
from bot.record.export import FinishedGame
from bot.record.writing import GameRows, RecordFile
from bot.store import Store
from bot.store.models.chain import ChainLine, line_digests
from bot.store.models.pace import Pace
from bot.store.models.records import AnswerRow, GameStarted, RequestsAnswered, StepCause, StepRow
from bot.store.models.subjects import CHAIN_KIND, ChainSubject
from bot.store.queries.games import NewGameRow
from bot.store.queries.messages import MessageRequest
from bot.store.queries.publications import PublishedHash
from bot.store.queries.transaction import Transaction
from rules.core.protocol import Request
from rules.core.registry import RULESETS
from rules.core.replay import Computation, Record, RecordedAnswer, RecordedStep, UndoAction, replay_steps
from rules.core.revealing import has_public_event, is_hidden_step, is_revealing


class FinishedBattle(NamedTuple):
    number: int  # id of the battle's game
    request: str  # request of the parent game that the battle answers


class ArchiveService:
    def __init__(self, store: Store) -> None:
        self._store = store

    async def published_hashes(self, game_id: int) -> tuple[PublishedHash, ...]:
        """Return all published hashes of a game that were noted here, in order; none of an imported game.

        An imported game has no captaincies here, and its notes came with its file.
        """
        async with self._store.read() as tx:
            return await tx.published_hashes.of_game(game_id) if await tx.captaincies.of_game(game_id) else ()

    async def export_finished(self, game_id: int) -> FinishedGame:
        """Return a finished game. Raises `Refusal` while it is running, because it has secrets."""
        async with self._store.read() as tx:
            return writing.finished_export(await _finished_rows(tx, game_id))

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
        rows = await _read_rows(tx, await load_seated_game(tx, game_id))
        return writing.finished_export(rows, events=writing.raw_events).digest

    async def import_game(self, finished_game: FinishedGame, *, guild_id: int, channel_id: int) -> tuple[int, bool]:
        """Store a finished game whose record has been verified. Return its id and whether it is new here."""
        async with self._store.write(of_many=True) as tx:
            existing = await tx.games.by_seed(finished_game.record.seed)
            if existing is not None:
                return existing.id, False
            return await _import(tx, finished_game, guild_id=guild_id, channel_id=channel_id), True


class RecordService:
    """Writes records in worker processes. Each method may raise `Refusal`, also if the user has too many requests."""

    def __init__(self, store: Store, workers: Workers) -> None:
        self._store = store
        self._workers = workers

    async def write_record(self, game_id: int, user_id: int) -> RecordFile:
        """Return the record of a finished game, or what the user may know of a running one."""
        async with self._store.read() as tx:
            seated_game = await load_seated_game(tx, game_id)
            rows = await _read_rows(tx, seated_game)
            if seated_game.game.phase != "over":
                rows = await _add_requests(tx, rows, seated_game, user_id)
        return await self._workers.run_record(writing.write_record, rows)

    async def write_finished(self, game_id: int) -> RecordFile:
        async with self._store.read() as tx:
            rows = await _finished_rows(tx, game_id)
        return await self._workers.run_record(writing.write_record, rows)

    async def pack_records(self, records: list[tuple[int, bytes]]) -> bytes:
        return await self._workers.run_record(bundle.pack_records, records)

    async def finished_battles(self, game_id: int) -> list[FinishedBattle]:
        """Return finished battles of a finished game, each followed by its own; none while the game is running."""
        async with self._store.read() as tx:
            game = await tx.games.find_for_update(game_id)
            return await _finished_battles(tx, game_id) if game and game.phase == "over" else []


async def _finished_rows(tx: Transaction, game_id: int) -> GameRows:
    seated_game = await load_seated_game(tx, game_id)
    if seated_game.game.phase != "over":
        raise Refusal("not_over")
    return await _read_rows(tx, seated_game)


async def _read_rows(tx: Transaction, seated_game: SeatedGame) -> GameRows:
    game_id, names = seated_game.game.id, seated_game.plain_names()
    return GameRows(
        game=seated_game.game,
        captains=tuple(names.get(seat.seat) for seat in seated_game.seats),
        words=seated_game.dice_words,
        # A record contains no states, which are long.
        steps=tuple(structs.replace(step, state="") for step in await tx.steps.of_game(game_id)),
        answers=await tx.answers.of_game(game_id),
        notes=await tx.published_hashes.of_game(game_id),
        log_entries=tuple(await tx.audit_log.of_game(game_id)),
        chain=await _chain_lines(tx, game_id),
    )


async def _chain_lines(tx: Transaction, game_id: int) -> tuple[ChainLine, ...]:
    messages = await tx.messages.of_kinds(game_id, (CHAIN_KIND,))
    return tuple(message.subject_as(ChainSubject).line for message in messages)


async def _add_requests(tx: Transaction, rows: GameRows, seated_game: SeatedGame, user_id: int) -> GameRows:
    if not rows.steps:
        raise Refusal("not_started")
    own_seat = seated_game.seat_of(user_id)
    requests = tuple(await tx.requests.asked_since(seated_game.game.id, 0))
    return structs.replace(rows, requests=requests, seat=own_seat.seat if own_seat else None)


async def _finished_battles(tx: Transaction, game_id: int) -> list[FinishedBattle]:
    battles: list[FinishedBattle] = []
    for battle in reversed(await tx.games.battles_of(game_id)):
        if battle.phase == "over":
            battles += [
                FinishedBattle(battle.id, battle.parent_request or ""),
                *await _finished_battles(tx, battle.id),
            ]
    return battles


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
    await _import_chain(tx, game_id, finished_game)
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


async def _import_chain(tx: Transaction, game_id: int, finished_game: FinishedGame) -> None:
    """Store the lines of a record's chain as messages that need not be sent."""
    record = finished_game.record
    digests = line_digests(record.seed_commitment, record.words, finished_game.chain)
    lines = enumerate(zip(finished_game.chain, digests, strict=True))
    subjects = [ChainSubject(step=number, line=line, digest=digest) for number, (line, digest) in lines]
    requests = [MessageRequest(subject, finished_game.ended) for subject in subjects]
    await tx.messages.cancel(await tx.messages.request_all(game_id, requests, now=finished_game.ended))


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
        if isinstance(recorded.act, UndoAction):
            revealed = recorded.act.is_restore
        else:
            revealed = state_before is not None and is_revealing(
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
        if isinstance(recorded.act, UndoAction) and recorded.act.battle is not None:
            await undo.set_aside_battle(tx, game_id, number, recorded.act.battle, now=at)
            requests.pop(recorded.act.battle, None)
        elif isinstance(recorded.act, UndoAction):
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
