"""Events of the fleet game (cases do not show some). Texts and pictures are made from them.

Ships are named by id, places as `1512N`, sides by letter. `rule` and `seen_by` come from `Event`. Cases show the rule
only for `stopped` and `skipped`.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, ClassVar, Final, Literal

import msgspec
from msgspec import UNSET, Struct, UnsetType, field, structs

from rules.chance.sums import sum_text
from rules.core.protocol import Event, Seat
from rules.core.view import Text
from rules.squadrons.engine.notation import order_words
from rules.squadrons.engine.notation.orders import Flank, FleetSide, Speed
from rules.squadrons.engine.odds import RollModifier
from rules.squadrons.engine.sea.fleets import roster_texts
from rules.squadrons.engine.sea.state import Position, Squadron, Wind
from rules.squadrons.engine.tables import TABLES, fatigue_level

Weight = Literal[0, 1, 2, 3]
TwoDice = tuple[int, int]
EndReason = Literal[
    "withdrawal", "target", "eliminated", "unreachable", "limit", "conceded", "agreed", "claimed", "called_off"
]
"""The first five occur in worked examples of the rules. `called_off` ends a game that cannot go on; captains cause the
others."""
RULES_WITH_REASON: Final = frozenset(
    f"SQ-{section}.{number}"
    for section, numbers in {
        "05": (9, 15),
        "06": (1, 4, 5, 6, 7, 9, 10, 11, 12, 15, 16),
        "08": (1, 4),
        "13": (2, 3, 4, 14),
        "14": (1, 2, 3, 11, 12, 13),
        "15": (1, 2, 3, 4, 10),
        "16": (1, 3, 4),
        "17": (1, 3, 4, 5),
        "18": (1,),
        "19": (1, 2, 3, 4, 7, 12, 14, 16),
        "20": (1, 3),
        "23": (5,),
    }.items()
    for number in numbers
)
"""Rules with their own sentence as a reason. For any other the reason only says that it is not possible."""


class FleetEvent(Event, frozen=True, kw_only=True):
    """Base class of the events. Records ships taken by the enemy, since their ids still show the builder."""

    shown_in_cases: ClassVar[bool] = True  # whether `war-galley adjudicate` lists the event in its result

    taken: tuple[str, ...] = ()  # ships named by the event that the enemy of their builders holds

    @property
    def sentence_params(self) -> dict[str, Any]:
        return structs.asdict(self)

    @property
    def closes_turn(self) -> bool:
        if isinstance(self, ShipSunk):
            return self.cause != "wrecked"  # a ship breaks up when it's her turn
        return isinstance(self, UnfoulTried | FireFought | CrewRecovered | SinkRolled)

    @property
    def params(self) -> dict[str, Any]:
        """Return the parameters of the event's sentence. Taken ships are named with their present owner."""
        values = self.sentence_params
        return {key: _with_owner(value, self.taken) for key, value in values.items()} if self.taken else values


def _with_owner(value: object, taken: tuple[str, ...]) -> object:
    match value:
        case str() if value in taken:
            return (_owner_text(value),)
        case tuple():
            return tuple(_owner_text(item) if item in taken else item for item in value)
    return value


def _owner_text(ship: str) -> Text:
    return Text("ship.taken", {"ship": ship, "side": "R" if ship.startswith("B") else "B"})


def reason_key(rule: str) -> str:
    """Return the rule if it has its own reason in the catalogues (`reason_key.<reason>`), else `other`."""
    return rule if rule in RULES_WITH_REASON else "other"


class ShipMoved(FleetEvent, frozen=True, kw_only=True, tag="moved"):
    """A galley moves one hex or hexside. A pass-through or an anastrophe is one step."""

    ship_fields = ("ship",)
    weight = 0

    ship: str  # id
    step: str  # the step in the notation of orders: `F`
    to: str  # her new place: `1512N`
    mp: int  # movement points used so far in this activation

    @property
    def sentence_params(self) -> dict[str, Any]:
        return {**structs.asdict(self), "step": order_words.written_texts(self.step)}


class ShipExited(FleetEvent, frozen=True, kw_only=True, tag="exited"):  # SQ-06.16
    ship_fields = ("ship",)
    headline_rule = 10

    ship: str  # id of the ship that left the map
    mp: int  # movement points used so far in this activation


