"""The sandbox, with a toy for a bot: what people do, what they see, restarts, and what is kept on disk."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest
from aiohttp.test_utils import TestClient, TestServer
from simcord.backend import Backend
from yarl import URL

from bot.sandbox import acts, private, snapshot
from bot.sandbox.known import all_channels
from bot.sandbox.screen import draw_screen, offered_commands
from bot.sandbox.server import bind_port, create_application
from bot.sandbox.snapshot import SnapshotError
from bot.sandbox.world import SandboxWorld, SimulatorRefusal
from rules.core.registry import RULESETS
from tests.bot.sandbox.toybot import Toy

TOYS = ("new", "find", "fail", "language", "server")
NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)


def opened(folder: Path) -> contextlib.AbstractAsyncContextManager[SandboxWorld]:
    return SandboxWorld.open(lambda clock: Toy(clock, folder / "toy.sqlite"), folder=folder, now=NOON)


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[SandboxWorld]:
    async with opened(tmp_path) as world:
        yield world


class Person:
    """One player, at one channel of their page."""

    def __init__(self, world: SandboxWorld, index: int = 0, channel: int | None = None) -> None:
        self.world, self.id = world, world.players[index]
        self.channel = channel or world.channel_id

    def at(self, kind: str) -> Person:
        found = next(channel for channel in self.see()["channels"] if channel["kind"] == kind)
        return Person(self.world, self.world.players.index(self.id), int(found["id"]))

    def see(self) -> dict[str, Any]:
        return json.loads(json.dumps(draw_screen(self.world, self.id, self.channel)))

    def last(self) -> dict[str, Any]:
        return self.see()["messages"][-1]

    async def do(self, kind: type[acts.PlayerAction], **fields: Any) -> acts.ActionReply:
        return await self.world.perform(kind(player=self.id, channel=self.channel, **fields))

    async def slash(self, command: str, **options: str) -> acts.ActionReply:
        return await self.do(acts.Slash, command=command, options=options)

    async def click(self, control: str, message: int | None = None) -> acts.ActionReply:
        return await self.do(acts.Click, message=message or int(self.see()["messages"][0]["id"]), control=control)


async def started(world: SandboxWorld) -> Person:
    anna = Person(world)
    await anna.slash("toy new", size="2", name="First")
    await anna.click("start")
    return anna


class TestActs:
    async def test_a_command_is_answered_where_all_can_see_it(self, world: SandboxWorld) -> None:
        await Person(world).slash("toy new", name="First")
        assert "First" in str(Person(world, 1).last()["components"])
        assert Person(world, 1).last()["interaction_metadata"]["name"] == "toy new"

    async def test_a_thread_appears_for_all_and_is_marked_until_looked_at(self, world: SandboxWorld) -> None:
        anna = await started(world)
        for index in range(3):
            thread = next(channel for channel in Person(world, index).see()["channels"] if channel["kind"] == "thread")
            assert thread["unread"]
            Person(world, index, int(thread["id"])).see()
            thread = next(channel for channel in Person(world, index).see()["channels"] if channel["kind"] == "thread")
            assert not thread["unread"]
        assert anna.see()["messages"][0]["thread"] == thread["id"]

    async def test_only_the_player_concerned_sees_their_panel(self, world: SandboxWorld) -> None:
        anna = await started(world)
        assert [player["unread"] for player in anna.see()["players"]] == [True, False, False]
        panel = anna.at("dm")
        assert "Orders" in str(panel.last()["components"])
        stranger = Person(world, 1, panel.channel)
        assert stranger.see()["channel"] == str(world.channel_id)
        assert not any(player["unread"] for player in anna.see()["players"])

    async def test_a_message_is_edited_in_place_with_a_new_picture(self, world: SandboxWorld) -> None:
        panel = (await started(world)).at("dm")
        before = panel.last()
        await panel.click("press:L")
        after = panel.last()
        assert after["id"] == before["id"]
        assert "`L`" in str(after["components"])
        assert after["attachments"][0]["id"] != before["attachments"][0]["id"]

    async def test_a_deferred_answer_and_a_typed_message_are_answered(self, world: SandboxWorld) -> None:
        panel = (await started(world)).at("dm")
        await panel.click("seal")
        assert panel.last()["content"] == "Sealed `nothing`."
        assert not panel.last()["loading"]
        await panel.do(acts.Send, text="hello")
        assert panel.last()["content"].startswith("You told me 1 things")

    async def test_what_only_one_sees_can_be_put_away(self, world: SandboxWorld) -> None:
        anna = Person(world)
        await anna.slash("toy find", game="alpha", player=str(world.players[1]))
        assert anna.last()["ephemeral"]
        assert f"<@{world.players[1]}>" in anna.last()["content"]
        assert not Person(world, 1).see()["messages"]
        await anna.do(acts.Dismiss, message=int(anna.last()["id"]))
        assert not anna.see()["messages"]

    async def test_a_file_that_is_chosen_in_a_form_arrives_whole(self) -> None:
        values = b'{"file":{"name":"m.txt","data":"/w=="},"a":"b"}'
        sent = b'{"do":"submit","player":1,"channel":2,"form":"3","values":%s}' % values
        act = msgspec.json.decode(sent, type=acts.AnyAction)
        assert act.as_sent() == {"file": [("m.txt", b"\xff")], "a": "b"}

    async def test_forms_and_menus(self, world: SandboxWorld) -> None:
        panel = (await started(world)).at("dm")
        form = (await panel.click("Type orders")).form
        assert form is not None
        assert form["title"] == "Type orders"
        field = form["components"][0]["component"]["custom_id"]
        with pytest.raises(SimulatorRefusal, match="max_length"):
            await panel.do(acts.Submit, form=form["id"], values={field: "x" * 41})
        await panel.do(acts.Submit, form=form["id"], values={field: "FFXRX"})
        assert panel.last()["content"] == "You typed FFXRX"
        form = (await panel.click("Standing orders")).form
        await panel.do(acts.Submit, form=form["id"], values={form["components"][0]["component"]["custom_id"]: ["hold"]})
        assert panel.last()["content"] == "You will hold."
        with pytest.raises(SimulatorRefusal, match="gone"):
            await panel.do(acts.Submit, form="12", values={})
        await panel.do(acts.Select, message=int(panel.see()["messages"][0]["id"]), control="galley", values=["3"])
        assert panel.last()["content"] == "You chose 3."

    async def test_trouble_is_told_and_never_lost(self, world: SandboxWorld) -> None:
        reply = await Person(world).slash("toy fail")
        assert reply.trouble[0] == "silence"
        assert "the toy is broken" in reply.trouble[1]
        with pytest.raises(SimulatorRefusal, match="size"):
            await Person(world).slash("toy new", size="many")
        with pytest.raises(SimulatorRefusal, match="must be ≤ 8"):
            await Person(world).slash("toy new", size="9")
        with pytest.raises(SimulatorRefusal):
            await Person(world, 0, 77).do(acts.Send, text="into the void")

    async def test_what_is_gone_from_a_message_reaches_the_bot_as_it_was_seen(self, world: SandboxWorld) -> None:
        anna = await started(world)
        panel = anna.at("dm")
        await anna.click("seal")  # a button that the lobby never had, but the toy knows
        assert anna.last()["content"] == "Sealed `nothing`."
        await panel.click("press:X")  # a button that is there, but disabled by now
        assert "`X`" in str(panel.last()["components"])
        lobby = int(anna.see()["messages"][0]["id"])
        await anna.do(acts.Select, message=lobby, control="galley", values=["9"])
        assert anna.last()["content"] == "You chose 9."
        assert (await anna.click("nobody:knows")).trouble == ["silence"]

    async def test_anna_manages_the_server_and_it_speaks_what_the_page_speaks(self, world: SandboxWorld) -> None:
        guild = world.env.bot.get_guild(world.guild.id)
        manage = [(await guild.fetch_member(player)).guild_permissions.manage_guild for player in world.players]
        assert manage == [True, False, False]
        await world.perform(acts.Speak(locale="hu"))
        assert str(guild.preferred_locale) == "hu"
        with pytest.raises(SimulatorRefusal, match="no language 'fr'"):
            await world.perform(acts.Speak(locale="fr"))

    async def test_what_others_have_begun_stays_in_its_language(self, world: SandboxWorld) -> None:
        guild = world.env.bot.get_guild(world.guild.id)
        assert guild is not None
        await Person(world).slash("toy new")
        await world.perform(acts.Speak(locale="hu"))
        assert str(guild.preferred_locale) == "en-US"
        # What somebody opens who reads Hungarian speaks it.
        await Person(world, 1).do(acts.Slash, command="toy server", locale="hu")
        assert Person(world, 1).last()["content"] == "hu"
        assert str(guild.preferred_locale) == "en-US"

    async def test_two_acts_at_once_are_done_one_after_the_other(self, world: SandboxWorld) -> None:
        panel = (await started(world)).at("dm")
        await asyncio.gather(*(panel.do(acts.Send, text=str(number)) for number in range(5)))
        texts = [message["content"] for message in panel.see()["messages"] if message["author"]["bot"]]
        assert [f"You told me {number} things" in text for number, text in enumerate(texts[1:], start=1)] == [True] * 5


class TestTimeAndRestart:
    async def test_time_stands_still_until_it_is_let_pass(self, world: SandboxWorld) -> None:
        await Person(world).slash("toy language")
        assert world.env.now() == NOON
        await world.perform(acts.Advance(hours=1))
        assert world.env.now() == NOON + timedelta(hours=1)
        assert Person(world).last()["content"] == "en-US"
        await world.perform(acts.Advance(hours=24))
        assert Person(world).last()["content"] == "A day has passed."


class TestKeeping:
    async def test_everything_is_there_after_stopping_and_starting(self, tmp_path: Path) -> None:
        async with opened(tmp_path) as world:
            panel = (await started(world)).at("dm")
            await panel.click("press:F")
            await world.perform(acts.Advance(hours=5))
            before = everything(world)
            commands = offered_commands(world, panel.id, world.channel_id, "hu")
        async with opened(tmp_path) as world:
            assert world.env.now() == NOON + timedelta(hours=5)
            assert not any(channel["unread"] for channel in Person(world, 1).see()["channels"])
            assert everything(world) == before
            assert offered_commands(world, panel.id, world.channel_id, "hu") == commands
            panel = Person(world, 0, panel.channel)
            await panel.click("press:L")  # an old message, pressed in a new world
            await panel.do(acts.Send, text="three")
            numbers = [message["id"] for message in panel.see()["messages"]]
            assert len(numbers) == len(set(numbers)) == 3
            await world.perform(acts.Advance(hours=24))
            assert Person(world).last()["content"] == "A day has passed."

    async def test_pictures_are_kept_while_they_are_shown(self, tmp_path: Path) -> None:
        async with opened(tmp_path) as world:
            panel = (await started(world)).at("dm")
            for _ in range(4):
                await panel.click("press:F")
            names = {path.name for path in (tmp_path / "media").iterdir()}
            assert panel.last()["attachments"][0]["id"] in names
            assert len(names) == 2  # the thread's and the panel's last
        async with opened(tmp_path) as world:
            assert len(private.uploaded_files(world.env.backend)) == 2

    async def test_each_act_is_saved_at_once(self, tmp_path: Path) -> None:
        async with opened(tmp_path) as world:
            await Person(world).slash("toy new", name="Kept")
            assert "Kept" in (tmp_path / "discord.json").read_text()

    @pytest.mark.parametrize("broken", [b"", b"{}", b'{"format":0,"simcord":"0"}', b"\x00\xff", "half"])
    async def test_a_broken_snapshot_is_refused_and_left_as_it_is(self, tmp_path: Path, broken: bytes | str) -> None:
        async with opened(tmp_path) as world:
            await started(world)
        file = tmp_path / "discord.json"
        if broken == "half":
            broken = file.read_bytes()[:-500]
        file.write_bytes(broken)
        with pytest.raises(SnapshotError, match="discord"):
            async with opened(tmp_path):
                pass
        assert file.read_bytes() == broken

    async def test_a_snapshot_without_its_pictures_is_refused(self, tmp_path: Path) -> None:
        async with opened(tmp_path) as world:
            await started(world)
        for path in (tmp_path / "media").iterdir():
            path.unlink()
        with pytest.raises(SnapshotError):
            async with opened(tmp_path):
                pass

    async def test_a_world_without_a_folder_keeps_nothing(self, tmp_path: Path) -> None:
        async with SandboxWorld.open(lambda clock: Toy(clock, tmp_path / "toy.sqlite")) as world:
            await started(world)
        assert not (tmp_path / "discord.json").exists()


def everything(world: SandboxWorld) -> list[Any]:
    """Return each player's messages in each channel, and mark them as read."""
    places = [channel.id for channel in all_channels(world.env.backend)]
    return [Person(world, index, place).see()["messages"] for index in range(3) for place in places]


