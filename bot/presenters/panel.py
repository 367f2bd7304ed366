"""A captain's panel: the open question, the draft in words, the result after it closes, and hints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from msgspec import Struct, structs

from bot.errors import Refusal
from bot.jobs import stored
from bot.jobs.closing import ClosingSummary, LateAnswer
from bot.jobs.values import Hint
from bot.lifecycle.people import seats
from bot.lifecycle.people.keepsakes import has_keepsakes
from bot.lifecycle.people.rounds import MIN_ROUNDS
from bot.lifecycle.ratings import ratings
from bot.lifecycle.steps.playing import SeatedGame
from bot.presenters import keepsakes, times, verdicts, wording
from bot.presenters.asked import PendingRequest, read_pending_request
from bot.presenters.keepsakes import KeepsakeFacts
from bot.presenters.match_ends import MatchEnd, match_lines, read_match_end
from bot.presenters.source import GameSource
from bot.presenters.verdicts import ParentFacts
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
from rules.core.replay import UndoAction
from rules.core.reports import BattleForecast
from rules.core.view import Text
from rules.interface import outcomes
from rules.interface.outcomes import ShipHolder

MAX_MISSED_CHARS: Final = 3000
MAX_STORY_CHARS: Final = 1800
MAX_HINT_CHARS: Final = 3000
"""The most characters of a hint's orders; only the first page of a longer hint is shown."""
MAX_MISSING_CHARS: Final = 600
PRAISE_KEY: Final = "reason.usual"
"""The key of a reason that only praises a hint."""
NO_FORECAST: Final = BattleForecast()


class PanelFacts(Struct, frozen=True, kw_only=True):
    request: PendingRequest
    is_seal_broken: bool  # whether the captain had sealed the draft and the seal was broken since


class MissedRequests(Struct, frozen=True, kw_only=True):
    requests: tuple[RequestRow, ...]  # those whose deadline the captain missed
    answers: dict[str, AnswerRow]  # what was answered instead, by request id
    states_by_request: dict[str, str]
    """Secret, for workers only: the stored state in which each request was asked, by request id."""


class ClosedPanelFacts(Struct, frozen=True, kw_only=True):
    seated_game: SeatedGame
    seat: SeatRow | None  # None if the user has lost the seat
    missed: MissedRequests | None = None  # None if the captain was in time
    steps: tuple[StepRow, ...] = ()
    """The last one; in a finished game all since it last waited for this captain, at most of two rounds."""
    late_answers: dict[int, GivenBy] = {}  # by seat: what answered in `steps` for captains who were late
    last_round: ChapterContent | None = None
    """The last round of a finished game, for its picture; its state is secret."""
    keepsakes: KeepsakeFacts = KeepsakeFacts()
    parent: ParentFacts | None = None  # the game that a finished battle belongs to
    match: MatchEnd | None = None  # None: the game goes on, or is in no match

    @property
    def job_arguments(self) -> tuple[str, str | None, tuple[LateAnswer, ...], int | None]:
        """Arguments of `summarise_closing`: game, last state, answers for a late captain, and seat."""
        missed = self.missed
        late_answers: list[LateAnswer] = []
        if missed:
            late_answers = [
                LateAnswer(missed.states_by_request[row.id], row.body, Draft(missed.answers[row.id].body))
                for row in missed.requests
            ]
        state = self.steps[-1].state if self.steps else None
        return self.seated_game.game.system, state, tuple(late_answers), self.seat.seat if self.seat else None

    @property
    def needs_job(self) -> bool:
        _, state, late_answers, _ = self.job_arguments
        return state is not None or bool(late_answers)


class ClosedPanelText(NamedTuple):
    lines: tuple[str, ...] = ()
    """The main lines: that the captain was late and the consequences, or how the game ended for them."""
    story_lines: tuple[str, ...] = ()  # what happened last, as quotes


