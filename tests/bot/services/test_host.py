"""Requests of the bot's operator while it runs: carried out by the bot, on SQLite and on PostgreSQL."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from bot.lifecycle.outbox.outbox import PENDING_RETRY_S
from bot.services.host import DAY_S, MAX_ANNOUNCE_WAIT_S, MAX_ANNOUNCEMENTS_A_DAY
from bot.store.models.tables import metadata
from bot.store.queries.host_requests import HostRequest, HostRequestKind
from bot.texts.i18n import Catalogue
from tests.bot.captains import by_buttons, play
from tests.bot.lifecycle.test_matches import begin_match
from tests.bot.services.test_play_now import join
from tests.sea import AFAR, Sea, refs, text_of

EN, HU = Catalogue.load("en"), Catalogue.load("hu")
ABOUT_GAMES = [table.name for table in metadata.sorted_tables if "game_id" in table.c]


async def leave(sea: Sea, kind: HostRequestKind, **about: Any) -> int:
    async with sea.bot.services.store.write() as tx:
        return await tx.host_requests.add(HostRequest(kind=kind, asked_at=sea.bot.services.now(), **about))


async def came(sea: Sea, number: int) -> HostRequest:
    async with sea.bot.services.store.read() as tx:
        answer = await tx.host_requests.find(number)
    assert answer is not None
    return answer


async def ask(sea: Sea, kind: HostRequestKind, **about: Any) -> HostRequest:
    number = await leave(sea, kind, **about)
    for _ in range(5):
        await sea.bot.carry_out_host_requests()
        await sea.settle()  # announcements of deletions are sent
        if (await came(sea, number)).done_at is not None:
            break
        await sea.env.advance_time(PENDING_RETRY_S)  # what could not be sent at once is sent again
    return await came(sea, number)


def rows_of(sea: Sea, game: int) -> dict[str, int]:
    rows_of_game = {
        table: [row for row in rows if row["game_id"] == game] for table, rows in sea.rows(*ABOUT_GAMES).items()
    }
    return {table: len(rows) for table, rows in rows_of_game.items() if rows}


async def finished(sea: Sea) -> None:
    await sea.begin_at(AFAR, sea.bela)
    await play(sea, [sea.anna, sea.bela], by_buttons, rounds=1)
    await sea.concede(sea.bela)


# --- deleting ------------------------------------------------------------------------------------------------------


async def test_a_running_game_is_called_off_told_and_deleted(sea: Sea) -> None:
    await sea.begin_at(AFAR, sea.bela)
    assert rows_of(sea, 1).keys() >= {"seats", "requests", "steps", "outbox", "captains"}
    done = await ask(sea, "delete_game", target_id=1)
    assert (done.refused, done.outcome) == (False, "1 games deleted, battles included")
    assert done.target_id is None
    assert rows_of(sea, 1) == {}
    assert sea.rows("games")["games"] == []
    assert EN.say("thread.deleted", number=1) in sea.told()
    assert EN.say("lobby.cancelled") in text_of(sea.channel.history()[0])
    for who in (sea.anna, sea.bela):
        assert not [message for message in sea.dms(who) if refs(message)], "a panel without its game"
    old = next(message for message in sea.thread.history() if refs(message))
    for ref in refs(old).values():
        assert await sea.click(sea.bela, old, ref) == EN.say("refuse.unknown_game", piece="#1")
    # Old messages name games by number: the next one has another.
    await sea.command(sea.anna, "new")
    assert [row["id"] for row in sea.rows("games")["games"]] == [2]


async def test_a_finished_game_goes_with_its_ratings_and_says_nothing(sea: Sea, every_game_counts: None) -> None:
    await finished(sea)
    assert rows_of(sea, 1)["ratings"] == 2
    before = sea.told()
    assert not (await ask(sea, "delete_game", target_id=1)).refused
    assert rows_of(sea, 1) == {}
    assert sea.told() == before
    assert "anna" not in await sea.command(sea.anna, "ladder")


async def test_the_rematch_of_a_deleted_game_is_played(sea: Sea) -> None:
    await finished(sea)
    end = next(message for message in reversed(sea.thread.history()) if "rematch" in refs(message))
    await sea.press(sea.anna, end, "rematch")
    assert not (await ask(sea, "delete_game", target_id=1)).refused
    assert not [row["key"] for row in sea.rows("kept_facts")["kept_facts"] if "rematch" in row["key"]]
    await sea.command(sea.bela, "join", game="2")
    if sea.rows("games")["games"][0]["phase"] == "lobby":
        await sea.command(sea.anna, "start", game="2")
    assert [row["phase"] for row in sea.rows("games")["games"]] == ["running"]


async def test_of_several_rematches_only_what_concerns_the_deleted_game_is_forgotten(sea: Sea) -> None:
    def known() -> dict[str, str]:
        facts = sea.rows("kept_facts")["kept_facts"]
        return {row["key"]: row["value"] for row in facts if row["key"].startswith("rematch")}

    await finished(sea)
    for number in (2, 3):
        end = next(message for message in reversed(sea.thread.history()) if "rematch" in refs(message))
        await sea.press(sea.anna, end, "rematch")
        if number == 2:
            sea.change_rows("UPDATE games SET phase = 'cancelled' WHERE id = 2")
    assert known() == {"rematch.1": "3", "rematch_of.2": "1", "rematch_of.3": "1"}
    assert not (await ask(sea, "delete_game", target_id=2)).refused
    assert known() == {"rematch.1": "3", "rematch_of.3": "1"}
    assert not (await ask(sea, "delete_game", target_id=1)).refused
    assert known() == {}
    # An earlier version left such facts behind.
    sea.change_rows("INSERT INTO kept_facts (key, value) VALUES ('rematch_of.3', '1')")
    assert "#1" not in await sea.command(sea.bela, "join", game="3")


async def test_the_first_game_of_a_match_is_deleted_only_once_the_second_is_over(sea: Sea) -> None:
    await begin_match(sea)
    await sea.concede(sea.bela)
    refusal = "#1 and #2 are a match, which is played: delete #2 before it"
    assert (await ask(sea, "delete_game", target_id=1)).outcome == refusal
    await sea.concede(sea.anna, game=2)
    assert (await ask(sea, "delete_game", target_id=1)).outcome == "1 games deleted, battles included"
    assert [row["id"] for row in sea.rows("games")["games"]] == [2]


@pytest.mark.postgres
async def test_all_games_of_a_server_are_deleted_and_no_others(sea: Sea) -> None:
    await sea.begin_at(AFAR, sea.bela)
    await sea.command(sea.anna, "new")
    await sea.command(sea.bela, "new")
    sea.change_rows("UPDATE games SET guild_id = 77 WHERE id = 3")
    sea.change_rows("UPDATE games SET parent_id = 1 WHERE id = 2")  # as a battle of the first
    assert (await ask(sea, "delete_game", target_id=2)).outcome == "#2 is a battle of #1: delete that"
    done = await ask(sea, "delete_server", target_id=sea.guild.id)
    assert done.outcome == "2 games deleted, battles included"
    assert [row["id"] for row in sea.rows("games")["games"]] == [3]
    again = await ask(sea, "delete_server", target_id=sea.guild.id)
    assert again.refused


async def test_a_deletion_waits_for_discord_but_not_for_ever(sea: Sea) -> None:
    await sea.begin_at(AFAR, sea.bela)
    sea.env.inject_error("POST", "/channels/*/messages", status=403, code=50013, message="no", times=None)
    number = await leave(sea, "delete_game", target_id=1)
    await sea.bot.carry_out_host_requests()
    await sea.settle()
    await sea.bot.carry_out_host_requests()
    assert (await came(sea, number)).done_at is None
    assert [row["phase"] for row in sea.rows("games")["games"]] == ["cancelled"]
    await sea.env.advance_time(MAX_ANNOUNCE_WAIT_S + 1)
    await sea.bot.carry_out_host_requests()
    assert (await came(sea, number)).done_at is not None
    assert sea.rows("games")["games"] == []


async def test_a_step_in_hand_of_a_game_that_vanishes_is_no_error(sea: Sea) -> None:
    await sea.begin_at(AFAR, sea.bela)
    rounds, waits, goes_on = sea.bot.services.step_runner, asyncio.Event(), asyncio.Event()
    carried_out = rounds._resolve

    async def held(*args: Any) -> Any:
        waits.set()
        await goes_on.wait()
        return await carried_out(*args)

    rounds._resolve = held  # type: ignore[method-assign]
    sea.change_rows("UPDATE games SET deadline = 1")
    advancing = asyncio.create_task(rounds._try_to_advance(1))
    await waits.wait()
    async with sea.bot.services.store.write(of_many=True) as tx:
        await tx.games.delete(1)
    goes_on.set()
    assert await advancing
    assert sea.faults == []


def vanishing(sea: Sea, game: int) -> None:
    """Delete a game just before the bot next writes something."""
    store = sea.bot.services.store

    async def vanish() -> None:
        del store.write, store.write_shared  # the patches below
        async with store.write(of_many=True) as tx:
            await tx.games.delete(game)

    @asynccontextmanager
    async def write(**kwargs: Any) -> AsyncIterator[Any]:
        await vanish()
        async with store.write(**kwargs) as tx:
            yield tx

    async def together(act: Any) -> Any:
        await vanish()
        return await store.write_shared(act)

    store.write, store.write_shared = write, together  # type: ignore[method-assign,assignment]


@pytest.mark.postgres
async def test_a_press_on_a_game_that_vanishes_meanwhile_is_refused(sea: Sea) -> None:
    await sea.begin_at(AFAR, sea.bela)
    panel = sea.panel(sea.bela)
    pressed = [ref for ref in refs(panel).values() if ref.verb == "press"]
    vanishing(sea, 1)
    said = await sea.click(sea.bela, panel, pressed[0])
    assert sea.rows("games")["games"] == []
    assert "error number" not in said
    assert sea.faults == []


async def test_a_message_in_hand_of_a_game_that_vanishes_keeps_no_other_waiting(sea: Sea) -> None:
    await sea.begin_at(AFAR, sea.bela)
    delivery, store = sea.bot._outbox._deliver, sea.bot.services.store
    vanished = []

    async def deliver(message: Any, *args: Any) -> Any:
        sent = await delivery(message, *args)
        if not vanished:
            vanished.append(message.game_id)
            async with store.write(of_many=True) as tx:
                await tx.games.delete(message.game_id)
        return sent

    sea.bot._outbox._deliver = deliver  # type: ignore[method-assign]
    await sea.command(sea.anna, "new")
    assert vanished == [2]
    await sea.command(sea.anna, "new")
    assert "War Galley" in text_of(sea.channel.last_message)
    assert [row["id"] for row in sea.rows("games")["games"]] == [1, 3]
    assert not [row for row in sea.rows("outbox")["outbox"] if row["wanted"] > row["sent"] and row["game_id"] == 3]
    assert sea.faults == []


# --- people --------------------------------------------------------------------------------------------------------


async def test_a_denied_user_does_nothing_any_more_and_their_seat_is_offered(sea: Sea) -> None:
    await sea.begin_at(AFAR, sea.bela)
    await sea.command(sea.bela, "new")
    panel = sea.panel(sea.bela)
    assert not (await ask(sea, "deny_user", user_id=sea.bela.id)).refused
    refused = EN.say("refuse.denied_user")
    assert await sea.click(sea.bela, panel, refs(panel)["type"]) == refused
    assert await sea.command(sea.bela, "new") == refused
    assert await sea.command(sea.bela, "me") == refused
    assert refused in await sea.write(sea.bela, "B1 FFF")
    # Their own lobby is called off, and what is offered may be taken.
    assert [row["phase"] for row in sea.rows("games")["games"]] == ["running", "cancelled"]
    assert "bela no longer plays here" in sea.told()
    (offer,) = [ref for message in sea.thread.history() for ref in refs(message).values() if ref.verb == "take_over"]
    await sea.click(sea.cili, sea.thread.last_message, offer)
    assert [seat["user_id"] for seat in sea.rows("seats")["seats"] if seat["game_id"] == 1] == [
        sea.anna.id,
        sea.cili.id,
    ]
    # Nobody can give them a seat.
    for command, options in (("new", {"opponent": sea.bela}),):
        assert await sea.command(sea.anna, command, **options) == EN.say("refuse.denied_captain", name="bela")
    # A restart forgets nothing of it.
    await sea.restart()
    assert await sea.command(sea.bela, "new") == refused
    assert not (await ask(sea, "allow_user", user_id=sea.bela.id)).refused
    assert await sea.command(sea.bela, "new") != refused
    assert (await ask(sea, "allow_user", user_id=sea.bela.id)).refused


@pytest.mark.postgres
async def test_somebody_is_forgotten_while_the_bot_runs_and_stays_denied(sea: Sea) -> None:
    await finished(sea)
    await ask(sea, "deny_user", user_id=sea.bela.id)
    assert [message for message in sea.dms(sea.bela) if message.author.bot]
    done = await ask(sea, "forget", user_id=sea.bela.id)
    assert (done.refused, done.outcome) == (False, "forgotten")
    assert not [message for message in sea.dms(sea.bela) if message.author.bot]
    tables = {
        name for name, rows in sea.everything().items() for row in rows if str(sea.bela.id) in map(str, row.values())
    }
    assert tables == {"denied_users"}
    assert await sea.command(sea.bela, "new") == EN.say("refuse.denied_user")


async def test_nobody_is_forgotten_who_plays(sea: Sea) -> None:
    await sea.begin_at(AFAR, sea.bela)
    done = await ask(sea, "forget", user_id=sea.bela.id)
    assert done.refused
    assert "#1" in done.outcome


# --- servers -------------------------------------------------------------------------------------------------------


async def test_the_bot_leaves_a_denied_server_whose_games_stand_still(sea: Sea) -> None:
    await sea.begin_at(AFAR, sea.bela)
    assert {row["guild_id"]: row["name"] for row in sea.rows("bot_servers")["bot_servers"]} == {
        sea.guild.id: sea.guild.name
    }
    await ask(sea, "deny_server", target_id=sea.guild.id)
    assert not [*sea.bot.guilds]
    said = [request.json for request in sea.env.http_requests if request.method == "POST"]
    assert EN.say("say.server_denied") in repr(said)
    (game,) = sea.rows("games")["games"]
    assert game["phase"] == "running"
    assert game["paused_at"] is not None
    assert sea.rows("bot_servers")["bot_servers"] == []


async def test_a_server_that_removes_the_bot_and_adds_it_again_at_once_keeps_its_name(sea: Sea) -> None:
    """The archive of the sandbox's server had no name."""
    servers = sea.bot.services.servers
    await asyncio.gather(
        servers.note_present_servers({}, lambda _: True),
        servers.note_present_servers({sea.guild.id: sea.guild.name}, lambda _: True),
    )
    assert [row["name"] for row in sea.rows("bot_servers")["bot_servers"]] == [sea.guild.name]


