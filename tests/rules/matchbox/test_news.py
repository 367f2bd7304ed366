"""What makes the headline of a round: the best news, and none if the galleys only rowed."""

from __future__ import annotations

import pytest

from rules.matchbox.table.events import Lost, OrdersRevealed, Rammed, Sank, VolleyDropped

HIT = {"step": 1, "by": "A1", "to": "B1", "gap_mm": 30.0, "matches": 4, "broadside": True, "aim_x_mm": 0.0}
HIT |= {"aim_y_mm": 0.0, "drops": ()}
LOST = {"step": 1, "galley": "B1", "by": "A1", "facing": "port"}


@pytest.mark.parametrize(
    ("less", "more"),
    [
        (OrdersRevealed(galley="A1", seat=0, orders="FFFFF"), VolleyDropped(**HIT, misfire=False, hits=0)),
        (VolleyDropped(**HIT, misfire=False, hits=0), VolleyDropped(**HIT, misfire=True, hits=0)),
        (VolleyDropped(**HIT, misfire=True, hits=3), VolleyDropped(**HIT, misfire=False, hits=1)),
        (VolleyDropped(**HIT, misfire=False, hits=3), Lost(**LOST, port=1, starboard=0, masts=0)),
        (Lost(**LOST, port=1, starboard=1, masts=0), Lost(**LOST, port=2, starboard=1, masts=0)),
        (
            Rammed(step=1, by="A1", to="B1", kind="side", edge="port", run=1, damage=2),
            Rammed(step=1, by="A1", to="B1", kind="side", edge="port", run=3, damage=7),
        ),
        (
            Rammed(step=1, by="A1", to="B1", kind="side", edge="port", run=3, damage=7),
            Sank(step=1, galley="B1", by="A1"),
        ),
    ],
)
def test_the_greater_news(less, more):
    assert less.news < more.news


def test_what_was_ordered_is_no_news():
    assert OrdersRevealed(galley="A1", seat=0, orders="FFFFF").news == 0
