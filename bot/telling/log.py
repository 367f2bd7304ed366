"""All of a round, for one reader: what happened, with rule numbers, and what was sealed."""

from __future__ import annotations

from msgspec import Struct

from bot.life.playing import Playing
from bot.record.chapters import Chapter
from bot.store.records import Answer, Answered, Game, RequestRow, StepRow
from bot.telling import ending, wording
from bot.telling.source import Source
from bot.words import speech
from bot.words.i18n import Words
from bot.words.style import Said
from bot.work import stored
from rules.registry import RULESETS


class Log(Struct, frozen=True, kw_only=True):
    """What a reader may know of a round."""

    playing: Playing
    reader: int | None
    """The reader's seat; None: a spectator."""
    steps: tuple[tuple[StepRow, frozenset[int]], ...]
    """Each step, with the seats for which somebody else gave orders."""
    revealed: tuple[Answer, ...]
    digest: str | None
    """Of the record, if the game is over with this round."""


async def log(source: Source, user_id: int, step_no: int) -> Log:
    """A round until a step. Raises `Refusal` if there is none."""
    game = source.game
    chapter = await source.chapter_until(step_no)
    seat = source.playing.seat_of(user_id)
    reader = seat.seat if seat else None
    steps = [(step, await source.late_in([step])) for step in await source.steps(chapter.steps)]
    over = game.phase == "over" and step_no == game.step_no
    return Log(
        playing=source.playing,
        reader=reader,
        steps=tuple(steps),
        revealed=tuple(await _revealed(source, chapter, reader)),
        digest=await source.digest() if over else None,
    )


def secret(game: Game, row: RequestRow, seat: int | None) -> bool:
    """Whether an answer that was carried out is still its captain's own, not for this seat (None: a spectator).

    What nobody waited for stays so; what its question keeps, until the game is over.
    """
    kept = game.phase != "over" and RULESETS[game.system].questions[row.body.kind].kept
    return row.seat != seat and (row.optional or kept)


async def _revealed(source: Source, chapter: Chapter, seat: int | None) -> list[Answer]:
    """The answers carried out in a chapter that a seat may know; not those that nobody waited for.

    Those stay their captain's secret, as do others' that are opened only when the game is over.
    """
    found: list[Answer] = []
    for number, cause in await source.causes():
        if number in chapter.steps and isinstance(cause, Answered):
            requests = [await source.request(request) for request in cause.requests]
            public = [row.id for row in requests if row and not row.optional and not secret(source.game, row, seat)]
            found += (await source.answers(public)).values()
    return found


def happened(words: Words, facts: Log) -> list[str]:
    """What happened, in pages at the length of a message."""
    rules, pages = RULESETS[facts.playing.game.system], list[str]()
    for step, late in facts.steps:
        told_in = wording.without(facts.playing, words, late)
        pages += speech.log(told_in, stored.read_events(rules, step.events), facts.reader)
    return pages


def opened(words: Words, facts: Log) -> list[Said]:
    """What was sealed, with hash and nonce, and at the end of the game the proof of its dice."""
    lines = [
        _giver(words, facts, answer).say(
            "thread.reveal_line",
            who=answer.seat,
            text=answer.body,
            hash=answer.commitment,
            nonce=answer.nonce,
        )
        for answer in facts.revealed
    ]
    if facts.digest is not None:
        lines += ending.proofs(words, facts.playing.game.seed, facts.digest)
    return lines


def _giver(words: Words, facts: Log, answer: Answer) -> Words:
    return wording.without(facts.playing, words, {answer.seat}) if answer.given_by == "deadline" else words
