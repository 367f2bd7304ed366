"""Tasks that belong to the bot itself, no matter who set them going."""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class OwnTasks:
    """Starts tasks in the context in which this was made: what they log and wait for is not about a user's press."""

    def __init__(self) -> None:
        self._context = contextvars.copy_context()

    def start_task(self, work: Coroutine[Any, Any, T], name: str) -> asyncio.Task[T]:
        """The task that runs this, in a copy of that context."""
        return self._context.copy().run(asyncio.create_task, work, name=name)
