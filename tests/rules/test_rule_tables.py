"""The tables of a rulebook are those of the engine: what changes there changes in the book."""

from __future__ import annotations

import ast
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from rules.core.registry import RULESETS
from rules.core.rulebook import RuleTable
from tests import games

RULES = Path(__file__).parents[2] / "rules"
MAX_LITERAL = 9
"""The largest number in a module of tables: a face of a die, or a count of captains."""
CHANGES: dict[str, tuple[str, str, Any, Callable[[Any], Any], str]] = {
    "matchbox": ("engine.contact", "BASE_DAMAGE", "side", lambda damage: damage + 90, "rams"),
    "forts": ("engine.state", "CLASSES", "BB", lambda kind: structs.replace(kind, range=90), "ships"),
    "ramspeed": ("engine.tables", "CLASSES", "T", lambda kind: structs.replace(kind, crew_max=90), "ships"),
    "squadrons": ("engine.tables", "CLASSES", "5", lambda kind: structs.replace(kind, rd=90), "classes"),
    "campaign": ("engine.sea.state", "MASTS_BY_OARS", 5, lambda masts: masts + 90, "types"),
}
"""By game: the module and name of a table of the engine, what is changed in it, how, and the book's table of it."""
TESTED = [system for system in CHANGES if system in games.tested]


def cells(table: RuleTable) -> str:
    return repr(table.rows)


@pytest.mark.parametrize("system", TESTED)
def test_a_change_of_the_engines_table_changes_the_books(system, monkeypatch):
    module, name, key, change, table = CHANGES[system]
    source = getattr(import_module(f"rules.{system}.{module}"), name)
    before = RULESETS[system].rule_tables()
    monkeypatch.setitem(source, key, change(source[key]))
    after = RULESETS[system].rule_tables()
    assert "9" in cells(after[table])
    assert cells(after[table]) != cells(before[table])
    assert after.keys() == before.keys()


@pytest.mark.parametrize("system", TESTED)
def test_a_module_of_tables_has_no_figures_of_its_own(system):
    path = RULES / system / "interface" / "rule_tables.py"
    constants = [node for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.Constant)]
    figures = [node.value for node in constants if isinstance(node.value, int | float)]
    assert [figure for figure in figures if abs(figure) > MAX_LITERAL or figure != int(figure)] == []
