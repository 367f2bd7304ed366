"""Sheets and doctrines as text: they are read as they are written, and what is refused names line and rule."""

import json
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from bot.cli.shell import fault_line, run_case
from rules.core.errors import OrderError
from rules.core.protocol import EMPTY_DRAFT
from rules.ramspeed import GAME
from rules.ramspeed.engine import orders
from rules.ramspeed.engine.notation import doctrine, scenarios, sheets
from rules.ramspeed.engine.notation import position as positions
from rules.ramspeed.engine.notation.words import to_notation_words
from rules.ramspeed.engine.orders import (
    Alternative,
    DoctrineLine,
    ForwardOrder,
    OrderLine,
    OrderSheet,
    RamOrder,
    VeerOrder,
)
from rules.ramspeed.engine.state import Captain
from tests.pictures.ramspeed_positions import crowd

PATROL, PIRATES = scenarios.SCENARIOS["cove"].sides
CROWDED = structs.replace(PIRATES, ships=(*PIRATES.ships, "P6 T 24 24 180"))
COVE = scenarios.scenario_position(
    structs.replace(scenarios.SCENARIOS["cove"], sides=(PATROL, CROWDED)),
    [Captain("ann", "Patrol"), Captain("bob", "Pirates")],
)
"""N1 is a quadreme, N2 and N3 are triremes; against them P1 to P5, biremes, and P6, a trireme."""


def read(text, player="bob"):
    return sheets.parse_sheet(text, COVE, player)


def canonical(text, player="bob"):
    return sheets.format_sheet(read(text, player))


@pytest.mark.parametrize(
    ("player", "text"),
    [  # examples, by the ships of the cove
        ("ann", "N2: veer 15R; ram P3 or swipe P3 or fwd 4"),
        ("ann", "N1: shoot P2 fire; back 1"),
        ("bob", "P2: turn 90L; fwd 3"),
        ("bob", "P3: ignite; ram N1"),
        ("bob", "P6: fwd 2; transfer 6 to P1"),
        ("bob", "P6: stay\nP5: launch\nP4: ignite\nP1: fwd\nP2: back 0.5; turn 90R\nP3: turn 1L"),
        ("bob", "P6: swipe N1 past 1.25 side P or grapple N1 side S or steer N2 4.5"),
        ("bob", "P6: shoot N1 crew; face N2; transfer 12 from P4 or transfer 3 to P1; shoot N1 fire"),
        ("bob", "P1: turn 90R; grapple N1 or fwd; swipe N2 or veer 25L; ram N3 or veer 7L"),
    ],
)
def test_sheets_are_read_as_they_are_written(player, text):
    assert canonical(text, player) == text
    assert canonical(text.lower().replace(" ", "   ").replace(":", " :\t"), player) == text


