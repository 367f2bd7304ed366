"""What makes the headline of a round: the best news, and none if the galleys only rowed."""

import pytest

from bot.texts.i18n import Catalogue, Localizer
from bot.texts.story import StoryBuilder, tell_story
from rules.interface.outcomes import StoryShips
from rules.matchbox.engine.events import (
    FireCaught,
    FireExtinguished,
    OrdersRevealed,
    PartsLost,
    ShipBackedOff,
    ShipCaptured,
    ShipMoved,
    ShipRammed,
    ShipSunk,
    VolleyDropped,
    VolleyHeld,
)
from rules.matchbox.engine.pose import Pose

HIT = {"step": 1, "by": "A1", "to": "B1", "gap_mm": 30.0, "matches": 4, "broadside": True, "aim_x_mm": 0.0}
HIT |= {"aim_y_mm": 0.0, "drops": ()}
LOST = {"step": 1, "galley": "B1", "by": "A1", "facing": "port"}


@pytest.mark.parametrize(
    ("less", "more"),
    [
        (OrdersRevealed(galley="A1", seat=0, orders="FFFFF"), VolleyDropped(**HIT, misfire=False, hits=0)),
        (VolleyDropped(**HIT, misfire=False, hits=0), VolleyDropped(**HIT, misfire=True, hits=0)),
        (VolleyDropped(**HIT, misfire=True, hits=3), VolleyDropped(**HIT, misfire=False, hits=1)),
        (VolleyDropped(**HIT, misfire=False, hits=3), PartsLost(**LOST, port=1, starboard=0, masts=0)),
        (PartsLost(**LOST, port=1, starboard=1, masts=0), PartsLost(**LOST, port=2, starboard=1, masts=0)),
        (
            ShipRammed(step=1, by="A1", to="B1", kind="side", edge="port", run=1, damage=2),
            ShipRammed(step=1, by="A1", to="B1", kind="side", edge="port", run=3, damage=7),
        ),
        (
            ShipRammed(step=1, by="A1", to="B1", kind="side", edge="port", run=3, damage=7),
            ShipSunk(step=1, galley="B1", by="A1"),
        ),
    ],
)
def test_the_greater_news(less, more):
    assert less.headline_score < more.headline_score


def test_a_headline_tells_all_that_a_galley_has_lost_in_a_round_and_of_the_galley_that_has_lost_most():
    words = Localizer(Catalogue.load("en", "matchbox"))
    twice = [PartsLost(**{**LOST, "step": step}, port=0, starboard=1, masts=0) for step in (3, 4)]
    once = PartsLost(step=5, galley="A1", by="B1", facing="port", port=1, starboard=0, masts=0)
    assert tell_story(words, [*twice, once], None).headline == "B1 loses 2 starboard oars!"
    assert (
        tell_story(words, [once, *twice], 0, story_ships=StoryShips(("A1",))).headline == "B1 loses 2 starboard oars!"
    )


HERE, THERE = Pose(100.0, 100.0, 0.0), Pose(100.0, 120.0, 0.0)


def moved(end, *, part=1.0, at_edge=False):
    return ShipMoved(step=1, galley="A1", order="F", start=HERE, end=end, part=part, at_edge=at_edge)


def test_what_was_ordered_is_no_news():
    assert OrdersRevealed(galley="A1", seat=0, orders="FFFFF").headline_score == 0


def test_that_galleys_back_off_is_told_together_and_makes_no_headline():
    back = ShipBackedOff(galley="A1", start=THERE, end=HERE, distance_mm=20.0)
    assert (back.weight, back.headline_score, back.list_key) == (1, 0, "story.back_off")


def test_a_galley_that_is_blocked_again_is_told_once():
    assert moved(HERE, part=0.0).dedup_key == moved(HERE, part=0.0).dedup_key != ""
    assert moved(THERE).dedup_key == ""


def test_a_fire_that_was_put_out_in_its_round_is_told_as_that():
    lit, out = FireCaught(step=1, galley="B1"), FireExtinguished(step=4, galley="B1")
    assert tell_story(Localizer(Catalogue.load("en", "matchbox")), [lit], None).headline == "B1 is burning!"
    assert lit.with_totals([lit, out]).headline_score < lit.headline_score
    assert tell_story(Localizer(Catalogue.load("en", "matchbox")), [lit, out], None).headline.startswith(
        "B1 catches fire, but"
    )


def test_a_galley_that_was_taken_makes_her_new_captains_headline_and_not_what_she_had_been_ordered():
    ordered = OrdersRevealed(galley="B1", seat=1, orders="FFXF")
    taken = ShipCaptured(step=4, galley="B1", by="A1", side="south", seat=0, crew=1)
    words = Localizer(Catalogue.load("en", "matchbox"), {0: "Anna", 1: "Ben"})
    gist = StoryBuilder.build(words, [ordered, taken], 0, story_ships=StoryShips(own_ships=("A1", "B1"))).summarise()
    assert gist.own_news[0] == "A1 takes B1!"


def test_a_galley_that_fires_again_at_nobody_is_told_once():
    held = [VolleyHeld(step=step, by=name, reason="range") for step in (2, 3, 5) for name in ("A1", "B1")]
    told = tell_story(Localizer(Catalogue.load("en", "matchbox")), held, None).lines
    assert [" ".join(told).count(f"{name} is ready to fire, but nobody is in range") for name in ("A1", "B1")] == [1, 1]


@pytest.mark.parametrize("reason", ["range", "masts"])
def test_a_shot_that_comes_to_nothing_is_told_but_makes_no_headline(reason):
    held = VolleyHeld(step=4, by="A1", reason=reason)
    assert (held.weight, held.headline_score) == (1, 0)


@pytest.mark.parametrize(
    ("event", "weight"),
    [
        (moved(THERE), 0),
        (moved(THERE, part=0.4), 0),  # the story tells the result as a ram or a scrape
        (moved(HERE, part=0.0), 1),
        (moved(THERE, at_edge=True), 1),
    ],
)
def test_a_move_is_told_if_it_came_to_nothing(event, weight):
    assert (event.weight, event.headline_score) == (weight, 0)
