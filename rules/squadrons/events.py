"""What can happen in the fleet game (SQ 10.6, and what no case shows). Chat tells it and pictures draw it from these.

Ships are named by id, places as `1512N`, sides by letter. `rule` and `seen_by` come from the house; cases show the rule
of `stopped` and `skipped` alone.
"""

from __future__ import annotations

from typing import Any, ClassVar, Final, Literal

import msgspec
from msgspec import Struct, field, structs

from rules.protocol import Event, Seat
from rules.squadrons.grid import FACINGS
from rules.squadrons.orders import Flank, Side, Speed
from rules.squadrons.state import Position, Squadron, Wind
from rules.squadrons.tables import TABLES
from rules.view import Text

Weight = Literal[0, 1, 2, 3]
Dice2 = tuple[int, int]
"""Two dice."""
EndReason = Literal["withdrawal", "target", "eliminated", "unreachable", "limit", "conceded", "agreed", "claimed"]
"""The first five are those of cases; the others are captains' own doing."""

BARRED: Final = frozenset(
    {
        "SQ-05.9",
        "SQ-05.15",
        "SQ-06.1",
        "SQ-06.4",
        "SQ-06.5",
        "SQ-06.6",
        "SQ-06.7",
        "SQ-06.9",
        "SQ-06.11",
        "SQ-06.12",
        "SQ-06.16",
        "SQ-08.1",
        "SQ-13.2",
        "SQ-13.3",
        "SQ-13.4",
        "SQ-13.14",
        "SQ-14.1",
        "SQ-14.2",
        "SQ-14.3",
        "SQ-14.11",
        "SQ-14.12",
        "SQ-14.13",
        "SQ-15.1",
        "SQ-15.2",
        "SQ-15.3",
        "SQ-15.4",
        "SQ-15.10",
        "SQ-16.1",
        "SQ-16.3",
        "SQ-16.4",
        "SQ-17.1",
        "SQ-17.3",
        "SQ-17.4",
        "SQ-17.5",
        "SQ-18.1",
        "SQ-19.1",
        "SQ-19.2",
        "SQ-19.3",
        "SQ-19.4",
        "SQ-19.7",
        "SQ-19.12",
        "SQ-19.14",
        "SQ-19.16",
        "SQ-20.1",
        "SQ-20.3",
    }
)
"""Rules whose reason is told in words; of any other it is said that it is not possible."""


class FleetEvent(Event, frozen=True, kw_only=True):
    """Base of all of them: of ships that were taken it says whose they are, as their letter is still the old one."""

    taken: tuple[str, ...] = ()
    """Ships that it names and that the enemy of their builders holds."""

    @property
    def values(self) -> dict[str, Any]:
        """What its sentence may name, before it is said whose ships are."""
        return structs.asdict(self)

    @property
    def told(self) -> dict[str, Any]:
        """The same, with whose ships are that were taken."""
        values = self.values
        return {key: _owned(value, self.taken) for key, value in values.items()} if self.taken else values


def _owned(value: object, taken: tuple[str, ...]) -> object:
    match value:
        case str() if value in taken:
            return (_whose(value),)
        case tuple():
            return tuple(_whose(one) if one in taken else one for one in value)
    return value


def _whose(ship: str) -> Text:
    return Text("ship.taken", {"ship": ship, "side": "R" if ship.startswith("B") else "B"})


def barred(rule: str) -> str:
    """The reason for a rule, as `barred.<reason>` in the catalogues."""
    return rule if rule in BARRED else "other"


class Boarder(Struct, frozen=True):
    """A galley that boards, and with how much of her manpower."""

    ship: str
    m: int


class Is(FleetEvent, frozen=True, kw_only=True, tag="is"):
    """An Individual Squadron rolls for control (SQ-05.9)."""

    weight: ClassVar[Weight] = 0
    ship: str
    die: int
    crew: int
    ok: bool

    @property
    def variant(self) -> str:
        """Whether she obeys."""
        return "ok" if self.ok else "loose"


