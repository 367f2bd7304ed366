"""Ladders and profiles in words. What a game counts is named by its keys; nothing here knows any of them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

import msgspec

from bot.lifecycle.ratings.ratings import MIN_RANKED_GAMES, LadderEntry, is_provisional, stored_skill
from bot.lifecycle.ratings.ratings import rank_players as ranked
from bot.store.models.records import RatingRow, RatingSummary
from bot.texts.i18n import Localizer
from bot.texts.style import Markup
from rules.interface.statistics import DiceLuck, Statistics, add_statistics

MAX_RANKED: Final = 20
"""Lines in a message that holds but one ladder."""
MAX_PROVISIONAL: Final = 10
MAX_FAVOURITES: Final = 5
"""Favourites that are named."""
MIN_THROWS: Final = 10
"""Throws from which on one may speak of luck."""
_MAX_DETAILED_GAMES: Final = 2
"""Of so many games a short profile also says what was done in them."""
_ORDINARY_SIGMAS, _RARE_SIGMAS = 1.0, 2.0
"""Sigmas up to which dice are as dice are, and from which they are a rarity."""


def ladder_text(words: Localizer, scores: Sequence[RatingSummary], user_id: int, *, of: int = 1) -> str:
    """A server's ladder, of the game whose words these are.

    It tells the best, those who have just begun, and the reader at any rank, as one `of` several that share the
    room of a message.
    """
    rungs = ranked(scores)
    lines: list[str] = [words.style.heading(words.say("ladder.title", system=words.say("game")))]
    lines += _ladder_lines(words, [rung for rung in rungs if rung.rank is not None], MAX_RANKED // of, user_id)
    if others := [rung for rung in rungs if rung.rank is None]:
        lines.append(words.say("ladder.provisional", games=MIN_RANKED_GAMES))
        lines += _ladder_lines(words, others, MAX_PROVISIONAL // of, user_id)
    return "\n".join(lines)


def profile_text(
    words: Localizer,
    score: RatingSummary | None,
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
    found = add_statistics(msgspec.json.decode(row.facts, type=Statistics) for row in played)
    lines: list[str] = [words.style.bold(words.say("game"))]
    if score:
        lines.append(words.say("profile.rated", rating=_rating_text(score), record=_results_text(words, score)))
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
        lines.append(words.say("profile.orders", orders=_favourite_orders(words, found.orders)))
    if found.counts and (figures or of <= _MAX_DETAILED_GAMES):
        lines.append(words.to_markup(" · ".join(words.count_noun(f"fact.{key}", n) for key, n in found.counts.items())))
    if figures:
        for key, rate in found.rates.items():
            lines.append(words.say(f"rate.{key}", hits=rate.hits, tries=rate.tries, part=rate.hits / rate.tries))
        lines += [luck_text(words, key, one) for key, one in found.luck.items() if one.variance > 0]
    elif lucky := _luck_words(words, found.luck):
        lines.append(words.say("profile.lucky", each=lucky))
    return "\n".join(lines)


def profile_note(words: Localizer, scores: Iterable[RatingSummary], *, figures: bool) -> Markup:
    """What is below a profile: what a question mark at a rating means, if there is one, and what figures there are."""
    unsure = [words.say("profile.provisional", games=MIN_RANKED_GAMES)] if any(map(is_provisional, scores)) else []
    return words.to_markup(" ".join([*unsure, words.say("profile.note" if figures else "profile.more")]))


def _luck_words(words: Localizer, found: Mapping[str, DiceLuck]) -> list[Markup]:
    """How kind the dice were, in a word each, as far as there were throws enough to say so."""
    return [
        words.say(
            "profile.lucky.each",
            what=words.say(f"luck.{key}"),
            verdict=words.say(f"lucky.{_luck_word_key(_sigma_and_deviation(one)[1])}"),
            throws=one.throws,
        )
        for key, one in found.items()
        if _has_enough_throws(one)
    ]


def _has_enough_throws(found: DiceLuck) -> bool:
    """Whether there were throws enough to speak of luck."""
    return found.variance > 0 and found.throws >= MIN_THROWS


def luck_text(words: Localizer, key: str, found: DiceLuck) -> Markup:
    """What dice gave beside what they owed, with the error bar, and how often one must put up with that."""
    error, sigmas = _sigma_and_deviation(found)
    return words.say(
        "profile.luck",
        what=words.say(f"luck.{key}"),
        got=found.got,
        expected=found.expected,
        error=error,
        sigmas=sigmas,
        verdict=words.say(f"dice.{_luck_word_key(sigmas)}"),
    )


def luck_verdicts(words: Localizer, found: Mapping[str, DiceLuck]) -> list[Markup]:
    """The same in few words where there were throws enough; dice of which one may say the same in one."""
    alike: dict[str, list[Markup]] = {}
    for key, one in found.items():
        if _has_enough_throws(one):
            what = words.say(f"luck.{key}")
            # Beside a rate it is said what was to be expected of it: few hits may be as many as there are by chance.
            counted = words.catalogue.has(f"rate.{key}")
            said = words.say("ending.luck.each", what=what, got=one.got, expected=one.expected) if counted else what
            alike.setdefault(_luck_word_key(_sigma_and_deviation(one)[1]), []).append(said)
    return [
        words.say("ending.luck", what=words.to_markup(", ".join(what)), verdict=words.say(f"dice.{kind}"))
        for kind, what in alike.items()
    ]


def _sigma_and_deviation(found: DiceLuck) -> tuple[float, float]:
    """One sigma of what dice give, and by how many they gave more."""
    error = math.sqrt(found.variance)
    return error, (found.got - found.expected) / error


def _luck_word_key(sigmas: float) -> str:
    """What one may say of such dice."""
    if abs(sigmas) <= _ORDINARY_SIGMAS:
        return "ordinary"
    if abs(sigmas) < _RARE_SIGMAS:
        return "good" if sigmas > 0 else "bad"
    return "rare_good" if sigmas > 0 else "rare_bad"


def _ladder_lines(words: Localizer, rungs: Sequence[LadderEntry], most: int, user_id: int) -> list[str]:
    """The first of them, and the reader's own; how many others there are is said."""
    shown = [rung for place, rung in enumerate(rungs) if place < most or rung.score.user_id == user_id]
    lines: list[str] = [_ladder_line(words, rung) for rung in shown]
    if left := len(rungs) - len(shown):
        lines.append(words.say("ladder.more", n=left))
    return lines


def _ladder_line(words: Localizer, rung: LadderEntry) -> Markup:
    given = {"name": rung.score.name, "rating": _rating_text(rung.score), "record": _results_text(words, rung.score)}
    if rung.rank is None:
        return words.say("ladder.newcomer", **given)
    return words.say("ladder.rung", rank=rung.rank, **given)


def _rating_text(score: RatingSummary) -> str:
    return f"{stored_skill(score).displayed_rating}{'?' if is_provisional(score) else ''}"


def _results_text(words: Localizer, score: RatingSummary) -> Markup:
    return words.say("ladder.record", won=score.won, lost=score.lost, drawn=score.drawn)


def _favourite_orders(words: Localizer, orders: dict[str, int]) -> list[Markup]:
    best = sorted(orders.items(), key=lambda one: (-one[1], one[0]))[:MAX_FAVOURITES]
    every = sum(orders.values())
    return [
        words.say("profile.order", what=words.say(f"ordered.{key}"), n=times, part=times / every) for key, times in best
    ]
