"""Rectangles of an image that are painted separately, so that the rest of the image is left alone."""

from __future__ import annotations

from collections.abc import Iterable

Patch = tuple[int, int, int, int]


def separate_patches(boxes: Iterable[Patch], size: tuple[int, int]) -> list[Patch]:
    """Return disjoint rectangles that cover all boxes, clipped to an image of this size (all in pixels)."""
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


def _overlaps(first: Patch, second: Patch) -> bool:
    return first[0] < second[2] and second[0] < first[2] and first[1] < second[3] and second[1] < first[3]
