"""The view of Naval Battle, the only source of its pictures."""

from __future__ import annotations

from msgspec import Struct

from rules.core.view import View
from rules.forts.engine.boards import Board, FortSide
from rules.forts.engine.fire import FireLine
from rules.forts.engine.sailing import Reach
from rules.forts.engine.state import ClassCode, PlayerColour, Ship, ShipId, Siege, WindState


class PlannedLeg(Struct, frozen=True, kw_only=True):
    ship: ShipId  # id of the ship that is to move
    start: str  # hex before the move
    end: str  # hex after the move


class AimedShots(Struct, frozen=True, kw_only=True):
    by: ShipId  # id of the ship that is to shoot
    to: ShipId  # id of its target
    start: str  # hex of the ship that is to shoot
    end: str  # hex of the target


class HexView(View, frozen=True, kw_only=True):
    """The sea as one seat sees it. Plans and secret choices before the first turn are hidden.

    `round` is the player-turn, from 1; 0 before the first. Ships are named by colour and class, such as `wBB`.
    """

    board: Board  # the map of hexes
    colours: tuple[PlayerColour, ...]  # each seat's colour
    white: FortSide  # the side of White's fort
    active: PlayerColour | None  # the colour whose player-turn it is; None before the first and after the last
    wind: WindState | None  # the present wind; None: not rolled yet
    siege: Siege | None  # the flagship of `siege.by` has been beside the enemy fort since player-turn `siege.since`
    quiet_turns: int  # consecutive player-turns without a hit; 16 end a game with a turn limit
    turn_limit: int | None  # number of the last player-turn; None: no count ends the game
    flagships: tuple[ClassCode | None, ClassCode | None]
    """White's and red's; None: not announced yet. While choosing, the viewer's own is that of the draft."""
    ships: tuple[Ship, ...]  # ships afloat; while placing, also the viewer's own as the draft places them
    sunk: tuple[Ship, ...]  # ships that sank, as they were
    current_ship: ShipId | None = None  # id of the ship that the viewer gives orders to; None: none
    start_hexes: tuple[str, ...] = ()  # hexes where the viewer's ships may start, while placing
    reaches: tuple[Reach, ...] = ()
    """The reach of each own ship in the viewer's own player-turn; a painter shows that of `current_ship`."""
    fire_lines: tuple[FireLine, ...] = ()
    """Lines of fire of own ships with shots left to enemies within range, in the viewer's own player-turn."""
    threats: tuple[str, ...] = ()
    """Hexes that enemies may reach in their next player-turn, while the viewer looks at them."""
    fire_threats: tuple[str, ...] = ()
    """Hexes that they may not reach, but shoot at from where they may get, while the viewer looks at them."""
    legs: tuple[PlannedLeg, ...] = ()  # moves that the viewer's draft plans
    aims: tuple[AimedShots, ...] = ()  # shots that the viewer's draft plans
