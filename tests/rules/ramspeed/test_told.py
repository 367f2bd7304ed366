"""Reports to captains: one reason in plan and result, secrets of their own, counts that are true."""

from dataclasses import replace

import msgspec
import pytest
from msgspec.structs import replace as replaced

from bot.presenters import why
from bot.texts.i18n import Catalogue, Localizer
from bot.texts.speech import explained_line, log_pages
from bot.texts.story import tell_story
from rules.chance.dice import Dice, SeededDice
from rules.core.protocol import Draft, Setup
from rules.core.view import Text
from rules.interface import outcomes
from rules.ramspeed import GAME
from rules.ramspeed.engine.counting import count_statistics
from rules.ramspeed.engine.events import (
    CrewAboard,
    DefenceTried,
    MeleeFought,
    OarsSwiped,
    OrderSkipped,
    ShipActivated,
    ShipCaptured,
    ShipGrappled,
    ShipRammed,
    ShipsLinked,
    ShipsSeparated,
    ShipSunk,
    ShotFired,
    SidesDrawn,
)
from rules.ramspeed.engine.geometry.modifiers import Modifier
from rules.ramspeed.engine.orders import Alternative, ForwardOrder, OrderLine
from rules.ramspeed.engine.phases import turn
from rules.ramspeed.engine.phases.turn import TurnProgress
from rules.ramspeed.engine.state import with_ship
from rules.ramspeed.interface import game_flow
from tests.rules.ramspeed.test_panel import asked, offered, tokens

EN = Localizer(Catalogue.load("en", "ramspeed"))
NEAR = "A1 T ann athenian @4,9^90 20 ; A2 T ann athenian @20,9^90 20 ; S1 T bob spartan @23,9^0 20"


def test_a_lesson_says_the_same_reason_before_and_after():
    lesson = next(lesson for lesson in GAME.lessons if lesson.key == "chain")
    for seed in range(4):
        setup = Setup(system="ramspeed", teams=(0, 1), position=lesson.position)
        state = GAME.start(setup, Dice(seed=f"{seed:02x}")).state
        requests = {request.id: request for request in GAME.pending_requests(state)}
        said = GAME.draft_choices(state, requests["t1.orders.0"], Draft(lesson.solution, "A1")).lines
        before = next(line.params["why"] for line in said if line.key == "outcome.barred")
        texts = {**lesson.script, "t1.orders.0": lesson.solution}
        step = GAME.resolve(
            state, {name: GAME.parse_answer(state, request, texts[name]) for name, request in requests.items()}
        )
        after = [event.why for event in step.events if isinstance(event, OrderSkipped) and event.ship == "A1"]
        assert after == [before] == ["far"]


def test_a_reason_is_of_the_ship_that_shoots_and_not_of_the_one_that_stays():
    state, request = asked(NEAR)
    view = GAME.view(state, 0)
    reason = GAME.reason_for(view, GAME.parse_answer(state, request, "A2: shoot S1 crew\nA1: stay"))
    assert reason.key == "reason.shot"
    assert (reason.params["ship"], reason.params["to"]) == ("A2", "S1")
    far = GAME.reason_for(view, GAME.parse_answer(state, request, "A1: shoot S1 crew"))
    assert far.key == "reason.stay"


@pytest.mark.parametrize(("language", "told"), [("en", "1 man hit, 0 left"), ("hu", "1 ember elesik, 0 marad")])
def test_no_more_men_are_hit_than_were_aboard(language, told):
    words = Localizer(Catalogue.load(language, "ramspeed"))
    shot = ShotFired(by="A1", to="S1", kind="crew", distance=3.0, die=2, crew=0, lost=1, rule="RS-14.4")
    assert told in words.event_text(shot)


def test_a_line_that_came_to_nothing_is_told_to_its_captain_alone():
    state, _ = asked(NEAR)
    progress = TurnProgress(position=state.position, players_left=("p0", "p1"))
    (event,) = turn.activate_line(
        progress, OrderLine("S1", (Alternative((ForwardOrder(2.0),)),)), SeededDice(state.dice), {}
    ).events
    assert event.seen_by == (0,)


