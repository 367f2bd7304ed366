"""Define the values that rows of the tables are read into."""

from __future__ import annotations

from typing import Final, Literal, TypeVar

from msgspec import Struct

from bot.store.models.pace import Pace
from bot.store.models.subjects import CHANNEL_KINDS, MessageSubject
from rules.chance import fairness
from rules.core.protocol import Draft, OutOfTurnAction, Request, Setup
from rules.core.replay import UndoAction

S = TypeVar("S")


class Game(Struct, frozen=True, kw_only=True):
    id: int
    parent_id: int | None
    parent_request: str | None = None
    """The id of the parent game's request that the result of this battle answers."""
    system: str
    name: str
    locale: str
    guild_id: int
    channel_id: int
    thread_id: int | None
    host_id: int
    phase: Literal["lobby", "running", "resolving", "over", "cancelled"]
    version: int
    claimed_at: int | None
    claimed_by: str | None = None
    step_no: int
    deadline: int | None
    pace: Pace
    early: bool
    extensions: int
    paused_at: int | None
    rated: bool
    private: bool
    setup: Setup
    seed: str
    scheme: fairness.HashScheme
    created_at: int
    ended_at: int | None
    digest: str | None

    @property
    def seed_hash(self) -> str:
        return fairness.hash_seed(self.seed)

    @property
    def is_lobby(self) -> bool:
        """Return whether captains may still join, leave and change options. A battle has no lobby."""
        return self.phase == "lobby" and self.parent_id is None

    @property
    def is_in_progress(self) -> bool:
        return self.phase in ("lobby", "running", "resolving") and not self.is_lobby

    @property
    def has_no_server(self) -> bool:
        """Return whether the game was imported from a file for all servers."""
        return self.guild_id == 0


class SeatRow(Struct, frozen=True, kw_only=True):
    game_id: int
    seat: int
    team: int
    user_id: int | None
    computer: bool
    kept_for: int | None
    conceded: bool
    draw_at: int | None
    missed: int
    offered_at: int | None
    name: str | None
    word: str | None
    """The dice word of the captain who held the seat at the start."""
    word_agreed: bool

    @property
    def is_free(self) -> bool:
        return self.user_id is None and not self.computer and self.name is None

    @property
    def is_computer_controlled(self) -> bool:
        return self.computer or self.conceded

    @property
    def is_offered(self) -> bool:
        return self.offered_at is not None and not self.conceded


class KeepsakeRow(Struct, frozen=True, kw_only=True):
    """An item, such as a crew, that a captain keeps from one game to the next.

    Number 0 is a note of the game itself.
    """

    user_id: int
    system: str
    number: int
    name: str
    body: str
    game_id: int | None = None

    @property
    def key(self) -> tuple[int, int]:
        return self.user_id, self.number


class Captaincy(Struct, frozen=True, kw_only=True):
    """A period in which a user holds a seat of a game. Steps are numbers of the latest step at that moment."""

    id: int
    game_id: int
    seat: int
    user_id: int | None
    """None is the computer, or nobody after a captain has lost the seat."""
    from_step: int
    to_step: int | None
    """None while the user holds the seat."""
    put_by: int | None
    acted: bool
    left: bool
    """Whether the user gave the seat away or lost it through absence."""


class RequestRow(Struct, frozen=True, kw_only=True):
    game_id: int
    id: str
    seat: int
    body: Request
    step_no: int
    asked_at: int
    deadline: int | None
    optional: bool
    status: Literal["open", "sealed", "closed"]
    draft: str
    focus: str
    """The selection that the panel shows. It is not part of the draft."""
    version: int
    inherited: bool = False
    """Whether a previous holder of the seat sealed the answer, so that the present holder may not open it."""

    @property
    def as_draft(self) -> Draft:
        return Draft(self.draft, self.focus)


SET_ASIDE_MARK: Final = "~"
"""Separator in the ids of requests whose step was undone. Ids from the rules never contain it."""


GivenBy = Literal["captain", "computer", "deadline", "stored", "battle"]
"""The source of an answer. `deadline`: the rules answered for a missing captain. `stored`: the captain's standing
orders were used. `battle`: the result of a battle, for which no captain was asked.
"""

