"""Events of movement: rowing, turning, avoiding, tiring, running aground."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from msgspec import Struct, structs

from rules.core.protocol import Event
from rules.core.view import Text
from rules.squadrons.engine.events.base import FleetEvent, Weight, reason_key
from rules.squadrons.engine.notation import order_words


class ShipMoved(FleetEvent, frozen=True, kw_only=True, tag="moved"):
    """A galley moves one hex or hexside. A pass-through or an anastrophe is one step."""

    ship_fields = ("ship",)
    weight = 0

    ship: str
    step: str
    to: str
    mp: int

    @property
    def sentence_params(self) -> dict[str, Any]:
        return {**structs.asdict(self), "step": order_words.written_texts(self.step)}


class ShipExited(FleetEvent, frozen=True, kw_only=True, tag="exited"):  # SQ-06.16
    ship_fields = ("ship",)
    headline_rule = 10

    ship: str
    mp: int


class AvoidanceTried(FleetEvent, frozen=True, kw_only=True, tag="avoid"):  # SQ-10
    ship_fields = ("ship", "by")
    headline_rule = ("ok", 12, 2)
    variant_of = ("ok", "away", "caught")

    ship: str
    by: str
    die: int
    crew: int
    ok: bool
    to: str | None
    """Her new place; None if she stays where she is."""


class AttackAvoided(FleetEvent, frozen=True, kw_only=True, tag="missed"):  # SQ-10.9
    ship_fields = ("by", "target")
    variant_of = "attack"
    headline_rule = 6

    by: str
    target: str
    attack: Literal["ram", "ana", "X", "grap"]


class FatigueRolled(FleetEvent, frozen=True, kw_only=True, tag="fatigue"):  # SQ-09
    ship_fields = ("ship",)
    headline_rule = ("result", 4, 0)
    variant_of = ("result", "tired", "fresh")

    ship: str
    mp: int
    drm: int
    die: int | None
    """None for row 7A, which needs no die."""
    result: int
    """New level of fatigue; 0 for none."""

    @property
    def weight(self) -> Weight:  # type: ignore[override] # depends on the outcome
        return 1 if self.result else 0


class StepStopped(FleetEvent, frozen=True, kw_only=True, tag="stopped"):
    """A step could not be carried out. `rule` says why."""

    ship_fields = ("ship",)
    headline_rule = 0

    ship: str
    step: str

    @property
    def sentence_params(self) -> dict[str, Any]:
        params: dict[str, Any] = {"step": order_words.written_texts(self.step), "why": reason_key(self.rule)}
        return {**structs.asdict(self), **params, "which": Text("stopped.which", {"ship": self.ship, **params})}

    @property
    def list_key(self) -> str:
        return "story.stopped"


class OrderSkipped(FleetEvent, frozen=True, kw_only=True, tag="skipped"):
    """A boarding order could not be carried out. `rule` says why."""

    ship_fields = ("target",)
    headline_rule = 0

    target: str

    @property
    def sentence_params(self) -> dict[str, Any]:
        return {**structs.asdict(self), "why": reason_key(self.rule)}


class CrewRecovered(FleetEvent, frozen=True, kw_only=True, tag="recovered"):  # SQ-09.7
    ship_fields = ("ship",)
    variant_of = ("fatigue", "better", "fresh")
    weight = 0

    ship: str
    fatigue: int
    """New level of fatigue; 0 for none."""


class ShipEndPlace(Struct, frozen=True):
    ship: str
    to: str


class SquadronRowed(FleetEvent, frozen=True, kw_only=True, tag="rowed"):
    """Ships of a squadron moved or stayed without any other event that mentions it."""

    shown_in_cases: ClassVar[bool] = False
    headline_rule = 0  # other events make the headlines

    ships: tuple[ShipEndPlace, ...]
    stayed: tuple[str, ...]

    @property
    def sentence_params(self) -> dict[str, Any]:
        rowed = tuple(Text("ship.rowed", {"ship": place.ship, "to": place.to}) for place in self.ships)
        return {"ships": rowed, "stayed": self.stayed}

    @property
    def ship_ids(self) -> tuple[str, ...]:
        return (*(place.ship for place in self.ships), *self.stayed)

    @property
    def list_key(self) -> str:
        return f"event.SquadronRowed.{self.variant}"

    def split_by_ship(self) -> tuple[Event, ...]:
        rowed = [structs.replace(self, ships=(place,), stayed=()) for place in self.ships]
        return (*rowed, *(structs.replace(self, ships=(), stayed=(name,)) for name in self.stayed))

    @property
    def variant(self) -> str:
        return "both" if self.ships and self.stayed else "rowed" if self.ships else "stayed"


class SailsChanged(FleetEvent, frozen=True, kw_only=True, tag="sailed"):  # SQ-08.1
    ship_fields = ("ship",)
    variant_of = ("up", "up", "down")

    shown_in_cases: ClassVar[bool] = False
    weight = 0

    ship: str
    up: bool


class MastLost(FleetEvent, frozen=True, kw_only=True, tag="mast_down"):  # SQ-08.4
    ship_fields = ("ship",)
    variant_of = ("cleared", "cleared", "lost")

    shown_in_cases: ClassVar[bool] = False
    headline_rule = 9

    ship: str
    cleared: bool


class ShipGrounded(FleetEvent, frozen=True, kw_only=True, tag="grounded"):  # SQ-06.13
    ship_fields = ("ship",)
    shown_in_cases: ClassVar[bool] = False
    weight = 2
    headline_rule = 40

    ship: str
    mp: int


class RefloatRolled(FleetEvent, frozen=True, kw_only=True, tag="ground_rolled"):  # SQ-06.14
    ship_fields = ("ship",)
    variant_of = "result"

    shown_in_cases: ClassVar[bool] = False
    headline_rule = 8

    ship: str
    die: int
    crew: int
    result: Literal["freed", "stays", "wrecked"]
    to: str | None

    @property
    def sentence_params(self) -> dict[str, Any]:
        return {**structs.asdict(self), "to": self.to or ""}


class LeaderRestored(FleetEvent, frozen=True, kw_only=True, tag="restored"):  # SQ-05.17
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
