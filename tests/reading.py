"""Write a sheet for the reading test: functions of ours and of well-known libraries, mixed, and fields of ours.

usage: python -m tests.reading NUMBER

A reader who does not know the project says what each function and field does and marks it C (clear at once), T (read
twice) or W (not understood). The sheet goes to `build/reading/sheet-NUMBER.md`, and whose functions they are to
`build/reading/key-NUMBER.md`. The draw depends on the number and on the commit. Installs the libraries into
`build/reading/` at the first run, which needs the network.
"""

from __future__ import annotations

import ast
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).parents[1]
OUT: Final = ROOT / "build" / "reading"
MODELS: Final = ("chess", "h11", "stamina", "structlog")
OURS: Final = ("bot", "rules", "render")
MIN_LINES, MAX_LINES = 5, 40
DRAWN: Final = 20
"""Functions of ours, functions of the models, and fields in a sheet."""


class Piece(NamedTuple):
    place: str
    text: str


def modules(folder: Path, base: Path) -> Iterator[tuple[str, str, ast.Module]]:
    for path in sorted(folder.rglob("*.py")):
        text = path.read_text("utf-8")
        yield str(path.relative_to(base)), text, ast.parse(text)


def functions(folder: Path, base: Path) -> Iterator[Piece]:
    """Yield the functions and methods of 5 to 40 lines, each with the line of its class."""
    for name, text, tree in modules(folder, base):
        lines = text.splitlines()
        for scope in (node for node in ast.walk(tree) if isinstance(node, ast.Module | ast.ClassDef)):
            for node in (n for n in scope.body if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)):
                first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
                if MIN_LINES <= node.end_lineno - first + 1 <= MAX_LINES:  # type: ignore[operator]
                    head = f"class {scope.name}: …\n\n" if isinstance(scope, ast.ClassDef) else ""
                    yield Piece(f"{name}:{first}", head + dedent("\n".join(lines[first - 1 : node.end_lineno])))


def fields(folder: Path, base: Path) -> Iterator[Piece]:
    """Yield the annotated fields of classes, each with its comment or its docstring."""
    for name, text, tree in modules(folder, base):
        lines = text.splitlines()
        for scope in (node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)):
            for node, follower in zip(scope.body, [*scope.body[1:], None], strict=True):
                if isinstance(node, ast.AnnAssign):
                    described = isinstance(follower, ast.Expr) and isinstance(follower.value, ast.Constant)
                    last = follower.end_lineno if described and follower else node.end_lineno
                    yield Piece(
                        f"{name}:{node.lineno}",
                        f"{lines[scope.lineno - 1].strip()}\n" + "\n".join(lines[node.lineno - 1 : last]),
                    )


def drawn(rng: random.Random, pieces: Iterator[Piece]) -> list[Piece]:
    return rng.sample(list(pieces), DRAWN)


def main() -> int:
    number = int(sys.argv[1])
    commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=True)
    rng = random.Random(f"{commit.stdout.strip()} {number}")
    models = OUT / "models"
    if not models.exists():
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--target", str(models), *MODELS]
        subprocess.run(command, check=True)
    ours = drawn(rng, (piece for folder in OURS for piece in functions(ROOT / folder, ROOT)))
    theirs = drawn(rng, (piece for name in MODELS for piece in functions(models / name, models)))
    mixed = [*ours, *theirs]
    rng.shuffle(mixed)
    mixed += drawn(rng, (piece for folder in OURS for piece in fields(ROOT / folder, ROOT)))
    sheet = (f"## {no}\n\n```python\n{piece.text}\n```\n" for no, piece in enumerate(mixed, 1))
    (OUT / f"sheet-{number}.md").write_text("\n".join(sheet), "utf-8")
    key = (f"{no} {piece.place}" for no, piece in enumerate(mixed, 1))
    (OUT / f"key-{number}.md").write_text("\n".join(key) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
