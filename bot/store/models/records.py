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


PAGE_REMOVED: Final = -1
"""In place of the last step that a page shows: the page was removed, and may come back under another address."""


class Game(Struct, frozen=True, kw_only=True):
    id: int
    parent_id: int | None  # the game whose battle this is; None: no battle
    parent_request: str | None = None  # id of the parent game's request that the result of this battle answers
    is_match: bool = False  # whether it is the first game of a match, or a lobby for one
    first_game_id: int | None = None  # the first game of the match whose second game this is; else None
    second_seed: str | None = None  # secret seed of the second game's dice, were this a match (hex); else None
    points: str | None = None  # a JSON list: each side's points in a finished game of a match
    system: str  # key of its rules in the registry of rules
    name: str  # "" if the host gave none
    locale: str  # language of its thread, such as "en"
    guild_id: int  # its Discord server; 0: imported from a file for all servers
    channel_id: int  # channel of the lobby's message
    thread_id: int | None  # Discord thread in which it is played; None: not opened yet
    host_id: int  # the user who opened it; 0: unknown or forgotten
    phase: Literal["lobby", "running", "resolving", "over", "cancelled"]  # resolving: a process computes the next step
    version: int  # counts claims and releases: a process writes only if it is still the version that it claimed
    claimed_at: int | None  # when a process began to resolve a step; None: no step is being resolved (Unix seconds)
    claimed_by: str | None = None  # the bot that holds the claim; None: only one bot runs
    step_no: int  # number of the last stored step, from 0; -1 before the start
    deadline: int | None  # first deadline of the open requests, in Unix seconds; None: the game waits for nobody
    pace: Pace  # rule for the length of a phase
    early: bool  # whether a phase ends as soon as all captains have sealed
    extensions: int  # how often each side may extend a phase without asking the others
    paused_at: int | None  # Unix seconds; None: the clock runs
    idle_since: int | None = None  # from when its term counts at the earliest (Unix seconds); None: it has no term
    rated: bool  # whether the host wants it rated; see `may_be_rated`
    private: bool  # whether only invited users may join
    setup: Setup  # options, teams and keepsakes with which the rules start it
    seed: str  # secret seed of the dice (hex), revealed when the game is over
    scheme: fairness.HashScheme  # how seals and dice are computed from the seed
    created_at: int  # Unix seconds
    ended_at: int | None  # Unix seconds; None: not over
    digest: str | None  # published hash of a record from which names were withdrawn later; else None
    page_key: str | None = None  # secret part of its page's address; None: it has no page
    page_step: int | None = None  # the last step that its page shows; None: none; `PAGE_REMOVED`: it had a page
    keepsakes_hash: str = ""
    """Secret: salt and hash of the keepsakes to which captains agreed with their words. Empty: none."""

    @property
    def shown_page_key(self) -> str | None:
        """Return the key of the game's page if the page shows a step."""
        return None if self.page_step in (None, PAGE_REMOVED) else self.page_key

    @property
    def seed_hash(self) -> str:
        return fairness.hash_seed(self.seed)

    @property
    def is_lobby(self) -> bool:
        """Return whether captains may still join, leave and change options.

        A battle and the second game of a match have no lobby.
        """
        return self.phase == "lobby" and self.parent_id is None and self.first_game_id is None

    @property
    def belongs_to_match(self) -> bool:
        return self.is_match or self.first_game_id is not None

    @property
    def is_in_progress(self) -> bool:
        return self.phase in ("lobby", "running", "resolving") and not self.is_lobby

    @property
    def has_no_server(self) -> bool:
        """Return whether the game was imported from a file for all servers."""
        return self.guild_id == 0


class SeatRow(Struct, frozen=True, kw_only=True):
    game_id: int
    seat: int  # number within the game, from 0
    team: int  # side within the game, from 0
    user_id: int | None  # None: free, or the computer's
    computer: bool  # whether the computer holds it from the start or since it was handed over
    kept_for: int | None  # the only user who may take the seat; None: everybody may
    conceded: bool  # whether its captain gave up; the computer then commands
    draw_at: int | None  # step at which its captain offered a draw; the offer lapses with the next step
    missed: int  # deadlines missed in a row
    offered_at: int | None  # since when anybody may take it over (Unix seconds); None: not offered
    name: str | None  # the captain's name at the game's end; None: the game runs, or the computer holds the seat
    word: str | None  # dice word of the captain who held the seat at the start
    word_agreed: bool  # whether nothing to agree to has changed since the captain joined or sent a word
    hopeless_step: int | None = None  # step whose panel said what conceding costs, as the side hardly wins; None: none
    abandoned: int = 0  # how often the captain has thrown dice away lately (`lifecycle.people.abandoning`)
    abandoned_by_others: int = 0  # how often others have lately, in the captain's lobbies and games

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
    """An item, such as a crew, that a captain keeps from one game to the next."""

    user_id: int  # the captain who owns it
    system: str  # key of the rules to which it belongs
    number: int  # among the user's items of this game, from 1; 0: a note of the game itself
    name: str  # the captain's name for it
    body: str  # text that only the game's rules can read
    game_id: int | None = None  # the running game that uses it; None: it is free

    @property
    def key(self) -> tuple[int, int]:
        return self.user_id, self.number


