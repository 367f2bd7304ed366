"""What may be wrong with an answer: it cannot be read, it breaks a rule, or it means two things."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

Scalar = str | int | float | bool


class Fault(Struct, frozen=True, kw_only=True):
    """One reason why an answer is refused, as data; the words stand in the locale files under `fault.<code>`."""

    kind: Literal["unreadable", "illegal", "ambiguous"]
    code: str
    """Catalogue key and test name, in snake case: `too_many_moves`."""
    rule: str = ""
    """The rule that refuses it, such as `MB-3.4`; empty when none says so."""
    piece: str = ""
    """The offending piece of the player's text, or the galley and order pressed."""
    params: dict[str, Scalar] = {}
    """What the sentence needs besides: limits, measured distances, what would be legal."""
    faults: tuple[Fault, ...] = ()
    """Of a refusal for several reasons: each, told on a line of its own."""


def illegal_fault(code: str, rule: str, *, piece: str = "", **params: Scalar) -> Fault:
    """The fault of what can be read, and a numbered rule forbids."""
    return Fault(kind="illegal", code=code, rule=rule, piece=piece, params=params)


class OrderError(ValueError):
    """An answer is refused; `fault` says why. Nothing was changed."""

    def __init__(self, fault: Fault, system: str = "") -> None:
        super().__init__(f"{fault.rule or fault.kind}: {fault.code} {fault.piece} {fault.params or ''}".strip())
        self.fault = fault
        self.system = system
        """The game whose words explain it; empty: the shared ones. Rules leave it empty; their caller fills it in."""

    def __reduce__(self) -> tuple[type[OrderError], tuple[Fault, str]]:
        """Travel between processes as the fault and the game alone."""
        return OrderError, (self.fault, self.system)


class UnreadableOrder(OrderError):
    """The text is in no notation of this game."""

    def __init__(self, code: str, *, rule: str = "", piece: str = "", **params: Scalar) -> None:
        super().__init__(Fault(kind="unreadable", code=code, rule=rule, piece=piece, params=params))


class IllegalOrder(OrderError):
    """The text is readable, and a numbered rule forbids it."""

    def __init__(self, code: str, rule: str, *, piece: str = "", **params: Scalar) -> None:
        super().__init__(illegal_fault(code, rule, piece=piece, **params))


class AmbiguousOrder(OrderError):
    """The text could mean more than one thing."""

    def __init__(self, code: str, *, piece: str = "", **params: Scalar) -> None:
        super().__init__(Fault(kind="ambiguous", code=code, piece=piece, params=params))


def raise_fault(fault: Fault | None) -> None:
    """Raise the error of a fault, if there is one."""
    if fault:
        raise OrderError(fault)


def quote_excerpt(text: str) -> str:
    """A piece of a player's text on one line, at most 60 characters, to be quoted in a refusal."""
    line = " ".join(text.split())
    return line if len(line) <= 60 else line[:59] + "…"