def test_that_a_ship_is_stuck_fast_is_told_once():
    ram = ShipRammed(
        by="A1", to="S1", heading=90, run=4.0, zone="dead_on", modifier=0, dice=(4, 4), total=8, result="stuck",
        x=1.0, y=1.0,
    )  # fmt: skip
    assert ram.dedup_key == ShipsLinked(a="A1", b="S1", kind="stuck").dedup_key != ""
    assert ShipsLinked(a="A1", b="S1", kind="grapple").dedup_key == ""


def test_who_sinks_when_the_beak_is_pulled_out_is_counted_as_rammed_and_sunk():
    state, _ = asked(NEAR)
    ram = ShipRammed(
        by="A2", to="S1", heading=90, run=4.0, zone="dead_on", modifier=0, dice=(4, 4), total=8, result="stuck",
        x=1.0, y=1.0,
    )  # fmt: skip
    assert count_statistics(state, (ram, ShipSunk(ship="S1", cause="separation")))[0].counts["sunk"] == 1


def test_a_first_turn_offers_neither_a_fireship_nor_a_sheet_for_when_they_are_late():
    first = tokens(offered("A1: fwd 2", "A1")) | tokens(offered("A1: fwd 2"))
    assert not {"do.ignite", "all.keep"} & first


def test_to_burn_ones_own_ship_is_offered_last():
    """With nobody in reach it stood first, before all rams."""
    state, request = asked(NEAR.replace("@4,9", "@12,9"))
    later = replaced(state, position=replaced(state.position, turn=2))
    (attacks,) = (
        group for group in GAME.draft_choices(later, request, Draft("", "A1")).groups if group.key == "attack"
    )
    assert [option.token for option in attacks.options].index("do.ignite") == len(attacks.options) - 1 > 0
    assert (
        Localizer(Catalogue.load("en", "ramspeed")).say_text(attacks.options[-1].label).startswith("Burn your own ship")
    )


@pytest.mark.parametrize(
    ("language", "told"),
    [
        ("en", "Ann takes P3 as a prize and sends 6 men across! The crews are now: 6 on P3, 13 on A1, and 1 on A2."),
        ("hu", "Ann elfoglalja P3-at, és 6 embert küld át rá! A legénységek most: P3-on 6, A1-en 13 és A2-n 1."),
    ],
)
def test_a_prize_is_told_with_who_crosses_and_the_crews_that_are_left(language, told):
    prize = ShipCaptured(
        ship="P3", player="p0", crew=6, nation="roman", gave=(CrewAboard("A1", 13), CrewAboard("A2", 1))
    )
    assert Localizer(Catalogue.load(language, "ramspeed"), {0: "Ann"}).event_text(prize) == told


def test_all_attacks_of_a_form_are_written_alike():
    state, request = asked(NEAR.replace("@4,9", "@12,9"))
    words = Localizer(Catalogue.load("en", "ramspeed"))
    (form,) = (form for form in GAME.draft_choices(state, request, Draft()).forms if form.token == "orders.1")
    said = {entry.token: words.say_text(entry.label) for entry in form.fields[0].entries}
    assert said["ram.S1"].removeprefix("ram S1") == said["swipe.S1"].removeprefix("swipe S1")
    assert said["ram.S1"].removeprefix("ram S1") == said["grapple.S1"].removeprefix("grapple S1")
    assert said["ram.S1"].startswith("ram S1, or else ")


