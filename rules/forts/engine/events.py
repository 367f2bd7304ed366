"""What can happen in Naval Battle. Chat tells it and pictures draw it from these alone.

Ships are named by colour and class, such as `wBB`; hexes by their labels, such as `D5`.
"""

from __future__ import annotations

from typing import Any, Literal

from rules.core.protocol import Event, Seat
from rules.core.view import Text
from rules.forts.engine.boards import FortSide
from rules.forts.engine.fire import Blocker
from rules.forts.engine.state import ClassCode, PlayerColour, Ship, ShipId, WindState

HindranceReason = Literal[
    "ship_gone",
    "moved_already",
    "no_such_hex",
    "own_hex",
    "becalmed",
    "hex_barred",
    "too_far_to_sail",
    "no_shots_left",
    "target_gone",
    "out_of_range",
    "line_blocked",
]
"""Why an action cannot be carried out; also the code of the fault."""


class _Event(Event, frozen=True, kw_only=True):
    step: int = 0
    """Always 0: records of this game have had the field from the first, and go on to."""


class ColoursDrawn(_Event, frozen=True, kw_only=True):
    """Colours and forts are given out, by die or as agreed (NB-02.1)."""

    weight = 2

    white: Seat
    red: Seat
    west: Seat
    """Who has the west fort."""
    east: Seat
    colour_die: int
    """What the first captain rolled for colours; 0: agreed."""
    fort_die: int
    """What white rolled for forts; 0: agreed."""


class FlagshipNamed(_Event, frozen=True, kw_only=True):
    """A captain announced a flagship (NB-02.3)."""

    weight = 2

    seat: Seat
    colour: PlayerColour
    code: ClassCode


class FleetPlaced(_Event, frozen=True, kw_only=True):
    """A captain's ships lie on their start hexes (NB-02.2)."""

    weight = 1

    seat: Seat
    colour: PlayerColour
    ships: tuple[Ship, ...]


class TurnBegan(_Event, frozen=True, kw_only=True):
    """A player-turn begins; with the ships as they lie, so that the whole turn can be drawn from its events."""

    weight = 0

    turn: int
    seat: Seat
    colour: PlayerColour
    ships: tuple[Ship, ...]


class WindRolled(_Event, frozen=True, kw_only=True):
    """The wind for a player-turn (NB-03.1)."""

    headline_rule = 0  # none: it begins the turn to come, where others tell of the one that was

    turn: int
    seat: Seat
    colour: PlayerColour
    die: int
    """0: the roll of the player-turn before still holds."""
    wind: WindState

    @property
    def variant(self) -> str:
        """`wind` or `calm`; `kept` if there was no roll."""
        return self.wind if self.die else "kept"

    def merge_with(self, after: Event) -> Event:
        """The wind of a player-turn in which nothing was done says so."""
        if isinstance(after, TurnEnded) and after.turn == self.turn:
            told = {
                field: getattr(self, field) for field in ("turn", "seat", "colour", "die", "wind", "rule", "seen_by")
            }
            return TurnIdle(**told)
        return self


class TurnIdle(_Event, frozen=True, kw_only=True):
    """Nothing was done in a player-turn: what a story tells in place of its wind. No record has it."""

    headline_rule = 0

    turn: int
    seat: Seat
    colour: PlayerColour
    die: int
    """0: the roll of the player-turn before still held."""
    wind: WindState

    @property
    def variant(self) -> str:
        """`wind` or `calm`; `kept` if there was no roll."""
        return self.wind if self.die else "kept"


class ShipMoved(_Event, frozen=True, kw_only=True, tag="Sailed"):
    """A ship moved (NB-04)."""

    ship_fields = ("ship",)
    headline_rule = 0  # none: who sails somewhere has done nothing yet

    ship: ShipId
    start: str
    end: str
    path: tuple[str, ...]
    """One of the shortest ways, with both ends."""
    steps: int

    @property
    def list_key(self) -> str:
        """One sentence for all that sail one after the other and do nothing else."""
        return "story.sailed"

    @property
    def params(self) -> dict[str, Any]:
        """Its fields, and the leg in few words."""
        leg = Text("story.leg", {"ship": self.ship, "start": self.start, "end": self.end})
        return {**super().params, "leg": leg}


class MoveUndone(_Event, frozen=True, kw_only=True):
    """A captain took a move back; no die was rolled since."""

    ship_fields = ("ship",)

    ship: ShipId
    start: str
    """Where she was."""
    end: str
    """Where she is again."""


