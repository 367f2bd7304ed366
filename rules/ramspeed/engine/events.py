"""The events of Biremes … Oh My! Texts and pictures are made from these alone.

Events refer to ships by id and to players by name. Lengths are in inches, headings in whole degrees. `rule` and
`seen_by` are fields of every event, but cases include only the `rule` of `OrderSkipped`.
"""

from __future__ import annotations

import re
from typing import Annotated, Any, Final, Literal

from msgspec import UNSET, Meta, Struct, UnsetType, field, structs

from rules.chance.sums import sum_text
from rules.core import endings
from rules.core.protocol import Event, Seat
from rules.core.view import Text
from rules.ramspeed.engine.geometry.hindrance import OUT_OF_REACH_RULES, HindranceKind
from rules.ramspeed.engine.geometry.hulls import ApproachZone
from rules.ramspeed.engine.geometry.modifiers import Modifier
from rules.ramspeed.engine.notation import order_words
from rules.ramspeed.engine.state import Link, Ship
from rules.ramspeed.engine.tables import TABLES, ClassCode, Nation

Weight = Literal[0, 1, 2, 3]
OrderText = Annotated[str, Meta(examples=["ram S1", "veer 15R 4; shoot S1 crew", "transfer 5 to A2"])]
"""An alternative, or one of its steps, in canonical notation."""
SIDES: Final = ("Athens", "Sparta", "Rome", "Carthage", "Patrol", "Pirates", "Greeks", "Persians", "first", "second")
"""Sides of the built-in scenarios and of free battles, whose names are in the catalogues as `side.<name>`."""


def name_of(player: str) -> Seat | str:
    """Return the seat that a player's name such as `p3` stands for, or the name itself in other games."""
    match = re.fullmatch("p([0-9]{1,2})", player)
    return int(match[1]) if match else player


def side_name(name: str) -> Text | str:
    return Text(f"side.{name}") if name in SIDES else name


def side_name_with_captains(name: str, seats: tuple[Seat, ...]) -> Text | str:
    side = side_name(name)
    if not seats:
        return side
    captains = tuple(Text("side.captain", {"seat": seat}) for seat in seats)
    return Text("side.held", {"side": (side,) if isinstance(side, Text) else side, "captains": captains})


def dice_params(event: Event, dice: tuple[int, int]) -> dict[str, Any]:
    return {**structs.asdict(event), "first": dice[0], "second": dice[1]}


def sum_params(event: ShipRammed | SwipeResolved) -> dict[str, Any]:
    """Return the fields for texts, with the sum of the dice in short (`sum`) and with each modifier's cause (`terms`).

    `odds` says which totals have the event's result.
    """
    causes = [modifier.text for modifier in event.modifiers]
    return {
        **structs.asdict(event),
        "sum": (sum_text(event.dice, event.modifier),),
        "terms": (sum_text(event.dice, event.modifier, causes),),
        "odds": (_totals_text(event),),
    }


def _totals_text(event: ShipRammed | SwipeResolved) -> Text:
    """Return which totals of the dice give an event's result, such as 8–9 (T2, T4)."""
    ram, swipe = TABLES.ram, TABLES.swipe
    least = {"sunk": ram.sunk, "stuck": ram.stuck, "dead": ram.dead, "immobilised": ram.immobilised, "glanced": 0}
    if isinstance(event, SwipeResolved):
        least = {"bank": swipe.bank, "immobilised": swipe.immobilised, "none": 0}
    lowest = least[event.result]
    highest = min((total - 1 for total in least.values() if total > lowest), default=0)
    key = "totals.to" if not lowest else "totals.between" if highest else "totals.from"
    return Text(key, {"lowest": lowest, "highest": highest})


