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
    step: str
    to: str | None = None  # her place after the step; None if it does not move her
    mp: int = 0
    rule: str = ""  # rule that forbids the step; empty if it is legal


class AttackPreview(Struct, frozen=True, kw_only=True):
    """An attack of the selected ship at the end of her draft, or the rule that forbids it."""

    by: str
    target: str
    attack: AttackKind
    step: str = ""
    min_roll: int = 0  # lowest natural roll that succeeds, with all modifiers
    drm: int = 0
    dice_count: int = 2
    percent: int = 0
    rule: str = ""


class PlannedTrack(Struct, frozen=True, kw_only=True):
    """Where a line of the viewer's draft would take a galley if nobody interrupted it (10.3, rehearsal)."""

    ship: str
    places: tuple[str, ...]  # her place at the start and after each step of the main branch, as `1512N`
    alternative: tuple[str, ...] = ()  # her places at the start of the `else` branch and after each of its steps
    mp: int = 0
    attacks: tuple[tuple[AttackKind, str], ...] = ()
    step: str = ""  # first illegal step; empty if all are legal
    rule: str = ""
    by: str = ""  # galley of her own side in her way at that step
    odds: tuple[AttackPreview, ...] = ()


class ReachableHex(Struct, frozen=True, kw_only=True):
    hex: str
    mp: int


class Overlay(Struct, frozen=True, kw_only=True):
    current_ship: str | None = None
    speeds: tuple[tuple[str, Speed], ...] = ()
    lines: tuple[OrderLine, ...] = ()
    tracks: tuple[PlannedTrack, ...] = ()
    next_steps: tuple[NextStep, ...] = ()
    attack_previews: tuple[AttackPreview, ...] = ()
    reachable_hexes: tuple[ReachableHex, ...] = ()
    threatened_hexes: tuple[str, ...] = ()
    start_hexes: tuple[str, ...] = ()


class FleetView(View, frozen=True, kw_only=True):
    """The game as one seat sees it. `round` is the turn."""

    position: Position
    captain: Level = "mate"
    pace: Literal["turn", "squadron"] = "turn"
    captains: tuple[Captain, ...] = ()
    side: FleetSide | None = None  # the viewer's side; None for a spectator
    position_before: Position | None = None  # position at the beginning of the turn, or of the activation last reported
    squadrons: tuple[Squadron, ...] = ()  # squadrons of this turn; empty before they are formed
    first: FleetSide | None = None
    active: FleetSide | None = None
    acting_ships: tuple[str, ...] = ()
    slowed_ships: tuple[str, ...] = ()
    able_flagships: tuple[str, ...] = ()
    """Command Ships (or only ships) of squadrons that may act now, if the viewer orders the next one."""
    points: tuple[int, int] = (0, 0)
    doctrines: Doctrines = Doctrines()  # doctrines of the viewer's side; empty for a spectator
    overlay: Overlay = Overlay()
