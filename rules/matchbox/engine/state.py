"""The values of War Galley with matchboxes: galleys, orders and the state of a game (MB-1)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Literal

from msgspec import UNSET, Struct, UnsetType, field

from rules.core.protocol import GameState, Seat
from rules.matchbox.engine.kinds import GALLEY, KINDS, KindName, VesselKind
from rules.matchbox.engine.pose import Pose
from rules.matchbox.engine.sea import Sea
from rules.matchbox.engine.terrain import LandPiece

MATCH_MM: Final = 45.0  # length of a match, the unit of all measures
MASTS_BY_HOLES: Final = GALLEY.masts_by_holes  # mast holes by oar holes on each side (MB-1.3)
PROMOTION_LETTERS: Final = "rmbpc"  # rammers, marksmen, boarders, pilots, carpenters (MX-4.5)
_KIND_BY_NAME: Final = dict[KindName | None, VesselKind](KINDS.items()) | {None: GALLEY}
SLOTS: Final = 5  # order steps in a round (MB-3.3)
TableSide = Literal["south", "north"]
ExtraRule = Literal["terrain", "vessels", "boarding", "crews"]  # a switch of the extra rules (MX-0.1)
ScenarioTitle = Literal["escort", "break-out", "harbour", "raid"]  # a scenario (MX-5)
ScoreKey = Literal["left", "south", "north", "houses"]  # vessels that left, points of each side, burnt houses
Level = Literal["deckhand", "mate", "admiral"]  # strength of computer captains
HullEdge = Literal["bow", "starboard", "port", "stern"]
SinkRule = Literal["one_side", "both_sides"]  # the sides of a galley that are empty of oars when it sinks (MB-7.2)


class Galley(Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """A galley or other vessel that is afloat (MB-1.4)."""

    id: str  # the seat's letter and a number, such as `A1`
    seat: Seat  # the captain who commands it
    side: TableSide  # the side that it fights for, its captor's after a capture
    holes: int  # oar holes on each side. For a galley, 6, 5 or 4, which is its type.
    port: int  # oars left on the port side
    starboard: int  # oars left on the starboard side
    masts: int  # masts left
    pose: Pose  # place of its prow and heading
    vessel: KindName | None = None
    """The kind (MX-2.1); None: a galley. It is not the word `galley`, because a default is only omitted if it is the
    same object, and an unpickled string is not."""
    crew: str = ""  # letters of the crew's promotions in the order r m b p c (MX-4.5)
    burning: bool = False  # whether it is on fire, which costs a part each round (MX-2.8)
    worn: bool = False  # whether the carpenters have already repaired an oar in this game (MX-4.5)

    @property
    def kind(self) -> VesselKind:
        return _KIND_BY_NAME[self.vessel]

    @property
    def mast_holes(self) -> int:
        """Masts of its type, and its stock of headless order matches (MB-3.1)."""
        return self.kind.masts_by_holes[self.holes]


class StandingOrders(Struct, frozen=True, kw_only=True):
    """A captain's standing orders. `ask` asks the captain in the middle of the round."""

    target: str = "nearest"  # `nearest`, `weakest`, `ask`, or the id of a galley to fire at first
    aim: Literal["steady", "safe", "ask"] = "steady"  # `steady` aims at the most hits, `safe` avoids misfires
    # parts that a blow takes: keep oars (`seaworthy`) or masts (`fighting`)
    casualties: Literal["seaworthy", "fighting", "ask"] = "seaworthy"
    reorganize: Literal["even", "ask"] = "even"  # how a `ZZ` without a wish distributes the oars
    prize: Literal["one", "half", "ask"] | UnsetType = UNSET
    """Masts that go to a captured galley (MX-3.5). Absent in games without boarding; the default is one."""


