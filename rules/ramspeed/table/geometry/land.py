"""Land in one piece, for those who ask whether a line or a point meets it (computer captains).

The rules themselves measure land as convex outlines among ships' hulls (`hulls.py`): what they round to is part of
finished games, and `plane.Land.way` differs from it in the last digits.
"""

from __future__ import annotations

from functools import lru_cache

from rules.plane import Land
from rules.ramspeed.table.state import Ring


@lru_cache(maxsize=16)
def of(rings: tuple[Ring, ...]) -> Land:
    """The land of a table, by the outlines of its pieces."""
    return Land(rings)
