"""Pack a game's record and those of its battles into a zip file, and unpack such files from untrusted sources."""

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
MAX_BYTES: Final = 8 * MAX_FILE_BYTES
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
"""Exceptions that `zipfile` raises for malformed or encrypted files."""
_FILES: Final = "*.json"  # of a bundle
_NUMBER_PATTERN: Final = re.compile(r"[0-9]{1,9}")


def pack_records(records: Sequence[tuple[int, bytes]]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as bundle:
        for number, data in records:
            bundle.writestr(zipfile.ZipInfo(file_name(number)), data, zipfile.ZIP_DEFLATED)
    return packed.getvalue()


def file_name(number: int) -> str:
    return f"war-galley-{number}.json"


def is_bundle(data: bytes) -> bool:
    return data.startswith(_ZIP_MAGIC)


def unpack_records(data: bytes) -> tuple[bytes, ...]:
    """Return a bundle's records in the order of their games' numbers, so a game comes before its battles.

    Raises `OrderError` if the bundle can't be read or is too large.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as bundle:
            files = sorted((file for file in bundle.infolist() if not file.filename.endswith("/")), key=_sort_key)
            has_unknown_method = any(file.compress_type not in _ZIP_METHODS for file in files)
            if not 0 < len(files) <= MAX_RECORDS or has_unknown_method:
                raise UnreadableOrder("no_export", piece="file", at=_FILES)
            return tuple(_read_files(bundle, files))
    except OrderError:
        raise
    except _ZIP_ERRORS as error:
        raise UnreadableOrder("no_export", piece="file", at=_FILES) from error


def _sort_key(file: zipfile.ZipInfo) -> tuple[list[int], str]:
    # Of "folder/war-galley-12.json" the key is ([12], "war-galley-12.json").
    name = file.filename.rpartition("/")[2]
    return [int(number) for number in _NUMBER_PATTERN.findall(name)], name


def _read_files(bundle: zipfile.ZipFile, files: Sequence[zipfile.ZipInfo]) -> list[bytes]:
    """Read the files by their actual length, because the stated length may be false."""
    contents: list[bytes] = []
    bytes_left = MAX_BYTES
    for file in files:
        with bundle.open(file) as opened:
            content = opened.read(min(MAX_FILE_BYTES, bytes_left) + 1)  # one byte more shows that it is too long
        contents.append(content)
        bytes_left -= len(content)
        if len(content) > MAX_FILE_BYTES or bytes_left < 0:
            raise UnreadableOrder("export_too_long", piece="file", most=MAX_FILE_BYTES // 2**20)
    return contents
