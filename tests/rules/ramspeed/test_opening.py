"""Beginnings: a host's faulty scenario is refused with line and rule, and captains divide the ships of a side."""

import math
from importlib.resources import files

import pytest

from bot.jobs import play
from rules.chance.dice import Dice
from rules.core.errors import IllegalOrder, OrderError
from rules.core.protocol import Concede, Draft, Setup
from rules.ramspeed import GAME
from rules.ramspeed.engine.notation import host_scenarios, position
from rules.ramspeed.engine.state import State, id_sort_key

SKERRIES = files("rules.ramspeed.engine").joinpath("data", "scenarios", "skerries.toml").read_text("utf-8")


def start(**fields):
    return GAME.start(Setup(system="ramspeed", **{"teams": (0, 1), **fields}), Dice(seed="5eed")).state


def line_of(text, piece):
    return next(number for number, line in enumerate(text.split("\n"), 1) if piece in line)


def test_a_scenario_that_is_handed_in_is_played_as_it_is_written():
    state = start(scenario=SKERRIES.replace("A2 T 4 15 90", "A2 B 4 15 90").replace('"skerries"', '"mine"'))
    assert state.position.board == "open"
    assert [ship.code for ship in state.position.ships] == ["T", "B", "T", "T"]
    assert [state.position.ship_by_id(name).side0 for name in ("A1", "S1")] == ["Athens", "Sparta"]


@pytest.mark.parametrize(
    ("old", "new", "rule"),
    [
        ("A2 T 4 15 90", "A2 T 4 9.3 90", "RS-01.7"),
        ("A2 T 4 15 90", "A2 T 0.2 15 90", "RS-06.2"),
        ("A2 T 4 15 90", "A2 T 14.5 17 90", "RS-01.7"),
        ("A2 T 4 15 90", "A1 T 4 15 90", "RS-22.1"),
        ("A2 T 4 15 90", "A2 T 4 15 360", "RS-22.1"),
        ("A2 T 4 15 90", "A2 X 4 15 90", "RS-22.1"),
        ("table = [30, 24]", "table = [nan, 24]", "RS-22.1"),
        ("table = [30, 24]", "table = [30, 24", "RS-22.1"),
        ("turn_limit = 15", "turn_limit = 0", "RS-22.1"),
        ("turn_limit = 15", 'turn_limit = "x"', "RS-22.1"),
        ("[[13, 15.5], [16, 16]", "[[13, 15.5], [14.2, 17], [16, 16]", "RS-01.7"),
        ("athenian", "martian", "RS-22.1"),
        ('nation = "athenian"', 'nation = "athenian"\nzone = [2, 5, 31, 19]', "RS-22.6"),
        ('nation = "athenian"', 'nation = "athenian"\nzone = [8, 5, 2, 19]', "RS-22.6"),
        ('nation = "athenian"', 'nation = "athenian"\nzone = [2, 5, nan, 19]', "RS-22.6"),
        ('nation = "athenian"', 'nation = "athenian"\nzone = [2, 5, 8]', "RS-22.1"),
        ('ships = ["A1 T 4 9 90', 'zone = [3, 5, 8, 19]\nships = ["A1 T 4 9 90', "RS-22.6"),
        ('ships = ["A1 T 4 9 90', 'zone = [2, 5, 8, 19]\nships = ["A1 T 4 9 90 beached', "RS-22.6"),
    ],
)
def test_a_scenario_that_cannot_be_played_is_refused_with_line_and_rule(old, new, rule):
    assert old in SKERRIES
    text = SKERRIES.replace(old, new)
    with pytest.raises(IllegalOrder) as refused:
        host_scenarios.parse_scenario(text)
    fault = refused.value.fault
    assert fault.rule == rule
    # What is not closed is found where the next line begins.
    assert abs(fault.params["line"] - line_of(text, new.split("\n")[0])) <= 1


ROCKS = [f"[[{x}, 1], [{x + 1}, 1], [{x}, 2]], " for x in range(1, 14)]
ROUND = [f"[{15 + math.sin(-a / 2.3):.3f}, {12 + math.cos(-a / 2.3):.3f}]" for a in range(14)]


@pytest.mark.parametrize("more", ["".join(ROCKS), f"[{', '.join(ROUND)}], "])
def test_more_land_than_a_picture_can_show_is_refused_where_it_is_handed_in(more):
    text = SKERRIES.replace("land = [", f"land = [{more}")
    setup = Setup(system="ramspeed", teams=(0, 1), scenario=text)
    with pytest.raises(IllegalOrder) as refused:
        GAME.check_setup(setup)
    assert (refused.value.fault.rule, refused.value.fault.params["line"]) == ("RS-22.1", line_of(text, "land = ["))
    assert play.why_setup_refused(setup) == refused.value.fault
    assert play.why_setup_refused(Setup(system="ramspeed", teams=(0, 1), scenario=SKERRIES)) is None


def test_a_game_s_own_scenario_that_was_changed_is_another_in_notation():
    changed = SKERRIES.replace("[30, 24]", "[40, 24]")
    state = start(scenario=changed)
    written = position.format_position(state.position)
    assert written.startswith("40x24 open land=")
    assert position.format_position(position.parse_position(written)) == written
    assert position.format_position(start(scenario=SKERRIES).position).startswith("30x24 skerries ")


def test_the_example_for_hosts_can_be_played():
    state = start(scenario=GAME.example_scenario)
    assert {captain.side for captain in state.position.seats} == {"West", "East"}


@pytest.mark.parametrize("text", ["", "a=" + "[" * 3000, "id = 1", "\x00"])
def test_anything_else_is_refused_too(text):
    with pytest.raises(IllegalOrder):
        host_scenarios.parse_scenario(text)


