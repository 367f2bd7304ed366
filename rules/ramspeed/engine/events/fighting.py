"""Events of ships that fight: shots, fire, rams, swipes, grapples and boarding (RS-08 to RS-15)."""

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
    ship: str
    crew: int


def _stuck_key(by: str, to: str) -> str:
    return f"stuck {by} {to}"


class FireFought(Event, frozen=True, kw_only=True, tag="fire"):
    """The FIRE phase of one burning ship (RS-15.2)."""

    ship_fields = ("ship",)

    ship: str
    die: int | None
    """None: no roll (RS-15.5, RS-16.1)."""
    markers: int
    """Fire markers afterwards; 0: the fire is out."""

    @property
    def variant(self) -> str:
        return "unfought" if self.die is None else "on" if self.markers else "out"


class ShipSunk(Event, frozen=True, kw_only=True, tag="sunk"):
    ship_fields = ("ship",)
    continues_line = True
    variant_of = "cause"
    weight = 2
    headline_rule = 60  # ranks above everything but a prize

    ship: str
    cause: SinkingCause
    saved: tuple[CrewAboard, ...] = ()
    """Ships that took over the crew (RS-12.6); cases do not include it."""


class ShotFired(Event, frozen=True, kw_only=True, tag="shot"):
    ship_fields = ("by", "to")

    by: str
    to: str
    kind: Literal["crew", "fire"]
    distance: float
    die: Annotated[int, Meta(examples=[1, 6])]
    crew: int
    lost: int = 0
    caught: bool = False
    """Whether the shot set the target alight (RS-14.5)."""

    @property
    def headline_score(self) -> int:
        return 10 + self.die if self.kind == "crew" else 25 if self.variant == "fire.hit" else 8

    @property
    def variant(self) -> str:
        return f"fire.{'hit' if self.caught else 'missed'}" if self.kind == "fire" else "crew"


class FireSpreadChecked(Event, frozen=True, kw_only=True, tag="spread"):
    """A check whether fire spreads to another ship (RS-15.6, RS-16.4)."""

    ship_fields = ("to", "from_")
    variant_of = ("caught", "caught", "held")
    headline_rule = ("caught", 35, 5)

    from_: str = field(name="from")
    to: str
    need: int
    die: int
    caught: bool


class ShipRammed(Event, frozen=True, kw_only=True, tag="ram"):
    ship_fields = ("by", "to")
    variant_of = "result"
    weight = 2

    by: str
    to: str
    heading: int
    """The rammer's heading after the pivot."""
    run: float
    zone: ApproachZone
    modifier: int
    dice: tuple[int, int]
    total: int
    result: RamResult
    x: float
    y: float

    @property
    def dedup_key(self) -> str:
        """Return a key shared with `ShipsLinked`, so that a story does not mention a stuck ship twice."""
        return _stuck_key(self.by, self.to) if self.result == "stuck" else ""

    @property
    def headline_score(self) -> int:
        return {"sunk": 65, "stuck": 55, "dead": 50, "immobilised": 35, "glanced": 20}[self.result]

    @property
    def params(self) -> dict[str, Any]:
        return dice_params(self, self.dice)


class OarsSwiped(Event, frozen=True, kw_only=True, tag="swipe"):
    ship_fields = ("by", "to")
    variant_of = "defence"

    by: str
    to: str
    heading: int
    """The attacker's heading after the pivot, before it goes alongside."""
    run: float
    zone: ApproachZone
    past: float
    defence: Defence
    """The defence used, which may differ from the doctrine (RS-09.9)."""


class DefenceTried(Event, frozen=True, kw_only=True, tag="defence"):
    """An attempt of a quick turn or of drawing in the oars (RS-09.8, RS-10.3)."""

    ship_fields = ("ship",)
    continues_line = True

    ship: str
    option: Dodge
    die: int
    success: bool

    @property
    def variant(self) -> str:
        return f"{self.option}.{'done' if self.success else 'failed'}"