def test_a_prize_is_named_with_whose_she_is():
    """Her id still has the letter of those who lost her."""
    words = Localizer(Catalogue.load("en", "ramspeed"))
    state, _ = asked("A1 T ann athenian @4,9^90 20 ; S1 T bob spartan @23,9^0 20 ; S2 T bob spartan @20,9^90 6")
    prize = replaced(state.position.ship_by_id("S2"), owner=state.position.ship_by_id("A1").owner)
    state = replaced(state, position=with_ship(state.position, prize))
    ram = ShipRammed(
        by="S2", to="S1", heading=90, run=4.0, zone="dead_on", modifier=0, dice=(4, 4), total=8, result="dead",
        x=1.0, y=1.0,
    )  # fmt: skip
    for seat, named in ((0, "S2 (now yours) rams S1"), (1, "S2 (now Ann's) rams S1")):
        whose = outcomes.story_ships(outcomes.ship_holders(GAME.view(state, seat)), seat, (0, 1), [ram])
        story = tell_story(replace(words, names={0: "Ann"}), [ram], seat, story_ships=whose)
        assert any(named in line.replace("*", "") for line in story.lines), story.lines


def test_what_the_headline_says_isnt_said_once_more_but_what_led_to_it():
    words = Localizer(Catalogue.load("en", "ramspeed"))
    swiped = OarsSwiped(by="A2", to="S1", heading=0, run=3.0, zone="along", past=2.0, defence="turn")
    dodged = DefenceTried(ship="S1", option="turn", die=6, success=True)
    story = tell_story(words, [swiped, dodged], None)
    assert story.headline == "S1 turns away in time. (rolled 6, needed 5+)"
    assert story.lines == ("A2 sweeps past S1 to shear off her oars; S1 tries to turn away.",)


def test_a_side_that_has_won_is_told_with_its_captains():
    state, _ = asked(NEAR)
    (winner,) = turn.end_by_concession(state.position, "Sparta").params["winner"]
    assert winner.key == "side.held"
    assert [captain.params["seat"] for captain in winner.params["captains"]] == [0]


@pytest.mark.parametrize(
    ("language", "far", "near"),
    [
        (
            "en",
            "The target was out of reach for A1 (ram S1) and A2 (ram S2).",
            "A1 and A2 had nobody to shoot at within 2 inches.",
        ),
        ("hu", "Túl messze volt a cél: A1 (S1 döfése)", "Nem volt célpontja 2 hüvelyken belül: A1 és A2."),
    ],
)
def test_what_is_too_far_away_is_told_together(language, far, near):
    words = Localizer(Catalogue.load(language, "ramspeed"))
    events = [OrderSkipped(ship=f"A{number}", order=f"ram S{number}", why="far", rule="RS-08.1") for number in (1, 2)]
    events += [OrderSkipped(ship=f"A{number}", order="shoot S1 crew", rule="RS-14.3") for number in (1, 2)]
    events += [
        OrderSkipped(ship="A1", order="ram S1", rule="RS-07.4"),
        OrderSkipped(ship="A2", order="ram S1", rule="RS-07.4"),
    ]
    lines = [line.replace("\u00a0", " ").replace("*", "") for line in tell_story(words, events, None).lines]
    assert len(lines) == 4
    assert lines[0].startswith(far)
    assert lines[1] == near


@pytest.mark.parametrize(
    ("language", "fallen", "parted", "alone"),
    [
        ("en", "12 men against 11. A2 loses 12, S1 loses 5.", "The ships part: A2 and S1.", "A2 is free again."),
        ("hu", "A2 vesztesége 12, S1 vesztesége 5.", "A hajók szétválnak: A2 és S1.", "A2 újra szabad."),
    ],
)
def test_no_more_fall_than_there_were_and_who_is_left_alone_does_not_part(language, fallen, parted, alone):
    words = Localizer(Catalogue.load(language, "ramspeed"))
    fought = MeleeFought(ships=("A2", "S1"), strengths=(12, 11), dice=((2, 3), (6, 7)), inflicted=(5, 13), crews=(0, 6))
    events = (fought, ShipsSeparated(ships=("A2", "S1")), ShipsSeparated(ships=("A2",)))
    lines = [words.event_text(event).replace("\u00a0", " ").replace("*", "") for event in events]
    assert lines[0].endswith(fallen)
    assert lines[1:] == [parted, alone]


