"""The state of a simulated server, which rules read to decide on calls."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import defaultdict, deque
from collections.abc import Hashable
from typing import Any, Final

from bot.sandbox.strict.values import ApiCall, RateLimits, ServerChannel, ServerInteraction, ServerMessage

NONCES_KEPT_S: Final = 300
"""Time for which a nonce is remembered; Discord's documentation says "the past few minutes"."""


class ServerState(ABC):
    def __init__(self, rates: RateLimits | None = None) -> None:
        self.rates = rates or RateLimits()
        self.token = ""  # the bot's token, for IDENTIFY; empty accepts any
        self.approved_intents = ~0  # bits of the privileged intents; all
        self.guilds = 1  # number of servers that the bot is on
        self.sessions: dict[str, int] = {}  # sequence numbers last sent in gateway sessions that can be resumed
        self.cloudflare = 0
        """Code of Cloudflare's block of the bot's address: 40333, 1015, 1020, or 0 for none."""
        self.service_limited_s: float | None = None  # how long responses to interactions are refused
        self.closed_dms: set[int] = set()  # users who accept no direct messages
        self.strangers: set[int] = set()  # users who share no server with the bot
        self.quarantined = False  # whether Discord takes the bot for spam
        self.blocked_words: set[str] = set()  # words that a server's automatic moderator blocks in thread titles
        self.forbidden_words: set[str] = set()  # that Discord itself does not allow in names
        self.uploads_limited: set[int] = set()  # servers that accept no files now
        self.max_threads: dict[int, int] = {}  # limits of active threads by server; 1,000 for others
        self.max_announcement_threads: dict[int, int] = {}  # by server; 1,000 for others
        self.counts: dict[Hashable, deque[float]] = defaultdict(deque)
        """Times (Unix seconds) of accepted calls, by counter, such as "dm opens"."""

    @property
    @abstractmethod
    def now(self) -> float: ...  # Unix seconds

    @abstractmethod
    def message(self, channel_id: int, message_id: int) -> ServerMessage | None: ...

    @abstractmethod
    def channel(self, channel_id: int) -> ServerChannel | None: ...

    @abstractmethod
    def interaction(self, token: str) -> ServerInteraction | None: ...

    @abstractmethod
    def active_threads(self, guild: int, kind: int | None = None) -> int: ...

    @abstractmethod
    def may_unarchive(self, thread_id: int, user: int) -> bool: ...

    @abstractmethod
    def manages_threads(self, channel_id: int) -> bool: ...

    @abstractmethod
    def has_dm_channel(self, user: int) -> bool: ...

    @abstractmethod
    def command_names(self, guild: int | None) -> frozenset[tuple[str, int]]:
        """Return name and type of each registered command: a server's, or the global ones if `guild` is None."""

    @abstractmethod
    def message_of_nonce(self, channel_id: int, nonce: str) -> int | None:
        """Return the message that was created with a nonce within `NONCES_KEPT_S`, if it still exists."""

    # --- derived -------------------------------------------------------------------------------------------------

    def channel_of(self, call: ApiCall) -> int | None:
        """Return the channel of a call; for an answer to an interaction, the interaction's channel."""
        match call.parts:
            case ["channels", place, *_]:
                return int(place)
            case ["webhooks", _, token, *_] | ["interactions", _, token, "callback"]:
                interaction = self.interaction(token)
                return interaction.channel if interaction else None
        return None

    def edited_message(self, call: ApiCall) -> ServerMessage | None:
        """Return the message that a call edits, also by its interaction; None if it edits none."""
        match call.method, call.parts:
            case "PATCH", ["channels", place, "messages", number]:
                return self.message(int(place), int(number))
            case "PATCH", ["webhooks", _, token, "messages", number]:
                interaction = self.interaction(token)
                if interaction is None:
                    return None
                message_id = interaction.message if number == "@original" else int(number)
                return self.message(interaction.channel, message_id) if message_id else None
            case "POST", ["interactions", _, token, "callback"] if call.body.get("type") == _UPDATE_MESSAGE:
                interaction = self.interaction(token)
                if interaction is None or not interaction.source:
                    return None
                return self.message(interaction.channel, interaction.source)
        return None

    def recent_calls(self, key: Hashable, seconds: float) -> deque[float]:
        """Return the times of a counter's calls within the last `seconds`, and forget earlier ones."""
        times = self.counts[key]
        while times and times[0] <= self.now - seconds:
            times.popleft()
        return times

    def seconds_to_wait(self, key: Hashable, limit: tuple[int, float] | None) -> float | None:
        """Return the seconds until a limit accepts one more call; None if it accepts one now."""
        if limit is None:
            return None
        max_calls, seconds = limit
        times = self.recent_calls(key, seconds)
        if len(times) < max_calls:
            return None
        oldest_counted = times[-max_calls]
        return max(oldest_counted + seconds - self.now, 0.001)

    @property
    def remaining_identifies(self) -> int:
        """The IDENTIFYs left in the rolling window, for `GET /gateway/bot`; 1,000 if there is no limit."""
        if self.rates.identifies is None:
            return 1_000
        max_calls, seconds = self.rates.identifies
        return max(max_calls - len(self.recent_calls("identifies", seconds)), 0)

    def count_call(self, key: Hashable, times: int = 1) -> None:
        self.counts[key].extend([self.now] * times)


_UPDATE_MESSAGE: Final = 7


def channel_of_call(call: ApiCall, state: ServerState) -> ServerChannel | None:
    place = state.channel_of(call)
    return state.channel(place) if place is not None else None


def name_in_body(body: Any) -> str:  # noqa: ANN401 - any JSON
    return str(body.get("name") or "") if isinstance(body, dict) else ""
