"""What can happen in Biremes … Oh My!, as RS part 10.4 has it. Chat tells it and pictures draw it from these alone.

Ships are named by id, players by name; lengths in inches, headings in whole degrees. `rule` (of all events) and
`seen_by` come from the house; of them cases show only the rule of `skipped`.
"""

from __future__ import annotations

import re
from typing import Annotated, Any, ClassVar, Final, Literal

from msgspec import UNSET, Meta, UnsetType, field, structs

from rules.protocol import Event, Seat
from rules.ramspeed import spoken
from rules.ramspeed.state import Link, Ship
from rules.ramspeed.tables import TABLES
from rules.ramspeed.unfit import Unfit
from rules.view import Text

Weight = Literal[0, 1, 2, 3]
SunkBy = Literal["fire", "ram", "edge", "prize", "separation"]
RamResult = Literal["sunk", "stuck", "dead", "immobilised", "glanced"]
OarsResult = Literal["bank", "immobilised", "none"]
Dodge = Literal["turn", "draw"]
Defence = Literal["turn", "draw", "grapple"]
Zone = Literal["dead_on", "oblique", "bow_on", "stern_on"]
EndReason = Literal["wiped_out", "turns", "quiet", "conceded", "agreed", "claimed"]
"""The first three are those of cases; the others are captains' own doing."""
Order = Annotated[str, Meta(examples=["ram S1", "veer 15R 4; shoot S1 crew", "transfer 5 to A2"])]
"""An alternative, or a step of one, in canonical notation."""
_FAR: Final = frozenset({"RS-08.5", "RS-09.6", "RS-10.1"})
"""Rules that say of an attack that the enemy is too far away."""
SIDES: Final = ("Athens", "Sparta", "Rome", "Carthage", "Patrol", "Pirates")
"""Sides of the game's own scenarios, whose names stand in the catalogues as `side.<name>`."""


def name_of(player: str) -> Seat | str:
    """Whom a player's name means: in a game among captains the seat, as in `p3`; else it is a name."""
    found = re.fullmatch("p([0-9]{1,2})", player)
    return int(found[1]) if found else player


def side_of(name: str) -> Text | str:
    """A side's name, in the reader's language where the catalogues have it."""
    return Text(f"side.{name}") if name in SIDES else name


def held_by(name: str, seats: tuple[Seat, ...]) -> Text | str:
    """A side's name, with its captains: pictures name those alone."""
    side = side_of(name)
    if not seats:
        return side
    captains = tuple(Text("side.captain", {"seat": seat}) for seat in seats)
    return Text("side.held", {"side": (side,) if isinstance(side, Text) else side, "captains": captains})


def _each_die(event: Event, dice: tuple[int, int]) -> dict[str, Any]:
    """What a throw of two dice tells: its fields, and each die by itself."""
    return {**structs.asdict(event), "first": dice[0], "second": dice[1]}


def _stuck(by: str, to: str) -> str:
    """What a ram and the link that comes of it have in common."""
    return f"stuck {by} {to}"


class TurnBegan(Event, frozen=True, kw_only=True, tag="turn_began"):
    """A turn begins; with the ships as they lie, so that it can be drawn from its events. No case shows it."""

    weight: ClassVar[Weight] = 0
    turn: int
    ships: tuple[Ship, ...]
    links: tuple[Link, ...]


class Fire(Event, frozen=True, kw_only=True, tag="fire"):
    """FIRE for one burning ship (RS-15.2)."""

    ship: str
    die: int | None
    """None: no roll (RS-15.5, 16.1)."""
    markers: int
    """After it; 0: out."""

    @property
    def variant(self) -> str:
        """`out`, `on`, or `unfought` without a roll."""
        return "unfought" if self.die is None else "on" if self.markers else "out"


class Sunk(Event, frozen=True, kw_only=True, tag="sunk"):
    """A ship has gone down."""

    weight: ClassVar[Weight] = 2
    headline: ClassVar[int] = 60
    """More than anything but a prize."""
    ship: str
    cause: SunkBy

    @property
    def variant(self) -> str:
        """Why."""
        return self.cause


