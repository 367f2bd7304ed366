"""Orders typed on top of others: what a text mentions takes the place of what stood there."""

from __future__ import annotations

import pytest

from rules.campaign import GAME
from rules.core.protocol import Draft
from tests.rules.campaign.test_warnings import gulf


@pytest.mark.parametrize(
    ("before", "text", "after"),
    [
        ("pay B 2", "pay B 2", "pay B 2"),  # no answer came, and the captain types it again
        ("pay B 2", "pay B 3; pay B 4", "pay B 3; pay B 4"),
        ("build PIR 5; repair all", "build PIR 4", "build PIR 4; repair all"),
        ("build PIR 5; pay B 2", "A1: ELE", "A1: ELE hold; build PIR 5; pay B 2"),
    ],
)
def test_who_types_again_orders_nothing_twice(before: str, text: str, after: str) -> None:
    state, request = gulf("A1 PIR 5-5+3/5 r0 n0", talents=9)
    typed = GAME.type_text(state, request, Draft(before), text)
    assert typed.text == after
