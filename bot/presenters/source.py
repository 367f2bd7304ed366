"""Reads one game within one transaction; repeated reads are cached."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from typing import Any, TypeVar, cast

from bot.errors import Refusal
from bot.lifecycle.steps import undo
from bot.lifecycle.steps.playing import SeatedGame, load_seated_game
from bot.record.chapters import Chapter, ChapterContent, group_chapters
from bot.store.models.records import (
    AnswerRow,
    GivenBy,
    LogEntryRow,
    RatingRow,
    RequestRow,
    RequestsAnswered,
    StepCause,
    StepRow,
)
from bot.store.queries.publications import PublishedHash
from bot.store.queries.transaction import Transaction

T = TypeVar("T")
DigestFunction = Callable[[Transaction, int], Awaitable[str]]


class GameSource:
    def __init__(self, tx: Transaction, seated_game: SeatedGame, digest: DigestFunction) -> None:
        self.tx = tx
        self.digest_function = digest
        self.seated_game = seated_game
        self.game = seated_game.game
        self._cache: dict[Any, Any] = {}  # results of `read_once`, by key
        self._answers: dict[str, AnswerRow | None] = {}  # by request id; None: there is none
        self._recent_since: int | None = None  # the first step of `_recent_rows`; None: nothing was read
        self._recent_rows: list[RequestRow] = []

    @classmethod
    async def open(cls, tx: Transaction, game_id: int, digest: DigestFunction) -> GameSource:
        """Read a game and its seats. Raises `Refusal` if there is none."""
        return cls(tx, await load_seated_game(tx, game_id), digest)

    async def read_once(self, key: object, read: Callable[[], Awaitable[T]]) -> T:
        if key not in self._cache:
            self._cache[key] = await read()
        return cast("T", self._cache[key])

    async def find_step(self, number: int) -> StepRow | None:
        return await self.read_once(("step", number), lambda: self.tx.steps.find(self.game.id, number))

    async def find_steps(self, numbers: Iterable[int]) -> list[StepRow]:
        return [step for number in numbers if (step := await self.find_step(number))]

    async def all_steps(self) -> list[StepRow]:
        steps = await self.read_once("steps", lambda: self.tx.steps.of_game(self.game.id))
        self._cache |= {("step", step.no): step for step in steps}
        return steps

    async def last_step(self) -> StepRow:
        """Return the last step. Raises `Refusal` if the game has not begun."""
        step = await self.find_step(self.game.step_no)
        if step is None:
            raise Refusal("not_started")
        return step

    async def open_requests(self, step_no: int | None = None) -> list[RequestRow]:
        """Return unresolved requests by seat or, with a step number, all requests of that step."""
        rows = await self._recent_requests(self.game.step_no if step_no is None else step_no)
        matches = [row for row in rows if (row.status != "closed" if step_no is None else row.step_no == step_no)]
        return sorted(matches, key=lambda row: (row.seat, row.id))

    async def requests_asked_since(self, step_no: int) -> list[RequestRow]:
        return [row for row in await self._recent_requests(step_no) if row.step_no >= step_no]

    async def find_request(self, request_id: str) -> RequestRow | None:
        recent_row = next((row for row in self._recent_rows if row.id == request_id), None)
        if recent_row:
            return recent_row
        return await self.read_once(("request", request_id), lambda: self.tx.requests.find(self.game.id, request_id))

    async def _recent_requests(self, step_no: int) -> list[RequestRow]:
        """Return open requests and those of a step and later ones, because few readers need older ones."""
        if self._recent_since is None or step_no < self._recent_since:
            self._recent_since = min(step_no, self.game.step_no - 1)
            rows = await self.tx.requests.recent_with_answers(self.game.id, self._recent_since)
            self._recent_rows = [row for row, _ in rows]
            self._answers |= {row.id: answer for row, answer in rows}
        return self._recent_rows

    async def answers_to(self, request_ids: Iterable[str]) -> dict[str, AnswerRow]:
        """Return the sealed answers to requests, by request id."""
        ids = [*request_ids]
        unread_ids = [request_id for request_id in ids if request_id not in self._answers]
        if unread_ids:
            answers = await self.tx.answers.by_request(self.game.id, unread_ids)
            self._answers |= {request_id: answers.get(request_id) for request_id in unread_ids}
        return {request_id: answer for request_id in ids if (answer := self._answers[request_id])}

    async def audit_log(self) -> list[LogEntryRow]:
        return await self.read_once("acts", lambda: self.tx.audit_log.of_game(self.game.id))

    async def published_hashes(self) -> tuple[PublishedHash, ...]:
        return await self.read_once("published", lambda: self.tx.published_hashes.of_game(self.game.id))

    async def rating_rows(self) -> list[RatingRow]:
        return await self.read_once("ratings", lambda: self.tx.ratings.of_game(self.game.id))

    async def step_causes(self) -> list[tuple[int, StepCause]]:
        return await self.read_once("causes", lambda: self.tx.steps.causes_of_game(self.game.id))

    async def public_steps(self) -> list[int]:
        """Return the numbers of the steps that everybody knows of."""
        return [number for number, cause in await self.step_causes() if undo.is_public_step(cause)]

    async def chapters(self, *, until: int | None = None) -> list[Chapter]:
        """Return the rounds so far, or until a step, each with its public steps.

        Raises `Refusal` if the game had not begun then.
        """
        causes = await self.step_causes()
        rounds = await self.read_once("rounds", lambda: self.tx.requests.rounds_by_request(self.game.id))
        public_steps = (
            (number, cause)
            for number, cause in causes
            if (until is None or number <= until) and undo.is_public_step(cause)
        )
        chapters = group_chapters((number, undo.round_of(cause, rounds)) for number, cause in public_steps)
        if not chapters:
            raise Refusal("not_started")
        return chapters

    async def chapter_up_to(self, step_no: int) -> Chapter:
        """Return a step's chapter as it was then, even if undone since. Raises `Refusal` before the first one."""
        return (await self.chapters(until=step_no))[-1]

    async def read_chapter(self, chapter: Chapter) -> ChapterContent:
        steps = await self.find_steps(chapter.steps)
        return ChapterContent(round=chapter.round, events=tuple(step.events for step in steps), state=steps[-1].state)

    async def late_answers_in(self, steps: Iterable[StepRow]) -> dict[int, GivenBy]:
        """Return the seats whose captains missed the deadline in these steps, and what answered for each."""
        answered_ids: list[str] = []
        for step in steps:
            if isinstance(step.cause, RequestsAnswered):
                answered_ids += step.cause.requests
        answers = await self.answers_to(answered_ids)
        return {answer.seat: answer.given_by for answer in answers.values() if answer.is_late}

    async def record_digest(self) -> str:
        """Return the digest of a finished game's record. Raises `Refusal` while it is played."""
        return self.game.digest or await self.digest_function(self.tx, self.game.id)
