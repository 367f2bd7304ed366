"""The log of a round for one reader: all events with rule numbers, and the answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from bot.jobs import stored
from bot.jobs.telling import SealedText
from bot.lifecycle.steps.playing import SeatedGame
from bot.presenters import ending, wording
from bot.presenters.source import GameSource
from bot.record.chapters import Chapter
from bot.record.writing import is_secret
from bot.store.models.records import AnswerRow, GivenBy, RequestRow, RequestsAnswered, StepRow
from bot.texts import speech
from bot.texts.i18n import Localizer
from bot.texts.style import Markup
from rules.core.registry import RULESETS
from rules.core.view import Text
from rules.interface.question import Question


class RevealedAnswer(Struct, frozen=True, kw_only=True):
    request: RequestRow
    answer: AnswerRow  # complete, with its secret lines
    readable_lines: str | None = None
    """The visible lines of a partly secret answer. None: the reader may see all of it, and its nonce."""

    @property
    def readable_text(self) -> str:
        return self.answer.body if self.readable_lines is None else self.readable_lines


class RoundLog(Struct, frozen=True, kw_only=True):
    seated_game: SeatedGame
    reader_seat: int | None  # None for a spectator
    steps: tuple[tuple[StepRow, dict[int, GivenBy]], ...]
    """Each step, with what answered in it for late captains, by seat."""
    revealed_answers: tuple[RevealedAnswer, ...]  # those that the reader may see
    digest: str | None  # the hash of the game's record if this log ends the game, else None
    public_step_count: int
    """Number of steps so far that everybody knows of. A step's own number would show how many are hidden."""


async def read_round_log(source: GameSource, user_id: int, step_no: int) -> RoundLog:
    """Read a round up to a step. Raises `Refusal` if the game has not begun."""
    game = source.game
    chapter = await source.chapter_up_to(step_no)
    seat = source.seated_game.seat_of(user_id)
    reader_seat = seat.seat if seat else None
    steps = [(step, await source.late_answers_in([step])) for step in await source.find_steps(chapter.steps)]
    is_end = game.phase == "over" and step_no == game.step_no
    return RoundLog(
        seated_game=source.seated_game,
        reader_seat=reader_seat,
        steps=tuple(steps),
        revealed_answers=tuple(await _read_revealed(source, chapter, reader_seat)),
        digest=await source.record_digest() if is_end else None,
        public_step_count=sum(number <= step_no for number in await source.public_steps()),
    )


async def _read_revealed(source: GameSource, chapter: Chapter, seat: int | None) -> list[RevealedAnswer]:
    """Read the answers of a chapter's steps that a seat may see, in full or without their secret lines."""
    revealed: list[RevealedAnswer] = []
    current_round = min((row.body.round for row in await source.open_requests() if not row.optional), default=0)
    for number, cause in await source.step_causes():
        if number in chapter.steps and isinstance(cause, RequestsAnswered):
            requests = [await source.find_request(request_id) for request_id in cause.requests]
            rows = {row.id: row for row in requests if row and not row.optional}
            for request_id, answer in (await source.answers_to(rows)).items():
                row = rows[request_id]
                if not is_secret(source.game, row, seat):
                    revealed.append(RevealedAnswer(request=row, answer=answer))
                elif row.body.round < current_round:
                    question = RULESETS[source.game.system].questions[row.body.kind]
                    public_lines = question.public_lines(answer.body)
                    revealed.append(RevealedAnswer(request=row, answer=answer, readable_lines=public_lines))
    return revealed


async def read_sealed_texts(source: GameSource, facts: RoundLog) -> list[SealedText]:
    """Read what the job needs that puts the revealed answers into words."""
    steps = await source.find_steps({each.request.step_no for each in facts.revealed_answers})
    states = {step.no: step.state for step in steps}
    return [
        SealedText(states.get(each.request.step_no, ""), each.request.body, each.readable_text)
        for each in facts.revealed_answers
    ]


def event_pages(localizer: Localizer, facts: RoundLog) -> list[str]:
    rules = RULESETS[facts.seated_game.game.system]
    pages: list[str] = []
    for step, late_answers in facts.steps:
        step_localizer = wording.localizer_with_stand_ins(facts.seated_game, localizer, late_answers)
        pages += speech.log_pages(step_localizer, stored.read_events(rules, step.events), facts.reader_seat)
    return pages


def cited_rules(facts: RoundLog) -> tuple[str, ...]:
    """Return the numbers of the rules by which what the reader may see happened, in order."""
    rules = RULESETS[facts.seated_game.game.system]
    events = stored.read_events(rules, *(step.events for step, _ in facts.steps))
    visible = speech.visible_events(events, facts.reader_seat)
    return tuple(dict.fromkeys(event.rule for event in visible if event.rule))


def order_lines(localizer: Localizer, facts: RoundLog, orders: Sequence[Sequence[Text]]) -> list[Markup]:
    """Return the revealed answers in words and, after the end of the game, the proof of its dice.

    `orders` are the sentences of each answer. One without sentences is shown in its notation.
    """
    questions = RULESETS[facts.seated_game.game.system].questions
    lines = [
        _orders_line(
            _with_giver(localizer, facts, revealed.answer), questions[revealed.request.body.kind], revealed, sentences
        )
        for revealed, sentences in zip(facts.revealed_answers, orders, strict=True)
    ]
    if facts.digest is not None:
        lines += ending.proof_lines(localizer, facts.seated_game.game.seed, facts.digest)
    return lines


def _orders_line(
    localizer: Localizer, question: Question[Any, Any, Any, Any], revealed: RevealedAnswer, sentences: Sequence[Text]
) -> Markup:
    who, text = revealed.answer.seat, revealed.readable_text.strip()
    if revealed.readable_lines is not None and question.is_all_kept_sealed:
        return localizer.say("log.orders_secret", who=who)
    if not sentences and not text:
        return localizer.say("log.no_orders", who=who)
    lines = [*map(localizer.say_logged, sentences)]
    if len(lines) > 1:
        return Markup("\n".join([localizer.say("log.orders_of", who=who), *map(localizer.style.list_item, lines)]))
    if lines:
        return localizer.say("log.orders", who=who, orders=lines[0])
    return localizer.say("log.orders_notation", who=who, text=text)


def sealed_lines(localizer: Localizer, facts: RoundLog) -> list[Markup]:
    """Return the sealed texts of the revealed answers, each with its hash and nonce."""
    return [
        _revealed_line(_with_giver(localizer, facts, revealed.answer), revealed) for revealed in facts.revealed_answers
    ]


def _revealed_line(localizer: Localizer, revealed: RevealedAnswer) -> Markup:
    answer = revealed.answer
    params = {"who": answer.seat, "hash": answer.commitment}
    if revealed.readable_lines is None and not answer.body.strip():  # empty code marks would break the line
        return localizer.say("thread.reveal_empty", **params, nonce=answer.nonce)
    if revealed.readable_lines is None:
        return localizer.say("thread.reveal_line", **params, text=answer.body, nonce=answer.nonce)
    visible_text = revealed.readable_lines or "…"  # all lines may be secret
    return localizer.say("thread.reveal_part", **params, text=visible_text)


def _with_giver(localizer: Localizer, facts: RoundLog, answer: AnswerRow) -> Localizer:
    if not answer.is_late:
        return localizer
    return wording.localizer_with_stand_ins(facts.seated_game, localizer, {answer.seat: answer.given_by})
