"""What ships do to each other: shots, fire, rams, swipes, grapples and boarding (RS-08 to RS-15)."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, field, structs

from rules.core.protocol import Event
from rules.core.view import Text
from rules.ramspeed.engine.events.base import dice_params, name_of
from rules.ramspeed.engine.geometry.measure import ApproachZone
from rules.ramspeed.engine.tables import Nation

SinkingCause = Literal["fire", "ram", "edge", "prize", "separation"]
RamResult = Literal["sunk", "stuck", "dead", "immobilised", "glanced"]
OarsResult = Literal["bank", "immobilised", "none"]
Dodge = Literal["turn", "draw"]
Defence = Literal["turn", "draw", "grapple"]


class CrewAboard(Struct, frozen=True):
    """Who is aboard a ship after an event."""

    ship: str
    crew: int


def _stuck_key(by: str, to: str) -> str:
    """What a ram and the link that comes of it have in common."""
    return f"stuck {by} {to}"


class FireFought(Event, frozen=True, kw_only=True, tag="fire"):
    """FIRE for one burning ship (RS-15.2)."""

    ship_fields = ("ship",)

    ship: str
    die: int | None
    """None: no roll (RS-15.5, RS-16.1)."""
    markers: int
    """After it; 0: out."""

    @property
    def variant(self) -> str:
        """`out`, `on`, or `unfought` without a roll."""
        return "unfought" if self.die is None else "on" if self.markers else "out"


class ShipSunk(Event, frozen=True, kw_only=True, tag="sunk"):
    """A ship has gone down."""

    ship_fields = ("ship",)
    continues_line = True
    variant_of = "cause"
    weight = 2
    headline_rule = 60  # more than anything but a prize

    ship: str
    cause: SinkingCause
    saved: tuple[CrewAboard, ...] = ()
    """Ships that her crew went over to (RS-12.6); no case shows it."""


class ShotFired(Event, frozen=True, kw_only=True, tag="shot"):
    """A shot (RS-14)."""

    ship_fields = ("by", "to")

    by: str
    to: str
    kind: Literal["crew", "fire"]
    distance: float
    die: Annotated[int, Meta(examples=[1, 6])]
    crew: int
    """The target's, after it."""
    lost: int = 0
    """Crew that it cost the target."""
    caught: bool = False
    """Whether it set the target alight (RS-14.5)."""

    @property
    def headline_score(self) -> int:
        """The more, the more come of it."""
        return 10 + self.die if self.kind == "crew" else 25 if self.variant == "fire.hit" else 8

    @property
    def variant(self) -> str:
        """`crew`, `fire.hit` or `fire.missed`."""
        return f"fire.{'hit' if self.caught else 'missed'}" if self.kind == "fire" else "crew"


class FireSpreadChecked(Event, frozen=True, kw_only=True, tag="spread"):
    """A check whether fire comes over (RS-15.6, RS-16.4)."""

    ship_fields = ("to", "from_")
    variant_of = ("caught", "caught", "held")
    headline_rule = ("caught", 35, 5)

    from_: str = field(name="from")
    to: str
    need: int
    die: int
    caught: bool


class ShipRammed(Event, frozen=True, kw_only=True, tag="ram"):
    """A ram (RS-08)."""

    ship_fields = ("by", "to")
    variant_of = "result"
    weight = 2

    by: str
    to: str
    heading: int
    """The rammer's, after the pivot."""
    run: float
    zone: ApproachZone
    modifier: int
    dice: tuple[int, int]
    total: int
    result: RamResult
    x: float
    """Where the rammer stands after it."""
    y: float

    @property
    def dedup_key(self) -> str:
        """A story says with the ram that she is stuck, and not again when the two hold each other."""
        return _stuck_key(self.by, self.to) if self.result == "stuck" else ""

    @property
    def headline_score(self) -> int:
        """The more, the worse for the target."""
        return {"sunk": 65, "stuck": 55, "dead": 50, "immobilised": 35, "glanced": 20}[self.result]

    @property
    def params(self) -> dict[str, Any]:
        """With each die."""
        return dice_params(self, self.dice)


class OarsSwiped(Event, frozen=True, kw_only=True, tag="swipe"):
    """An oar swipe begins (RS-09)."""

    ship_fields = ("by", "to")
    variant_of = "defence"

    by: str
    to: str
    heading: int
    """After the pivot, before going alongside."""
    run: float
    zone: ApproachZone
    past: float
    defence: Defence
    """The option really used (RS-09.9)."""


class DefenceTried(Event, frozen=True, kw_only=True, tag="defence"):
    """A quick turn, or oars drawn in (RS-09.8, RS-10.3)."""

    ship_fields = ("ship",)
    continues_line = True

    ship: str
    option: Dodge
    die: int
    success: bool

    @property
    def variant(self) -> str:
        """How, and whether it worked."""
        return f"{self.option}.{'done' if self.success else 'failed'}"


