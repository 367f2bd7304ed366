"""The view of a fleet game. Texts and pictures are made only from it.

Everything on the map is public. Sheets and doctrines are visible to their owner alone.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from rules.core.view import View
from rules.squadrons.engine.notation.orders import Doctrines, FleetSide, OrderLine, Speed
from rules.squadrons.engine.sea.state import Captain, Level, Position, Squadron

AttackKind = Literal["ram", "rake", "X", "ana", "grap", "fire", "board", "cut"]


class NextStep(Struct, frozen=True, kw_only=True):
    step: str  # code of the move, such as `F`
    to: str | None = None  # her place after the step; None if it does not move her
    mp: int = 0  # cost in movement points
    rule: str = ""  # rule that forbids the step; empty if it is legal


class AttackPreview(Struct, frozen=True, kw_only=True):
    """An attack of the selected ship at the end of her draft, or the rule that forbids it."""

    by: str  # id of the attacker
    target: str  # id of the enemy
    attack: AttackKind
    step: str = ""  # in the notation of orders
    min_roll: int = 0  # lowest natural roll that succeeds, with all modifiers
    drm: int = 0  # sum of the modifiers; a positive number helps the attacker
    dice_count: int = 2
    percent: int = 0  # chance of success
    rule: str = ""  # empty if the attack is legal


class PlannedTrack(Struct, frozen=True, kw_only=True):
    """Where a line of the viewer's draft would take a galley if nobody interrupted it."""

    ship: str  # id
    places: tuple[str, ...]  # her place at the start and after each step of the main branch, as `1512N`
    alternative: tuple[str, ...] = ()  # her places at the start of the `else` branch and after each of its steps
    mp: int = 0  # movement points that the line announces
    attacks: tuple[tuple[AttackKind, str], ...] = ()  # kind and target of each attack ordered
    step: str = ""  # first illegal step; empty if all are legal
    rule: str = ""  # rule that forbids that step; empty if all are legal
    by: str = ""  # galley of her own side in her way at that step
    odds: tuple[AttackPreview, ...] = ()  # of the attacks in the main branch


class ReachableHex(Struct, frozen=True, kw_only=True):
    hex: str  # label: `1512`
    mp: int  # fewest movement points to get there


class Overlay(Struct, frozen=True, kw_only=True):
    current_ship: str | None = None  # id of the ship in focus; None: a squadron or all
    speeds: tuple[tuple[str, Speed], ...] = ()  # of ships whose speed the draft sets
    lines: tuple[OrderLine, ...] = ()  # of the draft, by ship
    tracks: tuple[PlannedTrack, ...] = ()  # of these lines
    next_steps: tuple[NextStep, ...] = ()  # of the ship in focus
    attack_previews: tuple[AttackPreview, ...] = ()  # of the ship in focus
    targets: tuple[str, ...] = ()  # ids of enemies that the ship in focus may attack at one of her speeds
    reachable_hexes: tuple[ReachableHex, ...] = ()  # of the ship in focus
    threatened_hexes: tuple[str, ...] = ()  # labels of hexes that enemies may enter
    start_hexes: tuple[str, ...] = ()  # labels of hexes for a deployment


class FleetView(View, frozen=True, kw_only=True):
    """The game as one seat sees it. `round` is the turn."""

    position: Position
    captain: Level = "mate"  # level of the computer captains
    pace: Literal["turn", "squadron"] = "turn"  # one sheet for a turn, or one order for each activation
    captains: tuple[Captain, ...] = ()  # by seat
    side: FleetSide | None = None  # the viewer's side; None for a spectator
    position_before: Position | None = None  # position at the beginning of the turn, or of the activation last reported
    squadrons: tuple[Squadron, ...] = ()  # squadrons of this turn; empty before they are formed
    first: FleetSide | None = None  # side that activates first in this turn; None until it is chosen
    active: FleetSide | None = None  # side that activates next; None outside activations
    acting_ships: tuple[str, ...] = ()  # ships of an activation that waits for an answer
    slowed_ships: tuple[str, ...] = ()  # those of them that had Half Speed
    able_flagships: tuple[str, ...] = ()
    """Command Ships (or only ships) of squadrons that may act now, if the viewer orders the next one."""
    points: tuple[int, int] = (0, 0)  # victory points of Blue and Red
    doctrines: Doctrines = Doctrines()  # doctrines of the viewer's side; empty for a spectator
    overlay: Overlay = Overlay()  # the viewer's draft on the map
