"""Draw pictures of what a seat may see.

`draw_still` draws a still, `draw_legends` its legend, `draw_film` a film of one round, and `draw_replay` a film of a
whole game.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple

from msgspec import Struct

from render.commission import Commission, CropArea, PictureKind
from render.drawing.canvas import Point, Rect
from render.drawing.encode import (
    WIDTH_LIMITS,
    FilmFormat,
    Picture,
    StillFormat,
    check_width,
    encode_still,
    halve_picture,
)
from render.drawing.legible import legible_text
from render.drawing.marking import record_marks
from render.drawing.outlines import record_outlines
from render.drawing.style import Livery
from render.films.cutting import ClipRequest, FilmAssembly, TooManyRounds, join_clips
from render.films.film import encode_fewer_frames, encode_film
from render.marks.legend_sheet import draw_legend_sheet, draw_sample_sheet
from render.registry import PAINTERS
from rules.core.protocol import Event
from rules.core.view import View

__all__ = [
    "FILM_WIDTH",
    "MIN_WIDTH",
    "STILL_WIDTH",
    "ClipRequest",
    "CropArea",
    "FilmAssembly",
    "FilmFormat",
    "Legend",
    "Picture",
    "PictureKind",
    "Scene",
    "StillFormat",
    "TooManyRounds",
    "draw_clip",
    "draw_commission",
    "draw_film",
    "draw_legends",
    "draw_outlined",
    "draw_replay",
    "draw_still",
    "first_mark",
    "halve_picture",
    "has_content",
    "has_small_map",
    "join_clips",
    "legible_text",
    "picture_kinds",
    "seat_liveries",
]

STILL_WIDTH: Final = 1600
FILM_WIDTH: Final = 640
MIN_WIDTH: Final = WIDTH_LIMITS[0]
MAX_LEGEND_CHARS: Final = 1000
"""Of the sentences in one picture: Discord takes 1,024 characters of a picture's description."""
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

    `kind` is `table` (the position, with `events` as faint traces of the round that led to it), `plan` (the viewer's
    own orders), `round` (a frame for each step) or one of the game's own (`picture_kinds`). `names` are captains' names
    by seat, `width` is in pixels, `focus` holds ids of pieces that `crop="action"` must show. Raises KeyError if no
    painter draws this view, ValueError if the width is outside `WIDTH_LIMITS`.
    """
    commission = Commission(
        view=view, events=events, kind=kind, caption=caption, names=names, width=width, crop=crop, focus=focus
    )
    return draw_commission(commission, form)


def draw_commission(commission: Commission[View], form: StillFormat = "png") -> Picture:
    """Draw the still that a commission describes. Raises the same errors as `draw_still`."""
    check_width(commission.width)
    painter = PAINTERS[type(commission.view)]
    return encode_still(painter.paint(commission), form, painter.palette_levels)


class OutlinedPicture(NamedTuple):
    picture: Picture
    size: tuple[int, int]  # width and height in pixels
    outlines: dict[str, tuple[Point, ...]]
    """Polygons by the id of a ship or place, from below; points are parts of the picture's width and height."""
    marks: tuple[str, ...]  # names of the marks that it shows, the most important first
    samples: Picture | None  # a sample of each mark, one below the other; None: the picture shows no mark
    sample_boxes: tuple[tuple[int, int, int, int], ...]  # by mark: left, top, width and height in pixels
    window: Rect | None  # the part of the map that it shows, in the map's unit; None: always the same


def draw_outlined(commission: Commission[View], form: StillFormat = "png") -> OutlinedPicture:
    """Draw a still, and return where it shows each ship or place, and its marks with samples.

    Raises the same errors as `draw_still`.
    """
    check_width(commission.width)
    painter = PAINTERS[type(commission.view)]
    with record_outlines() as recorder, record_marks() as mark_recorder:
        image = painter.paint(commission)
    outlines = {
        name: tuple((x / image.width, y / image.height) for x, y in outline)
        for name, outline in recorder.outlines.items()
    }
    marks = tuple(mark for mark in painter.marks if mark in mark_recorder.samples)
    sheet = draw_sample_sheet([mark_recorder.samples[mark] for mark in marks]) if marks else None
    return OutlinedPicture(
        picture=encode_still(image, form, painter.palette_levels),
        size=image.size,
        outlines=outlines,
        marks=marks,
        samples=encode_still(sheet.image, form, painter.palette_levels) if sheet else None,
        sample_boxes=sheet.boxes if sheet else (),
        window=recorder.window,
    )


def seat_liveries(view: View) -> Sequence[Livery]:
    """Return the colours of each seat's side; empty: the game gives seats no colours."""
    return PAINTERS[type(view)].seat_liveries(view)


class Legend(NamedTuple):
    picture: Picture
    marks: tuple[str, ...]  # names of the marks that it explains, from above


