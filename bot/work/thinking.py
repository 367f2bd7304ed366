"""How long computer captains think about an answer, or a hint."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from rules import thinking

THINK_S: Final = 1.4
"""Seconds of processor time after which a captain tries nothing more: what it has begun then ends within two seconds.

On a quiet machine of usual speed no captain thinks as long (`tests.bench.answers`), so that nothing is cut short."""


@contextmanager
def in_time(used_s: Callable[[], float] = time.process_time) -> Iterator[None]:
    """Let captains stop in time who are asked in this block. `used_s` tells the processor time of this process."""
    began = used_s()
    with thinking.until(lambda: used_s() - began >= THINK_S):
        yield
