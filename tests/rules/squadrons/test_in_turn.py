"""Options by which both sides act squadron by squadron, and the squadron that must begin (SQ-03.3, 05.8, 07.1)."""

import pytest
from msgspec import structs

from rules.chance.dice import Dice
from rules.core.errors import OrderError
from rules.core.protocol import Draft, Setup
from rules.core.registry import RULESETS
from rules.interface.question import Choice
from rules.squadrons.engine.phases.activation import turn_order
from rules.squadrons.engine.phases.command import command
from rules.squadrons.engine.sea import grid

SQUADRONS = RULESETS["squadrons"]
LINES = (
    "squadrons 1 A 30x22 - vp=30 limit=3 bonus=0/0 lost=-/- ; B1 5@1012N C ; B2 5@1014N C ; B3 5@1512N C ; B4 5@1514N C"
    " ; R1 5@1005S C ; R2 5@1505S C ; R3 5@2005S C ; lead BL1 Grand@B1 ; lead BL2 SqC@B3 ; lead RL1 Bold@R1 ;"
    " lead RL2 SqC@R3"
)
"""Blue lies in two columns, and has the lower Admiral."""


def begun(position=LINES, seed="11", **options):
    setup = Setup(system="squadrons", teams=(0, 1), position=position, options=options)
    return SQUADRONS.start(setup, Dice(seed=seed)).state


def alone(state, text):
    (request,) = SQUADRONS.pending_requests(state)
    return SQUADRONS.resolve(state, {request.id: SQUADRONS.parse_answer(state, request, text)})


def sealed(state, *texts):
    asked = SQUADRONS.pending_requests(state)
    return SQUADRONS.resolve(
        state, {one.id: SQUADRONS.parse_answer(state, one, text) for one, text in zip(asked, texts, strict=True)}
    )


def test_any_of_several_admirals_may_act_with_another_squadron():
    state = begun(LINES.replace("BL2 SqC", "BL2 Steady"))
    formed = command.form_squadrons(state.position, "B")
    state = structs.replace(state, squadrons=formed, position=structs.replace(state.position, phase="E"))
    first, second = (squadron for squadron in formed if squadron.leader)
    assert turn_order.double_partner(state, first, second.flagship) == second
    assert turn_order.double_partner(state, second, first.flagship) == first


def test_the_side_with_the_lower_admiral_forms_a_squadron_first_then_the_other():
    state = begun(strict="form")
    asked = []
    for text in ("astern", "range"):
        (request,) = SQUADRONS.pending_requests(state)
        asked.append((request.seat, request.params["squadron"]))
        step = alone(state, text)
        state = step.state
    # All see what was formed before anybody orders.
    (event,) = (event for event in step.events if event.__struct_config__.tag == "squadrons_formed")
    assert event.squadrons == state.squadrons
    # Red's galleys lie apart: there is nothing to choose for her, and Blue goes on.
    assert asked == [(0, "SQ1"), (0, "SQ2")]
    assert {one.kind for one in SQUADRONS.pending_requests(state)} == {"orders"}
    formed = {one.flagship: one for one in state.squadrons if one.number}
    assert (formed["B1"].form, formed["B1"].ships) == ("astern", ("B1", "B2"))
    assert formed["B3"].form == "range"
    with pytest.raises(OrderError) as refused:
        SQUADRONS.parse_answer(state, SQUADRONS.pending_requests(state)[0], "SQ1 range\nall: F")
    assert refused.value.fault.code == "formed_already"
    step = sealed(state, "SQ1: line F2\nSQ2: F", "pass")
    assert str(step.state.position.ship_by_id("B2").place) == "1012N"


def test_without_the_option_squadrons_are_formed_by_the_sheets():
    assert {one.kind for one in SQUADRONS.pending_requests(begun())} == {"orders"}


def paced(state):
    """Answer each squadron's speed with cruise; return the seats and squadrons in order, and the state."""
    requested = []
    while (requests := SQUADRONS.pending_requests(state)) and requests[0].kind == "pace":
        requested.append((requests[0].seat, requests[0].params["squadron"]))
        state = SQUADRONS.resolve(state, {requests[0].id: Choice("C")}).state
    return requested, state


def test_speeds_are_set_squadron_by_squadron_and_who_goes_first_begins():
    state = sealed(begun(strict="speed"), "pass", "pass").state
    first, second = (0, 1) if state.first == "B" else (1, 0)
    numbers = {0: ["SQ1", "SQ2"], 1: ["SQ1", "SQ2", "R2"]}
    want = [(first, numbers[first].pop(0)), (second, numbers[second].pop(0)), (first, numbers[first].pop(0))]
    found, after = paced(state)
    assert found[:3] == want
    assert len(found) == len(state.squadrons)
    assert after.position.turn == 2


