"""What can happen in the fleet game (SQ 10.6, and what no case shows). Chat tells it and pictures draw it from these.

Ships are named by id, places as `1512N`, sides by letter. `rule` and `seen_by` come from the house; cases show the rule
of `stopped` and `skipped` alone.
"""

from __future__ import annotations

from typing import Any, ClassVar, Final, Literal

import msgspec
from msgspec import Struct, field

from rules.protocol import Event
from rules.squadrons.orders import Flank, Side, Speed
from rules.squadrons.state import Position, Squadron, Wind

Weight = Literal[0, 1, 2, 3]
Dice2 = tuple[int, int]
"""Two dice."""
EndReason = Literal["withdrawal", "target", "eliminated", "unreachable", "limit", "conceded", "agreed", "claimed"]
"""The first five are those of cases; the others are captains' own doing."""


class Boarder(Struct, frozen=True):
    """A galley that boards, and with how much of her manpower."""

    ship: str
    m: int


class Is(Event, frozen=True, kw_only=True, tag="is"):
    """An Individual Squadron rolls for control (SQ-05.9)."""

    weight: ClassVar[Weight] = 0
    ship: str
    die: int
    crew: int
    ok: bool


class CutLoose(Event, frozen=True, kw_only=True, tag="cut"):
    """A galley tries to get free of a grapple (SQ-18.1)."""

    ship: str
    of: str = field(name="from")
    """From whom."""
    need: int
    drm: int
    die: int
    ok: bool


class Jettisoned(Event, frozen=True, kw_only=True, tag="jettison"):
    """A galley throws her towers overboard (SQ-19.12)."""

    ship: str


class Transferred(Event, frozen=True, kw_only=True, tag="transfer"):
    """A leader tries to go to another galley (SQ-05.16)."""

    leader: str
    of: str = field(name="from")
    """From which ship."""
    to: str
    die: int
    ok: bool


class Moved(Event, frozen=True, kw_only=True, tag="moved"):
    """A galley has moved one hex or hexside; a pass and an anastrophe are one."""

    weight: ClassVar[Weight] = 0
    ship: str
    step: str
    """Canonical."""
    to: str
    """Her place then."""
    mp: int
    """Used so far."""


class Exited(Event, frozen=True, kw_only=True, tag="exited"):
    """A galley has left the map (SQ-06.16)."""

    ship: str
    mp: int


class Avoided(Event, frozen=True, kw_only=True, tag="avoid"):
    """A galley tries to avoid one that comes near (SQ-10)."""

    ship: str
    by: str
    """Whom."""
    die: int
    crew: int
    ok: bool
    to: str | None
    """Her place then; None: where she was."""


class Missed(Event, frozen=True, kw_only=True, tag="missed"):
    """A declared attack finds nobody: the target has avoided it (SQ-10.9)."""

    by: str
    target: str
    attack: Literal["ram", "ana", "X", "grap"]


class Fired(Event, frozen=True, kw_only=True, tag="fire"):
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


class Ignited(Event, frozen=True, kw_only=True, tag="ignite"):
    """Whether a galley catches fire (SQ-20)."""

    ship: str
    cause: Literal["flame", "pots", "spread"]
    die: int
    ok: bool

    @property
    def news(self) -> int:
        """How good a headline it makes."""
        return 5


class Depleted(Event, frozen=True, kw_only=True, tag="depleted"):
    """A galley has lost one of her manpower (SQ-21)."""

    ship: str
    eff_m: int = field(name="effM")
    """What is left."""


class Rammed(Event, frozen=True, kw_only=True, tag="ram"):
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


class Retracted(Event, frozen=True, kw_only=True, tag="retract"):
    """Whether the rammer gets free (SQ-13.10)."""

    ship: str
    value: int
    """The natural roll less her Crew."""
    result: Literal["fouled", "back", "stay"]
    to: str
    """Her place then."""


class Raked(Event, frozen=True, kw_only=True, tag="rake"):
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


class Grappled(Event, frozen=True, kw_only=True, tag="grapple"):
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


class Fatigued(Event, frozen=True, kw_only=True, tag="fatigue"):
    """What rowing hard has cost (SQ-09)."""

    ship: str
    mp: int
    drm: int
    die: int | None
    """None: row 7A."""
    result: int
    """Level; 0: none."""


class Stopped(Event, frozen=True, kw_only=True, tag="stopped"):
    """A step could not be carried out; `rule` says why."""

    ship: str
    step: str
    """Canonical."""


class Boarded(Event, frozen=True, kw_only=True, tag="board"):
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


class Skipped(Event, frozen=True, kw_only=True, tag="skipped"):
    """A boarding order could not be carried out; `rule` says why."""

    target: str


class LeaderLost(Event, frozen=True, kw_only=True, tag="leaderLost"):
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


class Unfouled(Event, frozen=True, kw_only=True, tag="unfoul"):
    """A galley tries to get free of one that she is Fouled with (SQ-18.5)."""

    ship: str
    of: str = field(name="from")
    """From whom."""
    need: int
    die: int
    ok: bool


class Firefight(Event, frozen=True, kw_only=True, tag="firefight"):
    """A crew fights the fire (SQ-20.5)."""

    ship: str
    die: int
    effect: Literal["out", "burns", "depleted", "spread", "burnt"]


class Recovered(Event, frozen=True, kw_only=True, tag="recovered"):
    """A crew recovers (SQ-09.7)."""

    weight: ClassVar[Weight] = 0
    ship: str
    fatigue: int
    """New level; 0: none."""


class SinkRolled(Event, frozen=True, kw_only=True, tag="sinkRoll"):
    """Whether a rammed galley goes down (SQ-22.9)."""

    ship: str
    die: int
    sinks: bool


