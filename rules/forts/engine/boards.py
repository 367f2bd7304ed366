"""Boards: hexes of sea and land, two forts, and the hexes where their ships start (NB-01.13).

`rules.geometry.hexes` computes axial coordinates (NB-01.2), neighbours (NB-01.3), centres in pixels (NB-01.5) and the
hexes that a line crosses or runs between, in integers (NB-01.9, NB-01.10).
"""

from __future__ import annotations

import tomllib
from collections import deque
from functools import cache
from importlib.resources import files
from typing import Any, Final, Literal

import msgspec
from msgspec import Struct

from rules.core.errors import UnreadableOrder
from rules.geometry import hexes
from rules.geometry.hexes import Hex, LowerColumns

FortSide = Literal["west", "east"]
SIDES: Final[tuple[FortSide, FortSide]] = ("west", "east")
LOWER_COLUMNS: Final[LowerColumns] = "odd"  # NB-01.1: odd columns, B, D, …, lie half a hex lower


class Harbour(Struct, frozen=True, kw_only=True):
    """A fort and the four sea hexes around it where its ships start (NB-01.13, NB-02.2)."""

    fort: str  # the fort's hex
    start: tuple[str, ...]  # hexes where ships start


class Board(Struct, frozen=True, kw_only=True):
    """A board as data, with hexes by their labels, such as `D5`."""

    id: str  # name of the board
    columns: int  # number of columns
    rows_even: int  # rows of columns A, C, E, …
    rows_odd: int  # rows of columns B, D, F, …
    land: tuple[str, ...]  # hexes of islands
    west: Harbour  # the western fort
    east: Harbour  # the eastern fort
    symmetric: bool = True
    """Whether a half turn maps the board onto itself, and either harbour onto the other (NB-01.12)."""

    def harbour_of(self, side: FortSide) -> Harbour:
        return self.west if side == "west" else self.east


def load_board(text: str) -> Board:
    """Parse and check a board in TOML.

    Raises `UnreadableOrder` with the field or hex and what was expected.
    """
    try:
        data = tomllib.loads(text)
        _refuse_unknown_keys(data, Board)
        board = msgspec.convert(data, Board)
    except tomllib.TOMLDecodeError as error:
        raise UnreadableOrder("bad_board", piece="board", expected=str(error)) from error
    except msgspec.ValidationError as error:
        message, _, field = str(error).partition(" - at ")
        piece = field.strip("`").removeprefix("$.") or "board"
        raise UnreadableOrder("bad_board", piece=piece, expected=message) from error
    check_board(board)
    return board


def check_board(board: Board) -> None:
    """Refuse a board that cannot be played on. Raises `UnreadableOrder` with the field or hex.

    Each hex lies on the board and is named once. The sea is connected. Each fort has four start hexes, all sea beside
    it and apart from the other's. A symmetric board equals itself after a half turn (NB-01.12, NB-02.2).
    """
    for field, least, most in (("columns", 3, 26), ("rows_even", 2, 99), ("rows_odd", 2, 99)):
        if not least <= getattr(board, field) <= most:
            raise UnreadableOrder("bad_board", piece=field, expected=f"{least}–{most}")
    named = [("land", label) for label in board.land]  # each hex of the board file, with its field
    for side in SIDES:
        harbour = board.harbour_of(side)
        named += [(f"{side}.fort", harbour.fort), *((f"{side}.start", label) for label in harbour.start)]
    labels = [label for _, label in named]
    for field, label in named:
        if label not in all_hexes(board):
            raise UnreadableOrder("bad_board", piece=f"{field} {label}", expected="A1")
        if labels.count(label) > 1:
            raise UnreadableOrder("bad_board", piece=f"{field} {label}", expected="once")
    _check_harbours(board)
    _check_sea(board)
    if board.symmetric:
        _check_symmetry(board)