Obedience = Literal["obeys", "moves", "waits", "charges"]
"""`moves`: she may not attack. `waits`: she does nothing. `charges`: she attacks the nearest enemy (RS-22.4)."""
EndReason = Literal["wiped_out", "turns", "quiet", "conceded", "agreed", "claimed", "called_off"]
"""Cases use the first three. The next three are decided by captains; `called_off` means that the game cannot go on."""


class TurnBegan(Event, frozen=True, kw_only=True, tag="turn_began"):
    """A turn began. It holds ships and links, so that the turn can be drawn from its events; no case includes it."""

    weight = 0

    turn: int  # number of the turn, from 1
    ships: tuple[Ship, ...]  # all ships at the start of the turn
    links: tuple[Link, ...]  # links at the start of the turn


class InitiativeRolled(Event, frozen=True, kw_only=True, tag="initiative"):
    """One roll for the order of play (RS-03.1)."""

    weight = 0

    player: str  # who rolled
    dice: tuple[int, int]
    total: int  # sum of the dice

    @property
    def params(self) -> dict[str, Any]:
        return {**dice_params(self, self.dice), "player": name_of(self.player)}


class OrderOfPlaySet(Event, frozen=True, kw_only=True, tag="sequence"):
    headline_rule = 0

    players: tuple[str, ...]  # in the order in which they act
    turn: int = 0  # its number; cases do not include it

    @property
    def params(self) -> dict[str, Any]:
        return {**structs.asdict(self), "players": tuple(map(name_of, self.players))}


class PlayerTurnBegan(Event, frozen=True, kw_only=True, tag="player_turn"):
    weight = 0
    may_reveal = False

    player: str  # who acts now

    @property
    def params(self) -> dict[str, Any]:
        return {**structs.asdict(self), "player": name_of(self.player)}


class GameEnded(Event, frozen=True, kw_only=True, tag="end"):
    weight = 3

    reason: EndReason
    score: tuple[int, int]  # points of each side, in the position's order of sides
    winner: Annotated[str, Meta(examples=["Athens", "draw"])]  # a side, or `draw`
    winner_key: Annotated[str, Meta(examples=["Athens", "first", "draw"])] = ""
    """A side of the catalogues, because sides of hosts' scenarios have no names there. Cases do not include it."""
    seats: tuple[Seat, ...] = ()  # the captains who won; empty for sides without captains. Cases do not include it.
    is_on_points: bool = False  # won on points because neither side has a crew left. Cases do not include it.

    @property
    def variant(self) -> str:
        if self.winner == "draw":
            return f"{self.reason}.drawn"
        return "wiped_out.points" if self.is_on_points and self.reason == "wiped_out" else self.reason

    @property
    def params(self) -> dict[str, Any]:
        winners_points, losers_points = sorted(self.score, reverse=True)
        return {
            **structs.asdict(self),
            "first": winners_points,
            "second": losers_points,
            "winner": (side_name_with_captains(self.winner_key or self.winner, self.seats),),
        }


class SidesDrawn(Event, frozen=True, kw_only=True, tag="sides_drawn"):
    variant_of = ("die", "thrown", "")
    weight = 2

    sides: tuple[str, str]  # names of the two sides
    first: tuple[Seat, ...]  # captains of the first side
    second: tuple[Seat, ...]  # captains of the other side
    die: int  # 0: the sides were agreed

    @property
    def params(self) -> dict[str, Any]:
        first, second = self.sides
        return {**structs.asdict(self), "one": (side_name(first),), "other": (side_name(second),)}


class OpponentsRolled(Event, frozen=True, kw_only=True, tag="opponents"):
    """The dice said which nations fight (RS-22.2)."""

    weight = 2
    headline_rule = 60  # above the draw of the sides, which follows it
    variant_of = ("power_die", "power", "")

    die: int
    power_die: int  # which naval power fights pirates; 0: not rolled
    nations: tuple[Nation, Nation]  # of the first and the second fleet

    @property
    def params(self) -> dict[str, Any]:
        first, second = self.nations
        return {**structs.asdict(self), "first": first, "second": second}


