"""Several bots on one PostgreSQL: who holds a shard, and what only its holder does, by the database's clock."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator

import pytest
from sqlalchemy import text

from bot.lifecycle.process import cluster as lives
from bot.lifecycle.process.cluster import Cluster, ClusterListener
from bot.lifecycle.process.tenure import LeaseLost, require_ownership
from bot.store import Store, StoreUnavailable
from bot.store.engine.shard import CLOSED_VERSION, DraftVersion, Notifications
from bot.store.models.subjects import LobbySubject, LogEntrySubject
from rules.core.protocol import Request
from tests.bot.store.test_store import a_game

SHARDS = 2
OTHER_GUILD = 1 + (1 << 22)


class Heard(ClusterListener):
    """Keeps what a bot hears of the others."""

    def __init__(self) -> None:
        self.drafts: list[DraftVersion] = []
        self.orphaned = self.outdated = 0

    def note_orphaned_work(self) -> None:
        self.orphaned += 1

    def note_draft_changed(self, draft: DraftVersion) -> None:
        self.drafts.append(draft)

    def note_outdated_version(self) -> None:
        self.outdated += 1


class Bots:
    """Bots on one database, each with a pool of its own; none beats by itself."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.stores: list[Store] = []
        self.heard: list[Heard] = []

    async def bot(self, shards: int = SHARDS) -> Cluster:
        store = await Store.open(self.address, shared=True)
        self.stores.append(store)
        self.heard.append(Heard())
        found = Cluster(store, shards, self.heard[-1])
        await found.join()
        return found


@pytest.fixture
async def bots(postgres_address: str) -> AsyncIterator[Bots]:
    found = Bots(postgres_address)
    yield found
    for store in found.stores:
        await store.close()


async def pass_over(bots: Bots, *those: Cluster) -> None:
    """Let the leases of bots run out, as if they had not been heard of for long: for the database, and for them."""
    async with bots.stores[0].write() as tx:
        for one in those:
            query = text("UPDATE leases SET until = 0 WHERE holder = :bot")
            await tx.games._connection.execute(query, {"bot": one.name})
    for one in those:
        one._leases = {shard: held._replace(until=0) for shard, held in one._leases.items()}


async def games_of(bots: Bots) -> list[int]:
    async with bots.stores[0].write(of_many=True) as tx:
        games = [await a_game(tx), await a_game(tx)]
        await tx.games.change(games[1], guild_id=OTHER_GUILD)
        for game in games:
            await tx.messages.request(game, LobbySubject(), now=5)
    return games


async def in_halves(bots: Bots) -> tuple[Cluster, Cluster]:
    one, two = await bots.bot(), await bots.bot()
    await one.renew_leases()  # hears of the second, and begins to leave what it should have
    one._leases[1] = one._leases[1]._replace(until=0)  # what it had in hand there is through
    await one.renew_leases()
    await two.renew_leases()
    assert (one.held_shards, two.held_shards) == ({0}, {1})
    return one, two


async def test_the_first_takes_all_and_leaves_the_second_its_half(bots: Bots) -> None:
    one = await bots.bot()
    assert one.held_shards == {0, 1}
    two = await bots.bot()
    assert two.held_shards == set()
    await one.renew_leases()
    assert (one.held_shards, {*one.current_share().held_tokens}) == ({0, 1}, {0})
    await two.renew_leases()
    assert two.held_shards == set()
    one._leases[1] = one._leases[1]._replace(until=0)
    await one.renew_leases()
    await two.renew_leases()
    assert (one.held_shards, two.held_shards) == ({0}, {1})


async def test_what_a_bot_had_that_is_not_heard_of_is_taken_with_a_higher_token(bots: Bots) -> None:
    one = await bots.bot()
    before = one.current_share()
    await pass_over(bots, one)
    two = await bots.bot()
    assert two.held_shards == {0, 1}
    assert {shard: token - 1 for shard, token in two.current_share().held_tokens.items()} == before.held_tokens
    await one.renew_leases()  # it wakes
    assert one.held_shards == set()
    assert two.held_shards == {0, 1}


async def test_of_many_that_start_at_once_each_shard_has_one_holder(bots: Bots) -> None:
    those = await asyncio.gather(*(bots.bot(8) for _ in range(4)))
    held = [shard for one in those for shard in one.held_shards]
    assert sorted(held) == [*range(8)]


async def test_a_bot_that_counts_other_shards_stays_out(bots: Bots) -> None:
    await bots.bot(2)
    with pytest.raises(StoreUnavailable, match="SHARDS=2, not 3"):
        await bots.bot(3)


async def test_who_wants_the_database_alone_and_who_shares_it_keep_each_other_out(bots: Bots) -> None:
    await bots.bot()
    with pytest.raises(StoreUnavailable, match="another war-galley is running"):
        await Store.open(bots.address)


