"""Make operations on a game wait for a running step, which may be a hidden one.

A refusal would reveal a hidden step, because a game is busy for no other reason that others cannot see.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any, Concatenate, Final, ParamSpec, Protocol, TypeVar

from bot.errors import Refusal
from bot.lifecycle.steps.runner import StepRunner

P = ParamSpec("P")
T = TypeVar("T")

MAX_TRIES: Final = 10


class GameService(Protocol):
    @property
    def runner(self) -> StepRunner:
        """The runner that knows which games are in the middle of a step."""


D = TypeVar("D", bound=GameService)


def between_steps(
    done: Callable[Concatenate[D, Any, int, P], Coroutine[Any, Any, T]],
) -> Callable[Concatenate[D, Any, int, P], Coroutine[Any, Any, T]]:
    """Retry a method after each running step that makes it raise `Refusal("busy")`."""

    @wraps(done)
    async def patient(door: D, who: Any, game_id: int, /, *args: P.args, **named: P.kwargs) -> T:  # noqa: ANN401 - any caller
        for _ in range(MAX_TRIES):
            try:
                return await done(door, who, game_id, *args, **named)
            except Refusal as refused:
                if refused.key != "busy" or not await door.runner.wait_for_step(game_id):
                    raise
        return await done(door, who, game_id, *args, **named)

    return patient
