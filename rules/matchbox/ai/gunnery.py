"""Expected hits of a volley at the best aim, without the aim map of `aim`.

The best point nearly always lies clear of hulls and order matches. So the expectation depends almost only on the number
of matches and on whether the target lies abeam. `python -m tests.arena.gunnery` compares it with the maps of whole
games. The angle that a hull subtends is, on average, proportional to the sum of its length and width.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from rules.matchbox.ai.many_hulls import Bools, Floats, Ints
from rules.matchbox.engine.kinds import GALLEY, VesselKind

HIT_CHANCES: Final = np.array([0.0, 0.157, 0.147, 0.142, 0.138, 0.135, 0.132, 0.1305, 0.129])
"""The chance that one match hits with its head in an unspoiled volley, by matches in it (MB-6.3, 6.7, 6.8).

More than eight matches, with a tower or marksmen (MX-2.5, 4.5), were not measured and use the last value.
"""


def expected_hits(matches: Ints, abeam: Bools, breadth: Floats | float = 1.0) -> Floats:
    """Return the expected hits of volleys. Abeam, tails count too (MB-6.9). `breadth` is `broadside_factor`."""
    chances = HIT_CHANCES[np.minimum(matches, len(HIT_CHANCES) - 1)]
    return np.asarray(matches * chances * np.where(abeam, 2.0, 1.0) * breadth)


def broadside_factor(kind: VesselKind) -> float:
    return (kind.length_mm + kind.width_mm) / (GALLEY.length_mm + GALLEY.width_mm)