class BroughtCrew(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A crew that a captain keeps from game to game, with its vessel, as it enters this game (MX-4.3)."""

    number: int  # the crew's number among its captain's kept crews, from 1
    build: str  # its vessel: oar holes and the letter of its kind, such as `5` or `8h`
    xp: int = 0  # experience gained in earlier games
    promotions: str = ""  # letters of its promotions, as in `Galley.crew`
    battered: bool = False  # whether its vessel begins with one oar less on each side (MX-4.7)
    elsewhere: bool = False  # whether another game is using it, so that this one cannot


class CaptainRecord(Struct, frozen=True, kw_only=True, omit_defaults=True):
    crews: tuple[BroughtCrew, ...] = ()  # all crews that the captain keeps
    last: str = ""  # the captain's previous fleet, as it was typed
    wishes: str = ""  # letters of preferred promotions


class OrderList(Struct, frozen=True):
    """The orders of one galley in a round (MB-3)."""

    galley: str  # id of the galley
    orders: str  # `F`, `L`, `R`, `X`, `ZZ` and, with boarding, `G`, in order, such as `ZZFX`; empty: no orders
    wishes: tuple[tuple[int, int], ...] = ()  # desired port and starboard oars for each `ZZ`; (0, 0): none (MB-3.10)


# --- answers -----------------------------------------------------------------------------------------------------


class Placement(Struct, frozen=True, tag=True):
    """Galleys that one captain sets down (MB-2): one in turn, or all at once if sealed."""

    galleys: tuple[Galley, ...]  # the galleys with their places


class FleetOrders(Struct, frozen=True, tag=True):
    """A captain's orders for a round: a list for each galley, in galley order, and standing orders."""

    lists: tuple[OrderList, ...]  # a list is one galley's orders for the round
    standing: StandingOrders = StandingOrders()  # decisions in advance


class Decision(Struct, frozen=True, tag=True):
    choice: str
    """target, grapple: a galley. aim: `x,y` in mm, `steady` or `safe`. casualties: losses as `p-s+m`. reorganize:
    desired oars as `p-s`. prize: a number of masts."""


class Fleet(Struct, frozen=True, tag=True):
    """The vessels that one captain brings (MX-4.1), in position notation: `5`, `8h`, `6{rm}`.

    A vessel with a kept crew has its number and promotions: `c3{rm}`.
    """

    vessels: tuple[str, ...]  # one text a vessel, such as `8h` or `c3{rm}`
    wishes: str = ""  # new letters of preferred promotions; empty: unchanged


Answer = Placement | FleetOrders | Decision | Fleet


MatchLetter = Literal["F", "L", "R", "X", "Z", "G"]


class LaidMatch(Struct, frozen=True, kw_only=True, gc=False):
    """An order match on the table, from its tail to its head (MB-4), for a step from 1 to 5."""

    galley: str  # id of the galley that will carry out the order
    step: int  # the step for which it lies, 1 to 5
    order: MatchLetter  # the order that the match stands for
    tail_x_mm: float  # of its tail, from the western edge
    tail_y_mm: float  # of its tail, from the southern edge
    head_x_mm: float  # of its head, from the western edge
    head_y_mm: float  # of its head, from the southern edge

    @property
    def is_headless(self) -> bool:
        """Whether the match has no head, which means fire (MB-3.2) or boarding (MX-3.1)."""
        return self.order in {"X", "G"}


# --- questions in mid-round --------------------------------------------------------------------------------------


class PendingDecision(Struct, frozen=True, kw_only=True):
    """A decision that the round waits for."""

    key: str  # unique within the round: `3.target.A1`, `3.aim.A1`, `2.split.A1`, `3.loss.B1.0` (the first blow to B1)
    kind: Literal["target", "aim", "casualties", "reorganize", "grapple", "prize"]  # what must be decided
    seat: Seat  # the captain who decides
    galley: str  # id of the galley that the decision is about
    step: int  # the order step that waits for it, 1 to 5
    choices: tuple[str, ...] = ()
    """All legal choices in the notation of `Decision`; empty for an aim, which may be any point of the table."""
    about: str = ""
    """target, aim: the galley fired at, or empty. casualties: the galley that dealt the blow. prize: the captured one.
    """
    damage: int = 0  # casualties: size of the blow; else 0


class State(GameState, frozen=True, kw_only=True, tag="matchbox"):
    """A game of War Galley with matchboxes. Fields of rules that are not in force are unset, and not written."""

    width_mm: float  # from the table's western to its eastern edge
    height_mm: float  # from the table's southern to its northern edge
    land: tuple[LandPiece, ...] | UnsetType = UNSET  # islands, moles and reefs (MX-1.1); unset: open water
    sinks: Literal["both_sides"] | UnsetType = UNSET  # sides that are empty when a galley sinks; unset: one (MB-7.2)
    boarding: Literal[True] | UnsetType = UNSET  # whether galleys may be boarded (MX-0.1)
    vessels: Literal[True] | UnsetType = UNSET  # whether captains may bring special vessels (MX-0.1)
    points: int | UnsetType = UNSET  # each captain's budget for a fleet (MX-4.1); unset: equal numbers of vessels
    crews: Literal[True] | UnsetType = UNSET
    """Whether crews may have promotions (MX-4.4). With `kept`, only if they have earned them."""
    kept: tuple[CaptainRecord, ...] | UnsetType = UNSET
    """Each seat's kept crews (MX-4.3). Only their captain may see them."""
    aboard: dict[str, int] | UnsetType = UNSET  # numbers of kept crews by vessel id
    learnt: dict[str, int] | UnsetType = UNSET
    """Experience that crews gained by their deeds so far, by vessel id (MX-4.3)."""
    builds: dict[str, str] | UnsetType = UNSET  # vessels as typed, by id; UNSET: all captains have equal galleys
    first: TableSide | UnsetType = UNSET  # while fleets are chosen: the side that begins deployment in turn
    ready: Literal[True] | UnsetType = UNSET  # while fleets are chosen: vessels go to the proposed places
    sides: tuple[TableSide, ...]  # each seat's side
    galleys_each: int  # vessels of each captain
    deployment: Literal["turns", "sealed"]  # whether galleys are placed one in turn, or all at once in secret
    scenario: ScenarioTitle | UnsetType = UNSET  # the scenario (MX-5); unset: the goal is to sink the enemy
    score: dict[ScoreKey, int] | UnsetType = UNSET  # the scenario's current score
    left: tuple[Galley, ...] | UnsetType = UNSET
    """In a scenario: vessels that left the table, in their last state (MX-5.1)."""
    missed: Literal["hold", "mate"]  # what happens to a captain who misses a deadline (`Setup.missed`)
    captain: Level = "mate"  # strength of computer captains
    rounds: int = 0  # in a battle: the round after which night falls; 0: never
    struck: tuple[str, ...] = ()  # ids of galleys in `lost` that are afloat, because their captains gave up (MB-8.1)
    # what the game waits for; `asking`: decisions in the middle of a round
    phase: Literal["choosing", "placing", "orders", "asking", "over"]
    round: int = 0  # number of the current round; 0: galleys are still placed
    quiet_rounds: int = 0  # consecutive rounds without any loss (MB-8.2)
    galleys: tuple[Galley, ...] = ()  # galleys afloat, by seat and number
    lost: tuple[Galley, ...] = ()  # galleys sunk or struck, in their last state
    to_place: tuple[str, ...] = ()  # ids of galleys not yet placed, in the order of placement
    standing: tuple[StandingOrders, ...] = ()  # each seat's standing orders, as last revealed
    ordered: tuple[OrderList, ...] = ()  # revealed orders of the previous round

    # The rest is set only while the round waits for decisions (phase `asking`).
    orders: tuple[OrderList, ...] = ()  # the revealed orders of the current round
    before: tuple[Galley, ...] = ()  # the galleys at the start of the round, as the `dice` are
    told: int = 0  # the number of events of this round that were already returned
    decided: dict[str, str] = field(default_factory=dict)  # choices already made, by the question's key
    questions: tuple[PendingDecision, ...] = ()  # open decisions of this round
    lying: tuple[LaidMatch, ...] = ()  # order matches on the table
    step: int = 0  # the current order step, 1 to 5

    @property
    def sea(self) -> Sea:
        return Sea(self.width_mm, self.height_mm, self.land or ())

    @property
    def allows_boarding(self) -> bool:
        return self.boarding is True

    @property
    def sink_rule(self) -> SinkRule:
        return self.sinks or "one_side"

    @property
    def extra_rules(self) -> tuple[ExtraRule, ...]:
        """Extra rules in force in addition to those that the position shows (MX-0.2)."""
        switches: dict[ExtraRule, object] = {"vessels": self.vessels, "boarding": self.boarding, "crews": self.crews}
        return tuple(option for option, value in switches.items() if value is True)


def sort_promotions(letters: Iterable[str]) -> str:
    return "".join(letter for letter in PROMOTION_LETTERS if letter in letters)


def options_shown(sea: Sea, galleys: Iterable[Galley] = ()) -> frozenset[ExtraRule]:
    """Return the extra rules that a position uses (MX-0.2)."""
    used_options: set[ExtraRule] = {"terrain"} if sea.land else set()
    for galley in galleys:
        if galley.vessel is not None or galley.burning:
            used_options.add("vessels")
        if galley.crew or galley.worn:
            used_options.add("crews")
    return frozenset(used_options)
