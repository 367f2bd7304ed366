"""What may be seen of a fleet game: chat and pictures are built from this alone.

All that lies on the map is open; sheets and doctrines are their owner's alone.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from rules.core.view import View
from rules.squadrons.engine.notation.orders import BoardingOrder, Doctrines, FleetSide, OrderLine, Speed
from rules.squadrons.engine.sea.state import Captain, Level, Position, Squadron

AttackKind = Literal["ram", "rake", "X", "ana", "grap", "fire", "board", "cut"]


class NextStep(Struct, frozen=True, kw_only=True):
    """A step that the ship in hand may take next."""

    step: str
    """Canonical."""
    to: str | None = None
    """Her place then, if it moves her."""
    mp: int = 0
    """What it costs."""
    rule: str = ""
    """The rule that forbids it; empty: it is legal."""


class AttackPreview(Struct, frozen=True, kw_only=True):
    """An attack of the ship in hand from where she would be at the end of her draft, or why there is none."""

    by: str
    target: str
    attack: AttackKind
    step: str = ""
    """Canonical."""
    min_roll: int = 0
    """The least natural roll that does it, with all modifiers."""
    min_roll_by_table: int = 0
    """The least by the table alone."""
    drm: int = 0
    dice_count: int = 2
    percent: int = 0
    rule: str = ""
    """The rule that forbids it."""


class PlannedTrack(Struct, frozen=True, kw_only=True):
    """Where a line of the viewer's own draft would take a galley, were nobody to interrupt it (10.3, rehearsal)."""

    ship: str
    places: tuple[str, ...]
    """As `1512N`: where she lies, then where each step of the main branch takes her."""
    alternative: tuple[str, ...] = ()
    """The same of the `else` branch, from where the main one ends."""
    mp: int = 0
    """Announced."""
    attacks: tuple[tuple[AttackKind, str], ...] = ()
    """Her attacks and their targets, in order."""
    step: str = ""
    """The first step that would be illegal; empty: none."""
    rule: str = ""
    """The rule that forbids it."""
    by: str = ""
    """The galley of her own side that is in the way then."""
    odds: tuple[AttackPreview, ...] = ()
    """Of her attacks, as far as they are known."""


class ReachableHex(Struct, frozen=True, kw_only=True):
    """A hex to which the bow of the ship in hand can be brought."""

    hex: str
    """Its label."""
    mp: int
    """With how many movement points, at least."""


class Overlay(Struct, frozen=True, kw_only=True):
    """What the viewer's unfinished orders add to the sea."""

    current_ship: str | None = None
    """The ship in hand."""
    speeds: tuple[tuple[str, Speed], ...] = ()
    """By ship."""
    lines: tuple[OrderLine, ...] = ()
    boarding_orders: tuple[BoardingOrder, ...] = ()
    tracks: tuple[PlannedTrack, ...] = ()
    """Of these lines."""
    next_steps: tuple[NextStep, ...] = ()
    """Of the ship in hand."""
    attack_previews: tuple[AttackPreview, ...] = ()
    """Of the ship in hand, the best first."""
    reachable_hexes: tuple[ReachableHex, ...] = ()
    """Of the ship in hand, from the end of her draft."""
    threatened_hexes: tuple[str, ...] = ()
    """Labels of hexes to which bows of enemies may come in their next activations."""
    start_hexes: tuple[str, ...] = ()
    """Labels of hexes where the viewer may place ships."""


class FleetView(View, frozen=True, kw_only=True):
    """The sea as one seat sees it. `round` is the turn."""

    position: Position
    captain: Level = "mate"
    """How well computer captains play here."""
    pace: Literal["turn", "squadron"] = "turn"
    captains: tuple[Captain, ...] = ()
    side: FleetSide | None = None
    """The viewer's."""
    position_before: Position | None = None
    """As it lay when the turn, or the activation told last, began."""
    squadrons: tuple[Squadron, ...] = ()
    """Of this turn; empty before they are formed."""
    first: FleetSide | None = None
    active: FleetSide | None = None
    acting_ships: tuple[str, ...] = ()
    """Ships whose activation is not over, as somebody is asked in it."""
    slowed_ships: tuple[str, ...] = ()
    """Those of them that had Half Speed when it began."""
    able_flagships: tuple[str, ...] = ()
    """Of squadrons that may act now, if the viewer is asked for one, the Command Ships (or only ships)."""
    points: tuple[int, int] = (0, 0)
    """Victory points, Blue and Red."""
    doctrines: Doctrines = Doctrines()
    """Of the viewer's side."""
    overlay: Overlay = Overlay()
