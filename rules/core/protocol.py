"""What a game and the rest of the house hand each other: setups, requests, drafts, choices, steps and results."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, ClassVar, Final, Literal, NamedTuple, Self

from msgspec import UNSET, Struct, UnsetType, field, structs

from rules.chance.dice import Dice
from rules.core.errors import Fault, IllegalOrder, Scalar
from rules.core.keepsakes import Keepsake
from rules.core.view import Text

Seat = int
"""A player's number in a game, from 0; never a Discord id."""


class Event(Struct, frozen=True, kw_only=True, tag=True, gc=False):  # values hold no circles: nothing to collect
    """Base of everything that happened, in the past tense.

    Its sentence stands in the catalogue under `event.<type name>`, followed by `.<variant>` if it has one.
    """

    rule: str = ""
    """The rule by which it happened."""
    seen_by: tuple[Seat, ...] | None = None
    """Who may be told; None is everybody."""

    weight: ClassVar[Literal[0, 1, 2, 3]] = 1
    """0: for the log and for those who cannot see; 1: part of the story; 2: worth a headline; 3: decides the game."""

    may_reveal: ClassVar[bool] = True
    """It may tell of dice, or of what somebody has ordered. False for what follows from giving up alone: that a captain
    gives up, what becomes of their pieces, and who acts next."""
    headline_rule: ClassVar[int | tuple[str, int, int] | None] = None
    """How good a headline it makes, if its weight does not say it: a score, or a field, the score if that holds, and
    the score if it does not."""
    variant_of: ClassVar[str | tuple[str, str, str]] = ""
    """Which of several sentences tells it: the field whose value names the sentence, or a field, the name if that
    holds, and the name if it does not. Empty: there is one sentence."""

    ship_fields: ClassVar[tuple[str, ...]] = ()
    """Fields that name the ships it befell: first the one that acted, or that it befell most."""
    continues_line: ClassVar[bool] = False
    """It came of what had just happened, and belongs into the same line."""
    tells_orders: ClassVar[bool] = False
    """It says what a ship was ordered: a story begins the ship's line with it. With a weight of 0 it stands only
    for the reader's own ships, and only where there is nothing else to tell of one."""
    is_heading: ClassVar[bool] = False
    """It says who acts next: a heading of what follows, left out where nothing does."""

    @property
    def ship_ids(self) -> tuple[str, ...]:
        """Ids of the ships it befell, by `befell`."""
        named = (getattr(self, field) for field in self.ship_fields)
        return tuple(one for name in named for one in ((name,) if isinstance(name, str) else name or ()))

    @property
    def concerned_seats(self) -> tuple[Seat, ...]:
        """Seats that it concerns though it befell no ship that it names."""
        return ()

    @property
    def acting_seat(self) -> Seat | None:
        """The seat that did it, and knows: of equal news it reads first what others did. None: it is news to all."""
        return None

    @property
    def harmed_seats(self) -> tuple[Seat, ...]:
        """Seats, of these parties, to which it is bad news: they read it first."""
        return ()

    @property
    def captured_ship(self) -> str:
        """The id of the ship that changed sides with it; empty: none."""
        return ""

    @property
    def variant(self) -> str:
        """The name of its sentence after the type's, by `variant_of`; empty: it has none."""
        match self.variant_of:
            case (field, yes, no):
                return yes if getattr(self, field) else no
            case field:
                return str(getattr(self, field)) if field else ""

    def with_totals(self, _events: Iterable[Event], /) -> Self:
        """The same with what others of its kind did to the same ship, for a headline; itself where nothing adds up."""
        return self

    @property
    def headline_score(self) -> int:
        """How good a headline it makes: the best of a story is its headline, of equals the last; 0: never."""
        match self.headline_rule:
            case None:
                return (0, 1, 20, 100)[self.weight]
            case (field, yes, no):
                return yes if getattr(self, field) else no
            case score:
                return score

    @property
    def section_heading(self) -> Text | None:
        """The part of the round in which it happened, as a story's heading: "Step 3", "Boarding"; None: in none."""
        return None

    @property
    def params(self) -> dict[str, Any]:
        """What its sentence may name: its fields, and what is put together from them, as Texts."""
        return structs.asdict(self)

    @property
    def list_key(self) -> str:
        """The sentence that a story tells of several that follow one another, each of its values a list.

        Empty: each has its own sentence.
        """
        return ""

    @property
    def dedup_key(self) -> str:
        """A story shows only one event of those with the same key; empty: each is shown."""
        return ""

    def split_by_ship(self) -> tuple[Event, ...]:
        """The same, ship by ship, where a story can tell it so."""
        return (self,)

    def merge_with(self, after: Event) -> Event:  # noqa: ARG002 - most are told whatever comes after them
        """What a story tells of it when another event came right after it: itself, or one that says more."""
        return self


