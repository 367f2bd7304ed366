"""The view of Naval Battle, the only source of its pictures."""

from __future__ import annotations

from msgspec import Struct

from rules.core.view import View
from rules.forts.engine.boards import Board, FortSide
from rules.forts.engine.fire import FireLine
from rules.forts.engine.sailing import Reach
from rules.forts.engine.state import ClassCode, PlayerColour, Ship, ShipId, Siege, WindState


class PlannedLeg(Struct, frozen=True, kw_only=True):
    ship: ShipId
    start: str
    end: str


class AimedShots(Struct, frozen=True, kw_only=True):
    by: ShipId
    to: ShipId
    start: str
    end: str


class HexView(View, frozen=True, kw_only=True):
    """The sea as one seat sees it. Plans and secret choices before the first turn are hidden.

    `round` is the player-turn, from 1; 0 before the first. Ships are named by colour and class, such as `wBB`.
    """

    board: Board
    colours: tuple[PlayerColour, ...]
    white: FortSide
    active: PlayerColour | None  # the colour whose player-turn it is; None before the first and after the last
    wind: WindState | None
    siege: Siege | None  # the flagship of `siege.by` has been beside the enemy fort since player-turn `siege.since`
    quiet_turns: int  # consecutive player-turns without a hit; 16 end the game
    turn_limit: int
    flagships: tuple[ClassCode | None, ClassCode | None]
    """White's and red's; None: not announced yet. While choosing, the viewer's own is that of the draft."""
    ships: tuple[Ship, ...]  # ships afloat; while placing, also the viewer's own as the draft places them
    sunk: tuple[Ship, ...]
    current_ship: ShipId | None = None
    start_hexes: tuple[str, ...] = ()
    reaches: tuple[Reach, ...] = ()
    """The reach of each own ship in the viewer's own player-turn; a painter shows that of `current_ship`."""
    fire_lines: tuple[FireLine, ...] = ()
    """Lines of fire of own ships with shots left to enemies within range, in the viewer's own player-turn."""
    threats: tuple[str, ...] = ()
    """Hexes that enemies may reach in their next player-turn, while the viewer looks at them."""
    legs: tuple[PlannedLeg, ...] = ()
    aims: tuple[AimedShots, ...] = ()