@pytest.mark.parametrize(
    ("language", "far", "angle"),
    [
        (
            "en",
            "The target was out of reach for A1 (ram S1; instead: 6 in towards S1) and A2 (ram S2)",
            "ram S3: at 12° or less off her line, where a ram needs 13° or more. She did this instead: ",
        ),
        (
            "hu",
            "Túl messze volt a cél: A1 (S1 döfése; helyette: ",
            "legfeljebb 12°-ban érné el, a döféshez legalább 13° kell). Helyette ezt tette: ",
        ),
    ],
)
def test_what_she_did_instead_is_told_with_what_was_not_possible(language, far, angle):
    words = Localizer(Catalogue.load(language, "ramspeed"))
    orders = (("A1", "RS-08.5", "steer S1 6"), ("A2", "RS-08.5", "stay"), ("A3", "RS-07.4", "back 2"))
    events = []
    for ship, rule, did in orders:
        events += [OrderSkipped(ship=ship, order=f"ram S{ship[1]}", rule=rule), ShipActivated(ship=ship, order=did)]
    lines = [line.replace("\u00a0", " ").replace("*", "") for line in tell_story(words, events, None).lines]
    assert len(lines) == 2
    assert lines[0].startswith(far)
    assert lines[0].count("; ") == 1
    assert angle in lines[1]
    assert b"instead" not in msgspec.json.encode(events)
    held = OrderSkipped(ship="A1", order="ram S1", rule="RS-08.4", why="locked")
    assert held.merge_with(ShipActivated(ship="A1", order="fwd 4")) == held, "who is held in a fight has not rowed"


HELD = "A1 T ann athenian @15,12^90 20 ; S1 T bob spartan @17.5,12^0 13 ; A1-S1"


def turn_events(position, sheet="stay"):
    state, request = asked(position)
    requests = GAME.pending_requests(state)
    texts = {other.id: "stay" for other in requests} | {request.id: sheet}
    answers = {other.id: GAME.parse_answer(state, other, texts[other.id]) for other in requests}
    return GAME.resolve(state, answers).events


def test_a_melee_is_explained_with_each_die_and_what_is_added_to_it():
    fought = MeleeFought(
        ships=("A1", "S1"),
        strengths=(20, 3),
        dice=((4, 5), (3,)),
        modifiers=(
            (Modifier("strength", 1, men=13),),
            (Modifier("missing", -3, men=3), Modifier("nation", 1, nation="spartan")),
        ),
        inflicted=(10, 1),
        crews=(19, 0),
        rule="RS-11.4",
    )
    for language, sums in {
        "en": "(A1 rolled 4 + 5, +1 for 13 or more men = 10; S1 rolled 3, -3 for only 3 men, +1 Spartans = 1)",
        "hu": "(A1 dobása: 4 + 5, +1 legalább 13 ember = 10; S1 dobása: 3, -3 csak 3 ember, +1 spártaiak = 1)",
    }.items():
        words = Localizer(Catalogue.load(language, "ramspeed"))
        assert explained_line(words, fought).endswith(f"{sums} (RS-11.4, RS-11.5)")
        assert log_pages(words, [fought], None)[0].endswith(f"{sums} (RS-11.4, RS-11.5)")


@pytest.mark.parametrize(
    ("crews", "language", "sides"),
    [
        ((9, 10, 0), "en", ("A1 and A2", "S1")),
        ((9, 10, 0), "hu", ("A1 és A2 dobása", "S1 dobása")),
        ((19, 0, 0), "en", ("the first", "the second")),  # which of them fought on which side isn't known
        ((), "hu", ("az első fél", "a másik fél")),  # nor in older records
    ],
)
def test_the_ships_of_each_side_are_named_with_their_dice(crews, language, sides):
    fought = MeleeFought(
        ships=("A1", "A2", "S1"), strengths=(20, 3), dice=((4, 5), (1,)), inflicted=(9, 1), crews=crews, rule="RS-11.4"
    )
    told = explained_line(Localizer(Catalogue.load(language, "ramspeed")), fought)
    assert f"({sides[0]}" in told
    assert f"; {sides[1]}" in told
    assert any(isinstance(event, MeleeFought) and event.modifiers[0] for event in turn_events(HELD))


