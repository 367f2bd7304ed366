"""A step as everybody may see it, who is awaited next, and who has sealed."""

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
from bot.texts.story import Story
from bot.texts.story import tell_story as story_of
from bot.texts.style import Markup
from rules.core.protocol import Seat
from rules.core.registry import RULESETS
from rules.core.view import Text
from rules.interface import outcomes
from rules.interface.outcomes import ShipHolder


class StepFacts(Struct, frozen=True, kw_only=True):
    """What happened in one step, or in all that was done on one clock."""

    seated_game: SeatedGame
    steps: tuple[StepRow, ...]
    """Their states are secret."""
    late_answers: dict[int, GivenBy]
    """Seats whose captains had let their time pass, and what answered for each."""
    missed_seats: tuple[int, ...]
    """Seats that were to act on a clock, and let their time pass."""
    round: int
    next_requests: tuple[RequestRow, ...]
    awaited_requests: tuple[RequestRow, ...]
    """Of these, what the game waits for on a clock, from somebody who is no computer."""
    round_content: ChapterContent
    """The whole round so far: the picture shows it, also where a captain was asked something in its middle."""
    end: EndFacts | None
    """If the game is over with it."""

    @property
    def picture_caption(self) -> Text | None:
        """What is written below the picture in place of what the view says of its phase."""
        after_round = self.round and self.next_requests and not any(row.body.live for row in self.next_requests)
        return Text("after_round", {"round": self.round}) if after_round else None


class SealFacts(Struct, frozen=True, kw_only=True):
    """How far captains are with what they are asked."""

    seated_game: SeatedGame
    requests: tuple[RequestRow, ...]
    answers: dict[str, AnswerRow]


class StartFacts(Struct, frozen=True, kw_only=True):
    """A game that begins."""

    seated_game: SeatedGame
    parent: SeatedGame | None
    """The game that it is played for, if it is a battle."""


async def read_start(source: GameSource) -> StartFacts:
    """Read who plays, and for which game."""
    above = source.game.parent_id
    return StartFacts(
        seated_game=source.seated_game, parent=None if above is None else await load_seated_game(source.tx, above)
    )


async def read_step(source: GameSource, message: OutboxMessage) -> StepFacts:
    """What a message of the outbox tells of one step or more. Raises `Refusal` if there are none."""
    game, playing = source.game, source.seated_game
    about = message.subject_as(subjects.StepSubject)
    first, no = about.first, about.last
    steps = await source.find_steps(range(first, no + 1))
    if not steps:
        raise Refusal("not_started")
    asked, asked_next = await source.open_requests(no - 1), await source.open_requests(no)
    following = [row for row in asked_next if row.body.clock and not row.optional]
    acted = [row for row in await source.requests_asked_since(first - 1) if row.step_no < no and row.body.clock]
    given = await source.answers_to(row.id for row in acted)
    return StepFacts(
        seated_game=playing,
        steps=tuple(steps),
        late_answers=await source.late_answers_in(steps),
        missed_seats=tuple(sorted({answer.seat for answer in given.values() if answer.is_late})),
        round=max((row.body.round for row in asked), default=0),
        next_requests=tuple(asked_next),
        awaited_requests=tuple(row for row in following if playing.seats[row.seat].user_id is not None),
        round_content=await source.read_chapter(await source.chapter_up_to(no)),
        end=await ending.read_end(source) if game.phase == "over" and no == game.step_no else None,
    )


async def read_seals(source: GameSource, message: OutboxMessage) -> SealFacts | None:
    """Who has sealed; None if nobody is asked anything there."""
    about = message.subject_as(subjects.SealsSubject)
    no, clock = about.step, about.clock
    if clock:
        # The last request says whether its captain still acts.
        rows = [row for row in await source.requests_asked_since(no) if row.body.clock == clock][-1:]
    else:
        rows = [row for row in await source.open_requests(no) if _is_in_seal_list(row)]
    if not rows:
        return None
    answers = await source.answers_to(row.id for row in rows)
    return SealFacts(seated_game=source.seated_game, requests=tuple(rows), answers=answers)


