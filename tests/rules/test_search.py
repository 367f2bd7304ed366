"""The search that admirals share: few trials, the same luck for all, and no other trial once it is enough."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from rules.ai import thinking
from rules.ai.search import DiceSamples, SampleDice, Search
from rules.chance.dice import Dice
from rules.core.protocol import Setup
from rules.core.registry import RULESETS
from rules.matchbox.ai import many_rounds
from rules.ramspeed.ai.admiral import _SheetSearch
from rules.squadrons.ai.admiral import SideSearch

SEED = "5ea6"


class Trials:
    """Candidates are lists of values, one a sample; each trial is noted."""

    def __init__(self):
        self.made = []

    def carry_out(self, candidate, samples):
        for sample in samples:
            self.made.append((candidate, sample))
            yield candidate[sample]


def test_only_those_that_do_well_at_first_meet_all_samples():
    trials = Trials()
    search = Search(trials.carry_out, budget=100, samples=4)
    good, fair, poor, bad = (3, 3, 0, 0), (2, 2, 9, 9), (1, 1, 9, 9), (0, 0, 9, 9)
    assert search.rank((good, bad, fair, poor)) == [fair, poor, good]
    assert (bad, 2) not in trials.made
    assert len(trials.made) == 3 * 4 + 2
    assert search.trials_left == 100 - 14


def test_nothing_is_tried_where_there_is_no_choice():
    trials = Trials()
    search = Search(trials.carry_out, budget=100, samples=4)
    assert search.rank([(1, 1, 1, 1)] * 2) == [(1, 1, 1, 1)]
    assert not trials.made


def test_a_variant_must_be_better_by_the_margin():
    trials = Trials()
    search = Search(trials.carry_out, budget=100, samples=2, margin=0.5)
    best, little, much = (1, 1), (1, 1.5), (1, 3)
    assert search.improve(best, [little]) == best
    assert search.improve(best, [little, much]) == much


def test_a_variant_may_be_behind_at_first_by_the_slack_alone():
    for slack, improved in ((0.0, (1, 1)), (0.5, (0.5, 9))):
        search = Search(Trials().carry_out, budget=100, samples=2, slack=slack)
        assert search.improve((1, 1), [(0.5, 9)]) == improved


def test_without_trials_left_the_best_stays():
    trials = Trials()
    search = Search(trials.carry_out, budget=2, samples=2)
    search.mean_value((1, 1))
    assert search.improve((1, 1), [(9, 9)]) == (1, 1)
    assert len(trials.made) == 2


def test_what_is_known_is_not_tried_again():
    trials = Trials()
    search = Search(trials.carry_out, budget=10, samples=4)
    assert search.mean_value((1, 2, 3, 6)) == search.mean_value((1, 2, 3, 6)) == 3
    assert search.trials_left == 6


def test_luck_comes_up_evenly():
    """In each way that things may go both halves of the samples meet with low rolls and high ones."""
    luck = DiceSamples(12, 2, SEED)
    for purpose in ("ram A1>P1", "ram P1>A1", "melee A1"):
        sums = []
        for sample in range(12):
            dice_source = SampleDice(luck, sample)
            die, dice_source = dice_source.throw_die(purpose)
            other, dice_source = dice_source.throw_die(purpose)
            sums.append(die + other)
            assert dice_source.throw_die(purpose)[0] in range(1, 7)
        for way in (sums[::2], sums[1::2]):
            for low, middle, high in (sorted(way[:3]), sorted(way[3:])):  # a third of all rolls each
                assert low <= 6 <= middle <= 8 <= high


def test_a_sample_meets_with_the_same_luck_again():
    luck = DiceSamples(8, 4, SEED)
    faces = []
    for sample in (0, 0, 1):
        dice_source, thrown = SampleDice(luck, sample), []
        for _ in range(9):
            face, dice_source = dice_source.throw_die("ram")
            thrown.append(face)
        faces.append(thrown)
    assert faces[0] == faces[1] != faces[2]


MATCHBOX = "900x600 ; " + " ; ".join(
    f"{side}{number}:{where} 4-4+4/4 @{120 * number},{y}^{heading}"
    for number in range(1, 6)
    for side, where, y, heading in (("A", "south", 200, 0), ("B", "north", 330, 180))
)
GAMES = {
    "matchbox": Setup(system="matchbox", teams=(0, 1), options={"captain": "admiral"}, position=MATCHBOX),
    "ramspeed": Setup(system="ramspeed", teams=(0, 1), options={"captain": "admiral", "sides": "first"}),
    "squadrons": Setup(system="squadrons", teams=(0, 1), options={"captain": "admiral", "battle": "60"}),
}
SLOW = {
    "matchbox": (many_rounds, "run_rounds"),
    "ramspeed": (_SheetSearch, "_sheet_values"),
    "squadrons": (SideSearch, "_run_turn"),
}
"""The function of each game in which its captain spends most time."""

LATE = {"matchbox": 7, "ramspeed": 12, "squadrons": 22}  # checks of the time after which each captain has begun to try


@contextmanager
def enough_after(checks: int, log: list[str]) -> Iterator[None]:
    """Let time be up after `checks` questions; note each question, and the answer yes."""

    def enough() -> bool:
        log.append("yes" if log.count("no") >= checks else "no")
        return log[-1] == "yes"

    with thinking.thinking_until(enough):
        yield


def noted(real: Callable[..., object], log: list[str]) -> Callable[..., object]:
    def run(*args: object, **named: object) -> object:
        log.append("trial")
        return real(*args, **named)

    return run


@pytest.mark.parametrize(
    ("system", "checks"), [(system, checks) for system, most in LATE.items() for checks in (0, 1, 3, most)]
)
@pytest.mark.slow
def test_nothing_is_tried_once_it_is_enough(system: str, checks: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rules, log = RULESETS[system], list[str]()
    state = rules.start(GAMES[system], Dice(seed="5eed")).state
    request = next(request for request in rules.pending_requests(state) if request.kind in ("orders", "act"))
    room, name = SLOW[system]
    monkeypatch.setattr(room, name, noted(getattr(room, name), log))
    with enough_after(checks, log):
        answer = rules.computer_answer(rules.view(state, request.seat), request, "5eed")
    assert rules.parse_answer(state, request, rules.format_answer(request, answer)) == answer
    assert "yes" in log
    assert "trial" not in log[log.index("yes") :]
    assert log.count("trial") > 0 or checks < LATE[system]


def test_without_anybody_who_says_so_it_is_never_enough() -> None:
    assert not thinking.is_enough()
    search = Search[int](lambda number, samples: [float(number) for _ in samples], budget=100, samples=2)
    with thinking.thinking_until(lambda: True):
        assert search.rank((3, 4)) == [3]
        assert search.improve(3, (4,)) == 3
    assert search.rank((3, 4)) == [4, 3]
    assert search.improve(3, (4,)) == 4
