"""Decide when to probe Discord while it takes no messages."""

from __future__ import annotations

import logging
from typing import Final

log = logging.getLogger(__name__)

MIN_PAUSE_S: Final = 2
MAX_PAUSE_S: Final = 600


class OutageMonitor:
    """Tracks an outage. While it lasts, single messages are tried at pauses that double up to `MAX_PAUSE_S`.

    A wait that is longer than the pause is ignored, because the clock was set back.
    """

    def __init__(self) -> None:
        self._since: int | None = None  # beginning of the outage (Unix seconds)
        self._pause_s = 0  # between probes
        self._logged_duration_s = 0  # of the outage when it was last logged
        self._last_probe: set[int] = set()  # ids of the messages tried since the last success
        self.next_probe_at = 0  # Unix seconds; 0: at once

    @property
    def is_active(self) -> bool:
        return self._since is not None

    def duration_s(self, now: int) -> int:
        return 0 if self._since is None else now - self._since

    def must_wait(self, now: int) -> bool:
        return 0 < self.next_probe_at - now <= self._pause_s

    def note_failure(self, message_id: int, now: int, why: str) -> None:
        """Start the outage, or double the pause before the next probe."""
        self._last_probe.add(message_id)
        if self._since is None:
            self._since = now
            self._pause_s = 0
            self._logged_duration_s = 0
            self.next_probe_at = now
        if not self.must_wait(now):  # messages that fail together count as one failure
            self._pause_s = min(MAX_PAUSE_S, max(MIN_PAUSE_S, 2 * self._pause_s))
            self.next_probe_at = now + self._pause_s
            # Log again once the outage has doubled since the last line.
            if self.duration_s(now) >= 2 * self._logged_duration_s:
                self._logged_duration_s = max(1, self.duration_s(now))
                log.warning(
                    "Discord is away", extra={"for_s": self.duration_s(now), "seconds": self._pause_s, "why": why}
                )

    def next_probe(self, message_ids: list[int]) -> int:
        """Return the message to probe with: each in turn, because one may be refused for reasons of its own."""
        untried = [message_id for message_id in message_ids if message_id not in self._last_probe]
        if not untried:
            self._last_probe.clear()
        return (untried or message_ids)[0]

    def probe_now(self) -> None:
        self.next_probe_at = 0
        self._pause_s = 0

    def note_success(self, now: int) -> bool:
        """End the outage. Return whether it lasted longer than a single failure."""
        was_outage = self.duration_s(now) > MIN_PAUSE_S
        if was_outage:
            log.info("Discord is back", extra={"after_s": self.duration_s(now)})
        self._since = None
        self._pause_s = 0
        self._last_probe.clear()
        return was_outage
