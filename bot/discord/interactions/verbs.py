"""Which method answers which button: a class names it where the method stands."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from discord import Interaction

from bot.discord.ids import CustomId

VerbHandler = Callable[[Interaction[Any], CustomId], Awaitable[None]]
"""What is done when a button, a list or a form of ours is used."""
M = TypeVar("M", bound=Callable[..., Awaitable[None]])

_VERB_ATTRIBUTE = "__verb__"


def handles_verb(name: str) -> Callable[[M], M]:
    """Let a method answer buttons whose custom id has this verb."""

    def named(method: M) -> M:
        setattr(method, _VERB_ATTRIBUTE, name)
        return method

    return named


def verb_handlers(owner: object) -> dict[str, VerbHandler]:
    """The methods of an object that answer buttons, by their verbs."""
    methods = (getattr(owner, name) for name, found in vars(type(owner)).items() if hasattr(found, _VERB_ATTRIBUTE))
    return {getattr(method, _VERB_ATTRIBUTE): method for method in methods}
