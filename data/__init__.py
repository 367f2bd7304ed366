"""Files that the product reads: texts, fonts, colour palettes."""

from __future__ import annotations

from importlib.resources import files
from importlib.resources.abc import Traversable


def file(*parts: str) -> Traversable:
    """Return a bundled file or folder by its path below `data`, such as `file("fonts", "OFL.txt")`."""
    return files(__name__).joinpath(*parts)
