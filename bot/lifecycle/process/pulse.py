"""Whether captains can act just now: whether this process runs and Discord is reached."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import datetime
from typing import Final, NamedTuple, Protocol

MAX_INTERVAL_S: Final = 60
"""How often, at least, the scheduler looks, and a beat is stored."""


MAX_BEAT_INTERVAL_S: Final = 120
"""Between two beats (`bot.lifecycle.process.gaps`); more is a gap."""


class AliveSpan(NamedTuple):
    """Time in which captains could act without a break, in Unix seconds."""

    since: int
    until: int


class Pulse(Protocol):
    """Knows whether captains can act."""

    @property
    def max_interval_s(self) -> int | None:
        """Seconds after which to look again at the latest; None: only when something is due."""

    def note_gateway_message(self, shard: int) -> None:
        """The gateway has said something to a shard."""

    async def keep_listening(self) -> None:
        """Notice signs of life for as long as the bot runs."""

    async def refresh(self) -> None:
        """Ask Discord for a sign of life if the last one is old."""

    def alive_span(self, shard: int) -> AliveSpan | None:
        """Return the time in which captains of a shard's games could act, up to the last sign; None: they can't now."""


class VirtualPulse:
    """The pulse of a bot whose clock is set by hand, as in the sandbox and in tests.

    Such a clock stands still while nobody moves it, and no time passes between two looks that the bot has slept
    through. So the beats follow the clock for as long as this bot runs.
    """

    max_interval_s: Final = None

    def __init__(self, clock: Callable[[], datetime]) -> None:
        self._clock = clock
        self._since: int | None = None

    def note_gateway_message(self, shard: int) -> None:
        """Need no sign."""

    async def keep_listening(self) -> None:
        """Need no sign."""

    async def refresh(self) -> None:
        """Need no sign."""

    def alive_span(self, shard: int) -> AliveSpan:  # noqa: ARG002 - it is the same for all
        """Return the time since this bot first looked."""
        now = int(self._clock().timestamp())
        self._since = now if self._since is None else min(self._since, now)
        return AliveSpan(self._since, now)


def uptime() -> float:
    """Return seconds that go on while the process, or the whole machine, is stopped, and that nobody sets."""
    return time.clock_gettime(time.CLOCK_BOOTTIME) if hasattr(time, "CLOCK_BOOTTIME") else time.monotonic()


def is_fresh(beat: int | None, now: int) -> bool:
    """Return whether a shard's last beat says that all time until now was one in which captains could act."""
    return beat is not None and abs(now - beat) <= MAX_BEAT_INTERVAL_S
