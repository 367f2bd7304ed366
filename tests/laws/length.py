"""The length of the laws' tests: short in every test run, long with `LAWS=long`; and where games are shared."""

import os
from typing import Final

LONG: Final = os.environ.get("LAWS") == "long"

SHARED: Final = "WAR_GALLEY_TAPES"
"""Names in the environment the folder in which processes that test side by side share the games that they play."""


def times(short: int, long: int) -> int:
    return long if LONG else short
