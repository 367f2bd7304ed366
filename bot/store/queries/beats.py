"""Query and store beats, the times when captains of a shard could last act (see `bot.lifecycle.process.gaps`)."""

from __future__ import annotations

from typing import Final

from sqlalchemy import and_, case, delete, insert, literal_column, or_, select, update

from bot.store.models.tables import beats, games, host_requests, outbox, removals
from bot.store.queries.base import QueryGroup

SINGLE_SHARD: Final = 1


class BeatQueries(QueryGroup):
    @property
    def _shard_count(self) -> int:
        return SINGLE_SHARD if self._share is None else self._share.shard_count

    def shard_of(self, guild_id: int) -> int:
        # Discord's formula: the number above the lowest 22 bits is the time at which the server was created.
        return (guild_id >> 22) % self._shard_count

    async def all_beats(self) -> dict[int, int]:
        query = select(beats.c.shard, beats.c.at).where(beats.c.shards == self._shard_count)
        return {row.shard: row.at for row in await self._connection.execute(query)}

    async def create_missing(self, now: int) -> None:
        """Store a beat of each new shard: the latest of all, or `now`. Delete beats of another number of shards."""
        rows_before = (await self._connection.execute(select(beats.c.shards, beats.c.shard, beats.c.at))).all()
        last = max((row.at for row in rows_before), default=now)
        known_shards = {row.shard for row in rows_before if row.shards == self._shard_count}
        missing_shards = [shard for shard in range(self._shard_count) if shard not in known_shards]
        if missing_shards:
            new_rows = [{"shards": self._shard_count, "shard": shard, "at": last} for shard in missing_shards]
            await self._connection.execute(insert(beats), new_rows)
        is_of_other_shard_count = or_(beats.c.shards != self._shard_count, beats.c.shard >= self._shard_count)
        await self._connection.execute(delete(beats).where(is_of_other_shard_count))

    async def set_back(self, shard: int, *, now: int, by: int) -> None:
        """Correct due times of a shard's messages and host requests after the clock was set back by `by` seconds.

        Reminders are left out, because they are scheduled again with the deadlines.
        """
        its_games = select(games.c.id).where(
            games.c.guild_id.op(">>")(literal_column("22")) % self._shard_count == shard
        )
        due_later = and_(outbox.c.game_id.in_(its_games), outbox.c.kind != "remind", outbox.c.due_at > now)
        earlier = case((outbox.c.due_at - by > now, outbox.c.due_at - by), else_=now)
        await self._connection.execute(update(outbox).where(due_later).values(due_at=earlier))
        edited_later = and_(outbox.c.game_id.in_(its_games), outbox.c.edited_at > now)
        await self._connection.execute(update(outbox).where(edited_later).values(edited_at=now))
        removed_later = and_(removals.c.game_id.in_(its_games), removals.c.due_at > now)
        await self._connection.execute(update(removals).where(removed_later).values(due_at=now))
        taken_later = host_requests.c.taken_until > now
        await self._connection.execute(update(host_requests).where(taken_later).values(taken_until=now))

    async def move_terms(self, shard: int, *, began: int, ended: int) -> None:
        """Leave a gap out of the terms of a shard's games; if it ended before it began, the clock was set back."""
        is_moved = games.c.idle_since > ended if ended < began else games.c.idle_since < ended
        is_later = games.c.idle_since > min(began, ended)
        moved = case((is_later, ended), else_=games.c.idle_since + (ended - began))
        is_in_shard = games.c.guild_id.op(">>")(literal_column("22")) % self._shard_count == shard
        await self._connection.execute(update(games).where(is_in_shard, is_moved).values(idle_since=moved))

    async def store_beat(self, shard: int, *, before: int, at: int) -> bool:
        """Store a shard's beat if the last one is still `before`. Returns whether it was."""
        expected = (beats.c.shards == self._shard_count, beats.c.shard == shard, beats.c.at == before)
        return (await self._connection.execute(update(beats).where(*expected).values(at=at))).rowcount == 1
