"""What can happen in War Galley with matchboxes. Chat tells it and pictures draw it from these alone."""

from __future__ import annotations

from collections.abc import Iterable
from math import hypot
from typing import Annotated, Any, Final, Literal, Self

from msgspec import UNSET, Meta, Struct, UnsetType, structs

from rules.core.protocol import Event, Seat
from rules.core.view import Text
from rules.geometry.boxes import compass_point
from rules.interface.spans import join_id_ranges
from rules.matchbox.engine.kinds import KINDS, KindName
from rules.matchbox.engine.pose import Pose
from rules.matchbox.engine.state import Galley, HullEdge, LaidMatch, ScenarioTitle, TableSide


class _Event(Event, frozen=True, kw_only=True):
    step: int = 0
    """The order step within the round at which it happened (MB-4.1); 0: at none."""

    @property
    def section_heading(self) -> Text | None:
        """The order step."""
        return Text("story.step", {"step": self.step}) if self.step else None


class SidesDrawn(_Event, frozen=True, kw_only=True):
    """The lot has given each team its side (MB-2.1)."""

    weight = 2

    south: tuple[Seat, ...]
    north: tuple[Seat, ...]


class FirstPlacerDrawn(_Event, frozen=True, kw_only=True, tag="FirstDrawn"):
    """The lot says who places the first galley (MB-2.1)."""

    seat: Seat


class GalleyPlaced(_Event, frozen=True, kw_only=True):
    """A galley was set down (MB-2)."""

    weight = 2
    list_key = "story.placed"

    galley: str
    seat: Seat
    holes: int
    masts: int
    pose: Pose
    vessel: KindName | UnsetType = UNSET
    """Her kind, if she is no galley (MX-2.1)."""
    crew: Annotated[str, Meta(examples=["rm"])] | UnsetType = UNSET
    """Letters of her crew's promotions, if it has any (MX-4.5)."""
    oars: int | UnsetType = UNSET
    """On each side, if they are fewer than her oar holes, as she is battered (MX-4.7)."""

    @property
    def params(self) -> dict[str, Any]:
        """With the direction of her bow, her type, and `which` she is."""
        letter = KINDS[self.vessel].letter if self.vessel is not UNSET else ""
        built = f"{self.holes}/{self.masts}{letter}"
        which = Text("placed.galley", {"galley": self.galley, "seat": self.seat, "type": built})
        return {**super().params, "compass": compass_point(self.pose.heading_deg), "type": built, "which": which}

    def with_totals(self, events: Iterable[Event], /) -> Self:
        """With all that these events set down in place of her name."""
        every = [event.galley for event in events if isinstance(event, GalleyPlaced)]
        return structs.replace(self, galley=", ".join(join_id_ranges(every))) if len(every) > 1 else self


class RoundBegan(_Event, frozen=True, kw_only=True):
    """A round begins; with the galleys as they stand, so that the whole round can be drawn from its events."""

    weight = 0

    round: int
    galleys: tuple[Galley, ...]


class OrdersRevealed(_Event, frozen=True, kw_only=True):
    """What one galley was ordered to do (MB-4.1)."""

    ship_fields = ("galley",)
    tells_orders = True
    list_key = "story.as_ordered"
    variant_of = ("orders", "", "none")
    headline_rule = 0  # none: what was ordered is no event of the battle

    galley: str
    seat: Seat
    orders: str
    """With wishes, such as `ZZ(4-2)XF`; empty: none."""

    @property
    def params(self) -> dict[str, Any]:
        """With `which`, the galley and her orders."""
        key = "ordered.galley" if self.orders else "ordered.none"
        which = Text(key, {"galley": self.galley, "seat": self.seat, "orders": self.orders})
        return {**super().params, "which": which}


class MatchesLaid(_Event, frozen=True, kw_only=True):
    """The order matches on the table when a step begins and, laid afresh, after its movement (MB-4.2 to 4.5)."""

    weight = 0

    step: int
    lying: tuple[LaidMatch, ...]
    in_hand: tuple[str, ...] = ()
    """Galleys some of whose matches stay in the hand, as they would cross something (MB-4.4)."""


BLOCKED_MM: Final = 0.5
"""MB-5.9: a move that gains less is blocked."""


