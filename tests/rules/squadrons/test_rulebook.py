"""The rulebook's tables give the numbers that the engine uses."""

import re

import pytest

from rules.core.rulebook import Cell
from rules.squadrons.engine.tables import TABLES, board_need, fatigue_level, missile_result, rake_need, ram_need
from rules.squadrons.interface.rule_tables import make_rule_tables


def need_in_book(table: str, difference: int) -> int:
    """Return the number that a table by difference shows; 0 if it shows that no attempt is possible."""
    for cells in make_rule_tables()[table].rows:
        label, need = map(str, cells)
        low, high = bounds(label)
        if low <= difference <= high:
            return int(need.rstrip("+")) if need != "—" else 0
    raise AssertionError(f"{table} has no row for {difference}")


def bounds(label: str) -> tuple[int, int]:
    """Return the least and the greatest number that a label such as `≥ +6`, `−3 … −5`, `1–2` or `7+` stands for."""
    numbers = [int(number) for number in re.findall(r"(?:(?<!\d)[+-])?\d+", label.replace("−", "-"))]
    low, high = min(numbers), max(numbers)
    is_open_above, is_open_below = "≥" in label or label.endswith("+"), "≤" in label
    return (-99 if is_open_below else low), (99 if is_open_above else high)


def row_for(table: str, number: int) -> tuple[Cell, ...]:
    """Return the row of a table whose first cell holds a number."""
    for row in make_rule_tables()[table].rows:
        low, high = bounds(str(row[0]).removesuffix(" (7A)"))
        if low <= number <= high:
            return row
    raise AssertionError(f"{table} has no row for {number}")


@pytest.mark.parametrize("ra", range(1, 12))
@pytest.mark.parametrize("rd", range(2, 13))
def test_rams(ra: int, rd: int) -> None:
    assert need_in_book("ram", ra - rd) == ram_need(ra, rd)


@pytest.mark.parametrize("crew", range(5))
@pytest.mark.parametrize("target", range(5))
def test_rakes(crew: int, target: int) -> None:
    assert need_in_book("rake", crew - target) == rake_need(crew, target)


@pytest.mark.parametrize("boarders", range(1, 15))
@pytest.mark.parametrize("defenders", range(10))
def test_boardings(boarders: int, defenders: int) -> None:
    assert need_in_book("board", boarders - defenders) == board_need(boarders, defenders)


@pytest.mark.parametrize("adjusted", range(1, 14))
@pytest.mark.parametrize("crew", range(1, 5))
def test_fatigue(adjusted: int, crew: int) -> None:
    level = fatigue_level(adjusted, crew)
    assert row_for("fatigue", adjusted)[crew] == (f"F{level}" if level else "–")


@pytest.mark.parametrize("m", range(9))
@pytest.mark.parametrize("adjusted", range(1, 10))
def test_missiles(m: int, adjusted: int) -> None:
    _, depletion, fire = map(str, row_for("missile", m))
    shown = "D/F" if adjusted >= bounds(fire)[0] else "D" if adjusted >= bounds(depletion)[0] else "-"
    assert shown == missile_result(m, adjusted)


def test_the_die_of_each_crew() -> None:
    rows = [tuple(map(str, row[1:])) for row in make_rule_tables()["by_crew"].rows]
    needs = [tuple(bounds(cell)[0] for cell in row) for row in rows]
    by_crew = TABLES.by_crew
    assert needs == list(zip(by_crew.grapple, by_crew.cut, by_crew.unfoul, strict=True))


def test_every_total_of_two_dice_has_one_row_of_the_wind() -> None:
    ranges = [bounds(str(row[0])) for row in make_rule_tables()["wind"].rows]
    assert [total for low, high in ranges for total in range(low, high + 1)] == list(range(2, 13))
