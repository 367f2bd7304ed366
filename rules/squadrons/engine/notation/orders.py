"""What captains order: steps, lines, sheets and doctrines (SQ 9.4, 9.5, 10.2), as values.

A step is one hex or hexside, one attack, or one other thing; numbers after letters are written out: `F2` is two steps.
"""

from __future__ import annotations

from typing import Final, Literal

from msgspec import Struct

Speed = Literal["C", "M"]
"""Cruise or Max."""
FleetSide = Literal["B", "R"]
SIDES: Final[tuple[FleetSide, FleetSide]] = ("B", "R")
"""Blue, whose letter comes first everywhere, and Red."""
Flank = Literal["p", "s"]
"""Port or starboard."""
MoveCode = Literal["F", "P", "S", "B", "Bp", "Bs", "tp", "ts", "wp", "ws", "TA", "exit"]


class MoveOrder(Struct, frozen=True, tag="Move"):
    """One hex or hexside of movement; `exit` leaves the map."""

    code: MoveCode


class PassThroughOrder(Struct, frozen=True, tag="Through"):
    """`X R2:s`: pass through a ship and rake her on a side (SQ-14.11)."""

    target: str
    side: Flank


class AnastropheOrder(Struct, frozen=True, tag="Anastrophe"):
    """`ana R1 p`: rake, turn behind her and ram (SQ-15); `ana R1 X p` by passing through."""

    target: str
    side: Flank
    through: bool = False


class RakeOrder(Struct, frozen=True, tag="Rake"):
    """`rake R1`."""

    target: str


class RamOrder(Struct, frozen=True, tag="Ram"):
    """`ram R1`, `ram R1 pots`."""

    target: str
    pots: bool = False


class GrappleOrder(Struct, frozen=True, tag="Grapple"):
    """`grap R1`."""

    target: str


class VolleyTarget(Struct, frozen=True):
    """One target of a volley."""

    target: str
    m: int | None = None
    """Manpower used; None: all of it."""


class VolleyOrder(Struct, frozen=True, tag="Fire"):
    """`fire R1 flame`, `fire R1 x1, R2 x2`: one volley."""

    shots: tuple[VolleyTarget, ...]
    flame: bool = False
    """At the first target."""

    @property
    def is_split(self) -> bool:
        """Whether it names several targets (SQ-19.7)."""
        return len(self.shots) > 1


class CutOrder(Struct, frozen=True, tag="Cut"):
    """`cut R1, R2`: get free of grapples, before moving (SQ-18.1)."""

    ships: tuple[str, ...]


class SailOrder(Struct, frozen=True, tag="Sail"):
    """`sail up`, `sail down` (SQ-08.1)."""

    up: bool


class JettisonOrder(Struct, frozen=True, tag="Jettison"):
    """Throw the towers overboard (SQ-19.12)."""


class LeaderTransferOrder(Struct, frozen=True, tag="Transfer"):
    """`xfer BL1 B2`: a leader goes to another ship (SQ-05.15)."""

    leader: str
    to: str


class PassOrder(Struct, frozen=True, tag="Pass"):
    """Nothing."""


OrderStep = (
    MoveOrder
    | PassThroughOrder
    | AnastropheOrder
    | RakeOrder
    | RamOrder
    | GrappleOrder
    | VolleyOrder
    | CutOrder
    | SailOrder
    | JettisonOrder
    | LeaderTransferOrder
    | PassOrder
)


class OrderLine(Struct, frozen=True):
    """The orders of one galley for one activation."""

    ship: str
    steps: tuple[OrderStep, ...] = ()
    """The main branch."""
    alternative: tuple[OrderStep, ...] | None = None
    """The `else` branch; None: there is none."""
    mp: int | None = None
    """Movement points announced, `m5`; None: what both branches cost."""


class BoardingParty(Struct, frozen=True):
    """A galley that boards, and with how much of her manpower."""

    ship: str
    m: int | None = None
    """None: all of it."""


class BoardingOrder(Struct, frozen=True):
    """`board R3 with B1 x1 + B2`."""

    target: str
    shares: tuple[BoardingParty, ...]


