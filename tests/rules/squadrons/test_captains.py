"""The good captain rams when it pays, keeps away from rams, and withdraws the crippled; all of it is legal."""

import pytest
from msgspec import structs

from rules.ai import thinking
from rules.ai.search import DiceSamples, SampleDice
from rules.chance.dice import Dice
from rules.core.protocol import Setup
from rules.squadrons import GAME
from rules.squadrons.ai import admiral, evaluation, profiles, side_options, simulation
from rules.squadrons.ai.side_options import SideOptions
from rules.squadrons.engine.notation.orders import (
    CutOrder,
    Doctrines,
    GrappleOrder,
    MoveOrder,
    RamOrder,
    SquadronOrders,
    VolleyOrder,
    VolleyTarget,
)
from rules.squadrons.engine.phases.activation import rehearsal
from rules.squadrons.engine.phases.combat import missiles
from rules.squadrons.engine.sea import fleets, position_text
from rules.squadrons.interface.preview import best_attacks
from tests.laws.length import times
from tests.rules.squadrons import sea

TURNS = times(1, 3)
"""Of a battle of captains."""
HEAD = "squadrons 3 E 44x28 - vp=55 limit=12 bonus=0/0 lost=-/- ; "


def planned(*ships, names=("B1",), fixed=True):
    lying = position_text.parse_position(HEAD + " ; ".join(ships))
    side_options = SideOptions(lying, "B", speeds_set=fixed)
    (plans,) = profiles.decide_side(side_options, [names], admiral.OWN_PROFILES[0])
    return lying, {plan.ship: plan for plan in plans}


def test_it_rams_when_the_odds_pay_and_rows_hard_for_it():
    _, plans = planned("B1 5@2316NW C", "R1 5@1512N C done", fixed=False)
    plan = plans["B1"]
    assert plan.option.speed == "M"
    assert plan.line.steps[-1] == RamOrder("R1")
    assert plan.option.odds.chance > 0.7


def test_the_mate_rams_no_ship_that_is_rammed_already_or_offers_no_hope():
    _, plans = planned("B1 5@1613NW C", "R1 5@1512N C RAM:B9")
    assert not isinstance(plans["B1"].option.attack, RamOrder)
    _, plans = planned("B1 L@1613NW M", "R1 8@1512N C done")
    assert not isinstance(plans["B1"].option.attack, RamOrder)


def test_men_who_outnumber_the_enemy_grapple():
    _, plans = planned("B1 10@1612N C", "R1 cat3@1512N C CRp CRs D1 done")
    assert isinstance(plans["B1"].line.steps[-1], GrappleOrder)


def test_a_crippled_or_tired_galley_does_not_row_at_the_enemy():
    lying, plans = planned("B1 5@2018N C F3", "R1 5@2012S C")
    ship = lying.ship_by_id("B1")
    threats = evaluation.find_threats(lying, "B", speeds_set=True)
    before = evaluation.ram_loss(threats, ship, ship.place, helpless=False)
    assert evaluation.ram_loss(threats, ship, plans["B1"].option.place, helpless=False) <= before
    assert plans["B1"].option.place.bow[1] >= ship.bow[1] or plans["B1"].option.place == ship.place


def test_a_ship_held_by_stronger_men_cuts_herself_loose():
    _, plans = planned("B1 3@1612N C", "R1 5m@1512N C", "grap B1 R1")
    assert isinstance(plans["B1"].line.steps[0], CutOrder)


def test_it_aims_where_a_galley_that_slips_ahead_is_still_rammed():
    lying, plans = planned("B1 5@2316NW C", "R1 5@1512N C", fixed=False)
    target, option = lying.ship_by_id("R1"), plans["B1"].option
    slipped = structs.replace(target, bow=target.place.hex_ahead)
    assert isinstance(option.attack, RamOrder)
    lying = lying.with_ship(structs.replace(lying.ship_by_id("B1"), bow=option.place.bow, facing=option.place.facing))
    assert lying.ship_by_id("B1").place.hex_ahead in slipped.hexes
    assert lying.ship_by_id("B1").bow in slipped.adjacent_hexes.all_flanks


@pytest.mark.parametrize("which", ["rams", "column", "100"])
def test_all_that_it_orders_is_legal_and_no_two_go_to_one_hex(which):
    lying = fleets.stock_position(which) if which.isdigit() else fleets.scenario_position(which)
    begun = admiral.turn_start(lying)
    own = [squadron for squadron in begun.squadrons if squadron.side == "B"]
    groups = admiral.plan_side(SideOptions(lying, "B", speeds_set=False), own, admiral.OWN_PROFILES[0])
    for plan in (plan for group in groups for plan in group):
        lying = lying.with_ship(structs.replace(lying.ship_by_id(plan.ship), speed=plan.option.speed))
    orders = SquadronOrders(tuple(plan.line for group in groups for plan in group))
    assert rehearsal.first_illegal_line(lying, orders) is None
    assert any(isinstance(step, MoveOrder) for line in orders.lines for step in line.steps)


