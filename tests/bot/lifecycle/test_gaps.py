"""Time in which captains cannot act: what the thread says of it, and that nobody loses by it."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator

import pytest

from bot.cli.shell import prove_record
from bot.discord.app import WarGalley
from bot.discord.delivery.signs import DiscordPulse
from bot.jobs.workers import Workers
from bot.lifecycle.process.gaps import GapCorrector, _latest_next_beat, gap_between
from bot.lifecycle.process.pulse import MAX_INTERVAL_S, AliveSpan, is_fresh
from bot.record.export import encode_export
from bot.store import Store
from bot.store.engine.shard import HeldShards
from bot.store.models.subjects import LogEntrySubject
from bot.store.queries.beats import BeatQueries
from bot.store.queries.messages import EDIT_INTERVAL_S
from tests.bot.captains import by_typing, play
from tests.bot.store.test_store import a_game
from tests.sea import AFAR, Sea

HOUR_S = 3_600
OTHER_GUILD = 1 + (1 << 22)


class AwaySea(Sea):
    """A Discord whose bot asks it for signs of life each minute, as a real one does where presses come over HTTP."""

    def make_bot(self) -> WarGalley:
        bot = super().make_bot()
        bot.pulse = DiscordPulse(
            bot, lambda: int(self.now().timestamp()), over_http=True, monotonic=lambda: self.env.backend.clock.elapsed
        )
        return bot


@pytest.fixture
async def away_sea(database: str, workers: Workers) -> AsyncIterator[AwaySea]:
    world = AwaySea(database, workers, itertools.count(1), picture_width=320)
    async with world.open():
        yield world


@pytest.mark.proves("F10")
async def test_no_deadline_passes_while_discord_answers_nothing(away_sea: AwaySea) -> None:
    sea = away_sea
    await sea.begin_at(AFAR, sea.bela, phase="1h")
    (before,) = sea.rows("games")["games"]
    await sea.env.advance_time(600)
    assert sea.bot._scheduler
    assert sea.bot._scheduler._wakes_at <= sea.now().timestamp() + MAX_INTERVAL_S
    sea.env.inject_error("*", "/*", status=503, times=None)
    await sea.env.advance_time(2 * HOUR_S)
    (game,) = sea.rows("games")["games"]
    assert (game["step_no"], game["deadline"]) == (before["step_no"], before["deadline"])
    sea.env.backend.faults.clear()
    await sea.env.advance_time(900)  # the outbox, too, finds out that Discord is back
    await sea.settle()
    (game,) = sea.rows("games")["games"]
    assert game["step_no"] == before["step_no"]
    assert 2 * HOUR_S - MAX_INTERVAL_S <= game["deadline"] - before["deadline"] <= 2 * HOUR_S + 2 * MAX_INTERVAL_S
    assert "I was offline for 2 hours" in sea.told()
    assert not any(seat["missed"] for seat in sea.rows("seats")["seats"])
    await sea.env.advance_time(HOUR_S)
    assert sea.rows("games")["games"][0]["step_no"] > before["step_no"]


@pytest.mark.proves("F10")
@pytest.mark.begun
async def test_of_minutes_without_the_bot_nothing_is_said_and_a_record_with_a_gap_holds(sea: Sea) -> None:
    await sea.restart(after_s=200)
    await sea.restart(after_s=100)
    assert "I was offline" not in sea.told()
    assert [act["kind"] for act in sea.rows("acts")["acts"]].count("gap") == 2
    await sea.restart(after_s=5 * HOUR_S)
    assert sea.told().count("I was offline for 5 hours") == 1
    await sea.restart()
    assert sea.told().count("I was offline") == 1
    await sea.concede(sea.bela)
    await sea.settle()
    holds, lines = await asyncio.to_thread(
        prove_record, encode_export(await sea.bot.services.archive.export_finished(1))
    )
    assert holds, lines


@pytest.mark.proves("F10")
@pytest.mark.parametrize(("phase", "outages"), [("1m", 3), ("1h", 12)])
async def test_a_bot_that_stops_again_and_again_takes_no_time_from_anybody(sea: Sea, phase: str, outages: int) -> None:
    await sea.begin_at(AFAR, sea.bela, phase=phase)
    (before,) = sea.rows("games")["games"]
    for _ in range(outages):
        await sea.restart(after_s=110)
    (game,) = sea.rows("games")["games"]
    assert game["step_no"] == before["step_no"]
    assert outages * 110 <= game["deadline"] - before["deadline"] <= outages * 115
    assert not any(seat["missed"] for seat in sea.rows("seats")["seats"])


async def test_after_a_start_no_deadline_counts_until_captains_can_act(database: str) -> None:
    store = await Store.open(database)
    pulse = FixedPulse(0)
    first, second = GapCorrector(store, pulse), GapCorrector(store, pulse)
    async with store.write() as tx:
        game = await a_game(tx)
    for pulse.at in (1000, 1060):
        await first.check(pulse.at)
    assert first.is_fresh(0, 1060, 1100)
    pulse.shards = ()
    await second.check(1100)  # it has started, and Discord is not there yet
    assert not second.is_fresh(0, 1060, 1100)
    pulse.shards, pulse.at = (0,), 1110
    await second.check(1110)
    assert second.is_fresh(0, 1110, 1110)
    # It sees that nobody can act, even if only for a moment.
    pulse.shards = ()
    await second.check(1170)
    assert not second.is_fresh(0, 1110, 1170)
    pulse.shards, pulse.at = (0,), 1200
    await second.check(1200)
    pulse.at = 1260
    await second.check(1260)
    async with store.read() as tx:
        lost = [act.params for act in await tx.audit_log.of_game(game) if act.kind == "gap"]
    assert lost == [{"since": 1060, "until": 1110}, {"since": 1110, "until": 1200}]
    await store.close()


async def test_nobody_claims_the_win_for_turns_that_ended_in_gaps(sea: Sea) -> None:
    await sea.begin(sea.bela, system="squadrons", missed="hold", battle="60", sides="first")
    await play(sea, [sea.anna, sea.bela], by_typing, rounds=0)
    for _ in range(4):
        await sea.restart(after_s=48 * HOUR_S)
    await sea.settle()
    said = await sea.write(sea.anna, "claim")
    assert "The enemy hasn't missed" in said or "you can claim the win once" in said, said
    assert not any(seat["missed"] for seat in sea.rows("seats")["seats"])


@pytest.mark.begun
async def test_a_pause_makes_up_for_a_gap_in_it_once(sea: Sea) -> None:
    (before,) = sea.rows("games")["games"]
    await sea.env.advance_time(HOUR_S)
    manager = sea.manager()
    await sea.command(manager, "host pause", game="1")
    await sea.env.advance_time(HOUR_S)
    await sea.restart(after_s=5 * HOUR_S)
    (paused,) = sea.rows("games")["games"]
    assert paused["paused_at"] is not None
    assert paused["deadline"] == before["deadline"]
    assert "I was offline" not in sea.told()
    await sea.command(manager, "host resume", game="1")
    assert sea.rows("games")["games"][0]["deadline"] == before["deadline"] + 6 * HOUR_S


async def test_a_pause_within_a_gap_counts_once(away_sea: AwaySea) -> None:
    """Presses arrive while Discord takes no requests: the pause ends before the gap does."""
    sea = away_sea
    await sea.begin_at(AFAR, sea.bela, phase="48h")
    (before,) = sea.rows("games")["games"]
    manager = sea.manager()
    await sea.env.advance_time(HOUR_S)
    began = sea.now().timestamp()
    sea.env.inject_error("*", "/*", status=503, times=None)
    await sea.env.advance_time(600)
    await sea.command(manager, "host pause", game="1")
    await sea.env.advance_time(2 * HOUR_S)
    await sea.command(manager, "host resume", game="1")
    assert sea.rows("games")["games"][0]["paused_at"] is None
    await sea.env.advance_time(600)
    sea.env.backend.faults.clear()
    await sea.env.advance_time(900)
    await sea.settle()
    moved = sea.rows("games")["games"][0]["deadline"] - before["deadline"]
    assert 2 * HOUR_S <= moved <= sea.now().timestamp() - began


@pytest.mark.parametrize(
    ("beat", "direct", "until", "limit"),
    [
        (1000, 1000, 1060, None),
        (1000, 1000, 1200, 1060),  # direct messages have not arrived for longer
        (1060, 1000, 1200, 1060),
        (1100, 1000, 1200, 1100),
        (5000, 1000, 1200, None),  # the clock was set back
        (1000, 5000, 1060, 1000),  # it was set back while shard 0 was away
    ],
)
def test_beats_of_other_shards_are_limited_by_shard_0(beat: int, direct: int, until: int, limit: int | None) -> None:
    assert _latest_next_beat(beat, direct, AliveSpan(until, until)) == limit


# --- beats -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("beat", "alive", "gap"),
    [
        (1000, AliveSpan(1060, 1060), None),
        (1000, AliveSpan(1120, 1120), None),
        (1000, AliveSpan(1121, 1121), (1000, 1121)),
        (1000, AliveSpan(940, 940), None),  # another bot's clock, or a little correction
        (5000, AliveSpan(1000, 1000), (5000, 1000)),  # the clock was set back
        (1000, AliveSpan(500, 90_000), None),  # a clock that only tests move
        (1000, AliveSpan(50_000, 90_000), (1000, 50_000)),
    ],
)
def test_beats_more_than_two_minutes_apart_have_a_gap(beat: int, alive: AliveSpan, gap: tuple[int, int] | None) -> None:
    assert gap_between(beat, alive) == gap


@pytest.mark.parametrize(
    ("at", "gap"), [(1005, None), (1006, (1000, 1006)), (1121, (1000, 1121)), (940, None), (800, (1000, 800))]
)
def test_after_an_interruption_any_time_since_the_beat_is_a_gap(at: int, gap: tuple[int, int] | None) -> None:
    assert gap_between(1000, AliveSpan(at, at), was_interrupted=True) == gap


def test_a_beat_is_fresh_for_two_minutes() -> None:
    assert is_fresh(1000, 1120)
    assert not is_fresh(1000, 1121)
    assert not is_fresh(1121, 1000)  # the clock was set back
    assert not is_fresh(None, 1000)


class FixedPulse:
    """Says of some shards that captains could act just now."""

    max_interval_s = MAX_INTERVAL_S

    def __init__(self, *shards: int) -> None:
        self.shards, self.at = shards, 0

    def note_gateway_message(self, shard: int) -> None:
        pass

    async def keep_listening(self) -> None:
        pass

    async def refresh(self) -> None:
        pass

    def alive_span(self, shard: int) -> AliveSpan | None:
        return AliveSpan(self.at, self.at) if shard in self.shards else None


async def test_when_the_number_of_shards_changes_each_goes_on_from_the_last_beat_of_any(database: str) -> None:
    store = await Store.open(database)

    def laid_out(tx_beats: BeatQueries, shards: int) -> BeatQueries:
        return BeatQueries(
            tx_beats._connection,
            HeldShards(bot_name="a", shard_count=shards, held_tokens={}, all_tokens={}) if shards > 1 else None,
        )

    async with store.write() as tx:
        alone, two = laid_out(tx.beats, 1), laid_out(tx.beats, 2)
        await alone.create_missing(1000)
        assert await alone.store_beat(0, before=1000, at=1060)
        assert not await alone.store_beat(0, before=1000, at=1070)
        await two.create_missing(9000)
        assert await two.all_beats() == {0: 1060, 1: 1060}
        assert await two.store_beat(1, before=1060, at=2000)
        await alone.create_missing(9000)
        assert await alone.all_beats() == {0: 2000}
    await store.close()


async def test_several_bots_leave_a_gap_while_none_is_alive_for_a_shard(postgres_address: str) -> None:
    stores = [await Store.open(postgres_address, shared=True) for _ in range(2)]
    pulses = [FixedPulse(0), FixedPulse(1)]
    held = [{0: 1}, {1: 1}]
    bots = []
    for store, pulse, shards in zip(stores, pulses, held, strict=True):
        share = HeldShards(bot_name="ab"[len(bots)], shard_count=2, held_tokens=shards, all_tokens=shards)
        store.current_share = lambda share=share: share  # type: ignore[misc]
        bots.append(GapCorrector(store, pulse))
    async with stores[0].write(of_many=True) as tx:
        games = [await a_game(tx), await a_game(tx)]
        await tx.games.change(games[1], guild_id=OTHER_GUILD)

    async def look(bot: int, at: int) -> list[int]:
        pulses[bot].at = at
        await bots[bot].check(at)
        async with stores[0].read() as tx:
            return [sum(act.kind == "gap" for act in await tx.audit_log.of_game(game)) for game in games]

    assert await look(0, 1000) == [0, 0]
    assert await look(1, 1010) == [0, 1]  # it has started later
    assert await look(0, 1060) == [0, 1]
    # The first bot dies, and the second has its shard in time.
    pulses[1].shards = (0, 1)
    share = HeldShards(bot_name="b", shard_count=2, held_tokens={0: 2, 1: 1}, all_tokens={})
    stores[1].current_share = lambda: share
    assert await look(1, 1100) == [1, 1]
    # Then it doesn't reach Discord for one of them, which has no direct messages.
    pulses[1].shards = (0,)
    for at in range(1160, 2000, 60):
        assert await look(1, at) == [1, 1]
    pulses[1].shards = (0, 1)
    assert await look(1, 2000) == [1, 2]
    # Then for the other one: no panel in direct messages can be pressed.
    pulses[1].shards = (1,)
    for at in range(2060, 3000, 60):
        assert await look(1, at) == [1, 2]
        async with stores[0].read() as tx:
            beats = await tx.beats.all_beats()
        assert beats[1] <= beats[0] + MAX_INTERVAL_S == 2060
    pulses[1].shards = (0, 1)
    assert await look(1, 3000) == [2, 3]
    async with stores[0].read() as tx:
        lost = [act.params for game in games for act in await tx.audit_log.of_game(game) if act.kind == "gap"]
    assert lost == [
        {"since": 1060, "until": 1100},
        {"since": 2000, "until": 3000},
        {"since": 1000, "until": 1010},
        {"since": 1100, "until": 2000},
        {"since": 2060, "until": 3000},
    ]
    for store in stores:
        await store.close()


@pytest.mark.postgres
async def test_what_waited_by_a_clock_that_was_ahead_is_sent_when_it_is_put_right(database: str) -> None:
    store = await Store.open(database)
    pulse = FixedPulse(0)
    gaps = GapCorrector(store, pulse)
    async with store.write() as tx:
        game = await a_game(tx)
        await tx.games.change(game, phase="lobby")
    for now in (1000, 1060, 900_000):
        pulse.at = now
        await gaps.check(now)
    async with store.write() as tx:
        await tx.messages.request(game, LogEntrySubject(1), now=900_000)
        await tx.messages.request(game, LogEntrySubject(2), now=900_030)
        (sent,) = [
            message for message in await tx.messages.of_kinds(game, ("act",)) if message.subject == LogEntrySubject(1)
        ]
        await tx.messages.change(sent.id, sent=1, edited_at=900_010, message_id=7, channel_id=8)
        await tx.removals.add(game, 1, channel_id=8, message_id=9, due_at=900_000)
        await tx.removals.add(game, 1, channel_id=8, message_id=10)
    pulse.at = 1100
    await gaps.check(1100)
    async with store.write() as tx:
        await tx.messages.request(game, LogEntrySubject(1), now=1100)
        messages = await tx.messages.of_kinds(game, ("act",))
        assert {message.subject: message.due_at for message in messages} == {
            LogEntrySubject(1): 1100 + EDIT_INTERVAL_S,
            LogEntrySubject(2): 1130,
        }
        for message in messages:
            await tx.messages.change(message.id, sent=message.wanted)
        assert [removal.message_id for removal in await tx.removals.due_now(now=1200, most=5)] == [9]
    await store.close()
