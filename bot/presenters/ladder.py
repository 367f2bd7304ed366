"""Ladders and profiles in words; the statistics of each game are named by its keys."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

import msgspec

from bot.lifecycle.ratings.ratings import MIN_RANKED_GAMES, LadderEntry, is_provisional, rank_players, stored_skill
from bot.store.models.records import RatingRow, RatingSummary
from bot.texts.i18n import Localizer
from bot.texts.style import Markup
from rules.interface.statistics import DiceLuck, Statistics, add_statistics

MAX_RANKED: Final = 20
MAX_PROVISIONAL: Final = 10
MAX_FAVOURITES: Final = 5
MIN_THROWS: Final = 10
"""Fewer throws say nothing about luck."""
_MAX_DETAILED_GAMES: Final = 2
"""With more kinds of games, a short profile leaves out the counts."""
_ORDINARY_SIGMAS, _RARE_SIGMAS = 1.0, 2.0
"""Deviations up to the first are ordinary luck, and from the second on rare."""


def ladder_text(localizer: Localizer, scores: Sequence[RatingSummary], user_id: int, *, ladder_count: int = 1) -> str:
    """Return a server's ladder: the best, newcomers, and the line of the reader (`user_id`) at any rank.

    `ladder_count` ladders share a message.
    """
    entries = rank_players(scores)
    ranked_entries = [entry for entry in entries if entry.rank is not None]
    newcomers = [entry for entry in entries if entry.rank is None]
    lines: list[str] = [localizer.style.heading(localizer.say("ladder.title", system=localizer.say("game")))]
    lines += _ladder_lines(localizer, ranked_entries, MAX_RANKED // ladder_count, user_id)
    if newcomers:
        lines.append(localizer.say("ladder.provisional", games=MIN_RANKED_GAMES))
        lines += _ladder_lines(localizer, newcomers, MAX_PROVISIONAL // ladder_count, user_id)
    return "\n".join(lines)


def profile_text(
    localizer: Localizer,
    score: RatingSummary | None,
    played: Sequence[RatingRow],
    *,
    battle_systems: Mapping[int, str] = MappingProxyType({}),
    figures: bool = False,
    profile_count: int = 1,
) -> str:
    """Return a user's results in all finished games of one kind.

    `battle_systems` maps the ids of games that were battles of another game to that game's key. With `figures` there is
    a line for each rate and kind of dice. `profile_count` profiles share a message.
    """
    statistics = add_statistics(msgspec.json.decode(row.facts, type=Statistics) for row in played)
    lines: list[str] = [localizer.style.bold(localizer.catalogue.say_game())]
    if score:
        lines.append(localizer.say("profile.rated", rating=_rating_text(score), record=_results_text(localizer, score)))
    battle_count = sum(row.game_id in battle_systems for row in played)
    unrated_games = [row for row in played if not row.counted and row.game_id not in battle_systems]
    if unrated_games:
        outcomes = Counter(row.outcome for row in unrated_games)
        record = localizer.say("ladder.record", won=outcomes["won"], lost=outcomes["lost"], drawn=outcomes["drawn"])
        lines.append(localizer.say("profile.unrated", games=len(unrated_games), record=record))
    if battle_count:
        lines.append(localizer.say("profile.in_battles", games=battle_count))
    fought_battles = sum(system == localizer.catalogue.system for system in battle_systems.values())
    if fought_battles:
        lines.append(localizer.say("profile.battles", games=fought_battles))
    lines = lines if figures else [" · ".join(lines)]
    if statistics.orders:
        lines.append(localizer.say("profile.orders", orders=_favourite_orders(localizer, statistics.orders)))
    if statistics.counts and (figures or profile_count <= _MAX_DETAILED_GAMES):
        counts = [localizer.count_noun(f"fact.{key}", n) for key, n in statistics.counts.items()]
        lines.append(localizer.to_markup(" · ".join(counts)))
    if figures:
        for key, rate in statistics.rates.items():
            if not rate.tries:
                continue
            lines.append(localizer.say(f"rate.{key}", hits=rate.hits, tries=rate.tries, part=rate.hits / rate.tries))
        lines += [luck_text(localizer, key, luck) for key, luck in statistics.luck.items() if luck.variance > 0]
    else:
        verdicts = _brief_luck_texts(localizer, statistics.luck)
        if verdicts:
            lines.append(localizer.say("profile.lucky", each=verdicts))
    return "\n".join(lines)


def profile_note(localizer: Localizer, scores: Iterable[RatingSummary], *, figures: bool) -> Markup:
    notes = [localizer.say("profile.provisional", games=MIN_RANKED_GAMES)] if any(map(is_provisional, scores)) else []
    return localizer.to_markup(" ".join([*notes, localizer.say("profile.note" if figures else "profile.more")]))


def _brief_luck_texts(localizer: Localizer, luck_by_key: Mapping[str, DiceLuck]) -> list[Markup]:
    """Return how lucky a user was with each kind of dice that they have thrown often enough."""
    texts: list[Markup] = []
    for key, luck in luck_by_key.items():
        if _has_enough_throws(luck):
            _, sigmas = _error_and_sigmas(luck)
            verdict = localizer.say(f"lucky.{_luck_word_key(sigmas)}")
            dice = localizer.say(f"luck.{key}")
            texts.append(localizer.say("profile.lucky.each", what=dice, verdict=verdict, throws=luck.throws))
    return texts


def _has_enough_throws(luck: DiceLuck) -> bool:
    return luck.variance > 0 and luck.throws >= MIN_THROWS


def luck_text(localizer: Localizer, key: str, luck: DiceLuck) -> Markup:
    """Return the result of dice beside the expected one, the standard error, and how rare the deviation is."""
    error, sigmas = _error_and_sigmas(luck)
    return localizer.say(
        "profile.luck",
        what=localizer.say(f"luck.{key}"),
        got=luck.got,
        expected=luck.expected,
        error=error,
        sigmas=sigmas,
        verdict=localizer.say(f"dice.{_luck_word_key(sigmas)}"),
    )


def dice_of_all(statistics: Iterable[Statistics]) -> set[str]:
    """Return the kinds of dice that every captain who threw any has thrown often enough to compare their luck."""
    throws = [(key, luck) for each in statistics for key, luck in each.luck.items() if luck.throws]
    return {key for key, _ in throws} - {key for key, luck in throws if not _has_enough_throws(luck)}


def luck_verdicts(localizer: Localizer, luck_by_key: Mapping[str, DiceLuck], kinds: Collection[str]) -> list[Markup]:
    """Return brief verdicts on these kinds of dice, grouped by verdict."""
    texts_by_verdict: dict[str, list[Markup]] = {}
    for key, luck in luck_by_key.items():
        if key in kinds and luck.throws:
            name = localizer.say(f"luck.{key}")
            # A rate needs the expected number beside it, because few hits may be normal.
            has_rate = localizer.catalogue.has(f"rate.{key}")
            text = (
                localizer.say("ending.luck.each", what=name, got=luck.got, expected=luck.expected) if has_rate else name
            )
            _, sigmas = _error_and_sigmas(luck)
            texts_by_verdict.setdefault(_luck_word_key(sigmas), []).append(text)
    return [
        localizer.say("ending.luck", what=localizer.to_markup(", ".join(texts)), verdict=localizer.say(f"dice.{kind}"))
        for kind, texts in texts_by_verdict.items()
    ]


def _error_and_sigmas(luck: DiceLuck) -> tuple[float, float]:
    """Return the standard error of a sum of dice, and the deviation from the expected sum in multiples of it."""
    error = math.sqrt(luck.variance)
    return error, (luck.got - luck.expected) / error


def _luck_word_key(sigmas: float) -> str:
    if abs(sigmas) <= _ORDINARY_SIGMAS:
        return "ordinary"
    if abs(sigmas) < _RARE_SIGMAS:
        return "good" if sigmas > 0 else "bad"
    return "rare_good" if sigmas > 0 else "rare_bad"


def _ladder_lines(localizer: Localizer, entries: Sequence[LadderEntry], most: int, user_id: int) -> list[str]:
    """Return the first `most` entries and that of the reader (`user_id`), then how many are left out."""
    included = [entry for place, entry in enumerate(entries) if place < most or entry.score.user_id == user_id]
    lines: list[str] = [_ladder_line(localizer, entry) for entry in included]
    left_out_count = len(entries) - len(included)
    if left_out_count:
        lines.append(localizer.say("ladder.more", n=left_out_count))
    return lines


def _ladder_line(localizer: Localizer, entry: LadderEntry) -> Markup:
    params = {
        "name": entry.score.name,
        "rating": _rating_text(entry.score),
        "record": _results_text(localizer, entry.score),
    }
    if entry.rank is None:
        return localizer.say("ladder.newcomer", **params)
    return localizer.say("ladder.rung", rank=entry.rank, **params)


def _rating_text(score: RatingSummary) -> str:
    return f"{stored_skill(score).displayed_rating}{'?' if is_provisional(score) else ''}"


def _results_text(localizer: Localizer, score: RatingSummary) -> Markup:
    return localizer.say("ladder.record", won=score.won, lost=score.lost, drawn=score.drawn)


def _favourite_orders(localizer: Localizer, orders: dict[str, int]) -> list[Markup]:
    best = sorted(orders.items(), key=lambda item: (-item[1], item[0]))[:MAX_FAVOURITES]
    total = sum(orders.values())
    return [
        localizer.say("profile.order", what=localizer.say(f"ordered.{key}"), n=times, part=times / total)
        for key, times in best
    ]
