"""Acts at the same moment in a season and its battle, through two bots on one PostgreSQL.

SQLite has one writer, which excludes these races.
"""

from __future__ import annotations

import asyncio
import hashlib
import itertools
from collections.abc import AsyncIterator, Coroutine
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest

from bot.errors import Refusal
from bot.services.lobby import NewGame
from bot.services.table import Services
from bot.store import Store
from bot.store.models.pace import Pace
from bot.store.models.records import Game, Player
from tests import here, pg
from tests.bot.test_campaign import MEETING, gulf

ANNA, BELA = 1001, 1002
PHASE_S = 7200


class TwoBots:
    """A season with a battle, whose captains act through different bots."""

    season, battle = 1, 2

    def __init__(self, stores: list[Store], address: str) -> None:
        self._now = datetime(2026, 1, 1, tzinfo=UTC)
        self._address = address
        seeds = (hashlib.sha256(str(number).encode()).hexdigest() for number in itertools.count())
        self.anna, self.bela = (Services(store, here.workers(), lambda: self._now, seeds.__next__) for store in stores)

    async def begin(self) -> None:
        for bot in (self.anna, self.bela):  # a bot whose first beat came later would take the time before for a gap
            await bot.step_runner.gaps.check(bot.step_runner.now())
        players = [Player(user_id=user_id, name=str(user_id), locale="en") for user_id in (ANNA, BELA)]
        opening = NewGame(
            system="campaign",
            guild_id=1,
            channel_id=2,
            locale="en",
            pace=Pace(seconds=PHASE_S),
            options={"map": "gulf"},
        )
        assert await self.anna.lobbies.open_lobby(players[0], opening) == self.season
        await self.bela.lobbies.join_lobby(players[1], self.season)
        with psycopg.connect(pg.plain(self._address)) as connection:
            connection.execute(
                "UPDATE games SET setup = (setup::jsonb || jsonb_build_object('position', %s::text))::text",
                [gulf(3, *MEETING)],
            )
        await self.anna.lobbies.start_game(ANNA, self.season)
        await self.rest()
        await self.order("A1 A2 A3: EGU attack", "repair all")
        await self.pass_phase()
        assert (await self.game(self.battle)).phase == "running"

    async def order(self, *texts: str) -> None:
        for bot, user_id, text in zip((self.anna, self.bela), (ANNA, BELA), texts, strict=True):
            request = await bot.reader.requests.pending_request(user_id, self.season)
            request = await bot.orders.type_text(request, text)
            await bot.orders.seal_draft(request, request.row.version)
        await self.rest()

    async def pass_phase(self) -> None:
        """Let the phases of all games end, and resolve them through both bots at once."""
        self._now += timedelta(seconds=PHASE_S + 5)
        await at_once(*(bot.step_runner.run_due_work() for bot in (self.anna, self.bela)))
        await self.rest()

    def wait_out_limits(self) -> None:
        self._now += timedelta(minutes=10)

    async def rest(self) -> None:
        for bot in (self.anna, self.bela, self.anna):
            await bot.step_runner.wait_until_idle()

    def end_first(self, event: str, table: str) -> None:
        """Let the server end the next transaction that does this to a table, as one of a deadlock."""
        with psycopg.connect(pg.plain(self._address)) as connection:
            connection.execute(
                f"""
                CREATE SEQUENCE tries_{table};
                CREATE FUNCTION end_first_{table}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                    IF nextval('tries_{table}') = 1 THEN RAISE 'deadlock detected' USING ERRCODE = '40P01'; END IF;
                    RETURN NEW;
                END $$;
                CREATE TRIGGER end_first BEFORE {event} ON {table} EXECUTE FUNCTION end_first_{table}()
                """
            )

    async def game(self, game_id: int) -> Game:
        return (await self.anna.reader.games.seated_game(game_id)).game


async def at_once(*acts: Coroutine[Any, Any, object]) -> None:
    """Run acts at the same moment. They may be refused, but not lost."""
    results = await asyncio.gather(*acts, return_exceptions=True)
    failures = [result for result in results if isinstance(result, BaseException) and not isinstance(result, Refusal)]
    assert failures == []


@pytest.fixture
async def bots(postgres_address: str) -> AsyncIterator[TwoBots]:
    stores = [await Store.open(postgres_address, shared=True) for _ in range(2)]
    two_bots = TwoBots(stores, postgres_address)
    await two_bots.begin()
    yield two_bots
    for bot, store in zip((two_bots.anna, two_bots.bela), stores, strict=True):
        await bot.step_runner.close()
        await store.close()


async def test_two_captains_who_press_in_a_season_and_its_battle_at_once_are_both_heard(bots: TwoBots) -> None:
    for _ in range(15):
        await at_once(bots.anna.offer_draw(ANNA, bots.season), bots.bela.offer_draw(BELA, bots.battle))
        bots.wait_out_limits()


