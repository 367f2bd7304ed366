"""Stories: owners of taken ships, quiet ships, one ship or several, and scores."""

import re

import pytest
from msgspec import UNSET, structs

from bot.presenters import why
from bot.texts import speech
from bot.texts.i18n import Catalogue, Localizer
from bot.texts.story import StoryBuilder, tell_story
from rules.chance.dice import ListedDice
from rules.interface.outcomes import ShipHolder, StoryShips, story_ships
from rules.squadrons import GAME
from rules.squadrons.engine import events, odds
from rules.squadrons.engine.notation.orders import (
    Doctrines,
    MoveOrder,
    OrderLine,
    RamOrder,
    SquadronActivation,
    SquadronOrders,
    VolleyOrder,
    VolleyTarget,
)
from rules.squadrons.engine.phases.activation.activation import activate_squadrons
from rules.squadrons.engine.phases.aftermath import victory
from rules.squadrons.engine.phases.combat import grappling, sinking
from rules.squadrons.engine.phases.play import TurnInProgress
from rules.squadrons.engine.sea import position_text
from rules.squadrons.engine.sea.state import Squadron
from rules.squadrons.interface.preview import track_preview
from rules.squadrons.interface.shown.make_view import squadron_lines

HEAD = "squadrons 2 E 22x20 - vp=14 limit=8 bonus=0/0 lost=-/- ; "
EN, HU = Localizer(Catalogue.load("en", "squadrons")), Localizer(Catalogue.load("hu", "squadrons"))


def carried_out(*ships, lines, dice=()):
    play = TurnInProgress(position_text.parse_position(HEAD + " ; ".join(ships)), ListedDice(dice), Doctrines())
    mine = tuple(ship.id for ship in play.position.ships_of("B"))
    squadron = Squadron(side="B", number=1, leader="", flagship="B1", ships=mine)
    activate_squadrons(play, (squadron,), SquadronActivation(squadron="B1", orders=SquadronOrders(lines)))
    return [EN.event_text(event) for event in play.events if event.weight], play


def test_of_quiet_ships_it_is_told_where_they_rowed_and_who_stayed():
    said, _ = carried_out(
        "B1 5@0810N C", "B2 5@1010N C", "R1 3@1504S C", lines=(OrderLine("B1", (MoveOrder("F"), MoveOrder("F"))),)
    )
    assert said == ["**Blue, squadron 1** (B1 and B2):", "B1 rowed to 0808. B2 stayed put."]


def test_why_a_ship_was_lost_is_read_before_what_came_of_the_others():
    ram = {"ra": 6, "rd": 7, "need": 8, "drm": 0, "dice": (6, 6), "adjusted": 12, "result": "rammed", "rule": "SQ-13.9"}
    happened = [
        events.StepStopped(ship="B1", step="F", rule="SQ-06.7"),
        events.ShipRammed(by="R3", target="B2", **ram),
        events.ShipSunk(ship="B2", cause="sinks", rule="SQ-22.9"),
    ]
    said = tell_story(EN, happened, 0, story_ships=StoryShips(("B1", "B2")))
    assert said.headline == "B2, holed by a ram, goes down!"
    assert said.lines[0].startswith("**B2**")
    assert "R3" in said.lines[0]
    assert "B1" in "".join(said.lines[1:])


def test_a_taken_ship_is_told_with_whose_she_is():
    said, play = carried_out(
        "B1 5@0810N C",
        "B2 5@0708N C CAP",
        "R1 3@1504S C",
        lines=(OrderLine("B1", (VolleyOrder((VolleyTarget("B2"),)),)),),
        dice=(1, 1, 1),
    )
    shot = next(event for event in play.events if isinstance(event, events.ShotFired))
    assert shot.taken == ("B2",)
    assert any("B2 (now Red's)" in line for line in said)
    assert "B2-re (most a Piros hajója)" in HU.event_text(shot)
    assert "taken" not in events.event_to_json(shot)


@pytest.mark.parametrize("rolled", [(5, 4), (2, 1)])
def test_a_plan_and_its_result_count_in_one_way(rolled):
    """The plan says what the dice must show, the result adds the modifier: "9 − 1 = 8, needed 7+" after "8+"."""
    ships = ("B1 5@1014N M", "R1 3@1110NE M")
    line = OrderLine("B1", (MoveOrder("F"), MoveOrder("F"), RamOrder("R1")))
    position = position_text.parse_position(HEAD + " ; ".join(ships))
    (plan,) = track_preview.odds_by_ship(position, (line,))["B1"]
    _, play = carried_out(
        *ships, lines=(line,), dice=(6, 6, *rolled, *[1] * 9)
    )  # R1 hits nobody, and is too slow to dodge
    (ram,) = (event for event in play.events if isinstance(event, events.ShipRammed))
    assert plan.drm
    modifier = f"{'+' if plan.drm > 0 else '−'} {abs(plan.drm)}"
    roll = f"{sum(rolled)} {modifier} = {sum(rolled) + plan.drm}"
    assert f"(rolled {roll}, needed {plan.min_roll + plan.drm}+)" in EN.event_text(ram)
    assert f"(dobás: {roll}, {plan.min_roll + plan.drm}+ kellett)" in HU.event_text(ram)
    assert (ram.result == "rammed") == (sum(rolled) >= plan.min_roll)


