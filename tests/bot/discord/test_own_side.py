"""What one captain is shown is drawn from their own side, and says so: who sees the table turned round must know it."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import structs

import render
from bot.words.i18n import Catalogue, Words
from bot.words.style import PLAIN
from bot.work import showing, stored
from bot.work.showing import Look, Shot
from rules.dice import Dice
from rules.protocol import EMPTY, Setup
from rules.registry import RULESETS
from tests.sea import AFAR


@pytest.mark.parametrize("language", ["en", "hu"])
def test_only_what_is_turned_round_says_that_it_is_seen_from_ones_own_side(
    monkeypatch: pytest.MonkeyPatch, language: str
) -> None:
    rules = RULESETS["matchbox"]
    setup = Setup(system="matchbox", teams=(0, 1), position=AFAR)
    state = rules.start(setup, Dice(seed="00")).state
    captions: list[str] = []
    carry_out = render.carry_out

    def told(commission: Any, form: Any) -> render.Picture:
        captions.append(commission.caption)
        return carry_out(commission, form)

    monkeypatch.setattr(render, "carry_out", told)
    look = Look(system="matchbox", language=language, names={0: "Anna", 1: "Ben"})
    body, (south, north) = stored.encode(state), rules.pending(state)
    for request in (south, north):
        showing.plan("matchbox", body, request, EMPTY, look)
    showing.draw("matchbox", body, (), look, Shot(seat=north.seat))  # the table is everybody's
    for request in (south, north):  # but for who looks at it alone, as at a game's end
        own = structs.replace(look, beside=request.seat)
        showing.draw("matchbox", body, (), own, Shot(seat=request.seat))
    words = Words(Catalogue.load(language, "matchbox"), style=PLAIN)
    assert captions[0] == words.say("phase.orders.caption", round=1), "no more than a phone has room for"
    said = words.say("caption.own_side")
    assert [said in caption for caption in captions] == [False, True, False, False, True]