class FleetRevealed(Event, frozen=True, kw_only=True, tag="fleet"):
    """A captain's fleet became public, after all had chosen (RS-22.5)."""

    seat: Seat
    spent: int  # points
    points: int  # that the captain had
    ships: tuple[tuple[str, ClassCode, Nation], ...]  # the id, class and nation of each

    @property
    def concerned_seats(self) -> tuple[Seat, ...]:
        return (self.seat,)

    @property
    def params(self) -> dict[str, Any]:
        ships = tuple(
            Text("fleet.ship", {"ship": ship, "kind": code, "nation": nation}) for ship, code, nation in self.ships
        )
        return {**structs.asdict(self), "ships": ships}


class ShipsPlaced(Event, frozen=True, kw_only=True, tag="placed"):
    """A captain's ships were placed; everybody sees where they lie (RS-22.6)."""

    seat: Seat
    ships: tuple[Ship, ...]

    @property
    def concerned_seats(self) -> tuple[Seat, ...]:
        return (self.seat,)

    @property
    def params(self) -> dict[str, Any]:
        return {"seat": self.seat, "ships": ", ".join(ship.id for ship in self.ships)}


class DoctrineChanged(Event, frozen=True, kw_only=True, tag="doctrine_changed"):
    """A captain changed a doctrine or the standing sheet; only that captain sees it."""

    weight = 0

    seat: Seat  # of the captain who changed it


class TurnEnded(Event, frozen=True, kw_only=True, tag="turn_ended"):
    weight = 0

    seat: Seat  # of the captain who ended the player-turn


class InheritedShip(Struct, frozen=True):
    ship: str  # id
    owner: str  # player who gets the ship


class CaptainConceded(endings.CaptainConceded, frozen=True, kw_only=True, tag="gave_up"):
    """A captain gave up (RS-20.4)."""

    variant_of = ("heirs", "ally", "")

    heirs: tuple[Seat, ...]  # allies who take over the ships; empty: the side has lost
    given: tuple[InheritedShip, ...] = ()  # the ships with their new owners


class ShipDrifted(Event, frozen=True, kw_only=True, tag="drifted"):
    """A crewless fireship drifted (RS-16.3)."""

    ship_fields = ("ship",)

    ship: str  # id of the fireship
    x: float  # inches east, the ship's middle
    y: float  # inches north


class ObedienceRolled(Event, frozen=True, kw_only=True, tag="obedience"):
    """A ship far from her flagship rolled before she acted (RS-22.4)."""

    ship_fields = ("ship",)
    variant_of = "result"

    ship: str  # id
    die: int
    result: Obedience
    enemy: str = ""  # id of the enemy that she attacks or makes for; empty unless she charges

    @property
    def params(self) -> dict[str, Any]:
        return {**super().params, "need": TABLES.command.obeys}


class LineIgnored(Event, frozen=True, kw_only=True, tag="ignored"):
    """A line was ignored because its ship is lost or not owned (RS-21.5)."""

    ship_fields = ("ship",)

    ship: str  # id of the ship that the line names


