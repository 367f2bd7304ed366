"""A host gives the lobby a scenario of their own, as a file or as text."""

from __future__ import annotations

import asyncio
import os
import signal
from typing import Any

from bot.discord.interactions.scenarios import DROP_MARK, MAX_FORM_CHARS
from bot.errors import Refusal
from bot.jobs import play
from bot.jobs.trials import SetupTrials
from bot.jobs.workers import JobLimits, Workers
from bot.texts.i18n import Catalogue
from rules.core.errors import OrderError
from rules.core.protocol import Setup
from rules.core.registry import RULESETS
from tests.bot.fake_jobs import own_pid
from tests.fuzz.forger import Forger
from tests.sea import Sea, refs, text_of
from tests.toygame.invariants import STRAIT

EN = Catalogue.load("en")


async def hand_in(sea: Sea, who: Any, **fields: Any) -> str:
    lobby = sea.channel.last_message
    form = await sea.click_only(who, lobby, refs(lobby)["scenario"])
    result = await who.submit_modal(form, fields)
    await sea.env.settle()
    return sea.said(result)


async def test_a_scenario_is_handed_in_as_a_file_or_as_text_and_a_bad_one_is_refused(sea: Sea) -> None:
    await sea.command(sea.anna, "new", system="toygame")
    assert await hand_in(sea, sea.anna, file=("strait.toml", STRAIT.encode())) == EN.say("say.scenario_set")
    assert EN.say("lobby.scenario") in text_of(sea.channel.last_message)
    games_before = sea.rows("games")["games"]
    assert "scenario" in games_before[0]["setup"]
    for bad in ({"text": "ships = 7"}, {"file": ("x.toml", b"\xff\xfe")}, {"file": ("x.toml", b"#" * 70_000)}):
        said = await hand_in(sea, sea.anna, **bad)
        assert said
        assert said != EN.say("say.scenario_set")
    assert sea.rows("games")["games"] == games_before
    lobby = sea.channel.last_message
    assert EN.say("refuse.not_host") in sea.said(await sea.click_only(sea.bela, lobby, refs(lobby)["scenario"]))
    assert await hand_in(sea, sea.anna, text="") == EN.say("say.scenario_gone")
    assert EN.say("lobby.scenario") not in text_of(sea.channel.last_message)
    assert await hand_in(sea, sea.anna, text=STRAIT) == EN.say("say.scenario_set")
    await sea.command(sea.anna, "start")
    assert sea.thread


async def test_a_scenario_too_long_for_the_form_stays_when_the_form_is_sent_empty(sea: Sea) -> None:
    await sea.command(sea.anna, "new", system="toygame")
    long = STRAIT + "#" * MAX_FORM_CHARS
    assert await hand_in(sea, sea.anna, file=("strait.toml", long.encode())) == EN.say("say.scenario_set")
    rows_before = sea.rows("games")
    assert await hand_in(sea, sea.anna, text="") == EN.say("say.scenario_stays")
    assert sea.rows("games") == rows_before
    assert await hand_in(sea, sea.anna, text=DROP_MARK) == EN.say("say.scenario_gone")
    assert "scenario" not in sea.rows("games")["games"][0]["setup"]


async def test_only_games_that_say_so_take_one(sea: Sea) -> None:
    plain = next(name for name, rules in RULESETS.items() if not rules.accepts_scenario)
    await sea.command(sea.anna, "new", system=plain)
    assert "scenario" not in refs(sea.channel.last_message)
    assert EN.say("refuse.no_scenario") in await Forger(sea, sea.anna).press("wg/scenario/1/0//")
    assert not sea.faults


ENDLESS = "a." * 32_000 + "a=1"
DEEP = "ships=" + "[" * 30_000
NOWHERE = "size = [9, 6]\nsight = 9\nships = [[[nan, 3]], [[1, 5]], [[4, 3]], [[8, 1]]]\n"


async def refusal_of(sea: Sea, text: str) -> Any:
    try:
        await sea.bot.services.lobbies.set_scenario(sea.anna.id, 1, text)
    except (Refusal, OrderError) as refused:
        return refused
    await sea.settle()
    return None


# A host's own scenario that never ends, crashes, or cannot be stored.
async def test_a_scenario_nested_too_deep_is_refused_in_words(sea: Sea) -> None:
    await sea.command(sea.anna, "new", system="toygame")
    assert isinstance(await refusal_of(sea, DEEP), Refusal | OrderError)
    assert isinstance(await refusal_of(sea, "# half a character: \ud800"), Refusal)


async def test_a_scenario_that_takes_too_much_is_refused_in_words(sea: Sea) -> None:
    await sea.command(sea.anna, "new", system="toygame")
    trial = asyncio.create_task(refusal_of(sea, ENDLESS))
    while not sea.bot.services.trials.busy_users:
        await sea.bot.services.reader.games.seated_game(1)
    # One at a time a person; and the only worker does what others want meanwhile.
    again = await refusal_of(sea, "size = [6, 6]")
    assert isinstance(again, Refusal)
    assert again.key == "trying_scenario"
    (game,) = await sea.bot.services.reader.games.games_of_user(sea.anna.id)
    assert await sea.bot.services.workers.run_rules(play.why_setup_refused, game.setup) is None
    assert not trial.done()
    refused = await trial
    assert isinstance(refused, Refusal)
    assert refused.key == "scenario_too_much"
    assert sea.bot.services.workers.replaced_count == 0


async def test_a_scenario_of_which_no_state_can_be_stored_is_refused(sea: Sea) -> None:
    await sea.command(sea.anna, "new", system="toygame")
    refused = await refusal_of(sea, NOWHERE)
    if refused is None:
        for who in (sea.bela, sea.cili, sea.member("dani")):
            await sea.command(who, "join")
        await sea.command(sea.anna, "start")
        sea.faults.clear()
        await sea.write(sea.anna, "A1 E2")
        assert not sea.faults, "the game has begun, and can be played by nobody"


async def test_a_lobby_is_shown_though_its_scenario_cannot_be_tried(sea: Sea) -> None:
    await sea.command(sea.anna, "new", system="toygame")
    sea.change_rows("UPDATE games SET setup = json_set(setup, '$.scenario', ?)", DEEP)
    await sea.command(sea.bela, "join")
    sea.faults.clear()
    text = text_of(sea.channel.last_message)
    assert str(sea.bela.id) in text
    why = Catalogue.load("en").say("refuse.scenario_fails")
    assert Catalogue.load("en").say("lobby.faulty", why=why) in text
    await sea.command(sea.bela, "leave")
    said = await sea.command(sea.anna, "start")
    assert why in said
    assert sea.rows("games")["games"][0]["phase"] == "lobby"


async def test_options_that_cannot_be_tried_are_said_not_to_be() -> None:
    pool = Workers(1, limits=JobLimits(rules_s=0.1))
    try:
        os.kill(
            await pool.run_picture(own_pid), signal.SIGSTOP
        )  # a stopped process never answers, however long the test waits
        refused = await SetupTrials(pool).why_refused(Setup(system="toygame", teams=(0, 1), options={"packs": "1"}))
    finally:
        pool.close()
    assert isinstance(refused, Refusal)
    assert refused.key == "untried"
