"""What captains answer: a sheet for a turn, an activation, a choice in the middle of one, a fleet, its places."""

from __future__ import annotations

from msgspec import Struct

from rules.interface.choosing import Choice
from rules.squadrons.engine.notation.orders import BoardingOrder, DoctrineLine, OrderLine, Speed, SquadronForm
from rules.squadrons.engine.sea.fleets import AdmiralName


class SheetLine(Struct, frozen=True):
    """A line of a sheet: for a ship, a squadron (`SQ1`), `all`, or the `rest` that nothing else names."""

    target: str
    line: OrderLine
    """Its `ship` is the target."""
    is_follow_leader: bool = False
    """The first ship of the squadron does it, and the others follow in her track (9.5)."""


class SpeedChoice(Struct, frozen=True):
    """A speed side, of a ship, a squadron or `all` (D-6)."""

    target: str
    speed: Speed


class OrderSheet(Struct, frozen=True, kw_only=True, tag="Sheet"):
    """All that a captain orders for a turn, as written."""

    speed_choices: tuple[SpeedChoice, ...] = ()
    lines: tuple[SheetLine, ...] = ()
    boards: tuple[BoardingOrder, ...] = ()
    forms: tuple[SquadronForm, ...] = ()
    sequence: tuple[str, ...] = ()
    """Squadrons in the order in which they act, each by its Command Ship or its only ship."""
    double: str = ""
    """The Command Ship of the squadron that is activated with the Admiral's."""
    doctrines: tuple[DoctrineLine, ...] = ()
    """What holds from now on, over what held before."""
    claims_win: bool = False
    """The win is claimed from an enemy who let two turns pass, unless they are back in this one (9.3)."""
    is_stand_in: bool = False
    """Given in the place of a captain who missed the deadline."""


class ActivationOrder(Struct, frozen=True, kw_only=True, tag="Activation"):
    """One squadron acts, as its captain orders now (D-7, D-9)."""

    squadron: str
    """By its Command Ship, or its only ship."""
    sheet: OrderSheet = OrderSheet()


class Roster(Struct, frozen=True, kw_only=True, tag=True):
    """A fleet that is built by points (D-1)."""

    ships: tuple[tuple[str, int], ...]
    """How many of each class; `5+` is one with a better crew than its own, `5-` one with a worse (6.D)."""
    admiral: AdmiralName = "Steady"


class Deployment(Struct, frozen=True, kw_only=True, tag=True):
    """Where a fleet's ships lie, or come in (D-2, D-3)."""

    enters: bool = False
    """Over the own edge, in the first turn (SQ-23.5)."""
    places: tuple[tuple[str, str], ...] = ()
    """Each ship, and her place as events write it; of one that enters the place in which she comes in."""
    leaders: tuple[tuple[str, str], ...] = ()
    """Each leader, and the ship that carries them (SQ-23.8)."""


Answer = OrderSheet | ActivationOrder | Choice | Roster | Deployment
