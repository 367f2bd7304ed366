"""Answers of captains: a turn's sheet, an activation, a choice during one, a roster, a deployment."""

from __future__ import annotations

from msgspec import Struct

from rules.interface.question import Choice
from rules.squadrons.engine.notation.orders import BoardingOrder, DoctrineLine, OrderLine, Speed, SquadronForm
from rules.squadrons.engine.sea.fleets import AdmiralName


class SheetLine(Struct, frozen=True):
    """A line of a sheet, for a ship, a squadron (`SQ1`), `all`, or `rest` (ships that nothing else names)."""

    target: str  # the ship or ships that carry it out
    line: OrderLine  # its `ship` is the target
    is_follow_leader: bool = False
    """The first ship of the squadron carries the line out, and the others follow her track (SQ-24.2)."""


class SpeedChoice(Struct, frozen=True):  # SQ-07.1
    target: str  # a ship, a squadron (`SQ1`) or `all`
    speed: Speed


class OrderSheet(Struct, frozen=True, kw_only=True, tag="Sheet"):
    speed_choices: tuple[SpeedChoice, ...] = ()  # speeds for this turn
    lines: tuple[SheetLine, ...] = ()  # moves and attacks
    boards: tuple[BoardingOrder, ...] = ()  # boarding orders
    forms: tuple[SquadronForm, ...] = ()  # how squadrons form
    sequence: tuple[str, ...] = ()  # squadrons in the order of activation, as `SQ1` or by Command Ship
    double: str = ""  # squadron to activate together with the Admiral's, as `SQ2` or by Command Ship
    doctrines: tuple[DoctrineLine, ...] = ()  # lines that change the captain's doctrines
    claims_win: bool = False
    """The captain claims the win because the enemy let two turns pass. An enemy who is back in this turn refutes it
    (SQ-24.1)."""
    is_stand_in: bool = False  # made because the captain did not answer


class ActivationOrder(Struct, frozen=True, kw_only=True, tag="Activation"):  # SQ-24.1
    squadron: str  # its Command Ship or only ship
    sheet: OrderSheet = OrderSheet()  # orders of its ships


class Roster(Struct, frozen=True, kw_only=True, tag=True):  # SQ-23.1
    ships: tuple[tuple[str, int], ...]
    """Number of ships by class. `5+` is a class with a better crew than its own, `5-` with a worse one (SQ-02)."""
    admiral: AdmiralName = "Steady"


class Deployment(Struct, frozen=True, kw_only=True, tag=True):  # SQ-23.4, SQ-23.5
    enters: bool = False  # the fleet enters over its edge in the first turn (SQ-23.5)
    places: tuple[tuple[str, str], ...] = ()
    """Ships and their places in the notation of events. For a fleet that enters, the places of entry."""
    leaders: tuple[tuple[str, str], ...] = ()  # leaders and their ships (SQ-23.8)


Answer = OrderSheet | ActivationOrder | Choice | Roster | Deployment
