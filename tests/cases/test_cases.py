"""Every case comes out as its file says, and names rules of the rulebook."""

import re
from dataclasses import replace

import pytest

from tests.cases import loader, verdict

SYSTEMS = loader.systems()
CASES = [pytest.param(system, case, id=case.name) for system in SYSTEMS for case in loader.cases(system)]


@pytest.mark.parametrize(("system", "case"), CASES)
def test_case(system, case):
    assert verdict.faults(system, case) == []


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_case_names_rules_of_the_book_and_is_named_by_the_first(system):
    known = set(loader.rules(system))
    for case in loader.cases(system):
        assert set(case.rules) <= known, case.name
        assert case.name.startswith(f"{case.rules[0]}_"), case.name
        assert re.fullmatch(r"[A-Z]{2}-\d+\.\d+_[a-z0-9_]+", case.name), case.name


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_case_expects_something(system):
    assert [case.name for case in loader.cases(system) if not case.facts["expect"]] == []


def test_a_refusal_that_no_case_expects_is_shown() -> None:
    case = next(case for case in loader.cases("forts") if "refused" in case.facts["expect"])
    wrong = replace(case, facts={**case.facts, "expect": {"hits": 3}})
    refusal, difference = verdict.faults("forts", wrong)
    assert refusal.startswith("the answer was refused: ")
    assert case.facts["expect"]["refused"] in refusal
    assert difference == "hits: expected 3, got None"
