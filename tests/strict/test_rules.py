"""Each rule has a source, refuses a call and lets a similar one pass."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import Any

import pytest

from bot.sandbox.strict import (
    RULES,
    AlteredAnswer,
    ApiCall,
    CallGuard,
    DiscordError,
    RateLimits,
    Rule,
    find_answer,
    find_error,
)
from bot.sandbox.strict.values import RuleGroup
from tests.strict import examples
from tests.strict.examples import EXAMPLES
from tests.strict.known import GUILD, ROOM, KnownState

MIN_RULES = 3  # of each class


def test_every_rule_has_a_source_and_an_example() -> None:
    assert {rule.name for rule in RULES} == EXAMPLES.keys()
    for rule in RULES:
        assert re.search(r"docs: [a-z-]+/?[a-z-]*|[\w.-]+/[\w.-]+#\d+", rule.source), rule.name
        assert rule.decide_call.__doc__, rule.name


def test_each_class_has_several_rules() -> None:
    counts = Counter(rule.group for rule in RULES)
    assert {group: count for group in RuleGroup if (count := counts[group]) < MIN_RULES} == {}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_the_rule_alone_refuses_a_call_and_lets_a_similar_one_pass(rule: Rule) -> None:
    example = EXAMPLES[rule.name]
    state, at_near = KnownState(), KnownState()
    example.known(state)
    example.refused(state)
    example.known(at_near)
    met = rule.decide_call(ApiCall(*example.call), state)
    assert rule.decide_call(ApiCall(*example.near), at_near) is None
    if example.status:
        assert isinstance(met, DiscordError)
        assert (met.status, met.code) == (example.status, example.code)
    else:
        assert isinstance(met, AlteredAnswer)
    outcome = find_error(*example.call, state) if example.status else find_answer(*example.call, state)
    assert (outcome.rule if outcome else None) == rule.name
    assert find_error(*example.near, at_near) is None


def test_a_limit_ends_after_its_time() -> None:
    state = KnownState()
    guard = CallGuard(state)
    guard.expected.add("renames")
    name = iter(range(10))

    def rename() -> DiscordError | None:
        return guard.decide(ApiCall("PATCH", f"/channels/{ROOM}", {"name": f"#{next(name)}"}))

    assert rename() is None
    state.clock += 60
    assert rename() is None
    third = rename()
    assert third is not None
    assert json.loads(third.body())["retry_after"] == 540
    assert third.all_headers()["X-RateLimit-Remaining"] == "4"
    state.clock += 540
    assert rename() is None
    assert [entry.refusal.rule for entry in guard.refused] == ["renames"]
    assert guard.unexpected == []


def test_refusals_that_nobody_ordered_are_unexpected(unasked: Any) -> None:
    guard = CallGuard(KnownState())
    order = guard.add_scripted("POST", "/messages", DiscordError(status=403, code=50013, message="no"), times=1)
    assert guard.decide(ApiCall(*examples.SEND)) == order.refusal
    assert guard.decide(ApiCall(*examples.SEND)) is None
    guard.decide(ApiCall(*EXAMPLES["long nonce"].call))
    (entry,) = guard.unexpected
    assert entry.refusal.rule == "long nonce"
    assert f"/channels/{ROOM}/messages" in str(entry)
    assert str(entry) in unasked.refused.pop()
    assert order.count == 1


@pytest.mark.parametrize("retry_after", [600.0, 0.5, None])
def test_edits_of_old_messages_say_when_to_try_again_or_not(retry_after: float | None) -> None:
    state = KnownState()
    state.rates = RateLimits(old_edit_retry_s=retry_after)
    EXAMPLES["edits of old messages"].known(state)
    refused = find_error(*examples.EDIT_OLD, state)
    assert refused is not None
    assert json.loads(refused.body()).get("retry_after") == retry_after
    assert ("Retry-After" in refused.all_headers()) == (retry_after is not None)
    assert "Via" in refused.all_headers()


def test_ten_thousand_invalid_requests_ban_the_address_in_plain_text() -> None:
    state = KnownState()
    state.rates = RateLimits(invalid=(3, 600.0))
    state.uploads_limited.add(GUILD)
    state.closed_dms.add(1)
    guard = CallGuard(state)
    guard.expected |= {"closed direct messages", "Cloudflare 1015"}
    codes = [refused.code for _ in range(4) if (refused := guard.decide(ApiCall(*examples.WRITE)))]
    assert codes == [50007, 50007, 50007, 0]
    banned = guard.refused[-1].refusal
    assert (banned.body(), banned.all_headers()["Content-Type"]) == ("error code: 1015", "text/plain")
    assert "Via" not in banned.all_headers()
