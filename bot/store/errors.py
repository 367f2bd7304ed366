"""What the store raises where the database itself fails."""

from __future__ import annotations


class StoreUnavailable(RuntimeError):
    """The database cannot be opened; the message says which and why."""


class StoreTemporarilyUnavailable(StoreUnavailable):
    """The database cannot be opened just now: its server is away, its disk is full, or another process has it."""


class DatabaseInUse(StoreTemporarilyUnavailable):
    """Another war-galley runs on the database."""


class NotWritten(RuntimeError):
    """The database takes nothing just now: its disk is full, or another process holds it. Nothing was changed."""


class DatabaseAway(NotWritten):
    """The database's server can't be reached just now, so nothing can be read either.

    What was being committed when it went may have been; all else was not.
    """