class CountedDraftFacts(Struct, frozen=True, kw_only=True):
    """A draft that counted as the answer although its captain had not sealed it."""

    seated_game: SeatedGame
    late_answer: LateAnswer  # the draft, with its request and its secret state

    @property
    def job_arguments(self) -> tuple[str, None, tuple[LateAnswer], int]:
        return self.seated_game.game.system, None, (self.late_answer,), self.late_answer.request.seat


# --- reading -------------------------------------------------------------------------------------------------------


async def read_panel(source: GameSource, message: OutboxMessage) -> PanelFacts | ClosedPanelFacts | None:
    """Read what a panel shows; None if its question closed before it was sent."""
    user_id = message.user_id or 0
    try:
        request = await read_pending_request(source, user_id, message.subject_as(RequestSubject).request)
    except Refusal:
        return None if message.message_id is None else await read_closed_panel(source, message)
    return PanelFacts(request=request, is_seal_broken=await _is_seal_broken(source, request))


async def read_closed_panel(source: GameSource, message: OutboxMessage) -> ClosedPanelFacts:
    seated_game = source.seated_game
    seat = seated_game.seat_of(message.user_id or 0)
    if seat is None:
        return ClosedPanelFacts(seated_game=seated_game, seat=None)
    missed = await _read_missed(source, message)
    facts = ClosedPanelFacts(seated_game=seated_game, seat=seat, missed=missed)
    # In a running game, the news of a missed deadline replaces the last step.
    shows_last_step = seated_game.game.phase == "over" or missed is None
    return await _add_last_step(source, facts) if shows_last_step else facts


async def read_ended(source: GameSource, user_id: int) -> ClosedPanelFacts:
    """Read what happened last, as one captain may see it; without a step for users who hold no seat."""
    seat = source.seated_game.seat_of(user_id)
    facts = ClosedPanelFacts(seated_game=source.seated_game, seat=seat)
    return await _add_last_step(source, facts) if seat else facts


async def _add_last_step(source: GameSource, facts: ClosedPanelFacts) -> ClosedPanelFacts:
    steps = await source.find_steps([source.game.step_no])
    is_over = bool(steps) and source.game.phase == "over"
    if is_over and facts.seat:
        steps = [*await _find_earlier_steps(source, facts.seat.seat), *steps]
    return structs.replace(
        facts,
        steps=tuple(steps),
        late_answers=await source.late_answers_in(steps),
        last_round=await source.read_chapter(await source.chapter_up_to(source.game.step_no)) if is_over else None,
        keepsakes=await keepsakes.read_keepsakes(source),
        parent=await verdicts.read_parent(source) if is_over else None,
        match=await read_match_end(source) if is_over else None,
    )


async def _find_earlier_steps(source: GameSource, seat: int) -> list[StepRow]:
    """Return the steps since the game last waited for a seat, but for its last step, and at most of two rounds."""
    numbers = [number for chapter in (await source.chapters())[-2:] for number in chapter.steps]
    before = numbers[0] - 1
    requests = await source.requests_asked_since(before)
    asked_at = max((row.step_no for row in requests if row.seat == seat and not row.optional), default=before)
    steps = await source.find_steps(number for number in numbers if asked_at < number < source.game.step_no)
    undone = [place for place, step in enumerate(steps) if isinstance(step.cause, UndoAction)]
    return steps[undone[-1] + 1 :] if undone else steps


async def read_counted_draft(source: GameSource, message: OutboxMessage) -> CountedDraftFacts | None:
    """Read a captain's draft that counted; None if they have lost the seat or the question was undone."""
    request_id = message.subject_as(RequestSubject).request
    row = await source.find_request(request_id)
    answers = await source.answers_to([request_id])
    if row is None or source.seated_game.seats[row.seat].user_id != (message.user_id or 0):
        return None
    step = await source.find_step(row.step_no)
    if step is None:
        return None  # undone since
    late_answer = LateAnswer(step.state, row.body, Draft(answers[row.id].body))
    return CountedDraftFacts(seated_game=source.seated_game, late_answer=late_answer)


