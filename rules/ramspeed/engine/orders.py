"""Orders as values: sheets, lines, alternatives, steps and doctrines (RS-21).

`notation.sheets` reads and writes them, and this module checks nothing. Lengths are in inches, angles in whole degrees.
`parse_sheet` and `parse_doctrines` raise `OrderError` with rule RS-21.4 and the line (from 1) as `params["line"]`.
"""

from __future__ import annotations

from typing import Final, Literal

from msgspec import Struct

PivotSide = Literal["L", "R"]


class StayOrder(Struct, frozen=True, tag="stay"):
    """No movement (RS-05.5)."""


class LaunchOrder(Struct, frozen=True, tag="launch"):
    """The order `stay` of a beached ship (RS-18.3)."""


class ExitOrder(Struct, frozen=True, tag="exit"):
    """A move straight ahead over the edge (RS-06.2)."""


class IgniteOrder(Struct, frozen=True, tag="ignite"):
    """An order to become a fireship (RS-16.1)."""


class ForwardOrder(Struct, frozen=True, tag="fwd"):
    """A move straight ahead (RS-05.1); before an attack it means "no pivot"."""

    inches: float | None = None  # None: the whole allowance


class BackOrder(Struct, frozen=True, tag="back"):
    """A move straight astern (RS-05.4)."""

    inches: float  # inches astern


class TurnOrder(Struct, frozen=True, tag="turn"):
    """A pivot about the middle (RS-05.3); before an attack, the opening turn of a bireme (RS-05.8)."""

    degrees: int  # of the pivot
    side: PivotSide  # to port (`L`) or starboard (`R`)


class VeerOrder(Struct, frozen=True, tag="veer"):
    """A pivot of at most 25 degrees, then a move ahead (RS-05.2); before an attack, the pivot alone."""

    degrees: int  # of the pivot
    side: PivotSide  # to port (`L`) or starboard (`R`)
    inches: float | None = None  # None: the whole allowance


class SteerOrder(Struct, frozen=True, tag="steer"):
    """A veer towards the middle of a ship, then a move straight ahead (RS-21)."""

    target: str  # id of the ship to steer for
    inches: float  # ahead


class FaceOrder(Struct, frozen=True, tag="face"):
    """A turn towards the middle of a ship, within the limit of the class (RS-21)."""

    target: str  # id of the ship to turn towards


class RamOrder(Struct, frozen=True, tag="ram"):
    target: str  # id of the ship to ram


class SwipeOrder(Struct, frozen=True, tag="swipe"):
    target: str  # id of the ship whose oars to break
    past: float = 1.0  # distance to go beyond the target, at least 1 inch (RS-09.6)
    side: Literal["", "P", "S"] = ""
    """The target's side to go alongside, where either is possible; empty: starboard (RS-09.2)."""


class GrappleOrder(Struct, frozen=True, tag="grapple"):
    target: str  # id of the ship to grapple
    side: Literal["", "P", "S"] = ""  # the target's side to go alongside; empty: either


class ShootOrder(Struct, frozen=True, tag="shoot"):
    """A shot at a ship's crew, or a fire missile (RS-14)."""

    target: str  # id of the ship to shoot at
    kind: Literal["crew", "fire"]


class CrewTransferOrder(Struct, frozen=True, tag="transfer"):
    crew: int  # men to move
    way: Literal["to", "from"]  # `to` or `from` the partner
    partner: str  # id of the other ship


Manoeuvre = (
    StayOrder | LaunchOrder | ExitOrder | ForwardOrder | BackOrder | TurnOrder | VeerOrder | SteerOrder | FaceOrder
)
AttackOrder = RamOrder | SwipeOrder | GrappleOrder
OrderStep = Manoeuvre | AttackOrder | IgniteOrder | ShootOrder | CrewTransferOrder


class Alternative(Struct, frozen=True):
    """The steps of one activation, in the order of the sheet, in which they are carried out (RS-21)."""

    steps: tuple[OrderStep, ...]

    @property
    def attack(self) -> AttackOrder | None:
        return next((step for step in self.steps if isinstance(step, RamOrder | SwipeOrder | GrappleOrder)), None)

    @property
    def manoeuvres(self) -> tuple[Manoeuvre, ...]:
        """Return no manoeuvre, one, or a bireme's pair; before an attack, the step that fixes the pivot."""
        return tuple(step for step in self.steps if not isinstance(step, _NON_MANOEUVRES))

    @property
    def transfer(self) -> CrewTransferOrder | None:
        return next((step for step in self.steps if isinstance(step, CrewTransferOrder)), None)

    @property
    def is_igniting(self) -> bool:
        return any(isinstance(step, IgniteOrder) for step in self.steps)


_NON_MANOEUVRES: Final = (RamOrder, SwipeOrder, GrappleOrder, IgniteOrder, ShootOrder, CrewTransferOrder)


class OrderLine(Struct, frozen=True):
    """One ship's orders: the first alternative that is legal when the ship acts is carried out (RS-21.1)."""

    ship: str  # id
    alternatives: tuple[Alternative, ...] = ()
    """Empty if the ship was lost or not owned when the sheet came in, and its line was not read (RS-21.5)."""


class OrderSheet(Struct, frozen=True):
    """One player's orders for one turn, in the order in which the ships act (RS-03.5)."""

    lines: tuple[OrderLine, ...] = ()


class Doctrine(Struct, frozen=True, kw_only=True):
    """A ship's standing choices; the values here are the defaults."""

    swipe: Literal["turn", "draw", "grapple"] = "draw"  # the defence against an oar swipe (RS-09.7)
    grapple: Literal["turn", "stand"] = "turn"  # the defence against a grapple (RS-10.3)
    slip: str = "fwd"
    """The move after an enemy's grapple failed (RS-10.5): `fwd`, `back`, `hold`, or a turn such as `turn45L`."""
    prize: int | Literal["sink", "leave"] = 5
    """The treatment of a captured ship (RS-12.2): the number of men to put aboard, `sink` or `leave`."""
    idle: Literal["stay", "shoot"] = "stay"  # of a ship without a line: stay, or shoot at the nearest enemy


class DoctrineLine(Struct, frozen=True, kw_only=True):
    ship: str  # a ship's id, or `all`
    # None: the line does not set the key
    swipe: Literal["turn", "draw", "grapple"] | None = None
    grapple: Literal["turn", "stand"] | None = None
    slip: str | None = None  # such as `back`
    prize: int | Literal["sink", "leave"] | None = None  # number: men put aboard
    idle: Literal["stay", "shoot"] | None = None  # of a ship without orders


_DOCTRINE_KEYS: Final = ("swipe", "grapple", "slip", "prize", "idle")


class Doctrines(Struct, frozen=True):
    """A player's doctrine lines in the order written; a later line overrides the keys that it names."""

    lines: tuple[DoctrineLine, ...] = ()

    def doctrine_of(self, ship: str) -> Doctrine:
        values = {
            key: value
            for line in self.lines
            if line.ship in ("all", ship)
            for key in _DOCTRINE_KEYS
            if (value := getattr(line, key)) is not None
        }
        return Doctrine(**values)
