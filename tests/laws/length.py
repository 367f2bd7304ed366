"""How long the laws are tried: a little in every test run, for long with `LAWS=long`."""

from __future__ import annotations

import os
from typing import Final

LONG: Final = os.environ.get("LAWS") == "long"


def times(short: int, long: int) -> int:
    """How often to try."""
    return long if LONG else short
