"""Statements carried out on our own SQLite connections, compiled by SQLAlchemy but without its engine between.

For each statement the engine goes through greenlets, a cursor of its own and a dozen events. That takes much longer
than SQLite and its thread do, and it is the event loop's time, so everybody waits for it. How statements are compiled
and values bound, what rows are and which errors are raised is SQLAlchemy's own, as with any other database.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from typing import Any, Final, cast
from weakref import WeakKeyDictionary, ref

from msgspec import Struct
from sqlalchemy import URL, Dialect, Executable
from sqlalchemy.dialects.sqlite import aiosqlite
from sqlalchemy.engine.result import IteratorResult, SimpleResultMetaData
from sqlalchemy.exc import DBAPIError
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.schema import ScalarElementColumnDefault
from sqlalchemy.util import LRUCache

from bot.store.engine.driver import BEGIN_READ, BEGIN_WRITE, Connection, connect

Processor = Callable[[Any], Any]
"""Makes what the driver takes of a value, or a value of what it gives; None where they are the same."""

_MAX_EXPANDED: Final = 50
"""Numbers of values for which a statement is kept expanded."""
_MAX_COMPILED: Final = 500
"""Statements that are kept compiled; as many as SQLAlchemy's own engine keeps."""
DIALECT: Final[Dialect] = aiosqlite.dialect(dbapi=aiosqlite.dialect.import_dbapi())
_compiled_statements: Final[LRUCache[Any, Any]] = LRUCache(_MAX_COMPILED)
_ready_statements: Final[WeakKeyDictionary[SQLCompiler, _ReadyStatement]] = WeakKeyDictionary()
_statement_forms: Final[WeakKeyDictionary[Executable, dict[tuple[Any, ...], _StatementForm]]] = WeakKeyDictionary()
"""By a statement, for as long as there is one, and by what is given with it: those built once are compiled once, and
their text need not be looked for by all that they are made of."""


class _ExpandedStatement(Struct, frozen=True):
    """A statement of which parameters stand for several values, for so many of each."""

    sql: str
    parameter_order: Sequence[str]
    bind_processors: Mapping[str, Processor]
    """By parameter, those among them that stand for one of several values."""
    expanded_names: Mapping[str, Sequence[str]]
    """By a parameter that stands for several values: those that stand for each."""


class _ReadyStatement(Struct, frozen=True, kw_only=True):
    """What of a compiled statement is the same whatever its values are."""

    bind_processors: Mapping[str, Processor]
    """By parameter."""
    defaults: Mapping[str, Any]
    """Values of columns that a new row is not given, by parameter."""
    expands: bool
    """Whether a parameter stands for several values, so that the text depends on them."""
    expanding_parameters: tuple[str, ...]
    """The parameters that do, if the text depends on nothing but how many values each has."""
    expanded: dict[tuple[int, ...], _ExpandedStatement] = {}
    """By these numbers."""
    columns: SimpleResultMetaData
    """Of the rows that are found."""


class _StatementForm(Struct, frozen=True, kw_only=True):
    """A statement as it is carried out whenever values of the same names are given with it."""

    sql: str
    parameter_order: Sequence[str]
    compiled: ref[SQLCompiler]
    """Weak: it knows the statement, which must not keep itself alive by what is kept for as long as it lives.

    Of a statement that adds several rows nobody else keeps it, and it is hardly needed: see `_Ready.expanded`.
    """
    ready: _ReadyStatement
    fixed_values: Mapping[str, Any]
    """Values that it holds itself, by parameter."""
    value_names: tuple[tuple[str, str], ...]
    """Each other parameter, with the name of its value."""


class StatementResult(IteratorResult[*tuple[Any, ...]]):
    """What a statement has found and done."""

    rowcount: int
    """How many rows it has changed; -1: it changes none."""
    inserted_primary_key: tuple[Any, ...]
    """The number of the row that was added last, where the database counts them."""


