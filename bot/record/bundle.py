"""A game's record and those of its battles in one zip file, which anybody may have made up."""

from __future__ import annotations

import io
import re
import struct
import zipfile
import zlib
from collections.abc import Sequence
from typing import Final

from bot.record.export import FILE_MOST
from rules.errors import OrderError, UnreadableOrder

MOST: Final = 100
"""Records in a bundle."""
BYTES_MOST: Final = 8 * FILE_MOST
"""Of all records together, unpacked."""
_MARK: Final = b"PK\x03\x04"
_PACKED: Final = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_UNREADABLE: Final = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    ArithmeticError,
    EOFError,
    LookupError,
    OSError,
    RuntimeError,
    ValueError,
)
"""What `zipfile` raises for files that are none, or that want a password."""
_EXPECTED: Final = f"1–{MOST} *.json"
_NUMBER: Final = re.compile(r"[0-9]{1,9}")


def pack(records: Sequence[tuple[int, bytes]]) -> bytes:
    """Return the bundle of records, each a file that is named by the game's number."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as bundle:
        for number, data in records:
            bundle.writestr(zipfile.ZipInfo(name_of(number)), data, zipfile.ZIP_DEFLATED)
    return packed.getvalue()


def name_of(number: int) -> str:
    """The name of a game's file."""
    return f"war-galley-{number}.json"


def is_bundle(data: bytes) -> bool:
    """Whether a file is a bundle, or means to be one: no record begins like that."""
    return data.startswith(_MARK)


def unpack(data: bytes) -> tuple[bytes, ...]:
    """Return a bundle's records by their games' numbers, so that a game comes before its battles.

    Raises `OrderError` if it can't be read or holds more than any bundle does.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as bundle:
            files = sorted((one for one in bundle.infolist() if not one.filename.endswith("/")), key=_place)
            if not 0 < len(files) <= MOST or any(one.compress_type not in _PACKED for one in files):
                raise UnreadableOrder("no_export", piece="file", expected=_EXPECTED)
            return tuple(_read(bundle, files))
    except OrderError:
        raise
    except _UNREADABLE as unreadable:
        raise UnreadableOrder("no_export", piece="file", expected=_EXPECTED) from unreadable


def _place(file: zipfile.ZipInfo) -> tuple[list[int], str]:
    """Where a file stands: #9 before #10."""
    name = file.filename.rpartition("/")[2]
    return [int(number) for number in _NUMBER.findall(name)], name


def _read(bundle: zipfile.ZipFile, files: Sequence[zipfile.ZipInfo]) -> list[bytes]:
    """Read what is there, not what it says of its length."""
    found: list[bytes] = []
    left = BYTES_MOST
    for file in files:
        with bundle.open(file) as opened:
            found.append(opened.read(min(FILE_MOST, left) + 1))
        left -= len(found[-1])
        if len(found[-1]) > FILE_MOST or left < 0:
            raise UnreadableOrder("export_too_long", piece="file", most=FILE_MOST // 2**20)
    return found
