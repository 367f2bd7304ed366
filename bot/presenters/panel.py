"""A captain's panel: what is asked, the draft in words, what remains once it is closed, and hints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from msgspec import Struct, structs

from bot.errors import Refusal
from bot.jobs import stored
from bot.jobs.closing import ClosingSummary, LateAnswer
from bot.jobs.drafts import Hint
from bot.lifecycle.people import seats
from bot.lifecycle.people.keepsakes import has_keepsakes
from bot.lifecycle.ratings import ratings
from bot.lifecycle.steps.playing import SeatedGame
from bot.presenters import keepsakes, times, wording
from bot.presenters.asked import PendingRequest, read_pending_request
from bot.presenters.keepsakes import KeepsakeFacts
from bot.presenters.source import GameSource
from bot.presenters.wording import end_reason_text, game_title
from bot.record.chapters import ChapterContent
from bot.store.models.records import AnswerRow, GivenBy, OutboxMessage, RequestRow, SeatRow, StepRow
from bot.store.models.subjects import RequestSubject
from bot.texts import repeats, speech
from bot.texts.i18n import Localizer
from bot.texts.story import Story, StoryBuilder, StorySummary, drop_brackets
from bot.texts.style import Markup
from rules.core.protocol import Choices, Draft, Event, Result
from rules.core.registry import RULESETS
from rules.core.view import Text
from rules.interface import outcomes
from rules.interface.outcomes import ShipHolder

MAX_MISSED_CHARS: Final = 3000
"""Characters of what is said to somebody who has missed a deadline."""
MAX_STORY_CHARS: Final = 1800
"""Characters of what has happened since a captain was last asked."""
MAX_HINT_CHARS: Final = 3000
"""Characters of what the first mate would do; if it is more, the first page of it."""
MAX_MISSING_CHARS: Final = 600
"""Characters in which it is said what is missing."""
PRAISE_KEY: Final = "reason.usual"
"""The key of a reason that says no more than that a hint is good."""


class PanelFacts(Struct, frozen=True, kw_only=True):
    """What a captain's panel shows: what is asked, and whether a seal on it, which all know of, is broken."""

    request: PendingRequest
    is_seal_broken: bool


class MissedRequests(Struct, frozen=True, kw_only=True):
    """A captain let their time pass; what was answered for them."""

    requests: tuple[RequestRow, ...]
    answers: dict[str, AnswerRow]
    states_by_request: dict[str, str]
    """Secret: those in which it was asked, by request, for workers only."""


class ClosedPanelFacts(Struct, frozen=True, kw_only=True):
    """What is left of a panel whose question is closed."""

    seated_game: SeatedGame
    seat: SeatRow | None
    """None: they have lost it."""
    missed: MissedRequests | None = None
    step: StepRow | None = None
    """The last one, if it is shown."""
    late_answers: dict[int, GivenBy] = {}
    """Seats whose captains had let their time pass in it, and what answered for each."""
    last_round: ChapterContent | None = None
    """The last round of a game that is over, for its picture; its state is secret."""
    keepsakes: KeepsakeFacts = KeepsakeFacts()
    """What its captains bring home, if it is over."""

    @property
    def job_arguments(self) -> tuple[str, str | None, tuple[LateAnswer, ...], int | None]:
        """What the job `closing` takes."""
        missed = self.missed
        rows = missed.requests if missed else ()
        late = [
            LateAnswer(missed.states_by_request[row.id], row.body, Draft(missed.answers[row.id].body))
            for row in rows
            if missed
        ]
        state = self.step.state if self.step else None
        return self.seated_game.game.system, state, tuple(late), self.seat.seat if self.seat else None

    @property
    def needs_job(self) -> bool:
        """Whether the job has anything to say."""
        _, state, late, _ = self.job_arguments
        return state is not None or bool(late)


class ClosedPanelText(NamedTuple):
    """What a closed panel tells."""

    lines: tuple[str, ...] = ()
    """What matters: that its captain was late, what came of it, or how the game ended for them."""
    story_lines: tuple[str, ...] = ()
    """Of a game that is over, what happened last."""


