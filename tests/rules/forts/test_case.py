"""Cases as other programs write them: every field is read before anything happens, and refusals begin with its name."""

import json
import random

import pytest

from bot.cli.shell import fault_line
from bot.jobs.refused import errors_of_game
from rules.core.errors import OrderError
from rules.forts.engine import case as cases
from rules.forts.engine import notation
from tests.rules.forts.sea_room import position

adjudicate = errors_of_game("forts")(cases.adjudicate_case)
SEA = "two_forts 7 white wind - 0 white=west BB/BB ; wBB@G4 0 s3 ; wGA@G3 0 s1 ; rFR@G7 0 ; rBB@H3 0"
FIELDS = {"ruleset", "mode", "dice", "position", "actions"}


def line_of(**case):
    with pytest.raises(OrderError) as refused:
        adjudicate(json.dumps(case).encode())
    return fault_line(refused.value)


@pytest.mark.parametrize(
    ("case", "begins"),
    [
        ({"position": SEA, "ruleset": "squadrons"}, "ruleset"),
        ({"position": SEA, "mode": "dead"}, "mode"),
        ({"position": SEA, "dice": [7]}, "dice"),
        ({"position": SEA, "dice": [0]}, "dice"),
        ({"position": SEA, "dice": [1.5]}, "dice"),
        ({"position": SEA, "dice": ["1"]}, "dice"),
        ({"position": SEA, "dice": [True]}, "dice"),
        ({"position": SEA, "dice": 3}, "dice"),
        ({"position": "nowhere"}, "position"),
        ({"position": 3}, "position"),
        ({}, "position"),
        ({"position": SEA, "actions": "BB>G4; BB"}, "actions"),
        ({"position": SEA, "actions": "any: BB>G5"}, "actions"),
        ({"position": SEA, "actions": "BB>G5\nend"}, "actions"),
        ({"position": SEA, "actions": "end; BB>G5", "mode": "plan"}, "actions"),
        ({"position": SEA, "actions": "auto\nany: BB>G5", "mode": "plan"}, "actions"),
        ({"position": SEA, "actions": None}, "actions"),
        ({"position": SEA, "order": "BB>G5"}, "order"),
    ],
)
def test_a_field_that_cannot_be_read_is_named(case, begins):
    line = line_of(**case)
    assert line.startswith(f"{begins}: ")
    assert "\n" not in line


@pytest.mark.parametrize(
    ("case", "line"),
    [
        ({"actions": "ga*bb x1; GA * BBx1", "dice": [1]}, "NB-05.4: GA*BBx1"),
        ({"actions": "br>c5"}, "NB-07.2: BR>C5"),
        ({"actions": "BB>B11"}, "NB-01.1: BB>B11"),
        ({"actions": "BB*GA|BRx3"}, "NB-07.2: BB*GA|BRx3"),
        ({"actions": "GA*FR" + "|FR" * 40}, "NB-05.1: GA*FR" + "|FR" * 40),
        ({"actions": "BB*FR", "dice": [1]}, "dice: shot 2 (wBB*rFR)"),
        ({"actions": "BB*BBx1; BB*FR", "dice": [1, 2]}, "dice: shot 3 (wBB*rFR)"),
        ({"position": SEA.replace("wind", "none", 1).replace("wGA@G3 0 s1 ; ", "")}, "dice: wind"),
    ],
)
def test_an_illegal_action_or_a_missing_die_is_one_exact_line(case, line):
    assert line_of(**{"position": SEA, **case}) == line


@pytest.mark.parametrize("text", ["", "[]", "3", "{", '{"position": "\ud800"}'.encode("utf-8", "surrogatepass")])
def test_what_is_no_case_is_refused(text):
    with pytest.raises(OrderError):
        adjudicate(text)


def test_a_mapping_is_a_case_too():
    case = {"position": SEA, "actions": "BB*BBx1", "dice": [4]}
    assert adjudicate(case) == adjudicate(json.dumps(case)) == adjudicate(json.dumps(case).encode())


@pytest.mark.parametrize("seed", range(150))
def test_any_case_is_carried_out_or_refused_by_name(seed):
    rng = random.Random(seed)
    letters = ["BB", "GA", "FR", "BR", ">", "*", "|", "x2", "; ", "K5", "L7", "end", "wind: ", "\n", " "]
    case = {
        "position": notation.format_position(position(rng)),
        "actions": "".join(rng.choice(letters) for _ in range(rng.randrange(12))),
        "dice": [rng.randrange(1, 7) for _ in range(rng.randrange(10))],
        "mode": rng.choice(("live", "plan")),
    }
    try:
        result = adjudicate(case)
    except OrderError as refused:
        line = fault_line(refused)
        assert line.split(": ")[0] in FIELDS or line.startswith("NB-")
    else:
        assert notation.format_position(notation.parse_position(result["position"])) == result["position"]
        assert adjudicate(case) == result
        # A player-turn that goes on does so from its position as if it had never been written down.
        if not result["winner"] and result["position"].split()[1] == case["position"].split()[1]:
            rest = {"position": result["position"], "dice": [1] * 9, "actions": "end"}
            assert adjudicate(rest)["winner"] in (None, "white", "red", "draw")
