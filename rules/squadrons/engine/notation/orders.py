"""The orders of captains as values: steps, lines, sheets and doctrines (SQ-24.2, SQ-24.3).

A step is one hex or hexside, one attack, or one other action. A number repeats a step: `F2` is two steps.
"""

from __future__ import annotations

from typing import Final, Literal

from msgspec import Struct

Speed = Literal["C", "M"]  # cruise or Max
FleetSide = Literal["B", "R"]
SIDES: Final[tuple[FleetSide, FleetSide]] = ("B", "R")
Flank = Literal["p", "s"]
FLANKS: Final[tuple[Flank, Flank]] = ("p", "s")
MoveCode = Literal["F", "P", "S", "B", "Bp", "Bs", "tp", "ts", "wp", "ws", "TA", "exit"]


class MoveOrder(Struct, frozen=True, tag="Move"):
    """A move of one hex or hexside; `exit` leaves the map."""

    code: MoveCode


class PassThroughOrder(Struct, frozen=True, tag="Through"):
    """`X R2:s`: Pass through a ship and rake her on a side (SQ-14.11)."""

    target: str  # id of an enemy
    side: Flank  # flank of the target that is raked: port or starboard


class AnastropheOrder(Struct, frozen=True, tag="Anastrophe"):
    """`ana R1 p`: Rake, turn behind her and ram (SQ-15). `ana R1 X p`: Pass through her instead."""

    target: str  # id of an enemy
    side: Flank  # flank of the target that is raked: port or starboard
    through: bool = False  # pass through her first


class RakeOrder(Struct, frozen=True, tag="Rake"):
    """`rake R1`: Rake a ship."""

    target: str  # id of an enemy


class RamOrder(Struct, frozen=True, tag="Ram"):
    """`ram R1`: Ram a ship. `ram R1 pots`: Ram her with firepots."""

    target: str  # id of an enemy
    pots: bool = False  # with firepots


class GrappleOrder(Struct, frozen=True, tag="Grapple"):
    """`grap R1`: Grapple a ship."""

    target: str  # id of an enemy


class VolleyTarget(Struct, frozen=True):
    target: str  # id of the ship shot at
    m: int | None = None  # manpower used; None for all of it


class VolleyOrder(Struct, frozen=True, tag="Fire"):
    """`fire R1 flame` or `fire R1 x1, R2 x2`: Shoot one volley."""

    shots: tuple[VolleyTarget, ...]  # one after the other
    flame: bool = False  # flame missiles at the first target

    @property
    def is_split(self) -> bool:  # SQ-19.7
        return len(self.shots) > 1


class CutOrder(Struct, frozen=True, tag="Cut"):
    """`cut R1, R2`: Cut grapples before moving (SQ-18.1)."""

    ships: tuple[str, ...]  # ids of the ships to cut loose from


class SailOrder(Struct, frozen=True, tag="Sail"):
    """`sail up`, `sail down`: Raise or lower sails (SQ-08.1)."""

    up: bool


class JettisonOrder(Struct, frozen=True, tag="Jettison"):
    """`jettison`: Throw the towers overboard (SQ-19.12)."""


class LeaderTransferOrder(Struct, frozen=True, tag="Transfer"):
    """`xfer BL1 B2`: Move a leader to another ship (SQ-05.15)."""

    leader: str  # id of the leader: `BL1`
    to: str  # id of the ship to go to


class PassOrder(Struct, frozen=True, tag="Pass"):
    """`pass`: Do nothing."""


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
    ship: str  # id of the galley that obeys
    steps: tuple[OrderStep, ...] = ()  # the main branch
    alternative: tuple[OrderStep, ...] | None = None  # the `else` branch; None if the line has none
    mp: int | None = None  # movement points announced (`m5`); None for the cost of both branches

    @property
    def all_steps(self) -> tuple[OrderStep, ...]:
        return (*self.steps, *(self.alternative or ()))


class BoardingParty(Struct, frozen=True):
    ship: str  # id of the galley that boards
    m: int | None = None  # manpower used; None for all of it


class BoardingOrder(Struct, frozen=True):
    """`board R3 with B1 x1 + B2`: Board a ship from one or more galleys."""

    target: str  # id of the ship to board
    shares: tuple[BoardingParty, ...]  # the galleys that board


class SquadronOrders(Struct, frozen=True):
    lines: tuple[OrderLine, ...] = ()  # one for each ship
    boards: tuple[BoardingOrder, ...] = ()  # carried out after all lines


class SquadronForm(Struct, frozen=True):  # SQ-05.8
    leader: str  # id of the leader: `BL1`
    form: Literal["range", "astern"] = "range"  # near the leader, or in a line
    ships: tuple[str, ...] = ()
    """Astern: the line, its first ship first. In range: ships that choose this leader although another is in range."""


class TurnSheet(Struct, frozen=True, kw_only=True):
    """One side's sealed message for a turn (SQ-24.1). Whatever it leaves out has its default."""

    forms: tuple[SquadronForm, ...] = ()  # leaders without an entry form in range, with the ships nearest to them
    speeds: dict[str, Speed] = {}  # by ship. A ship without an entry follows her doctrine.
    sequence: tuple[str, ...] = ()
    """Squadrons in the order of activation, by Command Ship or only ship. Unnamed squadrons act afterwards."""
    double: str = ""  # Command Ship of the squadron to activate together with the Admiral's (SQ-05.11)
    orders: SquadronOrders = SquadronOrders()


class SquadronActivation(Struct, frozen=True, kw_only=True):
    """The order for one activation, sent when it is due (SQ-24.1)."""

    squadron: str  # named by its Command Ship or only ship
    orders: SquadronOrders = SquadronOrders()
    double: str = ""  # Command Ship of a second squadron to activate with it (SQ-05.11); empty: none


# --- doctrines ---------------------------------------------------------------------------------------------------

AVOIDING_CREW: Final = 3  # lowest Crew that tries to avoid an attack without a doctrine (SQ-24.3)
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
"""Values of each key, the default first. The default of `avoid` is `off` for a Crew below `AVOIDING_CREW` (SQ-24.3)."""
SIDE_KEYS: Final = ("board", "order", "protect")


class DoctrineLine(Struct, frozen=True, kw_only=True):
    who: str  # a side (`B`, `R`), a squadron (`BQ1`) or a ship (`B1`)
    values: dict[str, str] = {}  # chosen value of each key of `DOCTRINE_VALUES`
    protect: tuple[str, ...] | None = None
    """For a side: ships that try to avoid any enemy that comes near. None leaves the earlier list in force."""


class Doctrines(Struct, frozen=True):
    """Doctrine lines of one side or both. The last line for a target and key wins."""

    lines: tuple[DoctrineLine, ...] = ()

    def find_value(self, key: str, *targets: str) -> str | None:
        """Return the value for the first target that has one, such as ship, squadron, side; None if none has."""
        for target in targets:
            for line in reversed(self.lines):
                if line.who == target and key in line.values:
                    return line.values[key]
        return None

    def is_protected(self, side: str, ship: str) -> bool:
        lists = [line.protect for line in self.lines if line.who == side and line.protect is not None]
        return bool(lists) and ship in lists[-1]  # the last list replaces earlier ones
