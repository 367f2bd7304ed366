"""What moves: lines carried out or not, drift, crews that go over (RS-05, RS-06, RS-16 to RS-18)."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, UnsetType, structs

from rules.core.protocol import Event
from rules.core.view import Text
from rules.ramspeed.engine.events.base import OrderText
from rules.ramspeed.engine.geometry.hindrance import OUT_OF_REACH_RULES, HindranceKind
from rules.ramspeed.engine.notation import order_words


class ShipDrifted(Event, frozen=True, kw_only=True, tag="drifted"):
    """A crewless fireship drifted (RS-16.3)."""

    ship_fields = ("ship",)

    ship: str
    x: float
    y: float


class LineIgnored(Event, frozen=True, kw_only=True, tag="ignored"):
    """A line names a ship that is lost or not owned (RS-21.5)."""

    ship_fields = ("ship",)

    ship: str


class OrderSkipped(Event, frozen=True, kw_only=True, tag="skipped"):
    """An alternative, or a shot, was illegal; `rule` says why."""

    ship_fields = ("ship",)
    headline_rule = 0

    ship: str
    order: OrderText
    why: HindranceKind = ""
    """In what state she was, if that was the reason; no case shows it."""
    instead: Annotated[str, Meta(examples=["", "steer S1 6"])] | UnsetType = UNSET
    """What she was ordered to do if it was not possible, and did. A story alone has it: nothing that happens does."""

    def merge_with(self, after: Event) -> Event:
        """With what she did instead, if no other sentence says it: attacks and shots have sentences of their own.

        Who cannot move did not row either, whatever she was ordered.
        """
        if self.why in ("stopped", "locked", "deserted"):
            return self
        if not isinstance(after, ShipActivated) or after.ship != self.ship or not order_words.is_rowing(after.order):
            return self
        return structs.replace(self, instead=after.order)

    @property
    def list_key(self) -> str:
        """One sentence for all that is too far away: before fleets meet, it is most of what happens."""
        if self.rule == "RS-14.3" and not self.why:
            return "story.no_target"
        return "story.far" if self.why == "far" or (not self.why and self.rule in OUT_OF_REACH_RULES) else ""

    @property
    def params(self) -> dict[str, Any]:
        """With the order in words, and the reason or the rule, or `other`."""
        order, attack = order_words.order_sentences(self.order), order_words.attempt_sentences(self.order)
        params: dict[str, Any] = {"ship": self.ship, "order": order, "attack": attack}
        if self.instead:
            params["instead"] = order_words.order_sentences(self.instead)
        which = Text(f"skipped.{self.variant}" if self.variant else "skipped.which", params)
        return {**structs.asdict(self), **params, "which": which, "why": self.why or self.rule or "other"}

    @property
    def variant(self) -> str:
        """`tried` if it was to do something to another ship, `instead` if she did something else; or both, or empty."""
        if order_words.attempt_sentences(self.order):
            return "tried_instead" if self.instead else "tried"
        return "instead" if self.instead else ""


class ShipActivated(Event, frozen=True, kw_only=True, tag="acts"):
    """A ship is activated and carries out an alternative; `stay` if none was legal."""

    ship_fields = ("ship",)
    tells_orders = True
    list_key = "outcome.done"  # own ships of which there is nothing else to tell
    weight = 0

    ship: str
    order: OrderText

    @property
    def params(self) -> dict[str, Any]:
        """With the order in words, and `which`, the ship and her order."""
        order = order_words.order_sentences(self.order)
        which = Text("ordered.ship", {"ship": self.ship, "order": order})
        return {**structs.asdict(self), "order": order, "which": which}


class FireshipLit(Event, frozen=True, kw_only=True, tag="ignited"):
    """A ship became a fireship (RS-16.1)."""

    ship_fields = ("ship",)
    headline_rule = 30  # a fire of one's own making

    ship: str


class ShipMoved(Event, frozen=True, kw_only=True, tag="moved"):
    """A ship was moved or turned, perhaps cut to nothing; where she is now."""

    ship_fields = ("ship",)
    weight = 0

    ship: str
    x: float
    y: float
    heading: int


class ShipWithdrawn(Event, frozen=True, kw_only=True, tag="withdrawn"):
    """A ship left over the edge (RS-06.2)."""

    ship_fields = ("ship",)
    weight = 2
    headline_rule = 40  # less than a loss

    ship: str


class CrewTransferred(Event, frozen=True, kw_only=True, tag="transfer"):
    """A transfer of crew (RS-17)."""

    ship_fields = ("ship", "partner")

    ship: str
    partner: str
    crew: int
    """Negative: from the partner."""
    die: int | None
    """For docking with a burning ship; None: no roll."""
    done: bool

    @property
    def variant(self) -> str:
        """`to`, `from` or `failed`."""
        return "failed" if not self.done else "to" if self.crew > 0 else "from"

    @property
    def params(self) -> dict[str, Any]:
        """With the number of men."""
        return {**structs.asdict(self), "men": abs(self.crew)}


class DerelictManned(Event, frozen=True, kw_only=True, tag="captured"):
    """A derelict was manned (RS-17.4)."""

    ship_fields = ("ship", "by")
    weight = 2
    headline_rule = 70  # a ship changes hands

    ship: str
    by: str
    """The active ship."""

    @property
    def captured_ship(self) -> str:
        """The derelict."""
        return self.ship


class MarkerRemoved(Event, frozen=True, kw_only=True, tag="recovered"):
    """A marker goes (RS-18.2, RS-18.3)."""

    ship_fields = ("ship",)
    variant_of = "marker"
    headline_rule = 0  # none: it is as it was before

    ship: str
    marker: Literal["immob", "beached"]