class Initiative(Event, frozen=True, kw_only=True, tag="initiative"):
    """One roll for the order of play (RS-03.1)."""

    weight: ClassVar[Weight] = 0
    player: str
    dice: tuple[int, int]
    total: int

    @property
    def told(self) -> dict[str, Any]:
        """With the captain and each die."""
        return {**_each_die(self, self.dice), "player": name_of(self.player)}


class Sequence(Event, frozen=True, kw_only=True, tag="sequence"):
    """The order of the player-turns of this turn."""

    headline: ClassVar[int] = 0

    players: tuple[str, ...]

    @property
    def told(self) -> dict[str, Any]:
        """With the captains."""
        return {**structs.asdict(self), "players": tuple(map(name_of, self.players))}


class PlayerTurn(Event, frozen=True, kw_only=True, tag="player_turn"):
    """A player-turn begins."""

    weight: ClassVar[Weight] = 0
    player: str

    @property
    def told(self) -> dict[str, Any]:
        """With the captain."""
        return {**structs.asdict(self), "player": name_of(self.player)}


class Drifted(Event, frozen=True, kw_only=True, tag="drifted"):
    """A crewless fireship drifted (RS-16.3)."""

    ship: str
    x: float
    y: float


class Ignored(Event, frozen=True, kw_only=True, tag="ignored"):
    """A line names a ship that is lost or not owned (RS-21.5)."""

    ship: str


class Skipped(Event, frozen=True, kw_only=True, tag="skipped"):
    """An alternative, or a shot, was illegal; `rule` says why."""

    headline: ClassVar[int] = 0

    ship: str
    order: Order
    why: Unfit = ""
    """In what state she was, if that was the reason; no case shows it."""
    instead: Annotated[str, Meta(examples=["", "steer S1 6"])] | UnsetType = UNSET
    """What she was ordered to do if it was not possible, and did. A story alone has it: nothing that happens does."""

    def before(self, after: Event) -> Event:
        """With what she did instead, if that is told nowhere else: where attacks and shots come to, they tell.

        Who cannot move did not row either, whatever she was ordered.
        """
        if self.why in ("stopped", "locked", "deserted"):
            return self
        if not isinstance(after, Acts) or after.ship != self.ship or not spoken.rows(after.order):
            return self
        return structs.replace(self, instead=after.order)

    @property
    def variant(self) -> str:
        """`instead` if she did something else."""
        return "instead" if self.instead else ""

    @property
    def gathers(self) -> str:
        """What is too far away is told together: before fleets meet, it is most of what happens."""
        if self.rule == "RS-14.3" and not self.why:
            return "story.no_target"
        return "story.far" if self.why == "far" or (not self.why and self.rule in _FAR) else ""

    @property
    def told(self) -> dict[str, Any]:
        """With the order in words, and the reason or the rule, or `other`."""
        order = spoken.written(self.order)
        params: dict[str, Any] = {"ship": self.ship, "order": order}
        if self.instead:
            params["instead"] = spoken.written(self.instead)
        which = Text("skipped.which.instead" if self.instead else "skipped.which", params)
        return {**structs.asdict(self), **params, "which": which, "why": self.why or self.rule or "other"}


class Acts(Event, frozen=True, kw_only=True, tag="acts"):
    """A ship is activated and carries out an alternative; `stay` if none was legal."""

    weight: ClassVar[Weight] = 0
    ship: str
    order: Order

    @property
    def told(self) -> dict[str, Any]:
        """With the order in words."""
        return {**structs.asdict(self), "order": spoken.written(self.order)}


class Ignited(Event, frozen=True, kw_only=True, tag="ignited"):
    """A ship became a fireship (RS-16.1)."""

    headline: ClassVar[int] = 30
    """A fire of one's own making."""

    ship: str


class Moved(Event, frozen=True, kw_only=True, tag="moved"):
    """A ship was moved or turned, perhaps cut to nothing; where she is now."""

    weight: ClassVar[Weight] = 0
    ship: str
    x: float
    y: float
    heading: int


