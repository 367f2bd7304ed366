"""Ships lie after the events of a turn where the rules have put them, in each situation that a case shows."""

import pytest

from rules.cup import Listed
from rules.errors import OrderError
from rules.ramspeed.retelling import Act, Fleet, carried_out, losses_of
from rules.ramspeed.table import events
from rules.ramspeed.table.notation import position as notation
from rules.ramspeed.table.notation.doctrine import read_doctrines
from rules.ramspeed.table.notation.sheets import read_sheet
from rules.ramspeed.table.phases import turn
from rules.ramspeed.table.phases.turn import Outcome
from rules.ramspeed.table.state import Position
from rules.retelling import folded
from tests.cases.loader import Case, cases
from tests.cases.ramspeed.judge import FIRST, HEADER

TURNS = [case for case in cases("ramspeed") if case.kind == "turn"]


def played(case: Case) -> tuple[Position, Outcome] | None:
    """The position of a case and the turn from it; None: the case is about a refusal."""
    facts = case.facts
    dice = [*facts.get("fire", []), *facts.get("initiative", FIRST[facts.get("first", "ann")]), *facts.get("dice", [])]
    try:
        before = notation.parse(" ; ".join([facts.get("header", HEADER), *facts["ships"]]))
        sheets = {player: read_sheet(facts[player], before, player) for player in before.players if player in facts}
        plans = {player: read_doctrines(lines, before) for player, lines in facts.get("doctrines", {}).items()}
        return before, turn.run(before, sheets, plans, Listed(tuple(dice)))
    except OrderError:
        return None


def test_men_who_go_over_to_a_prize_are_not_lost():
    """The victors have lost men in boarding, and send others to the ship that they took (RS-12.2)."""
    case = next(case for case in TURNS if case.name.startswith("RS-11.8_the_losers_ships"))
    before, done = played(case)
    fought = next(event for event in done.events if isinstance(event, events.Melee))
    (prize,) = (event for event in done.events if isinstance(event, events.Prize))
    act = Act(kind="melee", by="", before=Fleet.of(before), events=done.events, after=Fleet.of(done.position))
    crews = {name: before.ship(name).crew - crew for name, crew in zip(fought.ships, fought.crews, strict=True)}
    assert prize.gave
    assert losses_of([act]) == {name: lost for name, lost in crews.items() if lost}


@pytest.mark.parametrize("case", TURNS, ids=lambda case: case.name)
def test_events_of_a_case_are_what_became_of_its_ships(case: Case):
    if (found := played(case)) is None:
        assert {"piece", "expected"} & case.facts["expect"].keys()
        return
    before, done = found
    assert folded(Fleet.of(before), done.events, carried_out) == Fleet.of(done.position)
