"""What a program reads on the error line of a case that is refused (RS part 10.5)."""

import json

import pytest

from bot.cli.shell import fault_line, run_case
from rules.core.errors import OrderError

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
