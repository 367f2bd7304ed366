"""The film of a whole game: drawn round by round, put end to end, within what a chat takes.

`FilmAssembly` only says what is to be drawn next and takes what came of it, so that each round can be drawn elsewhere,
and no more than one is ever held as frames.
"""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from render.drawing.encode import FilmFormat, Picture
from render.films.filmstrip import gif_palette
from render.films.splice import splice_films

MAX_REPLAY_BYTES: Final = 9_900_000
"""The most that the film of a game may weigh: Discord takes 10 MiB."""
REPLAY_WIDTHS: Final = (640, 480, 360, 270, 200)
"""Pixels; the next is taken when not even few frames of a round have room."""


class TooManyRounds(ValueError):
    """A game has more rounds than one film can show."""


class ClipRequest(Struct, frozen=True, kw_only=True):
    """The round to be drawn next."""

    scene_number: int
    """Its number among the rounds, from 0."""
    is_last: bool
    form: FilmFormat
    width: int
    max_bytes: int
    """Bytes that it may weigh."""
    palette: bytes
    """That of the rounds before it, for a GIF."""


class FilmAssembly:
    """Puts the film of a game together, of so many rounds."""

    def __init__(self, scenes: int, form: FilmFormat) -> None:
        self._scenes = scenes
        self._form = form
        self._widths = iter(REPLAY_WIDTHS)
        self._start_over()

    def _start_over(self) -> None:
        self._width = next(self._widths)
        self._clips: list[Picture] = []
        self._next = 0

    @property
    def next_request(self) -> ClipRequest | None:
        """What is to be drawn next; None when all is there."""
        if self._next == self._scenes:
            return None
        left = MAX_REPLAY_BYTES - sum(len(clip.data) for clip in self._clips)
        return ClipRequest(
            scene_number=self._next,
            is_last=self._next == self._scenes - 1,
            form=self._form,
            width=self._width,
            max_bytes=left // (self._scenes - self._next),
            palette=gif_palette(self._clips[0].data) if self._clips and self._form == "gif" else b"",
        )

    def add_clip(self, clip: Picture | None) -> None:
        """Take the round that was wanted, or None if nothing of it can be seen.

        If it weighs too much, all is to be drawn again, smaller. Raises TooLong if it cannot be any smaller.
        """
        wanted = self.next_request
        if wanted is None:
            raise ValueError("no more is wanted")
        if clip is not None and len(clip.data) > wanted.max_bytes:
            if self._width == REPLAY_WIDTHS[-1]:
                raise TooManyRounds(f"{self._scenes} rounds do not go into {MAX_REPLAY_BYTES} bytes")
            self._start_over()
            return
        self._next += 1
        if clip is not None:
            self._clips.append(clip)

    @property
    def clips(self) -> tuple[Picture, ...]:
        """What was put so far, for `join_clips`."""
        return tuple(self._clips)


def join_clips(clips: tuple[Picture, ...]) -> Picture | None:
    """One film of all rounds; None if nothing of any could be seen."""
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