class Withdrawn(Event, frozen=True, kw_only=True, tag="withdrawn"):
    """A ship left over the edge (RS-06.2)."""

    weight: ClassVar[Weight] = 2
    headline: ClassVar[int] = 40
    """Less than a loss."""
    ship: str


class Shot(Event, frozen=True, kw_only=True, tag="shot"):
    """A shot (RS-14)."""

    by: str
    to: str
    kind: Literal["crew", "fire"]
    distance: float
    die: Annotated[int, Meta(examples=[1, 6])]
    crew: int
    """The target's, after it."""

    @property
    def news(self) -> int:
        """The more, the more come of it."""
        return 10 + self.die if self.kind == "crew" else 25 if self.variant == "fire.hit" else 8

    @property
    def variant(self) -> str:
        """`crew`, `fire.hit` or `fire.missed`."""
        return f"fire.{'hit' if self.die >= TABLES.need.ignite else 'missed'}" if self.kind == "fire" else "crew"


class Spread(Event, frozen=True, kw_only=True, tag="spread"):
    """A check whether fire comes over (RS-15.6, 16.4)."""

    from_: str = field(name="from")
    to: str
    need: int
    die: int
    caught: bool

    @property
    def news(self) -> int:
        """If it catches, a new fire."""
        return 35 if self.caught else 5

    @property
    def variant(self) -> str:
        """`caught` or `held`."""
        return "caught" if self.caught else "held"


class Rammed(Event, frozen=True, kw_only=True, tag="ram"):
    """A ram (RS-08)."""

    weight: ClassVar[Weight] = 2
    by: str
    to: str
    heading: int
    """The rammer's, after the pivot."""
    run: float
    zone: Zone
    modifier: int
    dice: tuple[int, int]
    total: int
    result: RamResult
    x: float
    """Where the rammer stands after it."""
    y: float

    @property
    def once(self) -> str:
        """That she is stuck fast is told with the ram, and not again when the two hold each other."""
        return _stuck(self.by, self.to) if self.result == "stuck" else ""

    @property
    def news(self) -> int:
        """The more, the worse for the target."""
        return {"sunk": 65, "stuck": 55, "dead": 50, "immobilised": 35, "glanced": 20}[self.result]

    @property
    def variant(self) -> str:
        """What came of it."""
        return self.result

    @property
    def told(self) -> dict[str, Any]:
        """With each die."""
        return _each_die(self, self.dice)


class Swiped(Event, frozen=True, kw_only=True, tag="swipe"):
    """An oar swipe begins (RS-09)."""

    by: str
    to: str
    heading: int
    """After the pivot, before going alongside."""
    run: float
    zone: Zone
    past: float
    defence: Defence
    """The option really used (RS-09.9)."""

    @property
    def variant(self) -> str:
        """How she defends herself."""
        return self.defence


class Defended(Event, frozen=True, kw_only=True, tag="defence"):
    """A quick turn, or oars drawn in (RS-09.8, 10.3)."""

    ship: str
    option: Dodge
    die: int
    success: bool

    @property
    def variant(self) -> str:
        """How, and whether it worked."""
        return f"{self.option}.{'done' if self.success else 'failed'}"


class Oars(Event, frozen=True, kw_only=True, tag="oars"):
    """The roll of an oar swipe, by the target (RS-09.12)."""

    weight: ClassVar[Weight] = 2
    ship: str
    modifier: int
    dice: tuple[int, int]
    total: int
    result: OarsResult

    @property
    def news(self) -> int:
        """The more, the worse for the target."""
        return {"bank": 50, "immobilised": 35, "none": 15}[self.result]

    @property
    def variant(self) -> str:
        """What came of it."""
        return self.result

    @property
    def told(self) -> dict[str, Any]:
        """With each die."""
        return _each_die(self, self.dice)


class Grappled(Event, frozen=True, kw_only=True, tag="grapple"):
    """A grapple begins (RS-10)."""

    by: str
    to: str
    heading: int
    """After the pivot, before going alongside."""
    run: float
    zone: Zone
    automatic: bool

    @property
    def variant(self) -> str:
        """`automatic`, or empty."""
        return "automatic" if self.automatic else ""


