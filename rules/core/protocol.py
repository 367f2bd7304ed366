"""Values that a game and the rest of the program exchange: setups, requests, drafts, choices, steps and results."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, ClassVar, Final, Literal, NamedTuple, Self

from msgspec import UNSET, Struct, UnsetType, structs

from rules.chance.dice import Dice
from rules.core.errors import Fault, IllegalOrder, Scalar
from rules.core.keepsakes import Keepsake
from rules.core.view import Text

Seat = int  # a player's number in a game, from 0. Never a Discord id.

_HEADLINE_SCORE_BY_WEIGHT: Final = (0, 1, 20, 100)


class Event(Struct, frozen=True, kw_only=True, tag=True, gc=False):  # events contain no reference cycles
    """Base class of everything that happens in a game.

    The catalogue key of its sentence is `event.<type name>`, followed by `.<variant>` if `variant` is not empty.
    """

    rule: str = ""  # the rule by which it happened, such as `MB-5.8`; empty: none
    seen_by: tuple[Seat, ...] | None = None  # seats that may learn of the event; None: everyone

    weight: ClassVar[Literal[0, 1, 2, 3]] = 1
    """0: shown only in the log and in the text alternative; 1: part of the story; 2: a headline; 3: decides the game.
    """

    may_reveal: ClassVar[bool] = True
    """False for consequences of a concession alone, which reveal neither dice nor orders."""
    headline_rule: ClassVar[int | tuple[str, int, int] | None] = None
    """Overrides the score that follows from `weight`: a score, or a field name with the scores for a true and a false
    value."""
    variant_of: ClassVar[str | tuple[str, str, str]] = ""
    """The field whose value names the variant, or a field name with the variants for a true and a false value; empty:
    none."""

    harms: ClassVar[str] = ""
    """The name of the field that holds the id of the ship that loses something; empty: none."""
    ship_fields: ClassVar[tuple[str, ...]] = ()
    """Names of the fields that hold ids of affected ships, the acting or most affected ship first."""
    continues_line: ClassVar[bool] = False  # whether a story adds the event to the line of the event before it
    dice_rules: ClassVar[tuple[str, ...]] = ()
    """Numbers of the rules on its dice and modifiers, which explanations cite after `rule`."""
    tells_orders: ClassVar[bool] = False
    """Whether the event reports a ship's orders. With weight 0, only the ship's captain sees it, and only if nothing
    else happened to her."""
    is_heading: ClassVar[bool] = False
    """Whether the event is a heading that names who acts next. A story omits it if no event follows."""

    @property
    def ship_ids(self) -> tuple[str, ...]:
        ship_ids: list[str] = []
        for name in self.ship_fields:
            value = getattr(self, name)  # an id, several, or None
            ship_ids += [value] if isinstance(value, str) else value or ()
        return tuple(ship_ids)

    @property
    def explained_ships(self) -> tuple[str, ...]:
        """Ids of the ships that the event helps to explain: `ship_ids`, and others that it names."""
        return self.ship_ids

    @property
    def cited_rules(self) -> tuple[str, ...]:
        """Numbers of the rules that an explanation of the event cites, each once."""
        return tuple(dict.fromkeys(filter(None, (self.rule, *self.dice_rules))))

    @property
    def concerned_seats(self) -> tuple[Seat, ...]:
        """Seats that the event concerns in addition to the captains of `ship_ids`."""
        return ()

    @property
    def acting_seat(self) -> Seat | None:
        """The seat that caused the event, or None.

        Of equally important events, this seat reads those of others first.
        """
        return None

    @property
    def harmed_seats(self) -> tuple[Seat, ...]:
        """Seats for which the event is bad news, and which read it first."""
        return ()

    @property
    def harmed_ship(self) -> str:
        """The id of the ship that loses something by this event, such as oars, men or herself; empty: none."""
        return str(getattr(self, self.harms)) if self.harms else self.captured_ship

    @property
    def captured_ship(self) -> str:
        """The id of the ship that changes sides by this event; empty: none."""
        return ""

    @property
    def variant(self) -> str:
        match self.variant_of:
            case (field, yes, no):
                return yes if getattr(self, field) else no
            case field:
                return str(getattr(self, field)) if field else ""

    def with_totals(self, _events: Iterable[Event], /) -> Self:
        """Return the event with the effects of similar events on the same ship added up, for a headline."""
        return self

    @property
    def headline_score(self) -> int:
        """The score that selects a story's headline.

        The highest score wins, the last event among equals; 0: never a headline.
        """
        match self.headline_rule:
            case None:
                return _HEADLINE_SCORE_BY_WEIGHT[self.weight]
            case (field, yes, no):
                return yes if getattr(self, field) else no
            case score:
                return score

    @property
    def decides_game(self) -> bool:
        """Whether the event decides or ends the game. Every explanation of its round then includes it."""
        return self.weight > 2

    @property
    def closes_turn(self) -> bool:
        """Whether the event happens after all have acted; a story tells it under a heading of its own."""
        return False

    def causes(self, later: Event) -> bool:  # noqa: ARG002 - most events have no such effect
        """Return whether a story for everybody tells a later event of the same moment right after this one."""
        return False

    @property
    def topic(self) -> str:
        """The battle, or other subject, of which a story tells all events in one place; empty: none."""
        return ""

    @property
    def section_heading(self) -> Text | None:
        """The heading of the part of the round in which the event happened, such as "Step 3"; None: no heading."""
        return None

    @property
    def params(self) -> dict[str, Any]:
        """Values for placeholders of the event's sentence: the fields, and texts composed of them."""
        return structs.asdict(self)

    @property
    def list_key(self) -> str:
        """The key of a sentence that joins consecutive events of this type, with a list for each value.

        Empty: no such sentence.
        """
        return ""

    @property
    def dedup_key(self) -> str:
        """A story shows only the first event with a given key; empty: it shows every one."""
        return ""

    def split_by_ship(self) -> tuple[Event, ...]:
        """Return one event for each ship if a story can report them separately, else the event itself."""
        return (self,)

    def merge_with(self, after: Event) -> Event:  # noqa: ARG002 - most events ignore the next one
        """Return what a story shows of this event if `after` comes next: the event itself, or one that says more."""
        return self