def test_it_keeps_its_galleys_in_their_leaders_reach():
    begun = admiral.turn_start(fleets.stock_position("100"))
    own = [squadron for squadron in begun.squadrons if squadron.side == "B"]
    side_options = SideOptions(begun.position, "B", speeds_set=False)
    alone = {}
    for profile in (admiral.OWN_PROFILES[0], admiral.RECKLESS_PROFILE):
        (*groups,) = admiral.plan_side(side_options, own, profile)
        position = begun.position
        for plan in (plan for group in groups for plan in group):
            place = plan.option.place
            ship = structs.replace(position.ship_by_id(plan.ship), bow=place.bow, facing=place.facing)
            position = position.with_ship(ship)
        formed = admiral.turn_start(position).squadrons
        alone[profile] = sum(squadron.side == "B" and not squadron.number for squadron in formed)
    assert alone[admiral.OWN_PROFILES[0]] < alone[admiral.RECKLESS_PROFILE]


@pytest.mark.parametrize("afloat", [9, 26, 38, 46, 62])
def test_a_large_fleet_is_thought_about_no_longer_than_a_small_one(afloat):
    profiles_tried, turns = admiral.trial_budget(afloat)
    assert turns * afloat <= admiral.TURN_BUDGET
    assert len(profiles_tried) * afloat <= 44 * len(admiral.OWN_PROFILES)
    ranked = len(profiles_tried) * admiral.SAMPLE_COUNT // 2 + 3 * admiral.SAMPLE_COUNT // 2
    assert ranked < turns  # some turns are left to improve the best


def test_turns_are_played_out_as_often_as_they_are_counted(monkeypatch):
    turns, counted, afloat = 48, [], []

    def trials(ships):
        afloat.append(ships)
        return admiral.OWN_PROFILES, turns

    def carried_out(_search, _orders, samples):
        counted.extend(samples)
        return [0.0 for _ in samples]

    monkeypatch.setattr(admiral, "trial_budget", trials)
    monkeypatch.setattr(admiral.SideSearch, "_sample_values", carried_out)
    state = GAME.start(Setup(system="squadrons", teams=(0, 1), options={"battle": "100"}), Dice("5eed")).state
    admiral.SideSearch(admiral.turn_start(state.position), "B", "5eed", Doctrines()).best_orders()
    assert afloat == [sum(ship.is_afloat for ship in state.position.ships)]
    assert turns <= len(counted) < turns + admiral.SAMPLE_COUNT


def test_luck_is_taken_out_of_the_value_of_a_turn():
    lying = position_text.parse_position(HEAD + "B1 5@1614NW C ; R1 5@1512N C")
    begun = admiral.turn_start(structs.replace(lying, phase="A"))
    begun = structs.replace(begun, position=lying.with_ship(structs.replace(lying.ship_by_id("B1"), speed="M")))
    side_options = SideOptions(begun.position, "B", speeds_set=True)
    groups = admiral.plan_side(side_options, begun.squadrons[:1], admiral.RECKLESS_PROFILE)
    assert isinstance(groups[0][0].option.attack, RamOrder)
    turnsheets = {
        "B": admiral.to_turnsheet(admiral.SideOrders(groups), {"B1": "B1"}),
        "R": admiral.to_turnsheet(admiral.SideOrders(()), {}),
    }
    begun = structs.replace(begun, speeds_set=True, position=structs.replace(begun.position, phase="F"))
    calm = Doctrines(())
    luck = DiceSamples(24, 1, "00")
    worth = set()
    for sample in range(24):
        end = simulation.run_turn(begun, turnsheets, SampleDice(luck, sample), calm)
        rams = [event for event in end.events if event.__struct_config__.tag == "ram"]
        if rams:
            chance = evaluation.success_chance(rams[0].need, rams[0].drm)
            hit = rams[0].result == "rammed"
            assert end.luck == pytest.approx((hit - chance) * 8)
            worth.add(hit)
    assert worth == {False, True}


def test_a_judge_sees_both_sides_alike_and_would_rather_strike_than_be_struck():
    lying = position_text.parse_position(HEAD + "B1 5@2316NW C ; R1 5@1512N C F2")
    assert evaluation.position_value(lying, "B", over=False) == -evaluation.position_value(lying, "R", over=False)
    assert evaluation.position_value(lying, "B", over=False) > 0


