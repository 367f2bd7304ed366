"""The values: tables, scenarios, ships, doctrines, events."""

import msgspec
import pytest

from rules.core.errors import UnreadableOrder
from rules.ramspeed.engine import events
from rules.ramspeed.engine.notation import scenarios
from rules.ramspeed.engine.orders import Doctrine, DoctrineLine, Doctrines
from rules.ramspeed.engine.tables import CLASS_CODES, NATIONS, TABLES


def test_tables_are_whole():
    assert tuple(TABLES.classes) == CLASS_CODES
    assert tuple(TABLES.ram.matrix) == CLASS_CODES
    assert set(TABLES.nations) == set(NATIONS)
    assert set(TABLES.matchups) == set("123456")
    assert [row.least for row in TABLES.melee] == sorted((row.least for row in TABLES.melee), reverse=True)


TOML = """
id = "x"
table = [20, 20]
[[sides]]
name = "A"
nation = "{}"
ships = {}
[[sides]]
name = "{}"
nation = "other"
ships = ["P1 T 5 5 0"]
"""


@pytest.mark.parametrize(
    ("nation", "fleet", "other", "piece"),
    [
        ("martian", '["A1 T 5 5 0"]', "P", "sides[0].nation"),
        ("other", "[]", "P", "sides[0].ships"),
        ("other", '["A1 X 5 5 0"]', "P", "sides[0].ships[0]"),
        ("other", '["A1 T 5 5 0"]', "A", "sides[1].name"),
        ("other", '["A1 T 5 5 0"]', "1", "sides[1].name"),
    ],
)
def test_a_scenario_that_is_no_good_names_its_field(nation, fleet, other, piece):
    with pytest.raises(UnreadableOrder) as refused:
        scenarios.load_scenario(TOML.format(nation, fleet, other))
    assert refused.value.fault.piece == piece


def test_later_doctrine_overrides_what_it_names():
    found = Doctrines(
        (
            DoctrineLine(ship="all", swipe="turn", prize="sink"),
            DoctrineLine(ship="A1", swipe="grapple"),
            DoctrineLine(ship="all", slip="turn45L"),
        )
    )
    assert found.doctrine_of("A1") == Doctrine(swipe="grapple", prize="sink", slip="turn45L")
    assert found.doctrine_of("A2") == Doctrine(swipe="turn", prize="sink", slip="turn45L")


def test_events_show_the_fields_of_cases_and_no_others():
    caught = events.FireSpreadChecked(from_="A1", to="S1", need=4, die=5, caught=True, rule="RS-15.6")
    assert events.event_to_json(caught) == {
        "type": "spread",
        "from": "A1",
        "to": "S1",
        "need": 4,
        "die": 5,
        "caught": True,
    }
    skipped = events.OrderSkipped(ship="A1", order="ram S1", rule="RS-08.1")
    assert events.event_to_json(skipped) == {"type": "skipped", "ship": "A1", "order": "ram S1", "rule": "RS-08.1"}
    wire = msgspec.json.encode(caught)
    assert msgspec.json.decode(wire, type=events.GameEvent) == caught