class OptionSpec(Struct, frozen=True):
    """A choice made when a game is set up, as `option.<key>` and `option.<key>.<value>` in the catalogue."""

    key: str
    values: tuple[str, ...]
    default: str
    former_values: Mapping[str, str] = {}
    """Values of earlier editions of the rules, and what is chosen in their place today: games that began with them go
    on so, but none is opened with them."""

    @staticmethod
    def current_values(specs: Sequence[OptionSpec], given: Mapping[str, str]) -> dict[str, str]:
        """The value of every option by key in a game that is opened today, those that are left out at their default."""
        former = {spec.key: spec.former_values for spec in specs}
        usual = {spec.key: spec.default for spec in specs}
        return usual | {key: former.get(key, {}).get(value, value) for key, value in given.items()}

    @staticmethod
    def chosen_values(specs: Sequence[OptionSpec], given: Mapping[str, str], rule: str) -> dict[str, str]:
        """The value of every option by key, those that are left out at their default.

        Raises `IllegalOrder`, with this rule, for an option or a value that there is not.
        """
        found = {spec.key: spec.default for spec in specs}
        known = {spec.key: spec for spec in specs}
        for key, value in given.items():
            if key not in known:
                raise IllegalOrder("unknown_option", rule, piece=key, legal=", ".join(known))
            if value not in known[key].values and value not in known[key].former_values:
                legal = ", ".join(known[key].values)
                raise IllegalOrder("unknown_option_value", rule, piece=value, key=key, legal=legal)
            found[key] = value
        return found


Edition = Literal[1, 2, 3, 4]
"""Of a game's rules, counted from 1; how many there are is each game's own matter."""


class Setup(Struct, frozen=True, kw_only=True):
    """How a game begins."""

    system: str
    teams: tuple[int, ...]
    """The team of each seat, counted from 0; seats of a team are allies. Most games have two."""
    options: dict[str, str] = {}
    """Values of the system's `OptionSpec`s by key; those left out are at their default."""
    missed: Literal["hold", "mate"] = "mate"
    """Who answers for a captain who misses a deadline: nobody, or the computer."""
    position: str = ""
    """Ships as they come from elsewhere, in the system's own notation; empty: new ones, placed by their captains."""
    edition: Edition | UnsetType = UNSET
    """Of the game's rules, by which it goes on, written down as it begins (`Ruleset.dated`); left out: it began before
    that was done, or its rules have never changed."""
    scenario: str | UnsetType = UNSET
    """The text of a scenario, which the rules read: one of the game's own, or one that its host has handed in. It is
    kept here whole, so that a record needs no other file."""
    rounds: int | UnsetType = UNSET
    """Of a battle: the round after which it is over, however it stands then; left out: it goes on until it is decided.
    A game that knows of no such end goes on, too."""
    keepsakes: tuple[tuple[Keepsake, ...], ...] | UnsetType = UNSET
    """Of each seat, what its captain has kept from earlier games; left out: the game keeps nothing. It is put in when
    the game begins, and known to its captain alone until it is over."""
    parent: str | UnsetType = UNSET
    """Of a battle: its name in the game that it is played for, such as `B3`."""


class BattleSpec(Struct, frozen=True, kw_only=True):
    """A game that is played to answer a question of another one."""

    setup: Setup
    seats: tuple[Seat, ...]
    """Which of our seats has each of its seats."""
    name: Text | None = None
    """What it is called; None: as any game is."""
    parts: int = 0
    """How many of its rounds end within one of our phases, at fixed hours from when it is asked; 0: its rounds take as
    long as ours."""


NO_SEAT: Final = -1
"""In place of a seat, where something else answers."""


class Request(Struct, frozen=True, kw_only=True):
    """What one seat is asked. Requests that are pending together are answered secretly and joined."""

    id: str
    """Unique within its game for ever, such as `r3.orders.0`; only after going back is it asked again."""
    seat: Seat
    """Who is asked; `NO_SEAT` where a battle answers."""
    kind: str
    """Names the `PendingDecision`; catalogue key, as `request.<kind>`."""
    round: int
    live: bool = False
    """Asked in the middle of a round, while others wait."""
    sealed: bool = True
    """Kept secret until all who are asked have answered; an open answer is carried out at once."""
    clock: str = ""
    """Requests of one clock share a deadline, which is set with the first of them: who acts step by step gets no more
    time with each step. Empty: a deadline of its own."""
    budget: str = ""
    """Requests of one budget share a captain's time, as on a chess clock: it stands still while others are asked. Once
    it has run out, each is due at once. Empty: a whole phase for each."""
    within: int = 0
    """Seconds after which it is due at the latest, however much time the game gives, with those of the same budget
    together; 0: the game's time. Missing such a deadline doesn't count as absence: the captain may well have slept."""
    optional: bool = False
    """Nobody waits for it, no deadline ends it and the computer does not answer it. An answer is carried out at once,
    alone; until then the request, with its draft, stays as long as it is pending."""
    ahead: bool = False
    """It will be asked, under the same id, and may be answered already: the answer is carried out when it is asked, if
    it is legal then. Nobody waits for it meanwhile."""
    battle: BattleSpec | None = None
    """No seat answers it, but the end of this game: with a `Report`, as JSON. If it is also `optional`, we go on
    meanwhile, until we say otherwise."""
    params: dict[str, Scalar] = {}