class DirectConnection:
    """A connection on which the statements of a transaction are carried out."""

    dialect = DIALECT

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def execute(
        self, statement: Executable, given: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None, /
    ) -> StatementResult:
        """Carry out a statement with values by the names of its parameters, or with each of several such sets.

        Raises SQLAlchemy's errors.
        """
        sets = [given or {}] if given is None or isinstance(given, Mapping) else given
        bound = [_bind_statement(statement, one, several=len(sets) > 1) for one in sets]
        sql, values, columns = bound[0]
        cursor = self._connection.cursor()
        try:
            if len(bound) == 1:
                await cursor.execute(sql, values)
            else:
                await cursor.executemany(sql, [each for _, each, _ in bound])
        except sqlite3.Error as error:
            raise _wrap_error(error, sql) from error
        found = StatementResult(columns, iter(cursor.rows))
        found.rowcount, found.inserted_primary_key = cursor.rowcount, (cursor.lastrowid,)
        return found


class ConnectionPool:
    """The connections of this process with a database file. All are kept: opening one takes longer than using it."""

    def __init__(self, url: URL, prepare: Callable[[sqlite3.Connection], None], most: int) -> None:
        """`prepare` is called with each new connection, of which there are `most` at a time."""
        (database,), given = DIALECT.create_connect_args(url)
        self._connect = partial(connect, database, **given)
        self._prepare = prepare
        self._idle: list[Connection] = []
        self._places = asyncio.Semaphore(most)

    def read_transaction(self) -> AbstractAsyncContextManager[DirectConnection]:
        """A transaction that sees one moment of the database."""
        return self._transaction(BEGIN_READ)

    def write_transaction(self) -> AbstractAsyncContextManager[DirectConnection]:
        """A transaction that may change it, and is committed if its block doesn't raise."""
        return self._transaction(BEGIN_WRITE)

    async def close(self) -> None:
        """Close all connections that nobody uses."""
        idle, self._idle = self._idle, []
        for connection in idle:
            await connection.close()

    @asynccontextmanager
    async def _transaction(self, begins: str) -> AsyncIterator[DirectConnection]:
        async with self._places:
            connection = self._idle.pop() if self._idle else await self._take_connection()
            try:
                connection.begin(begins)
                yield DirectConnection(connection)
                try:
                    await connection.commit()
                except sqlite3.Error as error:
                    raise _wrap_error(error, None) from error
            except BaseException:
                await _run_shielded(self._roll_back(connection))
                raise
            self._idle.append(connection)

    async def _take_connection(self) -> Connection:
        connection = self._connect()
        try:
            await connection
            await connection.run_in_order(self._prepare)
        except sqlite3.Error as error:
            await connection.close()
            raise _wrap_error(error, None) from error
        return connection

    async def _roll_back(self, connection: Connection) -> None:
        try:
            await connection.rollback()
        except sqlite3.Error:
            await connection.close()  # it is of no use any more; SQLite goes back by itself
        else:
            self._idle.append(connection)


async def _run_shielded(act: Coroutine[Any, Any, None]) -> None:
    """Do something to its end, and be cancelled only then: nobody else may get a connection that is still at work."""
    doing, cancelled = asyncio.ensure_future(act), None
    while not doing.done():
        try:
            await asyncio.wait([doing])
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled:
        raise cancelled
    doing.result()


def _bind_statement(
    statement: Executable, given: Mapping[str, Any], *, several: bool
) -> tuple[str, Sequence[Any], SimpleResultMetaData]:
    """A statement as SQLite takes it: its text, its values in order, and the columns that it will find.

    `several`: it is carried out with several sets of values.
    """
    forms = _statement_forms.setdefault(statement, {})
    form = forms.get(shape := (several, *given))
    compiled = form.compiled() if form else None
    values = _bound_values(form, given) if form else {}
    if form is None or (compiled is None and form.ready.expands and not _is_expansion_cached(form.ready, values)):
        compiled, form = _compile(statement, given, several=several)
        forms[shape], values = form, _bound_values(form, given)
    ready, sql, order, binding = form.ready, form.sql, form.parameter_order, form.ready.bind_processors
    if ready.expands:
        sql, order, binding = _expand(compiled, ready, values)
    if not binding:
        return sql, [values[name] for name in order], ready.columns
    return sql, [binding[name](values[name]) if name in binding else values[name] for name in order], ready.columns


def _bound_values(form: _StatementForm, given: Mapping[str, Any]) -> dict[str, Any]:
    return {**form.fixed_values, **{parameter: given[name] for parameter, name in form.value_names}}


