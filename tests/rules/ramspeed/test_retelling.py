"""Ships lie after the events of a turn where the rules have put them, in each situation that a case shows."""

import pytest

from rules.chance.dice import ListedDice
from rules.core.errors import OrderError
from rules.interface.retelling import fold_events
from rules.ramspeed.engine import events
from rules.ramspeed.engine.notation import position as notation
from rules.ramspeed.engine.notation.doctrine import parse_doctrines
from rules.ramspeed.engine.notation.sheets import parse_sheet
from rules.ramspeed.engine.phases import turn
from rules.ramspeed.engine.phases.turn import TurnStepResult
from rules.ramspeed.engine.state import Position
from rules.ramspeed.retelling import StoryMoment, VisibleState, apply_event, count_losses
from tests.cases.loader import Case, cases
from tests.cases.ramspeed.judge import FIRST, HEADER

TURNS = [case for case in cases("ramspeed") if case.kind == "turn"]


def played(case: Case) -> tuple[Position, TurnStepResult] | None:
    """Return the position of a case and the turn from it; None if the case is about a refusal."""
    facts = case.facts
    dice = [*facts.get("fire", []), *facts.get("initiative", FIRST[facts.get("first", "ann")]), *facts.get("dice", [])]
    try:
        before = notation.parse_position(" ; ".join([facts.get("header", HEADER), *facts["ships"]]))
        sheets = {player: parse_sheet(facts[player], before, player) for player in before.players if player in facts}
        plans = {player: parse_doctrines(lines, before) for player, lines in facts.get("doctrines", {}).items()}
        return before, turn.run_turn(before, sheets, plans, ListedDice(tuple(dice)))
    except OrderError:
        return None


def test_men_who_go_over_to_a_prize_are_not_lost():
    """The victors have lost men in boarding, and send others to the ship that they took (RS-12.2)."""
    case = next(case for case in TURNS if case.name.startswith("RS-11.8_the_losers_ships"))
    before, done = played(case)
    fought = next(event for event in done.events if isinstance(event, events.MeleeFought))
    (prize,) = (event for event in done.events if isinstance(event, events.ShipCaptured))
    act = StoryMoment(
        kind="melee",
        acting_ship="",
        before=VisibleState.from_position(before),
        events=done.events,
        after=VisibleState.from_position(done.position),
    )
    crews = {name: before.ship_by_id(name).crew - crew for name, crew in zip(fought.ships, fought.crews, strict=True)}
    assert prize.gave
    assert count_losses([act]) == {name: lost for name, lost in crews.items() if lost}


@pytest.mark.parametrize("case", TURNS, ids=lambda case: case.name)
def test_events_of_a_case_are_what_became_of_its_ships(case: Case):
    if (case_played := played(case)) is None:
        assert {"piece", "expected"} & case.facts["expect"].keys()
        return
    before, done = case_played
    assert fold_events(VisibleState.from_position(before), done.events, apply_event) == VisibleState.from_position(
        done.position
    )