class OrderSkipped(Event, frozen=True, kw_only=True, tag="skipped"):
    """An alternative or a shot was illegal; `rule` gives the reason."""

    ship_fields = ("ship",)
    headline_rule = 0

    ship: str  # id of the ship with the order
    order: OrderText  # what was not carried out
    why: HindranceKind = ""  # the ship's condition, if that was the reason; cases do not include it
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
    def cited_rules(self) -> tuple[str, ...]:
        """Numbers of the rules to cite: for a target out of reach that of the reach, whichever rule failed first."""
        return (order_words.reach_rule(self.order),) if self.why == "far" else (self.rule,)

    @property
    def list_key(self) -> str:
        """Return a key that lists all ships out of reach in one sentence, as most orders fail so before fleets meet."""
        if self.rule == "RS-14.3" and not self.why:
            return "story.no_target"
        return "story.far" if self.why == "far" or (not self.why and self.rule in OUT_OF_REACH_RULES) else ""

    @property
    def params(self) -> dict[str, Any]:
        """Return the event's fields, with the sentence that says which order was skipped, and the reason's key."""
        order, attack = order_words.order_sentences(self.order), order_words.attempt_sentences(self.order)
        params: dict[str, Any] = {"ship": self.ship, "order": order, "attack": attack}
        if self.instead:
            params["instead"] = order_words.order_sentences(self.instead)
        which = Text(f"skipped.{self.variant}" if self.variant else "skipped.which", params)
        why = self.why or order_words.angle_reason(self.order, self.rule) or self.rule or "other"
        return {**structs.asdict(self), **params, "which": which, "why": why}

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

    ship: str  # id of the ship that acts
    order: OrderText  # what it carries out

    @property
    def params(self) -> dict[str, Any]:
        order = order_words.order_sentences(self.order)
        which = Text("ordered.ship", {"ship": self.ship, "order": order})
        return {**structs.asdict(self), "order": order, "which": which}


class FireshipLit(Event, frozen=True, kw_only=True, tag="ignited"):
    """A ship became a fireship (RS-16.1)."""

    ship_fields = ("ship",)
    headline_rule = 30  # a fire that the captain lit on purpose

    ship: str  # id of the new fireship


class ShipMoved(Event, frozen=True, kw_only=True, tag="moved"):
    """A ship was moved or turned, perhaps by nothing. The fields give its position afterwards."""

    ship_fields = ("ship",)
    weight = 0

    ship: str  # id
    x: float  # inches east, the ship's middle
    y: float  # inches north
    heading: int  # degrees clockwise from north


class ShipWithdrawn(Event, frozen=True, kw_only=True, tag="withdrawn"):
    """A ship left over the edge (RS-06.2)."""

    ship_fields = ("ship",)
    weight = 2
    headline_rule = 40  # ranks below a loss

    ship: str  # id of the ship that left


class CrewTransferred(Event, frozen=True, kw_only=True, tag="transfer"):
    ship_fields = ("ship", "partner")

    ship: str  # id of the ship that acts
    partner: str  # the other ship
    crew: int  # men given to the partner; negative if the partner gave them
    die: int | None  # the die for docking with a burning ship; None: no roll
    done: bool  # False: the docking failed

    @property
    def variant(self) -> str:
        if not self.done:
            return "failed"
        direction = "to" if self.crew > 0 else "from"
        return direction if self.die is None else f"{direction}.rolled"

    @property
    def params(self) -> dict[str, Any]:
        return {**structs.asdict(self), "men": abs(self.crew), "need": TABLES.need.docking}


class DerelictManned(Event, frozen=True, kw_only=True, tag="captured"):
    """A derelict was manned (RS-17.4)."""

    ship_fields = ("ship", "by")
    weight = 2
    headline_rule = 70  # a ship changes hands

    ship: str  # the derelict
    by: str  # the ship whose men went aboard

    @property
    def captured_ship(self) -> str:
        return self.ship


class MarkerRemoved(Event, frozen=True, kw_only=True, tag="recovered"):
    """A marker was removed (RS-18.2, RS-18.3)."""

    ship_fields = ("ship",)
    variant_of = "marker"
    headline_rule = 0  # no headline, since the ship is as it was before

    ship: str  # id of the ship that had it
    marker: Literal["immob", "beached"]


SinkingCause = Literal["fire", "ram", "edge", "prize", "separation"]
RamResult = Literal["sunk", "stuck", "dead", "immobilised", "glanced"]
OarsResult = Literal["bank", "immobilised", "none"]
Dodge = Literal["turn", "draw"]
Defence = Literal["turn", "draw", "grapple"]


class CrewAboard(Struct, frozen=True):
    ship: str  # id
    crew: int  # men aboard afterwards


