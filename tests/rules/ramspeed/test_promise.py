"""Hints promise no more than comes of them: odds are of whole plans, and nobody is sent to shoot who cannot."""

from rules.ai.odds import ExpectedAttack
from rules.chance.dice import SeededDice
from rules.ramspeed import GAME
from rules.ramspeed.ai import answering
from rules.ramspeed.engine import odds
from rules.ramspeed.engine.events import OrderSkipped
from rules.ramspeed.engine.phases import turn
from rules.ramspeed.engine.phases.turn import TurnProgress
from rules.ramspeed.interface import preview
from tests.rules.ramspeed.test_panel import asked

MEN = "A1 T ann athenian @4,9^90 20 ; A2 T ann athenian @20,9^90 {} ; S1 T bob spartan @23,9^0 20"
SEED = "5eed"


def hinted(state, request):
    return GAME.format_answer(request, GAME.advise(GAME.view(state, request.seat), request, SEED))


def test_a_ship_with_too_few_men_is_not_sent_to_shoot_and_one_that_was_is_told_why():
    state, request = asked(MEN.format(5))
    assert "shoot" not in hinted(state, request)
    begun = TurnProgress(position=state.position, players_left=(state.position.players[0],))
    (line, *_) = GAME.parse_answer(state, request, "A2: shoot S1 crew").sheet.lines
    events = turn.activate_line(begun, line, SeededDice(state.dice), {}).events
    assert [event.why for event in events if isinstance(event, OrderSkipped)] == ["undermanned"]


def test_an_attack_on_a_ship_that_cannot_move_is_promised_as_often_as_the_dice_allow():
    state, request = asked("A1 T ann athenian @10,9^90 20 ; S1 T bob spartan @17,9^0 0")
    view = GAME.view(state, request.seat)
    lines = GAME.parse_answer(state, request, "A1: ram S1").sheet.lines
    chances = answering.attack_odds(view, lines, SEED)
    deed = ExpectedAttack("ram", "A1", "S1")
    assert chances.frequency == {deed: 1.0}
    assert abs(chances.harm_frequency[deed] - chance(view, lines)) < 0.15


def test_an_attack_that_an_enemy_rows_away_from_is_promised_less_than_its_dice():
    state, request = asked("A1 T ann athenian @4,9^90 20 ; S1 T bob spartan @10,9^60 20")
    view = GAME.view(state, request.seat)
    answer = GAME.parse_answer(state, request, "A1: ram S1 or fwd 2")
    shares = [text.params["told"] for text in GAME.describe_odds(view, answer, SEED)]
    assert all(share < chance(view, answer.sheet.lines) for share in shares)


def chance(view, lines):
    """Return the chance that the dice let the first line's attack do harm."""
    ((first, *_), *_) = (line.courses for line in preview.plan_lines(view.position, lines).lines)
    return odds.harm_chance(first.odds)


def test_a_hint_holds_no_attack_that_is_never_possible():
    state, request = asked("A1 T ann athenian @4,9^90 20 ; S1 T bob spartan @26,9^90 20")
    view = GAME.view(state, request.seat)
    vain = GAME.parse_answer(state, request, "A1: ram S1 or swipe S1 or fwd 2")
    assert GAME.format_answer(request, answering.without_vain_attacks(view, vain, SEED)) == "A1: fwd 2"
    state, request = asked("A1 T ann athenian @10,9^90 20 ; S1 T bob spartan @17,9^0 0")
    view = GAME.view(state, request.seat)
    good = GAME.parse_answer(state, request, "A1: ram S1 or fwd 2")
    assert answering.without_vain_attacks(view, good, SEED) == good
