"""What a volley at the best aim may be expected to hit, without the aim map that `aim` makes.

The best point to drop over lies clear of hulls and order matches nearly always, so that what is expected hardly depends
on anything but the matches dropped and whether the target lies abeam: `python -m tests.arena.gunnery` holds it against
the maps of whole games. What a hull fills of the horizon, on the average, grows as her length and breadth together.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from rules.matchbox.ai.many_hulls import Bools, Floats, Ints
from rules.matchbox.engine.kinds import GALLEY, VesselKind

HIT_CHANCES: Final = np.array([0.0, 0.157, 0.147, 0.142, 0.138, 0.135, 0.132, 0.1305, 0.129])
"""Of one match's head to hit, and the volley not to be spoiled, by the matches in the volley (MB-6.3, 6.7, 6.8).

Of what a tower or marksmen add to eight (MX-2.5, 4.5) it isn't measured, and counts as much as each of eight.
"""


def expected_hits(matches: Ints, abeam: Bools, breadth: Floats | float = 1.0) -> Floats:
    """Hits to be expected of volleys; abeam the tails count too (MB-6.9).

    `broadside_factor`: of the targets, as seen from all round, in those of a galley.
    """
    chances = HIT_CHANCES[np.minimum(matches, len(HIT_CHANCES) - 1)]
    return np.asarray(matches * chances * np.where(abeam, 2.0, 1.0) * breadth)


def broadside_factor(kind: VesselKind) -> float:
    """Of one vessel."""
    return (kind.length_mm + kind.width_mm) / (GALLEY.length_mm + GALLEY.width_mm)