def test_allies_share_a_zone_between_their_ships():
    text = SKERRIES.replace('nation = "athenian"', 'nation = "athenian"\nzone = [2, 5, 8, 19]')
    options = {"captains": "2", "sides": "first"}
    setup = Setup(system="ramspeed", teams=(0, 1, 0, 1), options=options, scenario=text)
    state = GAME.start(setup, Dice(seed="00")).state
    boxes = {zone.player: zone.box for zone in state.set_up.zones}
    assert boxes == {"p0": (2.0, 5.0, 8.0, 12.0), "p2": (2.0, 12.0, 8.0, 19.0)}
    assert [request.id for request in GAME.pending_requests(state)] == ["t0.place.0", "t0.place.2"]
    assert [ship.id for ship in GAME.view(state, None).position.ships] == ["S1", "S2"]


def test_a_captain_who_gives_up_leaves_allies_a_fleet():
    options = {"scenario": "free", "points": "12", "captains": "2", "sides": "first"}
    state = GAME.start(Setup(system="ramspeed", teams=(0, 1, 0, 1), options=options), Dice(seed="00")).state
    state = GAME.apply_out_of_turn(state, Concede(2)).state
    for _ in range(2):
        requests = GAME.pending_requests(state)
        assert {request.seat for request in requests} == {0, 1, 3}
        state = GAME.resolve(state, {each.id: GAME.default_answer(state, each) for each in requests}).state
    assert {ship.id: ship.owner for ship in state.position.ships if ship.id[0] in "AC"} == {
        **{f"A{number}": "p0" for number in (1, 2, 3)},
        **{f"C{number}": "p0" for number in (1, 2, 3)},
    }


def test_a_captain_who_gives_up_while_ships_are_placed_leaves_them_where_they_are_proposed():
    options = {"scenario": "free", "points": "12", "captains": "2", "sides": "first"}
    state = GAME.start(Setup(system="ramspeed", teams=(0, 1, 0, 1), options=options), Dice(seed="00")).state
    requests = GAME.pending_requests(state)
    state = GAME.resolve(state, {each.id: GAME.default_answer(state, each) for each in requests}).state
    state = GAME.apply_out_of_turn(state, Concede(2)).state
    assert [ship.id for ship in GAME.view(state, None).position.ships] == ["C1", "C2", "C3"]
    assert [request.seat for request in GAME.pending_requests(state)] == [0, 1, 3]


def test_captains_of_a_side_divide_its_ships():
    state = start(teams=(0, 1, 0, 1, 0, 1), options={"scenario": "cove", "captains": "3", "sides": "first"})
    shares = [[ship.id for ship in state.position.ships_of(f"p{seat}")] for seat in range(6)]
    assert shares == [["N1"], ["P1", "P4"], ["N2"], ["P2", "P5"], ["N3"], ["P3"]]
    assert [ship.id for ship in state.position.ships] == sorted((s for share in shares for s in share), key=id_sort_key)
    with pytest.raises(OrderError):
        start(teams=(0, 1, 0, 1, 0, 1), options={"captains": "3"})  # the skerries have two ships a side


@pytest.mark.parametrize(("sides", "first"), [("first", 0), ("second", 1)])
def test_who_has_the_first_fleet_is_agreed_or_thrown(sides, first):
    state = start(options={"sides": sides})
    assert state.position.seats[first].side == "Athens"
    thrown = {
        GAME.start(Setup(system="ramspeed", teams=(0, 1)), Dice(seed=f"{n:02x}")).state.position.seats[0].side
        for n in range(12)
    }
    assert thrown == {"Athens", "Sparta"}


EXAMPLE = GAME.example_scenario
CORNER = "[[16, 0], [20, 0], [19, 7], [17, 7]]"


def begun(setup: Setup) -> State:
    return GAME.start(setup, Dice(seed="00")).state


def admitted(text: str) -> Setup:
    """Return a game with this scenario, as a lobby takes it. Raises `OrderError`."""
    setup = Setup(system="ramspeed", teams=(0, 1), options={"sides": "first"}, scenario=text)
    begun(setup)
    GAME.check_setup(setup)
    return setup


def test_land_lies_on_the_table() -> None:
    assert CORNER in EXAMPLE
    admitted(EXAMPLE)
    admitted(EXAMPLE.replace(CORNER, "[[32, 0], [36, 0], [36, 4]]"))
    # Such land took a picture 13 s and more, and gigabytes.
    for far in ("[[100, 0], [1e5, 1], [1e5, 2]]", "[[-1e7, 30], [1e7, 30], [1e7, 1e7]]", "[[-1, 0], [2, 0], [2, 2]]"):
        with pytest.raises(OrderError) as refused:
            admitted(EXAMPLE.replace(CORNER, far))
        assert refused.value.fault.params["expected"] == "0 … 36 × 0 … 24"


def test_every_ship_that_a_scenario_names_can_be_attacked() -> None:
    with pytest.raises(OrderError) as refused:
        admitted(EXAMPLE.replace('"E1 Q', '"LO1 Q'))  # `lo` is Hungarian for `shoot`
    assert refused.value.fault.piece == "LO1"
    for name in ("OR1", "IN1", "B1", "L2", "J3", "R4", "LA1"):
        state = begun(admitted(EXAMPLE.replace('"E1 Q', f'"{name} Q')))
        request = next(request for request in GAME.pending_requests(state) if request.seat == 0)
        draft = GAME.type_text(state, request, Draft(), f"W1: ram {name} or fwd 4")
        assert draft.text == f"W1: ram {name} or fwd 4"
        assert GAME.format_answer(request, GAME.parse_answer(state, request, draft.text)) == draft.text
