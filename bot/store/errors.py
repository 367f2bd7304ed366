"""Define the errors that the store raises if the database itself fails."""

from __future__ import annotations


class StoreUnavailable(RuntimeError):
    """The database cannot be opened. The message says which one and why."""


class StoreTemporarilyUnavailable(StoreUnavailable):
    """The database cannot be opened now: its server is away, its disk is full, or another process uses it."""


class DatabaseInUse(StoreTemporarilyUnavailable):
    """Another war-galley is running on the database."""


class NotWritten(RuntimeError):
    """The database accepts no changes now, because its disk is full or another process holds it.

    Nothing was changed.
    """


class WriteConflict(NotWritten):
    """PostgreSQL has ended a transaction that waited for another one in a circle. Running it again helps."""


class DatabaseAway(NotWritten):
    """The database server can't be reached, so nothing can be read either.

    A commit that was under way may have succeeded. Nothing else was stored.
    """
