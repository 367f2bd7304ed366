"""The doors of a game: what every rule system offers, and all that chat, store and pictures know of it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, ClassVar, Final, Literal, Protocol, TypeVar

from msgspec import UNSET, Struct, UnsetType, structs

from rules.dice import Dice
from rules.errors import Fault, Scalar
from rules.lessons import Lesson, Verdict
from rules.tally import Tally
from rules.view import Text, View

S = TypeVar("S")
A = TypeVar("A")

Seat = int
"""A player's number in his game, from 0; never a Discord id."""


class Event(Struct, frozen=True, kw_only=True, tag=True):
    """Base of everything that happened, in the past tense.

    Its sentence stands in the catalogue under `event.<type name>`, followed by `.<variant>` if it has one.
    """

    rule: str = ""
    """The rule by which it happened."""
    seen_by: tuple[Seat, ...] | None = None
    """Who may be told; None is everybody."""
    step: int = 0
    """The order step within the round at which it happened; 0: at none."""

    weight: ClassVar[Literal[0, 1, 2, 3]] = 1
    """0: for the log and for those who cannot see; 1: part of the story; 2: worth a headline; 3: decides the game."""

    @property
    def variant(self) -> str:
        """Which of several sentences tells it; empty if there is but one."""
        return ""

    @property
    def told(self) -> dict[str, Any]:
        """What its sentence may name: its fields, and whatever must be put together from them, as Texts."""
        return structs.asdict(self)


class OptionSpec(Struct, frozen=True):
    """A choice made when a game is set up, as `option.<key>` and `option.<key>.<value>` in the catalogue."""

    key: str
    values: tuple[str, ...]
    default: str


class Setup(Struct, frozen=True, kw_only=True):
    """How a game begins."""

    system: str
    teams: tuple[int, ...]
    """The team of each seat, 0 or 1; seats of a team are allies."""
    options: dict[str, str] = {}
    """Values of the system's `OptionSpec`s by key; those left out are at their default."""
    missed: Literal["hold", "mate"] = "mate"
    """Who answers for a captain who misses a deadline: nobody, or the computer."""
    position: str = ""
    """Ships as they come from elsewhere, in the system's own notation; empty: new ones, placed by their captains."""
    edition: Literal[1, 2] | UnsetType = UNSET
    """Of the game's rules, where they have changed; left out: today's. A game goes on by those by which it began."""


class Request(Struct, frozen=True, kw_only=True):
    """What one seat is asked. Requests that are pending together are answered secretly and joined."""

    id: str
    """Unique within its game for ever, such as `r3.orders.0`; only if the game goes back is it asked anew."""
    seat: Seat
    kind: str
    """Catalogue key, as `request.<kind>`."""
    round: int
    live: bool = False
    """Asked in the middle of a round, while others wait."""
    sealed: bool = True
    """Kept secret until all who are asked have answered; an open answer is carried out at once."""
    clock: str = ""
    """Requests of one clock share a deadline, which is set with the first of them: who acts step by step gets no more
    time with each step. Empty: a deadline of its own."""
    optional: bool = False
    """Nobody waits for it, no deadline ends it and the computer does not answer it. An answer is carried out at once,
    alone; until then the request, with its draft, stays as long as it is pending."""
    params: dict[str, Scalar] = {}


def makes_step(pending: Iterable[Request], given: Collection[str]) -> bool:
    """Whether answers to the requests of these ids can be carried out: to all that the game waits for, or to none."""
    waited = {request.id: not request.optional for request in pending}
    answered = {waited[one] for one in given if one in waited}
    everything = all(one in given for one, waits in waited.items() if waits)
    return bool(given) and all(one in waited for one in given) and (everything or True not in answered)


class Option(Struct, frozen=True, kw_only=True):
    """One thing that may be pressed next."""

    token: str
    """Names the option within its request: letters, digits and `-_.+/`, at most 40."""
    label: Text
    draft: str
    """The draft after pressing it."""
    fault: Fault | None = None
    """Why it may not be pressed now."""
    chosen: bool = False
    """It is what the draft holds already."""
    seals: bool = False
    """Pressing it completes the answer and seals it."""


STANDING: Final = "standing"
"""Key of the group with which a request takes standing orders: they go on to hold in later ones."""


class Group(Struct, frozen=True, kw_only=True):
    """Options that belong together: a row of buttons, or a select."""

    key: str
    """Catalogue key of its heading, as `group.<key>`."""
    style: Literal["buttons", "select"]
    options: tuple[Option, ...]


