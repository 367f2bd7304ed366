"""How long computer captains think about an answer, or a hint."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from rules.ai import thinking

MAX_THINKING_S: Final = 1.4
"""Seconds of processor time after which a captain tries nothing more: what it has begun then ends within two seconds.

On a quiet machine of usual speed no captain thinks as long (`tests.bench.answers`), so that nothing is cut short."""


class ThinkingLog:
    """How far a captain has thought: thinking once more as far finds the same, however long that takes."""

    def __init__(self) -> None:
        """It has not begun."""
        self.check_count = 0
        """How often it has asked whether that is enough, and gone on."""
        self.stopped_after: int | None = None
        """After how many looks it was told that it is enough; None: it was not."""

    def stop(self) -> None:
        """From now on it is enough."""
        self.stopped_after = self.check_count


@contextmanager
def limit_time(used_s: Callable[[], float] = time.process_time) -> Iterator[ThinkingLog]:
    """Let captains stop in time who are asked in this block. `used_s` tells the processor time of this process."""
    began, thought = used_s(), ThinkingLog()
    with _thinking_until(lambda: used_s() - began >= MAX_THINKING_S, thought):
        yield thought


@contextmanager
def repeat_thinking(looks: int | None) -> Iterator[ThinkingLog]:
    """Let captains who are asked in this block think once more what was `stopped` after so many looks, or was not."""
    thought = ThinkingLog()
    with _thinking_until(lambda: looks is not None and thought.check_count >= looks, thought):
        yield thought


@contextmanager
def _thinking_until(enough: Callable[[], bool], thought: ThinkingLog) -> Iterator[None]:
    def is_enough() -> bool:
        if thought.stopped_after is None and enough():
            thought.stop()
        thought.check_count += thought.stopped_after is None
        return thought.stopped_after is not None

    with thinking.thinking_until(is_enough):
        yield