class AvoidanceTried(FleetEvent, frozen=True, kw_only=True, tag="avoid"):  # SQ-10
    ship_fields = ("ship", "by")
    headline_rule = ("ok", 12, 2)
    variant_of = ("ok", "away", "caught")

    ship: str  # the ship that tries to avoid
    by: str  # the enemy that attacks
    die: int
    crew: int  # her Crew; the die with `drm` must not exceed it
    ok: bool  # she avoids the attack
    to: str | None  # her new place; None if she stays where she is
    drm: int | UnsetType = UNSET  # added to the die at half speed (SQ-09.4); absent: nothing

    @property
    def sentence_params(self) -> dict[str, Any]:
        return {**structs.asdict(self), **_sum_params((self.die,), self.modifiers, self.drm or 0)}

    @property
    def modifiers(self) -> tuple[RollModifier, ...]:
        return (RollModifier("half_speed", self.drm),) if self.drm else ()


class AttackAvoided(FleetEvent, frozen=True, kw_only=True, tag="missed"):  # SQ-10.9
    ship_fields = ("by", "target")
    variant_of = "attack"
    headline_rule = 6

    by: str  # the ship whose attack misses
    target: str  # the ship that avoided
    attack: Literal["ram", "ana", "X", "grap"]


class FatigueRolled(FleetEvent, frozen=True, kw_only=True, tag="fatigue"):  # SQ-09
    ship_fields = ("ship",)
    headline_rule = 0

    ship: str  # id
    mp: int  # movement points used in the activation
    drm: int  # added to the die: a positive number tires
    modifiers: tuple[RollModifier, ...] = ()  # the parts of `drm`; cases and older records do not include them
    crew: int | None = None  # her Crew; older records and cases do not include it
    die: int | None  # none for row 7A, which needs no die
    result: int  # new level of fatigue; 0 for none

    @property
    def sentence_params(self) -> dict[str, Any]:
        params = {**structs.asdict(self), "less": max(0, self.result - 1)}  # one level has worn off by the next turn
        if self.die is None:
            return params
        sums = _sum_params((self.die,), self.modifiers, self.drm)
        if self.crew is None:
            return {**params, **sums, "tires_on": ""}
        need = next(total for total in itertools.count(1) if fatigue_level(total, self.crew))
        return {**params, **sums, "tires_on": (Text("fatigue.tires_on", {"need": need}),)}

    @property
    def variant(self) -> str:
        parts = ["tired" if self.result else "fresh", *(["unrolled"] if self.die is None else [])]
        return ".".join(parts)

    @property
    def weight(self) -> Weight:  # type: ignore[override] # depends on the outcome
        return 1 if self.result else 0


class StepStopped(FleetEvent, frozen=True, kw_only=True, tag="stopped"):
    """A step could not be carried out. `rule` says why."""

    ship_fields = ("ship",)
    headline_rule = 0

    ship: str  # id of the ship with the order
    step: str  # the step in the notation of orders: `ram R1`

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

    target: str  # the ship to be boarded

    @property
    def sentence_params(self) -> dict[str, Any]:
        return {**structs.asdict(self), "why": reason_key(self.rule)}


class CrewRecovered(FleetEvent, frozen=True, kw_only=True, tag="recovered"):  # SQ-09.7
    ship_fields = ("ship",)
    variant_of = ("fatigue", "better", "fresh")
    weight = 0

    ship: str  # id
    fatigue: int  # new level of fatigue; 0 for none


class ShipEndPlace(Struct, frozen=True):
    ship: str  # id
    to: str  # label of the hex of her bow: `1512`


class SquadronRowed(FleetEvent, frozen=True, kw_only=True, tag="rowed"):
    """Ships of a squadron moved or stayed without any other event that mentions it."""

    shown_in_cases: ClassVar[bool] = False  # `war-galley adjudicate` leaves it out
    headline_rule = 0  # other events make the headlines

    ships: tuple[ShipEndPlace, ...]  # ships that moved, with their new places
    stayed: tuple[str, ...]  # ids of ships that did not move

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

    weight = 0

    ship: str  # id
    up: bool  # sails are up afterwards


class MastLost(FleetEvent, frozen=True, kw_only=True, tag="mastDown"):  # SQ-08.4
    ship_fields = ("ship",)
    harms = "ship"
    variant_of = ("cleared", "cleared", "lost")

    headline_rule = 9

    ship: str  # id
    cleared: bool  # False: the mast fell; True: a fallen mast was cleared away


class ShipGrounded(FleetEvent, frozen=True, kw_only=True, tag="grounded"):  # SQ-06.13
    ship_fields = ("ship",)
    harms = "ship"
    weight = 2
    headline_rule = 40

    ship: str  # id
    mp: int  # movement points used so far in this activation


