"""Examples of how to type are of one's own ships, and can be carried out as they stand."""

from rules.chance.dice import Dice
from rules.core.protocol import Setup
from rules.forts import GAME
from tests.laws.play import tape


def test_every_example_can_be_typed_as_it_stands():
    seen = set()
    for number in range(8):
        for turn in (*tape("forts", number).turns[:4], *tape("forts", number).turns[4::5]):
            for request in turn.requests:
                values = GAME.example_values(turn.before, request)
                for text in values.values():
                    GAME.parse_answer(turn.before, request, text)
                    seen.add(request.kind)
    assert {"berths", "act"} <= seen


def test_in_a_calm_the_brig_is_the_example_and_the_end_where_nothing_else_can_be_done():
    def example(ships, wind):
        text = f"two_forts 1 white {wind} - 0 white=west BB/BB ; {ships} ; rBB@R6 0"
        setup = Setup(system="forts", teams=(0, 1), options={"colours": "first"}, position=text)
        state = GAME.start(setup, Dice(seed="00")).state
        act, plan = GAME.pending_requests(state)
        shot = GAME.example_values(state, plan)["orders"]
        GAME.parse_answer(state, plan, shot)
        return GAME.example_values(state, act)["orders"]

    assert example("wBB@D5 0 s3 ; wBR@D6 0 s1", "calm").startswith("BR>")
    assert example("wBB@D5 0 s3", "calm") == "end"
    assert example("wBB@Q6 0 s3", "wind").startswith("BB*BBx1; BB>")