async def test_each_sends_what_is_of_its_shards_and_looks_after_its_deadlines(bots: Bots) -> None:
    await in_halves(bots)
    games = await games_of(bots)
    mine, its = 0, 1
    for store, shard in zip(bots.stores, (mine, its), strict=True):
        async with store.write() as tx:
            await tx.games.change(games[shard], phase="running", deadline=7)
    for store, shard in zip(bots.stores, (mine, its), strict=True):
        async with store.read() as tx:
            assert [message.game_id for message in await tx.messages.unsent(now=9)] == [games[shard]]
            assert {*await tx.games.overdue_hosts(9)} == {games[shard]}
            assert (await tx.agenda.due_times(9)).has_unsent


async def test_what_was_another_bots_meanwhile_is_neither_tried_nor_written_down(bots: Bots) -> None:
    one = await bots.bot()
    game, _ = await games_of(bots)
    async with bots.stores[0].read() as tx:
        messages = await tx.messages.of_game(game)
    old, ours = one.current_share(), one.ownership_check()
    async with bots.stores[0].write() as tx:
        assert await tx.messages.count_tries(messages) == {messages[0].id}
    await pass_over(bots, one)
    await bots.bot()
    bots.stores[0].current_share = lambda: old  # as the one that was stopped still believes
    async with bots.stores[0].write() as tx:
        assert await tx.messages.count_tries(messages) == set()
        assert await tx.messages.by_ids([messages[0].id]) == {}
        await tx.messages.record([messages[0]])
    async with bots.stores[1].read() as tx:
        (now,) = await tx.messages.of_game(game)
    assert now.attempts == 1  # of the first try, which counts
    with require_ownership(ours), pytest.raises(LeaseLost):
        await one.wait_for_request_slot()


async def test_a_claim_is_taken_over_when_the_bot_that_made_it_lives_no_more(bots: Bots) -> None:
    one = await bots.bot()
    game_id, _ = await games_of(bots)
    two = await bots.bot()
    async with bots.stores[1].write() as tx:
        await tx.games.change(game_id, phase="running")
        game = await tx.games.find_for_update(game_id)
        assert game
        claimed = await tx.games.claim(game, now=5)
        assert claimed
    async with bots.stores[0].read() as tx:
        assert await tx.games.claimed_before(before=4) == []
        # A bot that lives, but has lost the shard meanwhile, looks at its claim no more.
        assert [(game.id, game.claimed_by) for game in await tx.games.claimed_before(before=5)] == [(game_id, two.name)]
    before = bots.heard[0].orphaned
    await one.renew_leases()
    assert bots.heard[0].orphaned == before
    await pass_over(bots, two)
    await one.renew_leases()
    assert bots.heard[0].orphaned == before + 1
    async with bots.stores[0].write() as tx:
        (found,) = await tx.games.claimed_before(before=4)
        assert (found.id, found.claimed_by) == (game_id, two.name)
        assert await tx.games.break_claim(found)
        assert not await tx.games.break_claim(found)


async def test_all_share_one_budget_of_requests(bots: Bots) -> None:
    those = await asyncio.gather(bots.bot(), bots.bot(), bots.bot())

    async def ask(number: int) -> float:
        async with bots.stores[number % 3].write() as tx:
            return await tx.leases.take_turn("requests", cost_s=1.0, early_s=2.0)

    began = time.monotonic()
    waits = sorted(await asyncio.gather(*(ask(number) for number in range(9))))
    assert waits[:2] == [0, 0]
    # Nine a second apart, the first two of them ahead of time.
    assert 6 - (time.monotonic() - began) <= waits[-1] <= 6
    assert len(those) == 3


async def test_one_of_several_does_what_only_one_should(bots: Bots) -> None:
    those = await asyncio.gather(*(bots.bot() for _ in range(3)))
    assert sum(await asyncio.gather(*(one.try_lock("commands", 30) for one in those))) == 1


async def test_of_several_bots_one_takes_an_interaction_and_it_is_forgotten_once_it_has_run_out(bots: Bots) -> None:
    those = await asyncio.gather(*(bots.bot() for _ in range(3)))
    assert sum(await asyncio.gather(*(one.claim_once("interaction:1", 30) for one in those))) == 1
    assert await those[0].claim_once("interaction:2", 0.0)
    await asyncio.sleep(0.01)
    late = await bots.bot()
    assert await late.claim_once("interaction:3", 30)
    async with bots.stores[0].read() as tx:
        kept = await tx.leases._connection.execute(
            text("SELECT key FROM leases WHERE key LIKE 'turn:once:%' ORDER BY key")
        )
        assert [key for (key,) in kept] == ["turn:once:interaction:1", "turn:once:interaction:3"]