class RefloatRolled(FleetEvent, frozen=True, kw_only=True, tag="groundRolled"):  # SQ-06.14
    ship_fields = ("ship",)
    headline_rule = 8

    ship: str  # id of the ship aground
    die: int
    crew: int  # her Crew; a higher die leaves her aground
    result: Literal["freed", "stays", "wrecked"]
    to: str | None  # her place once freed: `1512N`; None if she is not freed

    @property
    def variant(self) -> str:
        return "blocked" if self.result == "stays" and self.die <= self.crew else self.result

    @property
    def sentence_params(self) -> dict[str, Any]:
        return {**structs.asdict(self), "to": self.to or "", "wrecked": TABLES.need.wrecked}


class LeaderRestored(FleetEvent, frozen=True, kw_only=True, tag="restored"):  # SQ-05.17
    shown_in_cases: ClassVar[bool] = False  # `war-galley adjudicate` leaves it out
    weight = 0

    leader: str  # id of the leader with full ratings again


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


class ControlRolled(FleetEvent, frozen=True, kw_only=True, tag="is"):  # SQ-05.9
    ship_fields = ("ship",)
    variant_of = ("ok", "ok", "loose")
    weight = 0

    ship: str  # id of a single ship
    die: int
    crew: int  # her Crew; a higher die means that she keeps away from enemies
    ok: bool  # she is under control


class LeaderTransferred(FleetEvent, frozen=True, kw_only=True, tag="transfer"):  # SQ-05.16
    ship_fields = ("of", "to")
    variant_of = ("ok", "across", "stays")
    headline_rule = 4

    leader: str  # id of the leader: `BL1`
    of: str = field(name="from")  # the ship that the leader leaves
    to: str  # id of the ship to which the leader goes
    die: int
    ok: bool  # the leader has reached the other ship

    @property
    def sentence_params(self) -> dict[str, Any]:
        return {**structs.asdict(self), "need": TABLES.need.transfer}


class LeaderLost(FleetEvent, frozen=True, kw_only=True, tag="leaderLost"):  # SQ-05.18
    ship_fields = ("ship",)
    harms = "ship"
    continues_line = True
    variant_of = ("to", "deputy", "none")
    weight = 2
    headline_rule = 60

    leader: str  # id of the leader: `BL1`
    ship: str  # the ship with which the leader was lost
    to: str | None  # galley on which a deputy takes over; None if nobody does

    @property
    def sentence_params(self) -> dict[str, Any]:
        return {**structs.asdict(self), "to": self.to or ""}


class SquadronsFormed(FleetEvent, frozen=True, kw_only=True, tag="squadrons_formed"):  # phase B
    shown_in_cases: ClassVar[bool] = False  # `war-galley adjudicate` leaves it out
    squadrons: tuple[Squadron, ...]  # of both sides, with single ships

    @property
    def sentence_params(self) -> dict[str, Any]:
        led = [squadron for squadron in self.squadrons if squadron.number]
        return {"squadrons": tuple(f"{squadron.flagship} ({len(squadron.ships)})" for squadron in led)}

    @property
    def weight(self) -> Weight:  # type: ignore[override] # depends on the outcome
        return 0


class FormingRolled(FleetEvent, frozen=True, kw_only=True, tag="forming_rolled"):  # phase B
    """Admirals are equal, and a die decides which side forms the first squadron (SQ-05.8)."""

    shown_in_cases: ClassVar[bool] = False  # `war-galley adjudicate` leaves it out
    headline_rule = 0

    blue: int  # Blue's die
    red: int  # Red's die

    @property
    def variant(self) -> str:
        return "again" if self.blue == self.red else "B" if self.blue < self.red else "R"


class SquadronActivated(FleetEvent, frozen=True, kw_only=True, tag="squadron_activated"):
    is_heading = True
    variant_of = ("number", "led", "single")

    shown_in_cases: ClassVar[bool] = False  # `war-galley adjudicate` leaves it out
    headline_rule = 0  # the events of its ships make the headlines

    side: FleetSide  # of the squadron
    number: int  # number within the side; 0 for an Individual Squadron
    flagship: str  # the Command Ship, or the only ship
    ships: tuple[str, ...]  # ids of ships that can act

    @property
    def sentence_params(self) -> dict[str, Any]:
        values = structs.asdict(self)
        return values if self.taken else {**values, "ships": order_words.ship_ranges(self.ships)}


class DoubleActivated(FleetEvent, frozen=True, kw_only=True, tag="double_activated"):  # SQ-05.11
    variant_of = ("ok", "both", "one")

    shown_in_cases: ClassVar[bool] = False  # `war-galley adjudicate` leaves it out
    headline_rule = 9

    leader: str  # id of the Admiral who tries it: `BL1`
    flagship: str  # Command Ship of the second squadron
    need: int  # highest die that succeeds
    die: int
    ok: bool  # both squadrons act


