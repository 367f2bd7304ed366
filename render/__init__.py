"""Pictures of what a seat may see. Two doors: `draw` and `film`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from render.commission import Commission, Crop, Kind
from render.encode import Picture, still
from render.film import Format, reel
from render.registry import FILMS, PAINTERS
from rules.protocol import Event
from rules.view import View

__all__ = ["Crop", "Format", "Kind", "Picture", "draw", "film"]

_NOBODY: Mapping[int, str] = MappingProxyType({})


def draw(
    view: View,
    events: Sequence[Event] = (),
    *,
    kind: Kind = "table",
    caption: str = "",
    names: Mapping[int, str] = _NOBODY,
    width: int = 1600,
    crop: Crop = "whole",
    focus: tuple[str, ...] = (),
) -> Picture:
    """Draw a still of a view.

    `table` is the position, with `events` as faint traces of the round that led to it; `plan` the viewer's own orders;
    `volley` the volleys among the events; `round` a frame a step. `names` are captains' names by seat, `width` is in
    pixels, `focus` holds ids of pieces that `crop="action"` must show. Raises KeyError for a view that has no painter.
    """
    commission = Commission(
        view=view, events=events, kind=kind, caption=caption, names=names, width=width, crop=crop, focus=focus
    )
    return still(PAINTERS[type(view)](commission))


def film(
    view: View,
    events: Sequence[Event],
    *,
    caption: str = "",
    names: Mapping[int, str] = _NOBODY,
    width: int = 640,
    crop: Crop = "action",
    form: Format = "webp",
) -> Picture | None:
    """Film the round that the events tell, from its beginning; `view` is the table after it.

    None if the events tell of no round. The rest is as for `draw`. Raises KeyError for a view without painter.
    """
    commission = Commission(
        view=view, events=events, kind="round", caption=caption, names=names, width=width, crop=crop
    )
    frames = FILMS[type(view)](commission)
    return reel(frames, form) if frames else None
