"""Messages that Discord is to show."""

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
"""Seconds between two tries to send a message, at most."""
SLOW_RETRY_PAUSE_S: Final = 3_600
"""Seconds between two tries of one that nothing waits for any more."""
MAX_TRIES_IN_ORDER: Final = 12
"""Tries of a message that cannot be made, or is refused for an unknown reason, before others overtake it."""

EDIT_INTERVAL_S: Final = 3
"""Seconds between two edits of one message, by us: what changes meanwhile is shown together by the second.

Two captains who seal together, or a captain who joins and leaves, change it as quickly; nobody reads quicker than so,
and Discord takes five edits in five seconds in one channel.
"""

TURN_EDIT_INTERVAL_S: Final = 60
"""The same while one captain acts again and again: those who can do nothing but watch see it a little later, together.
What follows, such as the next captain's turn, ends the pause."""

MAX_EDITS_PER_S: Final = 5
"""Messages that are made again in a second, for names that have gone: a tenth of what Discord lets a bot do."""

MIN_MARK: Final = 1_000_000
"""The least mark of a message; Discord numbers the parts of a message from 1."""
_MAX_MARK: Final = 2**31 - 1
"""The greatest that Discord takes."""

IS_WAITING: Final = and_(outbox.c.wanted > outbox.c.sent, outbox.c.problem.is_(None))
"""Messages that Discord does not show yet as they should be; `ix_outbox_waiting` holds them and no others."""


RETIRED_KEY: Final = outbox.c.kind.concat(SET_ASIDE_MARK).concat(outbox.c.id.cast(String))
"""The key of a message that is used no more for what is wanted: no subject has it."""


class MessageRequest(Struct, frozen=True):
    """That a message shows how things stand."""

    subject: MessageSubject
    due_at: int
    """From when, in Unix seconds."""
    user_id: int | None = None
    """Whose direct messages it goes to; None: the game's thread or channel."""
    is_patient: bool = False
    """Whether an edit that already waits for later is not hastened."""
    is_slow: bool = False
    """Whether edits pause for `TURN_EDIT_INTERVAL_S`."""


def _renewed_columns(
    at: ColumnElement[int] | int, *, patient: ColumnElement[bool] | bool, slow: ColumnElement[bool] | None = None
) -> dict[str, Any]:
    """The columns of a message that is wanted again from a time on."""
    pause = EDIT_INTERVAL_S if slow is None else case((slow, TURN_EDIT_INTERVAL_S), else_=EDIT_INTERVAL_S)
    # What may have arrived unheard is still looked for before it is sent, whatever it is to show by now.
    unheard = and_(outbox.c.message_id.is_(None), outbox.c.attempts > 0)
    there = outbox.c.message_id.is_not(None)
    after_pause = and_(there, outbox.c.edited_at > at - pause)
    due_at: ColumnElement[int] = case((after_pause, outbox.c.edited_at + pause), else_=at)
    if patient is not False:
        waits = and_(
            true() if patient is True else patient, IS_WAITING, there, outbox.c.attempts == 0, outbox.c.due_at > at
        )
        due_at = case((waits, outbox.c.due_at), else_=due_at)
    return {
        "wanted": outbox.c.wanted + 1,
        # Never earlier than before: by it Discord tells a message from one that was sent in its place.
        "wanted_at": case((or_(IS_WAITING, outbox.c.wanted_at > at), outbox.c.wanted_at), else_=at),
        "due_at": due_at,
        "attempts": case((unheard, 1), else_=0),
        "problem": None,
    }


# Statements that are carried out again and again are built once: to build them takes longer than to carry them out.

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
_RECORDED_COLUMNS: Final = ("sent", "channel_id", "message_id", "attempts", "due_at", "problem", "shown", "edited_at")


@cache
def _renew_statement(column: Literal["id", "key"], *, patient: bool) -> Update:
    """`MessageQueries.renew` for messages that hold one of certain values there, built once."""
    anew = _renewed_columns(bindparam("now", type_=BigInteger), patient=patient)
    those = outbox.c[column].in_(bindparam("those", expanding=True))
    query = update(outbox).where(outbox.c.game_id == bindparam("game"), those)
    return query.values(anew).returning(outbox.c.due_at)


