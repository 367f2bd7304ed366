"""Where enemies can strike next turn: shown by a button or `A1+reach`, to the captain alone."""

import pytest
from shapely import Point, Polygon

from rules.core.errors import OrderError
from rules.core.protocol import Draft
from rules.ramspeed.interface import aims
from tests.laws.play import tape
from tests.rules.ramspeed.test_panel import GAME, asked, offered, option

ROUNDING_IN = 0.06


def view(draft, **more):
    state, request = asked(**more)
    return GAME.view(state, request.seat, draft)


@pytest.mark.parametrize("focus", ["", "A1"])
def test_a_button_shows_where_enemies_can_strike_and_hides_it_again(focus):
    pressed = option(offered(focus=focus), "look.reach")
    assert not pressed.is_chosen
    drafted = Draft(pressed.draft, pressed.focus)
    shown = view(drafted)
    assert [strike.ship for strike in shown.strikes] == ["S1"]
    assert shown.strikes[0].far > 0
    assert shown.current_ship == (focus or None)
    assert any(line.key == "plan.strike" for line in shown.plan_lines)
    looking = GAME.draft_choices(*asked(), drafted)
    assert any(line.key == "line.reach" for line in looking.lines)
    again = option(looking, "look.reach")
    assert again.is_chosen
    assert view(Draft(again.draft, again.focus)).strikes == ()


def test_orders_leave_the_strikes_shown_and_typing_shows_them_too():
    state, request = asked()
    pressed = option(GAME.draft_choices(state, request, Draft("", "A1+reach")), "look.reach")
    typed = GAME.type_text(state, request, Draft(), "A1+reach")
    assert (typed.text, typed.focus) == ("", "A1+reach")
    ordered = GAME.type_text(state, request, typed, "A1: fwd 3")
    assert ordered.focus == "A1+reach"
    assert GAME.type_text(state, request, typed, "A2").focus == "A2"
    assert pressed.focus == "A1"
    with pytest.raises(OrderError):
        GAME.type_text(state, request, Draft(), "S1+reach")


def test_nobody_else_sees_what_a_captain_looks_at_and_a_ship_that_cannot_row_strikes_nowhere():
    state, _ = asked()
    assert GAME.view(state, None).strikes == GAME.view(state, 1).strikes == ()
    assert view(Draft("", "+reach"), ships="A1 T ann athenian @4,9^90 20 ; S1 T bob spartan @26,15^270 0").strikes == ()


def test_no_enemy_can_attack_from_outside_of_what_is_marked():
    attacks = 0
    for state in (state for number in range(4) for state in tape("ramspeed", number).states[::3]):
        position = state.position
        for ship in position.ships:
            strike = aims.find_strike(position, ship) if ship.is_afloat else None
            for attack in aims.legal_attacks(position, ship):
                if attack.kind == "shot":
                    continue
                attacks += 1
                assert strike is not None
                assert Polygon(strike.outline).distance(Point(attack.end.x, attack.end.y)) < ROUNDING_IN
    assert attacks