class ShipMoved(_Event, frozen=True, kw_only=True, tag="Moved"):
    """A galley moved or turned (MB-5.2, 5.3)."""

    ship_fields = ("galley",)
    headline_rule = 0

    step: int
    galley: str
    order: Literal["F", "L", "R"]
    start: Pose
    end: Pose
    part: float
    """Of the order carried out before it met another hull or land: 1 is all of it (MB-5.5, MX-1.8)."""
    at_edge: bool = False
    """It was pushed back onto the table (MB-5.4)."""
    ashore: bool | UnsetType = UNSET
    """Land stopped it (MX-1.8); not written where it did not."""

    @property
    def was_stopped(self) -> bool:
        """Whether another hull, or land, stopped it."""
        return self.part < 1.0

    @property
    def was_blocked(self) -> bool:
        """Whether another hull stopped it before it began."""
        return self.was_stopped and hypot(self.end.x_mm - self.start.x_mm, self.end.y_mm - self.start.y_mm) < BLOCKED_MM

    @property
    def dedup_key(self) -> str:
        """That it came to nothing as another hull is in its way: how often it tries is for the log."""
        return f"blocked {self.galley}" if self.was_blocked else ""

    @property
    def weight(self) -> Literal[0, 1]:  # type: ignore[override] # of some moves the story tells: what came to nothing
        """A part of the story if it came to nothing, or was held by the table's edge; else for the log."""
        return 1 if self.was_blocked or (self.at_edge and not self.was_stopped) else 0

    @property
    def variant(self) -> str:
        """`ashore`, `stopped`, `edge`, or empty."""
        if self.was_stopped:
            return "ashore" if self.ashore else "stopped"
        return "edge" if self.at_edge else ""


class HullsCollided(_Event, frozen=True, kw_only=True, tag="Collided"):
    """Two hulls came into contact (MB-5.6)."""

    ship_fields = ("a", "b")
    weight = 0

    step: int
    a: str
    b: str


class ShipRammed(_Event, frozen=True, kw_only=True, tag="Rammed"):
    """A galley struck another with her bow (MB-5.8). A frontal collision is two of these."""

    ship_fields = ("by", "to")
    variant_of = "kind"
    weight = 2

    step: int
    by: str
    to: str
    kind: Literal["side", "rear", "frontal"]
    edge: HullEdge
    """The edge of the rammed hull that was struck."""
    run: int
    """Forwards without a break, which add to the damage (MB-5.9)."""
    damage: int

    @property
    def headline_score(self) -> int:
        """The harder, the greater."""
        return 20 + self.damage

    @property
    def dedup_key(self) -> str:
        """A story tells a frontal collision once: what it cost either galley stands in her losses."""
        return f"frontal {self.step} {' '.join(sorted((self.by, self.to)))}" if self.kind == "frontal" else ""


class HullsScraped(_Event, frozen=True, kw_only=True, tag="Scraped"):
    """Two hulls touched without harm (MB-5.8)."""

    ship_fields = ("a", "b")

    step: int
    a: str
    b: str


class DroppedMatch(Struct, frozen=True, kw_only=True):
    """One dropped match (MB-6.6)."""

    x_mm: float
    """Its middle."""
    y_mm: float
    bearing_deg: float
    """Of its head."""
    on_table: bool = True
    """Off the table, or on land, it neither hits nor spoils."""
    hit: Literal["", "head", "tail"] = ""
    """Which end points at the target (MB-6.8, 6.9), whether or not the volley was spoiled."""
    touches: str = ""
    """The id of the galley whose hull or order match it touches (MB-6.7)."""


class VolleyDropped(_Event, frozen=True, kw_only=True):
    """A galley fired (MB-6)."""

    ship_fields = ("by", "to")

    step: int
    by: str
    to: str
    gap_mm: float
    matches: int
    broadside: bool
    misfire: bool
    hits: int
    aim_x_mm: float
    """Where the captain aimed; not a number that matters in a case whose drops are given."""
    aim_y_mm: float
    drops: tuple[DroppedMatch, ...]

    @property
    def headline_score(self) -> int:
        """A hit is more than a spoiled volley, and that more than a miss."""
        return 5 + self.hits if not self.variant else 3 if self.misfire else 2

    @property
    def variant(self) -> str:
        """`misfire`, `missed`, or empty."""
        return "misfire" if self.misfire else "missed" if not self.hits else ""


class VolleyHeld(_Event, frozen=True, kw_only=True):
    """A galley ordered to fire did not (MB-6.1, 6.2)."""

    ship_fields = ("by",)
    variant_of = "reason"
    headline_rule = 0

    step: int
    by: str
    reason: Literal["range", "sight", "masts"]
    """`sight`: islands hide everybody in range (MX-1.13)."""

    @property
    def dedup_key(self) -> str:
        """The galley and the reason: that she fires again at nobody is no news."""
        return f"held {self.by} {self.reason}"


LossCause = Literal["ram", "volley", "aground", "reef", "fire", "burning"]
"""What a galley loses oars and masts to."""