_IS_EDIT_PAUSE: Final = (outbox.c.due_at - outbox.c.edited_at).in_((EDIT_INTERVAL_S, TURN_EDIT_INTERVAL_S))
"""Edits that wait only for the end of their pause."""
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
        outbox.c.wanted == bindparam("read"),
    )
    .values(sent=outbox.c.wanted, shown=None)
)


@cache
def _unsent_query(*, but: bool, busy: bool, shared: bool) -> Select[Any]:
    """`MessageQueries.unsent` with or without these conditions."""
    before, now, late = outbox.alias(), bindparam("now", type_=BigInteger), bindparam("late", type_=BigInteger)
    overtakes = (
        select(before.c.id)
        .where(before.c.game_id == outbox.c.game_id, before.c.user_id.is_not_distinct_from(outbox.c.user_id))
        .where(before.c.kind.in_(CHANNEL_KINDS) == outbox.c.kind.in_(CHANNEL_KINDS))
        .where(before.c.id < outbox.c.id, before.c.wanted > before.c.sent, before.c.problem.is_(None))
        # What is due later than a try can be is not tried again: it is wanted for later, and holds nothing up.
        .where(before.c.attempts.between(1, MAX_TRIES_IN_ORDER - 1))
        .where(before.c.due_at > now, before.c.due_at <= late)
        .exists()
    )
    query = select(outbox).where(IS_WAITING, outbox.c.due_at <= now, ~overtakes)
    if but:
        others = select(games.c.id).where(games.c.system.in_(bindparam("but", expanding=True)))
        query = query.where(outbox.c.game_id.not_in(others))
    if busy:
        query = query.where(outbox.c.game_id.not_in(bindparam("busy", expanding=True)))
    if shared:
        query = query.where(is_about_own_game(outbox.c.game_id))
    # Sorted by what is no index: else the database goes through all messages ever sent, to save the sorting.
    return query.order_by(outbox.c.id + 0).limit(bindparam("most", type_=Integer))


@cache
def _upsert_requests(dialect: str, count: int) -> Insert:
    """Wants so many messages: makes them, or makes them again; returns them."""
    given = ("mark", "game_id", "key", "kind", "ref", "user_id", "due_at", "wanted_at")
    rows: list[dict[str, Any]] = [
        {"wanted": 1, "sent": 0, "attempts": 0}
        | {column: bindparam(f"{column}_of_{number}", type_=outbox.c[column].type) for column in given}
        for number in range(count)
    ]
    if dialect != "sqlite":  # there a number is taken before it is known whether the row is there, and is lost if it is
        for number, row in enumerate(rows):
            row["id"] = _existing_or_next_id(number)
    # What SQLAlchemy compiles it keeps for a single row, and for no list, be it of one.
    new = (sqlite if dialect == "sqlite" else postgresql).insert(outbox).values(rows if count > 1 else rows[0])
    patient = outbox.c.key.in_(bindparam("patient", expanding=True, type_=String))
    slow = outbox.c.key.in_(bindparam("slow", expanding=True, type_=String))
    anew = _renewed_columns(new.excluded.due_at, patient=patient, slow=slow)
    renewed = new.on_conflict_do_update(index_elements=["game_id", "key"], set_={"ref": new.excluded.ref, **anew})
    return renewed.returning(outbox)  # type: ignore[no-any-return]  # two dialects, one interface


def _existing_or_next_id(number: int) -> ColumnElement[int]:
    """The number of the row of a message that is there already; else one that no other has had."""
    there = outbox.alias()
    own = select(there.c.id).where(
        there.c.game_id == bindparam(f"game_id_of_{number}", type_=Integer),
        there.c.key == bindparam(f"key_of_{number}", type_=String),
    )
    return func.coalesce(own.scalar_subquery(), func.nextval(literal_column("'outbox_id_seq'")))


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
    """Return the number by which Discord is to know a message. Everyone who sees the message can read it.

    Numbers of rows would count what is shown to others alone, such as reminders.
    """
    return MIN_MARK + secrets.randbelow(_MAX_MARK - MIN_MARK + 1)