class TestPage:
    @pytest.fixture
    async def page(self, world: SandboxWorld) -> AsyncIterator[TestClient[Any, Any]]:
        async with TestClient(TestServer(create_application(world), host="127.0.0.1")) as client:
            yield client

    async def test_the_page_names_nothing_outside(self, page: TestClient[Any, Any]) -> None:
        for name in ("", "page/app.js", "page/markdown.js", "page/message.js", "page/composer.js", "page/form.js"):
            reply = await page.get(f"/{name}")
            assert reply.status == 200
            assert "script" in reply.content_type or name == ""
            assert "default-src 'self'" in reply.headers["Content-Security-Policy"]
        for name in ("page/none.js", "page/..%2fserver.py", "words/1", "media/1"):
            assert (await page.get(f"/{name}")).status == 404

    async def test_other_sites_are_kept_out(self, page: TestClient[Any, Any]) -> None:
        for host in ("evil.example", "evil.example:80", "127.0.0.1.evil.example:80", "localhost.evil:1", "0.0.0.0:80"):
            for way in ("/", "/screen", "/commands", "/media/1", "/page/app.js"):
                assert (await page.get(way, headers={"Host": host})).status == 403, (host, way)
            assert (await page.post("/do", json={"do": "restart"}, headers={"Host": host})).status == 403
        for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""):
            reply = await page.post("/do", data='{"do":"restart"}', headers={"Content-Type": kind})
            assert reply.status == 415, kind
        reply = await page.options("/do", headers={"Origin": "http://evil.example"})
        assert reply.status == 405
        assert "Access-Control-Allow-Origin" not in reply.headers

    async def test_no_address_leads_out_of_the_page(self, page: TestClient[Any, Any]) -> None:
        for name in ("%2e%2e%2fserver.py", "..%5cserver.py", "%2fetc%2fpasswd", "app.js%00", ".", "%2e%2e", "page"):
            for folder in ("page", "words", "media"):
                assert (await page.get(URL(f"/{folder}/{name}", encoded=True))).status == 404, (folder, name)

    async def test_something_is_shown_for_all_that_is_asked(self, page: TestClient[Any, Any]) -> None:
        first = await (await page.get("/screen")).json()
        for odd in ("9" * 5000, "²", "-1", "٣", "1e3", ""):
            for key in ("player", "channel"):
                reply = await page.get("/screen", params={key: odd})
                assert reply.status == 200, (key, odd)
                assert (await reply.json())["me"] == first["me"]

    def test_only_this_machine_is_listened_to(self) -> None:
        with bind_port(0) as door:
            assert door.getsockname()[0] == "127.0.0.1"

    @pytest.mark.parametrize("text", ["", "[]", '{"do":"fly"}', '{"do":"advance"}', '{"do":"advance","hours":1,"x":2}'])
    async def test_nonsense_is_refused(self, page: TestClient[Any, Any], text: str) -> None:
        reply = await page.post("/do", data=text, headers={"Content-Type": "application/json"})
        assert reply.status == 400
        assert (await reply.json())["refused"]

    async def test_what_discord_refuses_is_told(self, page: TestClient[Any, Any], world: SandboxWorld) -> None:
        act = {
            "do": "click",
            "player": str(world.players[0]),
            "channel": str(world.channel_id),
            "message": "5",
            "control": "x",
        }
        reply = await page.post("/do", json=act)
        assert reply.status == 409
        assert "Unknown Message" in (await reply.json())["refused"]

    async def test_both_languages_have_the_same_words(self, page: TestClient[Any, Any]) -> None:
        english, hungarian = [(await (await page.get(f"/words/{name}")).json()) for name in ("en", "hu")]
        assert english["words"].keys() == hungarian["words"].keys()
        assert hungarian["locale"] == "hu"
        assert (english["next"], hungarian["next"]) == ("hu", "en")
        for locale, language in (("hu-HU", "hu"), ("en-GB", "en"), ("fr", "en")):  # as a browser names its language
            assert (await (await page.get(f"/words/{locale}")).json())["language"] == language
        assert {f"sandbox.guide.{number}" for number in range(1, 6)} <= english["words"].keys()
        for texts in (english, hungarian):  # the guide leads through every game that there is
            assert [game["system"] for game in texts["games"]] == [*RULESETS]
            for game in texts["games"]:
                assert "**" in game["guide"]
                assert bool(game["lesson"]) == bool(RULESETS[game["system"]].lessons)


class TestPrivateNames:
    """A canary for each use of what simcord does not promise: if one fails, simcord has moved something."""

    async def test_a_repeated_nonce_returns_the_first_message(self, world: SandboxWorld) -> None:
        channel = world.env.bot.get_partial_messageable(world.channel_id)
        first, same, other = [await channel.send("Ahoy!", nonce=nonce) for nonce in ("a", "a", "b")]
        assert first.id == same.id != other.id
        await first.delete()
        assert (await channel.send("Ahoy!", nonce="a")).id > other.id

    async def test_clock_numbers_and_files(self) -> None:
        backend = Backend()
        backend.clock.elapsed = 60.0
        assert backend.clock.now() == datetime(2026, 1, 1, 0, 1, tzinfo=UTC)
        first = backend.snowflake()
        private.snowflake_sequences(backend)[next(reversed(private.snowflake_sequences(backend)))] += 5
        assert backend.snowflake() == first + 6
        stored = backend.cdn.store_attachment(7, 8, "a.png", b"x", None)
        assert private.uploaded_files(backend) == {stored["url"]: b"x"}
        assert snapshot._ADDRESS_PATTERN.fullmatch(stored["url"].encode())
        assert snapshot._media_path(Path(), stored["url"]) == Path("7")
