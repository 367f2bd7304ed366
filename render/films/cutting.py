"""The film of a whole game, drawn round by round and joined within the size that Discord accepts.

`FilmAssembly` only says which round to draw next and takes the drawn clip. Each round can thus be drawn in another
process, and frames of one round at most are in memory.
"""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from render.drawing.encode import FilmFormat, Picture
from render.films.film import gif_palette
from render.films.splice import splice_films

MAX_REPLAY_BYTES: Final = 9_900_000
"""Discord accepts 10 MiB."""
REPLAY_WIDTHS: Final = (640, 480, 360, 270, 200)
"""Widths in pixels. The next one is used when a round does not fit even with few frames."""


class TooManyRounds(ValueError):
    """A game has more rounds than one film can hold."""


class ClipRequest(Struct, frozen=True, kw_only=True):
    scene_number: int  # from 0
    is_last: bool  # whether the film ends with it
    form: FilmFormat  # of the file
    width: int  # pixels
    max_bytes: int  # after a larger clip, the film starts over at a smaller width
    palette: bytes
    """The palette of the earlier rounds, for a GIF; else empty."""


class FilmAssembly:
    def __init__(self, scene_count: int, form: FilmFormat) -> None:
        self._scene_count = scene_count
        self._form = form
        self._widths = iter(REPLAY_WIDTHS)
        self._start_over()

    def _start_over(self) -> None:
        self._width = next(self._widths)
        self._clips: list[Picture] = []
        self._next_scene = 0  # index of the scene to be drawn next

    @property
    def next_request(self) -> ClipRequest | None:
        """The clip to be drawn next, with its share of the bytes that are left; None: the film is complete."""
        if self._next_scene == self._scene_count:
            return None
        remaining_bytes = MAX_REPLAY_BYTES - sum(len(clip.data) for clip in self._clips)
        needs_palette = self._form == "gif" and bool(self._clips)  # all clips of a GIF share the first one's
        return ClipRequest(
            scene_number=self._next_scene,
            is_last=self._next_scene == self._scene_count - 1,
            form=self._form,
            width=self._width,
            max_bytes=remaining_bytes // (self._scene_count - self._next_scene),
            palette=gif_palette(self._clips[0].data) if needs_palette else b"",
        )

    def add_clip(self, clip: Picture | None) -> None:
        """Add the clip of the requested round, or None if nothing of the round is visible.

        If the clip is too large, the whole film starts over at the next smaller width. Raises TooManyRounds if no
        width is smaller, ValueError if no round was requested.
        """
        request = self.next_request
        if request is None:
            raise ValueError("no more is wanted")
        if clip is not None and len(clip.data) > request.max_bytes:
            if self._width == REPLAY_WIDTHS[-1]:
                raise TooManyRounds(f"{self._scene_count} rounds do not go into {MAX_REPLAY_BYTES} bytes")
            self._start_over()
            return
        self._next_scene += 1
        if clip is not None:
            self._clips.append(clip)

    @property
    def clips(self) -> tuple[Picture, ...]:
        return tuple(self._clips)


def join_clips(clips: tuple[Picture, ...]) -> Picture | None:
    """Return one film of all clips, or None without clips."""
    if not clips:
        return None
    first = clips[0]
    return Picture(
        data=splice_films([clip.data for clip in clips], first.format),  # type: ignore[arg-type] # no clip is a PNG
        format=first.format,
        width=first.width,
        height=first.height,
        reduced=first.width < REPLAY_WIDTHS[0] or any(clip.reduced for clip in clips),
    )
