"""Strangers learn nothing of a game by any command, suggestion, button or message, wherever sent."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import discord
import pytest
from discord import app_commands

from bot.discord.delivery.members import FAILURE_MEMORY_S, MEMORY_S
from bot.discord.ids import CustomId
from bot.texts.i18n import Catalogue
from tests.sea import AFAR, Sea, refs, text_of

EN = Catalogue.load("en")
SECRETS = ("Mylae", "bela", "A1 ", "B1 ")
"""Texts that only people who may see the game can get."""
NO_GAME_IS_MEANT = {f"galley {name}" for name in ("games", "help", "ladder", "learn", "me", "new", "history profile")}
NO_GAME_IS_MEANT |= {"galley-host settings"}
"""Commands that concern no game that anybody could name; their answers are looked through all the same."""
GIVEN = {"whose": "#1", "text": "A1 F", "round": 1, "to_round": 1}
"""Values for options that must be given."""


def refused(number: int) -> str:
    return EN.say("refuse.unknown_game", piece=f"#{number}")


def leaves(command: Any) -> Iterator[Any]:
    if isinstance(command, app_commands.Group):
        for child in command.commands:
            yield from leaves(child)
    else:
        yield command


def commands(sea: Sea) -> list[Any]:
    return [leaf for root in sea.bot.tree.get_commands(type=discord.AppCommandType.chat_input) for leaf in leaves(root)]


def forged(sea: Sea, message: Any, was: CustomId, ref: CustomId) -> None:
    waiting = list(sea.env.backend.messages[message.channel.id][message.id].components)
    while waiting:
        component = waiting.pop()
        if component.get("custom_id") == was.pack():
            component["custom_id"] = ref.pack()
            return
        waiting += [*component.get("components", []), *filter(None, [component.get("accessory")])]
    raise AssertionError("no such button")


class Stranger:
    """A person who asks, in direct messages or on a server of their own."""

    def __init__(self, sea: Sea, who: Any, at: Any = None) -> None:
        self.sea, self.who, self.at = sea, who, at
        self.actor = who if at else who.user
        self.page: Any = None
        """A message of theirs with buttons."""
        self.button: CustomId
        """The custom id of a button of that message."""

    async def command(self, name: str, **options: Any) -> str:
        if self.at:
            return await self.sea.command(self.who, name, at=self.at, **options)
        return await self.sea.direct_command(self.who, name, **options)

    async def suggestions(self, name: str, option: str, **options: Any) -> list[Any]:
        if self.at:
            return list(await self.who.autocomplete(self.at, self.sea.full_name(name), option, "", **options))
        return list(await self.who.user.autocomplete(self.sea.full_name(name), option, "", **options))

    async def forge(self, ref: CustomId) -> str:
        if self.page is None:
            await self.command("learn")
            (self.page,) = [answer for answer in self.sea.answers if refs(answer)]
            self.button = next(ref for ref in refs(self.page).values() if ref.verb.startswith("lesson"))
        forged(self.sea, self.page, self.button, ref)
        self.button = ref
        result = await self.actor.click(self.page, custom_id=ref.pack())
        return self.sea.said(result, pressed=self.page.id)


def stranger(sea: Sea, *, direct: bool) -> Stranger:
    pond = sea.env.create_guild("Pond")
    role = pond.create_role("chief", permissions=discord.Permissions(manage_guild=True))
    dora = pond.add_member(sea.env.create_user("dora"), roles=[role])
    return Stranger(sea, dora, None if direct else pond.create_text_channel("hall"))


async def play_a_round(sea: Sea) -> None:
    await sea.both_seal()


def options(command: Any, sea: Sea) -> dict[str, Any]:
    needed = {parameter.display_name: parameter for parameter in command.parameters if parameter.required}
    users = {
        name: sea.anna.user for name, parameter in needed.items() if parameter.type is discord.AppCommandOptionType.user
    }
    return {name: GIVEN[name] for name in needed if name in GIVEN} | users


async def test_to_a_stranger_there_is_no_such_game_in_any_command(sea: Sea) -> None:
    await sea.begin_at(AFAR, sea.bela, name="Mylae")
    await play_a_round(sea)
    await sea.command(sea.anna, "new", name="Mylae 2")
    before = sea.rows("games", "seats", "requests", "answers", "steps", "acts")
    for dora in (stranger(sea, direct=True), stranger(sea, direct=False)):
        counts = [await _ask(sea, dora, command) for command in commands(sea)]
        assert sum(counts) > 20
        for verb in sea.bot.router.handlers:
            if not verb.startswith("lesson"):
                ref = CustomId(verb=verb, game=1, version=1, request="r2.orders.0", token="0")
                said = await dora.forge(ref)
                if verb == "rule":  # a rule is read without its game
                    assert EN.say("refuse.unknown_rule", piece="0", example="MB-1.1") in said
                    assert not [secret for secret in SECRETS if secret in said]
                else:
                    assert said == refused(1), verb
        for number in (2, 77):
            assert await dora.command("join", game=str(number)) == refused(number)
            assert await dora.forge(CustomId(verb="join", game=number, token="1")) == refused(number)
        assert await sea.write(dora.who, "#1 A1 FFFFF") == refused(1)
        assert await sea.write(dora.who, "#77 A1 FFFFF") == refused(77)
    assert sea.rows("games", "seats", "requests", "answers", "steps", "acts") == before


async def _ask(sea: Sea, dora: Stranger, command: Any) -> bool:
    """Use a command on a game, and its suggestions; return if an answer names a game."""
    name = command.qualified_name
    values = options(command, sea)
    names_a_game = "game" in {parameter.name for parameter in command.parameters}  # of `new` it is which game
    assert names_a_game != (name in NO_GAME_IS_MEANT), f"{name}: may a stranger see what it shows?"
    if names_a_game:
        values["game"] = "1"
    elif name == "galley history profile":
        values["user"] = sea.anna.user
    if name not in ("galley new", "galley learn"):
        said = await dora.command(name, **values)
        assert len(sea.answers) == 1
        if names_a_game:
            assert said in (refused(1), EN.say("refuse.guild_only")), (name, said)
        assert not [secret for secret in SECRETS if secret in said], (name, said)
    for option in command.parameters:
        if option.autocomplete and names_a_game:
            assert await dora.suggestions(name, option.display_name, **values) == [], (name, option.name)
    return names_a_game


async def test_members_of_its_server_and_its_captains_see_a_game_wherever_they_ask(sea: Sea) -> None:
    await sea.begin_at(AFAR, sea.bela, name="Mylae")
    await play_a_round(sea)
    pond = sea.env.create_guild("Pond")
    hall, cili = pond.create_text_channel("hall"), pond.add_member(sea.cili.user)
    assert "A1" in await sea.direct_command(sea.cili, "status", game="1")
    assert "A1" in await sea.command(cili, "status", at=hall, game="1")
    # However much Cili asks within some minutes, the bot asks Discord once.
    lookups = [call for call in sea.env.http_requests if f"/guilds/{sea.guild.id}/members/" in call.path]
    assert len(lookups) == 1
    # A captain needs no check, even after leaving the server.
    sea.guild.remove_member(sea.bela)
    assert "A1" in await sea.direct_command(sea.bela, "status", game="1")
    # People who have left the server see no more of it, once what the bot remembers of them is out of date.
    sea.guild.remove_member(sea.cili)
    await sea.env.advance_time(MEMORY_S + 1)
    assert await sea.direct_command(sea.cili, "status", game="1") == refused(1)


@pytest.mark.begun
async def test_what_cannot_be_found_out_is_refused(sea: Sea) -> None:
    path = f"/guilds/{sea.guild.id}/members/{sea.cili.id}"
    sea.env.inject_error("GET", path, status=403, code=50001, message="Missing Access", times=1)
    assert await sea.direct_command(sea.cili, "status", game="1") == refused(1)
    assert await sea.direct_command(sea.cili, "status", game="1") == refused(1)
    assert len([call for call in sea.env.http_requests if call.path == path]) == 1
    await sea.env.advance_time(FAILURE_MEMORY_S + 1)
    assert "A1" in await sea.direct_command(sea.cili, "status", game="1")


async def test_with_the_privileged_intent_nothing_is_asked(sea: Sea, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMBERS_INTENT", "true")
    sea.env.approved_intents = discord.Intents.all()
    await sea.restart()
    emil = sea.member("emil")
    await sea.begin_at(AFAR, sea.bela)
    assert "A1" in await sea.direct_command(emil, "status", game="1")
    assert not [call for call in sea.env.http_requests if "/members/" in call.path]


async def test_a_private_game_is_for_its_captains_and_managers(sea: Sea) -> None:
    await sea.command(sea.anna, "new", private=True, opponent=sea.bela, name="Mylae")
    chief = sea.manager()
    assert await sea.command(sea.cili, "join", game="1") == refused(1)
    assert await sea.command(sea.cili, "join") == EN.say("refuse.no_game")
    assert not await sea.cili.autocomplete(sea.channel, "galley join", "game", "")
    assert EN.say("refuse.private") in await sea.command(chief, "join", game="1")
    await sea.direct_command(sea.bela, "join", game="1")  # the seat is kept for Béla
    sea.change_rows("UPDATE games SET setup = json_set(setup, '$.position', ?)", AFAR)
    await sea.command(sea.anna, "start")
    await play_a_round(sea)
    story = next(message for message in reversed(sea.thread.history()) if "log" in refs(message))
    for key in ("why", "log", "view"):
        assert await sea.press(sea.cili, story, key) == refused(1)
        assert "A1" in await sea.press(chief, story, key)
        assert "A1" in await sea.press(sea.bela, story, key)
    assert await sea.command(sea.cili, "status", at=sea.thread) == refused(1)
    assert await sea.direct_command(sea.cili, "export", game="1") == refused(1)
    assert "A1" in await sea.direct_command(chief, "status", game="1")


@pytest.mark.usefixtures("every_game_counts")
@pytest.mark.begun
async def test_a_profile_is_for_who_is_where_its_captain_has_played(sea: Sea) -> None:
    await sea.concede(sea.bela)
    for direct in (True, False):
        dora = stranger(sea, direct=direct)
        assert await dora.command("profile", user=sea.anna.user) == EN.say("say.no_profile", who="anna")
        assert await dora.command("profile", user=sea.cili.user) == EN.say("say.no_profile", who="cili")
    assert "1 won" in await sea.direct_command(sea.cili, "profile", user=sea.anna)
    assert "1 won" in await sea.direct_command(sea.anna, "profile")
    assert "1 won" in await sea.command(sea.cili, "profile", user=sea.anna)


async def test_nobody_who_is_no_member_is_invited(sea: Sea) -> None:
    dora = sea.env.create_user("dora")
    assert "isn't a member" in await sea.command(sea.anna, "new", opponent=dora)
    assert sea.rows("games")["games"] == []


async def test_who_is_awaited_does_not_tell_of_what_nobody_waits_for(sea: Sea) -> None:
    await sea.begin(sea.bela, system="forts")
    sea.change_rows("UPDATE requests SET optional = true, status = 'open' WHERE seat = 1")
    waiting = (await sea.command(sea.cili, "status", game="1")).splitlines()[1]
    assert "anna" in waiting
    assert "bela" not in waiting


@pytest.mark.parametrize("name", ["\u200b", "\u202e\u2066", "\u3164", "\u2800 \u115f"])
async def test_a_name_that_shows_nothing_titles_no_lobby(sea: Sea, name: str) -> None:
    ghost = sea.member("ghost", global_name=name)
    await sea.command(ghost, "new", name="\u200b\u200b")
    assert "ghost" in text_of(sea.channel.history()[-1])
    assert sea.rows("games")["games"][0]["name"] == ""
