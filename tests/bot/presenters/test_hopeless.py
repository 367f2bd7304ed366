"""A captain who hardly ever wins any more reads once, on the panel, what conceding costs."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import structs

from bot.presenters.panel import concession_lines
from bot.texts.i18n import Catalogue, Localizer
from rules.core.protocol import Request
from tests.laws import panels
from tests.sea import Sea, text_of

WRECKED = "1600x900 ; A1:south 1-1+0/5 @450,110^0 ; B1:north 5-5+3/5 @450,800^180"


def said_on_panel(sea: Sea, who: Any, language: str) -> list[str]:
    """Return which of the sentences about conceding stand on a captain's panel."""
    catalogue, text = Catalogue.load(language), text_of(sea.panel(who))
    sentences = {key: catalogue.say(f"panel.hopeless.{key}") for key in ("alone", "unrated", "rated")}
    sentences["dice"] = catalogue.say("panel.hopeless.dice", rounds=3)
    return [key for key, sentence in sentences.items() if sentence in text]


@pytest.mark.parametrize(("language", "rated"), [("en", True), ("hu", False)])
async def test_it_is_said_to_that_captain_alone_and_in_one_round(sea: Sea, language: str, rated: bool) -> None:
    sea.languages |= {sea.anna.id: language, sea.bela.id: language}
    await sea.begin_at(WRECKED, sea.bela, rated=rated)
    costs = "rated" if sea.rows("games")["games"][0]["rated"] else "unrated"
    assert said_on_panel(sea, sea.anna, language) == [costs, "dice"]
    assert said_on_panel(sea, sea.bela, language) == []
    await sea.write(sea.anna, "A1 nonsense")
    assert said_on_panel(sea, sea.anna, language) == [costs, "dice"], "a refused order changes nothing"
    for who, orders in ((sea.anna, "A1 F"), (sea.bela, "B1 FFFFF")):
        await sea.seal(who, orders)
    await sea.settle()
    assert (await sea.asked(sea.anna)).row.body.round == 2
    assert said_on_panel(sea, sea.anna, language) == []


@pytest.mark.parametrize("language", ["en", "hu"])
def test_a_battle_costs_neither_seat_nor_points(language: str) -> None:
    pending = panels.asked("matchbox", Request(id="r5.orders.0", seat=0, kind="orders", round=5))
    game = structs.replace(pending.seated_game.game, parent_id=1)
    seats = [structs.replace(seat, hopeless_step=0) for seat in pending.seated_game.seats]
    battle = structs.replace(pending, seated_game=structs.replace(pending.seated_game, game=game, seats=seats))
    words = Localizer(Catalogue.load(language, "matchbox"))
    assert concession_lines(words, battle) == [words.say("panel.hopeless.battle")]


async def test_alone_it_costs_nothing(sea: Sea) -> None:
    await sea.begin_at(WRECKED, computer=1)
    assert said_on_panel(sea, sea.anna, "en") == ["alone"]
