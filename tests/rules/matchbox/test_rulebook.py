"""The rulebook: its tables are those of the engine, and rules of options that are off are left out."""

import pytest

from bot.texts.rulebooks import load_rulebook
from rules.matchbox.engine import points, volley
from rules.matchbox.engine.points import VesselBuild
from rules.matchbox.game import Matchbox
from tests.rules.matchbox.play import GAME

DEFAULTS = {spec.key: spec.default for spec in Matchbox.options}


@pytest.mark.parametrize(
    ("options", "own_map", "applying", "others"),
    [
        ({}, False, ("MB-7.2", "MX-0.4", "MX-1.6"), ("MX-1.10", "MX-2.4", "MX-3.2", "MX-4.1", "MX-5.1")),
        ({"map": "skerry"}, False, ("MX-1.10", "MX-1.15"), ("MX-2.4", "MX-3.2")),
        ({}, True, ("MX-1.10",), ("MX-2.4",)),
        ({"scenario": "raid", "boarding": "on"}, False, ("MX-1.10", "MX-3.2", "MX-5.5"), ("MX-2.4", "MX-5.2")),
        ({"scenario": "break-out"}, False, ("MX-1.10", "MX-2.4", "MX-2.7", "MX-5.3"), ("MX-3.2", "MX-5.2")),
        ({"points": "36", "crews": "kept"}, False, ("MX-4.1", "MX-4.3"), ("MX-4.2", "MX-2.4")),
    ],
)
def test_rules_apply_by_what_the_game_has(options, own_map, applying, others):
    book = load_rulebook("matchbox", "en")
    assert book
    chosen = GAME.effective_options({**DEFAULTS, **options}, has_own_scenario=own_map)
    here = {number for number, rule in book.rules.items() if rule.facts.applies(chosen)}
    assert {*applying} <= here
    assert not {*others} & here


def test_tables_have_what_the_engine_reads():
    tables = GAME.rule_tables()
    for reach, *counts in tables["ranges"].rows:
        assert counts == [volley.matches_at(masts, float(reach)) for masts in range(1, 5)]
    assert [row[1:] for row in tables["prices"].rows[-3:]] == [
        (points.build_cost(build), points.build_cost(build, boarding=True))
        for build in (VesselBuild("towered", 4), VesselBuild("merchant", 3), VesselBuild("fire", 4))
    ]
    assert [row[7] for row in tables["vessels"].rows][:3] == ["±0", "+1", "−1"]
