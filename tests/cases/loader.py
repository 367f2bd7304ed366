"""Reading case files: `<system>/<rule>_<what_it_shows>.toml`, in the order of the game's rulebook."""

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bot.texts.i18n import DEFAULT_LANGUAGE
from bot.texts.rulebooks import load_rulebook

_HERE = Path(__file__).parent


@dataclass(frozen=True)
class Case:
    name: str
    rules: tuple[str, ...]
    """The rules that it proves; the first stands in its name."""
    kind: str
    facts: dict[str, Any]


def systems() -> tuple[str, ...]:
    return tuple(sorted(path.parent.name for path in _HERE.glob("*/judge.py")))


def rules(system: str) -> tuple[str, ...]:
    """Return the numbers of the rules in a game's rulebook."""
    book = load_rulebook(system, DEFAULT_LANGUAGE)
    return tuple(book.rules) if book else ()


def cases(system: str) -> tuple[Case, ...]:
    order = {rule: number for number, rule in enumerate(rules(system))}
    all_cases = [_read(path) for path in sorted((_HERE / system).glob("*.toml"))]
    return tuple(sorted(all_cases, key=lambda case: (order.get(case.rules[0], len(order)), case.name)))


def _read(path: Path) -> Case:
    facts = tomllib.loads(path.read_text(encoding="utf-8"))
    return Case(path.stem, tuple(facts.pop("rules")), facts.pop("kind", "round"), facts)
