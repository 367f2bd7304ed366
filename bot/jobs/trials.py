"""Finds out whether a game can start as its host chose. A host's own scenario is tried in a process with limits."""

from __future__ import annotations

import asyncio
import hashlib
import logging
from typing import Final

import msgspec
from msgspec import UNSET

from bot.errors import JobFailed, JobLimitExceeded, Refusal
from bot.jobs import play
from bot.jobs.worker import ProcessLimits, run_in_own_process
from bot.jobs.workers import Workers
from rules.core.errors import Fault, OrderError
from rules.core.protocol import Setup

log = logging.getLogger(__name__)

TRIAL_LIMITS: Final = ProcessLimits(memory_bytes=2**30, cpu_s=4, nice=10)
"""Limits of the process that tries a scenario. Starting it takes one second; a sane scenario very little."""
TRIAL_TIMEOUT_S: Final = 8.0
"""Seconds until a trial is given up, even if a busy machine gave it little processor time."""
MAX_CACHED: Final = 1000
"""How many results are kept, so that a lobby isn't tried again each time it is shown."""

_TrialResult = Fault | Refusal | None
"""Why a game can't start: the game's own reason, or ours."""


class SetupTrials:
    """Trials of setups; hosts' own scenarios one at a time."""

    def __init__(self, workers: Workers) -> None:
        self._workers = workers
        self._results: dict[bytes, _TrialResult] = {}
        """Results for setups with scenarios, by their digests, oldest first."""
        self._lock = asyncio.Lock()
        self.busy_users: set[int] = set()
        """Users whose scenarios are being tried."""

    async def why_refused(self, setup: Setup) -> OrderError | Refusal | None:
        """Return why a game can't start like this; None: it can."""
        found = await (self._try_own_setup(setup) if setup.scenario is UNSET else self._try_host_scenario(setup))
        if isinstance(found, Fault):
            return OrderError(found, setup.system)
        return Refusal(found.key) if found else None  # a new one: raising leaves a traceback in it

    async def refuse_if_unplayable(self, setup: Setup, user_id: int) -> None:
        """Raise `Refusal` or `OrderError` if a game can't start like this, or this user's last trial still runs."""
        if user_id in self.busy_users:
            raise Refusal("trying_scenario")
        self.busy_users.add(user_id)
        try:
            self._results.pop(_setup_digest(setup), None)  # a busy machine may have given it too little time
            if refused := await self.why_refused(setup):
                raise refused
        finally:
            self.busy_users.remove(user_id)

    async def _try_own_setup(self, setup: Setup) -> _TrialResult:
        try:
            return await self._workers.run_rules(play.why_setup_refused, setup)
        except (JobFailed, JobLimitExceeded):
            log.exception("options could not be tried", extra={"system": setup.system})
            return Refusal("untried")

    async def _try_host_scenario(self, setup: Setup) -> _TrialResult:
        digest = _setup_digest(setup)
        if digest not in self._results:
            async with self._lock:
                if digest not in self._results:
                    found = await _try_in_process(setup)
                    while len(self._results) >= MAX_CACHED:
                        del self._results[next(iter(self._results))]
                    self._results[digest] = found
                return self._results[digest]
        return self._results[digest]


def _setup_digest(setup: Setup) -> bytes:
    return hashlib.sha256(msgspec.json.encode(setup, order="deterministic")).digest()


async def _try_in_process(setup: Setup) -> _TrialResult:
    """Try a scenario in a process of its own: it may have been made up to keep us busy."""
    try:
        return await run_in_own_process(TRIAL_LIMITS, TRIAL_TIMEOUT_S, play.why_setup_refused, setup)
    except JobFailed as failed:
        log.warning("scenario fails", extra={"system": setup.system, "why": str(failed)})
        return Refusal("scenario_fails")
    except JobLimitExceeded:
        log.warning("scenario takes too much", extra={"system": setup.system})
        return Refusal("scenario_too_much")
