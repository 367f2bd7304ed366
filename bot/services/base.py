"""The base class of services that change games."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any, Concatenate, Final, ParamSpec, TypeVar

from bot.errors import Refusal
from bot.lifecycle.steps.runner import StepRunner
from bot.store import Store, retries_conflicts

P = ParamSpec("P")
T = TypeVar("T")

MAX_TRIES: Final = 10


class GameService:
    def __init__(self, store: Store, step_runner: StepRunner) -> None:
        self._store = store
        self._step_runner = step_runner

    def now(self) -> int:
        return self._step_runner.now()

    def _note_change(self) -> None:
        """Have messages sent and deadlines kept that a transaction has left."""
        self._step_runner.listener.note_change()

    async def wait_for_step(self, game_id: int) -> bool:
        return await self._step_runner.wait_for_step(game_id)


D = TypeVar("D", bound=GameService)


def between_steps(
    method: Callable[Concatenate[D, Any, int, P], Coroutine[Any, Any, T]],
) -> Callable[Concatenate[D, Any, int, P], Coroutine[Any, Any, T]]:
    """Retry a method after each running step that makes it raise `Refusal("busy")`, and after write conflicts.

    The step may be hidden, and a refusal would reveal it: a game is busy for no other reason that others cannot see.
    """
    method = retries_conflicts(method)

    @wraps(method)
    async def retry_while_busy(service: D, who: Any, game_id: int, /, *args: P.args, **named: P.kwargs) -> T:  # noqa: ANN401 - any caller
        for _ in range(MAX_TRIES):
            try:
                return await method(service, who, game_id, *args, **named)
            except Refusal as refusal:
                if refusal.key != "busy" or not await service.wait_for_step(game_id):
                    raise
        return await method(service, who, game_id, *args, **named)

    return retry_while_busy
