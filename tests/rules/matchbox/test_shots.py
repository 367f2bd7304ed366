"""Forecasts of shots and head-on rams, in the panel and in hints."""

import random
import re
from typing import Any

import pytest

from bot.texts.i18n import Catalogue, Localizer
from rules.chance.dice import Dice
from rules.core.errors import OrderError
from rules.core.protocol import Draft
from rules.core.view import Text
from rules.matchbox.engine import aim, volley
from rules.matchbox.engine.events import HullsCollided
from rules.matchbox.engine.orders import step_orders
from rules.matchbox.engine.stages import Decisions, RoundInProgress
from rules.matchbox.engine.state import SLOTS
from rules.matchbox.interface.order_drafts import ORDER_NOTATION
from rules.matchbox.interface.standing_orders import OrderContext
from tests.laws.length import times
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
    assert f"{percent} to hit at least once." in english
    assert f"{percent} eséllyel legalább egyszer talál." in hungarian


def test_a_ram_that_sinks_says_so_and_why_and_no_shot_seeks_the_sunk() -> None:
    position = "900x600 ; A1:south 6-6+2/6 @450,200^0 ; B1:north 1-1+1/5 @450,330^90"
    ram, sinking, idle = forecasts(position, "A1 FFFX")
    assert (ram.key, sinking.key, idle.key) == ("line.ram.side", "line.sinks", "line.idle.foe_sunk")
    assert sinking.params["why"] == (Text("sunk.split"),)
    keys = [line.key for line in forecasts(position.replace("1-1+1/5", "6-6+1/6"), "A1 FFFX")]
    assert keys == ["line.ram.side", "line.shot"], "in order of time"


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


def test_equal_shots_share_a_line_and_those_out_of_range_have_a_reason() -> None:
    (shots,) = forecasts(BESIDE.format(y=320), "A1 XXX")
    assert (shots.key, shots.params["steps"]) == ("line.shots", (1, 2, 3))
    (idle,) = forecasts(BESIDE.format(y=560), "A1 FFFFX")  # her oars allow no other last order, so there's no warning
    assert (idle.key, idle.params["galleys"], idle.params["steps"]) == ("line.idle.range", "A1", (5,))


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


SIDE = "900x600 ; A1:south 4-4+4/4 @450,200^0 ; B1:north 5-5+3/5 @{b1}"
CONTACTS = [
    ("line.ram.side", "505,320^60", "FFXX", 2),
    ("line.ram.rear", "450,330^0", "FFXX", 2),
    ("line.rammed", "460,245^240", "FFXX", 1),
    ("line.scrape", "410,270^0", "FLX", 2),
]


@pytest.mark.parametrize(("key", "b1", "orders", "step"), CONTACTS)
def test_a_contact_has_its_line_and_the_shot_after_it_its_chance(key: str, b1: str, orders: str, step: int) -> None:
    said = forecasts(SIDE.format(b1=b1), f"A1 {orders}")
    assert key in {text.key for text in said}, said
    contact = next(text for text in said if text.key == key)
    assert (contact.params["galley"], contact.params["foe"], contact.params["step"]) == ("A1", "B1", step)
    assert any(text.key.startswith("line.shot") and "chance" in text.params for text in said)
    for language, stays in (("en", "If B1 stays, A1 "), ("hu", "Ha B1 nem mozdul, A1 ")):
        assert Localizer(Catalogue.load(language, "matchbox")).say_text(contact).replace("\xa0", " ").startswith(stays)


BUILDS = ("4-4+4/4", "5-5+3/5", "6-6+2/6", "3-5+1/5", "1-1+1/5")


def test_each_x_and_each_contact_of_random_plans_has_its_line() -> None:
    seed = random.Random(66)
    keys: set[str] = set()
    for _ in range(times(60, 3000)):
        places = {
            name: f"{name}:{side} {seed.choice(BUILDS)} @{x + seed.randrange(90)},{y + seed.randrange(90)}"
            f"^{60 * seed.randrange(6)}"
            for name, side, x, y in (
                ("A1", "south", 250, 150),
                ("A2", "south", 400, 150),
                ("B1", "north", 250, 300),
                ("B2", "north", 400, 300),
            )
        }
        try:
            state = GAME.state_at(" ; ".join(["900x600", *places.values()]))
        except OrderError:  # hulls overlap
            continue
        request = next(request for request in GAME.pending_requests(state) if request.seat == 0)
        text = "; ".join(f"{name} {''.join(seed.choices('FFLRXX', k=5))}" for name in ("A1", "A2"))
        draft = Draft(text)
        said = [*GAME.draft_choices(state, request, draft).forecasts, *GAME.draft_warnings(state, request, draft)]
        keys |= {line.key for line in said}
        plan = ORDER_NOTATION.read_draft(OrderContext(state, 0), draft)
        for ordered in plan.lists:
            for step, letter in enumerate(step_orders(ordered), 1):
                assert letter != "X" or any(explains_shot(line, ordered.galley, step) for line in said), (text, said)
        play = RoundInProgress(state.sea, state.galleys, plan.lists, Decisions(), Dice("00"))
        for step in range(1, SLOTS + 1):
            play.begin_step(step)
            play.move_all()
            play.deal_blows()
        for event in play.events:
            if isinstance(event, HullsCollided) and event.a < "B" <= event.b:
                named = {"galley": event.a, "foe": event.b, "step": event.step}
                assert any(named.items() <= line.params.items() for line in said), (text, event, said)
    assert {"line.shot", "line.bows", "line.ram.side", "line.idle.range"} <= keys


def explains_shot(line: Text, galley: str, step: int) -> bool:
    is_of_fire = line.key.startswith(("line.shot", "line.idle", "warn.fire", "warn.hidden", "warn.masts"))
    named = expand_ids(str(line.params.get("galleys", line.params.get("galley"))))
    return is_of_fire and galley in named and step in line.params.get("steps", (line.params.get("step"),))


def expand_ids(text: str) -> list[str]:
    """Return the ids of a list such as `A1–A2`, where at most two follow each other."""
    return re.split(r"[–, ]+", text)