class CutLoose(FleetEvent, frozen=True, kw_only=True, tag="cut"):
    """A galley tries to get free of a grapple (SQ-18.1)."""

    ship: str
    of: str = field(name="from")
    """From whom."""
    need: int
    drm: int
    die: int
    ok: bool

    @property
    def variant(self) -> str:
        """Whether she gets free."""
        return "free" if self.ok else "held"

    @property
    def news(self) -> int:
        """How good a headline it makes."""
        return 8 if self.ok else 2


class Jettisoned(FleetEvent, frozen=True, kw_only=True, tag="jettison"):
    """A galley throws her towers overboard (SQ-19.12)."""

    ship: str

    @property
    def news(self) -> int:
        """How good a headline it makes."""
        return 3


class Transferred(FleetEvent, frozen=True, kw_only=True, tag="transfer"):
    """A leader tries to go to another galley (SQ-05.16)."""

    leader: str
    of: str = field(name="from")
    """From which ship."""
    to: str
    die: int
    ok: bool

    @property
    def variant(self) -> str:
        """Whether he gets across."""
        return "across" if self.ok else "stays"

    @property
    def news(self) -> int:
        """How good a headline it makes."""
        return 4


class Moved(FleetEvent, frozen=True, kw_only=True, tag="moved"):
    """A galley has moved one hex or hexside; a pass and an anastrophe are one."""

    weight: ClassVar[Weight] = 0
    ship: str
    step: str
    """Canonical."""
    to: str
    """Her place then."""
    mp: int
    """Used so far."""


class Exited(FleetEvent, frozen=True, kw_only=True, tag="exited"):
    """A galley has left the map (SQ-06.16)."""

    ship: str
    mp: int

    @property
    def news(self) -> int:
        """How good a headline it makes."""
        return 10


class Avoided(FleetEvent, frozen=True, kw_only=True, tag="avoid"):
    """A galley tries to avoid one that comes near (SQ-10)."""

    ship: str
    by: str
    """Whom."""
    die: int
    crew: int
    ok: bool
    to: str | None
    """Her place then; None: where she was."""

    @property
    def variant(self) -> str:
        """Whether she gets away."""
        return "away" if self.ok else "caught"

    @property
    def news(self) -> int:
        """How good a headline it makes."""
        return 12 if self.ok else 2


class Missed(FleetEvent, frozen=True, kw_only=True, tag="missed"):
    """A declared attack finds nobody: the target has avoided it (SQ-10.9)."""

    by: str
    target: str
    attack: Literal["ram", "ana", "X", "grap"]

    @property
    def variant(self) -> str:
        """What was declared."""
        return self.attack

    @property
    def news(self) -> int:
        """How good a headline it makes."""
        return 6


class Fired(FleetEvent, frozen=True, kw_only=True, tag="fire"):
    """One shot, or the answer to it (SQ-19)."""

    by: str
    target: str
    reaction: bool
    range: int
    m: int
    """Manpower used."""
    flame: bool
    drm: int
    die: int
    result: Literal["-", "D", "D/F"]

    @property
    def variant(self) -> str:
        """Whether anybody falls, and who began."""
        return f"{'back' if self.reaction else 'shot'}.{'none' if self.result == '-' else 'hit'}"

    @property
    def news(self) -> int:
        """How good a headline it makes."""
        return 3 if self.result == "-" else 7


class Ignited(FleetEvent, frozen=True, kw_only=True, tag="ignite"):
    """Whether a galley catches fire (SQ-20)."""

    ship: str
    cause: Literal["flame", "pots", "spread"]
    die: int
    ok: bool

    @property
    def news(self) -> int:
        """How good a headline it makes."""
        return 5

    @property
    def variant(self) -> str:
        """By what, and whether she burns."""
        return f"{self.cause}.{'lit' if self.ok else 'out'}"


class Depleted(FleetEvent, frozen=True, kw_only=True, tag="depleted"):
    """A galley has lost one of her manpower (SQ-21)."""

    ship: str
    eff_m: int = field(name="effM")
    """What is left."""

    @property
    def news(self) -> int:
        """The shot or the fight tells it better."""
        return 0

    @property
    def weight(self) -> Weight:  # type: ignore[override] # it hangs on what came of it
        """Its cause tells it."""
        return 0


