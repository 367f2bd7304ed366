"""Cache recently drawn pictures. A panel of which only the text changes asks for the same picture again."""

from __future__ import annotations

import pickle
from collections import OrderedDict
from collections.abc import Callable
from functools import wraps
from hashlib import blake2b
from typing import Any, Final, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

MAX_CACHED: Final = 12

_cache: OrderedDict[bytes, Any] = OrderedDict()


def cached(job: Callable[P, T]) -> Callable[P, T]:
    """Cache the results of a job, which must be a pure function of picklable arguments."""

    @wraps(job)
    def cached_job(*args: P.args, **kwargs: P.kwargs) -> T:
        key = blake2b(pickle.dumps((job.__name__, args, kwargs)), digest_size=16).digest()
        result: T = _cache.pop(key) if key in _cache else job(*args, **kwargs)
        _cache[key] = result
        while len(_cache) > MAX_CACHED:
            _cache.popitem(last=False)
        return result

    return cached_job