class CountedDraftFacts(Struct, frozen=True, kw_only=True):
    """A plan that counted though its captain had not sealed it."""

    seated_game: SeatedGame
    late_answer: LateAnswer
    """Its state is secret."""

    @property
    def job_arguments(self) -> tuple[str, None, tuple[LateAnswer], int]:
        """What the job `closing` takes."""
        return self.seated_game.game.system, None, (self.late_answer,), self.late_answer.request.seat


# --- reading -------------------------------------------------------------------------------------------------------


async def read_panel(source: GameSource, message: OutboxMessage) -> PanelFacts | ClosedPanelFacts | None:
    """What a panel of the outbox shows; None if it was never sent, and its captain is asked this no more."""
    user_id = message.user_id or 0
    try:
        asked = await read_pending_request(source, user_id, message.subject_as(RequestSubject).request)
    except Refusal:
        return None if message.message_id is None else await read_closed_panel(source, message)
    return PanelFacts(request=asked, is_seal_broken=await _is_broken(source, asked))


async def read_closed_panel(source: GameSource, message: OutboxMessage) -> ClosedPanelFacts:
    """Read what a closed panel says: what came of the question, or that its captain was late."""
    playing = source.seated_game
    seat = playing.seat_of(message.user_id or 0)
    if seat is None:
        return ClosedPanelFacts(seated_game=playing, seat=None)
    missed = await _read_missed(source, message)
    left = ClosedPanelFacts(seated_game=playing, seat=seat, missed=missed)
    tells = playing.game.phase == "over" or missed is None
    return await _add_last_step(source, left) if tells else left


async def read_ended(source: GameSource, user_id: int) -> ClosedPanelFacts:
    """Read what happened last, as one captain may see it; nothing for anybody else."""
    seat = source.seated_game.seat_of(user_id)
    left = ClosedPanelFacts(seated_game=source.seated_game, seat=seat)
    return await _add_last_step(source, left) if seat else left


async def _add_last_step(source: GameSource, left: ClosedPanelFacts) -> ClosedPanelFacts:
    step = await source.find_step(source.game.step_no)
    over = step is not None and source.game.phase == "over"
    return structs.replace(
        left,
        step=step,
        late_answers=await source.late_answers_in([step] if step else []),
        last_round=await source.read_chapter(await source.chapter_up_to(source.game.step_no)) if over else None,
        keepsakes=await keepsakes.read_keepsakes(source),
    )


async def read_counted_draft(source: GameSource, message: OutboxMessage) -> CountedDraftFacts | None:
    """Read a captain's plan that counted; None if they have lost the seat."""
    row = await source.find_request(message.subject_as(RequestSubject).request)
    answers = await source.answers_to([message.subject_as(RequestSubject).request])
    if row is None or source.seated_game.seats[row.seat].user_id != (message.user_id or 0):
        return None
    step = await source.find_step(row.step_no)
    if step is None:
        return None  # the game has gone back to before it
    late = LateAnswer(step.state, row.body, Draft(answers[row.id].body))
    return CountedDraftFacts(seated_game=source.seated_game, late_answer=late)


async def read_void_answer(source: GameSource, message: OutboxMessage) -> SeatedGame | None:
    """Return the game in which an answer given ahead cannot be carried out; None if its captain has lost the seat."""
    return None if source.seated_game.seat_of(message.user_id or 0) is None else source.seated_game


async def _is_broken(source: GameSource, asked: PendingRequest) -> bool:
    """Return whether a captain broke a seal that was published."""
    if asked.answer or not asked.row.draft:
        return False
    known = [one.what for one in await source.published_hashes() if one.request == asked.row.id]
    return known[-1:] == ["broken"]


async def _read_missed(source: GameSource, message: OutboxMessage) -> MissedRequests | None:
    """Read what a captain missed; None if they answered."""
    asked = await source.find_request(message.subject_as(RequestSubject).request)
    if asked is None:
        return None
    rows = [asked]
    if asked.body.clock:
        rows = [row for row in await source.requests_asked_since(0) if row.body.clock == asked.body.clock]
    answers = await source.answers_to(row.id for row in rows)
    late = [row for row in rows if row.id in answers and answers[row.id].is_late]
    states = {row.id: step.state for row in late if (step := await source.find_step(row.step_no))}
    return MissedRequests(requests=tuple(late), answers=answers, states_by_request=states) if late else None