async def test_others_hear_of_a_wish_once_it_is_committed_and_who_wrote_it_looks_by_itself(bots: Bots) -> None:
    await bots.bot()
    game, _ = await games_of(bots)
    await bots.bot()
    listener = bots.stores[1].listener()
    assert (await listener.wait_for_notification(1)).has_changes  # whatever was told before
    hearing = asyncio.create_task(listener.wait_for_notification(30))
    async with bots.stores[0].write() as tx:
        await tx.messages.request(game, LogEntrySubject(1), now=6)
        await asyncio.sleep(0.05)
        assert not hearing.done()
    assert (await hearing).has_changes
    async with bots.stores[0].write() as tx:
        await tx.games.change(game, deadline=60)
    assert (await listener.wait_for_notification(30)).has_changes
    # What another version or a stranger says that can't be read is passed over.
    async with bots.stores[0].write() as tx:
        for note in ("x", "[{}]", '[{"by": "old", "game_id": 1, "request_id": "r", "step_no": 1, "last": 3}]'):
            await tx.games._connection.execute(text("SELECT pg_notify('war_galley_drafts', :note)"), {"note": note})
    assert await listener.wait_for_notification(30) == Notifications(has_changes=False, draft_versions=[])
    await listener.close()


async def test_others_hear_which_drafts_have_changed_and_that_nobody_may_change_them_any_more(bots: Bots) -> None:
    one, two = await bots.bot(), await bots.bot()
    game, _ = await games_of(bots)
    listeners = [store.listener() for store in bots.stores]
    for listener in listeners:
        assert (await listener.wait_for_notification(1)).has_changes
    async with bots.stores[0].write() as tx:
        for seat in range(40):  # more than PostgreSQL takes at once
            await tx.requests.add(
                game, Request(id=f"r1.{seat}", seat=seat, kind="orders", round=1), step_no=3, now=0, deadline=9
            )
        rows = await tx.requests.open_of_game(game)
        assert await tx.requests.change(rows[0], since=0, draft="A1 F")
        await tx.requests.close(rows)
    drafts = bots.heard[1].drafts
    while len(drafts) < 1 + len(rows):
        for bot, listener in zip((one, two), listeners, strict=True):
            await bot._run_listener(listener.wait_for_notification)
    assert bots.heard[0].drafts == [], "nobody need tell a bot what it has done itself"
    first, *closed = drafts
    assert first == DraftVersion(one.name, game, "r1.0", 3, first_version=0, last_version=1)
    assert {draft.request_id for draft in closed if draft.last_version == CLOSED_VERSION} == {row.id for row in rows}
    for listener in listeners:
        await listener.close()


async def test_a_newer_version_lets_ours_play_on_within_what_it_says(bots: Bots) -> None:
    one = await bots.bot()
    async with bots.stores[0].write() as tx:
        for change in ("ALTER TABLE games ADD COLUMN colour text", "UPDATE alembic_version SET version_num = '9999'"):
            await tx.games._connection.execute(text(change))
    two = await bots.bot()  # an older one starts beside it
    await one.renew_leases()
    assert bots.heard[0].outdated == 0
    assert await games_of(bots)
    async with bots.stores[0].write() as tx:
        query = text("UPDATE leases SET token = 9999 WHERE key = 'tables:serve_from'")
        await tx.games._connection.execute(query)
    await one.renew_leases()
    assert bots.heard[0].outdated == 1
    with pytest.raises(StoreUnavailable, match="of a newer war-galley"):
        await bots.bot()
    assert two.held_shards | one.held_shards


def test_a_lease_lasts_longer_than_a_bot_believes_and_less_than_games_may_stand() -> None:
    assert lives.HEARTBEAT_S < lives.LEASE_S - lives.LEASE_MARGIN_S
    assert lives.LEASE_S + 2 * lives.HEARTBEAT_S < 10


async def test_a_database_whose_clock_is_set_back_keeps_nobody_waiting(bots: Bots) -> None:
    one, two = await bots.bot(), await bots.bot()
    await one.wait_for_request_slot()
    # Times of a clock that was an hour ahead; the second bot has died with it.
    async with bots.stores[0].write() as tx:
        await tx.games._connection.execute(text("UPDATE leases SET until = until + 3600"))
    async with bots.stores[0].write() as tx:
        assert await tx.leases.take_turn("requests", cost_s=1.0, early_s=1.0) <= 1
        assert await tx.leases.take_turn("requests", cost_s=1.0, early_s=1.0) <= 2
    await pass_over(bots, two)
    for _ in range(3):
        await one.renew_leases()
    assert sorted(one.held_shards) == [0, 1]
