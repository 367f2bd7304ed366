"""Checks of scenarios that hosts write; errors name line and rule (RS-22)."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Final

from rules.core.errors import IllegalOrder, OrderError, UnreadableOrder, quote_excerpt
from rules.ramspeed.engine.geometry import hulls
from rules.ramspeed.engine.notation import position as positions
from rules.ramspeed.engine.notation import scenarios
from rules.ramspeed.engine.notation.scenarios import Scenario
from rules.ramspeed.engine.notation.words import to_notation_words
from rules.ramspeed.engine.state import Captain, Ring

_TABLE_SIZE_RANGE_IN: Final = (10.0, 200.0)
"""Minimum and maximum width and height: less holds no fleet, more is never crossed."""
_MAX_SHIPS: Final = 30  # maximum ships of a side, for which a panel and a picture have room
_MAX_TURNS: Final = 100
_MAX_LAND_PIECES: Final = 12  # limits of land, since every course that is tried is tested against all of it
_MAX_CORNERS: Final = 12  # of a piece of land
_SETUP_RULE: Final = "RS-22.1"  # the rule cited if no rule of the game is more precise
_RULE_BY_CODE: Final = {"position_overlap": "RS-01.7", "position_edge": "RS-06.2"}


def parse_scenario(text: str) -> Scenario:
    """Return a host's scenario. Raises `IllegalOrder` with line and rule.

    The limits of land are checked only when a scenario is handed in (`check_scenario`).
    """
    try:
        scenario = scenarios.load_scenario(text)
    except UnreadableOrder as error:
        at = str(error.fault.params.get("at", ""))
        if at:  # a decoder refused it
            position = re.fullmatch(r"(\d+):\d+", at)
            line = int(position[1]) if position else _line_of_field(text, at)
            typed = text.split("\n")[line - 1 : line] if line else []
            piece = quote_excerpt(typed[0]) if typed else at
            raise IllegalOrder("scenario_text", _SETUP_RULE, piece=piece or at, line=line or 1) from error
        field = error.fault.piece
        expected = str(error.fault.params.get("expected", ""))
        raise _line_error(_line_of_field(text, field), field, expected) from error
    except RecursionError as error:
        raise _line_error(0, "scenario", "less nesting") from error
    _check_sizes(text, scenario)
    _check_ships(text, scenario)
    captains = [Captain(f"p{seat}", side.name) for seat, side in enumerate(scenario.sides)]
    try:
        positions.check_position(scenarios.scenario_position(scenario, captains))
    except OrderError as error:
        ship = str(error.fault.params["given"])
        rule = _RULE_BY_CODE.get(error.fault.code, _SETUP_RULE)
        other = str(error.fault.params.get("other", ""))
        code = "scenario_overlap" if other else "scenario_edge"
        line = _line_of_text(text, f'"{ship} ')
        raise IllegalOrder(code, rule, piece=ship, line=line, ship=ship, other=other) from error
    _check_zones(text, scenario, captains)
    return scenario


def check_scenario(text: str) -> None:
    """Refuse too much land, land off the table, and names that no order could use. Raises `IllegalOrder`."""
    scenario = parse_scenario(text)
    land = scenario.land
    if len(land) > _MAX_LAND_PIECES:
        raise _line_error(_line_of_text(text, "land"), "land", f"<= {_MAX_LAND_PIECES}")
    for number, ring in enumerate(land):
        if len(ring) > _MAX_CORNERS:
            raise _line_error(_row_of_ring(text, ring), f"land[{number}]", f"<= {_MAX_CORNERS}")
        if not all(0 <= value <= side for corner in ring for value, side in zip(corner, scenario.table, strict=True)):
            expected = " × ".join(f"0 … {side:g}" for side in scenario.table)
            raise _line_error(_row_of_ring(text, ring), f"land[{number}]", expected)
    for ship_text in [ship_text for side in scenario.sides for ship_text in side.ships]:
        name = ship_text.split(" ")[0]
        if to_notation_words(name) != name.lower():  # orders would read the name as another word
            raise _line_error(_line_of_text(text, f'"{ship_text}'), name, "A1")


def _check_sizes(text: str, scenario: Scenario) -> None:
    min_side, max_side = _TABLE_SIZE_RANGE_IN
    if not all(math.isfinite(side) and min_side <= side <= max_side for side in scenario.table):
        raise _line_error(_line_of_text(text, "table"), "table", f"{min_side:g} … {max_side:g}")
    if not 1 <= scenario.turn_limit <= _MAX_TURNS:
        raise _line_error(_line_of_text(text, "turn_limit"), "turn_limit", f"1 … {_MAX_TURNS}")
    for number, ring in enumerate(scenario.land):
        coordinates = [value for corner in ring for value in corner]
        if len(ring) < 3 or not all(map(math.isfinite, coordinates)) or not positions.is_convex(ring):
            line = _row_of_ring(text, ring)
            raise IllegalOrder("scenario_land", "RS-01.7", piece=f"land[{number}]", line=line, number=number + 1)


def _check_zones(text: str, scenario: Scenario, captains: Sequence[Captain]) -> None:
    """Refuse zones that are no area of the table, and ships that do not lie afloat in theirs (RS-22.6)."""
    position = scenarios.scenario_position(scenario, captains)
    for number, fleet in enumerate(scenario.sides):
        if fleet.zone is None:
            continue
        west, south, east, north = fleet.zone
        line = _line_of_field(text, f"sides[{number}].zone")
        width, height = scenario.table
        if not (0 <= west < east <= width and 0 <= south < north <= height):
            expected = f"0 <= west < east <= {width:g}, 0 <= south < north <= {height:g}"
            raise _line_error(line, "zone", expected, "RS-22.6")
        for ship in (ship for ship in position.ships if ship.side0 == fleet.name):
            if ship.beached or not hulls.is_in_box(hulls.hull_of(ship), fleet.zone):
                where = f"{west:g} … {east:g}, {south:g} … {north:g}"
                raise _line_error(_line_of_text(text, f'"{ship.id} '), ship.id, where, "RS-22.6")


def _check_ships(text: str, scenario: Scenario) -> None:
    names: set[str] = set()
    for number, fleet in enumerate(scenario.sides):
        if len(fleet.ships) > _MAX_SHIPS:
            raise _line_error(_line_of_text(text, fleet.ships[0]), f"sides[{number}].ships", f"<= {_MAX_SHIPS}")
        for ship_text in fleet.ships:
            name, *_, heading = ship_text.split(" ")[:5]
            if int(heading) > 359:
                raise _line_error(_line_of_text(text, ship_text), ship_text, "0 … 359")
            if name in names:
                raise IllegalOrder(
                    "scenario_twice", _SETUP_RULE, piece=name, line=_line_of_text(text, ship_text), ship=name
                )
            names.add(name)


def _line_error(line: int, piece: str, expected: str, rule: str = _SETUP_RULE) -> IllegalOrder:
    return IllegalOrder("scenario_line", rule, piece=piece, line=line or 1, expected=expected[:200])


def _line_of_field(text: str, piece: str) -> int:
    """Return the 1-based number of the line of a field such as `sides[1].name`; 0 if it is not found."""
    side_match = re.match(r"sides\[(\d+)\]", piece)
    name = re.split(r"[.\[]", piece)[-2 if piece.endswith("]") else -1]  # the last word: `ships` of `sides[1].ships[0]`
    if not side_match:
        return _line_of_text(text, name)
    side_lines = [number for number, line in enumerate(text.split("\n"), 1) if line.strip().startswith("[[sides]]")]
    side = int(side_match[1])
    if side >= len(side_lines):
        return 0
    return _line_of_text(text, name, side_lines[side]) or side_lines[side]


def _line_of_text(text: str, piece: str, after: int = 0) -> int:
    """Return the 1-based number of the first line that starts with `piece`, else of one that contains it, else 0."""
    lines = [(number, line.strip()) for number, line in enumerate(text.split("\n"), 1) if number > after]
    first_start = next((number for number, line in lines if line.startswith(piece)), 0)
    return first_start or next((number for number, line in lines if piece in line), 0)


def _row_of_ring(text: str, ring: Ring) -> int:
    """Return the 1-based number of the line with the first corner of a ring, else of the field `land`, else 0."""
    land_line = _line_of_text(text, "land")
    if not ring:
        return land_line
    x, y = (rf"{re.escape(f'{value:g}')}0*" for value in ring[0])
    corner_pattern = re.compile(rf"\[\s*{x}(\.0*)?\s*,\s*{y}(\.0*)?\s*\]")
    rows = enumerate(text.split("\n"), 1)
    return next((number for number, row in rows if number >= land_line and corner_pattern.search(row)), land_line)
