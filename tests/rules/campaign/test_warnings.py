"""What a captain is warned of comes as it was said, and nobody is warned of what works."""

from __future__ import annotations

import json

import pytest

from rules.campaign import GAME
from rules.campaign.engine.case import read_position
from rules.campaign.engine.sea.state import State
from rules.chance.dice import Dice
from rules.core.protocol import Draft, Request


def gulf(*galleys: str, talents: int = 0) -> tuple[State, Request]:
    """A position on the gulf, and what its first captain is asked."""
    ports = {"A": "PIR SAL", "B": "EPI CAL"}
    text = {"map": "gulf", "captains": "AB", "ports": ports, "galleys": galleys, "talents": {"A": talents}}
    state = State(dice=Dice(seed="00"), position=read_position(json.dumps(text)))
    return state, GAME.pending_requests(state)[0]


def warned(state: State, request: Request, text: str) -> list[str]:
    return [one.key.removeprefix("warn.") for one in GAME.draft_warnings(state, request, Draft(text))]


@pytest.mark.parametrize(
    ("galleys", "talents", "text", "expected"),
    [
        (["A1 PIR 5-5+3/5 r0 n0"], 1, "build PIR 5", ["too_dear"]),  # the price is 6, and a night brings 4
        (["A1 PIR 5-5+3/5 r0 n0"], 2, "build PIR 5", []),
        (["A1 PIR 5-5+3/5 r0 n0"], 2, "build PIR 5; pay B 1", ["too_dear"]),
        (["A1 PIR 5-5+3/5 r0 n0"], 3, "pay B 999", ["poor"]),
        (["A1 PIR 5-5+3/5 r0 n0"], 3, "pay B 3", []),
        ([f"A{n} PIR 5-5+3/5 r0 n0" for n in range(1, 9)], 90, "build PIR 5", ["no_ninth"]),
        (["A1 PIR 5-5+3/5 r0 n0"], 5, "repair A1", ["whole"]),
        (["A1 PIR 3-5+3/5 r0 n0"], 5, "repair A1", []),
        (["A1 PIR 3-5+3/5 r0 n0"], 5, "A1: ELE; repair A1", ["not_moored"]),
        (["A1 ELE 3-5+3/5 r0 n0"], 5, "repair A1", ["not_moored"]),
        (["A1 ELE 5-5+3/5 r0 n2"], 0, "A1: WGU", ["thirst"]),
        (["A1 ELE 5-5+3/5 r0 n2"], 0, "A1: PIR", []),
        (["A1 ELE 5-5+3/5 r0 n1"], 0, "A1: WGU", []),
    ],
)
def test_a_captain_is_warned_of_what_cannot_come_off(
    galleys: list[str], talents: int, text: str, expected: list[str]
) -> None:
    state, request = gulf(*galleys, talents=talents)
    assert warned(state, request, text) == expected
    # And so it comes, if nobody else does anything.
    quiet = GAME.parse_answer(state, GAME.pending_requests(state)[1], "")
    answers = {request.id: GAME.parse_answer(state, request, text), GAME.pending_requests(state)[1].id: quiet}
    events = {one.__struct_config__.tag for one in GAME.resolve(state, answers).events}
    assert ("NotLaunched" in events) == bool({"too_dear", "no_ninth"} & {*expected})
    assert ("Thirsted" in events) == ("thirst" in expected)
    assert ("Repaired" in events) == ("repair" in text and not {"whole", "not_moored"} & {*expected})
