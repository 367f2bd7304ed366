"""What hints promise: deeds are counted over turns, whatever game they are of."""

from __future__ import annotations

from rules.promise import Deed, counted, foretold
from rules.view import Text

RAM, SHOT, ENEMYS = Deed("ram", "A1", "S1"), Deed("shot", "A2", "S1"), Deed("ram", "S1", "A1")
NONE = Text("promise.none")
TURNS = [
    [(RAM, False), (RAM, True), (ENEMYS, True)],  # its result was known later
    [(RAM, False)],
    [(SHOT, True)],
    [],
]


def test_a_deed_counts_once_a_turn_with_the_last_that_is_known_of_it():
    found = counted(TURNS, {"A1", "A2"})
    assert found.done == {RAM: 0.5, SHOT: 0.25}
    assert found.told == {RAM: 0.25, SHOT: 0.25}


def test_the_attack_from_which_most_is_to_be_hoped_is_told_and_no_shot():
    (text,) = foretold(counted(TURNS, {"A1", "A2"}), shot="shot", none=NONE)
    assert (text.key, text.params) == ("promise.ram", {"ship": "A1", "to": "S1", "done": 0.5, "told": 0.25})
    assert foretold(counted(TURNS, {"A2"}), shot="shot", none=NONE) == (NONE,)
    assert foretold(counted([], {"A1"}), shot="shot", none=NONE) == (NONE,)


def test_a_shot_is_vain_that_hardly_ever_finds_anybody():
    often = counted([[(SHOT, True)]] + [[]] * 9, {"A2"})
    assert not often.is_vain(SHOT)
    assert counted([[(SHOT, True)]] + [[]] * 10, {"A2"}).is_vain(SHOT)
    assert often.is_vain(RAM)
