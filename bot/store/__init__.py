"""The store: games, answers, steps and messages in one database, each change in one transaction.

Workers know its values too, and are started often: what opens a database is loaded when it is first asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.store.errors import DatabaseAway, DatabaseInUse, NotWritten, StoreTemporarilyUnavailable, StoreUnavailable

if TYPE_CHECKING:
    from bot.store.engine.opening import Store, backup_to, check_copy

__all__ = [
    "DatabaseAway",
    "DatabaseInUse",
    "NotWritten",
    "Store",
    "StoreTemporarilyUnavailable",
    "StoreUnavailable",
    "backup_to",
    "check_copy",
]


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from bot.store.engine import opening  # noqa: PLC0415 - SQLAlchemy takes as long to load as all rules

    return getattr(opening, name)
