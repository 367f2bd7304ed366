"""The battle of first games explains the rules turn by turn, and nobody can win it before turn 4."""

from __future__ import annotations

import pytest

from rules.chance.dice import Dice
from rules.core.errors import OrderError
from rules.core.protocol import EMPTY_DRAFT, Setup
from rules.squadrons.engine.notation.orders import SIDES
from rules.squadrons.engine.sea import fleets, grid
from rules.squadrons.engine.tables import SCENARIOS
from rules.squadrons.game import Squadrons
from tests.arena import hints

GAME = Squadrons()
QUIET_TURNS = 2


def begun(**options):
    return GAME.start(Setup(system="squadrons", teams=(0, 1), options=options), Dice("01")).state


def lessons_of(state, seat):
    """Return the keys of a panel's goal and decisions."""
    request = next(request for request in GAME.pending_requests(state) if request.seat == seat)
    goal, choices = GAME.view(state, seat).goal, GAME.draft_choices(state, request, EMPTY_DRAFT)
    return [text.key for text in (goal, *choices.decisions) if text and text.key.startswith("teach.")]


def test_each_of_the_first_four_turns_has_a_lesson_and_other_battles_have_none():
    state, lessons = begun(**GAME.first_game_options), []
    while state.position.turn <= 5:
        lessons.append([lessons_of(state, seat) for seat in (0, 1)])
        answers = {request.id: GAME.parse_answer(state, request, "pass") for request in GAME.pending_requests(state)}
        state = GAME.resolve(state, answers).state
    assert lessons == [[[f"teach.{key}"]] * 2 for key in ("command", "speed", "ram", "board")] + [[[], []]]
    assert not lessons_of(begun(battle="rams"), 0)


def test_the_fleets_are_too_far_apart_for_a_blow_before_turn_3():
    position = fleets.scenario_position(GAME.first_game_options["battle"])
    blue, red = (position.ships_of(side) for side in SIDES)
    nearest = min(grid.hex_distance(own.hexes, other.hexes) for own in blue for other in red)
    assert nearest >= 25
    assert nearest > QUIET_TURNS * sum(max(ship.max_speed for ship in ships) for ships in (blue, red))


def test_a_captain_who_only_takes_hints_plays_a_first_game_to_its_end():
    ending = hints.play(hints.FirstGame("squadrons", 0))
    assert ending.round >= hints.MIN_ROUND["squadrons"]
    line, is_kept = hints.summarise("squadrons", [ending])
    assert line.startswith("squadrons: 1 games")
    assert is_kept == (ending.score < 1)


def test_a_hint_that_wins_too_often_or_too_soon_is_reported():
    lost, won = hints.Ending(0, 5), hints.Ending(1, 4)
    assert hints.summarise("squadrons", [won] * 3 + [lost] * 2)[1]
    assert not hints.summarise("squadrons", [won] * 4 + [lost] * 2)[1]
    assert not hints.summarise("squadrons", [hints.Ending(1, 3)] + [lost] * 9)[1]


def test_a_battle_of_another_name_is_refused():
    with pytest.raises(OrderError):
        begun(battle="frist")
    assert [name for name, scenario in SCENARIOS.items() if scenario.teaches] == ["first"]