class Rammed(FleetEvent, frozen=True, kw_only=True, tag="ram"):
    """A ram (SQ-13)."""

    weight: ClassVar[Weight] = 2
    by: str
    target: str
    ra: int
    rd: int
    need: int
    drm: int
    dice: Dice2
    adjusted: int
    """At most 12."""
    result: Literal["rammed", "collision"]

    @property
    def news(self) -> int:
        """How good a headline it makes."""
        return 40

    @property
    def values(self) -> dict[str, Any]:
        """With each die."""
        return {**structs.asdict(self), "first": self.dice[0], "second": self.dice[1]}

    @property
    def variant(self) -> str:
        """What came of it."""
        return self.result


class Retracted(FleetEvent, frozen=True, kw_only=True, tag="retract"):
    """Whether the rammer gets free (SQ-13.10)."""

    ship: str
    value: int
    """The natural roll less her Crew."""
    result: Literal["fouled", "back", "stay"]
    to: str
    """Her place then."""

    @property
    def variant(self) -> str:
        """What came of it."""
        return self.result

    @property
    def news(self) -> int:
        """How good a headline it makes."""
        return 2


class Raked(FleetEvent, frozen=True, kw_only=True, tag="rake"):
    """A rake (SQ-14)."""

    by: str
    target: str
    side: Flank
    need: int
    drm: int
    dice: Dice2
    adjusted: int
    """At most 12."""
    ok: bool

    @property
    def news(self) -> int:
        """How good a headline it makes."""
        return 20

    @property
    def values(self) -> dict[str, Any]:
        """With each die."""
        return {**structs.asdict(self), "first": self.dice[0], "second": self.dice[1]}

    @property
    def variant(self) -> str:
        """Whether oars break."""
        return "sheared" if self.ok else "missed"


class Grappled(FleetEvent, frozen=True, kw_only=True, tag="grapple"):
    """A grapple (SQ-16)."""

    by: str
    target: str
    need: int
    drm: int
    die: int
    ok: bool

    @property
    def news(self) -> int:
        """How good a headline it makes."""
        return 15

    @property
    def variant(self) -> str:
        """Whether the hooks hold."""
        return "held" if self.ok else "slipped"


class Fatigued(FleetEvent, frozen=True, kw_only=True, tag="fatigue"):
    """What rowing hard has cost (SQ-09)."""

    ship: str
    mp: int
    drm: int
    die: int | None
    """None: row 7A."""
    result: int
    """Level; 0: none."""

    @property
    def variant(self) -> str:
        """Whether the crew is tired."""
        return "tired" if self.result else "fresh"

    @property
    def weight(self) -> Weight:  # type: ignore[override] # it hangs on what came of it
        """Who is not tired is not told of."""
        return 1 if self.result else 0

    @property
    def news(self) -> int:
        """How good a headline it makes."""
        return 4 if self.result else 0


class Stopped(FleetEvent, frozen=True, kw_only=True, tag="stopped"):
    """A step could not be carried out; `rule` says why."""

    ship: str
    step: str
    """Canonical."""

    @property
    def values(self) -> dict[str, Any]:
        """With the reason."""
        return {**structs.asdict(self), "why": barred(self.rule)}

    @property
    def news(self) -> int:
        """How good a headline it makes."""
        return 0


class Boarded(FleetEvent, frozen=True, kw_only=True, tag="board"):
    """A boarding (SQ-17)."""

    weight: ClassVar[Weight] = 2
    target: str
    by: tuple[Boarder, ...]
    m: int
    """Of all of them."""
    need: int
    drm: int
    dice: Dice2
    adjusted: int
    """At most 12."""
    result: Literal["captured", "repulsed"]

    @property
    def news(self) -> int:
        """How good a headline it makes."""
        return 50

    @property
    def values(self) -> dict[str, Any]:
        """With each die, and the boarders."""
        return {
            **structs.asdict(self),
            "by": tuple(one.ship for one in self.by),
            "first": self.dice[0],
            "second": self.dice[1],
        }

    @property
    def variant(self) -> str:
        """What came of it, and whether one ship boards or several."""
        return f"{self.result}.{'one' if len(self.by) == 1 else 'several'}"