def test_what_the_sheet_says_of_a_squadron_is_not_asked_and_single_ships_are_exceptions():
    state = sealed(begun(strict="speed"), "all M\nall: F", "pass\nSQ1 M").state
    (request,) = SQUADRONS.pending_requests(state)
    assert (request.seat, request.params["squadron"]) == (1, "SQ2")
    assert SQUADRONS.draft_choices(state, request, Draft("M")).missing_parts == ()
    ship = request.params["ships"]
    assert SQUADRONS.parse_answer(state, request, f"teljes; {ship} utazó") == Choice(f"M; {ship} C")
    for text in ("fast", "B1 M", f"{ship} M; C"):
        with pytest.raises(OrderError) as refused:
            SQUADRONS.parse_answer(state, request, text)
        assert refused.value.fault.code == "bad_speed"
    step = SQUADRONS.resolve(state, {request.id: Choice("M")})
    told = next(event for event in step.events if event.__struct_config__.tag == "speed_set")
    assert (told.ships, told.speed) == ((ship,), "M")


def test_who_says_nothing_rows_as_their_doctrine_says():
    state = sealed(begun(strict="speed"), "pass\nall M", "pass\ndoctrine all: speed=max").state
    (request,) = SQUADRONS.pending_requests(state)
    assert SQUADRONS.default_answer(state, request) == Choice("M")


TWO = LINES.replace("lead BL2 SqC@B3", "lead BL2 Bold@B3").replace("lead RL2 SqC@R3", "lead RL2 Steady@R3")


def test_the_admiral_whose_rating_won_the_initiative_acts_first():
    begins = {}
    for seed in ("11", "12", "13", "14", "15", "16"):
        for order in ("first", "second"):
            doctrine = f"doctrine all: order={order}"
            step = sealed(
                begun(TWO, seed=seed), f"pass\nsequence SQ1 SQ2\n{doctrine}", f"pass\nsequence SQ2 SQ1\n{doctrine}"
            )
            won = next(event for event in step.events if event.__struct_config__.tag == "initiative_won")
            acted = [event.flagship for event in step.events if event.__struct_config__.tag == "squadron_activated"]
            begins[won.side, won.first] = acted[0]
    # Blue's better Admiral is on B3, Red's on R1; a side that lets the other begin, or has not won, is free.
    assert begins == {("B", "B"): "B3", ("B", "R"): "R3", ("R", "R"): "R1", ("R", "B"): "B1"}


def test_no_other_squadron_can_be_ordered_before_theirs():
    for seed in ("11", "12", "13", "14"):
        state = sealed(begun(TWO, seed=seed, order="squadron"), "all C", "all C").state
        (request,) = SQUADRONS.pending_requests(state)
        bound = "SQ2" if state.first == "B" else "SQ1"
        free = "SQ1" if state.first == "B" else "SQ2"
        SQUADRONS.parse_answer(state, request, f"act {bound}")
        with pytest.raises(OrderError) as refused:
            SQUADRONS.parse_answer(state, request, f"act {free}")
        assert refused.value.fault.code == "not_its_go"
        assert SQUADRONS.view(state, request.seat).able_flagships == tuple(
            one.flagship for one in turn_order.squadrons_able(state, state.first)
        )


@pytest.mark.parametrize("battle", ["rams", "marines", "column", "60", "250", "400"])
@pytest.mark.parametrize("land", ["isles", "strait"])
def test_land_is_the_same_from_both_sides_and_lies_in_nobodys_way_at_first(battle, land):
    setup = Setup(system="squadrons", teams=(0, 1), options={"battle": battle, "land": land})
    position = SQUADRONS.start(setup, Dice(seed="11")).state.position
    spots = {grid.column_and_row(here) for here in position.land}
    if battle not in ("rams", "marines", "column"):
        assert {(position.width + 1 - x, position.height + 1 - y) for x, y in spots} == spots
    assert len(spots) >= 4
    assert position.options.land
    assert all(y - 1 > 8 and position.height - y > 8 for _, y in spots)
    assert not any(
        there in position.land_hexes
        for ship in position.ships
        for there in (*ship.hexes, *ship.adjacent_hexes.all_neighbours)
    )


def test_boarding_bridges_help_their_side_to_grapple():
    for bridges, devices in (("none", (0, 0)), ("first", (1, 0)), ("second", (0, 1)), ("both", (1, 1))):
        setup = Setup(system="squadrons", teams=(0, 1), options={"bridges": bridges})
        assert SQUADRONS.start(setup, Dice(seed="11")).state.position.options.devices == devices


def test_a_captain_is_warned_of_orders_that_run_a_ship_aground():
    setup = Setup(system="squadrons", teams=(0, 1), options={"battle": "60", "land": "isles", "sides": "first"})
    state = SQUADRONS.start(setup, Dice(seed="11")).state
    ship, shore = state.position.ships_of("B")[0], state.position.land[-1]
    south = grid.next_hex(shore, 3)
    while south in state.position.land_hexes:
        south = grid.next_hex(south, 3)
    near = structs.replace(
        state.position,
        ships=tuple(structs.replace(one, bow=south) if one.id == ship.id else one for one in state.position.ships),
    )
    state = structs.replace(state, position=near)
    request = SQUADRONS.pending_requests(state)[0]
    for orders, keys in ((f"{ship.id}: F", ["warn.ashore"]), (f"{ship.id}: TA", [])):
        assert [one.key for one in SQUADRONS.draft_warnings(state, request, Draft(orders))] == keys
