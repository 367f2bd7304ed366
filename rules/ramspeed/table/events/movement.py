"""What moves: lines carried out or not, drift, crews that go over (RS-05, RS-06, RS-16 to RS-18)."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, UnsetType, structs

from rules.protocol import Event
from rules.ramspeed.table.events.base import OrderText
from rules.ramspeed.table.geometry.hindrance import OUT_OF_REACH_RULES, HindranceKind
from rules.ramspeed.table.notation import order_words
from rules.view import Text


class ShipDrifted(Event, frozen=True, kw_only=True, tag="drifted"):
    """A crewless fireship drifted (RS-16.3)."""

    befell = ("ship",)

    ship: str
    x: float
    y: float


class LineIgnored(Event, frozen=True, kw_only=True, tag="ignored"):
    """A line names a ship that is lost or not owned (RS-21.5)."""

    befell = ("ship",)

    ship: str


class OrderSkipped(Event, frozen=True, kw_only=True, tag="skipped"):
    """An alternative, or a shot, was illegal; `rule` says why."""

    befell = ("ship",)
    headline = 0

    ship: str
    order: OrderText
    why: HindranceKind = ""
    """In what state she was, if that was the reason; no case shows it."""
    instead: Annotated[str, Meta(examples=["", "steer S1 6"])] | UnsetType = UNSET
    """What she was ordered to do if it was not possible, and did. A story alone has it: nothing that happens does."""

    def merged_with(self, after: Event) -> Event:
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

    befell = ("ship",)
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

    befell = ("ship",)
    headline = 30  # a fire of one's own making

    ship: str


class ShipMoved(Event, frozen=True, kw_only=True, tag="moved"):
    """A ship was moved or turned, perhaps cut to nothing; where she is now."""

    befell = ("ship",)
    weight = 0

    ship: str
    x: float
    y: float
    heading: int


class ShipWithdrawn(Event, frozen=True, kw_only=True, tag="withdrawn"):
    """A ship left over the edge (RS-06.2)."""

    befell = ("ship",)
    weight = 2
    headline = 40  # less than a loss

    ship: str


class CrewTransferred(Event, frozen=True, kw_only=True, tag="transfer"):
    """A transfer of crew (RS-17)."""

    befell = ("ship", "partner")

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

    befell = ("ship", "by")
    weight = 2
    headline = 70  # a ship changes hands

    ship: str
    by: str
    """The active ship."""

    @property
    def changed_hands(self) -> str:
        """The derelict."""
        return self.ship


class MarkerRemoved(Event, frozen=True, kw_only=True, tag="recovered"):
    """A marker goes (RS-18.2, RS-18.3)."""

    befell = ("ship",)
    variant_of = "marker"
    headline = 0  # none: it is as it was before

    ship: str
    marker: Literal["immob", "beached"]
