"""A season's chronicle: places at the end, and what all may know of its turns."""

import json

import pytest
from msgspec import structs

from rules.campaign import GAME
from rules.campaign.engine.case import read_position
from rules.campaign.engine.sea.state import State
from rules.chance.dice import Dice
from rules.core.protocol import Concede, Event, Result, Seat
from rules.core.view import Text
from rules.interface.chronicle import Chronicle

RING = {
    "map": "ring",
    "captains": "ABCD",
    "turn": 24,
    "ports": {"A": "PAR T1", "B": "IOS", "C": "MEL", "D": "CEO T4 T3"},
    "trophies": {"C": 1},
    "galleys": ["A1 PAR 5-5+3/5 r0 n0", "A2 PAR 5-5+3/5 r0 n0", "B1 S1 5-5+3/5 r0 n0", "B2 DEL 5-5+3/5 r0 n0"],
}


def state_of(facts: dict[str, object]) -> State:
    return State(dice=Dice(seed="00"), position=read_position(json.dumps(facts)))


def places(state: State, winners: tuple[Seat, ...], gave_up: tuple[Seat, ...] = ()) -> list[int]:
    over = structs.replace(state, result=Result(winners=winners, reason=Text("any")), conceded=gave_up)
    return [GAME.final_places(over)[seat] for seat in range(4)]


@pytest.mark.parametrize(
    ("winners", "gave_up", "expected"),
    [
        ((3,), (), [2, 4, 3, 1]),  # by laurels; C has a trophy more than B
        ((2,), (), [3, 4, 1, 2]),  # who has won comes first, however few their laurels
        ((2,), (3,), [2, 3, 1, 4]),  # a captain who gave up comes last
        ((2,), (3, 0), [3, 2, 1, 3]),  # two who gave up share the last place, whatever their laurels
        ((0, 2), (), [1, 4, 1, 3]),  # a win that is shared
    ],
)
def test_who_has_not_won_has_a_place(winners, gave_up, expected) -> None:
    assert places(state_of(RING), winners, gave_up) == expected


def test_sides_share_their_places() -> None:
    state = state_of({**RING, "teams": [0, 1, 0, 1]})
    assert places(state, (1, 3)) == [2, 1, 2, 1]


@pytest.fixture(scope="module")
def fought() -> tuple[Chronicle, tuple[Event, ...]]:
    """The last turn of a season, in which A attacks a galley of B's."""
    first = state_of(RING)
    given = {"A": "A1 A2: S1 attack; spare D", "B": "B2: attack", "C": "", "D": ""}
    asked = GAME.pending_requests(first)
    step = GAME.resolve(first, {one.id: GAME.parse_answer(first, one, given["ABCD"[one.seat]]) for one in asked})
    return GAME.compose_chronicle(first, step.state, [(24, step.events)]), step.events


def test_a_turn_is_told_as_all_may_know_it(fought: tuple[Chronicle, tuple[Event, ...]]) -> None:
    made, events = fought
    (turn,) = made.chapters
    assert (turn.round, turn.time) == (24, Text("chronicle.when", {"month": 7}))
    assert [one.key for one in turn.lines[0] if isinstance(one, Text)][:2] == ["chronicle.met", "chronicle.held"]
    told = [one for line in turn.lines for one in line if isinstance(one, Event)]
    assert told
    assert all(one.seen_by is None for one in told)
    assert any(one.seen_by is not None and one.weight for one in events)  # there was something to keep quiet about


def test_standings_and_the_fiercest_battle_are_in_it(fought: tuple[Chronicle, tuple[Event, ...]]) -> None:
    made, _ = fought
    assert [one.place for one in made.standings] == [1, 2, 3, 4]
    assert made.standings[0].seat == 3
    assert made.standings[0].figures["laurels"] == made.scores[-1][3]
    assert len(made.scores) == 2
    assert made.best_battle is not None
    assert (made.best_battle.round, made.best_battle.request, made.battles) == (
        24,
        "",
        (),
    )  # by dice: it was no game of its own


def test_all_fleets_are_seen_once_it_is_over_and_nothing_that_stays_secret() -> None:
    state = state_of({**RING, "talents": {"A": 7}})
    shown = GAME.final_view(state)
    assert {galley.id for galley in shown.galleys} == {"A1", "A2", "B1", "B2"}  # type: ignore[attr-defined]
    assert (shown.talents, shown.spares, shown.captain) == (0, "", "")  # type: ignore[attr-defined]


def test_captains_who_gave_up_share_the_place_after_who_was_left() -> None:
    state = state_of({**RING, "turn": 12})
    for seat in (3, 0, 1):
        state = GAME.apply_out_of_turn(state, Concede(seat=seat)).state
    assert GAME.final_places(state) == {0: 2, 1: 2, 2: 1, 3: 2}