async def read_void_answer(source: GameSource, message: OutboxMessage) -> SeatedGame | None:
    """Return the game if the message's captain still has a seat, else None."""
    return None if source.seated_game.seat_of(message.user_id or 0) is None else source.seated_game


async def _is_seal_broken(source: GameSource, request: PendingRequest) -> bool:
    """Return whether a seal of the request was broken and its draft is open again."""
    if request.answer or not request.row.draft:
        return False
    publications = [hashed.what for hashed in await source.published_hashes() if hashed.request == request.row.id]
    return bool(publications) and publications[-1] == "broken"


async def _read_missed(source: GameSource, message: OutboxMessage) -> MissedRequests | None:
    """Return the requests of a panel whose deadline its captain missed; None if they missed none."""
    request = await source.find_request(message.subject_as(RequestSubject).request)
    if request is None:
        return None
    rows = [request]
    if request.body.clock:  # the panel has shown several requests in a row
        rows = [row for row in await source.requests_asked_since(0) if row.body.clock == request.body.clock]
    answers = await source.answers_to(row.id for row in rows)
    late_rows = [row for row in rows if row.id in answers and answers[row.id].is_late]
    states = {row.id: step.state for row in late_rows if (step := await source.find_step(row.step_no))}
    return MissedRequests(requests=tuple(late_rows), answers=answers, states_by_request=states) if late_rows else None


# --- in words ------------------------------------------------------------------------------------------------------


class Advice(NamedTuple):
    hint: Hint  # the computer's answer with its reason
    hint_seed: str  # with which the hint was computed, in hex

    def hint_lines(self, localizer: Localizer, *, same: bool = False) -> list[str]:
        """Return the hint's orders, or that they are the `same` as the draft, and its reasons, in whole millimetres."""
        reasons = self.reason_lines(localizer, same=same)
        if same:
            return [localizer.say("hint.same"), *reasons]
        orders = [*map(replace(localizer, rounds_numbers=True).say_text, self.hint.lines)]
        first_page = speech.split_pages(orders, MAX_HINT_CHARS)[:1]  # empty if the hint has no orders
        return [*"\n".join(first_page).splitlines(), *reasons]

    def brief_lines(self, localizer: Localizer, *, same: bool = False) -> list[str]:
        """Like `hint_lines`, with short orders if each of them takes one line."""
        lines = self.hint_lines(localizer, same=same)
        short_orders = [] if same else brief_orders(replace(localizer, rounds_numbers=True), self.hint.lines)
        brief = [*short_orders, *self.reason_lines(localizer, same=same)]
        return brief if len(brief) == len(lines) else lines

    def reason_lines(self, localizer: Localizer, *, same: bool = False) -> list[str]:
        """Return the reason and the odds, without mere praise if the hint is the `same` as the draft."""
        reasons = () if same and self.hint.reason.key == PRAISE_KEY else (self.hint.reason,)
        return [*map(replace(localizer, rounds_numbers=True).say_text, (*reasons, *self.hint.odds))]


def panel_title(localizer: Localizer, seated_game: SeatedGame) -> Markup:
    return game_title(localizer, seated_game)


def deadline_text(localizer: Localizer, request: PendingRequest) -> Markup:
    if may_wait(request):
        return localizer.say("panel.waits")
    return times.deadline_text(localizer, request.seated_game.game, request.row.deadline)


def may_wait(request: PendingRequest) -> bool:
    """Return whether the game waits for this captain without a deadline."""
    return seats.waits_for_only_captain(request.seated_game, request.seated_game.seats[request.row.seat])


def can_be_advised(request: PendingRequest) -> bool:
    kind = RULESETS[request.seated_game.game.system].questions[request.row.body.kind]
    return request.seated_game.is_practice and kind.has_advice