class SwipeResolved(Event, frozen=True, kw_only=True, tag="oars"):
    """The roll of an oar swipe against the target (RS-09.12)."""

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
        return {"bank": 50, "immobilised": 35, "none": 15}[self.result]

    @property
    def params(self) -> dict[str, Any]:
        return dice_params(self, self.dice)


class ShipGrappled(Event, frozen=True, kw_only=True, tag="grapple"):
    ship_fields = ("by", "to")
    variant_of = ("automatic", "automatic", "")

    by: str
    to: str
    heading: int
    run: float
    zone: ApproachZone
    automatic: bool


class HooksThrown(Event, frozen=True, kw_only=True, tag="hooks"):
    """The opposed roll of a grapple (RS-10.4, RS-09.15)."""

    ship_fields = ("by", "to")
    continues_line = True
    variant_of = ("success", "held", "slipped")

    by: str
    to: str
    modifier: int
    dice: tuple[int, int]
    """The grappler's die, then the opponent's."""
    success: bool

    @property
    def params(self) -> dict[str, Any]:
        return dice_params(self, self.dice)


class ShipsLinked(Event, frozen=True, kw_only=True, tag="linked"):
    ship_fields = ("a", "b")
    continues_line = True
    variant_of = "kind"
    headline_rule = 45  # a boarding action begins

    a: str
    """The lower id of a grapple, or the ramming ship of a stuck pair."""
    b: str
    kind: Literal["grapple", "stuck"]

    @property
    def dedup_key(self) -> str:
        return _stuck_key(self.a, self.b) if self.kind == "stuck" else ""


class MeleeFought(Event, frozen=True, kw_only=True, tag="melee"):
    """A round of boarding (RS-11). Strengths, dice and casualties are listed by side, in seat order."""

    ship_fields = ("ships",)
    weight = 2

    ships: Annotated[tuple[str, ...], Meta(examples=[("A1", "S1"), ("A1", "A2", "S1")])]
    """The ships of the first seat's side, then those of the other side."""
    strengths: tuple[int, int]
    dice: tuple[tuple[int, ...], tuple[int, ...]]
    inflicted: tuple[int, int]
    """Casualties after modifiers and floor, not limited to the crew present."""
    crews: tuple[int, ...]

    @property
    def headline_score(self) -> int:
        return 40 + min(9, max(self.inflicted))

    @property
    def variant(self) -> str:
        return "pair" if len(self.ships) == len(self.strengths) else ""

    @property
    def params(self) -> dict[str, Any]:
        """Return the fields for texts, with losses limited to the crew present; `a` and `b` are the ships of a pair."""
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
    """The capture of a ship (RS-12.2, RS-12.6)."""

    ship_fields = ("ship",)
    weight = 2
    headline_rule = 80  # a ship changes hands

    ship: str
    player: str
    crew: int
    nation: Nation
    gave: tuple[CrewAboard, ...] = ()

    @property
    def params(self) -> dict[str, Any]:
        crews = (CrewAboard(self.ship, self.crew), *self.gave)
        crew_texts = tuple(Text("crew.aboard", {"ship": aboard.ship, "crew": aboard.crew}) for aboard in crews)
        return {**structs.asdict(self), "player": name_of(self.player), "crews": crew_texts}

    @property
    def captured_ship(self) -> str:
        return self.ship


class DerelictLeft(Event, frozen=True, kw_only=True, tag="left"):
    """A captured ship was left as a derelict (RS-12.4)."""

    ship_fields = ("ship",)

    ship: str


class ShipsSeparated(Event, frozen=True, kw_only=True, tag="separated"):
    """The links of a decided cluster were dissolved (RS-12.8, RS-11.9, RS-11.10)."""

    ship_fields = ("ships",)

    ships: Annotated[tuple[str, ...], Meta(examples=[("A2", "S1"), ("A2",), ()])]

    @property
    def variant(self) -> str:
        return {0: "none", 1: "one"}.get(len(self.ships), "")
