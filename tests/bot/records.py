"""A finished game as anybody can check it: replayed from its setup, its seed and its answers."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from bot.record.export import check_export, encode_export
from rules.chance.dice import Dice
from rules.chance.fairness import SHOWN_HASH_DIGITS
from rules.core.registry import RULESETS
from rules.core.replay import Record, verify
from tests.sea import Sea

_FINGERPRINT = re.compile(r"Dice fingerprint: `([0-9a-f]{40})`")


async def assert_holds(sea: Sea, game_id: int = 1, thread: Any = None) -> Record:
    """Check every die, answer, seal and stored state of a finished game; return its record."""
    paper = await sea.bot.services.archive.export_finished(game_id)
    record = paper.record
    assert f"`{paper.digest[:SHOWN_HASH_DIGITS]}…`" in sea.told(thread)
    for published in (paper.digest, paper.digest[:SHOWN_HASH_DIGITS]):  # whole, or as its thread tells it
        assert check_export(encode_export(paper), published) is None
    short = paper.digest[: SHOWN_HASH_DIGITS - 1]
    assert check_export(encode_export(paper), short)
    assert check_export(encode_export(paper), f"{short}{'1' if paper.digest[SHOWN_HASH_DIGITS - 1] == '0' else '0'}")
    assert _FINGERPRINT.findall(sea.told(thread)) == [record.seed_commitment[:SHOWN_HASH_DIGITS]]
    assert f"`{record.seed[:8]}…`" in sea.told(thread)
    rules = RULESETS[record.setup.system]
    flaw = verify(rules, record)
    assert flaw is None, flaw
    stored = [row["state"] for row in sea.rows("steps")["steps"] if row["game_id"] == game_id]
    step = rules.start(record.setup, Dice(seed=record.dice_seed))
    states = [step.state]
    for recorded in record.steps[1:]:
        if recorded.act:
            step = rules.apply_out_of_turn(step.state, recorded.act)
        else:
            bodies = {answer.request: answer.body for answer in recorded.answers}
            requests = [request for request in rules.pending_requests(step.state) if request.id in bodies]
            step = rules.resolve(
                step.state,
                {request.id: rules.parse_answer(step.state, request, bodies[request.id]) for request in requests},
            )
        states.append(step.state)
    assert [msgspec.json.encode(state).decode() for state in states] == stored
    return record
