"""Captains whose attack leads to no battle learn why, and nobody else does."""

import json
import random
from typing import Any

import pytest

from rules.campaign.engine.case import read_position
from rules.campaign.engine.events import AttackFailed, BattleMet, BoomFailed, GalleysSighted
from rules.campaign.engine.orders import FleetOrder, TurnOrders
from rules.campaign.engine.turn import carry_out
from rules.chance.dice import Dice
from rules.core.protocol import Event
from rules.core.sides import seat_of
from tests.laws.length import times


def turn_events(galleys: list[str], orders: dict[str, TurnOrders]) -> tuple[Event, ...]:
    facts = {"map": "gulf", "captains": "AB", "turn": 2, "ports": {"A": "PIR SAL", "B": "EPI CAL"}}
    position = read_position(json.dumps({**facts, "galleys": galleys}))
    return carry_out(position, orders, {}, Dice(seed="00")).events


def failures(galleys: list[str], orders: dict[str, TurnOrders]) -> list[AttackFailed]:
    return [event for event in turn_events(galleys, orders) if isinstance(event, AttackFailed)]


def fleet(*names: str, to: str = "", stance: Any = "hold") -> FleetOrder:
    return FleetOrder(galleys=names, route=tuple(to.split()), stance=stance)


def sound(place: str, *names: str) -> list[str]:
    return [f"{name} {place} 5-5+3/5 r0 n0" for name in names]


def test_the_boom_is_named_with_its_strength() -> None:
    (failed,) = failures(
        [*sound("HYD", "A1", "A2"), *sound("EPI", "B1")],
        {
            "A": TurnOrders(fleets=(fleet("A1", "A2", to="EPI", stance="attack"),)),
            "B": TurnOrders(fleets=(fleet("B1", stance="evade"),)),
        },
    )
    assert (failed.why, failed.galleys, failed.foe, failed.place) == ("boom", ("A1", "A2"), "B", "EPI")
    assert (failed.count, failed.seen_by) == (4, (0,))


def test_galleys_that_have_fought_are_named_as_such() -> None:
    found = failures(
        [*sound("WGU", "A1"), *sound("EGU", "B1", "B2", "B3"), *sound("SOU", "A2", "A3", "A4")],
        {
            "A": TurnOrders(fleets=(fleet("A1"), fleet("A2", "A3", "A4", to="EGU WGU", stance="attack"))),
            "B": TurnOrders(fleets=(fleet("B1", "B2", "B3", to="WGU", stance="attack"),)),
        },
    )
    assert [(failed.why, failed.foe) for failed in found] == [("fought", "B")]


@pytest.mark.parametrize(
    ("attackers", "stance", "expected"),
    [
        (2, "attack", [("open", 2)]),
        (2, "hold", [("open", 2)]),
        (2, "evade", []),
        (3, "evade", [("broken", 2)]),
        (3, "hold", []),
    ],
)
def test_why_a_boom_did_not_protect(attackers: int, stance: str, expected: list[tuple[str, int]]) -> None:
    names = [f"B{n}" for n in range(1, attackers + 1)]
    events = turn_events(
        [*sound("SAL", "A1"), *sound("ELE", *names)],
        {
            "A": TurnOrders(fleets=(fleet("A1", stance=stance),)),
            "B": TurnOrders(fleets=(fleet(*names, to="SAL", stance="attack"),)),
        },
    )
    failed = [event for event in events if isinstance(event, BoomFailed)]
    assert [(event.why, event.most) for event in failed] == expected
    assert all(event.seen_by == (0,) and event.galleys == ("A1",) for event in failed)


@pytest.mark.parametrize("number", range(times(60, 3000)))
def test_no_attack_on_galleys_in_sight_stays_unexplained(number: int) -> None:
    rng = random.Random(number)
    places = ("DEL", "DLS", "DEL")
    galleys = sorted(f"{captain}{n}" for captain in "ABCD" for n in range(1, rng.randint(2, 5)))
    where = {name: rng.choice(places) for name in galleys}
    facts = {
        "map": "ring",
        "captains": "ABCD",
        "turn": rng.randint(1, 8),
        "ports": {rng.choice("ABCD"): "DLS"},
        "spares": {"A": rng.choice(("", "B"))},
        "galleys": [f"{name} {place} {rng.choice(('5-5+3/5', '2-5+3/5'))} r0 n0" for name, place in where.items()],
    }
    position = read_position(json.dumps(facts))
    orders = {}
    for captain in "ABCD":
        own = [name for name in galleys if name[0] == captain]
        orders[captain] = TurnOrders(
            fleets=tuple(
                fleet(
                    name,
                    to=rng.choice(("", "", "DLS" if where[name] == "DEL" else "DEL")),
                    stance=rng.choice(("attack", "hold", "evade", "evade")),
                )
                for name in own
            )
        )
    events = carry_out(position, orders, {}, Dice(seed="00")).events
    failed = [event for event in events if isinstance(event, AttackFailed)]
    assert all(event.seen_by == (seat_of(name[0]),) for event in failed for name in event.galleys)
    fighting = {
        letter for event in events if isinstance(event, BattleMet) for letter in event.attackers + event.defenders
    }
    for captain in {*"ABCD"} - fighting:
        staying = {
            where[order.galleys[0]] for order in orders[captain].fleets if order.stance == "attack" and not order.route
        }
        sightings = [
            (place, group.captain)
            for event in events
            if isinstance(event, GalleysSighted) and event.when != "dawn" and event.seen_by == (seat_of(captain),)
            for place, groups in event.places.items()
            for group in groups
            if place in staying and not position.is_spared(captain, group.captain)
        ]
        explained = {(event.place, event.foe) for event in failed if event.galleys[0][0] == captain}
        assert {*sightings} <= explained
