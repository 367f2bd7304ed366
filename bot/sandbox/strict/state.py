"""What a server knows when it decides on a call."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import defaultdict, deque
from collections.abc import Hashable
from typing import Any, Final

from bot.sandbox.strict.values import ApiCall, RateLimits, ServerChannel, ServerInteraction, ServerMessage

NONCES_KEPT_S: Final = 300
"""How long a nonce is remembered; Discord says "the past few minutes"."""


class ServerState(ABC):
    """The state of a simulated server. Subclasses look up messages, channels and interactions; it keeps the rest."""

    def __init__(self, rates: RateLimits | None = None) -> None:
        self.rates = rates or RateLimits()
        self.token = ""
        """The bot's token, for IDENTIFY; empty accepts any."""
        self.approved_intents = ~0
        """Bits of the gateway intents that the application may have."""
        self.guilds = 1
        """Number of servers in which the bot is."""
        self.sessions: dict[str, int] = {}
        """Gateway sessions that can be resumed, with the last sequence number sent."""
        self.cloudflare = 0
        """How Cloudflare blocks this address: 40333, 1015, 1020, or 0 if it doesn't."""
        self.service_limited_s: float | None = None
        """Seconds for which a service behind interactions is limited (40062)."""
        self.closed_dms: set[int] = set()
        """Users who accept no direct messages."""
        self.strangers: set[int] = set()
        """Users who share no server with the bot any more."""
        self.quarantined = False
        """Whether Discord's anti-spam system has flagged the bot."""
        self.blocked_words: set[str] = set()
        """Words that a server's automatic moderator blocks in titles."""
        self.forbidden_words: set[str] = set()
        """Words that Discord allows in no name of a channel."""
        self.uploads_limited: set[int] = set()
        """Servers in which file uploads are limited."""
        self.max_threads: dict[int, int] = {}
        """Active threads that a server may have, by server; 1,000 elsewhere."""
        self.max_announcement_threads: dict[int, int] = {}
        self.counts: dict[Hashable, deque[float]] = defaultdict(deque)
        """Times at which accepted calls were made, by what counts them."""

    @property
    @abstractmethod
    def now(self) -> float:
        """The time (Unix)."""

    @abstractmethod
    def message(self, place: int, number: int) -> ServerMessage | None:
        """Return a message, or None if there is none of this id."""

    @abstractmethod
    def channel(self, number: int) -> ServerChannel | None:
        """Return a channel, thread or direct message."""

    @abstractmethod
    def interaction(self, token: str) -> ServerInteraction | None:
        """Return the interaction of a token."""

    @abstractmethod
    def active_threads(self, guild: int, kind: int | None = None) -> int:
        """Return how many threads of a server are active, all or of one channel type."""

    @abstractmethod
    def may_unarchive(self, place: int, user: int) -> bool:
        """Return whether a user may un-archive a thread."""

    @abstractmethod
    def manages_threads(self, place: int) -> bool:
        """Return whether the bot has the permission MANAGE_THREADS in a thread."""

    @abstractmethod
    def has_dm_channel(self, user: int) -> bool:
        """Return whether the bot has a direct message channel with a user."""

    @abstractmethod
    def command_names(self, guild: int | None) -> frozenset[tuple[str, int]]:
        """Return name and type of each command registered on a server; of the global ones if `guild` is None."""

    @abstractmethod
    def message_of_nonce(self, place: int, nonce: str) -> int | None:
        """Return the message that was created with a nonce within `NONCES_KEPT_S`, if it still exists."""

    # --- derived -------------------------------------------------------------------------------------------------

    def channel_of(self, call: ApiCall) -> int | None:
        """Return the channel of a call, of an interaction the one in which it happened."""
        match call.parts:
            case ["channels", place, *_]:
                return int(place)
            case ["webhooks", _, token, *_] | ["interactions", _, token, "callback"]:
                interaction = self.interaction(token)
                return interaction.channel if interaction else None
        return None

    def edited_message(self, call: ApiCall) -> ServerMessage | None:
        """Return the message that a call edits."""
        match call.method, call.parts:
            case "PATCH", ["channels", place, "messages", number]:
                return self.message(int(place), int(number))
            case "PATCH", ["webhooks", _, token, "messages", number]:
                if (interaction := self.interaction(token)) is None:
                    return None
                named = interaction.message if number == "@original" else int(number)
                return self.message(interaction.channel, named) if named else None
            case "POST", ["interactions", _, token, "callback"] if call.body.get("type") == _UPDATE_MESSAGE:
                interaction = self.interaction(token)
                return (
                    self.message(interaction.channel, interaction.source)
                    if interaction and interaction.source
                    else None
                )
        return None

    def recent_calls(self, key: Hashable, seconds: float) -> deque[float]:
        """Return when the calls of the last seconds were made."""
        times = self.counts[key]
        while times and times[0] <= self.now - seconds:
            times.popleft()
        return times

    def seconds_to_wait(self, key: Hashable, limit: tuple[int, float] | None) -> float | None:
        """Return how many seconds remain until a limit accepts one more call; None if it does now."""
        if limit is None:
            return None
        most, seconds = limit
        times = self.recent_calls(key, seconds)
        return max(times[-most] + seconds - self.now, 0.001) if len(times) >= most else None

    @property
    def remaining_identifies(self) -> int:
        """The IDENTIFYs left in the rolling window, for `GET /gateway/bot`; 1,000 if there is no limit."""
        if self.rates.identifies is None:
            return 1_000
        most, seconds = self.rates.identifies
        return max(most - len(self.recent_calls("identifies", seconds)), 0)

    def count_call(self, key: Hashable, times: int = 1) -> None:
        """Count a call."""
        self.counts[key].extend([self.now] * times)


_UPDATE_MESSAGE: Final = 7
"""The callback that updates the message whose component was pressed."""


def channel_of_call(call: ApiCall, state: ServerState) -> ServerChannel | None:
    """Return the channel of a call."""
    place = state.channel_of(call)
    return state.channel(place) if place is not None else None


def name_in_body(body: Any) -> str:  # noqa: ANN401 - any JSON
    """Return the name in a body; empty if there is none."""
    return str(body.get("name") or "") if isinstance(body, dict) else ""
