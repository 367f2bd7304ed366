"""The tables that the rulebook shows, made from those that the engine reads."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from rules.core.rulebook import Cell, RuleTable, format_range, table_headings
from rules.core.view import Text
from rules.squadrons.engine.notation.orders import SIDES
from rules.squadrons.engine.tables import CLASS_CODES, CLASSES, FLEETS, LEADERS, SCENARIOS, TABLES, Scenario, ShipClass

_NONE: Final = "–"
_IMPOSSIBLE: Final = "—"  # no attempt is possible
_MAX_DIE: Final = 6


def make_rule_tables() -> Mapping[str, RuleTable]:
    return {
        "classes": RuleTable(
            (
                *table_headings("ship", "code", "size", "speed"),
                "RA",
                "RD",
                "M",
                *table_headings("crew", "extras", "price"),
            ),
            tuple(_class_row(code, CLASSES[code]) for code in CLASS_CODES),
        ),
        "leaders": _leaders(),
        "fleets": _fleets(),
        "scenarios": RuleTable(
            table_headings("battle", "map", "target", "last_turn", "blue", "red", "blue_leaders", "red_leaders"),
            tuple((Text(f"option.battle.{name}"), *_scenario_cells(battle)) for name, battle in SCENARIOS.items()),
        ),
        "ram": _needs_by_difference(
            "RA − RD", ((ra - rd, need) for ra, row in enumerate(TABLES.ram.rows, 1) for rd, need in _by_rd(row))
        ),
        "rake": _needs_by_difference(
            Text("table.crew_better"),
            ((crew - target, need) for crew, row in enumerate(TABLES.rake.rows) for target, need in enumerate(row)),
        ),
        "board": _needs_by_difference(
            Text("table.m_more"),
            ((men - held, need) for held, row in enumerate(TABLES.board.rows) for men, need in enumerate(row, 1)),
        ),
        "by_crew": RuleTable(
            table_headings("crew", "grapple", "cut", "unfoul"),
            tuple(
                (crew, *map(_at_least, needs))
                for crew, needs in enumerate(
                    zip(TABLES.by_crew.grapple, TABLES.by_crew.cut, TABLES.by_crew.unfoul, strict=True)
                )
            ),
        ),
        "fatigue": _fatigue(),
        "missile": _missile(),
        "double": RuleTable(
            table_headings("initiative", "succeeds"),
            tuple((initiative, format_range(1, most)) for initiative, most in enumerate(TABLES.double.rows)),
        ),
        "confusion": _confusion(),
        "firefight": RuleTable(
            table_headings("die", "effect"),
            tuple((die, Text(f"table.fire.{effect}")) for die, effect in enumerate(TABLES.firefight.rows, 1)),
        ),
        "wind": _wind(),
        "dice": _single_dice(),
    }


def _at_least(least: int) -> str:
    return str(least) if least == _MAX_DIE else f"{least}+"


def _signed(number: int) -> str:
    return f"{number:+d}".replace("-", "−") if number else "0"


def _class_row(code: str, ship_class: ShipClass) -> tuple[Cell, ...]:
    letters = [letter for letter, has_it in (("E", ship_class.engines), ("T", ship_class.towers)) if has_it]
    cruise_ram, max_ram = ship_class.ram
    return (
        Text(f"kind_of.{code}"),
        code,
        ship_class.size,
        f"{ship_class.cruise}/{ship_class.max}",
        f"{cruise_ram}/{max_ram}{'*' if ship_class.asterisk else ''}",
        ship_class.rd,
        ship_class.m,
        ship_class.crew,
        Text("table.sail") if ship_class.tremiola else " ".join(letters) or _NONE,
        ship_class.cost,
    )


def _leaders() -> RuleTable:
    rows: list[tuple[Cell, ...]] = []
    for name, leader in LEADERS.items():
        full, reduced = (
            (ratings.initiative if leader.admiral else _NONE, ratings.range) for ratings in (leader, leader.reduced)
        )
        rows.append((Text(f"table.leader.{name}"), *full, *reduced))
    return RuleTable(
        table_headings("leader", "initiative", "range", "reduced_initiative", "reduced_range"), tuple(rows)
    )


def _fleets() -> RuleTable:
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (
            int(points),
            fleet.squadron_commanders,
            fleet.target,
            "×".join(map(str, fleet.map)),
            _ship_counts(fleet.ships),
            sum(CLASSES[code].cost * count for code, count in fleet.ships.items()),
        )
        for points, fleet in FLEETS.items()
    )
    return RuleTable(table_headings("points", "commanders", "target", "map", "ready_fleet", "price"), rows)


def _scenario_cells(battle: Scenario) -> tuple[Cell, ...]:
    codes = {
        side: Counter(ship.split(" ")[1].partition("@")[0] for ship in battle.ships if ship.startswith(side))
        for side in SIDES
    }
    return (
        "×".join(map(str, battle.map)),
        battle.target,
        battle.limit,
        *(_ship_counts(codes[side]) for side in SIDES),
        *(_leaders_of(battle, side) for side in SIDES),
    )


def _leaders_of(battle: Scenario, side: str) -> Text:
    names = [leader.split(" ")[1].partition("@")[0] for leader in battle.leaders if leader.startswith(side)]
    return Text("table.led_by", {"leaders": tuple(Text(f"table.leader.{name}") for name in names)})


def _ship_counts(counts: Mapping[str, int]) -> str:
    return ", ".join(code if count == 1 else f"{count}×{code}" for code, count in counts.items())


def _by_rd(row: tuple[int, ...]) -> Iterator[tuple[int, int]]:
    return zip(TABLES.ram.columns, row, strict=True)


def _needs_by_difference(heading: Cell, cells: Iterable[tuple[int, int]]) -> RuleTable:
    """Return the number needed for each difference of two ratings.

    Raises `ValueError` if a difference has several numbers, since the grid must then be shown in full.
    """
    need_by_difference: dict[int, int] = {}
    for difference, need in cells:
        if need_by_difference.setdefault(difference, need) != need:
            raise ValueError(f"{heading}: several numbers for the difference {difference}")
    runs: list[tuple[int, int, int]] = []  # the lowest and the highest difference of a number, from the highest
    for difference, need in sorted(need_by_difference.items(), reverse=True):
        if runs and runs[-1][2] == need:
            runs[-1] = difference, runs[-1][1], need
        else:
            runs.append((difference, difference, need))
    rows: list[tuple[Cell, ...]] = []
    for number, (low, high, need) in enumerate(runs):
        is_first, is_last = number == 0, number == len(runs) - 1
        differences = _signed(high) if low == high else f"{_signed(high)} … {_signed(low)}"
        if is_first and low != high:
            differences = f"≥ {_signed(low)}"
        elif is_last and low != high:
            differences = f"≤ {_signed(high)}"
        rows.append((differences, f"{need}+" if need else _IMPOSSIBLE))
    return RuleTable((heading, Text("table.need")), tuple(rows))


def _fatigue() -> RuleTable:
    table = TABLES.fatigue
    rows: list[tuple[Cell, ...]] = []
    for adjusted, levels in enumerate(table.rows, 1):
        die = {1: "≤ 1", len(table.rows): f"{adjusted}+"}.get(adjusted, str(adjusted))
        mark = " (7A)" if adjusted == table.anastrophe else ""
        rows.append((die + mark, *(f"F{level}" if level else _NONE for level in levels)))
    crews = (Text("table.of_crew", {"crew": crew}) for crew in range(1, len(table.rows[0]) + 1))
    return RuleTable((Text("table.die"), *crews), tuple(rows))


def _missile() -> RuleTable:
    rows: list[tuple[Cell, ...]] = []
    fewest = 0
    for row in TABLES.missile.rows:
        is_last = row is TABLES.missile.rows[-1]
        rows.append(
            (f"{fewest}+" if is_last else format_range(fewest, row.m), format_range(row.d, row.df - 1), f"{row.df}+")
        )
        fewest = row.m + 1
    return RuleTable(("M", "D", "D/F"), tuple(rows))


def _confusion() -> RuleTable:
    table = TABLES.confusion
    dice = (
        format_range(1, table.cruise - 1),
        format_range(table.cruise, table.half - 1),
        format_range(table.half, _MAX_DIE),
    )
    effects = (Text(f"table.confusion.{effect}") for effect in ("none", "cruise", "half"))
    return RuleTable(table_headings("die", "effect"), tuple(zip(dice, effects, strict=True)))


def _wind() -> RuleTable:
    """Return the changes of the wind, with equal rows of the table as one."""
    ranges: dict[tuple[int, int], list[int]] = {}
    for total, change in enumerate(TABLES.wind.rows, 2):
        ranges.setdefault(change, []).append(total)
    rows: list[tuple[Cell, ...]] = []
    for (strength, turn), totals in ranges.items():
        direction = {-1: "port", 0: "same", 1: "starboard"}[turn]
        rows.append((format_range(totals[0], totals[-1]), _signed(strength), Text(f"table.wind.{direction}")))
    return RuleTable(table_headings("two_dice", "strength", "direction"), tuple(rows))


def _single_dice() -> RuleTable:
    need = TABLES.need
    needs = (
        ("fouled", f"{need.fouled}+"),
        ("sinks", _at_least(need.sinks)),
        ("transfer", _at_least(need.transfer)),
        ("ignite", _at_least(need.ignite)),
        ("pots", _at_least(need.pots)),
        ("spread", _at_least(need.spread)),
        ("withdraw", f"{need.withdraw}+"),
        ("wrecked", _at_least(need.wrecked)),
    )
    cells = tuple((Text(f"table.dice.{key}"), least) for key, least in needs)
    return RuleTable(table_headings("what", "need"), cells)
