"""Common parts of panels: rows of buttons, selects, single choices and lists of forms."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Final, TypeVar

from msgspec import structs

from rules.core.protocol import Choices, FormField, FormLine, Option, OptionGroup
from rules.core.view import Text

T = TypeVar("T")

MAX_OPTIONS: Final = 25  # options of a select menu
MAX_BUTTONS: Final = 5  # a single choice with more options than this is a select
MAX_ROW_BUTTONS: Final = 20  # buttons under one heading
MAX_FIELDS: Final = 5  # lists in a form


def button_row(key: str, options: Iterable[Option], *, beside: bool = False) -> OptionGroup:
    """Return a row of buttons under the heading `group.<key>`; `beside`: next to the panel's own controls."""
    return OptionGroup(key=key, style="buttons", options=tuple(options), is_beside_controls=beside)


def keep_together(options: Iterable[Option]) -> tuple[Option, ...]:
    """Return options of which a panel shows all or none on a page, such as left and right."""
    return tuple(structs.replace(option, is_joined=number > 0) for number, option in enumerate(options))


def button_rows(key: str, options: Iterable[Option]) -> Iterator[OptionGroup]:
    """Yield rows of up to 20 buttons, under the headings `group.<key>.1`, `group.<key>.2` and so on."""
    remaining = iter(options)
    number = 0
    while row := tuple(islice(remaining, MAX_ROW_BUTTONS)):
        number += 1
        yield button_row(f"{key}.{number}", row)


def select_menu(key: str, options: Iterable[Option]) -> OptionGroup:
    """Return a select of the first 25 options under the heading `group.<key>`."""
    return OptionGroup(key=key, style="select", options=tuple(islice(options, MAX_OPTIONS)))


def drop_empty(*groups: OptionGroup) -> tuple[OptionGroup, ...]:
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
    """Return a choice of one of these answers, sealed by pressing. More than `most` options are a select.

    `line` is the draft in words. `missing` is the key of the hint that a choice is needed.
    """
    options = [
        Option(token, label, draft=token, is_chosen=token == chosen, seals_answer=True)
        for token, label in labels.items()
    ]
    group = button_row(key, options) if len(options) <= most else select_menu(key, options)
    return Choices(groups=(group,), lines=(line,) if line else (), missing_parts=() if chosen else (Text(missing),))


def list_field(label: Text, keep: Text, entries: Iterable[FormLine], token: str = "keep") -> FormField:  # noqa: S107 - no secret
    """Return a list whose first entry types nothing and is preselected unless another entry is."""
    others = tuple(entries)
    neutral_entry = FormLine(token, keep, is_chosen=not any(entry.is_chosen for entry in others))
    return FormField(label, (neutral_entry, *others))


def next_marked(names: Mapping[str, bool], now: str) -> str:
    """Return the next marked name after `now`, continuing from the first at the end; empty: none is marked."""
    all_names = list(names)
    index = all_names.index(now)
    following = (*all_names[index + 1 :], *all_names[:index])
    return next((name for name in following if names[name]), "")


def split_for_forms(items: Sequence[T]) -> list[Sequence[T]]:
    """Return items in parts of at most 5 for the lists of a form; empty if there is only one item."""
    starts = range(0, len(items), MAX_FIELDS) if len(items) > 1 else ()
    return [items[start : start + MAX_FIELDS] for start in starts]
