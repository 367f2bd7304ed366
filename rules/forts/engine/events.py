"""The events of Naval Battle. Texts and pictures are made from these alone.

Ships are named by colour and class, such as `wBB`, and hexes by their labels, such as `D5`.
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
"""Reasons why an action cannot be carried out; also the codes of the faults."""


class _Event(Event, frozen=True, kw_only=True):
    step: int = 0  # always 0; kept because all records of this game contain the field


class ColoursDrawn(_Event, frozen=True, kw_only=True):
    """Colours and forts were assigned, by die or by agreement (NB-02.1)."""

    weight = 2

    white: Seat  # the seat that plays White
    red: Seat  # the seat that plays red
    west: Seat  # the seat with the western fort
    east: Seat  # the seat with the eastern fort
    colour_die: int  # the first captain's roll for colours; 0: agreed
    fort_die: int  # White's roll for forts; 0: agreed


class FlagshipNamed(_Event, frozen=True, kw_only=True):
    """A captain announced a flagship (NB-02.3)."""

    weight = 2

    seat: Seat  # the captain who announced it
    colour: PlayerColour  # the captain's colour
    code: ClassCode  # class of the flagship


class FleetPlaced(_Event, frozen=True, kw_only=True):
    """A captain's ships were placed on their start hexes (NB-02.2)."""

    weight = 1

    seat: Seat  # the ships' captain
    colour: PlayerColour  # colour of the ships
    ships: tuple[Ship, ...]  # the placed ships


class TurnBegan(_Event, frozen=True, kw_only=True):
    """A player-turn began. It holds the ships, so that the turn can be drawn from its events."""

    weight = 0

    turn: int  # number of the player-turn, from 1
    seat: Seat  # the captain who acts
    colour: PlayerColour  # the colour that acts
    ships: tuple[Ship, ...]  # all ships afloat


class WindRolled(_Event, frozen=True, kw_only=True):
    """The wind for a player-turn was rolled or kept (NB-03.1)."""

    headline_rule = 0  # no headline, as it begins the coming turn, not the one that the others report

    turn: int  # number of the player-turn, from 1
    seat: Seat  # the captain who acts
    colour: PlayerColour  # the colour that acts
    die: int  # 0: the roll of the previous player-turn still applies
    wind: WindState  # the wind in this player-turn

    @property
    def variant(self) -> str:
        return self.wind if self.die else "kept"

    def merge_with(self, after: Event) -> Event:
        """Return a `TurnIdle` in place of the wind if the player-turn ended at once, else this event."""
        if isinstance(after, TurnEnded) and after.turn == self.turn:
            return TurnIdle(
                turn=self.turn,
                seat=self.seat,
                colour=self.colour,
                die=self.die,
                wind=self.wind,
                rule=self.rule,
                seen_by=self.seen_by,
            )
        return self


class TurnIdle(_Event, frozen=True, kw_only=True):
    """Nothing was done in a player-turn. Stories show it in place of the wind; no record contains it."""

    headline_rule = 0

    turn: int  # number of the player-turn, from 1
    seat: Seat  # the captain who did nothing
    colour: PlayerColour  # the captain's colour
    die: int  # 0: the roll of the previous player-turn still applied
    wind: WindState  # the wind in this player-turn

    @property
    def variant(self) -> str:
        return self.wind if self.die else "kept"


class ShipMoved(_Event, frozen=True, kw_only=True, tag="Sailed"):
    """A ship moved (NB-04)."""

    ship_fields = ("ship",)
    headline_rule = 0  # no headline, as sailing alone decides nothing

    ship: ShipId  # id of the ship
    start: str  # the hex that it left
    end: str  # the hex that it reached
    path: tuple[str, ...]  # one of the shortest ways, including both ends
    steps: int  # hexes sailed

    @property
    def list_key(self) -> str:
        return "story.sailed"

    @property
    def params(self) -> dict[str, Any]:
        leg = Text("story.leg", {"ship": self.ship, "start": self.start, "end": self.end})
        return {**super().params, "leg": leg}


class MoveUndone(_Event, frozen=True, kw_only=True):
    """A captain took back a move, before any further die was rolled."""

    ship_fields = ("ship",)

    ship: ShipId  # id of the ship
    start: str  # the hex to which the ship had sailed
    end: str  # the hex to which the ship returned


