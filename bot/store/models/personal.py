"""Define which columns of each table hold personal data, and the queries that export, rename and erase it.

A test compares `PERSONAL_COLUMNS` with the schema, so every new column must be classified.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any, Final

import msgspec
from msgspec import Struct
from sqlalchemy import Column, ColumnElement, Select, String, Table, and_, delete, false, or_, select, update

from bot.store.models.subjects import CHAIN_KIND, ClosedDmsSubject
from bot.store.models.tables import acts, answers, captains, games, metadata, outbox, players, requests, seats
from bot.store.queries.base import QueryGroup, game_from_row, to_column

NOBODY_ID: Final = 0  # replaces a Discord user id in columns that cannot be null


class PersonalColumns(Struct, frozen=True):
    """Classification of one table's columns. Each field holds column names separated by blanks."""

    user_columns: str = ""  # columns that hold a Discord user id
    name_columns: str = ""  # columns that hold a person's name, or text that may contain one
    json_columns: str = ""  # JSON columns that may contain user ids or names
    reference_columns: str = ""  # text columns whose values may contain a user id, such as `dms:<id>`
    own_columns: str = ""  # further columns about the person, which a data export includes
    other_columns: str = ""  # columns that say nothing about a person; also exported
    withheld_columns: str = ""
    """Columns left out of a data export because they would reveal other players' moves in a running game. They name
    nobody.
    """
    is_row_erased: bool = False
    """Whether a person's rows are deleted when the person is forgotten. Rows of other tables stay without the user id.
    """
    is_kept: bool = False  # whether a person's rows stay unchanged when the person is forgotten


