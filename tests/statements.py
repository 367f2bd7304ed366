"""What is asked of SQLite, for tests that count it: transactions as they begin, statements, and commits."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from bot.store.engine.driver import Connection, Statement


@contextmanager
def heard(
    *,
    begun: Callable[[Connection], object] = lambda _: None,
    asked: Callable[[str, Any], object] = lambda *_: None,
    commits: Callable[[Connection], object] = lambda _: None,
) -> Iterator[None]:
    """Tell of what all stores of this process ask.

    `begun` hears of each transaction that begins, `asked` of each statement with its values, `commits` of each end of
    a transaction before it is written.
    """
    begin, execute, executemany, commit = Connection.begin, Statement.execute, Statement.executemany, Connection.commit

    def begins(self: Connection, sql: str) -> None:
        begun(self)
        begin(self, sql)

    async def executes(self: Statement, sql: str, parameters: Any = ()) -> None:
        asked(sql, parameters)
        await execute(self, sql, parameters)

    async def executes_many(self: Statement, sql: str, parameters: Any) -> None:
        asked(sql, parameters)
        await executemany(self, sql, parameters)

    async def is_committed(self: Connection) -> None:
        commits(self)
        await commit(self)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Connection, "begin", begins)
        patch.setattr(Connection, "commit", is_committed)
        patch.setattr(Statement, "execute", executes)
        patch.setattr(Statement, "executemany", executes_many)
        yield
