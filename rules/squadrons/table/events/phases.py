"""Set-up, the phases of a turn, and the end."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from msgspec import structs

from rules.protocol import Seat
from rules.squadrons.table.events.base import EndReason, FleetEvent, TwoDice, Weight
from rules.squadrons.table.notation.orders import FleetSide, Speed
from rules.squadrons.table.sea.fleet_words import roster_texts
from rules.squadrons.table.sea.grid import FACING_NAMES
from rules.squadrons.table.sea.state import Position, Wind
from rules.squadrons.table.tables import TABLES


class ScoreCounted(FleetEvent, frozen=True, kw_only=True, tag="vp"):
    """Victory points at the end of a turn (SQ-22)."""

    weight = 0

    blue: int
    red: int


class WithdrawalRolled(FleetEvent, frozen=True, kw_only=True, tag="withdraw"):
    """Whether a fleet without its Admiral withdraws (SQ-22.7)."""

    variant_of = ("ok", "goes", "stays")
    headline = ("ok", 80, 1)

    side: FleetSide
    die: int
    total: int
    ok: bool

    @property
    def weight(self) -> Weight:  # type: ignore[override] # it hangs on what came of it
        """A fleet that fights on is no turn of the battle."""
        return 2 if self.ok else 1

    @property
    def values(self) -> dict[str, Any]:
        """With what is added to the die, and the least total at which it goes."""
        return {**structs.asdict(self), "more": self.total - self.die, "need": TABLES.need.withdraw}


class GameEnded(FleetEvent, frozen=True, kw_only=True, tag="end"):
    """The battle is over."""

    weight = 3

    winner: FleetSide | Literal["draw"]
    reason: EndReason
    blue: int
    red: int
    drawish: bool

    @property
    def variant(self) -> str:
        """Why, and whether anybody has won."""
        return f"{self.reason}.drawn" if self.winner == "draw" else self.reason


class TurnBegan(FleetEvent, frozen=True, kw_only=True, tag="turn_began"):
    """A turn begins; with all that lies on the map, so that it can be drawn from its events."""

    of_cases: ClassVar[bool] = False
    weight = 0

    turn: int
    position: Position


class FleetsRevealed(FleetEvent, frozen=True, kw_only=True, tag="revealed"):
    """Both fleets are built (D-1)."""

    of_cases: ClassVar[bool] = False
    headline = 2

    blue: str
    """In the notation of fleets."""
    red: str

    @property
    def values(self) -> dict[str, Any]:
        """With both fleets in words."""
        return {"blue": roster_texts(self.blue), "red": roster_texts(self.red)}


class SetUpRolled(FleetEvent, frozen=True, kw_only=True, tag="first_rolled"):
    """A die for the Initiative of the set-up (SQ-23.4)."""

    of_cases: ClassVar[bool] = False
    weight = 0

    side: FleetSide
    die: int


class FleetDeployed(FleetEvent, frozen=True, kw_only=True, tag="deployed"):
    """A fleet is placed, or will enter in the first turn."""

    variant_of = ("enters", "enters", "placed")

    of_cases: ClassVar[bool] = False
    headline = 2

    side: FleetSide
    position: Position
    """With the fleet."""
    enters: bool


class WindChanged(FleetEvent, frozen=True, kw_only=True, tag="wind_changed"):
    """The wind after its dice (phase A)."""

    of_cases: ClassVar[bool] = False
    headline = 1

    dice: TwoDice
    wind: Wind

    @property
    def values(self) -> dict[str, Any]:
        """With each die, and how it blows."""
        first, second = self.dice
        wind = self.wind
        return {
            "first": first,
            "second": second,
            "strength": wind.strength,
            "direction": FACING_NAMES[wind.direction % 6],
        }


class InitiativeRolled(FleetEvent, frozen=True, kw_only=True, tag="initiative_rolled"):
    """A die of phase C."""

    of_cases: ClassVar[bool] = False
    weight = 0

    side: FleetSide
    die: int
    total: int


class InitiativeWon(FleetEvent, frozen=True, kw_only=True, tag="initiative_won"):
    """Who has won the initiative, and who goes first (D-5)."""

    of_cases: ClassVar[bool] = False
    headline = 0

    side: FleetSide
    first: FleetSide

    @property
    def variant(self) -> str:
        """Who goes first."""
        return "first" if self.side == self.first else "second"


class SpeedSet(FleetEvent, frozen=True, kw_only=True, tag="speed_set"):
    """The speed of galleys that changed it, in phase D."""

    of_cases: ClassVar[bool] = False
    headline = 0

    ships: tuple[str, ...]
    speed: Speed

    @property
    def variant(self) -> str:
        """Which."""
        return "max" if self.speed == "M" else "cruise"


class SidesDrawn(FleetEvent, frozen=True, kw_only=True, tag="sides_drawn"):
    """The captains of each side."""

    variant_of = ("die", "thrown", "")

    of_cases: ClassVar[bool] = False
    weight = 0

    blue: tuple[Seat, ...]
    red: tuple[Seat, ...]
    die: int
    """0: it was not thrown."""


class CaptainConceded(FleetEvent, frozen=True, kw_only=True, tag="gave_up"):
    """A captain has given up (SQ-22.8)."""

    variant_of = ("heirs", "ally", "")

    of_cases: ClassVar[bool] = False
    revealing = False
    headline = 30

    seat: Seat
    heirs: tuple[Seat, ...]
    """Allies who take over the ships."""


PhaseEvent = (
    ScoreCounted
    | WithdrawalRolled
    | GameEnded
    | TurnBegan
    | FleetsRevealed
    | SetUpRolled
    | FleetDeployed
    | WindChanged
    | InitiativeRolled
    | InitiativeWon
    | SpeedSet
    | SidesDrawn
    | CaptainConceded
)