def test_a_turn_in_which_the_fleets_only_row_has_another_headline_than_their_setting_out():
    _, play = carried_out("B1 5@0810N C", "R1 3@1504S C", lines=(OrderLine("B1", (MoveOrder("F"), MoveOrder("F"))),))
    assert tell_story(EN, play.events, None).headline == "B1 rowed to 0808." != EN.say("story.opening")


def test_one_ship_boards_and_several_board():
    values = {"target": "R1", "m": 5, "need": 7, "drm": 0, "dice": (4, 4), "adjusted": 8, "result": "captured"}
    event = events.ShipBoarded(by=(events.BoardingShip("B5", 5),), **values)
    two = events.ShipBoarded(by=(events.BoardingShip("B5", 3), events.BoardingShip("B6", 2)), **values)
    assert EN.event_text(event).startswith("B5 boards R1 and takes her!")
    assert EN.event_text(two).startswith("B5 and B6 board R1 and take her!")


def test_who_fights_on_without_an_admiral_makes_no_headline_and_the_die_is_explained():
    stays = events.WithdrawalRolled(side="R", die=4, total=6, ok=False)
    assert stays.headline_score <= 1
    assert "(rolled 4 + 2 = 6; it would withdraw on 7+)" in EN.event_text(stays)


def test_the_end_says_what_has_scored_and_why_of_two_who_have_enough_one_wins():
    lying = position_text.parse_position(
        HEAD
        + "B1 5@0810N C RAM:R2 ; B2 7@1010N C RAM:R1 ; R1 5@0804S C RAM:B1 ; R2 5@1204S C RAM:B1 ; R3 5@1604S C CAP"
    )
    blue, red = victory.victory_points(lying)
    end = events.GameEnded(winner="B", reason="target", blue=blue, red=red, drawish=False)
    assert blue > red >= lying.target
    reason = victory.end_reason_text(lying, end)
    assert reason.key == "reason.target.both"
    said = EN.say(f"{reason.key}.short", **reason.params).splitlines()
    assert said[0].startswith("Both sides reached 14 points")
    assert said[1].startswith(f"Blue {blue}: captured R3 (")
    assert "rammed R1 (" in said[1]
    assert said[2].startswith(f"Red {red}: rammed B1 (")


def test_who_withdrew_is_said_with_the_admirals_ship_and_what_else_has_scored():
    before = position_text.parse_position(HEAD + "B1 5@0810N C ; R1 5@0804S C ; R2 7@1604S C ; lead RL1 Steady@R1")
    lying = position_text.parse_position(
        "squadrons 2 H 22x20 - vp=14 limit=8 bonus=28/0 lost=-/2 ; B1 5@0810N C ; R1 5@0804S C CAP ; R2 7@1604S C"
    )
    blue, red = victory.victory_points(lying)
    end = events.GameEnded(winner="B", reason="withdrawal", blue=blue, red=red, drawish=False)
    gone = events.WithdrawalRolled(side="R", die=6, total=8, ok=True)
    names = {"losers": "Bess"}
    reason = victory.end_reason_text(lying, end, [gone, end], before)
    first, scored, _ = EN.say(f"{reason.key}.short", **reason.params, **names).splitlines()
    assert first == "Bess lost the admiral aboard R1, and the fleet withdrew."
    assert scored == f"Blue {blue}: captured R1 (9), 25 for the withdrawal, and 3 for ships that left the battle"
    assert EN.say(f"{reason.key}.yours", **reason.params, **names).startswith("You lost your admiral aboard R1")
    assert EN.say_text(reason).startswith("Blue has won: the enemy lost the admiral aboard R1")
    stayed = victory.end_reason_text(lying, structs.replace(end, reason="target"), [end])
    assert "28 for ships that left the battle" in EN.say(f"{stayed.key}.short", **stayed.params, **names)
    ahead = victory.end_reason_text(
        lying, structs.replace(end, drawish=True), [structs.replace(gone, side="B")], before
    )
    assert EN.say_text(ahead).startswith("Blue has won: its fleet lost the admiral and withdrew")


