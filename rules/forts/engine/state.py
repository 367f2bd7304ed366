"""The values of Naval Battle: ships, positions, plans and the state of a game (NB-01)."""

from __future__ import annotations

from typing import Final, Literal

from msgspec import Struct

from rules.core.protocol import GameState, Seat
from rules.forts.engine.boards import Board, FortSide

PlayerColour = Literal["white", "red"]
ClassCode = Literal["BB", "GA", "FR", "BR"]
WindState = Literal["wind", "calm"]
ShipId = Literal["wBB", "wGA", "wFR", "wBR", "rBB", "rGA", "rFR", "rBR"]

COLOURS: Final[tuple[PlayerColour, PlayerColour]] = ("white", "red")
CODES: Final[tuple[ClassCode, ...]] = ("BB", "GA", "FR", "BR")
START_ORDER: Final[tuple[ClassCode, ...]] = ("FR", "BR", "BB", "GA")
"""Table N3: the ships on a harbour's start hexes by default, in the order of the board's list."""
NO_LIMIT: Final = "none"  # the value of the option `limit` with which no count ends the game (NB-09.1)


class ShipClass(Struct, frozen=True, kw_only=True):
    """The abilities of a class (Table N1); distances in hexes."""

    wind: int  # moves in wind
    calm: int  # moves in calm
    range: int  # how far its guns reach
    shots: int  # shots in a player-turn
    plunges: bool  # whether ships may shoot although the line of fire is blocked (NB-06.1)
    margin: int  # hits that sink a ship


CLASSES: Final[dict[ClassCode, ShipClass]] = {
    "BB": ShipClass(wind=4, calm=0, range=3, shots=3, plunges=False, margin=5),
    "GA": ShipClass(wind=3, calm=0, range=3, shots=2, plunges=False, margin=4),
    "FR": ShipClass(wind=5, calm=0, range=3, shots=1, plunges=False, margin=4),
    "BR": ShipClass(wind=4, calm=2, range=2, shots=1, plunges=True, margin=3),
}


def ship_id(colour: PlayerColour, code: ClassCode) -> ShipId:
    return f"{colour[0]}{code}"  # type: ignore[return-value] # all eight are names


class Ship(Struct, frozen=True, kw_only=True):
    colour: PlayerColour  # the side that it fights for
    code: ClassCode  # its class
    hex: str  # the hex's label, such as `D5`; for a sunk ship, where it sank
    hits: int = 0  # hits taken so far
    shots: int = 0  # shots left in this player-turn; 0 for the inactive colour
    moved: bool = False  # whether it has moved in this player-turn

    @property
    def id(self) -> ShipId:
        return ship_id(self.colour, self.code)

    @property
    def ship_class(self) -> ShipClass:
        return CLASSES[self.code]

    @property
    def hits_left(self) -> int:
        """Return the hits that the ship can still take (NB-07.1); hits have no other effect (NB-07.4)."""
        return self.ship_class.margin - self.hits


class Siege(Struct, frozen=True):
    """A flagship beside the enemy fort (NB-08.1)."""

    by: PlayerColour  # the flagship's colour
    since: int  # the player-turn in which it began


class Position(Struct, frozen=True, kw_only=True):
    """Everything on the board, as `notation` writes it on one line."""

    board: Board  # the map of hexes
    turn: int  # the player-turn, from 1; 0 before the first
    wind: WindState | None  # None: not rolled yet
    siege: Siege | None  # the siege of a fort, if any
    quiet: int  # consecutive player-turns without a hit (NB-09.1)
    white: FortSide  # the side of White's fort
    flagships: tuple[ClassCode, ClassCode]  # White's, then red's
    ships: tuple[Ship, ...]  # ships afloat

    def ships_of(self, colour: PlayerColour) -> list[Ship]:
        return [ship for ship in self.ships if ship.colour == colour]

    @property
    def active_colour(self) -> PlayerColour:
        """Return the colour whose player-turn it is (NB-02.5)."""
        return "white" if self.turn % 2 else "red"

    @property
    def waiting_colour(self) -> PlayerColour:
        return "red" if self.turn % 2 else "white"


# --- answers -----------------------------------------------------------------------------------------------------


class Target(Struct, frozen=True):
    code: ClassCode  # class of the enemy ship
    most: int = 0  # maximum shots at this target; 0: all that are left


