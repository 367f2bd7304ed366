"""How long a captain has: the length of a phase, as a game keeps it."""

from __future__ import annotations

from msgspec import Struct


class Pace(Struct, frozen=True, kw_only=True):
    """When a phase that begins now is over."""

    seconds: int

    def deadline(self, now: int) -> int:
        """The moment at which a phase that begins `now` is over, both in Unix seconds."""
        return now + self.seconds
