"""Choices in mid-round: what is read, and exactly what a refusal says."""

import pytest

from rules.core.errors import Fault, OrderError
from rules.matchbox.engine import deciding
from rules.matchbox.engine.pose import Pose
from rules.matchbox.engine.sea import Sea
from rules.matchbox.engine.state import Galley

TABLE = Sea(1200.0, 800.0)
SPLITS = ((1, 1, 1), (2, 0, 1))
BENCHES = ((1, 4), (2, 3))
KEY = "3.what.A1"


def enemy(name):
    return Galley(id=name, seat=1, side="north", holes=5, port=5, starboard=5, masts=3, pose=Pose(100, 100, 0))


OPTIONS = ((enemy("B1"), 70.0), (enemy("B2"), 80.0))


@pytest.mark.parametrize(
    ("read", "choice"),
    [
        (lambda: deciding.parse_target("B2", OPTIONS, KEY), OPTIONS[1]),
        (lambda: deciding.parse_split("2-0+1", SPLITS, KEY), (2, 0, 1)),
        (lambda: deciding.parse_bench("2-3", BENCHES, KEY), (2, 3)),
        (lambda: deciding.parse_aim("12.3456,7.8911", TABLE, KEY), (12.346, 7.891)),
        (lambda: deciding.parse_aim(" 12 ; 7.5 ", TABLE, KEY), (12.0, 7.5)),
        (lambda: deciding.parse_aim("0,0", TABLE, KEY), (0.0, 0.0)),
        (lambda: deciding.parse_aim("1200,800", TABLE, KEY), (1200.0, 800.0)),
        (lambda: deciding.parse_aim("0.000000001,1.123456789", TABLE, KEY), (0.0, 1.123)),
    ],
)
def test_a_choice_is_read(read, choice):
    assert read() == choice


def fault(code, rule, **params):
    return Fault(kind="illegal" if rule else "unreadable", code=code, rule=rule, piece=KEY, params=params)


OFF = fault("aim_off_table", "MB-6.5", width_mm=1200.0, height_mm=800.0)


@pytest.mark.parametrize(
    ("read", "refusal"),
    [
        (
            lambda: deciding.parse_target("C1", OPTIONS, KEY),
            fault("no_such_target", "MB-6.2", given="C1", expected="B1, B2"),
        ),
        (
            lambda: deciding.parse_split("1-0+0", SPLITS, KEY),
            fault("no_such_loss", "MB-7.1", given="1-0+0", expected="1-1+1, 2-0+1"),
        ),
        (
            lambda: deciding.parse_bench("5-0", BENCHES, KEY),
            fault("no_such_benches", "MB-7.3", given="5-0", expected="1-4, 2-3"),
        ),
        (lambda: deciding.parse_aim("over there", TABLE, KEY), fault("bad_aim", "", given="over there")),
        (lambda: deciding.parse_aim("1.0000000001,2", TABLE, KEY), fault("bad_aim", "", given="1.0000000001,2")),
        (lambda: deciding.parse_aim("-0.001,7", TABLE, KEY), OFF),
        (lambda: deciding.parse_aim("7,-0.001", TABLE, KEY), OFF),
        (lambda: deciding.parse_aim("1200.001,7", TABLE, KEY), OFF),
        (lambda: deciding.parse_aim("7,800.001", TABLE, KEY), OFF),
        (lambda: deciding.require_on_table((float("nan"), 7.0), TABLE, KEY), OFF),
        (lambda: deciding.require_on_table((7.0, float("inf")), TABLE, KEY), OFF),
    ],
)
def test_a_refusal_says_what_was_given_and_what_would_be_legal(read, refusal):
    with pytest.raises(OrderError) as refused:
        read()
    assert refused.value.fault == refusal