class Captaincy(Struct, frozen=True, kw_only=True):
    """A period in which a user holds a seat of a game. Steps are numbers of the latest step at that moment."""

    id: int  # grows with time
    game_id: int
    seat: int
    user_id: int | None  # None is the computer, or nobody after a captain has lost the seat
    from_step: int  # the last step when they got the seat
    to_step: int | None  # None while the user holds the seat
    put_by: int | None  # the user who put them into the seat; None: they joined by themselves
    acted: bool  # whether the user has sealed orders that counted, here or in the first game of the match
    left: bool  # whether the user gave the seat away or lost it through absence

    @property
    def has_played(self) -> bool:
        """Whether the user joined by themselves, or gave orders in the seat into which somebody put them."""
        return self.put_by is None or self.acted


class RequestRow(Struct, frozen=True, kw_only=True):
    game_id: int
    id: str  # the rules' id of the request, unique within the game
    seat: int  # the seat that must answer
    body: Request  # the question as the rules ask it
    step_no: int  # the step that asked it
    asked_at: int  # Unix seconds
    deadline: int | None  # Unix seconds; None: it has none
    optional: bool  # whether the game goes on without an answer
    status: Literal["open", "sealed", "closed"]  # closed: resolved or withdrawn
    draft: str  # the unsealed answer as text; "" if none was begun
    focus: str
    """The selection that the panel shows. It is not part of the draft."""
    version: int  # counts changes of the draft and its seal; buttons carry it
    inherited: bool = False
    """Whether a previous holder of the seat sealed the answer, so that the present holder may not open it."""

    @property
    def as_draft(self) -> Draft:
        return Draft(self.draft, self.focus)


SET_ASIDE_MARK: Final = "~"
"""Separator in the ids of requests whose step was undone. Ids from the rules never contain it."""


GivenBy = Literal["captain", "draft", "computer", "deadline", "stored", "battle"]
"""The source of an answer. `draft`: a late captain's complete draft. `deadline`: the rules answered for a missing
captain. `stored`: orders were used that the captain had given earlier in the game. `battle`: the result of a battle,
for which no captain was asked.
"""

OWN_GIVERS: Final[frozenset[GivenBy]] = frozenset({"captain", "draft"})
"""Sources of answers that captains wrote themselves for the request."""

LATE_GIVERS: Final[frozenset[GivenBy]] = frozenset({"deadline", "stored"})


class AnswerRow(Struct, frozen=True, kw_only=True):
    game_id: int
    request_id: str
    seat: int  # the seat that was asked
    body: str  # the answer as canonical text; secret until its step is resolved
    nonce: str  # random hex that is hashed with the answer
    commitment: str  # hash of request id, answer and nonce; published when the answer is sealed
    given_by: GivenBy  # who or what gave the answer
    sealed_at: int  # Unix seconds
    computation: str = ""
    """The `Computation` as JSON, of an answer by the computer or a default; secret until the game is over."""

    @property
    def is_late(self) -> bool:
        return self.given_by in LATE_GIVERS

    @property
    def original_request_id(self) -> str:
        return self.request_id.partition(SET_ASIDE_MARK)[0]


class GameStarted(Struct, frozen=True, tag=True):
    """The cause of a game's first step."""


class RequestsAnswered(Struct, frozen=True, tag=True):
    requests: tuple[str, ...]  # ids of the answered requests
    hidden: bool = False
    """Whether other captains must not learn of the answers while the game runs. Nobody waited for such an answer."""


StepCause = GameStarted | RequestsAnswered | OutOfTurnAction | UndoAction


class StepRow(Struct, frozen=True, kw_only=True):
    """A step of a game. `events` and `state` are JSON, which only the game's types can decode."""

    game_id: int
    no: int  # number within the game; the start is step 0
    cause: StepCause  # the input: the start, answered requests, or an action out of turn
    events: str  # what happened in the step
    state: str  # position after the step
    resolved_at: int  # Unix seconds
    revealed: bool = False  # whether dice fell or others' orders became known, so that going back needs consent


