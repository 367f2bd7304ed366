"""Fleets for points: how they are read and named, and what a refusal says (MX-4.1)."""

import pytest

from rules.core.errors import UnreadableOrder
from rules.core.view import Text
from rules.matchbox.engine import points
from rules.matchbox.engine.points import VesselBuild


def fleet(text: str) -> list[VesselBuild]:
    return [points.parse_build(build) for build in text.split()]


def test_a_vessel_is_read_with_her_crew_and_written_the_same() -> None:
    assert points.parse_build(" 8h{rm} ") == VesselBuild("heavy", 8, "rm")
    assert points.parse_build("5-") == VesselBuild("galley", 5, is_battered=True)
    assert points.format_fleet(fleet("6 8h{rm} 5-")) == "6 8h{rm} 5-"


@pytest.mark.parametrize("text", ["7", "h", "8", "8hh", "x5", "5{mr}", "5{x}", "8h and much else besides"])
def test_what_is_no_vessel_is_refused_with_those_that_are(text: str) -> None:
    with pytest.raises(UnreadableOrder) as refused:
        points.parse_build(text)
    fault = refused.value.fault
    assert (fault.code, fault.piece) == ("bad_build", text[:20])
    assert fault.params["expected"] == "6, 5, 4, 8h, 5s, 4t, 3m, 4f"


def test_vessels_that_are_built_alike_are_named_together() -> None:
    five = Text("vessel.galley", {"type": "5/3"})
    trained = Text("vessel.with_crew", {"vessel": (five,), "crew": (Text("promotion.r"), Text("promotion.b"))})
    assert points.fleet_names(fleet("5 8h 5 5{rb} 5-")) == (
        Text("vessel.several", {"vessel": (five,), "count": 2}),
        Text("vessel.one", {"vessel": (Text("vessel.heavy", {"type": "8/4"}),), "count": 1}),
        Text("vessel.one", {"vessel": (trained,), "count": 1}),
        Text("vessel.one", {"vessel": (Text("vessel.battered", {"vessel": (five,)}),), "count": 1}),
    )


@pytest.mark.parametrize(("most", "count"), [(9, 1), (35, 2), (36, 3), (100, 8)])
def test_who_builds_nothing_gets_as_many_plain_galleys_as_fit(most: int, count: int) -> None:
    assert points.default_fleet(most) == (VesselBuild("galley", 5),) * count
