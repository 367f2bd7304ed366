"""What Discord has refused lately: it is not asked the same again for a while."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Final, Literal

from bot.discord.delivery.refusals import DiscordRefusal

MEMORY_S: Final = 900
"""Seconds after which a place is tried again, unless something was changed there before."""

RefusalTarget = Literal["place", "person", "threads", "edits", "open", "quarantine", "name", "uploads"]
"""A channel or thread, by its id; a user's direct messages, by the user's id; new threads on a server, by its id; edits
of old messages in a channel, by its id; opening direct messages at all, too fast or in quarantine, by 0; a thread's
name, by the thread's id; files on a server, by its id."""


class RecentlyRefused(Exception):
    """Discord has refused just this lately."""

    def __init__(self, refused: DiscordRefusal) -> None:
        super().__init__(str(refused))
        self.refused = refused


class RefusalMemory:
    """Refusals that hold for a while, lost with the process."""

    def __init__(self, now: Callable[[], int]) -> None:
        self._now = now
        self._kept: dict[tuple[RefusalTarget, int], tuple[int, int, DiscordRefusal]] = {}
        """Since when and for how many seconds each is kept."""

    def remember(self, what: RefusalTarget, which: int, refused: DiscordRefusal, *, seconds: int = MEMORY_S) -> None:
        """Do not ask this again for some seconds."""
        self._kept = {key: kept for key, kept in self._kept.items() if self._holds(*kept[:2])}
        self._kept[what, which] = (self._now(), seconds, refused)

    def find_refusal(self, what: RefusalTarget, which: int) -> DiscordRefusal | None:
        """Return what Discord answered if it has refused this lately."""
        since, seconds, refused = self._kept.get((what, which), (0, 0, None))
        return refused if self._holds(since, seconds) else None

    def _holds(self, since: int, seconds: int) -> bool:
        """Return whether these seconds are not over; they are if the clock was set back since."""
        return 0 <= self._now() - since < seconds

    def raise_if_refused(self, what: RefusalTarget, which: int) -> None:
        """Raise `RecentlyRefused` if this was refused lately."""
        if refused := self.find_refusal(what, which):
            raise RecentlyRefused(refused)

    def clear(self, *whats: RefusalTarget, which: int | None = None) -> None:
        """Ask again: these, or of these a certain one."""
        self._kept = {
            key: kept for key, kept in self._kept.items() if key[0] not in whats or which not in (None, key[1])
        }


WINDOW_MINUTES: Final = 10
MAX_INVALID_REQUESTS: Final = 2_000
"""Answers of 401, 403 and 429 within ten minutes after which the outbox rests; at 10,000 Discord bans the address."""


class InvalidRequestBudget:
    """Counts the answers for which Discord bans who asks too often."""

    def __init__(self, now: Callable[[], int], *, most: int = MAX_INVALID_REQUESTS) -> None:
        self._now = now
        self._limit = most
        self._counts: deque[tuple[int, int]] = deque()
        """Minutes and what was counted in each, oldest first."""

    def count_response(self, status: int) -> None:
        """Discord has answered with a status of HTTP."""
        if status not in (401, 403, 429):
            return
        minute = self._now() // 60
        if self._counts and self._counts[-1][0] == minute:
            self._counts[-1] = (minute, self._counts[-1][1] + 1)
        else:
            self._counts.append((minute, 1))
        self._drop_old()

    @property
    def invalid_count(self) -> int:
        """How many there were in the last ten minutes."""
        self._drop_old()
        return sum(count for _, count in self._counts)

    def paused_until(self) -> int | None:
        """Until when nothing should be asked, in Unix seconds; None if there is room."""
        if self.invalid_count < self._limit:
            return None
        return (self._counts[0][0] + WINDOW_MINUTES + 1) * 60

    def _drop_old(self) -> None:
        minute = self._now() // 60
        while self._counts and self._counts[0][0] < minute - WINDOW_MINUTES:
            self._counts.popleft()
        later = sum(count for counted, count in self._counts if counted > minute)
        if later:  # the clock was set back
            now = sum(count for counted, count in self._counts if counted == minute)
            self._counts = deque(one for one in self._counts if one[0] < minute)
            self._counts.append((minute, now + later))
