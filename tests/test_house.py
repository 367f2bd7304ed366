"""The house keeps its walls: chat and shared pictures know no game by name."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from graphlib import TopologicalSorter
from pathlib import Path

import grimp
import pytest

from render.registry import PAINTERS
from rules.core.registry import RULESETS

ROOT = Path(__file__).parent.parent
SHARED = [
    *(ROOT / "bot").rglob("*.py"),
    *(ROOT / "bot" / "sandbox" / "page").iterdir(),
    *(path for room in ("render", "rules") for path in (ROOT / room).glob("*.py") if path.name != "registry.py"),
]


@pytest.mark.parametrize("path", SHARED, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_game_is_named_where_all_are_served(path: Path) -> None:
    named = re.findall(rf"\b(?:{'|'.join(RULESETS)})\b", path.read_text(encoding="utf-8"), re.IGNORECASE)
    assert not named, f"{path.name} names {sorted(set(named))}"


@pytest.mark.parametrize("path", SHARED, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_kind_of_picture_of_a_game_is_named_where_all_are_drawn(path: Path) -> None:
    kinds = {kind for painter in PAINTERS.values() for kind in painter.kinds}
    named = re.findall(rf"\b(?:{'|'.join(kinds)})s?\b", path.read_text(encoding="utf-8"), re.IGNORECASE)
    assert not named, f"{path.name} names {sorted(set(named))}"


OURS = {"rules", "msgspec", "numpy", "shapely"}
"""Libraries that rules use: values on disk and wire, and arithmetic. None of them asks the world."""


def test_rules_are_built_of_what_is_named_and_nothing_else() -> None:
    used: dict[str, set[str]] = {}
    for path in (ROOT / "rules").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            for name in names:
                used.setdefault(name.partition(".")[0], set()).add(path.name)
    assert {name: where for name, where in used.items() if name not in OURS | sys.stdlib_module_names} == {}
    assert used.keys() >= OURS


@pytest.mark.parametrize("path", sorted((ROOT / "render").rglob("*.py")), ids=lambda path: str(path.relative_to(ROOT)))
def test_pictures_are_of_views_and_events_and_decide_nothing(path: Path) -> None:
    """Pictures use a game's views, events and retelling, not the rules' tables or phases."""
    used = {
        f"{node.module}.{alias.name}"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert not {alias for alias in used if re.search(r"^rules\..*\b(TABLES|phases|ai|game)\b", alias)}


TABLE_READERS = {
    "campaign/engine/sea/maps.py",
    "forts/engine/boards.py",
    "interface/hopeless.py",
    "matchbox/engine/sea.py",
    "ramspeed/engine/free_battle.py",
    "ramspeed/engine/notation/scenarios.py",
    "ramspeed/engine/tables.py",
    "squadrons/engine/tables.py",
}  # the modules of rules that read files: tables, boards and scenarios that lie beside them, in `engine/data`
FILE_MODULES = {"builtins", "glob", "importlib", "io", "os", "pathlib", "pkgutil", "shutil", "tempfile", "zipfile"}


def _reads_files(path: Path) -> bool:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.Import(names=names) if {name.name.partition(".")[0] for name in names} & FILE_MODULES:
                return True
            case ast.ImportFrom(module=str(module)) if module.partition(".")[0] in FILE_MODULES:
                return True
            case ast.Name(id="open" | "__file__" | "__import__" | "__loader__"):
                return True
    return False


def test_rules_read_no_file_but_their_own_tables() -> None:
    rules = ROOT / "rules"
    readers = {str(path.relative_to(rules)) for path in rules.rglob("*.py") if _reads_files(path)}
    assert readers - {"core/registry.py"} == TABLE_READERS  # the registry imports games and reads nothing else


def test_what_rules_read_lies_beside_them_and_is_shipped() -> None:
    files = {path for path in (ROOT / "rules").rglob("*") if path.is_file() and path.suffix not in {".py", ".pyc"}}
    files -= {ROOT / "rules" / "py.typed"}
    shipped = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]["package-data"]
    assert files == {
        path for pattern in shipped["rules"] if pattern != "py.typed" for path in (ROOT / "rules").glob(pattern)
    }
    assert {path.relative_to(ROOT / "rules").parts[1:3] for path in files} == {("engine", "data")}


def _rules_in_cases(game: str) -> set[str]:
    """Return the rule numbers in the names of a game's cases, such as `RS-09.16`."""
    matches = (re.match(r"[A-Z]{2}-[0-9]+\.[0-9]+", path.name) for path in (ROOT / "tests" / "cases" / game).iterdir())
    return {module[0] for module in matches if module}


