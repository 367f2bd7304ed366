"""What is asked of the database, within one transaction."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, TypeVar

import msgspec
from sqlalchemy import ColumnElement, Row, Select, String, and_, case, func, insert, or_, select, tuple_, update
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.pace import Pace
from bot.store.records import (
    ASIDE,
    ActRow,
    Answer,
    Cause,
    Game,
    Message,
    Player,
    RatingRow,
    RequestRow,
    Score,
    SeatRow,
    ServerRow,
    StepRow,
    Tally,
)
from bot.store.tables import acts, answers, games, outbox, players, ratings, requests, seats, servers, steps
from rules.protocol import Request, Setup

LONGEST_PAUSE: Final = 900
"""Seconds between two tries to send a message, at most."""

R = TypeVar("R")

_OPEN: Final = ("lobby", "running", "resolving")
"""Phases of games that are not over."""
_WAITING: Final = and_(outbox.c.wanted > outbox.c.sent, outbox.c.problem.is_(None))
"""Messages that Discord does not show yet as they should be; `ix_outbox_waiting` holds them and no others."""


def _json(value: msgspec.Struct) -> str:
    return msgspec.json.encode(value).decode()


def _record(row: Row[Any], of: type[R]) -> R:
    return of(**row._mapping)  # noqa: SLF001 - the public name of a row's mapping has the underscore


def _game(row: Row[Any]) -> Game:
    read = {"setup": msgspec.json.decode(row.setup, type=Setup), "pace": msgspec.json.decode(row.pace, type=Pace)}
    return Game(**{**row._mapping, **read})  # noqa: SLF001 - as above


def _request(row: Row[Any]) -> RequestRow:
    return RequestRow(**{**row._mapping, "body": msgspec.json.decode(row.body, type=Request)})  # noqa: SLF001 - as above


def _step(row: Row[Any]) -> StepRow:
    return StepRow(**{**row._mapping, "cause": msgspec.json.decode(row.cause, type=Cause)})  # noqa: SLF001 - as above


def _player(row: Row[Any]) -> Player:
    return Player(**{**row._mapping, "standing": msgspec.json.decode(row.standing)})  # noqa: SLF001 - as above


def _act(row: Row[Any]) -> ActRow:
    return ActRow(**{**row._mapping, "params": msgspec.json.decode(row.params)})  # noqa: SLF001 - as above


class Transaction:
    """Queries and changes that hold together."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    # --- games and seats ---------------------------------------------------------------------------------------

    async def add_game(self, *, setup: Setup, pace: Pace, **columns: Any) -> int:  # noqa: ANN401 - columns of `games`
        """Store a new game; returns its number."""
        result = await self._connection.execute(insert(games).values(setup=_json(setup), pace=_json(pace), **columns))
        key = result.inserted_primary_key
        assert key is not None  # noqa: S101 - every database here gives it
        return int(key[0])

    async def game(self, game_id: int) -> Game | None:
        """Find a game by its number."""
        row = (await self._connection.execute(select(games).where(games.c.id == game_id))).first()
        return _game(row) if row else None

    async def game_of_place(self, place_id: int) -> Game | None:
        """Find the game whose thread this is."""
        row = (await self._connection.execute(select(games).where(games.c.thread_id == place_id))).first()
        return _game(row) if row else None

    async def game_of_seed(self, seed: str) -> Game | None:
        """Find the game that was played with these dice."""
        row = (await self._connection.execute(select(games).where(games.c.seed == seed))).first()
        return _game(row) if row else None

    async def lobbies(self, channel_id: int) -> list[Game]:
        """Games of a channel that have not begun, newest first."""
        return await self.games_where(games.c.channel_id == channel_id, games.c.phase == "lobby", most=25)

    async def open_in(self, channel_id: int) -> list[Game]:
        """Games of a channel that are not over, newest first."""
        return await self.games_where(games.c.channel_id == channel_id, games.c.phase.in_(_OPEN), most=None)

    async def open_on(self, guild_id: int) -> list[Game]:
        """Games of a server that are not over, newest first."""
        return await self.games_where(games.c.guild_id == guild_id, games.c.phase.in_(_OPEN), most=None)

    async def servers_played_on(self) -> set[int]:
        """Servers with games that are not over. Every such game is looked at."""
        query = select(games.c.guild_id).where(games.c.phase.in_(_OPEN)).distinct()
        return set((await self._connection.execute(query)).scalars())

    async def games_where(self, *conditions: ColumnElement[bool], most: int | None = 100) -> list[Game]:
        """Games that meet conditions on the `games` table, newest first."""
        query = select(games).where(*conditions).order_by(games.c.id.desc()).limit(most)
        return [_game(row) for row in await self._connection.execute(query)]

    async def games_of(self, user_id: int, *, phases: Iterable[str] = ("lobby", "running", "resolving")) -> list[Game]:
        """Games in which somebody sits, newest first."""
        query = (
            select(games)
            .where(games.c.phase.in_(list(phases)))
            .where(games.c.id.in_(select(seats.c.game_id).where(seats.c.user_id == user_id)))
            .order_by(games.c.id.desc())
        )
        return [_game(row) for row in await self._connection.execute(query)]

    async def games_seeking(self, guild_id: int) -> list[Game]:
        """Running games of a server in which a seat is offered, newest first."""
        own = select(seats.c.seat).where(seats.c.game_id == games.c.id, ~seats.c.conceded)
        offered = own.where(seats.c.offered_at.is_not(None)).exists()
        running = games.c.phase.in_(["running", "resolving"])
        return await self.games_where(games.c.guild_id == guild_id, running, offered)

    async def change_game(self, game_id: int, **columns: Any) -> None:  # noqa: ANN401 - columns of `games`
        """Set columns of a game."""
        if isinstance(setup := columns.get("setup"), Setup):
            columns["setup"] = _json(setup)
        if isinstance(pace := columns.get("pace"), Pace):
            columns["pace"] = _json(pace)
        await self._connection.execute(update(games).where(games.c.id == game_id).values(**columns))

    async def claim(self, game: Game, *, now: int) -> Game | None:
        """Take a running game for resolving, by compare-and-set; None if somebody else was first."""
        taken = {"phase": "resolving", "version": game.version + 1, "claimed_at": now}
        query = update(games).where(games.c.id == game.id, games.c.version == game.version, games.c.phase == game.phase)
        result = await self._connection.execute(query.values(**taken))
        return msgspec.structs.replace(game, **taken) if result.rowcount == 1 else None

    async def next_deadline(self) -> int | None:
        """When the next running game's time is up."""
        # In this order, and no further, the index has it at once; a minimum would look at every game.
        query = select(games.c.deadline).where(games.c.phase == "running", games.c.deadline.is_not(None))
        query = query.where(games.c.paused_at.is_(None)).order_by(games.c.deadline).limit(1)
        due: int | None = (await self._connection.execute(query)).scalar()
        return due

    async def overdue_games(self, now: int) -> list[int]:
        """Numbers of running games whose time is up."""
        query = select(games.c.id).where(games.c.phase == "running", games.c.deadline <= now)
        return list((await self._connection.execute(query.where(games.c.paused_at.is_(None)))).scalars())

    async def unfinished_claims(self, *, older_than: int) -> list[Game]:
        """Games that were being resolved, since before a time, by a process that has died."""
        return await self.games_where(games.c.phase == "resolving", games.c.claimed_at <= older_than)

    async def ready_games(self, now: int) -> list[int]:
        """Numbers of running games whose time is up, from which nobody is missing, or that were offered something.

        Some may still have to wait: whoever goes on with them looks again. Every running game is looked at.
        """
        own = requests.c.game_id == games.c.id
        awaited = select(requests.c.id).where(own, requests.c.status == "open", ~requests.c.optional).exists()
        offered = select(requests.c.id).where(own, requests.c.status == "sealed", requests.c.optional).exists()
        hasty = or_(requests.c.body.contains('"live":true'), requests.c.body.contains('"sealed":false'))
        at_once = select(requests.c.id).where(own, requests.c.status == "sealed", hasty).exists()
        goes_on = and_(~awaited, or_(games.c.early, games.c.deadline.is_(None), at_once))
        query = select(games.c.id).where(games.c.phase == "running", games.c.paused_at.is_(None))
        query = query.where(or_(games.c.deadline <= now, goes_on, offered))
        return list((await self._connection.execute(query)).scalars())

    async def add_seat(self, **columns: Any) -> None:  # noqa: ANN401 - columns of `seats`
        """Store a seat."""
        await self._connection.execute(insert(seats).values(**columns))

    async def seats(self, game_id: int) -> list[SeatRow]:
        """All seats of a game, in order."""
        query = select(seats).where(seats.c.game_id == game_id).order_by(seats.c.seat)
        return [_record(row, SeatRow) for row in await self._connection.execute(query)]

    async def change_seat(self, game_id: int, seat: int, **columns: Any) -> None:  # noqa: ANN401 - columns of `seats`
        """Set columns of a seat."""
        query = update(seats).where(seats.c.game_id == game_id, seats.c.seat == seat)
        await self._connection.execute(query.values(**columns))

    # --- requests and answers ----------------------------------------------------------------------------------

    async def add_request(
        self, game_id: int, request: Request, *, step_no: int, now: int, deadline: int | None, status: str = "open"
    ) -> None:
        """Store what a seat is asked."""
        values = {
            "game_id": game_id,
            "id": request.id,
            "seat": request.seat,
            "body": _json(request),
            "step_no": step_no,
            "asked_at": now,
            "deadline": deadline,
            "optional": request.optional,
            "status": status,
            "draft": "",
            "version": 0,
        }
        await self._connection.execute(insert(requests).values(**values))

    async def request(self, game_id: int, request_id: str) -> RequestRow | None:
        """Find what was asked."""
        query = select(requests).where(requests.c.game_id == game_id, requests.c.id == request_id)
        row = (await self._connection.execute(query)).first()
        return _request(row) if row else None

    async def requests(self, game_id: int, *, step_no: int | None = None) -> list[RequestRow]:
        """What is asked and not yet resolved, by seat; or all that a certain step asked."""
        query = select(requests).where(requests.c.game_id == game_id).order_by(requests.c.seat, requests.c.id)
        query = query.where(requests.c.status != "closed" if step_no is None else requests.c.step_no == step_no)
        return [_request(row) for row in await self._connection.execute(query)]

    async def requests_since(self, game_id: int, step_no: int) -> list[RequestRow]:
        """All that was asked by a step and by those after it, in that order."""
        query = select(requests).where(requests.c.game_id == game_id, requests.c.step_no >= step_no)
        query = query.order_by(requests.c.step_no, requests.c.seat, requests.c.id)
        return [_request(row) for row in await self._connection.execute(query)]

    async def change_request(
        self,
        row: RequestRow,
        **columns: Any,  # noqa: ANN401 - columns of `requests`
    ) -> RequestRow | None:
        """Change a request as it was read, by compare-and-set on its version; None if it has changed since."""
        values = {"version": row.version + 1, **columns}
        query = update(requests).where(
            requests.c.game_id == row.game_id, requests.c.id == row.id, requests.c.version == row.version
        )
        result = await self._connection.execute(query.values(**values))
        return msgspec.structs.replace(row, **values) if result.rowcount == 1 else None

    async def put_aside(self, row: RequestRow, request_id: str) -> None:
        """Close a request for good and keep it, its answer and its private messages under another id."""
        same = (requests.c.game_id == row.game_id, requests.c.id == row.id)
        closed = {"id": request_id, "status": "closed", "version": row.version + 1}
        await self._connection.execute(update(requests).where(*same).values(**closed))
        own = (answers.c.game_id == row.game_id, answers.c.request_id == row.id)
        await self._connection.execute(update(answers).where(*own).values(request_id=request_id))
        shown = (outbox.c.game_id == row.game_id, outbox.c.ref == row.id, outbox.c.user_id.is_not(None))
        key = outbox.c.key.concat(ASIDE).concat(outbox.c.id.cast(String))
        kept = {"key": key, "ref": request_id, "wanted": outbox.c.wanted + 1, "attempts": 0}
        await self._connection.execute(update(outbox).where(*shown).values(**kept))

    async def add_answer(self, answer: Answer) -> None:
        """Store a sealed answer."""
        await self._connection.execute(insert(answers).values(**msgspec.structs.asdict(answer)))

    async def drop_answer(self, game_id: int, request_id: str) -> None:
        """Break a seal: the answer is forgotten."""
        query = answers.delete().where(answers.c.game_id == game_id, answers.c.request_id == request_id)
        await self._connection.execute(query)

    async def answers(self, game_id: int, request_ids: Sequence[str]) -> dict[str, Answer]:
        """Sealed answers to these requests, by request."""
        query = select(answers).where(answers.c.game_id == game_id, answers.c.request_id.in_(request_ids))
        rows = [_record(row, Answer) for row in await self._connection.execute(query)]
        return {row.request_id: row for row in rows}

    async def all_answers(self, game_id: int) -> dict[str, Answer]:
        """Everything sealed in a game, by request."""
        query = select(answers).where(answers.c.game_id == game_id).order_by(answers.c.request_id)
        return {row.request_id: _record(row, Answer) for row in await self._connection.execute(query)}

    # --- steps -------------------------------------------------------------------------------------------------

    async def add_step(self, step: StepRow) -> None:
        """Store what happened."""
        columns = {**msgspec.structs.asdict(step), "cause": _json(step.cause)}
        await self._connection.execute(insert(steps).values(**columns))

    async def step(self, game_id: int, no: int) -> StepRow | None:
        """Find a step."""
        query = select(steps).where(steps.c.game_id == game_id, steps.c.no == no)
        row = (await self._connection.execute(query)).first()
        return _step(row) if row else None

    async def causes(self, game_id: int) -> list[tuple[int, Cause]]:
        """Numbers of all steps of a game, in order, with what was put into each."""
        query = select(steps.c.no, steps.c.cause).where(steps.c.game_id == game_id).order_by(steps.c.no)
        rows = await self._connection.execute(query)
        return [(row.no, msgspec.json.decode(row.cause, type=Cause)) for row in rows]

    async def change_cause(self, game_id: int, no: int, cause: Cause) -> None:
        """Say otherwise what was put into a step, when its requests have got other ids."""
        query = update(steps).where(steps.c.game_id == game_id, steps.c.no == no)
        await self._connection.execute(query.values(cause=_json(cause)))

    async def rounds_asked(self, game_id: int) -> dict[str, int]:
        """The round of everything that a game has ever asked, by request."""
        query = select(requests.c.id, requests.c.body).where(requests.c.game_id == game_id)
        rows = await self._connection.execute(query)
        return {row.id: msgspec.json.decode(row.body, type=Request).round for row in rows}

    async def steps(self, game_id: int) -> list[StepRow]:
        """All steps of a game, in order."""
        query = select(steps).where(steps.c.game_id == game_id).order_by(steps.c.no)
        return [_step(row) for row in await self._connection.execute(query)]

    # --- messages ----------------------------------------------------------------------------------------------

    async def want(
        self, game_id: int, key: str, *, kind: str, now: int, ref: str = "", user_id: int | None = None
    ) -> None:
        """See to it that a message of this key shows how things stand, anew if it was sent before."""
        same = and_(outbox.c.game_id == game_id, outbox.c.key == key)
        # What may have arrived unheard is still looked for before it is sent, whatever it is to show by now.
        unheard = and_(outbox.c.message_id.is_(None), outbox.c.attempts > 0)
        renewed = await self._connection.execute(
            update(outbox)
            .where(same)
            .values(
                wanted=outbox.c.wanted + 1,
                wanted_at=case((_WAITING, outbox.c.wanted_at), else_=now),
                ref=ref,
                due_at=now,
                attempts=case((unheard, 1), else_=0),
                problem=None,
            )
        )
        if renewed.rowcount == 0:
            values = {"game_id": game_id, "key": key, "kind": kind, "ref": ref, "user_id": user_id, "due_at": now}
            await self._connection.execute(insert(outbox).values(wanted=1, sent=0, attempts=0, wanted_at=now, **values))

    async def unsent(self, *, now: int, most: int = 50) -> list[Message]:
        """Messages that must be sent or edited now, oldest first; none that would overtake one that is tried again."""
        before = outbox.alias()
        overtakes = (
            select(before.c.id)
            .where(before.c.game_id == outbox.c.game_id, before.c.user_id.is_not_distinct_from(outbox.c.user_id))
            .where(before.c.id < outbox.c.id, before.c.wanted > before.c.sent, before.c.problem.is_(None))
            # What is due later than a try can be is not tried again: it is wanted for later, and holds nothing up.
            .where(before.c.attempts > 0, before.c.due_at > now, before.c.due_at <= now + LONGEST_PAUSE)
            .exists()
        )
        query = select(outbox).where(_WAITING, outbox.c.due_at <= now, ~overtakes)
        # Sorted by what is no index, lest the database go through all messages that were ever sent to save the sorting.
        query = query.order_by(outbox.c.id + 0).limit(most)
        return [_record(row, Message) for row in await self._connection.execute(query)]

    async def next_unsent(self, *, after: int) -> int | None:
        """When the next message is due that waits for another try."""
        query = select(func.min(outbox.c.due_at)).where(_WAITING, outbox.c.due_at > after)
        due: int | None = (await self._connection.execute(query)).scalar()
        return due

    async def tally(self, *, now: int, jobs: int) -> Tally:
        """Count the games by phase, and the messages that wait or were given up."""
        phases = select(games.c.phase, func.count().label("number")).group_by(games.c.phase)
        due = and_(_WAITING, outbox.c.wanted_at <= now)
        waiting = select(func.count(), func.min(outbox.c.wanted_at)).select_from(outbox).where(due)
        count, since = (await self._connection.execute(waiting)).one()
        lost = select(func.count()).select_from(outbox).where(outbox.c.problem.is_not(None))
        return Tally(
            games={row.phase: row.number for row in await self._connection.execute(phases)},
            waiting=count,
            oldest_s=now - since if count else 0,
            given_up=(await self._connection.execute(lost)).scalar_one(),
            jobs=jobs,
        )

    async def message(self, game_id: int, key: str) -> Message | None:
        """Find a message by its key."""
        query = select(outbox).where(outbox.c.game_id == game_id, outbox.c.key == key)
        row = (await self._connection.execute(query)).first()
        return _record(row, Message) if row else None

    async def messages(self, game_id: int) -> list[Message]:
        """All messages of a game, in the order in which they were first wanted."""
        query = select(outbox).where(outbox.c.game_id == game_id).order_by(outbox.c.id)
        return [_record(row, Message) for row in await self._connection.execute(query)]

    async def messages_about(self, game_id: int, kind: str, refs: Sequence[str]) -> list[Message]:
        """Messages of a kind that are about these, oldest first."""
        query = select(outbox).where(outbox.c.game_id == game_id, outbox.c.kind == kind, outbox.c.ref.in_(refs))
        return [_record(row, Message) for row in await self._connection.execute(query.order_by(outbox.c.id))]

    async def drop_message(self, row_id: int) -> None:
        """Forget a message that was never tried."""
        await self._connection.execute(outbox.delete().where(outbox.c.id == row_id))

    async def change_message(self, row_id: int, **columns: Any) -> None:  # noqa: ANN401 - columns of `outbox`
        """Set columns of a message."""
        await self._connection.execute(update(outbox).where(outbox.c.id == row_id).values(**columns))

    # --- the audit log -----------------------------------------------------------------------------------------

    async def add_act(
        self,
        game: Game,
        kind: str,
        *,
        now: int,
        user_id: int | None = None,
        seat: int | None = None,
        params: Mapping[str, str | int] | None = None,
    ) -> int:
        """Store what somebody, or the bot itself, did beside the rules; returns its number."""
        held = select(seats.c.seat).where(seats.c.game_id == game.id, seats.c.user_id == user_id)
        by_seat = (await self._connection.execute(held)).scalar()
        columns = {"at": now, "step_no": game.step_no, "user_id": user_id, "by_seat": by_seat, "seat": seat}
        return await self.enter_act(game.id, kind, params or {}, **columns)

    async def enter_act(self, game_id: int, kind: str, params: Mapping[str, str | int], **columns: int | None) -> int:
        """Enter what was done into a game's audit log, with all columns of `acts` as they are given."""
        values = {"game_id": game_id, "kind": kind, "params": msgspec.json.encode(params).decode(), **columns}
        key = (await self._connection.execute(insert(acts).values(**values))).inserted_primary_key
        assert key is not None  # noqa: S101 - every database here gives it
        return int(key[0])

    async def acts(self, game_id: int) -> list[ActRow]:
        """The audit log of a game, oldest first."""
        query = select(acts).where(acts.c.game_id == game_id).order_by(acts.c.id)
        return [_act(row) for row in await self._connection.execute(query)]

    async def act(self, act_id: int) -> ActRow | None:
        """Find an entry of an audit log."""
        row = (await self._connection.execute(select(acts).where(acts.c.id == act_id))).first()
        return _act(row) if row else None

    # --- servers -----------------------------------------------------------------------------------------------

    async def server(self, guild_id: int) -> ServerRow:
        """What a server's managers have settled; as every server begins if that is nothing."""
        row = (await self._connection.execute(select(servers).where(servers.c.guild_id == guild_id))).first()
        if row is None:
            return ServerRow(guild_id=guild_id)
        channels = msgspec.json.decode(row.channels, type=tuple[int, ...])
        return ServerRow(**{**row._mapping, "channels": channels})  # noqa: SLF001 - as above

    async def keep_server(self, server: ServerRow) -> None:
        """Store a server's settings."""
        columns = {**msgspec.structs.asdict(server), "channels": msgspec.json.encode(server.channels).decode()}
        known = servers.c.guild_id == server.guild_id
        changed = await self._connection.execute(update(servers).where(known).values(**columns))
        if changed.rowcount == 0:
            await self._connection.execute(insert(servers).values(**columns))

    async def open_games(self, guild_id: int) -> int:
        """How many games of a server have not ended."""
        running = games.c.phase.in_(["lobby", "running", "resolving"])
        query = select(func.count()).select_from(games).where(games.c.guild_id == guild_id, running)
        return int((await self._connection.execute(query)).scalar_one())

    # --- players -----------------------------------------------------------------------------------------------

    async def know(self, player: Player) -> None:
        """Remember a player's name and language."""
        values = {"name": player.name, "locale": player.locale}
        known = players.c.user_id == player.user_id
        result = await self._connection.execute(update(players).where(known).values(**values))
        if result.rowcount == 0:
            await self._connection.execute(insert(players).values(user_id=player.user_id, **values))

    async def players(self, user_ids: Iterable[int]) -> dict[int, Player]:
        """Players by user id; unknown ones are left out."""
        query = select(players).where(players.c.user_id.in_(list(user_ids)))
        rows = [_player(row) for row in await self._connection.execute(query)]
        return {row.user_id: row for row in rows}

    async def change_player(self, user_id: int, **columns: Any) -> None:  # noqa: ANN401 - columns of `players`
        """Set columns of a player."""
        if isinstance(standing := columns.get("standing"), dict):
            columns["standing"] = msgspec.json.encode(standing).decode()
        await self._connection.execute(update(players).where(players.c.user_id == user_id).values(**columns))

    async def open_requests_of(self, user_id: int) -> list[RequestRow]:
        """Everything that somebody is asked just now in all his games."""
        query = (
            select(requests)
            .join(seats, and_(seats.c.game_id == requests.c.game_id, seats.c.seat == requests.c.seat))
            .where(seats.c.user_id == user_id, or_(requests.c.status == "open", requests.c.status == "sealed"))
            .order_by(requests.c.game_id, requests.c.id)
        )
        return [_request(row) for row in await self._connection.execute(query)]

    # --- ratings -----------------------------------------------------------------------------------------------

    async def add_rating(self, row: RatingRow) -> None:
        """Store what a game has made of a player."""
        await self._connection.execute(insert(ratings).values(**msgspec.structs.asdict(row)))

    async def last_ratings(
        self, system: str, user_ids: Iterable[int], *, before: int | None = None
    ) -> dict[int, RatingRow]:
        """The newest ratings of players in a system, or those of before a time; newcomers are left out."""
        query = select(ratings).where(ratings.c.system == system, ratings.c.user_id.in_(list(user_ids)))
        query = query if before is None else query.where(ratings.c.rated_at < before)
        rows = await self._connection.execute(query.order_by(ratings.c.rated_at))
        return {row.user_id: _record(row, RatingRow) for row in rows}

    async def ratings_in(self, game_id: int) -> list[RatingRow]:
        """What a game has made of its players, by seat."""
        query = select(ratings).where(ratings.c.game_id == game_id).order_by(ratings.c.seat)
        return [_record(row, RatingRow) for row in await self._connection.execute(query)]

    async def ratings_of(self, user_id: int) -> list[RatingRow]:
        """What all finished games have made of a player, oldest first."""
        query = select(ratings).where(ratings.c.user_id == user_id).order_by(ratings.c.rated_at)
        return [_record(row, RatingRow) for row in await self._connection.execute(query)]

    async def scores(self, *, guild_id: int | None = None, user_id: int | None = None) -> list[Score]:
        """Players who have finished rated games, by system; of a server those who have finished one there."""
        rated = select(ratings.c.system, ratings.c.user_id).join(games, games.c.id == ratings.c.game_id)
        rated = rated.where(games.c.rated)
        who = tuple_(ratings.c.system, ratings.c.user_id)
        ended = ("won", "lost", "drawn")
        sums = [func.sum(case((ratings.c.outcome == one, 1), else_=0)).label(one) for one in ended]
        query = rated.add_columns(func.max(ratings.c.rated_at).label("last"), *sums)
        if guild_id is not None:
            query = query.where(who.in_(rated.where(games.c.guild_id == guild_id)))
        if user_id is not None:
            query = query.where(ratings.c.user_id == user_id)
        total = query.group_by(ratings.c.system, ratings.c.user_id).subquery()
        newest = and_(
            ratings.c.system == total.c.system,
            ratings.c.user_id == total.c.user_id,
            ratings.c.rated_at == total.c.last,
        )
        columns: list[Any] = [total.c[key] for key in ("system", "user_id", *ended)]
        found: Select[Any] = select(*columns, ratings.c.mu, ratings.c.sigma, players.c.name)
        found = found.join(ratings, newest).join(players, players.c.user_id == total.c.user_id)
        return [_record(row, Score) for row in await self._connection.execute(found)]
