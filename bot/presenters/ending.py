"""The end of a game: result, turning point, statistics, ratings, and the proof of its dice."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

import msgspec
from msgspec import Struct

from bot.jobs import stored
from bot.jobs.turning import EndAnalysis, PlayedStep
from bot.lifecycle.ratings import ratings
from bot.lifecycle.steps.playing import SeatedGame
from bot.presenters import acts, keepsakes, ladder, verdicts
from bot.presenters.keepsakes import KeepsakeFacts
from bot.presenters.match_ends import MatchEnd, match_lines, read_match_end
from bot.presenters.source import GameSource
from bot.presenters.verdicts import ParentFacts
from bot.presenters.wording import end_reason_text, published_hash_text, short_hash_text
from bot.store.models.records import LogEntryRow, RequestsAnswered
from bot.texts import speech
from bot.texts.i18n import Localizer
from bot.texts.story import tell_story
from bot.texts.style import Markup
from rules.core.registry import RULESETS
from rules.interface.statistics import Statistics

MAX_STATISTICS_CHARS: Final = 2000
_DECIDING_WEIGHT: Final = 3
"""The weight (`Event.weight`) of events that only announce the end of the game."""


class RatingChange(Struct, frozen=True, kw_only=True):
    captain: int | str  # a seat, or the name of a user who has left theirs
    new_rating: int  # as displayed
    change: int  # of the displayed rating by this game


class EndFacts(Struct, frozen=True, kw_only=True):
    seated_game: SeatedGame
    steps: tuple[PlayedStep, ...]
    """Steps with their states, which are no longer secret, for the job that analyses the end."""
    ordered_events: dict[int, tuple[str, ...]]  # stored events of the captains' orders, by round
    statistics: tuple[tuple[int, Statistics], ...]  # (seat, what its captain did), without computers
    unrated_entries: tuple[LogEntryRow, ...]  # why the game counts less for ratings than captains may expect
    keepsakes: KeepsakeFacts
    rating_changes: tuple[RatingChange, ...]  # empty if the game was not rated
    digest: str  # the hash of the game's record, which players can check
    parent: ParentFacts | None  # the game that this battle belongs to; None for other games
    match: MatchEnd | None  # None: the game is no part of a match, or was called off


async def read_end(source: GameSource) -> EndFacts:
    seated_game = source.seated_game
    chapters = await source.chapters()
    rows = {row.no: row for row in await source.all_steps()}
    has_computers = any(seat.user_id is None for seat in seated_game.seats)
    steps = [
        PlayedStep(
            chapter.round,
            isinstance(rows[number].cause, RequestsAnswered),
            rows[number].state,
            rows[number].events if has_computers else "",
        )
        for chapter in chapters
        for number in chapter.steps
    ]
    events_by_round: dict[int, tuple[str, ...]] = {}
    for chapter in reversed(chapters):  # of chapters with the same round number, the first one stays
        events_by_round[chapter.round] = tuple(
            rows[number].events for number in chapter.steps if isinstance(rows[number].cause, RequestsAnswered)
        )
    rating_rows = await source.rating_rows()
    return EndFacts(
        seated_game=seated_game,
        steps=tuple(steps),
        ordered_events=events_by_round,
        statistics=tuple((row.seat, msgspec.json.decode(row.facts, type=Statistics)) for row in rating_rows),
        unrated_entries=tuple(entry for entry in await source.audit_log() if entry.kind.startswith("unrated_")),
        keepsakes=await keepsakes.read_keepsakes(source),
        rating_changes=await _read_rating_changes(source),
        digest=await source.record_digest(),
        parent=await verdicts.read_parent(source),
        match=await read_match_end(source),
    )


async def _read_rating_changes(source: GameSource) -> tuple[RatingChange, ...]:
    seated_game = source.seated_game
    changes: list[RatingChange] = []
    rows = [row for row in await source.rating_rows() if row.counted]
    players = await source.tx.players.find_all([row.user_id for row in rows])
    for row in rows:
        previous_rows = await source.tx.ratings.last_of_users(row.system, [row.user_id], before=row.rated_at)
        old_rating = ratings.stored_skill(previous_rows.get(row.user_id)).displayed_rating
        new_rating = ratings.stored_skill(row).displayed_rating
        has_seat = seated_game.seats[row.seat].user_id == row.user_id
        is_named_by_seat = has_seat or row.user_id not in players
        captain = row.seat if is_named_by_seat else players[row.user_id].name
        changes.append(RatingChange(captain=captain, new_rating=new_rating, change=new_rating - old_rating))
    return tuple(changes)


def describe_result(localizer: Localizer, facts: EndFacts, analysis: EndAnalysis) -> list[Markup]:
    """Return a headline with the winners and lines with the reason; empty if the result is unknown.

    Of an undecided battle they say what it means for the game that it belongs to.
    """
    result = analysis.result
    if result is None:
        return []
    no_winner_key = "ending.called_off" if result.is_called_off else "ending.drawn"
    headline = localizer.say("ending.won", who=result.winners) if result.winners else localizer.say(no_winner_key)
    verdict = [] if result.winners else verdicts.verdict_lines(localizer, facts.parent, analysis.verdict)
    return [*(verdict[:1] or [headline]), end_reason_text(localizer, facts.seated_game, result), *verdict[1:]]


def end_lines(localizer: Localizer, facts: EndFacts, analysis: EndAnalysis) -> list[str]:
    proof = proof_line(localizer, facts, "thread.proof")
    way_back = verdicts.way_back_lines(localizer, facts.parent)
    return [*summary_lines(localizer, facts, analysis), *way_back, localizer.style.small(proof)]


def proof_line(localizer: Localizer, facts: EndFacts, key: str) -> Markup:
    """Return the sentence `key` with the seed and the hash of the record."""
    game = facts.seated_game.game
    return localizer.say(key, seed=short_hash_text(game.seed), digest=published_hash_text(facts.digest))


def summary_lines(localizer: Localizer, facts: EndFacts, analysis: EndAnalysis) -> list[str]:
    """Return all that is said after the result, without the proof."""
    statistics = statistics_lines(localizer, facts, analysis)
    return [
        *match_lines(localizer, facts.match, facts.seated_game.seats),
        *describe_turning_point(localizer, facts, analysis),
        *speech.split_pages(statistics, MAX_STATISTICS_CHARS)[:1],
        *keepsakes.keepsake_lines(localizer, facts.keepsakes, analysis.handed_on),
        *describe_ratings(localizer, facts),
    ]


def proof_lines(localizer: Localizer, seed: str, digest: str) -> list[Markup]:
    return [localizer.say("thread.seed", seed=seed), localizer.say("thread.digest", digest=digest)]


def describe_turning_point(localizer: Localizer, facts: EndFacts, analysis: EndAnalysis) -> list[Markup]:
    """Return the round in which the game turned and its main event; empty if there is no turning point."""
    if analysis.turning_round is None or analysis.turning_round not in facts.ordered_events:
        return []
    events = [
        event
        for event in stored.read_events(
            RULESETS[facts.seated_game.game.system], *facts.ordered_events[analysis.turning_round]
        )
        if event.weight < _DECIDING_WEIGHT and event.seen_by is None
    ]
    winners = {*analysis.result.winners} if analysis.result else set()
    about_winners = [event for event in events if not event.concerned_seats or winners & {*event.concerned_seats}]
    has_news = any(event.weight and event.headline_score for event in about_winners)
    headline = tell_story(localizer, about_winners if has_news else events, None).headline
    return [
        localizer.say(
            "ending.turning",
            when=localizer.say("round", round=analysis.turning_round),
            what=localizer.to_markup(headline),
        )
    ]


def statistics_lines(localizer: Localizer, facts: EndFacts, analysis: EndAnalysis) -> list[str]:
    """Return a text for each captain who did anything, computers too, by seat; empty if nothing is kept of people."""
    statistics = dict(facts.statistics)
    if statistics:
        computers = {row.seat for row in facts.seated_game.seats if row.user_id is None} - statistics.keys()
        statistics |= {seat: counted for seat, counted in analysis.statistics.items() if seat in computers}
    kinds = ladder.dice_of_all(statistics.values())
    texts = [_captain_statistics(localizer, seat, counted, kinds) for seat, counted in sorted(statistics.items())]
    return [text for text in texts if text]


def _captain_statistics(localizer: Localizer, seat: int, statistics: Statistics, kinds: Collection[str]) -> str:
    """Return a captain's statistics, with successes and luck with `kinds` of dice in a second line; empty: nothing."""
    counts = [localizer.count_noun(f"fact.{key}", n) for key, n in statistics.counts.items() if n]
    successes = [
        localizer.say(f"rate.{key}", hits=rate.hits, tries=rate.tries, part=rate.hits / rate.tries)
        for key, rate in statistics.rates.items()
        if rate.hits
    ]
    successes += ladder.luck_verdicts(localizer, statistics.luck, kinds)
    if not counts:
        return ""
    lines = [localizer.say("ending.figures", who=seat, figures=localizer.to_markup(" · ".join(counts)))]
    if successes:
        lines.append(localizer.say("ending.came_off", figures=localizer.to_markup(" · ".join(successes))))
    return "\n".join(lines)


def describe_ratings(localizer: Localizer, facts: EndFacts) -> list[Markup]:
    reasons = [acts.log_entry_text(localizer, entry) for entry in facts.unrated_entries]
    if not facts.rating_changes:
        return reasons
    changes = [
        localizer.say("thread.rating", who=rated.captain, now=rated.new_rating, change=rated.change)
        for rated in facts.rating_changes
    ]
    return [*reasons, localizer.say("thread.ratings", changes=changes)]