def test_what_is_no_part_of_an_order_is_dropped():
    # The run decides how far a ship goes before an attack.
    assert (
        canonical("P6: veer 15 r 4.50; ram N1 or fwd 3; swipe N1 past 1.0") == "P6: veer 15R; ram N1 or fwd; swipe N1"
    )
    assert canonical("\n\nP6: fwd 4.00\n  \nP5: fwd 04") == "P6: fwd 4\nP5: fwd 4"
    assert read("P6: veer 15R 4.5; ram N1") == OrderSheet(
        (OrderLine("P6", (Alternative((VeerOrder(15, "R"), RamOrder("N1"))),)),)
    )


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("P6 fwd 4", "bad_line"),
        ("P6:", "no_order"),
        ("P6: or fwd", "empty_step"),
        ("P6: fwd or", "empty_step"),
        ("P6: fwd; ; stay", "empty_step"),
        ("P6: sail 4", "bad_step"),
        ("P6: fwd 4 ram N1", "unparted_steps"),
        ("P6: turn 40R fwd 2", "turn_and_move"),  # with a semicolon it would be refused, too
        ("P6: fwd 4.123", "bad_step"),
        ("P6: fwd 100", "bad_step"),
        ("P6: fwd -1", "bad_step"),
        ("P9: fwd", "unknown_ship"),
        ("P6: ram N9", "unknown_ship"),
        ("P6: fwd 6.01", "too_far_ahead"),
        ("P6: fwd 8.01; ram N1", "too_far_ahead"),
        ("P6: fwd 6.01; swipe N1", "too_far_ahead"),
        ("P1: turn 10L; fwd 3.01", "too_far_ahead"),
        ("P6: steer N1 6.5", "too_far_ahead"),
        ("P6: back 2.5", "too_far_back"),
        ("P1: back 1.5; turn 10L", "too_far_back"),
        ("P6: veer 26L", "veer_too_far"),
        ("P6: turn 181L", "turn_too_far"),
        ("P1: turn 91L; fwd 1", "turn_too_far"),
        ("P1: turn 91L; ram N1", "turn_too_far"),
        ("P6: turn 0L", "no_turn"),
        ("P6: turn 40R; fwd 2", "turn_and_move"),
        ("P6: turn 20R; ram N1", "turn_and_move"),
        ("P1: turn 20R; turn 20L", "bad_sequence"),
        ("P6: back 1; ram N1", "bad_sequence"),
        ("P6: ram N1; fwd 1", "bad_sequence"),
        ("P6: transfer 3 to P1; fwd 1", "bad_sequence"),
        ("P6: shoot N1 crew; fwd 1; shoot N1 crew", "bad_sequence"),
        ("P6: fwd 1; ignite", "bad_sequence"),
        ("P6: shoot N1 crew; ram N1", "shot_and_attack"),
        ("P6: ignite; shoot N1 crew", "shot_and_fire"),
        ("P6: ram P1", "own_side"),
        ("P6: shoot P1 fire", "own_side"),
        ("P6: ram P6", "own_self"),
        ("P6: transfer 3 to P6", "own_self"),
        ("P6: face P6", "own_self"),
        ("P6: transfer 0 to P1", "nobody_goes"),
        ("P6: swipe N1 past 0.99", "past_too_short"),
        ("P6: swipe N1 past 6.01", "past_too_far"),
        ("P6: exit", "no_exit"),
        ("P5: fwd", "line_twice"),
    ],
)
def test_what_is_refused_names_line_and_rule(line, code):
    with pytest.raises(OrderError) as refused:
        read(f"\nP5: fwd 1 or stay\n{line}")
    fault = refused.value.fault
    assert (fault.code, fault.rule, fault.params["line"]) == (code, "RS-21.4", 3)


def test_lines_of_others_and_of_the_lost_are_read_no_further():
    assert read("N1: whatever that may be\nP6: stay").lines[0] == OrderLine("N1")
    with pytest.raises(OrderError, match="line_twice"):
        read("N1: fwd\nN1: fwd")
    with pytest.raises(OrderError, match="no_order"):
        read("N1: ")


def test_a_friend_may_be_grappled_as_she_may_be_in_a_melee_by_then():
    assert canonical("P6: grapple P1") == "P6: grapple P1"


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        (
            "rohan N1 vagy evezőtörés N1 túl 1,5 oldal jobb vagy előre 3,5",
            "ram N1 or swipe N1 past 1.5 side S or fwd 3.5",
        ),
        ("KANYAR 15J 4", "veer 15R 4"),
        ("kanyar 15° balra; rohan N1", "veer 15L; ram N1"),
        ("fordul 90 jobbra", "turn 90R"),
        ("átad 6 P4-nek", "transfer 6 to P4"),
        ("átvesz 6 P1-től", "transfer 6 from P1"),
        ("lő N1 legénység; hátra 1", "shoot N1 crew; back 1"),
        ("lő N1 tűz", "shoot N1 fire"),
        ("csáklyáz N1 oldal bal vagy marad", "grapple N1 side P or stay"),
        ("tart N2 4 vagy szembe N3", "steer N2 4 or face N3"),
        ("gyújt; rohan N1", "ignite; ram N1"),
        ('forward 4" or veer 15 starboard 2 in', "fwd 4 or veer 15R 2"),
    ],
)
def test_words_of_both_languages_mean_the_same(typed, meant):
    assert canonical(to_notation_words(f"P6: {typed}")) == f"P6: {meant}"


def test_doctrines_are_read_as_they_are_written():
    text = "doctrine all: swipe=turn\ndoctrine N2: slip=turn45L prize=sink\ndoctrine P1: prize=7 idle=shoot"
    read_text = doctrine.parse_doctrines(text, COVE)
    assert "\n".join(map(doctrine.format_doctrine, read_text.lines)) == text
    assert doctrine.parse_doctrines(text.replace("doctrine ", "").upper(), COVE) == read_text
    assert doctrine.parse_doctrines(to_notation_words("elv mind: evezőtörés=fordul"), COVE).lines[0] == DoctrineLine(
        ship="all", swipe="turn"
    )