def test_captains_read_what_losing_their_only_admiral_means_and_of_enemies_near_the_ship():
    state = GAME.state_at(HEAD + "B1 5@0810N C ; B2 5@1410N C ; R1 5@0808S C ; R2 5@1604S C ; lead BL1 Steady@B1")
    view = GAME.view(state, 0)
    assert EN.say_text(view.goal) == "Protect your admiral aboard B1: if she is lost, your fleet may break off and run."
    assert EN.say_text(view.score) == "⚠ **Enemies are close to your admiral aboard B1: R1.**"
    (request,) = (request for request in GAME.pending_requests(state) if request.seat == 0)
    stays, leaves = (GAME.parse_answer(state, request, text) for text in ("pass", "B1: tp tp F3"))
    assert "close to your admiral aboard B1: R1" in EN.say_text(GAME.reason_for(view, stays))
    assert "admiral" not in EN.say_text(GAME.reason_for(view, leaves))
    assert GAME.view(state, None).goal is None


SQUADRONS_HEAD = "squadrons 3 E 44x28 - vp=25 limit=12 bonus=0/0 lost=-/- ; "
SEA = position_text.parse_position(
    SQUADRONS_HEAD
    + "B1 5@1016N C q1 ; B2 5@1216N C q1 ; B3 5@1416N C F2 q1 ; B4 5@1616NE C ; B5 5@1816N C CAP done ; B6 5@sunk ; "
    "R1 5@1010S C q1 ; R2 5@1210S C q1 ; R4 5@1410S C q1 ; R5 5@1610S C q2"
)


def test_squadrons_are_told_in_a_sentence_each_ones_own_first():
    lines = [
        (text.key, text.params["side"], text.params["number"], text.params["ships"])
        for text in squadron_lines(SEA, "R")
    ]
    assert lines == [
        ("squadron.sound", "R", 1, "R1, R2, R4"),
        ("squadron.sound", "R", 2, "R5"),
        ("squadron.alone_hurt", "R", 0, "B5"),
        ("squadron.hurt", "B", 1, "B1–B3"),
        ("squadron.alone", "B", 0, "B4"),
    ]
    assert [text.params["side"] for text in squadron_lines(SEA)] == ["B", "B", "R", "R", "R"]


def test_where_a_squadron_lies_and_heads_and_who_is_hurt_is_told():
    first = next(text for text in squadron_lines(SEA, "B"))
    assert first.params == {
        "side": "B", "number": 1, "ships": "B1–B3", "hex": "1216", "compass": "N", "hurt": "B3",
    }  # fmt: skip


def test_a_dodge_at_half_speed_adds_one_to_the_die():
    dodge = events.AvoidanceTried(ship="R1", by="B1", die=3, crew=3, ok=False, to=None, drm=1)
    assert EN.event_text(dodge).endswith("(rolled 3 + 1 = 4, needed 3 or less)")
    assert HU.event_text(dodge).endswith("(dobás: 3 + 1 = 4, legfeljebb 3 kellett)")
    assert EN.event_text(structs.replace(dodge, drm=UNSET)).endswith("(rolled 3, needed 3 or less)")


def test_who_is_dragged_down_hangs_on_the_ship_that_is_named():
    held = {"ship": "R4", "cause": "chain", "holder": "B4", "rule": "SQ-22.9"}
    assert EN.event_text(events.ShipSunk(**held, link="grappled")) == "R4, grappled to B4, goes down with her!"
    assert HU.event_text(events.ShipSunk(**held, link="fouled")) == "R4 összeakadt B4-gyel, és vele együtt elsüllyed!"


def test_a_chain_names_for_each_ship_the_one_that_drags_her_down():
    ships = ("B1 5@0810N C RAM:R3", "R1 3@1010N C", "R2 3@1210N C", "R3 3@1410N C")
    position = structs.replace(
        position_text.parse_position(HEAD + " ; ".join(ships)),
        grapples=(("B1", "R3"), ("R1", "R3")),
        fouls=(("R1", "R2"),),
    )
    play = TurnInProgress(position, ListedDice(()), Doctrines())
    sinking.sink_with_linked(play, "B1", "sinks", "SQ-22.9")
    sunk = [event for event in play.events if isinstance(event, events.ShipSunk)]
    assert [(event.ship, event.holder, event.link) for event in sunk] == [
        ("B1", "", ""),
        ("R1", "R3", "grappled"),
        ("R2", "R1", "fouled"),
        ("R3", "B1", "grappled"),
    ]


@pytest.mark.parametrize(("rammer", "words"), [("R1", "her ram free of B1"), ("", "herself free of the ram of B1")])
def test_who_comes_free_of_a_ram_may_still_be_grappled(rammer, words):
    ships = (f"B1 5@0810N C{f' RAM:{rammer}' if rammer else ''}", "R1 3@1010N C")
    position = position_text.parse_position(HEAD + " ; ".join(ships))
    position = structs.replace(position, grapples=(("B1", "R1"),), fouls=(("R1", "B1"),))
    play = TurnInProgress(position, ListedDice((6,)), Doctrines())
    grappling.roll_unfoul(play, "R1", "B1")
    assert EN.event_text(play.events[0]).startswith(f"R1 works {words}, but they are still grappled. (rolled 6, ")
    assert play.position.grappled_to("R1") == ("B1",)


