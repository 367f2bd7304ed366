"""The processes that compute and draw: a bounded queue, and no lost job."""

from __future__ import annotations

import asyncio
import os
import signal

import pytest

from bot.workers import Workers


def twice(number: int) -> int:
    return 2 * number


def stop() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


async def test_no_more_jobs_are_handed_over_than_there_are_places() -> None:
    workers = Workers(1, waiting=3)
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


async def test_a_process_that_dies_is_replaced() -> None:
    workers = Workers(1)
    try:
        with pytest.raises(RuntimeError):  # tried once more, and died again
            await workers.run(stop)
        assert await workers.run(twice, 4) == 8
    finally:
        workers.close()
