"""What the tables hold of people, column by column: what is given to them as theirs, and what goes with them.

A test holds `PERSONAL_COLUMNS` against the schema, so that a new column says what it holds.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final

import msgspec
from msgspec import Struct
from sqlalchemy import Column, ColumnElement, Select, String, Table, and_, delete, false, or_, select, update

from bot.store.models.subjects import ClosedDmsSubject
from bot.store.models.tables import acts, answers, captains, games, metadata, outbox, players, requests, seats
from bot.store.queries.base import QueryGroup, game_from_row, to_column

NOBODY_ID: Final = 0
"""Stands for a person's number on Discord where a column must have one."""


class PersonalColumns(Struct, frozen=True):
    """What a table holds of people, by the names of its columns, with blanks between them."""

    user_columns: str = ""
    """Persons' numbers on Discord."""
    name_columns: str = ""
    """What somebody is called, alone or within a text."""
    json_columns: str = ""
    """JSON in which both may stand."""
    reference_columns: str = ""
    """Texts in which a person's number may stand, such as `dms:<number>`."""
    own_columns: str = ""
    """What else a row tells of the person that it is about."""
    other_columns: str = ""
    """What tells nothing of anybody."""
    withheld_columns: str = ""
    """What is not given out, as it would show what others do in a game that goes on; it names nobody."""
    is_row_erased: bool = False
    """A person's rows go with them; elsewhere rows stay, with nobody in the person's place."""
    kept: bool = False
    """A person's rows stay as they are, also when the person is forgotten."""


PERSONAL_COLUMNS: Final[Mapping[str, PersonalColumns]] = {
    "games": PersonalColumns(
        user_columns="host_id",
        name_columns="name",
        other_columns="id parent_id parent_request system locale guild_id channel_id thread_id phase deadline pace"
        " early extensions paused_at rated private created_at ended_at digest scheme",
        withheld_columns="seed setup version claimed_at claimed_by step_no",
    ),
    "seats": PersonalColumns(
        user_columns="user_id kept_for",
        name_columns="name",
        own_columns="conceded missed offered_at word word_agreed",
        other_columns="game_id seat team computer",
        withheld_columns="draw_at",
    ),
    "captains": PersonalColumns(
        user_columns="user_id put_by",
        own_columns="acted left",
        other_columns="id game_id seat",
        withheld_columns="from_step to_step",
    ),
    "requests": PersonalColumns(
        own_columns="draft focus status asked_at deadline",
        other_columns="game_id id seat step_no optional version inherited awaits_battle",
        withheld_columns="body",
    ),
    "answers": PersonalColumns(
        own_columns="body nonce commitment given_by sealed_at", other_columns="game_id request_id seat"
    ),
    "steps": PersonalColumns(other_columns="game_id no resolved_at", withheld_columns="cause events state revealed"),
    "outbox": PersonalColumns(
        user_columns="user_id",
        reference_columns="key ref",
        own_columns="channel_id message_id",
        other_columns="mark game_id kind wanted sent attempts due_at wanted_at problem shown edited_at",
        withheld_columns="id",
        is_row_erased=True,
    ),
    "removals": PersonalColumns(
        user_columns="user_id",
        own_columns="channel_id message_id",
        other_columns="game_id due_at",
        withheld_columns="id",
        is_row_erased=True,
    ),
    "players": PersonalColumns(
        user_columns="user_id",
        name_columns="name",
        own_columns="locale chosen_locale zone quiet_from quiet_to reminders away_from away_to standing dm_channel_id",
        is_row_erased=True,
    ),
    "keepsakes": PersonalColumns(
        user_columns="user_id",
        name_columns="name",
        own_columns="number body",
        other_columns="system game_id",
        is_row_erased=True,
    ),
    "kept_facts": PersonalColumns(other_columns="key value"),
    "host_requests": PersonalColumns(
        user_columns="user_id", other_columns="id kind target_id params asked_at taken_until done_at refused outcome"
    ),
    # Else to be forgotten would let somebody in again.
    "denied_users": PersonalColumns(user_columns="user_id", own_columns="since", kept=True),
    "denied_servers": PersonalColumns(other_columns="guild_id since"),
    "bot_servers": PersonalColumns(other_columns="guild_id name"),
    "error_counts": PersonalColumns(other_columns="hour kind count last_at"),
    "leases": PersonalColumns(other_columns="key holder token until"),
    "beats": PersonalColumns(other_columns="shards shard at"),
    "servers": PersonalColumns(other_columns="guild_id creators_id channels most_games locale"),
    "published": PersonalColumns(other_columns="id game_id what hash request at link"),
    "acts": PersonalColumns(
        user_columns="user_id",
        json_columns="params",
        other_columns="id game_id at by_seat kind seat",
        withheld_columns="step_no",
    ),
    "ratings": PersonalColumns(
        user_columns="user_id",
        own_columns="seat outcome mu sigma counted facts rated_at",
        other_columns="game_id system",
        is_row_erased=True,
    ),
}