PERSONAL_COLUMNS: Final[Mapping[str, PersonalColumns]] = {
    "games": PersonalColumns(
        user_columns="host_id",
        name_columns="name",
        other_columns="id parent_id parent_request is_match first_game_id points system locale guild_id channel_id"
        " thread_id phase deadline pace"
        " early extensions paused_at rated private created_at ended_at digest scheme page_key page_step",
        withheld_columns="seed second_seed setup keepsakes_hash version claimed_at claimed_by step_no idle_since",
    ),
    "seats": PersonalColumns(
        user_columns="user_id kept_for",
        name_columns="name",
        own_columns="conceded missed offered_at word word_agreed abandoned abandoned_by_others",
        other_columns="game_id seat team computer",
        withheld_columns="draw_at hopeless_step",
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
        own_columns="body nonce commitment given_by sealed_at",
        other_columns="game_id request_id seat",
        withheld_columns="computation",
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
        own_columns="locale chosen_locale zone quiet_from quiet_to reminders away_from away_to standing dm_channel_id"
        " page_mark",
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
    # Erasing these rows would let a denied user in again.
    "denied_users": PersonalColumns(user_columns="user_id", own_columns="since", is_kept=True),
    "denied_servers": PersonalColumns(other_columns="guild_id since"),
    "bot_servers": PersonalColumns(other_columns="guild_id name"),
    "error_counts": PersonalColumns(other_columns="hour kind count last_at"),
    "leases": PersonalColumns(other_columns="key holder token until"),
    "beats": PersonalColumns(other_columns="shards shard at"),
    "servers": PersonalColumns(other_columns="guild_id creators_id channels most_games locale pages page_key"),
    "published": PersonalColumns(other_columns="id game_id what hash request at link"),
    "acts": PersonalColumns(
        user_columns="user_id",
        json_columns="params",
        other_columns="id game_id at by_seat kind seat",
        withheld_columns="step_no",
    ),
    "tallies": PersonalColumns(
        user_columns="user_id", own_columns="kind about_game at until", other_columns="id", is_row_erased=True
    ),
    "ratings": PersonalColumns(
        user_columns="user_id",
        own_columns="seat outcome mu sigma counted facts rated_at",
        other_columns="game_id system",
        is_row_erased=True,
    ),
}


class PersonalDataQueries(QueryGroup):
    async def rows_of(self, user_id: int) -> dict[str, list[dict[str, Any]]]:
        """Return all rows about a person by table name, including their answers and requests in finished games.

        Requests and answers of running games are left out, because a previous holder of the seat may have sealed them.
        """
        rows_by_table: dict[str, list[dict[str, Any]]] = {}
        for table in metadata.sorted_tables:
            classes = PERSONAL_COLUMNS[table.name]
            exported = [column for column in table.c if column.name not in classes.withheld_columns.split()]
            query: Select[Any] = select(*exported).where(self._is_about(table, user_id))
            rows = [dict(row._mapping) for row in await self._connection.execute(query)]  # noqa: SLF001 - its public name
            if rows:
                rows_by_table[table.name] = rows
        return rows_by_table

    def _is_about(self, table: Table, user_id: int) -> ColumnElement[bool]:
        classes = PERSONAL_COLUMNS[table.name]
        conditions = [table.c[name] == user_id for name in classes.user_columns.split()]
        conditions += [
            _mentions_number(table.c[name], user_id)
            for name in f"{classes.json_columns} {classes.reference_columns}".split()
        ]
        if table in (requests, answers):
            over = select(games.c.id).where(games.c.phase == "over").scalar_subquery()
            conditions.append(and_(self._was_asked_of(table, user_id), table.c.game_id.in_(over)))
        return or_(false(), *conditions)

    def _was_asked_of(self, table: Table, user_id: int) -> ColumnElement[bool]:
        """Return a condition: the person held the seat when the request was made, and no predecessor had sealed it."""
        request = requests.alias()
        is_request = and_(
            request.c.game_id == table.c.game_id, request.c.id == table.c["id" if table is requests else "request_id"]
        )
        held_by_person = and_(
            captains.c.game_id == request.c.game_id,
            captains.c.seat == request.c.seat,
            captains.c.user_id == user_id,
            request.c.step_no >= captains.c.from_step,
            or_(captains.c.to_step.is_(None), request.c.step_no < captains.c.to_step),
            ~request.c.inherited,
        )
        return select(request.c.id).where(is_request, select(captains.c.id).where(held_by_person).exists()).exists()

    async def games_mentioning(self, user_id: int) -> list[int]:
        game_ids: set[int] = set()
        for table in metadata.sorted_tables:
            classes, game_column = PERSONAL_COLUMNS[table.name], _game_column(table)
            conditions = [table.c[name] == user_id for name in classes.user_columns.split()]
            conditions += [
                _mentions_number(table.c[name], user_id)
                for name in f"{classes.json_columns} {classes.reference_columns}".split()
            ]
            if conditions and game_column is not None:
                query = select(game_column).where(game_column.is_not(None), or_(*conditions))
                game_ids.update((await self._connection.execute(query)).scalars())
        return sorted(game_ids)

    async def names_of(self, user_id: int) -> set[str]:
        queries = [
            select(players.c.name).where(players.c.user_id == user_id),
            select(seats.c.name).where(seats.c.user_id == user_id, seats.c.name.is_not(None)),
        ]
        names = {name for query in queries for name in (await self._connection.execute(query)).scalars()}
        mentions = select(acts.c.params).where(_mentions_number(acts.c.params, user_id))
        for text in (await self._connection.execute(mentions)).scalars():
            params = msgspec.json.decode(text)
            if params.get("was") == user_id and "captain" in params:  # an entry about the person's replacement
                names.add(params["captain"])
        return {name for name in names if name}

    async def forget_in(
        self, game_id: int, user_id: int, names: Collection[str], stand_in: str, *, pseudonym: int | None
    ) -> None:
        """Remove a person from a game and replace their name with `stand_in`.

        `pseudonym` replaces the user id in the history of a running game; None: the id is removed.
        """
        of_person = and_(seats.c.game_id == game_id, seats.c.user_id == user_id)
        await self._connection.execute(update(seats).where(of_person).values(name=stand_in))
        await self._rename(game_id, user_id, names, stand_in)
        await self._drop_keepsake_names(game_id, user_id)
        if pseudonym is not None:  # Last, because `_rename` finds rows by the user id.
            await self._replace_with_pseudonym(game_id, user_id, pseudonym)
        await self._remove_from_game(user_id, game_id)

    async def _replace_with_pseudonym(self, game_id: int, user_id: int, number: int) -> None:
        """Replace a user id in the history of a running game. Later decisions depend on what the person did."""
        for table in (captains, acts):
            for name in PERSONAL_COLUMNS[table.name].user_columns.split():
                of_person = and_(table.c.game_id == game_id, table.c[name] == user_id)
                await self._connection.execute(update(table).where(of_person).values({name: number}))

    async def forget(self, user_id: int) -> None:
        """Remove a user id from all remaining rows, and delete the rows that belong to the person alone."""
        await self._remove_from_game(user_id)

    async def _remove_from_game(self, user_id: int, game_id: int | None = None) -> None:
        """Delete rows of a user or remove their id, in one game or (None) in all tables that may be erased."""
        for table in metadata.sorted_tables:
            classes = PERSONAL_COLUMNS[table.name]
            game_column = _game_column(table)
            if classes.is_kept or (game_id is not None and game_column is None):
                continue
            in_game = [] if game_id is None or game_column is None else [game_column == game_id]
            for name in classes.user_columns.split():
                of_person = and_(table.c[name] == user_id, *in_game)
                if classes.is_row_erased:
                    await self._connection.execute(delete(table).where(of_person))
                    continue
                nobody = None if table is seats else NOBODY_ID
                await self._connection.execute(update(table).where(of_person).values({name: nobody}))
        # Other messages stay, because they are public, such as the note that somebody's direct messages are closed.
        in_game = [] if game_id is None else [outbox.c.game_id == game_id]
        mentions = and_(
            or_(
                *(
                    _mentions_number(outbox.c[name], user_id)
                    for name in PERSONAL_COLUMNS["outbox"].reference_columns.split()
                )
            ),
            outbox.c.kind != CHAIN_KIND,  # its numbers are rounds and seats
            *in_game,
        )
        values = {
            "key": outbox.c.kind.concat("~").concat(outbox.c.id.cast(String)),
            "ref": to_column(ClosedDmsSubject(NOBODY_ID)),
        }
        await self._connection.execute(update(outbox).where(mentions).values(values))

    async def _drop_keepsake_names(self, game_id: int, user_id: int) -> None:
        game = game_from_row((await self._connection.execute(select(games).where(games.c.id == game_id))).one())
        seats_held = select(captains.c.seat).where(captains.c.game_id == game_id, captains.c.user_id == user_id)
        own_seats = {*(await self._connection.execute(seats_held.where(captains.c.from_step == 0))).scalars()}
        if game.setup.keepsakes and own_seats:
            nameless = tuple(
                tuple(msgspec.structs.replace(keepsake, name="") for keepsake in keepsakes)
                if seat in own_seats
                else keepsakes
                for seat, keepsakes in enumerate(game.setup.keepsakes)
            )
            setup = to_column(msgspec.structs.replace(game.setup, keepsakes=nameless))
            await self._connection.execute(update(games).where(games.c.id == game_id).values(setup=setup))

    async def _rename(self, game_id: int, user_id: int, names: Collection[str], stand_in: str) -> None:
        game = (await self._connection.execute(select(games).where(games.c.id == game_id))).one()
        cleaned_name = without_names(game.name, names, stand_in)
        if game.host_id == user_id and cleaned_name != game.name:
            await self._connection.execute(update(games).where(games.c.id == game_id).values(name=cleaned_name[:80]))
        # Another captain may have the same name, so only entries about the person's seats or actions are changed.
        seats_held = select(captains.c.seat).where(captains.c.game_id == game_id, captains.c.user_id == user_id)
        own_seats = {*(await self._connection.execute(seats_held)).scalars()}
        for row in await self._connection.execute(select(acts).where(acts.c.game_id == game_id)):
            params = msgspec.json.decode(row.params)
            is_about_person = row.seat in own_seats or row.user_id == user_id or user_id in params.values()
            cleaned = {
                key: stand_in if is_about_person and value in names and isinstance(value, str) else value
                for key, value in params.items()
                if value != user_id
            }
            if cleaned != params:
                text = msgspec.json.encode(cleaned).decode()
                await self._connection.execute(update(acts).where(acts.c.id == row.id).values(params=text))


def without_names(text: str, names: Collection[str], stand_in: str) -> str:
    """Return the text with these names replaced by `stand_in` where they are whole words, in any case."""
    for name in sorted(names, key=len, reverse=True):
        text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", lambda _: stand_in, text, flags=re.IGNORECASE)
    return text


def _mentions_number(column: ColumnElement[str], user_id: int) -> ColumnElement[bool]:
    """Return a condition: the column contains the number by itself, not as part of a longer number."""
    number = str(user_id)
    return or_(column == number, *(column.like(f"%:{number}{end}") for end in ("", ":%", ",%", "}%")))


def _game_column(table: Table) -> Column[Any] | None:
    return table.c.id if table is games else table.c.get("game_id")