def ask_each(
    seats: Iterable[Seat],
    kind: str,
    round_no: int,
    *,
    letter: str = "r",
    **more: Any,  # noqa: ANN401 - fields
) -> tuple[Request, ...]:
    """A request of one kind to each of these seats, `r<round>.<kind>.<seat>`, with more of its fields.

    `letter`: what its id begins with where rounds have another name.
    """
    name = f"{letter}{round_no}.{kind}"
    return tuple(Request(id=f"{name}.{seat}", seat=seat, kind=kind, round=round_no, **more) for seat in seats)


def first_request_to(pending: Iterable[Request], seat: Seat | None, kind: str = "") -> Request | None:
    """The first of these requests to a seat, of this kind if one is named; None: it is asked nothing."""
    return next((one for one in pending if one.seat == seat and kind in ("", one.kind)), None)


def ask_battle(name: str, round_no: int, setup: Setup, seats: tuple[Seat, ...], **params: Scalar) -> Request:
    """A request of kind `name`, `r<round>.<name>.<params>`, that a battle of these seats answers while all wait."""
    request_id = f"r{round_no}.{name}.{'-'.join(map(str, params.values()))}"
    battle = BattleSpec(setup=setup, seats=seats)
    return Request(id=request_id, seat=NO_SEAT, kind=name, round=round_no, live=True, battle=battle, params=params)


class ShipFate(Struct, frozen=True, kw_only=True):
    """What became of one ship."""

    id: str
    seat: Seat
    """Who began with her."""
    end: Literal["afloat", "struck", "sunk", "taken"]
    """`struck`: she is afloat, and her captain has given up; `taken`: she is afloat in the enemy's hands."""
    parts: dict[str, int] = {}
    """What is left of her, by the keys of its gauges (`Gauge.key`)."""


class BattleOutcome(Struct, frozen=True, kw_only=True):
    """How a game ended, ship by ship, as data."""

    ships: tuple[ShipFate, ...]
    rounds: int
    """Rounds that were played."""
    gave_up: tuple[Seat, ...] = ()


class Report(Struct, frozen=True, kw_only=True):
    """How a battle ended: the answer to the request of the game it was played for."""

    digest: str
    """Of the battle's own record, by which it is found and verified."""
    winners: tuple[Seat, ...]
    """Seats of the battle; empty: a draw."""
    ending: str
    """How it stood at its end, in its game's notation (`Ruleset.ending`)."""
    outcome: BattleOutcome | UnsetType = UNSET
    """What became of its ships, if its game tells (`Ruleset.outcome`)."""


class Draft(NamedTuple):
    """An unfinished answer."""

    text: str = ""
    """In the notation of finished ones."""
    focus: str = ""
    """What the panel looks at, such as a ship's id; no part of the answer, so that looking breaks no seal."""


EMPTY_DRAFT: Final = Draft()


CAPTAINS_OPTION: Final = "captains"
"""Key of the option that says how many captains a side has, in games whose sides are equal."""


LEVEL_OPTION: Final = "captain"
"""Key of the option that says how well computer captains play, in games where that can be chosen; a level's title is
`rank.<level>`."""


def completes_step(pending: Iterable[Request], given: Collection[str]) -> bool:
    """Whether answers to the requests of these ids can be carried out: to all that the game waits for, or to none."""
    waited = {request.id: not request.optional for request in pending if not request.ahead}
    answered = {waited[one] for one in given if one in waited}
    everything = all(one in given for one, waits in waited.items() if waits)
    return bool(given) and all(one in waited for one in given) and (everything or True not in answered)


class Option(Struct, frozen=True):
    """One thing that may be pressed next."""

    token: str
    """Names the option within its request: letters, digits and `-_.+/`, at most 40."""
    label: Text
    draft: str
    """The draft's text after pressing it."""
    focus: str = ""
    """The draft's focus after pressing it."""
    fault: Fault | None = None
    """Why it may not be pressed now."""
    is_chosen: bool = False
    """It is what the draft holds already."""
    seals_answer: bool = False
    """Pressing it completes the answer and seals it."""
    only_adds: bool = False
    """It puts one more thing behind what is there, whatever that is, and leaves the focus where it is: pressed several
    times before the panel shows it, each press counts."""
    is_joined: bool = False
    """It is the other half of the option before it, and stands on the same page of a panel."""
    stays_visible: bool = False
    """It is shown, grey, also where it may not be pressed for no reason of the rules: so what is near it stays put."""