class OptionSpec(Struct, frozen=True):
    """An option of a game's setup. Its catalogue keys are `option.<key>` and `option.<key>.<value>`."""

    key: str  # name of the option
    values: tuple[str, ...]  # the values that may be chosen
    default: str  # the value if none is chosen
    former_values: Mapping[str, str] = {}
    """Values of earlier editions, each with its replacement. Old games keep them, but new games cannot choose them."""

    @staticmethod
    def chosen_values(specs: Sequence[OptionSpec], choices: Mapping[str, str], rule: str) -> dict[str, str]:
        """Return the value of every option by key, with defaults for missing ones.

        Raises `IllegalOrder` with `rule` for an unknown option or value.
        """
        values_by_key = {spec.key: spec.default for spec in specs}
        known = {spec.key: spec for spec in specs}
        for key, value in choices.items():
            if key not in known:
                raise IllegalOrder("unknown_option", rule, piece=key, legal=", ".join(known))
            if value not in known[key].values and value not in known[key].former_values:
                legal = ", ".join(known[key].values)
                raise IllegalOrder("unknown_option_value", rule, piece=value, key=key, legal=legal)
            values_by_key[key] = value
        return values_by_key


class Setup(Struct, frozen=True, kw_only=True):
    """The choices with which a game begins."""

    system: str  # name of the game
    teams: tuple[int, ...]  # the team of each seat, from 0. Seats of a team are allies. Most games have two teams.
    options: dict[str, str] = {}  # chosen values by option key; missing ones have their defaults
    missed: Literal["hold", "mate"] = "mate"
    """`hold`: nobody answers for a captain who misses a deadline; `mate`: the computer does."""
    position: str = ""  # ships in the game's own notation; empty: captains place new ships
    edition: int | UnsetType = UNSET  # the edition of the rules by which the game is played; absent: the first
    scenario: str | UnsetType = UNSET
    """The full text of a scenario, either one of the game's own or the host's, so that a record needs no other file."""
    rounds: int | UnsetType = UNSET
    """The round after which a battle ends undecided. Absent: the battle goes on until it is decided. Some games ignore
    it."""
    keepsakes: tuple[tuple[Keepsake, ...], ...] | UnsetType = UNSET
    """Each seat's keepsakes, added when the game begins. Only their captain may see them until the game is over.
    Absent: the game has none."""
    parent: str | UnsetType = UNSET  # the name of a battle in the game that it belongs to, such as `B3`
    match_game: Literal[2] | UnsetType = UNSET  # the second game of a match; absent: another game
    lots: dict[str, int] | UnsetType = UNSET
    """Lots for the sides that an earlier game drew, by name; they aren't drawn again. Absent: all lots are drawn. The
    second game of a match has those of the first, so that captains who exchange seats exchange sides."""


