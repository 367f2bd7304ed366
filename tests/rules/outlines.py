"""Hexes that a line between two hexes crosses, by plain geometry: outlines cut in fractions.

The coordinates are skewed, so that all corners are rational; lines stay straight, and parts of them in proportion.
"""

from fractions import Fraction
from functools import cache
from itertools import product

from rules.geometry.hexes import Hex

CORNERS = [Hex(2, -1), Hex(1, 1), Hex(-1, 2), Hex(-2, 1), Hex(-1, -1), Hex(1, -2)]
"""Of a hex around the origin, in thirds, in order: each lies at the middle of three neighbouring centres."""


def outline(here):
    return [(here.q + Fraction(corner.q, 3), here.r + Fraction(corner.r, 3)) for corner in CORNERS]


def cut(to, here):
    """Return the part of the way from the origin within a hex's outline, edges included, and if it runs inside."""
    low, high, inside = Fraction(0), Fraction(1), True
    corners = outline(here)
    for (x, y), (next_x, next_y) in zip(corners, [*corners[1:], corners[0]], strict=True):
        edge_x, edge_y = next_x - x, next_y - y
        # Which side of the edge a point of the way lies on: positive is the side of the centre.
        at_start = edge_x * (0 - y) - edge_y * (0 - x)
        rate = edge_x * to.r - edge_y * to.q
        side = 1 if edge_x * (here.r - y) - edge_y * (here.q - x) > 0 else -1
        at_start, rate = side * at_start, side * rate
        if rate > 0:
            low = max(low, -at_start / rate)
        elif rate < 0:
            high = min(high, -at_start / rate)
        elif at_start < 0:
            return None
        elif at_start == 0:
            inside = False
    return (low, high, inside) if low < high else None


@cache
def met(q, r):
    """Return the hexes that the way from the origin crosses, in order, and the pairs of hexes between which it runs."""
    to = Hex(q, r)
    crossed, along = [], {}
    for c, d in product(range(min(0, q) - 1, max(0, q) + 2), range(min(0, r) - 1, max(0, r) + 2)):
        here = Hex(c, d)
        # No corner lies farther from its centre than two thirds of a step: this spares most of the work.
        near = 3 * abs(q * d - r * c) <= 2 * (abs(q) + abs(r))
        if here not in {Hex(0, 0), to} and near and (part := cut(to, here)):
            low, high, inside = part
            if inside:
                crossed.append((low, here))
            else:
                along.setdefault((low, high), []).append(here)
    return [here for _, here in sorted(crossed)], [frozenset(along[span]) for span in sorted(along)]
