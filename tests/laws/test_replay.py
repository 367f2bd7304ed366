"""The truth of a game is its setup, its seed and its answers: all else follows, and nothing can be slipped in."""

import random
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.dice import Dice, commitment
from rules.replay import Record, RecordedAnswer, RecordedStep, verify
from tests.laws.length import times
from tests.laws.play import GAMES, SYSTEMS, Tape, decode, encode, tape, tapes

EXAMPLES = settings(max_examples=times(30, 600))
UNTOLD = ("given_by", "system")
"""`given_by` is a remark: any captain might have given the answer himself. `system` says by whose rules to replay."""


def record(game: Tape) -> Record:
    """Publish a game as its end does, on paper."""
    steps = [RecordedStep(events=msgspec.to_builtins(game.start.events))]
    for number, turn in enumerate(game.turns):
        answers = []
        for request, given_answer in turn.answers.items():
            body, nonce = game.rules.format(given_answer), f"nonce {number}"
            answers.append(
                RecordedAnswer(
                    request=request,
                    body=body,
                    nonce=nonce,
                    commitment=commitment(body, nonce),
                    given_by="captain",
                )
            )
        events = msgspec.to_builtins(turn.step.events)
        steps.append(RecordedStep(act=turn.act, answers=tuple(answers), events=events))
    whole = Record(setup=game.setup, seed=game.seed, seed_commitment=commitment(game.seed), steps=tuple(steps))
    return decode(encode(whole), Record)


def places(value: Any, path: tuple = ()) -> Iterator[tuple]:
    """All pieces of a record on paper."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in pairs:
        if key not in UNTOLD:
            yield (*path, key)
            yield from places(item, (*path, key))


def flipped(value: Any) -> Any:
    """Something else of the same kind."""
    match value:
        case bool():
            return not value
        case int() | float():
            return value + 1
        case str():
            return value[:-1] if value else "x"
        case list():
            return value[:-1] if value else [None]
        case dict():
            return dict(list(value.items())[:-1]) if value else {"x": "x"}
    return "x"


@pytest.mark.parametrize(("system", "number"), tapes())
def test_a_record_replays_to_the_states_that_were_stored(system, number):
    game = tape(system, number)
    step = game.rules.start(game.setup, Dice(seed=game.seed))
    assert step == game.start
    for turn in game.turns:
        if turn.act:
            step = game.rules.act(step.state, turn.act)
        else:
            asked = game.rules.pending(step.state)
            bodies = {request.id: game.rules.format(turn.answers[request.id]) for request in asked}
            answers = {request.id: game.rules.parse(step.state, request, bodies[request.id]) for request in asked}
            step = game.rules.resolve(step.state, answers)
        assert step == turn.step
        assert encode(step) == encode(turn.step)


@pytest.mark.parametrize(("system", "number"), tapes())
def test_an_honest_record_holds(system, number):
    game = tape(system, number)
    assert verify(game.rules, record(game)) is None


@EXAMPLES
@given(st.sampled_from(SYSTEMS), st.integers(0, GAMES - 1), st.integers(0, 2**32))
def test_a_record_with_any_flipped_piece_is_found(system: str, number: int, whim: int):
    game = tape(system, number)
    paper = msgspec.json.decode(encode(record(game)))
    place = random.Random(whim).choice(list(places(paper)))
    *way, last = place
    whole = paper
    for key in way:
        whole = whole[key]
    whole[last] = flipped(whole[last])
    try:
        false = decode(encode(paper), Record)
    except msgspec.ValidationError:
        return  # it is no record at all
    assert verify(game.rules, false) is not None, place


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_record_cut_short_is_found(system):
    game = tape(system, 0)
    whole = record(game)
    for length in range(len(whole.steps)):
        cut = msgspec.structs.replace(whole, steps=whole.steps[:length])
        assert verify(game.rules, cut) is not None, length
