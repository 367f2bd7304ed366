"""Forecasts of shots and head-on rams, in the panel and in hints."""

from typing import Any

import pytest

from bot.texts.i18n import Catalogue, Localizer
from rules.chance.dice import Dice
from rules.core.protocol import Draft
from rules.matchbox.engine import aim, volley
from tests.rules.matchbox.play import GAME

BESIDE = "900x600 ; A1:south 4-4+4/4 @450,200^90 ; B1:north 5-5+3/5 @450,{y}^270"
AHEAD = "900x600 ; A1:south 6-6+2/6 @450,200^0 ; B1:north 5-5+3/5 @450,300^180"


def forecasts(position: str, orders: str) -> list[Any]:
    state = GAME.state_at(position)
    request = next(request for request in GAME.pending_requests(state) if request.seat == 0)
    return [*GAME.draft_choices(state, request, Draft(orders)).forecasts]


@pytest.mark.parametrize(("y", "matches"), [(255, 8), (320, 4), (365, 2)])
def test_a_shot_has_its_target_range_matches_and_chance(y: int, matches: int) -> None:
    (shot,) = forecasts(BESIDE.format(y=y), "A1 FX")
    assert (shot.key, shot.params["galley"], shot.params["foe"], shot.params["step"]) == ("line.shot", "A1", "B1", 2)
    assert shot.params["matches"] == matches
    assert 0 < shot.params["chance"] < 1
    english, hungarian = (
        Localizer(Catalogue.load(language, "matchbox"), rounds_numbers=True).say_text(shot) for language in ("en", "hu")
    )
    percent = f"{shot.params['chance']:.0%}"
    assert f"{percent} to hit." in english
    assert f"{percent} eséllyel talál." in hungarian


def test_the_chance_is_that_of_volleys_as_they_are_dropped() -> None:
    """Many more volleys than the forecast tries hit about as often."""
    (shot,) = forecasts(BESIDE.format(y=320), "A1 X")
    state = GAME.state_at(BESIDE.format(y=320))
    firer, target = state.galleys
    dice, hits, tries = Dice("11"), 0, 2000
    point = aim.best_aim(firer, target, state.galleys, (), state.sea, count=4, kind="steady")
    for _ in range(tries):
        landed, dice = volley.drop_matches(dice, point, 4)
        drops = volley.judge_drops(firer, target, state.galleys, (), sea=state.sea, landed=landed)
        hits += any(drop.hit for drop in drops) and not any(drop.touches for drop in drops)
    assert abs(shot.params["chance"] - hits / tries) < 0.12


def test_equal_shots_share_a_line_and_those_out_of_range_have_none() -> None:
    (shots,) = forecasts(BESIDE.format(y=320), "A1 XXX")
    assert (shots.key, shots.params["steps"]) == ("line.shots", (1, 2, 3))
    assert forecasts(BESIDE.format(y=500), "A1 XXX") == []


def test_a_head_on_ram_damages_both_galleys_in_panel_and_hint() -> None:
    (ram,) = forecasts(AHEAD, "A1 FFF")
    assert (ram.key, ram.params["damage"] > 0, ram.params["own_damage"] > 0) == ("line.bows", True, True)
    state = GAME.state_at(AHEAD)
    request = next(request for request in GAME.pending_requests(state) if request.seat == 0)
    reason = GAME.reason_for(GAME.view(state, 0), GAME.parse_answer(state, request, "A1 FFFFF"))
    assert reason.key == "reason.bows.still"
    for language, both in (("en", "B1 takes 5 damage, and A1 2"), ("hu", "B1 sebzése 5, A1 sebzése 2")):
        assert both in Localizer(Catalogue.load(language, "matchbox")).say_text(reason)


@pytest.mark.parametrize(("y", "matches"), [(255, 8), (320, 4), (365, 2)])
def test_the_picture_of_orders_has_the_line_of_fire_that_the_forecast_tells_of(y: int, matches: int) -> None:
    position = BESIDE.format(y=y)
    (forecast,) = forecasts(position, "A1 FXX")
    view = GAME.view(GAME.state_at(position), 0, Draft("A1 FXX"))
    (shot,) = view.planned_shots
    assert (shot.by, shot.to, shot.steps, shot.matches) == ("A1", "B1", (2, 3), matches)
    assert shot.gap_mm == forecast.params["gap_mm"]
    assert shot.start == view.planned_moves[0].ghosts[0]
    assert any(line.key == "plan.shot" for line in view.plan_lines)


@pytest.mark.parametrize("orders", ["A1 FFFFF", "A1 RRXXX"])
def test_no_line_of_fire_is_drawn_without_fire_or_without_an_enemy_in_range(orders: str) -> None:
    view = GAME.view(
        GAME.state_at("900x600 ; A1:south 4-4+4/4 @450,100^90 ; B1:north 5-5+3/5 @450,560^270"), 0, Draft(orders)
    )
    assert view.planned_shots == ()
