"""The geometry of hulls in plain arithmetic, by other ways than the rules': no numpy, no shapely, no half-planes.

Hulls are lists of corners. What may not be is the convex hull of all differences of corners; a hull on its way is a
point that runs into it, and how deep it is inside there is its least distance from a side.
"""

import math

SIZES = {"B": (2.0, 0.5, 0.5), "T": (2.5, 0.5, 0.5), "Q": (2.5, 0.8, 0.8), "V": (3.0, 1.0, 1.0)}
"""Length, beam and taper."""
COUNTS = 0.004999
"""A depth below this is none."""


def unit(heading):
    quarters = {0: (0.0, 1.0), 90: (1.0, 0.0), 180: (0.0, -1.0), 270: (-1.0, 0.0)}
    angle = math.radians(heading % 360)
    return quarters.get(heading % 360, (math.sin(angle), math.cos(angle)))


def hull(code, x, y, heading):
    length, beam, taper = SIZES[code]
    ux, uy = unit(heading)
    rx, ry = uy, -ux
    own = [(length / 2, 0), (length / 2 - taper, beam / 2), (-length / 2, beam / 2)]
    own += [(f, -s) for f, s in reversed(own[1:])]
    return [(x + f * ux + s * rx, y + f * uy + s * ry) for f, s in own]


def _cross(o, a, b):
    return (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0])


def barred(moving, standing):
    """Return the places where the moving hull's origin may not be, as counter-clockwise corners."""
    points = sorted({(b[0] - a[0], b[1] - a[1]) for a in moving for b in standing})
    rings = []
    for some in (points, points[::-1]):
        ring = []
        for point in some:
            while len(ring) > 1 and _cross(ring[-2], ring[-1], point) <= 0:
                ring.pop()
            ring.append(point)
        rings += ring[:-1]
    return rings


def depth_at(ring, point):
    """Return a point's depth in a counter-clockwise ring; negative outside."""
    sides = zip(ring, ring[1:] + ring[:1], strict=True)
    return min(_cross(a, b, point) / math.hypot(b[0] - a[0], b[1] - a[1]) for a, b in sides if math.dist(a, b) > 1e-9)


def depth(a, b):
    return depth_at(barred(a, b), (0.0, 0.0))


def _segment(point, a, b):
    length = math.dist(a, b)
    share = 0.0
    if length > 0:
        share = ((point[0] - a[0]) * (b[0] - a[0]) + (point[1] - a[1]) * (b[1] - a[1])) / length**2
    share = min(1.0, max(0.0, share))
    return math.dist(point, (a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1])))


def distance(a, b):
    if depth(a, b) >= 0:
        return 0.0
    return min(
        _segment(point, *side)
        for these, those in ((a, b), (b, a))
        for point in these
        for side in zip(those, those[1:] + those[:1], strict=True)
    )


def contact(moving, standing, way):
    """Return the way to first contact, by walking and halving; None: none."""
    ring = barred(moving, standing)

    def deep(inches):
        return depth_at(ring, (inches * way[0], inches * way[1]))

    # The depth along a ray rises to one summit and falls again.
    low, high = 0.0, 200.0
    for _ in range(100):
        a, b = low + (high - low) / 3, high - (high - low) / 3
        low, high = (a, high) if deep(a) < deep(b) else (low, b)
    summit = (low + high) / 2
    if max(deep(summit), deep(0.0)) < COUNTS:
        return None
    if deep(0.0) >= COUNTS:
        return 0.0
    start = _first(deep, 0.0, summit)
    if start > 1e-6:
        return start
    return _first(deep, COUNTS, summit)


def _first(deep, least, summit):
    low, high = 0.0, summit
    if deep(low) >= least:
        return 0.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if deep(middle) >= least else (middle, high)
    return high


def room(moving, way, width, height):
    """Return the distance after which a corner reaches the table's edge."""
    far = math.inf
    for x, y in moving:
        for at, rate, most in ((x, way[0], width), (y, way[1], height)):
            if rate:
                far = min(far, ((most if rate > 0 else 0.0) - at) / rate)
    return max(0.0, far)


def strike(tip, way, standing):
    """Return the distance after which a ray strikes a hull; None: never."""
    distances = []
    for a, b in zip(standing, standing[1:] + standing[:1], strict=True):
        along = (b[0] - a[0], b[1] - a[1])
        turned = way[0] * along[1] - way[1] * along[0]
        if abs(turned) < 1e-12:
            continue
        to = (a[0] - tip[0], a[1] - tip[1])
        far = (to[0] * along[1] - to[1] * along[0]) / turned
        share = (to[0] * way[1] - to[1] * way[0]) / turned
        if far >= 0 and 0 <= share <= 1:
            distances.append(far)
    return min(distances, default=None)


def pivot(code, x, y, heading, degrees, standing):
    """Return the last whole degree of a pivot that overlaps nothing."""
    step = 1 if degrees > 0 else -1
    for turned in range(1, abs(degrees) + 1):
        now = hull(code, x, y, heading + step * turned)
        if any(depth(now, other) >= COUNTS for other in standing):
            return step * (turned - 1)
    return degrees
