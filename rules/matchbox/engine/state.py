"""The values of War Galley with matchboxes: galleys, standing orders, the state of a game (MB part 1)."""

from __future__ import annotations

from typing import Final, Literal

from msgspec import UNSET, Struct, UnsetType, field

from rules.core.protocol import Edition, GameState, Seat
from rules.matchbox.engine.kinds import GALLEY, KINDS, KindName, VesselKind
from rules.matchbox.engine.pose import Pose
from rules.matchbox.engine.sea import Sea
from rules.matchbox.engine.terrain import LandPiece

MATCH_MM: Final = 45.0
"""Length of a match, the unit of all measures."""
MASTS_BY_HOLES: Final = GALLEY.masts_by_holes
"""MB-1.3: oar holes per side -> mast holes."""
PROMOTION_LETTERS: Final = "rmbpc"
"""MX-4.5: rammers, marksmen, boarders, pilots, carpenters."""
_KIND_BY_NAME: Final = dict[KindName | None, VesselKind](KINDS.items()) | {None: GALLEY}
SLOTS: Final = 5
"""MB-3.3: order steps in a round."""
TableSide = Literal["south", "north"]
ExtraRule = Literal["terrain", "vessels", "boarding", "crews"]
"""A switch of the extra rules (MX-0.1)."""
ScenarioTitle = Literal["escort", "break-out", "harbour", "raid"]
"""A scenario (MX part 5)."""
ScoreKey = Literal["left", "south", "north", "houses"]
"""What a scenario counts."""
Level = Literal["deckhand", "mate", "admiral"]
"""How well a computer captain plays."""
NEWEST_EDITION: Final[Edition] = 4
"""The edition of the rules by which games begin. In each, vessels had other prices (MX-2.1), and in the first two a
break-out other fleets (MX-5.3)."""
UNDATED_EDITION: Final[Edition] = 2
"""The edition of scenarios that began before it was written down."""
HullEdge = Literal["bow", "starboard", "port", "stern"]