def seals_by_option(choices: Choices) -> bool:
    return any(option.seals_answer for group in choices.groups for option in group.options)


def ready_text(localizer: Localizer, row: RequestRow) -> Markup:
    return localizer.say("panel.ready" if row.body.sealed else "panel.ready_open")


def sealed_text(localizer: Localizer, request: PendingRequest) -> Markup:
    """Return that the captain has answered and, if the game awaits one other captain, who that is."""
    if not request.row.body.sealed:
        return localizer.say("panel.taken_paused" if request.seated_game.game.paused_at is not None else "panel.taken")
    commitment = request.answer.commitment if request.answer else ""
    key = "panel.sealed_first" if request.row.body.round <= 1 else "panel.sealed"  # the first explains the word
    sentence = localizer.say(
        "panel.inherited" if request.row.inherited else key, hash=wording.short_hash_text(commitment)
    )
    # With several captains, the list would soon be outdated; the thread has the current one.
    if request.seated_game.game.early and len(request.other_awaited_seats) == 1:
        (awaited_seat,) = request.other_awaited_seats
        sentence = localizer.to_markup(f"{sentence} {localizer.say('status.waiting', who=awaited_seat)}")
    return localizer.to_markup(sentence)


def ignored_lines(localizer: Localizer, request: PendingRequest, choices: Choices) -> list[str]:
    """Return that an incomplete draft is ignored at the deadline; empty if that cannot happen."""
    will_be_ignored = choices.missing_parts and request.row.draft and request.row.deadline is not None
    return [localizer.say(f"unfinished.{request.seated_game.game.setup.missed}")] if will_be_ignored else []


def missing_lines(localizer: Localizer, request: PendingRequest, choices: Choices) -> list[str]:
    return [
        localizer.say("panel.missing", what=missing_text(localizer, choices.missing_parts)),
        *ignored_lines(localizer, request, choices),
    ]


def concession_lines(
    localizer: Localizer, request: PendingRequest, forecast: BattleForecast = NO_FORECAST
) -> list[Markup]:
    """Return what conceding costs, once a game: when the captain's side hardly ever wins any more."""
    seated_game, row = request.seated_game, request.row
    if seated_game.seats[row.seat].hopeless_step != row.step_no:
        return []
    if seated_game.game.parent_id is not None:
        sentences = verdicts.verdict_lines(localizer, request.parent, forecast.concession)
        return [localizer.to_markup(" ".join([localizer.say("panel.hopeless.battle"), *sentences]))]
    if seats.plays_alone(seated_game, seated_game.seats[row.seat]):
        return [localizer.say("panel.hopeless.alone")]
    costs = "unrated" if seated_game.is_practice else "rated"
    dice = [localizer.say("panel.hopeless.dice", rounds=MIN_ROUNDS)] if row.body.round <= MIN_ROUNDS else []
    return [localizer.to_markup(" ".join([localizer.say(f"panel.hopeless.{costs}"), *dice]))]


def brief_orders(localizer: Localizer, texts: Sequence[Text]) -> list[str]:
    """Return texts in their short form `<key>.brief`, where the game has one."""

    def say_briefly(text: Text) -> Markup:
        brief_key = f"{text.key}.brief"
        has_brief = localizer.catalogue.has(brief_key)
        return localizer.say(brief_key, **text.params) if has_brief else localizer.say_text(text)

    return [say_briefly(text) for text in texts]


def missing_text(localizer: Localizer, texts: Sequence[Text], max_chars: int = MAX_MISSING_CHARS) -> Markup:
    """Return what is missing in about `max_chars` characters, and how many parts had no room.

    Text in brackets is left out first. The first part is always there in full.
    """
    full_texts = [localizer.say_text(text) for text in texts]
    brief_texts = [drop_brackets(text) for text in full_texts]
    versions: list[Sequence[str]] = [full_texts, *(brief_texts[:count] for count in range(len(brief_texts), 0, -1))]
    more: list[Markup] = []  # says how many parts are left out, if any
    for version in versions:
        left_out_count = len(brief_texts) - len(version)
        more = [localizer.say("panel.and_more", n=left_out_count)] if left_out_count else []
        joined = localizer.to_markup("; ".join([*version, *more]))
        if localizer.style.cut_visible(joined, max_chars) == joined:
            return joined
    return localizer.to_markup("; ".join([brief_texts[0], *more]))


