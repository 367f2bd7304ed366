"""What may be seen of a game of Biremes … Oh My!: chat and pictures are built from this alone.

Lengths in inches, angles in whole degrees, as in `rules.ramspeed.engine.state`.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from msgspec import Struct

from rules.core.protocol import Seat
from rules.core.view import View
from rules.ramspeed.engine.geometry.hindrance import HindranceKind
from rules.ramspeed.engine.odds import ResultChance
from rules.ramspeed.engine.state import Level, Position

AimProblem = Literal["far", "near", "angle", "blocked", "missed", "unfit"]
"""Why an attack cannot be made: too far, too near, at a wrong angle, something is in the way, the line misses, or one
of the two is in no state for it."""


class Pose(NamedTuple):
    """Where a ship's middle is, and where she heads."""

    x: float
    y: float
    heading: int


class PlannedCourse(Struct, frozen=True, kw_only=True):
    """One alternative of a line: where she goes if it is carried out, from where things will then stand."""

    order: str
    """Canonical."""
    kind: Literal["stay", "move", "exit", "ram", "swipe", "grapple"]
    path: tuple[Pose, ...]
    """From where she stands before, by way of every pivot and straight, to where she ends; one pose: she stays."""
    target: str | None = None
    """The ship attacked."""
    run: float = 0.0
    """Of an attack."""
    modifier: int = 0
    odds: tuple[ResultChance, ...] = ()
    shot: str | None = None
    """The ship shot at."""
    shot_from: Pose | None = None
    transfer: str | None = None
    """The partner of a transfer of crew."""
    crew: int = 0
    """Of that; negative: from the partner."""
    ignite: bool = False
    rule: str = ""
    """The rule by which it would not be legal as things stand; empty: it is."""
    why: HindranceKind = ""
    """In what state she is, if that is the reason."""


class PlannedLine(Struct, frozen=True, kw_only=True):
    """A line of the viewer's own sheet."""

    ship: str
    number: int
    """Its place in the sheet, from 1."""
    courses: tuple[PlannedCourse, ...]
    """Its alternatives, in order; the first legal one will be carried out."""


class AttackPreview(Struct, frozen=True, kw_only=True):
    """What the ship in hand can do to an enemy from where she will then be, or why she cannot."""

    by: str
    target: str
    kind: Literal["ram", "swipe", "grapple", "shot"]
    start: Pose
    """After the pivot."""
    end: Pose
    """Where she would stand: at the end of the run, alongside, or, shooting, where she is."""
    run: float = 0.0
    """Of a shot the distance."""
    zone: str = ""
    modifier: int = 0
    odds: tuple[ResultChance, ...] = ()
    """From the best for her."""
    fault: AimProblem | None = None
    """None: it is legal."""
    rule: str = ""
    """The rule that forbids it."""
    measured: float = 0.0
    """`far`, `near`: the inches that were measured; `angle`: the angle θ (RS-07.1)."""
    limit: float = 0.0
    """`far`: the most inches; `near`: the fewest."""
    blocker: tuple[float, float] | None = None
    """`blocked`: a point of what is in the way."""


class Reach(Struct, frozen=True, kw_only=True):
    """Where the ship in hand may go, from where she will then be."""

    ship: str
    start: Pose
    fan: tuple[tuple[int, float], ...]
    """How far she can go straight after each of some pivots (negative: to port), cut by what is in the way."""
    astern: float = 0.0
    max_turn_deg: int = 0
    """Most degrees of a stationary turn."""


class SeaView(View, frozen=True, kw_only=True):
    """The sea as one seat sees it. All is open but sheets and doctrines. `round` is the turn."""

    position: Position
    seats: tuple[Seat, ...]
    """The seat of each player, in the order of `position.seats`."""
    captain: Level = "mate"
    """How well computer captains play here."""
    position_before: Position | None = None
    """As it lay when orders were last carried out, for pictures of what came of them; None before the first."""
    sequence: tuple[Seat, ...] = ()
    """Seats in the order in which they act, or acted last."""
    active: Seat | None = None
    """Whose player-turn it is, where captains act in turn."""
    acted: tuple[str, ...] = ()
    """Ships of the active captain that have acted already, or were taken in this player-turn and cannot act."""
    current_ship: str | None = None
    """The ship in hand."""
    lines: tuple[PlannedLine, ...] = ()
    """Of the viewer's own draft."""
    reach: Reach | None = None
    """Of the ship in hand."""
    attack_previews: tuple[AttackPreview, ...] = ()
    """Of the ship in hand, at every enemy afloat, the best first; illegal ones with their fault."""

    @property
    def captured_ships(self) -> frozenset[str]:
        """Prizes."""
        return frozenset(ship.id for ship in self.position.ships if self.position.side_of_ship(ship) != ship.side0)