def step_story(
    words: Localizer, facts: StepFacts, most: int, ships: Sequence[ShipHolder] = (), *, beside: int = 0
) -> Story:
    """What happened to whose `ships`, in so many characters, with so many lines `beside` it in the message."""
    rules = RULESETS[facts.seated_game.game.system]
    events = stored.read_events(rules, *(step.events for step in facts.steps))
    waits = any(row.body.live for row in facts.next_requests)
    told_in = wording.localizer_with_stand_ins(facts.seated_game, words, facts.late_answers)
    nothing = "headline.waits" if waits else "headline.quiet"
    if not facts.round and words.catalogue.has("story.opening"):
        nothing = "story.opening"
    whose = outcomes.story_ships(ships, None, facts.seated_game.game.setup.teams, events)
    most = min(most, speech.MAX_MESSAGE_CHARS)
    return story_of(told_in, events, None, most, nothing=nothing, whose=whose, beside=beside)


def missed_lines(words: Localizer, facts: StepFacts) -> list[Markup]:
    """Return a line for each captain who let their time pass in these steps."""
    return [words.say("thread.missed_line", who=seat) for seat in facts.missed_seats]


def seal_lines(words: Localizer, facts: SealFacts, now: int) -> list[str]:
    """Return who is awaited, by name once, and in one line of small print how far the others are.

    It begins with all who have sealed, and then the hashes of their answers, in the same order.
    """
    asked = awaited_lines(words, facts.seated_game, facts.requests, now)
    waits = not asked and any(row.status != "closed" for row in facts.requests)
    given = [(row, facts.answers.get(row.id)) for row in facts.requests]
    sealed = [(row.seat, answer) for row, answer in given if answer and shows_hash(row, answer)]
    hashes = [
        words.say("thread.sealed_hash", hash=wording.published_hash_text(answer.commitment)) for _, answer in sealed
    ]
    whose = [*dict.fromkeys(seat for seat, _ in sealed)]  # one may have been asked several things
    lines = [words.say("thread.sealed_line", who=whose, hashes=words.to_markup(" ".join(hashes)))] if sealed else []
    lines += [
        _seal_line(words, row, answer)
        for row, answer in given
        if not (answer and shows_hash(row, answer)) and (answer or waits or (row.body.clock and row.status != "open"))
    ]
    return [*asked, *([words.style.small(" · ".join(lines))] if lines else [])]


def awaited_lines(words: Localizer, playing: SeatedGame, rows: Sequence[RequestRow], now: int) -> list[Markup]:
    """Return which of these captains the game waits for, and until when; nothing once it has moved on."""
    game = playing.game
    waiting = [row for row in rows if row.status == "open"]
    timed = next((row for row in waiting or rows if row.deadline), None)
    if timed is None or game.phase not in ("running", "resolving") or all(row.status == "closed" for row in rows):
        return []
    seats = [row.seat for row in waiting]
    if game.paused_at is not None:  # the clock stands, and nobody knows yet until when
        lines = [words.say("thread.paused"), *([words.say("thread.paused_asked", who=seats)] if waiting else [])]
    elif waiting:
        live = "thread.live" if any(row.body.live for row in waiting) else "thread.asked"
        key = "thread.next" if all(row.body.clock for row in waiting) else live
        kinds = dict.fromkeys(row.body.kind for row in waiting)
        what = [words.say(f"request.{kind}.short") for kind in kinds]
        lines = [words.say(key, who=seats, what=what, when=timed.deadline)]
    else:
        lines = [] if game.early else [words.say("thread.patient", when=timed.deadline)]
    return [*lines, *absence_lines(words, playing, seats, now)]


def absence_lines(words: Localizer, playing: SeatedGame, seats: Sequence[Seat], now: int) -> list[Markup]:
    """Return which of these captains are away, or will be, and until when."""
    lines: list[Markup] = []
    for seat in playing.seats:
        player = playing.players.get(seat.user_id or 0)
        if player and seat.seat in seats and player.away_from is not None and (player.away_to or 0) > now:
            lines.append(words.say("thread.away", who=seat.seat, since=player.away_from, until=player.away_to))
    return lines


def shows_hash(row: RequestRow, answer: AnswerRow) -> bool:
    """Return whether the line of a captain who has answered shows the answer's hash."""
    return not answer.is_late and not row.body.clock


def _is_in_seal_list(row: RequestRow) -> bool:
    """Whether a list of seals has a line for it: what may be answered ahead only if it was."""
    return not row.optional or (row.body.ahead and row.status != "open")


def _seal_line(words: Localizer, row: RequestRow, answer: AnswerRow | None) -> Markup:
    """Return how far a captain has come whose answer shows no hash; of several acts on one clock the last counts."""
    if answer and answer.is_late:
        return words.say("thread.missed_line", who=row.seat)
    if row.body.clock:
        return words.say("thread.acting_line" if row.status == "open" else "thread.acted_line", who=row.seat)
    return words.say("thread.waiting_line", who=row.seat)
