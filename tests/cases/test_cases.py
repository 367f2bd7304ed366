"""Every case comes out as its file says; every rule has a case, and every case a rule."""

import re

import pytest

from tests.cases import loader
from tests.cases.matchbox.judge import judge

CASES = loader.cases("matchbox")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_case(case):
    assert judge(case) == []


def test_every_rule_has_a_case():
    proved = {rule for case in CASES for rule in case.rules}
    assert proved >= set(loader.rules("matchbox"))


def test_every_case_names_rules_of_the_list_and_is_named_by_the_first():
    known = set(loader.rules("matchbox"))
    for case in CASES:
        assert set(case.rules) <= known, case.name
        assert case.name.startswith(f"{case.rules[0]}_"), case.name
        assert re.fullmatch(r"MB-\d\.\d+_[a-z0-9_]+", case.name), case.name


def test_every_case_expects_something():
    assert [case.name for case in CASES if not case.facts["expect"]] == []
