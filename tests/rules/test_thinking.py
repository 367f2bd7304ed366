"""Captains who are told that it is enough begin no other trial, and what they answer then is legal."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from rules.ai import thinking
from rules.ai.search import Search
from rules.chance.dice import Dice
from rules.core.protocol import Setup
from rules.core.registry import RULESETS
from rules.matchbox.ai import many_rounds
from rules.ramspeed.ai.admiral import _SheetSearch
from rules.squadrons.ai.admiral import SideSearch

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
"""What takes a captain's time in each game: many rounds at once, a sheet's samples, one turn."""

LATE = {"matchbox": 7, "ramspeed": 12, "squadrons": 22}
"""After how often each captain has begun to try, and goes on."""


@contextmanager
def enough_after(checks: int, log: list[str]) -> Iterator[None]:
    """It is enough once that was asked so often; what is asked, and answered with yes, is noted."""

    def enough() -> bool:
        log.append("yes" if log.count("no") >= checks else "no")
        return log[-1] == "yes"

    with thinking.thinking_until(enough):
        yield


def noted(real: Callable[..., object], log: list[str]) -> Callable[..., object]:
    def run(*given: object, **named: object) -> object:
        log.append("trial")
        return real(*given, **named)

    return run


@pytest.mark.parametrize(
    ("system", "checks"), [(system, checks) for system, most in LATE.items() for checks in (0, 1, 3, most)]
)
@pytest.mark.slow
def test_nothing_is_tried_once_it_is_enough(system: str, checks: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rules, log = RULESETS[system], list[str]()
    state = rules.start(GAMES[system], Dice(seed="5eed")).state
    request = next(one for one in rules.pending_requests(state) if one.kind in ("orders", "act"))
    room, name = SLOW[system]
    monkeypatch.setattr(room, name, noted(getattr(room, name), log))
    with enough_after(checks, log):
        given = rules.computer_answer(rules.view(state, request.seat), request, "5eed")
    assert rules.parse_answer(state, request, rules.format_answer(request, given)) == given
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
