"""Query and change the outbox, which holds the messages that Discord must show.

A row stores the revision that is wanted and the one that was sent. It waits while `wanted` is greater than `sent`. The
content is made from the stored game when the message is sent.
"""

from __future__ import annotations

import secrets
from collections.abc import Collection, Iterator, Sequence
from functools import cache
from typing import Any, Final, Literal

from msgspec import Struct, structs
from sqlalchemy import (
    BigInteger,
    Boolean,
    ColumnElement,
    Insert,
    Integer,
    Select,
    String,
    Update,
    and_,
    bindparam,
    case,
    func,
    literal_column,
    or_,
    select,
    true,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite

from bot.store.engine.built import match_values, select_rows, update_rows
from bot.store.engine.leases import (
    is_about_own_game,
    only_held_rows,
    only_if_held,
    own_shard_params,
    own_token_params,
)
from bot.store.models.records import SET_ASIDE_MARK, BotStatistics, OutboxMessage
from bot.store.models.subjects import CHANNEL_KINDS, REQUEST_KINDS, MessageSubject, RequestSubject
from bot.store.models.tables import games, outbox, removals
from bot.store.queries.base import QueryGroup, message_from_row, to_column

MAX_RETRY_PAUSE_S: Final = 900
SLOW_RETRY_PAUSE_S: Final = 3_600
MAX_TRIES_IN_ORDER: Final = 12  # after this many failed tries, a message no longer holds up later ones

EDIT_INTERVAL_S: Final = 3
"""Shortest pause between two edits of a message, so that quick changes are shown in one edit.

Discord takes five edits in five seconds in one channel. Two captains may seal at the same moment, and a captain may
join and leave again, faster than anybody reads.
"""

TURN_EDIT_INTERVAL_S: Final = 60
"""Pause between edits of a public message while one captain acts repeatedly and the others only watch. A new message to
the same place, such as the next captain's turn, ends the pause.
"""

MAX_EDITS_PER_S: Final = 5
"""Edits per second when `renew_shown` edits the messages of whole games again. This is a tenth of Discord's limit for a
bot.
"""

MIN_MARK: Final = 1_000_000
_MAX_MARK: Final = 2**31 - 1

IS_WAITING: Final = and_(outbox.c.wanted > outbox.c.sent, outbox.c.problem.is_(None))
"""Messages that Discord does not show up to date. The index `ix_outbox_waiting` has the same condition."""


RETIRED_KEY: Final = outbox.c.kind.concat(SET_ASIDE_MARK).concat(outbox.c.id.cast(String))
"""The key of a message whose original key may be used by another one. No subject has such a key."""


class MessageRequest(Struct, frozen=True):
    subject: MessageSubject  # what the message is about
    due_at: int  # when to send or edit it (Unix seconds)
    user_id: int | None = None  # recipient of a direct message; None: the game's thread or channel
    is_patient: bool = False  # whether an edit that already waits for a later time keeps that time
    is_slow: bool = False  # whether edits pause for `TURN_EDIT_INTERVAL_S` instead of `EDIT_INTERVAL_S`


def _renewed_columns(
    at: ColumnElement[int], *, patient: ColumnElement[bool] | bool, slow: ColumnElement[bool] | None = None
) -> dict[str, Any]:
    """Return the new column values of a message that is requested again for time `at`."""
    pause = EDIT_INTERVAL_S if slow is None else case((slow, TURN_EDIT_INTERVAL_S), else_=EDIT_INTERVAL_S)
    # A try without an answer may have created the message. One counted try makes the sender look for that first.
    may_have_arrived = and_(outbox.c.message_id.is_(None), outbox.c.attempts > 0)
    has_message = outbox.c.message_id.is_not(None)
    after_pause = and_(has_message, outbox.c.edited_at > at - pause)
    due_at: ColumnElement[int] = case((after_pause, outbox.c.edited_at + pause), else_=at)
    if patient is not False:
        keeps_its_time = and_(
            true() if patient is True else patient,
            IS_WAITING,
            has_message,
            outbox.c.attempts == 0,
            outbox.c.due_at > at,
        )
        due_at = case((keeps_its_time, outbox.c.due_at), else_=due_at)
    return {
        "wanted": outbox.c.wanted + 1,
        # It never falls: the sender tells a message by it from one that was sent in its place.
        "wanted_at": case((or_(IS_WAITING, outbox.c.wanted_at > at), outbox.c.wanted_at), else_=at),
        "due_at": due_at,
        "attempts": case((may_have_arrived, 1), else_=0),
        "problem": None,
    }


# SQLAlchemy takes longer to build these statements than to execute them, so they are built once.

_COUNT_TRIES: Final = (
    update(outbox)
    .where(outbox.c.id.in_(bindparam("rows", expanding=True)))
    .values(attempts=outbox.c.attempts + 1, shown=None)
)
_BY_IDS: Final = select(outbox).where(outbox.c.id.in_(bindparam("rows", expanding=True)))
_OF_KINDS: Final = (
    select(outbox)
    .where(outbox.c.game_id == bindparam("game"), outbox.c.kind.in_(bindparam("kinds", expanding=True)))
    .order_by(outbox.c.id)
)
# The columns that the result of a try may change.
_RECORDED_COLUMNS: Final = ("sent", "channel_id", "message_id", "attempts", "due_at", "problem", "shown", "edited_at")


@cache
def _renew_statement(column: Literal["id", "key"], *, patient: bool) -> Update:
    columns = _renewed_columns(bindparam("now", type_=BigInteger), patient=patient)
    is_selected = outbox.c[column].in_(bindparam("selected", expanding=True))
    query = update(outbox).where(outbox.c.game_id == bindparam("game"), is_selected)
    return query.values(columns).returning(outbox.c.due_at)


_IS_EDIT_PAUSE: Final = (outbox.c.due_at - outbox.c.edited_at).in_((EDIT_INTERVAL_S, TURN_EDIT_INTERVAL_S))
"""Edits that wait only because the message was edited shortly before."""
_NEXT_PAUSED_EDIT: Final = select(func.min(outbox.c.due_at)).where(
    IS_WAITING,
    outbox.c.due_at > bindparam("after", type_=BigInteger),
    _IS_EDIT_PAUSE,
)
_NOTE_SHOWN_BY_PRESS: Final = (
    update(outbox)
    .where(
        outbox.c.id == bindparam("row"),
        outbox.c.message_id == bindparam("message"),
        outbox.c.wanted == bindparam("shown_revision"),
    )
    .values(sent=outbox.c.wanted, shown=None)
)


@cache
def _unsent_query(*, excluded: bool, busy: bool, shared: bool) -> Select[Any]:
    # Selects due messages that overtake no earlier one. Each argument adds a condition and its parameters.
    earlier = outbox.alias()
    now = bindparam("now", type_=BigInteger)
    latest_retry = bindparam("latest_retry", type_=BigInteger)
    overtakes = (
        select(earlier.c.id)
        .where(earlier.c.game_id == outbox.c.game_id, earlier.c.user_id.is_not_distinct_from(outbox.c.user_id))
        .where(earlier.c.kind.in_(CHANNEL_KINDS) == outbox.c.kind.in_(CHANNEL_KINDS))
        .where(earlier.c.id < outbox.c.id, earlier.c.wanted > earlier.c.sent, earlier.c.problem.is_(None))
        # No try is postponed beyond `latest_retry`, so a row due later was requested for that time and blocks nothing.
        .where(earlier.c.attempts.between(1, MAX_TRIES_IN_ORDER - 1))
        .where(earlier.c.due_at > now, earlier.c.due_at <= latest_retry)
        .exists()
    )
    query = select(outbox).where(IS_WAITING, outbox.c.due_at <= now, ~overtakes)
    if excluded:
        excluded_games = select(games.c.id).where(games.c.system.in_(bindparam("excluded", expanding=True)))
        query = query.where(outbox.c.game_id.not_in(excluded_games))
    if busy:
        query = query.where(outbox.c.game_id.not_in(bindparam("busy", expanding=True)))
    if shared:
        query = query.where(is_about_own_game(outbox.c.game_id))
    # The expression `id + 0` keeps the database from scanning all messages ever sent in the order of the primary key.
    return query.order_by(outbox.c.id + 0).limit(bindparam("most", type_=Integer))


@cache
def _upsert_requests(dialect: str, count: int) -> Insert:
    """Build a statement that stores `count` messages, or renews those with the same key."""
    columns = ("mark", "game_id", "key", "kind", "ref", "user_id", "due_at", "wanted_at")
    rows: list[dict[str, Any]] = [
        {"wanted": 1, "sent": 0, "attempts": 0}
        | {column: bindparam(f"{column}_of_{number}", type_=outbox.c[column].type) for column in columns}
        for number in range(count)
    ]
    if dialect != "sqlite":  # PostgreSQL would take a new id from the sequence even if the row exists, and leave a gap.
        for number, row in enumerate(rows):
            row["id"] = _existing_or_next_id(number)
    # SQLAlchemy caches the compiled statement of a single row, but not of a list with one row.
    insertion = (sqlite if dialect == "sqlite" else postgresql).insert(outbox).values(rows if count > 1 else rows[0])
    patient = outbox.c.key.in_(bindparam("patient", expanding=True, type_=String))
    slow = outbox.c.key.in_(bindparam("slow", expanding=True, type_=String))
    changes = _renewed_columns(insertion.excluded.due_at, patient=patient, slow=slow)
    renewed = insertion.on_conflict_do_update(
        index_elements=["game_id", "key"], set_={"ref": insertion.excluded.ref, **changes}
    )
    return renewed.returning(outbox)  # type: ignore[no-any-return]  # two dialects, one interface


def _existing_or_next_id(number: int) -> ColumnElement[int]:
    existing = outbox.alias()
    existing_id = select(existing.c.id).where(
        existing.c.game_id == bindparam(f"game_id_of_{number}", type_=Integer),
        existing.c.key == bindparam(f"key_of_{number}", type_=String),
    )
    return func.coalesce(existing_id.scalar_subquery(), func.nextval(literal_column("'outbox_id_seq'")))


_EDITS_FIRST: Final = (
    update(outbox)
    .where(IS_WAITING, outbox.c.game_id == bindparam("game", type_=BigInteger))
    .where(
        or_(
            outbox.c.user_id.in_(bindparam("users", expanding=True, type_=BigInteger)),
            and_(outbox.c.user_id.is_(None), bindparam("to_all", type_=Boolean)),
        )
    )
    .where(outbox.c.due_at > bindparam("now", type_=BigInteger), _IS_EDIT_PAUSE)
    .values(due_at=bindparam("now", type_=BigInteger))
)


def new_mark() -> int:
    """Return a random number that identifies a message in Discord, where everyone who sees the message can read it.

    Row ids would reveal how many private messages, such as reminders, other players got.
    """
    return MIN_MARK + secrets.randbelow(_MAX_MARK - MIN_MARK + 1)


class MessageQueries(QueryGroup):
    async def request(
        self, game_id: int, subject: MessageSubject, *, now: int, user_id: int | None = None, patient: bool = False
    ) -> OutboxMessage:
        """Request one message, or its next edit, and return its row.

        A message that Discord shows is edited at `now`, or `EDIT_INTERVAL_S` after its last edit if that is later. If
        `patient`, an edit that already waits for a later time keeps that time.
        """
        (message,) = await self.request_all(game_id, [MessageRequest(subject, now, user_id, patient)], now=now)
        return message

    async def request_all(
        self, game_id: int, message_requests: Sequence[MessageRequest], *, now: int
    ) -> list[OutboxMessage]:
        """Request several messages of a game, each for its own time. Returns the rows in the order of the requests."""
        by_key = {request.subject.key: request for request in message_requests}
        if not by_key:
            return []
        await self.lock_game(game_id)
        values: dict[str, Any] = {"patient": [key for key, request in by_key.items() if request.is_patient]}
        values["slow"] = [key for key, request in by_key.items() if request.is_slow]
        for number, (key, request) in enumerate(by_key.items()):
            row_values = {
                "game_id": game_id,
                "key": key,
                "kind": request.subject.kind,
                "ref": to_column(request.subject),
                "mark": new_mark(),
                "user_id": request.user_id,
                "due_at": request.due_at,
                "wanted_at": request.due_at,
            }
            values |= {f"{column}_of_{number}": value for column, value in row_values.items()}
        rows = await self._connection.execute(_upsert_requests(self._connection.dialect.name, len(by_key)), values)
        messages = {row.key: message_from_row(row) for row in rows}
        new_recipients = {
            message.user_id for message in messages.values() if message.wanted == 1 and message.due_at <= now
        }
        if new_recipients:
            await self._order_after_edits(game_id, new_recipients, now=now)
        return [messages[request.subject.key] for request in message_requests]

    async def renew_all(self, messages: Collection[OutboxMessage], *, now: int, patient: bool = False) -> None:
        """Request an edit of these messages. `patient`: see `request`."""
        for game_id in {message.game_id for message in messages}:
            ids = [message.id for message in messages if message.game_id == game_id]
            await self._renew_by("id", game_id, ids, now=now, patient=patient)

    async def renew_keys(self, game_id: int, keys: Collection[str], *, now: int, patient: bool = False) -> list[int]:
        """Request an edit of a game's messages with these keys. Return when each is due (Unix seconds)."""
        return await self._renew_by("key", game_id, [*keys], now=now, patient=patient) if keys else []

    async def _renew_by(
        self, column: Literal["id", "key"], game_id: int, values: Sequence[int | str], *, now: int, patient: bool
    ) -> list[int]:
        params = {"game": game_id, "now": now, "selected": values}
        return [*(await self._connection.execute(_renew_statement(column, patient=patient), params)).scalars()]

    async def cancel(self, messages: Collection[OutboxMessage]) -> None:
        """Mark these messages as sent, so that nothing more is sent for them."""
        if messages:
            query = update(outbox).where(outbox.c.id.in_([message.id for message in messages]))
            await self._connection.execute(query.values(sent=outbox.c.wanted))

    async def repost(self, messages: Collection[OutboxMessage]) -> None:
        """Send these messages as new ones at the next request instead of editing the old ones."""
        if messages:
            query = update(outbox).where(outbox.c.id.in_([message.id for message in messages]))
            # A changed `wanted_at` distinguishes the new message from the old one.
            await self._connection.execute(query.values(message_id=None, attempts=0, wanted_at=outbox.c.wanted_at + 1))

    async def retire(self, messages: Collection[OutboxMessage]) -> None:
        """Free the keys of these messages for other messages."""
        if messages:
            query = update(outbox).where(outbox.c.id.in_([message.id for message in messages]))
            await self._connection.execute(query.values(key=RETIRED_KEY))

    async def rename_request(self, game_id: int, request: str, request_id: str) -> None:
        """Point the private messages about a request to its new id, and request an edit of each."""
        for message in await self.of_kinds(game_id, REQUEST_KINDS):
            subject = message.subject
            if isinstance(subject, RequestSubject) and subject.request == request:
                ref = to_column(structs.replace(subject, request=request_id))
                columns = {"key": RETIRED_KEY, "ref": ref, "wanted": outbox.c.wanted + 1, "attempts": 0}
                await self._connection.execute(update(outbox).where(outbox.c.id == message.id).values(columns))

    async def change_subject(self, message: OutboxMessage, subject: MessageSubject) -> None:
        query = update(outbox).where(outbox.c.id == message.id)
        await self._connection.execute(query.values(key=subject.key, ref=to_column(subject)))

    async def _order_after_edits(self, game_id: int, users: Collection[int | None], *, now: int) -> None:
        """Make paused edits due now, so that new messages to these recipients come after them."""
        recipients = {"users": [*{*users} - {None}], "to_all": None in users}
        await self._connection.execute(_EDITS_FIRST, {"game": game_id, "now": now, **recipients})

    async def unsent(
        self, *, now: int, most: int = 50, excluded_systems: Collection[str] = (), busy: Collection[int] = ()
    ) -> list[OutboxMessage]:
        """Return messages that are due, oldest first, up to `most`.

        A message that would overtake an earlier one to the same place that is being retried is left out, and so are
        games of the `excluded_systems` and the games `busy`. If several bots share the database, only messages of this
        bot's shards are returned.
        """
        query = _unsent_query(excluded=bool(excluded_systems), busy=bool(busy), shared=self._share is not None)
        params: dict[str, Any] = {"now": now, "latest_retry": now + MAX_RETRY_PAUSE_S, "most": most}
        if excluded_systems:
            params["excluded"] = [*excluded_systems]
        if busy:
            params["busy"] = [*busy]
        if self._share:
            params |= own_shard_params(self._share)
        return [message_from_row(row) for row in await self._connection.execute(query, params)]

    async def make_public_due(self, *, now: int, guild_id: int | None = None, game_id: int | None = None) -> None:
        """Send all pending public messages of a server or of one game now."""
        in_scope = games.c.guild_id == guild_id if game_id is None else games.c.id == game_id
        in_games = outbox.c.game_id.in_(select(games.c.id).where(in_scope))
        postponed = and_(IS_WAITING, outbox.c.due_at > now, outbox.c.user_id.is_(None), in_games)
        await self._connection.execute(update(outbox).where(postponed).values(due_at=now))

    async def retry_waiting(self, *, now: int) -> None:
        """Make all pending messages due now that were tried before, or whose current version in Discord is incomplete.

        Messages that were requested for a later time keep it.
        """
        is_due_soon = or_(outbox.c.due_at <= now + MAX_RETRY_PAUSE_S, outbox.c.attempts >= MAX_TRIES_IN_ORDER)
        was_tried_or_shown = or_(outbox.c.attempts > 0, outbox.c.message_id.is_not(None))
        is_retried = and_(IS_WAITING, was_tried_or_shown, outbox.c.due_at > now, is_due_soon)
        await self._connection.execute(update(outbox).where(is_retried).values(due_at=now))

    async def next_paused_edit(self, *, after: int) -> int | None:
        """Return when the next rate-limited edit may be sent (Unix seconds), or None."""
        due: int | None = (await self._connection.execute(_NEXT_PAUSED_EDIT, {"after": after})).scalar()
        return due

    async def count_statistics(self, *, now: int) -> BotStatistics:
        phases = select(games.c.phase, func.count().label("number")).group_by(games.c.phase)
        is_overdue = and_(IS_WAITING, outbox.c.wanted_at <= now)
        overdue_query = select(func.count(), func.min(outbox.c.wanted_at)).select_from(outbox).where(is_overdue)
        count, oldest = (await self._connection.execute(overdue_query)).one()
        given_up_query = select(func.count()).select_from(outbox).where(outbox.c.problem.is_not(None))
        return BotStatistics(
            games_by_phase={row.phase: row.number for row in await self._connection.execute(phases)},
            waiting_messages=count,
            oldest_waiting_s=now - oldest if count else 0,
            undeliverable_messages=(await self._connection.execute(given_up_query)).scalar_one(),
        )

    async def has_waiting(self, game_id: int, kinds: Collection[str]) -> bool:
        """Return whether a game, or a battle of it, has messages of these kinds to send, or messages to delete."""
        game_ids = select(games.c.id).where(or_(games.c.id == game_id, games.c.parent_id == game_id))
        unsent_ids = select(outbox.c.id).where(outbox.c.game_id.in_(game_ids), outbox.c.kind.in_([*kinds]), IS_WAITING)
        removal_ids = select(removals.c.id).where(removals.c.game_id.in_(game_ids))
        return (await self._connection.execute(unsent_ids.union_all(removal_ids).limit(1))).first() is not None

    async def find(self, game_id: int, key: str) -> OutboxMessage | None:
        result = await self._connection.execute(
            select_rows(outbox, "game_id", "key"), match_values(game_id=game_id, key=key)
        )
        row = result.first()
        return message_from_row(row) if row else None

    async def find_by_id(self, row_id: int) -> OutboxMessage | None:
        row = (await self._connection.execute(select_rows(outbox, "id"), match_values(id=row_id))).first()
        return message_from_row(row) if row else None

    async def game_of_message(self, mark: int, message_id: int) -> int | None:
        query = select(outbox.c.game_id).where(outbox.c.mark == mark, outbox.c.message_id == message_id)
        game_id: int | None = (await self._connection.execute(query)).scalar()
        return game_id

    async def is_known(self, mark: int) -> bool:
        query = select(outbox.c.id).where(outbox.c.mark == mark).limit(1)
        return (await self._connection.execute(query)).scalar() is not None

    async def last_of_kind(self, game_id: int, kind: str) -> OutboxMessage | None:
        query = select(outbox).where(outbox.c.game_id == game_id, outbox.c.kind == kind)
        row = (await self._connection.execute(query.order_by(outbox.c.id.desc()).limit(1))).first()
        return message_from_row(row) if row else None

    async def of_game(self, game_id: int) -> list[OutboxMessage]:
        query = select_rows(outbox, "game_id", order=("id",))
        return [message_from_row(row) for row in await self._connection.execute(query, match_values(game_id=game_id))]

    async def of_kinds(self, game_id: int, kinds: Collection[str]) -> list[OutboxMessage]:
        rows = await self._connection.execute(_OF_KINDS, {"game": game_id, "kinds": [*kinds]})
        return [message_from_row(row) for row in rows]

    async def count_tries(self, messages: Collection[OutboxMessage]) -> set[int]:
        """Count a try of each message before it is made, and clear the fingerprint of its content.

        Returns the ids of the rows that may be tried. Rows whose shard another bot holds by now are left out.
        """
        await self.lock_games({message.game_id for message in messages})
        rows = {"rows": [message.id for message in messages]}
        if self._share is None:
            await self._connection.execute(_COUNT_TRIES, rows)
            return {*rows["rows"]}
        count_held = only_if_held(_COUNT_TRIES).returning(outbox.c.id)
        return {*(await self._connection.execute(count_held, rows | own_token_params(self._share))).scalars()}

    async def by_ids(self, ids: Collection[int]) -> dict[int, OutboxMessage]:
        """Return the messages by row id as they are stored now.

        Deleted rows and rows that another bot sends by now are left out.
        """
        query = _BY_IDS
        params: dict[str, Any] = {"rows": [*ids]}
        if self._share is not None:
            query = only_held_rows(_BY_IDS)
            params |= own_token_params(self._share)
        return {row.id: message_from_row(row) for row in await self._connection.execute(query, params)}

    async def record(self, messages: Collection[OutboxMessage]) -> None:
        """Store the results of deliveries; if several bots share the database, only for shards still held."""
        if messages:
            rows = [
                match_values(id=message.id) | {name: getattr(message, name) for name in _RECORDED_COLUMNS}
                for message in messages
            ]
            if self._share is None:
                await self._connection.execute(update_rows(outbox, "id"), rows)
                return
            token_params = own_token_params(self._share)
            for row in rows:  # a list of values stands for several, which cannot be given row by row
                await self._connection.execute(only_if_held(update_rows(outbox, "id")), row | token_params)

    async def mark_completed(self, messages: Collection[OutboxMessage], *, now: int) -> set[int]:
        """Make incomplete messages due now if they have not been requested again since they were read.

        Returns the ids of the changed rows.
        """
        await self.lock_games({message.game_id for message in messages})
        is_unchanged = or_(
            *(and_(outbox.c.id == message.id, outbox.c.wanted == message.wanted) for message in messages)
        )
        query = update(outbox).where(is_unchanged, outbox.c.message_id.is_not(None), IS_WAITING).values(due_at=now)
        return {*(await self._connection.execute(query.returning(outbox.c.id))).scalars()}

    async def note_shown_by_press(self, message: OutboxMessage, message_id: int) -> bool:
        """Mark a message as sent because a button press has shown its current content.

        Returns False if it was requested again since it was read, or is shown as another Discord message.
        """
        params = {"row": message.id, "message": message_id, "shown_revision": message.wanted}
        return (await self._connection.execute(_NOTE_SHOWN_BY_PRESS, params)).rowcount == 1

    async def forget_shown(self, game_id: int, message_id: int) -> None:
        is_shown_there = and_(outbox.c.game_id == game_id, outbox.c.message_id == message_id)
        await self._connection.execute(update(outbox).where(is_shown_there).values(shown=None))

    async def delete_untried(self, row_ids: Collection[int]) -> None:
        if row_ids:
            await self._connection.execute(outbox.delete().where(outbox.c.id.in_(row_ids)))

    async def change(self, row_id: int, **columns: Any) -> None:  # noqa: ANN401 - columns of `outbox`
        await self._connection.execute(update_rows(outbox, "id"), match_values(id=row_id) | columns)

    async def renew_shown(self, game_ids: Collection[int], *, now: int) -> None:
        """Edit all messages of games that Discord shows, at most `MAX_EDITS_PER_S` each second, newest first.

        The delay keeps room for new messages.
        """
        is_shown = and_(outbox.c.game_id.in_(game_ids), outbox.c.message_id.is_not(None))
        is_up_to_date = outbox.c.wanted == outbox.c.sent
        columns = {
            "wanted": outbox.c.wanted + 1,
            "wanted_at": case((and_(is_up_to_date, outbox.c.wanted_at < now), now), else_=outbox.c.wanted_at),
            "attempts": 0,
            "problem": None,
        }
        await self._connection.execute(update(outbox).where(is_shown).values(due_at=now, **columns))
        row_ids = (
            await self._connection.execute(select(outbox.c.id).where(is_shown).order_by(outbox.c.id.desc()))
        ).scalars()
        for second, batch in enumerate(_edit_batches([*row_ids])):
            if second:
                later = update(outbox).where(outbox.c.id.in_(batch))
                await self._connection.execute(later.values(due_at=now + second))


def _edit_batches(numbers: Sequence[int]) -> Iterator[Sequence[int]]:
    for begin in range(0, len(numbers), MAX_EDITS_PER_S):
        yield numbers[begin : begin + MAX_EDITS_PER_S]
