"""Random cases: nothing but refusals comes out, what comes out holds together, and the sea has no favourite end."""

import re

import msgspec
import pytest

from rules.core.errors import OrderError
from rules.squadrons.engine.case import adjudicate_case
from rules.squadrons.engine.events import GameEvent
from rules.squadrons.engine.sea import grid, position_text
from tests.cases import loader
from tests.cases.squadrons import judge
from tests.rules.squadrons import crowds

SEEDS = range(150)
EVENTS = msgspec.json.Decoder(GameEvent)


def outcome(case):
    """Return the case's result, or its refusal."""
    try:
        return adjudicate_case(case)
    except OrderError as error:
        return f"{error.fault.rule}: {error.fault.piece}"


def turned(value, size=(crowds.WIDTH, crowds.HEIGHT)):
    """Turn the sea of a case or result by half: hexes counted from the other corner, facings about."""
    if isinstance(value, dict):
        return {key: turned(item, size) for key, item in value.items()}
    if isinstance(value, list):
        return [turned(item, size) for item in value]
    return " ".join(_turned(word, size) for word in value.split(" ")) if isinstance(value, str) else value


def _turned(word, size):
    if word.startswith("land="):
        return "land=" + ",".join(_turned_hex(label, size) for label in word[5:].split(",")[::-1] if label)
    if word.startswith("wind="):
        strength, _, toward = word.rpartition(":")
        names = grid.FACING_NAMES
        return f"{strength}:{names[(names.index(toward) + 3) % 6]}" if toward in names else word
    before, at, place = word.rpartition("@")
    try:
        bow, facing = grid.parse_place(place)
    except ValueError:
        return word
    return f"{before}{at}{_turned_hex(grid.hex_label(bow), size)}{grid.FACING_NAMES[(facing + 3) % 6]}"


def _turned_hex(label, size):
    return f"{size[0] + 1 - int(label[:2]):02}{size[1] + 1 - int(label[2:]):02}"


@pytest.fixture(scope="module")
def results():
    return {seed: outcome(crowds.case(seed)) for seed in SEEDS}


@pytest.mark.slow
def test_most_cases_are_carried_out(results):
    done = [result for result in results.values() if isinstance(result, dict)]
    assert len(done) > len(results) / 2
    kinds = {event["type"] for result in done for event in result["events"]}
    assert kinds >= {"moved", "avoid", "grapple", "fire", "board", "stopped", "fatigue", "cut", "recovered", "vp"}


@pytest.mark.slow
def test_what_comes_out_holds_together(results):
    for seed, result in results.items():
        if isinstance(result, str):
            continue
        after = position_text.parse_position(result["position"])
        assert position_text.format_position(after) == result["position"], seed
        assert len(after.ships_by_hex) == sum(len(ship.hexes) for ship in after.ships if ship.is_afloat), seed
        before = position_text.parse_position(crowds.case(seed)["position"])
        assert {ship.id for ship in after.ships} <= {ship.id for ship in before.ships}, seed
        for ship in after.ships:
            assert ship.depletion >= before.ship_by_id(ship.id).depletion or not ship.is_afloat, seed
            assert not (ship.speed == "M" and after.is_immobile(ship)), seed
        for event in result["events"]:
            EVENTS.decode(msgspec.json.encode(event))


@pytest.mark.slow
def test_the_same_happens_on_a_sea_turned_by_half(results):
    for seed, result in results.items():
        case = crowds.case(seed)
        assert outcome(turned(case)) == (result if isinstance(result, str) else turned(result)), seed


def size_of(case):
    columns, rows = re.search("([0-9]+)x([0-9]+)", case.facts.get("header", judge.HEADER)).groups()
    return int(columns), int(rows)


SEAS = [case for case in loader.cases("squadrons") if "ships" in case.facts and size_of(case)[0] % 2 == 0]
"""Cases with ships; a sea of an odd number of columns is not the same turned."""


@pytest.mark.parametrize("one", SEAS, ids=lambda case: case.name)
def test_numbered_cases_come_out_turned_on_a_turned_sea(one):
    facts = {key: value for key, value in one.facts.items() if key not in ("expect", "title")}
    size = size_of(one)
    assert judge.KINDS[one.kind](turned(facts, size)) == turned(judge.KINDS[one.kind](facts), size)
