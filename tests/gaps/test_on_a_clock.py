"""No captain misses a deadline for which they did not have their time, whatever happens to the bot and whenever."""

from __future__ import annotations

import os

import pytest

from tests import games
from tests.gaps.on_a_clock import KINDS, Missed, too_long, try_gaps, unfair

COUNT = int(os.environ.get("GAPS", "4"))  # gaps a game; `make gaps` tries 500
A_WORLD = 25  # gaps until another world begins: one in which many games have been played is slow


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("system", games.tested)
async def test_every_missed_deadline_was_one_that_its_captain_could_keep(system: str, url: str) -> None:
    missed: list[Missed] = []
    for first in range(0, COUNT, A_WORLD):
        missed += await try_gaps(f"{url}.{first}", system, min(A_WORLD, COUNT - first), f"{system} {COUNT} {first}")
    assert missed
    assert [miss for miss in missed if unfair(miss)] == []
    assert [miss for miss in missed if too_long(miss)] == []


@pytest.mark.parametrize("kind", KINDS)
async def test_a_gap_of_each_kind_over_a_deadline_lets_nobody_miss_it(kind: str, url: str) -> None:
    missed = await try_gaps(url, "forts", 3, kind, kinds=(kind,))
    assert missed
    assert [miss for miss in missed if unfair(miss)] == []
