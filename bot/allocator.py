"""Set up the C library's memory allocator so that freed memory goes back to the system."""

from __future__ import annotations

import ctypes
import sys
from typing import Final

_MAX_ARENAS: Final = 1
_LARGE_BLOCK_BYTES: Final = 128 * 2**10
# Numbers of parameters in glibc's malloc.h
_M_TRIM_THRESHOLD: Final = -1
_M_MMAP_THRESHOLD: Final = -3
_M_ARENA_MAX: Final = -8


def return_freed_memory() -> None:
    """Keep one heap for all threads, and allocate large blocks outside it, such as pictures.

    By default, glibc keeps up to eight heaps for each processor, and lets large blocks into them once some were freed:
    the heaps fragment and grow. Child processes inherit the setting if they fork. Does nothing with other C libraries.
    """
    if sys.platform != "linux":
        return
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is None:
        return
    mallopt(_M_ARENA_MAX, _MAX_ARENAS)
    mallopt(_M_MMAP_THRESHOLD, _LARGE_BLOCK_BYTES)
    mallopt(_M_TRIM_THRESHOLD, _LARGE_BLOCK_BYTES)