def counted_draft_text(localizer: Localizer, facts: CountedDraftFacts, closing: ClosingSummary) -> str:
    game = facts.seated_game.game
    end_lines = (
        [f"{localizer.say('panel.over')} <#{game.thread_id}>"] if game.phase == "over" and game.thread_id else []
    )
    lines = [localizer.say("panel.counted"), *map(localizer.say_text, closing.answer_lines), *end_lines]
    return localizer.style.cut_text("\n".join(lines), MAX_MISSED_CHARS)


def closed_panel_text(localizer: Localizer, facts: ClosedPanelFacts, closing: ClosingSummary) -> ClosedPanelText:
    if facts.seat is None:
        return ClosedPanelText()
    late_lines = _missed_lines(localizer, facts, facts.missed, closing) if facts.missed else []
    final = final_text(localizer, facts, closing)
    return final._replace(lines=(*late_lines, *final.lines))


def final_text(localizer: Localizer, facts: ClosedPanelFacts, closing: ClosingSummary) -> ClosedPanelText:
    if facts.seat is None or not facts.steps:
        return ClosedPanelText()
    seat = facts.seat.seat
    events = stored.read_events(RULESETS[facts.seated_game.game.system], *(step.events for step in facts.steps))
    story = _story_builder(localizer, facts, events, seat, closing.ships).tell(MAX_STORY_CHARS)
    if not closing.result:
        return ClosedPanelText(tuple(map(localizer.style.quote, story_lines(localizer, story))))
    result_text = _result_for_captain(localizer, facts, seat, closing, closing.result)  # replaces the headline
    other_lines = repeats.drop_repeated(story.lines, [result_text])
    quoted_lines = tuple(localizer.style.quote(localizer.to_markup(line)) for line in other_lines)
    score = repeats.drop_repeated([localizer.say_text(closing.score)], [result_text]) if closing.score else []
    keepsake_lines = keepsakes.keepsake_lines(localizer, facts.keepsakes, closing.handed_on, seat)
    points_of_match = match_lines(localizer, facts.match, facts.seated_game.seats)
    way_back = verdicts.way_back_lines(localizer, facts.parent)
    lines = [result_text, *score, *points_of_match, *keepsake_lines, *way_back]
    return ClosedPanelText(("\n".join(lines),), quoted_lines)


def _missed_lines(
    localizer: Localizer, facts: ClosedPanelFacts, missed: MissedRequests, closing: ClosingSummary
) -> list[str]:
    """Return that a captain missed a deadline, what answered in their place, and the consequences."""
    seat = facts.seat
    round_no = missed.requests[0].body.round  # 0: before the first round
    if round_no:
        lines: list[str] = [localizer.say("panel.missed_round", when=localizer.say("round", round=round_no))]
    else:
        lines = [localizer.say("panel.missed")]
    if any(row.draft for row in missed.requests):
        lines.append(localizer.say("panel.draft_dropped"))
    givers = {missed.answers[row.id].given_by for row in missed.requests}
    giver = givers.pop() if len(givers) == 1 else "deadline"
    lines.append(localizer.say(f"missed_by.{wording.stand_in_key(facts.seated_game, giver)}"))
    lines += [localizer.say_text(line) for line in closing.answer_lines]
    if closing.result:
        pass  # no seat is at stake any more
    elif seat and seat.missed and seats.plays_alone(facts.seated_game, seat):
        game_waits = seats.waits_for_only_captain(facts.seated_game, seat)
        misses_left = seats.max_missed_deadlines(facts.seated_game) - seat.missed
        lines.append(
            localizer.say("panel.missed_alone.waits")
            if game_waits
            else localizer.say("panel.missed_alone", more=misses_left)
        )
    elif seat and seat.is_offered:
        lines.append(
            localizer.say("panel.missed_closed" if has_keepsakes(facts.seated_game.game) else "panel.missed_offered")
        )
    elif seat and seat.missed:
        misses_left = seats.max_missed_deadlines(facts.seated_game) - seat.missed
        lines.append(localizer.say("panel.missed_more", more=misses_left))
    return [localizer.style.cut_text("\n".join(lines), MAX_MISSED_CHARS)]


