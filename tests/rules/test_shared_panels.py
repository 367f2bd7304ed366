"""Shapes of panels, a word for each ship, lots for sides and answers out of texts, as all games share them."""

import pytest
from msgspec import structs

from rules.chance.dice import Dice
from rules.core import sides
from rules.core.endings import CaptainConceded
from rules.core.errors import IllegalOrder, OrderError, UnreadableOrder, illegal_fault
from rules.core.protocol import Draft, Option, Request, Setup
from rules.core.view import Text
from rules.interface.drafts import AnswerNotation, SeatContext
from rules.interface.order_lines import ShipOrder, ShipOrderDraft, ship_order_question
from rules.interface.panels import button_rows, next_marked
from rules.interface.question import Choice, choice_question
from rules.interface.statistics import DiceLuck, Statistics, SuccessRate, tally_events


@pytest.mark.parametrize(("now", "found"), [("A1", "A3"), ("A3", "A4"), ("A4", "A3"), ("A2", "A3")])
def test_the_next_that_is_left_is_looked_for_behind_first(now, found):
    assert next_marked({"A1": False, "A2": False, "A3": True, "A4": True}, now) == found


def test_there_is_no_next_where_nobody_is_left_besides():
    assert next_marked({"A1": True, "A2": False}, "A1") == ""


def test_sides_are_named_or_drawn_by_a_die():
    dice = Dice("00")
    setup = Setup(system="", teams=(0, 1))
    assert sides.draw_sides(setup, "first", dice, rule="") == (False, 0, dice)
    assert sides.draw_sides(setup, "second", dice, rule="") == (True, 0, dice)
    face, after = dice.throw_die(6)
    assert sides.draw_sides(setup, "dice", dice, rule="") == (face % 2 == 0, face, after)
    brought = structs.replace(setup, lots={"sides": 2})
    assert sides.draw_sides(brought, "dice", dice, rule="") == (True, 0, dice)


def number(text: str) -> int:
    if not text.isdecimal():
        raise UnreadableOrder("no_number", piece=text)
    return int(text)


SUM = AnswerNotation(
    context=lambda state, _: state,
    empty_draft=lambda _: 0,
    parse_into=lambda most, draft, text: at_most(most, draft + number(text)),
    write_draft=lambda _, draft: Draft(str(draft)),
    complete_answer=lambda _, draft: draft,
    format_answer=str,
)


def at_most(most: int, count: int) -> int:
    if count > most:
        raise UnreadableOrder("too_many", piece=str(count))
    return count


def test_what_would_be_typed_is_offered_with_the_draft_after_it_or_its_refusal():
    two = SUM.typed_option(5, 1, "two", Text("choice.two"), "2")
    assert (two.draft, two.fault, two.is_chosen) == ("3", None, False)
    nothing = SUM.typed_option(5, 1, "nothing", Text("choice.nothing"), "0")
    assert (nothing.draft, nothing.is_chosen) == ("1", True)
    assert not SUM.typed_option(5, 1, "nothing", Text("choice.nothing"), "0", chosen=False).is_chosen
    nine = SUM.typed_option(5, 1, "nine", Text("choice.nine"), "9")
    assert nine.draft == "1"
    assert nine.fault is not None
    assert nine.fault.code == "too_many"


def test_the_seats_of_the_team_that_leads_are_found_and_nobody_leads_with_as_much():
    assert sides.leading_seats((0, 0, 1), {0: 3, 1: 2}) == (0, 1)
    assert sides.leading_seats((0, 0, 1), {0: 2, 1: 2}) == ()
    assert sides.leading_seats((0, 1), {}) == ()


def test_buttons_stand_in_rows_of_twenty():
    rows = list(button_rows("ships", [Option(str(at), Text(""), "") for at in range(41)]))
    assert [(row.key, len(row.options)) for row in rows] == [("ships.1", 20), ("ships.2", 20), ("ships.3", 1)]
    assert list(button_rows("ships", [])) == []


