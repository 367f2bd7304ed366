"""What may be seen of a game of Naval Battle. Its painter works nothing out again."""

from __future__ import annotations

from msgspec import Struct

from rules.forts.table.boards import Board, Side
from rules.forts.table.fire import Line
from rules.forts.table.sailing import Reach
from rules.forts.table.state import Code, Colour, Ship, ShipId, Siege, Wind
from rules.view import View


class Leg(Struct, frozen=True, kw_only=True):
    """A move of the viewer's unfinished orders or plan."""

    ship: ShipId
    start: str
    end: str


class Aim(Struct, frozen=True, kw_only=True):
    """Shots of the viewer's unfinished orders or plan, with the hexes from and at which they would be fired."""

    by: ShipId
    to: ShipId
    start: str
    end: str


class HexView(View, frozen=True, kw_only=True):
    """The sea as one seat sees it. All is open but plans, and what is chosen in secret before the first turn.

    `round` is the player-turn, from 1; 0 before the first. Ships are named by colour and class, such as `wBB`.
    """

    board: Board
    colours: tuple[Colour, ...]
    """Of each seat."""
    white: Side
    """The side of white's own fort; red's is the other."""
    active: Colour | None
    """Whose player-turn it is; None before the first and after the last."""
    wind: Wind | None
    siege: Siege | None
    """The flagship of `siege.by` lies beside the other's fort since player-turn `siege.since`."""
    quiet: int
    """Player-turns in a row without a hit; 16 end the game."""
    limit: int
    """The last player-turn."""
    flagships: tuple[Code | None, Code | None]
    """White's and red's; None: not announced yet. In the viewer's own view while choosing, what the draft says."""
    ships: tuple[Ship, ...]
    """Afloat. While placing, the viewer's own stand here as the draft sets them down."""
    sunk: tuple[Ship, ...]
    """In the order in which they went down."""
    current: ShipId | None = None
    """The ship that the viewer is giving orders to just now; None: none is chosen."""
    start: tuple[str, ...] = ()
    """While placing: the viewer's start hexes."""
    reach: tuple[Reach, ...] = ()
    """In the viewer's own player-turn: of each own ship. A painter shows that of `current`."""
    fire: tuple[Line, ...] = ()
    """In the viewer's own player-turn: of each own ship that has shots left, to each enemy within range."""
    threats: tuple[str, ...] = ()
    """Hexes that enemies may reach in their next player-turn, while the viewer looks at that."""
    legs: tuple[Leg, ...] = ()
    """Moves of the viewer's unfinished orders or plan."""
    aims: tuple[Aim, ...] = ()
    """Shots of the viewer's unfinished orders or plan."""