class OrdersConfused(FleetEvent, frozen=True, kw_only=True, tag="confused"):  # SQ-05.13
    ship_fields = ("flagship",)
    variant_of = "effect"

    shown_in_cases: ClassVar[bool] = False  # `war-galley adjudicate` leaves it out
    headline_rule = 10

    flagship: str  # Command Ship of the second squadron of a Double Activation
    die: int
    effect: Literal["none", "cruise", "half"]  # `half`: allowances are halved, too

    @property
    def sentence_params(self) -> dict[str, Any]:
        return {**structs.asdict(self), "most": TABLES.confusion.cruise - 1}


CommandEvent = (
    ControlRolled
    | LeaderTransferred
    | LeaderLost
    | SquadronsFormed
    | FormingRolled
    | SquadronActivated
    | DoubleActivated
    | OrdersConfused
)


class ScoreCounted(FleetEvent, frozen=True, kw_only=True, tag="vp"):  # SQ-22
    weight = 0

    blue: int  # victory points of Blue
    red: int  # victory points of Red


class WithdrawalRolled(FleetEvent, frozen=True, kw_only=True, tag="withdraw"):  # SQ-22.7
    variant_of = ("ok", "goes", "stays")
    headline_rule = ("ok", 80, 1)

    side: FleetSide  # that lost its only Admiral
    die: int
    modifiers: tuple[RollModifier, ...] = ()  # of the die; cases and older records do not include them
    total: int  # the die with its modifiers
    ok: bool  # the side withdraws

    @property
    def weight(self) -> Weight:  # type: ignore[override] # depends on the outcome
        return 2 if self.ok else 1

    @property
    def decides_game(self) -> bool:
        return self.ok

    @property
    def sentence_params(self) -> dict[str, Any]:
        sums = _sum_params((self.die,), self.modifiers, self.total - self.die)
        return {**structs.asdict(self), **sums, "need": TABLES.need.withdraw}


class GameEnded(FleetEvent, frozen=True, kw_only=True, tag="end"):
    weight = 3

    winner: FleetSide | Literal["draw"]
    reason: EndReason
    blue: int  # victory points of Blue
    red: int  # victory points of Red
    drawish: bool  # the side that withdrew is ahead on points (SQ-22.7)

    @property
    def variant(self) -> str:
        return f"{self.reason}.drawn" if self.winner == "draw" else self.reason


class TurnBegan(FleetEvent, frozen=True, kw_only=True, tag="turn_began"):
    """A turn begins. The event carries the position, so that the turn can be drawn from its events."""

    shown_in_cases: ClassVar[bool] = False  # `war-galley adjudicate` leaves it out
    weight = 0

    turn: int  # number of the turn, from 1
    position: Position  # when the turn begins


class FleetsRevealed(FleetEvent, frozen=True, kw_only=True, tag="revealed"):  # SQ-23.1
    shown_in_cases: ClassVar[bool] = False  # `war-galley adjudicate` leaves it out
    headline_rule = 2

    blue: str  # Blue's roster in the notation of rosters
    red: str  # Red's roster

    @property
    def sentence_params(self) -> dict[str, Any]:
        return {"blue": roster_texts(self.blue), "red": roster_texts(self.red)}


class SetUpRolled(FleetEvent, frozen=True, kw_only=True, tag="first_rolled"):  # SQ-23.4
    shown_in_cases: ClassVar[bool] = False  # `war-galley adjudicate` leaves it out
    weight = 0

    side: FleetSide  # that rolls
    die: int


class FleetDeployed(FleetEvent, frozen=True, kw_only=True, tag="deployed"):
    variant_of = ("enters", "enters", "placed")

    shown_in_cases: ClassVar[bool] = False  # `war-galley adjudicate` leaves it out
    headline_rule = 2

    side: FleetSide  # that deployed
    position: Position  # with the deployed fleet
    enters: bool  # its ships wait outside and enter over the edge (SQ-23.5)


class WindRose(FleetEvent, frozen=True, kw_only=True, tag="wind_rose"):  # set-up
    """The wind of the first turn, drawn by a die or stated by the scenario."""

    shown_in_cases: ClassVar[bool] = False  # `war-galley adjudicate` leaves it out
    variant_of = ("die", "drawn", "stated")
    headline_rule = 1

    die: int | None  # for its direction; None: the scenario states the wind
    wind: Wind

    @property
    def sentence_params(self) -> dict[str, Any]:
        return {"die": self.die, "strength": self.wind.strength, "direction": self.wind.compass}


