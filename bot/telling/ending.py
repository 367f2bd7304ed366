"""The end of a game: why, where it turned, what captains did and threw, their ratings, and the proof of it."""

from __future__ import annotations

from typing import Final

import msgspec
from msgspec import Struct

from bot.life import ratings
from bot.life.playing import SeatedGame
from bot.store.records import LogEntryRow, RequestsAnswered
from bot.telling import acts, keepsakes, ladder
from bot.telling.keepsakes import KeepsakeFacts
from bot.telling.source import GameSource
from bot.telling.wording import end_reason_text, published_hash_text, short_hash_text
from bot.words import speech
from bot.words.i18n import Localizer
from bot.words.story import tell_story
from bot.words.style import Markup
from bot.work import stored
from bot.work.turning import EndAnalysis, PlayedStep
from rules.registry import RULESETS
from rules.tally import Statistics

MAX_STATISTICS_CHARS: Final = 2000
"""Characters of what captains did; of more captains than have room, the first."""
_DECIDING_WEIGHT: Final = 3
"""Weight of what only says that the game is over (`Event.weight`)."""


class RatingChange(Struct, frozen=True, kw_only=True):
    """What a game has made of a rating."""

    who: int | str
    """A seat, or the name of somebody who has left theirs."""
    now: int
    change: int


class EndFacts(Struct, frozen=True, kw_only=True):
    """A game that is over."""

    playing: SeatedGame
    steps: tuple[PlayedStep, ...]
    """For the job that finds out why it is over and where it turned; their states are secret no more."""
    fought: dict[int, tuple[str, ...]]
    """Events of what captains ordered, by round."""
    figures: tuple[tuple[int, Statistics], ...]
    """What captains did, by seat."""
    unrated: tuple[LogEntryRow, ...]
    """Why it counts for less than they may have thought."""
    kept: KeepsakeFacts
    """What its captains bring home."""
    changes: tuple[RatingChange, ...]
    digest: str


async def read_end(source: GameSource) -> EndFacts:
    """What there is to tell of a game that is over."""
    playing = source.playing
    chapters = await source.chapters()
    rows = {row.no: row for row in await source.every_step()}
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
    rated = await source.ratings()
    return EndFacts(
        playing=playing,
        steps=tuple(passed),
        fought=fought,
        figures=tuple((row.seat, msgspec.json.decode(row.facts, type=Statistics)) for row in rated),
        unrated=tuple(act for act in await source.acts() if act.kind.startswith("unrated_")),
        kept=await keepsakes.read_keepsakes(source),
        changes=await _read_rating_changes(source),
        digest=await source.digest(),
    )


async def _read_rating_changes(source: GameSource) -> tuple[RatingChange, ...]:
    playing, found = source.playing, []
    rows = [row for row in await source.ratings() if row.counted]
    players = await source.tx.players.find([row.user_id for row in rows])
    for row in rows:
        last = await source.tx.ratings.last(row.system, [row.user_id], before=row.rated_at)
        was, now = ratings.stored_skill(last.get(row.user_id)).shown, ratings.stored_skill(row).shown
        sits = playing.seats[row.seat].user_id == row.user_id
        who = row.seat if sits or row.user_id not in players else players[row.user_id].name
        found.append(RatingChange(who=who, now=now, change=now - was))
    return tuple(found)


def describe_result(words: Localizer, playing: SeatedGame, turned: EndAnalysis) -> list[Markup]:
    """Who has won, or that nobody has, for a headline; and a line that says why. Nothing if that isn't known."""
    found = turned.result
    if found is None:
        return []
    drawn = words.say("ending.called_off" if found.called_off else "ending.drawn")
    headline = words.say("ending.won", who=found.winners) if found.winners else drawn
    return [headline, end_reason_text(words, playing, found)]


def end_lines(words: Localizer, facts: EndFacts, turned: EndAnalysis) -> list[str]:
    """Return the lines below the last picture; the hashes come last, in one line of small print."""
    did = statistics_lines(words, facts)
    proof = words.say(
        "thread.proof", seed=short_hash_text(facts.playing.game.seed), digest=published_hash_text(facts.digest)
    )
    return [
        *describe_turning_point(words, facts, turned),
        *speech.split_pages(did, MAX_STATISTICS_CHARS)[:1],
        *keepsakes.keepsake_lines(words, facts.kept, turned.handed),
        *describe_ratings(words, facts),
        words.style.small(proof),
    ]


def proof_lines(words: Localizer, seed: str, digest: str) -> list[Markup]:
    """The seed and the digest of a game that is over, whole, as its log tells them."""
    return [words.say("thread.seed", seed=seed), words.say("thread.digest", digest=digest)]


def describe_turning_point(words: Localizer, facts: EndFacts, turned: EndAnalysis) -> list[Markup]:
    """In which round the game turned, and by what; nothing if it did not, or measures no strength."""
    if turned.round is None or turned.round not in facts.fought:
        return []
    events = stored.read_events(RULESETS[facts.playing.game.system], *facts.fought[turned.round])
    what = tell_story(words, [event for event in events if event.weight < _DECIDING_WEIGHT], None).headline
    return [words.say("ending.turning", when=words.say("round", round=turned.round), what=words.said(what))]


def statistics_lines(words: Localizer, facts: EndFacts) -> list[str]:
    """What captains did, each in lines of their own, as far as they did anything."""
    return [said for seat, one in facts.figures if (said := _captain_statistics(words, seat, one))]


def _captain_statistics(words: Localizer, seat: int, tally: Statistics) -> str:
    """Return what a captain did, and in a second line what succeeded and their dice; empty if they did nothing."""
    did = [words.count(f"fact.{key}", n) for key, n in tally.counts.items() if n]
    came_off = [
        words.say(f"rate.{key}", hits=rate.hits, tries=rate.tries, part=rate.hits / rate.tries)
        for key, rate in tally.rates.items()
        if rate.hits
    ]
    came_off += ladder.luck_verdicts(words, tally.luck)
    told = [words.say("ending.figures", who=seat, figures=words.said(" · ".join(did)))] if did else []
    told += [words.say("ending.came_off", figures=words.said(" · ".join(came_off)))] if came_off and did else []
    return "\n".join(told)


def describe_ratings(words: Localizer, facts: EndFacts) -> list[Markup]:
    """What a rated game has made of its captains' ratings, and why it counts for less than they may have thought."""
    why = [acts.log_entry_text(words, act) for act in facts.unrated]
    if not facts.changes:
        return why
    changes = [words.say("thread.rating", who=one.who, now=one.now, change=one.change) for one in facts.changes]
    return [*why, words.say("thread.ratings", changes=changes)]