async def test_a_denied_server_that_adds_the_bot_is_left_at_once(sea: Sea) -> None:
    async with sea.bot.services.store.write() as tx:
        await tx.denials.deny_server(sea.guild.id, now=1)
    await sea.bot.services.denials.reload()
    assert await sea.command(sea.anna, "new") == EN.say("refuse.denied_server")
    before = len(sea.env.http_requests)
    await join(sea, sea.guild)
    assert not [*sea.bot.guilds]
    since = sea.env.http_requests[before:]
    assert [call.path for call in since if call.method == "DELETE"] == [f"/users/@me/guilds/{sea.guild.id}"]
    (said,) = [repr(call.json) for call in since if call.method == "POST"]
    assert EN.say("say.server_denied") in said


# --- announcements -------------------------------------------------------------------------------------------------


async def test_all_running_games_show_an_announcement_once_in_their_language(sea: Sea) -> None:
    await sea.begin_at(AFAR, sea.bela)
    first = sea.thread
    await sea.command(sea.anna, "new")
    await sea.command(sea.bela, "join", game="2")
    await sea.command(sea.anna, "start", game="2")
    second = sea.thread
    sea.change_rows("UPDATE games SET locale = 'hu' WHERE id = 2")
    await sea.command(sea.bela, "new")
    texts = {"en": "**Down** at 20:00 @everyone", "hu": "20 órakor leállunk"}
    done = await ask(sea, "announce", params={"texts": texts})
    assert done.outcome == "on its way to 2 running games"
    await sea.env.advance_time(5)
    for _ in range(2):
        texts_of_threads = ["\n".join(text_of(message) for message in thread.history()) for thread in (first, second)]
        assert [part.count(texts["en"]) for part in texts_of_threads] == [1, 0]
        assert [part.count(texts["hu"]) for part in texts_of_threads] == [0, 1]
        await sea.restart()
    for _ in range(MAX_ANNOUNCEMENTS_A_DAY - 1):
        assert not (await ask(sea, "announce", params={"texts": texts})).refused
    refused = await ask(sea, "announce", params={"texts": texts})
    assert refused.refused
    assert "the next can be made from" in refused.outcome
    await sea.env.advance_time(DAY_S)
    assert not (await ask(sea, "announce", params={"texts": {"en": "again"}})).refused