# --- in words ------------------------------------------------------------------------------------------------------


class Advice(NamedTuple):
    """What the first mate would do with this seed (hex), and why."""

    hint: Hint
    hint_seed: str

    def hint_lines(self, words: Localizer, *, same: bool = False) -> list[str]:
        """Return what would be ordered, or that this is the `same` as is ordered, and why; in whole millimetres."""
        told = speech.split_pages(
            [*map(replace(words, rounds_numbers=True).say_text, self.hint.lines)], MAX_HINT_CHARS
        )[:1]
        return [
            *([words.say("hint.same")] if same else "\n".join(told).splitlines()),
            *self.reason_lines(words, same=same),
        ]

    def brief_lines(self, words: Localizer, *, same: bool = False) -> list[str]:
        """Return the same, with what would be ordered in fewer words where the game has them."""
        lines = self.hint_lines(words, same=same)
        short = [] if same else brief_orders(replace(words, rounds_numbers=True), self.hint.lines)
        reasons = self.reason_lines(words, same=same)
        return [*short, *reasons] if len(short) + len(reasons) == len(lines) else lines

    def reason_lines(self, words: Localizer, *, same: bool = False) -> list[str]:
        """Return why, and how likely it is to come off; no mere praise of what is fine as it is."""
        why = () if same and self.hint.reason.key == PRAISE_KEY else (self.hint.reason,)
        return [*map(replace(words, rounds_numbers=True).say_text, (*why, *self.hint.odds))]


def panel_title(words: Localizer, playing: SeatedGame) -> Markup:
    """The name and number of a game."""
    return game_title(words, playing)


def deadline_text(words: Localizer, asked: PendingRequest) -> Markup:
    """Return until when a captain is to answer; or that the game waits for them alone."""
    if may_wait(asked):
        return words.say("panel.waits")
    return times.deadline_text(words, asked.seated_game.game, asked.row.deadline)


def may_wait(asked: PendingRequest) -> bool:
    """Whether the game waits for this captain, however long they take."""
    return seats.waits_for_only_captain(asked.seated_game, asked.seated_game.seats[asked.row.seat])


def can_be_advised(asked: PendingRequest) -> bool:
    """Whether a captain may ask for a hint."""
    kind = RULESETS[asked.seated_game.game.system].questions[asked.row.body.kind]
    return asked.seated_game.is_practice and kind.has_advice


def seals_by_option(choices: Choices) -> bool:
    """Whether one of the options is a whole answer."""
    return any(option.seals_answer for group in choices.groups for option in group.options)


def ready_text(words: Localizer, row: RequestRow) -> Markup:
    """That a draft may be sealed; what is no secret is carried out."""
    return words.say("panel.ready" if row.body.sealed else "panel.ready_open")


def sealed_text(words: Localizer, asked: PendingRequest) -> Markup:
    """That a captain has answered; of what is no secret not that it is sealed. And who else is awaited, if one is."""
    if not asked.row.body.sealed:
        return words.say("panel.taken_paused" if asked.seated_game.game.paused_at is not None else "panel.taken")
    hashed = asked.answer.commitment if asked.answer else ""
    said = words.say("panel.inherited" if asked.row.inherited else "panel.sealed", hash=wording.short_hash_text(hashed))
    # Of several one would soon be there, and this panel still name them: the thread knows.
    others = asked.other_awaited_seats if asked.seated_game.game.early and len(asked.other_awaited_seats) == 1 else ()
    return words.to_markup(" ".join([said, *(words.say("status.waiting", who=seat) for seat in others)]))


def ignored_lines(words: Localizer, asked: PendingRequest, choices: Choices) -> list[str]:
    """Return that a plan which is begun and lacks something is ignored once its time is up; nothing of any other."""
    begun = choices.missing_parts and asked.row.draft and asked.row.deadline is not None
    return [words.say(f"unfinished.{asked.seated_game.game.setup.missed}")] if begun else []