STANDING_GROUP: Final = "standing"
"""Key of the group, or token of the form, with which a request takes standing orders: they hold in later ones, too."""


class OptionGroup(Struct, frozen=True, kw_only=True):
    """Options that belong together: a row of buttons, or a select."""

    key: str
    """Catalogue key of its heading, as `group.<key>`."""
    style: Literal["buttons", "select"]
    is_beside_controls: bool = False
    """Whether its buttons stand beside the panel's own, where they are always seen, such as the end of a turn."""
    options: tuple[Option, ...]


class FormLine(Struct, frozen=True):
    """A line of a list in a form."""

    token: str
    """Names the line within its list; as an option's."""
    label: Text
    text: str = ""
    """What is typed by choosing it; may be empty."""
    is_chosen: bool = False
    """What the list shows at first; one line of a list, or none, which must then be chosen."""


class FormField(Struct, frozen=True):
    """A list in a form: one of its lines is chosen."""

    label: Text
    """At most 45 characters."""
    entries: tuple[FormLine, ...]
    """At most 25, and at least one."""


class Form(Struct, frozen=True, kw_only=True):
    """Up to five lists that are chosen from at once; what is chosen is put into the draft as if it were typed."""

    token: str
    """Names the form within its request, whatever the draft holds: it may be sent long after it was opened."""
    label: Text
    """On the button that opens it, and above the form."""
    fields: tuple[FormField, ...]
    prefix: str = ""
    """What is typed before all that is chosen."""
    separator: str = ""
    """What is typed between the texts of lists, as far as they have any."""
    focus: str = ""
    """The draft's focus afterwards; empty: that of typed text."""
    is_offered: bool = True
    """Whether a button opens it now."""


class Choices(Struct, frozen=True, kw_only=True):
    """What a panel shows for a draft."""

    groups: tuple[OptionGroup, ...]
    forms: tuple[Form, ...] = ()
    """Shorter ways to what may also be pressed or typed."""
    lines: tuple[Text, ...]
    """The draft in words, a line a piece."""
    missing_parts: tuple[Text, ...] = ()
    """What must still be given before it can be sealed; empty: complete and legal."""
    progress: Text | None = None
    """How far the draft is, where it has several parts: "2 of 3 galleys are ordered"."""


class Step(Struct, frozen=True):
    """The state after something happened, and what happened."""

    state: Any
    events: tuple[Event, ...]

    def preceded_by(self, events: Iterable[Event]) -> Step:
        """The step with events that happened before its own."""
        return Step(self.state, (*events, *self.events))


DrawReason = Literal["agreed", "called_off"]
"""Why nobody has won, apart from the rules: all captains agreed, or the game couldn't go on."""
CALLED_OFF_KEY: Final = "reason.called_off"
"""The key of the sentence that says why a game is over that couldn't go on."""
DESERTED_KEY: Final = "reason.deserted"
"""The same of a game that has no captains any more: only the computer is left."""


class Result(Struct, frozen=True, kw_only=True):
    """How a game ended."""

    winners: tuple[Seat, ...]
    """Empty: a draw."""
    reason: Text

    @property
    def is_called_off(self) -> bool:
        """Whether it ended undecided, as it couldn't go on, or nobody played it any more."""
        return self.reason.key in (CALLED_OFF_KEY, DESERTED_KEY)


class GameState(Struct, frozen=True, kw_only=True):
    """What every game's state has; a game adds its own."""

    dice: Dice
    """Between rounds only future throws depend on them, so that a game that goes back can go on with others."""
    conceded: tuple[Seat, ...] = ()
    """Captains who have given up, if the game goes on without them."""
    result: Result | None = field(default=None, name="outcome")
    """None: the game goes on."""


class Concede(Struct, frozen=True, tag=True):
    """A captain gives up."""

    seat: Seat


class TakeUp(Struct, frozen=True, tag=True):
    """Another captain takes up the seat of one who has given up, in a game that asks on what it orders."""

    seat: Seat


class CallOff(Struct, frozen=True, tag=True, omit_defaults=True):
    """A game ends undecided: somebody who doesn't play ends one that can't go on, or it has no captains any more."""

    deserted: bool = False
    """Whether all its captains have given up or left their seats to the computer."""


class AgreeDraw(Struct, frozen=True, tag=True):
    """All captains have agreed that nobody wins."""


OutOfTurnAction = Concede | TakeUp | AgreeDraw | CallOff
"""What is done at any time, unasked."""