class MoveOrder(Struct, frozen=True, tag="Move"):
    ship: ClassCode  # class of the own ship
    hex: str  # label of the hex to move to, such as `D5`


class ShootOrder(Struct, frozen=True, tag="Shots"):
    """Shots at the targets, one after the other (NB-05)."""

    ship: ClassCode  # class of the own ship
    targets: tuple[Target, ...]  # a target gets the shots that are left over at the one before


class EndOrder(Struct, frozen=True, tag="End"):
    """The end of the player-turn."""


Action = MoveOrder | ShootOrder | EndOrder


class PlanBlock(Struct, frozen=True):
    """The part of a plan for one kind of wind."""

    when: Literal["wind", "calm", "any"]  # the wind in which the actions are carried out; `any`: in both
    actions: tuple[Action, ...]  # carried out in this order


class FlagshipChoice(Struct, frozen=True, tag="Flagship"):
    """The choice of the flagship (NB-02.3), which never changes (NB-02.4)."""

    code: ClassCode  # class of the ship that becomes the flagship


class Placement(Struct, frozen=True, tag=True):
    """The start hexes of the captain's ships, in the order of `CODES` (NB-02.2)."""

    hexes: tuple[str, ...]  # labels of hexes, such as `D5`


class ActionList(Struct, frozen=True, tag="Actions"):
    actions: tuple[Action, ...]  # carried out in this order


class UndoMove(Struct, frozen=True, tag="Undo"):
    """The last move is taken back, which is allowed until a die is rolled."""


class RunPlan(Struct, frozen=True, tag=True):
    """The captain's stored plan is carried out and ends the player-turn."""


class PassTurn(Struct, frozen=True, tag="Pass"):
    excused: bool = False
    """Whether an announced absence or a shortened deadline keeps the pass from counting towards a claim."""


class ClaimWin(Struct, frozen=True, tag="Claim"):
    """A claim to win against an opponent who let three player-turns in a row pass."""


class StoredPlan(Struct, frozen=True, tag="Plan"):
    """A plan for the captain's next player-turn; without blocks, no plan."""

    blocks: tuple[PlanBlock, ...] = ()  # the parts of the plan, for each kind of wind
    auto: bool = False
    """Whether the plan is carried out at once when the player-turn begins, rather than at the deadline."""


Answer = FlagshipChoice | Placement | ActionList | UndoMove | RunPlan | PassTurn | ClaimWin | StoredPlan


# --- the game ----------------------------------------------------------------------------------------------------


class State(GameState, frozen=True, kw_only=True):
    position: Position  # everything on the board
    sunk: tuple[Ship, ...] = ()  # ships that sank, as they were
    seats: tuple[Seat, Seat]  # seats of White's and red's captains
    limit: int | None  # the last player-turn (NB-09.1); None: no count ends the game
    wind_scope: Literal["player", "round"]
    """Whether a roll of the wind applies to one player-turn or to a round of two (NB-03.1, B-01)."""
    missed: Literal["hold", "mate"]  # what happens to a captain who misses a deadline (`Setup.missed`)
    phase: Literal["flagships", "berths", "actions", "over"]  # what the game waits for; `berths`: start hexes
    answered: int = 0  # answers of the active captain in this player-turn
    moves: tuple[tuple[ShipId, str], ...] = ()  # moves that may be taken back, in order: the ship and its previous hex
    last_ship: ShipId | None = None  # the last ship that acted in this player-turn; None: none did
    undone: tuple[ShipId, ...] = ()  # ships that took back a move in this player-turn
    plans: tuple[StoredPlan, StoredPlan] = (StoredPlan(), StoredPlan())  # White's and red's plans; secret
    planned: int = 0  # how often the waiting captain stored a plan in this player-turn
    passes: tuple[int, int] = (0, 0)  # consecutive player-turns that White's and red's captain let pass

    def seat_of(self, colour: PlayerColour) -> Seat:
        return self.seats[COLOURS.index(colour)]

    def colour_of(self, seat: Seat) -> PlayerColour:
        return COLOURS[self.seats.index(seat)]

    def plan_of(self, colour: PlayerColour) -> StoredPlan:
        return self.plans[COLOURS.index(colour)]
