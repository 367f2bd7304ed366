"""Define refusals by the bot itself, and failures of jobs. Refusals by a game's rules are `OrderError`s."""

from __future__ import annotations

from rules.core.errors import Scalar


class Refusal(Exception):
    """A request that the bot refuses without any change. Its text is in the catalogue under `refuse.<key>`."""

    def __init__(self, key: str, /, *, system: str = "", **params: Scalar) -> None:
        super().__init__(f"{key} {params or ''}".strip())
        self.key = key
        self.system = system
        self.params = params


def is_game_gone(error: Exception) -> bool:
    return isinstance(error, Refusal) and error.key == "unknown_game"


class JobFailed(RuntimeError):
    """A bug in a job, with its type and traceback but no values, because jobs handle secrets."""


class JobOutdated(Exception):
    """A picture or suggestion was not computed because a newer one replaces it."""


class JobLimitExceeded(Exception):
    """A job exceeded its limit of time or memory."""
