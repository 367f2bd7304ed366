"""Recent refusals of Discord, and the number of invalid requests: the bot does not repeat what was just refused."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Final, Literal

from bot.discord.delivery.refusals import DiscordRefusal

MEMORY_S: Final = 900
"""Seconds after which a refused request is tried again, unless a change is noticed earlier."""

RefusalTarget = Literal["place", "person", "threads", "edits", "open", "quarantine", "name", "uploads"]
"""The target of a refusal, with its id.

`place`: a channel or thread. `person`: a user's direct messages. `threads`: new threads on a server. `edits`: edits of
old messages in a channel. `open` and `quarantine`: opening any direct messages (id 0). `name`: a thread's name.
`uploads`: files on a server.
"""


class RecentlyRefused(Exception):
    def __init__(self, refusal: DiscordRefusal) -> None:
        super().__init__(str(refusal))
        self.refusal = refusal


class RefusalMemory:
    def __init__(self, now: Callable[[], int]) -> None:
        self._now = now
        self._refusals: dict[tuple[RefusalTarget, int], tuple[int, int, DiscordRefusal]] = {}
        """Maps a target to when it was refused (Unix seconds), for how many seconds that applies, and the refusal."""

    def remember(
        self, target: RefusalTarget, target_id: int, refusal: DiscordRefusal, *, seconds: int = MEMORY_S
    ) -> None:
        self._refusals = {key: entry for key, entry in self._refusals.items() if self._holds(*entry[:2])}
        self._refusals[target, target_id] = (self._now(), seconds, refusal)

    def find_refusal(self, target: RefusalTarget, target_id: int) -> DiscordRefusal | None:
        since, seconds, refusal = self._refusals.get((target, target_id), (0, 0, None))
        return refusal if self._holds(since, seconds) else None

    def _holds(self, since: int, seconds: int) -> bool:
        """Return whether a refusal still applies. It does not if the clock was set back since."""
        return 0 <= self._now() - since < seconds

    def raise_if_refused(self, target: RefusalTarget, target_id: int) -> None:
        if refusal := self.find_refusal(target, target_id):
            raise RecentlyRefused(refusal)

    def clear(self, *targets: RefusalTarget, which: int | None = None) -> None:
        """Forget refusals of these kinds of targets; with `which`, only those of one id."""
        for target, target_id in list(self._refusals):
            if target in targets and which in (None, target_id):
                del self._refusals[target, target_id]


WINDOW_MINUTES: Final = 10
MAX_INVALID_REQUESTS: Final = 2_000
"""Responses of 401, 403 and 429 in `WINDOW_MINUTES` after which the outbox pauses.

Discord bans an address after 10,000.
"""


class InvalidRequestBudget:
    def __init__(self, now: Callable[[], int], *, most: int = MAX_INVALID_REQUESTS) -> None:
        self._now = now
        self._limit = most
        self._counts: deque[tuple[int, int]] = deque()
        """Pairs of a minute (Unix time / 60) and its count, oldest first."""

    def count_response(self, status: int) -> None:
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
        self._drop_old()
        return sum(count for _, count in self._counts)

    def paused_until(self) -> int | None:
        """Return the Unix seconds until which no requests should be sent; None if they may be."""
        if self.invalid_count < self._limit:
            return None
        return (self._counts[0][0] + WINDOW_MINUTES + 1) * 60

    def _drop_old(self) -> None:
        minute = self._now() // 60
        while self._counts and self._counts[0][0] < minute - WINDOW_MINUTES:
            self._counts.popleft()
        is_clock_set_back = any(counted_minute > minute for counted_minute, _ in self._counts)
        if is_clock_set_back:
            # Count what seems to lie in the future in the present minute.
            count_since_minute = sum(count for counted_minute, count in self._counts if counted_minute >= minute)
            self._counts = deque(entry for entry in self._counts if entry[0] < minute)
            self._counts.append((minute, count_since_minute))