def lacking_lines(words: Localizer, asked: PendingRequest, choices: Choices) -> list[str]:
    """Return what is missing, and what that means for a plan that is begun."""
    return [
        words.say("panel.missing", what=missing_text(words, choices.missing_parts)),
        *ignored_lines(words, asked, choices),
    ]


def brief_orders(words: Localizer, texts: Sequence[Text]) -> list[str]:
    """Orders in few words: the sentence `<key>.brief` of each, if the game has it."""
    has = words.catalogue.has
    return [
        words.say(f"{one.key}.brief", **one.params) if has(f"{one.key}.brief") else words.say_text(one) for one in texts
    ]


def missing_text(words: Localizer, texts: Sequence[Text], most: int = MAX_MISSING_CHARS) -> Markup:
    """What is missing, in about so many characters, and how many more there are that have no room; none is cut.

    What stands in brackets is left out first. Only of the first there may be no room for all, and then its end is.
    """
    every, left_out = [words.say_text(text) for text in texts], list[Markup]()
    told = [drop_brackets(text) for text in every]
    ways: list[Sequence[str]] = [every, *(told[:number] for number in range(len(told), 0, -1))]
    for way in ways:
        left_out = [words.say("panel.and_more", n=len(told) - len(way))] if len(way) < len(told) else []
        said = words.to_markup("; ".join([*way, *left_out]))
        if words.style.cut_visible(said, most) == said:
            return said
    return words.to_markup(
        "; ".join([words.style.cut_visible(told[0], most - len("; ".join(["", *left_out]))), *left_out])
    )


def counted_draft_text(words: Localizer, facts: CountedDraftFacts, closing: ClosingSummary) -> str:
    """What counted of a plan that was not sealed, in words; and that the game is over, if it is."""
    game = facts.seated_game.game
    over = [f"{words.say('panel.over')} <#{game.thread_id}>"] if game.phase == "over" and game.thread_id else []
    said = [words.say("panel.counted"), *map(words.say_text, closing.answer_lines), *over]
    return words.style.cut_text("\n".join(said), MAX_MISSED_CHARS)


def closed_panel_text(words: Localizer, facts: ClosedPanelFacts, closing: ClosingSummary) -> ClosedPanelText:
    """What a closed panel tells: that its captain was late, or what came of it."""
    if facts.seat is None:
        return ClosedPanelText()
    late = _missed_lines(words, facts, facts.missed, closing) if facts.missed else []
    found = final_text(words, facts, closing)
    return found._replace(lines=(*late, *found.lines))


def final_text(words: Localizer, facts: ClosedPanelFacts, closing: ClosingSummary) -> ClosedPanelText:
    """Return how a finished game ended for a captain, and what happened last as they may see it."""
    if facts.seat is None or facts.step is None:
        return ClosedPanelText()
    seat = facts.seat.seat
    events = stored.read_events(RULESETS[facts.seated_game.game.system], facts.step.events)
    found = _story_builder(words, facts, events, seat, closing.ships).tell(MAX_STORY_CHARS)
    if closing.result:  # which says what the headline does
        fared = _result_for_captain(words, facts.seated_game, seat, closing.result)
        lines = tuple(words.style.quote(words.to_markup(line)) for line in repeats.drop_repeated(found.lines, [fared]))
        score = repeats.drop_repeated([words.say_text(closing.score)], [fared]) if closing.score else []
        home = keepsakes.keepsake_lines(words, facts.keepsakes, closing.handed_on, seat)
        return ClosedPanelText(("\n".join([fared, *score, *home]),), lines)
    return ClosedPanelText(tuple(map(words.style.quote, story_lines(words, found))))


