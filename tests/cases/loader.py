"""Reading case files: `<system>/<rule>_<what_it_shows>.toml`, and the system's list of rule numbers."""

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_HERE = Path(__file__).parent


@dataclass(frozen=True)
class Case:
    name: str
    rules: tuple[str, ...]
    """The rules that it proves; the first stands in its name."""
    kind: str
    facts: dict[str, Any]


def systems() -> tuple[str, ...]:
    return tuple(sorted(path.parent.name for path in _HERE.glob("*/rules.txt")))


def rules(system: str) -> tuple[str, ...]:
    lines = (_HERE / system / "rules.txt").read_text(encoding="utf-8").splitlines()
    return tuple(line.split()[0] for line in lines if line.strip())


def cases(system: str) -> tuple[Case, ...]:
    order = {rule: number for number, rule in enumerate(rules(system))}
    all_cases = [_read(path) for path in sorted((_HERE / system).glob("*.toml"))]
    return tuple(sorted(all_cases, key=lambda case: (order.get(case.rules[0], len(order)), case.name)))


def _read(path: Path) -> Case:
    facts = tomllib.loads(path.read_text(encoding="utf-8"))
    return Case(path.stem, tuple(facts.pop("rules")), facts.pop("kind", "round"), facts)
