"""Events of leaders and squadrons: who obeys, and who acts."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from msgspec import field, structs

from rules.squadrons.engine.events.base import FleetEvent, Weight
from rules.squadrons.engine.notation import order_words
from rules.squadrons.engine.notation.orders import FleetSide
from rules.squadrons.engine.sea.state import Squadron


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
