"""A game's record and those of its battles in one zip file, which anybody may have made up."""

from __future__ import annotations

import io
import re
import struct
import zipfile
import zlib
from collections.abc import Sequence
from typing import Final

from bot.record.export import MAX_FILE_BYTES
from rules.core.errors import OrderError, UnreadableOrder

MAX_RECORDS: Final = 100
"""Records in a bundle."""
MAX_BYTES: Final = 8 * MAX_FILE_BYTES
"""Of all records together, unpacked."""
_ZIP_MAGIC: Final = b"PK\x03\x04"
_ZIP_METHODS: Final = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_ZIP_ERRORS: Final = (
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
_EXPECTED_FILES: Final = f"1–{MAX_RECORDS} *.json"
_NUMBER_PATTERN: Final = re.compile(r"[0-9]{1,9}")


def pack_records(records: Sequence[tuple[int, bytes]]) -> bytes:
    """Return the bundle of records, each a file that is named by the game's number."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as bundle:
        for number, data in records:
            bundle.writestr(zipfile.ZipInfo(file_name(number)), data, zipfile.ZIP_DEFLATED)
    return packed.getvalue()


def file_name(number: int) -> str:
    """The name of a game's file."""
    return f"war-galley-{number}.json"


def is_bundle(data: bytes) -> bool:
    """Whether a file is a bundle, or means to be one: no record begins like that."""
    return data.startswith(_ZIP_MAGIC)


def unpack_records(data: bytes) -> tuple[bytes, ...]:
    """Return a bundle's records by their games' numbers, so that a game comes before its battles.

    Raises `OrderError` if it can't be read or holds more than any bundle does.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as bundle:
            files = sorted((one for one in bundle.infolist() if not one.filename.endswith("/")), key=_sort_key)
            if not 0 < len(files) <= MAX_RECORDS or any(one.compress_type not in _ZIP_METHODS for one in files):
                raise UnreadableOrder("no_export", piece="file", expected=_EXPECTED_FILES)
            return tuple(_read_files(bundle, files))
    except OrderError:
        raise
    except _ZIP_ERRORS as unreadable:
        raise UnreadableOrder("no_export", piece="file", expected=_EXPECTED_FILES) from unreadable


def _sort_key(file: zipfile.ZipInfo) -> tuple[list[int], str]:
    """Where a file stands: #9 before #10."""
    name = file.filename.rpartition("/")[2]
    return [int(number) for number in _NUMBER_PATTERN.findall(name)], name


def _read_files(bundle: zipfile.ZipFile, files: Sequence[zipfile.ZipInfo]) -> list[bytes]:
    """Read what is there, not what it says of its length."""
    found: list[bytes] = []
    left = MAX_BYTES
    for file in files:
        with bundle.open(file) as opened:
            found.append(opened.read(min(MAX_FILE_BYTES, left) + 1))
        left -= len(found[-1])
        if len(found[-1]) > MAX_FILE_BYTES or left < 0:
            raise UnreadableOrder("export_too_long", piece="file", most=MAX_FILE_BYTES // 2**20)
    return found
