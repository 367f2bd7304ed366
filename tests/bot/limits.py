"""Find what the code limits by number: refusals, settings, columns, and constants that numbers are compared with."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import bot
from bot.config import BotSettings
from bot.store.models.tables import metadata

_ROOT: Final = Path(bot.__file__).parent
_OTHER_PROGRAMS: Final = {"sandbox", "cli"}
_SIZE: Final = re.compile(r"_(CHARS|BYTES|S|ROWS|CHARACTERS|DAYS)$")
_MORE: Final = (ast.Gt, ast.GtE, ast.Lt, ast.LtE)
_SLOTS: Final = {"Semaphore", "GroupSemaphore", "deque", "take"}  # `take` of places for downloads


def limits_in_the_code(root: Path = _ROOT) -> set[str]:
    files = [file for file in root.rglob("*.py") if not _OTHER_PROGRAMS & {*file.relative_to(root).parts}]
    trees = {file: ast.parse(file.read_text()) for file in files}
    limits = {name for tree in trees.values() for name in _refusals(tree)}
    limits |= {f"{file.parent.name}.{file.stem}.{name}" for file, tree in trees.items() for name in _constants(tree)}
    limits |= {name for name in BotSettings.model_fields if "most" in name or "max" in name}
    columns = [column for table in metadata.sorted_tables for column in table.c]
    return limits | {f"{column.table.name}.{column.name}" for column in columns if "most" in column.name}


def _refusals(tree: ast.AST) -> Iterator[str]:
    """Yield codes of refusals raised where a number is too large, or something is in progress already."""
    for branch in ast.walk(tree):
        if isinstance(branch, ast.If) and _is_about_number(branch.test):
            raised = [node for line in branch.body if isinstance(line, ast.Raise) for node in ast.walk(line)]
            for call in raised:
                if isinstance(call, ast.Call) and ast.unparse(call.func) == "Refusal":
                    yield ast.literal_eval(call.args[0])


def _is_about_number(test: ast.expr) -> bool:
    if isinstance(test, ast.Call) and ast.unparse(test.func) == "any":
        return True
    comparisons = [node for node in ast.walk(test) if isinstance(node, ast.Compare)]
    return any(
        isinstance(operator, _MORE) or (isinstance(operator, ast.In) and ast.unparse(right).startswith("self."))
        for comparison in comparisons
        for operator, right in zip(comparison.ops, comparison.comparators, strict=True)
    )


def _constants(tree: ast.AST) -> Iterator[str]:
    """Yield constants that limit a number: compared with it, or the size of a semaphore, a deque or places."""
    own = {
        node.target.id
        for node in ast.iter_child_nodes(tree)
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.target.id.startswith("MAX_")
    }
    for node in ast.walk(tree):
        is_compared = isinstance(node, ast.Compare) and any(isinstance(operator, _MORE) for operator in node.ops)
        is_slot = isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in _SLOTS
        if is_compared or is_slot:
            named = {name.id for name in ast.walk(node) if isinstance(name, ast.Name)}
            yield from (name for name in named & own if not _SIZE.search(name))