class PersonalDataQueries(QueryGroup):
    """Finds what is stored of a person, and forgets them."""

    async def rows_of(self, user_id: int) -> dict[str, list[dict[str, Any]]]:
        """All rows about a person, by table: with what they have done, and what they were asked in their seats.

        What is asked just now is left out: somebody who held the seat before may have sealed it.
        """
        found: dict[str, list[dict[str, Any]]] = {}
        for table in metadata.sorted_tables:
            held = PERSONAL_COLUMNS[table.name]
            shown = [column for column in table.c if column.name not in held.withheld_columns.split()]
            query: Select[Any] = select(*shown).where(self._is_about(table, user_id))
            rows = [dict(row._mapping) for row in await self._connection.execute(query)]  # noqa: SLF001 - its public name
            if rows:
                found[table.name] = rows
        return found

    def _is_about(self, table: Table, user_id: int) -> ColumnElement[bool]:
        held = PERSONAL_COLUMNS[table.name]
        told = [table.c[name] == user_id for name in held.user_columns.split()]
        told += [
            _mentions_number(table.c[name], user_id) for name in f"{held.json_columns} {held.reference_columns}".split()
        ]
        if table in (requests, answers):
            over = select(games.c.id).where(games.c.phase == "over").scalar_subquery()
            told.append(and_(self._was_asked_of(table, user_id), table.c.game_id.in_(over)))
        return or_(false(), *told)

    def _was_asked_of(self, table: Table, user_id: int) -> ColumnElement[bool]:
        """Whether somebody was asked something in person: while they held its seat, and nobody had sealed it before."""
        asked = requests.alias()
        same = and_(
            asked.c.game_id == table.c.game_id, asked.c.id == table.c["id" if table is requests else "request_id"]
        )
        his = and_(
            captains.c.game_id == asked.c.game_id,
            captains.c.seat == asked.c.seat,
            captains.c.user_id == user_id,
            asked.c.step_no >= captains.c.from_step,
            or_(captains.c.to_step.is_(None), asked.c.step_no < captains.c.to_step),
            ~asked.c.inherited,
        )
        return select(asked.c.id).where(same, select(captains.c.id).where(his).exists()).exists()

    async def games_mentioning(self, user_id: int) -> list[int]:
        """Numbers of all games in which something is stored of a person."""
        found: set[int] = set()
        for table, held in _game_tables():
            number = table.c.id if table is games else table.c.game_id
            told = [table.c[name] == user_id for name in held.user_columns.split()]
            told += [
                _mentions_number(table.c[name], user_id)
                for name in f"{held.json_columns} {held.reference_columns}".split()
            ]
            if told:
                telling = select(number).where(number.is_not(None), or_(*told))
                found.update((await self._connection.execute(telling)).scalars())
        return sorted(found)

    async def names_of(self, user_id: int) -> set[str]:
        """What a person is, or was, called here."""
        queries = [
            select(players.c.name).where(players.c.user_id == user_id),
            select(seats.c.name).where(seats.c.user_id == user_id, seats.c.name.is_not(None)),
        ]
        found = {name for query in queries for name in (await self._connection.execute(query)).scalars()}
        told = select(acts.c.params).where(_mentions_number(acts.c.params, user_id))
        for text in (await self._connection.execute(told)).scalars():
            params = msgspec.json.decode(text)
            found |= {params["captain"]} if params.get("was") == user_id and "captain" in params else set()
        return {name for name in found if name}

    async def forget_in(
        self, game_id: int, user_id: int, names: Collection[str], stand_in: str, *, disguise: int | None
    ) -> None:
        """Put nobody in a person's place in a game, where they are called `stand_in` from now on.

        In one that goes on, `disguise` stands for them in its history.
        """
        mine = and_(seats.c.game_id == game_id, seats.c.user_id == user_id)
        await self._connection.execute(update(seats).where(mine).values(name=stand_in))
        await self._rename(game_id, user_id, names, stand_in)
        await self._drop_keepsake_names(game_id, user_id)
        if disguise is not None:  # last: what is to be renamed is found by their own number
            await self._replace_with_pseudonym(game_id, user_id, disguise)
        await self._remove_from_game(user_id, game_id)

    async def _replace_with_pseudonym(self, game_id: int, user_id: int, number: int) -> None:
        """Let another number stand for somebody in the history of a game that goes on: what they did binds them."""
        for table in (captains, acts):
            for name in PERSONAL_COLUMNS[table.name].user_columns.split():
                his = and_(table.c.game_id == game_id, table.c[name] == user_id)
                await self._connection.execute(update(table).where(his).values({name: number}))

    async def forget(self, user_id: int) -> None:
        """Put nobody in a person's place wherever they still are; erase what is theirs alone."""
        await self._remove_from_game(user_id)

    async def _remove_from_game(self, user_id: int, game_id: int | None = None) -> None:
        for table in metadata.sorted_tables:
            held, number = PERSONAL_COLUMNS[table.name], _game_column(table)
            if held.kept or (game_id is not None and number is None):
                continue
            there = [] if game_id is None or number is None else [number == game_id]
            for name in held.user_columns.split():
                his = and_(table.c[name] == user_id, *there)
                if held.is_row_erased:
                    await self._connection.execute(delete(table).where(his))
                    continue
                nobody = None if table is seats else NOBODY_ID
                await self._connection.execute(update(table).where(his).values({name: nobody}))
        # What stays of these shows something to all, such as that they took no direct messages.
        here = [] if game_id is None else [outbox.c.game_id == game_id]
        kept = and_(
            or_(
                *(
                    _mentions_number(outbox.c[name], user_id)
                    for name in PERSONAL_COLUMNS["outbox"].reference_columns.split()
                )
            ),
            *here,
        )
        anew = {
            "key": outbox.c.kind.concat("~").concat(outbox.c.id.cast(String)),
            "ref": to_column(ClosedDmsSubject(NOBODY_ID)),
        }
        await self._connection.execute(update(outbox).where(kept).values(anew))

    async def _drop_keepsake_names(self, game_id: int, user_id: int) -> None:
        """What a person brought to a game keeps its number there, and loses the name that they gave it."""
        game = game_from_row((await self._connection.execute(select(games).where(games.c.id == game_id))).one())
        brought = select(captains.c.seat).where(captains.c.game_id == game_id, captains.c.user_id == user_id)
        own = {*(await self._connection.execute(brought.where(captains.c.from_step == 0))).scalars()}
        if game.setup.keepsakes and own:
            left = tuple(
                tuple(msgspec.structs.replace(one, name="") for one in those) if seat in own else those
                for seat, those in enumerate(game.setup.keepsakes)
            )
            setup = to_column(msgspec.structs.replace(game.setup, keepsakes=left))
            await self._connection.execute(update(games).where(games.c.id == game_id).values(setup=setup))

    async def _rename(self, game_id: int, user_id: int, names: Collection[str], stand_in: str) -> None:
        game = (await self._connection.execute(select(games).where(games.c.id == game_id))).one()
        if game.host_id == user_id and (changed := without_names(game.name, names, stand_in)) != game.name:
            await self._connection.execute(update(games).where(games.c.id == game_id).values(name=changed[:80]))
        # Another may be called the same: only what concerns a seat that they held, or that they did, names them.
        held = select(captains.c.seat).where(captains.c.game_id == game_id, captains.c.user_id == user_id)
        his = {*(await self._connection.execute(held)).scalars()}
        for row in await self._connection.execute(select(acts).where(acts.c.game_id == game_id)):
            params = msgspec.json.decode(row.params)
            about_him = row.seat in his or row.user_id == user_id or user_id in params.values()
            kept = {
                key: stand_in if about_him and value in names and isinstance(value, str) else value
                for key, value in params.items()
                if value != user_id
            }
            if kept != params:
                text = msgspec.json.encode(kept).decode()
                await self._connection.execute(update(acts).where(acts.c.id == row.id).values(params=text))


def without_names(text: str, names: Collection[str], stand_in: str) -> str:
    """A text in which somebody else stands wherever one of these names does, as a word of its own."""
    for name in sorted(names, key=len, reverse=True):
        text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", lambda _: stand_in, text, flags=re.IGNORECASE)
    return text


def _mentions_number(column: ColumnElement[str], user_id: int) -> ColumnElement[bool]:
    """Whether a number stands in a text or in JSON by itself, not as a part of another."""
    number = str(user_id)
    return or_(column == number, *(column.like(f"%:{number}{end}") for end in ("", ":%", ",%", "}%")))


def _game_column(table: Table) -> Column[Any] | None:
    """The column of the game that a row is about, if there is one."""
    return table.c.id if table is games else table.c.get("game_id")


def _game_tables() -> Iterator[tuple[Table, PersonalColumns]]:
    for table in metadata.sorted_tables:
        if table is games or "game_id" in table.c:
            yield table, PERSONAL_COLUMNS[table.name]
