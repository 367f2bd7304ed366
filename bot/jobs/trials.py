"""Check whether a game can start with its host's options. A host's own scenario is tried in a process with limits."""

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
"""Limits of the process that tries a scenario. Starting takes one second, a sane scenario very little."""
TRIAL_TIMEOUT_S: Final = 8.0
MAX_CACHED: Final = 1000

_TrialResult = Fault | str | None
"""Why a setup is refused: by the rules, or by the bot with the key of a `Refusal`; None: it is not.

No exception is stored, because raising it would leave a traceback in it.
"""


class SetupTrials:
    def __init__(self, workers: Workers) -> None:
        self._workers = workers
        self._results: dict[bytes, _TrialResult] = {}  # of hosts' scenarios, by digest of the setup
        self._lock = asyncio.Lock()
        self.busy_users: set[int] = set()  # users whose scenario is being tried

    async def why_refused(self, setup: Setup) -> OrderError | Refusal | None:
        reason = await (self._try_options(setup) if setup.scenario is UNSET else self._try_host_scenario(setup))
        if isinstance(reason, Fault):
            return OrderError(reason, setup.system)
        return Refusal(reason) if reason else None

    async def refuse_if_unplayable(self, setup: Setup, user_id: int) -> None:
        """Raise `OrderError` or `Refusal` if a game can't start with this setup.

        Also raises `Refusal` if an earlier trial of this user is still running. The setup is always tried again.
        """
        if user_id in self.busy_users:
            raise Refusal("trying_scenario")
        self.busy_users.add(user_id)
        try:
            self._results.pop(_setup_digest(setup), None)  # a busy machine may have given it too little time
            if error := await self.why_refused(setup):
                raise error
        finally:
            self.busy_users.remove(user_id)

    async def _try_options(self, setup: Setup) -> _TrialResult:
        try:
            return await self._workers.run_rules(play.why_setup_refused, setup)
        except (JobFailed, JobLimitExceeded):
            log.exception("options could not be tried", extra={"system": setup.system})
            return "untried"

    async def _try_host_scenario(self, setup: Setup) -> _TrialResult:
        digest = _setup_digest(setup)
        if digest not in self._results:
            async with self._lock:
                if digest not in self._results:
                    result = await _try_in_process(setup)
                    while len(self._results) >= MAX_CACHED:
                        del self._results[next(iter(self._results))]
                    self._results[digest] = result
                return self._results[digest]
        return self._results[digest]


def _setup_digest(setup: Setup) -> bytes:
    return hashlib.sha256(msgspec.json.encode(setup, order="deterministic")).digest()


async def _try_in_process(setup: Setup) -> _TrialResult:
    """Try a scenario in its own process, because it may have been written to exhaust resources."""
    try:
        return await run_in_own_process(TRIAL_LIMITS, TRIAL_TIMEOUT_S, play.why_setup_refused, setup)
    except JobFailed as error:
        log.warning("scenario fails", extra={"system": setup.system, "why": str(error)})
        return "scenario_fails"
    except JobLimitExceeded:
        log.warning("scenario takes too much", extra={"system": setup.system})
        return "scenario_too_much"