class MessageQueries(QueryGroup):
    """Queries and changes of the outbox."""

    async def request(
        self, game_id: int, subject: MessageSubject, *, now: int, user_id: int | None = None, patient: bool = False
    ) -> OutboxMessage:
        """See to it that a message shows how things stand, again if it was sent before; as it is wanted now.

        It is edited at once, or when `EDIT_INTERVAL_S` after its last edit is over. Where `patient`, an edit that
        already waits for later is not hastened.
        """
        (message,) = await self.request_all(game_id, [MessageRequest(subject, now, user_id, patient)], now=now)
        return message

    async def request_all(self, game_id: int, wishes: Sequence[MessageRequest], *, now: int) -> list[OutboxMessage]:
        """Want several messages of a game, each from its own time on; returns them in the order of the wishes."""
        some = {wish.subject.key: wish for wish in wishes}
        if not some:
            return []
        await self.lock_game(game_id)
        values: dict[str, Any] = {"patient": [key for key, wish in some.items() if wish.is_patient]}
        values["slow"] = [key for key, wish in some.items() if wish.is_slow]
        for number, (key, wish) in enumerate(some.items()):
            given = {"game_id": game_id, "key": key, "kind": wish.subject.kind, "ref": to_column(wish.subject)}
            given |= {"mark": new_mark(), "user_id": wish.user_id, "due_at": wish.due_at, "wanted_at": wish.due_at}
            values |= {f"{column}_of_{number}": value for column, value in given.items()}
        rows = await self._connection.execute(_upsert_requests(self._connection.dialect.name, len(some)), values)
        found = {row.key: message_from_row(row) for row in rows}
        new = {message.user_id for message in found.values() if message.wanted == 1 and message.due_at <= now}
        if new:
            await self._order_after_edits(game_id, new, now=now)
        return [found[wish.subject.key] for wish in wishes]

    async def renew(self, game_id: int, *which: ColumnElement[bool], now: int, patient: bool = False) -> list[int]:
        """Make the messages of a game again that meet conditions on the `outbox` table, whatever they show by now.

        Returns from when on each is due, in Unix seconds.
        """
        query = update(outbox).where(outbox.c.game_id == game_id, *which)
        renewed = query.values(_renewed_columns(now, patient=patient)).returning(outbox.c.due_at)
        return [*(await self._connection.execute(renewed)).scalars()]

    async def renew_all(self, messages: Collection[OutboxMessage], *, now: int, patient: bool = False) -> None:
        """Make these messages again, whatever they show by now."""
        for game_id in {message.game_id for message in messages}:
            ids = [message.id for message in messages if message.game_id == game_id]
            await self._renew_by("id", game_id, ids, now=now, patient=patient)

    async def renew_keys(self, game_id: int, keys: Collection[str], *, now: int, patient: bool = False) -> list[int]:
        """Make the messages of these keys again, as far as there are any. Returns when each is due, in Unix seconds."""
        return await self._renew_by("key", game_id, [*keys], now=now, patient=patient) if keys else []

    async def _renew_by(
        self, column: Literal["id", "key"], game_id: int, those: Sequence[int | str], *, now: int, patient: bool
    ) -> list[int]:
        given = {"game": game_id, "now": now, "those": those}
        return [*(await self._connection.execute(_renew_statement(column, patient=patient), given)).scalars()]

    async def cancel(self, messages: Collection[OutboxMessage]) -> None:
        """Show nothing more in the place of these messages."""
        if messages:
            query = update(outbox).where(outbox.c.id.in_([message.id for message in messages]))
            await self._connection.execute(query.values(sent=outbox.c.wanted))

    async def repost(self, messages: Collection[OutboxMessage]) -> None:
        """Send these messages again when they are next wanted, wherever they stand by now."""
        if messages:
            query = update(outbox).where(outbox.c.id.in_([message.id for message in messages]))
            # To Discord it is another message.
            await self._connection.execute(query.values(message_id=None, attempts=0, wanted_at=outbox.c.wanted_at + 1))

    async def retire(self, messages: Collection[OutboxMessage]) -> None:
        """Use these messages no more for what is wanted under their keys from now on."""
        if messages:
            query = update(outbox).where(outbox.c.id.in_([message.id for message in messages]))
            await self._connection.execute(query.values(key=RETIRED_KEY))

    async def rename_request(self, game_id: int, request: str, request_id: str) -> None:
        """Make the private messages about a request again, which has another id from now on."""
        for message in await self.of_kinds(game_id, REQUEST_KINDS):
            subject = message.subject
            if isinstance(subject, RequestSubject) and subject.request == request:
                ref = to_column(structs.replace(subject, request=request_id))
                anew = {"key": RETIRED_KEY, "ref": ref, "wanted": outbox.c.wanted + 1, "attempts": 0}
                await self._connection.execute(update(outbox).where(outbox.c.id == message.id).values(anew))

    async def change_subject(self, message: OutboxMessage, subject: MessageSubject) -> None:
        """Let a message be about something else, without making it again."""
        query = update(outbox).where(outbox.c.id == message.id)
        await self._connection.execute(query.values(key=subject.key, ref=to_column(subject)))

    async def _order_after_edits(self, game_id: int, users: Collection[int | None], *, now: int) -> None:
        """What follows to places of a game is read after the edits that pause there: they come before it."""
        there = {"users": [*{*users} - {None}], "to_all": None in users}
        await self._connection.execute(_EDITS_FIRST, {"game": game_id, "now": now, **there})

    async def unsent(
        self, *, now: int, most: int = 50, but: Collection[str] = (), busy: Collection[int] = ()
    ) -> list[OutboxMessage]:
        """Messages that must be sent or edited now, oldest first; none that would overtake one that is tried again.

        Nothing of games of some kinds, `but` which all are sent, nor of those, by id, that are `busy` being told. Where
        several bots play, only what is ours to send.
        """
        query = _unsent_query(but=bool(but), busy=bool(busy), shared=self._share is not None)
        ours = own_shard_params(self._share) if self._share else {}
        left_out = {"but": [*but]} if but else {}
        engaged = {"busy": [*busy]} if busy else {}
        found = await self._connection.execute(
            query, {"now": now, "late": now + MAX_RETRY_PAUSE_S, "most": most, **left_out, **engaged, **ours}
        )
        return [message_from_row(row) for row in found]

    async def make_public_due(self, *, now: int, guild_id: int | None = None, game_id: int | None = None) -> None:
        """Let no message to all wait any longer that is not shown yet, be it of a server or of one game."""
        told = games.c.guild_id == guild_id if game_id is None else games.c.id == game_id
        there = outbox.c.game_id.in_(select(games.c.id).where(told))
        late = and_(IS_WAITING, outbox.c.due_at > now, outbox.c.user_id.is_(None), there)
        await self._connection.execute(update(outbox).where(late).values(due_at=now))

    async def retry_waiting(self, *, now: int) -> None:
        """Let nothing wait any longer that was tried, or stands there and lacks something.

        What is wanted for later still is.
        """
        soon = or_(outbox.c.due_at <= now + MAX_RETRY_PAUSE_S, outbox.c.attempts >= MAX_TRIES_IN_ORDER)
        begun = or_(outbox.c.attempts > 0, outbox.c.message_id.is_not(None))
        tried = and_(IS_WAITING, begun, outbox.c.due_at > now, soon)
        await self._connection.execute(update(outbox).where(tried).values(due_at=now))

    async def next_paused_edit(self, *, after: int) -> int | None:
        """When the next edit is due that only waits for the end of its pause."""
        due: int | None = (await self._connection.execute(_NEXT_PAUSED_EDIT, {"after": after})).scalar()
        return due

    async def count_statistics(self, *, now: int) -> BotStatistics:
        """Count the games by phase, and the messages that wait or were given up."""
        phases = select(games.c.phase, func.count().label("number")).group_by(games.c.phase)
        due = and_(IS_WAITING, outbox.c.wanted_at <= now)
        waiting = select(func.count(), func.min(outbox.c.wanted_at)).select_from(outbox).where(due)
        count, since = (await self._connection.execute(waiting)).one()
        lost = select(func.count()).select_from(outbox).where(outbox.c.problem.is_not(None))
        return BotStatistics(
            games_by_phase={row.phase: row.number for row in await self._connection.execute(phases)},
            waiting_messages=count,
            oldest_waiting_s=now - since if count else 0,
            undeliverable_messages=(await self._connection.execute(lost)).scalar_one(),
        )

    async def has_waiting(self, game_id: int, kinds: Collection[str]) -> bool:
        """Return whether a game, or a battle of it, has messages of these kinds to send, or messages to delete."""
        those = select(games.c.id).where(or_(games.c.id == game_id, games.c.parent_id == game_id))
        unsent = select(outbox.c.id).where(outbox.c.game_id.in_(those), outbox.c.kind.in_([*kinds]), IS_WAITING)
        leaving = select(removals.c.id).where(removals.c.game_id.in_(those))
        return (await self._connection.execute(unsent.union_all(leaving).limit(1))).first() is not None

    async def find(self, game_id: int, key: str) -> OutboxMessage | None:
        """The message of a game with this key; None if there is none."""
        found = await self._connection.execute(
            select_rows(outbox, "game_id", "key"), match_values(game_id=game_id, key=key)
        )
        row = found.first()
        return message_from_row(row) if row else None

    async def find_by_id(self, row_id: int) -> OutboxMessage | None:
        """The message of a row, whatever it is about by now; None if the row has gone."""
        row = (await self._connection.execute(select_rows(outbox, "id"), match_values(id=row_id))).first()
        return message_from_row(row) if row else None

    async def game_of_message(self, mark: int, message_id: int) -> int | None:
        """The number of the game of a row by its mark, if Discord shows it in this message; None otherwise."""
        query = select(outbox.c.game_id).where(outbox.c.mark == mark, outbox.c.message_id == message_id)
        found: int | None = (await self._connection.execute(query)).scalar()
        return found

    async def last_of_kind(self, game_id: int, kind: str) -> OutboxMessage | None:
        """The message of a kind that was first wanted last; None if none was."""
        query = select(outbox).where(outbox.c.game_id == game_id, outbox.c.kind == kind)
        row = (await self._connection.execute(query.order_by(outbox.c.id.desc()).limit(1))).first()
        return message_from_row(row) if row else None

    async def of_game(self, game_id: int) -> list[OutboxMessage]:
        """All messages of a game, in the order in which they were first wanted."""
        query = select_rows(outbox, "game_id", order=("id",))
        return [message_from_row(row) for row in await self._connection.execute(query, match_values(game_id=game_id))]

    async def shown_to_users(self, game_id: int, users: Collection[int], kinds: Collection[str]) -> list[OutboxMessage]:
        """Messages of these kinds that Discord shows to these people about a game, in the order of their first wish."""
        his = and_(outbox.c.user_id.in_(users), outbox.c.kind.in_(kinds), outbox.c.message_id.is_not(None))
        query = select(outbox).where(outbox.c.game_id == game_id, his).order_by(outbox.c.id)
        return [message_from_row(row) for row in await self._connection.execute(query)]

    async def of_kinds(self, game_id: int, kinds: Collection[str]) -> list[OutboxMessage]:
        """Messages of these kinds, in the order in which they were first wanted."""
        found = await self._connection.execute(_OF_KINDS, {"game": game_id, "kinds": [*kinds]})
        return [message_from_row(row) for row in found]

    async def count_tries(self, messages: Collection[OutboxMessage]) -> set[int]:
        """Count a try of each of these before it is made: what a message shows after one is not known.

        Returns the numbers of the rows that may be tried: all, unless their shard is another bot's by now.
        """
        await self._lock_games_of(messages)
        rows = {"rows": [message.id for message in messages]}
        if self._share is None:
            await self._connection.execute(_COUNT_TRIES, rows)
            return {*rows["rows"]}
        tried = only_if_held(_COUNT_TRIES).returning(outbox.c.id)
        return {*(await self._connection.execute(tried, rows | own_token_params(self._share))).scalars()}

    async def _lock_games_of(self, messages: Collection[OutboxMessage]) -> None:
        """Hold the games of several messages that are changed: nobody else changes them in another order."""
        for game_id in sorted({message.game_id for message in messages}):
            await self.lock_game(game_id)

    async def by_ids(self, ids: Collection[int]) -> dict[int, OutboxMessage]:
        """Messages by their rows' numbers, as they are wanted now; those that nobody wants any more are left out.

        So are those that another bot sends by now: what has become of them is for it to find out.
        """
        query, ours = _BY_IDS, {}
        if self._share is not None:
            query, ours = only_held_rows(_BY_IDS), own_token_params(self._share)
        return {
            row.id: message_from_row(row) for row in await self._connection.execute(query, {"rows": [*ids], **ours})
        }

    async def record(self, messages: Collection[OutboxMessage]) -> None:
        """Store where these messages are now, what they show, and how they were tried; not if they are ours no more."""
        if messages:
            rows = [
                match_values(id=one.id) | {name: getattr(one, name) for name in _RECORDED_COLUMNS} for one in messages
            ]
            if self._share is None:
                await self._connection.execute(update_rows(outbox, "id"), rows)
                return
            ours = own_token_params(self._share)
            for row in rows:  # a list of values stands for several, which cannot be given row by row
                await self._connection.execute(only_if_held(update_rows(outbox, "id")), row | ours)

    async def mark_completed(self, messages: Collection[OutboxMessage], *, now: int) -> set[int]:
        """What these messages lacked is made: those that are still wanted as they were when we read them are due now.

        Returns the numbers of their rows.
        """
        await self._lock_games_of(messages)
        same = or_(*(and_(outbox.c.id == one.id, outbox.c.wanted == one.wanted) for one in messages))
        lacking = update(outbox).where(same, outbox.c.message_id.is_not(None), IS_WAITING).values(due_at=now)
        return {*(await self._connection.execute(lacking.returning(outbox.c.id))).scalars()}

    async def note_shown_by_press(self, message: OutboxMessage, message_id: int) -> bool:
        """A press has shown all that was wanted of a message when we read it; whether it is that, and nothing newer."""
        as_read = {"row": message.id, "message": message_id, "read": message.wanted}
        return (await self._connection.execute(_NOTE_SHOWN_BY_PRESS, as_read)).rowcount == 1

    async def forget_shown(self, game_id: int, message_id: int) -> None:
        """A press has shown something in a message: what the outbox last showed there is seen no more."""
        there = and_(outbox.c.game_id == game_id, outbox.c.message_id == message_id)
        await self._connection.execute(update(outbox).where(there).values(shown=None))

    async def delete_untried(self, row_ids: Collection[int]) -> None:
        """Forget messages that were never tried."""
        if row_ids:
            await self._connection.execute(outbox.delete().where(outbox.c.id.in_(row_ids)))

    async def change(self, row_id: int, **columns: Any) -> None:  # noqa: ANN401 - columns of `outbox`
        """Set columns of a message."""
        await self._connection.execute(update_rows(outbox, "id"), match_values(id=row_id) | columns)

    async def renew_shown(self, game_ids: Collection[int], *, now: int) -> None:
        """Make all messages of games that Discord shows again, from what is stored now: a few a second.

        So nobody's new messages wait for them.
        """
        told = and_(outbox.c.game_id.in_(game_ids), outbox.c.message_id.is_not(None))
        settled = outbox.c.wanted == outbox.c.sent
        anew = {
            "wanted": outbox.c.wanted + 1,
            "wanted_at": case((and_(settled, outbox.c.wanted_at < now), now), else_=outbox.c.wanted_at),
            "attempts": 0,
            "problem": None,
        }
        await self._connection.execute(update(outbox).where(told).values(due_at=now, **anew))
        found = (await self._connection.execute(select(outbox.c.id).where(told).order_by(outbox.c.id.desc()))).scalars()
        for second, several in enumerate(_edit_batches([*found])):
            if second:
                later = update(outbox).where(outbox.c.id.in_(several))
                await self._connection.execute(later.values(due_at=now + second))


def _edit_batches(numbers: Sequence[int]) -> Iterator[Sequence[int]]:
    """Batches of as many as are made again in one second."""
    for begin in range(0, len(numbers), MAX_EDITS_PER_S):
        yield numbers[begin : begin + MAX_EDITS_PER_S]