class Galley(Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """A galley, or another vessel, afloat (MB-1.4)."""

    id: str
    """A letter for the seat and a number: `A1`."""
    seat: Seat
    side: TableSide
    holes: int
    """Oar holes per side: of a galley 6, 5 or 4; its type."""
    port: int
    starboard: int
    masts: int
    pose: Pose
    vessel: KindName | None = None
    """The name of her kind (MX-2.1); None: a galley. Not its name: a default is left out of what is written only if it
    is the very same object, and a word that was pickled isn't."""
    crew: str = ""
    """Letters of her crew's promotions, in the order r m b p c (MX-4.5)."""
    burning: bool = False
    """MX-2.8."""
    worn: bool = False
    """Her carpenters have done their work in this game (MX-4.5)."""

    @property
    def kind(self) -> VesselKind:
        """What she has in common with others built like her."""
        return _KIND_BY_NAME[self.vessel]

    @property
    def mast_holes(self) -> int:
        """Masts of its type, and headless order matches in its stock (MB-3.1)."""
        return self.kind.masts_by_holes[self.holes]


class StandingOrders(Struct, frozen=True, kw_only=True):
    """A captain's standing orders (MB part 10). `ask` asks the captain in mid-round."""

    target: str = "nearest"
    """`nearest`, `weakest`, `ask`, or the id of the galley to fire at first."""
    aim: Literal["steady", "safe", "ask"] = "steady"
    casualties: Literal["seaworthy", "fighting", "ask"] = "seaworthy"
    reorganize: Literal["even", "ask"] = "even"
    prize: Literal["one", "half", "ask"] | UnsetType = UNSET
    """How many masts go over to a galley that is taken (MX-3.5); not set: one. Not written in a game without it."""


class BroughtCrew(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A crew that a captain keeps from game to game, and its vessel, as they come to this one (MX-4.3)."""

    number: int
    """Among the crews of its captain."""
    build: str
    """As she is chosen: `5`, `8h`."""
    xp: int = 0
    promotions: str = ""
    battered: bool = False
    elsewhere: bool = False
    """Another game has it just now, so that it can't be brought to this one."""


class CaptainRecord(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a captain has brought home from earlier games."""

    crews: tuple[BroughtCrew, ...] = ()
    last: str = ""
    """The fleet that they brought last, as it was typed."""
    wishes: str = ""
    """Letters of the promotions that they want first (part 7)."""


class OrderList(Struct, frozen=True):
    """What one galley is ordered to do in a round (MB-3)."""

    galley: str
    orders: str
    """`F`, `L`, `R`, `X`, `ZZ` and, with boarding, `G`, in order, such as `ZZFX`; empty: no orders."""
    wishes: tuple[tuple[int, int], ...] = ()
    """For each `ZZ` the wanted port and starboard oars; (0, 0) for none (MB-3.10)."""


# --- answers -----------------------------------------------------------------------------------------------------


class Placement(Struct, frozen=True, tag=True):
    """Galleys that one captain sets down (MB-2): one at a time, or all at once if sealed."""

    galleys: tuple[Galley, ...]


class FleetOrders(Struct, frozen=True, tag=True):
    """One captain's orders for a round: a list for each of their galleys, in galley order, and standing orders."""

    lists: tuple[OrderList, ...]
    standing: StandingOrders = StandingOrders()


class Decision(Struct, frozen=True, tag=True):
    """The answer to one question in mid-round."""

    choice: str
    """target, grapple: a galley. aim: `x,y` in mm, `steady` or `safe`. casualties: `p-s+m` lost. reorganize:
    `p-s` wanted. prize: how many masts."""


class Fleet(Struct, frozen=True, tag=True):
    """The vessels that one captain brings (MX-4.1), each as it stands in a position: `5`, `8h`, `6{rm}`.

    One with a kept crew has its number, and its promotions: `c3{rm}`.
    """

    vessels: tuple[str, ...]
    wishes: str = ""
    """Letters of the promotions that the captain wants first, from now on (part 7); empty: as before."""


Answer = Placement | FleetOrders | Decision | Fleet


MatchLetter = Literal["F", "L", "R", "X", "Z", "G"]
"""What a match stands for."""


class LaidMatch(Struct, frozen=True, kw_only=True, gc=False):
    """A match lying on the table as an order (MB-4); from its tail to its head."""

    galley: str
    step: int
    """The order step that it stands for, 1 to 5."""
    order: MatchLetter
    tail_x_mm: float
    tail_y_mm: float
    head_x_mm: float
    head_y_mm: float

    @property
    def is_headless(self) -> bool:
        """Whether it is a match without a head, which orders fire (MB-3.2) or boarding (MX-3.1)."""
        return self.order in {"X", "G"}


# --- questions in mid-round --------------------------------------------------------------------------------------


class PendingDecision(Struct, frozen=True, kw_only=True):
    """A decision that the round waits for (MB part 10)."""

    key: str
    """Unique within the round: `3.target.A1`, `3.aim.A1`, `2.split.A1`, `3.loss.B1.0` (the first blow to her)."""
    kind: Literal["target", "aim", "casualties", "reorganize", "grapple", "prize"]
    seat: Seat
    galley: str
    step: int
    choices: tuple[str, ...] = ()
    """All legal choices in the notation of `Decision`; for an aim empty, as any point of the table is."""
    about: str = ""
    """target, aim: the galley fired at, or empty. casualties: the galley that dealt the blow. prize: the one taken."""
    damage: int = 0
    """casualties: how much is to be lost."""


class State(GameState, frozen=True, kw_only=True, tag="matchbox"):
    """A game of War Galley with matchboxes."""

    width_mm: float
    height_mm: float
    land: tuple[LandPiece, ...] | UnsetType = UNSET
    """Islands, moles and reefs (MX-1.1); not set, and not written: open water."""
    boarding: Literal[True] | UnsetType = UNSET
    """Whether galleys may be boarded (MX-0.1); not set, and not written: nobody is."""
    vessels: Literal[True] | UnsetType = UNSET
    """Whether captains may bring special vessels (MX-0.1); not set, and not written: all have galleys."""
    points: int | UnsetType = UNSET
    """What each captain may spend on a fleet (MX-4.1); not set, and not written: all bring as many vessels."""
    crews: Literal[True] | UnsetType = UNSET
    """Whether fleets may have crews with promotions (MX-4.4); not set, and not written: none has. With
    `kept` only those have any that have earned them."""
    kept: tuple[CaptainRecord, ...] | UnsetType = UNSET
    """Each seat's own crews (MX-4.3), known to its captain alone; not set, and not written: nobody keeps any."""
    aboard: dict[str, int] | UnsetType = UNSET
    """Of the vessels with such a crew, by id, its number among its captain's."""
    learnt: dict[str, int] | UnsetType = UNSET
    """What vessels' crews have learnt by their deeds, by id, before the end (MX-4.3)."""
    builds: dict[str, str] | UnsetType = UNSET
    """Every vessel of the fleets that captains chose or a scenario has, by id; not set, not written: without such."""
    first: TableSide | UnsetType = UNSET
    """While fleets are chosen, if they are set down in turn: the side that begins."""
    ready: Literal[True] | UnsetType = UNSET
    """While fleets are chosen: they are set down where they are proposed to lie."""
    sides: tuple[TableSide, ...]
    """The side of each seat."""
    galleys_each: int
    deployment: Literal["turns", "sealed"]
    scenario: ScenarioTitle | UnsetType = UNSET
    """What is played for (MX part 5); not set, and not written: to sink the enemy."""
    score: dict[ScoreKey, int] | UnsetType = UNSET
    """Of the scenario, up to now."""
    left: tuple[Galley, ...] | UnsetType = UNSET
    """In a scenario: those who have left the table, as they were last (MX-5.1)."""
    missed: Literal["hold", "mate"]
    captain: Level = "mate"
    """Of the computer captains."""
    edition: Edition = 1
    """Of the rules, by which the game began, in games for points and in scenarios; others are the same in all."""
    rounds: int = 0
    """Of a battle: the round after which night falls; 0: it never does."""
    struck: tuple[str, ...] = ()
    """Ids of galleys among `lost` that are afloat, as their captains gave up (MB-8.1)."""
    phase: Literal["choosing", "placing", "orders", "asking", "over"]
    round: int = 0
    """0 while galleys are placed."""
    quiet_rounds: int = 0
    """Rounds in a row without any loss (MB-8.2)."""
    galleys: tuple[Galley, ...] = ()
    """Afloat, in galley order: by seat, then number."""
    lost: tuple[Galley, ...] = ()
    """Sunk or struck, as they were last."""
    to_place: tuple[str, ...] = ()
    """Ids of galleys still to be placed, in turn order (MB-2.1)."""
    standing: tuple[StandingOrders, ...] = ()
    """Of each seat, as last revealed."""
    ordered: tuple[OrderList, ...] = ()
    """The orders of the round before, as they were revealed; empty where a state is older than this field."""
    orders: tuple[OrderList, ...] = ()
    """While asking: the orders of the round in hand, revealed."""
    before: tuple[Galley, ...] = ()
    """While asking: the galleys as they were when the round began; `dice` too is that of the round's beginning."""
    told: int = 0
    """While asking: events of this round already given out."""
    decided: dict[str, str] = field(default_factory=dict)
    """While asking: choices already made, by the question's key."""
    questions: tuple[PendingDecision, ...] = ()
    """While asking: what is asked now."""
    lying: tuple[LaidMatch, ...] = ()
    """While asking: order matches on the table."""
    step: int = 0
    """While asking: the order step in hand, 1 to 5."""

    @property
    def sea(self) -> Sea:
        """The table, and the land on it."""
        return Sea(self.width_mm, self.height_mm, self.land or ())

    @property
    def allows_boarding(self) -> bool:
        """Whether galleys may be boarded."""
        return self.boarding is True

    @property
    def extra_rules(self) -> tuple[ExtraRule, ...]:
        """The extra rules that are in force, besides what the position shows (MX-0.2)."""
        on: dict[ExtraRule, object] = {"vessels": self.vessels, "boarding": self.boarding, "crews": self.crews}
        return tuple(option for option, value in on.items() if value is True)
