"""Games out of the database onto paper, and from paper back into it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal, NamedTuple

import msgspec
from msgspec import UNSET, structs

from bot.errors import Refusal
from bot.life import undo
from bot.life.playing import Playing, playing_of
from bot.record.export import ENTRIES, Entry, Export, Finished, Running, Seal, Told, stamped
from bot.store import Store
from bot.store.games import Opening
from bot.store.pace import Pace
from bot.store.publications import Published
from bot.store.queries import Transaction
from bot.store.records import ActRow, Answer, Answered, Cause, Game, RequestRow, Started, StepRow
from bot.telling.log import secret
from bot.work.stored import encode
from rules.protocol import Request, Setup
from rules.registry import RULESETS
from rules.replay import Record, RecordedAnswer, RecordedStep, Undone, play
from rules.revealing import hidden, public, reveals


class Fought(NamedTuple):
    """A battle that is over."""

    number: int
    request: str
    """What it answered in the game that it was played for."""
    paper: Finished


class Archive:
    """Exports of games, read from the store as they are asked for."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def export(self, game_id: int, user_id: int) -> Export:
        """All of a finished game; of one that goes on, what a reader may know. Raises `Refusal`."""
        async with self._store.read() as tx:
            playing = await playing_of(tx, game_id)
            if playing.game.phase == "over":
                return await _finished(tx, playing)
            return await _running(tx, playing, user_id)

    async def published(self, game_id: int) -> tuple[Published, ...]:
        """All that was published of a game and noted here, in order.

        Nothing of a game that was brought in, as nobody has ever sat down in it here: its notes came with its file.
        """
        async with self._store.read() as tx:
            return await tx.published.of(game_id) if await tx.captains.of(game_id) else ()

    async def finished(self, game_id: int) -> Finished:
        """A finished game. Raises `Refusal` while it goes on: it has secrets."""
        async with self._store.read() as tx:
            playing = await playing_of(tx, game_id)
            if playing.game.phase != "over":
                raise Refusal("not_over")
            return await _finished(tx, playing)

    async def battles(self, game_id: int) -> list[Fought]:
        """The battles of a finished game that are over, each followed by its own; none while the game goes on."""
        async with self._store.read() as tx:
            game = await tx.games.find(game_id)
            return await _battles(tx, game_id) if game and game.phase == "over" else []

    async def digest_of(self, game_id: int) -> str:
        """The fingerprint of a finished game's record, as its thread tells it. Raises `Refusal` while it goes on."""
        async with self._store.read() as tx:
            game = await tx.games.find(game_id)
            if game is None or game.phase != "over":
                raise Refusal("not_over")
            return game.digest or await Archive.digest_now(tx, game_id)

    @staticmethod
    async def digest_now(tx: Transaction, game_id: int) -> str:
        """The fingerprint of a finished game's record as a change of it leaves it, within the change.

        Its events are written as they are stored: nothing is decoded. Raises `Refusal` if there is no such game.
        """
        paper = await _finished(tx, await playing_of(tx, game_id), events=lambda stored: msgspec.Raw(stored.encode()))
        return paper.digest

    async def bring_in(self, paper: Finished, *, guild_id: int, channel_id: int) -> tuple[int, bool]:
        """Store a finished game that was found to hold; its number, and whether it is new here."""
        async with self._store.write(of_many=True) as tx:
            known = await tx.games.of_seed(paper.record.seed)
            if known is not None:
                return known.id, False
            return await _bring_in(tx, paper, guild_id=guild_id, channel_id=channel_id), True


def _decoded(events: str) -> tuple[dict[str, Any], ...]:
    return msgspec.json.decode(events, type=tuple[dict[str, Any], ...])


async def _finished(tx: Transaction, playing: Playing, *, events: Callable[[str], Any] = _decoded) -> Finished:
    game = playing.game
    answers = await tx.answers.of(game.id)
    steps = await tx.steps.of(game.id)
    used = {request for step in steps for request in _answered(step.cause)}
    record = Record(
        setup=game.setup,
        seed=game.seed,
        seed_commitment=game.seed_hash,
        steps=tuple(
            RecordedStep(
                act=_act(step.cause),
                answers=_recorded(answers, _answered(step.cause)),
                events=events(step.events),
                at=step.resolved_at,
            )
            for step in steps
        ),
        unused=_recorded(answers, sorted(answers.keys() - used)),
        scheme=game.scheme,
        words=playing.words,
    )
    return stamped(
        Finished(
            name=game.name,
            locale=game.locale,
            opened=game.created_at,
            ended=game.ended_at or 0,
            captains=_captains(playing),
            published=game.digest or UNSET,
            log=tuple(_entry(act) for act in await tx.acts.of(game.id) if act.step_no >= 0),
            record=record,
            notes=await tx.published.of(game.id),
        )
    )


