"""What is done to a game waits until the step in hand is over: it may be one that a captain takes in secret.

Were it refused meanwhile, others would learn of it: of nothing else that they don't see is a game busy.
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
"""Steps for which somebody waits one after the other."""


class GameService(Protocol):
    """What people may do with a game."""

    @property
    def runner(self) -> StepRunner:
        """Knows which games are in the middle of a step."""


D = TypeVar("D", bound=GameService)


def between_steps(
    done: Callable[Concatenate[D, Any, int, P], Coroutine[Any, Any, T]],
) -> Callable[Concatenate[D, Any, int, P], Coroutine[Any, Any, T]]:
    """Do it to a game, again after each step that was in hand."""

    @wraps(done)
    async def patient(door: D, who: Any, game_id: int, /, *given: P.args, **named: P.kwargs) -> T:  # noqa: ANN401 - any caller
        for _ in range(MAX_TRIES):
            try:
                return await done(door, who, game_id, *given, **named)
            except Refusal as refused:
                if refused.key != "busy" or not await door.runner.wait_for_step(game_id):
                    raise
        return await done(door, who, game_id, *given, **named)

    return patient