def _stuck_key(by: str, to: str) -> str:
    return f"stuck {by} {to}"


class FireFought(Event, frozen=True, kw_only=True, tag="fire"):
    """The FIRE phase of one burning ship (RS-15.2)."""

    ship_fields = ("ship",)

    ship: str  # id of the burning ship
    die: int | None  # None: no roll (RS-15.5, RS-16.1)
    modifiers: tuple[Modifier, ...] = ()  # of the die; cases and older records do not include them
    markers: int  # fire markers afterwards; 0: the fire is out

    @property
    def variant(self) -> str:
        return "unfought" if self.die is None else "on" if self.markers else "out"

    @property
    def params(self) -> dict[str, Any]:
        if self.die is None:
            return super().params
        modifier = sum(part.amount for part in self.modifiers)
        causes = [part.text for part in self.modifiers]
        terms = sum_text((self.die,), modifier, causes)
        sums = {"sum": (sum_text((self.die,), modifier),), "terms": (terms,)}
        return {**structs.asdict(self), **sums, "need": TABLES.need.extinguish}


class ShipSunk(Event, frozen=True, kw_only=True, tag="sunk"):
    ship_fields = ("ship",)
    harms = "ship"
    continues_line = True
    variant_of = "cause"
    weight = 2
    headline_rule = 60  # ranks above everything but a prize

    ship: str  # id of the sunk ship
    cause: SinkingCause
    saved: tuple[CrewAboard, ...] = ()  # ships that took over the crew (RS-12.6); cases do not include it


class ShotFired(Event, frozen=True, kw_only=True, tag="shot"):
    ship_fields = ("by", "to")

    by: str  # the ship that shot
    to: str  # the target
    kind: Literal["crew", "fire"]  # at the crew, or to set the target alight
    distance: float  # inches
    die: Annotated[int, Meta(examples=[1, 6])]
    crew: int  # the target's crew afterwards
    lost: int = 0  # men killed; cases do not include it
    caught: bool = False  # whether the shot set the target alight (RS-14.5)

    @property
    def headline_score(self) -> int:
        return 10 + self.die if self.kind == "crew" else 25 if self.variant == "fire.hit" else 8

    @property
    def variant(self) -> str:
        return f"fire.{'hit' if self.caught else 'missed'}" if self.kind == "fire" else "crew"

    @property
    def params(self) -> dict[str, Any]:
        return {**super().params, "need": TABLES.need.ignite}

    @property
    def harmed_ship(self) -> str:
        return self.to if self.lost or self.caught else ""


class FireSpreadChecked(Event, frozen=True, kw_only=True, tag="spread"):
    """A check whether fire spreads to another ship (RS-15.6, RS-16.4)."""

    ship_fields = ("to", "from_")
    variant_of = ("caught", "caught", "held")
    headline_rule = ("caught", 35, 5)

    from_: str = field(name="from")  # the burning ship
    to: str  # the ship that may catch fire
    need: int  # lowest die at which the fire spreads
    die: int
    caught: bool  # the fire spreads

    @property
    def harmed_ship(self) -> str:
        return self.to if self.caught else ""


class ShipRammed(Event, frozen=True, kw_only=True, tag="ram"):
    ship_fields = ("by", "to")
    variant_of = "result"
    weight = 2
    dice_rules = ("RS-08.6", "RS-08.7")

    by: str  # the rammer
    to: str  # the ship rammed
    heading: int  # the rammer's heading after the pivot
    run: float  # inches that the rammer rowed to the hit
    zone: ApproachZone  # angle of approach to the target
    modifier: int  # sum of all modifiers; positive: worse for the target
    modifiers: tuple[Modifier, ...] = ()  # the parts of `modifier`; cases and older records do not include them
    dice: tuple[int, int]
    total: int  # dice with the modifier
    result: RamResult
    x: float  # inches east, the rammer's middle at the hit
    y: float  # inches north

    @property
    def dedup_key(self) -> str:
        """Return a key shared with `ShipsLinked`, so that a story does not mention a stuck ship twice."""
        return _stuck_key(self.by, self.to) if self.result == "stuck" else ""

    @property
    def headline_score(self) -> int:
        return {"sunk": 65, "stuck": 55, "dead": 50, "immobilised": 35, "glanced": 20}[self.result]

    @property
    def params(self) -> dict[str, Any]:
        return sum_params(self)

    @property
    def harmed_ship(self) -> str:
        return self.to if self.result != "glanced" else ""


