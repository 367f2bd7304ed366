"""What galleys do on the water: rowing, turning, avoiding, tiring, running aground."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from msgspec import Struct, structs

from rules.core.protocol import Event
from rules.core.view import Text
from rules.squadrons.engine.events.base import FleetEvent, Weight, reason_key
from rules.squadrons.engine.notation import order_words


class ShipMoved(FleetEvent, frozen=True, kw_only=True, tag="moved"):
    """A galley has moved one hex or hexside; a pass and an anastrophe are one."""

    ship_fields = ("ship",)
    weight = 0

    ship: str
    step: str
    """Canonical."""
    to: str
    """Her place then."""
    mp: int
    """Used so far."""

    @property
    def sentence_params(self) -> dict[str, Any]:
        """In words."""
        return {**structs.asdict(self), "step": order_words.written_texts(self.step)}


class ShipExited(FleetEvent, frozen=True, kw_only=True, tag="exited"):
    """A galley has left the map (SQ-06.16)."""

    ship_fields = ("ship",)
    headline_rule = 10

    ship: str
    mp: int


class AvoidanceTried(FleetEvent, frozen=True, kw_only=True, tag="avoid"):
    """A galley tries to avoid one that comes near (SQ-10)."""

    ship_fields = ("ship", "by")
    headline_rule = ("ok", 12, 2)
    variant_of = ("ok", "away", "caught")

    ship: str
    by: str
    """The ship that she avoids."""
    die: int
    crew: int
    ok: bool
    to: str | None
    """Her place then; None: where she was."""


class AttackAvoided(FleetEvent, frozen=True, kw_only=True, tag="missed"):
    """A declared attack finds nobody: the target has avoided it (SQ-10.9)."""

    ship_fields = ("by", "target")
    variant_of = "attack"
    headline_rule = 6

    by: str
    target: str
    attack: Literal["ram", "ana", "X", "grap"]


class FatigueRolled(FleetEvent, frozen=True, kw_only=True, tag="fatigue"):
    """What rowing hard has cost (SQ-09)."""

    ship_fields = ("ship",)
    headline_rule = ("result", 4, 0)
    variant_of = ("result", "tired", "fresh")

    ship: str
    mp: int
    drm: int
    die: int | None
    """None: row 7A."""
    result: int
    """Level; 0: none."""

    @property
    def weight(self) -> Weight:  # type: ignore[override] # it hangs on what came of it
        """Who is not tired is not told of."""
        return 1 if self.result else 0


class StepStopped(FleetEvent, frozen=True, kw_only=True, tag="stopped"):
    """A step could not be carried out; `rule` says why."""

    ship_fields = ("ship",)
    headline_rule = 0

    ship: str
    step: str
    """Canonical."""

    @property
    def sentence_params(self) -> dict[str, Any]:
        """In words, with the reason, and both as `which`."""
        params: dict[str, Any] = {"step": order_words.written_texts(self.step), "why": reason_key(self.rule)}
        return {**structs.asdict(self), **params, "which": Text("stopped.which", {"ship": self.ship, **params})}

    @property
    def list_key(self) -> str:
        """One sentence for all ships of which there is nothing else to tell."""
        return "story.stopped"


class OrderSkipped(FleetEvent, frozen=True, kw_only=True, tag="skipped"):
    """A boarding order could not be carried out; `rule` says why."""

    ship_fields = ("target",)
    headline_rule = 0

    target: str

    @property
    def sentence_params(self) -> dict[str, Any]:
        """With the reason."""
        return {**structs.asdict(self), "why": reason_key(self.rule)}


class CrewRecovered(FleetEvent, frozen=True, kw_only=True, tag="recovered"):
    """A crew recovers (SQ-09.7)."""

    ship_fields = ("ship",)
    variant_of = ("fatigue", "better", "fresh")
    weight = 0

    ship: str
    fatigue: int
    """New level; 0: none."""


class ShipEndPlace(Struct, frozen=True):
    """Where a ship has come to lie."""

    ship: str
    to: str
    """The label of her bow's hex."""


class SquadronRowed(FleetEvent, frozen=True, kw_only=True, tag="rowed"):
    """What the ships of a squadron did that no other event mentions."""

    shown_in_cases: ClassVar[bool] = False
    headline_rule = 0  # none: other events have the headlines

    ships: tuple[ShipEndPlace, ...]
    stayed: tuple[str, ...]

    @property
    def sentence_params(self) -> dict[str, Any]:
        """With a sentence for each that has rowed."""
        berths = tuple(Text("ship.rowed", {"ship": one.ship, "to": one.to}) for one in self.ships)
        return {"ships": berths, "stayed": self.stayed}

    @property
    def ship_ids(self) -> tuple[str, ...]:
        """All of them."""
        return (*(one.ship for one in self.ships), *self.stayed)

    @property
    def list_key(self) -> str:
        """One sentence for all that rowed, and one for all that stayed."""
        return f"event.SquadronRowed.{self.variant}"

    def split_by_ship(self) -> tuple[Event, ...]:
        """The same, ship by ship."""
        rowed = [structs.replace(self, ships=(one,), stayed=()) for one in self.ships]
        return (*rowed, *(structs.replace(self, ships=(), stayed=(one,)) for one in self.stayed))

    @property
    def variant(self) -> str:
        """Whether they rowed, stayed, or some did this and some that."""
        return "both" if self.ships and self.stayed else "rowed" if self.ships else "stayed"


class SailsChanged(FleetEvent, frozen=True, kw_only=True, tag="sailed"):
    """Sails go up or down (SQ-08.1)."""

    ship_fields = ("ship",)
    variant_of = ("up", "up", "down")

    shown_in_cases: ClassVar[bool] = False
    weight = 0

    ship: str
    up: bool


class MastLost(FleetEvent, frozen=True, kw_only=True, tag="mast_down"):
    """A galley under sail has lost her mast (SQ-08.4); up: it is cleared away."""

    ship_fields = ("ship",)
    variant_of = ("cleared", "cleared", "lost")

    shown_in_cases: ClassVar[bool] = False
    headline_rule = 9

    ship: str
    cleared: bool


class ShipGrounded(FleetEvent, frozen=True, kw_only=True, tag="grounded"):
    """A galley has run aground (SQ-06.13)."""

    ship_fields = ("ship",)
    shown_in_cases: ClassVar[bool] = False
    weight = 2
    headline_rule = 40

    ship: str
    mp: int


class RefloatRolled(FleetEvent, frozen=True, kw_only=True, tag="ground_rolled"):
    """A galley aground tries to get off (SQ-06.14)."""

    ship_fields = ("ship",)
    variant_of = "result"

    shown_in_cases: ClassVar[bool] = False
    headline_rule = 8

    ship: str
    die: int
    crew: int
    result: Literal["freed", "stays", "wrecked"]
    to: str | None
    """Her place then."""

    @property
    def sentence_params(self) -> dict[str, Any]:
        """With where she lies."""
        return {**structs.asdict(self), "to": self.to or ""}


class LeaderRestored(FleetEvent, frozen=True, kw_only=True, tag="restored"):
    """A leader has full ratings again (SQ-05.17)."""

    shown_in_cases: ClassVar[bool] = False
    weight = 0

    leader: str


MovementEvent = (
    ShipMoved
    | ShipExited
    | AvoidanceTried
    | AttackAvoided
    | FatigueRolled
    | StepStopped
    | OrderSkipped
    | CrewRecovered
    | SquadronRowed
    | SailsChanged
    | MastLost
    | ShipGrounded
    | RefloatRolled
    | LeaderRestored
)
