"""Plain English: which words we avoid, and where they still are."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGES = sorted({*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")})  # all that is written for people to read

STIFF = re.compile(
    r"\b(?:whom|lest|upon|anew|whoever|whomever|hitherto|comes to|is told|as it comes)\b"
    r"|\b(?:he|him|his|himself)\b",
    re.IGNORECASE,
)  # words that no native speaker writes there today, and `he` for a person: write *they*

STIFF_IN_TEXTS = re.compile(
    r"\b(?:shall|awaited|beaks?|hooks?|sets? down|taken up|(?:that|was|were|are|be) told)\b|\(die \d|\(die \{",
    re.IGNORECASE,
)  # words that players don't read either: they read "placed", "rams", "grapples", "waiting for", "resumed", "rolled 3"


def prose(text: str) -> str:
    text = re.sub(r"^ *```.*?^ *```", "", text, flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"`[^`\n]+`", "", text)


def docstrings(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the docstrings and comments of a module, each with its line."""
    source = path.read_text("utf-8")
    for node in ast.walk(ast.parse(source)):
        # A string that is a statement: a docstring, or what is said of a field below it.
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node.lineno, node.value.value
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string


def stiff(path: Path) -> list[str]:
    """Return each stiff word of a page or module, as `line: word`."""
    text = path.read_text("utf-8")
    if not STIFF.search(text):
        return []  # not even in its code: most modules need not be parsed
    if path.suffix == ".py":
        texts = [(line, prose(text)) for line, text in docstrings(path)]
    else:
        texts = list(enumerate(prose(text).splitlines(), start=1))
    return [f"{line}: {word}" for line, text in texts for word in STIFF.findall(text)]


def stiff_texts(texts: Mapping[str, str]) -> list[str]:
    patterns = (STIFF, STIFF_IN_TEXTS)
    return [f"{key}: {word}" for key, text in texts.items() for stiff in patterns for word in stiff.findall(text)]


def modules(folder: str) -> list[Path]:
    return sorted((ROOT / folder).rglob("*.py"))
