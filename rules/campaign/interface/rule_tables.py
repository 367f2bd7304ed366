"""The tables of the rulebook, made from the values that the engine reads."""

from __future__ import annotations

from itertools import groupby
from typing import Final

from msgspec import structs

from rules.campaign.engine.fighting.dice_battle import FOUL_DAMAGE, throw_damage
from rules.campaign.engine.money.night import SIEGE_NIGHTS
from rules.campaign.engine.sea.maps import sea_map
from rules.campaign.engine.sea.state import (
    LAURELS_PER_WORTH,
    MASTS_BY_OARS,
    MAX_GALLEYS,
    MAX_RANK,
    TURNS_PER_MONTH,
    new_galley,
    price_beside,
)
from rules.campaign.engine.turn import majority_worth
from rules.campaign.interface.game_flow import TABLE_SIZES
from rules.campaign.interface.opening import OPTIONS
from rules.core.rulebook import Cell, RuleTable, format_range, table_headings
from rules.core.view import Text

_NONE: Final = "–"
_THROWS: Final = range(2, 9)  # a die of 2 or more with up to two additions
_CAPTAINS_BY_MAP: Final = {"gulf": (2,), "ring": (3, 4, 5, 6, 7, 8), "east": (2, 3, 4, 5, 6, 7, 8)}
_FAMED_CAPTAINS: Final = (5, 6, 7, 8)  # numbers of captains for which homes have old fame

Rows = list[tuple[Cell, ...]]


def make_rule_tables() -> dict[str, RuleTable]:
    return {
        "maps": _maps_table(),
        "ports": _ports_table(),
        "types": _types_table(),
        "months": _months_table(),
        "boards": _boards_table(),
        "blows": _blows_table(),
        "crews": RuleTable(
            table_headings("crew", "rank", "mends"),
            tuple((Text(f"table.crew.{rank}"), rank, rank) for rank in range(MAX_RANK + 1)),
        ),
        "prices": RuleTable(
            table_headings("galleys", "price"), tuple((owned, price_beside(owned)) for owned in range(MAX_GALLEYS))
        ),
        "homes": _homes_table(),
    }


def _maps_table() -> RuleTable:
    rows: Rows = []
    for name, numbers in _CAPTAINS_BY_MAP.items():
        numbers_by_worth: dict[int, list[int]] = {}
        for number in numbers:
            numbers_by_worth.setdefault(sea_map(name, number).total_worth, []).append(number)
        for worth, captains in numbers_by_worth.items():
            chart = sea_map(name, captains[0])
            several = majority_worth(chart, 3) if captains[-1] > 2 else _NONE
            two = majority_worth(chart, 2) if any(number % 2 == 0 for number in captains) else _NONE
            rows.append((Text(f"table.map.{name}"), format_range(captains[0], captains[-1]), worth, several, two))
    return RuleTable(table_headings("map", "captains", "worth", "majority", "majority_of_two"), tuple(rows))


def _ports_table() -> RuleTable:
    rows: Rows = [
        (Text(f"table.port.{worth}"), worth, nights, LAURELS_PER_WORTH * worth)
        for worth, nights in SIEGE_NIGHTS.items()
    ]
    return RuleTable(table_headings("port", "port_worth", "falls_at", "laurels"), tuple(rows))


def _types_table() -> RuleTable:
    rows: Rows = []
    for holes, masts in MASTS_BY_OARS.items():
        galley = new_galley("A", 1, "", holes)
        lame_at = max(oars for oars in range(holes) if structs.replace(galley, port=oars).is_lame)
        rows.append((f"{holes}/{masts}", holes, masts, lame_at))
    return RuleTable(table_headings("type", "oars_a_side", "masts", "lame_at"), tuple(rows))


def _months_table() -> RuleTable:
    last_turn = max(int(value) for spec in OPTIONS if spec.key == "turns" for value in spec.values)
    rows: Rows = [
        (Text(f"month.{month}"), f"{month * TURNS_PER_MONTH + 1}–{(month + 1) * TURNS_PER_MONTH}")
        for month in range(last_turn // TURNS_PER_MONTH)
    ]
    return RuleTable(table_headings("month", "turns"), tuple(rows))


def _boards_table() -> RuleTable:
    rows: Rows = []
    least = 1
    for most, _, width, height in TABLE_SIZES:
        rows.append((f"{least}–{most}", f"{width} × {height}"))
        least = most + 1
    return RuleTable(table_headings("larger_side", "table_mm"), tuple(rows))


def _blows_table() -> RuleTable:
    rows: Rows = [(1, Text("table.foul", {"damage": FOUL_DAMAGE}))]
    for damage, group in groupby(_THROWS, key=throw_damage):
        throws = list(group)
        rows.append((format_range(throws[0], throws[-1]), damage or _NONE))
    return RuleTable(table_headings("throw", "blow"), tuple(rows))


def _homes_table() -> RuleTable:
    homes_by_captains = {captains: sea_map("east", captains).homes for captains in _FAMED_CAPTAINS}
    fame = {captains: {home.city: home.fame for home in homes} for captains, homes in homes_by_captains.items()}
    rows: Rows = [
        (f"{home.city} ({home.village})", *(fame[captains].get(home.city, _NONE) for captains in _FAMED_CAPTAINS))
        for home in homes_by_captains[max(_FAMED_CAPTAINS)]
    ]
    return RuleTable((Text("table.home"), *map(str, _FAMED_CAPTAINS)), tuple(rows))
