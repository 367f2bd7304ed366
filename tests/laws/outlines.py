"""Plain geometry of convex outlines, for checks that do not trust the rules' own."""

import math
from collections.abc import Sequence
from itertools import pairwise


def overlap_depth(outline: Sequence[tuple[float, float]], other: Sequence[tuple[float, float]]) -> float:
    """Return the least depth over the directions of all edges; 0 or less if the outlines do not overlap."""
    depth = math.inf
    for ring in (outline, other):
        for (x, y), (next_x, next_y) in pairwise([*ring, ring[0]]):
            length = math.hypot(next_x - x, next_y - y)
            nx, ny = (next_y - y) / length, (x - next_x) / length
            a = [nx * px + ny * py for px, py in outline]
            b = [nx * px + ny * py for px, py in other]
            depth = min(depth, min(max(a), max(b)) - max(min(a), min(b)))
    return depth