class Skipped(FleetEvent, frozen=True, kw_only=True, tag="skipped"):
    """A boarding order could not be carried out; `rule` says why."""

    target: str

    @property
    def values(self) -> dict[str, Any]:
        """With the reason."""
        return {**structs.asdict(self), "why": barred(self.rule)}

    @property
    def news(self) -> int:
        """How good a headline it makes."""
        return 0


class LeaderLost(FleetEvent, frozen=True, kw_only=True, tag="leaderLost"):
    """A leader is lost with his ship (SQ-05.18)."""

    weight: ClassVar[Weight] = 2
    leader: str
    ship: str
    to: str | None
    """The galley on which a deputy takes his place."""

    @property
    def news(self) -> int:
        """How good a headline it makes."""
        return 60

    @property
    def values(self) -> dict[str, Any]:
        """With the ship of the deputy."""
        return {**structs.asdict(self), "to": self.to or ""}

    @property
    def variant(self) -> str:
        """Whether a deputy takes his place."""
        return "deputy" if self.to else "none"


class Unfouled(FleetEvent, frozen=True, kw_only=True, tag="unfoul"):
    """A galley tries to get free of one that she is Fouled with (SQ-18.5)."""

    ship: str
    of: str = field(name="from")
    """From whom."""
    need: int
    die: int
    ok: bool

    @property
    def variant(self) -> str:
        """Whether they part."""
        return "free" if self.ok else "held"

    @property
    def news(self) -> int:
        """How good a headline it makes."""
        return 8 if self.ok else 2


class Firefight(FleetEvent, frozen=True, kw_only=True, tag="firefight"):
    """A crew fights the fire (SQ-20.5)."""

    ship: str
    die: int
    effect: Literal["out", "burns", "depleted", "spread", "burnt"]

    @property
    def variant(self) -> str:
        """What the fire does."""
        return self.effect

    @property
    def news(self) -> int:
        """How good a headline it makes."""
        return 9


class Recovered(FleetEvent, frozen=True, kw_only=True, tag="recovered"):
    """A crew recovers (SQ-09.7)."""

    weight: ClassVar[Weight] = 0
    ship: str
    fatigue: int
    """New level; 0: none."""

    @property
    def variant(self) -> str:
        """How far."""
        return "better" if self.fatigue else "fresh"


class SinkRolled(FleetEvent, frozen=True, kw_only=True, tag="sinkRoll"):
    """Whether a rammed galley goes down (SQ-22.9)."""

    ship: str
    die: int
    sinks: bool

    @property
    def variant(self) -> str:
        """Whether she goes down."""
        return "sinks" if self.sinks else "floats"

    @property
    def news(self) -> int:
        """How good a headline it makes."""
        return 2


class Sunk(FleetEvent, frozen=True, kw_only=True, tag="sunk"):
    """A galley is gone."""

    weight: ClassVar[Weight] = 2
    ship: str
    cause: Literal["sinks", "burnt", "chain"]

    @property
    def news(self) -> int:
        """How good a headline it makes."""
        return 70

    @property
    def variant(self) -> str:
        """Why."""
        return self.cause


class Scored(FleetEvent, frozen=True, kw_only=True, tag="vp"):
    """Victory points at the end of a turn (SQ-22)."""

    weight: ClassVar[Weight] = 0
    blue: int
    red: int


class Withdrawal(FleetEvent, frozen=True, kw_only=True, tag="withdraw"):
    """Whether a fleet without its Admiral withdraws (SQ-22.7)."""

    side: Side
    die: int
    total: int
    ok: bool

    @property
    def weight(self) -> Weight:  # type: ignore[override] # it hangs on what came of it
        """A fleet that fights on is no turn of the battle."""
        return 2 if self.ok else 1

    @property
    def news(self) -> int:
        """How good a headline it makes."""
        return 80 if self.ok else 1

    @property
    def values(self) -> dict[str, Any]:
        """With what is added to the die, and the least total at which it goes."""
        return {**structs.asdict(self), "more": self.total - self.die, "need": TABLES.need.withdraw}

    @property
    def variant(self) -> str:
        """Whether it goes."""
        return "goes" if self.ok else "stays"


