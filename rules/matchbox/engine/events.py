"""Events of War Galley with matchboxes, also of its extra rules. Stories and pictures are made from them alone."""

from __future__ import annotations

from collections.abc import Iterable
from math import hypot
from typing import Annotated, Any, ClassVar, Final, Literal, Self

from msgspec import UNSET, Meta, Struct, UnsetType, structs

from rules.core.protocol import Event, Seat
from rules.core.view import Text
from rules.geometry.boxes import compass_point
from rules.interface.typed import join_id_ranges
from rules.matchbox.engine import points
from rules.matchbox.engine.kinds import KINDS, KindName
from rules.matchbox.engine.pose import Pose
from rules.matchbox.engine.state import Galley, HullEdge, LaidMatch, ScenarioTitle, TableSide


class _Event(Event, frozen=True, kw_only=True):
    step: int = 0  # the order step in which it happened (MB-4.1); 0: in none

    @property
    def section_heading(self) -> Text | None:
        return Text("story.step", {"step": self.step}) if self.step else None


class SidesDrawn(_Event, frozen=True, kw_only=True):
    """Each team drew its side by lot (MB-2.1)."""

    variant_of = ("exchanged", "exchanged", "")
    weight = 2

    south: tuple[Seat, ...]  # seats of the captains on the southern side
    north: tuple[Seat, ...]  # seats of the captains on the northern side
    exchanged: bool | UnsetType = UNSET  # captains exchanged the sides of an earlier game; absent: by lot


class FirstPlacerDrawn(_Event, frozen=True, kw_only=True, tag="FirstDrawn"):
    """A lot decided who places the first galley (MB-2.1)."""

    seat: Seat  # the captain who places first


class GalleyPlaced(_Event, frozen=True, kw_only=True):
    """A galley was set down (MB-2). `vessel` and `crew` are absent for an ordinary galley or crew (MX-2.1, MX-4.5)."""

    weight = 2
    list_key = "story.placed"

    galley: str  # the vessel's id, such as `A1`
    seat: Seat  # the vessel's captain
    holes: int  # oar holes on each side
    masts: int  # masts at the start
    pose: Pose  # place of its prow and heading
    vessel: KindName | UnsetType = UNSET  # absent: a galley
    crew: Annotated[str, Meta(examples=["rm"])] | UnsetType = UNSET  # letters of promotions, such as `rm`
    oars: int | UnsetType = UNSET  # oars on each side, if fewer than holes because the vessel is battered (MX-4.7)

    @property
    def params(self) -> dict[str, Any]:
        letter = KINDS[self.vessel].letter if self.vessel is not UNSET else ""
        type_text = f"{self.holes}/{self.masts}{letter}"
        which = Text("placed.galley", {"galley": self.galley, "seat": self.seat, "type": type_text})
        return {**super().params, "compass": compass_point(self.pose.heading_deg), "type": type_text, "which": which}

    def with_totals(self, events: Iterable[Event], /) -> Self:
        placed_ids = [event.galley for event in events if isinstance(event, GalleyPlaced)]
        if len(placed_ids) < 2:
            return self
        return structs.replace(self, galley=", ".join(join_id_ranges(placed_ids)))


class RoundBegan(_Event, frozen=True, kw_only=True):
    """A round began. The galleys allow drawing the whole round from its events."""

    weight = 0

    round: int  # the number of the round, from 1
    galleys: tuple[Galley, ...]  # all galleys afloat, as they are at its start


class OrdersRevealed(_Event, frozen=True, kw_only=True):
    """The orders of one galley were revealed (MB-4.1)."""

    ship_fields = ("galley",)
    tells_orders = True
    list_key = "story.as_ordered"
    variant_of = ("orders", "", "none")
    headline_rule = 0  # orders are never a headline

    galley: str  # the ship's id
    seat: Seat  # the ship's captain
    orders: str  # letters for the steps of a round, with wishes for oars, such as `ZZ(4-2)XF`; empty: none

    @property
    def params(self) -> dict[str, Any]:
        key = "ordered.galley" if self.orders else "ordered.none"
        which = Text(key, {"galley": self.galley, "seat": self.seat, "orders": self.orders})
        return {**super().params, "which": which}


