"""A slice of `make fuzz`, always the same."""

from __future__ import annotations

import pytest

from tests.fuzz.run import fuzz, pressed
from tests.fuzz.targets import TARGETS
from tests.sea import Sea

TRIES = {
    "adjudicate": 400,
    "exports": 120,
    "bundles": 2000,
    "orders": 60,
    "ids": 3000,
    "options": 400,
    "names": 1500,
    "quotes": 1000,
    "scenarios": 60,
    "rulebook": 60,
}


@pytest.mark.parametrize("target", TARGETS)
def test_nothing_but_refusals_comes_out(target: str) -> None:
    assert fuzz(target, 20_261_122, tries=TRIES[target]).fallen == {}


async def test_forged_buttons_are_no_faults_of_ours(sea: Sea) -> None:
    assert (await pressed(sea, 20_261_122, tries=24)).fallen == {}
