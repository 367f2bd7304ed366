"""The tables of the rulebook, made from the values that the engine reads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Final

from rules.core.rulebook import Cell, RuleTable, format_range, table_headings
from rules.core.view import Text
from rules.forts.engine import fire
from rules.forts.engine.boards import SIDES, Board
from rules.forts.engine.state import CLASSES, CODES, START_ORDER
from rules.forts.engine.turn import CALM_DICE
from rules.geometry import hexes
from rules.geometry.hexes import Hex

_NONE: Final = "–"
_DIE_FACES: Final = range(1, 7)
_SHOOTER: Final = Hex(0, 0)
_LINE_TARGETS: Final = (Hex(1, 0), Hex(2, 0), Hex(1, 1), Hex(3, 0), Hex(2, 1))
"""Targets within range in one sixth of the plane, up to mirroring, as steps from the shooter."""


def make_rule_tables(boards: Mapping[str, Board]) -> dict[str, RuleTable]:
    standard = next(iter(boards.values()))
    return {
        "ships": _ships_table(),
        "weather": _weather_table(),
        "hits": _hits_table(),
        "lines": RuleTable(table_headings("target", "crossed", "between"), tuple(map(_line_row, _LINE_TARGETS))),
        "berths": _berths_table(standard),
        "boards": RuleTable(table_headings("board", "land"), tuple(_board_row(board) for board in boards.values())),
    }


def _ships_table() -> RuleTable:
    rows = tuple(
        (
            Text(f"ship.{code}"),
            ship_class.wind,
            ship_class.calm or _NONE,
            ship_class.range,
            ship_class.shots,
            ship_class.margin,
        )
        for code, ship_class in CLASSES.items()
    )
    return RuleTable(table_headings("ship", "in_wind", "in_calm", "range", "shots", "margin"), rows)


def _weather_table() -> RuleTable:
    spells = groupby(_DIE_FACES, key=lambda face: "calm" if face in CALM_DICE else "wind")
    faces_by_wind = {wind: list(faces) for wind, faces in spells}
    rows = tuple((format_range(faces[0], faces[-1]), Text(f"wind.{wind}")) for wind, faces in faces_by_wind.items())
    return RuleTable(table_headings("die", "weather"), rows)


def _hits_table() -> RuleTable:
    rows: list[tuple[Cell, ...]] = []
    for key, need in (
        ("adjacent", fire.MIN_HIT_ADJACENT),
        ("farther", fire.MIN_HIT),
        ("plunging", fire.MIN_HIT_PLUNGING),
    ):
        hits = [face for face in _DIE_FACES if face >= need]
        misses = [face for face in _DIE_FACES if face < need]
        rows.append((Text(f"table.shot.{key}"), format_range(hits[0], hits[-1]), format_range(misses[0], misses[-1])))
    return RuleTable(table_headings("shot", "hits", "misses"), tuple(rows))


def _line_row(target: Hex) -> tuple[Cell, ...]:
    line, distance = hexes.line_between(_SHOOTER, target), hexes.hex_distance(_SHOOTER, target)
    is_in_row = 0 in target
    key = "adjacent" if distance == 1 else "row" if is_in_row else "slant"
    crossed, pairs = len(line.crossed), len(line.pairs)
    return Text(f"table.target.{key}", {"distance": distance}), crossed or _NONE, 2 * pairs or _NONE


def _berths_table(board: Board) -> RuleTable:
    hex_by_side = {side: dict(zip(START_ORDER, board.harbour_of(side).start, strict=True)) for side in SIDES}
    rows = tuple((Text(f"ship.{code}"), hex_by_side["west"][code], hex_by_side["east"][code]) for code in CODES)
    return RuleTable((Text("table.ship"), Text("fort.west"), Text("fort.east")), rows)


def _board_row(board: Board) -> tuple[Cell, ...]:
    return Text(f"option.board.{board.id}"), ", ".join(_by_column(board.land))


def _by_column(land: tuple[str, ...]) -> Iterator[str]:
    """Yield the rows of each column with land, such as `A4–8` or `E7`."""
    hexes_in_order = sorted((label[0], int(label[1:])) for label in land)
    for column, column_hexes in groupby(hexes_in_order, key=lambda column_row: column_row[0]):
        spans: list[list[int]] = []
        for _, row in column_hexes:
            if spans and row == spans[-1][-1] + 1:
                spans[-1].append(row)
            else:
                spans.append([row])
        yield from (f"{column}{format_range(span[0], span[-1])}" for span in spans)
