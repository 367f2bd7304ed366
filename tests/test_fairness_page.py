"""Each claim of docs/fairness.md has a test, which names it with `@pytest.mark.proves`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from tests.english import ROOT

PAGE = (ROOT / "docs" / "fairness.md").read_text("utf-8")
UNPROVED = "What is not proved"
THROWN_AWAY = "Dice that are thrown away"
"""Its table is proved row by row in `tests/attacks/test_ways_to_end.py`."""
CLAIM = re.compile(r"\bF[1-9][0-9]*\b")
PROVES = "pytest.mark.proves"


def sections() -> dict[str, str]:
    """Return the text below each heading."""
    _, *parts = re.split(r"^## (.+)\n", PAGE, flags=re.MULTILINE)
    return dict(zip(parts[::2], parts[1::2], strict=True))


def claims_of_tests() -> Iterator[tuple[str, str]]:
    """Yield each claim that a test names, with the test."""
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        text = path.read_text("utf-8")
        if PROVES not in text or path.name == "test_fairness_page.py":
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
                for mark in node.decorator_list:
                    if isinstance(mark, ast.Call) and ast.unparse(mark.func) == PROVES:
                        for claim in mark.args:
                            yield ast.literal_eval(claim), f"{path.relative_to(ROOT)}::{node.name}"


def test_each_claim_is_named_by_a_test_and_each_test_names_a_claim_of_the_page() -> None:
    named: dict[str, list[str]] = {}
    for claim, test in claims_of_tests():
        named.setdefault(claim, []).append(test)
    claims = {*CLAIM.findall("".join(text for name, text in sections().items() if name != UNPROVED))}
    assert claims - named.keys() == set(), "no test names these claims"
    assert {claim: tests for claim, tests in named.items() if claim not in claims} == {}, "the page has no such claims"


def test_nothing_on_the_page_is_claimed_without_a_mark() -> None:
    unmarked = []
    for name, text in sections().items():
        if name != UNPROVED:
            for paragraph in re.split(r"\n\n|\n(?=(?:-|[0-9]+\.) )", text.strip()):
                is_introduction = paragraph.endswith("that")
                if not CLAIM.search(paragraph) and not is_introduction:
                    unmarked.append(paragraph)
    assert unmarked == []


def test_what_is_not_proved_stands_in_one_table() -> None:
    lines = [line for line in sections()[UNPROVED].splitlines() if line]
    rows = [line for line in lines if line.startswith("|")]
    assert lines[: len(rows)] == rows, "the table is one"
    assert all(len(re.findall(r"(?<!\\)\|", row)) == 3 for row in rows), "with two columns"
    assert len(rows) > 2
    assert not CLAIM.search("".join(rows))
    for name, text in sections().items():
        tables = r"" if name == THROWN_AWAY else r"^\||"
        assert name == UNPROVED or not re.search(rf"{tables}can't prove|not proved", text, re.MULTILINE), name
