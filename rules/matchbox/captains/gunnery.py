"""What a volley at the best aim may be expected to hit, without the aim map that `aim` makes.

The best point to drop over lies clear of hulls and order matches nearly always, so that what is expected hardly depends
on anything but the matches dropped and whether the target lies abeam: `python -m tests.arena.gunnery` holds it against
the maps of whole games.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from rules.matchbox.captains.many_hulls import Bools, Floats, Ints

CHANCES: Final = np.array([0.0, 0.157, 0.147, 0.142, 0.138, 0.135, 0.132, 0.1305, 0.129])
"""Of one match's head to hit, and the volley not to be spoiled, by the matches in the volley (MB-6.3, 6.7, 6.8).

Of what a tower or marksmen add to eight (MX-2.5, 4.5) it isn't measured, and counts as much as each of eight.
"""


def hits(matches: Ints, abeam: Bools) -> Floats:
    """Hits to be expected of volleys; abeam the tails count too (MB-6.9)."""
    return np.asarray(matches * CHANCES[np.minimum(matches, len(CHANCES) - 1)] * np.where(abeam, 2.0, 1.0))