def test_a_ram_is_explained_with_its_modifiers_its_row_and_their_rules():
    fields = {"by": "A1", "to": "S1", "heading": 0, "run": 5.88, "zone": "dead_on", "x": 1.0, "y": 1.0}
    modifiers = (Modifier("long_run", 1, inches=5.88), Modifier("nation", 1, nation="athenian"))
    rammed = ShipRammed(**fields, modifier=2, modifiers=modifiers, dice=(2, 5), total=9, result="stuck", rule="RS-08.9")
    line = explained_line(EN, rammed).replace("\xa0", " ")
    sums = "(rolled 2 + 5, +1 run of 5.88 in, +1 Athenians = 9; 8–9: stuck)"
    assert line.endswith(f"{sums} (RS-08.9, RS-08.6, RS-08.7)")
    old = replaced(rammed, modifiers=())  # as records of older versions have it
    assert "(rolled 2 + 5 + 2 = 9; 8–9: stuck)" in explained_line(EN, old)
    assert "(rolled 2 + 5 + 2 = 9)" in EN.event_text(rammed)


@pytest.mark.parametrize(("order", "rule"), [("ram S1", "RS-08.5"), ("grapple S1", "RS-10.1")])
def test_a_target_out_of_reach_is_explained_by_the_rule_on_the_reach(order, rule):
    skipped = next(event for event in turn_events(NEAR, f"A1: {order}") if isinstance(event, OrderSkipped))
    assert skipped.why == "far"
    assert explained_line(EN, skipped).endswith(f"({rule})")


def test_a_turn_that_was_only_begun_does_not_count_as_played():
    state, _ = asked(NEAR)
    before = count_statistics(state, [])
    after = count_statistics(state, turn_events(NEAR))
    assert (before[0].counts.get("turns", 0), after[0].counts["turns"]) == (0, 1)


def test_the_dice_for_the_nations_are_reported_before_those_for_the_sides():
    options = {"scenario": "free", "opponents": "rolled", "sides": "dice"}
    events = GAME.start(Setup(system="ramspeed", teams=(0, 1), options=options), Dice(seed="5eed")).events
    said = tell_story(Localizer(EN.catalogue, {0: "Anna", 1: "Ben"}), events, None)
    sides = next(line for line in said.lines if "commands" in line)
    assert "against" in said.headline
    assert "commands" not in said.headline
    assert sides.startswith("The die for the sides shows ")
    assert {event.rule for event in events if isinstance(event, SidesDrawn)} == {"RS-22.2"}


@pytest.mark.parametrize(("language", "cells"), [("en", ["2 dice", "2 dice + 1"]), ("hu", ["2 kocka", "2 kocka + 1"])])
def test_the_table_of_a_melee_spaces_its_sums(language, cells):
    words = Localizer(Catalogue.load(language, "ramspeed"))
    rows = GAME.rule_tables()["casualties"].rows
    assert [words.say_text(dice) for _, dice in rows][1:3] == cells


def test_the_score_says_what_scored_and_calls_a_side_by_the_same_name_everywhere():
    ships = (
        "A1 T ann athenian @4,9^90 20",
        "A2 B ann athenian sunk",
        "B1 T bob<A athenian @23,9^0 20",
        "B2 B bob spartan @9,9^0 0",
        "B3 T bob spartan @30,30^0 20",
    )
    state = GAME.state_at(" ; ".join(["40x40 open turn=3/20 phase=orders quiet=0 seats=ann@A,bob@B", *ships]))
    public, own = GAME.view(state, None).score, GAME.view(state, 0).score
    first, second = (
        "the first fleet 1 (left without crew B2 for 1)",
        "the second fleet 5 (sank A2 for 1 and captured B1 for 4)",
    )
    assert EN.say_text(public) == f"The score: {first}, {second}."
    assert EN.say_text(own) == "The score: the first fleet 1, the second fleet 5."
    quiet = replaced(state, position=replaced(state.position, quiet=3))
    assert EN.say_text(GAME.view(quiet, 0).score).endswith("the points decide: the first fleet 1, the second fleet 5.")
    end = GAME.concede(state, 1)
    reason, event = end.state.result.reason, end.events[-1]
    said = EN.say(f"{reason.key}.short", **reason.params, losers="Bess")
    third = "the first fleet 3 (left without crew B2 for 1 and the enemy gave up B3 for 2)"
    assert f"The final score: {third}, the second" in said
    assert event.params["winner"][0].params["side"] == (Text("side.first"),)
    assert GAME.view(end.state, None).score is None