class MatchesLaid(_Event, frozen=True, kw_only=True):
    """Order matches were laid at the start of the round or step, or again after movement (MB-4.2 to 4.5)."""

    weight = 0

    step: int  # the order step, 1 to 5, in which they were laid
    lying: tuple[LaidMatch, ...]  # all order matches on the table
    in_hand: tuple[str, ...] = ()
    """Galleys some of whose matches stay in hand because they would cross something (MB-4.4)."""


BLOCKED_MM: Final = 0.5  # a move that gains less is blocked (MB-5.9)


class ShipMoved(_Event, frozen=True, kw_only=True, tag="Moved"):
    """A galley moved or turned (MB-5.2, 5.3)."""

    ship_fields = ("galley",)
    headline_rule = 0

    step: int  # the order step, 1 to 5
    galley: str  # the ship's id
    order: Literal["F", "L", "R"]  # forward, or a turn to port (L) or starboard (R)
    start: Pose  # place and heading before the move
    end: Pose  # place and heading after the move
    part: float
    """The part of the order that was carried out before a hull or land stopped it; 1: all of it (MB-5.5, MX-1.8)."""
    at_edge: bool = False  # whether the galley was pushed back onto the table (MB-5.4)
    ashore: bool | UnsetType = UNSET  # whether land stopped it (MX-1.8). Absent if not.

    @property
    def was_stopped(self) -> bool:
        return self.part < 1.0

    @property
    def was_blocked(self) -> bool:
        return self.was_stopped and hypot(self.end.x_mm - self.start.x_mm, self.end.y_mm - self.start.y_mm) < BLOCKED_MM

    @property
    def dedup_key(self) -> str:
        """A story reports only once that a galley is blocked."""
        return f"blocked {self.galley}" if self.was_blocked else ""

    @property
    def weight(self) -> Literal[0, 1]:  # type: ignore[override] # stories report blocked moves only
        return 1 if self.was_blocked or (self.at_edge and not self.was_stopped) else 0

    @property
    def variant(self) -> str:
        if self.was_stopped:
            return "ashore" if self.ashore else "stopped"
        if self.at_edge:
            return "edge" if self.order == "F" else "edge_turned"
        return ""


class HullsCollided(_Event, frozen=True, kw_only=True, tag="Collided"):
    """Two hulls came into contact (MB-5.6)."""

    ship_fields = ("a", "b")
    weight = 0

    step: int  # the order step, 1 to 5
    a: str  # id of one ship
    b: str  # id of the other ship


class ShipRammed(_Event, frozen=True, kw_only=True, tag="Rammed"):
    """A galley struck another with its bow (MB-5.8). A frontal collision is two such events."""

    ship_fields = ("by", "to")
    harms = "to"
    variant_of = "kind"
    weight = 2

    step: int  # the order step, 1 to 5
    by: str  # id of the ramming ship
    to: str  # id of the ship that was struck
    kind: Literal["side", "rear", "frontal"]  # where the bow struck: `frontal` is bow to bow
    edge: HullEdge  # the struck edge of the hull of `to`
    run: int  # consecutive forward moves, which add to the damage (MB-5.9)
    damage: int  # size of the blow: parts that `to` loses (MB-7.1)

    @property
    def headline_score(self) -> int:
        return 20 + self.damage

    @property
    def params(self) -> dict[str, Any]:
        return {**super().params, "base": self.damage - self.run}

    @property
    def dedup_key(self) -> str:
        """A story reports a frontal collision once. The damage to each galley is in `PartsLost`."""
        return f"frontal {self.step} {' '.join(sorted((self.by, self.to)))}" if self.kind == "frontal" else ""


class HullsScraped(_Event, frozen=True, kw_only=True, tag="Scraped"):
    """Two hulls touched without damage (MB-5.8)."""

    ship_fields = ("a", "b")

    step: int  # the order step, 1 to 5
    a: str  # id of one ship
    b: str  # id of the other ship


