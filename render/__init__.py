"""Pictures of what a seat may see: `draw` makes stills, `film` shows a round, `replay` a whole game."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from msgspec import Struct

from render.commission import Commission, Crop, Kind
from render.cutting import Cutting, TooLong, Wanted, join
from render.encode import Format, Picture, StillFormat, check_width, still
from render.filmstrip import reel, thin
from render.halved import halved
from render.registry import PAINTERS
from rules.protocol import Event
from rules.view import View

__all__ = [
    "FILM_WIDTH",
    "STILL_WIDTH",
    "Crop",
    "Cutting",
    "Format",
    "Kind",
    "Picture",
    "Scene",
    "StillFormat",
    "TooLong",
    "Wanted",
    "carry_out",
    "clip",
    "draw",
    "film",
    "halved",
    "join",
    "kinds",
    "replay",
    "shows",
]

STILL_WIDTH: Final = 1600
FILM_WIDTH: Final = 640
"""Pixels, if nothing else is said."""
_NOBODY: Mapping[int, str] = MappingProxyType({})


def draw(
    view: View,
    events: Sequence[Event] = (),
    *,
    kind: Kind = "table",
    caption: str = "",
    names: Mapping[int, str] = _NOBODY,
    width: int = STILL_WIDTH,
    crop: Crop = "whole",
    focus: tuple[str, ...] = (),
    form: StillFormat = "png",
) -> Picture:
    """Draw a still of a view.

    `table` is the position, with `events` as faint traces of the round that led to it; `plan` the viewer's own orders;
    `round` a frame a step; any other kind is the game's own (`kinds`). `names` are captains' names by seat, `width` is
    in pixels, `focus` holds ids of pieces that `crop="action"` must show. Raises KeyError for a view without painter,
    ValueError for a width that no picture may have.
    """
    commission = Commission(
        view=view, events=events, kind=kind, caption=caption, names=names, width=width, crop=crop, focus=focus
    )
    return carry_out(commission, form)


def carry_out(commission: Commission[View], form: StillFormat = "png") -> Picture:
    """Return the still that is commissioned. Raises as `draw`."""
    check_width(commission.width)
    painter = PAINTERS[type(commission.view)]
    return still(painter.paint(commission), form, painter.levels)


def kinds(view_type: type[View]) -> tuple[Kind, ...]:
    """What pictures of a game's last round may be about. Raises KeyError for a view that has no painter."""
    return ("table", "round", *PAINTERS[view_type].kinds)


def shows(view: View, events: Sequence[Event], kind: Kind) -> bool:
    """Whether the events hold anything of what this kind of picture is about."""
    return PAINTERS[type(view)].shows(view, events, kind)


def turned(view: View, kind: Kind, beside: int | None = None) -> bool:
    """Whether such a picture is seen the other way round than everybody's, from its viewer's own side."""
    return PAINTERS[type(view)].turned(Commission(view=view, kind=kind, beside=beside))


def film(
    view: View,
    events: Sequence[Event],
    *,
    caption: str = "",
    names: Mapping[int, str] = _NOBODY,
    width: int = FILM_WIDTH,
    crop: Crop = "action",
    form: Format = "webp",
    beside: int | None = None,
    before: View | None = None,
) -> Picture | None:
    """Film the round of the events, from its beginning; `view` is the table after it, `before` as in a `Scene`.

    `beside` is the seat from whose side it is seen. None if nothing of a round can be seen. The rest is as for `draw`.
    Raises KeyError for a view without painter.
    """
    check_width(width)
    commission = Commission(
        view=view,
        events=events,
        kind="round",
        caption=caption,
        names=names,
        width=width,
        crop=crop,
        beside=beside,
        before=before,
    )
    painter = PAINTERS[type(view)]
    frames = painter.frames(commission)
    return reel(frames, form, palette=painter.levels, pure=painter.pure) if frames else None


class Scene(Struct, frozen=True, kw_only=True):
    """One round of a game: the table after it, and its events."""

    view: View
    events: Sequence[Event]
    caption: str = ""
    beside: int | None = None
    """The seat from whose side it is seen; None: as everybody sees it."""
    before: View | None = None
    """The table before it, in a game that is over and reveals what its events don't tell."""


def clip(scene: Scene, wanted: Wanted, names: Mapping[int, str] = _NOBODY) -> Picture | None:
    """Film a round as a part of a whole game's film; None if nothing of it can be seen."""
    painter = PAINTERS[type(scene.view)]
    frames = painter.frames(
        Commission(
            view=scene.view,
            events=scene.events,
            kind="round",
            caption=scene.caption,
            names=names,
            width=wanted.width,
            pace="closing" if wanted.last else "brisk",
            beside=scene.beside,
            before=scene.before,
        )
    )
    if not frames:
        return None
    palette = painter.levels or wanted.palette
    return thin(frames, wanted.form, wanted.most, thinnest=8, palette=palette, pure=painter.pure)


def replay(scenes: Sequence[Scene], *, names: Mapping[int, str] = _NOBODY, form: Format = "webp") -> Picture | None:
    """Film a whole game, round by round; of no more than one are the frames held.

    None if nothing of it can be seen. Raises TooLong if Discord would not take it even if small.
    """
    cutting = Cutting(len(scenes), form)
    while wanted := cutting.wanted:
        cutting.put(clip(scenes[wanted.scene], wanted, names))
    return join(cutting.clips)