class End(FleetEvent, frozen=True, kw_only=True, tag="end"):
    """The battle is over."""

    weight: ClassVar[Weight] = 3
    winner: Side | Literal["draw"]
    reason: EndReason
    blue: int
    red: int
    drawish: bool

    @property
    def variant(self) -> str:
        """Why, and whether anybody has won."""
        return f"{self.reason}.drawn" if self.winner == "draw" else self.reason


# --- what no case shows -----------------------------------------------------------------------------------------------


class TurnBegan(FleetEvent, frozen=True, kw_only=True, tag="turn_began"):
    """A turn begins; with all that lies on the map, so that it can be drawn from its events."""

    weight: ClassVar[Weight] = 0
    turn: int
    position: Position


class Revealed(FleetEvent, frozen=True, kw_only=True, tag="revealed"):
    """Both fleets are built (D-1)."""

    blue: str
    """In the notation of fleets."""
    red: str

    @property
    def news(self) -> int:
        """How good a headline it makes."""
        return 2


class FirstRolled(FleetEvent, frozen=True, kw_only=True, tag="first_rolled"):
    """A die for the Initiative of the set-up (SQ-23.4)."""

    weight: ClassVar[Weight] = 0
    side: Side
    die: int


class Deployed(FleetEvent, frozen=True, kw_only=True, tag="deployed"):
    """A fleet is placed, or will enter in the first turn."""

    side: Side
    position: Position
    """With the fleet."""
    enters: bool

    @property
    def variant(self) -> str:
        """Placed, or still to come."""
        return "enters" if self.enters else "placed"

    @property
    def news(self) -> int:
        """How good a headline it makes."""
        return 2


class WindChanged(FleetEvent, frozen=True, kw_only=True, tag="wind_changed"):
    """The wind after its dice (phase A)."""

    dice: Dice2
    wind: Wind

    @property
    def values(self) -> dict[str, Any]:
        """With each die, and how it blows."""
        first, second = self.dice
        wind = self.wind
        return {"first": first, "second": second, "strength": wind.strength, "direction": FACINGS[wind.direction % 6]}

    @property
    def news(self) -> int:
        """How good a headline it makes."""
        return 1


class SquadronsFormed(FleetEvent, frozen=True, kw_only=True, tag="squadrons_formed"):
    """The squadrons of both sides (phase B)."""

    squadrons: tuple[Squadron, ...]

    @property
    def values(self) -> dict[str, Any]:
        """With the squadrons that have a leader."""
        led = [one for one in self.squadrons if one.number]
        return {"squadrons": tuple(f"{one.flagship} ({len(one.ships)})" for one in led)}

    @property
    def weight(self) -> Weight:  # type: ignore[override] # it hangs on what came of it
        """The squadrons tell it when they act."""
        return 0


class InitiativeRolled(FleetEvent, frozen=True, kw_only=True, tag="initiative_rolled"):
    """A die of phase C."""

    weight: ClassVar[Weight] = 0
    side: Side
    die: int
    total: int


class InitiativeWon(FleetEvent, frozen=True, kw_only=True, tag="initiative_won"):
    """Who has won the initiative, and who goes first (D-5)."""

    side: Side
    first: Side

    @property
    def variant(self) -> str:
        """Who goes first."""
        return "first" if self.side == self.first else "second"

    @property
    def news(self) -> int:
        """How good a headline it makes."""
        return 0


class SpeedSet(FleetEvent, frozen=True, kw_only=True, tag="speed_set"):
    """The speed of galleys that changed it, in phase D."""

    ships: tuple[str, ...]
    speed: Speed

    @property
    def variant(self) -> str:
        """Which."""
        return "max" if self.speed == "M" else "cruise"

    @property
    def news(self) -> int:
        """How good a headline it makes."""
        return 0


