"""Fleets are built and set down as the rules say, from stock or by points in secret (SQ-23)."""

import msgspec
import pytest
from msgspec import structs

from rules.chance.dice import Dice
from rules.core.errors import OrderError
from rules.core.protocol import Concede, Draft, Setup
from rules.core.registry import RULESETS
from rules.squadrons.engine.notation import order_text
from rules.squadrons.engine.phases.activation import activation
from rules.squadrons.engine.phases.command import command
from rules.squadrons.engine.sea import fleets, grid, position_text
from rules.squadrons.engine.sea.state import State, Wind
from rules.squadrons.engine.tables import FLEETS, SCENARIOS
from rules.squadrons.interface.drafts import rosters
from rules.squadrons.interface.drafts.answers import Roster
from rules.squadrons.interface.drafts.rosters import RosterContext, RosterDraft
from tests.rules.squadrons import sea


def placed(lies, side):
    return {ship.id: ship.place for ship in lies.ships if ship.builder == side}


@pytest.mark.parametrize("points", FLEETS)
def test_stock_fleets_lie_as_they_must(points):
    lies = fleets.stock_position(points)
    assert lies.target == int(points) // 5 + 5  # V-05: 25 for 100 points
    hexes = [here for ship in lies.ships for here in ship.hexes]
    assert len(hexes) == len(set(hexes))
    for side in "BR":
        assert fleets.why_deployment_barred(lies, side, placed(lies, side)) is None
        assert fleets.fleet_cost(ship.code for ship in lies.ships_of(side)) <= int(points)
        assert len(lies.admirals(side)) == 1
    assert position_text.parse_position(position_text.format_position(lies)) == lies


@pytest.mark.parametrize(
    ("codes", "leaders", "rule"),
    [
        (["10"] * 11 + ["7", "2"], ["Bold"], "SQ-23.1"),  # 256 points
        (["5"] * 19, ["Bold", "SqC", "SqC"], None),  # 247
        ([], ["Bold"], "SQ-23.1"),
        (["5", "99"], ["Bold"], "SQ-23.2"),
        (["5"] * 9, ["SqC"], "SQ-23.3"),
        (["5"] * 9, ["Bold", "Grand"], "SQ-23.3"),
        (["5"] * 9, ["Bold", "SqC", "SqC", "SqC"], "SQ-23.3"),
        (["5"] * 9, ["Bold", "Nelson"], "SQ-23.3"),
        (["5"] * 2, ["Bold", "SqC", "SqC"], "SQ-23.8"),
    ],
)
def test_v06_what_a_fleet_may_be(codes, leaders, rule):
    barred = fleets.why_roster_barred("250", codes, leaders)
    assert (barred and barred.rule) == rule


def test_v07_nine_hexes_from_the_own_edge():
    lies = fleets.stock_position("60")
    ships = placed(lies, "B")
    north = grid.parse_hex("1013")  # distance 9 of 22 rows
    assert fleets.why_deployment_barred(lies, "B", ships | {"B1": grid.HexPose(north, 0)}).rule == "SQ-23.4"
    south = grid.parse_hex("1014")
    assert fleets.why_deployment_barred(lies, "B", ships | {"B1": grid.HexPose(south, 0)}) is None
    assert fleets.why_deployment_barred(lies, "B", ships | {"B1": ships["B2"]}).rule == "SQ-02.5"
    del ships["B1"]
    assert fleets.why_deployment_barred(lies, "B", ships).code == "not_placed"


@pytest.mark.parametrize("name", SCENARIOS)
def test_scenarios_can_be_laid_out(name):
    lies = fleets.scenario_position(name)
    assert all(len(lies.ships_of(side)) > 2 and lies.admirals(side) for side in "BR")
    assert len(lies.ships_by_hex) == 2 * len(lies.ships)
    for side in "BR":
        assert {ship for squadron in command.form_squadrons(lies, side) for ship in squadron.ships} == {
            ship.id for ship in lies.ships_of(side)
        }


def start_battle(**options):
    return SQUADRONS.start(Setup(system="squadrons", teams=(0, 1), options=options), Dice(seed="11")).state


def options_that_hold(**options):
    return SQUADRONS.effective_options({"land": "own", "wind": "own", **options}, has_own_scenario=False)


def test_a_battle_may_have_no_turn_limit():
    assert start_battle(battle="100").position.limit == 12
    state = start_battle(battle="100", limit="none")
    assert state.position.limit == 0
    assert SQUADRONS.view(state, None).phase.params["turns"][0].key == "turns.endless"


@pytest.mark.parametrize(
    ("options", "wind", "changes"),
    [
        ({"battle": "wind"}, Wind(1, 0), True),
        ({"battle": "wind", "wind": "steady"}, Wind(1, 0), False),
        ({"battle": "wind", "wind": "off"}, None, False),
        ({"battle": "rams", "wind": "steady"}, Wind(1, 2), False),
        ({"battle": "rams"}, None, False),
    ],
)
def test_a_scenario_states_its_wind_and_an_option_changes_or_removes_it(options, wind, changes):
    state = start_battle(sides="first", **options)
    position = state.position
    assert (position.wind, position.options.wind, position.options.wind_changes) == (wind, wind is not None, changes)
    assert any(ship.sails for ship in position.ships) == (wind is not None and options["battle"] == "wind")
    assert options_that_hold(**options)["wind"] == ("off" if wind is None else "changing" if changes else "steady")


