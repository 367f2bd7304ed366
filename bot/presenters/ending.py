"""The end of a game: why, where it turned, what captains did and threw, their ratings, and the proof of it."""

from __future__ import annotations

from typing import Final

import msgspec
from msgspec import Struct

from bot.jobs import stored
from bot.jobs.turning import EndAnalysis, PlayedStep
from bot.lifecycle.ratings import ratings
from bot.lifecycle.steps.playing import SeatedGame
from bot.presenters import acts, keepsakes, ladder
from bot.presenters.keepsakes import KeepsakeFacts
from bot.presenters.source import GameSource
from bot.presenters.wording import end_reason_text, published_hash_text, short_hash_text
from bot.store.models.records import LogEntryRow, RequestsAnswered
from bot.texts import speech
from bot.texts.i18n import Localizer
from bot.texts.story import tell_story
from bot.texts.style import Markup
from rules.core.registry import RULESETS
from rules.interface.statistics import Statistics

MAX_STATISTICS_CHARS: Final = 2000
"""Characters of what captains did; of more captains than have room, the first."""
_DECIDING_WEIGHT: Final = 3
"""Weight of what only says that the game is over (`Event.weight`)."""


class RatingChange(Struct, frozen=True, kw_only=True):
    """What a game has made of a rating."""

    captain: int | str
    """A seat, or the name of somebody who has left theirs."""
    new_rating: int
    change: int


class EndFacts(Struct, frozen=True, kw_only=True):
    """A game that is over."""

    seated_game: SeatedGame
    steps: tuple[PlayedStep, ...]
    """For the job that finds out why it is over and where it turned; their states are secret no more."""
    ordered_events: dict[int, tuple[str, ...]]
    """Events of what captains ordered, by round."""
    statistics: tuple[tuple[int, Statistics], ...]
    """What captains did, by seat."""
    unrated_entries: tuple[LogEntryRow, ...]
    """Why it counts for less than they may have thought."""
    keepsakes: KeepsakeFacts
    """What its captains bring home."""
    rating_changes: tuple[RatingChange, ...]
    digest: str


async def read_end(source: GameSource) -> EndFacts:
    """What there is to tell of a game that is over."""
    playing = source.seated_game
    chapters = await source.chapters()
    rows = {row.no: row for row in await source.all_steps()}
    passed = [
        PlayedStep(chapter.round, isinstance(rows[no].cause, RequestsAnswered), rows[no].state)
        for chapter in chapters
        for no in chapter.steps
    ]
    fought: dict[int, tuple[str, ...]] = {}
    for chapter in reversed(chapters):
        fought[chapter.round] = tuple(
            rows[no].events for no in chapter.steps if isinstance(rows[no].cause, RequestsAnswered)
        )
    rated = await source.rating_rows()
    return EndFacts(
        seated_game=playing,
        steps=tuple(passed),
        ordered_events=fought,
        statistics=tuple((row.seat, msgspec.json.decode(row.facts, type=Statistics)) for row in rated),
        unrated_entries=tuple(act for act in await source.audit_log() if act.kind.startswith("unrated_")),
        keepsakes=await keepsakes.read_keepsakes(source),
        rating_changes=await _read_rating_changes(source),
        digest=await source.record_digest(),
    )


async def _read_rating_changes(source: GameSource) -> tuple[RatingChange, ...]:
    playing, found = source.seated_game, []
    rows = [row for row in await source.rating_rows() if row.counted]
    players = await source.tx.players.find_all([row.user_id for row in rows])
    for row in rows:
        last = await source.tx.ratings.last_of_users(row.system, [row.user_id], before=row.rated_at)
        was, now = (
            ratings.stored_skill(last.get(row.user_id)).displayed_rating,
            ratings.stored_skill(row).displayed_rating,
        )
        sits = playing.seats[row.seat].user_id == row.user_id
        who = row.seat if sits or row.user_id not in players else players[row.user_id].name
        found.append(RatingChange(captain=who, new_rating=now, change=now - was))
    return tuple(found)


def describe_result(words: Localizer, playing: SeatedGame, turned: EndAnalysis) -> list[Markup]:
    """Who has won, or that nobody has, for a headline; and a line that says why. Nothing if that isn't known."""
    found = turned.result
    if found is None:
        return []
    drawn = words.say("ending.called_off" if found.is_called_off else "ending.drawn")
    headline = words.say("ending.won", who=found.winners) if found.winners else drawn
    return [headline, end_reason_text(words, playing, found)]


def end_lines(words: Localizer, facts: EndFacts, turned: EndAnalysis) -> list[str]:
    """Return the lines below the last picture; the hashes come last, in one line of small print."""
    did = statistics_lines(words, facts)
    proof = words.say(
        "thread.proof", seed=short_hash_text(facts.seated_game.game.seed), digest=published_hash_text(facts.digest)
    )
    return [
        *describe_turning_point(words, facts, turned),
        *speech.split_pages(did, MAX_STATISTICS_CHARS)[:1],
        *keepsakes.keepsake_lines(words, facts.keepsakes, turned.handed_on),
        *describe_ratings(words, facts),
        words.style.small(proof),
    ]


def proof_lines(words: Localizer, seed: str, digest: str) -> list[Markup]:
    """The seed and the digest of a game that is over, whole, as its log tells them."""
    return [words.say("thread.seed", seed=seed), words.say("thread.digest", digest=digest)]


def describe_turning_point(words: Localizer, facts: EndFacts, turned: EndAnalysis) -> list[Markup]:
    """In which round the game turned, and by what; nothing if it did not, or measures no strength."""
    if turned.turning_round is None or turned.turning_round not in facts.ordered_events:
        return []
    events = stored.read_events(RULESETS[facts.seated_game.game.system], *facts.ordered_events[turned.turning_round])
    what = tell_story(words, [event for event in events if event.weight < _DECIDING_WEIGHT], None).headline
    return [
        words.say("ending.turning", when=words.say("round", round=turned.turning_round), what=words.to_markup(what))
    ]


def statistics_lines(words: Localizer, facts: EndFacts) -> list[str]:
    """What captains did, each in lines of their own, as far as they did anything."""
    return [said for seat, one in facts.statistics if (said := _captain_statistics(words, seat, one))]


def _captain_statistics(words: Localizer, seat: int, tally: Statistics) -> str:
    """Return what a captain did, and in a second line what succeeded and their dice; empty if they did nothing."""
    did = [words.count_noun(f"fact.{key}", n) for key, n in tally.counts.items() if n]
    came_off = [
        words.say(f"rate.{key}", hits=rate.hits, tries=rate.tries, part=rate.hits / rate.tries)
        for key, rate in tally.rates.items()
        if rate.hits
    ]
    came_off += ladder.luck_verdicts(words, tally.luck)
    told = [words.say("ending.figures", who=seat, figures=words.to_markup(" · ".join(did)))] if did else []
    told += [words.say("ending.came_off", figures=words.to_markup(" · ".join(came_off)))] if came_off and did else []
    return "\n".join(told)


def describe_ratings(words: Localizer, facts: EndFacts) -> list[Markup]:
    """What a rated game has made of its captains' ratings, and why it counts for less than they may have thought."""
    why = [acts.log_entry_text(words, act) for act in facts.unrated_entries]
    if not facts.rating_changes:
        return why
    changes = [
        words.say("thread.rating", who=one.captain, now=one.new_rating, change=one.change)
        for one in facts.rating_changes
    ]
    return [*why, words.say("thread.ratings", changes=changes)]
