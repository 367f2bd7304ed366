"""**Why?** below a story, in a panel and at the end: what happened to one's ships, by which dice and rules."""

from __future__ import annotations

import re
from typing import Any

import pytest

from bot.presenters import why
from bot.texts.i18n import Catalogue, Localizer
from bot.texts.rulebooks import load_rulebook
from rules.core.registry import RULESETS
from rules.forts.engine.events import ShipMoved
from tests.bot import captains
from tests.bot.lifecycle.test_going_back import agreeing, proposal
from tests.bot.test_campaign import met, pass_a_turn
from tests.sea import ABEAM, Sea, refs, text_of

BESIDE = "900x600 ; A1:south 4-4+4/4 @400,300^0 ; A2:south 4-4+4/4 @100,100^0 ; B1:north 4-4+4/4 @470,300^0"
"""A1 and B1 are within reach of each other's fire; nobody is near A2."""


def story_of(sea: Sea, key: str = "why") -> Any:
    return next(message for message in reversed(sea.thread.history()) if key in refs(message))


async def test_a_captain_reads_what_happened_to_each_own_ship_and_chooses_another(sea: Sea) -> None:
    await sea.begin_at(BESIDE, sea.bela)
    await sea.both_seal("A1 XFFFF; A2 FFFFX", "B1 XFFFF")
    said = await sea.press(sea.anna, story_of(sea), "why")
    assert "### Why?" in said
    assert said.index("**A1**") < said.index("A1 fires") < said.index("(MB-6.10)") < said.index("**A2**")
    assert "(MB-6.2)" in said.partition("**A2**")[2]
    assert "(MB-5.2)" not in said  # a ship's own moves stand in the log
    answer = sea.answers[-1]
    ref = refs(answer)["why_ship"]
    assert await sea.choose_from(sea.anna, answer, ref, "B1") == ""
    chosen = text_of(sea.again(sea.anna, answer))
    assert "**B1**" in chosen
    assert "B1 fires" in chosen
    assert "A2" not in chosen
    await sea.choose_from(sea.anna, answer, refs(sea.again(sea.anna, answer))["why_ship"], "*")
    everything = text_of(sea.again(sea.anna, answer))
    assert "Round 1 begins" in everything
    assert "A2" in everything


async def test_the_panel_explains_the_last_round_and_the_closed_panel_the_end(sea: Sea) -> None:
    await sea.begin_at(BESIDE.replace("B1:north 4-4+4/4", "B1:north 1-1+4/4"), sea.bela)
    assert "why_last" not in refs(await sea.turned(sea.anna, sea.panel(sea.anna), "why_last"))  # nothing has happened
    while sea.rows("games")["games"][0]["phase"] == "running":  # any two hits sink her
        for who, text in ((sea.anna, "A1 XXXXF; A2 FFFFX"), (sea.bela, "B1 XXXXF")):
            await sea.write(who, text)
            await sea.press(who, sea.panel(who), "seal")
        if sea.rows("games")["games"][0]["phase"] == "running":
            assert "(MB-6" in await sea.press(sea.anna, sea.panel(sea.anna), "why_last")
    said = await sea.press(sea.bela, sea.dms(sea.bela)[-1], "why_last")
    assert "(MB-7.2)" in said
    if load_rulebook("matchbox", "en"):
        answer = sea.answers[-1]
        assert "MB-7.2" in await sea.choose_from(sea.bela, answer, refs(answer)["rule"], "MB-7.2")
    assert "has won" in said
    assert said == await sea.press(sea.bela, story_of(sea, "rematch"), "why")


async def test_a_spectator_reads_all_and_a_hungarian_in_hungarian(sea: Sea) -> None:
    await sea.begin_at(BESIDE, sea.bela)
    await sea.both_seal("A1 XFFFF; A2 FFFFX", "B1 XFFFF")
    everything = await sea.press(sea.cili, story_of(sea), "why")
    assert "Round 1 begins" in everything
    assert "A2" in everything
    sea.languages[sea.cili.id] = "hu"
    assert "### Miért?" in await sea.press(sea.cili, story_of(sea), "why")