class OarsSwiped(Event, frozen=True, kw_only=True, tag="swipe"):
    ship_fields = ("by", "to")
    variant_of = "defence"

    by: str  # the attacker
    to: str  # the target
    heading: int  # the attacker's heading after the pivot, before it goes alongside
    run: float  # inches that the attacker rowed to the target
    zone: ApproachZone  # angle of approach to the target
    past: float  # inches rowed beyond the target (RS-09.6)
    defence: Defence  # the defence used, which may differ from the doctrine (RS-09.9)


class DefenceTried(Event, frozen=True, kw_only=True, tag="defence"):
    """An attempt of a quick turn or of drawing in the oars (RS-09.8, RS-10.3)."""

    ship_fields = ("ship",)
    continues_line = True

    ship: str  # id of the ship that defends itself
    option: Dodge  # a quick turn, or drawing in the oars
    die: int
    success: bool  # the defence succeeds

    @property
    def params(self) -> dict[str, Any]:
        return {**super().params, "need": TABLES.need.quick_turn if self.option == "turn" else TABLES.need.draw}

    @property
    def variant(self) -> str:
        return f"{self.option}.{'done' if self.success else 'failed'}"


class SwipeResolved(Event, frozen=True, kw_only=True, tag="oars"):
    """The roll of an oar swipe against the target (RS-09.12)."""

    ship_fields = ("ship",)
    continues_line = True
    variant_of = "result"
    weight = 2
    dice_rules = ("RS-09.12",)

    ship: str  # the target of the swipe
    modifier: int  # sum of all modifiers; positive: worse for the target
    modifiers: tuple[Modifier, ...] = ()  # the parts of `modifier`; cases and older records do not include them
    dice: tuple[int, int]
    total: int  # dice with the modifier
    result: OarsResult

    @property
    def headline_score(self) -> int:
        return {"bank": 50, "immobilised": 35, "none": 15}[self.result]

    @property
    def params(self) -> dict[str, Any]:
        return sum_params(self)

    @property
    def harmed_ship(self) -> str:
        return self.ship if self.result != "none" else ""


class ShipGrappled(Event, frozen=True, kw_only=True, tag="grapple"):
    ship_fields = ("by", "to")
    variant_of = ("automatic", "automatic", "")

    by: str  # the grappler
    to: str  # the target
    heading: int  # the grappler's heading after the pivot
    run: float  # inches rowed to the target
    zone: ApproachZone  # angle of approach to the target
    automatic: bool  # the target cannot move, so the grapple needs no roll


class HooksThrown(Event, frozen=True, kw_only=True, tag="hooks"):
    """The opposed roll of a grapple (RS-10.4, RS-09.15)."""

    ship_fields = ("by", "to")
    continues_line = True
    variant_of = ("success", "held", "slipped")
    dice_rules = ("RS-10.4",)

    by: str  # the grappler
    to: str  # the target
    modifier: int  # added to the grappler's die
    modifiers: tuple[Modifier, ...] = ()  # the parts of `modifier`; cases and older records do not include them
    dice: tuple[int, int]  # the grappler's die, then the opponent's
    success: bool  # the grapple holds

    @property
    def params(self) -> dict[str, Any]:
        grapplers_die, opponents_die = self.dice
        causes = [modifier.text for modifier in self.modifiers]
        return {
            **structs.asdict(self),
            "sum": (sum_text((grapplers_die,), self.modifier),),
            "terms": (sum_text((grapplers_die,), self.modifier, causes),),
            "need": opponents_die,
        }


