"""A game goes on, and verifies, by the edition of the rules by which it began (MB-5.5)."""

import msgspec
import pytest

from rules.dice import Dice, commitment
from rules.matchbox.table.state import State
from rules.protocol import Concede, Setup
from rules.replay import Record, RecordedAnswer, RecordedStep, as_begun, verify
from tests.rules.matchbox.play import GAME, SEED, orders

POSITION = "1200x800 ; A1:south 6-6+2/6 @600,330^40 ; B1:north 5-5+3/5 @650,400^90"
"""A1 will lie 0.0000002 mm deep in B1's side (W14): in the first edition she holds B1, who would slide along her."""
B1_ENDS_AT = {1: 650.0, 2: 740.0}


def begin(edition):
    return GAME.start(Setup(system="matchbox", teams=(0, 1), position=POSITION, edition=edition), Dice(SEED))


def played(edition):
    """A round and its end: the step after the round, and the record as games of the first scheme wrote it."""
    start = begin(edition)
    answers = orders(start.state, A="A1 FFFXX", B="B1 XXXFF")
    step = GAME.resolve(start.state, answers)
    end = GAME.act(step.state, Concede(seat=1))
    bodies = {one.id: GAME.format(one, answers[one.id]) for one in GAME.pending(start.state)}
    recorded = [
        RecordedAnswer(request=one, body=body, nonce="n", commitment=commitment(body, "n"), given_by="captain")
        for one, body in bodies.items()
    ]
    told = [msgspec.json.decode(msgspec.json.encode(one.events)) for one in (start, step, end)]
    steps = (
        RecordedStep(events=tuple(told[0])),
        RecordedStep(answers=tuple(recorded), events=tuple(told[1])),
        RecordedStep(act=Concede(seat=1), events=tuple(told[2])),
    )
    setup = Setup(system="matchbox", teams=(0, 1), position=POSITION)
    return step, Record(setup=setup, seed=SEED, seed_commitment=commitment(SEED), steps=steps)


@pytest.mark.parametrize("edition", [1, 2])
def test_a_game_keeps_its_edition(edition):
    state = begin(edition).state
    assert msgspec.json.decode(msgspec.json.encode(state), type=State).edition == edition
    (ship,) = (galley for galley in played(edition)[0].state.galleys if galley.id == "B1")
    assert ship.pose.x_mm == pytest.approx(B1_ENDS_AT[edition])


def test_a_state_that_names_none_is_of_the_first():
    old = msgspec.json.decode(msgspec.json.encode(begin(2).state))
    del old["edition"]
    assert msgspec.convert(old, State).edition == 1


def test_records_of_the_first_scheme_are_verified_by_the_first_edition():
    assert verify(GAME, played(1)[1]) is None
    flaw = verify(GAME, played(2)[1])
    assert flaw is not None
    assert flaw.what == "events"


def test_a_new_game_begins_by_todays_rules():
    setup = Setup(system="matchbox", teams=(0, 1))
    assert GAME.start(setup, Dice(SEED)).state.edition == 2
    assert GAME.start(as_begun(setup, 2), Dice(SEED)).state.edition == 2
    assert GAME.start(as_begun(setup, 1), Dice(SEED)).state.edition == 1


def test_a_record_does_not_choose_by_which_rules_it_is_judged():
    chosen = Setup(system="matchbox", teams=(0, 1), edition=1)
    assert GAME.start(as_begun(chosen, 2), Dice(SEED)).state.edition == 2