class Choices(Struct, frozen=True, kw_only=True):
    """What a panel shows for a draft."""

    groups: tuple[Group, ...]
    lines: tuple[Text, ...]
    """The draft in words, a line a piece."""
    missing: tuple[Text, ...] = ()
    """What must still be given before it can be sealed; empty: complete and legal."""
    progress: Text | None = None
    """How far the draft is, where it has several parts: "2 of 3 galleys are ordered"."""


class Step(Struct, frozen=True):
    """The state after something happened, and what happened."""

    state: Any
    events: tuple[Event, ...]


class Result(Struct, frozen=True, kw_only=True):
    """How a game ended."""

    winners: tuple[Seat, ...]
    """Empty: a draw."""
    reason: Text


class Concede(Struct, frozen=True, tag=True):
    """A captain gives up."""

    seat: Seat


class AgreeDraw(Struct, frozen=True, tag=True):
    """All captains have agreed that nobody wins."""


Act = Concede | AgreeDraw
"""What captains may do at any time, unasked."""


class Ruleset(Protocol[S, A]):
    """One game. Every method is pure, mutates nothing and gives the same for the same values.

    A state has a field `dice: Dice`. Between rounds nothing but future throws hangs on it, so that a game that goes
    back can go on with other dice.
    """

    name: str
    data: str
    """The package in which its words lie (`en.po`, `hu.po`), and its tables: `data.<name>`."""
    options: tuple[OptionSpec, ...]
    captains: tuple[int, ...]
    """How many captains a side may have."""
    state_type: type[S]
    event_type: Any
    """Union of its event structs, for msgspec."""
    view_type: type[View]
    lessons: tuple[Lesson, ...]
    """Empty: there is nothing to be learned by trying."""

    def start(self, setup: Setup, dice: Dice) -> Step:
        """Begin a game. Raises `OrderError` for a setup it does not allow."""
        ...

    def at(self, position: str) -> S:
        """A position in the game's notation, to be looked at: whatever captains it names are seated as it names them.

        Raises `OrderError` if it cannot be read.
        """
        ...

    def pending(self, state: S) -> tuple[Request, ...]:
        """Who must answer what now; empty when the game is over."""
        ...

    def parse(self, state: S, request: Request, text: str) -> A:
        """Read a complete, legal answer. Raises `OrderError` on anything else."""
        ...

    def format(self, answer: A) -> str:
        """Write an answer in canonical notation: `parse(format(a)) == a`."""
        ...

    def choices(self, state: S, request: Request, draft: str) -> Choices:
        """What may be pressed after this draft, `""` at first; a draft that cannot be read counts as empty."""
        ...

    def amend(self, state: S, request: Request, draft: str, text: str) -> str:
        """Put typed text, in any language of the game, into the draft; what it does not mention stays.

        Raises `OrderError` if the text cannot be read or breaks a rule; the result may still be incomplete.
        """
        ...

    def default(self, state: S, request: Request) -> A:
        """The answer when the deadline has passed."""
        ...

    def resolve(self, state: S, answers: Mapping[str, A]) -> Step:
        """Carry out answers by request id: those to all requests that the game waits for, joined, or to optional ones.

        Raises `ValueError` if they answer anything else than what is pending, or not all that the game waits for.
        """
        ...

    def act(self, state: S, act: Act) -> Step:
        """Carry out what a captain did unasked."""
        ...

    def view(self, state: S, seat: Seat | None, draft: str = "") -> View:
        """What a seat (None: a spectator) may see, with his own draft for his pending request laid upon it."""
        ...

    def result(self, state: S) -> Result | None:
        """How it ended, or None while it goes on."""
        ...

    def judge(self, lesson: str, state: S, events: Iterable[Event]) -> Verdict:
        """What came of a lesson, from the state after its round and all that happened in it.

        Raises `KeyError` for a lesson that there is not.
        """
        ...

    def tally(self, state: S, events: Iterable[Event]) -> Mapping[Seat, Tally]:
        """What each seat did and threw, from all that happened in a game and the state that it led to."""
        ...

    def captain(self, view: View, request: Request, seed: str) -> A:
        """The computer captain's answer, from what his seat sees and a seed (hex) for his whims."""
        ...

    def reason(self, view: View, answer: A) -> Text:
        """One reason for an answer, from what a seat sees: what it promises."""
        ...

    def samples(self, state: S, request: Request) -> Sequence[A]:
        """A finite, representative set of legal answers, for tests and counting."""
        ...
