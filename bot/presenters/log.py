"""All of a round, for one reader: what happened, with rule numbers, and what was sealed."""

from __future__ import annotations

from msgspec import Struct

from bot.jobs import stored
from bot.lifecycle.steps.playing import SeatedGame
from bot.presenters import ending, wording
from bot.presenters.source import GameSource
from bot.record.chapters import Chapter
from bot.store.models.records import AnswerRow, Game, GivenBy, RequestRow, RequestsAnswered, StepRow
from bot.texts import speech
from bot.texts.i18n import Localizer
from bot.texts.style import Markup
from rules.core.registry import RULESETS


class RevealedAnswer(Struct, frozen=True, kw_only=True):
    """An answer as a reader may know it."""

    answer: AnswerRow
    readable_lines: str | None = None
    """The lines of it that a reader may know, where others stay sealed; None: all of it, with what proves its hash."""


class RoundLog(Struct, frozen=True, kw_only=True):
    """What a reader may know of a round."""

    seated_game: SeatedGame
    reader_seat: int | None
    """The reader's seat; None: a spectator."""
    steps: tuple[tuple[StepRow, dict[int, GivenBy]], ...]
    """Each step, with the seats for which somebody else gave orders."""
    revealed_answers: tuple[RevealedAnswer, ...]
    digest: str | None
    """Of the record, if the game is over with this round."""


async def read_round_log(source: GameSource, user_id: int, step_no: int) -> RoundLog:
    """A round until a step. Raises `DiscordError` if there is none."""
    game = source.game
    chapter = await source.chapter_up_to(step_no)
    seat = source.seated_game.seat_of(user_id)
    reader = seat.seat if seat else None
    steps = [(step, await source.late_answers_in([step])) for step in await source.find_steps(chapter.steps)]
    over = game.phase == "over" and step_no == game.step_no
    return RoundLog(
        seated_game=source.seated_game,
        reader_seat=reader,
        steps=tuple(steps),
        revealed_answers=tuple(await _read_revealed(source, chapter, reader)),
        digest=await source.record_digest() if over else None,
    )


def is_secret(game: Game, row: RequestRow, seat: int | None) -> bool:
    """Whether an answer that was carried out is still its captain's own, not for this seat (None: a spectator).

    What nobody waited for stays so; what may hold lines that stay sealed, until the game is over, whether it does hold
    any or not: with its hash and nonce, what is missing could be guessed.
    """
    sealed = RULESETS[game.system].questions[row.body.kind].is_line_kept_sealed is not None
    return row.seat != seat and (row.optional or (sealed and game.phase != "over"))


async def _read_revealed(source: GameSource, chapter: Chapter, seat: int | None) -> list[RevealedAnswer]:
    """The answers carried out in a chapter that a seat may know; not those that nobody waited for.

    Those stay their captain's secret, as do lines of others' answers that are opened only when the game is over.
    """
    found: list[RevealedAnswer] = []
    asked_now = min((row.body.round for row in await source.open_requests() if not row.optional), default=0)
    for number, cause in await source.step_causes():
        if number in chapter.steps and isinstance(cause, RequestsAnswered):
            requests = [await source.find_request(request) for request in cause.requests]
            rows = {row.id: row for row in requests if row and not row.optional}
            for request, answer in (await source.answers_to(rows)).items():
                row = rows[request]
                if not is_secret(source.game, row, seat):
                    found.append(RevealedAnswer(answer=answer))
                elif row.body.round < asked_now:
                    question = RULESETS[source.game.system].questions[row.body.kind]
                    found.append(RevealedAnswer(answer=answer, readable_lines=question.public_lines(answer.body)))
    return found


def event_pages(words: Localizer, facts: RoundLog) -> list[str]:
    """What happened, in pages at the length of a message."""
    rules, pages = RULESETS[facts.seated_game.game.system], list[str]()
    for step, late in facts.steps:
        told_in = wording.localizer_with_stand_ins(facts.seated_game, words, late)
        pages += speech.log_pages(told_in, stored.read_events(rules, step.events), facts.reader_seat)
    return pages


def revealed_lines(words: Localizer, facts: RoundLog) -> list[Markup]:
    """What was sealed, with hash and nonce, and at the end of the game the proof of its dice."""
    lines = [_revealed_line(_with_giver(words, facts, one.answer), one) for one in facts.revealed_answers]
    if facts.digest is not None:
        lines += ending.proof_lines(words, facts.seated_game.game.seed, facts.digest)
    return lines


def _revealed_line(words: Localizer, one: RevealedAnswer) -> Markup:
    """An answer with its hash and what proves it, or the lines of it that may be read already."""
    answer, told = one.answer, {"who": one.answer.seat, "hash": one.answer.commitment}
    if one.readable_lines is None:
        return words.say("thread.reveal_line", **told, text=answer.body, nonce=answer.nonce)
    return words.say("thread.reveal_part", **told, text=one.readable_lines or "…")


def _with_giver(words: Localizer, facts: RoundLog, answer: AnswerRow) -> Localizer:
    return (
        wording.localizer_with_stand_ins(facts.seated_game, words, {answer.seat: answer.given_by})
        if answer.is_late
        else words
    )
