"""What a panel shows, in the shapes that recur: a row of buttons, a select, a choice of one, the lists of forms."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Final, TypeVar

from msgspec import structs

from rules.core.protocol import Choices, FormField, FormLine, Option, OptionGroup
from rules.core.view import Text

T = TypeVar("T")

MAX_OPTIONS: Final = 25
"""Options of a select."""
MAX_BUTTONS: Final = 5
"""Options of a choice of one that are buttons; more are a select."""
MAX_ROW_BUTTONS: Final = 20
"""Buttons of a row of many."""
MAX_FIELDS: Final = 5
"""Lists of a form."""


def button_row(key: str, options: Iterable[Option], *, beside: bool = False) -> OptionGroup:
    """A row of buttons under the heading `group.<key>`; `beside`: among the panel's own, such as Seal."""
    return OptionGroup(key=key, style="buttons", options=tuple(options), is_beside_controls=beside)


def keep_together(options: Iterable[Option]) -> tuple[Option, ...]:
    """Options of which a panel shows all or none on one page, such as left and right."""
    return tuple(structs.replace(option, is_joined=number > 0) for number, option in enumerate(options))


def button_rows(key: str, options: Iterable[Option]) -> Iterator[OptionGroup]:
    """Rows of twenty buttons each, under the headings `group.<key>.1`, `group.<key>.2` and so on."""
    left, number = iter(options), 0
    while row := tuple(islice(left, MAX_ROW_BUTTONS)):
        number += 1
        yield button_row(f"{key}.{number}", row)


def select_menu(key: str, options: Iterable[Option]) -> OptionGroup:
    """A select under the heading `group.<key>`, of the first 25 options."""
    return OptionGroup(key=key, style="select", options=tuple(islice(options, MAX_OPTIONS)))


def drop_empty(*groups: OptionGroup) -> tuple[OptionGroup, ...]:
    """The groups that have an option."""
    return tuple(group for group in groups if group.options)


def single_choice(
    key: str,
    labels: Mapping[str, Text],
    chosen: str,
    *,
    line: Text | None = None,
    missing: str = "missing.choice",
    most: int = MAX_BUTTONS,
) -> Choices:
    """A choice of one of these answers, of which pressing seals; `line` is the draft in words, `missing` a key.

    More than `most` are a select.
    """
    options = [
        Option(token, label, draft=token, is_chosen=token == chosen, seals_answer=True)
        for token, label in labels.items()
    ]
    group = button_row(key, options) if len(options) <= most else select_menu(key, options)
    return Choices(groups=(group,), lines=(line,) if line else (), missing_parts=() if chosen else (Text(missing),))


def list_field(label: Text, keep: Text, entries: Iterable[FormLine], token: str = "keep") -> FormField:  # noqa: S107 - no secret
    """A list of a form whose first line types nothing; that one is shown at first, unless another is."""
    others = tuple(entries)
    kept = FormLine(token, keep, is_chosen=not any(one.is_chosen for one in others))
    return FormField(label, (kept, *others))


def next_marked(names: Mapping[str, bool], now: str) -> str:
    """The next of these names that is marked, after this one and then from the first on; empty: there is none."""
    every = list(names)
    at = every.index(now)
    return next((name for name in (*every[at + 1 :], *every[:at]) if names[name]), "")


def split_for_forms(things: Sequence[T]) -> list[Sequence[T]]:
    """Things in parts as large as a form has lists; none if there is only one thing."""
    starts = range(0, len(things), MAX_FIELDS) if len(things) > 1 else ()
    return [things[start : start + MAX_FIELDS] for start in starts]
