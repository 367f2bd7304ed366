"""The house keeps its walls: chat and shared pictures know no game by name."""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path

import pytest

from render.registry import PAINTERS
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


@pytest.mark.parametrize("path", SHARED, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_kind_of_picture_of_a_game_is_named_where_all_are_drawn(path: Path) -> None:
    kinds = {kind for painter in PAINTERS.values() for kind in painter.kinds}
    found = re.findall(rf"\b(?:{'|'.join(kinds)})s?\b", path.read_text(encoding="utf-8"), re.IGNORECASE)
    assert not found, f"{path.name} names {sorted(set(found))}"


OURS = {"rules", "msgspec", "numpy", "shapely"}
"""What rules are built of, besides Python's own: values on disk and wire, and arithmetic. None of it asks the world."""


def test_rules_are_built_of_what_is_named_and_nothing_else() -> None:
    used: dict[str, set[str]] = {}
    for path in (ROOT / "rules").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [one.name for one in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            for name in names:
                used.setdefault(name.partition(".")[0], set()).add(path.name)
    assert {name: where for name, where in used.items() if name not in OURS | sys.stdlib_module_names} == {}
    assert used.keys() >= OURS