def late_text(localizer: Localizer, request: PendingRequest) -> str:
    giver = request.late_answers.get(request.row.seat)
    return localizer.say(f"panel.late.{wording.stand_in_key(request.seated_game, giver)}") if giver else ""


def story_since_request(
    localizer: Localizer, request: PendingRequest, ships: Sequence[ShipHolder]
) -> tuple[Story, StorySummary]:
    events = stored.read_events(RULESETS[request.seated_game.game.system], *request.events_by_step)
    builder = _story_builder(localizer, request, events, request.row.seat, ships)
    return builder.tell(MAX_STORY_CHARS), builder.summarise()


def story_lines(localizer: Localizer, story: Story) -> list[str]:
    """Return a story's lines, with the headline first unless the lines repeat it or the round was quiet."""
    is_quiet = story.headline == localizer.say("headline.quiet")
    headlines = [] if is_quiet or repeats.says_all_of(story.lines, story.headline) else [story.headline]
    return [
        *(localizer.style.bold(localizer.to_markup(line)) for line in headlines),
        *map(localizer.to_markup, story.lines),
    ]


def _story_builder(
    localizer: Localizer,
    facts: PendingRequest | ClosedPanelFacts,
    events: Sequence[Event],
    seat: int,
    ships: Sequence[ShipHolder],
) -> StoryBuilder:
    seated_game, late_answers = facts.seated_game, facts.late_answers
    localizer = wording.localizer_with_stand_ins(seated_game, localizer, late_answers)
    own_and_captured = outcomes.story_ships(ships, seat, seated_game.game.setup.teams, events)
    giver = wording.stand_in_key(seated_game, late_answers[seat]) if seat in late_answers else "done"
    return StoryBuilder.build(localizer, events, seat, story_ships=own_and_captured, orders_giver=giver)


def readiness_text(
    localizer: Localizer, request: PendingRequest, choices: Choices, max_chars: int = MAX_MISSING_CHARS
) -> str:
    """Return whether a draft is sealed or may be, or what is missing, in about `max_chars` characters.

    Empty if an option of the panel seals it.
    """
    row = request.row
    if request.answer:
        return sealed_text(localizer, request)
    if choices.missing_parts:
        room = max_chars - len(localizer.say("panel.missing", what=""))
        return localizer.say("panel.missing", what=missing_text(localizer, choices.missing_parts, room))
    return ready_text(localizer, row) if row.draft or not seals_by_option(choices) else ""


def _result_for_captain(
    localizer: Localizer, facts: ClosedPanelFacts, seat: int, closing: ClosingSummary, result: Result
) -> str:
    seated_game = facts.seated_game
    outcome = ratings.seat_outcomes(seated_game.seats, result)[seat]
    key = "called_off" if outcome == "drawn" and result.is_called_off else outcome
    reason = end_reason_text(localizer, seated_game, result, seat)
    verdict = [] if result.winners else verdicts.verdict_lines(localizer, facts.parent, closing.verdict)
    if verdict:
        return "\n".join([localizer.style.bold(verdict[0]), reason, *verdict[1:]])
    return "\n".join([localizer.say(f"fared.{key}", who=result.winners), reason])
