"""Every numbered rule of the game is cited where its code stands."""

import re
from pathlib import Path

import pytest

import rules.squadrons

RULES = (6, 6, 9, 2, 19, 16, 6, 6, 10, 10, 0, 4, 14, 16, 11, 9, 12, 6, 17, 6, 3, 10, 8, 5)
"""How many rules each section has, from SQ-01 on; SQ-11 is reserved."""
PATHS = Path(rules.squadrons.__path__[0]).rglob("*.py")
CITED = {number for path in PATHS for number in re.findall(r"SQ-\d\d\.\d+", path.read_text(encoding="utf-8"))}


@pytest.mark.parametrize("section", [section for section, count in enumerate(RULES, 1) if count])
def test_a_rule_is_found_by_its_number(section: int) -> None:
    numbers = {f"SQ-{section:02}.{number}" for number in range(1, RULES[section - 1] + 1)}
    assert sorted(numbers - CITED) == []