class ShipsLinked(Event, frozen=True, kw_only=True, tag="linked"):
    ship_fields = ("a", "b")
    continues_line = True
    variant_of = "kind"
    headline_rule = 45  # a boarding action begins

    a: str  # the lower id of a grapple, or the ramming ship of a stuck pair
    b: str  # the other ship
    kind: Literal["grapple", "stuck"]

    @property
    def dedup_key(self) -> str:
        return _stuck_key(self.a, self.b) if self.kind == "stuck" else ""


class MeleeFought(Event, frozen=True, kw_only=True, tag="melee"):
    """A round of boarding (RS-11). Strengths, dice and casualties are listed by side, in seat order."""

    ship_fields = ("ships",)
    weight = 2

    ships: Annotated[tuple[str, ...], Meta(examples=[("A1", "S1"), ("A1", "A2", "S1")])]
    """The ships of the first seat's side, then those of the other side."""
    strengths: tuple[int, int]  # men of each side before the round
    dice: tuple[tuple[int, ...], tuple[int, ...]]  # casualty dice thrown by each side
    modifiers: tuple[tuple[Modifier, ...], tuple[Modifier, ...]] = ((), ())
    """The modifiers of each side's dice; cases and older records do not include them."""
    inflicted: tuple[int, int]  # casualties after modifiers and floor, not limited to the crew present
    crews: tuple[int, ...]  # men aboard each of `ships` afterwards; cases do not include it

    @property
    def cited_rules(self) -> tuple[str, ...]:
        has_nation = any(modifier.cause == "nation" for modifier in (*self.modifiers[0], *self.modifiers[1]))
        return (self.rule, "RS-11.5") if has_nation else (self.rule,)

    @property
    def headline_score(self) -> int:
        return 40 + min(9, max(self.inflicted))

    @property
    def variant(self) -> str:
        return "pair" if len(self.ships) == len(self.strengths) else ""

    @property
    def params(self) -> dict[str, Any]:
        """Return the fields for texts, with losses limited to the crew present; `a` and `b` are the ships of a pair."""
        return {
            **structs.asdict(self),
            "a": self.ships[0],
            "b": self.ships[-1],
            "first": self.strengths[0],
            "second": self.strengths[1],
            "lost": min(self.inflicted[1], self.strengths[0]),
            "felled": min(self.inflicted[0], self.strengths[1]),
            "first_sum": (self._sum_of(0),),
            "second_sum": (self._sum_of(1),),
            "first_side": self._sides[0],
            "second_side": self._sides[1],
        }

    @property
    def _sides(self) -> tuple[tuple[str | Text, ...], tuple[str | Text, ...]]:
        """Return the ships of each side, as far as the men left aboard tell the sides apart."""
        left = [max(0, self.strengths[side] - self.inflicted[1 - side]) for side in (0, 1)]
        splits = [
            number
            for number in range(1, len(self.ships))
            if [sum(self.crews[:number]), sum(self.crews[number:])] == left
        ]
        if len(splits) != 1:
            return (Text("melee.first"),), (Text("melee.second"),)
        return self.ships[: splits[0]], self.ships[splits[0] :]

    def _sum_of(self, side: int) -> Text:
        modifiers = self.modifiers[side]
        modifier = sum(part.amount for part in modifiers) or self.inflicted[side] - sum(self.dice[side])
        return sum_text(self.dice[side], modifier, [part.text for part in modifiers])


