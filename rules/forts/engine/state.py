"""The values of Naval Battle: ships, positions, plans, the state of a game (NB part 1)."""

from __future__ import annotations

from typing import Final, Literal

from msgspec import Struct

from rules.core.protocol import GameState, Seat
from rules.forts.engine.boards import Board, FortSide

PlayerColour = Literal["white", "red"]
ClassCode = Literal["BB", "GA", "FR", "BR"]
WindState = Literal["wind", "calm"]
ShipId = Literal["wBB", "wGA", "wFR", "wBR", "rBB", "rGA", "rFR", "rBR"]
"""Colour and class."""

COLOURS: Final[tuple[PlayerColour, PlayerColour]] = ("white", "red")
CODES: Final[tuple[ClassCode, ...]] = ("BB", "GA", "FR", "BR")


class ShipClass(Struct, frozen=True, kw_only=True):
    """What ships of a class can do (Table N1); distances in hexes."""

    wind: int
    """Moves in wind."""
    calm: int
    """Moves in calm."""
    range: int
    shots: int
    """In a player-turn."""
    plunges: bool
    """May shoot though the line of fire is blocked (NB-06.1)."""
    margin: int
    """Hits that sink her."""


CLASSES: Final[dict[ClassCode, ShipClass]] = {
    "BB": ShipClass(wind=4, calm=0, range=3, shots=3, plunges=False, margin=5),
    "GA": ShipClass(wind=3, calm=0, range=3, shots=2, plunges=False, margin=4),
    "FR": ShipClass(wind=5, calm=0, range=3, shots=1, plunges=False, margin=4),
    "BR": ShipClass(wind=4, calm=2, range=2, shots=1, plunges=True, margin=3),
}


def ship_id(colour: PlayerColour, code: ClassCode) -> ShipId:
    """The id of the ship of a colour and class, such as `wBB`."""
    return f"{colour[0]}{code}"  # type: ignore[return-value] # all eight are names


class Ship(Struct, frozen=True, kw_only=True):
    """A ship on the board."""

    colour: PlayerColour
    code: ClassCode
    hex: str
    """The label of her hex, such as `D5`; of a sunk ship, where she went down."""
    hits: int = 0
    shots: int = 0
    """Left in this player-turn; 0 for ships of the colour that is not active."""
    moved: bool = False
    """In this player-turn."""

    @property
    def id(self) -> ShipId:
        """Her name, such as `wBB`: a colour has but one ship of a class."""
        return ship_id(self.colour, self.code)

    @property
    def ship_class(self) -> ShipClass:
        """What she can do."""
        return CLASSES[self.code]

    @property
    def hits_left(self) -> int:
        """Hits that she can still take (NB-07.1); they have no other effect (NB-07.4)."""
        return self.ship_class.margin - self.hits


class Siege(Struct, frozen=True):
    """A flagship lies beside the enemy fort (NB-08.1)."""

    by: PlayerColour
    since: int
    """The player-turn in which it opened."""


class Position(Struct, frozen=True, kw_only=True):
    """All that lies on the table: what the notation of part 10.1 writes on one line."""

    board: Board
    turn: int
    """The player-turn, from 1; 0 before the first."""
    wind: WindState | None
    """None: not rolled yet."""
    siege: Siege | None
    quiet: int
    """Player-turns in a row without a hit (NB-09.1)."""
    white: FortSide
    """The side of the white player's own fort."""
    flagships: tuple[ClassCode, ClassCode]
    """White's and red's."""
    ships: tuple[Ship, ...]
    """Afloat, white before red, each in the order of `CODES`."""

    def ships_of(self, colour: PlayerColour) -> list[Ship]:
        """The ships of a colour that are afloat."""
        return [ship for ship in self.ships if ship.colour == colour]

    @property
    def active_colour(self) -> PlayerColour:
        """Whose player-turn it is (NB-02.5)."""
        return "white" if self.turn % 2 else "red"

    @property
    def waiting_colour(self) -> PlayerColour:
        """Whose player-turn it is not."""
        return "red" if self.turn % 2 else "white"


