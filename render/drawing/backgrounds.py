"""Cache the backgrounds that were drawn last. All frames of a film share one, and so do many panels of a game."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Any, Final, ParamSpec

from PIL import Image

P = ParamSpec("P")

MAX_CACHED: Final = 4
"""Backgrounds of all games together: one of 1,600 x 1,280 pixels takes 8 MB in each worker."""


def cache_background(draw: Callable[P, Image.Image]) -> Callable[P, Image.Image]:
    """Cache the results of a function of hashable arguments. Callers copy an image before they draw on it."""

    @wraps(draw)
    def draw_once(*args: P.args, **kwargs: P.kwargs) -> Image.Image:
        return _draw(draw, args, tuple(kwargs.items()))

    return draw_once


@lru_cache(maxsize=MAX_CACHED)
def _draw(draw: Callable[..., Image.Image], args: tuple[Any, ...], kwargs: tuple[tuple[str, Any], ...]) -> Image.Image:
    return draw(*args, **dict(kwargs))
