"""The beginning of a game: board, limits, colours and forts, or a position (NB-01.13, NB-02.1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Literal

from rules.chance.dice import Dice
from rules.core.protocol import Event, OptionSpec, Setup, Step
from rules.core.sides import check_teams, draw_lot
from rules.forts.engine import notation
from rules.forts.engine.boards import Board, FortSide
from rules.forts.engine.events import ColoursDrawn
from rules.forts.engine.state import NO_LIMIT, Position, State
from rules.forts.interface import game_flow

MAX_LOW_DIE: Final = 3  # NB-02.1: up to this number, the first captain gets white, and white the west fort
_COLOURS_LOT: Final = "colours"
_FORTS_LOT: Final = "forts"
FIRST_GAME_OPTIONS: Final = {"limit": "30", "colours": "first"}


def setup_options(boards: Mapping[str, Board]) -> tuple[OptionSpec, ...]:
    names = tuple(boards)
    return (
        OptionSpec("board", names, names[0]),
        OptionSpec("limit", ("60", "30", NO_LIMIT), "60"),
        OptionSpec("wind", ("player", "round"), "player"),
        OptionSpec("colours", ("dice", "first", "second"), "dice"),
        OptionSpec("forts", ("dice", "west", "east"), "dice"),
    )


def start_game(setup: Setup, dice: Dice, boards: Mapping[str, Board]) -> Step:
    """Assign colours and forts, and go on to the first question.

    A game from a position continues with its next action, or with the roll of the wind. Raises `OrderError` for a setup
    that the rules do not allow, or a position that cannot be read.
    """
    options = OptionSpec.chosen_values(setup_options(boards), setup.options, "NB-02.1")
    check_teams(setup.teams, 1, "NB-02.1")
    position = notation.parse_position(setup.position, boards) if setup.position else None
    colour_die, fort_die = 0, 0
    if options["colours"] == "dice":
        colour_die, dice = draw_lot(setup, _COLOURS_LOT, 6, dice, rule="NB-02.1")
    white_seat = 0 if options["colours"] == "first" or 0 < colour_die <= MAX_LOW_DIE else 1
    white: FortSide = "west" if options["forts"] == "west" else "east"
    if position:
        white = position.white
    elif options["forts"] == "dice":
        fort_die, dice = draw_lot(setup, _FORTS_LOT, 6, dice, rule="NB-02.1")
        white = "west" if fort_die <= MAX_LOW_DIE else "east"
    seats = (white_seat, 1 - white_seat)
    west, east = seats if white == "west" else seats[::-1]
    assigned = ColoursDrawn(
        white=seats[0], red=seats[1], west=west, east=east, colour_die=colour_die, fort_die=fort_die, rule="NB-02.1"
    )
    scope: Literal["player", "round"] = "round" if options["wind"] == "round" else "player"
    state = State(
        position=position or _empty_position(boards[options["board"]], white),
        seats=seats,
        limit=None if options["limit"] == NO_LIMIT else int(options["limit"]),
        wind_scope=scope,
        missed=setup.missed,
        dice=dice,
        phase="actions" if position else "flagships",
    )
    return game_flow.begin_flow(Step(state, (assigned,)))


def lots_of(setup: Setup, start_events: Sequence[Event]) -> dict[str, int]:  # noqa: ARG001 - each side is one seat
    return {
        name: die
        for event in start_events
        if isinstance(event, ColoursDrawn)
        for name, die in ((_COLOURS_LOT, event.colour_die), (_FORTS_LOT, event.fort_die))
        if die
    }


def _empty_position(board: Board, white: FortSide) -> Position:
    return Position(board=board, turn=0, wind=None, siege=None, quiet=0, white=white, flagships=("BB", "BB"), ships=())