class ShotFired(_Event, frozen=True, kw_only=True):
    """A ship shot at another (NB-05, 06)."""

    ship_fields = ("by", "to")
    weight = 2

    by: ShipId
    to: ShipId
    start: str
    """The hex of the shooter."""
    end: str
    """The hex of the target."""
    distance: int
    plunging: bool
    need: int
    """The lowest number that hits: 2, 3 or 5."""
    die: int
    hit: bool
    left: int
    """Hits that the target can still take after it."""
    blockers: tuple[Blocker, ...] = ()
    """What stands in the way of plunging fire."""

    @property
    def headline_score(self) -> int:
        """A hit is more than a miss, and the more, the nearer the ship is to sinking."""
        return max(11, 20 - self.left) if self.hit else 10

    @property
    def variant(self) -> str:
        """`hit`, `sank` (the hit that sinks) or `missed`, the same with `plunging.` before it."""
        came = "missed" if not self.hit else "hit" if self.left else "sank"
        return ("plunging." if self.plunging else "") + came


class ShipSunk(_Event, frozen=True, kw_only=True):
    """A ship went down (NB-07.2)."""

    ship_fields = ("ship", "by")
    continues_line = True
    variant_of = ("flagship", "flagship", "")
    weight = 2

    ship: ShipId
    by: ShipId
    hex: str
    flagship: bool

    @property
    def headline_score(self) -> int:
        """More than any shot."""
        return 60 + self.flagship


class ActionSkipped(_Event, frozen=True, kw_only=True):
    """An action was not carried out when its moment came, as a rule forbids it then."""

    variant_of = ("left", "halted", "")

    action: str
    """In canonical notation."""
    reason: HindranceReason
    left: str = ""
    """Actions of a list given live that are not carried out either, for the captain to think again."""


class PlanStored(_Event, frozen=True, kw_only=True):
    """A captain stored a plan for the next player-turn, or took it back; only that captain sees it."""

    variant_of = ("plan", "", "none")
    weight = 0

    seat: Seat
    plan: str
    """In canonical notation; empty: it was taken back."""


class PlanRun(_Event, frozen=True, kw_only=True):
    """A stored plan is carried out."""

    seat: Seat
    plan: str
    """In canonical notation."""


class TurnEnded(_Event, frozen=True, kw_only=True):
    """A player-turn is over."""

    variant_of = "cause"

    turn: int
    seat: Seat
    cause: Literal["captain", "plan", "deadline", "idle"]
    """`deadline`: nobody gave orders in time. `idle`: no ship could do anything, so nobody was asked."""

    weight = 0


class SiegeOpened(_Event, frozen=True, kw_only=True):
    """A flagship lies beside the enemy fort when her player-turn ends (NB-08.1)."""

    ship_fields = ("by",)
    weight = 2

    by: ShipId
    fort: FortSide
    hex: str
    """Of the flagship."""


class FortCaptured(_Event, frozen=True, kw_only=True):
    """A fort fell to the flagship that besieged it (NB-08.2)."""

    ship_fields = ("by",)
    weight = 2

    by: ShipId
    fort: FortSide
    hex: str
    """Of the flagship."""


class BattleScored(_Event, frozen=True, kw_only=True):
    """The game was scored by the hits that the ships of both can still take (NB-09.1, NB-09.2)."""

    variant_of = "reason"
    weight = 2

    white: int
    red: int
    reason: Literal["turns", "hitless"]


class CaptainConceded(_Event, frozen=True, kw_only=True, tag="ColoursStruck"):
    """A captain gave up (NB-09.3)."""

    weight = 2

    seat: Seat


class WinClaimed(_Event, frozen=True, kw_only=True):
    """A captain claimed the win: the opponent let three player-turns in a row pass."""

    weight = 2

    seat: Seat


class BattleWon(_Event, frozen=True, kw_only=True):
    """A side has won."""

    weight = 3

    colour: PlayerColour
    seat: Seat


class BattleDrawn(_Event, frozen=True, kw_only=True):
    """Nobody has won (NB-09.2)."""

    variant_of = "reason"
    weight = 3

    reason: Literal["agreed", "called_off", "score"]


GameEvent = (
    ColoursDrawn
    | FlagshipNamed
    | FleetPlaced
    | TurnBegan
    | WindRolled
    | TurnIdle
    | ShipMoved
    | MoveUndone
    | ShotFired
    | ShipSunk
    | ActionSkipped
    | PlanStored
    | PlanRun
    | TurnEnded
    | SiegeOpened
    | FortCaptured
    | BattleScored
    | CaptainConceded
    | WinClaimed
    | BattleWon
    | BattleDrawn
)
"""Every event of this game."""
