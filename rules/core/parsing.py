"""Typed values from untrusted JSON and TOML."""

from __future__ import annotations

from typing import Literal, TypeVar

import msgspec

from rules.core.errors import UnreadableOrder

T = TypeVar("T")


def decode_checked(text: str | bytes, kind: type[T], form: Literal["json", "toml"], code: str, *, piece: str = "") -> T:
    """Decode a text into `kind`, with the checks of the type and its `__post_init__`.

    Raises `UnreadableOrder` with `code`, `piece` and what was expected.
    """
    decode = msgspec.json.decode if form == "json" else msgspec.toml.decode
    try:
        return decode(text, type=kind)
    except (msgspec.MsgspecError, ValueError) as wrong:
        raise UnreadableOrder(code, piece=piece, expected=str(wrong)[:200]) from wrong
