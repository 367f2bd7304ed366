"""Lists of vessels bring no prices of their own: wherever a fleet comes from, today's tables say what it costs."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.core.errors import OrderError
from rules.matchbox.engine import points
from rules.matchbox.interface.fleets import FLEET_NOTATION, FleetContext
from rules.squadrons.engine.sea.fleets import fleet_cost
from rules.squadrons.engine.tables import CLASS_CODES, FLEETS
from rules.squadrons.interface.drafts import rosters
from tests.bot.test_keepsakes import opened
from tests.fuzz.forger import Forger
from tests.sea import Sea, refs

BUDGET = 36
DEAR = "5 5 5 5"
"""A fleet for 48 points, as a list with other prices might allow it."""
PRICES = ("", "=1", "(1)", ":1", "/1", "@1", " 1", "{1}", "-1", "*1")


async def choosing(sea: Sea, last_fleet: str) -> None:
    """Let Anna choose a fleet after a game in which, as the store says, she had another."""
    columns = "user_id, system, number, name, body"
    note = json.dumps({"fleet": last_fleet})
    sea.change_rows(f"INSERT INTO keepsakes ({columns}) VALUES (?, 'matchbox', 0, '', ?)", sea.anna.id, note)
    await opened(sea, sea.bela)


def stored(sea: Sea) -> list[str]:
    """Return what is drafted and sealed."""
    tables = sea.rows("requests", "answers")
    return [*(row["draft"] for row in tables["requests"]), *(row["body"] for row in tables["answers"])]


def cost(fleet: str) -> int:
    return sum(points.build_cost(points.parse_build(build)) for build in fleet.split())


@pytest.mark.parametrize("last_fleet", [DEAR, "5=1 5=1 5=1 5=1", "5 5 9"])
async def test_a_fleet_kept_from_an_earlier_game_is_brought_at_todays_prices_or_not_at_all(
    sea: Sea, last_fleet: str
) -> None:
    await choosing(sea, last_fleet)
    pick = refs(sea.panel(sea.anna))["pick stock"]
    await Forger(sea, sea.anna, direct=True).press(pick.pack(), values=["stock.last"])
    await sea.settle()
    assert all(cost(text) <= BUDGET for text in stored(sea))
    assert not any(text.startswith("5 5") for text in stored(sea))


@pytest.mark.parametrize("price", PRICES)
async def test_a_typed_list_with_prices_is_refused(sea: Sea, price: str) -> None:
    await choosing(sea, "")
    said = await sea.write(sea.anna, " ".join(f"{build}{price}" for build in DEAR.split()))
    assert said
    assert all(cost(text) <= BUDGET for text in stored(sea)), said


async def test_what_the_tables_allow_is_sealed(sea: Sea) -> None:
    """Else the tests above would hold for a bot that takes no fleet at all."""
    await choosing(sea, "5 5 5")
    await sea.seal(sea.anna, "5 5 5")
    assert "5 5 5" in stored(sea)


@settings(deadline=None, max_examples=200)
@given(
    st.lists(st.tuples(st.sampled_from("34568"), st.sampled_from(("", "h", "s", "t", "f")), st.sampled_from(PRICES)))
)
def test_no_list_makes_a_fleet_that_costs_more_than_its_points(pieces: list[tuple[str, str, str]]) -> None:
    text = " ".join("".join(piece) for piece in pieces)
    for allows_boarding in (False, True):
        context = FleetContext(
            points=BUDGET, max_vessels=8, allows_special=True, allows_promotions=True, allows_boarding=allows_boarding
        )
        with suppress(OrderError):
            fleet = FLEET_NOTATION.parse_answer(context, text)
            builds = [points.parse_build(build) for build in fleet.vessels]
            assert sum(points.build_cost(build, boarding=allows_boarding) for build in builds) <= BUDGET


@settings(deadline=None, max_examples=200)
@given(
    st.sampled_from(sorted(FLEETS)),
    st.lists(st.tuples(st.integers(1, 9), st.sampled_from(CLASS_CODES), st.sampled_from(("", "+", *PRICES)))),
)
def test_no_roster_costs_more_than_its_points(budget: str, pieces: list[tuple[int, str, str]]) -> None:
    text = ", ".join(f"{count}x{code}{price}" for count, code, price in pieces)
    with suppress(OrderError):
        roster = rosters.ROSTER_NOTATION.parse_answer(rosters.RosterContext(budget, allows_crews=True), text)
        assert fleet_cost(rosters.ship_codes(roster)) <= int(budget)
