"""One game within one transaction: what is asked for twice is read once."""

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
"""Gives the fingerprint of a finished game's record."""


class GameSource:
    """What is stored of a game."""

    def __init__(self, tx: Transaction, playing: SeatedGame, digest: DigestFunction) -> None:
        self.tx = tx
        self.digest_function = digest
        self.seated_game = playing
        self.game = playing.game
        self._cache: dict[Any, Any] = {}
        self._answers: dict[str, AnswerRow | None] = {}
        self._recent_since: int | None = None
        """From which step on requests have been read, besides those that are open."""
        self._recent_rows: list[RequestRow] = []

    @classmethod
    async def open(cls, tx: Transaction, game_id: int, digest: DigestFunction) -> GameSource:
        """Begin to read a game. Raises `Refusal`."""
        return cls(tx, await load_seated_game(tx, game_id), digest)

    async def read_once(self, key: object, read: Callable[[], Awaitable[T]]) -> T:
        """Read something, or find it where it was read before."""
        if key not in self._cache:
            self._cache[key] = await read()
        return cast("T", self._cache[key])

    async def find_step(self, no: int) -> StepRow | None:
        """A step."""
        return await self.read_once(("step", no), lambda: self.tx.steps.find(self.game.id, no))

    async def find_steps(self, numbers: Iterable[int]) -> list[StepRow]:
        """Those of these steps that there are."""
        return [step for no in numbers if (step := await self.find_step(no))]

    async def all_steps(self) -> list[StepRow]:
        """All steps, in order."""
        found = await self.read_once("steps", lambda: self.tx.steps.of_game(self.game.id))
        self._cache |= {("step", step.no): step for step in found}
        return found

    async def last_step(self) -> StepRow:
        """The last step. Raises `Refusal` if the game has not begun."""
        step = await self.find_step(self.game.step_no)
        if step is None:
            raise Refusal("not_started")
        return step

    async def open_requests(self, step_no: int | None = None) -> list[RequestRow]:
        """What is asked and not yet resolved, by seat; or all that a certain step asked."""
        rows = await self._recent_requests(self.game.step_no if step_no is None else step_no)
        wanted = [row for row in rows if (row.status != "closed" if step_no is None else row.step_no == step_no)]
        return sorted(wanted, key=lambda row: (row.seat, row.id))

    async def requests_asked_since(self, step_no: int) -> list[RequestRow]:
        """All that was asked by a step and by those after it, in that order."""
        return [row for row in await self._recent_requests(step_no) if row.step_no >= step_no]

    async def find_request(self, request_id: str) -> RequestRow | None:
        """What was asked under this id."""
        if found := next((row for row in self._recent_rows if row.id == request_id), None):
            return found
        return await self.read_once(("request", request_id), lambda: self.tx.requests.find(self.game.id, request_id))

    async def _recent_requests(self, step_no: int) -> list[RequestRow]:
        """Return what a step and those after it asked, and all that is open: few readers need anything older."""
        if self._recent_since is None or step_no < self._recent_since:
            self._recent_since = min(step_no, self.game.step_no - 1)
            found = await self.tx.requests.recent_with_answers(self.game.id, self._recent_since)
            self._recent_rows = [row for row, _ in found]
            self._answers |= {row.id: answer for row, answer in found}
        return self._recent_rows

    async def answers_to(self, request_ids: Iterable[str]) -> dict[str, AnswerRow]:
        """Sealed answers to these requests, by request."""
        wanted = [*request_ids]
        if any(one not in self._answers for one in wanted):
            missing = [one for one in wanted if one not in self._answers]
            found = await self.tx.answers.by_request(self.game.id, missing)
            self._answers |= {one: found.get(one) for one in missing}
        return {one: answer for one in wanted if (answer := self._answers[one])}

    async def audit_log(self) -> list[LogEntryRow]:
        """The audit log."""
        return await self.read_once("acts", lambda: self.tx.audit_log.of_game(self.game.id))

    async def published_hashes(self) -> tuple[PublishedHash, ...]:
        """What was published."""
        return await self.read_once("published", lambda: self.tx.published_hashes.of_game(self.game.id))

    async def rating_rows(self) -> list[RatingRow]:
        """What the game has made of its captains' ratings."""
        return await self.read_once("ratings", lambda: self.tx.ratings.of_game(self.game.id))

    async def step_causes(self) -> list[tuple[int, StepCause]]:
        """Numbers of all steps, in order, with what was put into each."""
        return await self.read_once("causes", lambda: self.tx.steps.causes_of_game(self.game.id))

    async def chapters(self, *, until: int | None = None) -> list[Chapter]:
        """The rounds so far, or until a step, and of which steps each is made that all may know of.

        Raises `Refusal` if the game has not begun.
        """
        causes = await self.step_causes()
        if not causes:
            raise Refusal("not_started")
        asked_in = await self.read_once("rounds", lambda: self.tx.requests.rounds_by_request(self.game.id))
        told = ((no, cause) for no, cause in causes if (until is None or no <= until) and undo.is_public_step(cause))
        return group_chapters((no, undo.round_of(cause, asked_in)) for no, cause in told)

    async def chapter_up_to(self, step_no: int) -> Chapter:
        """The chapter of a step as it was told then, be it taken back since. Raises `Refusal` if there is none."""
        return (await self.chapters(until=step_no))[-1]

    async def read_chapter(self, chapter: Chapter) -> ChapterContent:
        """All that happened in a chapter."""
        found = await self.find_steps(chapter.steps)
        return ChapterContent(round=chapter.round, events=tuple(step.events for step in found), state=found[-1].state)

    async def late_answers_in(self, steps: Iterable[StepRow]) -> dict[int, GivenBy]:
        """Seats whose captains had let their time pass when these steps were made, and what answered for each."""
        answered = [key for step in steps if isinstance(step.cause, RequestsAnswered) for key in step.cause.requests]
        given = await self.answers_to(answered)
        return {answer.seat: answer.given_by for answer in given.values() if answer.is_late}

    async def record_digest(self) -> str:
        """The fingerprint of a finished game's record, as its thread tells it. Raises `Refusal` while it goes on."""
        return self.game.digest or await self.digest_function(self.tx, self.game.id)
