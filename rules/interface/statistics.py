"""A captain's actions and dice in a game, as numbers that can be added up over games."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Protocol

from msgspec import Struct

from rules.core.protocol import Event, Seat


class SuccessRate(Struct, frozen=True):
    hits: int  # attempts that succeeded
    tries: int  # attempts with or without success


class DiceLuck(Struct, frozen=True):
    """Results of dice, and their expected value and variance."""

    got: float  # sum of the results
    expected: float  # sum of the expected results
    variance: float  # the sum of the variances of independent throws
    throws: int = 0  # the number of throws, each of any number of dice or matches


class Statistics(Struct, frozen=True, kw_only=True):
    """One captain's statistics. The keys have texts `ordered.<key>`, `fact.<key>`, `rate.<key>` and `luck.<key>`."""

    orders: dict[str, int] = {}  # how often each kind of order was given
    counts: dict[str, int] = {}  # how often each fact occurred, in display order
    rates: dict[str, SuccessRate] = {}  # successes of each kind of attempt
    luck: dict[str, DiceLuck] = {}  # results of each kind of throw


class StatisticsCounter:
    def __init__(self, *counts: str) -> None:
        self._orders: Counter[str] = Counter()
        self._counts: Counter[str] = Counter(dict.fromkeys(counts, 0))
        self._rates: dict[str, SuccessRate] = {}
        self._luck: dict[str, DiceLuck] = {}

    def count_order(self, key: str, times: int = 1) -> None:
        """Count an order. Negative numbers undo earlier counts."""
        self._orders[key] += times

    def count_event(self, key: str, times: int = 1) -> None:
        self._counts[key] += times

    def count_attempts(self, key: str, hits: int, tries: int) -> None:
        before = self._rates.get(key, SuccessRate(0, 0))
        self._rates[key] = SuccessRate(before.hits + hits, before.tries + tries)

    def count_throws(self, key: str, got: float, expected: float, variance: float, throws: int = 1) -> None:
        before = self._luck.get(key, DiceLuck(0.0, 0.0, 0.0))
        self._luck[key] = DiceLuck(
            before.got + got, before.expected + expected, before.variance + variance, before.throws + throws
        )

    def count_dice(self, key: str, got: float, count: int = 1) -> None:
        """Count the sum of `count` fair dice as one throw. No dice count as nothing."""
        if count:
            self.count_throws(key, got, count * 3.5, count * 35 / 12)

    def count_attempted_order(self, key: str, hit: bool, *dice: int) -> None:  # noqa: FBT001 - read as "attempted a ram, hit"
        """Count an order, its success, and its dice under `<key>.dice`."""
        self.count_order(key)
        self.count_attempts(key, int(hit), 1)
        self.count_dice(f"{key}.dice", sum(dice), len(dice))

    def add_statistics(self, tally: Statistics) -> None:
        self._orders.update(tally.orders)
        for key, count in tally.counts.items():
            self._counts[key] += count
        for key, rate in tally.rates.items():
            self.count_attempts(key, rate.hits, rate.tries)
        for key, luck in tally.luck.items():
            self.count_throws(key, luck.got, luck.expected, luck.variance, luck.throws)

    def statistics(self) -> Statistics:
        return Statistics(
            orders={key: times for key, times in sorted(self._orders.items()) if times},
            counts=dict(self._counts),
            rates=dict(sorted(self._rates.items())),
            luck=dict(sorted(self._luck.items())),
        )


def tally_events(
    seats: Iterable[Seat],
    counts: Iterable[str],
    events: Iterable[Event],
    count_event: Callable[[Mapping[Seat, StatisticsCounter], Event], None],
) -> dict[Seat, Statistics]:
    """Return each seat's statistics after `count_event` was called for every event. `counts` start at 0."""
    count_keys = tuple(counts)
    counters = {seat: StatisticsCounter(*count_keys) for seat in seats}
    for event in events:
        count_event(counters, event)
    return {seat: counter.statistics() for seat, counter in counters.items()}


class EventCounter(Protocol):
    """Counts events one after another, for seats that it works out itself."""

    by_seat: dict[Seat, StatisticsCounter]

    def count(self, event: Event, /) -> None: ...


def count_events(counter: EventCounter, events: Iterable[Event]) -> dict[Seat, Statistics]:
    for event in events:
        counter.count(event)
    return {seat: statistics_counter.statistics() for seat, statistics_counter in sorted(counter.by_seat.items())}


def subtract_statistics(whole: Statistics, part: Statistics) -> Statistics:
    """Return statistics without a part of them."""
    counter = StatisticsCounter(*whole.counts)
    counter.add_statistics(whole)
    counter.add_statistics(
        Statistics(
            orders={key: -times for key, times in part.orders.items()},
            counts={key: -times for key, times in part.counts.items()},
            rates={key: SuccessRate(-rate.hits, -rate.tries) for key, rate in part.rates.items()},
            luck={
                key: DiceLuck(-throw.got, -throw.expected, -throw.variance, -throw.throws)
                for key, throw in part.luck.items()
            },
        )
    )
    return counter.statistics()


def add_statistics(tallies: Iterable[Statistics]) -> Statistics:
    counter = StatisticsCounter()
    for tally in tallies:
        counter.add_statistics(tally)
    return counter.statistics()
