"""A few of the kills of `make crash`."""

from __future__ import annotations

from tests.crash.harness import Found, disturbed, undisturbed


async def test_a_killed_bot_goes_on_and_loses_nothing() -> None:
    whole, points = await undisturbed()
    assert points > 100
    for part in (4, 2):
        found = await disturbed(points // part, whole)
        assert found == Found(killed=True, states_equal=True, seals_lost=0, doubled=0, missing=0), points // part
