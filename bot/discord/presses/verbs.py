"""Which method answers which button: a class names it where the method stands."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from discord import Interaction

from bot.discord.ids import Ref

Verb = Callable[[Interaction[Any], Ref], Awaitable[None]]
"""What is done when a button, a list or a form of ours is used."""
M = TypeVar("M", bound=Callable[..., Awaitable[None]])

_NAME = "__verb__"


def verb(name: str) -> Callable[[M], M]:
    """Let a method answer buttons whose custom id has this verb."""

    def named(method: M) -> M:
        setattr(method, _NAME, name)
        return method

    return named


def verbs_of(owner: object) -> dict[str, Verb]:
    """The methods of an object that answer buttons, by their verbs."""
    methods = (getattr(owner, name) for name, found in vars(type(owner)).items() if hasattr(found, _NAME))
    return {getattr(method, _NAME): method for method in methods}