class OutboxMessage(Struct, frozen=True, kw_only=True):
    id: int  # of the row; never shown in Discord
    mark: int  # a random public number that identifies the message in Discord
    game_id: int
    key: str  # names the message within its game; from its subject
    kind: str  # tag of its subject, such as "panel"
    subject: MessageSubject  # what the message is about
    user_id: int | None  # who gets it as a direct message; None: it is posted in the game's thread or channel
    wanted: int  # number of the revision to be shown; greater than `sent` while one is due
    sent: int  # number of the revision that Discord shows
    channel_id: int | None  # where Discord shows it; None: not posted yet
    message_id: int | None  # None: not posted yet
    attempts: int  # tries of the present revision so far
    due_at: int  # when to try next (Unix seconds)
    wanted_at: int  # since when the wanted revision differs from the sent one (Unix seconds)
    problem: str | None  # why sending was given up; None: it was not
    shown: str | None  # fingerprint of the content last sent; None if the message may show other content by now
    edited_at: int | None  # last edit (Unix seconds); None: never edited

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
    # An obsolete direct message that is to be deleted.
    id: int
    game_id: int
    user_id: int  # the user whose direct message is to be deleted
    channel_id: int  # of the direct messages
    message_id: int  # Discord's id of the message
    due_at: int | None  # Unix seconds; None: when the user is next asked something
    direct: int | None = None  # the user's direct-message channel; None: not opened yet


class BotStatistics(Struct, frozen=True, kw_only=True):
    games_by_phase: dict[str, int]  # number of games
    waiting_messages: int  # messages that are due and not sent
    oldest_waiting_s: int  # how long the oldest unsent message has waited
    undeliverable_messages: int  # messages that were given up


class Player(Struct, frozen=True, kw_only=True):
    user_id: int
    name: str  # display name in Discord
    locale: str  # language of the user's Discord
    chosen_locale: str | None = None  # language chosen in the bot; None: Discord's
    zone: str | None = None  # IANA time zone; None: unknown
    quiet_from: int | None = None  # minute of the user's day from which no reminders are sent
    quiet_to: int | None = None  # minute of the day at which reminders are sent again
    reminders: Literal["both", "last", "none"] = "both"  # which of the two reminders before a deadline they want
    away_from: int | None = None  # announced absence, in Unix seconds
    away_to: int | None = None  # end of the absence; None: not away
    standing: dict[str, str] = {}  # default standing orders by game system, as text
    dm_channel_id: int | None = None  # channel of their direct messages; None: not opened yet
    page_mark: str | None = None  # random, from which their addresses in archives are made; None: none yet

    @property
    def language(self) -> str:
        return self.chosen_locale or self.locale


class ServerRow(Struct, frozen=True, kw_only=True):
    guild_id: int  # Discord server
    creators_id: int | None = None  # role that may open games; None allows everybody
    channels: tuple[int, ...] = ()  # channels in which games may be opened; empty: all
    most_games: int | None = None  # limit of open games; None: the bot's default
    locale: str | None = None  # language of its threads; None: the server's own
    pages: bool | None = None  # whether its games have pages in the browser; None: the bot's default
    page_key: str | None = None  # secret part of its archive's address; None: it has no archive


class LogEntryRow(Struct, frozen=True, kw_only=True):
    id: int
    game_id: int
    at: int  # Unix seconds
    step_no: int  # the last step at that time
    user_id: int | None  # None is the bot itself; 0 is a user who is no longer known
    by_seat: int | None  # that user's seat at that time; None: none
    kind: str  # key of its text `act.<kind>`
    seat: int | None  # the seat that it concerns
    params: dict[str, str | int]  # parameters of its text


class RatingSummary(Struct, frozen=True, kw_only=True):
    user_id: int
    name: str  # the player's display name
    system: str  # key of the rules
    mu: float  # estimated skill (OpenSkill)
    sigma: float  # uncertainty of `mu`
    won: int  # number of rated games won
    lost: int  # number of rated games lost
    drawn: int  # number of rated games drawn

    @property
    def game_count(self) -> int:
        return self.won + self.lost + self.drawn


class RatingRow(Struct, frozen=True, kw_only=True):
    game_id: int
    user_id: int
    system: str  # key of the rules
    seat: int  # the seat that the user held last
    outcome: Literal["won", "lost", "drawn"]  # for the user
    mu: float  # estimated skill after the game
    sigma: float  # uncertainty of `mu` after the game
    facts: str  # the user's actions and rolls in the game, as JSON
    counted: bool = True  # whether the game changed the user's rating
    rated_at: int  # when the game ended (Unix seconds)