@cache
def all_hexes(board: Board) -> dict[str, Hex]:
    """Return all hexes of a board by label, column by column (NB-01.1)."""
    hex_by_label = {}
    for column in range(board.columns):
        for row in range(board.rows_odd if column % 2 else board.rows_even):
            board_hex = hexes.hex_at(column, row, LOWER_COLUMNS)
            hex_by_label[hexes.format_label(board_hex, LOWER_COLUMNS)] = board_hex
    return hex_by_label


@cache
def hex_labels(board: Board) -> dict[Hex, str]:
    return {here: label for label, here in all_hexes(board).items()}


@cache
def sea_hexes(board: Board) -> dict[Hex, str]:
    """Return the hexes that ships may enter, with their labels; all others are land, forts or off the board."""
    barred = {*board.land, board.west.fort, board.east.fort}
    return {here: label for label, here in all_hexes(board).items() if label not in barred}


def opposite_hex(board: Board, label: str) -> str:
    column, row = hexes.column_and_row(all_hexes(board)[label], LOWER_COLUMNS)
    rows = board.rows_odd if column % 2 else board.rows_even
    opposite = hexes.hex_at(board.columns - 1 - column, rows - 1 - row, LOWER_COLUMNS)
    return hexes.format_label(opposite, LOWER_COLUMNS)


def _refuse_unknown_keys(data: dict[str, Any], kind: type[Struct], where: str = "") -> None:
    """Refuse unknown fields, since a misspelt one would otherwise be ignored."""
    for key, value in data.items():
        if key not in kind.__struct_fields__:
            legal = ", ".join(kind.__struct_fields__)
            raise UnreadableOrder("bad_board", piece=f"{where}{key}", expected=legal)
        if isinstance(value, dict):
            _refuse_unknown_keys(value, Harbour, f"{key}.")


def _check_harbours(board: Board) -> None:
    for side in SIDES:
        harbour = board.harbour_of(side)
        if len(harbour.start) != 4:
            raise UnreadableOrder("bad_board", piece=f"{side}.start", expected="4")
        for label in harbour.start:
            if hexes.hex_distance(all_hexes(board)[label], all_hexes(board)[harbour.fort]) != 1:
                raise UnreadableOrder("bad_board", piece=f"{side}.start {label}", expected=f"beside {harbour.fort}")


def _check_sea(board: Board) -> None:
    # flood the sea from any of its hexes, and look for one that was not reached
    sea = sea_hexes(board)
    reached = {next(iter(sea))}
    queue = deque(reached)
    while queue:
        for neighbour in hexes.neighbours(queue.popleft()):
            if neighbour in sea and neighbour not in reached:
                reached.add(neighbour)
                queue.append(neighbour)
    for sea_hex, label in sea.items():
        if sea_hex not in reached:
            raise UnreadableOrder("bad_board", piece=f"sea {label}", expected="connected")


def _check_symmetry(board: Board) -> None:
    # with an even number of columns, a half turn would exchange higher and lower columns
    if board.columns % 2 == 0:
        raise UnreadableOrder("bad_board", piece="columns", expected="odd, or symmetric = false")
    barred = {*board.land, board.west.fort, board.east.fort}
    for label in sorted(barred):
        if opposite_hex(board, label) not in barred:
            raise UnreadableOrder(
                "bad_board", piece=label, expected=f"{opposite_hex(board, label)}, or symmetric = false"
            )
    turned = {opposite_hex(board, label) for label in board.west.start}
    if opposite_hex(board, board.west.fort) != board.east.fort or turned != set(board.east.start):
        raise UnreadableOrder("bad_board", piece="east", expected="west after a half turn, or symmetric = false")


def _read_board(name: str) -> Board:
    return load_board(files(__package__).joinpath("data", f"{name}.toml").read_text("utf-8"))


TWO_FORTS: Final = _read_board("two_forts")
OPEN_WATER: Final = _read_board("open_water")  # the standard board without the islands in the middle (NB-01.13)
BOARDS: Final[dict[str, Board]] = {board.id: board for board in (TWO_FORTS, OPEN_WATER)}
"""Boards that may be chosen by name. Replays need only the record, so these boards are part of the rules."""
