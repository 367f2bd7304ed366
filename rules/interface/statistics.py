"""What a captain did and threw in a game, as numbers that can be added up over games."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping

from msgspec import Struct

from rules.core.protocol import Event, Seat


class SuccessRate(Struct, frozen=True):
    """How often something came off."""

    hits: int
    tries: int
    """At least as many."""


class DiceLuck(Struct, frozen=True):
    """What dice gave, and what they give on average."""

    got: float
    expected: float
    variance: float
    """Of what they give: the sum of that of each throw, as throws owe nothing to each other."""
    throws: int = 0
    """How many throws of the captain these were, however many dice or matches each took."""


class Statistics(Struct, frozen=True, kw_only=True):
    """All that is counted of one captain. The words for a key stand in the catalogues."""

    orders: dict[str, int] = {}
    """How often the seat gave each order, as `ordered.<key>`."""
    counts: dict[str, int] = {}
    """How often something happened, as `fact.<key>`, in the order in which it is shown."""
    rates: dict[str, SuccessRate] = {}
    """As `rate.<key>`."""
    luck: dict[str, DiceLuck] = {}
    """By what was thrown for, as `luck.<key>`."""


class StatisticsCounter:
    """Counts for one captain, step by step."""

    def __init__(self, *counts: str) -> None:
        """Begin with these counts at nought, in the order in which they are told."""
        self._orders: Counter[str] = Counter()
        self._counts: Counter[str] = Counter(dict.fromkeys(counts, 0))
        self._rates: dict[str, SuccessRate] = {}
        self._luck: dict[str, DiceLuck] = {}

    def count_order(self, key: str, times: int = 1) -> None:
        """Count an order; a negative number takes back what was counted."""
        self._orders[key] += times

    def count_event(self, key: str, times: int = 1) -> None:
        """Count something once, or as often as is said; not at all is nothing."""
        self._counts[key] += times

    def count_attempts(self, key: str, hits: int, tries: int) -> None:
        """Something came off in `hits` of `tries`."""
        before = self._rates.get(key, SuccessRate(0, 0))
        self._rates[key] = SuccessRate(before.hits + hits, before.tries + tries)

    def count_throws(self, key: str, got: float, expected: float, variance: float, throws: int = 1) -> None:
        """Count what dice gave the seat, in one throw or in several."""
        before = self._luck.get(key, DiceLuck(0.0, 0.0, 0.0))
        self._luck[key] = DiceLuck(
            before.got + got, before.expected + expected, before.variance + variance, before.throws + throws
        )

    def count_dice(self, key: str, got: float, count: int = 1, faces: int = 6) -> None:
        """So many fair dice gave their captain this sum; no dice are nothing."""
        if count:
            self.count_throws(key, got, count * (faces + 1) / 2, count * (faces**2 - 1) / 12)

    def count_attempted_order(self, key: str, hit: bool, *dice: int) -> None:  # noqa: FBT001 - read as "attempted a ram, hit"
        """Count an order, whether it came off, and the dice that it took, as `<key>.dice`."""
        self.count_order(key)
        self.count_attempts(key, int(hit), 1)
        self.count_dice(f"{key}.dice", sum(dice), len(dice))

    def add_statistics(self, tally: Statistics) -> None:
        """Count what was counted elsewhere."""
        self._orders.update(tally.orders)
        for key, n in tally.counts.items():
            self._counts[key] += n
        for key, rate in tally.rates.items():
            self.count_attempts(key, rate.hits, rate.tries)
        for key, luck in tally.luck.items():
            self.count_throws(key, luck.got, luck.expected, luck.variance, luck.throws)

    def statistics(self) -> Statistics:
        """All that was counted."""
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
    enter: Callable[[Mapping[Seat, StatisticsCounter], Event], None],
) -> dict[Seat, Statistics]:
    """The tally of each seat, of events that `enter` counts one after the other; `counts` begin at nought."""
    names = tuple(counts)
    books = {seat: StatisticsCounter(*names) for seat in seats}
    for event in events:
        enter(books, event)
    return {seat: book.statistics() for seat, book in books.items()}


def subtract_statistics(whole: Statistics, part: Statistics) -> Statistics:
    """What is left of all that was counted without a part of it."""
    book = StatisticsCounter(*whole.counts)
    book.add_statistics(whole)
    book.add_statistics(
        Statistics(
            orders={key: -times for key, times in part.orders.items()},
            counts={key: -times for key, times in part.counts.items()},
            rates={key: SuccessRate(-rate.hits, -rate.tries) for key, rate in part.rates.items()},
            luck={key: DiceLuck(-one.got, -one.expected, -one.variance, -one.throws) for key, one in part.luck.items()},
        )
    )
    return book.statistics()


def add_statistics(tallies: Iterable[Statistics]) -> Statistics:
    """Add up what was counted in several games."""
    book = StatisticsCounter()
    for tally in tallies:
        book.add_statistics(tally)
    return book.statistics()
