"""How long the laws are tried: a little in every test run, for long with `LAWS=long`; and where games are shared."""

import os
from typing import Final

LONG: Final = os.environ.get("LAWS") == "long"

SHARED: Final = "WAR_GALLEY_TAPES"
"""Names in the environment the folder in which processes that test side by side share the games that they play."""


def times(short: int, long: int) -> int:
    """How often to try."""
    return long if LONG else short