class BattleSpec(Struct, frozen=True, kw_only=True):
    """A separate game whose result answers a request of this game."""

    setup: Setup  # how the battle begins
    seats: tuple[Seat, ...]  # for each seat of the battle, the seat of this game that plays it
    name: Text | None = None  # the battle's title; None: the title of an ordinary game
    note: Text | None = None  # what its captains must know, in words of this game, for the battle's first message
    parts: int = 0
    """Number of the battle's rounds that end, at fixed hours, within one phase of this game; 0: its rounds take as long
    as this game's."""


NO_SEAT: Final = -1  # the seat of a request that a battle answers


class Request(Struct, frozen=True, kw_only=True):
    """A question to one seat. Answers to pending requests stay secret until they are carried out together."""

    id: str  # unique within the game, such as `r3.orders.0`. Only going back can open the same id a second time.
    seat: Seat  # the seat that is asked; `NO_SEAT` for a battle
    kind: str  # selects the `Question`. The catalogue key is `request.<kind>`.
    round: int  # the round in which it is asked
    live: bool = False  # whether the question comes in the middle of a round while other captains wait
    sealed: bool = True
    """Whether an answer stays secret until all seats have answered. False: an answer is carried out at once."""
    clock: str = ""
    """Requests with the same clock share the deadline that the first of them sets; empty: a deadline of its own."""
    budget: str = ""
    """Requests with the same budget share one time allowance, as on a chess clock. It runs only while one of them is
    open. Once it is used up, each further request is due at once. Empty: a full phase for each request."""
    within: int = 0
    """Maximum seconds until the deadline, shared with requests of the same budget; 0: only the game's own limit.
    Missing such a deadline does not count as absence, because the captain may be asleep."""
    optional: bool = False
    """Whether the game goes on without an answer. Such a request has no deadline, the computer does not answer it, and
    an answer is carried out alone and at once."""
    ahead: bool = False
    """Whether the captain may answer before the game needs the answer. Once the game asks under the same id, the stored
    answer is carried out if it is still legal."""
    battle: BattleSpec | None = None
    """The battle whose `Report`, as JSON, answers the request; None: a seat answers. If the request is also `optional`,
    this game goes on during the battle."""
    params: dict[str, Scalar] = {}
    """Values for the request's sentence. A value `note` adds what the captain must know: `request.note.<note>`."""


def ask_each(
    seats: Iterable[Seat],
    kind: str,
    round_no: int,
    *,
    letter: str = "r",
    **more: Any,  # noqa: ANN401 - fields
) -> tuple[Request, ...]:
    """Return a request of one kind for each seat, with the id `r<round>.<kind>.<seat>`.

    `letter` replaces the `r` in games whose rounds have another name. `more` holds further fields of `Request`.
    """
    name = f"{letter}{round_no}.{kind}"
    return tuple(Request(id=f"{name}.{seat}", seat=seat, kind=kind, round=round_no, **more) for seat in seats)


def first_request_to(pending: Iterable[Request], seat: Seat | None, kind: str = "") -> Request | None:
    """Return the first request to a seat, optionally of one kind; None: there is none."""
    return next((request for request in pending if request.seat == seat and kind in ("", request.kind)), None)


