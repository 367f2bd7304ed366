"""Every case comes out as its file says; every rule has a case, and every case a rule."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from tests.cases import loader, verdict
from tests.rulebooks import books

SYSTEMS = loader.systems()
CASES = [pytest.param(system, case, id=case.name) for system in SYSTEMS for case in loader.cases(system)]


@pytest.mark.parametrize(("system", "case"), CASES)
def test_case(system, case):
    assert verdict.faults(system, case) == []


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


@pytest.mark.parametrize("system", SYSTEMS)
def test_rulings_name_rules_and_cases_that_exist(system):
    in_book = {number for book in books(system)[:1] for number in book.rules}
    rules, cases = {*loader.rules(system), *in_book}, {case.name for case in loader.cases(system)}
    family = loader.rules(system)[0].partition("-")[0]
    text = (Path(__file__).parent / system / "RULINGS.md").read_text(encoding="utf-8")
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line[:1] == "|"][2:]
    assert rows
    for about, *_, named_cases in rows:
        # `MB-4.3, 4.5` are two rules; what a part says without a number is `part 11`.
        letters = about.partition("-")[0] if "-" in about else family
        named = {f"{letters}-{number}" for number in re.findall(r"\d+\.\d+", re.sub(r"part \S+", "", about))}
        assert named or about.startswith("part "), about
        assert named <= rules, about
        assert {name.strip() for name in named_cases.split(",")} - {""} <= cases, about
    assert set(re.findall(rf"\b{family}-\d+\.\d+\b", text)) <= rules


def test_a_refusal_that_no_case_expects_is_shown() -> None:
    case = next(case for case in loader.cases("forts") if "refused" in case.facts["expect"])
    wrong = replace(case, facts={**case.facts, "expect": {"hits": 3}})
    refusal, difference = verdict.faults("forts", wrong)
    assert refusal.startswith("the answer was refused: ")
    assert case.facts["expect"]["refused"] in refusal
    assert difference == "hits: expected 3, got None"