@pytest.mark.parametrize(
    ("language", "said", "drawn", "won"),
    [
        ("en", "Neither side has a crew left, so the points decide: 2 to ", "It's a draw.", "Victory goes to "),
        ("hu", "Egyik félnek sem maradt legénysége, így a pontok döntenek: 2–", "Döntetlen.", "Győztes: "),
    ],
)
def test_the_points_decide_when_neither_side_has_a_crew_left(language, said, drawn, won):
    own = Localizer(Catalogue.load(language, "ramspeed"))
    for ship_class, result in (("T", drawn), ("B", won)):
        ships = f"A1 T ann athenian @4,9^90 0 ; S1 {ship_class} bob spartan @23,9^0 0"
        position = GAME.state_at(f"40x40 open turn=3/20 phase=orders quiet=0 seats=ann@A,bob@B ; {ships}").position
        end = turn.find_end(position)
        line = explained_line(own, replaced(end, seats=()))
        assert line.startswith(said)
        assert result in line
        reason = game_flow.end_reason(position, end)
        short = own.say(f"{reason.key}.short", **reason.params, losers="")
        assert short.startswith(said)
        assert "A1" in short


def test_a_prize_is_reported_after_the_fight_in_which_she_was_taken():
    approach = {"heading": 90, "run": 2.0, "zone": "beam", "automatic": False}
    fought = MeleeFought(ships=("A1", "S1"), strengths=(9, 1), dice=((6,), (1,)), inflicted=(6, 1), crews=(8, 0))
    events = (
        ShipGrappled(by="A1", to="S1", **approach),
        DefenceTried(ship="S1", option="turn", die=5, success=True),
        ShipGrappled(by="S1", to="A1", **approach),
        DefenceTried(ship="A1", option="turn", die=1, success=False),
        ShipsLinked(a="A1", b="S1", kind="grapple"),
        fought,
        ShipCaptured(ship="S1", player="ann", crew=4, nation="athenian"),
    )
    for language in ("en", "hu"):
        words = Localizer(Catalogue.load(language, "ramspeed"), {0: "Anna", 1: "Ben"})
        for own_ships in (("A1", "S1"), ("S1", "A1")):
            whose = outcomes.StoryShips(own_ships, gained_ships=frozenset({"S1"}))
            (block,) = outcomes.event_lines(events, own_ships)
            assert block.events == events, "as everybody reads it"
            assert block.ships == ("A1", "S1"), "under the ship that acted first"
            told_story = tell_story(words, events, 0, story_ships=whose)
            text = " ".join(told_story.lines).replace("\u00a0", " ")
            assert text.startswith("**A1**")
            said = [words.clause_text(event).replace("\u00a0", " ") for event in events[1:]]
            assert [*map(text.index, said)] == sorted(map(text.index, said))
    reader = why.Reader(0, ("A1", "S1"), frozenset({"S1"}))
    numbered = [why.ExplainedEvent(event, f"{number}") for number, event in enumerate(events)]
    assert why.explain_events(numbered, reader).lines == ("**A1, S1**", *"0123456")
    enemy = why.Reader(0, ("A1",))
    assert why.explain_events(numbered[:2], enemy).lines == ("**A1**", *"01"), "why she missed: the target's defence"
