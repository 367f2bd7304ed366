"""Sheets of the fleet game: typed in either language, pressed, refused, written out ship by ship."""

import pytest
from msgspec import structs

from bot.texts.i18n import Catalogue, Localizer
from rules.chance.dice import Dice
from rules.core.errors import OrderError, UnreadableOrder
from rules.core.protocol import Draft, Setup
from rules.core.registry import RULESETS
from rules.squadrons.engine.notation import order_text, order_words
from rules.squadrons.engine.phases.command import command
from rules.squadrons.engine.sea import fleets
from rules.squadrons.engine.sea.position_text import parse_position
from rules.squadrons.interface.drafts import sheets
from rules.squadrons.interface.drafts.sheets import OrderContext, OrderDraft
from rules.squadrons.interface.panels import sheet_panel

MARINES = fleets.scenario_position("marines")
COLUMN = fleets.scenario_position("column")
DESK = OrderContext(MARINES, "B", MARINES.ships_of("B"), ())
ASTERN = OrderContext(COLUMN, "B", COLUMN.ships_of("B"), ())


def typed(text: str, context: OrderContext = DESK, before: str = "") -> str:
    draft = sheets.SHEET_NOTATION.read_draft(context, Draft(before))
    return sheets.write_draft(sheets.SHEET_NOTATION.type_text(context, draft, text)).text


def meant(text: str, context: OrderContext = DESK) -> list[str]:
    sheet = sheets.parse_into(context, OrderDraft(), text).sheet
    return [order_text.format_line(line) for line in sheets.lines_of_sheet(context, sheet)]


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("sq1 : f 4", "SQ1: F4"),
        ("HR1: előre 4", "SQ1: F4"),
        ("mind: E3; B2: e1 roham R2 különben h1", "B2: F ram R2 | else B\nall: F3"),
        ("B1: teljes jobb E2 csáklya R1", "B1 M\nB1: S F2 grap R1"),
        ("SQ1 M; B8 C; SQ1: F4", "SQ1 M\nB8 C\nSQ1: F4"),
        ("B1: X R1:p F2; B2: ana R2 X s", "B1: X R1:p F2\nB2: ana R2 X s"),
        ("megszáll R1 vele B1 x1 + B2", "board R1 with B1 x1 + B2"),
        ("sorrend HR2 HR1; dupla HR2; B1: F1", "B1: F\nsequence SQ2 SQ1\ndouble SQ2"),
        ("elv mind: avoid=any retract=stay protect=B1,B2", "doctrine all: avoid=any retract=stay protect=B1,B2"),
        ("B1: m5 fire R1 x1, R2 x1", "B1: m5 fire R1 x1, R2 x1"),
        ("marad", "pass"),
    ],
)
def test_words_of_both_languages_are_written_in_one_notation(text: str, written: str) -> None:
    assert typed(text) == written
    assert typed(written) == written


def test_what_one_ship_is_told_is_an_exception_wherever_it_stands() -> None:
    assert meant("B4: S F2\nSQ1: F4\nrest: F1") == [
        "B4: S F2",
        *(f"B{n}: F4" for n in (2, 3, 5)),
        *(f"B{n}: F" for n in (1, 6, 7, 8)),
    ]
    assert meant("SQ1: F4\nB4: S F2") == ["B4: S F2", *(f"B{n}: F4" for n in (2, 3, 5))]


def test_front_ships_of_a_squadron_row_first() -> None:
    position = parse_position(
        "squadrons 1 A 20x20 - vp=9 limit=9 bonus=0/0 lost=-/- ; B1 5@1012N C ; B2 5@1010N C ; B3 5@1008N C ; "
        "R1 5@0503S C ; lead BL1 Steady@B2 ; lead RL1 Steady@R1"
    )
    context = OrderContext(position, "B", position.ships_of("B"), ())
    assert meant("all: F2", context) == ["B3: F2", "B2: F2", "B1: F2"]


def test_a_squadron_astern_follows_its_leader_round_the_corner() -> None:
    sheet = sheets.parse_into(ASTERN, OrderDraft(), "SQ1 astern B1 B2 B3 B4 B5\nSQ1: line F S F2").sheet
    lines = [order_text.format_line(line) for line in sheets.lines_of_sheet(ASTERN, sheet)]
    assert lines[0] == "B1: F S F2"
    assert lines[1:3] == ["B2: F3 S", "B3: F4"]
    (formed, *_) = command.form_squadrons(COLUMN, "B", sheets.forms_of_sheet(ASTERN, sheet))
    assert formed.form == "astern"


@pytest.mark.parametrize("order", ["ram", "rake", "grap", "ana", "X"])
@pytest.mark.parametrize(("target", "code"), [("B9", "no_such_target"), ("B2", "own_side")])
def test_attacks_on_no_ship_or_an_own_one_are_refused_when_they_are_typed(order: str, target: str, code: str) -> None:
    text = f"B1: {order} {target}" + {"ana": " p", "X": ":p"}.get(order, "")
    with pytest.raises(OrderError) as refused:
        typed(text)
    assert (refused.value.fault.code, refused.value.fault.rule) == (code, "SQ-24.2")
    assert meant(text)  # an older seal may contain it


