"""Events that occur only under the extra rules: land, fire, boarding, scenarios (MX parts 1 to 5).

`GameEvent` unites them with the events of the basic rules.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, ClassVar, Literal, Self

from msgspec import Meta, structs

from rules.core.protocol import Event, Seat
from rules.core.view import Text
from rules.matchbox.engine import points
from rules.matchbox.engine.events import (
    CaptainConceded,
    FirstPlacerDrawn,
    GalleyPlaced,
    GameDrawn,
    GameWon,
    GoalSet,
    HullsCollided,
    HullsScraped,
    MatchesLaid,
    OrdersRevealed,
    PartsLost,
    RoundBegan,
    RoundEnded,
    RowersReseated,
    ScoreCounted,
    ShipBackedOff,
    ShipMoved,
    ShipRammed,
    ShipStruck,
    ShipSunk,
    SidesDrawn,
    VolleyDropped,
    VolleyHeld,
)
from rules.matchbox.engine.pose import Pose
from rules.matchbox.engine.state import HullEdge, TableSide


class _ExtraRuleEvent(Event, frozen=True, kw_only=True, tag="_Incident"):
    ship_fields: ClassVar[tuple[str, ...]] = ("galley",)

    step: int = 0  # the order step; 0: after the last
    galley: str

    @property
    def section_heading(self) -> Text | None:
        return Text("story.step", {"step": self.step}) if self.step else None


class FleetRevealed(Event, frozen=True, kw_only=True, tag="FleetShown"):
    """A captain's fleet was revealed, together with all others (MX-4.1)."""

    weight = 2
    headline_rule = 50  # more than their placement

    seat: Seat
    vessels: tuple[Annotated[str, Meta(examples=["5", "8h"])], ...]

    @property
    def acting_seat(self) -> Seat:
        return self.seat

    @property
    def params(self) -> dict[str, Any]:
        return {**super().params, "vessels": points.fleet_names(map(points.parse_build, self.vessels))}


class KeptCrewAboard(Event, frozen=True, kw_only=True, tag="CrewAboard"):
    """A kept crew is aboard a vessel (MX-4.3)."""

    ship_fields = ("galley",)
    headline_rule = 0
    list_key = "story.aboard"
    variant_of = ("promotions", "trained", "")

    galley: str
    crew: int  # the number that represents its name (`rules.core.keepsakes.name_number`)
    promotions: Annotated[str, Meta(examples=["", "rm"])] = ""

    @property
    def params(self) -> dict[str, Any]:
        values: dict[str, Any] = {
            **super().params,
            "skills": tuple(Text(f"promotion.{letter}") for letter in self.promotions),
        }
        return {**values, "which": Text("aboard.trained" if self.promotions else "aboard.crew", values)}


class ShipGrounded(_ExtraRuleEvent, frozen=True, kw_only=True, tag="RanAground"):
    """A galley ran on to land, bow first (MX-1.10). Damage 0 means a gentle beaching."""

    variant_of = ("damage", "", "gently")
    headline_rule = ("damage", 8, 1)

    damage: int


class ReefStruck(_ExtraRuleEvent, frozen=True, kw_only=True, tag="StruckReef"):
    """A galley crossed a reef too fast or with too much draught and takes 1 damage (MX-1.15)."""

    headline_rule = 7


class HouseBurnt(_ExtraRuleEvent, frozen=True, kw_only=True, tag="Landed"):
    """A galley that ran on to the town's shore burnt a house (MX-5.5)."""

    weight = 2
    headline_rule = 50


class ShipLeft(_ExtraRuleEvent, frozen=True, kw_only=True, tag="LeftTable"):
    """A vessel left over the enemy's edge, as the scenario allows (MX-5.1)."""

    weight = 2
    headline_rule = 60


class ShipPoledOff(_ExtraRuleEvent, frozen=True, kw_only=True, tag="PoledOff"):
    """A galley was poled sideways off land at the end of the round (MX-1.12)."""

    variant_of = "to"
    headline_rule = 0

    start: Pose
    end: Pose
    to: Literal["port", "starboard"]
    distance_mm: float