class SquadronActivated(FleetEvent, frozen=True, kw_only=True, tag="squadron_activated"):
    """A squadron is activated."""

    side: Side
    number: int
    """0: an Individual Squadron."""
    flagship: str
    """Its Command Ship, or its only ship."""
    ships: tuple[str, ...]

    @property
    def variant(self) -> str:
        """Under a leader, or by herself."""
        return "led" if self.number else "single"

    @property
    def weight(self) -> Weight:  # type: ignore[override] # it hangs on what came of it
        """A squadron of many is a part of the story."""
        return 1 if self.number else 0

    @property
    def news(self) -> int:
        """None: what it does does."""
        return 0


class Berth(Struct, frozen=True):
    """Where a ship has come to lie."""

    ship: str
    to: str
    """The label of her bow's hex."""


class Rowed(FleetEvent, frozen=True, kw_only=True, tag="rowed"):
    """What those ships of a squadron did of which nothing else is told."""

    ships: tuple[Berth, ...]
    stayed: tuple[str, ...]

    @property
    def values(self) -> dict[str, Any]:
        """With a sentence for each that has rowed."""
        berths = tuple(Text("ship.rowed", {"ship": one.ship, "to": one.to}) for one in self.ships)
        return {"ships": berths, "stayed": self.stayed}

    @property
    def variant(self) -> str:
        """Whether they rowed, stayed, or some did this and some that."""
        return "both" if self.ships and self.stayed else "rowed" if self.ships else "stayed"

    @property
    def news(self) -> int:
        """None: all that is worth one is told of others."""
        return 0


class DoubleActivated(FleetEvent, frozen=True, kw_only=True, tag="double_activated"):
    """Whether two squadrons act at once (SQ-05.11)."""

    leader: str
    """The Admiral."""
    flagship: str
    """Of the other squadron."""
    need: int
    """Most on the die."""
    die: int
    ok: bool

    @property
    def variant(self) -> str:
        """Whether it works."""
        return "both" if self.ok else "one"

    @property
    def news(self) -> int:
        """How good a headline it makes."""
        return 9


class Confused(FleetEvent, frozen=True, kw_only=True, tag="confused"):
    """Orders are confused (SQ-05.13)."""

    flagship: str
    die: int
    effect: Literal["none", "cruise", "half"]

    @property
    def news(self) -> int:
        """How good a headline it makes."""
        return 10

    @property
    def variant(self) -> str:
        """How much."""
        return self.effect


class Sailed(FleetEvent, frozen=True, kw_only=True, tag="sailed"):
    """Sails go up or down (SQ-08.1)."""

    weight: ClassVar[Weight] = 0
    ship: str
    up: bool

    @property
    def variant(self) -> str:
        """Up or down."""
        return "up" if self.up else "down"


class MastDown(FleetEvent, frozen=True, kw_only=True, tag="mast_down"):
    """A galley under sail has lost her mast (SQ-08.4); up: it is cleared away."""

    ship: str
    cleared: bool

    @property
    def variant(self) -> str:
        """Lost, or cleared away."""
        return "cleared" if self.cleared else "lost"

    @property
    def news(self) -> int:
        """How good a headline it makes."""
        return 9


class Grounded(FleetEvent, frozen=True, kw_only=True, tag="grounded"):
    """A galley has run aground (SQ-06.13)."""

    weight: ClassVar[Weight] = 2
    ship: str
    mp: int

    @property
    def news(self) -> int:
        """How good a headline it makes."""
        return 40


class GroundRolled(FleetEvent, frozen=True, kw_only=True, tag="ground_rolled"):
    """A galley aground tries to get off (SQ-06.14)."""

    ship: str
    die: int
    crew: int
    result: Literal["freed", "stays", "wrecked"]
    to: str | None
    """Her place then."""

    @property
    def values(self) -> dict[str, Any]:
        """With where she lies."""
        return {**structs.asdict(self), "to": self.to or ""}

    @property
    def variant(self) -> str:
        """What came of it."""
        return self.result

    @property
    def news(self) -> int:
        """How good a headline it makes."""
        return 8


