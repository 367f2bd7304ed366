"""The processes that compute and draw: a bounded queue, and no lost job."""

from __future__ import annotations

import asyncio
import os
import signal
import traceback

import pytest

from bot.work import showing
from bot.workers import Failed, TooMuch, Workers, alone, give_way
from render import ground
from rules.errors import IllegalOrder, OrderError


def twice(number: int) -> int:
    return 2 * number


def stop() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


async def test_no_more_jobs_are_handed_over_than_there_are_places() -> None:
    workers = Workers(1, ahead=2)
    try:
        most = 0
        submit = workers._pool.submit

        def counted(*args, **kwargs):
            nonlocal most
            given = submit(*args, **kwargs)
            most = max(most, len(workers._pool._pending_work_items))
            return given

        workers._pool.submit = counted
        assert await asyncio.gather(*(workers.run(twice, number) for number in range(20))) == [*range(0, 40, 2)]
        assert 1 < most <= 3
    finally:
        workers.close()


async def test_one_process_is_started_beforehand_and_others_when_there_is_more_to_do() -> None:
    workers = Workers(2)
    try:
        workers.warm(twice, 1)
        assert len(workers._pool._processes) == 1
        assert await asyncio.gather(*(workers.run(twice, number) for number in range(40))) == [*range(0, 80, 2)]
        assert len(workers._pool._processes) == 2
    finally:
        workers.close()


async def test_jobs_that_somebody_waits_for_go_first() -> None:
    workers, done = Workers(1), []

    async def paint(number: int) -> None:
        give_way()
        await workers.run(twice, number)
        done.append(number)

    async def look() -> None:
        await workers.draw(twice, 0)
        done.append("look")

    async def press() -> None:
        await workers.run(twice, 0)
        done.append("press")

    try:
        pictures = [asyncio.create_task(paint(number)) for number in range(8)]
        await asyncio.sleep(0)  # one is handed over, seven wait
        impatient = [asyncio.create_task(one) for one in (look(), press())]
        await asyncio.sleep(0)
        pictures[3].cancel()
        await asyncio.gather(*impatient, *pictures, return_exceptions=True)
        assert done == [0, "press", "look", 1, 2, 4, 5, 6, 7]
        assert workers.jobs == 0
        assert await workers.run(twice, 4) == 8
    finally:
        workers.close()


def stumble(order: str) -> None:
    {"nothing": 1}[order]


def refuse(piece: str) -> None:
    raise IllegalOrder("too_many_moves", "MB-3.4", piece=piece, most=3)


def go_round() -> None:
    while True:
        pass


def grow() -> None:
    bytearray(2**33)


async def test_a_fault_tells_its_kind_and_place_and_never_what_the_job_was_about() -> None:
    workers, order = Workers(1), "A1 FLRLF"
    try:
        with pytest.raises(Failed) as failed:
            await workers.run(stumble, order)
        told = "".join(traceback.format_exception(failed.value))
        assert "KeyError" in told
        assert "in stumble" in told
        assert "FLRLF" not in told
        # What a job says by an error of our own is heard as it was said.
        with pytest.raises(OrderError) as refused:
            await workers.run(refuse, order)
        assert refused.value.fault.piece == order
    finally:
        workers.close()


async def test_what_a_stranger_gives_us_to_do_is_bounded_in_time_and_memory() -> None:
    assert await alone(60, twice, 4) == 8
    for job in (go_round, grow):
        with pytest.raises(TooMuch):
            await alone(1, job)


async def test_a_process_that_dies_is_replaced() -> None:
    workers = Workers(1)
    try:
        with pytest.raises(RuntimeError):  # tried once more, and died again
            await workers.run(stop)
        assert await workers.run(twice, 4) == 8
    finally:
        workers.close()


def test_what_a_first_picture_needs_is_made_before_anybody_waits() -> None:
    ground.chalk_dust.cache_clear()
    showing.warm_up()
    assert ground.chalk_dust.cache_info().currsize == 1
