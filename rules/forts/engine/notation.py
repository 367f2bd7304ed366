"""Positions as one line of text, like chess's FEN."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, cast

from msgspec import structs

from rules.core.errors import UnreadableOrder
from rules.forts.engine.boards import BOARDS, Board, FortSide, all_hexes, sea_hexes
from rules.forts.engine.state import CODES, COLOURS, ClassCode, PlayerColour, Position, Ship, Siege, WindState

_NUMBER_PATTERN: Final = r"0|[1-9][0-9]{0,8}"
_CODES_PATTERN: Final = "|".join(CODES)
_HEADER_PATTERN: Final = re.compile(  # `two_forts 1 white none - 0 white=west BB/BB`
    rf"(?P<board>\S+) +(?P<turn>{_NUMBER_PATTERN}) +(?P<colour>white|red) +(?P<wind>none|wind|calm) +"
    rf"(?P<siege>-|[wr](?:{_NUMBER_PATTERN})) +(?P<quiet>{_NUMBER_PATTERN}) +white=(?P<white>west|east) +"
    rf"(?P<flagships>(?:{_CODES_PATTERN})/(?:{_CODES_PATTERN}))"
)
_SHIP_PATTERN: Final = re.compile(  # `wBB@D5 0 s3 m`
    rf"(?P<colour>[wr])(?P<code>{_CODES_PATTERN})@(?P<hex>[A-Z][1-9][0-9]?) +(?P<hits>[0-9])"
    r"(?: +s(?P<shots>[0-9])(?P<moved> +m)?)?"
)
_COLOUR_BY_LETTER: Final[dict[str, PlayerColour]] = {"w": "white", "r": "red"}
_SHIP_ORDER: Final = {
    (colour, code): number for number, (colour, code) in enumerate((a, b) for a in COLOURS for b in CODES)
}


def parse_position(text: str, boards: Mapping[str, Board] = BOARDS) -> Position:
    """Parse a position; ships may be in any order, with any number of blanks. Raises `UnreadableOrder`."""
    header, *ship_texts = (ship_text.strip(" ") for ship_text in text.split(";"))
    match = _HEADER_PATTERN.fullmatch(header)
    if not match:
        raise UnreadableOrder(
            "position_header",
            piece="position",
            given=header[:60],
            expected="two_forts 1 white none - 0 white=west BB/BB",
        )
    board = boards.get(match["board"])
    if board is None:
        raise UnreadableOrder("position_board", piece="position", given=match["board"][:60], expected=", ".join(boards))
    white, red = match["flagships"].split("/")
    position = Position(
        board=board,
        turn=int(match["turn"]),
        wind=None if match["wind"] == "none" else cast("WindState", match["wind"]),
        siege=None if match["siege"] == "-" else Siege(_COLOUR_BY_LETTER[match["siege"][0]], int(match["siege"][1:])),
        quiet=int(match["quiet"]),
        white=cast("FortSide", match["white"]),
        flagships=(cast("ClassCode", white), cast("ClassCode", red)),
        ships=(),
    )
    if position.turn < 1 or position.active_colour != match["colour"]:
        raise UnreadableOrder("position_turn", piece="position", turn=position.turn, expected=position.active_colour)
    if position.siege and position.siege not in _possible_sieges(position):
        expected = ", ".join(f"{siege.by[0]}{siege.since}" for siege in _possible_sieges(position))
        raise UnreadableOrder("position_siege", piece="position", given=match["siege"], expected=expected)
    ships: list[Ship] = []
    for ship_text in ship_texts:
        ship = _parse_ship(ship_text, position)
        if any(other.id == ship.id or other.hex == ship.hex for other in ships):
            raise UnreadableOrder("position_twice", piece="position", ship=ship.id, hex=ship.hex)
        ships.append(ship)
    ships.sort(key=lambda ship: _SHIP_ORDER[ship.colour, ship.code])
    return structs.replace(position, ships=tuple(ships))


def format_position(position: Position) -> str:
    """Return a position as one line, such as `two_forts 1 white none - 0 white=west BB/BB ; wBB@D5 0 s3 ; rBB@R6 0`."""
    siege = f"{position.siege.by[0]}{position.siege.since}" if position.siege else "-"
    header = (
        f"{position.board.id} {position.turn} {position.active_colour} {position.wind or 'none'} {siege}"
        f" {position.quiet} "
        f"white={position.white} {'/'.join(position.flagships)}"
    )
    return " ; ".join(
        [header, *(format_ship(ship, active=ship.colour == position.active_colour) for ship in position.ships)]
    )


def format_ship(ship: Ship, *, active: bool) -> str:
    shots = f" s{ship.shots}{' m' if ship.moved else ''}" if active else ""
    return f"{ship.id}@{ship.hex} {ship.hits}{shots}"


def _possible_sieges(position: Position) -> tuple[Siege, ...]:
    """Return the possible sieges: the opponent's since the previous turn, or one just opened in a finished game."""
    return Siege(position.waiting_colour, position.turn - 1), Siege(position.active_colour, position.turn)


def _parse_ship(ship_text: str, position: Position) -> Ship:
    match = _SHIP_PATTERN.fullmatch(ship_text)
    if not match:
        raise UnreadableOrder("position_ship", piece="position", given=ship_text[:60], expected="wBB@D5 0 s3")
    ship = Ship(
        colour=_COLOUR_BY_LETTER[match["colour"]],
        code=cast("ClassCode", match["code"]),
        hex=match["hex"],
        hits=int(match["hits"]),
        shots=int(match["shots"] or 0),
        moved=bool(match["moved"]),
    )
    here = all_hexes(position.board).get(ship.hex)
    if here is None or here not in sea_hexes(position.board):
        raise UnreadableOrder("position_hex", piece="position", ship=ship.id, hex=ship.hex)
    if ship.hits_left < 1:
        raise UnreadableOrder("position_hits", piece="position", ship=ship.id, most=ship.ship_class.margin - 1)
    if ship.shots > ship.ship_class.shots:
        raise UnreadableOrder("position_shots", piece="position", ship=ship.id, most=ship.ship_class.shots)
    is_active = ship.colour == position.active_colour
    if is_active != (match["shots"] is not None):
        raise UnreadableOrder("position_active", piece="position", ship=ship.id, expected=position.active_colour)
    if is_active and position.wind is None and (ship.moved or ship.shots < ship.ship_class.shots):
        raise UnreadableOrder("position_fresh", piece="position", ship=ship.id)
    return ship