class ReactionRolled(FleetEvent, frozen=True, kw_only=True, tag="reaction_rolled"):
    """A galley tries to ram one that crosses her bow (SQ-12.1)."""

    ship: str
    by: str
    """Who crosses it."""
    die: int
    crew: int
    ok: bool

    @property
    def variant(self) -> str:
        """Whether she may."""
        return "rams" if self.ok else "late"

    @property
    def news(self) -> int:
        """How good a headline it makes."""
        return 5


class Restored(FleetEvent, frozen=True, kw_only=True, tag="restored"):
    """A leader has his full ratings again (SQ-05.17)."""

    weight: ClassVar[Weight] = 0
    leader: str


class Rewarded(FleetEvent, frozen=True, kw_only=True, tag="rewarded"):
    """A side gains points of a scenario."""

    side: Side
    points: int
    ship: str

    @property
    def news(self) -> int:
        """How good a headline it makes."""
        return 20


class SidesDrawn(FleetEvent, frozen=True, kw_only=True, tag="sides_drawn"):
    """Who has which fleet."""

    weight: ClassVar[Weight] = 0
    blue: tuple[Seat, ...]
    red: tuple[Seat, ...]
    die: int
    """0: it was not thrown."""

    @property
    def variant(self) -> str:
        """Whether the die decided."""
        return "thrown" if self.die else ""


class GaveUp(FleetEvent, frozen=True, kw_only=True, tag="gave_up"):
    """A captain has given up (SQ-22.8)."""

    seat: Seat
    heirs: tuple[Seat, ...]
    """Allies who take over his ships."""

    @property
    def variant(self) -> str:
        """Whether he has any."""
        return "ally" if self.heirs else ""

    @property
    def news(self) -> int:
        """How good a headline it makes."""
        return 30


BattleEvent = (
    Is
    | CutLoose
    | Jettisoned
    | Transferred
    | Moved
    | Exited
    | Avoided
    | Missed
    | Fired
    | Ignited
    | Depleted
    | Rammed
    | Retracted
    | Raked
    | Grappled
    | Fatigued
    | Stopped
    | Boarded
    | Skipped
    | LeaderLost
    | Unfouled
    | Firefight
    | Recovered
    | SinkRolled
    | Sunk
    | Scored
    | Withdrawal
    | End
    | TurnBegan
    | Revealed
    | FirstRolled
    | Deployed
    | WindChanged
    | SquadronsFormed
    | InitiativeRolled
    | InitiativeWon
    | SpeedSet
    | SquadronActivated
    | Rowed
    | DoubleActivated
    | Confused
    | Sailed
    | MastDown
    | Grounded
    | GroundRolled
    | ReactionRolled
    | Restored
    | Rewarded
    | SidesDrawn
    | GaveUp
)
"""All of them."""

OF_CASES: Final[tuple[type[Event], ...]] = (
    Is,
    CutLoose,
    Jettisoned,
    Transferred,
    Moved,
    Exited,
    Avoided,
    Missed,
    Fired,
    Ignited,
    Depleted,
    Rammed,
    Retracted,
    Raked,
    Grappled,
    Fatigued,
    Stopped,
    Boarded,
    Skipped,
    LeaderLost,
    Unfouled,
    Firefight,
    Recovered,
    SinkRolled,
    Sunk,
    Scored,
    Withdrawal,
    End,
)
"""Those of 10.6."""
_RULED: Final = ("stopped", "skipped")
_HOUSE: Final = ("rule", "seen_by", "taken")


def tell(event: Event) -> dict[str, Any]:
    """An event as cases show it: its type and exactly the fields of 10.6."""
    told: dict[str, Any] = {
        key: list(value) if isinstance(value, tuple) else value for key, value in msgspec.to_builtins(event).items()
    }
    ruled = told["type"] in _RULED
    rule = told["rule"]
    for key in _HOUSE:
        del told[key]
    return {**told, "rule": rule} if ruled else told
