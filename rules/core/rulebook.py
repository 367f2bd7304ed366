"""A game's rulebook without language: which rules it has, where they stand, when they apply, and its tables.

The texts are read by `bot.texts.rulebooks`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, Literal

from msgspec import Struct

from rules.core.view import Text

RULE_NUMBER: Final = re.compile(r"\b[A-Z]{2}-\d+\.\d+\b")

Source = Literal["printed", "ruling", "ours"]
"""`printed`: the printed rules say it. `ruling`: they are silent or contradict themselves, and we decided. `ours`: play
by post, the computer captains, limits of the bot."""
Cell = Text | str | int | float  # a number, a text that is the same in all languages, or a sentence


class RuleTable(Struct, frozen=True):
    """A table of the rulebook, made from the values that the engine itself reads."""

    columns: tuple[Cell, ...]  # the heading of each column
    rows: tuple[tuple[Cell, ...], ...]  # each as long as `columns`

    def __post_init__(self) -> None:
        if any(len(row) != len(self.columns) for row in self.rows):
            raise ValueError(f"a row has not {len(self.columns)} cells")


def table_headings(*keys: str) -> tuple[Text, ...]:
    return tuple(Text(f"table.{key}") for key in keys)


def format_range(low: int, high: int) -> str:
    return str(low) if low == high else f"{low}–{high}"


class RulebookChapter(Struct, frozen=True, forbid_unknown_fields=True):
    key: str  # key of its title
    rules: tuple[str, ...]  # numbers, in the order of the book


class RuleFacts(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    source: Source
    place: str = ""  # section of the printed rules
    tags: tuple[str, ...] = ()  # keys of words under which a player would look
    when: Mapping[str, tuple[str, ...]] = {}  # by option: the rule applies only if it has one of these values
    related: tuple[str, ...] = ()  # numbers of other rules
    table: str = ""  # key of a table in `Ruleset.rule_tables`
    shown: str = ""  # the test that shows a rule without a case, as `path::name`

    def applies(self, options: Mapping[str, str]) -> bool:
        """Return whether the rule applies in a game; `options` has a value for every option."""
        return all(options.get(key) in values for key, values in self.when.items())


class PlayedRound(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The worked round of a rulebook as it is played for its picture."""

    position: str  # in the game's notation
    options: Mapping[str, str] = {}  # those that differ from the defaults
    seed: str = "00"  # of the dice, as hex
    play: tuple[str, ...]
    """Lines such as `0: text`, what seat 0 answers; `all` stands for the default answers of all others."""
    crop: Literal["whole", "action"] = "action"  # the part that the picture shows


class Rulebook(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    chapters: tuple[RulebookChapter, ...]
    example: PlayedRound
    rules: Mapping[str, RuleFacts]  # by number

    @property
    def numbers(self) -> tuple[str, ...]:
        """All numbers in the order of the chapters."""
        return tuple(number for chapter in self.chapters for number in chapter.rules)
