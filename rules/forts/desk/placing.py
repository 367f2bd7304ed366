"""Before the first player-turn: which ship is the flagship, and where the ships lie (NB-02)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, cast

from rules.errors import IllegalOrder, UnreadableOrder, excerpt
from rules.forts.table.boards import Harbour
from rules.forts.table.state import CODES, Code, Colour, Flagship, Placement, Ship, State
from rules.forts.table.turn import own_side
from rules.notebook import Notebook, one_piece
from rules.panels import buttons, select
from rules.protocol import Choices, Draft, Option
from rules.typed import pieces
from rules.view import Text

DEFAULT_FLAGSHIP: Final = Flagship(CODES[0])
_ORDER: Final[tuple[Code, ...]] = ("FR", "BR", "BB", "GA")
"""Table N3: whose the start hexes of a harbour are by default, in the order in which its board lists them."""
_SHIP: Final = re.compile(rf"({'|'.join(CODES)})[@>:\s]*([A-Z][1-9][0-9]?)")


def harbour(state: State, colour: Colour) -> Harbour:
    """The start hexes of a colour (NB-02.2)."""
    return state.position.board.harbour(own_side(state.position, colour))


def proposal(berths: Harbour) -> Placement:
    """Where ships lie by default (Table N3)."""
    by_ship = dict(zip(_ORDER, berths.start, strict=True))
    return Placement(tuple(by_ship[code] for code in CODES))


def fleet(colour: Colour, placement: Placement) -> tuple[Ship, ...]:
    """The ships of a colour where they are placed."""
    return tuple(Ship(colour=colour, code=code, hex=at) for code, at in zip(CODES, placement.hexes, strict=True))


# --- the flagship ------------------------------------------------------------------------------------------------


def read_flagship(text: str) -> Flagship:
    """The ship that a code names; empty: the battleship (NB-02.3). Raises `UnreadableOrder`."""
    code = "".join(text.split()).upper() or CODES[0]
    if code not in CODES:
        raise UnreadableOrder("flagship_unreadable", piece=excerpt(text))
    return Flagship(code)


FLAGSHIP: Final[Notebook[State, None, Flagship | None, Flagship]] = one_piece(
    context=lambda *_: None, parse=lambda _, text: read_flagship(text), format=lambda answer: answer.code
)


def flagship_choices(_: None, draft: Flagship | None) -> Choices:
    """The four ships."""
    chosen = draft or DEFAULT_FLAGSHIP
    ships = (
        FLAGSHIP.option(_, Flagship(code), code, Text(f"ship.{code}"), chosen=code == chosen.code) for code in CODES
    )
    return Choices(groups=(buttons("flagship", ships),), lines=(Text("line.flagship", {"ship": chosen.code}),))


# --- the start hexes ---------------------------------------------------------------------------------------------


def write(placement: Placement) -> str:
    """A placement as text, such as `BB D5; GA D6; FR C5; BR C7`."""
    return "; ".join(f"{code} {at}" for code, at in zip(CODES, placement.hexes, strict=True))


def take(berths: Harbour, placement: Placement, text: str) -> Placement:
    """The placement with ships where the text says; a ship that lay there takes a start hex that is left.

    Raises `OrderError` if it cannot be read, or for a hex that is no start hex, or one given twice (NB-02.2).
    """
    given: dict[Code, str] = {}
    for piece in pieces(text.upper(), ";,\n\r"):
        found = _SHIP.fullmatch(piece)
        if not found:
            raise UnreadableOrder("berth_unreadable", piece=excerpt(piece), expected=write(proposal(berths)))
        code, at = cast("Code", found[1]), found[2]
        if at not in berths.start:
            raise IllegalOrder("no_start_hex", "NB-02.2", piece=piece, hex=at, legal=", ".join(berths.start))
        if code in given or at in given.values():
            raise IllegalOrder("berth_twice", "NB-02.2", piece=piece, ship=code, hex=at)
        given[code] = at
    before = dict(zip(CODES, placement.hexes, strict=True))
    kept = {code: at for code, at in before.items() if code not in given and at not in given.values()}
    free = [at for at in berths.start if at not in (*given.values(), *kept.values())]
    placed = {**kept, **given}
    return Placement(tuple(placed[code] if code in placed else free.pop(0) for code in CODES))


BERTHS: Final[Notebook[State, Harbour, Placement, Placement]] = Notebook(
    context=lambda state, request: harbour(state, state.colour(request.seat)),
    empty=proposal,
    take=take,
    written=lambda _, placement: Draft(write(placement)),
    complete=lambda _, placement: placement,
    format=write,
)


def placement_choices(berths: Harbour, placement: Placement) -> Choices:
    """The start hexes of each ship; choosing one makes two ships change places."""
    at = dict(zip(CODES, placement.hexes, strict=True))
    groups = tuple(select(code, _hexes(berths, placement, code, at[code])) for code in CODES)
    return Choices(groups=groups, lines=tuple(Text("line.berth", {"ship": code, "hex": at[code]}) for code in CODES))


def _hexes(berths: Harbour, placement: Placement, code: Code, before: str) -> Iterator[Option]:
    for label in berths.start:
        change = {before: label, label: before}
        swapped = Placement(tuple(change.get(at, at) for at in placement.hexes))
        said = Text("choice.berth", {"ship": code, "hex": label})
        yield BERTHS.option(berths, swapped, f"{code}.{label}", said, chosen=before == label)