class Sunk(Event, frozen=True, kw_only=True, tag="sunk"):
    """A galley is gone."""

    weight: ClassVar[Weight] = 2
    ship: str
    cause: Literal["sinks", "burnt", "chain"]

    @property
    def news(self) -> int:
        """How good a headline it makes."""
        return 70


class Scored(Event, frozen=True, kw_only=True, tag="vp"):
    """Victory points at the end of a turn (SQ-22)."""

    weight: ClassVar[Weight] = 0
    blue: int
    red: int


class Withdrawal(Event, frozen=True, kw_only=True, tag="withdraw"):
    """Whether a fleet without its Admiral withdraws (SQ-22.7)."""

    weight: ClassVar[Weight] = 2
    side: Side
    die: int
    total: int
    ok: bool

    @property
    def news(self) -> int:
        """How good a headline it makes."""
        return 80


class End(Event, frozen=True, kw_only=True, tag="end"):
    """The battle is over."""

    weight: ClassVar[Weight] = 3
    winner: Side | Literal["draw"]
    reason: EndReason
    blue: int
    red: int
    drawish: bool


# --- what no case shows -----------------------------------------------------------------------------------------------


class TurnBegan(Event, frozen=True, kw_only=True, tag="turn_began"):
    """A turn begins; with all that lies on the map, so that it can be drawn from its events."""

    weight: ClassVar[Weight] = 0
    turn: int
    position: Position


class Revealed(Event, frozen=True, kw_only=True, tag="revealed"):
    """Both fleets are built (D-1)."""

    blue: str
    """In the notation of fleets."""
    red: str


class FirstRolled(Event, frozen=True, kw_only=True, tag="first_rolled"):
    """A die for the Initiative of the set-up (SQ-23.4)."""

    weight: ClassVar[Weight] = 0
    side: Side
    die: int


class Deployed(Event, frozen=True, kw_only=True, tag="deployed"):
    """A fleet is placed, or will enter in the first turn."""

    side: Side
    position: Position
    """With the fleet."""
    enters: bool


class WindChanged(Event, frozen=True, kw_only=True, tag="wind_changed"):
    """The wind after its dice (phase A)."""

    dice: Dice2
    wind: Wind


class SquadronsFormed(Event, frozen=True, kw_only=True, tag="squadrons_formed"):
    """The squadrons of both sides (phase B)."""

    squadrons: tuple[Squadron, ...]


class InitiativeRolled(Event, frozen=True, kw_only=True, tag="initiative_rolled"):
    """A die of phase C."""

    weight: ClassVar[Weight] = 0
    side: Side
    die: int
    total: int


class InitiativeWon(Event, frozen=True, kw_only=True, tag="initiative_won"):
    """Who has won the initiative, and who goes first (D-5)."""

    side: Side
    first: Side


class SpeedSet(Event, frozen=True, kw_only=True, tag="speed_set"):
    """The speed of galleys that changed it, in phase D."""

    ships: tuple[str, ...]
    speed: Speed


class SquadronActivated(Event, frozen=True, kw_only=True, tag="squadron_activated"):
    """A squadron is activated."""

    weight: ClassVar[Weight] = 0
    side: Side
    number: int
    """0: an Individual Squadron."""
    flagship: str
    """Its Command Ship, or its only ship."""
    ships: tuple[str, ...]


class DoubleActivated(Event, frozen=True, kw_only=True, tag="double_activated"):
    """Whether two squadrons act at once (SQ-05.11)."""

    leader: str
    """The Admiral."""
    flagship: str
    """Of the other squadron."""
    need: int
    """Most on the die."""
    die: int
    ok: bool


class Confused(Event, frozen=True, kw_only=True, tag="confused"):
    """Orders are confused (SQ-05.13)."""

    flagship: str
    die: int
    effect: Literal["none", "cruise", "half"]

    @property
    def news(self) -> int:
        """How good a headline it makes."""
        return 10


class Sailed(Event, frozen=True, kw_only=True, tag="sailed"):
    """Sails go up or down (SQ-08.1)."""

    weight: ClassVar[Weight] = 0
    ship: str
    up: bool


class MastDown(Event, frozen=True, kw_only=True, tag="mast_down"):
    """A galley under sail has lost her mast (SQ-08.4); up: it is cleared away."""

    ship: str
    cleared: bool


class Grounded(Event, frozen=True, kw_only=True, tag="grounded"):
    """A galley has run aground (SQ-06.13)."""

    weight: ClassVar[Weight] = 2
    ship: str
    mp: int

    @property
    def news(self) -> int:
        """How good a headline it makes."""
        return 40


class GroundRolled(Event, frozen=True, kw_only=True, tag="ground_rolled"):
    """A galley aground tries to get off (SQ-06.14)."""

    ship: str
    die: int
    crew: int
    result: Literal["freed", "stays", "wrecked"]
    to: str | None
    """Her place then."""


class ReactionRolled(Event, frozen=True, kw_only=True, tag="reaction_rolled"):
    """A galley tries to ram one that crosses her bow (SQ-12.1)."""

    ship: str
    by: str
    """Who crosses it."""
    die: int
    crew: int
    ok: bool


class Restored(Event, frozen=True, kw_only=True, tag="restored"):
    """A leader has his full ratings again (SQ-05.17)."""

    weight: ClassVar[Weight] = 0
    leader: str


class Rewarded(Event, frozen=True, kw_only=True, tag="rewarded"):
    """A side gains points of a scenario."""

    side: Side
    points: int
    ship: str

    @property
    def news(self) -> int:
        """How good a headline it makes."""
        return 20


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
    | DoubleActivated
    | Confused
    | Sailed
    | MastDown
    | Grounded
    | GroundRolled
    | ReactionRolled
    | Restored
    | Rewarded
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
_HOUSE: Final = ("rule", "seen_by")


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
