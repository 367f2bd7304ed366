"""A host hands a scenario of his own into the lobby, as a file or as text."""

from __future__ import annotations

from typing import Any

from bot.discord.presses.scenarios import DROP, FORM_MOST
from bot.words.i18n import Catalogue
from tests.fuzz.forger import Forger
from tests.sea import Sea, refs, text_of
from tests.toygame.invariants import STRAIT

EN = Catalogue.load("en")


async def hand_in(sea: Sea, who: Any, **given: Any) -> str:
    """Press the lobby's button, fill in the form, send it; what was answered."""
    lobby = sea.channel.last_message
    shown = await sea.click_only(who, lobby, refs(lobby)["scenario"])
    result = await who.submit_modal(shown, given)
    await sea.env.settle()
    return sea.said(result)


async def test_a_scenario_is_handed_in_as_a_file_or_as_text_and_a_bad_one_is_refused(sea: Sea) -> None:
    await sea.command(sea.anna, "new", system="toygame")
    assert await hand_in(sea, sea.anna, file=("strait.toml", STRAIT.encode())) == EN.say("say.scenario_set")
    assert EN.say("lobby.scenario") in text_of(sea.channel.last_message)
    kept = sea.rows("games")["games"]
    assert "scenario" in kept[0]["setup"]
    for bad in ({"text": "ships = 7"}, {"file": ("x.toml", b"\xff\xfe")}, {"file": ("x.toml", b"#" * 70_000)}):
        said = await hand_in(sea, sea.anna, **bad)
        assert said
        assert said != EN.say("say.scenario_set")
    assert sea.rows("games")["games"] == kept
    lobby = sea.channel.last_message
    assert EN.say("refuse.not_host") in sea.said(await sea.click_only(sea.bela, lobby, refs(lobby)["scenario"]))
    assert await hand_in(sea, sea.anna, text="") == EN.say("say.scenario_gone")
    assert EN.say("lobby.scenario") not in text_of(sea.channel.last_message)
    assert await hand_in(sea, sea.anna, text=STRAIT) == EN.say("say.scenario_set")
    await sea.command(sea.anna, "start")
    assert sea.thread


async def test_a_scenario_too_long_for_the_form_stays_when_the_form_is_sent_empty(sea: Sea) -> None:
    await sea.command(sea.anna, "new", system="toygame")
    long = STRAIT + "#" * FORM_MOST
    assert await hand_in(sea, sea.anna, file=("strait.toml", long.encode())) == EN.say("say.scenario_set")
    kept = sea.rows("games")
    assert await hand_in(sea, sea.anna, text="") == EN.say("say.scenario_stays")
    assert sea.rows("games") == kept
    assert await hand_in(sea, sea.anna, text=DROP) == EN.say("say.scenario_gone")
    assert "scenario" not in sea.rows("games")["games"][0]["setup"]


async def test_only_games_that_say_so_take_one(sea: Sea) -> None:
    await sea.command(sea.anna, "new")
    assert "scenario" not in refs(sea.channel.last_message)
    assert EN.say("refuse.no_scenario") in await Forger(sea, sea.anna).press("wg/scenario/1/0//")
    assert not sea.faults
