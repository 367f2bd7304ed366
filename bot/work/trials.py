"""Finds out whether a game can start as its host chose. A host's own scenario is tried in a process with limits."""

from __future__ import annotations

import asyncio
import hashlib
import logging
from typing import Final

import msgspec
from msgspec import UNSET

from bot.errors import Failed, Refusal, TooMuch
from bot.work import play
from bot.work.worker import Bounds, alone
from bot.work.workers import Workers
from rules.errors import Fault, OrderError
from rules.protocol import Setup

log = logging.getLogger(__name__)

BOUNDS: Final = Bounds(memory=2**30, cpu_s=4, nice=10)
"""Limits of the process that tries a scenario. Starting it takes one second; a sane scenario very little."""
TRY_MOST_S: Final = 8.0
"""Seconds until a trial is given up, even if a busy machine gave it little processor time."""
KNOWN_MOST: Final = 1000
"""How many results are kept, so that a lobby isn't tried again each time it is shown."""

_Found = Fault | Refusal | None
"""Why a game can't start: the game's own reason, or ours."""


class Trials:
    """Trials of setups; hosts' own scenarios one at a time."""

    def __init__(self, workers: Workers) -> None:
        self._workers = workers
        self._known: dict[bytes, _Found] = {}
        """Results for setups with scenarios, by their digests, oldest first."""
        self._one = asyncio.Lock()
        self.busy: set[int] = set()
        """Users whose scenarios are being tried."""

    async def why_not(self, setup: Setup) -> OrderError | Refusal | None:
        """Return why a game can't start like this; None: it can."""
        found = await (self._ours(setup) if setup.scenario is UNSET else self._theirs(setup))
        if isinstance(found, Fault):
            return OrderError(found, setup.system)
        return Refusal(found.key) if found else None  # a new one: raising leaves a traceback in it

    async def refuse(self, setup: Setup, user_id: int) -> None:
        """Raise `Refusal` or `OrderError` if a game can't start like this, or this user's last trial still runs."""
        if user_id in self.busy:
            raise Refusal("trying_scenario")
        self.busy.add(user_id)
        try:
            self._known.pop(_digest(setup), None)  # a busy machine may have given it too little time
            if refused := await self.why_not(setup):
                raise refused
        finally:
            self.busy.remove(user_id)

    async def _ours(self, setup: Setup) -> _Found:
        try:
            return await self._workers.run(play.refused, setup)
        except (Failed, TooMuch):
            log.exception("options could not be tried", extra={"system": setup.system})
            return Refusal("untried")

    async def _theirs(self, setup: Setup) -> _Found:
        digest = _digest(setup)
        if digest not in self._known:
            async with self._one:
                if digest not in self._known:
                    found = await _alone(setup)
                    while len(self._known) >= KNOWN_MOST:
                        del self._known[next(iter(self._known))]
                    self._known[digest] = found
                return self._known[digest]
        return self._known[digest]


def _digest(setup: Setup) -> bytes:
    return hashlib.sha256(msgspec.json.encode(setup, order="deterministic")).digest()


async def _alone(setup: Setup) -> _Found:
    """Try a scenario in a process of its own: it may have been made up to keep us busy."""
    try:
        return await alone(BOUNDS, TRY_MOST_S, play.refused, setup)
    except Failed as failed:
        log.warning("scenario fails", extra={"system": setup.system, "why": str(failed)})
        return Refusal("scenario_fails")
    except TooMuch:
        log.warning("scenario takes too much", extra={"system": setup.system})
        return Refusal("scenario_too_much")