def draw_legends(
    commissions: Sequence[Commission[View]], say_mark: Callable[[str], str], form: StillFormat = "png"
) -> list[Legend]:
    """Draw the legend of pictures of one game: each mark that they show, with its meaning, the most important first.

    `say_mark` returns the sentence for a mark's name. A long legend has several parts, each with at most
    `MAX_LEGEND_CHARS` in its sentences. Raises the same errors as `draw_still`.
    """
    width = commissions[0].width
    check_width(width)
    painter = PAINTERS[type(commissions[0].view)]
    with record_marks() as recorder:
        for commission in commissions:
            painter.paint(commission)
    parts: list[list[tuple[str, str]]] = []
    room = 0
    for mark in painter.marks:
        if mark not in recorder.samples:
            continue
        sentence = say_mark(mark)
        if len(sentence) + 1 > room:
            parts.append([])
            room = MAX_LEGEND_CHARS
        parts[-1].append((mark, sentence))
        room -= len(sentence) + 1
    return [
        Legend(
            encode_still(draw_legend_sheet([(recorder.samples[mark], said) for mark, said in part], width), form),
            tuple(mark for mark, _ in part),
        )
        for part in parts
    ]


def first_mark(view_type: type[View]) -> str:
    """Return the name of the mark that a newcomer must know first; empty: the game has no legend."""
    return next(iter(PAINTERS[view_type].marks), "")


def picture_kinds(view_type: type[View]) -> tuple[PictureKind, ...]:
    """Return the kinds of pictures that show a game's last round. Raises KeyError if no painter draws this view."""
    return ("table", "round", *PAINTERS[view_type].kinds)


def has_content(view: View, events: Sequence[Event], kind: PictureKind) -> bool:
    return PAINTERS[type(view)].has_content(view, events, kind)


def has_small_map(view: View) -> bool:
    """Return whether a picture can show the whole map and still be read."""
    return PAINTERS[type(view)].has_small_map


def is_turned(view: View, kind: PictureKind, viewpoint_seat: int | None = None) -> bool:
    """Return whether the picture is drawn from its viewer's own side, with south up."""
    return PAINTERS[type(view)].is_turned(Commission(view=view, kind=kind, viewpoint_seat=viewpoint_seat))


def draw_film(
    view: View,
    events: Sequence[Event],
    *,
    caption: str = "",
    names: Mapping[int, str] = _NO_NAMES,
    width: int = FILM_WIDTH,
    crop: CropArea = "action",
    focus: tuple[str, ...] = (),
    kept_window: Rect | None = None,
    form: FilmFormat = "webp",
    viewpoint_seat: int | None = None,
    before: View | None = None,
    min_frames: int = 1,
    told_round: int = 0,
) -> Picture | None:
    """Draw a film of the round that the events describe. Return None if it would have fewer than `min_frames`.

    `view` is the table after the round, `before` and `viewpoint_seat` are as in `Scene`, `kept_window` and
    `told_round` as in `Commission`. The other parameters are as in `draw_still`. Raises KeyError if no painter draws
    this view.
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
        focus=focus,
        kept_window=kept_window,
        viewpoint_seat=viewpoint_seat,
        before=before,
        told_round=told_round,
    )
    painter = PAINTERS[type(view)]
    frames = painter.film_frames(commission)
    if len(frames) < min_frames:
        return None
    return encode_film(frames, form, palette=painter.palette_levels, fixed_colours=painter.palette_colours)


class Scene(Struct, frozen=True, kw_only=True):
    view: View  # the table after the events, as one seat or a spectator sees it
    events: Sequence[Event]  # of the round that led to the view
    caption: str = ""  # text below the picture
    viewpoint_seat: int | None = None  # from whose side the table is drawn; None: north is up
    before: View | None = None
    """The table before the round, if the game is over and may reveal what its events leave out."""


def draw_clip(scene: Scene, request: ClipRequest, names: Mapping[int, str] = _NO_NAMES) -> Picture | None:
    """Draw one round as a part of a whole game's film. Return None if nothing of it is visible."""
    painter = PAINTERS[type(scene.view)]
    commission = Commission(
        view=scene.view,
        events=scene.events,
        kind="round",
        caption=scene.caption,
        names=names,
        width=request.width,
        pace="closing" if request.is_last else "brisk",
        viewpoint_seat=scene.viewpoint_seat,
        before=scene.before,
    )
    frames = painter.film_frames(commission)
    if not frames:
        return None
    palette = painter.palette_levels or request.palette
    return encode_fewer_frames(
        frames, request.form, request.max_bytes, max_divisor=8, palette=palette, fixed_colours=painter.palette_colours
    )


def draw_replay(
    scenes: Sequence[Scene], *, names: Mapping[int, str] = _NO_NAMES, form: FilmFormat = "webp"
) -> Picture | None:
    """Draw a film of a whole game, round by round; frames of one round at most are in memory.

    Returns None if nothing of the game is visible. Raises TooManyRounds if Discord would not accept even the smallest
    version.
    """
    assembly = FilmAssembly(len(scenes), form)
    while request := assembly.next_request:
        assembly.add_clip(draw_clip(scenes[request.scene_number], request, names))
    return join_clips(assembly.clips)
