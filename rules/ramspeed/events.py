"""What can happen in Biremes … Oh My!, as RS part 10.4 has it. Chat tells it and pictures draw it from these alone.

Ships are named by id, players by name; lengths in inches, headings in whole degrees. `rule` (of all events) and
`seen_by` come from the house; of them cases show only the rule of `skipped`.
"""

from __future__ import annotations

from typing import Any, ClassVar, Final, Literal

from msgspec import field, structs

from rules.protocol import Event
from rules.ramspeed.state import Link, Ship

Weight = Literal[0, 1, 2, 3]
SunkBy = Literal["fire", "ram", "edge", "prize", "separation"]
RamResult = Literal["sunk", "stuck", "dead", "immobilised", "glanced"]
OarsResult = Literal["bank", "immobilised", "none"]
Zone = Literal["dead_on", "oblique", "bow_on", "stern_on"]
EndReason = Literal["wiped_out", "turns", "quiet", "conceded", "agreed", "claimed"]
"""The first three are those of cases; the others are captains' own doing."""


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


class Sunk(Event, frozen=True, kw_only=True, tag="sunk"):
    """A ship has gone down."""

    weight: ClassVar[Weight] = 2
    ship: str
    cause: SunkBy


class Initiative(Event, frozen=True, kw_only=True, tag="initiative"):
    """One roll for the order of play (RS-03.1)."""

    weight: ClassVar[Weight] = 0
    player: str
    dice: tuple[int, int]
    total: int


class Sequence(Event, frozen=True, kw_only=True, tag="sequence"):
    """The order of the player-turns of this turn."""

    players: tuple[str, ...]


class PlayerTurn(Event, frozen=True, kw_only=True, tag="player_turn"):
    """A player-turn begins."""

    weight: ClassVar[Weight] = 0
    player: str


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

    ship: str
    order: str
    """Canonical."""


class Acts(Event, frozen=True, kw_only=True, tag="acts"):
    """A ship is activated and carries out an alternative; `stay` if none was legal."""

    weight: ClassVar[Weight] = 0
    ship: str
    order: str
    """Canonical."""


class Ignited(Event, frozen=True, kw_only=True, tag="ignited"):
    """A ship became a fireship (RS-16.1)."""

    ship: str


class Moved(Event, frozen=True, kw_only=True, tag="moved"):
    """A ship was moved or turned, perhaps cut to nothing; where she is now."""

    ship: str
    x: float
    y: float
    heading: int


class Withdrawn(Event, frozen=True, kw_only=True, tag="withdrawn"):
    """A ship left over the edge (RS-06.2)."""

    weight: ClassVar[Weight] = 2
    ship: str


class Shot(Event, frozen=True, kw_only=True, tag="shot"):
    """A shot (RS-14)."""

    by: str
    to: str
    kind: Literal["crew", "fire"]
    distance: float
    die: int
    crew: int
    """The target's, after it."""


class Spread(Event, frozen=True, kw_only=True, tag="spread"):
    """A check whether fire comes over (RS-15.6, 16.4)."""

    from_: str = field(name="from")
    to: str
    need: int
    die: int
    caught: bool


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


class Swiped(Event, frozen=True, kw_only=True, tag="swipe"):
    """An oar swipe begins (RS-09)."""

    by: str
    to: str
    heading: int
    """After the pivot, before going alongside."""
    run: float
    zone: Zone
    past: float
    defence: Literal["turn", "draw", "grapple"]
    """The option really used (RS-09.9)."""


class Defended(Event, frozen=True, kw_only=True, tag="defence"):
    """A quick turn, or oars drawn in (RS-09.8, 10.3)."""

    ship: str
    option: Literal["turn", "draw"]
    die: int
    success: bool


class Oars(Event, frozen=True, kw_only=True, tag="oars"):
    """The roll of an oar swipe, by the target (RS-09.12)."""

    weight: ClassVar[Weight] = 2
    ship: str
    modifier: int
    dice: tuple[int, int]
    total: int
    result: OarsResult


class Grappled(Event, frozen=True, kw_only=True, tag="grapple"):
    """A grapple begins (RS-10)."""

    by: str
    to: str
    heading: int
    """After the pivot, before going alongside."""
    run: float
    zone: Zone
    automatic: bool


class Hooks(Event, frozen=True, kw_only=True, tag="hooks"):
    """The opposed roll of a grapple (RS-10.4, 09.15)."""

    by: str
    """The grappling player's ship."""
    to: str
    modifier: int
    dice: tuple[int, int]
    """The grappler's, the other's."""
    success: bool


class Linked(Event, frozen=True, kw_only=True, tag="linked"):
    """Two ships hold each other."""

    weight: ClassVar[Weight] = 2
    a: str
    """Grapple: the lower id; stuck: the rammer."""
    b: str
    kind: Literal["grapple", "stuck"]


class Transferred(Event, frozen=True, kw_only=True, tag="transfer"):
    """A transfer of crew (RS-17)."""

    ship: str
    partner: str
    crew: int
    """Negative: from the partner."""
    die: int | None
    """For docking with a burning ship; None: no roll."""
    done: bool


class Captured(Event, frozen=True, kw_only=True, tag="captured"):
    """A derelict was manned (RS-17.4)."""

    weight: ClassVar[Weight] = 2
    ship: str
    by: str
    """The active ship."""


class Recovered(Event, frozen=True, kw_only=True, tag="recovered"):
    """A marker goes (RS-18.2, 18.3)."""

    ship: str
    marker: Literal["immob", "beached"]


class Melee(Event, frozen=True, kw_only=True, tag="melee"):
    """A round of boarding (RS-11); the last three by side in seat order."""

    weight: ClassVar[Weight] = 2
    ships: tuple[str, ...]
    strengths: tuple[int, int]
    dice: tuple[tuple[int, ...], tuple[int, ...]]
    inflicted: tuple[int, int]
    """After modifiers and floor, not cut to the crew that was there."""


class Prize(Event, frozen=True, kw_only=True, tag="prize"):
    """A ship was taken (RS-12.2, 12.6)."""

    weight: ClassVar[Weight] = 2
    ship: str
    player: str
    crew: int


class Left(Event, frozen=True, kw_only=True, tag="left"):
    """A ship won was left as a derelict (RS-12.4)."""

    ship: str


class Separated(Event, frozen=True, kw_only=True, tag="separated"):
    """The links of a decided cluster are gone (RS-12.8, 11.9, 11.10)."""

    ships: tuple[str, ...]
    """Those still afloat; may be empty."""


class End(Event, frozen=True, kw_only=True, tag="end"):
    """The game is over (RS-20)."""

    weight: ClassVar[Weight] = 3
    reason: EndReason
    score: tuple[int, int]
    """By side in seat order."""
    winner: str
    """A side, or `draw`."""


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
)
"""Every event of this game."""

_HOUSE: Final = {one.name for one in structs.fields(Event)}


def tell(event: Event) -> dict[str, Any]:
    """An event as a case shows it: its type and exactly the fields of part 10.4."""
    told: dict[str, Any] = {"type": event.__struct_config__.tag}
    for one in structs.fields(event):
        if one.name in _HOUSE and not (one.name == "rule" and isinstance(event, Skipped)):
            continue
        told[one.encode_name] = _plain(getattr(event, one.name))
    return told


def _plain(value: Any) -> Any:  # noqa: ANN401 - any field's value
    return [_plain(one) for one in value] if isinstance(value, tuple) else value