async def _battles(tx: Transaction, game_id: int) -> list[Fought]:
    found: list[Fought] = []
    for battle in reversed(await tx.games.battles_of(game_id)):
        if battle.phase == "over":
            paper = await _finished(tx, await playing_of(tx, battle.id))
            found += [Fought(battle.id, battle.parent_request or "", paper), *await _battles(tx, battle.id)]
    return found


def _entry(act: ActRow) -> Entry:
    """What the thread has said of an act; people are named by their seats, nobody by a number on Discord."""
    by: int | Literal["manager"] | None = act.by_seat
    if by is None and act.user_id is not None:
        by = "manager"
    params = {name: act.params[name] for name in ENTRIES[act.kind]}
    return Entry(at=act.at, step=act.step_no, by=by, kind=act.kind, seat=act.seat, params=params)


async def _running(tx: Transaction, playing: Playing, user_id: int) -> Running:
    game, steps = playing.game, await tx.steps.of(playing.game.id)
    if not steps:
        raise Refusal("not_started")
    sitting = playing.seat_of(user_id)
    seat = sitting.seat if sitting else None
    answers = await tx.answers.of(game.id)
    asked = {row.id: row for row in await tx.requests.since(game.id, 0)}
    open_rows = [row for row in asked.values() if row.status != "closed"]
    mine = [row for row in open_rows if row.seat == seat]
    return stamped(
        Running(
            name=game.name,
            locale=game.locale,
            opened=game.created_at,
            captains=_captains(playing),
            setup=_setup_for(game, seat),
            seed_commitment=game.seed_hash,
            seat=seat,
            steps=_steps_as_told(game, steps, answers, asked, seat),
            seals=tuple(
                _seal(row, answers)
                for row in asked.values()
                if not row.optional and (row.status != "closed" or (row.id in answers and secret(game, row, seat)))
            ),
            own=_recorded(answers, [row.id for row in mine if row.id in answers and not row.inherited]),
            drafts={row.id: row.draft for row in mine if row.status == "open" and row.draft},
            scheme=game.scheme,
            words=playing.words,
            notes=await tx.published.of(game.id),
        )
    )


def _setup_for(game: Game, seat: int | None) -> Setup:
    """How a game has begun, without what others than this seat's captain have brought to it: nobody may know that."""
    if not game.setup.keepsakes:
        return game.setup
    own = tuple(those if number == seat else () for number, those in enumerate(game.setup.keepsakes))
    return structs.replace(game.setup, keepsakes=own)


def _steps_as_told(
    game: Game,
    steps: Iterable[StepRow],
    answers: Mapping[str, Answer],
    asked: Mapping[str, RequestRow],
    seat: int | None,
) -> tuple[Told, ...]:
    """A game's steps as a seat may know them, numbered as if there were no others."""
    found: list[Told] = []
    last: list[int] = []
    """The last of them by then, by each step of the game."""
    for step in steps:
        if told := _told(game, step, answers, asked, seat):
            back = isinstance(told.act, Undone) and structs.replace(told.act, to=last[told.act.to])
            found.append(structs.replace(told, act=back) if back else told)
        last.append(len(found) - 1)
    return tuple(found)


def _told(
    game: Game, step: StepRow, answers: Mapping[str, Answer], asked: Mapping[str, RequestRow], seat: int | None
) -> Told | None:
    """A step as a seat may know it; None if it may not even know that there was one."""
    seen = tuple(event for event in _decoded(step.events) if event["seen_by"] is None or seat in event["seen_by"])
    public = [one for one in _answered(step.cause) if not secret(game, asked[one], seat)]
    if isinstance(step.cause, Answered) and step.cause.hidden and not public:
        return None
    return Told(act=_act(step.cause), answers=_recorded(answers, public), events=seen, at=step.resolved_at)


def _seal(row: RequestRow, answers: Mapping[str, Answer]) -> Seal:
    answer = answers.get(row.id)
    asked = answer.asked if answer else row.id
    return Seal(request=asked, seat=row.seat, commitment=answer.commitment if answer else None)