class DroppedMatch(Struct, frozen=True, kw_only=True):
    """One dropped match (MB-6.6): its middle, and the bearing of its head."""

    x_mm: float  # the match's middle, from the table's western edge
    y_mm: float  # the match's middle, from the table's southern edge
    bearing_deg: float  # direction of its head, clockwise from north
    on_table: bool = True  # false for a match off the table or on land, which neither hits nor causes a misfire
    hit: Literal["", "head", "tail"] = ""
    """The end that points at the target (MB-6.8, 6.9), whether or not the volley misfired."""
    touches: str = ""  # the galley whose hull or order match it touches (MB-6.7)


class VolleyDropped(_Event, frozen=True, kw_only=True):
    """A galley fired (MB-6)."""

    ship_fields = ("by", "to")

    step: int  # the order step, 1 to 5
    by: str  # id of the firing ship
    to: str  # id of its target
    gap_mm: float  # the distance between both hulls
    matches: int  # the number of matches dropped
    broadside: bool  # whether the target is abeam, so that tails hit, too (MB-6.9)
    misfire: bool  # whether a match touched something else, so that none counts (MB-6.7)
    hits: int  # matches that hit; 0 after a misfire
    aim_x_mm: float  # the point aimed at. It has no meaning in a test case with fixed drops.
    aim_y_mm: float  # the point aimed at, like `aim_x_mm`
    drops: tuple[DroppedMatch, ...]  # each dropped match

    @property
    def headline_score(self) -> int:
        if self.misfire:
            return 3
        return 5 + self.hits if self.hits else 2

    @property
    def variant(self) -> str:
        """Return the suffix of the sentence's key; empty for a volley that hit."""
        if self.misfire:
            return "misfire"
        return "" if self.hits else "missed"

    @property
    def cited_rules(self) -> tuple[str, ...]:
        """The rule of its effect; for a miss those on what hits, of which that on tails only counts on a broadside."""
        if self.hits or self.misfire:
            return super().cited_rules
        return ("MB-6.8", "MB-6.9") if self.broadside else ("MB-6.8",)

    def causes(self, later: Event) -> bool:
        if not isinstance(later, PartsLost) or not self.hits:
            return False
        return (later.step, later.by, later.galley) == (self.step, self.by, self.to)


class VolleyHeld(_Event, frozen=True, kw_only=True):
    """A galley that was ordered to fire did not (MB-6.1, 6.2). `sight`: islands hide all in range (MX-1.13)."""

    ship_fields = ("by",)
    variant_of = "reason"
    headline_rule = 0

    step: int  # the order step, 1 to 5
    by: str  # id of the ship that did not fire
    reason: Literal["range", "sight", "masts"]  # no target in range, none in sight, or no masts left

    @property
    def dedup_key(self) -> str:
        return f"held {self.by} {self.reason}"


LossCause = Literal["ram", "volley", "aground", "reef", "fire", "burning"]


class PartsLost(_Event, frozen=True, kw_only=True, tag="Lost"):
    """A galley lost oars or masts to one blow (MB-7.1)."""

    ship_fields = ("galley", "by")
    harms = "galley"

    step: int  # the order step, 1 to 5
    galley: str  # id of the damaged ship
    by: str  # id of the ship that caused the damage
    port: int  # port oars lost
    starboard: int  # starboard oars lost
    masts: int  # masts lost
    facing: Literal["port", "starboard"]  # the side on which the blow fell
    why: LossCause | UnsetType = UNSET
    """The cause, under the extra rules. `by` is the galley itself if no other vessel caused it."""

    @property
    def variant(self) -> str:
        return self.why if self.why in {"aground", "reef", "fire", "burning"} else ""

    def with_totals(self, events: Iterable[Event], /) -> Self:
        losses = [event for event in events if isinstance(event, PartsLost) and event.galley == self.galley]
        if self not in losses:
            return self
        port = sum(loss.port for loss in losses)
        starboard = sum(loss.starboard for loss in losses)
        masts = sum(loss.masts for loss in losses)
        return structs.replace(self, port=port, starboard=starboard, masts=masts)

    @property
    def headline_score(self) -> int:
        return 10 + self.port + self.starboard + self.masts

    @property
    def params(self) -> dict[str, Any]:
        lost = {"port_oars": self.port, "starboard_oars": self.starboard, "masts": self.masts}
        what = tuple(Text(f"lost.{key}", {"count": count}) for key, count in lost.items() if count)
        return {**super().params, "what": what}


