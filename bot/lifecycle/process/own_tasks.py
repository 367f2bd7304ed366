"""Start tasks that belong to the bot itself rather than to the press that triggered them."""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class OwnTasks:
    """Starts tasks in the context of its creation, without the log fields and urgency of a user's press."""

    def __init__(self) -> None:
        self._context = contextvars.copy_context()

    def start_task(self, work: Coroutine[Any, Any, T], name: str) -> asyncio.Task[T]:
        return self._context.copy().run(asyncio.create_task, work, name=name)