@pytest.mark.parametrize("own", [EN, HU])
def test_a_ship_that_was_taken_and_sank_is_a_loss_of_those_who_had_her_and_none_of_her_captors(own):
    """Sunk ships are shown as their builders'."""
    boarded = events.ShipBoarded(
        target="B1", by=(events.BoardingShip(ship="R1", m=3),), m=3, need=7, drm=0, dice=(5, 6), adjusted=11,
        result="captured", rule="SQ-17.8",
    )  # fmt: skip
    happened = [boarded, events.ShipSunk(ship="B1", cause="sinks", rule="SQ-22.9")]
    holders = (ShipHolder("B1", 0), ShipHolder("B2", 0), ShipHolder("R1", 1))

    def own_ships_and_loss_count(seat):
        whose = story_ships(holders, seat, (0, 1), happened)
        return whose.own_ships, len(StoryBuilder.build(own, happened, seat, story_ships=whose).summarise().losses)

    assert own_ships_and_loss_count(0) == (("B1", "B2"), 2), "taken and sunk"
    assert own_ships_and_loss_count(1) == (("R1",), 0)


def test_where_a_ship_dodged_to_is_said_and_that_the_ram_reaches_her_all_the_same():
    line = OrderLine("B1", (MoveOrder("F"), MoveOrder("F"), RamOrder("R1")))
    said, play = carried_out("B1 5@1014N C", "R1 3@0911NE C", lines=(line,), dice=(1, 6, 6, *[1] * 9))
    assert "R1 dodges B1 and is now at 1011NE; her crew is exhausted. (rolled 1, needed 3 or less)" in said
    ram = next(event for event in play.events if isinstance(event, events.ShipRammed))
    assert EN.event_text(ram).startswith("B1 still reaches R1, rams her and tears her side open!")
    assert HU.event_text(ram).startswith("B1 így is eléri R1-et: megdöfi")
    beside, _ = carried_out("B1 5@1014N C", "R1 3@0911NE C", lines=(line,), dice=(6, 6, 6, *[1] * 9))
    assert not any("still reaches" in sentence for sentence in beside)


def test_it_is_nobodys_turn_in_a_finished_battle():
    state = structs.replace(GAME.state_at(HEAD + "B1 5@0810N C ; R1 5@0804S C"), active="B")
    assert GAME.view(state, None).active == "B"
    assert GAME.view(GAME.concede(state, 1).state, None).active is None


@pytest.mark.parametrize(
    ("words", "closing"), [(EN, "**End of the turn:**"), (HU, "**A forduló vége:**")], ids=["en", "hu"]
)
def test_what_happens_after_the_last_squadron_is_told_under_a_heading_of_its_own(words, closing):
    happened = [
        events.SquadronActivated(side="R", number=1, flagship="R3", ships=("R2", "R3")),
        events.StepStopped(ship="R2", step="F", rule="SQ-06.7"),
        events.SquadronActivated(side="B", number=0, flagship="B4", ships=("B4",)),
        events.UnfoulTried(ship="B3", of="R2", need=4, die=5, ok=True, rule="SQ-18.5"),
        events.SinkRolled(ship="R2", die=6, sinks=True, rule="SQ-22.9"),
        events.ShipSunk(ship="R2", cause="sinks", rule="SQ-22.9"),
    ]
    paragraphs = StoryBuilder.build(words, happened, None).tell_fully().paragraphs
    assert [part.heading for part in paragraphs if part.heading] == [words.event_text(happened[0]), closing]
    assert "R2" in paragraphs[0].rows[0]
    assert len(paragraphs[-1].rows) >= 2
    without_squadrons = StoryBuilder.build(words, happened[3:], None).tell_fully().paragraphs
    assert not any(part.heading for part in without_squadrons)


@pytest.mark.parametrize("language", [EN, HU])
def test_why_tells_the_roll_that_put_a_fleet_to_flight(language):
    grapple = events.ShipGrappled(by="B1", target="R1", need=3, drm=0, die=1, ok=False)
    modifiers = odds.non_zero(("initiative", 2), ("behind", 1))
    gone = events.WithdrawalRolled(side="B", die=4, modifiers=modifiers, total=7, ok=True)
    explained = [why.ExplainedEvent(event, speech.explained_line(language, event)) for event in (grapple, gone)]
    *_, last = why.explain_events(explained, why.Reader(0, ("B1",))).lines
    assert re.search("4, \\+2 .* \\+1 .* = 7", last)