SinkReason = Literal["port", "starboard", "both", "split"]


class ShipSunk(_Event, frozen=True, kw_only=True, tag="Sank"):
    """A galley sank (MB-7.2). `by` is the galley itself if land, a reef or fire sank it."""

    ship_fields = ("galley", "by")
    harms = "galley"
    weight = 2
    headline_rule = 60  # more than any blow

    step: int  # the order step, 1 to 5
    galley: str  # id of the ship that sank
    by: str  # id of the ship that caused it to sink
    burnt: bool | UnsetType = UNSET  # whether the fire aboard sank it (MX-2.8). Absent if not.
    reason: SinkReason | UnsetType = UNSET
    """The side without oars, `both`, or `split`: its side had fewer oars than the blow must take there (MB-7.1)."""

    @property
    def variant(self) -> str:
        return "burnt" if self.burnt else "wrecked" if self.by == self.galley else ""

    @property
    def params(self) -> dict[str, Any]:
        reason = self.reason or "some"
        return {**super().params, "why": (Text(f"sunk.{reason}"),), "how": (Text(f"sinking.{reason}"),)}


class RowersReseated(_Event, frozen=True, kw_only=True, tag="Reorganized"):
    """A galley's rowers changed benches (MB-7.3). Oars are those afterwards."""

    ship_fields = ("galley",)

    step: int  # the order step, 1 to 5
    galley: str  # the ship's id
    port: int  # port oars after the change
    starboard: int  # starboard oars after the change


class ShipBackedOff(_Event, frozen=True, kw_only=True, tag="BackedOff"):
    """A galley backed off at the end of the round (MB-5.13)."""

    ship_fields = ("galley",)
    headline_rule = 0
    list_key = "story.back_off"  # one sentence lists all of them

    galley: str  # the ship's id
    start: Pose  # place and heading before
    end: Pose  # place and heading afterwards
    distance_mm: float  # how far it backed


class RoundEnded(_Event, frozen=True, kw_only=True):
    weight = 0

    round: int  # number of the round, from 1


class CaptainConceded(_Event, frozen=True, kw_only=True, tag="Conceded"):
    """A captain gave up. Their galleys leave the table at once, or at the end of the current round (MB-8.1)."""

    weight = 2
    may_reveal = False

    seat: Seat  # the captain who gave up


class ShipStruck(_Event, frozen=True, kw_only=True, tag="Struck"):
    ship_fields = ("galley",)
    weight = 0
    may_reveal = False

    galley: str  # id of a ship that leaves the table because its captain gave up


class GoalSet(_Event, frozen=True, kw_only=True):
    """A scenario began. The event states each side's goal (MX-5)."""

    variant_of = "scenario"
    weight = 2
    headline_rule = 30  # more than the placement of a ship

    scenario: ScenarioTitle  # the scenario that begins
    south: tuple[Seat, ...]  # seats of the captains on the southern side
    north: tuple[Seat, ...]  # seats of the captains on the northern side
    enough: int  # the score that wins
    rounds: int  # the number of rounds after which the scenario ends


class ScoreCounted(_Event, frozen=True, kw_only=True, tag="Scored"):
    """The score of a scenario after a round (MX-5)."""

    variant_of = "scenario"
    weight = 0  # `View.score` shows it beside the story

    scenario: ScenarioTitle  # the scenario
    south: int  # the score of the southern side: vessels that left, burnt houses, or points
    north: int  # the score of the northern side; 0 in scenarios where only the south scores
    enough: int  # the score that wins
    rounds_left: int  # rounds still to be played

    @property
    def params(self) -> dict[str, Any]:
        return {**super().params, "south": min(self.south, self.enough)}


class GameWon(_Event, frozen=True, kw_only=True):
    """A side won (MB-8.1)."""

    weight = 3

    side: TableSide  # the winning side
    seats: tuple[Seat, ...]  # the winning captains


class GameDrawn(_Event, frozen=True, kw_only=True):
    """The game ended without a winner (MB-8.1, 8.2)."""

    variant_of = "reason"
    weight = 3

    # `both` lost all ships; `basin`: harbour scenario undecided; `quiet`: too many rounds without a loss
    reason: Literal["agreed", "basin", "both", "called_off", "nightfall", "quiet"]