@pytest.mark.parametrize(
    "line",
    [
        "N1",
        "N1:",
        "N9: swipe=draw",
        "N1: swipe=run",
        "N1: swipe=draw swipe=turn",
        "N1: swipe=draw x",
        "N1: prize=4",
        "N1: slip=turn91L",
        "N1: slip=turn0L",
        "N1: x swipe=draw",
        "N1: prize=lots",
        "all: ask=yes",
        "doctrine",
    ],
)
def test_doctrines_that_cannot_be_read_name_their_line(line):
    with pytest.raises(OrderError) as refused:
        doctrine.parse_doctrines(f"all: idle=stay\n\n{line}", COVE)
    assert (refused.value.fault.rule, refused.value.fault.params["line"]) == ("RS-21.4", 3)


SHIPS = ("all", "P1", "P2")
LINES = st.builds(
    DoctrineLine,
    ship=st.sampled_from(SHIPS),
    swipe=st.sampled_from([None, "turn", "draw", "grapple"]),
    prize=st.sampled_from([None, 5, 9, "sink"]),
    idle=st.sampled_from([None, "shoot"]),
)


@settings(derandomize=True, database=None, max_examples=100)
@given(st.lists(LINES, max_size=8))
def test_merged_doctrines_mean_the_same_and_no_more(lines):
    merged = doctrine.merge_doctrines(lines)
    for ship in ("P1", "P2", "P3"):
        assert merged.doctrine_of(ship) == orders.Doctrines(tuple(lines)).doctrine_of(ship)
    assert len(merged.lines) <= len(SHIPS)
    assert doctrine.merge_doctrines(merged.lines) == merged


def test_every_step_can_be_written():
    assert sheets.format_step(ForwardOrder(0.1)) == "fwd 0.1"
    assert {str(kind.__struct_config__.tag) for kind in orders.OrderStep.__args__} == {
        sheets.format_step(step).split()[0]
        for step in read(
            "P6: shoot N1 crew; stay; transfer 1 to P1 or launch or turn 1L or veer 1L or back 1 or fwd or steer N1 1 "
            "or face N1 or ram N1 or swipe N1 or grapple N1 or ignite"
        )
        .lines[0]
        .alternatives
        for step in step.steps
    } | {"exit"}


DUEL = (
    "40x40 open turn=3/20 phase=orders quiet=0 seats=ann@A,bob@P ; A1 T ann other @13.5,20^90 20 ; "
    "S1 T bob other @20,20^0 20"
)


@pytest.mark.parametrize(
    ("case", "line"),
    [
        ({"sheets": {"ann": "A1: fwd; ram S1"}, "dice": [6, 6, 1, 1, 4]}, "dice: ram A1>S1"),
        ({"sheets": {"ann": "A1: fwd 1\nA1 fwd 1"}}, "sheets.ann.2: RS-21.4"),
        ({"doctrines": {"bob": "all: swipe=fly"}}, "doctrines.bob.1: RS-21.4"),
        ({"sheets": {"cid": ""}}, "sheets: ann, bob"),
        ({"dice": [7]}, "dice: 1–6"),
    ],
)
def test_the_line_begins_with_the_field_and_says_what_was_expected(case, line):
    with pytest.raises(OrderError) as refused:
        run_case(json.dumps({"ruleset": "ramspeed", "position": DUEL, **case}))
    assert fault_line(refused.value) == line


def test_a_bad_position_is_named_in_one_line():
    with pytest.raises(OrderError) as refused:
        run_case(json.dumps({"ruleset": "ramspeed", "position": DUEL.replace("^90", "^360")}))
    line = fault_line(refused.value)
    assert line.startswith("position: ")
    assert "\n" not in line


def test_what_was_taken_is_never_forgotten() -> None:
    state = GAME.state_at(positions.format_position(crowd(3, 40).position))
    (request, *_) = GAME.pending_requests(state)
    mine = [ship.id for ship in state.position.ships_of(state.player_of(request.seat))]
    foes = [ship.id for ship in state.position.ships if ship.id not in mine]
    draft, taken = EMPTY_DRAFT, set[str]()
    for ship in mine:
        with suppress(OrderError):  # to refuse it would be all right
            line = " or ".join(f"ram {foe}" for foe in foes * 5)[:900].rsplit(" or ", 1)[0]
            draft = GAME.type_text(state, request, draft, f"{ship}: {line}")
            taken.add(ship)
    assert len(taken) > 1
    assert {line.split(":")[0] for line in draft.text.splitlines()} == taken
    assert not GAME.draft_choices(state, request, draft).missing_parts
    GAME.parse_answer(state, request, draft.text)
