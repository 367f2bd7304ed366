"""Cache the backgrounds that were drawn last. All frames of a film share one, and so do many panels of a game."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from functools import wraps
from typing import Final, ParamSpec

from PIL import Image

P = ParamSpec("P")

MAX_CACHED: Final = 4
"""Backgrounds of all games together: one of 1,600 x 1,280 pixels takes 8 MB in each worker."""

_cache: OrderedDict[Hashable, Image.Image] = OrderedDict()


def cache_background(draw: Callable[P, Image.Image]) -> Callable[P, Image.Image]:
    """Cache the results of a function of hashable arguments. Callers copy an image before they draw on it."""

    @wraps(draw)
    def draw_once(*args: P.args, **kwargs: P.kwargs) -> Image.Image:
        key = (draw, args, tuple(kwargs.items()))
        image = _cache.pop(key) if key in _cache else draw(*args, **kwargs)
        _cache[key] = image
        while len(_cache) > MAX_CACHED:
            _cache.popitem(last=False)
        return image

    return draw_once