class _ExtraRuleEvent(Event, frozen=True, kw_only=True, tag="_Incident"):
    ship_fields: ClassVar[tuple[str, ...]] = ("galley",)

    step: int = 0  # the order step; 0: after the last
    galley: str  # id of the ship to which it happened

    @property
    def section_heading(self) -> Text | None:
        return Text("story.step", {"step": self.step}) if self.step else None


class FleetRevealed(Event, frozen=True, kw_only=True, tag="FleetShown"):
    """A captain's fleet was revealed, together with all others (MX-4.1)."""

    weight = 2
    headline_rule = 50  # more than their placement

    seat: Seat  # the fleet's captain
    # each vessel in notation: oar holes and the letter of its kind
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

    galley: str  # the vessel's id
    crew: int  # the number that represents its name (`rules.core.keepsakes.name_number`)
    promotions: Annotated[str, Meta(examples=["", "rm"])] = ""  # letters of its promotions; empty: none

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

    damage: int  # size of the blow: parts that the ship loses


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

    start: Pose  # place and heading before
    end: Pose  # place and heading afterwards
    to: Literal["port", "starboard"]  # the side towards which it was poled
    distance_mm: float  # how far it was poled


class FireShipStruck(_ExtraRuleEvent, frozen=True, kw_only=True, tag="Torched"):
    """A fire ship struck a galley with its bow (MX-2.7)."""

    ship_fields = ("by", "galley")
    headline_rule = 25

    by: str  # id of the fire ship
    edge: HullEdge  # the struck edge of the hull


class FireCaught(_ExtraRuleEvent, frozen=True, kw_only=True, tag="CaughtFire"):
    """A galley caught fire (MX-2.8)."""

    variant_of = ("out", "out", "")
    headline_rule = ("out", 3, 12)

    out: bool = False  # in a headline: the rowers have put the fire out since

    def with_totals(self, events: Iterable[Event], /) -> Self:
        was_put_out = any(isinstance(event, FireExtinguished) and event.galley == self.galley for event in events)
        return structs.replace(self, out=True) if was_put_out else self


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

    by: str  # id of the grappling ship


class MeleeFought(_ExtraRuleEvent, frozen=True, kw_only=True, tag="Melee"):
    """Two crews fought on deck (MX-3.4). Pairs of values are those of the boarder and of the other."""

    ship_fields = ("by", "galley")
    continues_line = True

    by: str  # the boarder. If they board each other, the first in galley order.
    thrown: tuple[int, int]  # matches that each crew threw
    hits: tuple[int, int]  # matches of each that hit the other crew
    lost: tuple[int, int]  # masts that each lost
    left: tuple[int, int] = (0, 0)  # masts after the melee, before a prize crew changes ship
    bearings: tuple[tuple[float, ...], tuple[float, ...]]  # directions of the thrown matches, in degrees
    both: bool  # whether they board each other (MX-3.6)

    @property
    def headline_score(self) -> int:
        return 6 + sum(self.lost)

    @property
    def params(self) -> dict[str, Any]:
        # "own" are the values of the boarder's crew, "theirs" those of the boarded one.
        hits = {"own": self.hits[0], "theirs": self.hits[1]}
        thrown = {"own_thrown": self.thrown[0], "theirs_thrown": self.thrown[1]}
        losses = {"own_lost": self.lost[0], "theirs_lost": self.lost[1]}
        masts_left = {"own_left": self.left[0], "theirs_left": self.left[1]}
        return {**super().params, **thrown, **hits, **losses, **masts_left}


class ShipCaptured(_ExtraRuleEvent, frozen=True, kw_only=True, tag="Captured"):
    """A galley was captured and changed sides (MX-3.5).

    `seat` is its new captain, and `crew` the masts of the prize crew.
    """

    ship_fields = ("galley", "by")
    weight = 2
    headline_rule = 55  # slightly less than a sinking
    continues_line = True

    by: str  # id of the ship that captured the other
    side: TableSide  # the captured ship's new side
    seat: Seat  # its new captain
    crew: int  # masts of the prize crew

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
