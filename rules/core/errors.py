"""Reasons why an answer is refused, and typed values from untrusted JSON and TOML."""

from __future__ import annotations

import re
from typing import Final, Literal, TypeVar

import msgspec
from msgspec import Struct

Scalar = str | int | float | bool


class Fault(Struct, frozen=True, kw_only=True):
    """One reason for a refusal, as data. The catalogue key of its sentence is `fault.<code>`."""

    # whether the answer was not understood, is forbidden, or has several meanings
    kind: Literal["unreadable", "illegal", "ambiguous"]
    code: str  # names the reason, such as `too_many_orders`
    rule: str = ""  # the rule that forbids it, such as `MB-3.4`; empty: no numbered rule
    piece: str = ""  # the offending part of the player's text, or the galley and order that were pressed
    params: dict[str, Scalar] = {}
    """Further values of the sentence, such as limits, measured distances and legal alternatives."""
    suggestion: str = ""  # the readable order nearest to the refused piece, in the answer's notation; empty: none
    faults: tuple[Fault, ...] = ()  # the single faults of a combined refusal, each shown on its own line


def illegal_fault(code: str, rule: str, *, piece: str = "", **params: Scalar) -> Fault:
    """Return the fault of an answer that is readable but forbidden by a numbered rule."""
    return Fault(kind="illegal", code=code, rule=rule, piece=piece, params=params)


class OrderError(ValueError):
    """Raised when an answer is refused for the reason `fault`. Nothing has changed."""

    def __init__(self, fault: Fault, system: str = "") -> None:
        super().__init__(f"{fault.rule or fault.kind}: {fault.code} {fault.piece} {fault.params or ''}".strip())
        self.fault = fault
        self.system = system
        """The game whose catalogue explains the fault; empty: the shared one. Rules leave it empty, and their caller
        sets it."""

    def __reduce__(self) -> tuple[type[OrderError], tuple[Fault, str]]:
        return OrderError, (self.fault, self.system)


class UnreadableOrder(OrderError):
    """Raised for a text that does not follow the game's notation."""

    def __init__(self, code: str, *, rule: str = "", piece: str = "", **params: Scalar) -> None:
        super().__init__(Fault(kind="unreadable", code=code, rule=rule, piece=piece, params=params))


class IllegalOrder(OrderError):
    """Raised for a readable answer that a numbered rule forbids."""

    def __init__(self, code: str, rule: str, *, piece: str = "", **params: Scalar) -> None:
        super().__init__(illegal_fault(code, rule, piece=piece, **params))


class AmbiguousOrder(OrderError):
    """Raised for a text with more than one possible meaning."""

    def __init__(self, code: str, *, piece: str = "", **params: Scalar) -> None:
        super().__init__(Fault(kind="ambiguous", code=code, piece=piece, params=params))


def raise_fault(fault: Fault | None) -> None:
    if fault:
        raise OrderError(fault)


def quote_excerpt(text: str) -> str:
    """Return a player's text on one line, cut to 60 characters, for quoting in a refusal."""
    line = " ".join(text.split())
    return line if len(line) <= 60 else line[:59] + "…"


T = TypeVar("T")


_PATH: Final = re.compile(r" - at `(\$[^`]*)`$")  # at the end of a decoder's message
_LINE_AND_COLUMN: Final = re.compile(r"\(at line (\d+), column (\d+)\)")
_BYTE: Final = re.compile(r"\(byte (\d+)\)")


def decode_checked(text: str | bytes, kind: type[T], form: Literal["json", "toml"], code: str, *, piece: str = "") -> T:
    """Decode a text into `kind`, with the checks of the type and its `__post_init__`.

    Raises `UnreadableOrder` with `code`, `piece`, where the fault is (`at`), and for programs what was expected.
    """
    decode = msgspec.json.decode if form == "json" else msgspec.toml.decode
    try:
        return decode(text, type=kind)
    except (msgspec.MsgspecError, ValueError) as error:
        raise UnreadableOrder(code, piece=piece, at=place_of_error(error, text), expected=str(error)[:200]) from error


def place_of_error(error: Exception, text: str | bytes) -> str:
    """Return where a decoder found a fault: a field such as `ships[0].x`, or line and column such as `3:5`."""
    message = str(error)
    if match := _PATH.search(message):
        return match[1].removeprefix("$").removeprefix(".") or "1:1"
    if match := _LINE_AND_COLUMN.search(message):
        return f"{match[1]}:{match[2]}"
    if match := _BYTE.search(message):
        before = (text.encode() if isinstance(text, str) else text)[: int(match[1])]
        return f"{before.count(10) + 1}:{len(before) - before.rfind(10)}"
    return "1:1"
