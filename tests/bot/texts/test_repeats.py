"""What is said already is known by its words, whatever stands around them."""

from __future__ import annotations

import pytest

from bot.texts import repeats


@pytest.mark.parametrize(
    ("line", "told", "left"),
    [
        ("A1 rams S2! S2 goes down!", "**A1** rams S2!", ["S2 goes down!"]),
        ("A1 rams S2! (rolled 7) S2 goes down! (rolled 3)", "S2 goes down!", ["A1 rams S2! (rolled 7)"]),
        ("**Blue, squadron 1** (B1–B5): Rowed: B1 to 0810.", "> **Rowed: B1 to 0810.**", []),
        ("**white brig** · sails to C5 · B2–C5: she misses", "She misses.", ["**white brig** · sails to C5"]),
        ("· she misses · **A1 goes down**", "she misses", ["**A1 goes down**"]),
        ("B1 fires: nobody in range", "A1 fires: nobody in range", ["B1 fires: nobody in range"]),
        ("**Rowed: B1. B2 stays there.**", "Rowed: B1.", ["B2 stays there."]),
        ("**A1** (Anna)", "A1", ["**A1** (Anna)"]),
        ("No crew is left. anna wins, 5 points to 3 points.", "anna wins, 5 points to 3 points.", ["No crew is left."]),
        ("**Piros, 1. raj** (R1–R4): Evezett: R1 0809-re.", "Evezett: R1 0809-re.", []),
    ],
)
def test_a_line_keeps_what_was_not_told(line: str, told: str, left: list[str]) -> None:
    assert [*repeats.drop_repeated([line], [told])] == left
    assert repeats.says_all_of([told], line) is (not left)


def test_of_two_that_say_the_same_the_one_with_dice_is_fuller() -> None:
    lines = ["Rowed: B1.", "· D5–E6: the brig misses the frigate (rolled 1, needed 3+). Night falls."]
    assert repeats.find_fuller(lines, "The brig misses the frigate.") == lines[1].partition(" Night")[0]
    assert not repeats.find_fuller(lines, "Night falls.")
    assert not repeats.find_fuller(lines, "The galleon misses the frigate.")