class PartsLost(_Event, frozen=True, kw_only=True, tag="Lost"):
    """A galley lost oars or masts to one blow (MB-7.1)."""

    ship_fields = ("galley", "by")

    step: int
    galley: str
    by: str
    port: int
    starboard: int
    masts: int
    facing: Literal["port", "starboard"]
    why: LossCause | UnsetType = UNSET
    """What it came of, under the extra rules. `by` is the galley herself where nobody else struck her."""

    @property
    def variant(self) -> str:
        """`aground`, `reef`, `fire`, `burning`, or empty: somebody struck her."""
        return self.why if self.why in {"aground", "reef", "fire", "burning"} else ""

    def with_totals(self, events: Iterable[Event], /) -> Self:
        """With all that she lost to these events."""
        every = [event for event in events if isinstance(event, PartsLost) and event.galley == self.galley]
        port, starboard, masts = (sum(getattr(one, part) for one in every) for part in ("port", "starboard", "masts"))
        return structs.replace(self, port=port, starboard=starboard, masts=masts) if self in every else self

    @property
    def headline_score(self) -> int:
        """The more is lost, the greater; more than the shot that did it."""
        return 10 + self.port + self.starboard + self.masts

    @property
    def params(self) -> dict[str, Any]:
        """With `what`, the losses that are not nought."""
        lost = {"port_oars": self.port, "starboard_oars": self.starboard, "masts": self.masts}
        what = tuple(Text(f"lost.{key}", {"count": count}) for key, count in lost.items() if count)
        return {**super().params, "what": what}


class ShipSunk(_Event, frozen=True, kw_only=True, tag="Sank"):
    """A galley went down (MB-7.2)."""

    ship_fields = ("galley", "by")
    weight = 2
    headline_rule = 60  # more than any blow

    step: int
    galley: str
    by: str
    """Herself, where land, a reef or fire sank her."""
    burnt: bool | UnsetType = UNSET
    """The fire aboard sank her (MX-2.8); not written where it did not."""

    @property
    def variant(self) -> str:
        """`burnt`, `wrecked`, or empty: somebody else sank her."""
        return "burnt" if self.burnt else "wrecked" if self.by == self.galley else ""


class RowersReseated(_Event, frozen=True, kw_only=True, tag="Reorganized"):
    """A galley's rowers changed benches (MB-7.3)."""

    ship_fields = ("galley",)

    step: int
    galley: str
    port: int
    """Oars after it."""
    starboard: int


class ShipBackedOff(_Event, frozen=True, kw_only=True, tag="BackedOff"):
    """A galley backed away at the end of the round (MB-5.13)."""

    ship_fields = ("galley",)
    headline_rule = 0
    list_key = "story.back_off"  # all that back off are told together

    galley: str
    start: Pose
    end: Pose
    distance_mm: float


class RoundEnded(_Event, frozen=True, kw_only=True):
    """A round is over."""

    weight = 0

    round: int


class CaptainConceded(_Event, frozen=True, kw_only=True, tag="Conceded"):
    """A captain gave up; the galleys leave the table at once, or at the end of the current round (MB-8.1)."""

    weight = 2
    may_reveal = False

    seat: Seat


class ShipStruck(_Event, frozen=True, kw_only=True, tag="Struck"):
    """A galley of a captain who gave up left the table."""

    ship_fields = ("galley",)
    weight = 0
    may_reveal = False

    galley: str


class GoalSet(_Event, frozen=True, kw_only=True):
    """A scenario begins: what each side has to do (MX part 5)."""

    variant_of = "scenario"
    weight = 2
    headline_rule = 30  # what it is all about, not who is set down last

    scenario: ScenarioTitle
    south: tuple[Seat, ...]
    north: tuple[Seat, ...]
    enough: int
    """How much wins."""
    rounds: int
    """The last round."""


class ScoreCounted(_Event, frozen=True, kw_only=True, tag="Scored"):
    """How a scenario stands after a round (MX part 5)."""

    variant_of = "scenario"
    weight = 0  # a view's score says it beside the story

    scenario: ScenarioTitle
    south: int
    """What the southern side has reached: how many have left, burnt houses, points."""
    north: int
    """The northern side's points."""
    enough: int
    rounds_left: int

    @property
    def params(self) -> dict[str, Any]:
        """With no more than is needed, which the last round may have done."""
        return {**super().params, "south": min(self.south, self.enough)}


class GameWon(_Event, frozen=True, kw_only=True):
    """A side has won (MB-8.1)."""

    weight = 3

    side: TableSide
    seats: tuple[Seat, ...]


class GameDrawn(_Event, frozen=True, kw_only=True):
    """Nobody has won (MB-8.1, 8.2)."""

    variant_of = "reason"
    weight = 3

    reason: Literal["agreed", "basin", "both", "called_off", "nightfall", "quiet"]
