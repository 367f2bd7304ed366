"""Settings of a server: who may open games, where and how many, and their language."""

from __future__ import annotations

from bot.texts.i18n import Catalogue
from bot.texts.style import Markup
from tests.sea import Sea

EN, HU = Catalogue.load("en"), Catalogue.load("hu")


def games(sea: Sea) -> int:
    return len(sea.rows("games")["games"])


async def test_only_managers_see_and_change_the_settings(sea: Sea) -> None:
    await sea.command(sea.anna, "new")  # a host is no manager
    sea.languages[sea.bela.id] = "hu"
    assert EN.say("refuse.managers_only") in await sea.command(sea.anna, "host settings")
    assert HU.say("refuse.managers_only") in await sea.command(sea.bela, "host settings", most_games=1)
    assert EN.say("refuse.guild_only") in await sea.direct_command(sea.anna, "host settings")
    assert sea.rows("servers")["servers"] == []
    said = await sea.command(sea.manager(), "host settings")
    assert "everyone" in said
    assert "in every channel" in said
    assert "unlimited" in said
    assert sea.answers[0].flags.ephemeral


async def test_games_are_opened_by_those_of_a_role(sea: Sea) -> None:
    chief = sea.manager()
    captains = sea.guild.create_role("captains")
    assert f"<@&{captains.id}>" in await sea.command(chief, "host settings", creators=captains)
    emma = sea.guild.add_member(sea.env.create_user("emma"), roles=[captains])
    assert EN.say("refuse.not_a_creator", role=Markup(f"<@&{captains.id}>")) in await sea.command(sea.anna, "new")
    assert games(sea) == 0
    await sea.command(emma, "new")
    await sea.command(chief, "new")
    assert games(sea) == 2
    await sea.command(sea.anna, "join", game="1")  # playing needs no role
    assert sea.rows("seats")["seats"][1]["user_id"] == sea.anna.id
    assert "everyone" in await sea.command(chief, "host settings", everybody=True)
    await sea.command(sea.anna, "new")
    assert games(sea) == 3


async def test_games_are_opened_where_it_is_allowed(sea: Sea) -> None:
    chief, harbour, tavern = sea.manager(), sea.channel, sea.guild.create_text_channel("tavern")
    await sea.command(chief, "host settings", allow=tavern)
    said = await sea.command(sea.anna, "new", at=harbour)
    assert EN.say("refuse.other_channels", channels=Markup(f"<#{tavern.id}>")) in said
    assert EN.say("refuse.other_channels", channels=Markup(f"<#{tavern.id}>")) in await sea.command(chief, "new")
    await sea.command(sea.anna, "new", at=tavern)
    assert games(sea) == 1
    assert f"<#{tavern.id}> isn't one of the allowed channels" in await sea.command(
        chief, "host settings", forbid=tavern
    )
    await sea.command(chief, "host settings", allow=harbour, forbid=tavern)
    await sea.command(sea.anna, "new", at=tavern)
    assert games(sea) == 1
    await sea.command(sea.anna, "new", at=harbour)
    assert games(sea) == 2
    await sea.command(chief, "host settings", anywhere=True)
    await sea.command(sea.anna, "new", at=tavern)
    assert games(sea) == 3
    # A game that was opened where none may be opened any more goes on.
    await sea.command(chief, "host settings", allow=tavern)
    await sea.command(sea.bela, "join", game="2")
    await sea.command(sea.anna, "start", game="2")
    assert sea.rows("games")["games"][1]["phase"] == "running"


async def test_a_server_limits_its_games(sea: Sea) -> None:
    chief = sea.manager()
    sea.languages[sea.bela.id] = "hu"
    await sea.command(chief, "host settings", most_games=1)
    await sea.restart()
    await sea.command(sea.anna, "new")
    assert HU.say("refuse.server_full", most=1) in await sea.command(sea.bela, "new")
    assert games(sea) == 1
    # It binds no other server.
    pond = sea.env.create_guild("Pond")
    await sea.command(pond.add_member(sea.cili.user), "new", at=pond.create_text_channel("hall"))
    assert games(sea) == 2
    await sea.command(sea.anna, "cancel", game="1")
    await sea.press(sea.anna, sea.answers[-1], "leave sure")
    await sea.command(sea.bela, "new")
    assert games(sea) == 3
    await sea.command(chief, "host settings", most_games=0)
    await sea.command(sea.anna, "new")
    assert games(sea) == 4


async def test_threads_speak_the_language_that_the_server_has_chosen(sea: Sea) -> None:
    chief = sea.manager()
    assert "magyar" in await sea.command(chief, "host settings", threads="hu")
    await sea.begin(sea.bela, galleys="1")
    assert HU.say("button.my_orders") in str([call.json for call in sea.env.http_requests])
    assert sea.rows("games")["games"][0]["locale"] == "hu"
    await sea.command(chief, "host settings", threads="server")
    await sea.command(sea.anna, "new")
    assert sea.rows("games")["games"][1]["locale"] == "en"