class WindChanged(FleetEvent, frozen=True, kw_only=True, tag="wind_changed"):  # phase A
    shown_in_cases: ClassVar[bool] = False  # `war-galley adjudicate` leaves it out
    variant_of = "outcome"
    headline_rule = 1

    dice: TwoDice
    wind: Wind  # from now on
    outcome: Literal["changed", "same", "calm", "still"]  # `calm`: the wind has died away; `still`: it was calm before

    @property
    def sentence_params(self) -> dict[str, Any]:
        wind = self.wind
        return {"sum": (sum_text(self.dice),), "strength": wind.strength, "direction": wind.compass}


class InitiativeRolled(FleetEvent, frozen=True, kw_only=True, tag="initiative_rolled"):  # phase C
    shown_in_cases: ClassVar[bool] = False  # `war-galley adjudicate` leaves it out
    weight = 0

    side: FleetSide  # that rolls
    die: int
    total: int  # the die with the Admiral's Initiative

    @property
    def sentence_params(self) -> dict[str, Any]:
        initiative = self.total - self.die
        modifiers = (RollModifier("initiative", initiative),) if initiative else ()
        return {**structs.asdict(self), **_sum_params((self.die,), modifiers, initiative)}


class InitiativeWon(FleetEvent, frozen=True, kw_only=True, tag="initiative_won"):
    """A side wins the initiative and decides which side goes first (SQ-03.2)."""

    shown_in_cases: ClassVar[bool] = False  # `war-galley adjudicate` leaves it out
    headline_rule = 0

    side: FleetSide  # the side that won
    first: FleetSide  # the side that goes first

    @property
    def variant(self) -> str:
        return "first" if self.side == self.first else "second"


class SpeedSet(FleetEvent, frozen=True, kw_only=True, tag="speed_set"):
    shown_in_cases: ClassVar[bool] = False  # `war-galley adjudicate` leaves it out
    headline_rule = 0

    ships: tuple[str, ...]  # ids
    speed: Speed  # for this turn

    @property
    def variant(self) -> str:
        return "max" if self.speed == "M" else "cruise"


class SidesDrawn(FleetEvent, frozen=True, kw_only=True, tag="sides_drawn"):
    variant_of = ("die", "thrown", "")

    shown_in_cases: ClassVar[bool] = False  # `war-galley adjudicate` leaves it out
    weight = 0

    blue: tuple[Seat, ...]  # seats of Blue's captains
    red: tuple[Seat, ...]  # seats of Red's captains
    die: int  # 0 if no die was rolled


class CaptainConceded(FleetEvent, frozen=True, kw_only=True, tag="gave_up"):  # SQ-22.8
    variant_of = ("heirs", "ally", "")

    shown_in_cases: ClassVar[bool] = False  # `war-galley adjudicate` leaves it out
    may_reveal = False
    headline_rule = 30

    seat: Seat  # of the captain who gave up
    heirs: tuple[Seat, ...]  # allies who take over the ships; empty: the side has lost


PhaseEvent = (
    ScoreCounted
    | WithdrawalRolled
    | GameEnded
    | TurnBegan
    | FleetsRevealed
    | SetUpRolled
    | FleetDeployed
    | WindRose
    | WindChanged
    | InitiativeRolled
    | InitiativeWon
    | SpeedSet
    | SidesDrawn
    | CaptainConceded
)


def natural_roll(event: CutTried | ShipRammed | ShipRaked | ShipGrappled | ShipBoarded) -> int:
    """Return the unmodified sum of the dice of an attempt."""
    return event.die if isinstance(event, CutTried | ShipGrappled) else sum(event.dice)


def needed_roll(event: CutTried | ShipRammed | ShipRaked | ShipGrappled | ShipBoarded) -> int:
    """Return the lowest unmodified roll that succeeds."""
    dice = 1 if isinstance(event, CutTried | ShipGrappled) else 2
    return max(dice, event.need - event.drm)


def _roll_params(event: CutTried | ShipRammed | ShipRaked | ShipGrappled | ShipBoarded) -> dict[str, Any]:
    dice = (event.die,) if isinstance(event, CutTried | ShipGrappled) else event.dice
    goal = Text("needed", {"need": event.need}) if event.need else Text("needed.never")
    return {**structs.asdict(event), **_sum_params(dice, event.modifiers, event.drm), "goal": (goal,)}


