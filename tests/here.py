"""A worker that is no process: jobs are done where they are asked for, without a start, a wait, or other imports."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from bot.jobs import worker
from bot.jobs.workers import Workers


class Here:
    """Does jobs in this very process, as a worker does them: what goes in and what comes out is pickled."""

    def __init__(self) -> None:
        self.begun: Callable[[Any], None] = lambda job: None  # called with each job before it is done

    def submit(self, job: Any, most_s: float) -> Future[Any]:
        """Do a job now; the answer is done when this returns."""
        self.begun(job)
        done: Future[Any] = Future()
        well, result = pickle.loads(worker._run_pickled(pickle.dumps(job)))
        if well:
            done.set_result(result)
        else:
            done.set_exception(result)
        return done


def workers(here: Here | None = None) -> Workers:
    """Workers without processes. There is nothing to close."""
    pool = Workers(1)
    pool._idle, pool._all = [here or Here()], ()  # type: ignore[list-item]
    return pool
