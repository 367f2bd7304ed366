"""What players order, as values: sheets of lines, chains of alternatives, steps; doctrines (RS parts 8.2 and 8.3).

`table.notation.sheets` reads and writes them; here nothing is checked. Lengths in inches, angles in whole degrees.

What the engine asks of it: `read_sheet(text, position, player) -> Sheet` and `read_doctrines(text, position, player) ->
Doctrines`, which raise `OrderError` with the line's number, from 1, in the fault's `params["line"]` and RS-21.4 as its
rule; and `write(alternative) -> str`, canonical, for one step too.
"""

from __future__ import annotations

from typing import Final, Literal

from msgspec import Struct

PivotSide = Literal["L", "R"]
"""Port, starboard; of a pivot."""


class StayOrder(Struct, frozen=True, tag="stay"):
    """No movement (RS-05.5)."""


class LaunchOrder(Struct, frozen=True, tag="launch"):
    """`stay` of a beached ship (RS-18.3)."""


class ExitOrder(Struct, frozen=True, tag="exit"):
    """Straight ahead over the edge (RS-06.2)."""


class IgniteOrder(Struct, frozen=True, tag="ignite"):
    """Become a fireship (RS-16.1)."""


class ForwardOrder(Struct, frozen=True, tag="fwd"):
    """Straight ahead (RS-05.1); before an attack: no pivot."""

    inches: float | None = None
    """None: the whole allowance."""


class BackOrder(Struct, frozen=True, tag="back"):
    """Straight astern (RS-05.4)."""

    inches: float


class TurnOrder(Struct, frozen=True, tag="turn"):
    """Pivot about the middle (RS-05.3); before an attack a bireme's opening turn (RS-05.8)."""

    degrees: int
    side: PivotSide


class VeerOrder(Struct, frozen=True, tag="veer"):
    """Pivot by at most 25, then straight ahead (RS-05.2); before an attack the pivot alone."""

    degrees: int
    side: PivotSide
    inches: float | None = None
    """None: the whole allowance."""


class SteerOrder(Struct, frozen=True, tag="steer"):
    """Veer towards the middle of a ship, then straight ahead (part 8.2)."""

    target: str
    inches: float


class FaceOrder(Struct, frozen=True, tag="face"):
    """Turn towards the middle of a ship within the class limit (part 8.2)."""

    target: str


class RamOrder(Struct, frozen=True, tag="ram"):
    """Ram a ship (RS-08)."""

    target: str


class SwipeOrder(Struct, frozen=True, tag="swipe"):
    """Shear off a ship's oars (RS-09)."""

    target: str
    past: float = 1.0
    """How far beyond her to go, at least 1 (RS-09.6)."""
    side: Literal["", "P", "S"] = ""
    """On which side of the target to go alongside, if it could be either (RS-09.2)."""


class GrappleOrder(Struct, frozen=True, tag="grapple"):
    """Grapple and board a ship (RS-10)."""

    target: str
    side: Literal["", "P", "S"] = ""


class ShootOrder(Struct, frozen=True, tag="shoot"):
    """Shoot at a ship's crew, or set her alight (RS-14)."""

    target: str
    kind: Literal["crew", "fire"]


class CrewTransferOrder(Struct, frozen=True, tag="transfer"):
    """Give crew to a ship, or take it from her (RS-17)."""

    crew: int
    way: Literal["to", "from"]
    partner: str


Manoeuvre = (
    StayOrder | LaunchOrder | ExitOrder | ForwardOrder | BackOrder | TurnOrder | VeerOrder | SteerOrder | FaceOrder
)
AttackOrder = RamOrder | SwipeOrder | GrappleOrder
OrderStep = Manoeuvre | AttackOrder | IgniteOrder | ShootOrder | CrewTransferOrder


class Alternative(Struct, frozen=True):
    """Steps of one activation, in the order in which they are carried out, as they stand in the sheet (part 8.2)."""

    steps: tuple[OrderStep, ...]

    @property
    def attack(self) -> AttackOrder | None:
        """Its ram, swipe or grapple."""
        return next((step for step in self.steps if isinstance(step, RamOrder | SwipeOrder | GrappleOrder)), None)

    @property
    def manoeuvres(self) -> tuple[Manoeuvre, ...]:
        """None, one, or a bireme's pair; before an attack the step that fixes the pivot."""
        return tuple(step for step in self.steps if not isinstance(step, _NON_MANOEUVRES))

    @property
    def transfer(self) -> CrewTransferOrder | None:
        """Its transfer of crew."""
        return next((step for step in self.steps if isinstance(step, CrewTransferOrder)), None)

    @property
    def is_igniting(self) -> bool:
        """Whether it makes her a fireship first."""
        return any(isinstance(step, IgniteOrder) for step in self.steps)


_NON_MANOEUVRES: Final = (RamOrder, SwipeOrder, GrappleOrder, IgniteOrder, ShootOrder, CrewTransferOrder)


class OrderLine(Struct, frozen=True):
    """What one ship is ordered: the first alternative that is legal when she acts (RS-21.1)."""

    ship: str
    alternatives: tuple[Alternative, ...] = ()
    """Empty: not read, as the ship was lost or not owned when the sheet came in (RS-21.5)."""


class OrderSheet(Struct, frozen=True):
    """One player's orders for one turn, in the order in which the ships act (RS-03.5)."""

    lines: tuple[OrderLine, ...] = ()


class Doctrine(Struct, frozen=True, kw_only=True):
    """What a ship does unasked (part 8.3); the values are the defaults."""

    swipe: Literal["turn", "draw", "grapple"] = "draw"
    """When she is oar-swiped (D1, RS-09.7)."""
    grapple: Literal["turn", "stand"] = "turn"
    """When she is grappled (D2, RS-10.3)."""
    slip: str = "fwd"
    """After a grapple of her failed (D3, RS-10.5): `fwd`, `back`, `hold`, or a turn such as `turn45L`."""
    prize: int | Literal["sink", "leave"] = 5
    """What becomes of a ship that she has won (RS-12.2): so many men go over, or she is sunk or left."""
    idle: Literal["stay", "shoot"] = "stay"
    """Without a line in the sheet."""


class DoctrineLine(Struct, frozen=True, kw_only=True):
    """One line of doctrine: the keys that it names."""

    ship: str
    """An id, or `all`."""
    swipe: Literal["turn", "draw", "grapple"] | None = None
    grapple: Literal["turn", "stand"] | None = None
    slip: str | None = None
    prize: int | Literal["sink", "leave"] | None = None
    idle: Literal["stay", "shoot"] | None = None


_DOCTRINE_KEYS: Final = ("swipe", "grapple", "slip", "prize", "idle")


class Doctrines(Struct, frozen=True):
    """A player's doctrine lines in the order written: a later one overrides the keys that it names."""

    lines: tuple[DoctrineLine, ...] = ()

    def doctrine_of(self, ship: str) -> Doctrine:
        """What holds for one of the captain's ships."""
        found = {
            key: value
            for line in self.lines
            if line.ship in ("all", ship)
            for key in _DOCTRINE_KEYS
            if (value := getattr(line, key)) is not None
        }
        return Doctrine(**found)
