"""A bot begins only as many sessions with Discord's gateway as Discord allows, and leaves some to its host."""

from __future__ import annotations

import asyncio

import discord
import pytest

from bot.discord import identifying
from bot.discord.identifying import (
    FIRST_PAUSE_S,
    MAX_PAUSE_S,
    MAX_WITHOUT_PAUSE,
    MIN_REMAINING,
    Backoff,
    IdentifyLimiter,
    TooFewIdentifies,
    UnreadableResponse,
    _ShardHistory,
)

DAY_S = 86_400.0
ALLOWED_A_DAY = 1_000
"""Discord's limit: topics/gateway, "Session Start Limit"."""


def limits(remaining: int) -> discord.SessionStartLimits:
    return discord.SessionStartLimits(total=1000, remaining=remaining, reset_after=60_000, max_concurrency=1)


def test_pauses_double_up_to_a_quarter_of_an_hour_and_begin_anew_after_a_reset() -> None:
    backoff = Backoff()
    pauses = [backoff.next_pause_s() for _ in range(8)]
    assert pauses == [30, 60, 120, 240, 480, 900, 900, 900]
    backoff.reset()
    assert backoff.next_pause_s() == FIRST_PAUSE_S


@pytest.mark.parametrize("lasts_s", [0.0, 1.0, 60.0, MAX_PAUSE_S - 1, MAX_PAUSE_S + 1])
def test_sessions_that_end_at_once_or_later_never_use_up_a_day_s_identifies(lasts_s: float) -> None:
    shard, now, count = _ShardHistory(), 0.0, 0
    while now <= DAY_S:
        shard.record_identify(now)
        count += 1
        now = max(now + lasts_s, shard.next_allowed_at)
    assert MAX_WITHOUT_PAUSE < count < ALLOWED_A_DAY // 4


def test_a_session_that_ends_after_hours_is_begun_again_without_a_pause() -> None:
    shard = _ShardHistory()
    for hour in range(24):
        shard.record_identify(3_600.0 * hour)
        assert shard.next_allowed_at == 3_600.0 * hour


@pytest.mark.parametrize("remaining", [0, 1, MIN_REMAINING - 1])
async def test_too_few_are_refused_until_there_are_more(remaining: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(identifying, "FIRST_PAUSE_S", 0.0)
    left = [remaining]

    async def ask() -> discord.SessionStartLimits:
        return limits(left[0])

    with pytest.raises(TooFewIdentifies) as refused:
        await IdentifyLimiter(ask).raise_unless_enough()
    assert (refused.value.remaining, refused.value.reset_after_s) == (remaining, 60.0)
    turn = asyncio.create_task(IdentifyLimiter(ask).take_turn(0))
    for _ in range(5):
        await asyncio.sleep(0)
    assert not turn.done()
    turn.cancel()
    left[0] = MIN_REMAINING
    await IdentifyLimiter(ask).take_turn(0)


async def test_the_bot_does_not_identify_until_it_knows_how_many_remain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(identifying, "FIRST_PAUSE_S", 0.0)
    answers: list[BaseException | discord.SessionStartLimits] = [
        *(discord.RateLimited(60.0), TimeoutError(), OSError(), TypeError("a list has no such keys")),
        limits(MIN_REMAINING),
    ]

    async def ask() -> discord.SessionStartLimits:
        answer = answers.pop(0)
        if isinstance(answer, BaseException):
            raise answer
        return answer

    await IdentifyLimiter(ask).take_turn(None)
    assert answers == []
    answers.append(KeyError("session_start_limit"))
    with pytest.raises(UnreadableResponse):
        await IdentifyLimiter(ask).raise_unless_enough()