def test_an_attempt_counts_the_order_its_success_and_its_dice():
    def enter(books, event):
        books[event.seat].count_attempted_order("ram", event.seat == 0, 6, 5)

    counts = tally_events(
        (0, 1), ("rams",), [CaptainConceded(seat=0), CaptainConceded(seat=1), CaptainConceded(seat=1)], enter
    )
    assert counts[0] == Statistics(
        orders={"ram": 1},
        counts={"rams": 0},
        rates={"ram": SuccessRate(1, 1)},
        luck={"ram.dice": DiceLuck(11, 7.0, 35 / 6, 1)},
    )
    assert counts[1].rates == {"ram": SuccessRate(0, 2)}


def test_a_word_among_several_is_the_answer_and_the_computer_chooses_by_the_seed():
    request = Request(id="r1.wind", seat=0, kind="wind", round=1)
    wind = choice_question(
        lambda _: {"calm": Text("calm"), "storm": Text("storm")}, rule="X-1", default=lambda _: "calm"
    )
    assert wind.notation.parse_answer(request, " Storm ") == Choice("storm")
    assert [
        option.token for option in wind.draft_choices(request, Choice("storm")).groups[0].options if option.is_chosen
    ] == ["storm"]
    assert wind.default_answer(request) == Choice("calm")
    assert [wind.computer_answer(None, request, seed) for seed in ("00", "01")] == [Choice("calm"), Choice("storm")]
    with pytest.raises(IllegalOrder, match="no_such_choice"):
        wind.notation.parse_answer(request, "breeze")


@pytest.mark.parametrize("teams", [(), (0,), (0, 0), (0, 2), (0, 1, 1), (0, 0, 1, 1)])
def test_two_teams_play_of_as_many_seats_as_there_may_be(teams):
    with pytest.raises(IllegalOrder, match="bad_teams"):
        sides.check_teams(teams, 1, "X-1")
    sides.check_teams((1, 0), 1, "X-1")


def test_an_answer_that_gets_too_long_is_refused():
    echo = AnswerNotation(
        context=lambda state, _: state,
        empty_draft=lambda _: "",
        parse_into=lambda _, draft, text: draft + 2 * text,
        write_draft=lambda _, draft: Draft(draft),
        complete_answer=lambda _, draft: draft,
        format_answer=str,
        max_chars=4,
    )
    assert echo.parse_answer(None, "ab") == "abab"
    with pytest.raises(UnreadableOrder, match="text_too_long"):
        echo.parse_answer(None, "abc")


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
    choices = ASKED.draft_choices(CONTEXT, taken("A2 F1"))
    options = {option.token: option for group in choices.groups for option in group.options}
    assert [group.key for group in choices.groups] == ["ships.1", "ahead", "other", "hold"]
    assert options["look.A1"].is_chosen
    assert options["go.F1"].draft == "A2 F1; A1 F1"
    assert options["go.F1"].focus == "A1"
    assert options["go.F2"].fault.code == "aground"
    assert options["hold"].draft == "hold"
    looked = ASKED.draft_choices(CONTEXT, ASKED.notation.read_draft(CONTEXT, Draft("A2 F1", "A2")))
    chosen = {option.token for group in looked.groups for option in group.options if option.is_chosen}
    assert chosen == {"look.A2", "go.F1"}


def test_who_has_no_ships_can_only_hold():
    choices = ASKED.draft_choices(SeatContext("a state", 1), ShipOrderDraft())
    assert [group.key for group in choices.groups] == ["hold"]
    assert ASKED.default_answer(CONTEXT) == ()


def test_a_question_without_a_captain_leaves_it_to_the_game():
    with pytest.raises(NotImplementedError, match="orders"):
        ASKED.computer_answer(None, Request(id="r1.0", seat=0, kind="orders", round=1), "00")
