"""Limit the time that computer captains think about an answer or a hint."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from rules.ai import thinking

MAX_THINKING_S: Final = 1.4
"""Processor time (s) after which a captain starts no further trial. A trial under way ends within two seconds.

On a quiet machine of usual speed no captain thinks as long (`tests.bench.answers`), so nothing is cut short.
"""


class ThinkingLog:
    """A count of the checks whether to stop thinking. Thinking up to the same check gives the same answer."""

    def __init__(self) -> None:
        self.check_count = 0
        self.stopped_after: int | None = None
        """Number of checks before the one that stopped thinking; None if none did."""

    def stop(self) -> None:
        self.stopped_after = self.check_count


@contextmanager
def limit_time(used_s: Callable[[], float] = time.process_time) -> Iterator[ThinkingLog]:
    """Stop the thinking of captains in this block after `MAX_THINKING_S` of `used_s`, the process's processor time."""
    began = used_s()
    thought = ThinkingLog()
    with _thinking_until(lambda: used_s() - began >= MAX_THINKING_S, thought):
        yield thought


@contextmanager
def repeat_thinking(looks: int | None) -> Iterator[ThinkingLog]:
    """Stop the thinking of captains in this block after `looks` checks; None: let them finish."""
    thought = ThinkingLog()
    with _thinking_until(lambda: looks is not None and thought.check_count >= looks, thought):
        yield thought


@contextmanager
def _thinking_until(enough: Callable[[], bool], thought: ThinkingLog) -> Iterator[None]:
    def is_enough() -> bool:
        if thought.stopped_after is None and enough():
            thought.stop()
        if thought.stopped_after is None:
            thought.check_count += 1
        return thought.stopped_after is not None

    with thinking.thinking_until(is_enough):
        yield
