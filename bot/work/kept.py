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

MOST: Final = 12
"""Pictures that a process keeps, of some 150 kB each."""

_kept: OrderedDict[bytes, Any] = OrderedDict()
"""By a hash of what was asked for; the last one used is the last."""


def kept(job: Callable[P, T]) -> Callable[P, T]:
    """The same job, a pure function of its values, done once for values that come again soon."""

    @wraps(job)
    def once(*args: P.args, **kwargs: P.kwargs) -> T:
        asked = blake2b(pickle.dumps((job.__name__, args, kwargs)), digest_size=16).digest()
        result: T = _kept.pop(asked) if asked in _kept else job(*args, **kwargs)
        _kept[asked] = result
        while len(_kept) > MOST:
            _kept.popitem(last=False)
        return result

    return once