def _sum_params(dice: Sequence[int], modifiers: Sequence[RollModifier], modifier: int) -> dict[str, Any]:
    """Return the sum of the dice in short (`rolled`), and with each die and each modifier's cause (`sum`)."""
    causes = [part.text for part in modifiers]
    return {"rolled": (sum_text((sum(dice),), modifier),), "sum": (sum_text(dice, modifier, causes),)}


class BoardingShip(Struct, frozen=True):
    """A galley that boards, and with how much of her manpower."""

    ship: str  # id
    m: int  # manpower that boards


class CutTried(FleetEvent, frozen=True, kw_only=True, tag="cut"):  # SQ-18.1
    ship_fields = ("ship", "of")
    headline_rule = ("ok", 8, 2)
    variant_of = ("ok", "free", "held")

    ship: str  # id of the ship that cuts
    of: str = field(name="from")  # the ship that she cuts loose from
    need: int  # lowest adjusted die that succeeds
    drm: int  # added to the die: a positive number helps to cut
    modifiers: tuple[RollModifier, ...] = ()  # the parts of `drm`; cases and older records do not include them
    die: int
    ok: bool  # the grapple is cut

    @property
    def sentence_params(self) -> dict[str, Any]:
        return _roll_params(self)


class TowersJettisoned(FleetEvent, frozen=True, kw_only=True, tag="jettison"):  # SQ-19.12
    ship_fields = ("ship",)
    headline_rule = 3

    ship: str  # id


class ShotFired(FleetEvent, frozen=True, kw_only=True, tag="fire"):  # SQ-19
    ship_fields = ("by", "target")

    by: str  # the ship that shoots
    target: str  # id of the ship shot at
    reaction: bool  # a shot in return, in the activation of the enemy
    range: int  # hexes to the target
    m: int  # manpower used
    flame: bool  # flame missiles
    drm: int  # added to the die: a positive number helps the shooter
    modifiers: tuple[RollModifier, ...] = ()  # the parts of `drm`; cases and older records do not include them
    die: int
    result: Literal["-", "D", "D/F"]  # `-` none, `D` a Depletion, `D/F` and perhaps a fire

    @property
    def sentence_params(self) -> dict[str, Any]:
        need = next(row.d for row in TABLES.missile.rows if self.m <= row.m)
        return {**structs.asdict(self), **_sum_params((self.die,), self.modifiers, self.drm), "need": need}

    @property
    def variant(self) -> str:
        return f"{'back' if self.reaction else 'shot'}.{'none' if self.result == '-' else 'hit'}"

    @property
    def headline_score(self) -> int:
        return 3 if self.result == "-" else 7

    @property
    def harmed_ship(self) -> str:
        return self.target if self.result != "-" else ""


class IgnitionRolled(FleetEvent, frozen=True, kw_only=True, tag="ignite"):  # SQ-20
    ship_fields = ("ship",)
    continues_line = True
    headline_rule = 5

    ship: str  # id of the ship that may catch fire
    cause: Literal["flame", "pots", "spread"]
    die: int
    ok: bool  # she catches fire

    @property
    def sentence_params(self) -> dict[str, Any]:
        need = {"flame": TABLES.need.ignite, "pots": TABLES.need.pots, "spread": TABLES.need.spread}[self.cause]
        return {**structs.asdict(self), "need": need}

    @property
    def variant(self) -> str:
        return f"{self.cause}.{'lit' if self.ok else 'out'}"

    @property
    def harmed_ship(self) -> str:
        return self.ship if self.ok else ""


class ManpowerLost(FleetEvent, frozen=True, kw_only=True, tag="depleted"):  # SQ-21
    ship_fields = ("ship",)
    harms = "ship"
    headline_rule = 0  # the shot or the boarding makes a better headline

    ship: str  # id
    eff_m: int = field(name="effM")  # effective manpower left

    @property
    def weight(self) -> Weight:  # type: ignore[override] # depends on the outcome
        return 0


class ShipRammed(FleetEvent, frozen=True, kw_only=True, tag="ram"):  # SQ-13
    ship_fields = ("by", "target")
    weight = 2

    by: str  # the ship that rams
    target: str  # id of the ship rammed
    ra: int  # ram attack of the rammer
    rd: int  # ram defence of the target
    need: int  # lowest adjusted roll that rams; 0: none
    drm: int  # added to the dice: a positive number helps the rammer
    modifiers: tuple[RollModifier, ...] = ()  # the parts of `drm`; cases and older records do not include them
    dice: TwoDice
    adjusted: int  # the dice with `drm`, at most 12
    result: Literal["rammed", "collision"]
    dodged: bool | UnsetType = UNSET  # true: the target has dodged the rammer, which reaches her all the same

    @property
    def variant(self) -> str:
        return f"{self.result}.dodged" if self.dodged else self.result

    @property
    def sentence_params(self) -> dict[str, Any]:
        return _roll_params(self)

    @property
    def harmed_ship(self) -> str:
        return self.target if self.result == "rammed" else ""

    @property
    def headline_score(self) -> int:
        return 40 if self.result == "rammed" else 5