@pytest.mark.parametrize(
    ("text", "code", "line", "piece"),
    [
        ("B1: F2\nB2: rma R1", "bad_step", 2, "rma"),
        ("R1: F2", "not_yours", 1, "R1: F2"),
        ("SQ7: F2", "none_of_yours", 1, "SQ7: F2"),
        ("B19:  F2", "none_of_yours", 1, "B19:  F2"),
        ("B1: F2 turn", "which_way", 1, "turn"),
        ("B1: ram R19", "unknown_ship", 1, "B1: ram R19"),
        ("B1: fire R1, R2", "shares_needed", 1, "fire R1, R2"),
        ("B1: cut R1, R1", "ship_twice", 1, "R1, R1"),
        ("board R1 wiht B1", "bad_step", 1, "board R1 wiht B1"),
        ("doctrine all: avoid=maybe", "bad_doctrine_value", 1, "avoid=maybe"),
        ("doctrine B1: board=never", "doctrine_of_all", 1, "board=never"),
        ("hello there", "bad_step", 1, "hello"),
        ("B1: F2\nB2: F12", "too_far", 2, "F12"),
        ("B1: Ahead 12", "too_far", 1, "B1: Ahead 12"),
        ("B1: ELŐRE 12", "too_far", 1, "B1: ELŐRE 12"),
    ],
)
def test_refusals_name_line_piece_and_what_was_expected(text: str, code: str, line: int, piece: str) -> None:
    with pytest.raises(OrderError) as refused:
        typed(text)
    fault = refused.value.fault
    assert (fault.code, fault.params["line"], fault.piece, fault.rule) == (code, line, piece, "SQ-24.2")


def test_all_lines_that_cannot_be_read_are_named_at_once() -> None:
    with pytest.raises(OrderError) as refused:
        typed("B1: Q4\nB2: F2\nB3: rma R1")
    assert [(fault.code, fault.piece) for fault in refused.value.fault.faults] == [
        ("bad_step", "Q4"),
        ("bad_step", "rma"),
    ]


def test_each_line_that_cannot_be_read_keeps_its_reason_in_words() -> None:
    with pytest.raises(OrderError) as refused:
        typed("B1: forward 3 and ram R2; B19: F3; B2: Q7")
    for language, none in (("en", "there is no B19. You have "), ("hu", "nincs B19. A te hajóid: ")):
        head, *lines = Localizer(Catalogue.load(language, "squadrons")).fault_text(refused.value.fault).split("\n")
        assert "3" in head
        assert ["`and`" in lines[0], none in lines[1], "`Q7`" in lines[2]] == [True] * 3


def test_turning_in_words_is_read_and_the_seal_is_pressed() -> None:
    assert meant("B1: forward 3 turn left\nB2: F2 fordulj jobbra")[:2] == ["B1: F3 P", "B2: F2 S"]
    with pytest.raises(UnreadableOrder, match="press_seal"):
        typed("seal")


def test_every_line_that_would_stop_is_warned_of_at_once() -> None:
    draft = sheets.parse_into(DESK, OrderDraft(), "B1: F9\nB2: ram R1\nB3: F2")
    barred, points = sheet_panel.draft_warnings(DESK, draft)  # those with a leader act first
    assert (points.key, points.params) == ("warn.points", {"ship": "B1", "n": 9, "most": 5})
    assert (barred.params["ship"], barred.params["why"]) == ("B2", "SQ-13.2")


def test_the_last_sheet_is_ordered_again_as_far_as_its_ships_are_left() -> None:
    context = structs.replace(DESK, own_ships=DESK.own_ships[1:], last_sheet="B1: F2\nB2 M\nB2: S F1\nsequence SQ1")
    assert sheets.write_draft(sheets.repeat_last(context, OrderDraft())).text == "B2 M\nB2: S F"


GAME = RULESETS["squadrons"]


@pytest.mark.parametrize(
    "typed",
    ["doctrine all: protect=none", "all: C pass", "mind: M marad", "all: pass", "doctrine all: protect=B1, b2 b2"],
)
def test_what_was_taken_is_read_again_as_it_was_written(typed: str) -> None:
    options = {"battle": "rams", "sides": "first"}
    setup = Setup(system="squadrons", teams=GAME.seats(options), options=options)
    state = GAME.start(setup, Dice(seed="00")).state
    request = GAME.pending_requests(state)[0]
    draft = GAME.type_text(state, request, Draft(), "B1: F3 ram R1\nsequence SQ1")
    draft = GAME.type_text(state, request, draft, typed)
    assert GAME.type_text(state, request, Draft(), draft.text).text == draft.text
    sealed = GAME.format_answer(request, GAME.parse_answer(state, request, draft.text))
    assert sealed == draft.text
    assert GAME.format_answer(request, GAME.parse_answer(state, request, sealed)) == sealed


@pytest.mark.parametrize("nobody", ["nobody", "SQ1", "none B1", "B1 none"])
def test_only_ships_are_protected(nobody: str) -> None:
    options = {"battle": "rams", "sides": "first"}
    setup = Setup(system="squadrons", teams=GAME.seats(options), options=options)
    state = GAME.start(setup, Dice(seed="00")).state
    with pytest.raises(OrderError):
        GAME.type_text(state, GAME.pending_requests(state)[0], Draft(), f"doctrine all: protect={nobody}")


@pytest.mark.parametrize(("orders", "key"), [("wp tp", "unit.one.more"), ("wp", "unit.one"), ("F2 wp", "unit.one")])
def test_a_list_shows_one_of_two_turns_on_the_spot_since_both_are_too_wide_for_a_phone(orders, key):
    assert order_words.brief_text("unit.one", order_text.parse_body("B1", orders)).key == key
