"""Ships lie after the events of a turn where the rules have put them, in each situation that a case shows."""

import pytest

from rules.cup import Listed
from rules.errors import OrderError
from rules.ramspeed.desk.retelling import Fleet, carried_out
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


@pytest.mark.parametrize("case", TURNS, ids=lambda case: case.name)
def test_events_of_a_case_are_what_became_of_its_ships(case: Case):
    if (found := played(case)) is None:
        assert {"piece", "expected"} & case.facts["expect"].keys()
        return
    before, done = found
    assert folded(Fleet.of(before), done.events, carried_out) == Fleet.of(done.position)
