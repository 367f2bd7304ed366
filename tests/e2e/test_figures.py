"""The page of a newcomer's walk shows what was measured, and it keeps what was demanded."""

import json
from pathlib import Path

import pytest

from tests.e2e.figures import table
from tests.measurements import PAGE

LIMITS = {
    "presses a round, by hints": 4,
    "pixels to the end of its buttons, at most": 600,
    "in Hungarian: pixels to the end of its buttons, at most": 600,
    "lines a round, at most": 20,
}  # of what players have on a phone; with four ships twelve lines, which `tests/laws/test_outcomes.py` counts


def test_a_table_has_each_figure_and_a_dash_for_what_was_not_measured(tmp_path: Path) -> None:
    (tmp_path / "forts").mkdir()
    measured = {"presses a round": 2.0, "panel, next: height at most": 590.2, "panel, taken: height": 610.7}
    (tmp_path / "forts" / "figures.json").write_text(json.dumps(measured))
    head, *rows = table(tmp_path).splitlines()
    assert head == " | Naval Battle"
    (tmp_path / "forts-hu").mkdir()
    (tmp_path / "forts-hu" / "figures.json").write_text(json.dumps({"panel, first: buttons_end": 591.0}))
    _, *rows = table(tmp_path).splitlines()
    assert rows[2] == "presses a round, by hints | 2.0"
    assert rows[5] == "pixels of a later panel, at most | 611"
    assert rows[6] == "pixels to the end of its buttons, at most | –"
    assert rows[7] == "in Hungarian: pixels to the end of its buttons, at most | 591"
    assert rows[8] == "lines a round, at most | –"


@pytest.mark.parametrize("says", LIMITS)
def test_what_the_page_shows_keeps_the_limits(says: str) -> None:
    (row,) = [line for line in PAGE.read_text("utf-8").splitlines() if line.startswith(f"| {says} |")]
    cells = [cell.strip() for cell in row.strip("| ").split("|")[1:]]
    measured = [float(cell.replace(",", "")) for cell in cells if cell != "–"]
    assert len(measured) >= len(cells) - 1, "a season's rounds take no count of presses"
    assert max(measured) <= LIMITS[says]
