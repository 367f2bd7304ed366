"""Store games, answers, steps and messages in one database, with one transaction for each change.

Workers import this package too and start often, so the modules that open a database are imported on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.store.conflicts import retries_conflicts
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
    "retries_conflicts",
]


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from bot.store.engine import opening  # noqa: PLC0415 - SQLAlchemy takes as long to load as all rules

    return getattr(opening, name)