@pytest.mark.parametrize("game", RULESETS)
def test_who_looks_for_a_rule_by_its_number_finds_the_code(game: str) -> None:
    texts = [path.read_text(encoding="utf-8") for path in (ROOT / "rules" / game).rglob("*.py")]
    written = {number for text in texts for number in re.findall(r"[A-Z]{2}-[0-9]+\.[0-9]+", text)}
    wanted = _rules_in_cases(game)
    assert len(wanted) > 40
    assert sorted(wanted - written) == []


MIN_COPIED_NODES = 24
"""Nodes of the syntax tree from which on the same function in two places is a copy; shorter ones may look alike."""


def test_no_function_is_written_twice() -> None:
    places_by_code: dict[str, list[str]] = {}
    for room in ("bot", "render", "rules"):
        for path in (ROOT / room).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                    continue
                body = node.body[1:] if ast.get_docstring(node) else node.body
                if sum(1 for statement in body for _ in ast.walk(statement)) >= MIN_COPIED_NODES:
                    code = "\n".join(map(ast.dump, (node.args, *body)))
                    places_by_code.setdefault(code, []).append(f"{path.relative_to(ROOT)}: {node.name}")
    assert [places for places in places_by_code.values() if len(places) > 1] == []


def test_no_language_is_named_outside_its_own_module() -> None:
    """All others ask `bot.texts.i18n.languages`, so that a new language needs no change of code."""
    named = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for room in ("bot", "render", "rules")
        for path in (ROOT / room).rglob("*.py")
        if path != ROOT / "bot" / "texts" / "hungarian.py"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and node.value == "hu"
    ]
    assert named == []


REFUSALS = {"Refusal", "OrderError", "IllegalOrder", "UnreadableOrder"}


def _raises_refusal(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    raised = [node.exc for node in ast.walk(function) if isinstance(node, ast.Raise) and node.exc is not None]
    return any(ast.unparse(error.func if isinstance(error, ast.Call) else error) in REFUSALS for error in raised)


def test_a_function_that_finds_and_may_refuse_says_so_or_is_named_require() -> None:
    misleading = [
        f"{path.relative_to(ROOT)}: {node.name}"
        for room in ("bot", "render", "rules")
        for path in (ROOT / room).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and re.match(r"_?(?:find|get|is|has|can)_", node.name)
        and _raises_refusal(node)
        and "Raise" not in (ast.get_docstring(node) or "")
    ]
    assert misleading == []


def test_discord_opens_no_transaction_and_what_is_told_changes_nothing() -> None:
    """Chat reads through `bot.presenters` and changes through `bot.services`."""
    for room, forbidden in (("discord", ("read", "write")), ("presenters", ("write",))):
        for path in (ROOT / "bot" / room).rglob("*.py"):
            calls = (node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call))
            functions = (call.func for call in calls if isinstance(call.func, ast.Attribute))
            opened = {ast.unparse(attribute) for attribute in functions if attribute.attr in forbidden}
            assert not {name for name in opened if name.rpartition(".")[0].endswith("store")}, path


@pytest.mark.parametrize("room", ["discord", "services", "lifecycle", "record", "store", "presenters"])
def test_states_are_decoded_by_jobs_alone(room: str) -> None:
    """The event loop hands stored states on as they are: only `bot.jobs` reads them, and the shell's commands."""
    assert not [path for path in (ROOT / "bot" / room).rglob("*.py") if "read_state" in path.read_text()]


def test_tests_that_need_the_same_are_run_by_one_process(request: pytest.FixtureRequest, worker_id: str) -> None:
    """A test's name says with which it goes: those without such a word are handed out one by one, to any process.

    Nothing else fails then, but each process plays each game, starts each sandbox and reads each file for itself.
    """
    assert worker_id == "master" or request.node.nodeid.endswith("@test_house.py")


def test_no_files_import_each_other_in_a_circle() -> None:
    """Nor through others, nor by imports that wait in a function or stand there for types alone."""
    house = grimp.build_graph("bot", "render", "rules", cache_dir=None)
    TopologicalSorter({room: house.find_modules_directly_imported_by(room) for room in house.modules}).prepare()
