"""The truth of a game is its setup, its seed and its answers: all else follows, and nothing can be slipped in."""

import random
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.chance import fairness
from rules.chance.dice import Dice
from rules.core.protocol import AgreeDraw, Concede
from rules.core.replay import (
    MAX_STEPS,
    Record,
    RecordedAnswer,
    RecordedStep,
    UndoAction,
    replay_steps,
    restore_state,
    verify,
)
from tests.laws.length import times
from tests.laws.play import GAMES, SYSTEMS, Tape, answer, decode, encode, tape, tapes
from tests.laws.play import asked as asked_now
from tests.samples import sample_answers

EXAMPLES = settings(max_examples=times(30, 600))
UNTOLD = ("given_by", "at", "words", "system", "edition", "scheme")
"""The first two are remarks, which the export's digest covers; the hash of the words is published; the others say by
which rules to replay."""
NONCE = "0a" * 32
EVERY = times(2, 1)
"""Of games, one in so many goes back."""
AGAIN_MOST = times(2, 1000)
"""Steps that are played once more after a game went back."""


def record(game: Tape) -> Record:
    """Publish a game as its end does, on paper."""
    steps = [RecordedStep(events=msgspec.to_builtins(game.start.events))]
    for number, turn in enumerate(game.turns):
        answers = []
        for request in turn.requests:
            if request.id not in turn.answers:
                continue
            body = game.rules.format_answer(request, turn.answers[request.id])
            answers.append(sealed(game, request.id, body, f"{number:064x}"))
        events = msgspec.to_builtins(turn.step.events)
        steps.append(RecordedStep(act=turn.act, answers=tuple(answers), events=events))
    complete = Record(
        setup=game.setup,
        seed=game.secret,
        seed_commitment=fairness.hash_seed(game.secret),
        steps=tuple(steps),
        scheme=fairness.NEWEST_SCHEME,
        words=(None,) * len(game.setup.teams),
    )
    return decode(encode(complete), Record)


def sealed(game: Tape, request: str, body: str, nonce: str = NONCE) -> RecordedAnswer:
    """Return an answer as a record of this game holds it."""
    hashed = fairness.hash_answer(fairness.hash_seed(game.secret), request, body, nonce)
    return RecordedAnswer(request=request, body=body, nonce=nonce, commitment=hashed, given_by="captain")


def places(value: Any, path: tuple = ()) -> Iterator[tuple]:
    """Yield the path of each part of a record on paper."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in pairs:
        if key not in UNTOLD:
            yield (*path, key)
            yield from places(item, (*path, key))


def flipped(value: Any) -> Any:
    """Change a value to another of its kind."""
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
            keys = [key for key in value if key not in UNTOLD]
            return {key: value[key] for key in value if key != keys[-1]} if keys else {"x": "x"}
    return "x"


@pytest.mark.parametrize(("system", "number"), tapes())
def test_a_record_replays_to_the_states_that_were_stored(system, number):
    game = tape(system, number)
    step = game.rules.start(game.setup, Dice(seed=game.seed))
    assert step == game.start
    for turn in game.turns:
        if turn.act:
            step = game.rules.apply_out_of_turn(step.state, turn.act)
        else:
            requests = asked_now(game.rules, step.state)
            bodies = {request.id: game.rules.format_answer(request, turn.answers[request.id]) for request in requests}
            answers = {
                request.id: game.rules.parse_answer(step.state, request, bodies[request.id]) for request in requests
            }
            step = game.rules.resolve(step.state, answers)
        assert step == turn.step
        assert encode(step) == encode(turn.step)


@pytest.mark.proves("F11")
@pytest.mark.parametrize(("system", "number"), tapes())
def test_an_honest_record_holds(system, number):
    game = tape(system, number)
    assert verify(game.rules, record(game)) is None


def gone_back(game: Tape, to: int) -> Record:
    """Return a game's record with all taken back to step `to`, and then played again; a long game ends by a draw."""
    honest = record(game)
    steps = [*honest.steps[:-1], RecordedStep(act=UndoAction(to=to), events=())]
    revealed = any(step.answers for step in steps[to + 1 :])
    moves = sum(bool(step.answers) for step in steps)
    state = restore_state(game.states[to], game.seed, moves, revealed=revealed)
    for _ in range(AGAIN_MOST):
        if game.rules.result(state) is not None:
            break
        requests = [request for request in asked_now(game.rules, state) if not request.optional]
        answers = {request.id: answer(game.rules, state, request, random.Random(request.id)) for request in requests}
        step = game.rules.resolve(state, answers)
        bodies = {request.id: game.rules.format_answer(request, answers[request.id]) for request in requests}
        given_answers = tuple(sealed(game, key, body) for key, body in bodies.items())
        steps.append(RecordedStep(answers=given_answers, events=msgspec.to_builtins(step.events)))
        state = step.state
    if game.rules.result(state) is None:
        step = game.rules.apply_out_of_turn(state, AgreeDraw())
        steps.append(RecordedStep(act=AgreeDraw(), events=msgspec.to_builtins(step.events)))
    return decode(encode(msgspec.structs.replace(honest, steps=tuple(steps))), Record)


def rounds_begin(game: Tape) -> list[int]:
    """Return the numbers of steps after which nothing is asked in the middle of a round."""
    requests_by_state = [game.rules.pending_requests(state) for state in game.states]
    return [
        number for number, each in enumerate(requests_by_state) if each and not any(request.live for request in each)
    ]


