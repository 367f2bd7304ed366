"""Every moment that the store holds has been decided: whether time that captains cannot use moves it, and why not."""

from __future__ import annotations

import json
from typing import Any, Final

from sqlalchemy import BigInteger, Double, Float, select

from bot.store import Store
from bot.store.models.pace import Pace
from bot.store.models.tables import metadata
from tests.gaps.on_a_clock import START, World

MOVED: Final = {
    "games.deadline": "a deadline",
    "games.pace": "since when the fixed hours of a battle run",
    "games.idle_since": "from when on the term of a lobby, a game or a pause counts (`BeatQueries.move_terms`)",
    "requests.asked_at": "from when on a captain's time counts",
    "requests.deadline": "a deadline",
    "outbox.due_at": "of reminders; those of other messages are pauses between tries",
    "acts.params": "the deadline under which a captain's wish stands, and until when more time was asked for",
    "beats.at": "the beat itself",
}
STAYS: Final = {
    "games.paused_at": "the end of a pause makes up for a gap in it; a mute thread's pause of days ends no later by it",
    "games.claimed_at": "since when a process resolves it",
    "games.created_at": "happened; it limits how many lobbies are opened and called off, and how often people meet",
    "games.ended_at": "happened",
    "seats.offered_at": "happened; an offer stands until somebody takes it, or its captain is back",
    "answers.sealed_at": "happened",
    "published.at": "happened",
    "steps.resolved_at": "happened; what runs from it adds `clock.gap_seconds` (`keepsakes.fetchable_from`)",
    "outbox.wanted_at": "since when a message waits for Discord",
    "outbox.edited_at": "since when Discord limits edits",
    "removals.due_at": "when a message is deleted",
    "players.away_from": "a day of the captain's own calendar, as they announced it",
    "players.away_to": "a day of the captain's own calendar, as they announced it",
    "acts.at": "happened; what runs from it adds `clock.gap_seconds` (`Timekeeping._made_for_others`)",
    "ratings.rated_at": "happened",
    "tallies.at": "happened",
    "tallies.until": "when an opening, a lobby or game thrown away or a post no longer counts against its limit",
    "leases.until": "by the database's clock, while a bot lives",
    "host_requests.asked_at": "happened; no captain waits for a request of the host",
    "host_requests.taken_until": "until when other bots leave it to one",
    "host_requests.done_at": "happened; it limits how often all games are told something",
    "denied_users.since": "happened",
    "denied_servers.since": "happened",
    "error_counts.hour": "happened",
    "error_counts.last_at": "happened",
}
NO_MOMENTS: Final = {
    "seats.draw_at",
    *("games.guild_id", "games.channel_id", "games.thread_id", "games.host_id"),
    *("seats.user_id", "seats.kept_for", "captains.user_id", "captains.put_by"),
    *("outbox.user_id", "outbox.channel_id", "outbox.message_id"),
    *("removals.user_id", "removals.channel_id", "removals.message_id"),
    *("players.user_id", "players.dm_channel_id", "servers.guild_id", "servers.creators_id"),
    "tallies.user_id",
    *("host_requests.user_id", "host_requests.target_id", "denied_users.user_id", "denied_servers.guild_id"),
    "bot_servers.guild_id",
    *("acts.user_id", "ratings.user_id", "ratings.mu", "ratings.sigma", "keepsakes.user_id", "leases.token"),
}


def test_each_column_that_may_hold_a_moment_is_decided() -> None:
    """A new column must be listed here: as moved by a gap, or with the reason why no captain loses time."""
    columns = {f"{table.name}.{column.name}": column for table in metadata.sorted_tables for column in table.c}
    moments = {
        name
        for name, column in columns.items()
        if isinstance(column.type, (BigInteger, Double, Float)) or name.endswith((".at", "_at"))
    }
    decided = MOVED.keys() | STAYS.keys() | NO_MOMENTS
    assert moments - decided == set()
    assert decided - columns.keys() == set()
    assert not MOVED.keys() & STAYS.keys()


async def _everything(store: Store) -> dict[str, list[dict[str, Any]]]:
    async with store.read() as tx:
        return {
            table.name: [
                dict(row._mapping)
                for row in await tx.games._connection.execute(select(table).order_by(*table.primary_key))
            ]
            for table in metadata.sorted_tables
        }


async def test_a_gap_moves_just_what_it_should(url: str) -> None:
    world = World(url, "campaign", "columns")
    await world.start()
    await world.play(7_200)
    await world._table.timekeeping.extend_deadline(1, 1, 7_200)
    await world._table.timekeeping.extend_deadline(1, 1, 7_200)
    await world._table.timekeeping.extend_deadline(1, 1, 7_200)  # more than it may take: bela must agree
    fixed = Pace(seconds=7_200, parts=2, since=START)
    async with world._store.write() as tx:
        await tx.games.change(1, pace=fixed)
    await world.go_on(600)
    before = await _everything(world._store)
    assert any(row["kind"] == "remind" for row in before["outbox"])
    assert any(row["kind"] == "extension_asked" for row in before["acts"])
    await world.gap("killed", 3_600)
    after = await _everything(world._store)
    changed = set()
    for table in metadata.sorted_tables:
        key = [column.name for column in table.primary_key]
        old = {tuple(row[name] for name in key): row for row in before[table.name]}
        for row in after[table.name]:
            was = old.get(tuple(row[name] for name in key))
            changed |= {f"{table.name}.{name}" for name in row if was is not None and was[name] != row[name]}
    assert changed & STAYS.keys() <= {"outbox.wanted_at"}, "a panel that shows a deadline is shown again"
    assert changed & MOVED.keys() == MOVED.keys()
    lost = after["games"][0]["deadline"] - before["games"][0]["deadline"]
    assert 3_600 <= lost <= 3_660 + 60
    assert json.loads(after["games"][0]["pace"])["since"] == START + lost
    deadlines, reminders = (
        [{row["id"]: row["deadline"] for row in at["requests"]} for at in (before, after)],
        [{row["key"]: row["due_at"] for row in at["outbox"] if row["kind"] == "remind"} for at in (before, after)],
    )
    for old, new in (deadlines, reminders):
        assert {key: moment + lost for key, moment in old.items()} == new
    (wish,) = [json.loads(row["params"]) for row in after["acts"] if row["kind"] == "extension_asked"]
    assert wish["deadline"] == after["games"][0]["deadline"]
    await world.end(in_order=True)