class ShipCaptured(Event, frozen=True, kw_only=True, tag="prize"):
    """The capture of a ship (RS-12.2, RS-12.6)."""

    ship_fields = ("ship",)
    weight = 2
    headline_rule = 80  # a ship changes hands

    ship: str  # id of the prize
    player: str  # the new owner
    crew: int  # men put aboard
    nation: Nation  # nation of the new crew; cases do not include it
    gave: tuple[CrewAboard, ...] = ()  # crews left on the ships that gave the men; cases do not include it

    @property
    def params(self) -> dict[str, Any]:
        crews = (CrewAboard(self.ship, self.crew), *self.gave)
        crew_texts = tuple(Text("crew.aboard", {"ship": aboard.ship, "crew": aboard.crew}) for aboard in crews)
        return {**structs.asdict(self), "player": name_of(self.player), "crews": crew_texts}

    @property
    def captured_ship(self) -> str:
        return self.ship


class DerelictLeft(Event, frozen=True, kw_only=True, tag="left"):
    """A captured ship was left as a derelict (RS-12.4)."""

    ship_fields = ("ship",)

    ship: str  # id of the derelict


class ShipsSeparated(Event, frozen=True, kw_only=True, tag="separated"):
    """The links of a decided cluster were dissolved (RS-12.8, RS-11.9, RS-11.10)."""

    ship_fields = ("ships",)

    ships: Annotated[tuple[str, ...], Meta(examples=[("A2", "S1"), ("A2",), ()])]  # those still afloat

    @property
    def variant(self) -> str:
        return {0: "none", 1: "one"}.get(len(self.ships), "")


GameEvent = (
    TurnBegan
    | ObedienceRolled
    | FireFought
    | ShipSunk
    | InitiativeRolled
    | OrderOfPlaySet
    | PlayerTurnBegan
    | ShipDrifted
    | LineIgnored
    | OrderSkipped
    | ShipActivated
    | FireshipLit
    | ShipMoved
    | ShipWithdrawn
    | ShotFired
    | FireSpreadChecked
    | ShipRammed
    | OarsSwiped
    | DefenceTried
    | SwipeResolved
    | ShipGrappled
    | HooksThrown
    | ShipsLinked
    | CrewTransferred
    | DerelictManned
    | MarkerRemoved
    | MeleeFought
    | ShipCaptured
    | DerelictLeft
    | ShipsSeparated
    | GameEnded
    | SidesDrawn
    | OpponentsRolled
    | FleetRevealed
    | ShipsPlaced
    | DoctrineChanged
    | TurnEnded
    | CaptainConceded
)

_COMMON_FIELDS: Final = {item.name for item in structs.fields(Event)}
_HIDDEN_FIELDS: Final = {
    (OrderSkipped, "why"),
    (OrderOfPlaySet, "turn"),
    (OrderSkipped, "instead"),
    (ShotFired, "lost"),
    (ShotFired, "caught"),
    (GameEnded, "seats"),
    (GameEnded, "winner_key"),
    (GameEnded, "is_on_points"),
    (ShipSunk, "saved"),
    (MeleeFought, "crews"),
    (FireFought, "modifiers"),
    (MeleeFought, "modifiers"),
    (ShipRammed, "modifiers"),
    (SwipeResolved, "modifiers"),
    (HooksThrown, "modifiers"),
    (ShipCaptured, "nation"),
    (ShipCaptured, "gave"),
}


def event_to_json(event: Event) -> dict[str, Any]:
    """Return an event as a case writes it: its type and fields."""
    data: dict[str, Any] = {"type": event.__struct_config__.tag}
    for item in structs.fields(event):
        if item.name in _COMMON_FIELDS and not (item.name == "rule" and isinstance(event, OrderSkipped)):
            continue
        if (type(event), item.name) in _HIDDEN_FIELDS:
            continue
        data[item.encode_name] = _to_plain(getattr(event, item.name))
    return data


def _to_plain(value: Any) -> Any:  # noqa: ANN401 - any field's value
    return [_to_plain(item) for item in value] if isinstance(value, tuple) else value
