"""A position on one line, like chess's FEN (MB part 11)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rules.matchbox.state import Galley


class Position(NamedTuple):
    """A table and the galleys on it."""

    width_mm: float
    height_mm: float
    galleys: tuple[Galley, ...]


def parse(text: str) -> Position:
    """Read `1200x800 ; A1:south 6-6+2/6 @600,80^0 ; ...`. Raises `OrderError` saying what was expected where."""
    raise NotImplementedError


def write(width_mm: float, height_mm: float, galleys: Sequence[Galley]) -> str:
    """Write a position: `parse` gives it back, to 0.001."""
    raise NotImplementedError
