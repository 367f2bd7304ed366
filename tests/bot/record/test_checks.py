"""Checks of files that people hand in keep neither the bot nor others busy."""

from __future__ import annotations

import asyncio
import gc
import tracemalloc
from itertools import count
from typing import Any

import pytest

from bot.errors import JobLimitExceeded, Refusal
from bot.record.checking import CheckResult
from bot.record.checks import MAX_DIRECT, MAX_PER_SERVER, MAX_RESULTS, MAX_WAITING, CheckQueue
from bot.record.export import RecordProof
from rules.core.errors import OrderError, UnreadableOrder

LONG, ENDLESS = b"long", b"endless"
_COUNTS = dict.fromkeys(("step_count", "answer_count", "told_count", "broken_count"), 0)
PROOF = RecordProof(
    is_finished=True,
    digest="",
    chain=(),
    words=(None, None),
    names_withdrawn=False,
    is_noted_by_bot=False,
    published_hashes=(),
    **_COUNTS,
)


class Checking:
    """Checks nothing: notes what it is to check. What is long is done when it is let go."""

    def __init__(self) -> None:
        self.begun: list[tuple[bytes, bool]] = []
        self.go = asyncio.Event()

    async def __call__(self, data: bytes, *_: Any, brief: bool) -> CheckResult:
        """Try briefly, or check for as long as it takes."""
        self.begun.append((data, brief))
        await asyncio.sleep(0)
        if data.startswith((LONG, ENDLESS)):
            if brief:
                raise JobLimitExceeded
            await self.go.wait()
        if data == ENDLESS:
            raise JobLimitExceeded
        return CheckResult(is_finished=True, digest=data.decode(), flaw=None, proof=PROOF)


async def test_a_long_file_blocks_no_other_and_is_checked_once_for_all() -> None:
    checking = Checking()
    checks = CheckQueue(checking)

    async def check(user: int, data: bytes) -> str:
        return (await checks.check_record(user, data, "", (), "", submitted=True, guild_id=user)).digest

    async with asyncio.TaskGroup() as people:
        first = [people.create_task(check(user, LONG)) for user in (1, 2)]
        await asyncio.sleep(0)
        for number in range(3):
            assert await check(3, b"brief %d" % number) == f"brief {number}"
        with pytest.raises(Refusal, match="verifying"):
            await check(1, b"another")
        assert not any(task.done() for task in first)
        checking.go.set()
    assert [task.result() for task in first] == ["long"] * 2
    assert await check(4, LONG) == "long"
    assert [brief for data, brief in checking.begun if data == LONG] == [True, False]


async def test_what_takes_too_much_is_not_tried_again() -> None:
    checking = Checking()
    checking.go.set()
    checks = CheckQueue(checking)
    for user in (1, 2, 1):
        with pytest.raises(Refusal, match="verify_too_much"):
            await checks.check_record(user, ENDLESS, "", (), "", submitted=True)
    assert len(checking.begun) == 2
    for number in range(MAX_RESULTS):  # only so many are remembered
        await checks.check_record(1, b"%d" % number, "", (), "", submitted=True)
    with pytest.raises(Refusal, match="verify_too_much"):
        await checks.check_record(1, ENDLESS, "", (), "", submitted=True)
    assert [data for data, _ in checking.begun].count(ENDLESS) == 4


async def test_a_crowd_with_many_files_leaves_room_for_others_and_for_games_of_ours() -> None:
    checking = Checking()
    checks = CheckQueue(checking)
    users = count()

    def check(data: bytes, guild_id: int | None, *, submitted: bool = True) -> asyncio.Task[CheckResult]:
        return asyncio.create_task(
            checks.check_record(next(users), data, "", (), "", submitted=submitted, guild_id=guild_id)
        )

    waiting = [check(LONG + b"%d" % number, 1) for number in range(MAX_PER_SERVER)]
    with pytest.raises(Refusal, match="verifying_here"):
        await check(b"brief", 1)
    assert (await check(b"brief", 2)).digest == "brief"
    waiting += [check(LONG + b"a%d" % number, 2 + number) for number in range(MAX_WAITING - MAX_PER_SERVER)]
    with pytest.raises(Refusal, match="verifying_another"):
        await check(b"brief", 99)
    assert (await check(b"our own", 2, submitted=False)).digest == "our own"
    ours = [check(LONG, None, submitted=False) for _ in range(MAX_WAITING)]
    with pytest.raises(Refusal, match="verifying_another"):
        await check(b"our own", None, submitted=False)
    checking.go.set()
    await asyncio.gather(*waiting, *ours)
    assert (await check(b"another", None)).digest == "another"  # a place is free again


async def test_two_people_with_long_files_keep_nobody_else_from_checking_one_in_direct_messages() -> None:
    """All direct messages were one place, in which two accounts could keep everybody out."""
    checking = Checking()
    checks = CheckQueue(checking)
    users = count()

    def check(data: bytes, guild_id: int | None) -> asyncio.Task[CheckResult]:
        return asyncio.create_task(
            checks.check_record(next(users), data, "", (), "", submitted=True, guild_id=guild_id)
        )

    waiting = [check(LONG + b"%d" % number, None) for number in range(MAX_PER_SERVER)]
    assert (await check(b"brief", None)).digest == "brief"
    waiting += [check(LONG + b"a%d" % number, None) for number in range(MAX_DIRECT - MAX_PER_SERVER)]
    with pytest.raises(Refusal, match="verifying_here"):
        await check(b"brief", None)
    assert (await check(b"brief", 1)).digest == "brief", "servers have room"
    checking.go.set()
    await asyncio.gather(*waiting)


async def test_games_of_ours_are_checked_anew() -> None:
    checking = Checking()
    checks = CheckQueue(checking)
    for _ in range(2):
        await checks.check_record(1, b"our own", "", (), "", submitted=False)
    assert [data for data, _ in checking.begun].count(b"our own") == 2


async def test_refused_files_leave_nothing_in_memory() -> None:
    """An exception that is stored keeps its traceback, and with it the frames that hold the file."""
    size, files = 2**20, 40

    async def refuse(data: bytes, *_: Any, brief: bool) -> CheckResult:
        raise UnreadableOrder("not_a_record", piece=f"{len(data)} {brief}")

    checks = CheckQueue(refuse)

    async def hand_in(number: int) -> None:
        data = bytes([number]) * size
        for _ in range(2):  # the second time the result is known
            with pytest.raises(OrderError, match=str(size)):
                await checks.check_record(1, data, "", (), "", submitted=True)

    await hand_in(255)
    gc.collect()
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        for number in range(files):
            await hand_in(number)
        gc.collect()
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert after - before < size
