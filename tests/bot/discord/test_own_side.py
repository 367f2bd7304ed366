"""Pictures for one captain are drawn from their own side, and say so: the table is turned round."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import structs

import render
from bot.jobs import showing, stored
from bot.jobs.showing import PictureSubject
from bot.jobs.values import PictureStyle
from bot.texts.i18n import Catalogue, Localizer
from bot.texts.style import PLAIN_STYLE
from rules.chance.dice import Dice
from rules.core.protocol import EMPTY_DRAFT, Setup
from rules.core.registry import RULESETS
from tests.sea import AFAR


@pytest.mark.parametrize("language", ["en", "hu"])
def test_only_what_is_turned_round_says_so(monkeypatch: pytest.MonkeyPatch, language: str) -> None:
    rules = RULESETS["matchbox"]
    setup = Setup(system="matchbox", teams=(0, 1), position=AFAR)
    state = rules.start(setup, Dice(seed="00")).state
    captions: list[str] = []
    carry_out = render.draw_commission

    def told(commission: Any, form: Any) -> render.Picture:
        captions.append(commission.caption)
        return carry_out(commission, form)

    monkeypatch.setattr(render, "draw_commission", told)
    look = PictureStyle(system="matchbox", language=language, names={0: "Anna", 1: "Ben"})
    body, (south, north) = stored.encode(state), rules.pending_requests(state)
    for request in (south, north):
        showing.draw_plan("matchbox", body, showing.PlanSubject(request, EMPTY_DRAFT), look)
    showing.draw_state("matchbox", body, (), look, PictureSubject(seat=north.seat))  # the table is everybody's
    for request in (south, north):  # but for who looks at it alone, as at a game's end
        own = structs.replace(look, viewpoint_seat=request.seat)
        showing.draw_state("matchbox", body, (), own, PictureSubject(seat=request.seat))
    words = Localizer(Catalogue.load(language, "matchbox"), style=PLAIN_STYLE)
    assert captions[0] == words.say("phase.orders.caption", round=1), "no more than a phone has room for"
    said = words.say("caption.own_side")
    assert [said in caption for caption in captions] == [False, True, False, False, True]