async def test_no_concession_and_no_step_is_lost_while_captains_press(
    bots: TwoBots, caplog: pytest.LogCaptureFixture
) -> None:
    await bots.order("repair all", "repair all")
    step_no = (await bots.game(bots.season)).step_no

    async def press(bot: Services, user_id: int, game_id: int) -> None:
        for _ in range(8):
            try:
                await bot.offer_draw(user_id, game_id)
            except Refusal:
                await asyncio.sleep(0)

    await asyncio.gather(
        press(bots.bela, BELA, bots.battle),
        press(bots.bela, ANNA, bots.season),
        press(bots.anna, ANNA, bots.battle),
        bots.pass_phase(),
    )
    await at_once(bots.anna.concede_game(BELA, bots.battle))
    await bots.rest()
    assert (await bots.game(bots.battle)).phase == "over"
    assert (await bots.game(bots.season)).step_no > step_no
    assert "could not be resolved" not in caplog.text


async def test_a_transaction_that_the_server_ends_is_run_again(bots: TwoBots, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    step_no = (await bots.game(bots.season)).step_no
    bots.end_first("INSERT", "answers")
    bots.end_first("INSERT", "steps")
    bots.end_first("UPDATE", "games")
    await bots.order("repair all", "repair all")
    await at_once(bots.anna.concede_game(BELA, bots.battle))
    await bots.rest()
    assert (await bots.game(bots.battle)).phase == "over"
    assert (await bots.game(bots.season)).step_no == step_no + 1
    assert caplog.text.count("transaction is run again") == 3
    assert "could not be resolved" not in caplog.text


async def test_a_captain_who_joins_or_gives_a_word_does_not_notice_a_conflict(bots: TwoBots) -> None:
    opening = NewGame(system="matchbox", guild_id=1, channel_id=2, locale="en", pace=Pace(seconds=PHASE_S))
    lobby = await bots.anna.lobbies.open_lobby(Player(user_id=ANNA, name="Anna", locale="en"), opening)
    bots.end_first("UPDATE", "seats")
    bots.end_first("INSERT", "outbox")
    await bots.bela.lobbies.join_lobby(Player(user_id=BELA, name="Bela", locale="en"), lobby, word="wind")
    await bots.anna.lobbies.start_game(ANNA, lobby, seen=None)
    await bots.rest()
    assert (await bots.game(lobby)).phase == "running"


async def finish_duel(bots: TwoBots) -> int:
    """Begin and end a game of both captains. Return its number."""
    anna, bela = (Player(user_id=user_id, name=str(user_id), locale="en") for user_id in (ANNA, BELA))
    opening = NewGame(system="matchbox", guild_id=1, channel_id=2, locale="en", pace=Pace(seconds=PHASE_S))
    game = await bots.anna.lobbies.open_lobby(anna, opening)
    await bots.bela.lobbies.join_lobby(bela, game)
    await bots.anna.lobbies.start_game(ANNA, game, seen=None)
    await bots.rest()
    await bots.bela.concede_game(BELA, game)
    await bots.rest()
    return game


def lets_wait(address: str, game: int) -> Any:
    """Hold a game's family, as a transaction that accepts its rematch does, until the connection is closed."""
    connection = psycopg.connect(pg.plain(address))
    connection.execute("SELECT id FROM games WHERE id = %s FOR UPDATE", [game])
    return connection


async def test_who_joins_a_rematch_by_its_lobby_does_not_wait_for_who_accepts_it(
    bots: TwoBots, postgres_address: str
) -> None:
    """One locks the rematch first, the other the finished game: each would wait for the other."""
    anna, bela = (Player(user_id=user_id, name=str(user_id), locale="en") for user_id in (ANNA, BELA))
    game = await finish_duel(bots)
    rematch = await bots.anna.lobbies.open_or_join_rematch(anna, game, roles=(), manager=True)
    await bots.anna.lobbies.choose_option(ANNA, rematch.number, "galleys", "3")  # so that it doesn't begin by itself
    with lets_wait(postgres_address, game):
        async with asyncio.timeout(60):
            await bots.bela.lobbies.join_lobby(bela, rematch.number)
    assert (await bots.bela.reader.games.seated_game(rematch.number)).seat_of(BELA)


@pytest.mark.parametrize("declines", [False, True])
async def test_who_accepts_or_declines_a_rematch_does_not_notice_a_conflict(bots: TwoBots, *, declines: bool) -> None:
    anna, bela = (Player(user_id=user_id, name=str(user_id), locale="en") for user_id in (ANNA, BELA))
    game = await finish_duel(bots)
    rematch = await bots.anna.lobbies.open_or_join_rematch(anna, game, roles=(), manager=True)
    bots.end_first("UPDATE", "seats")
    if declines:
        await bots.bela.lobbies.decline_rematch(BELA, game)
        assert (await bots.game(rematch.number)).phase == "cancelled"
    else:
        await bots.bela.lobbies.open_or_join_rematch(bela, game, roles=(), manager=True)
        await bots.rest()
        assert (await bots.game(rematch.number)).phase == "running"