class Hooks(Event, frozen=True, kw_only=True, tag="hooks"):
    """The opposed roll of a grapple (RS-10.4, 09.15)."""

    by: str
    """The grappling player's ship."""
    to: str
    modifier: int
    dice: tuple[int, int]
    """The grappler's, the other's."""
    success: bool

    @property
    def variant(self) -> str:
        """`held` or `slipped`."""
        return "held" if self.success else "slipped"

    @property
    def told(self) -> dict[str, Any]:
        """With each die."""
        return _each_die(self, self.dice)


class Linked(Event, frozen=True, kw_only=True, tag="linked"):
    """Two ships hold each other."""

    headline: ClassVar[int] = 45
    """A boarding begins."""

    a: str
    """Grapple: the lower id; stuck: the rammer."""
    b: str
    kind: Literal["grapple", "stuck"]

    @property
    def once(self) -> str:
        """One that is stuck is told with its ram."""
        return _stuck(self.a, self.b) if self.kind == "stuck" else ""

    @property
    def variant(self) -> str:
        """By what."""
        return self.kind


class Transferred(Event, frozen=True, kw_only=True, tag="transfer"):
    """A transfer of crew (RS-17)."""

    ship: str
    partner: str
    crew: int
    """Negative: from the partner."""
    die: int | None
    """For docking with a burning ship; None: no roll."""
    done: bool

    @property
    def variant(self) -> str:
        """`to`, `from` or `failed`."""
        return "failed" if not self.done else "to" if self.crew > 0 else "from"

    @property
    def told(self) -> dict[str, Any]:
        """With the number of men."""
        return {**structs.asdict(self), "men": abs(self.crew)}


class Captured(Event, frozen=True, kw_only=True, tag="captured"):
    """A derelict was manned (RS-17.4)."""

    weight: ClassVar[Weight] = 2
    headline: ClassVar[int] = 70
    """A ship changes hands."""
    ship: str
    by: str
    """The active ship."""


class Recovered(Event, frozen=True, kw_only=True, tag="recovered"):
    """A marker goes (RS-18.2, 18.3)."""

    headline: ClassVar[int] = 0
    """None: it is as it was before."""

    ship: str
    marker: Literal["immob", "beached"]

    @property
    def variant(self) -> str:
        """From what."""
        return self.marker


class Melee(Event, frozen=True, kw_only=True, tag="melee"):
    """A round of boarding (RS-11); the last three by side in seat order."""

    weight: ClassVar[Weight] = 2
    ships: tuple[str, ...]
    strengths: tuple[int, int]
    dice: tuple[tuple[int, ...], tuple[int, ...]]
    inflicted: tuple[int, int]
    """After modifiers and floor, not cut to the crew that was there."""

    @property
    def news(self) -> int:
        """The more, the more fall."""
        return 40 + min(9, max(self.inflicted))

    @property
    def told(self) -> dict[str, Any]:
        """With strengths and losses, side by side: no more fall than there were."""
        return {
            **structs.asdict(self),
            "first": self.strengths[0],
            "second": self.strengths[1],
            "lost": min(self.inflicted[1], self.strengths[0]),
            "felled": min(self.inflicted[0], self.strengths[1]),
        }


class Prize(Event, frozen=True, kw_only=True, tag="prize"):
    """A ship was taken (RS-12.2, 12.6)."""

    weight: ClassVar[Weight] = 2
    headline: ClassVar[int] = 80
    """A ship changes hands."""
    ship: str
    player: str
    crew: int

    @property
    def told(self) -> dict[str, Any]:
        """With the captain."""
        return {**structs.asdict(self), "player": name_of(self.player)}


class Left(Event, frozen=True, kw_only=True, tag="left"):
    """A ship won was left as a derelict (RS-12.4)."""

    ship: str


class Separated(Event, frozen=True, kw_only=True, tag="separated"):
    """The links of a decided cluster are gone (RS-12.8, 11.9, 11.10)."""

    ships: Annotated[tuple[str, ...], Meta(examples=[("A2", "S1"), ("A2",), ()])]
    """Those still afloat; may be empty."""

    @property
    def variant(self) -> str:
        """`one` if she is alone, because the others went down, `none` if none of them is left."""
        return {0: "none", 1: "one"}.get(len(self.ships), "")


