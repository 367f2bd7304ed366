"""Pictures just drawn, in case exactly the same is asked for again, as by a panel of which only words change."""

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
"""Pictures that a process keeps, of some 150 kB each."""

_cache: OrderedDict[bytes, Any] = OrderedDict()
"""By a hash of what was asked for; the last one used is the last."""


def cached(job: Callable[P, T]) -> Callable[P, T]:
    """The same job, a pure function of its values, done once for values that come again soon."""

    @wraps(job)
    def once(*args: P.args, **kwargs: P.kwargs) -> T:
        asked = blake2b(pickle.dumps((job.__name__, args, kwargs)), digest_size=16).digest()
        result: T = _cache.pop(asked) if asked in _cache else job(*args, **kwargs)
        _cache[asked] = result
        while len(_cache) > MAX_CACHED:
            _cache.popitem(last=False)
        return result

    return once
