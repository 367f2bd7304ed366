"""Why the bot, rather than a rule of a game, refuses something; and why a job was not done."""

from __future__ import annotations

from rules.core.errors import Scalar


class Refusal(Exception):
    """What was asked cannot be done; the sentence stands in the catalogue under `refuse.<key>`. Nothing was changed."""

    def __init__(self, key: str, /, *, system: str = "", **params: Scalar) -> None:
        super().__init__(f"{key} {params or ''}".strip())
        self.key = key
        self.system = system
        """The game whose words tell it; empty: those that all share."""
        self.params = params


def is_game_gone(error: Exception) -> bool:
    """Return whether an error says that there is no such game: it may have been deleted in the middle of something."""
    return isinstance(error, Refusal) and error.key == "unknown_game"


class JobFailed(RuntimeError):
    """A bug in a job: its kind and its traceback, without values, because jobs hold secrets."""


class JobOutdated(Exception):
    """A picture was not drawn, or nothing suggested, as something newer is to be seen in its place."""


class JobLimitExceeded(Exception):
    """A job took more time or memory than it may have."""
