from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def without_garbage_collection() -> Iterator[None]:
    """Disable garbage collection while modules load, and exclude their objects from it afterwards.

    This saves a sixth of the loading time.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
