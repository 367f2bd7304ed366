"""Rows as values."""

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
    """A game, from its lobby to its end."""

    id: int
    parent_id: int | None
    """The game of which this one is a battle, if it is one."""
    parent_request: str | None = None
    """What its end answers there."""
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
    """The bot that has claimed it, where several play."""
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
    """How its hashes and dice are made."""
    created_at: int
    ended_at: int | None
    digest: str | None
    """Of its record, as its thread told it, if names were withdrawn from it since."""

    @property
    def seed_hash(self) -> str:
        """The hash (hex) of its seed, which is published before it begins."""
        return fairness.hash_seed(self.seed)

    @property
    def is_lobby(self) -> bool:
        """Whether it is a lobby, to join, to leave and to set up; a battle begins by itself, as it was opened."""
        return self.phase == "lobby" and self.parent_id is None

    @property
    def is_in_progress(self) -> bool:
        """Whether it has begun, or is a battle that is about to, and isn't over."""
        return self.phase in ("lobby", "running", "resolving") and not self.is_lobby

    @property
    def has_no_server(self) -> bool:
        """Whether it was brought in from a file for all servers."""
        return self.guild_id == 0


class SeatRow(Struct, frozen=True, kw_only=True):
    """A seat and who holds it."""

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
    """The holder's name when the game ended."""
    word: str | None
    """What the captain who sat here at the start has added to the dice."""
    word_agreed: bool
    """Whether no word has changed since the captain sent theirs: only in the lobby."""

    @property
    def is_free(self) -> bool:
        """Whether somebody may still take it."""
        return self.user_id is None and not self.computer and self.name is None

    @property
    def is_computer_controlled(self) -> bool:
        """Whether the computer gives its orders: always, or since its captain has given up."""
        return self.computer or self.conceded

    @property
    def is_offered(self) -> bool:
        """Whether anybody may take it over."""
        return self.offered_at is not None and not self.conceded


class KeepsakeRow(Struct, frozen=True, kw_only=True):
    """What a captain keeps from one game to the next."""

    user_id: int
    system: str
    number: int
    """Among what they keep of the game; 0: a note of the game's own."""
    name: str
    """As its captain calls it; empty: it is such a note."""
    body: str
    """Only the game reads it."""
    game_id: int | None = None
    """The running game that has it, if one has."""

    @property
    def key(self) -> tuple[int, int]:
        """Whose it is, and its number: one of a kind in a system."""
        return self.user_id, self.number


class Captaincy(Struct, frozen=True, kw_only=True):
    """That somebody holds, or held, a seat of a game."""

    id: int
    game_id: int
    seat: int
    user_id: int | None
    """None: the computer, or nobody, after a captain who has lost it."""
    from_step: int
    """The last step when they got it."""
    to_step: int | None
    """The last step when they lost it; None: they hold it."""
    put_by: int | None
    """Who put them there; None: they came themselves."""
    acted: bool
    """Whether they have given orders in it themselves: sealed, or drafted whole at the deadline."""
    left: bool
    """Whether they gave it away, or lost it because they were absent."""


class RequestRow(Struct, frozen=True, kw_only=True):
    """What a seat is asked, and the draft."""

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
    """What the panel looks at: no part of the draft."""
    version: int
    inherited: bool = False
    """Sealed by one who held the seat before, and not to be opened to who holds it now."""

    @property
    def as_draft(self) -> Draft:
        """The draft as the rules take it."""
        return Draft(self.draft, self.focus)


SET_ASIDE_MARK: Final = "~"
"""Stands in the ids of what was asked in steps that were taken back; none that the rules give has it."""


GivenBy = Literal["captain", "computer", "deadline", "stored", "battle"]
"""Who has answered; at the deadline, the rules for those who were missing, or what these had stored for that; a battle,
where nobody was asked."""

LATE_GIVERS: Final[frozenset[GivenBy]] = frozenset({"deadline", "stored"})
"""Who answers for captains who have let their time pass."""


class AnswerRow(Struct, frozen=True, kw_only=True):
    """A sealed answer."""

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
        """Whether its captain had let their time pass."""
        return self.given_by in LATE_GIVERS

    @property
    def original_request_id(self) -> str:
        """The id of its request, as the rules gave it."""
        return self.request_id.partition(SET_ASIDE_MARK)[0]


class GameStarted(Struct, frozen=True, tag="Started"):
    """The game began."""


