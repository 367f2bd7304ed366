"""What may be seen of a game of Naval Battle. Its painter works nothing out again."""

from __future__ import annotations

from msgspec import Struct

from rules.core.view import View
from rules.forts.engine.boards import Board, FortSide
from rules.forts.engine.fire import FireLine
from rules.forts.engine.sailing import Reach
from rules.forts.engine.state import ClassCode, PlayerColour, Ship, ShipId, Siege, WindState


class PlannedLeg(Struct, frozen=True, kw_only=True):
    """A move of the viewer's unfinished orders or plan."""

    ship: ShipId
    start: str
    end: str


class AimedShots(Struct, frozen=True, kw_only=True):
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
    colours: tuple[PlayerColour, ...]
    """Of each seat."""
    white: FortSide
    """The side of white's own fort; red's is the other."""
    active: PlayerColour | None
    """Whose player-turn it is; None before the first and after the last."""
    wind: WindState | None
    siege: Siege | None
    """The flagship of `siege.by` lies beside the other's fort since player-turn `siege.since`."""
    quiet_turns: int
    """Player-turns in a row without a hit; 16 end the game."""
    turn_limit: int
    """The last player-turn."""
    flagships: tuple[ClassCode | None, ClassCode | None]
    """White's and red's; None: not announced yet. In the viewer's own view while choosing, what the draft says."""
    ships: tuple[Ship, ...]
    """Afloat. While placing, the viewer's own stand here as the draft sets them down."""
    sunk: tuple[Ship, ...]
    """In the order in which they went down."""
    current_ship: ShipId | None = None
    """The ship that the viewer is giving orders to just now; None: none is chosen."""
    start_hexes: tuple[str, ...] = ()
    """While placing: the viewer's start hexes."""
    reaches: tuple[Reach, ...] = ()
    """In the viewer's own player-turn: of each own ship. A painter shows that of `current`."""
    fire_lines: tuple[FireLine, ...] = ()
    """In the viewer's own player-turn: of each own ship that has shots left, to each enemy within range."""
    threats: tuple[str, ...] = ()
    """Hexes that enemies may reach in their next player-turn, while the viewer looks at that."""
    legs: tuple[PlannedLeg, ...] = ()
    """Moves of the viewer's unfinished orders or plan."""
    aims: tuple[AimedShots, ...] = ()
    """Shots of the viewer's unfinished orders or plan."""
