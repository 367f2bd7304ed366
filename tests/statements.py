"""Count what a test asks of the database: transactions, statements and commits."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection, Engine, event

CONTROLS = ("BEGIN", "PRAGMA")


@contextmanager
def heard(
    *,
    begun: Callable[[Connection], object] = lambda _: None,
    asked: Callable[[str, Any], object] = lambda *_: None,
    commits: Callable[[Connection], object] = lambda _: None,
) -> Iterator[None]:
    """Report the statements of all stores in this process.

    `begun` hears of each transaction that begins, `asked` of each statement with its values, `commits` of each end of a
    transaction before it is written.
    """

    def asks(_connection: Connection, _cursor: Any, sql: str, values: Any, _context: Any, _many: bool) -> None:
        if not sql.startswith(CONTROLS):
            asked(sql, values)

    hears: dict[str, Callable[..., object]] = {"begin": begun, "before_cursor_execute": asks, "commit": commits}
    for name, hear in hears.items():
        event.listen(Engine, name, hear)
    try:
        yield
    finally:
        for name, hear in hears.items():
            event.remove(Engine, name, hear)