class SquadronOrders(Struct, frozen=True):
    """What one squadron does when it is activated: galleys in the order of the lines, then boarding."""

    lines: tuple[OrderLine, ...] = ()
    boards: tuple[BoardingOrder, ...] = ()


class SquadronForm(Struct, frozen=True):
    """How the squadron of a leader is formed (D-4)."""

    leader: str
    form: Literal["range", "astern"] = "range"
    ships: tuple[str, ...] = ()
    """Astern: the line, the first ship first. In range: ships that choose this leader where they could have several."""


class TurnSheet(Struct, frozen=True, kw_only=True):
    """One side's sealed message for a turn (9.2); what it leaves out is at its default."""

    forms: tuple[SquadronForm, ...] = ()
    """By leader; left out: in range, with the ships nearest to it."""
    speeds: dict[str, Speed] = {}
    """By ship; left out: by doctrine."""
    sequence: tuple[str, ...] = ()
    """Squadrons in the order in which they are activated, each by its Command Ship, or its only ship; those left out
    come afterwards."""
    double: str = ""
    """The Command Ship of the squadron that is activated with the Admiral's (SQ-05.11), when that one's turn comes."""
    orders: SquadronOrders = SquadronOrders()
    """Of all ships; those of a squadron act in the order of their lines."""


class SquadronActivation(Struct, frozen=True, kw_only=True):
    """One activation, ordered when it is due (D-7, D-9)."""

    squadron: str
    """By its Command Ship, or its only ship."""
    orders: SquadronOrders = SquadronOrders()
    double: str = ""


# --- doctrines ---------------------------------------------------------------------------------------------------

AVOIDING_CREW: Final = 3
"""The least Crew whose galley tries to avoid, unless a doctrine says otherwise (9.4)."""
AVOID_VALUES: Final = ("threat", "any", "off", "ask")
AVOID_DIRECTION_VALUES: Final = ("fwd", "back", "best")
FIRE_VALUES: Final = ("return+threat", "return", "threat", "off", "ask")
REACTION_RAM_VALUES: Final = ("off", "on", "ask")
SPEED_VALUES: Final = ("cruise", "max", "keep")
BOARD_VALUES: Final = ("good", "always", "never")
RETRACT_VALUES: Final = ("stern", "stay", "ask")
UNFOUL_VALUES: Final = ("auto", "always", "never")
TRANSFER_VALUES: Final = ("peril", "never")
ORDER_VALUES: Final = ("first", "second", "ask")

DOCTRINE_VALUES: Final[dict[str, tuple[str, ...]]] = {
    "avoid": AVOID_VALUES,
    "avoidDir": AVOID_DIRECTION_VALUES,
    "fire": FIRE_VALUES,
    "rram": REACTION_RAM_VALUES,
    "speed": SPEED_VALUES,
    "board": BOARD_VALUES,
    "retract": RETRACT_VALUES,
    "unfoul": UNFOUL_VALUES,
    "transfer": TRANSFER_VALUES,
    "order": ORDER_VALUES,
}
"""What each key may be, its default first; that of `avoid` is `off` for a Crew below `AVOIDING_CREW` (9.4)."""
SIDE_KEYS: Final = ("board", "order", "protect")
"""Keys of whole sides."""


class DoctrineLine(Struct, frozen=True, kw_only=True):
    """What holds for a side (`B`, `R`), for a squadron of one (`BQ1`), or for a ship."""

    who: str
    values: dict[str, str] = {}
    """By key."""
    protect: tuple[str, ...] | None = None
    """Of a side: ships that try to avoid any enemy that comes near; None: unchanged."""


class Doctrines(Struct, frozen=True):
    """Doctrine lines of one side, or of both; of several that name the same key for the same, the last one holds."""

    lines: tuple[DoctrineLine, ...] = ()

    def find_value(self, key: str, *whose: str) -> str | None:
        """What a key holds for the first of these that has it: a ship, her squadron, her side."""
        for who in whose:
            for line in reversed(self.lines):
                if line.who == who and key in line.values:
                    return line.values[key]
        return None

    def is_protected(self, side: str, ship: str) -> bool:
        """Whether a side names a ship among those that it protects."""
        named = [line.protect for line in self.lines if line.who == side and line.protect is not None]
        return bool(named) and ship in named[-1]