class RetractRolled(FleetEvent, frozen=True, kw_only=True, tag="retract"):  # SQ-13.10
    ship_fields = ("ship", "target")
    continues_line = True
    variant_of = "result"
    headline_rule = 2

    ship: str  # id of the rammer
    value: int  # natural roll minus her Crew
    result: Literal["fouled", "back", "stay"]  # `back`: she backs off
    to: str  # her place afterwards: `1512N`
    target: str  # the ship that she rammed; left out of results of `war-galley adjudicate`

    @property
    def sentence_params(self) -> dict[str, Any]:
        return {**structs.asdict(self), "need": TABLES.need.fouled}


class ShipRaked(FleetEvent, frozen=True, kw_only=True, tag="rake"):  # SQ-14
    ship_fields = ("by", "target")
    variant_of = ("ok", "sheared", "missed")
    headline_rule = ("ok", 20, 5)

    by: str  # the ship that rakes
    target: str  # id of the ship raked
    side: Flank  # side of the target whose oars are struck
    need: int  # lowest adjusted roll that cripples; 0: none
    drm: int  # added to the dice: a positive number helps the raker
    modifiers: tuple[RollModifier, ...] = ()  # the parts of `drm`; cases and older records do not include them
    dice: TwoDice
    adjusted: int  # the dice with `drm`, at most 12
    ok: bool  # the target is crippled on that side

    @property
    def sentence_params(self) -> dict[str, Any]:
        return _roll_params(self)

    @property
    def harmed_ship(self) -> str:
        return self.target if self.ok else ""


class ShipGrappled(FleetEvent, frozen=True, kw_only=True, tag="grapple"):  # SQ-16
    ship_fields = ("by", "target")
    variant_of = ("ok", "held", "slipped")
    headline_rule = ("ok", 16, 4)

    by: str  # the ship that grapples
    target: str  # id of the ship grappled
    need: int  # lowest adjusted die that succeeds
    drm: int  # added to the die: a positive number helps the grappler
    modifiers: tuple[RollModifier, ...] = ()  # the parts of `drm`; cases and older records do not include them
    die: int
    ok: bool  # the grapple holds

    @property
    def sentence_params(self) -> dict[str, Any]:
        return _roll_params(self)


class ShipBoarded(FleetEvent, frozen=True, kw_only=True, tag="board"):  # SQ-17
    weight = 2

    target: str  # id of the ship boarded
    by: tuple[BoardingShip, ...]  # galleys that board
    m: int  # manpower of all boarders together
    need: int  # lowest adjusted roll that captures; 0: none
    drm: int  # added to the dice: a positive number helps the boarders
    modifiers: tuple[RollModifier, ...] = ()  # the parts of `drm`; cases and older records do not include them
    dice: TwoDice
    adjusted: int  # the dice with `drm`, at most 12
    result: Literal["captured", "repulsed"]

    @property
    def sentence_params(self) -> dict[str, Any]:
        return {**_roll_params(self), "by": tuple(boarder.ship for boarder in self.by)}

    @property
    def ship_ids(self) -> tuple[str, ...]:
        return (*(boarder.ship for boarder in self.by), self.target)

    @property
    def captured_ship(self) -> str:
        return self.target if self.result == "captured" else ""

    @property
    def variant(self) -> str:
        return f"{self.result}.{'one' if len(self.by) == 1 else 'several'}"

    @property
    def headline_score(self) -> int:
        return 50 if self.result == "captured" else 15


class UnfoulTried(FleetEvent, frozen=True, kw_only=True, tag="unfoul"):  # SQ-18.5
    ship_fields = ("ship", "of")
    headline_rule = ("ok", 8, 2)

    ship: str  # id of the ship that tries
    of: str = field(name="from")  # the ship with which she is fouled
    need: int  # lowest die that succeeds
    die: int
    ok: bool  # the ships come apart
    still_grappled: bool = False  # the ships come apart but remain grappled
    rammed: bool = False  # whether the ship that tries had rammed the other

    @property
    def variant(self) -> str:
        if not self.ok:
            return "held"
        if not self.still_grappled:
            return "free"
        return "grappled.rammer" if self.rammed else "grappled"


