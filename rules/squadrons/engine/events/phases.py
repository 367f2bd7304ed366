"""Events of the set-up, the phases of a turn, and the end."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from msgspec import field, structs

from rules.core.protocol import Seat
from rules.squadrons.engine.events.base import EndReason, FleetEvent, TwoDice, Weight
from rules.squadrons.engine.notation import order_words
from rules.squadrons.engine.notation.orders import FleetSide, Speed
from rules.squadrons.engine.sea.fleets import roster_texts
from rules.squadrons.engine.sea.grid import FACING_NAMES
from rules.squadrons.engine.sea.state import Position, Squadron, Wind
from rules.squadrons.engine.tables import TABLES


class ControlRolled(FleetEvent, frozen=True, kw_only=True, tag="is"):  # SQ-05.9
    ship_fields = ("ship",)
    variant_of = ("ok", "ok", "loose")
    weight = 0

    ship: str
    die: int
    crew: int
    ok: bool


class LeaderTransferred(FleetEvent, frozen=True, kw_only=True, tag="transfer"):  # SQ-05.16
    ship_fields = ("of", "to")
    variant_of = ("ok", "across", "stays")
    headline_rule = 4

    leader: str
    of: str = field(name="from")
    to: str
    die: int
    ok: bool


class LeaderLost(FleetEvent, frozen=True, kw_only=True, tag="leaderLost"):  # SQ-05.18
    ship_fields = ("ship",)
    continues_line = True
    variant_of = ("to", "deputy", "none")
    weight = 2
    headline_rule = 60

    leader: str
    ship: str
    to: str | None
    """Galley on which a deputy takes over; None if nobody does."""

    @property
    def sentence_params(self) -> dict[str, Any]:
        return {**structs.asdict(self), "to": self.to or ""}


class SquadronsFormed(FleetEvent, frozen=True, kw_only=True, tag="squadrons_formed"):  # phase B
    shown_in_cases: ClassVar[bool] = False
    squadrons: tuple[Squadron, ...]

    @property
    def sentence_params(self) -> dict[str, Any]:
        led = [squadron for squadron in self.squadrons if squadron.number]
        return {"squadrons": tuple(f"{squadron.flagship} ({len(squadron.ships)})" for squadron in led)}

    @property
    def weight(self) -> Weight:  # type: ignore[override] # depends on the outcome
        return 0


class SquadronActivated(FleetEvent, frozen=True, kw_only=True, tag="squadron_activated"):
    is_heading = True
    variant_of = ("number", "led", "single")

    shown_in_cases: ClassVar[bool] = False
    headline_rule = 0  # the events of its ships make the headlines

    side: FleetSide
    number: int
    flagship: str
    ships: tuple[str, ...]

    @property
    def sentence_params(self) -> dict[str, Any]:
        values = structs.asdict(self)
        return values if self.taken else {**values, "ships": order_words.ship_ranges(self.ships)}

    @property
    def weight(self) -> Weight:  # type: ignore[override] # depends on the outcome
        return 1 if self.number else 0


class DoubleActivated(FleetEvent, frozen=True, kw_only=True, tag="double_activated"):  # SQ-05.11
    variant_of = ("ok", "both", "one")

    shown_in_cases: ClassVar[bool] = False
    headline_rule = 9

    leader: str
    flagship: str
    need: int
    die: int
    ok: bool


class OrdersConfused(FleetEvent, frozen=True, kw_only=True, tag="confused"):  # SQ-05.13
    ship_fields = ("flagship",)
    variant_of = "effect"

    shown_in_cases: ClassVar[bool] = False
    headline_rule = 10

    flagship: str
    die: int
    effect: Literal["none", "cruise", "half"]


CommandEvent = (
    ControlRolled
    | LeaderTransferred
    | LeaderLost
    | SquadronsFormed
    | SquadronActivated
    | DoubleActivated
    | OrdersConfused
)


class ScoreCounted(FleetEvent, frozen=True, kw_only=True, tag="vp"):  # SQ-22
    weight = 0

    blue: int
    red: int


class WithdrawalRolled(FleetEvent, frozen=True, kw_only=True, tag="withdraw"):  # SQ-22.7
    variant_of = ("ok", "goes", "stays")
    headline_rule = ("ok", 80, 1)

    side: FleetSide
    die: int
    total: int
    ok: bool

    @property
    def weight(self) -> Weight:  # type: ignore[override] # depends on the outcome
        return 2 if self.ok else 1

    @property
    def sentence_params(self) -> dict[str, Any]:
        return {**structs.asdict(self), "more": self.total - self.die, "need": TABLES.need.withdraw}


class GameEnded(FleetEvent, frozen=True, kw_only=True, tag="end"):
    weight = 3

    winner: FleetSide | Literal["draw"]
    reason: EndReason
    blue: int
    red: int
    drawish: bool

    @property
    def variant(self) -> str:
        return f"{self.reason}.drawn" if self.winner == "draw" else self.reason


class TurnBegan(FleetEvent, frozen=True, kw_only=True, tag="turn_began"):
    """A turn begins. The event carries the position, so that the turn can be drawn from its events."""

    shown_in_cases: ClassVar[bool] = False
    weight = 0

    turn: int
    position: Position


class FleetsRevealed(FleetEvent, frozen=True, kw_only=True, tag="revealed"):  # D-1
    shown_in_cases: ClassVar[bool] = False
    headline_rule = 2

    blue: str
    red: str

    @property
    def sentence_params(self) -> dict[str, Any]:
        return {"blue": roster_texts(self.blue), "red": roster_texts(self.red)}


class SetUpRolled(FleetEvent, frozen=True, kw_only=True, tag="first_rolled"):  # SQ-23.4
    shown_in_cases: ClassVar[bool] = False
    weight = 0

    side: FleetSide
    die: int


class FleetDeployed(FleetEvent, frozen=True, kw_only=True, tag="deployed"):
    variant_of = ("enters", "enters", "placed")

    shown_in_cases: ClassVar[bool] = False
    headline_rule = 2

    side: FleetSide
    position: Position
    enters: bool


class WindChanged(FleetEvent, frozen=True, kw_only=True, tag="wind_changed"):  # phase A
    shown_in_cases: ClassVar[bool] = False
    headline_rule = 1

    dice: TwoDice
    wind: Wind

    @property
    def sentence_params(self) -> dict[str, Any]:
        first, second = self.dice
        wind = self.wind
        return {
            "first": first,
            "second": second,
            "strength": wind.strength,
            "direction": FACING_NAMES[wind.direction % 6],
        }


class InitiativeRolled(FleetEvent, frozen=True, kw_only=True, tag="initiative_rolled"):  # phase C
    shown_in_cases: ClassVar[bool] = False
    weight = 0

    side: FleetSide
    die: int
    total: int


class InitiativeWon(FleetEvent, frozen=True, kw_only=True, tag="initiative_won"):
    """A side wins the initiative and decides which side goes first (D-5)."""

    shown_in_cases: ClassVar[bool] = False
    headline_rule = 0

    side: FleetSide
    first: FleetSide

    @property
    def variant(self) -> str:
        return "first" if self.side == self.first else "second"


class SpeedSet(FleetEvent, frozen=True, kw_only=True, tag="speed_set"):
    shown_in_cases: ClassVar[bool] = False
    headline_rule = 0

    ships: tuple[str, ...]
    speed: Speed

    @property
    def variant(self) -> str:
        return "max" if self.speed == "M" else "cruise"


class SidesDrawn(FleetEvent, frozen=True, kw_only=True, tag="sides_drawn"):
    variant_of = ("die", "thrown", "")

    shown_in_cases: ClassVar[bool] = False
    weight = 0

    blue: tuple[Seat, ...]
    red: tuple[Seat, ...]
    die: int
    """0 if no die was rolled."""


class CaptainConceded(FleetEvent, frozen=True, kw_only=True, tag="gave_up"):  # SQ-22.8
    variant_of = ("heirs", "ally", "")

    shown_in_cases: ClassVar[bool] = False
    may_reveal = False
    headline_rule = 30

    seat: Seat
    heirs: tuple[Seat, ...]


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