LATE_GIVERS: Final[frozenset[GivenBy]] = frozenset({"deadline", "stored"})


class AnswerRow(Struct, frozen=True, kw_only=True):
    game_id: int
    request_id: str
    seat: int
    body: str
    nonce: str
    commitment: str
    given_by: GivenBy
    sealed_at: int

    @property
    def is_late(self) -> bool:
        return self.given_by in LATE_GIVERS

    @property
    def original_request_id(self) -> str:
        return self.request_id.partition(SET_ASIDE_MARK)[0]


class GameStarted(Struct, frozen=True, tag=True):
    """The cause of a game's first step."""


class RequestsAnswered(Struct, frozen=True, tag=True):
    requests: tuple[str, ...]
    hidden: bool = False
    """Whether other captains must not learn of the answers while the game runs. Nobody waited for such an answer."""


StepCause = GameStarted | RequestsAnswered | OutOfTurnAction | UndoAction


class StepRow(Struct, frozen=True, kw_only=True):
    """A step of a game. `events` and `state` are JSON, which only the game's types can decode."""

    game_id: int
    no: int
    cause: StepCause
    events: str
    state: str
    resolved_at: int
    revealed: bool = False


class OutboxMessage(Struct, frozen=True, kw_only=True):
    id: int
    mark: int
    """A random public number that identifies the message in Discord."""
    game_id: int
    key: str
    kind: str
    subject: MessageSubject
    user_id: int | None
    wanted: int
    sent: int
    channel_id: int | None
    message_id: int | None
    attempts: int
    due_at: int
    wanted_at: int
    problem: str | None
    shown: str | None
    """Fingerprint of the content last sent; None if the message may show other content by now."""
    edited_at: int | None

    @property
    def delivery_lane(self) -> tuple[int | None, bool]:
        """Return the recipient and whether it is a channel message.

        Messages of a game with equal lanes keep their order.
        """
        return self.user_id, self.kind in CHANNEL_KINDS

    def subject_as(self, what: type[S]) -> S:
        if not isinstance(self.subject, what):
            raise TypeError(f"{self.key} is not about {what.__name__}")
        return self.subject


class Removal(Struct, frozen=True, kw_only=True):
    id: int
    game_id: int
    user_id: int
    channel_id: int
    message_id: int
    due_at: int | None
    direct: int | None = None


class BotStatistics(Struct, frozen=True, kw_only=True):
    games_by_phase: dict[str, int]
    waiting_messages: int
    oldest_waiting_s: int
    undeliverable_messages: int


class Player(Struct, frozen=True, kw_only=True):
    user_id: int
    name: str
    locale: str
    chosen_locale: str | None = None
    zone: str | None = None
    quiet_from: int | None = None
    """Minute of the user's day from which no reminders are sent."""
    quiet_to: int | None = None
    reminders: Literal["both", "last", "none"] = "both"
    away_from: int | None = None
    away_to: int | None = None
    standing: dict[str, str] = {}
    dm_channel_id: int | None = None

    @property
    def language(self) -> str:
        return self.chosen_locale or self.locale


class ServerRow(Struct, frozen=True, kw_only=True):
    guild_id: int
    creators_id: int | None = None
    """The role that may open games; None allows everybody."""
    channels: tuple[int, ...] = ()
    most_games: int | None = None
    locale: str | None = None


class LogEntryRow(Struct, frozen=True, kw_only=True):
    id: int
    game_id: int
    at: int
    step_no: int
    user_id: int | None
    """None is the bot itself; 0 is a user who is no longer known."""
    by_seat: int | None
    kind: str
    seat: int | None
    params: dict[str, str | int]


class RatingSummary(Struct, frozen=True, kw_only=True):
    user_id: int
    name: str
    system: str
    mu: float
    sigma: float
    won: int
    lost: int
    drawn: int

    @property
    def game_count(self) -> int:
        return self.won + self.lost + self.drawn


class RatingRow(Struct, frozen=True, kw_only=True):
    game_id: int
    user_id: int
    system: str
    seat: int
    outcome: Literal["won", "lost", "drawn"]
    mu: float
    sigma: float
    facts: str
    counted: bool = True
    rated_at: int
