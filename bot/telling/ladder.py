"""Ladders and profiles in words. What a game counts is named by its keys; nothing here knows any of them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

import msgspec

from bot.life.ratings import PROVISIONAL_UNTIL, Rung, provisional, skill_of
from bot.life.ratings import ladder as ranked
from bot.store.records import RatingRow, Score
from bot.words.i18n import Words
from bot.words.style import Said
from rules.tally import Luck, Tally, joined

RANKED_MOST: Final = 20
"""Lines in a message that holds but one ladder."""
PROVISIONAL_MOST: Final = 10
ORDERS_MOST: Final = 5
"""Favourites that are named."""
THROWS_LEAST: Final = 10
"""Throws from which on one may speak of luck."""
_GAMES_IN_FULL: Final = 2
"""Of so many games a short profile also says what was done in them."""
_ORDINARY, _RARE = 1.0, 2.0
"""Sigmas up to which dice are as dice are, and from which they are a rarity."""


def ladder(words: Words, scores: Sequence[Score], user_id: int, *, of: int = 1) -> str:
    """A server's ladder, of the game whose words these are.

    It tells the best, those who have just begun, and the reader at any rank, as one `of` several that share the
    room of a message.
    """
    rungs = ranked(scores)
    lines: list[str] = [words.style.heading(words.say("ladder.title", system=words.say("game")))]
    lines += _rungs(words, [rung for rung in rungs if rung.rank is not None], RANKED_MOST // of, user_id)
    if others := [rung for rung in rungs if rung.rank is None]:
        lines.append(words.say("ladder.provisional", games=PROVISIONAL_UNTIL))
        lines += _rungs(words, others, PROVISIONAL_MOST // of, user_id)
    return "\n".join(lines)


def profile(
    words: Words,
    score: Score | None,
    played: Sequence[RatingRow],
    *,
    battles: Mapping[int, str] = MappingProxyType({}),
    figures: bool = False,
    of: int = 1,
) -> str:
    """Return what somebody has done in all their finished games of one kind, as one `of` several.

    `battles` says by their numbers which of all their games were battles, and of what kind of game. It has a few lines;
    with all `figures` a line for each rate, and for what dice gave beside what they owed.
    """
    found = joined(msgspec.json.decode(row.facts, type=Tally) for row in played)
    lines: list[str] = [words.style.bold(words.say("game"))]
    if score:
        lines.append(words.say("profile.rated", rating=_rating(score), record=_record(words, score)))
    own = sum(row.game_id in battles for row in played)
    if friendly := [row for row in played if not row.counted and row.game_id not in battles]:
        ended = Counter(row.outcome for row in friendly)
        record = words.say("ladder.record", won=ended["won"], lost=ended["lost"], drawn=ended["drawn"])
        lines.append(words.say("profile.unrated", games=len(friendly), record=record))
    if own:
        lines.append(words.say("profile.in_battles", games=own))
    if fought := sum(system == words.catalogue.system for system in battles.values()):
        lines.append(words.say("profile.battles", games=fought))
    lines = lines if figures else [" · ".join(lines)]
    if found.orders:
        lines.append(words.say("profile.orders", orders=_favourites(words, found.orders)))
    if found.counts and (figures or of <= _GAMES_IN_FULL):
        lines.append(words.said(" · ".join(words.count(f"fact.{key}", n) for key, n in found.counts.items())))
    if figures:
        for key, rate in found.rates.items():
            lines.append(words.say(f"rate.{key}", hits=rate.hits, tries=rate.tries, part=rate.hits / rate.tries))
        lines += [luck(words, key, one) for key, one in found.luck.items() if one.variance > 0]
    elif lucky := _lucky(words, found.luck):
        lines.append(words.say("profile.lucky", each=lucky))
    return "\n".join(lines)


def note(words: Words, scores: Iterable[Score], *, figures: bool) -> Said:
    """What is below a profile: what a question mark at a rating means, if there is one, and what figures there are."""
    unsure = [words.say("profile.provisional", games=PROVISIONAL_UNTIL)] if any(map(provisional, scores)) else []
    return words.said(" ".join([*unsure, words.say("profile.note" if figures else "profile.more")]))


def _lucky(words: Words, found: Mapping[str, Luck]) -> list[Said]:
    """How kind the dice were, in a word each, as far as there were throws enough to say so."""
    return [
        words.say(
            "profile.lucky.each",
            what=words.say(f"luck.{key}"),
            verdict=words.say(f"lucky.{_kind(_error(one)[1])}"),
            throws=one.throws,
        )
        for key, one in found.items()
        if _tells(one)
    ]


def _tells(found: Luck) -> bool:
    """Whether there were throws enough to speak of luck."""
    return found.variance > 0 and found.throws >= THROWS_LEAST


def luck(words: Words, key: str, found: Luck) -> Said:
    """What dice gave beside what they owed, with the error bar, and how often one must put up with that."""
    error, sigmas = _error(found)
    return words.say(
        "profile.luck",
        what=words.say(f"luck.{key}"),
        got=found.got,
        expected=found.expected,
        error=error,
        sigmas=sigmas,
        verdict=words.say(f"dice.{_kind(sigmas)}"),
    )


def verdicts(words: Words, found: Mapping[str, Luck]) -> list[Said]:
    """The same in few words where there were throws enough; dice of which one may say the same in one."""
    alike: dict[str, list[Said]] = {}
    for key, one in found.items():
        if _tells(one):
            what = words.say(f"luck.{key}")
            # Beside a rate it is said what was to be expected of it: few hits may be as many as there are by chance.
            counted = words.catalogue.has(f"rate.{key}")
            said = words.say("ending.luck.each", what=what, got=one.got, expected=one.expected) if counted else what
            alike.setdefault(_kind(_error(one)[1]), []).append(said)
    return [
        words.say("ending.luck", what=words.said(", ".join(what)), verdict=words.say(f"dice.{kind}"))
        for kind, what in alike.items()
    ]


def _error(found: Luck) -> tuple[float, float]:
    """One sigma of what dice give, and by how many they gave more."""
    error = math.sqrt(found.variance)
    return error, (found.got - found.expected) / error


def _kind(sigmas: float) -> str:
    """What one may say of such dice."""
    if abs(sigmas) <= _ORDINARY:
        return "ordinary"
    if abs(sigmas) < _RARE:
        return "good" if sigmas > 0 else "bad"
    return "rare_good" if sigmas > 0 else "rare_bad"


def _rungs(words: Words, rungs: Sequence[Rung], most: int, user_id: int) -> list[str]:
    """The first of them, and the reader's own; how many others there are is said."""
    shown = [rung for place, rung in enumerate(rungs) if place < most or rung.score.user_id == user_id]
    lines: list[str] = [_rung(words, rung) for rung in shown]
    if left := len(rungs) - len(shown):
        lines.append(words.say("ladder.more", n=left))
    return lines


def _rung(words: Words, rung: Rung) -> Said:
    given = {"name": rung.score.name, "rating": _rating(rung.score), "record": _record(words, rung.score)}
    if rung.rank is None:
        return words.say("ladder.newcomer", **given)
    return words.say("ladder.rung", rank=rung.rank, **given)


def _rating(score: Score) -> str:
    return f"{skill_of(score).shown}{'?' if provisional(score) else ''}"


def _record(words: Words, score: Score) -> Said:
    return words.say("ladder.record", won=score.won, lost=score.lost, drawn=score.drawn)


def _favourites(words: Words, orders: dict[str, int]) -> list[Said]:
    best = sorted(orders.items(), key=lambda one: (-one[1], one[0]))[:ORDERS_MOST]
    every = sum(orders.values())
    return [
        words.say("profile.order", what=words.say(f"ordered.{key}"), n=times, part=times / every) for key, times in best
    ]
