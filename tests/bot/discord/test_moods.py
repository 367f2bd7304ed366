"""Discord's moods: moderators delete threads and take permissions away; the game goes on, and says so."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from simcord.backend.serializers import guild_create_payload

from bot.jobs.workers import Workers
from bot.texts.i18n import Catalogue
from tests.sea import AFAR, Sea, refs, text_of

EN, HU = Catalogue.load("en"), Catalogue.load("hu")


@pytest.mark.begun
async def test_a_game_whose_thread_was_deleted_goes_on_in_another_and_says_so(sea: Sea) -> None:
    await sea.bot.get_channel(sea.thread.id).delete()
    await sea.env.settle()
    assert not sea.channel.threads
    await sea.seal(sea.anna, "A1 FFFFF")
    await sea.env.advance_time(60)
    await sea.env.settle()
    assert "begins" in sea.told()
    assert "deleted" in sea.told()
    assert "Sealed by anna" in sea.told()
    assert sea.rows("games")["games"][0]["thread_id"] == sea.thread.id
    await sea.seal(sea.bela, "B1 FFFFF")
    await sea.env.advance_time(60)
    assert "Round 1" in sea.told()
    assert "log" in refs(next(message for message in sea.thread.history() if "Round 1\n" in text_of(message)))


async def test_the_host_is_told_which_permission_is_missing_and_nothing_is_lost(sea: Sea) -> None:
    sea.languages[sea.anna.id] = "hu"
    await sea.begin_at(AFAR, sea.bela)
    path = f"/channels/{sea.thread.id}/*"
    sea.env.inject_error("POST", path, status=403, code=50013, times=20)
    sea.env.inject_error("PATCH", path, status=403, code=50013, times=20)
    await sea.both_seal()
    await sea.env.advance_time(3600)
    assert sum("Hiányzik egy jogosultságom" in text_of(message) for message in sea.dms(sea.anna)) == 1
    assert not any("lack a permission" in text_of(message) for message in sea.dms(sea.bela))
    assert not [row["key"] for row in sea.rows("outbox")["outbox"] if row["problem"]]
    await sea.env.advance_time(36_000)  # somebody gives the permission, and the bot tells what waited
    await sea.env.settle()
    assert "Round 1" in sea.told()


async def test_a_game_whose_channel_was_deleted_stands_still_until_a_captain_moves_it(sea: Sea) -> None:
    sea.languages[sea.anna.id] = "hu"
    other = sea.guild.create_text_channel("harbour")
    await sea.begin_at(AFAR, sea.bela, phase="4h")
    await sea.env.advance_time(600)
    (before,) = sea.rows("games")["games"]
    await sea.bot.get_channel(sea.channel.id).delete()
    await sea.env.settle()
    paused_at = sea.rows("games")["games"][0]["paused_at"]
    assert paused_at is not None
    sentences = {sea.anna: "A játszma csatornáját törölték", sea.bela: "deleted this game's channel"}
    assert [sum(said in text_of(message) for message in sea.dms(who)) for who, said in sentences.items()] == [1, 1]
    # Béla gives orders all the while, and nobody misses a deadline, however long it takes.
    await sea.write(sea.bela, "B1 FFFFF")
    await sea.env.advance_time(5)  # an edit waits three seconds, and nothing else moves the time here
    await sea.press(sea.bela, sea.panel(sea.bela), "seal")
    await sea.env.advance_time(6 * 3_600)  # long past the deadline
    assert [sum(said in text_of(message) for message in sea.dms(who)) for who, said in sentences.items()] == [1, 1]
    assert sea.rows("games")["games"][0]["step_no"] == before["step_no"]
    assert not [row["key"] for row in sea.rows("outbox")["outbox"] if row["problem"]]
    # Nobody moves it who doesn't play and isn't in charge; the host, who could have deleted the channel, needn't.
    refused = await sea.command(sea.cili, "host repost", at=other, game="1")
    assert "host" in refused
    await sea.command(sea.bela, "host repost", at=other, game="1")
    assert "host" in await sea.command(sea.bela, "host repost", at=other, game="1")
    (after,) = sea.rows("games")["games"]
    assert (after["channel_id"], after["paused_at"]) == (other.id, None)
    waited = int(sea.now().timestamp()) - paused_at
    assert after["deadline"] == before["deadline"] + waited
    await sea.env.settle()
    (thread,) = other.threads
    said = "\n".join(map(text_of, thread.history()))
    assert "begins" in said or "kezdődik" in said
    assert "Sealed by bela" in said or "Lepecsételve (bela)" in said
    # And it goes on as ever.
    await sea.seal(sea.anna, "A1 FFFFF")
    assert sea.rows("games")["games"][0]["step_no"] > before["step_no"]
    waiting = [row for row in sea.rows("outbox")["outbox"] if row["sent"] < row["wanted"] and row["user_id"] is None]
    assert not [row["key"] for row in waiting]
    assert len([row for row in sea.rows("outbox")["outbox"] if row["kind"] == "homeless"]) == 2


async def test_a_lobby_whose_channel_was_deleted_is_moved(sea: Sea) -> None:
    other = sea.guild.create_text_channel("harbour")
    await sea.command(sea.anna, "new", galleys="1")
    await sea.bot.get_channel(sea.channel.id).delete()
    await sea.env.settle()
    assert sum("deleted this game's" in text_of(message) for message in sea.dms(sea.anna)) == 1
    await sea.command(sea.anna, "host repost", at=other, game="1")
    await sea.press(sea.bela, other.last_message, "join 1")
    await sea.press(sea.anna, other.last_message, "start")
    assert len(other.threads) == 1
    assert sea.rows("games")["games"][0]["phase"] == "running"


async def test_a_game_is_not_moved_where_games_are_not_told(sea: Sea) -> None:
    other, allowed = (sea.guild.create_text_channel(name) for name in ("harbour", "arsenal"))
    await sea.begin_at(AFAR, sea.bela)
    sea.change_rows("INSERT INTO servers (guild_id, channels) VALUES (?, ?)", sea.guild.id, f"[{allowed.id}]")
    await sea.bot.get_channel(sea.channel.id).delete()
    await sea.env.settle()
    assert f"<#{allowed.id}>" in await sea.command(sea.anna, "host repost", at=other, game="1")
    assert sea.rows("games")["games"][0]["channel_id"] == sea.channel.id
    await sea.command(sea.anna, "host repost", at=allowed, game="1")
    assert sea.rows("games")["games"][0]["channel_id"] == allowed.id


@pytest.mark.parametrize("place", ["thread", "channel"])
async def test_a_place_that_is_deleted_during_a_step_loses_none_of_it(sea: Sea, workers: Workers, place: str) -> None:
    other = sea.guild.create_text_channel("harbour")
    await sea.begin_at(AFAR, sea.bela)
    await sea.seal(sea.anna, "A1 FFFFF")
    await sea.write(sea.bela, "B1 FFFFF")
    panel = sea.panel(sea.bela)
    doomed, resolved = (
        sea.bot.get_channel(sea.thread.id if place == "thread" else sea.channel.id),
        resolving(sea, workers),
    )
    with sea.at_once():
        await sea.press(sea.bela, panel, "seal")
        await resolved.wait()
        await doomed.delete()
    await sea.env.settle()
    await sea.env.advance_time(3600)
    assert sea.rows("games")["games"][0]["step_no"] == 1
    if place == "channel":
        assert sea.rows("games")["games"][0]["paused_at"] is not None
        assert sum("deleted this game's" in text_of(message) for message in sea.dms(sea.anna)) == 1
        await sea.command(sea.anna, "host repost", at=other, game="1")
        sea.channel = other
    assert "Round 1" in sea.told()
    assert await sea.asked(sea.anna)
    assert await sea.asked(sea.bela)
    assert not [row["key"] for row in sea.rows("outbox")["outbox"] if row["problem"]]


def resolving(sea: Sea, workers: Workers) -> asyncio.Event:
    """Return an event that is set during the milliseconds in which a round is resolved, when only its job is sure to be
    done."""
    is_resolving = asyncio.Event()
    (here,) = workers._idle

    def begun(_: Any) -> None:
        if sea.rows("games")["games"][0]["phase"] == "resolving":
            is_resolving.set()

    here.begun = begun  # type: ignore[attr-defined]
    return is_resolving


class Exile:
    def __init__(self, sea: Sea) -> None:
        self._sea = sea
        self._backend = sea.env.backend

    async def remove(self) -> None:
        self.shut_out()
        await self._sea.env.settle()

    def shut_out(self) -> None:
        """Refuse all requests about the server from now on."""
        places = (f"/channels/{self._sea.channel.id}*", f"/channels/{self._sea.thread.id}*")
        for path in places:
            self._sea.env.inject_error("*", path, status=403, code=50001, times=None)
        self._sea.env.inject_error("*", f"/guilds/{self._sea.guild.id}*", status=404, code=10004, times=None)
        self._backend.emit("GUILD_DELETE", {"id": str(self._sea.guild.id)})

    def invite(self) -> None:
        self._backend.faults.clear()
        guild = self._backend.guilds[self._sea.guild.id]
        payload = guild_create_payload(self._backend, guild)
        # Only of a server that was known before does Discord say whether it is there.
        self._backend.emit("GUILD_CREATE", {key: value for key, value in payload.items() if key != "unavailable"})


async def test_a_game_waits_while_the_bot_is_removed_from_its_server(sea: Sea) -> None:
    captains = {sea.anna: EN, sea.bela: HU}
    sea.languages[sea.bela.id] = "hu"
    await sea.begin_at(AFAR, sea.bela, phase="4h")
    await sea.env.advance_time(600)
    (before,) = sea.rows("games")["games"]
    exile = Exile(sea)
    await exile.remove()
    paused_at = sea.rows("games")["games"][0]["paused_at"]
    assert paused_at is not None

    def told(who: Any) -> int:
        return sum(captains[who].say("captain.exiled") in text_of(message) for message in sea.dms(who))

    assert [told(who) for who in captains] == [1, 1]
    # Orders are given all the while; no deadline passes, and nobody can wish the bot back.
    await sea.write(sea.bela, "B1 FFFFF")
    await sea.env.advance_time(5)  # an edit waits three seconds, and nothing else moves the time here
    await sea.press(sea.bela, sea.panel(sea.bela), "seal")
    await sea.env.advance_time(6 * 3_600)  # long past the deadline
    for command, options in (("extend", {"pause": False}), ("host resume", {})):
        for sea.languages[sea.anna.id], texts in (("hu", HU), ("en-US", EN)):
            assert texts.say("refuse.exiled") in await sea.direct_command(sea.anna, command, game="1", **options)
    assert [told(who) for who in captains] == [1, 1]
    assert sea.rows("games")["games"][0]["step_no"] == before["step_no"]
    # The bot tells nobody about permissions, because they are not what is missing.
    assert not [row["key"] for row in sea.rows("outbox")["outbox"] if row["kind"] in ("lacking", "homeless")]
    invited_at = int(sea.now().timestamp())
    exile.invite()
    await sea.env.settle()
    (after,) = sea.rows("games")["games"]
    assert after["paused_at"] is None
    assert after["deadline"] == before["deadline"] + invited_at - paused_at
    assert "removed me from this server" in sea.told()
    assert "I'm back on this server" in sea.told()
    assert "Sealed by bela" in sea.told()
    await sea.seal(sea.anna, "A1 FFFFF")
    assert "Round 1" in sea.told()
    # It may happen again, and the bot tells it again.
    await exile.remove()
    assert [told(who) for who in captains] == [2, 2]
    assert not [row["key"] for row in sea.rows("outbox")["outbox"] if row["problem"]]


async def test_a_bot_that_was_removed_and_invited_while_it_was_stopped_finds_out_when_it_starts(sea: Sea) -> None:
    await sea.begin_at(AFAR, sea.bela, phase="4h")
    exile = Exile(sea)
    await sea.bot.close()
    guild = sea.env.backend.guilds.pop(sea.guild.id)
    await exile.remove()
    sea.bot = sea.make_bot()
    await sea.env.restart_bot(sea.bot)
    await sea.env.settle()
    await sea.env.advance_time(6 * 3_600)
    assert sea.rows("games")["games"][0]["step_no"] == 0
    assert [row["kind"] for row in sea.rows("acts")["acts"]] == ["exiled"]
    await sea.bot.close()
    sea.env.backend.guilds[sea.guild.id] = guild
    exile.invite()
    sea.bot = sea.make_bot()
    await sea.env.restart_bot(sea.bot)
    await sea.env.settle()
    assert [row["kind"] for row in sea.rows("acts")["acts"]] == ["exiled", "readmitted"]
    await sea.both_seal()
    assert sea.rows("games")["games"][0]["step_no"] == 1


@pytest.mark.begun
async def test_a_bot_that_is_removed_during_a_step_tells_it_when_it_is_back(sea: Sea, workers: Workers) -> None:
    await sea.seal(sea.anna, "A1 FFFFF")
    await sea.write(sea.bela, "B1 FFFFF")
    panel, exile, resolved = sea.panel(sea.bela), Exile(sea), resolving(sea, workers)
    with sea.at_once():
        await sea.press(sea.bela, panel, "seal")
        await resolved.wait()
        exile.shut_out()
    await sea.env.settle()
    await sea.env.advance_time(3600)
    (game,) = sea.rows("games")["games"]
    assert (game["step_no"], game["phase"], game["paused_at"] is None) == (1, "running", False)
    exile.invite()
    await sea.env.settle()
    await sea.env.advance_time(1000)
    assert sea.told().count("Round 1\n") == 1
    assert sea.rows("games")["games"][0]["paused_at"] is None


@pytest.mark.begun
async def test_games_on_other_servers_go_on(sea: Sea) -> None:
    pond = sea.env.create_guild("Pond")
    pond.create_text_channel("hall")
    await sea.env.settle()
    sea.env.inject_error("*", f"/guilds/{pond.id}*", status=404, code=10004, times=None)
    sea.env.backend.emit("GUILD_DELETE", {"id": str(pond.id)})
    await sea.env.settle()
    assert sea.rows("games")["games"][0]["paused_at"] is None
    assert sea.rows("acts")["acts"] == []
