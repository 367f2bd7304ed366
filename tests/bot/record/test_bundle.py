"""A zip of records that somebody hands in: what can't be one is refused before it fills the memory."""

from __future__ import annotations

import io
import zipfile

import pytest

from bot.record.bundle import MAX_RECORDS, is_bundle, pack_records, unpack_records
from bot.record.export import MAX_FILE_BYTES
from rules.core.errors import OrderError


def zipped(*files: tuple[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as bundle:
        for name, data in files:
            bundle.writestr(name, data)
    return packed.getvalue()


def test_a_game_comes_before_its_battles_however_the_zip_was_made() -> None:
    assert unpack_records(pack_records([(9, b"season"), (10, b"battle")])) == (b"season", b"battle")
    assert unpack_records(
        zipped(("a/war-galley-10.json", b"battle"), ("a/", b""), ("a/war-galley-9.json", b"season"))
    ) == (b"season", b"battle")
    assert not is_bundle(b'{"format":1}')


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (zipped(), "no_export"),
        (zipped(*((f"{n}.json", b"") for n in range(MAX_RECORDS + 1))), "no_export"),
        (zipped(("1.json", b" " * (MAX_FILE_BYTES + 1))), "export_too_long"),
        (zipped(*((f"{n}.json", b" " * MAX_FILE_BYTES) for n in range(9))), "export_too_long"),
        (zipped(("1.json", b"{}"))[:-9], "no_export"),
        (zipped(("1.json", b"something"))[:40] + b"\xff" * 80, "no_export"),
    ],
    ids=["empty", "many", "a long one", "long ones", "cut", "garbled"],
)
def test_what_is_no_bundle_is_refused(data: bytes, code: str) -> None:
    with pytest.raises(OrderError) as refused:
        unpack_records(data)
    assert refused.value.fault.code == code