# --- answers -----------------------------------------------------------------------------------------------------


class Target(Struct, frozen=True):
    """An enemy ship to shoot at."""

    code: ClassCode
    most: int = 0
    """Shots at her at most; 0: all that are left."""


class MoveOrder(Struct, frozen=True, tag="Move"):
    """Sail an own ship to a hex (NB-04)."""

    ship: ClassCode
    hex: str


class ShootOrder(Struct, frozen=True, tag="Shots"):
    """Shoot at the targets in turn (NB-05)."""

    ship: ClassCode
    targets: tuple[Target, ...]


class EndOrder(Struct, frozen=True, tag="End"):
    """End the player-turn."""


Action = MoveOrder | ShootOrder | EndOrder


class PlanBlock(Struct, frozen=True):
    """The part of a plan that is carried out in one kind of wind."""

    when: Literal["wind", "calm", "any"]
    actions: tuple[Action, ...]


class FlagshipChoice(Struct, frozen=True, tag="Flagship"):
    """Which ship is the flagship (NB-02.3); it never changes (NB-02.4)."""

    code: ClassCode


class Placement(Struct, frozen=True, tag=True):
    """The start hexes of one's ships, in the order of `CODES` (NB-02.2)."""

    hexes: tuple[str, ...]


class ActionList(Struct, frozen=True, tag="Actions"):
    """Actions to be carried out at once, one after the other."""

    actions: tuple[Action, ...]


class UndoMove(Struct, frozen=True, tag="Undo"):
    """Take back the last move; no die was rolled since."""


class RunPlan(Struct, frozen=True, tag=True):
    """Carry out one's stored plan, and end the player-turn."""


class PassTurn(Struct, frozen=True, tag="Pass"):
    """End the player-turn: nobody gave orders in time."""

    excused: bool = False
    """The captain had announced an absence, or the time was cut short: no win can be claimed because of it."""


class ClaimWin(Struct, frozen=True, tag="Claim"):
    """Claim the win from an opponent who has let three player-turns in a row pass."""


class StoredPlan(Struct, frozen=True, tag="Plan"):
    """Word left for one's next player-turn; no blocks: none."""

    blocks: tuple[PlanBlock, ...] = ()
    auto: bool = False
    """Carried out as soon as the player-turn begins; otherwise only when the time is up."""


Answer = FlagshipChoice | Placement | ActionList | UndoMove | RunPlan | PassTurn | ClaimWin | StoredPlan


# --- the game ----------------------------------------------------------------------------------------------------


class State(GameState, frozen=True, kw_only=True):
    """A game between two answers."""

    position: Position
    sunk: tuple[Ship, ...] = ()
    seats: tuple[Seat, Seat]
    """White's and red's."""
    limit: int
    """The last player-turn (NB-09.1)."""
    wind_scope: Literal["player", "round"]
    """How long a roll of the wind holds (NB-03.1, B-01)."""
    missed: Literal["hold", "mate"]
    phase: Literal["flagships", "berths", "actions", "over"]
    answered: int = 0
    """Answers of the active captain in this player-turn."""
    moves: tuple[tuple[ShipId, str], ...] = ()
    """Moves that may be taken back, the last one last: the ship's id, and where she came from."""
    undone: tuple[ShipId, ...] = ()
    """Ships that took back a move in this player-turn."""
    plans: tuple[StoredPlan, StoredPlan] = (StoredPlan(), StoredPlan())
    """Secret; of white and of red."""
    planned: int = 0
    """Plans stored in this player-turn, by the captain who waits."""
    passes: tuple[int, int] = (0, 0)
    """Player-turns in a row that white, and red, let pass."""

    def seat_of(self, colour: PlayerColour) -> Seat:
        """Who plays a colour."""
        return self.seats[COLOURS.index(colour)]

    def colour_of(self, seat: Seat) -> PlayerColour:
        """What a seat plays."""
        return COLOURS[self.seats.index(seat)]

    def plan_of(self, colour: PlayerColour) -> StoredPlan:
        """The plan that a colour has stored."""
        return self.plans[COLOURS.index(colour)]
