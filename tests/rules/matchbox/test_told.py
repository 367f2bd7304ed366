"""Stories for a captain of two galleys: all orders, each blow once, and the best news as the headline."""

import pytest
from msgspec import structs

from bot.texts import speech
from bot.texts.i18n import Catalogue, Localizer
from bot.texts.speech import explained_line, visible_events
from bot.texts.story import MIN_LINES, StoryBuilder, tell_story
from rules.interface import outcomes
from rules.interface.outcomes import StoryShips
from rules.matchbox.engine.events import (
    FireCaught,
    FireExtinguished,
    GalleyPlaced,
    GameWon,
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
from tests.rules.matchbox.play import GAME, answered, begin, go_on, mates

CLOSE = (
    "1200x800 ; A1:south 6-6+2/6 @500,300^0 ; A2:south 5-5+3/5 @620,300^0"
    " ; B1:north 5-5+3/5 @500,400^180 ; B2:north 4-4+4/4 @620,400^180"
)
"""Two pairs, bow to bow."""
GIVEN = ("A1 FFFXX; A2 XFFXF", "B1 XXFFF; B2 XXXFF")


def test_the_orders_of_all_galleys_are_told_and_what_befell_ones_own_in_a_line_each():
    state = begin(position=CLOSE).state
    step = answered(state, *GIVEN)
    held = outcomes.ship_holders(GAME.view(step.state, 0))
    words = Localizer(Catalogue.load("en", "matchbox"), {0: "Anna", 1: "Ben"})
    whose = outcomes.story_ships(held, 0, (0, 1), step.events)
    lines = tell_story(words, visible_events(step.events, 0), 0, 1800, story_ships=whose).lines
    assert len(lines) < MIN_LINES
    text = "\n".join(lines)
    ships = text.replace("\n· ", " · ").split("\n")
    for galley, orders in (("A1", "FFFXX"), ("A2", "XFFXF"), ("B1", "XXFFF"), ("B2", "XXXFF")):
        assert any(
            line.startswith((f"{galley} (", "The orders are ", "These orders were carried out: ")) and orders in line
            for line in lines
        ), text
    for own in ("A1", "A2"):
        (line,) = (line for line in ships if line.startswith(f"{own} ("))
        assert line.count("crash bow to bow") == 1, line


def test_what_befell_the_only_galley_of_a_captain_has_a_line_for_each_step():
    state = begin(position="1200x800 ; A1:south 4-4+4/4 @500,300^0 ; B1:north 4-4+4/4 @500,400^180").state
    step = answered(state, "A1 FXXFX", "B1 XXFXX")
    whose = outcomes.story_ships(outcomes.ship_holders(GAME.view(step.state, 0)), 0, (0, 1), step.events)
    words = Localizer(Catalogue.load("en", "matchbox"), {0: "Anna", 1: "Ben"})
    ordered, *steps = (
        line
        for line in tell_story(words, visible_events(step.events, 0), 0, story_ships=whose).lines
        if not line.startswith("B1 ")
    )
    assert ordered == "A1 (Anna): `FXXFX`"
    assert [line[: len("· **1:**")] for line in steps][:4] == [f"· **{number}:**" for number in (1, 2, 3, 4)]


def test_of_the_last_round_it_is_read_first_what_the_game_ended_with():
    words = Localizer(Catalogue.load("en", "matchbox"), {0: "Anna", 1: "Ben"})
    lost = [PartsLost(step=2, galley="A1", by="B1", facing="port", port=1, starboard=0, masts=0)]
    sunk = [ShipSunk(step=4, galley="A2", by="B1"), GameWon(side="north", seats=(1,))]
    ordered = [OrdersRevealed(galley=name, seat=0, orders="FXXFX") for name in ("A1", "A2")]
    story = tell_story(words, [*ordered, *lost, *sunk], 0, story_ships=outcomes.StoryShips(("A1", "A2")))
    assert story.headline == "Ben won!"
    assert [line[:2] for line in story.lines] == ["A2", "A1"]


def test_fleets_that_are_set_down_at_once_are_told_in_a_line():
    words = Localizer(Catalogue.load("en", "matchbox"), {0: "Anna", 1: "Ben"})
    fleet = [("A1", 0), ("A2", 0), ("A3", 0), ("B1", 1)]
    placed = [GalleyPlaced(galley=name, seat=seat, holes=5, masts=3, pose=Pose(9.0, 75.0, 0.0)) for name, seat in fleet]
    story = tell_story(words, placed, None)
    assert story.headline == "In place: A1–A3, B1"
    assert story.lines == ("Placed on the table: A1 5/3 (Anna), A2 5/3 (Anna), A3 5/3 (Anna), and B1 5/3 (Ben).",)
    alone = tell_story(words, placed[:1], None)
    assert (alone.headline, len(alone.lines)) == ("In place: A1", 1)
    assert alone.lines[0].startswith("Anna places A1, type 5/3: her prow is 9")


def test_what_others_were_ordered_is_no_news_beside_own_lines_that_make_none():
    words = Localizer(Catalogue.load("en", "matchbox"), {0: "Anna", 1: "Ben"})
    ordered = [OrdersRevealed(galley=name, seat=seat, orders="FFX") for name, seat in (("A1", 0), ("B1", 1))]
    idle = VolleyHeld(step=3, by="A1", reason="range")
    lost = PartsLost(step=2, galley="B1", by="B1", facing="port", port=1, starboard=0, masts=0, why="reef")
    gists = [
        StoryBuilder.build(words, events, 0, story_ships=outcomes.StoryShips(("A1",))).summarise()
        for events in (
            ordered,
            [*ordered, idle],
            [*ordered, idle, structs.replace(idle, by="B1")],
            [*ordered, idle, lost],
        )
    ]
    assert [gist.others_news for gist in gists] == ["B1 (Ben): `FFX`", "", "", "B1 loses 1 port oar on the reef."]
    here = Pose(100.0, 100.0, 0.0)
    back = ShipBackedOff(galley="A1", start=here, end=here, distance_mm=20.0)
    ways = (
        StoryBuilder.build(words, [*ordered, idle, back], 0, story_ships=outcomes.StoryShips(("A1",)))
        .summarise()
        .own_news
    )
    assert not [way for way in ways if way.startswith("A1 backs off")], "the end of an idle round alone is no news"


def test_the_words_under_the_picture_of_fleets_that_were_set_down_say_where_all_lie_and_where_the_aim_is():
    step = begin(scenario="raid", deployment="sealed")
    placed = go_on(step.state, mates())
    words = Localizer(Catalogue.load("en", "matchbox"), {0: "Anna", 1: "Ben"})
    lines = speech.alt_text(words, GAME.view(placed.state, None), [*step.events, *placed.events]).split("\n")
    assert lines[1].startswith("Raid: the town's island is at ")
    assert [line[:3] for line in lines[2:8]] == ["A1:", "A2:", "A3:", "B1:", "B2:", "B3:"]


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
    lines = tell_story(Localizer(Catalogue.load("en", "matchbox")), held, None).lines
    assert [" ".join(lines).count(f"{name} is ready to fire, but nobody is in range") for name in ("A1", "B1")] == [
        1,
        1,
    ]


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


def test_what_the_reader_lost_comes_before_what_they_gained():
    sunk = ShipSunk(step=4, galley="B1", by="A1")  # makes a better headline than the loss
    lost = ShipCaptured(step=2, galley="A2", by="B2", side="north", seat=1, crew=1)
    holders = [outcomes.ShipHolder(*held) for held in (("A1", 0), ("B1", 1), ("A2", 1), ("B2", 1))]
    for language, headlines in (("en", ("B2 takes A2!", "B1")), ("hu", ("B2 elfoglalja A2-t!", "B1"))):
        words = Localizer(Catalogue.load(language, "matchbox"), {0: "Anna", 1: "Ben"})
        for events in ([lost, sunk], [sunk, lost]):
            whose = outcomes.story_ships(holders, 0, (0, 1), events)
            summary = StoryBuilder.build(words, events, 0, story_ships=whose).summarise()
            assert [*map(str.startswith, summary.own_headlines, headlines)] == [True, True], summary.own_headlines
            assert [loss.headline for loss in summary.losses] == [summary.own_headlines[0]]


@pytest.mark.parametrize(
    ("broadside", "hits", "language", "ending"),
    [
        (False, 0, "en", "and misses: 0 of 2 point at her. (MB-6.8)"),
        (True, 0, "hu", "de nem talál: 2 közül 0 mutat felé. (MB-6.8, MB-6.9)"),
        (True, 1, "en", "1 of 2 hit. (MB-6.10)"),
    ],
)
def test_a_volley_is_explained_by_how_many_matches_hit_and_a_miss_by_the_rule_on_what_hits(
    broadside, hits, language, ending
):
    volley = VolleyDropped(
        step=1, by="A1", to="B1", gap_mm=37.7, matches=2, broadside=broadside, misfire=False, hits=hits,
        aim_x_mm=0.0, aim_y_mm=0.0, drops=(), rule="MB-6.10",
    )  # fmt: skip
    words = Localizer(Catalogue.load(language, "matchbox"))
    assert explained_line(words, volley).replace("\xa0", " ").endswith(ending)


@pytest.mark.parametrize(("language", "said"), [("en", "pushes her in"), ("hu", "visszatolja")])
def test_a_turn_at_the_edge_is_told_as_a_whole_turn(language, said):
    words = Localizer(Catalogue.load(language, "matchbox"))
    turned = ShipMoved(step=1, galley="A1", order="L", start=HERE, end=THERE, part=1.0, at_edge=True)
    assert said in words.clause_text(turned)
    assert said in words.event_text(turned)
    assert said not in words.clause_text(moved(THERE, at_edge=True))
