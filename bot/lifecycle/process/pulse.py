"""Tell whether captains can act: this process runs and Discord is reachable."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import datetime
from typing import Final, NamedTuple, Protocol

MAX_INTERVAL_S: Final = 60  # a process checks at least this often whether captains can act
MAX_BEAT_INTERVAL_S: Final = 120  # beats further apart have a gap between them


class AliveSpan(NamedTuple):
    """A span in which captains could act throughout."""

    since: int  # Unix seconds
    until: int  # Unix seconds


class Pulse(Protocol):
    @property
    def max_interval_s(self) -> int | None:
        """Maximum seconds until the next check; None: check only when something is due."""

    def note_gateway_message(self, shard: int) -> None:
        pass

    async def keep_listening(self) -> None:
        pass

    async def refresh(self) -> None:
        pass

    def alive_span(self, shard: int) -> AliveSpan | None:
        pass


class VirtualPulse:
    """The pulse of a bot whose clock is set by hand, as in the sandbox and in tests.

    Such a clock moves only when somebody sets it, and the bot misses nothing in between. The beats therefore follow
    the clock.
    """

    max_interval_s: Final = None

    def __init__(self, clock: Callable[[], datetime]) -> None:
        self._clock = clock
        self._since: int | None = None  # the earliest time of the clock so far (Unix seconds)

    def note_gateway_message(self, shard: int) -> None:
        pass

    async def keep_listening(self) -> None:
        pass

    async def refresh(self) -> None:
        pass

    def alive_span(self, shard: int) -> AliveSpan:  # noqa: ARG002 - it is the same for all
        now = int(self._clock().timestamp())
        self._since = now if self._since is None else min(self._since, now)
        return AliveSpan(self._since, now)


def uptime() -> float:
    """Return seconds of a clock that also runs while the machine sleeps and that nobody can set."""
    return time.clock_gettime(time.CLOCK_BOOTTIME) if hasattr(time, "CLOCK_BOOTTIME") else time.monotonic()


def is_fresh(beat: int | None, now: int) -> bool:
    """Return whether a shard's last beat is recent enough to prove that captains could act until now."""
    return beat is not None and abs(now - beat) <= MAX_BEAT_INTERVAL_S