def ask_battle(name: str, round_no: int, setup: Setup, seats: tuple[Seat, ...], **params: Scalar) -> Request:
    """Return a request `r<round>.<name>.<params>` that a battle of these seats answers while the game waits."""
    request_id = f"r{round_no}.{name}.{'-'.join(map(str, params.values()))}"
    battle = BattleSpec(setup=setup, seats=seats)
    return Request(id=request_id, seat=NO_SEAT, kind=name, round=round_no, live=True, battle=battle, params=params)


class ShipFate(Struct, frozen=True, kw_only=True):
    id: str  # the ship's id in the battle
    seat: Seat  # the seat that owned the ship at the start
    end: Literal["afloat", "struck", "sunk", "taken"]
    """`struck`: afloat, but its captain gave up; `taken`: afloat and held by the enemy."""
    parts: dict[str, int] = {}  # what is left of the ship, by `Gauge.key`


class BattleOutcome(Struct, frozen=True, kw_only=True):
    ships: tuple[ShipFate, ...]  # the fate of every ship
    rounds: int  # the number of rounds fought
    gave_up: tuple[Seat, ...] = ()  # seats of the battle whose captains gave up


class Report(Struct, frozen=True, kw_only=True):
    """The result of a battle, as an answer to the request of the parent game."""

    digest: str  # the digest of the battle's record, which identifies and verifies it
    winners: tuple[Seat, ...]  # winning seats of the battle; empty: a draw
    ending: str  # the final position in the battle's notation (`Ruleset.final_position`)
    outcome: BattleOutcome | UnsetType = UNSET
    """The fate of each ship (`Ruleset.battle_outcome`). Absent if the game does not report it."""


class Draft(NamedTuple):
    """An unfinished answer, in the notation of finished ones."""

    text: str = ""  # the answer as far as it is written
    focus: str = ""
    """The part that the panel shows in detail, such as a ship's id. It is no part of the answer, so a change of focus
    does not break a seal."""


EMPTY_DRAFT: Final = Draft()
CAPTAINS_OPTION: Final = "captains"  # key of the option for the number of captains of each side
LEVEL_OPTION: Final = "captain"  # key of the option for the strength of computer captains (`rank.<level>`)


def completes_step(pending: Iterable[Request], answered_ids: Collection[str]) -> bool:
    """Return whether these request ids can be answered in one step: all required requests, or only optional ones."""
    open_requests = [request for request in pending if not request.ahead]
    open_ids = {request.id for request in open_requests}
    required_ids = {request.id for request in open_requests if not request.optional}
    ids = {*answered_ids}
    if not ids or not ids <= open_ids:
        return False
    answers_all_required = required_ids <= ids
    answers_only_optional = not required_ids & ids
    return answers_all_required or answers_only_optional


class Option(Struct, frozen=True):
    """A button or menu entry that a captain may press next."""

    token: str  # identifies the option within its request: letters, digits and `-_.+/`, at most 40 characters
    label: Text  # the caption of the button or entry
    draft: str  # the draft's text after the press
    focus: str = ""  # the draft's focus after the press
    fault: Fault | None = None  # why the option cannot be pressed now
    is_chosen: bool = False  # whether the draft already contains the option
    seals_answer: bool = False  # whether the press also submits the draft as the answer
    only_adds: bool = False
    """Whether the option only appends to the draft and keeps the focus. Several presses before the panel is redrawn
    then all count."""
    is_joined: bool = False  # whether the option must be on the same page of a panel as the option before it
    stays_visible: bool = False
    """Whether the option stays visible, disabled, while it cannot be pressed, so that its neighbours keep their places.
    """


STANDING_GROUP: Final = "standing"
"""Key of the group, or token of the form, for standing orders, which also apply to later requests."""


class OptionGroup(Struct, frozen=True, kw_only=True):
    """Options in one row of buttons or one select menu. The catalogue key of the heading is `group.<key>`."""

    key: str  # names the group within its panel
    style: Literal["buttons", "select"]  # a row of buttons, or a select menu
    is_beside_controls: bool = False
    """Whether the buttons are next to the panel's own controls, where they are always visible."""
    options: tuple[Option, ...]  # in the order of display


