"""Shapes of panels, lots for sides and answers out of texts, as all games share them."""

import pytest

from rules import samples, sides
from rules.dice import Dice
from rules.errors import UnreadableOrder
from rules.notebook import Notebook
from rules.panels import next_of
from rules.protocol import Draft
from rules.tuples import replaced
from rules.view import Text


@pytest.mark.parametrize(("now", "found"), [("A1", "A3"), ("A3", "A4"), ("A4", "A3"), ("A2", "A3")])
def test_the_next_that_is_left_is_looked_for_behind_first(now, found):
    assert next_of({"A1": False, "A2": False, "A3": True, "A4": True}, now) == found


def test_there_is_no_next_where_nobody_is_left_besides():
    assert next_of({"A1": True, "A2": False}, "A1") == ""


def test_a_value_is_put_in_the_place_of_another():
    assert replaced((1, 2, 3), 1, 9) == (1, 9, 3)


def test_sides_are_named_or_drawn_by_a_die():
    dice = Dice("00")
    assert sides.drawn("first", dice) == (False, 0, dice)
    assert sides.drawn("second", dice) == (True, 0, dice)
    face, after = dice.die(6)
    assert sides.drawn("dice", dice) == (face % 2 == 0, face, after)


def number(text: str) -> int:
    if not text.isdecimal():
        raise UnreadableOrder("no_number", piece=text)
    return int(text)


def test_texts_that_are_refused_give_no_sample_and_answers_come_once():
    assert samples.answers(number, ("3", "x", "03", "4")) == (3, 4)


def test_a_line_keeps_the_alternatives_that_are_legal():
    def read(line: str) -> str:
        if line.endswith("ram "):
            raise UnreadableOrder("nobody", piece=line)
        return line

    ships = {"A1": {"near": "S1"}, "A2": {"near": ""}, "A3": {"near": ""}}
    kinds = (("ram {near}", "fwd"), ("ram {near}",))
    assert list(samples.lines(ships, kinds, read)) == ["A1: ram S1 or fwd", "A3: fwd"]


SUM = Notebook(
    context=lambda state, _: state,
    empty=lambda _: 0,
    take=lambda most, draft, text: at_most(most, draft + number(text)),
    written=lambda _, draft: Draft(str(draft)),
    complete=lambda _, draft: draft,
    format=str,
)


def at_most(most: int, found: int) -> int:
    if found > most:
        raise UnreadableOrder("too_many", piece=str(found))
    return found


def test_what_would_be_typed_is_offered_with_the_draft_after_it_or_its_refusal():
    two = SUM.typed(5, 1, "two", Text("choice.two"), "2")
    assert (two.draft, two.fault, two.chosen) == ("3", None, False)
    nothing = SUM.typed(5, 1, "nothing", Text("choice.nothing"), "0")
    assert (nothing.draft, nothing.chosen) == ("1", True)
    assert not SUM.typed(5, 1, "nothing", Text("choice.nothing"), "0", chosen=False).chosen
    nine = SUM.typed(5, 1, "nine", Text("choice.nine"), "9")
    assert nine.draft == "1"
    assert nine.fault is not None
    assert nine.fault.code == "too_many"