class FireFought(FleetEvent, frozen=True, kw_only=True, tag="firefight"):  # SQ-20.5
    ship_fields = ("ship",)
    variant_of = "effect"
    headline_rule = 9

    ship: str  # id of the burning ship
    die: int
    effect: Literal["out", "burns", "depleted", "spread", "burnt"]

    @property
    def sentence_params(self) -> dict[str, Any]:
        return {**structs.asdict(self), "most": sum(effect == "out" for effect in TABLES.firefight.rows)}


class SinkRolled(FleetEvent, frozen=True, kw_only=True, tag="sinkRoll"):  # SQ-22.9
    ship_fields = ("ship",)
    variant_of = ("sinks", "sinks", "floats")
    headline_rule = 2

    ship: str  # id of a rammed ship
    die: int
    sinks: bool  # she sinks at once; False: she floats on

    @property
    def sentence_params(self) -> dict[str, Any]:
        return {**structs.asdict(self), "need": TABLES.need.sinks}


class ShipSunk(FleetEvent, frozen=True, kw_only=True, tag="sunk"):  # SQ-22.9
    ship_fields = ("ship",)
    harms = "ship"
    weight = 2
    headline_rule = 70

    ship: str  # id of the sunk ship
    cause: Literal["sinks", "burnt", "chain", "wrecked"]
    """`sinks`: after a sink roll; `burnt`: by fire; `chain`: see SQ-22.9; `wrecked`: aground (SQ-06.14)."""
    holder: str = ""  # of a chain: the ship that drags her down; empty in older records
    link: Literal["", "grappled", "fouled"] = ""  # how the two are linked

    @property
    def variant(self) -> str:
        if self.cause != "chain" or not self.link:
            return self.cause
        return "chain.grappled" if self.link == "grappled" else "chain.fouled"


class ReactionRolled(FleetEvent, frozen=True, kw_only=True, tag="reaction_rolled"):  # SQ-12.1
    ship_fields = ("ship", "by")
    variant_of = ("ok", "rams", "late")

    shown_in_cases: ClassVar[bool] = False  # `war-galley adjudicate` leaves it out
    headline_rule = 5

    ship: str  # the ship that tries a reaction ram
    by: str  # the enemy ship that she reacts to
    die: int
    crew: int  # her Crew; the die must not exceed it
    ok: bool  # she may ram


class PointsRewarded(FleetEvent, frozen=True, kw_only=True, tag="rewarded"):
    ship_fields = ("ship",)
    continues_line = True
    shown_in_cases: ClassVar[bool] = False  # `war-galley adjudicate` leaves it out
    headline_rule = 20

    side: FleetSide  # that gets the points
    points: int  # victory points beyond those for ships
    ship: str  # the ship that earned them


FightEvent = (
    CutTried
    | TowersJettisoned
    | ShotFired
    | IgnitionRolled
    | ManpowerLost
    | ShipRammed
    | RetractRolled
    | ShipRaked
    | ShipGrappled
    | ShipBoarded
    | UnfoulTried
    | FireFought
    | SinkRolled
    | ShipSunk
    | ReactionRolled
    | PointsRewarded
)


GameEvent = MovementEvent | CommandEvent | FightEvent | PhaseEvent

_EVENTS_WITH_RULE: Final = ("stopped", "skipped")
_COMMON_FIELDS: Final = ("rule", "seen_by", "taken")
_HIDDEN_FIELDS: Final = {
    (RetractRolled, "target"),
    (FatigueRolled, "crew"),
    (UnfoulTried, "still_grappled"),
    (UnfoulTried, "rammed"),
    (ShipSunk, "holder"),
    (ShipSunk, "link"),
    *(
        (kind, "modifiers")
        for kind in (
            FatigueRolled,
            CutTried,
            ShotFired,
            ShipRammed,
            ShipRaked,
            ShipGrappled,
            ShipBoarded,
            WithdrawalRolled,
        )
    ),
}


def event_to_json(event: Event) -> dict[str, Any]:
    """Return an event as cases show it: its type and fields."""
    fields: dict[str, Any] = {
        key: list(value) if isinstance(value, tuple) else value for key, value in msgspec.to_builtins(event).items()
    }
    shows_rule = fields["type"] in _EVENTS_WITH_RULE
    rule = fields["rule"]
    for key in (*_COMMON_FIELDS, *(key for kind, key in _HIDDEN_FIELDS if isinstance(event, kind))):
        del fields[key]
    return {**fields, "rule": rule} if shows_rule else fields