class SwipeResolved(Event, frozen=True, kw_only=True, tag="oars"):
    """The roll of an oar swipe, by the target (RS-09.12)."""

    ship_fields = ("ship",)
    continues_line = True
    variant_of = "result"
    weight = 2

    ship: str
    modifier: int
    dice: tuple[int, int]
    total: int
    result: OarsResult

    @property
    def headline_score(self) -> int:
        """The more, the worse for the target."""
        return {"bank": 50, "immobilised": 35, "none": 15}[self.result]

    @property
    def params(self) -> dict[str, Any]:
        """With each die."""
        return dice_params(self, self.dice)


class ShipGrappled(Event, frozen=True, kw_only=True, tag="grapple"):
    """A grapple begins (RS-10)."""

    ship_fields = ("by", "to")
    variant_of = ("automatic", "automatic", "")

    by: str
    to: str
    heading: int
    """After the pivot, before going alongside."""
    run: float
    zone: ApproachZone
    automatic: bool


class HooksThrown(Event, frozen=True, kw_only=True, tag="hooks"):
    """The opposed roll of a grapple (RS-10.4, RS-09.15)."""

    ship_fields = ("by", "to")
    continues_line = True
    variant_of = ("success", "held", "slipped")

    by: str
    """The grappling player's ship."""
    to: str
    modifier: int
    dice: tuple[int, int]
    """The grappler's, the other's."""
    success: bool

    @property
    def params(self) -> dict[str, Any]:
        """With each die."""
        return dice_params(self, self.dice)


class ShipsLinked(Event, frozen=True, kw_only=True, tag="linked"):
    """Two ships hold each other."""

    ship_fields = ("a", "b")
    continues_line = True
    variant_of = "kind"
    headline_rule = 45  # a boarding begins

    a: str
    """Grapple: the lower id; stuck: the rammer."""
    b: str
    kind: Literal["grapple", "stuck"]

    @property
    def dedup_key(self) -> str:
        """A story tells a ship that is stuck with her ram."""
        return _stuck_key(self.a, self.b) if self.kind == "stuck" else ""


class MeleeFought(Event, frozen=True, kw_only=True, tag="melee"):
    """A round of boarding (RS-11); strengths, dice and what was inflicted by side, in seat order."""

    ship_fields = ("ships",)
    weight = 2

    ships: Annotated[tuple[str, ...], Meta(examples=[("A1", "S1"), ("A1", "A2", "S1")])]
    """Those of the first seat's side before those of the other."""
    strengths: tuple[int, int]
    dice: tuple[tuple[int, ...], tuple[int, ...]]
    inflicted: tuple[int, int]
    """After modifiers and floor, not cut to the crew that was there."""
    crews: tuple[int, ...]
    """Of each of the ships, after it; no case shows it."""

    @property
    def headline_score(self) -> int:
        """The more, the more fall."""
        return 40 + min(9, max(self.inflicted))

    @property
    def variant(self) -> str:
        """`pair` if a ship fights a ship, or empty."""
        return "pair" if len(self.ships) == len(self.strengths) else ""

    @property
    def params(self) -> dict[str, Any]:
        """With strengths and losses, side by side: no more fall than there were; `a` and `b` are the two of a pair."""
        return {
            **structs.asdict(self),
            "a": self.ships[0],
            "b": self.ships[-1],
            "first": self.strengths[0],
            "second": self.strengths[1],
            "lost": min(self.inflicted[1], self.strengths[0]),
            "felled": min(self.inflicted[0], self.strengths[1]),
        }


class ShipCaptured(Event, frozen=True, kw_only=True, tag="prize"):
    """A ship was taken (RS-12.2, RS-12.6)."""

    ship_fields = ("ship",)
    weight = 2
    headline_rule = 80  # a ship changes hands

    ship: str
    player: str
    crew: int
    nation: Nation
    """Of the new crew; no case shows it."""
    gave: tuple[CrewAboard, ...] = ()
    """Ships that it came from; no case shows it."""

    @property
    def params(self) -> dict[str, Any]:
        """With the captain, and the crews of her and of the ships that it came from, as they are now."""
        crews = (CrewAboard(self.ship, self.crew), *self.gave)
        said = tuple(Text("crew.aboard", {"ship": one.ship, "crew": one.crew}) for one in crews)
        return {**structs.asdict(self), "player": name_of(self.player), "crews": said}

    @property
    def captured_ship(self) -> str:
        """The prize."""
        return self.ship


class DerelictLeft(Event, frozen=True, kw_only=True, tag="left"):
    """A ship won was left as a derelict (RS-12.4)."""

    ship_fields = ("ship",)

    ship: str


class ShipsSeparated(Event, frozen=True, kw_only=True, tag="separated"):
    """The links of a decided cluster are gone (RS-12.8, RS-11.9, RS-11.10)."""

    ship_fields = ("ships",)

    ships: Annotated[tuple[str, ...], Meta(examples=[("A2", "S1"), ("A2",), ()])]
    """Those still afloat; may be empty."""

    @property
    def variant(self) -> str:
        """`one` if she is alone, because the others went down, `none` if none of them is left."""
        return {0: "none", 1: "one"}.get(len(self.ships), "")