def _is_expansion_cached(ready: _ReadyStatement, values: Mapping[str, Any]) -> bool:
    """Whether the statement is kept for as many values as these, so that it need not be compiled for them."""
    return bool(ready.expanding_parameters) and _value_counts(ready, values) in ready.expanded


def _value_counts(ready: _ReadyStatement, values: Mapping[str, Any]) -> tuple[int, ...]:
    return tuple(len(values[name]) for name in ready.expanding_parameters)


def _compile(statement: Executable, given: Mapping[str, Any], *, several: bool) -> tuple[SQLCompiler, _StatementForm]:
    """Compile a statement for values of these names."""
    compiled, extracted, collected, _ = cast("Any", statement)._compile_w_cache(  # noqa: SLF001 - as the engine does
        DIALECT, compiled_cache=_compiled_statements, column_keys=sorted(given), for_executemany=several
    )
    values = compiled.construct_params(
        given, extracted_parameters=extracted, escape_names=False, _collected_params=collected
    )
    if (ready := _ready_statements.get(compiled)) is None:
        ready = _ready_statements[compiled] = _prepare_compiled(compiled)
    named = tuple(
        (name, bound.key if bound.key in given else name)
        for bound, name in compiled.bind_names.items()
        if bound.key in given or name in given
    )
    taken = {name for name, _ in named}
    fixed = {name: value for name, value in values.items() if name not in taken}
    return compiled, _StatementForm(
        sql=compiled.string,
        parameter_order=compiled.positiontup,
        compiled=ref(compiled),
        ready=ready,
        fixed_values={**fixed, **ready.defaults},
        value_names=named,
    )


def _expand(
    compiled: SQLCompiler | None, ready: _ReadyStatement, values: dict[str, Any]
) -> tuple[str, Sequence[str], Mapping[str, Processor]]:
    """A statement for as many values as its parameters have: its text, its parameters in order, what makes its values.

    Puts each of several values under the name of its own parameter.
    """
    counts = _value_counts(ready, values)
    if ready.expanding_parameters and (kept := ready.expanded.get(counts)):
        for name, singles in kept.expanded_names.items():
            values.update(zip(singles, values[name], strict=True))
        return kept.sql, kept.parameter_order, kept.bind_processors
    assert compiled is not None, "what is not kept is compiled"  # noqa: S101 - by `_bind_statement`
    found = compiled._process_parameters_for_postcompile(values)  # noqa: SLF001 - as the engine does
    order, binding = cast("Sequence[str]", found.positiontup), {**ready.bind_processors, **found.processors}
    if ready.expanding_parameters and len(ready.expanded) < _MAX_EXPANDED:
        made = cast("Mapping[str, Processor]", binding)
        ready.expanded[counts] = _ExpandedStatement(found.statement, order, made, found.parameter_expansion)
    return found.statement, order, cast("Mapping[str, Processor]", binding)


def _prepare_compiled(compiled: SQLCompiler) -> _ReadyStatement:
    columns = compiled._result_columns  # noqa: SLF001 - which the engine reads, too
    reading = [column.type._cached_result_processor(DIALECT, None) for column in columns]  # noqa: SLF001
    defaults = {}
    for column in compiled.insert_prefetch:
        assert isinstance(column.default, ScalarElementColumnDefault), "other defaults need the engine"  # noqa: S101 - of our own tables
        defaults[compiled._within_exec_param_key_getter(column)] = column.default.arg  # noqa: SLF001
    expanding = compiled.post_compile_params
    simple = not compiled.literal_execute_params and not any(
        one.literal_execute or one.type._is_tuple_type  # noqa: SLF001 - as the compiler does
        for one in expanding
    )
    return _ReadyStatement(
        expanding_parameters=tuple(sorted(compiled.bind_names[one] for one in expanding)) if simple else (),
        bind_processors=cast("Mapping[str, Processor]", compiled._bind_processors),  # noqa: SLF001
        defaults=defaults,
        expands=bool(compiled.literal_execute_params or compiled.post_compile_params),
        columns=SimpleResultMetaData(
            [column.keyname for column in columns], _processors=reading if any(reading) else None
        ),
    )


def _wrap_error(error: sqlite3.Error, sql: str | None) -> Exception:
    """The same error as SQLAlchemy's own. It names the statement, but never the values in it."""
    return DBAPIError.instance(sql, None, error, sqlite3.Error, hide_parameters=True, dialect=DIALECT)
