"""Computer captains stop thinking in time, by the processor time that they have used since they were asked."""

from __future__ import annotations

from typing import Any

import pytest

from bot.work import play, thinking
from bot.work.stored import encode
from rules import thinking as minds
from rules.dice import Dice
from rules.protocol import Setup
from rules.registry import RULESETS


def test_time_counts_from_when_they_are_asked() -> None:
    used_s = 100.0
    with thinking.in_time(lambda: used_s):
        assert not minds.is_enough()
        used_s += thinking.THINK_S - 0.001
        assert not minds.is_enough()
        used_s += 0.001
        assert minds.is_enough()
        with thinking.in_time(lambda: used_s):
            assert not minds.is_enough()
    used_s += thinking.THINK_S
    assert not minds.is_enough()


def test_each_computed_answer_has_a_time_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    asked, begun, rules = [], [], RULESETS["matchbox"]

    class Slow:
        """An answer that takes longer than there is time for."""

        def __enter__(self) -> None:
            begun.append(False)

        def __exit__(self, *_: object) -> None:
            begun.pop()

    def captain(_: Any, request: Any, __: str) -> Any:
        asked.append((request.id, len(begun)))
        return rules.default(state, request)

    monkeypatch.setattr(play, "in_time", Slow)
    monkeypatch.setattr(rules, "captain", captain)
    state = rules.start(Setup(system="matchbox", teams=(0, 1), options={"galleys": "1"}), Dice(seed="5eed")).state
    found = play.computed("matchbox", encode(state), (0, 1))
    assert asked == [(one, 1) for one in found]
    assert not begun