def test_a_scenario_states_its_land_and_an_option_removes_it():
    assert len(start_battle(battle="isle").position.land) == 8
    assert start_battle(battle="isle", land="none").position.land == ()
    assert options_that_hold(battle="isle")["land"] == "own"
    assert options_that_hold(battle="rams")["land"] == "none"


def test_blue_gains_points_for_ships_that_break_through_the_column():
    lies = fleets.scenario_position("column")
    north = sea.changed(structs.replace(lies, phase="E"), "B1", bow=grid.parse_hex("1001"), facing=0)
    play = sea.play(north)
    activation.run_activation(play, ("B1",), order_text.parse_orders("B1: F"))
    assert play.ship_now("B1").status == "exited"
    assert play.position.bonus == (3, 0)
    # Over any other edge, or Red's, they bring nothing.
    west = sea.changed(structs.replace(lies, phase="E"), "B1", bow=grid.parse_hex("0105"), facing=5)
    play = sea.play(west)
    activation.run_activation(play, ("B1",), order_text.parse_orders("B1: F"))
    assert (play.ship_now("B1").status, play.position.bonus) == ("exited", (0, 0))
    south = sea.changed(structs.replace(lies, phase="E"), "R1", bow=grid.parse_hex("0622"), facing=3)
    play = sea.play(south)
    activation.run_activation(play, ("R1",), order_text.parse_orders("R1: F"))
    assert (play.ship_now("R1").status, play.position.bonus) == ("exited", (0, 0))


SQUADRONS = RULESETS["squadrons"]


def begun(*, seed="11", teams=(0, 1), **options):
    setup = Setup(system="squadrons", teams=teams, options={"fleet": "points", "sides": "first", **options})
    return SQUADRONS.start(setup, Dice(seed=seed)).state


def answered(state, **texts):
    """Return both fleets: those that are not named are the stock."""
    requests = {f"t0.fleet.{request.seat}": request for request in SQUADRONS.pending_requests(state)}
    answers = {
        name: SQUADRONS.parse_answer(state, request, texts.get(f"seat{request.seat}", "stock"))
        for name, request in requests.items()
    }
    return SQUADRONS.resolve(state, answers)


@pytest.mark.parametrize("points", FLEETS)
def test_who_says_nothing_has_the_stock_fleet_and_all_of_its_leaders(points):
    state = begun(battle=points)
    requests = SQUADRONS.pending_requests(state)
    assert [(request.kind, request.sealed) for request in requests] == [("fleet", True)] * 2
    built = {request.id: SQUADRONS.default_answer(state, request) for request in requests}
    after = SQUADRONS.resolve(state, built).state
    lies = fleets.stock_position(points)
    assert (after.position.ships, after.position.leaders) == (lies.ships, lies.leaders)
    assert after.position.target == int(points) // 5 + 5


@pytest.mark.parametrize("points", FLEETS)
def test_the_stock_fleet_is_one_that_a_captain_may_build(points):
    """Written down and read again, as what the house answers for a captain is when the game is verified."""
    for fleet in ("points", "crews"):
        for count in (1, 2, 3):
            teams = (0, 1) * count
            if count > 1 and FLEETS[points].squadron_commanders < count - 1:
                continue  # each captain of a side has a leader
            state = begun(battle=points, teams=teams, fleet=fleet, captains=str(count))
            for request in SQUADRONS.pending_requests(state):
                stock = SQUADRONS.default_answer(state, request)
                assert SQUADRONS.parse_answer(state, request, SQUADRONS.format_answer(request, stock)) == stock
                assert SQUADRONS.parse_answer(state, request, "stock") == stock


def test_a_fleet_is_typed_in_both_languages_and_changed_a_piece_at_a_time():
    context = RosterContext("250")
    for text in ("6x5, 3 x 5m; 2×cat3; bold", "6x5\n3X5M 2*CAT3, Merész"):
        roster = rosters.ROSTER_NOTATION.parse_answer(context, text)
        assert roster == Roster(ships=(("cat3", 2), ("5", 6), ("5m", 3)), admiral="Bold")
        assert rosters.ROSTER_NOTATION.parse_answer(context, rosters.format_roster(roster)) == roster
    draft = RosterDraft(roster)
    assert rosters.format_roster(rosters.parse_into(context, draft, "+5 -5m 0xcat3 nagy").roster) == "7x5, 2x5m; Grand"
    assert rosters.parse_into(context, draft, "alap").roster == rosters.stock_roster("250")
    assert (
        rosters.format_roster(rosters.parse_into(context, rosters.parse_into(context, draft, "clear"), "steady").roster)
        == ""
    )