class End(Event, frozen=True, kw_only=True, tag="end"):
    """The game is over (RS-20)."""

    weight: ClassVar[Weight] = 3
    reason: EndReason
    score: tuple[int, int]
    """By side in seat order."""
    winner: Annotated[str, Meta(examples=["Athens", "draw"])]
    """A side, or `draw`."""
    seats: tuple[Seat, ...] = ()
    """Who has won, as far as captains hold the side; no case shows it."""

    @property
    def variant(self) -> str:
        """Why, and `.drawn` after it if nobody has won."""
        return f"{self.reason}.drawn" if self.winner == "draw" else self.reason

    @property
    def told(self) -> dict[str, Any]:
        """With the score of either side, and the winner as a list of one."""
        return {
            **structs.asdict(self),
            "first": self.score[0],
            "second": self.score[1],
            "winner": (held_by(self.winner, self.seats),),
        }


# --- what captains do besides ------------------------------------------------------------------------------------


class SidesDrawn(Event, frozen=True, kw_only=True, tag="sides_drawn"):
    """The sides are given out, by a die or as agreed."""

    weight: ClassVar[Weight] = 2
    sides: tuple[str, str]
    first: tuple[Seat, ...]
    """Who has the first side."""
    second: tuple[Seat, ...]
    die: int
    """0: agreed."""

    @property
    def variant(self) -> str:
        """`thrown`, or empty."""
        return "thrown" if self.die else ""

    @property
    def told(self) -> dict[str, Any]:
        """With each side's name, as a list of one."""
        one, other = self.sides
        return {**structs.asdict(self), "one": (side_of(one),), "other": (side_of(other),)}


class DoctrineChanged(Event, frozen=True, kw_only=True, tag="doctrine_changed"):
    """A captain changed his doctrine, or the sheet that stands in for a missing one; only he is told."""

    weight: ClassVar[Weight] = 0
    seat: Seat


class TurnEnded(Event, frozen=True, kw_only=True, tag="turn_ended"):
    """A captain ended his player-turn, where captains act in turn."""

    weight: ClassVar[Weight] = 0
    seat: Seat


class GaveUp(Event, frozen=True, kw_only=True, tag="gave_up"):
    """A captain gave up (RS-20.4)."""

    weight: ClassVar[Weight] = 2
    seat: Seat
    heirs: tuple[Seat, ...]
    """Allies who take over his ships; none: his side has lost."""

    @property
    def variant(self) -> str:
        """`ally` if his side goes on."""
        return "ally" if self.heirs else ""


Happening = (
    TurnBegan
    | Fire
    | Sunk
    | Initiative
    | Sequence
    | PlayerTurn
    | Drifted
    | Ignored
    | Skipped
    | Acts
    | Ignited
    | Moved
    | Withdrawn
    | Shot
    | Spread
    | Rammed
    | Swiped
    | Defended
    | Oars
    | Grappled
    | Hooks
    | Linked
    | Transferred
    | Captured
    | Recovered
    | Melee
    | Prize
    | Left
    | Separated
    | End
    | SidesDrawn
    | DoctrineChanged
    | TurnEnded
    | GaveUp
)
"""Every event of this game."""

_HOUSE: Final = {one.name for one in structs.fields(Event)}
_UNSHOWN: Final = {(Skipped, "why"), (Skipped, "instead"), (End, "seats")}


def tell(event: Event) -> dict[str, Any]:
    """An event as a case shows it: its type and exactly the fields of part 10.4."""
    told: dict[str, Any] = {"type": event.__struct_config__.tag}
    for one in structs.fields(event):
        if one.name in _HOUSE and not (one.name == "rule" and isinstance(event, Skipped)):
            continue
        if (type(event), one.name) in _UNSHOWN:
            continue
        told[one.encode_name] = _plain(getattr(event, one.name))
    return told


def _plain(value: Any) -> Any:  # noqa: ANN401 - any field's value
    return [_plain(one) for one in value] if isinstance(value, tuple) else value
