"""The sandbox as `war-galley sandbox` runs it, but with dice that fall alike each time: `main` with DATA [--fresh]."""

from __future__ import annotations

import hashlib
import itertools
import sys
from pathlib import Path

from bot.sandbox.session import run_sandbox


def main() -> None:
    numbers = itertools.count(1)  # with which the first duel lasts longer than three rounds
    run_sandbox(
        port=0,
        data=Path(sys.argv[1]),
        fresh="--fresh" in sys.argv,
        chance=lambda: hashlib.sha256(str(next(numbers)).encode()).hexdigest(),
    )
