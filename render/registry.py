"""The one place of the pictures that knows every game by name."""

from __future__ import annotations

from typing import Any

from render import forts, matchbox, ramspeed, squadrons
from render.painter import Painter
from rules.view import View

PAINTERS: dict[type[View], Painter[Any]] = {
    painter.view_type: painter
    for painter in (
        matchbox.PAINTER,
        forts.PAINTER,
        ramspeed.PAINTER,
        squadrons.PAINTER,
    )
}
"""Who draws which view."""


def add(painter: Painter[Any]) -> None:
    """Let a game from elsewhere be drawn. Raises `ValueError` if its views are drawn by another painter."""
    if painter.view_type in PAINTERS:
        raise ValueError(f"{painter.view_type.__name__} is drawn already")
    PAINTERS[painter.view_type] = painter
