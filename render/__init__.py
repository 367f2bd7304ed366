"""Pictures of what a seat may see: `draw_still` makes stills, `draw_film` shows a round, `draw_replay` a whole game."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from msgspec import Struct

from render.commission import Commission, CropArea, PictureKind
from render.drawing.encode import FilmFormat, Picture, StillFormat, check_width, encode_still
from render.drawing.halved import halve_picture
from render.films.cutting import ClipRequest, FilmAssembly, TooManyRounds, join_clips
from render.films.filmstrip import encode_fewer_frames, encode_film
from render.registry import PAINTERS
from rules.core.protocol import Event
from rules.core.view import View

__all__ = [
    "FILM_WIDTH",
    "STILL_WIDTH",
    "ClipRequest",
    "CropArea",
    "FilmAssembly",
    "FilmFormat",
    "Picture",
    "PictureKind",
    "Scene",
    "StillFormat",
    "TooManyRounds",
    "draw_clip",
    "draw_commission",
    "draw_film",
    "draw_replay",
    "draw_still",
    "halve_picture",
    "has_content",
    "join_clips",
    "picture_kinds",
]

STILL_WIDTH: Final = 1600
FILM_WIDTH: Final = 640
"""Pixels, if nothing else is said."""
_NO_NAMES: Mapping[int, str] = MappingProxyType({})


def draw_still(
    view: View,
    events: Sequence[Event] = (),
    *,
    kind: PictureKind = "table",
    caption: str = "",
    names: Mapping[int, str] = _NO_NAMES,
    width: int = STILL_WIDTH,
    crop: CropArea = "whole",
    focus: tuple[str, ...] = (),
    form: StillFormat = "png",
) -> Picture:
    """Draw a still of a view.

    `table` is the position, with `events` as faint traces of the round that led to it; `plan` the viewer's own orders;
    `round` a frame a step; any other kind is the game's own (`picture_kinds`). `names` are captains' names by seat,
    `width` is in pixels, `focus` holds ids of pieces that `crop="action"` must show. Raises KeyError for a view without
    painter, ValueError for a width that no picture may have.
    """
    commission = Commission(
        view=view, events=events, kind=kind, caption=caption, names=names, width=width, crop=crop, focus=focus
    )
    return draw_commission(commission, form)


def draw_commission(commission: Commission[View], form: StillFormat = "png") -> Picture:
    """Return the still that is commissioned. Raises as `draw_still`."""
    check_width(commission.width)
    painter = PAINTERS[type(commission.view)]
    return encode_still(painter.paint(commission), form, painter.palette_levels)


def picture_kinds(view_type: type[View]) -> tuple[PictureKind, ...]:
    """What pictures of a game's last round may be about. Raises KeyError for a view that has no painter."""
    return ("table", "round", *PAINTERS[view_type].kinds)


def has_content(view: View, events: Sequence[Event], kind: PictureKind) -> bool:
    """Whether the events hold anything of what this kind of picture is about."""
    return PAINTERS[type(view)].has_content(view, events, kind)


def is_turned(view: View, kind: PictureKind, beside: int | None = None) -> bool:
    """Whether such a picture is seen the other way round than everybody's, from its viewer's own side."""
    return PAINTERS[type(view)].is_turned(Commission(view=view, kind=kind, viewpoint_seat=beside))


def draw_film(
    view: View,
    events: Sequence[Event],
    *,
    caption: str = "",
    names: Mapping[int, str] = _NO_NAMES,
    width: int = FILM_WIDTH,
    crop: CropArea = "action",
    form: FilmFormat = "webp",
    beside: int | None = None,
    before: View | None = None,
) -> Picture | None:
    """Film the round of the events, from its beginning; `view` is the table after it, `before` as in a `Scene`.

    `beside` is the seat from whose side it is seen. None if nothing of a round can be seen. The rest is as for
    `draw_still`. Raises KeyError for a view without painter.
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
        viewpoint_seat=beside,
        before=before,
    )
    painter = PAINTERS[type(view)]
    frames = painter.film_frames(commission)
    return encode_film(frames, form, palette=painter.palette_levels, pure=painter.palette_colours) if frames else None


class Scene(Struct, frozen=True, kw_only=True):
    """One round of a game: the table after it, and its events."""

    view: View
    events: Sequence[Event]
    caption: str = ""
    viewpoint_seat: int | None = None
    """The seat from whose side it is seen; None: as everybody sees it."""
    before: View | None = None
    """The table before it, in a game that is over and reveals what its events don't tell."""


def draw_clip(scene: Scene, wanted: ClipRequest, names: Mapping[int, str] = _NO_NAMES) -> Picture | None:
    """Film a round as a part of a whole game's film; None if nothing of it can be seen."""
    painter = PAINTERS[type(scene.view)]
    frames = painter.film_frames(
        Commission(
            view=scene.view,
            events=scene.events,
            kind="round",
            caption=scene.caption,
            names=names,
            width=wanted.width,
            pace="closing" if wanted.is_last else "brisk",
            viewpoint_seat=scene.viewpoint_seat,
            before=scene.before,
        )
    )
    if not frames:
        return None
    palette = painter.palette_levels or wanted.palette
    return encode_fewer_frames(
        frames, wanted.form, wanted.max_bytes, thinnest=8, palette=palette, pure=painter.palette_colours
    )


def draw_replay(
    scenes: Sequence[Scene], *, names: Mapping[int, str] = _NO_NAMES, form: FilmFormat = "webp"
) -> Picture | None:
    """Film a whole game, round by round; of no more than one are the frames held.

    None if nothing of it can be seen. Raises TooLong if Discord would not take it even if small.
    """
    cutting = FilmAssembly(len(scenes), form)
    while wanted := cutting.next_request:
        cutting.add_clip(draw_clip(scenes[wanted.scene_number], wanted, names))
    return join_clips(cutting.clips)