class FireShipStruck(_ExtraRuleEvent, frozen=True, kw_only=True, tag="Torched"):
    """A fire ship struck a galley with its bow (MX-2.7)."""

    ship_fields = ("by", "galley")
    headline_rule = 25

    by: str
    edge: HullEdge


class FireCaught(_ExtraRuleEvent, frozen=True, kw_only=True, tag="CaughtFire"):
    """A galley caught fire (MX-2.8)."""

    variant_of = ("out", "out", "")
    headline_rule = ("out", 3, 12)

    out: bool = False  # in a headline: the rowers have put the fire out since

    def with_totals(self, events: Iterable[Event], /) -> Self:
        out = any(isinstance(event, FireExtinguished) and event.galley == self.galley for event in events)
        return structs.replace(self, out=True) if out else self


class FireShipSpent(_ExtraRuleEvent, frozen=True, kw_only=True, tag="BurntOut"):
    """A fire ship was used up and left the table (MX-2.7)."""

    headline_rule = 3


class FireExtinguished(_ExtraRuleEvent, frozen=True, kw_only=True, tag="FirePutOut"):
    """Rowers put out a fire instead of changing benches (MX-2.8)."""


class OarRepaired(_ExtraRuleEvent, frozen=True, kw_only=True, tag="Mended"):
    """Carpenters repaired an oar (MX-4.5)."""


class ShipGrappled(_ExtraRuleEvent, frozen=True, kw_only=True, tag="Grappled"):
    """A galley grappled another. Neither moves for the rest of the round (MX-3.2, 3.3)."""

    ship_fields = ("by", "galley")
    headline_rule = 4

    by: str


class MeleeFought(_ExtraRuleEvent, frozen=True, kw_only=True, tag="Melee"):
    """Two crews fought on deck (MX-3.4). Pairs of values are those of the boarder and of the other."""

    ship_fields = ("by", "galley")
    continues_line = True

    by: str  # the boarder. If they board each other, the first in galley order.
    thrown: tuple[int, int]
    hits: tuple[int, int]
    lost: tuple[int, int]
    left: tuple[int, int] = (0, 0)  # masts after the melee, before a prize crew changes ship
    bearings: tuple[tuple[float, ...], tuple[float, ...]]
    both: bool  # whether they board each other (MX-3.6)

    @property
    def headline_score(self) -> int:
        return 6 + sum(self.lost)

    @property
    def params(self) -> dict[str, Any]:
        values: dict[str, Any] = {**super().params, "own": self.hits[0], "theirs": self.hits[1]}
        costs = {"own_lost": self.lost[0], "theirs_lost": self.lost[1]}
        return {**values, **costs, "own_left": self.left[0], "theirs_left": self.left[1]}


class ShipCaptured(_ExtraRuleEvent, frozen=True, kw_only=True, tag="Captured"):
    """A galley was captured and changed sides (MX-3.5).

    `seat` is its new captain, and `crew` the masts of the prize crew.
    """

    ship_fields = ("galley", "by")
    weight = 2
    headline_rule = 55  # slightly less than a sinking
    continues_line = True

    by: str
    side: TableSide
    seat: Seat
    crew: int

    @property
    def captured_ship(self) -> str:
        return self.galley


GameEvent = (
    SidesDrawn
    | FirstPlacerDrawn
    | GalleyPlaced
    | RoundBegan
    | OrdersRevealed
    | MatchesLaid
    | ShipMoved
    | HullsCollided
    | ShipRammed
    | HullsScraped
    | ShipGrounded
    | ReefStruck
    | VolleyDropped
    | VolleyHeld
    | PartsLost
    | ShipSunk
    | RowersReseated
    | ShipBackedOff
    | ShipPoledOff
    | FleetRevealed
    | KeptCrewAboard
    | FireShipStruck
    | FireCaught
    | FireShipSpent
    | FireExtinguished
    | OarRepaired
    | ShipGrappled
    | MeleeFought
    | ShipCaptured
    | HouseBurnt
    | ShipLeft
    | RoundEnded
    | GoalSet
    | ScoreCounted
    | CaptainConceded
    | ShipStruck
    | GameWon
    | GameDrawn
)
