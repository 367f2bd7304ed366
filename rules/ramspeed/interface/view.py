"""The views of Biremes … Oh My!, the only source of texts and pictures.

Lengths are in inches, angles in whole degrees, as in `rules.ramspeed.engine.state`.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from msgspec import Struct

from rules.core.protocol import Seat
from rules.core.view import View
from rules.ramspeed.engine.geometry.hindrance import HindranceKind
from rules.ramspeed.engine.odds import ResultChance
from rules.ramspeed.engine.state import Box, Level, Position, Ship
from rules.ramspeed.interface.placement_drafts import Placement

AimProblem = Literal["far", "near", "angle", "blocked", "missed", "unfit"]
"""A reason why an attack is impossible. `missed`: the line of the attack does not meet the target.

`unfit`: one of the two ships is in no condition for it.
"""


class Pose(NamedTuple):
    x: float  # inches east
    y: float  # inches north
    heading: int  # degrees clockwise from north


def pose_of(ship: Ship) -> Pose:
    return Pose(ship.x, ship.y, ship.heading)


class PlannedCourse(Struct, frozen=True, kw_only=True):
    """The course of one alternative, from the position that is expected when it is carried out."""

    order: str  # the alternative in canonical notation
    kind: Literal["stay", "move", "exit", "ram", "swipe", "grapple"]
    path: tuple[Pose, ...]
    """Poses from start to end, with every pivot between straight lines; a single pose if the ship stays."""
    target: str | None = None  # id of the ship to attack; None: no attack
    run: float = 0.0  # inches to the hit or contact
    modifier: int = 0  # sum of the modifiers of the attack
    odds: tuple[ResultChance, ...] = ()  # chances of the attack; empty without one
    shot: str | None = None  # id of the ship to shoot at; None: no shot
    shot_from: Pose | None = None  # where the ship shoots; None: no shot
    transfer: str | None = None  # id of the partner of a crew transfer; None: no transfer
    crew: int = 0  # the number of men transferred; negative: from the partner
    ignite: bool = False  # the ship becomes a fireship
    rule: str = ""  # the rule that forbids the alternative now; empty: it is legal
    why: HindranceKind = ""  # why the ship itself cannot do it; empty if `rule` explains it


class PlannedLine(Struct, frozen=True, kw_only=True):
    ship: str  # id
    number: int  # place in the sheet, from 1
    courses: tuple[PlannedCourse, ...]  # the alternatives in order, of which the first legal one will be carried out


class AttackPreview(Struct, frozen=True, kw_only=True):
    """An attack that the ship in focus could make from its expected place, or the reason why it cannot."""

    by: str  # the ship in focus
    target: str  # id of the enemy
    kind: Literal["ram", "swipe", "grapple", "shot"]  # of attack or shot
    start: Pose  # with the heading after the pivot
    end: Pose  # the pose at the end of the run or alongside; for a shot, the ship's present pose
    run: float = 0.0  # the run of an attack, or the distance of a shot, in inches
    zone: str = ""  # angle of approach; empty: no legal attack
    modifier: int = 0  # sum of the modifiers
    odds: tuple[ResultChance, ...] = ()  # empty: no legal attack
    fault: AimProblem | None = None  # None: the attack is legal
    rule: str = ""  # the rule that forbids the attack; empty: it is legal
    measured: float = 0.0  # measured inches for `far` and `near`, or the angle θ for `angle` (RS-07.1)
    limit: float = 0.0  # the maximum inches for `far`, or the minimum for `near`
    blocker: tuple[float, float] | None = None  # a point of the obstacle for `blocked`


class Reach(Struct, frozen=True, kw_only=True):
    ship: str  # id
    start: Pose  # present pose
    fan: tuple[tuple[int, float], ...]
    """Pairs of a pivot (negative: to port) and the distance possible straight ahead after it."""
    astern: float = 0.0  # inches
    max_turn_deg: int = 0  # on the spot


class Strike(Struct, frozen=True, kw_only=True):
    """Where an enemy can ram, swipe or grapple in the next turn, if no other ship is in the way."""

    ship: str  # id of the enemy
    far: float  # inches that she can go straight ahead
    outline: tuple[tuple[float, float], ...]  # in inches


class ViewZone(Struct, frozen=True, kw_only=True):
    box: Box
    side: int  # 0 or 1, in the position's order
    is_own: bool  # whether the viewer places ships in it now


class SeaView(View, frozen=True, kw_only=True):
    """The sea as one seat sees it; all is public but sheets and doctrines. `round` is the turn."""

    position: Position
    seats: tuple[Seat, ...]  # the seat of each player, in the order of `position.seats`
    captain: Level = "mate"  # level of the computer captains
    position_before: Position | None = None  # the position before orders were last carried out; None before the first
    sequence: tuple[Seat, ...] = ()  # seats in the order of play
    active: Seat | None = None  # the seat whose player-turn it is; None: sheets are written
    acted: tuple[str, ...] = ()  # ships of the active captain that have acted or were captured in this player-turn
    current_ship: str | None = None  # id of the ship in focus; None: the whole fleet
    lines: tuple[PlannedLine, ...] = ()  # the viewer's drafted lines
    reach: Reach | None = None  # of the ship in focus; None without one
    attack_previews: tuple[AttackPreview, ...] = ()
    """Attacks of the ship in focus at every enemy afloat, the best first; illegal ones have a `fault`."""

    strikes: tuple[Strike, ...] = ()  # of enemies, while the viewer looks at them
    command_area: tuple[tuple[float, float], ...] = ()
    """The outline, in inches, around the viewer's flagship: ships that lie in it obey without a die (RS-22.4)."""

    zones: tuple[ViewZone, ...] = ()  # where ships are placed before the first turn
    proposed_placement: Placement | None = None  # the viewer's ships as the rules would place them; None: not asked

    @property
    def captured_ships(self) -> frozenset[str]:
        return frozenset(ship.id for ship in self.position.ships if self.position.side_of_ship(ship) != ship.side0)
