"""The one place of the pictures that knows every game by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from PIL import Image

from render import forts, forts_film, matchbox, matchbox_film
from render.commission import Commission, Kind
from render.film import Frame
from rules.forts.view import HexView
from rules.matchbox.desk.view import TableView
from rules.protocol import Event
from rules.view import View

PAINTERS: dict[type[View], Callable[[Commission[Any]], Image.Image]] = {
    TableView: matchbox.paint,
    HexView: forts.paint,
}
"""Who draws which view."""

FILMS: dict[type[View], Callable[[Commission[Any]], list[Frame]]] = {
    TableView: matchbox_film.frames,
    HexView: forts_film.frames,
}
"""Who films which view; no frames where the events tell of nothing."""

SHOWN: dict[type[View], Callable[[Any, Sequence[Event], Kind], bool]] = {
    TableView: matchbox.shows,
    HexView: forts.shows,
}
"""Who knows whether events hold anything of what a kind of picture is about."""
