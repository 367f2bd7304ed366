"""Squadrons told in a sentence each."""

from __future__ import annotations

from rules.squadrons.engine.sea import position_text
from rules.squadrons.interface.shown.make_view import squadron_lines

HEAD = "squadrons 3 E 44x28 - vp=25 limit=12 bonus=0/0 lost=-/- ; "
SEA = position_text.parse_position(
    HEAD
    + "B1 5@1016N C q1 ; B2 5@1216N C q1 ; B3 5@1416N C F2 q1 ; B4 5@1616NE C ; B5 5@1816N C CAP done ; B6 5@sunk ; "
    "R1 5@1010S C q1 ; R2 5@1210S C q1 ; R4 5@1410S C q1 ; R5 5@1610S C q2"
)


def test_squadrons_are_told_in_a_sentence_each_ones_own_first():
    told = [
        (text.key, text.params["side"], text.params["number"], text.params["ships"])
        for text in squadron_lines(SEA, "R")
    ]
    assert told == [
        ("squadron.sound", "R", 1, "R1, R2, R4"),
        ("squadron.sound", "R", 2, "R5"),
        ("squadron.alone_hurt", "R", 0, "B5"),
        ("squadron.hurt", "B", 1, "B1–B3"),
        ("squadron.alone", "B", 0, "B4"),
    ]
    assert [text.params["side"] for text in squadron_lines(SEA)] == ["B", "B", "R", "R", "R"]


def test_where_a_squadron_lies_and_heads_and_who_is_hurt_is_told():
    first = next(text for text in squadron_lines(SEA, "B"))
    assert first.params == {
        "side": "B", "number": 1, "ships": "B1–B3", "hex": "1216", "compass": "N", "hurt": "B3",
    }  # fmt: skip