@pytest.mark.slow
def test_it_orders_the_same_again_and_a_hint_changes_no_doctrine():
    state = GAME.start(Setup(system="squadrons", teams=(0, 1), options={"battle": "rams"}), Dice(seed="07")).state
    request = GAME.pending_requests(state)[0]
    view = structs.replace(GAME.view(state, request.seat), captain="admiral")
    own = GAME.computer_answer(view, request, "00")
    assert GAME.computer_answer(view, request, "00") == own
    assert own.doctrines
    assert not GAME.advise(view, request, "00").doctrines


def test_a_hint_names_the_attack_that_it_advises_and_what_it_needs():
    lying = HEAD.replace(" 3 E ", " 3 A ") + "B1 5@2316NW C ; R1 5@1512N C"
    state = GAME.state_at(lying)
    request = GAME.pending_requests(state)[0]
    view = GAME.view(state, request.seat)
    reason = GAME.reason_for(view, GAME.advise(view, request, "00"))
    assert reason.key == "reason.ram"
    assert reason.params == {"ship": "B1", "to": "R1", "need": 6}


@pytest.mark.parametrize(
    ("enemy", "steps"), [("5m", [CutOrder(("R1",)), VolleyOrder((VolleyTarget("R1"),))]), ("10", [CutOrder(("R1",))])]
)
def test_a_held_galley_only_shoots_where_she_may_hit_once_she_has_cut_herself_loose(enemy, steps):
    """Grapples make an enemy helpless, which helps a shot; they are cut before it."""
    lies = sea.lies("B1 3@1612N C", f"R1 {enemy}@1512N C", "grap B1 R1")
    assert missiles.shot_odds(lies, "B1", "R1", lies.ship_by_id("B1").manpower).chance > 0
    (doing,) = best_attacks.plan_each(lies, ("B1",), "00")
    assert list(doing.line.steps) == steps


@pytest.mark.parametrize(
    ("enemy", "plain", "wary"),
    [
        ("R1 5@1512N C", (RamOrder("R1"),), (GrappleOrder("R1"),)),  # she will have rowed on, but stays beside
        ("R1 5@1512N C done", (RamOrder("R1"),), (RamOrder("R1"),)),
    ],
)
def test_who_is_wary_orders_what_can_be_done_before_the_enemy_acts_and_after(enemy, plain, wary):
    lies = position_text.parse_position(HEAD + " ; ".join(("B1 5@1613NW C", enemy)))
    orders = [
        [doing.line.steps for doing in best_attacks.plan_each(lies, ("B1",), "00", wary=how)] for how in (False, True)
    ]
    assert orders == [[plain], [wary]]


def test_a_galley_does_not_shoot_at_who_is_helpless_only_until_her_friend_is_loose():
    lies = sea.lies("B1 3@1612N C", "R1 10@1512N C", "B2 3@1412N C", "R2 10@1312N C", "grap B1 R1", "grap B2 R2")
    first, second = best_attacks.plan_each(lies, ("B1", "B2"), "00", places={"B1": 0, "B2": 1})
    assert first.line.steps == (CutOrder(("R1",)),)
    assert second.line.steps == (CutOrder(("R2",)),)


@pytest.mark.parametrize(("looks", "own", "theirs"), [(0, 0, 0), (3, 3, 0), (8, 5, 2)])
def test_a_captain_without_time_looks_at_no_other_galley_and_lets_her_lie(monkeypatch, looks, own, theirs):
    """Before it has drawn up the first orders, too; thinking once more as far finds the same, however much is known."""
    options = {"battle": "60", "sides": "first", "captain": "admiral"}
    state = GAME.start(Setup(system="squadrons", teams=(0, 1), options=options), Dice("00")).state
    request = next(request for request in GAME.pending_requests(state) if request.kind == "orders")
    looked, of = [], SideOptions._options_of
    monkeypatch.setattr(SideOptions, "_options_of", lambda side, ship: looked.append(ship.id) or of(side, ship))
    side_options.cached_side_options.cache_clear()
    orders = []
    for _ in range(2):
        left = iter(range(looks))
        with thinking.thinking_until(lambda left=left: next(left, None) is None):
            orders.append(GAME.computer_answer(GAME.view(state, request.seat), request, "5eed"))
    first, again = orders
    assert [sum(name in ship.id for name in looked for ship in state.position.ships_of(side)) for side in "BR"] == [
        own,
        theirs,
    ]
    assert first == again
    assert len({entry.target for entry in first.lines}) <= own
    assert GAME.parse_answer(state, request, GAME.format_answer(request, first)) == first
