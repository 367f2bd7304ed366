"""Public messages about a step: what happened, who is awaited next, and who has sealed."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from bot.errors import Refusal
from bot.jobs import stored
from bot.lifecycle.steps.playing import SeatedGame, load_seated_game
from bot.presenters import ending, wording
from bot.presenters.ending import EndFacts
from bot.presenters.source import GameSource
from bot.record.chapters import ChapterContent
from bot.store.models import subjects
from bot.store.models.records import AnswerRow, GivenBy, OutboxMessage, RequestRow, StepRow
from bot.texts import speech
from bot.texts.i18n import Localizer
from bot.texts.story import Story, tell_story
from bot.texts.style import Markup
from rules.core.protocol import Seat
from rules.core.registry import RULESETS
from rules.core.view import Text
from rules.interface import outcomes
from rules.interface.outcomes import ShipHolder


class StepFacts(Struct, frozen=True, kw_only=True):
    seated_game: SeatedGame
    steps: tuple[StepRow, ...]  # those that the message tells of; their states are secret
    late_answers: dict[int, GivenBy]  # by seat: what answered for captains who missed the deadline
    missed_seats: tuple[int, ...]  # seats that missed a deadline that several requests share (`Request.clock`)
    round: int  # 0 before the first round
    next_requests: tuple[RequestRow, ...]  # asked by the last step
    awaited_requests: tuple[RequestRow, ...]
    """Those of `next_requests` that share a deadline (`Request.clock`) and that the game awaits from people."""
    round_content: ChapterContent
    """The whole round so far, which the picture shows even if a captain was asked in the middle of it."""
    end: EndFacts | None  # None while the game goes on

    @property
    def picture_caption(self) -> Text | None:
        """A caption that replaces the phase from the view; None to keep it."""
        after_round = self.round and self.next_requests and not any(row.body.live for row in self.next_requests)
        return Text("after_round", {"round": self.round}) if after_round else None


class SealFacts(Struct, frozen=True, kw_only=True):
    seated_game: SeatedGame
    requests: tuple[RequestRow, ...]  # those that the list of seals mentions
    answers: dict[str, AnswerRow]  # sealed or given at the deadline, by request id


class StartFacts(Struct, frozen=True, kw_only=True):
    seated_game: SeatedGame
    parent: SeatedGame | None  # the game that this battle is part of; None for other games
    battle_note: Text | None  # what the parent says of the battle, in its own words; None: nothing
    first_game: SeatedGame | None  # the first game of the match whose second game this is; None for other games


async def read_start(source: GameSource) -> StartFacts:
    parent_id, first_game_id = source.game.parent_id, source.game.first_game_id
    row = await source.tx.requests.find(parent_id, source.game.parent_request or "") if parent_id is not None else None
    return StartFacts(
        battle_note=row.body.battle.note if row and row.body.battle else None,
        seated_game=source.seated_game,
        parent=None if parent_id is None else await load_seated_game(source.tx, parent_id),
        first_game=None if first_game_id is None else await load_seated_game(source.tx, first_game_id),
    )


async def read_step(source: GameSource, message: OutboxMessage) -> StepFacts:
    """Read the steps that a message tells of. Raises `Refusal` if there are none."""
    game, seated_game = source.game, source.seated_game
    subject = message.subject_as(subjects.StepSubject)
    first, last = subject.first, subject.last
    steps = await source.find_steps(range(first, last + 1))
    if not steps:
        raise Refusal("not_started")
    next_requests = await source.open_requests(last)
    required_on_clock = [row for row in next_requests if row.body.clock and not row.optional]
    requests_on_clock = [
        row for row in await source.requests_asked_since(first - 1) if row.step_no < last and row.body.clock
    ]
    answers = await source.answers_to(row.id for row in requests_on_clock)
    chapter = await source.chapter_up_to(last)
    return StepFacts(
        seated_game=seated_game,
        steps=tuple(steps),
        late_answers=await source.late_answers_in(steps),
        missed_seats=tuple(sorted({answer.seat for answer in answers.values() if answer.is_late})),
        round=chapter.round,
        next_requests=tuple(next_requests),
        awaited_requests=tuple(row for row in required_on_clock if seated_game.seats[row.seat].user_id is not None),
        round_content=await source.read_chapter(chapter),
        end=await ending.read_end(source) if game.phase == "over" and last == game.step_no else None,
    )


async def read_seals(source: GameSource, message: OutboxMessage) -> SealFacts | None:
    """Read the requests that a list of seals mentions, with their answers; None if there are none any more."""
    subject = message.subject_as(subjects.SealsSubject)
    step_no, clock = subject.step, subject.clock
    if clock:
        # The last request says whether its captain still acts.
        rows = [row for row in await source.requests_asked_since(step_no) if row.body.clock == clock][-1:]
    else:
        rows = [row for row in await source.open_requests(step_no) if _is_in_seal_list(row)]
    if not rows:
        return None
    answers = await source.answers_to(row.id for row in rows)
    return SealFacts(seated_game=source.seated_game, requests=tuple(rows), answers=answers)


def step_story(
    localizer: Localizer,
    facts: StepFacts,
    max_chars: int,
    holders: Sequence[ShipHolder] = (),
    *,
    other_line_count: int = 0,
) -> Story:
    """Return the story of the steps; `other_line_count` lines stand elsewhere in the message."""
    rules = RULESETS[facts.seated_game.game.system]
    events = stored.read_events(rules, *(step.events for step in facts.steps))
    is_awaiting = any(row.body.live for row in facts.next_requests)
    localizer = wording.localizer_with_stand_ins(facts.seated_game, localizer, facts.late_answers)
    quiet_key = "headline.waits" if is_awaiting else "headline.quiet"
    if not facts.round and localizer.catalogue.has("story.opening"):
        quiet_key = "story.opening"
    ships = outcomes.story_ships(holders, None, facts.seated_game.game.setup.teams, events)
    max_chars = min(max_chars, speech.MAX_MESSAGE_CHARS)
    return tell_story(
        localizer, events, None, max_chars, quiet_key=quiet_key, story_ships=ships, other_line_count=other_line_count
    )


def missed_lines(localizer: Localizer, facts: StepFacts) -> list[Markup]:
    return [localizer.say("thread.missed_line", who=seat) for seat in facts.missed_seats]


def seal_lines(localizer: Localizer, facts: SealFacts, now: int) -> list[str]:
    """Return who is awaited, then a line in small print with the progress of the others.

    The small print begins with all who have sealed, and the hashes of their answers in the same order.
    """
    awaited = awaited_lines(localizer, facts.seated_game, facts.requests, now)
    is_waiting_without_line = not awaited and any(row.status != "closed" for row in facts.requests)
    sealed: list[tuple[RequestRow, AnswerRow]] = []
    other_lines: list[Markup] = []
    for row in facts.requests:
        answer = facts.answers.get(row.id)
        has_acted = row.body.clock and row.status != "open"
        if answer and shows_hash(row, answer):
            sealed.append((row, answer))
        elif answer or is_waiting_without_line or has_acted:
            other_lines.append(_seal_line(localizer, row, answer))
    lines: list[Markup] = []
    if sealed:
        hashes = [localizer.say("thread.sealed_hash", hash=_seal_hash(row, answer)) for row, answer in sealed]
        seats = [*dict.fromkeys(row.seat for row, _ in sealed)]  # a seat may have several requests
        lines.append(localizer.say("thread.sealed_line", who=seats, hashes=localizer.to_markup(" ".join(hashes))))
    lines += other_lines
    small_print = [localizer.style.small(" · ".join(lines))] if lines else []
    return [*awaited, *small_print]


def awaited_lines(localizer: Localizer, seated_game: SeatedGame, rows: Sequence[RequestRow], now: int) -> list[Markup]:
    """Return which of these captains the game awaits, and until when; empty once it has moved on."""
    game = seated_game.game
    open_rows = [row for row in rows if row.status == "open"]
    row_with_deadline = next((row for row in open_rows or rows if row.deadline), None)
    is_in_progress = game.phase in ("running", "resolving")
    if row_with_deadline is None or not is_in_progress or all(row.status == "closed" for row in rows):
        return []
    seats = [row.seat for row in open_rows]
    if game.paused_at is not None:  # a paused game has no deadline
        lines = [localizer.say("thread.paused")]
        if open_rows:
            lines.append(localizer.say("thread.paused_asked", who=seats))
    elif open_rows:
        if all(row.body.clock for row in open_rows):
            key = "thread.next"
        else:
            key = "thread.live" if any(row.body.live for row in open_rows) else "thread.asked"
        kinds = dict.fromkeys(row.body.kind for row in open_rows)
        questions = [localizer.say(f"request.{kind}.short") for kind in kinds]
        lines = [localizer.say(key, who=seats, what=questions, when=row_with_deadline.deadline)]
    else:  # all have answered, but rounds of this game resolve only at the deadline
        lines = [] if game.early else [localizer.say("thread.patient", when=row_with_deadline.deadline)]
    return [*lines, *absence_lines(localizer, seated_game, seats, now)]


def absence_lines(localizer: Localizer, seated_game: SeatedGame, seats: Sequence[Seat], now: int) -> list[Markup]:
    lines: list[Markup] = []
    for seat in seated_game.seats:
        player = seated_game.players.get(seat.user_id or 0)
        if player and seat.seat in seats and player.away_from is not None and (player.away_to or 0) > now:
            lines.append(localizer.say("thread.away", who=seat.seat, since=player.away_from, until=player.away_to))
    return lines


def shows_hash(row: RequestRow, answer: AnswerRow) -> bool:
    return not answer.is_late and not row.body.clock


def _is_in_seal_list(row: RequestRow) -> bool:
    """Return whether the seal list mentions a request; an optional one only if it was answered ahead."""
    return not row.optional or (row.body.ahead and row.status != "open")


def _seal_hash(row: RequestRow, answer: AnswerRow) -> Markup:
    """Return the hash of an answer; once it is opened only its beginning, because a line of the chain covers it."""
    is_covered = row.status == "closed" and not row.optional
    if not is_covered:
        return wording.published_hash_text(answer.commitment)
    return Markup(f"{wording.short_hash_text(answer.commitment)}…")


def _seal_line(localizer: Localizer, row: RequestRow, answer: AnswerRow | None) -> Markup:
    if answer and answer.is_late:
        return localizer.say("thread.missed_line", who=row.seat)
    if row.body.clock:
        return localizer.say("thread.acting_line" if row.status == "open" else "thread.acted_line", who=row.seat)
    return localizer.say("thread.waiting_line", who=row.seat)
