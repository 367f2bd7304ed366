"""The house keeps its walls: chat and shared pictures know no game by name."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from rules.registry import RULESETS

ROOT = Path(__file__).parent.parent
SHARED = [
    *(ROOT / "bot").rglob("*.py"),
    *(ROOT / "bot" / "sandbox" / "page").iterdir(),
    *(ROOT / "render").glob("[!r]*.py"),
    *(ROOT / "rules").glob("[!r]*.py"),
]


@pytest.mark.parametrize("path", SHARED, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_game_is_named_where_all_are_served(path: Path) -> None:
    found = re.findall(rf"\b(?:{'|'.join(RULESETS)})\b", path.read_text(encoding="utf-8"), re.IGNORECASE)
    assert not found, f"{path.name} names {sorted(set(found))}"