@pytest.mark.parametrize(
    ("text", "code", "rule"),
    [
        ("20x5", "fleet_cost", "SQ-23.1"),
        (f"{fleets.MAX_GALLEYS + 1}xL", "too_many_ships", "SQ-23.1"),
        ("trireme", "no_class", "SQ-23.2"),
        ("5+", "crew_of_class", "SQ-23.2"),
        ("clear", "fleet_cost", "SQ-23.1"),
        ("1x5", "too_few_ships", "SQ-23.8"),
    ],
)
def test_v06_what_is_no_fleet_is_refused_by_its_rule(text, code, rule):
    with pytest.raises(OrderError) as refused:
        rosters.ROSTER_NOTATION.parse_answer(RosterContext("250", captain_count=2), text)
    assert (refused.value.fault.code, refused.value.fault.rule) == (code, rule)


def test_a_crew_of_choice_costs_as_much_more_and_is_between_1_and_4():
    context = RosterContext("60", allows_crews=True)
    state = begun(battle="60", fleet="crews")
    after = answered(state, seat0="2x5+, 1x5g; Bold", seat1="4x3v").state
    assert [(ship.code, ship.crew_quality) for ship in after.position.ships_of("B")] == [("5g", 1), ("5", 4), ("5", 4)]
    assert fleets.fleet_cost(("5+", "5", "5-")) == 14 + 13 + 12
    for text in ("3v+", "5g-"):
        with pytest.raises(OrderError) as refused:
            rosters.ROSTER_NOTATION.parse_answer(context, text)
        assert refused.value.fault.code == "no_such_crew"


def test_a_fleet_is_pressed_together_and_only_what_is_too_dear_cannot_be():
    state = begun(battle="60")
    request = SQUADRONS.pending_requests(state)[0]

    def pressed(draft, token):
        options = [
            option for group in SQUADRONS.draft_choices(state, request, draft).groups for option in group.options
        ]
        option = next(option for option in options if option.token == token)
        assert option.fault is None
        return Draft(option.draft, option.focus)

    draft = Draft()
    assert SQUADRONS.draft_choices(state, request, draft).missing_parts
    for token in ("all.stock", "less.L2", "more.2", "admiral.Grand"):
        draft = pressed(draft, token)
    assert draft.text == "1x2, 1x3, 1xcat3, 2x5; Grand"
    choices = SQUADRONS.draft_choices(state, request, draft)
    assert not choices.missing_parts
    assert choices.progress.params["spent"] == 55
    more = next(group for group in choices.groups if group.key == "more").options
    assert {option.token for option in more if not option.fault} == {"more.L", "more.T"}
    dear = [option.fault for option in more if option.fault]
    assert {option.code for option in dear} == {"fleet_cost"}
    assert all(option.params["more"] > option.params["left"] for option in dear)


def test_nothing_of_a_fleet_is_in_the_game_before_both_are_built():
    state = begun(battle="100")
    assert state.position.ships == ()
    assert all(SQUADRONS.view(state, seat).pieces == () for seat in (None, 0, 1))
    step = answered(state, seat0="5x3v; Bold", seat1="2x10; Grand")
    revealed = next(event for event in step.events if event.__struct_config__.tag == "revealed")
    assert (revealed.blue, revealed.red) == ("5x3v; Bold", "2x10; Grand")


def test_the_die_of_the_set_up_gives_the_initiative_of_the_first_turn():
    for seed in ("11", "12", "13", "14"):
        step = answered(begun(battle="60", seed=seed))
        *_, blue, red = [event.die for event in step.events if event.__struct_config__.tag == "first_rolled"]
        state = step.state
        assert state.opener == ("B" if blue > red else "R")
        requests = SQUADRONS.pending_requests(state)
        turn = SQUADRONS.resolve(
            state, {request.id: SQUADRONS.parse_answer(state, request, "pass") for request in requests}
        )
        names = [event.__struct_config__.tag for event in turn.events]
        first_turn = names[: names.index("turn_began")]
        assert "initiative_rolled" not in first_turn
        assert (
            next(event for event in turn.events if event.__struct_config__.tag == "initiative_won").side == state.opener
        )


def test_several_captains_share_a_fleet_and_the_first_of_them_builds_it():
    state = begun(battle="100", teams=(0, 1, 1, 0))
    assert [request.seat for request in SQUADRONS.pending_requests(state)] == [0, 1]
    after = SQUADRONS.apply_out_of_turn(state, Concede(seat=0)).state
    assert [request.seat for request in SQUADRONS.pending_requests(after)] == [3, 1]
    with pytest.raises(OrderError):
        SQUADRONS.parse_answer(after, SQUADRONS.pending_requests(after)[0], "1x5")
    built = answered(after, seat1="2x5").state
    assert {request.seat for request in SQUADRONS.pending_requests(built)} == {1, 2, 3}


def test_a_game_that_began_before_there_was_any_of_this_goes_on():
    setup = Setup(system="squadrons", teams=(0, 1), options={"battle": "rams"})
    state = SQUADRONS.start(setup, Dice(seed="11")).state
    stored = msgspec.to_builtins(state)
    for key in ("building", "crews", "placed", "opener", "turns", "forms", "paced", "idle"):
        del stored[key]
    assert msgspec.convert(stored, State) == state
