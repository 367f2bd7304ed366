"""Reasons why an answer is refused, and typed values from untrusted JSON and TOML."""

from __future__ import annotations

from typing import Literal, TypeVar

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


def decode_checked(text: str | bytes, kind: type[T], form: Literal["json", "toml"], code: str, *, piece: str = "") -> T:
    """Decode a text into `kind`, with the checks of the type and its `__post_init__`.

    Raises `UnreadableOrder` with `code`, `piece` and what was expected.
    """
    decode = msgspec.json.decode if form == "json" else msgspec.toml.decode
    try:
        return decode(text, type=kind)
    except (msgspec.MsgspecError, ValueError) as error:
        raise UnreadableOrder(code, piece=piece, expected=str(error)[:200]) from error
