"""Join films without encoding them again: WebP and GIF files are chains of frames."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from typing import Final

from render.drawing.encode import FilmFormat

_RIFF_HEADER_BYTES: Final = 12
_GIF_HEADER_BYTES: Final = 13 + 768  # with the palette
_GIF_EXTENSION = 0x21
_GIF_IMAGE = 0x2C
_GIF_CONTROL = 0xF9
_GIF_END = b"\x3b"


def splice_films(films: Sequence[bytes], form: FilmFormat) -> bytes:
    """Join films of one size and, for GIFs, one palette. Each must begin with a complete frame.

    Raises ValueError for an empty sequence, or for data that `encode_film` did not make.
    """
    if not films:
        raise ValueError("nothing to splice")
    return _splice_webp(films) if form == "webp" else _splice_gif(films)


def film_of_still(still: bytes, size: tuple[int, int], ms: int) -> bytes:
    """Return a WebP still as an animation of one frame that lasts `ms`. An animation is returned unchanged.

    Pillow writes a film without any movement as a still, which cannot be joined to other films.
    """
    if still[12:16] == b"VP8X":
        return still
    # WebP stores sizes minus 1. The flag of VP8X means "animated", that of the frame "replaces what lies below".
    width, height = ((side - 1).to_bytes(3, "little") for side in size)
    frame = b"".join((bytes(6), width, height, ms.to_bytes(3, "little"), b"\x02", still[_RIFF_HEADER_BYTES:]))
    chunks = (b"VP8X", b"\x02" + bytes(3) + width + height), (b"ANIM", bytes(6)), (b"ANMF", frame)
    body = b"".join((b"WEBP", *(name + struct.pack("<I", len(data)) + data for name, data in chunks)))
    return b"".join((b"RIFF", struct.pack("<I", len(body)), body))


def _splice_webp(films: Sequence[bytes]) -> bytes:
    header_chunks = [chunk for name, chunk in _webp_chunks(films[0]) if name in (b"VP8X", b"ANIM")]
    frames = [chunk for film in films for name, chunk in _webp_chunks(film) if name == b"ANMF"]
    body = b"".join((b"WEBP", *header_chunks, *frames))
    return b"".join((b"RIFF", struct.pack("<I", len(body)), body))


def _webp_chunks(film: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield the name and bytes of each chunk, with header and padding. Raises ValueError if it is no animated WebP."""
    if (
        film[:4] != b"RIFF"
        or film[8:_RIFF_HEADER_BYTES] != b"WEBP"
        or film[_RIFF_HEADER_BYTES : _RIFF_HEADER_BYTES + 4] != b"VP8X"
    ):
        raise ValueError("no film in WebP")
    at = _RIFF_HEADER_BYTES
    while at < len(film):  # a chunk is its name, its size and its body, padded to an even length
        (size,) = struct.unpack_from("<I", film, at + 4)
        end = at + 8 + size + size % 2
        yield film[at : at + 4], film[at:end]
        at = end


def _splice_gif(films: Sequence[bytes]) -> bytes:
    header = films[0][:_GIF_HEADER_BYTES]
    loop = b"\x21\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00"
    blocks = [block for film in films for block in _gif_blocks(film)]
    return b"".join((header, loop, *blocks, _GIF_END))


def _gif_blocks(film: bytes) -> Iterator[bytes]:
    """Yield the images of a GIF and the blocks with their durations. Raises ValueError for an unknown block."""
    if film[:6] != b"GIF89a" or film[10] & 0x87 != 0x87:  # the flags of a palette with 256 colours
        raise ValueError("no film in GIF")
    at = _GIF_HEADER_BYTES
    while film[at : at + 1] != _GIF_END:
        start = at
        kind = film[at]
        if kind == _GIF_EXTENSION:
            at += 2
        elif kind == _GIF_IMAGE:
            flags = film[at + 9]  # whether the frame has its own palette, and of which size
            at += 11 + (3 * 2 ** ((flags & 7) + 1) if flags & 0x80 else 0)
        else:
            raise ValueError(f"no block of a GIF: {kind:#x}")
        while film[at]:  # a block is a chain of pieces, each after its length; length 0 ends it
            at += 1 + film[at]
        at += 1
        if kind == _GIF_IMAGE or film[start + 1] == _GIF_CONTROL:
            yield film[start:at]