class RequestsAnswered(Struct, frozen=True, tag="Answered"):
    """All who were asked have answered, or their time was up."""

    requests: tuple[str, ...]
    """Ids, in order."""
    hidden: bool = False
    """Only who answered may know of it while the game goes on: nobody waited for it, nobody else sees any of it."""


StepCause = GameStarted | RequestsAnswered | OutOfTurnAction | UndoAction
"""What was put into a step."""


class StepRow(Struct, frozen=True, kw_only=True):
    """What happened at once, and the state after it; `events` and `state` are JSON that the game's own types read."""

    game_id: int
    no: int
    cause: StepCause
    events: str
    state: str
    resolved_at: int
    revealed: bool = False
    """Whether dice fell in it, or others' orders were opened or carried out: see `rules.core.revealing`."""


class OutboxMessage(Struct, frozen=True, kw_only=True):
    """A message that must be seen on Discord, as wanted and as sent."""

    id: int
    mark: int
    """The number by which Discord knows it."""
    game_id: int
    key: str
    kind: str
    subject: MessageSubject
    """What it is about."""
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
    """Fingerprint of what we last showed; None: something else may be seen by now."""
    edited_at: int | None

    @property
    def delivery_lane(self) -> tuple[int | None, bool]:
        """Where it goes, within its game: messages of one lane never overtake each other."""
        return self.user_id, self.kind in CHANNEL_KINDS

    def subject_as(self, what: type[S]) -> S:
        """What it is about, a subject of this kind. Raises `TypeError` if it is one of another."""
        if not isinstance(self.subject, what):
            raise TypeError(f"{self.key} is not about {what.__name__}")
        return self.subject


class Removal(Struct, frozen=True, kw_only=True):
    """A message in somebody's direct messages that is to go."""

    id: int
    game_id: int
    user_id: int
    channel_id: int
    message_id: int
    due_at: int | None
    direct: int | None = None
    """Where the bot's direct messages with its reader are; None: not known."""


class BotStatistics(Struct, frozen=True, kw_only=True):
    """How a whole bot is doing."""

    games_by_phase: dict[str, int]
    """How many are in each phase."""
    waiting_messages: int
    """Messages that Discord does not show yet as they should be."""
    oldest_waiting_s: int
    """Seconds for which the oldest of them has been waiting."""
    undeliverable_messages: int
    """Messages that cannot be delivered."""


class Player(Struct, frozen=True, kw_only=True):
    """Somebody known from Discord, with their settings."""

    user_id: int
    name: str
    locale: str
    """Of their Discord."""
    chosen_locale: str | None = None
    """The language they chose themselves."""
    zone: str | None = None
    """An IANA time zone."""
    quiet_from: int | None = None
    """Minute of their day from which they are left in peace."""
    quiet_to: int | None = None
    reminders: Literal["both", "last", "none"] = "both"
    away_from: int | None = None
    away_to: int | None = None
    standing: dict[str, str] = {}
    """Default standing orders by system, as typed."""
    dm_channel_id: int | None = None
    """The channel of their direct messages with us; None: not yet opened."""

    @property
    def language(self) -> str:
        """The locale of what we write to them."""
        return self.chosen_locale or self.locale


class ServerRow(Struct, frozen=True, kw_only=True):
    """What a server's managers have settled."""

    guild_id: int
    creators_id: int | None = None
    """The role that may open games; None is everybody."""
    channels: tuple[int, ...] = ()
    """Where games may be opened; empty is anywhere."""
    most_games: int | None = None
    locale: str | None = None


class LogEntryRow(Struct, frozen=True, kw_only=True):
    """An entry of a game's audit log."""

    id: int
    game_id: int
    at: int
    step_no: int
    user_id: int | None
    """None: the bot itself; 0: somebody who is not known here."""
    by_seat: int | None
    """The seat that they held then."""
    kind: str
    seat: int | None
    params: dict[str, str | int]


class RatingSummary(Struct, frozen=True, kw_only=True):
    """What a player's rated games of one system have come to."""

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
        """The number of rated games."""
        return self.won + self.lost + self.drawn


class RatingRow(Struct, frozen=True, kw_only=True):
    """A player's rating after a game, as it was before if that was not rated, and what they did in it."""

    game_id: int
    user_id: int
    system: str
    seat: int
    outcome: Literal["won", "lost", "drawn"]
    mu: float
    sigma: float
    facts: str
    """JSON of a `Statistics`."""
    counted: bool = True
    """Whether the game has changed their rating."""
    rated_at: int