async def test_a_round_that_was_taken_back_is_not_explained(sea: Sea) -> None:
    await sea.begin_at(ABEAM, sea.bela, phase="2h")
    await sea.both_seal("A1 XFFFF", "B1 FFFFX")
    story = story_of(sea)
    await sea.command(sea.anna, "host undo", game="1", to_round=1)
    await sea.press(sea.bela, proposal(sea), agreeing(sea))
    assert Catalogue.load("en").say("refuse.stale") in await sea.press(sea.anna, story, "why")


@pytest.mark.parametrize("system", [*RULESETS])
async def test_every_game_explains_a_round_that_was_played(sea: Sea, system: str) -> None:
    await sea.begin(sea.bela, system=system)
    for _ in range(captains.MOST_ANSWERS):
        asked = [(who, pending) for who in (sea.anna, sea.bela) if (pending := await sea.asked(who, 1))]
        awaited = [(who, pending) for who, pending in asked if not pending.row.optional]
        if not awaited:
            await sea.env.advance_time(86_400)  # all have sealed a round that is resolved at its hour
            continue
        if awaited[0][1].row.body.round > 1:
            break
        await captains.by_typing(sea, *awaited[0])
    await sea.settle()
    said = await sea.press(sea.anna, story_of(sea), "why")
    assert "### Why?" in said
    assert not re.search(r"\b[wr](BB|GA|FR|BR)\b", said), "a heading is the ship's name, not her id"
    answer = sea.answers[-1]
    if "why_ship" in refs(answer):
        await sea.choose_from(sea.anna, answer, refs(answer)["why_ship"], "*")
        answer = sea.again(sea.anna, answer)
    assert re.search(r"\([A-Z]{2}-[0-9.]+\)", text_of(answer))
    who, _ = awaited[0]
    assert await sea.press(who, story_of(sea), "why") == await sea.press(who, sea.panel(who), "why_last")


LOSSES_IN_SEASON = {
    "en": (
        "Battle 1 (EGU Eastern Gulf, A1–A3 against B1 B2): anna won",
        "B1 came through the battle but lost 1 port oar and 1 starboard oar (oars",
    ),
    "hu": (
        r"1\. csata (EGU Keleti-öböl, támad A1–A3, védekezik B1 B2): anna győzött",
        "B1 túlélte a csatát, de elvesztett 1 bal oldali evezőt és 1 jobb oldali evezőt",
    ),
}


@pytest.mark.parametrize("language", [*LOSSES_IN_SEASON])
async def test_a_captain_of_a_season_reads_first_what_a_battle_cost(sea: Sea, language: str) -> None:
    sea.languages[sea.bela.id] = language
    await met(sea)
    await sea.concede(sea.bela, 2)
    await pass_a_turn(sea)
    said = await sea.press(sea.bela, sea.panel(sea.bela), "why_last")
    result, loss = LOSSES_IN_SEASON[language]
    assert said.index(result) < said.index("**B1**") < said.index(loss) < said.index("**B2**")
    answer = sea.answers[-1]
    await sea.choose_from(sea.bela, answer, refs(answer)["why_ship"], "B2")
    chosen = text_of(sea.again(sea.bela, answer))
    assert result in chosen
    assert "**B1**" not in chosen


@pytest.mark.parametrize(("language", "name"), [("en", "White battleship"), ("hu", "Fehér sorhajó")])
def test_events_of_a_ship_stand_under_her_name(language: str, name: str) -> None:
    words = Localizer(Catalogue.load(language, "forts"))
    moved = ShipMoved(ship="wBB", start="D5", end="D6", path=("D5", "D6"), steps=1, rule="NB-04.1")
    reader = why.Reader(0, ("wBB",))
    explained = why.explain_events([why.ExplainedEvent(moved, "line")], reader, name_of=words.ship_name)
    assert explained.lines == (f"**{name}**", "line")
