"""Registration of handlers: a decorator names the verb that a method handles."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from discord import Interaction

from bot.discord.ids import CustomId

VerbHandler = Callable[[Interaction[Any], CustomId], Awaitable[None]]
M = TypeVar("M", bound=Callable[..., Awaitable[None]])

_VERB_ATTRIBUTE = "__verb__"


def handles_verb(name: str) -> Callable[[M], M]:
    """Mark a method as the handler of components whose custom id has this verb."""

    def mark_method(method: M) -> M:
        setattr(method, _VERB_ATTRIBUTE, name)
        return method

    return mark_method


def verb_handlers(owner: object) -> dict[str, VerbHandler]:
    """Return the methods of an object that `handles_verb` marks, by verb."""
    methods = (
        getattr(owner, name) for name, attribute in vars(type(owner)).items() if hasattr(attribute, _VERB_ATTRIBUTE)
    )
    return {getattr(method, _VERB_ATTRIBUTE): method for method in methods}
