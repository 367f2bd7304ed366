"""Events of orders, movement, drift and transfers of crew (RS-05, RS-06, RS-16 to RS-18)."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType, structs

from rules.core import endings
from rules.core.protocol import Event, Seat
from rules.core.view import Text
from rules.ramspeed.engine.events.base import OrderText, dice_params, name_of, side_name, side_name_with_captains
from rules.ramspeed.engine.geometry.hindrance import OUT_OF_REACH_RULES, HindranceKind
from rules.ramspeed.engine.notation import order_words
from rules.ramspeed.engine.state import Link, Ship

EndReason = Literal["wiped_out", "turns", "quiet", "conceded", "agreed", "claimed", "called_off"]
"""Cases use the first three. The next three are decided by captains; `called_off` means that the game cannot go on."""


class TurnBegan(Event, frozen=True, kw_only=True, tag="turn_began"):
    """A turn began. It holds ships and links, so that the turn can be drawn from its events; no case includes it."""

    weight = 0

    turn: int
    ships: tuple[Ship, ...]
    links: tuple[Link, ...]


class InitiativeRolled(Event, frozen=True, kw_only=True, tag="initiative"):
    """One roll for the order of play (RS-03.1)."""

    weight = 0

    player: str
    dice: tuple[int, int]
    total: int

    @property
    def params(self) -> dict[str, Any]:
        return {**dice_params(self, self.dice), "player": name_of(self.player)}


class OrderOfPlaySet(Event, frozen=True, kw_only=True, tag="sequence"):
    headline_rule = 0

    players: tuple[str, ...]

    @property
    def params(self) -> dict[str, Any]:
        return {**structs.asdict(self), "players": tuple(map(name_of, self.players))}


class PlayerTurnBegan(Event, frozen=True, kw_only=True, tag="player_turn"):
    weight = 0
    may_reveal = False

    player: str

    @property
    def params(self) -> dict[str, Any]:
        return {**structs.asdict(self), "player": name_of(self.player)}


class GameEnded(Event, frozen=True, kw_only=True, tag="end"):
    weight = 3

    reason: EndReason
    score: tuple[int, int]
    winner: Annotated[str, Meta(examples=["Athens", "draw"])]
    """A side, or `draw`."""
    seats: tuple[Seat, ...] = ()
    """The captains who won; empty for sides without captains. Cases do not include it."""

    @property
    def variant(self) -> str:
        return f"{self.reason}.drawn" if self.winner == "draw" else self.reason

    @property
    def params(self) -> dict[str, Any]:
        return {
            **structs.asdict(self),
            "first": self.score[0],
            "second": self.score[1],
            "winner": (side_name_with_captains(self.winner, self.seats),),
        }


class SidesDrawn(Event, frozen=True, kw_only=True, tag="sides_drawn"):
    variant_of = ("die", "thrown", "")
    weight = 2

    sides: tuple[str, str]
    first: tuple[Seat, ...]
    second: tuple[Seat, ...]
    die: int
    """0: the sides were agreed."""

    @property
    def params(self) -> dict[str, Any]:
        first, second = self.sides
        return {**structs.asdict(self), "one": (side_name(first),), "other": (side_name(second),)}


class DoctrineChanged(Event, frozen=True, kw_only=True, tag="doctrine_changed"):
    """A captain changed a doctrine or the standing sheet; only that captain sees it."""

    weight = 0

    seat: Seat


class TurnEnded(Event, frozen=True, kw_only=True, tag="turn_ended"):
    weight = 0

    seat: Seat


class InheritedShip(Struct, frozen=True):
    ship: str
    owner: str


class CaptainConceded(endings.CaptainConceded, frozen=True, kw_only=True, tag="gave_up"):
    """A captain gave up (RS-20.4)."""

    variant_of = ("heirs", "ally", "")

    heirs: tuple[Seat, ...]
    """Allies who take over the ships; empty: the side has lost."""
    given: tuple[InheritedShip, ...] = ()


class ShipDrifted(Event, frozen=True, kw_only=True, tag="drifted"):
    """A crewless fireship drifted (RS-16.3)."""

    ship_fields = ("ship",)

    ship: str
    x: float
    y: float


class LineIgnored(Event, frozen=True, kw_only=True, tag="ignored"):
    """A line was ignored because its ship is lost or not owned (RS-21.5)."""

    ship_fields = ("ship",)

    ship: str


class OrderSkipped(Event, frozen=True, kw_only=True, tag="skipped"):
    """An alternative or a shot was illegal; `rule` gives the reason."""

    ship_fields = ("ship",)
    headline_rule = 0

    ship: str
    order: OrderText
    why: HindranceKind = ""
    """The ship's condition, if that was the reason; cases do not include it."""
    instead: Annotated[str, Meta(examples=["", "steer S1 6"])] | UnsetType = UNSET
    """The order that was carried out instead. Only `merge_with` sets it, for stories."""

    def merge_with(self, after: Event) -> Event:
        """Add the order carried out instead, unless another sentence reports it, as for attacks and shots.

        A ship that cannot move does not row either, so no order is added for it.
        """
        if self.why in ("stopped", "locked", "deserted"):
            return self
        if not isinstance(after, ShipActivated) or after.ship != self.ship or not order_words.is_rowing(after.order):
            return self
        return structs.replace(self, instead=after.order)

    @property
    def list_key(self) -> str:
        """Return a key that lists all ships out of reach in one sentence, as most orders fail so before fleets meet."""
        if self.rule == "RS-14.3" and not self.why:
            return "story.no_target"
        return "story.far" if self.why == "far" or (not self.why and self.rule in OUT_OF_REACH_RULES) else ""

    @property
    def params(self) -> dict[str, Any]:
        order, attack = order_words.order_sentences(self.order), order_words.attempt_sentences(self.order)
        params: dict[str, Any] = {"ship": self.ship, "order": order, "attack": attack}
        if self.instead:
            params["instead"] = order_words.order_sentences(self.instead)
        which = Text(f"skipped.{self.variant}" if self.variant else "skipped.which", params)
        return {**structs.asdict(self), **params, "which": which, "why": self.why or self.rule or "other"}

    @property
    def variant(self) -> str:
        """Return `tried` for an order against another ship, `instead` if another was carried out, both, or neither."""
        if order_words.attempt_sentences(self.order):
            return "tried_instead" if self.instead else "tried"
        return "instead" if self.instead else ""


