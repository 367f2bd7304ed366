"""The values: tables, scenarios, ships, doctrines, events."""

import msgspec
import pytest
from msgspec import structs

from rules.core.errors import UnreadableOrder
from rules.ramspeed.engine import events
from rules.ramspeed.engine.notation import scenarios
from rules.ramspeed.engine.orders import (
    Alternative,
    CrewTransferOrder,
    Doctrine,
    DoctrineLine,
    Doctrines,
    ForwardOrder,
    RamOrder,
    ShootOrder,
    VeerOrder,
)
from rules.ramspeed.engine.state import Captain, Link, Ship
from rules.ramspeed.engine.tables import CLASS_CODES, CLASSES, NATIONS, TABLES

SKERRIES = scenarios.SCENARIOS["skerries"]


def seats(scenario, each=1):
    return [Captain(f"p{n}{i}", fleet.name) for i, fleet in enumerate(scenario.sides) for n in range(each)]


def test_tables_are_whole():
    assert tuple(TABLES.classes) == CLASS_CODES
    assert tuple(TABLES.ram.matrix) == CLASS_CODES
    assert set(TABLES.nations) == set(NATIONS)
    assert set(TABLES.matchups) == set("123456")
    assert [row.least for row in TABLES.melee] == sorted((row.least for row in TABLES.melee), reverse=True)


@pytest.mark.parametrize(("name", "value"), [("skerries", (4, 4)), ("corvus", (13, 12)), ("cove", (7, 5))])
def test_what_the_sides_of_the_scenarios_are_worth(name, value):
    scenario = scenarios.SCENARIOS[name]
    lying = scenarios.scenario_position(scenario, seats(scenario))
    worth = [sum(CLASSES[ship.code].value for ship in lying.ships if ship.side0 == side) for side in lying.sides]
    assert tuple(worth) == value


def test_ships_of_a_side_go_to_its_players_in_turn():
    lying = scenarios.scenario_position(SKERRIES, seats(SKERRIES, 2))
    assert [(ship.id, ship.owner) for ship in lying.ships] == [
        ("A1", "p00"),
        ("A2", "p10"),
        ("S1", "p01"),
        ("S2", "p11"),
    ]


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


def test_a_bank_lost_halves_what_is_moved_and_added():
    ship = Ship(id="A1", code="T", owner="p", side0="A", nation="other", crew=20, banks_lost=1)
    assert (ship.forward_allowance, ship.reverse_allowance, ship.ram_run_bonus) == (3.0, 1.0, 1.0)


def test_ships_hang_together_by_links():
    lying = scenarios.scenario_position(SKERRIES, seats(SKERRIES))
    tied = structs.replace(lying, links=(Link(a="A1", b="S2", kind="grapple"), Link(a="S1", b="A1", kind="stuck")))
    assert [ship.id for ship in tied.cluster_of("S2")] == ["A1", "S1", "S2"]
    assert [ship.id for ship in tied.cluster_of("A2")] == ["A2"]
    assert tied.is_immobile(tied.ship_by_id("S1"))
    assert not tied.is_immobile(tied.ship_by_id("A2"))


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


def test_an_alternative_tells_its_parts():
    attack = Alternative((VeerOrder(15, "R"), RamOrder("S1")))
    assert (attack.attack, attack.manoeuvres, attack.transfer) == (RamOrder("S1"), (VeerOrder(15, "R"),), None)
    plain = Alternative((ShootOrder("S1", "crew"), ForwardOrder(2.0), CrewTransferOrder(5, "to", "A2")))
    assert (plain.attack, plain.manoeuvres, plain.transfer) == (
        None,
        (ForwardOrder(2.0),),
        CrewTransferOrder(5, "to", "A2"),
    )


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