def _missed_lines(
    words: Localizer, facts: ClosedPanelFacts, missed: MissedRequests, closing: ClosingSummary
) -> list[str]:
    seat, (first, *_) = facts.seat, missed.requests
    when = words.say("round", round=first.body.round) if first.body.round else ""
    said: list[str] = [words.say("panel.missed_round", when=when) if when else words.say("panel.missed")]
    said += [words.say("panel.draft_dropped")] if any(row.draft for row in missed.requests) else []
    given = {missed.answers[row.id].given_by for row in missed.requests}
    by = given.pop() if len(given) == 1 else "deadline"
    said.append(words.say(f"missed_by.{wording.stand_in_key(facts.seated_game, by)}"))
    said += [words.say_text(line) for line in closing.answer_lines]
    if closing.result:
        pass  # no seat is at stake any more
    elif seat and seat.missed and seats.plays_alone(facts.seated_game, seat):
        waits = seats.waits_for_only_captain(facts.seated_game, seat)
        more = {"more": seats.max_missed_deadlines(facts.seated_game) - seat.missed}
        said.append(words.say("panel.missed_alone.waits") if waits else words.say("panel.missed_alone", **more))
    elif seat and seat.is_offered:
        said.append(
            words.say("panel.missed_closed" if has_keepsakes(facts.seated_game.game) else "panel.missed_offered")
        )
    elif seat and seat.missed:
        said.append(words.say("panel.missed_more", more=seats.max_missed_deadlines(facts.seated_game) - seat.missed))
    return [words.style.cut_text("\n".join(said), MAX_MISSED_CHARS)]


def late_text(words: Localizer, asked: PendingRequest) -> str:
    """Return that a captain missed the last deadline, and what answered for them; nothing if they missed none."""
    by = asked.late_answers.get(asked.row.seat)
    return words.say(f"panel.late.{wording.stand_in_key(asked.seated_game, by)}") if by else ""


def story_since_request(
    words: Localizer, asked: PendingRequest, ships: Sequence[ShipHolder]
) -> tuple[Story, StorySummary]:
    """Return what happened since the captain was last asked something, as their seat may see it, and its gist."""
    events = stored.read_events(RULESETS[asked.seated_game.game.system], *asked.events_by_step)
    account = _story_builder(words, asked, events, asked.row.seat, ships)
    return account.tell(MAX_STORY_CHARS), account.summarise()


def story_lines(words: Localizer, found: Story) -> list[str]:
    """Return all lines of a story, first the headline unless they say it; a round that goes on is not called quiet."""
    quiet = found.headline == words.say("headline.quiet")
    heads = [] if quiet or repeats.says_all_of(found.lines, found.headline) else [found.headline]
    return [*(words.style.bold(words.to_markup(line)) for line in heads), *map(words.to_markup, found.lines)]


def _story_builder(
    words: Localizer,
    facts: PendingRequest | ClosedPanelFacts,
    events: Sequence[Event],
    seat: int,
    ships: Sequence[ShipHolder],
) -> StoryBuilder:
    playing, late = facts.seated_game, facts.late_answers
    words = wording.localizer_with_stand_ins(playing, words, late)
    whose = outcomes.story_ships(ships, seat, playing.game.setup.teams, events)
    by = wording.stand_in_key(playing, late[seat]) if seat in late else "done"
    return StoryBuilder.build(words, events, seat, whose=whose, by=by)


def readiness_text(words: Localizer, asked: PendingRequest, choices: Choices, most: int = MAX_MISSING_CHARS) -> str:
    """Return whether a draft is sealed, or may be, or what is missing, in about so many characters.

    Empty if a press will seal it.
    """
    row = asked.row
    if asked.answer:
        return sealed_text(words, asked)
    if choices.missing_parts:
        room = most - len(words.say("panel.missing", what=""))
        return words.say("panel.missing", what=missing_text(words, choices.missing_parts, room))
    return ready_text(words, row) if row.draft or not seals_by_option(choices) else ""


def _result_for_captain(words: Localizer, playing: SeatedGame, seat: int, result: Result) -> str:
    """How a game that is over has ended for one captain: who has won, and why."""
    outcome = ratings.seat_outcomes(playing.seats, result)[seat]
    key = "called_off" if outcome == "drawn" and result.is_called_off else outcome
    return "\n".join([words.say(f"fared.{key}", who=result.winners), end_reason_text(words, playing, result, seat)])
