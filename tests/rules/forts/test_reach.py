"""Where enemies may get to in their next player-turn: none sails beyond it, and looking changes nothing."""

from random import Random

import pytest
from msgspec import structs

from rules.core.protocol import Draft
from rules.core.view import Text
from rules.forts.engine import boards, sailing
from rules.forts.engine.state import CODES, COLOURS, Position, Ship
from rules.forts.game import Forts
from tests.laws.play import tape, tapes

GAME = Forts()


@pytest.mark.parametrize("seed", range(20))
def test_no_ship_sails_beyond_it_in_any_wind_when_others_make_way(seed):
    chance = Random(seed)
    spots = chance.sample(sorted(boards.sea_hexes(boards.TWO_FORTS).values()), 8)
    names = [(colour, code) for colour in COLOURS for code in CODES]
    ships = tuple(Ship(colour=colour, code=code, hex=at) for (colour, code), at in zip(names, spots, strict=True))
    position = Position(
        board=boards.TWO_FORTS,
        turn=3,
        wind="calm",
        siege=None,
        quiet=0,
        white="west",
        flagships=("BB", "BB"),
        ships=ships,
    )
    for ship in ships:
        far = set(sailing.max_reach(position, ship))
        assert ship.hex not in far
        for wind in ("wind", "calm"):
            for others in (ships, (ship,), tuple(other for other in ships if other.colour == ship.colour)):
                there = structs.replace(position, wind=wind, ships=others)
                assert set(sailing.current_reach(there, ship).hexes) <= far


def test_looking_at_it_changes_no_orders_and_is_told_in_words_too():
    number = next(number for system, number in tapes() if system == "forts")
    game = tape("forts", number)
    turn = next(t for t in game.turns if t.step.state.phase == "actions" and t.step.state.position.wind == "wind")
    state = turn.step.state
    request = next(request for request in GAME.pending_requests(state) if request.kind == "act")

    def option(draft: Draft, token: str):
        (match,) = [o for g in GAME.draft_choices(state, request, draft).groups for o in g.options if o.token == token]
        return match

    look = option(Draft(), "look.reach")
    assert (look.draft, look.is_chosen, look.seals_answer) == ("", False, False)
    on = Draft(look.draft, look.focus)
    assert GAME.type_text(state, request, Draft(), look.focus) == on, "it may be typed, too"
    view = GAME.view(state, request.seat, on)
    enemies = [ship for ship in view.ships if ship.colour != view.active]
    assert set(view.threats) == {hex_ for ship in enemies for hex_ in sailing.max_reach(state.position, ship)}
    names = [line.params["ship"] for line in view.plan_lines if line.key == "plan.reach"]
    assert names == [ship.id for ship in enemies]
    legend = Text("line.reach")
    assert legend in GAME.draft_choices(state, request, on).lines
    assert legend not in GAME.draft_choices(state, request, Draft()).lines
    mine = next(ship for ship in view.ships if ship.colour == view.active)
    chosen = option(on, f"ship.{mine.code}")
    with_ship = Draft(chosen.draft, chosen.focus)
    assert GAME.view(state, request.seat, with_ship).current_ship == mine.id
    assert GAME.view(state, request.seat, with_ship).threats, "it stays on"
    assert GAME.type_text(state, request, Draft(), with_ship.focus) == with_ship
    off = option(with_ship, "look.reach")
    assert (off.focus, off.is_chosen) == (mine.code, True)
    assert GAME.view(state, request.seat, Draft(off.draft, off.focus)).threats == ()
    assert GAME.view(state, None).threats == ()