@pytest.mark.parametrize(("system", "number"), tapes()[::EVERY])
def test_a_game_that_went_back_holds_and_throws_other_dice(system, number):
    game = tape(system, number)
    *_, to = [start for start in rounds_begin(game) if start < len(game.states) - 2] or [0]
    record_undone = gone_back(game, to)
    assert verify(game.rules, record_undone) is None
    (back,) = [index for index, step in enumerate(record_undone.steps) if step.act == UndoAction(to=to)]
    states = [step.state for _, step in replay_steps(game.rules, record_undone)]
    revealed = any(step.answers for step in record_undone.steps[to + 1 : back])
    assert (states[back].dice.draw_block() != states[to].dice.draw_block()) == revealed
    assert msgspec.structs.replace(states[back], dice=states[to].dice) == states[to]


def readable(game: Tape, name: str) -> str:
    """Return an answer to a request of this id in the first state that asks it; any text if none does."""
    for state in game.states:
        for request in game.rules.pending_requests(state):
            if request.id == name:
                return game.rules.format_answer(request, sample_answers(game.rules, state, request)[0])
    return "end"


def besides(system: str) -> dict[str, tuple[Record, bool]]:
    """A duel that went back and was given up, each time with answers besides; whether they can have been sealed."""
    games = (tape(system, number) for number in range(GAMES))
    game, begun = next(
        (game, begun) for game in games if len(game.setup.teams) == 2 and len(begun := rounds_begin(game)) > 3
    )
    to, later = begun[1], begun[3]
    honest = record(game).steps
    state = restore_state(game.states[to], game.seed, later, revealed=True)
    given_up = game.rules.apply_out_of_turn(state, Concede(seat=0))
    ends = RecordedStep(act=Concede(seat=0), events=msgspec.to_builtins(given_up.events))
    steps = (*honest[: later + 1], RecordedStep(act=UndoAction(to=to), events=()), ends)
    complete = msgspec.structs.replace(record(game), steps=steps)
    (free, *_), (gone, *_) = ([request.id for request in asked_now(game.rules, game.states[at])] for at in (to, later))
    answered = honest[to].answers[0].request
    tried = {
        "nothing": ([], True),
        "pending at the end": ([free], True),
        "twice": ([free, free], False),
        "answered": ([answered], False),
        "taken back": ([gone], False),
        "never asked": (["r99.orders.0"], False),
    }
    records: dict[str, tuple[Record, bool]] = {}
    for name, (ids, holds) in tried.items():
        unused = tuple(sealed(game, request_id, readable(game, request_id)) for request_id in ids)
        records[name] = (decode(encode(msgspec.structs.replace(complete, unused=unused)), Record), holds)
    return records


@pytest.mark.parametrize("system", SYSTEMS)
def test_nobody_can_have_sealed_what_was_answered_taken_back_or_never_asked(system):
    for name, (paper, holds) in besides(system).items():
        flaw = verify(tape(system, 0).rules, paper)
        assert (flaw is None) == holds, (name, flaw)
        assert holds or flaw.what == "requests"


class Counted(tuple):
    taken = 0

    def __getitem__(self, where):
        item = super().__getitem__(where)
        self.taken += len(item) if isinstance(where, slice) else 1
        return item


def test_going_back_looks_at_each_step_once_however_often():
    start = record(tape(SYSTEMS[0], 0)).steps[0]
    steps = Counted((start, *[RecordedStep(act=UndoAction(to=0), events=())] * 2_000))
    flaw = verify(tape(SYSTEMS[0], 0).rules, msgspec.structs.replace(record(tape(SYSTEMS[0], 0)), steps=steps))
    assert flaw
    assert (flaw.step, flaw.what) == (len(steps), "end")
    assert steps.taken <= len(steps)


def test_a_record_of_more_steps_than_any_game_has_is_none():
    paper = record(tape(SYSTEMS[0], 0))
    back = RecordedStep(act=UndoAction(to=0), events=())
    for more, read in ((0, True), (1, False)):
        steps = (*paper.steps, *[back] * (MAX_STEPS - len(paper.steps) + more))
        text = encode(msgspec.structs.replace(paper, steps=steps))
        if read:
            assert len(decode(text, Record).steps) == MAX_STEPS
        else:
            with pytest.raises(msgspec.ValidationError):
                decode(text, Record)


@pytest.mark.parametrize("to", [-1, 5, 10**9])
def test_no_game_goes_back_to_what_has_not_been(to):
    game = tape(SYSTEMS[0], 0)
    paper = record(game)
    false = RecordedStep(act=UndoAction(to=to), events=())
    flaw = verify(game.rules, msgspec.structs.replace(paper, steps=(*paper.steps[:5], false, *paper.steps[5:])))
    assert flaw
    assert (flaw.step, flaw.what) == (5, "requests")


@EXAMPLES
@given(st.sampled_from(SYSTEMS), st.integers(0, GAMES - 1), st.integers(0, 2**32))
def test_a_record_with_any_flipped_piece_is_found(system: str, number: int, whim: int):
    game = tape(system, number)
    paper = msgspec.json.decode(encode(record(game)))
    place = random.Random(whim).choice(list(places(paper)))
    *way, last = place
    container = paper
    for key in way:
        container = container[key]
    container[last] = flipped(container[last])
    try:
        false = decode(encode(paper), Record)
    except msgspec.ValidationError:
        return  # it is no record at all
    assert verify(game.rules, false) is not None, place


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_record_cut_short_is_found(system):
    game = tape(system, 0)
    paper = record(game)
    for length in range(len(paper.steps)):
        cut = msgspec.structs.replace(paper, steps=paper.steps[:length])
        assert verify(game.rules, cut) is not None, length