def _recorded(answers: Mapping[str, Answer], requests: Iterable[str]) -> tuple[RecordedAnswer, ...]:
    return tuple(
        RecordedAnswer(
            request=answer.asked,
            body=answer.body,
            nonce=answer.nonce,
            commitment=answer.commitment,
            given_by=answer.given_by,
            at=answer.sealed_at,
        )
        for answer in map(answers.__getitem__, requests)
    )


def _answered(cause: Cause) -> tuple[str, ...]:
    return cause.requests if isinstance(cause, Answered) else ()


def _act(cause: Cause) -> Any:  # noqa: ANN401 - whatever a recorded step takes for an act
    return None if isinstance(cause, Started | Answered) else cause


def _captains(playing: Playing) -> tuple[str | None, ...]:
    names = playing.names("")
    return tuple(names[seat.seat] or None for seat in playing.seats)


# --- from paper ----------------------------------------------------------------------------------------------------


async def _bring_in(tx: Transaction, paper: Finished, *, guild_id: int, channel_id: int) -> int:
    record, rules = paper.record, RULESETS[paper.record.setup.system]
    opening = Opening(
        setup=record.setup,
        pace=Pace(seconds=0),
        name=paper.name,
        locale=paper.locale,
        guild_id=guild_id,
        channel_id=channel_id,
        host_id=0,
        seed=record.seed,
        created_at=paper.opened,
        rated=False,
        phase="over",
        scheme=record.scheme,
        step_no=len(record.steps) - 1,
        ended_at=paper.ended,
        digest=None if paper.published is UNSET else paper.published,
    )
    game_id = await tx.games.add(opening)
    conceded = undo.conceded([(number, _cause(step, number)) for number, step in enumerate(record.steps)])
    for seat, (team, name, word) in enumerate(zip(record.setup.teams, paper.captains, record.words, strict=True)):
        about = {"name": name, "word": word, "computer": name is None, "conceded": seat in conceded}
        await tx.seats.add(game_id=game_id, seat=seat, team=team, **about)
    asked: dict[str, Request] = {}
    state: Any = None
    before: tuple[Request, ...] = ()
    for number, (recorded, (_, step)) in enumerate(zip(record.steps, play(rules, record), strict=True)):
        for answer in recorded.answers:
            await tx.answers.add(_stored(game_id, asked[answer.request].seat, answer))
        events, at = encode(step.events), recorded.at
        answered = [asked[answer.request] for answer in recorded.answers]
        cause = _cause(recorded, number, hidden=hidden(answered, public=public(step.events)))
        pending = rules.pending(step.state)
        given = [answer.request for answer in recorded.answers]
        went_on = state is not None and not isinstance(recorded.act, Undone)
        shown = went_on and reveals(state, step, asked=before, pending=pending, given=given)
        body = encode(step.state)
        await tx.steps.add(
            StepRow(game_id=game_id, no=number, cause=cause, events=events, state=body, resolved_at=at, revealed=shown)
        )
        state, before = step.state, pending
        if isinstance(recorded.act, Undone):
            for one in await undo.put_aside(tx, game_id, number, recorded.act.to, pending, now=at):
                del asked[one]
        for request in pending:
            if request.id not in asked:
                asked[request.id] = request
                await tx.requests.add(game_id, request, step_no=number, now=at, deadline=None, status="closed")
    for answer in record.unused:
        await tx.answers.add(_stored(game_id, asked[answer.request].seat, answer))
    for hashed in paper.notes:
        await tx.published.add(game_id, hashed)
    for entry in paper.log:
        by = {"user_id": None if entry.by is None else 0, "by_seat": None if entry.by == "manager" else entry.by}
        await tx.acts.enter(game_id, entry.kind, entry.params, at=entry.at, step_no=entry.step, seat=entry.seat, **by)
    return game_id


def _cause(recorded: RecordedStep, number: int, *, hidden: bool = False) -> Cause:
    if recorded.act is not None:
        return recorded.act
    given = tuple(answer.request for answer in recorded.answers)
    return Answered(requests=given, hidden=hidden) if number else Started()


def _stored(game_id: int, seat: int, answer: RecordedAnswer) -> Answer:
    return Answer(
        game_id=game_id,
        request_id=answer.request,
        seat=seat,
        body=answer.body,
        nonce=answer.nonce,
        commitment=answer.commitment,
        given_by=answer.given_by,
        sealed_at=answer.at,
    )
