"""Every case comes out as its file says; every rule has a case, and every case a rule."""

import re

import pytest

from tests.cases import loader

SYSTEMS = loader.systems()
CASES = [pytest.param(system, case, id=case.name) for system in SYSTEMS for case in loader.cases(system)]


@pytest.mark.parametrize(("system", "case"), CASES)
def test_case(system, case):
    assert loader.judge(system)(case) == []


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_rule_has_a_case(system):
    proved = {rule for case in loader.cases(system) for rule in case.rules}
    assert proved >= set(loader.rules(system))


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_case_names_rules_of_the_list_and_is_named_by_the_first(system):
    known = set(loader.rules(system))
    for case in loader.cases(system):
        assert set(case.rules) <= known, case.name
        assert case.name.startswith(f"{case.rules[0]}_"), case.name
        assert re.fullmatch(r"[A-Z]{2}-\d+\.\d+_[a-z0-9_]+", case.name), case.name


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_case_expects_something(system):
    assert [case.name for case in loader.cases(system) if not case.facts["expect"]] == []
