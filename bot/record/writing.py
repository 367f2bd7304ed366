"""Write a game's record from its stored rows. Pure functions, for jobs: a season's record takes long."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import msgspec
from msgspec import UNSET, Struct, UnsetType, structs

from bot.record.export import (
    ExportedSeal,
    FinishedGame,
    RunningGame,
    VisibleStep,
    encode_export,
    export_log_entry,
    with_digest,
)
from bot.store.models.chain import ChainLine
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
from bot.store.queries.publications import PublishedHash
from rules.core.protocol import Setup
from rules.core.registry import RULESETS
from rules.core.replay import Computation, Record, RecordedAnswer, RecordedStep, UndoAction


class GameRows(Struct, frozen=True, kw_only=True):
    game: Game
    captains: tuple[str | None, ...]  # names by seat; None is the computer
    words: tuple[str | None, ...]  # the captains' words for the dice, by seat
    steps: tuple[StepRow, ...]
    answers: dict[str, AnswerRow]  # by request id
    notes: tuple[PublishedHash, ...]
    chain: tuple[ChainLine, ...]
    log_entries: tuple[LogEntryRow, ...] = ()  # of a finished game
    requests: tuple[RequestRow, ...] = ()  # of a running game, open or not
    seat: int | None = None  # the reader's; None: a spectator


class RecordFile(Struct, frozen=True, kw_only=True):
    data: bytes  # an encoded export
    is_finished: bool  # whether the game is over
    digest: str
    published: str  # the digest that was published before a name was withdrawn; empty: no name was


def write_record(rows: GameRows) -> RecordFile:
    """Return the record of a finished game, or what the reader may know of a running one."""
    if rows.game.phase != "over":
        running = running_export(rows)
        return RecordFile(data=encode_export(running), is_finished=False, digest=running.digest, published="")
    record = finished_export(rows, events=raw_events)
    published = "" if record.published is UNSET else record.published
    return RecordFile(data=encode_export(record), is_finished=True, digest=record.digest, published=published)


def raw_events(stored: str) -> Any:  # noqa: ANN401 - stands for decoded events
    """Return a step's events as they are stored, which is how they are encoded."""
    return msgspec.Raw(stored.encode())


def decode_events(stored: str) -> tuple[dict[str, Any], ...]:
    return msgspec.json.decode(stored, type=tuple[dict[str, Any], ...])


def finished_export(rows: GameRows, *, events: Callable[[str], Any] = decode_events) -> FinishedGame:
    game, answers = rows.game, rows.answers
    used_requests = {request_id for step in rows.steps for request_id in _answered_requests(step.cause)}
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
            for step in rows.steps
        ),
        unused=_recorded_answers(answers, sorted(answers.keys() - used_requests), is_over=True),
        scheme=game.scheme,
        words=rows.words,
    )
    return with_digest(
        FinishedGame(
            name=game.name,
            locale=game.locale,
            opened=game.created_at,
            ended=game.ended_at or 0,
            captains=rows.captains,
            published=game.digest or UNSET,
            log=tuple(export_log_entry(entry) for entry in rows.log_entries if entry.step_no >= 0),
            chain=rows.chain,
            record=record,
            notes=rows.notes,
        )
    )


def is_secret(game: Game, row: RequestRow, seat: int | None) -> bool:
    """Return whether an answer that was carried out is still hidden from a seat (None: a spectator).

    Optional answers stay hidden. Answers that may contain secret lines stay hidden until the game is over, whether they
    contain any or not, because the missing lines could be guessed from hash and nonce.
    """
    if row.seat == seat:
        return False
    may_have_secret_lines = RULESETS[game.system].questions[row.body.kind].is_line_kept_sealed is not None
    return row.optional or (may_have_secret_lines and game.phase != "over")


def running_export(rows: GameRows) -> RunningGame:
    game, steps, answers, seat = rows.game, rows.steps, rows.answers, rows.seat
    requests = {row.id: row for row in rows.requests}
    open_rows = [row for row in requests.values() if row.status != "closed"]
    own_requests = [row for row in open_rows if row.seat == seat]
    return with_digest(
        RunningGame(
            name=game.name,
            locale=game.locale,
            opened=game.created_at,
            captains=rows.captains,
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
            words=rows.words,
            chain=rows.chain,
            notes=rows.notes,
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
        event for event in decode_events(step.events) if event["seen_by"] is None or seat in event["seen_by"]
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
