"""Parts of an image that are painted apart from the rest, so that the rest need not be painted with them."""

from __future__ import annotations

from collections.abc import Iterable

Patch = tuple[int, int, int, int]
"""Left, top, right and lower edge, in pixels."""


def separate_patches(boxes: Iterable[Patch], size: tuple[int, int]) -> list[Patch]:
    """Patches of an image of a size, in pixels, that hold all that the boxes hold of it; none overlaps another."""
    patches: list[Patch] = []
    for left, top, right, low in boxes:
        patch = (max(0, left), max(0, top), min(size[0], right), min(size[1], low))
        if patch[0] >= patch[2] or patch[1] >= patch[3]:
            continue
        while met := next((other for other in patches if _overlaps(patch, other)), None):
            patches.remove(met)
            patch = (min(patch[0], met[0]), min(patch[1], met[1]), max(patch[2], met[2]), max(patch[3], met[3]))
        patches.append(patch)
    return patches


def _overlaps(one: Patch, other: Patch) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
