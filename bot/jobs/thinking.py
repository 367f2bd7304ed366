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
        self.stopped_after: int | None = None  # number of checks before the one that stopped thinking; None if none did

    def stop(self) -> None:
        self.stopped_after = self.check_count


@contextmanager
def limit_time(used_s: Callable[[], float] = time.process_time) -> Iterator[ThinkingLog]:
    """Stop the thinking of captains in this block after `MAX_THINKING_S` of `used_s`, the process's processor time."""
    began = used_s()
    thinking_log = ThinkingLog()
    with _thinking_until(lambda: used_s() - began >= MAX_THINKING_S, thinking_log):
        yield thinking_log


@contextmanager
def repeat_thinking(max_checks: int | None) -> Iterator[ThinkingLog]:
    """Stop the thinking of captains in this block after `max_checks` checks; None: let them finish."""
    thinking_log = ThinkingLog()
    with _thinking_until(lambda: max_checks is not None and thinking_log.check_count >= max_checks, thinking_log):
        yield thinking_log


@contextmanager
def _thinking_until(must_stop: Callable[[], bool], thinking_log: ThinkingLog) -> Iterator[None]:
    def is_stopped() -> bool:
        # Counts the checks before the first that stops the thinking.
        if thinking_log.stopped_after is None and must_stop():
            thinking_log.stop()
        if thinking_log.stopped_after is None:
            thinking_log.check_count += 1
        return thinking_log.stopped_after is not None

    with thinking.thinking_until(is_stopped):
        yield
