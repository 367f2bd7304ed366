"""A word for each ship, as `rules.interface.order_lines` lets games ask for it."""

import pytest

from rules.core.errors import OrderError, illegal_fault
from rules.core.protocol import Draft, Request
from rules.interface.drafts import SeatContext
from rules.interface.order_lines import ShipOrder, ShipOrderDraft, ship_order_question

SHIPS = {0: ("A1", "A2"), 1: ()}
ASKED = ship_order_question(
    lambda _, seat: SHIPS[seat],
    {"ahead": ("F1", "F2"), "other": ("STAY",)},
    rule="X-1",
    barred=lambda _, ship, word: illegal_fault("aground", "X-2") if (ship, word) == ("A1", "F2") else None,
)
CONTEXT = SeatContext("a state", 0)


def taken(text):
    return ASKED.notation.type_text(CONTEXT, ShipOrderDraft(), text)


def test_the_context_is_the_state_and_the_seat():
    assert ASKED.notation.context("a state", Request(id="r1.0", seat=0, kind="orders", round=1)) == CONTEXT


def test_lines_are_read_in_any_case_and_the_last_word_on_a_ship_comes_last():
    assert taken("a1 f1, A2: stay\nA1 F2").lines == (ShipOrder("A2", "STAY"), ShipOrder("A1", "F2"))
    assert taken("hold") == ShipOrderDraft()


@pytest.mark.parametrize(("text", "code"), [("A1", "no_line"), ("A1 F3", "no_line"), ("B1 F1", "no_ship_of_yours")])
def test_what_is_no_order_or_for_no_own_ship_is_refused(text, code):
    with pytest.raises(OrderError) as refused:
        taken(text)
    assert refused.value.fault.code == code


@pytest.mark.parametrize("lines", [(), (ShipOrder("A2", "F1"), ShipOrder("A1", "STAY"))])
def test_what_is_written_is_read_back(lines):
    assert ASKED.notation.parse_answer(CONTEXT, ASKED.notation.format_answer(lines)) == lines


def test_the_ship_in_hand_gets_what_is_pressed_and_stays_in_hand():
    found = ASKED.draft_choices(CONTEXT, taken("A2 F1"))
    options = {option.token: option for group in found.groups for option in group.options}
    assert [group.key for group in found.groups] == ["ships.1", "ahead", "other", "hold"]
    assert options["look.A1"].is_chosen
    assert options["go.F1"].draft == "A2 F1; A1 F1"
    assert options["go.F1"].focus == "A1"
    assert options["go.F2"].fault.code == "aground"
    assert options["hold"].draft == "hold"
    looked = ASKED.draft_choices(CONTEXT, ASKED.notation.read_draft(CONTEXT, Draft("A2 F1", "A2")))
    chosen = {option.token for group in looked.groups for option in group.options if option.is_chosen}
    assert chosen == {"look.A2", "go.F1"}


def test_who_has_no_ships_can_only_hold():
    found = ASKED.draft_choices(SeatContext("a state", 1), ShipOrderDraft())
    assert [group.key for group in found.groups] == ["hold"]
    assert ASKED.default_answer(CONTEXT) == ()


def test_a_question_without_a_captain_leaves_it_to_the_game():
    with pytest.raises(NotImplementedError, match="orders"):
        ASKED.computer_answer(None, Request(id="r1.0", seat=0, kind="orders", round=1), "00")
