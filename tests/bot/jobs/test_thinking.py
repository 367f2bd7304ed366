"""Computer captains, and hints, stop thinking in time, by the processor time used since they were asked."""

from __future__ import annotations

import itertools
from functools import partial
from typing import Any

import pytest

from bot.errors import Refusal
from bot.jobs import computing, drafts, play, thinking
from bot.jobs.stored import encode
from bot.jobs.values import HINT_SEED_DIGITS, HintRef
from rules.ai import thinking as minds
from rules.chance.dice import Dice
from rules.core.protocol import EMPTY_DRAFT, Setup
from rules.core.registry import RULESETS
from tests.rules.test_search import GAMES


def test_time_counts_from_when_they_are_asked() -> None:
    used_s = 100.0
    with thinking.limit_time(lambda: used_s):
        assert not minds.is_enough()
        used_s += thinking.MAX_THINKING_S - 0.001
        assert not minds.is_enough()
        used_s += 0.001
        assert minds.is_enough()
        with thinking.limit_time(lambda: used_s):
            assert not minds.is_enough()
    used_s += thinking.MAX_THINKING_S
    assert not minds.is_enough()


def test_each_computed_answer_has_a_time_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    asked, begun, rules = [], [], RULESETS["matchbox"]

    class Slow:
        def __enter__(self) -> thinking.ThinkingLog:
            begun.append(False)
            return thinking.ThinkingLog()

        def __exit__(self, *_: object) -> None:
            begun.pop()

    def captain(_: Any, request: Any, __: str) -> Any:
        asked.append((request.id, len(begun)))
        return rules.default_answer(state, request)

    monkeypatch.setattr(computing, "limit_time", Slow)
    monkeypatch.setattr(rules, "computer_answer", captain)
    state = rules.start(Setup(system="matchbox", teams=(0, 1), options={"galleys": "1"}), Dice(seed="5eed")).state
    found = play.computer_answers("matchbox", encode(state), (0, 1))
    assert asked == [(one, 1) for one in found]
    assert not begun


def test_what_is_thought_once_more_stops_where_it_did_however_long_it_takes() -> None:
    used_s = itertools.count(0.0, 0.4)
    with thinking.limit_time(lambda: next(used_s)) as thought:
        found = [minds.is_enough() for _ in range(6)]
    assert found == [False] * 3 + [True] * 3
    assert thought.stopped_after == 3
    with thinking.repeat_thinking(thought.stopped_after) as again:
        assert [minds.is_enough() for _ in range(6)] == found
    assert again.stopped_after == 3
    with thinking.repeat_thinking(None):
        assert not any(minds.is_enough() for _ in range(100))


SEED = "5eed" * (HINT_SEED_DIGITS // 4)


@pytest.mark.parametrize("system", GAMES)
@pytest.mark.parametrize("looks", [0, 1, 3])
def test_a_hint_that_is_cut_short_is_taken_as_shown(system: str, looks: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rules = RULESETS[system]
    state = rules.start(GAMES[system], Dice(seed="5eed")).state
    request = next(one for one in rules.pending_requests(state) if one.kind in ("orders", "act"))
    body, used_s = encode(state), itertools.count(0.0, thinking.MAX_THINKING_S / (looks + 0.5))
    monkeypatch.setattr(drafts, "limit_time", partial(thinking.limit_time, lambda: next(used_s)))
    hint = drafts.compute_hint(system, body, request, SEED)
    # A first mate thinks about few groups of galleys.
    assert hint.stopped_after == looks or (hint.stopped_after is None and system == "matchbox" and looks > 1)
    assert hint.odds == () or hint.stopped_after is None
    taken = drafts.take_hint(system, body, request, EMPTY_DRAFT, HintRef(SEED, hint.stopped_after))
    typed = drafts.TypedText(hint.answer, {})
    assert taken.draft.text == drafts.type_text(system, body, request, EMPTY_DRAFT, typed).draft.text
    ref = HintRef(SEED, hint.stopped_after)
    assert HintRef.read(ref.token) == ref


def test_no_button_carries_any_other_hint() -> None:
    for token in ("", SEED[1:], f"{SEED}.", f"{SEED}.x", f"{SEED}.1234567", f"{SEED}.-1"):
        with pytest.raises(Refusal, match="stale"):
            HintRef.read(token)
