"""Events of rams, rakes, grapples, missiles, fire and boarding, and of their consequences."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from msgspec import Struct, field, structs

from rules.core.view import Text
from rules.squadrons.engine.events.base import FleetEvent, TwoDice, Weight
from rules.squadrons.engine.notation.orders import Flank, FleetSide


def natural_roll(event: CutTried | ShipRammed | ShipRaked | ShipGrappled | ShipBoarded) -> int:
    """Return the unmodified sum of the dice of an attempt."""
    return event.die if isinstance(event, CutTried | ShipGrappled) else sum(event.dice)


def needed_roll(event: CutTried | ShipRammed | ShipRaked | ShipGrappled | ShipBoarded) -> int:
    """Return the lowest unmodified roll that succeeds."""
    dice = 1 if isinstance(event, CutTried | ShipGrappled) else 2
    return max(dice, event.need - event.drm)


def _roll_params(event: CutTried | ShipRammed | ShipRaked | ShipGrappled | ShipBoarded) -> dict[str, Any]:
    need = needed_roll(event)
    needed = Text("needed.with", {"need": need, "drm": event.drm}) if event.drm else Text("needed", {"need": need})
    return {**structs.asdict(event), "rolled": natural_roll(event), "needed": (needed,)}


class BoardingShip(Struct, frozen=True):
    """A galley that boards, and with how much of her manpower."""

    ship: str
    m: int


class CutTried(FleetEvent, frozen=True, kw_only=True, tag="cut"):  # SQ-18.1
    ship_fields = ("ship", "of")
    headline_rule = ("ok", 8, 2)
    variant_of = ("ok", "free", "held")

    ship: str
    of: str = field(name="from")
    need: int
    drm: int
    die: int
    ok: bool

    @property
    def sentence_params(self) -> dict[str, Any]:
        return _roll_params(self)


class TowersJettisoned(FleetEvent, frozen=True, kw_only=True, tag="jettison"):  # SQ-19.12
    ship_fields = ("ship",)
    headline_rule = 3

    ship: str


class ShotFired(FleetEvent, frozen=True, kw_only=True, tag="fire"):  # SQ-19
    ship_fields = ("by", "target")

    by: str
    target: str
    reaction: bool
    range: int
    m: int
    flame: bool
    drm: int
    die: int
    result: Literal["-", "D", "D/F"]

    @property
    def variant(self) -> str:
        return f"{'back' if self.reaction else 'shot'}.{'none' if self.result == '-' else 'hit'}"

    @property
    def headline_score(self) -> int:
        return 3 if self.result == "-" else 7


class IgnitionRolled(FleetEvent, frozen=True, kw_only=True, tag="ignite"):  # SQ-20
    ship_fields = ("ship",)
    continues_line = True
    headline_rule = 5

    ship: str
    cause: Literal["flame", "pots", "spread"]
    die: int
    ok: bool

    @property
    def variant(self) -> str:
        return f"{self.cause}.{'lit' if self.ok else 'out'}"


class ManpowerLost(FleetEvent, frozen=True, kw_only=True, tag="depleted"):  # SQ-21
    ship_fields = ("ship",)
    headline_rule = 0  # the shot or the boarding makes a better headline

    ship: str
    eff_m: int = field(name="effM")

    @property
    def weight(self) -> Weight:  # type: ignore[override] # depends on the outcome
        return 0


class ShipRammed(FleetEvent, frozen=True, kw_only=True, tag="ram"):  # SQ-13
    ship_fields = ("by", "target")
    variant_of = "result"
    weight = 2
    headline_rule = 40

    by: str
    target: str
    ra: int
    rd: int
    need: int
    drm: int
    dice: TwoDice
    adjusted: int
    result: Literal["rammed", "collision"]

    @property
    def sentence_params(self) -> dict[str, Any]:
        return _roll_params(self)


class RetractRolled(FleetEvent, frozen=True, kw_only=True, tag="retract"):  # SQ-13.10
    ship_fields = ("ship", "target")
    continues_line = True
    variant_of = "result"
    headline_rule = 2

    ship: str
    value: int
    """Natural roll minus her Crew."""
    result: Literal["fouled", "back", "stay"]
    to: str
    target: str
    """The ship that she rammed. Cases do not show it."""


class ShipRaked(FleetEvent, frozen=True, kw_only=True, tag="rake"):  # SQ-14
    ship_fields = ("by", "target")
    variant_of = ("ok", "sheared", "missed")
    headline_rule = 20

    by: str
    target: str
    side: Flank
    need: int
    drm: int
    dice: TwoDice
    adjusted: int
    ok: bool

    @property
    def sentence_params(self) -> dict[str, Any]:
        return _roll_params(self)


class ShipGrappled(FleetEvent, frozen=True, kw_only=True, tag="grapple"):  # SQ-16
    ship_fields = ("by", "target")
    variant_of = ("ok", "held", "slipped")
    headline_rule = 15

    by: str
    target: str
    need: int
    drm: int
    die: int
    ok: bool

    @property
    def sentence_params(self) -> dict[str, Any]:
        return _roll_params(self)


class ShipBoarded(FleetEvent, frozen=True, kw_only=True, tag="board"):  # SQ-17
    weight = 2
    headline_rule = 50

    target: str
    by: tuple[BoardingShip, ...]
    m: int
    need: int
    drm: int
    dice: TwoDice
    adjusted: int
    result: Literal["captured", "repulsed"]

    @property
    def sentence_params(self) -> dict[str, Any]:
        return {**_roll_params(self), "by": tuple(boarder.ship for boarder in self.by)}

    @property
    def ship_ids(self) -> tuple[str, ...]:
        return (*(boarder.ship for boarder in self.by), self.target)

    @property
    def captured_ship(self) -> str:
        return self.target if self.result == "captured" else ""

    @property
    def variant(self) -> str:
        return f"{self.result}.{'one' if len(self.by) == 1 else 'several'}"


class UnfoulTried(FleetEvent, frozen=True, kw_only=True, tag="unfoul"):  # SQ-18.5
    ship_fields = ("ship", "of")
    headline_rule = ("ok", 8, 2)
    variant_of = ("ok", "free", "held")

    ship: str
    of: str = field(name="from")
    need: int
    die: int
    ok: bool


class FireFought(FleetEvent, frozen=True, kw_only=True, tag="firefight"):  # SQ-20.5
    ship_fields = ("ship",)
    variant_of = "effect"
    headline_rule = 9

    ship: str
    die: int
    effect: Literal["out", "burns", "depleted", "spread", "burnt"]


class SinkRolled(FleetEvent, frozen=True, kw_only=True, tag="sinkRoll"):  # SQ-22.9
    ship_fields = ("ship",)
    variant_of = ("sinks", "sinks", "floats")
    headline_rule = 2

    ship: str
    die: int
    sinks: bool


class ShipSunk(FleetEvent, frozen=True, kw_only=True, tag="sunk"):  # SQ-22.9
    ship_fields = ("ship",)
    variant_of = "cause"
    weight = 2
    headline_rule = 70

    ship: str
    cause: Literal["sinks", "burnt", "chain"]


class ReactionRolled(FleetEvent, frozen=True, kw_only=True, tag="reaction_rolled"):  # SQ-12.1
    ship_fields = ("ship", "by")
    variant_of = ("ok", "rams", "late")

    shown_in_cases: ClassVar[bool] = False
    headline_rule = 5

    ship: str
    by: str
    die: int
    crew: int
    ok: bool


class PointsRewarded(FleetEvent, frozen=True, kw_only=True, tag="rewarded"):
    ship_fields = ("ship",)
    continues_line = True
    shown_in_cases: ClassVar[bool] = False
    headline_rule = 20

    side: FleetSide
    points: int
    ship: str


FightEvent = (
    CutTried
    | TowersJettisoned
    | ShotFired
    | IgnitionRolled
    | ManpowerLost
    | ShipRammed
    | RetractRolled
    | ShipRaked
    | ShipGrappled
    | ShipBoarded
    | UnfoulTried
    | FireFought
    | SinkRolled
    | ShipSunk
    | ReactionRolled
    | PointsRewarded
)