class ShotFired(_Event, frozen=True, kw_only=True):
    """A ship shot at another (NB-05, NB-06)."""

    ship_fields = ("by", "to")
    weight = 2

    by: ShipId  # id of the ship that shot
    to: ShipId  # id of its target
    start: str  # hex of the ship that shot
    end: str  # hex of the target
    distance: int  # hexes between both ships
    plunging: bool  # whether the line of fire was blocked, and the shot went over the obstacle
    need: int  # the lowest number that hits: 2, 3 or 5
    die: int  # the number rolled
    hit: bool  # whether the shot hit
    left: int  # hits that the target can still take afterwards
    blockers: tuple[Blocker, ...] = ()  # obstacles in the line of fire

    @property
    def headline_score(self) -> int:
        return max(11, 20 - self.left) if self.hit else 10

    @property
    def variant(self) -> str:
        """Return `hit`, `sank` (a hit that sinks) or `missed`, with the prefix `plunging.` for plunging fire."""
        effect = "hit" if self.left else "sank"
        result = effect if self.hit else "missed"
        return f"plunging.{result}" if self.plunging else result

    @property
    def harmed_ship(self) -> str:
        return self.to if self.hit else ""


class ShipSunk(_Event, frozen=True, kw_only=True):
    """A ship sank (NB-07.2)."""

    ship_fields = ("ship", "by")
    harms = "ship"
    continues_line = True
    variant_of = ("flagship", "flagship", "")
    weight = 2

    ship: ShipId  # id of the ship that sank
    by: ShipId  # id of the ship that sank it
    hex: str  # label of the hex where it sank
    flagship: bool  # whether it was the flagship, whose loss decides the game

    @property
    def headline_score(self) -> int:
        return 60 + self.flagship


class ActionSkipped(_Event, frozen=True, kw_only=True):
    variant_of = ("left", "halted", "")

    action: str  # the action that could not be carried out, in notation
    reason: HindranceReason  # why it could not be carried out
    left: str = ""  # further actions of a live list that are not carried out either, so that the captain can reconsider


class PlanStored(_Event, frozen=True, kw_only=True):
    """A captain stored a plan for the next player-turn, or removed it; only that captain sees it."""

    variant_of = ("plan", "", "none")
    weight = 0

    seat: Seat  # the captain whose plan it is
    plan: str  # canonical notation; empty: the plan was removed


class PlanRun(_Event, frozen=True, kw_only=True):
    seat: Seat  # the captain whose plan was carried out
    plan: str  # the plan in canonical notation


class TurnEnded(_Event, frozen=True, kw_only=True):
    variant_of = "cause"

    turn: int  # number of the player-turn
    seat: Seat  # the captain who acted
    cause: Literal["captain", "plan", "deadline", "idle"]
    """`deadline`: no orders came in time. `idle`: no ship could do anything, so nobody was asked."""

    weight = 0


class SiegeOpened(_Event, frozen=True, kw_only=True):
    """A flagship was beside the enemy fort at the end of its player-turn (NB-08.1)."""

    ship_fields = ("by",)
    weight = 2

    by: ShipId  # id of the flagship
    fort: FortSide  # the side of the besieged fort
    hex: str  # label of the flagship's hex


class FortCaptured(_Event, frozen=True, kw_only=True):
    """A fort fell to the flagship that besieged it (NB-08.2)."""

    ship_fields = ("by",)
    weight = 2

    by: ShipId  # id of the flagship
    fort: FortSide  # the side of the captured fort
    hex: str  # label of the flagship's hex


class BattleScored(_Event, frozen=True, kw_only=True):
    """The game was scored by the hits that both fleets can still take (NB-09.1, NB-09.2)."""

    variant_of = "reason"
    weight = 2

    white: int  # hits that White's ships can still take
    red: int  # hits that red's ships can still take
    reason: Literal["turns", "hitless"]  # the last player-turn was reached, or too many passed without a hit


class CaptainConceded(_Event, frozen=True, kw_only=True, tag="ColoursStruck"):
    """A captain gave up (NB-09.3)."""

    weight = 2

    seat: Seat  # the captain who gave up


class WinClaimed(_Event, frozen=True, kw_only=True):
    """A captain claimed the win, after the opponent let three player-turns in a row pass."""

    weight = 2

    seat: Seat  # the captain who claimed it


class BattleWon(_Event, frozen=True, kw_only=True):
    weight = 3

    colour: PlayerColour  # the colour that won
    seat: Seat  # the captain who won


class BattleDrawn(_Event, frozen=True, kw_only=True):
    variant_of = "reason"
    weight = 3

    reason: Literal["agreed", "called_off", "score"]  # why nobody won; `score`: equal scores


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