class FormLine(Struct, frozen=True):
    """An entry of a list in a form. Choosing it types `text`, which may be empty."""

    token: str  # identifies the entry within its list
    label: Text  # the caption of the entry
    text: str = ""  # what is typed into the draft
    is_chosen: bool = False  # whether the entry is preselected. A list without a preselected entry requires a choice.


class FormField(Struct, frozen=True):
    """A list in a form from which one entry is chosen: 1 to 25 entries, and a label of at most 45 characters."""

    label: Text  # the caption of the list
    entries: tuple[FormLine, ...]  # in the order of display


class Form(Struct, frozen=True, kw_only=True):
    """Up to five lists in one dialog. The chosen entries are put into the draft as if they were typed."""

    token: str
    """Identifies the form within its request. It must not depend on the draft, because a form may be submitted long
    after it was opened."""
    label: Text  # the caption of the button that opens the form
    fields: tuple[FormField, ...]  # the lists, at most five
    prefix: str = ""  # text typed before the chosen entries
    separator: str = ""  # text typed between entries that are not empty
    focus: str = ""  # the draft's focus after submission; empty: the focus that the typed text sets
    is_offered: bool = True  # whether the panel has a button for it


class Choices(Struct, frozen=True, kw_only=True):
    """The contents of a panel for one draft: buttons and menus, forms, and `lines` that describe the draft."""

    groups: tuple[OptionGroup, ...]  # rows of buttons and menus, in the order of display
    forms: tuple[Form, ...] = ()  # dialogs that the panel can open
    lines: tuple[Text, ...]  # sentences that describe the draft
    missing_parts: tuple[Text, ...] = ()
    """Parts that are missing before the draft can be sealed; empty: complete and legal."""
    forecasts: tuple[Text, ...] = ()
    """Sentences about what the draft would do under an assumption that they state."""
    decisions: tuple[Text, ...] = ()
    """Sentences about what the captain may still decide, the most urgent first, or about a rule that matters now. A
    panel shows them on its first page, so there should be few and short ones."""
    progress: Text | None = None  # the progress of a draft with several parts, such as "2 of 3 galleys are ordered"


class Step(Struct, frozen=True):
    state: Any  # the state after the step
    events: tuple[Event, ...]  # what happened in the step

    def preceded_by(self, events: Iterable[Event]) -> Step:
        return Step(self.state, (*events, *self.events))


DrawReason = Literal["agreed", "called_off"]
CALLED_OFF_KEY: Final = "reason.called_off"
DESERTED_KEY: Final = "reason.deserted"  # key of the reason why a game ended that only the computer was still playing


class Result(Struct, frozen=True, kw_only=True):
    """The end of a game. A draw has no winners."""

    winners: tuple[Seat, ...]  # winning seats; empty: a draw
    reason: Text  # a sentence that says why the game ended

    @property
    def is_called_off(self) -> bool:
        """Whether the game ended undecided because it could not go on or nobody played it any more."""
        return self.reason.key in (CALLED_OFF_KEY, DESERTED_KEY)


class GameState(Struct, frozen=True, kw_only=True):
    """The fields that the state of every game has. `result` is None while the game goes on."""

    dice: Dice
    """Dice for future throws. Between rounds nothing else depends on them, so a game that goes back can continue with
    other dice."""
    conceded: tuple[Seat, ...] = ()  # captains who gave up in a game that goes on without them
    result: Result | None = None  # the result; None: the game goes on


class Concede(Struct, frozen=True, tag=True):
    seat: Seat  # the seat that gives up


class TakeUp(Struct, frozen=True, tag=True):
    """Another captain takes the seat of one who conceded, in a game that still asks that seat for orders."""

    seat: Seat  # the seat that gets a new captain


class CallOff(Struct, frozen=True, tag=True, omit_defaults=True):
    """The game ends undecided: it cannot go on, or it has no captains left."""

    deserted: bool = False  # whether all captains have conceded or left their seats to the computer


class AgreeDraw(Struct, frozen=True, tag=True):
    """All captains agree that nobody wins."""


OutOfTurnAction = Concede | TakeUp | AgreeDraw | CallOff