class ShipActivated(Event, frozen=True, kw_only=True, tag="acts"):
    """A ship was activated and carried out an alternative; the order is `stay` if none was legal."""

    ship_fields = ("ship",)
    tells_orders = True
    list_key = "outcome.done"  # the player's own ships with nothing else to report
    weight = 0

    ship: str
    order: OrderText

    @property
    def params(self) -> dict[str, Any]:
        order = order_words.order_sentences(self.order)
        which = Text("ordered.ship", {"ship": self.ship, "order": order})
        return {**structs.asdict(self), "order": order, "which": which}


class FireshipLit(Event, frozen=True, kw_only=True, tag="ignited"):
    """A ship became a fireship (RS-16.1)."""

    ship_fields = ("ship",)
    headline_rule = 30  # a fire that the captain lit on purpose

    ship: str


class ShipMoved(Event, frozen=True, kw_only=True, tag="moved"):
    """A ship was moved or turned, perhaps by nothing. The fields give its position afterwards."""

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
    headline_rule = 40  # ranks below a loss

    ship: str


class CrewTransferred(Event, frozen=True, kw_only=True, tag="transfer"):
    ship_fields = ("ship", "partner")

    ship: str
    partner: str
    crew: int
    """Negative if the partner gave the crew."""
    die: int | None
    """The die for docking with a burning ship; None: no roll."""
    done: bool

    @property
    def variant(self) -> str:
        return "failed" if not self.done else "to" if self.crew > 0 else "from"

    @property
    def params(self) -> dict[str, Any]:
        return {**structs.asdict(self), "men": abs(self.crew)}


class DerelictManned(Event, frozen=True, kw_only=True, tag="captured"):
    """A derelict was manned (RS-17.4)."""

    ship_fields = ("ship", "by")
    weight = 2
    headline_rule = 70  # a ship changes hands

    ship: str
    by: str

    @property
    def captured_ship(self) -> str:
        return self.ship


class MarkerRemoved(Event, frozen=True, kw_only=True, tag="recovered"):
    """A marker was removed (RS-18.2, RS-18.3)."""

    ship_fields = ("ship",)
    variant_of = "marker"
    headline_rule = 0  # no headline, since the ship is as it was before

    ship: str
    marker: Literal["immob", "beached"]
