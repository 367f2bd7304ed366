"""What a panel shows, in the shapes that recur: a row of buttons, a select, a choice of one, the lists of forms."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Final, TypeVar

from msgspec import structs

from rules.protocol import Choices, Entry, Field, Group, Option
from rules.view import Text

T = TypeVar("T")

MOST_OPTIONS: Final = 25
"""Options of a select."""
MOST_BUTTONS: Final = 5
"""Options of a choice of one that are buttons; more are a select."""
MOST_ROW: Final = 20
"""Buttons of a row of many."""
MOST_FIELDS: Final = 5
"""Lists of a form."""


def buttons(key: str, options: Iterable[Option], *, beside: bool = False) -> Group:
    """A row of buttons under the heading `group.<key>`; `beside`: among the panel's own, such as Seal."""
    return Group(key=key, style="buttons", options=tuple(options), beside=beside)


def together(options: Iterable[Option]) -> tuple[Option, ...]:
    """Options of which a panel shows all or none on one page, such as left and right."""
    return tuple(structs.replace(option, joined=number > 0) for number, option in enumerate(options))


def rows(key: str, options: Iterable[Option]) -> Iterator[Group]:
    """Rows of twenty buttons each, under the headings `group.<key>.1`, `group.<key>.2` and so on."""
    left, number = iter(options), 0
    while row := tuple(islice(left, MOST_ROW)):
        number += 1
        yield buttons(f"{key}.{number}", row)


def select(key: str, options: Iterable[Option]) -> Group:
    """A select under the heading `group.<key>`, of the first 25 options."""
    return Group(key=key, style="select", options=tuple(islice(options, MOST_OPTIONS)))


def shown(*groups: Group) -> tuple[Group, ...]:
    """The groups that have an option."""
    return tuple(group for group in groups if group.options)


def pick(
    key: str,
    labels: Mapping[str, Text],
    chosen: str,
    *,
    line: Text | None = None,
    missing: str = "missing.choice",
    most: int = MOST_BUTTONS,
) -> Choices:
    """A choice of one of these answers, of which pressing seals; `line` is the draft in words, `missing` a key.

    More than `most` are a select.
    """
    options = [Option(token, label, draft=token, chosen=token == chosen, seals=True) for token, label in labels.items()]
    group = buttons(key, options) if len(options) <= most else select(key, options)
    return Choices(groups=(group,), lines=(line,) if line else (), missing=() if chosen else (Text(missing),))


def listed(label: Text, keep: Text, entries: Iterable[Entry], token: str = "keep") -> Field:  # noqa: S107 - no secret
    """A list of a form whose first line types nothing; that one is shown at first, unless another is."""
    others = tuple(entries)
    kept = Entry(token, keep, chosen=not any(one.chosen for one in others))
    return Field(label, (kept, *others))


def next_of(names: Mapping[str, bool], now: str) -> str:
    """The next of these names that is marked, after this one and then from the first on; empty: there is none."""
    every = list(names)
    at = every.index(now)
    return next((name for name in (*every[at + 1 :], *every[:at]) if names[name]), "")


def by_form(things: Sequence[T]) -> list[Sequence[T]]:
    """Things in parts as large as a form has lists; none if there is only one thing."""
    starts = range(0, len(things), MOST_FIELDS) if len(things) > 1 else ()
    return [things[start : start + MOST_FIELDS] for start in starts]
